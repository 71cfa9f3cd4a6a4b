"""Answer: noisy numbers, how far off they may be, and what they cost."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hedgerow.answers.design import CONFIDENCE, AnswerTable
from hedgerow.answers.ranges import Between, Ranged
from hedgerow.base.canonical_json import canonical
from hedgerow.base.errors import DataError
from hedgerow.noise.rounding import Number

FORMAT = "hedgerow-answer/1"


@dataclass(frozen=True)
class Answer:
    """What is published: everything in it may be given to anybody.

    Its bytes are kept in the ledger; the same question later gets the same bytes.
    """

    question: Mapping[str, Any]
    """As it was asked, canonical."""
    words: str
    tables: tuple[AnswerTable, ...]
    """One for most questions. Intervals are for each number by itself, not for all at once."""
    noise: tuple[Mapping[str, str], ...]
    """Distribution, scale and sensitivity of the noise on each kind of number."""
    loss: str
    """What it costs, as a claim of differential privacy."""
    spent: Mapping[str, str]
    """What the ledger was charged."""
    neighbours: str
    """Who is protected."""
    notes: tuple[str, ...]
    ledger: Mapping[str, Any]
    """Where in the ledger it stands."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What somebody needs who computes with the answer; mostly nothing."""
    confidence: float = float(CONFIDENCE)
    again: bool = False
    """Whether it was answered before and is told again, for nothing."""

    @property
    def table(self) -> AnswerTable:
        """The table, where there is one.

        Raises:
            DataError: There are several.
        """
        if len(self.tables) != 1:
            raise DataError(f"this answer has {len(self.tables)} tables", fix="Use `.tables`.")
        return self.tables[0]

    @property
    def value(self) -> Any:
        """The number, or the choice, of an answer that is one.

        Raises:
            DataError: There are several.
        """
        numbers = self._column
        if len(numbers) != 1:
            raise DataError(f"this answer has {len(numbers)} numbers", fix="Use `.to_dicts()`.")
        return numbers[0]

    @property
    def interval(self) -> tuple[float, float]:
        """Where the exact number is, with 95 %; of an answer that is one number."""
        _ = self.value
        low, high = self.table.told("low"), self.table.told("high")
        if low is None or high is None:
            raise DataError(
                "a choice has no interval", fix="See how far off it may be in `.table`."
            )
        return low[0], high[0]

    def between(self, low: Number, high: Number) -> Between:
        """Of an answer about ranges: the count from low up to, not including, high.

        And where the exact count is, with 95 %. It costs nothing more. Ends within a cell are
        moved outwards; `low` and `high` of what is returned say to where.
        """
        return self.ranges.between(low, high)

    @cached_property
    def ranges(self) -> Ranged:
        """Of an answer about ranges: any of them, also many at once, by `ranges.many`."""
        return Ranged.of(self.table, self.details)

    @property
    def _column(self) -> list[Any]:
        told = [name for name in self.table.columns if name not in self.table.keys]
        return list(self.table.columns[told[0]])

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dictionary a line."""
        names = list(self.table.columns)
        lines = zip(*self.table.columns.values(), strict=True)
        return [dict(zip(names, line, strict=True)) for line in lines]

    def to_arrow(self) -> Any:
        """The table as a pyarrow table."""
        import pyarrow as pa

        return pa.table(dict(self.table.columns))

    def to_pandas(self) -> Any:
        """The table as a pandas frame."""
        return self.to_arrow().to_pandas()

    def as_json(self) -> dict[str, Any]:
        """Everything that is published, as JSON knows it."""
        return {
            "format": FORMAT,
            "question": dict(self.question),
            "words": self.words,
            "tables": [
                {"keys": list(one.keys), "columns": [[n, c] for n, c in one.columns.items()]}
                for one in self.tables
            ],
            "noise": [dict(told) for told in self.noise],
            "confidence": self.confidence,
            "loss": self.loss,
            "spent": dict(self.spent),
            "neighbours": self.neighbours,
            "notes": list(self.notes),
            "ledger": dict(self.ledger),
            "details": dict(self.details),
        }

    def to_bytes(self) -> bytes:
        """What the ledger keeps."""
        return canonical(self.as_json())

    @classmethod
    def read(cls, content: bytes) -> Answer:
        """An answer from its bytes, told again."""
        told = json.loads(content)
        if told.get("format") != FORMAT:
            raise DataError(
                f"this is no answer of a kind known here ({told.get('format')!r})",
                fix="Was it written by a newer version?",
            )
        return cls(
            question=told["question"],
            words=told["words"],
            tables=tuple(
                AnswerTable(
                    tuple(one["keys"]), {name: list(column) for name, column in one["columns"]}
                )
                for one in told["tables"]
            ),
            noise=tuple(told["noise"]),
            loss=told["loss"],
            spent=told["spent"],
            neighbours=told["neighbours"],
            notes=tuple(told["notes"]),
            ledger=told["ledger"],
            details=told["details"],
            confidence=told["confidence"],
            again=True,
        )
