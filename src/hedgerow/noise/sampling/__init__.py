"""Differential privacy under sampling, and k-anonymisation that is safe because of it."""
