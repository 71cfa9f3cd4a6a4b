"""What somebody believes of one person, by everything several releases show of one column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from hedgerow.attacks.attacker_prior import Attacker, ColumnPrior, column_prior
from hedgerow.attacks.world_sample import CHAINS, RATE, SampledBelief, sample
from hedgerow.base.spelling import likeness
from hedgerow.base.spelling_classes import told_apart
from hedgerow.claims.prior_files import refuse_misspelt
from hedgerow.claims.priors import Prior
from hedgerow.claims.worlds.belief import believed
from hedgerow.claims.worlds.bounds import CountBounds
from hedgerow.claims.worlds.exact import beliefs
from hedgerow.claims.worlds.knowledge import Knowledge, Shown
from hedgerow.table.groups import Histogram, Ints, Sensitive
from hedgerow.table.labels import Value
from hedgerow.table.location import Located
from hedgerow.table.published_table import Published
from hedgerow.table.records import parts

UNCOUNTED = (
    "The releases have records of people who are not on the list, and somebody's stubbornness "
    "makes these say something of the others. That is not counted: the belief with the list is "
    "between the bounds shown, which are proven for every prior. A prior without a stubbornness is "
    "counted, and so is a list of everybody."
)
"""Said where a prior and a list do not go together."""


@dataclass(frozen=True, eq=False)
class SeenColumn:
    """What the releases show of one column, and of others on which all of them can be joined."""

    of: str
    """The column."""
    values: tuple[Value, ...]
    """Its values."""
    code: Ints
    """Of everything people may have, the value in it."""
    histograms: tuple[Histogram, ...]
    looks: tuple[Ints, ...]
    joined: tuple[str, ...]
    prior: ColumnPrior | None = None
    """What the attacker expects; None: nothing but that all worlds are equally likely."""

    @classmethod
    def read(cls, releases: Sequence[Published], of: str) -> SeenColumn:
        joined: tuple[str, ...] = ()
        if len(releases) > 1 and all(r.records is not None for r in releases):
            shared = set.intersection(*(set(r.records.columns) for r in releases if r.records))
            joined = tuple(sorted(shared - {of}))
        groups = []
        for release in releases:
            one = release.groups
            if joined:
                assert release.records is not None, "it was read"
                one = release.records.together([of, *joined], one.n, name=of)
            groups.append(one)
        kind = told_apart(*(one.domains[of].values for one in groups))
        place: dict[object, int] = {}
        texts: list[Value] = []
        codes = []
        for one in groups:
            mine = []
            for text in one.domains[of].values:
                key = text if joined else kind(text)
                if key not in place:
                    place[key] = len(texts)
                    texts.append(text)
                mine.append(place[key])
            codes.append(mine)
        read = [parts(text)[0] for text in texts] if joined else texts
        usual: dict[Value, Value] = {}
        for release in releases:
            for value in release.groups.domains[of].values:
                usual.setdefault(likeness(value) if joined else value, value)
        values = list(dict.fromkeys(read))
        looks = []
        for mine in codes:
            look = np.full(len(texts), -1, np.int64)
            look[mine] = np.arange(len(mine))
            looks.append(look)
        return cls(
            of,
            tuple(usual.get(value, value) for value in values),
            np.array([values.index(value) for value in read], np.int64),
            tuple(one.histograms[of] for one in groups),
            tuple(looks),
            joined,
        )

    def expected(self, attacker: Attacker | None) -> SeenColumn:
        """The same to an attacker who has a prior. Values that only the prior has come last.

        Raises:
            DataError: It gives no chance to a value of a release, or spells it otherwise.
        """
        if attacker is None:
            return self
        refuse_misspelt(attacker.prior, self.values, where="the prior")
        return self._expected(attacker)

    def expected_as(self, whole: SeenColumn) -> SeenColumn:
        """The same, to the attacker who has a prior over these and further releases."""
        if whole.prior is None:
            return self
        shares = dict(zip(whole.values, whole.prior.shares, strict=True))
        mine = {likeness(value): value for value in self.values}
        named = {mine.get(likeness(value), value): share for value, share in shares.items()}
        named |= {value: shares[value] for value in self.values if value in shares}
        return self._expected(replace(whole.prior.attacker, prior=Prior.shape(named)))

    def _expected(self, attacker: Attacker) -> SeenColumn:
        of_value = np.bincount(self.code, weights=self._records, minlength=len(self.values))
        counts = of_value.astype(np.int64)
        domain = Sensitive(self.of, self.values, counts, int(counts.sum()))
        prior, others = column_prior(attacker, domain, self.code.tolist(), self._records.tolist())
        more = np.arange(len(others)) + len(self.values)
        none = np.full(len(others), -1, np.int64)
        return replace(
            self,
            values=(*self.values, *others),
            code=np.concatenate((self.code, more)),
            looks=tuple(np.concatenate((look, none)) for look in self.looks),
            prior=prior,
        )

    @property
    def _records(self) -> Ints:
        """Of everything people may have, how many records of all releases look so."""
        total = np.zeros(len(self.code), np.int64)
        for h, looks in zip(self.histograms, self.looks, strict=True):
            seen = np.bincount(h.codes, weights=h.counts, minlength=int(looks.max(initial=0)) + 1)
            total += np.where(looks >= 0, seen[np.maximum(looks, 0)], 0).astype(np.int64)
        return total

    @property
    def before(self) -> list[Fraction]:
        """What is expected; without a prior, how frequent each value is in all releases."""
        if self.prior is not None:
            return [*self.prior.shares]
        counts = self._records
        total = [int(counts[self.code == v].sum()) for v in range(len(self.values))]
        return [Fraction(one, max(1, sum(total))) for one in total]

    def together(self, shares: Sequence[Fraction]) -> list[Fraction]:
        """From everything people may have to the values of the column."""
        found = [Fraction(0)] * len(self.values)
        for v, share in enumerate(shares):
            found[self.code[v]] += share
        return found


@dataclass(frozen=True, eq=False)
class SceneBelief:
    """What somebody believes of a person who has the list of all people."""

    proven: tuple[tuple[Fraction, Fraction], ...] | None
    """Of each value between what, equal where it is exact; None where nothing can be said."""
    estimates: tuple[SampledBelief | None, ...] | None
    """Of each value, where it is not exact; None where there is no estimate."""
    told: tuple[str, ...]
    """What it rests on."""


@dataclass(frozen=True, eq=False)
class Scene:
    """The releases, and where the people somebody knows may be in them."""

    seen: SeenColumn
    places: tuple[Located, ...]

    def of_one(self) -> list[Fraction]:
        """What somebody believes who knows one person."""
        shown = tuple(
            Shown(h, look, where, np.ones(1, np.bool_), listed=False)
            for h, look, where in zip(
                self.seen.histograms, self.seen.looks, self.places, strict=True
            )
            if where.count[0]
        )
        prior = self.seen.prior
        weights = None if prior is None else (prior.factor(len(shown)),)
        found = beliefs(Knowledge(np.ones(1, np.int64), len(self.seen.code), shown, weights))
        assert found is not None, "one person is not too many"
        return self.seen.together(found.shares[0])

    def of_all(self, one: int, *, seed: int = 0) -> SceneBelief:
        """What somebody believes of a person who knows everybody.

        Args:
            one: The person.
            seed: Of estimates.

        Everybody who fits is taken to be in a release if there are as many as it has records. If
        there are more, some are not in it, and nobody knows who. If there are fewer, some records
        are of people who are not on the list.
        """
        codes = np.column_stack([_codes(where) for where in self.places])
        _, first, kind = np.unique(codes, axis=0, return_index=True, return_inverse=True)
        kind = kind.reshape(-1)
        many = np.bincount(kind, minlength=len(first)).astype(np.int64)
        # Whoever is in no release says nothing of anybody.
        there = np.any([where.count[first] > 0 for where in self.places], axis=0)
        kind = (np.cumsum(there) - 1)[kind]
        first, many = first[there], many[there]
        sizes = [(int((where.count > 0).sum()), int(h.counts.sum()))
                 for h, where in zip(self.seen.histograms, self.places, strict=True)]  # fmt: skip
        told = _presences(sizes)
        target, shown = int(kind[one]), []
        if any(fitting > records for fitting, records in sizes) and many[target] > 1:
            # The person is in the releases for certain, and others who look alike may not be.
            many[target] -= 1
            first, many, target = np.append(first, one), np.append(many, 1), len(first)
        for h, look, where, (fitting, records) in zip(
            self.seen.histograms, self.seen.looks, self.places, sizes, strict=True
        ):
            sure = where.count[first] > 0
            if fitting > records:
                sure &= np.arange(len(first)) == target
            shown.append(Shown(h, look, where.take(first), sure, listed=fitting >= records))
        whole = Knowledge(many, len(self.seen.code), tuple(shown))
        weighed = whole if self.seen.prior is None else self.seen.prior.weighed(whole)
        component, mine = _around(whole if weighed is None else weighed, target)
        # Bounds hold whatever is expected.
        found = believed(component) if weighed is not None else believed(component, moves=0)
        exact = found.counted[0]
        if found.contradicted[mine]:
            told.append(
                "The list contradicts the releases: nobody who takes it for right can say "
                "what is likely."
            )
            return SceneBelief(None, None, tuple(told))
        if exact is None and found.limits[0] is None:
            told.append("There are too many people and values to bound the belief with the list.")
            return SceneBelief(None, None, tuple(told))
        between = [found.between(mine, v) for v in range(component.values)]
        low = self.seen.together([least for least, _ in between])
        high = self.seen.together([most for _, most in between])
        ways = _ways(exact.worlds if exact is not None and self.seen.prior is None else None)
        told.append(
            f"The belief with the list is exact, by counting {ways} to deal out the records of "
            f"{_people(component)} whose groups hang together."
            if exact is not None
            else f"There are too many ways to deal out the records of {_people(component)} whose "
            "groups hang together. The belief with the list is between the bounds shown, which "
            "are proven."
        )
        proven = tuple((a, min(b, Fraction(1))) for a, b in zip(low, high, strict=True))
        if exact is not None:
            return SceneBelief(proven, None, tuple(told))
        if weighed is None:
            told[-1] = UNCOUNTED
            return SceneBelief(proven, None, tuple(told))
        assert found.limits[0] is not None, "it was asked"
        estimates, sentence = self._estimated(component, found.limits[0], mine, seed)
        return SceneBelief(proven, estimates, (*told, sentence))

    def _estimated(
        self, component: Knowledge, limits: CountBounds, mine: int, seed: int
    ) -> tuple[tuple[SampledBelief | None, ...] | None, str]:
        """Of each value an estimate, and what it rests on; None where nothing can be said."""
        drawn = sample(component, limits, [mine], seed=seed)
        if drawn.failure is not None:
            return None, (
                f"No estimate by sampling: {drawn.failure}. The bounds are all that is known."
            )
        found = tuple(
            drawn.belief(0, np.flatnonzero(self.seen.code == v).tolist())
            for v in range(len(self.seen.values))
        )
        silent = sum(one is None for one in found)
        if silent == len(found):
            return None, (
                f"No estimate by sampling: {CHAINS} chains of random worlds do not agree. The "
                "bounds are all that is known."
            )
        missing = (
            f" Of {silent:,} of {len(found):,} values there is none, because chains do not agree."
            if silent
            else ""
        )
        left = (
            ""
            if drawn.visits
            else " No chain had the time to leave the worlds that fit and to come back: worlds "
            "that exchanges do not connect were seen as often as chains began there."
        )
        return found, (
            f"The estimates are from random worlds ({CHAINS} chains, seed {seed}), not proven: if "
            "the chains saw enough of the worlds, the interval of each value is wrong in about "
            f"{1 - RATE:.0%} of such samples.{missing}{left}"
        )


def _codes(where: Located) -> Ints:
    """A number for each list of groups."""
    place: dict[bytes, int] = {}
    return np.array(
        [place.setdefault(where.of(t).tobytes(), len(place)) for t in range(len(where.count))],
        np.int64,
    )


def _around(whole: Knowledge, target: int) -> tuple[Knowledge, int]:
    """The component of a kind, and its place there."""
    if whole.urn is None:
        part = whole.components()
        near = np.flatnonzero(part == part[target])
        return whole.take(near), int(np.flatnonzero(near == target)[0])
    for kinds, component in whole.apart():
        if target in kinds:
            return component, int(np.flatnonzero(kinds == target)[0])
    raise AssertionError("every kind is in a component")


def _ways(count: Fraction | None) -> str:
    """How many ways, in words; None: they are not equally likely.

    >>> _ways(Fraction(1)), _ways(Fraction(12)), _ways(Fraction(10**9))
    ('the one way', 'all 12 ways', 'all of about 10^9 ways')
    """
    if count is None:
        return "all ways, each as likely as by the prior,"
    if count == 1:
        return "the one way"
    if count < 10**6:
        return f"all {int(count):,} ways"
    return f"all of about 10^{len(str(int(count))) - 1} ways"


def _people(component: Knowledge) -> str:
    people = int(component.people.sum())
    return "the 1 person" if people == 1 else f"the {people:,} people"


def _presences(sizes: Sequence[tuple[int, int]]) -> list[str]:
    """Who is in each release, in words; once where it is the same.

    >>> _presences([(6, 6), (6, 6)])
    ['6 people on the list fit each release of 6 records: all are in it.']
    """
    told = [_presence(fitting, records) for fitting, records in sizes]
    if len(told) > 1 and len(set(told)) == 1:
        return [told[0].replace(" fit a release ", " fit each release ")]
    return told


def _presence(fitting: int, records: int) -> str:
    if fitting == records:
        return (
            f"{fitting:,} people on the list fit a release of {records:,} records: all are in it."
        )
    if fitting > records:
        return (
            f"{fitting:,} people on the list fit a release of {records:,} records: some are not in "
            "it, and the attacker does not know who."
        )
    return (
        f"{fitting:,} people on the list fit a release of {records:,} records: the others are of "
        "people who are not on the list."
    )
