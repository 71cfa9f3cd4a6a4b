"""Sensitive predicates: what must not be learned of a person.

A predicate is a set of values: "has ulcer or gastritis". Learning that it is true of somebody
is a disclosure. That somebody does not have cancer is the predicate of all other values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, PlanError, nearest, some
from hedgerow.table.groups import Ints, Sensitive

Value = str | None
Named = Value | tuple[Value, ...]
"""A value, a node of the taxonomy, or several of these together."""
Others = tuple[frozenset[Value], bool]
"""Values nobody in the table has that make a predicate true, and whether more may do so."""
Found = tuple[str, list[int], Others]
"""What a predicate is called, the codes that make it true, and the other values that do."""
NO_OTHERS: Others = (frozenset(), False)
PERHAPS: Others = (frozenset(), True)
"""Of a node of the taxonomy: which other values are below it nobody can say."""
MOST_WORDS = 3


@dataclass(frozen=True, eq=False)
class Bound:
    """Predicates over the values of a table."""

    names: tuple[str, ...]
    start: Ints
    """Predicate p is the codes[start[p] : start[p + 1]]; where `negated`, all other values."""
    codes: NDArray[np.int32]
    negated: NDArray[np.bool_]
    width: int
    """How many values the table has."""
    others: tuple[Others, ...]
    """For each predicate (before negation)."""
    wished: tuple[tuple[int, ...], ...] = ()
    """For each wish of the table, the predicates it stands for."""

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def by_value(self) -> tuple[Ints, NDArray[np.int32]]:
        """Which predicates (before negation) each value is in, compressed by value."""
        owner = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.start))
        order = np.argsort(self.codes, kind="stable")
        start = np.searchsorted(self.codes[order], np.arange(self.width + 1)).astype(np.int64)
        return start, owner[order]

    def values(self, predicate: int) -> frozenset[int]:
        """The codes that make it true."""
        inside = frozenset(
            int(c) for c in self.codes[self.start[predicate] : self.start[predicate + 1]]
        )
        return frozenset(range(self.width)) - inside if self.negated[predicate] else inside

    @property
    def apart(self) -> bool:
        """Whether every value is in exactly one predicate."""
        return not self.negated.any() and bool((np.diff(self.by_value[0]) == 1).all())


@dataclass(frozen=True, kw_only=True)
class Predicates:
    """What must not be learned of a person; by default, each single value.

    >>> str(Predicates(sets=["cancer", ["ulcer", "gastritis"]], negative=True))
    'cancer; ulcer or gastritis; and the opposite of each'
    """

    sets: tuple[Named, ...] | None = None
    """Values, nodes of the column's taxonomy, or lists of these; None: each single value."""
    negative: bool = False
    """Whether the opposite of each must not be learned either."""
    wishes: str | None = None
    """Column of the table that says what each person wants protected: a value or a node of the
    taxonomy; nothing there means each single value. It is never published."""

    def __post_init__(self) -> None:
        if self.sets is not None:
            if isinstance(self.sets, str) or not isinstance(self.sets, Iterable):
                raise PlanError(
                    f"predicates are a list, not {self.sets!r}", fix="Write a list of values."
                )
            sets = tuple(
                tuple(entry) if isinstance(entry, list | set | frozenset | tuple) else entry
                for entry in self.sets
            )
            if not sets or () in sets:
                raise PlanError("an empty list protects nothing", fix="Name what must not leak.")
            for part in (p for entry in sets for p in (entry if type(entry) is tuple else [entry])):
                if part is not None and not isinstance(part, str):
                    raise PlanError(
                        f"{part!r} is neither a value nor the name of a node",
                        fix="Write values as the table does, as text; None stands for missing.",
                    )
            object.__setattr__(self, "sets", sets)
        if self.wishes is not None and not isinstance(self.wishes, str):
            raise PlanError(
                f"the column of wishes must be named, not {self.wishes!r}", fix="Name a column."
            )
        if not isinstance(self.negative, bool):
            raise PlanError(f"negative is true or false, not {self.negative!r}")
        if self.wishes is not None and self.sets is not None:
            raise PlanError(
                "predicates are either the same for everybody or each person's own",
                fix="Give sets or a column of wishes, not both.",
            )

    def __str__(self) -> str:
        if self.wishes is not None:
            named = f"what each person wants protected ({self.wishes})"
        elif self.sets is None:
            named = "each value"
        else:
            named = "; ".join(_words(entry) for entry in self.sets)
        return f"{named}; and the opposite of each" if self.negative else named

    @property
    def usual(self) -> bool:
        """Whether it is each single value."""
        return self == Predicates()

    def bind(
        self, domain: Sensitive, *, known: Iterable[Value] = (), wishes: Sequence[Value] = ()
    ) -> Bound:
        """The predicates over the values of a table.

        Args:
            domain: The sensitive column.
            known: Values nobody in the table has, but which exist.
            wishes: What the column of wishes holds.

        Raises:
            DataError: A name is unknown, or the predicate is true of everybody.
        """
        singles: list[Found] = [
            (_words(value), [code], NO_OTHERS) for code, value in enumerate(domain.values)
        ]
        if self.wishes is not None:
            return self._by_wishes(domain, singles, wishes, set(known))
        if self.sets is None:
            return self._bound(domain, singles)
        outside = set(known)
        found = [
            (_words(entry), codes, others)
            for entry in self.sets
            for codes, others in _meant(domain, entry, outside)
        ]
        _refuse_certain(domain, found, negative=self.negative)
        return self._bound(domain, found)

    def _by_wishes(
        self, domain: Sensitive, singles: list[Found], wishes: Sequence[Value], outside: set[Value]
    ) -> Bound:
        found = list(singles)
        # A node with one value of the table below it is not that value: it may have others.
        place: dict[tuple[tuple[int, ...], Others], int] = {
            ((code,), NO_OTHERS): code for code in range(len(singles))
        }
        wished = []
        for wish in wishes:
            if wish is None or not wish.strip():
                wished.append(list(range(len(singles))))
                continue
            meant = []
            for codes, others in _meant(domain, wish, outside):
                new = place.setdefault((tuple(codes), others), len(found))
                if new == len(found):
                    found.append((wish, codes, others))
                meant.append(new)
            wished.append(meant)
        _refuse_certain(domain, found[len(singles) :], negative=self.negative)
        more = len(found) if self.negative else 0
        both = tuple((*p, *(i + more for i in p)) if more else tuple(p) for p in wished)
        return self._bound(domain, found, both)

    def _bound(
        self,
        domain: Sensitive,
        found: list[Found],
        wished: tuple[tuple[int, ...], ...] = (),
    ) -> Bound:
        names, lists = [name for name, _, _ in found], [codes for _, codes, _ in found]
        others = tuple(rest for _, _, rest in found)
        negated = [False] * len(found)
        if self.negative:
            names += [f"not {name}" for name in names]
            lists, others, negated = lists * 2, others * 2, negated + [True] * len(found)
        start = np.concatenate(([0], np.cumsum([len(codes) for codes in lists]))).astype(np.int64)
        flat = np.array([code for codes in lists for code in codes], np.int32)
        width = len(domain.values)
        opposite = np.array(negated, np.bool_)
        return Bound(tuple(names), start, flat, opposite, width, others, wished)


def _refuse_certain(domain: Sensitive, found: list[Found], *, negative: bool) -> None:
    """No release hides what is true of everybody in the table."""
    present = set(np.flatnonzero(domain.reference).tolist())
    for name, codes, _ in found:
        if present and present <= set(codes):
            raise DataError(
                f"{name!r} is true of everybody in the table, so no release hides it",
                fix="Name a smaller set of values.",
            )
        if negative and present.isdisjoint(codes):
            raise DataError(
                f"nobody in the table has {name!r}, so no release hides that they do not",
                fix="Leave it out, or do without `negative`.",
            )


def _words(entry: Named) -> str:
    parts = entry if isinstance(entry, tuple) else (entry,)
    names = ["(missing)" if part is None else part for part in parts]
    if len(names) > MOST_WORDS:
        return f"{', '.join(names[:MOST_WORDS])} or {len(names) - MOST_WORDS} others"
    return " or ".join(names)


def _meant(domain: Sensitive, entry: Named, outside: set[Value]) -> list[tuple[list[int], Others]]:
    """The sets of values an entry stands for: several where a node is named like a value."""
    if not isinstance(entry, tuple):
        return _nodes(domain, entry, outside)
    codes: set[int] = set()
    others: Others = NO_OTHERS
    for part in entry:
        sets = _nodes(domain, part, outside)
        if any(other != sets[0][0] for other, _ in sets):
            raise DataError(
                f"{part!r} is a value of {domain.name!r} and also a node of its taxonomy",
                fix="In a list, name the values themselves, or rename the node.",
            )
        codes |= set(sets[0][0])
        for _, (named, more) in sets:
            others = (others[0] | named, others[1] or more)
    return [(sorted(codes), others)]


def _nodes(domain: Sensitive, name: Value, outside: set[Value]) -> list[tuple[list[int], Others]]:
    """The values below each node of that name; a value is its own node."""
    found: dict[tuple[int, ...], Others] = {}
    if name in domain.values:
        found[(domain.values.index(name),)] = NO_OTHERS
    for codes, labels in zip(domain.levels[1:], domain.labels[1:], strict=False):
        nodes = {node for node, label in enumerate(labels) if label == name and name is not None}
        if below := tuple(code for code, node in enumerate(codes.tolist()) if node in nodes):
            found[below] = PERHAPS  # also where a value is the node's only one in the table
    if found:
        return [(list(codes), others) for codes, others in found.items()]
    if name in outside:
        return [([], (frozenset([name]), False))]
    if any(name in labels for labels in domain.labels):
        return [([], PERHAPS)]  # it exists, and nobody in the table has it
    above = [label for labels in domain.labels[1:] for label in labels if label is not None]
    names = list(dict.fromkeys([v for v in domain.values if v is not None] + above))
    near = nearest(str(name), names)
    raise DataError(
        f"{name!r} is no value of {domain.name!r} in the table and no node of its taxonomy",
        fix=f"Did you mean {near!r}?" if near else f"There are {some(names)}.",
    )
