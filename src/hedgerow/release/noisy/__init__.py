"""Releases of noisy tables and synthetic rows."""
