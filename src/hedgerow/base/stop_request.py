"""A request that work ends soon with the best it has found, instead of being thrown away."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class StopRequest:
    """Somebody may ask for the best so far; work that can give it says when it listens.

    >>> request = StopRequest()
    >>> request.ask()
    False
    >>> with request.heard():
    ...     request.ask(), request.asked()
    (True, True)
    """

    def __init__(self) -> None:
        """Nobody has asked."""
        self._asked = threading.Event()
        self._listeners = 0

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Within the block, work ends soon if somebody asks."""
        self._listeners += 1
        try:
            yield
        finally:
            self._listeners -= 1

    @property
    def listening(self) -> bool:
        """Whether asking would help."""
        return self._listeners > 0 and not self._asked.is_set()

    def ask(self) -> bool:
        """Ask, if somebody listens who was not asked before; whether that is so."""
        if not self.listening:
            return False
        self._asked.set()
        return True

    def asked(self) -> bool:
        """Whether somebody has asked."""
        return self._asked.is_set()
