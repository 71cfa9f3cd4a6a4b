"""The version of Hedgerow, which certificates and reports name."""

__version__ = "0.1.0"
