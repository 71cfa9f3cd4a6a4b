"""Groups: how many people share a quasi-identifier tuple q and a sensitive value s.

`n(q)` is a vector, `n(q, s)` a sparse matrix for each sensitive attribute. Everything a
privacy model or a utility metric needs is a reduction over these two; nothing above the
engine sees rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.jit import kernel
from hedgerow.table.candidate_records import Fitting
from hedgerow.table.shown_columns import ShownColumns

PEOPLE, ROWS = "people", "rows"
"""What is counted: people, or rows where a person may have several."""
ROOM = 4
"""Histograms are added up in a full table if it has at most so many cells for each entry."""
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

ALL = "(all columns)"
"""Name of the histogram whose values are the joint combinations of all published columns that
are not quasi-identifiers; carried where a claim treats every column as one."""


@dataclass(frozen=True, eq=False)
class Sensitive:
    """The domain of one sensitive attribute and how it is distributed in the whole table."""

    name: str
    values: tuple[str | None, ...]
    """Its distinct values, in taxonomy (or numeric) order."""
    reference: Ints
    """People with each value in the whole table, suppressed ones included."""
    people: int
    """People in the whole table."""
    levels: tuple[NDArray[np.int32], ...] = ()
    """Taxonomy: levels[i][value] is the value's ancestor at level i; level 0 is the value."""
    labels: tuple[tuple[str | None, ...], ...] = ()
    """Taxonomy: labels[i][node] is the name of a node at level i."""
    spellings: NDArray[np.int32] | None = None
    """Where values may be read as one, and nobody says whether they are: for each value, the first
    of those it may be read as. None where each value is one for sure."""

    @property
    def several(self) -> bool:
        """Whether some person has more than one value (or none)."""
        return int(self.reference.sum()) != self.people

    @cached_property
    def into_one(self) -> NDArray[np.int32]:
        """Which value of `in_one_spelling` each value is."""
        assert self.spellings is not None, "there are spellings"
        return np.unique(self.spellings, return_inverse=True)[1].astype(np.int32)

    @cached_property
    def in_one_spelling(self) -> Sensitive:
        """The same with each value once, in the spelling most people have it in.

        Nobody has one value in two spellings: whoever makes the domain has seen to that.
        """
        width = int(self.into_one.max(initial=-1)) + 1
        reference = np.bincount(self.into_one, weights=self.reference, minlength=width)
        first: dict[int, int] = {}
        for code in sorted(range(len(self.values)), key=self._usual):
            first.setdefault(int(self.into_one[code]), code)
        usual = np.array([first[code] for code in range(width)], np.int64)
        return Sensitive(
            self.name,
            tuple(self.values[code] for code in usual),
            reference.astype(np.int64),
            self.people,
            tuple(level[usual] for level in self.levels),
            self.labels,
        )

    def _usual(self, code: int) -> tuple[bool, int, str]:
        # A claim that names a text must not come to name nothing.
        value = self.values[code]
        return value is None, -int(self.reference[code]), value or ""

    def listed_spellings(self) -> list[tuple[str | None, ...]]:
        """The values that may be read as one, in order of their texts; missing comes last."""
        if self.spellings is None:
            return []

        def by_text(value: str | None) -> tuple[bool, str]:
            return value is None, value or ""

        found: dict[int, list[str | None]] = {}
        for value, code in zip(self.values, self.spellings.tolist(), strict=True):
            found.setdefault(code, []).append(value)
        several = [tuple(sorted(v, key=by_text)) for v in found.values() if len(v) > 1]
        return sorted(several, key=lambda texts: [by_text(text) for text in texts])


@dataclass(frozen=True, eq=False)
class Unseen(Sensitive):
    """An attribute of people that a release does not show, and that a claim has to know."""


@dataclass(frozen=True, eq=False)
class Weights(Unseen):
    """How many people of the population each person of a sample stands for."""

    millionths: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """Of each value, rounded down: whole numbers add up alike in any order."""

    @staticmethod
    def name_of(column: str) -> str:
        """The attribute of the groups that holds the weights of a column."""
        return f"(weights {column})"


@dataclass(frozen=True, eq=False)
class Beside(Unseen):
    """A column that is published as it is and is no secret, where releases are joined on it."""

    shown: str = ""
    """The column."""


@dataclass(frozen=True, eq=False)
class ValuesLeft:
    """How many values joining and counting releases leaves; very many where none is learned."""

    fewest: int
    """For anybody, also people who are in none of the groups."""
    inside: Ints
    """For each group, the fewest for one of its people."""
    beside: Ints
    """The same, also for people who share a group of an earlier release with one of them."""


@dataclass(frozen=True, eq=False)
class AskedBelief:
    """Which attackers are meant who join releases, and how much they may believe."""

    enough: Fraction
    """A belief up to this need not be known better."""
    prior: Mapping[str | None, Fraction] | None = None
    """How likely they take each value to be before; None: all alike."""
    everybody: bool = True
    """Whether they may also know where everybody is, and count; else they know one person."""


@dataclass(frozen=True, eq=False)
class BeliefsLeft:
    """What is believed in most by attackers who join releases and count."""

    largest: Fraction
    """At most, of anybody, also of people who are in none of the groups."""
    inside: NDArray[np.bool_]
    """Of each group, whether it may be more than enough of one of its people;"""
    beside: NDArray[np.bool_]
    """or of somebody who shares a group of an earlier release with one of them."""
    counted: bool = True
    """Whether what is too much is known exactly, and no bound that is proven."""
    unknown: str | None = None
    """Why nobody can say what is believed, where that is so; then it may be anything."""


@dataclass(frozen=True, eq=False)
class Earlier(Unseen):
    """Where people may be in earlier releases, together with their own sensitive value.

    Each of its values is a combination: a profile, which is a list of groups that may be the
    person's, each with its set of sensitive values; and the person's own value.
    """

    profile: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    """The combination's profile."""
    own: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    """The combination's value of the sensitive column; -1 where it is missing."""
    start: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    """Profile p has the sets members[start[p] : start[p + 1]]."""
    members: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    sets: NDArray[np.uint64] = field(default_factory=lambda: np.zeros((0, 1), np.uint64))
    """Sets by words: bit v says that somebody in the group has value v. Missing has no bit."""
    left: Callable[[Groups, int], ValuesLeft] | None = None
    """How many values joining and counting releases leaves, given all groups of a release and how
    many there should be. Without it there is nothing to join."""
    believed: Callable[[Groups, AskedBelief], BeliefsLeft] | None = None
    """What is believed in most, given all groups of a release. Without it there is nothing to
    join."""


@dataclass(frozen=True, eq=False)
class Facts(Unseen):
    """Sensitive values together with what a release does not show of the people who have them.

    Each of its values is a combination: a value of the sensitive column, whether an attacker
    holds the person's record already, and what the person wants protected.
    """

    value: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    """The combination's value of the sensitive column."""
    known: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    """Whether the attacker holds the records of the people with the combination."""
    wish: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    """The combination's place in `wishes`."""
    wishes: tuple[str | None, ...] = (None,)


@dataclass(frozen=True, eq=False)
class AttributedRecords(Unseen):
    """Records by value, and whether they are those of people whom an attacker knows.

    Where people fit several groups, groups carry this beside `Facts`, which then count everybody
    who may be in a group. Each of its values is a combination.
    """

    value: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    """The combination's value of the sensitive column."""
    known: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    """Whether these are surely known people's records."""
    perhaps: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    """Whether they may be: then the attacker may take any number of them for such."""


@dataclass(frozen=True, eq=False)
class Histogram:
    """n(q, s) for one sensitive attribute, compressed by group (CSR)."""

    indptr: Ints
    """Group g owns entries indptr[g] to indptr[g + 1]."""
    codes: NDArray[np.int32]
    """Position of the value in `Sensitive.values`."""
    counts: Ints
    """People of the group who have the value, at least 1."""

    def dense(self, width: int) -> Ints:
        """The full matrix of groups by values."""
        matrix = np.zeros((len(self.indptr) - 1, width), np.int64)
        matrix[self.owner(), self.codes] = self.counts
        return matrix

    def owner(self) -> Ints:
        """The group of each entry."""
        return np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))

    def take(self, index: Ints) -> Histogram:
        """Only these groups, in this order."""
        lengths = np.diff(self.indptr)[index]
        indptr = np.concatenate(([0], np.cumsum(lengths)))
        entries = np.repeat(self.indptr[index] - indptr[:-1], lengths) + np.arange(indptr[-1])
        return Histogram(indptr, self.codes[entries], self.counts[entries])

    @property
    def by_value(self) -> Histogram:
        """The same, each group's entries in the order of the values."""
        order = np.lexsort((self.codes, self.owner()))
        return Histogram(self.indptr, self.codes[order], self.counts[order])

    def sorted(self, width: int) -> tuple[Ints, Ints]:
        """Group and value of each entry as one number, in order, and the counts."""
        entries = self.owner() * width + self.codes
        order = np.argsort(entries)
        return entries[order], self.counts[order]

    def merged(self, into: NDArray[np.int32], width: int) -> Histogram:
        """The same with value v as value into[v], of `width` in all; counts add up."""
        entries, place = np.unique(self.owner() * width + into[self.codes], return_inverse=True)
        counts = np.bincount(place, weights=self.counts, minlength=len(entries)).astype(np.int64)
        starts = np.arange(len(self.indptr)) * width
        return Histogram(
            np.searchsorted(entries, starts).astype(np.int64),
            (entries % width).astype(np.int32),
            counts,
        )

    def of(self, group: int) -> Ints:
        """The counts of one group's values, those present only."""
        return self.counts[self.indptr[group] : self.indptr[group + 1]]


@dataclass(frozen=True, eq=False)
class Groups:
    """People by group. Group g holds n[g] people.

    >>> groups = Groups.of({"disease": [{"flu": 2, "cancer": 2}, {"flu": 3}]})
    >>> groups.n.tolist(), groups.people
    ([4, 3], 7)
    """

    n: Ints
    """People in each group. 0 only for cells of the population nobody in the table has."""
    histograms: Mapping[str, Histogram] = field(default_factory=dict)
    domains: Mapping[str, Sensitive] = field(default_factory=dict)
    population: Ints | None = None
    """People of the outside population in each group, where the plan names one."""
    left_out: int = 0
    """People of the table who are in none of the groups."""
    shown: ShownColumns | None = None
    """What each group is published as; None where groups are not those of one release."""
    fitting: Fitting | None = None
    """Whom the records of each group fit, of the groups of a release; None where nobody asked."""

    def __len__(self) -> int:
        return len(self.n)

    @property
    def people(self) -> int:
        return int(self.n.sum())

    @classmethod
    def of(
        cls,
        counts: Mapping[str, Sequence[Mapping[str | None, int]]] | Sequence[int],
        *,
        n: Sequence[int] | None = None,
        population: Sequence[int] | None = None,
        order: Mapping[str, Sequence[str | None]] | None = None,
        levels: Mapping[str, Sequence[Sequence[int]]] | None = None,
        labels: Mapping[str, Sequence[Sequence[str]]] | None = None,
    ) -> Groups:
        """Groups written out by hand: sizes, or for each sensitive attribute a dict per group.

        Args:
            counts: Group sizes; or attribute -> for each group, value -> people.
            n: People per group, where it is not the sum of the values (people with several).
            population: People of the outside population per group.
            order: Attribute -> its values in order; by default as first met.
            levels: Attribute -> ancestor codes per level above the values (see `Sensitive`).
            labels: Attribute -> names of the nodes of these levels.
        """
        outside = None if population is None else np.asarray(population, np.int64)
        if not isinstance(counts, Mapping):
            return cls(np.asarray(counts, np.int64), population=outside)
        histograms, domains = {}, {}
        sizes: Ints | None = None if n is None else np.asarray(n, np.int64)
        for name, groups in counts.items():
            given = (order or {}).get(name)
            values = tuple(given) if given else tuple(dict.fromkeys(v for g in groups for v in g))
            place = {value: code for code, value in enumerate(values)}
            matrix = np.zeros((len(groups), len(values)), np.int64)
            for row, group in enumerate(groups):
                for value, count in group.items():
                    matrix[row, place[value]] = count
            if sizes is None:
                sizes = matrix.sum(axis=1)
            above = tuple(np.asarray(level, np.int32) for level in (levels or {}).get(name, ()))
            rows, codes = np.nonzero(matrix)
            indptr = np.searchsorted(rows, np.arange(len(groups) + 1)).astype(np.int64)
            histograms[name] = Histogram(indptr, codes.astype(np.int32), matrix[rows, codes])
            domains[name] = Sensitive(
                name,
                values,
                matrix.sum(axis=0),
                int(sizes.sum()),
                (np.arange(len(values), dtype=np.int32), *above) if above else (),
                (values, *(tuple(names) for names in (labels or {}).get(name, ()))),
            )
        assert sizes is not None, "at least one attribute"
        return cls(sizes, histograms, domains, outside)

    def take(self, chosen: NDArray[np.bool_] | Ints) -> Groups:
        """Only these groups, in this order; the domains (the whole table) stay as they are.

        Whom their records fit is a matter of the whole release, and not taken over.
        """
        index: Ints = (
            np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen.astype(np.int64)
        )
        histograms = {name: h.take(index) for name, h in self.histograms.items()}
        population = None if self.population is None else self.population[index]
        shown = None if self.shown is None else self.shown.take(index)
        return Groups(self.n[index], histograms, self.domains, population, self.left_out, shown)

    def in_one_spelling(self, name: str) -> Groups:
        """The same with the values of a sensitive attribute that may be read as one as one."""
        domain = self.domains[name]
        one = domain.in_one_spelling
        merged = self.histograms[name].merged(domain.into_one, max(1, len(one.values)))
        return Groups(
            self.n,
            {**self.histograms, name: merged},
            {**self.domains, name: one},
            self.population,
            self.left_out,
            self.shown,
        )

    def merge(self, into: Ints, size: int) -> Groups:
        """Union the groups: old group g becomes part of new group into[g], of `size` in all.

        What the new groups are published as is not known.
        """
        n = np.zeros(size, np.int64)
        _add_at(n, into, self.n)
        population = None
        if self.population is not None:
            population = np.zeros(size, np.int64)
            _add_at(population, into, self.population)
        histograms = {}
        for name, h in self.histograms.items():
            width = len(self.domains[name].values)
            merged = merge_histogram(into, size, h.indptr, h.codes, h.counts, width)
            histograms[name] = Histogram(*merged)
        return Groups(n, histograms, self.domains, population, self.left_out)


@kernel
def _add_at(target: Ints, into: Ints, values: Ints) -> None:
    for g in range(len(into)):
        target[into[g]] += values[g]


@kernel
def sort_members(into: Ints, size: int) -> tuple[Ints, Ints]:
    """Old groups sorted by new group (counting sort): new group h owns start[h]:start[h+1]."""
    start = np.zeros(size + 1, np.int64)
    for g in range(len(into)):
        start[into[g] + 1] += 1
    for h in range(size):
        start[h + 1] += start[h]
    place = start[:-1].copy()
    members = np.empty(len(into), np.int64)
    for g in range(len(into)):
        members[place[into[g]]] = g
        place[into[g]] += 1
    return start, members


@kernel
def merge_histogram(
    into: Ints,
    size: int,
    indptr: Ints,
    codes: NDArray[np.int32],
    counts: Ints,
    width: int,
) -> tuple[Ints, NDArray[np.int32], Ints]:
    """Add up the histograms of groups that become one.

    Args:
        into: The new group of each old one,
        size: of so many in all.
        indptr: Old group g has the values codes[indptr[g]:indptr[g + 1]].
        codes: Values, below `width`.
        counts: Of each of these entries, how many people of the group have the value.
        width: Values in all.

    Returns:
        The same three of the new groups: indptr, codes and counts.
    """
    new_indptr = np.zeros(size + 1, np.int64)
    new_codes = np.empty(len(codes), np.int32)
    new_counts = np.empty(len(counts), np.int64)
    end = 0
    if size * width <= ROOM * len(codes):
        dense = np.zeros(size * width, np.int64)
        for g in range(len(into)):
            row = into[g] * width
            for e in range(indptr[g], indptr[g + 1]):
                dense[row + codes[e]] += counts[e]
        for h in range(size):
            for code in range(width):
                count = dense[h * width + code]
                if count > 0:
                    new_codes[end], new_counts[end] = code, count
                    end += 1
            new_indptr[h + 1] = end
        return new_indptr, new_codes[:end].copy(), new_counts[:end].copy()
    start, members = sort_members(into, size)
    scratch = np.zeros(width, np.int64)
    touched = np.empty(width, np.int32)
    for h in range(size):
        met = 0
        for m in range(start[h], start[h + 1]):
            g = members[m]
            for e in range(indptr[g], indptr[g + 1]):
                code = codes[e]
                if scratch[code] == 0:
                    touched[met] = code
                    met += 1
                scratch[code] += counts[e]
        for i in range(met):
            code = touched[i]
            new_codes[end] = code
            new_counts[end] = scratch[code]
            scratch[code] = 0
            end += 1
        new_indptr[h + 1] = end
    return new_indptr, new_codes[:end].copy(), new_counts[:end].copy()
