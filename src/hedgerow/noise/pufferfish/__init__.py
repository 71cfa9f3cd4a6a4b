"""Pufferfish: say what is secret and how data comes about; check and publish under that."""
