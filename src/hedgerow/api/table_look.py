"""A first look at a table: what its columns are like, whose rows they are, and what is guessed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hedgerow.base.errors import DataError
from hedgerow.base.spelling_classes import classes
from hedgerow.engines import open_engine
from hedgerow.engines.address import table_place
from hedgerow.engines.base import ColumnProfile, Engine, Repeats, RowsOfPeople
from hedgerow.engines.detection import look_at_file
from hedgerow.engines.file_look import FileLook
from hedgerow.engines.source_form import AS_ALWAYS, SourceForm
from hedgerow.plan.guesses.first_plan import first_plan
from hedgerow.plan.guesses.questions import PlanQuestion
from hedgerow.plan.guesses.role_guess import RoleGuess
from hedgerow.release.partition.recoding_choice import Progress
from hedgerow.table.person_keys import repeated, same_ids
from hedgerow.table.profile.table_profile import TableProfile
from hedgerow.table.profile.whole_table import profile_table
from hedgerow.table.schema import Role

MOST_VALUES = 100_000
"""Distinct values of a column that a preview of its hierarchy is made of."""


@dataclass(frozen=True)
class Look:
    """What the table is like, and what is guessed of each column."""

    data: TableProfile
    guesses: Mapping[str, RoleGuess]
    profiles: tuple[ColumnProfile, ...]
    keys: tuple[Repeats, ...] = ()
    """Numbers of people that repeat, where nobody has said whose rows these are."""
    people: RowsOfPeople | None = None
    """How many rows people have, where the plan names the column that tells them apart."""
    ids: DataError | None = None
    """What is wrong with that column, where two of its texts may be one person's."""
    differ: Mapping[str, int] = field(default_factory=dict)
    """For each column, how many people have rows with different values."""
    questions: tuple[PlanQuestion, ...] = ()
    """What only a person can answer, the most consequential first."""
    stays: bool = False
    """Whether the table stays in its database, which cannot publish one row per person."""
    file: FileLook | None = None
    """How its file is written; None of a table of a database."""
    spellings: Mapping[str, Sequence[tuple[str, ...]]] = field(default_factory=dict)
    """For each sensitive column, the values a reader may take for one, in all spellings."""

    @property
    def tokens(self) -> dict[str, list[str]]:
        """Texts that surely mean missing, with their columns; in no column they are values."""
        found: dict[str, list[str]] = {}
        for one in self.data.columns:
            for token in one.missing_tokens:
                if token.sure:
                    found.setdefault(token.text, []).append(one.name)
        return {
            text: names for text, names in found.items()
            if all(one.name in names or text not in {v.value for v in one.values}
                   for one in self.data.columns)
        }  # fmt: skip

    @property
    def names(self) -> tuple[str, ...]:
        """Every column of the source, in its order."""
        return tuple(profile.name for profile in self.profiles)

    def profile(self, number: int) -> ColumnProfile:
        """A column by its place.

        Raises:
            DataError: There is no such column.
        """
        if not 0 <= number < len(self.profiles):
            raise DataError("there is no such column", fix="Choose one of those shown.")
        return self.profiles[number]


@dataclass(frozen=True)
class TableSource:
    """Where the data are, and how they are to be read: what a look depends on."""

    source: str
    person: str | None
    null: tuple[str, ...]
    named: tuple[str, ...]
    """Columns that the plan drops: they are not combined with others."""
    roles: tuple[tuple[str, str], ...]
    """Of each column that has one."""
    said: tuple[tuple[str, bool], ...]
    """Whether a column is a key, where the plan says so."""
    stated: bool
    """Whether the plan states that every row is another person."""
    respelled: tuple[tuple[str, tuple[str, ...]], ...]
    """Columns that are published in one spelling, each with the values that stay apart."""
    state: tuple[int, int]
    """Differs when the file has been written."""
    form: SourceForm = AS_ALWAYS
    """How its file is written, as far as the plan says it."""

    @property
    def mark(self) -> str:
        """A name for it."""
        return hashlib.sha256(json.dumps(_plain(self)).encode()).hexdigest()[:16]

    def look(self, progress: Progress | None = None) -> Look:
        """Look at it."""
        with open_engine(self.source, null=self.null, person=self.person, form=self.form) as engine:
            profiles = tuple(engine.profile())
            planned = {n: Role(role) for n, role in self.roles if n in engine.columns()}
            found = repeated(engine, planned, dict(self.said), person=self.person, names=False)
            sensitive = [name for name, role in planned.items() if role is Role.SENSITIVE]
            spellings = {n: _spellings(engine.distinct(n, limit=MOST_VALUES)) for n in sensitive}
            data = profile_table(
                engine, source=self.source, known=self._known(engine.columns()), progress=progress
            )
            keys = () if self.stated else self._asked(engine, data, found.keys)
            people, ids, differ = self._rows(engine, spellings)
        first = first_plan(
            data, person=self.person, one_row_per_person=self.stated, find_person=False,
            by_column=False,
        )  # fmt: skip
        return Look(
            data, first.roles, profiles, keys, people, ids, differ, first.questions,
            self._stays, self._file(), {name: found for name, found in spellings.items() if found},
        )  # fmt: skip

    def _asked(
        self, engine: Engine, data: TableProfile, found: tuple[Repeats, ...]
    ) -> tuple[Repeats, ...]:
        """The column that may say whose row it is: the likeliest, where its values tell."""
        said = dict(self.said)
        for key in data.keys:
            if key.sure and key.several and said.get(key.column, True):
                return tuple(engine.repeats([key.column]))
        return found

    def _known(self, columns: Sequence[str]) -> list[str]:
        """The columns that an attacker may know, by their roles; those without one, too."""
        said = dict(self.roles)
        may = (None, str(Role.QUASI_IDENTIFIER))
        return [n for n in columns if n != self.person and said.get(n) in may]

    def _file(self) -> FileLook | None:
        return look_at_file(self.source, form=self.form, null=self.null)

    @property
    def _stays(self) -> bool:
        return table_place(self.source) is not None

    def _rows(
        self, engine: Engine, spellings: Mapping[str, Sequence[tuple[str, ...]]]
    ) -> tuple[RowsOfPeople | None, DataError | None, dict[str, int]]:
        """How many rows people have, and in which columns they differ."""
        if self.person is None:
            return None, None, {}
        people = engine.rows_of(self.person)
        ids = same_ids(self.person, engine)
        if people.most <= 1 or self._stays:
            return people, ids, {}
        # As publishing does: rows that differ in spelling only do not differ.
        for name, distinct in self.respelled:
            one = [texts for texts in spellings.get(name, ()) if texts[0] not in distinct]
            engine.respell(name, {text: texts[0] for texts in one for text in texts[1:]})
        others = [name for name in engine.columns() if name != self.person]
        return people, ids, engine.differing(self.person, others)

    def values(self, column: str) -> tuple[str | None, ...]:
        """The distinct values of a column.

        Raises:
            DataError: There is no such column.
        """
        with open_engine(self.source, null=self.null, person=self.person, form=self.form) as engine:
            return tuple(engine.distinct(column, limit=MOST_VALUES))


def _plain(table: TableSource) -> Sequence[Any]:
    said = [table.roles, table.said, table.stated, table.respelled]
    return [
        os.fspath(table.source),
        table.person,
        table.null,
        table.named,
        *said,
        table.state,
        table.form.said,
    ]


def _spellings(values: Sequence[str | None]) -> list[tuple[str, ...]]:
    """The texts that may be one value; what is missing has no spelling."""
    found = classes(value for value in values if value is not None)
    return [tuple(text for text in texts if text is not None) for texts in found]
