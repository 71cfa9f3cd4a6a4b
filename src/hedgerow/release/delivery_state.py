"""Where a release stands: nobody who stops a run hears that there is none, if there is one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from hedgerow.base.errors import interrupted

if TYPE_CHECKING:
    from hedgerow.engines.base import TablePlace

PUBLISHED: list[str] = []
"""Places of the releases that this process has published since it was last asked to begin."""


class DeliveryState:
    """The state of one delivery: not begun, under way, or done."""

    def __init__(self) -> None:
        self._look: Callable[[], bool] | None = None
        self._done = False

    @contextlib.contextmanager
    def appearing(self, place: str, look: Callable[[], bool]) -> Iterator[None]:
        """The one step after which everybody sees the release.

        Args:
            place: Where it will be.
            look: Whether it is there; asked only of somebody who was stopped in between.
        """
        self._look = look
        yield
        self._done = True
        PUBLISHED.append(place)

    @property
    def there(self) -> Literal["is", "is not", "may be"]:
        """Whether the release is at its place."""
        if self._done:
            return "is"
        if self._look is None:
            return "is not"
        try:
            return "is" if self._look() else "is not"
        except Exception:  # whatever keeps us from looking, we have not seen it
            return "may be"

    @contextlib.contextmanager
    def told(self) -> Iterator[None]:
        """Around everything: an interrupt that says nothing yet says how the release stands."""
        try:
            yield
        except (KeyboardInterrupt, SystemError) as error:
            silent = isinstance(error, SystemError) or not str(error)
            if not interrupted(error) or not silent or (there := self.there) == "is not":
                raise
            raise KeyboardInterrupt(
                "interrupted after the release was published: it is at its place"
                if there == "is"
                else "interrupted in the last step; a release may be at its place"
            ) from None


def stopped(said: str, *, spent: str = "", how: str = "interrupted") -> str:
    """What somebody hears who stopped a run.

    Args:
        said: What the interrupt says itself.
        spent: What it has cost.
        how: In one word, what happened.
    """
    if said:
        return said
    if PUBLISHED:
        return f"{how} after something was published: {', '.join(PUBLISHED)}"
    return f"{how}; {spent or 'nothing was published'}"


def moved(folder: Path, target: Path) -> Callable[[], bool]:
    """Whether a staged folder has become the one at a place; to be asked for before it moves."""
    made = folder.stat()

    def look() -> bool:
        try:
            return os.path.samestat(made, target.stat())
        except FileNotFoundError:
            return False

    return look


def certified(place: TablePlace, certificate: str) -> Callable[[], bool]:
    """Whether a table has this certificate beside it."""

    def look() -> bool:
        from hedgerow.engines import open_table

        with open_table(place) as engine:
            return engine.certificate() == certificate

    return look
