"""Earlier releases of the same people: what they leave possible, and what one more gives away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hedgerow.attacks.locating import Located, locate
from hedgerow.attacks.published import Published, Targets
from hedgerow.errors import ClaimError, DataError, some
from hedgerow.groups import Earlier, Histogram, Ints
from hedgerow.models.composition import earlier_name
from hedgerow.recode.cells import Cells
from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.spelling import reading

Flags = NDArray[np.bool_]
CONFIDENCES = (1.0, 0.5, 1 / 3)
"""At which the exposed are told."""


@dataclass(frozen=True, eq=False)
class Left:
    """What earlier releases leave possible for the people of each cell."""

    of: str
    values: tuple[str | None, ...]
    own: Ints
    """The value people of the cell have."""
    possible: Flags
    """Cells by values: those in all earlier releases that may hold people of the cell. Missing
    is never among them: who is left with one value or none at all is left with one value."""
    fitting: tuple[tuple[str, int], ...]
    """For each earlier release, its name and how many people of the table fit into it."""

    @property
    def free(self) -> Flags:
        """Cells of people who have no value that could be learned."""
        missing = np.array([value is None for value in self.values])
        return missing[self.own]

    def attribute(self, cells: Cells) -> tuple[Earlier, Histogram]:
        """For the cells: which set of values is left for their people."""
        words = _words(self.possible)
        key = np.column_stack([words, self.free.astype(np.uint64)])
        sets, into = np.unique(key, axis=0, return_inverse=True)
        into = into.reshape(-1)
        reference = np.bincount(into, weights=cells.n, minlength=len(sets)).astype(np.int64)
        domain = Earlier(
            earlier_name(self.of),
            tuple(map(str, range(len(sets)))),
            reference,
            int(cells.n.sum()),
            left=np.ascontiguousarray(sets[:, :-1]),
            free=sets[:, -1] > 0,
        )
        return domain, Histogram(np.arange(len(cells.n) + 1), into.astype(np.int32), cells.n)


@dataclass(frozen=True)
class Exposure:
    """How many people of a release are left with few values, given earlier ones too."""

    of: str
    people: int
    """In the release."""
    together: tuple[int, ...]
    """For each of the CONFIDENCES, people of whom that much or more is known."""
    alone: tuple[int, ...]
    """The same without the earlier releases."""
    releases: tuple[str, ...]
    """The earlier ones."""

    def at(self, confidence: float) -> int:
        """People known with this confidence or more, one of CONFIDENCES."""
        return self.together[CONFIDENCES.index(confidence)]

    @property
    def sentence(self) -> str:
        """For the steward."""
        sure, half = self.together[0], self.together[1]
        return (
            f"together with {some(self.releases)} it leaves {sure:,} of {self.people:,} people one "
            f"possible {self.of} ({self.alone[0]:,} by itself) and {half:,} at most two "
            f"({self.alone[1]:,} by itself)."
        )

    def summary(self) -> dict[str, object]:
        """For `--json`."""
        return {
            "of": self.of,
            "people": self.people,
            "releases": list(self.releases),
            "known": [
                {"confidence": confidence, "people": many, "by_itself": few}
                for confidence, many, few in zip(
                    CONFIDENCES, self.together, self.alone, strict=True
                )
            ],
        }


def comparable(
    releases: Sequence[Published], quasi: Sequence[str], of: str
) -> tuple[list[Published], list[str]]:
    """Earlier releases that say something of the column, and why the others cannot be compared."""
    fit, notes = [], []
    for release in releases:
        strange = [name for name in release.quasi if name not in quasi]
        if of not in release.sensitive:
            notes.append(f"{release.name} has no sensitive {of!r}.")
        elif strange:
            notes.append(
                f"{release.name} cannot be compared: it tells people apart by {some(strange)}, "
                "and no quasi-identifier here does."
            )
        else:
            fit.append(release)
    return fit, notes


def left_by(releases: Sequence[Published], cells: Cells, of: str) -> Left:
    """What the releases together leave possible for the people of each cell.

    Everybody who fits into groups of a release with their own value in them may be in it; whoever
    knows of all such releases intersects what they say.

    Raises:
        DataError: Some people have several values.
    """
    index = next(i for i, domain in enumerate(cells.sensitive) if domain.name == of)
    domain, found = cells.sensitive[index], cells.values[index]
    if len(found.codes) != len(cells.n):
        raise DataError(
            f"some people have several values as {of!r}, and composition is about one each",
            fix="Give every person one value in it.",
        )
    tuples, tuple_of = cells.tuples
    targets = Targets(
        tuple(h.name for h in cells.hierarchies),
        tuple(tuple(h.values) for h in cells.hierarchies),
        tuples,
    )
    own = found.codes.astype(np.int64)
    seen = np.array([value is not None for value in domain.values])
    possible = np.repeat(seen[None, :], len(own), axis=0)
    fitting = []
    for release in releases:
        sets = _sets(release, targets, of, domain.values)
        there = sets[tuple_of, own]
        possible[there] &= sets[tuple_of[there]]
        fitting.append((release.name, int(cells.n[there].sum())))
    return Left(of, domain.values, own, possible, tuple(fitting))


def with_earlier(cells: Cells, lefts: Sequence[Left]) -> Cells:
    """The cells, with what earlier releases leave possible as attributes."""
    more = [left.attribute(cells) for left in lefts]
    return replace(
        cells,
        sensitive=(*cells.sensitive, *(domain for domain, _ in more)),
        values=(*cells.values, *(histogram for _, histogram in more)),
    )


def exposure(left: Left, cells: Cells, recoding: Recoding) -> Exposure:
    """How much a recoding gives away to whoever has the earlier releases too."""
    kept = np.flatnonzero(recoding.group != SUPPRESSED)
    cell, people = recoding.cell[kept], recoding.people[kept]
    groups, (_, seen) = recoding.groups(cells), recoding.seen
    group = seen[recoding.group[kept]]
    h = groups.histograms[left.of]
    here = np.zeros((len(groups), len(left.values)), np.bool_)
    here[h.owner(), h.codes] = True
    here[:, [i for i, value in enumerate(left.values) if value is None]] = False
    counts = (left.possible[cell] & here[group]).sum(axis=1)
    single = here.sum(axis=1)[group]
    learned = ~left.free[cell]

    def known(count: Ints) -> tuple[int, ...]:
        return tuple(
            int(people[learned & (count <= round(1 / confidence))].sum())
            for confidence in CONFIDENCES
        )

    names = tuple(name for name, _ in left.fitting)
    return Exposure(left.of, int(people.sum()), known(counts), known(single), names)


def explain_refusal(
    error: ClaimError, lefts: Sequence[Left], cells: Cells, recoding: Recoding
) -> ClaimError:
    """The refusal, with what would be exposed by the best recoding that disregards the past."""
    told = [exposure(left, cells, recoding).sentence for left in lefts if left.fitting]
    return ClaimError(
        "no generalisation keeps every claim, because of earlier releases. The best one without "
        f"regard to them must not go out: {' '.join(told)}".removesuffix("."),
        where=error.where,
        fix="Allow coarser levels or more suppression, or a higher confidence; or do not publish.",
    )


def _sets(release: Published, targets: Targets, of: str, values: Sequence[str | None]) -> Flags:
    """Tuples by values: those that groups fitting the tuple have."""
    place = {reading(value): code for code, value in enumerate(values)}
    recode = np.array(
        [place.get(reading(value), -1) for value in release.groups.domains[of].values], np.int64
    )
    sets = np.zeros((len(targets), len(values)), np.bool_)
    if not release.quasi:  # one group, with everybody in it
        sets[:, recode[recode >= 0]] = True
        return sets
    located = locate(release, targets)
    _refuse_unread(release, located)
    h = release.groups.histograms[of].take(located.groups)
    person = np.repeat(np.arange(len(targets)), located.count)[h.owner()]
    code = recode[h.codes]
    known = code >= 0
    sets[person[known], code[known]] = True
    return sets


def _refuse_unread(release: Published, located: Located) -> None:
    """Labels that were not understood would make people seem not to be there."""
    unread = dict(located.strange)
    if release.made is None:
        # Our own releases bring their taxonomies along; of others a word may be a node.
        unread |= {c: words for c, words in located.words.items() if c in located.lost}
    for column, labels in unread.items():
        raise DataError(
            f"{some(labels, most=3)} as {column!r} cannot be read, so nobody can say who is where",
            where=release.name,
            fix=f"Give {column!r} in the plan the hierarchy that has these labels.",
        )


def _words(flags: Flags) -> NDArray[np.uint64]:
    wide = (flags.shape[1] + 63) // 64 * 64
    padded = np.zeros((len(flags), max(64, wide)), np.bool_)
    padded[:, : flags.shape[1]] = flags
    packed: NDArray[np.uint64] = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
    return packed


def notes_of(lefts: Sequence[Left]) -> Iterator[str]:
    """How many people each earlier release is compared for."""
    for left in lefts:
        for name, people in left.fitting:
            yield f"{people:,} people fit into {name} with their {left.of}."
