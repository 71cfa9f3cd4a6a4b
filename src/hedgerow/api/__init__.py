"""The public verbs, which put the rooms together, and what the faces need of the rooms.

The one list of what it offers is the stub beside this file. A name is loaded when it is first used.
"""

from hedgerow.base.door import open_door

__getattr__, __dir__ = open_door(__name__, __file__)
