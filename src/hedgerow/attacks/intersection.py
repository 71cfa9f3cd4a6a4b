"""The intersection attack: what several independent releases together say of a person.

Each release leaves a set of sensitive values possible for a person: those of the groups the
person may be in. Who knows that the person is in all of them intersects the sets
(Ganta, Kasiviswanathan, Smith 2008 (KDD), Algorithm 1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.bit_sets import ALL, Words, counted, has, one_left
from hedgerow.attacks.gains import Gains
from hedgerow.attacks.intersection_words import told
from hedgerow.attacks.overlap import Overlap, told_overlaps, trusted
from hedgerow.base.errors import DataError, nearest, some
from hedgerow.base.jit import kernel
from hedgerow.base.spelling_classes import told_apart
from hedgerow.table.groups import PEOPLE, Floats, Ints
from hedgerow.table.labels import Value
from hedgerow.table.location import Located, doubtful, locate
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

CONFIDENCES = (1.0, 0.5, 1 / 3, 0.2)
"""Of which the shares of vulnerable people are told."""
CHUNK = 2_000_000
"""Pairs of person and value whose likelihood is computed at a time."""


@dataclass(frozen=True, eq=False)
class Intersection:
    """What is possible for each person after all releases.

    Names as in the paper: EA_ij is the effective anonymity of person i in release j, the number
    of different values there; EA_i^c that of their intersection.
    """

    releases: tuple[Published, ...]
    of: str
    values: tuple[Value, ...]
    """All values any of the releases has."""
    codes: tuple[Ints, ...]
    """For each release, which of these its values are."""
    located: tuple[Located, ...]
    each: tuple[Words, ...]
    """For each release, the values possible for each person, a bit each."""
    together: Words
    """Those possible in all of them."""

    def __len__(self) -> int:
        return len(self.together)

    @cached_property
    def prior(self) -> Ints:
        """EA_ij, persons by releases; 0 where the person is not in the release."""
        return np.stack([counted(words) for words in self.each], axis=1)

    @cached_property
    def posterior(self) -> Ints:
        """EA_i^c; 0 where the releases contradict each other, or the person is not in one."""
        return counted(self.together)

    @cached_property
    def found(self) -> NDArray[np.bool_]:
        """Who may be in every release."""
        return np.asarray((self.prior > 0).all(axis=1))

    @property
    def contradictory(self) -> NDArray[np.bool_]:
        """Who may be in every release, and has no value in all of them."""
        none: NDArray[np.bool_] = self.found & (self.posterior == 0)
        return none

    @property
    def drop(self) -> Ints:
        """AnonDrop_i = min_j EA_ij - EA_i^c."""
        fallen: Ints = self.prior.min(axis=1) - self.posterior
        return fallen

    @property
    def vulnerable(self) -> NDArray[np.bool_]:
        """VP: those whose anonymity drops by having the other releases too."""
        loses: NDArray[np.bool_] = self.found & (self.drop > 0)
        return loses

    @property
    def confidence(self) -> Floats:
        """C_i = 1 / EA_i^c; 0 where nothing is left."""
        sure: Floats = np.divide(1.0, self.posterior, where=self.posterior > 0,
                                 out=np.zeros(len(self)))  # fmt: skip
        return sure

    def pvp(self, confidence: float) -> float:
        """PVP_C: per cent of the people found in all releases whose confidence is at least C."""
        people = int(self.found.sum())
        sure = self.found & (self.confidence >= confidence - 1e-12)
        return 100 * int(sure.sum()) / people if people else 0.0

    def possible(
        self, person: int, *, release: int | None = None, lenient: bool = False
    ) -> tuple[Value, ...]:
        """The values left for one person, in one release or in all; see `lenient`."""
        together = self.lenient if lenient else self.together
        words = together if release is None else self.each[release]
        bits = np.unpackbits(words[person].view(np.uint8), bitorder="little")
        return tuple(self.values[i] for i in np.flatnonzero(bits[: len(self.values)]))

    @cached_property
    def guesses(self) -> Ints:
        """The likeliest value of each person: the product of its shares in the groups; -1: none."""
        best = np.full(len(self), -1, np.int64)
        for part in self._parts(np.arange(len(self))):
            score = self._scores(part)
            if self.missing is not None:
                score[:, self.missing] = -np.inf  # that nothing is there names no value
            left = np.isfinite(score).any(axis=1)
            best[part[left]] = score[left].argmax(axis=1)
        return best

    def _parts(self, people: Ints) -> Iterator[Ints]:
        """These people, as many at a time as memory holds next to all values."""
        step = max(1, CHUNK // max(1, len(self.values)))
        for begin in range(0, len(people), step):
            yield people[begin : begin + step]

    def _scores(self, people: Ints) -> Floats:
        """People by values: the logarithm of the product of the value's shares."""
        score = np.zeros((len(people), len(self.values)))
        with np.errstate(divide="ignore"):
            for j in range(len(self.releases)):
                score += np.log(self.shares(j, people))
        return score

    def beliefs(self, people: Ints, trust: Floats | None = None) -> Floats:
        """People by values: how likely each is; 0 where the releases contradict each other.

        It is proportional to the product of the value's shares in the groups of each release.
        Where the person is in the further releases with some chance only (`trust`), the shares in
        the first release count with the rest.
        """
        score = self._scores(people)
        top = score.max(axis=1, keepdims=True)
        weight = np.exp(score - np.where(np.isfinite(top), top, 0.0))
        total = weight.sum(axis=1, keepdims=True)
        joint: Floats = np.divide(weight, total, out=np.zeros_like(weight), where=total > 0)
        if trust is None:
            return joint
        chance = trust[people][:, None] * (total > 0)
        mixed: Floats = chance * joint + (1 - chance) * self.shares(0, people)
        return mixed

    @cached_property
    def before(self) -> Floats:
        """The share of each value in all releases together: p0 of `gains`."""
        shares: Floats = self._total / max(1, int(self._total.sum()))
        return shares

    def gains(self, true: Ints | None = None, *, overlaps: Sequence[Overlap] = ()) -> Gains:
        """What is gained about each person who is found.

        Args:
            true: The true value of each person, -2 where no release has it. Without it gains are
                those that the attacker expects, and whoever has one value left is certain.
            overlaps: As for `result`.
        """
        who, certain, trust = self.found, self.named, None
        if overlaps:
            least = min(overlap.trust for overlap in overlaps)
            trust = np.where(self.found, least, 0.0)
            who = np.asarray(self.prior[:, 0] > 0)
            certain = one_left(self.each[0], blank=self.missing) | (self.named & (trust == 1))
        if true is None:
            parts = self._parts(np.flatnonzero(who))
            return Gains.together(
                Gains.expected(self._without_missing(self.beliefs(part, trust)), self.before,
                               certain[part])
                for part in parts
            )  # fmt: skip
        if self.missing is not None:
            who = who & (true != self.missing)  # of whom there is nothing to know
        found = []
        for part in self._parts(np.flatnonzero(who)):
            own = np.maximum(true[part], 0)
            known = true[part] >= 0
            belief = np.where(known, self.beliefs(part, trust)[np.arange(len(part)), own], 0.0)
            right = certain[part] & known & (belief > 0)
            before = np.where(known, self.before[own], 0.0)
            found.append(Gains.believed(belief, before, right, certain[part] & ~right))
        return Gains.together(found)

    def _without_missing(self, belief: Floats) -> Floats:
        """That a value is missing is none that could be gained."""
        if self.missing is not None:
            belief[:, self.missing] = 0.0
        return belief

    def shares(self, release: int, people: Ints) -> Floats:
        """People by values: the value's share among the records of a release that fit; or 0."""
        located = self.located[release].take(people)
        h = self.releases[release].groups.histograms[self.of].take(located.groups)
        person = np.repeat(np.arange(len(people)), located.count)
        counts = np.zeros((len(people), len(self.values)))
        np.add.at(counts, (person[h.owner()], self.codes[release][h.codes]), h.counts)
        total = counts.sum(axis=1, keepdims=True)
        shares: Floats = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
        return shares

    @cached_property
    def missing(self) -> int | None:
        """Which of the values is that none is there."""
        return self.values.index(None) if None in self.values else None

    @cached_property
    def named(self) -> NDArray[np.bool_]:
        """Who may be in every release and has one value left, which is not missing."""
        return self.found & one_left(self.together, blank=self.missing)

    @cached_property
    def lenient(self) -> Words:
        """What is possible if a value that is missing in one release may be any in the others.

        That it is missing is no possible value.
        """
        if self.missing is None:
            return self.together
        bits = np.zeros(self.together.shape[1] * 64, np.uint8)
        bits[: len(self.values)] = 1
        bits[self.missing] = 0
        left = np.tile(np.packbits(bits, bitorder="little").view(np.uint64), (len(self), 1))
        for words in self.each:
            left &= np.where(has(words, self.missing)[:, None], ALL, words)
        return left

    def result(
        self,
        truth: Sequence[Value] | None = None,
        *,
        overlaps: Sequence[Overlap] = (),
        unit: str = PEOPLE,
    ) -> AttackResult:
        """The attack scored: who is named right, next to who names the most frequent value.

        Args:
            truth: Each person's value. Without it a success is that one value is left, and
                nobody who has not seen the releases can know that. With it the baseline is the
                most frequent value of all releases together, said of everybody.
            overlaps: How many of those in the first release are in each further one; everybody
                who fits if left out. Without the truth, targets are all who fit into the first
                release, and this share of those for whom it takes another is a success.
            unit: What the targets are: people, or rows.

        Raises:
            DataError: There is not a true value for each person.
        """
        people = int(self.found.sum())
        detail = self._detail()
        if overlaps:
            detail["overlaps"] = [
                {"release": o.release, "share": o.value, "interval": [o.low, o.high],
                 "of_those_who_fit": o.trust, "estimated": o.estimated}
                for o in overlaps
            ]  # fmt: skip
        if truth is None:
            found = Rate(successes=int(self.named.sum()), guesses=people)
            alone = int(one_left(self.each[0], blank=self.missing).sum())
            if overlaps:
                sure = trusted(self.each, [o.trust for o in overlaps], blank=self.missing)
                found = Rate(successes=float(sure.sum()), guesses=int((self.prior[:, 0] > 0).sum()))
            return AttackResult(
                attack="intersection",
                goal=f"one value of {self.of} is left",
                found=found,
                baseline=Rate(successes=0, guesses=found.guesses),
                gains=self.gains(overlaps=overlaps),
                sentences=(*told(self, unit=unit), *told_overlaps(overlaps, alone=alone)),
                detail=detail,
                unit=unit,
            )
        if len(truth) != len(self):
            raise DataError(f"{len(truth):,} true values for {len(self):,} people")
        true = self.codes_of(truth)
        scored = Scored.of(self, truth, true)
        detail |= {
            "true_value_possible": int(scored.possible.sum()),
            "perfect_and_right": int((scored.possible & (self.posterior == 1)).sum()),
            "true_value_unknown": int(scored.unknown.sum()),
        }
        return AttackResult(
            attack="intersection",
            goal=f"the person's {self.of} is named",
            found=Rate(successes=int(scored.right.sum()), guesses=people),
            baseline=Rate(successes=int((self.found & (true == self.usual)).sum()), guesses=people),
            gains=self.gains(true, overlaps=overlaps),
            sentences=(*told(self, scored, unit=unit), *told_overlaps(overlaps, alone=0)),
            detail=detail,
            unit=unit,
        )

    @cached_property
    def usual(self) -> int:
        """The most frequent value of all releases together; -1 where all are missing."""
        total = self._total.copy()
        if self.missing is not None:
            total[self.missing] = 0
        return int(total.argmax()) if total.any() else -1

    @cached_property
    def _total(self) -> Ints:
        """How many records of all releases have each value."""
        total = np.zeros(len(self.values), np.int64)
        for published, codes in zip(self.releases, self.codes, strict=True):
            np.add.at(total, codes, published.groups.domains[self.of].reference)
        return total

    def codes_of(self, truth: Sequence[Value]) -> Ints:
        """Which of the values each of these is; -2 where no release has it."""
        kind = told_apart(self.values)
        place = {kind(value): i for i, value in enumerate(self.values)}
        return np.array([place.get(kind(value), -2) for value in truth], np.int64)

    def _detail(self) -> dict[str, Any]:
        people = self.found
        prior = self.prior[people].min(axis=1, initial=len(self.values))
        return {
            "of": self.of,
            "people": len(self),
            "found_in_all": int(people.sum()),
            "contradictions": int(self.contradictory.sum()),
            "releases": [p.name for p in self.releases],
            "average_prior": float(prior.mean()) if len(prior) else None,
            "average_posterior": float(self.posterior[people].mean()) if len(prior) else None,
            "vulnerable": int(self.vulnerable.sum()),
            "pvp": {f"{c:.3g}": self.pvp(c) for c in CONFIDENCES},
            "groups_each": [float(located.count[people].mean()) if people.any() else 0.0
                            for located in self.located],
            "located": [p.located for p in self.releases],
            **doubtful(self.releases, self.located),
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Scored:
    """The guesses next to the truth."""

    truth: Sequence[Value]
    right: NDArray[np.bool_]
    """Whose value is named."""
    possible: NDArray[np.bool_]
    """Whose value is among those left."""
    unknown: NDArray[np.bool_]
    """Whose value no release has."""

    @classmethod
    def of(cls, found: Intersection, truth: Sequence[Value], true: Ints) -> Scored:
        inside = found.found & (true >= 0) & has(found.together, true)
        return cls(truth, found.found & (found.guesses == true), inside, found.found & (true < 0))


def intersect(
    releases: Sequence[Published],
    targets: Targets | Sequence[Located],
    *,
    of: str | None = None,
) -> Intersection:
    """Intersect what the releases say of each target.

    Args:
        releases: One or more; independent ones, made by any method or tool.
        targets: People known to be in all of them, with what is known of each; or where they
            were located in each release.
        of: The sensitive column; the one they have in common if left out.

    Raises:
        DataError: They have no sensitive column in common; or labels cannot be read.

    >>> import pyarrow as pa
    >>> one = pa.table({"age": ["<30"] * 3 + [">=30"], "illness": ["AIDS", "flu", "flu", "gout"]})
    >>> two = pa.table({"age": ["<35"] * 2 + [">=35"], "illness": ["AIDS", "TB", "gout"]})
    >>> a = Published.read(one, sensitive=["illness"], name="A")
    >>> b = Published.read(two, sensitive=["illness"], name="B")
    >>> alice = intersect([a, b], Targets.of({"age": ["28"]}))
    >>> alice.prior.tolist(), alice.posterior.tolist(), alice.possible(0)
    ([[2, 2]], [1], ('AIDS',))
    """
    if not releases:
        raise DataError("there is no release to attack", fix="Name at least one.")
    of = _common(releases, of)
    values, codes = _united(releases, of)
    width = (len(values) + 63) // 64
    located = (
        tuple(locate(published, targets) for published in releases)
        if isinstance(targets, Targets)
        else tuple(targets)
    )
    each = tuple(
        _possible(
            where.start,
            where.groups,
            published.groups.histograms[of].indptr,
            published.groups.histograms[of].codes,
            code,
            width,
        )
        for published, where, code in zip(releases, located, codes, strict=True)
    )
    together = each[0].copy()
    for words in each[1:]:
        together &= words
    return Intersection(tuple(releases), of, values, tuple(codes), located, each, together)


def _common(releases: Sequence[Published], of: str | None) -> str:
    shared = [name for name in releases[0].sensitive if all(name in r.sensitive for r in releases)]
    if of is None:
        if len(shared) == 1:
            return shared[0]
        every = dict.fromkeys(name for r in releases for name in r.sensitive)
        raise DataError(
            "the releases have no sensitive column in common" if not shared
            else "the releases have several sensitive columns in common",
            fix=f"Say which is meant; there are {some(shared or every)}.",
        )  # fmt: skip
    for published in releases:
        if of not in published.sensitive:
            near = nearest(of, published.sensitive)
            raise DataError(
                f"there is no sensitive column {of!r}",
                where=published.name,
                fix=f"Did you mean {near!r}?" if near else f"It has {some(published.sensitive)}.",
            )
    return of


def _united(releases: Sequence[Published], of: str) -> tuple[tuple[Value, ...], list[Ints]]:
    """All values, and which of them each release's are; texts that are read alike are one."""
    kind = told_apart(*(published.groups.domains[of].values for published in releases))
    place: dict[object, int] = {}
    values: list[Value] = []
    codes = []
    for published in releases:
        mine = []
        for value in published.groups.domains[of].values:
            key = kind(value)
            if key not in place:
                place[key] = len(values)
                values.append(value)
            mine.append(place[key])
        codes.append(np.array(mine, np.int64))
    return tuple(values), codes


@kernel
def _possible(
    start: Ints, groups: Ints, indptr: Ints, codes: NDArray[np.int32], recode: Ints, width: int
) -> Words:
    """For each person, a bit for each value somebody in the person's groups has.

    Args:
        start: Person t may be in groups[start[t]:start[t + 1]].
        groups: Groups of the release.
        indptr: Group g has the values codes[indptr[g]:indptr[g + 1]].
        codes: Sensitive values, as this release numbers them.
        recode: Of each of these, its place among the values of all releases.
        width: Words of 64 bits that those take.

    Returns:
        People by words.
    """
    people = len(start) - 1
    words = np.zeros((people, width), np.uint64)
    for t in range(people):
        for i in range(start[t], start[t + 1]):
            g = groups[i]
            for e in range(indptr[g], indptr[g + 1]):
                code = recode[codes[e]]
                words[t, code >> 6] |= np.uint64(1) << np.uint64(code & 63)
    return words
