"""The one way to draw."""
