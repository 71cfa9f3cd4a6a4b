"""Attacks: try to break a release before someone else does."""
