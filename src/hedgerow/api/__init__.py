"""The public verbs: they put the rooms together."""
