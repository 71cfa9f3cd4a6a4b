"""Hedgerow: publish data about people against named adversaries."""

from hedgerow.base.door import open_door

__getattr__, __dir__ = open_door(__name__, __file__)
