"""Blowfish policies: which pairs of secrets matter, and the noise that hides these.

A public library (docs/blowfish.md). The one list of what it offers is the stub beside this file.
"""

from hedgerow.base.door import open_door

__getattr__, __dir__ = open_door(__name__, __file__)
