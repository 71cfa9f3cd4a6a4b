"""Recoded tables: people's records in groups, about which claims are made."""
