"""Kinds of engines: which one reads a source, and how it is opened.

A kind is declared in its engine's package and registered in `ENGINES`. Addresses of tables, the
plan's `engine` and what to install where a library is missing are derived from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.base.errors import DataError
from hedgerow.base.extras import needing
from hedgerow.base.registry import Registry
from hedgerow.engines.base import Engine, TableEngine, TablePlace
from hedgerow.engines.source_form import AS_ALWAYS, SourceForm

if TYPE_CHECKING:
    from hedgerow.engines.remote import Arrival


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How a source is to be read; see `open_engine`."""

    null: Sequence[str] = ()
    person: str | None = None
    form: SourceForm = AS_ALWAYS
    memory: str | None = None
    scratch: Path | None = None


@dataclass(frozen=True, kw_only=True)
class RemoteKind:
    """What an engine needs to have tables that have addresses."""

    schemes: Mapping[str, str]
    """What addresses begin with, and how that is written; a scheme may have other spellings."""
    open: Callable[[TablePlace, ReadOptions], TableEngine]
    arrival: Callable[[TablePlace, Sequence[Path], str | None], Arrival]
    """Opens a place for a table that is made elsewhere: the place, the files it is made from, and
    how much memory may be used."""


@dataclass(frozen=True, kw_only=True, eq=False)
class EngineKind:
    """An engine: what it reads, and how it is opened. Its library loads when it opens something."""

    name: str
    """As in the plan."""
    reads: str
    """What it reads, in a few words."""
    takes: Callable[[object], bool] = lambda source: False
    """Whether it reads a source that is no address, such as a file or a table in memory."""
    open: Callable[[object, ReadOptions], Engine] | None = None
    """Opens what it takes."""
    remote: RemoteKind | None = None
    """Of an engine whose tables have addresses."""
    libraries: tuple[str, ...] = field(default=())
    """What it imports that may not be installed."""
    install: str = ""
    """What to do where one of them is missing."""

    def needing(self, where: str) -> AbstractContextManager[None]:
        """Say what to install where a library is missing.

        Args:
            where: The source, as messages name it.

        Raises:
            DataError: It is.
        """
        return needing(
            self.reads, fix=self.install, where=where, only=self.libraries, raises=DataError
        )


ENGINES: Registry[EngineKind] = Registry("engine", group="hedgerow.engines")
"""The engines by plan name."""


def scheme_of(scheme: str) -> str | None:
    """A scheme as it is written; None where no engine has it.

    >>> scheme_of("postgres"), scheme_of("sc"), scheme_of("https")
    ('postgresql', 'sc', None)
    """
    kind = _with_scheme(scheme)
    return None if kind is None or kind.remote is None else kind.remote.schemes[scheme]


def engine_of(place: TablePlace) -> EngineKind:
    """The engine that has a table.

    Raises:
        DataError: No engine has such tables.
    """
    kind = _with_scheme(place.scheme)
    if kind is None:
        raise DataError(f"no engine reads {place.scheme}://...", where=str(place))
    return kind


def schemes() -> list[str]:
    """What addresses of tables begin with."""
    remotes = (kind.remote for kind in ENGINES.values() if kind.remote is not None)
    return [scheme for remote in remotes for scheme in remote.schemes]


def _with_scheme(scheme: str) -> EngineKind | None:
    return ENGINES.first(lambda kind: kind.remote is not None and scheme in kind.remote.schemes)
