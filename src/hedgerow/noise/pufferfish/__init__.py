"""Pufferfish: say what is secret and how data comes about; check and publish under that.

A public library (docs/pufferfish.md). The one list of what it offers is the stub beside this file.
"""

from hedgerow.base.door import open_door

__getattr__, __dir__ = open_door(__name__, __file__)
