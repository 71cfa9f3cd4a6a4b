"""What is known of a table before anybody says what its columns mean."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.table.profile.column_facts import ColumnFacts
from hedgerow.table.profile.special_uniques import SpecialUniques


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


@dataclass(frozen=True, kw_only=True)
class AttackerKnowledge:
    """What a kind of attacker is likely to know of people: a guess by names and values."""

    attacker: str
    """Such as "a neighbour"."""
    columns: tuple[str, ...]
    distinction: float
    """Share of people whom these columns single out."""


@dataclass(frozen=True, kw_only=True)
class TableProfile:
    """The facts of a table. All of it is about people in it: for its steward, no recipient."""

    source: str | None
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
