"""Targets: people an attacker looks for, and what is known of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError
from hedgerow.engines import Engine, SourceForm, open_engine
from hedgerow.table.encoding import encoded
from hedgerow.table.groups import Ints
from hedgerow.table.written_form import Value

Codes = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Targets:
    """People somebody looks for, and what is known of them."""

    columns: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]
    """For each column, the different values."""
    codes: Codes
    """For each person and column, which of them."""

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def of(cls, known: Mapping[str, Sequence[Value]]) -> Targets:
        """From columns: {"age": ["28"], "zip": ["13012"]} is one person."""
        lengths = {len(column) for column in known.values()}
        if len(lengths) != 1:
            raise DataError("what is known of the targets has columns of different lengths")
        values, codes = [], []
        for column in known.values():
            texts = [None if value is None else str(value) for value in column]
            place = {value: i for i, value in enumerate(dict.fromkeys(texts))}
            values.append(tuple(place))
            codes.append(np.array([place[value] for value in texts], np.int32))
        return cls(tuple(known), tuple(values), np.stack(codes, axis=1))

    @classmethod
    def read(
        cls, source: Any, *, columns: Sequence[str] | None = None, null: Sequence[str] = (),
        form: SourceForm | None = None,
    ) -> Targets:  # fmt: skip
        """From a file or a table, a row a person; these columns, or all.

        Args:
            source: What `open_engine` reads.
            columns: Which; all if left out.
            null: Texts that mean missing.
            form: How it is written.
        """
        with open_engine(source, null=null, form=form) as engine:
            return cls.counted_by(engine, list(columns or engine.columns()))

    @classmethod
    def counted_by(cls, engine: Engine, names: list[str]) -> Targets:
        """From the rows of an engine."""
        table = engine.rows(names, max(1, engine.rows_total()))
        found = [encoded(table[name]) for name in names]
        return cls(
            tuple(names),
            tuple(tuple(values) for values, _ in found),
            np.stack([codes for _, codes in found], axis=1),
        )

    def column(self, name: str) -> list[Value]:
        """What is known in one column, person by person."""
        place = self.columns.index(name)
        values = self.values[place]
        return [values[code] for code in self.codes[:, place]]

    def value(self, name: str, person: int) -> Value:
        """What is known of one person in one column."""
        place = self.columns.index(name)
        return self.values[place][int(self.codes[person, place])]

    def described(self, person: int) -> str:
        """What is known of one person, in words.

        >>> Targets.of({"name": ["Al", "Joe"], "age": ["28", None]}).described(1)
        'The person with name Joe, age missing'
        """
        known = [
            f"{name} {'missing' if (v := values[code]) is None else v}"
            for name, values, code in zip(
                self.columns, self.values, self.codes[person], strict=True
            )
        ]
        return f"The person with {', '.join(known)}"

    def take(self, chosen: Ints | NDArray[np.bool_]) -> Targets:
        return Targets(self.columns, self.values, self.codes[chosen])
