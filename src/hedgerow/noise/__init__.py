"""Differential privacy: noise with a price that is known before anything is published."""
