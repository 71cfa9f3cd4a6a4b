"""What is known of a table before anybody says what its columns mean."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from hedgerow.engines.file_look import FileLook
from hedgerow.table.profile.column_facts import ColumnFacts
from hedgerow.table.profile.column_notes import column_notes, in_percent, listed
from hedgerow.table.profile.special_uniques import SpecialUniques

SHOWN = 20
"""Values of a column, and combinations, that a summary has."""


@dataclass(frozen=True, kw_only=True)
class Dependency:
    """A column whose values follow from another's, in all rows or nearly all."""

    determinant: str
    """Whoever knows this ..."""
    dependent: str
    """... knows that."""
    breaks: int
    """Rows in which it is not so: as few as must change for it to hold in all."""
    rows: int
    """Rows that have both values."""

    @property
    def exact(self) -> bool:
        return self.breaks == 0


@dataclass(frozen=True, kw_only=True)
class PersonKey:
    """A column that may say whose row it is."""

    column: str
    people: int
    mean_rows: float
    """Rows a person, on average."""
    most_rows: int
    """Rows of whoever has most."""
    nobody: int
    """Rows without a value in it."""
    agree: tuple[str, ...]
    """Other columns in which the rows of everybody agree, though they differ between people."""
    differ: tuple[str, ...]
    """Columns in which rows of a person differ."""
    because: str
    sure: bool
    together: bool = False
    """Whether the rows of each value stand together, as the rows of a person do."""

    @property
    def several(self) -> bool:
        """Whether somebody has several rows."""
        return self.most_rows > 1


@dataclass(frozen=True, kw_only=True)
class Combination:
    """Columns, and how far they tell people apart."""

    columns: tuple[str, ...]
    people: int
    """Who have values in them that nobody else has."""
    distinction: float
    """The same as a share of all people."""
    separation: float
    """Share of pairs of people whose values differ."""

    def __str__(self) -> str:
        """As a sentence.

        >>> one = Combination(columns=("age", "zip", "sex"), people=63, distinction=0.63,
        ...                   separation=0.99)
        >>> print(one)
        age, zip and sex single out 63 % of the people (63).
        """
        verb = "single" if len(self.columns) > 1 else "singles"
        share = in_percent(self.distinction)
        return f"{listed(self.columns)} {verb} out {share} of the people ({self.people:,})."


@dataclass(frozen=True, kw_only=True)
class AttackerKnowledge:
    """What a kind of attacker is likely to know of people: a guess by names and values."""

    attacker: str
    """Such as "a neighbour"."""
    columns: tuple[str, ...]
    distinction: float
    """Share of people whom these columns single out."""


@dataclass(frozen=True, kw_only=True, repr=False)
class TableProfile:
    """The facts of a table. All of it is about people in it: for its steward, no recipient."""

    source: str | None
    file: FileLook | None
    """How its file is written, as far as that was looked at."""
    rows: int
    """Of the whole table."""
    looked_at: int
    """Rows the facts were counted in: the first ones, where they are fewer than all."""
    people: int
    """Among the rows looked at; the rows, if nothing says whose they are."""
    person: str | None
    """The column that says whose row it is, where somebody has said so."""
    columns: tuple[ColumnFacts, ...]
    keys: tuple[PersonKey, ...]
    """Columns that may say whose row it is, the likeliest first."""
    dependencies: tuple[Dependency, ...]
    combinations: tuple[Combination, ...]
    """Of one column, two, and where there was time three; the most telling first."""
    smallest: tuple[Combination, ...]
    """For one column, two, three: the set that singles out most people."""
    knowledge: tuple[AttackerKnowledge, ...]
    special: SpecialUniques | None
    """Who stands out by few columns and in many ways; None where nobody has looked for them."""
    notes: tuple[str, ...]
    """What was not looked at, and why."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def sampled(self) -> bool:
        """Whether there are rows that were not looked at."""
        return self.looked_at < self.rows

    def together(self, columns: int) -> tuple[Combination, ...]:
        """The combinations of so many columns, the most telling first."""
        return tuple(one for one in self.combinations if len(one.columns) == columns)

    def column(self, name: str) -> ColumnFacts:
        """The facts of a column, by its name.

        Raises:
            KeyError: There is no such column.
        """
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def summary(self) -> dict[str, Any]:
        """For `--json`: the facts, of the most frequent values and combinations only the first."""
        special = self.special
        whole = {
            name: value
            for name, value in vars(self).items()
            if name not in ("columns", "file", "keys", "dependencies", "combinations", "smallest",
                            "knowledge", "special", "notes")
        }  # fmt: skip
        file = self.file
        return whole | {
            "read": None if file is None else {
                "said": file.form.said, "detected": dict(file.said),
                "questions": list(map(str, file.questions)),
                "unreadable": list(map(str, file.unreadable)), "notes": list(file.notes),
            },
            "columns": [
                asdict(one) | {
                    "values": [asdict(value) for value in one.values[:SHOWN]],
                    "constant": one.constant, "near_constant": one.near_constant,
                }
                for one in self.columns
            ],
            "keys": [asdict(one) for one in self.keys],
            "dependencies": [asdict(one) for one in self.dependencies],
            "combinations": [
                asdict(one) for size in (1, 2, 3) for one in self.together(size)[:SHOWN]
            ],
            "smallest": [asdict(one) for one in self.smallest],
            "knowledge": [asdict(one) for one in self.knowledge],
            "special": None if special is None else special.summary(),
            "notes": list(self.notes),
        }  # fmt: skip

    def __repr__(self) -> str:
        rows = f"{self.rows:,} rows"
        return (
            f"<TableProfile of {self.source or 'a table'}: {rows}, {len(self.columns):,} columns>"
        )

    def _repr_html_(self) -> str:
        """A table of the columns, for notebooks."""
        head = "".join(f"<th>{one}</th>" for one in
                       ("Column", "Kind", "Different", "Missing", "Singled out", ""))  # fmt: skip
        lines = []
        for look in self.columns:
            cells = (
                look.name, str(look.kind), f"{look.distinct:,}", f"{look.missing:,}",
                in_percent(look.distinction), "; ".join(column_notes(look)),
            )  # fmt: skip
            lines.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
        said = [*map(str, self.smallest), *self.notes]
        sentences = "".join(f"<li>{escape(one)}</li>" for one in said)
        return (
            f"<p>{escape(repr(self)[1:-1])}</p><table><thead><tr>{head}</tr></thead>"
            f"<tbody>{''.join(lines)}</tbody></table><ul>{sentences}</ul>"
        )
