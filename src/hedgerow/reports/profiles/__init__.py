"""Policy profiles: what a policy requires, and what of it a release meets."""
