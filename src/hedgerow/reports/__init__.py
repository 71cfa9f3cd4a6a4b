"""Reports about a release: one that goes with it, and one that stays in the house."""
