"""What each column of the table is to an attacker: its role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from hedgerow.table.column_codings import RANDOM, Codings

STATED = "The publisher states that every row is another person; this was not checked."
"""What a certificate says of a plan with `one_row_per_person: true`."""
AS_WRITTEN = (
    "The publisher states that person IDs that differ only in spelling belong to different people; "
    "this was not checked."
)
"""What a certificate says of a plan with `key: true` in its person column."""


def stated_no_keys(columns: Sequence[str]) -> list[str]:
    """What a certificate says of columns with `key: false`; nothing where there are none.

    >>> stated_no_keys(["pid"])
    ['The publisher states that the column pid does not identify people; this was not checked.']
    """
    if not columns:
        return []
    one = len(columns) == 1
    what = f"column {columns[0]} does" if one else f"columns {', '.join(columns)} do"
    return [f"The publisher states that the {what} not identify people; this was not checked."]


def counted_ages(ages: Sequence[tuple[str, str, str]]) -> list[str]:
    """What a certificate says of ages that were counted from two dates.

    >>> counted_ages([("age", "born", "admitted")])
    ['The column age was counted: whole years from born to admitted.']
    """
    return [
        f"The column {age} was counted: whole years from {born} to {at}." for age, born, at in ages
    ]


def told_by_hierarchies(columns: Sequence[str]) -> list[str]:
    """What a certificate says of hierarchies that were made by looking at the data.

    >>> told_by_hierarchies(["age"])[0][:60]
    'The hierarchy of age was made by looking at the data: which '
    """
    if not columns:
        return []
    one = len(columns) == 1
    what = "hierarchy" if one else "hierarchies"
    return [
        f"The {what} of {', '.join(columns)} {'was' if one else 'were'} made by looking at the "
        "data: which values, cuts and rare values there are was seen by whoever made "
        f"{'it' if one else 'them'}, and the published labels show it, suppressed people included. "
        "No claim covers that."
    ]


class Role(StrEnum):
    """What a column is to an attacker."""

    IDENTIFIER = "identifier"
    """Names a person outright; not published."""
    QUASI_IDENTIFIER = "quasi-identifier"
    """May be known to an attacker from elsewhere; generalised."""
    SENSITIVE = "sensitive"
    """What an attacker wants to learn; published as it is, protected by the claims."""
    INSENSITIVE = "insensitive"
    """Neither known nor worth learning; published as it is, protected by nothing."""


@dataclass(frozen=True)
class Schema:
    """Column names by role, in the order of the source."""

    roles: dict[str, Role]
    person: str | None = None
    """Column that says which rows belong to the same person, where people have several."""
    rows: int | None = None
    """Where people may have had several rows: the most of a person that are published."""
    stated: bool = False
    """Whether the steward states that every row is another person."""
    not_keys: tuple[str, ...] = ()
    """Columns of which the steward states that they do not identify people."""
    ids_as_written: bool = False
    """Whether the steward states that IDs in several spellings are of different people."""
    from_data: tuple[str, ...] = ()
    """Columns whose hierarchy was made by looking at the data."""
    ages: tuple[tuple[str, str, str], ...] = ()
    """Columns that were added: the age, the date of birth and the date of the event."""
    coded: Codings = field(default_factory=dict)
    """Columns that are published otherwise than claims judge them, and how."""

    @property
    def randomised(self) -> tuple[str, ...]:
        """Columns whose published values are drawn by lot."""
        return tuple(n for n, coding in self.coded.items() if coding["coding"] in RANDOM)

    @property
    def shown_groups(self) -> tuple[str, ...]:
        """The quasi-identifiers in which the file shows who was in a group."""
        return tuple(n for n in self.quasi_identifiers if n not in self.coded)

    @property
    def linked(self) -> bool:
        """Whether a person may have several published rows, which do not say whose they are."""
        return self.rows is not None and self.rows > 1

    def having(self, role: Role) -> tuple[str, ...]:
        """The columns with this role, in source order."""
        return tuple(name for name, r in self.roles.items() if r is role)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        return self.having(Role.QUASI_IDENTIFIER)

    @property
    def sensitive(self) -> tuple[str, ...]:
        return self.having(Role.SENSITIVE)

    @property
    def insensitive(self) -> tuple[str, ...]:
        return self.having(Role.INSENSITIVE)

    @property
    def published(self) -> tuple[str, ...]:
        """Everything but identifiers and the person column, in source order."""
        return tuple(
            name
            for name, role in self.roles.items()
            if role is not Role.IDENTIFIER and name != self.person
        )
