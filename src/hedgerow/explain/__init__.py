"""Explaining: what parameters mean for a table, in words and numbers."""
