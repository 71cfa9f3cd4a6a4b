"""PostgreSQL: tables stay in the database. psycopg is loaded when the first one is opened."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.engines.base import TableEngine, TablePlace
from hedgerow.engines.kinds import ENGINES, EngineKind, ReadOptions, RemoteKind

if TYPE_CHECKING:
    from hedgerow.engines.remote import Arrival


def _open(place: TablePlace, reading: ReadOptions) -> TableEngine:
    from hedgerow.engines.postgresql.table import opened
    from hedgerow.engines.remote_engine import RemoteEngine

    return RemoteEngine(
        opened(place), null=reading.null, person=reading.person, form=reading.form,
        memory=reading.memory, scratch=reading.scratch,
    )  # fmt: skip


def _arrival(place: TablePlace, inputs: Sequence[Path], memory: str | None) -> Arrival:
    from hedgerow.engines.postgresql.arrival import PostgreSQLArrival

    return PostgreSQLArrival(place)


POSTGRESQL = ENGINES.register(
    EngineKind(
        name="postgresql",
        reads="a table of PostgreSQL",
        remote=RemoteKind(
            schemes={"postgresql": "postgresql", "postgres": "postgresql"},
            open=_open,
            arrival=_arrival,
        ),
        libraries=("psycopg",),
        install="Install it: pip install 'hedgerow[postgresql]'.",
    )
)
