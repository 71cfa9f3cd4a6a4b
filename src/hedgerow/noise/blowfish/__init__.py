"""Blowfish privacy: a policy says which secrets matter, and noise shrinks to what that needs."""
