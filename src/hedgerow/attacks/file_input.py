"""What an attack on files of its own kind works with, and how it reads them.

Each reads files with columns of fixed names; its declaration says which.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, PlanError, nearest, some
from hedgerow.engines import open_engine
from hedgerow.table.groups import Floats

if TYPE_CHECKING:
    from hedgerow.plan.plan import Plan

MOST = 10**9
"""The largest whole number an attack takes: more people, or days, than there are."""


@dataclass(frozen=True, kw_only=True)
class FileInput:
    """What an attack is given."""

    files: Sequence[Any]
    given: Mapping[str, str]
    """Numbers and words: `--know scale=1`."""
    truth: Any = None
    control: Any = None
    sensitive: str | None = None
    plan: Plan | None = None
    seed: int = 0

    def number(self, name: str, default: float | None = None) -> float:
        """A number that was given.

        Raises:
            PlanError: It was not, or is none.
        """
        if name not in self.given:
            if default is None:
                raise PlanError(
                    f"the attack needs to know {name}", fix=f"Say --know {name}=NUMBER."
                )
            return default
        try:
            found = float(self.given[name])
        except ValueError:
            found = math.nan
        if not math.isfinite(found):
            raise PlanError(
                f"{name} must be a number, not {self.given[name]!r}", fix="Give a number."
            )
        return found

    def whole(self, name: str, default: int) -> int:
        """A whole number that was given.

        Raises:
            PlanError: It is none.
        """
        found = self.number(name, default)
        if found != round(found) or abs(found) > MOST:
            raise PlanError(
                f"{name} must be a whole number of at most {MOST:,}, not {self.given[name]!r}",
                fix=f"Say --know {name}={default}, or the like.",
            )
        return int(found)

    def word(self, name: str, default: str) -> str:
        return self.given.get(name, default)

    def file(self, place: int, what: str) -> Any:
        """One of the files.

        Raises:
            PlanError: There are not so many.
        """
        if place >= len(self.files):
            raise PlanError(f"the attack needs {what}", fix="See docs/attacks.md for its files.")
        return self.files[place]


def called(file: Any) -> str:
    """A file's name; a table has none."""
    return str(file) if isinstance(file, str | Path) else "the table"


def texts_of(file: Any, *names: str) -> list[list[str | None]]:
    """Columns of a file."""
    with open_engine(file) as engine:
        columns = engine.columns()
        for name in names:
            if name not in columns:
                near = nearest(name, columns)
                raise DataError(
                    f"there is no column {name!r}",
                    where=called(file),
                    fix=f"Did you mean {near!r}?" if near else f"It has {some(columns)}.",
                )
        table = engine.rows(names, max(1, engine.rows_total()))
    return [table[name].to_pylist() for name in names]


def numbers_of(file: Any, *names: str) -> list[Floats]:
    """Columns of numbers; what is missing is not a number."""
    columns = zip(names, texts_of(file, *names), strict=True)
    return [parsed(column, file, name) for name, column in columns]


def parsed(column: Sequence[str | None], file: Any, name: str) -> Floats:
    """A column of texts as numbers.

    Raises:
        DataError: One is none.
    """
    try:
        return np.array([np.nan if text is None else float(text) for text in column], np.float64)
    except ValueError as error:
        wrong = str(error).partition(": ")[2]
        raise DataError(
            f"{wrong} in {name!r} is not a number", where=called(file), fix="Give numbers."
        ) from None


def matrix_of(file: Any) -> NDArray[np.float64]:
    """All columns of a file, a row of the result each."""
    with open_engine(file) as engine:
        names = engine.columns()
    return np.stack(numbers_of(file, *names))
