"""Codes: the hierarchy of a column whose values are codes of a public system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from hedgerow.base.errors import HierarchyError, nearest, some
from hedgerow.table.codes.system import CODE_SYSTEMS, CodeSystem
from hedgerow.table.hierarchy import ANY, Hierarchy
from hedgerow.table.taxonomies import Row, Value, covering, unfit


@dataclass(frozen=True)
class NoCodes(AbstractSet[Value]):
    """All texts that are no codes of a system: what is below the name that `other` gives.

    Nobody can list them, but anybody can tell whether a text is one.

    >>> "n/a" in NoCodes("icd-10"), "E11.9" in NoCodes("icd-10"), list(NoCodes("icd-10"))
    (True, False, [])
    """

    system: str
    """Name of the code system."""

    def __contains__(self, value: object) -> bool:
        return isinstance(value, str) and CODE_SYSTEMS[self.system].read(value) is None

    def __iter__(self) -> Iterator[Value]:
        return iter(())

    def __len__(self) -> int:
        return 0


@dataclass(frozen=True)
class Codes:
    """Codes of a public system, recognised in any usual spelling.

    >>> h = Codes("icd-10").bind("diagnosis", ["A09.1", "e119"])
    >>> [level[-1] for level in h.labels]
    ['e119', 'ICD-10 E11.9', 'ICD-10 E11', 'ICD-10 E08-E13', 'ICD-10 E00-E90', '*']
    """

    system: str
    """Name of the code system."""
    other: str | None = None
    """What values that are no codes become; without it they are an error."""
    edition: str = field(init=False)
    """Of the system, so that a new table is another hierarchy."""

    def __post_init__(self) -> None:
        if self.system not in CODE_SYSTEMS:
            close = nearest(self.system, list(CODE_SYSTEMS))
            raise HierarchyError(
                f"there is no code system {self.system!r}",
                fix=f"Did you mean {close!r}? " * bool(close)
                + f"There are {some(CODE_SYSTEMS, most=99)}.",
            )
        if self.other in ("", ANY):
            raise HierarchyError(
                f"{self.other!r} is no name for other values", fix="Write {other: other}."
            )
        object.__setattr__(self, "edition", self.known.edition)

    @property
    def known(self) -> CodeSystem:
        """The code system."""
        return CODE_SYSTEMS[self.system]

    def bind(self, name: str, values: Sequence[Value], *, where: str | None = None) -> Hierarchy:
        """Covers the values of the column, and no others."""
        rows: list[Row] = []
        strange: list[str] = []
        for value in sorted({v for v in values if v is not None}):
            row = self.known.row(value)
            if row is None:
                strange.append(value)
            pooled = (value, *(self.other,) * len(self.known.levels))
            rows.append((*(pooled if row is None else row), ANY))
        if strange and self.other is None:
            raise unfit(
                name, where, f"{some(strange)}: no codes of {self.system}",
                "List those that mean missing under `null`, correct the others, or say what they "
                f"become: {{codes: {{system: {self.system}, other: other}}}}.",
            )  # fmt: skip
        taken = {label for row in rows for label in row[1:-1] if row[0] not in strange}
        if strange and (self.other in taken or self.other in values):
            raise unfit(
                name, where, f"{self.other!r} is also a value or a label of {self.system}",
                "Give other values another name.",
            )  # fmt: skip
        missing: Row = (None,) * (len(self.known.levels) + 1) + (ANY,)
        rows += [missing] if None in values or not rows else []
        return covering(name, rows, values, where)
