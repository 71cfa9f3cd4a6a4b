"""Who is protected: which two tables an answer must not tell apart."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hedgerow.base.errors import PlanError, nearest
from hedgerow.noise.rounding import whole


class Neighbouring(StrEnum):
    """How two tables differ that an answer must not tell apart."""

    ADD_REMOVE = "add-remove"
    """One person is in one of them and not in the other; how many there are is private too."""
    CHANGE_ONE = "change-one"
    """One person has other values; how many people there are is public."""

    @classmethod
    def read(cls, text: str) -> Neighbouring:
        """The kind of a name.

        Raises:
            PlanError: There is no such kind.
        """
        try:
            return cls(text)
        except ValueError:
            meant = nearest(str(text), [kind.value for kind in cls])
            raise PlanError(
                f"there is no neighbouring {text!r}"
                + (f"; did you mean {meant}?" if meant else ""),
                fix="Say add-remove or change-one.",
            ) from None


@dataclass(frozen=True, kw_only=True)
class Neighbours:
    """The unit of privacy is a person, with at most so many rows.

    Guarantee: none by itself. The distances below bound what one person changes.
    Assumes: whoever counts has dropped the rows of a person beyond the bound, by a rule that
    looks at that person's rows only. It is not checked here.

    Two tables that differ in one person's two rows; a count changes by 2 at most:

    >>> two = Neighbours(kind=Neighbouring.CHANGE_ONE, rows=2)
    >>> two.d_in, two.count, two.histogram, two.histogram_squared
    (4, 2, 4, 8)
    """

    kind: Neighbouring
    """Stated always; there is no default."""
    rows: int = 1
    """The most rows one person has."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", Neighbouring.read(self.kind))
        object.__setattr__(self, "rows", whole("rows", self.rows))

    @property
    def d_in(self) -> int:
        """Rows that are in one of two neighbouring tables only: the symmetric distance."""
        return self.rows * self._people

    @property
    def count(self) -> int:
        """The most by which one count changes: rows gained make up for rows lost."""
        return self.rows

    @property
    def histogram(self) -> int:
        """The most by which the counts of disjoint cells change, summed: the L1 distance."""
        return self.rows * self._people

    @property
    def histogram_squared(self) -> int:
        """The square of the L2 distance; largest with all rows of a person in one cell."""
        return self.rows**2 * self._people

    @property
    def _people(self) -> int:
        """A changed person is one person removed and one added."""
        return 2 if self.kind is Neighbouring.CHANGE_ONE else 1

    def __str__(self) -> str:
        """What the certificate says.

        >>> print(Neighbours(kind=Neighbouring.ADD_REMOVE))
        add-remove: one person in the table or not, with one row
        """
        rows = "one row" if self.rows == 1 else f"at most {self.rows} rows"
        differ = (
            "one person in the table or not"
            if self.kind is Neighbouring.ADD_REMOVE
            else "one person with these values or others, the number of people being public"
        )
        return f"{self.kind.value}: {differ}, with {rows}"
