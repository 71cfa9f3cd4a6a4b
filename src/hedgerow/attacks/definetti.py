"""The de Finetti attack: what buckets say about each other.

A bucket alone leaves its members and its values to be matched in any way. All buckets
together show which quasi-identifiers go with which values, and that makes some ways likelier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.bucketised_release import Bucketised, Codes, columns_of, read_tables
from hedgerow.attacks.declaration import COLUMN, FileAttack
from hedgerow.attacks.file_input import FileInput, called, texts_of
from hedgerow.attacks.gains import Gains
from hedgerow.base.errors import DataError, PlanError, some
from hedgerow.base.jit import kernel
from hedgerow.engines import open_engine
from hedgerow.recode.anatomy import anatomise, bucketed
from hedgerow.table.groups import Floats, Histogram, Ints, sort_members

CHAINS, ROUNDS, BURN_IN = 8, 150, 100
"""Runs of the sampler; rounds of each; and how many at its beginning are not counted."""
SMOOTHING = 1.0
"""Added to each count of the model: a combination nobody has is unlikely, not impossible."""


@dataclass(frozen=True, eq=False)
class BucketBeliefs:
    """How likely each member of each bucket has each of its values."""

    release: Bucketised
    share: Floats
    """For each person and value of their bucket (its place in ST), the probability."""

    @property
    def guess(self) -> Ints:
        """The likeliest value of each person."""
        place = self.release.st.indptr[self.release.bucket] + self.share.argmax(axis=1)
        return np.asarray(self.release.st.codes[place], np.int64)

    @property
    def confidence(self) -> Floats:
        """The probability of that value."""
        return np.asarray(self.share.max(axis=1), np.float64)

    def about(self, person: int) -> dict[int, float]:
        """Value -> probability, for one person."""
        bucket = self.release.bucket[person]
        start, end = self.release.st.indptr[bucket : bucket + 2]
        shares = self.share[person, : end - start].tolist()
        return dict(zip(self.release.st.codes[start:end].tolist(), shares, strict=True))


def beliefs(
    release: Bucketised,
    *,
    rng: np.random.Generator,
    chains: int = CHAINS,
    rounds: int = ROUNDS,
    burn_in: int = BURN_IN,
) -> BucketBeliefs:
    """Match members and values again and again, each time by what the last match taught.

    Values are given to the members of their bucket at random. A naive Bayes model is fitted to
    the table completed in this way; then members swap values, each pair with the probability
    the model gives to the swap. This is repeated; how often a member has a value is how likely
    it is theirs. How frequent a value is cancels out: a bucket's values are known.

    A model learnt from a random match is mostly chance. So it is trusted little at first, and
    fully after `burn_in` rounds; and what several independent runs say is averaged. Values that
    lie in the same buckets, equally often, cannot be told apart by anybody: they are given
    equal probability, which a single run would not find.

    Args:
        release: What the attacker sees.
        rng: For the simulation.
        chains: Independent runs.
        rounds: How often the model is fitted in each.
        burn_in: Rounds at the beginning of each that do not count.

    Bakers have burns (0), millers have a cough (1). A bucket with one of each does not say who
    has which; the buckets of two bakers and of two millers do:

    >>> trade = np.array([0, 1, 0, 0, 1, 1] * 8)
    >>> bucket = np.repeat(np.arange(24), 2)
    >>> st = bucketed(bucket, trade, 24)
    >>> release = Bucketised(trade[:, None], bucket, st)
    >>> found = beliefs(release, rng=np.random.default_rng(1))
    >>> found.about(0)[0] > 0.9
    True
    """
    if not 0 <= burn_in < rounds or chains < 1:
        raise PlanError(
            f"{burn_in} of {rounds} rounds do not count, in {chains} chains",
            fix="Leave some that do.",
        )
    st, people = release.st, len(release.bucket)
    start, members = sort_members(release.bucket, len(st.indptr) - 1)
    widths = release.quasi.max(axis=0, initial=0) + 1
    offset = np.concatenate(([0], np.cumsum(widths)))
    # One table for all quasi-identifiers: a row for each of their values.
    rows = release.quasi + offset[:-1]
    entries = np.repeat(np.arange(len(st.codes)), st.counts)
    owner = st.owner()[entries]
    first = st.indptr[release.bucket]
    values = st.codes.astype(np.int64)
    tally = np.zeros((people, int(np.diff(st.indptr).max())), np.int64)
    counts = np.zeros((offset[-1], release.values), np.int64)
    total = np.bincount(values, weights=st.counts, minlength=release.values)
    spread = np.repeat(widths, widths)[:, None]
    held = np.empty(people, np.int64)
    for _ in range(chains):
        held[members] = entries[np.lexsort((rng.random(people), owner))]
        for number in range(rounds):
            _count(rows, held, values, counts)
            model = np.log((counts + SMOOTHING) / (total + SMOOTHING * spread))
            model *= min(1.0, (number + 1) / max(burn_in, 1))
            _swap(rows, held, values, model, start, members, rng.random(people), rng.random(people))
            if number >= burn_in:
                _tally(tally, held, first)
    share = tally / (chains * (rounds - burn_in))
    _even_out(share, first, st.indptr[release.bucket + 1], _twins(st, rng)[values])
    return BucketBeliefs(release, share)


def de_finetti(
    release: Bucketised,
    truth: ArrayLike,
    *,
    rng: np.random.Generator,
    chains: int = CHAINS,
    rounds: int = ROUNDS,
    burn_in: int = BURN_IN,
) -> AttackResult:
    """Name each member's sensitive value from a bucketised release.

    What the attacker knows: the release, and everybody's quasi-identifiers (they are in it).
    A success: the value named for a person is theirs.
    The baseline: the most frequent value of the person's bucket; in an Anatomy, where all
        values of a bucket differ, one in as many as it has members: the 1/l that is promised.
    Reference: Kifer, Attacks on privacy and de Finetti's theorem, SIGMOD 2009.

    Args:
        release: What the attacker sees.
        truth: The sensitive value of each person, as a code.
        rng: For the simulation.
        chains: See `beliefs`.
        rounds: See `beliefs`.
        burn_in: See `beliefs`.

    Raises:
        DataError: The truth contradicts the release.

    Bakers (0), millers (1) and tanners (2) have each their own illness. A bucket of two leaves
    both matches open, and the three kinds of buckets together leave one:

    >>> trade = np.repeat([0, 1, 2], 20)
    >>> anatomy = anatomise(trade, l=2, rng=np.random.default_rng(1))
    >>> release = Bucketised.of(trade[:, None], anatomy)
    >>> result = de_finetti(release, trade, rng=np.random.default_rng(2))
    >>> result.baseline.value, result.found.value
    (0.5, 1.0)
    """
    true = np.asarray(truth)
    size = len(release.st.indptr) - 1
    if true.shape != release.bucket.shape or not np.issubdtype(true.dtype, np.integer):
        raise DataError(
            f"the true values have shape {true.shape} and type {true.dtype}",
            fix="Give a code for each person of the release.",
        )
    true = true.astype(np.int64)
    if true.min() < 0 or true.max() >= release.values:
        raise DataError("a true value occurs in no bucket", fix="Use the codes of the release.")
    seen = bucketed(release.bucket, true, size)
    told, shown = seen.sorted(release.values), release.st.sorted(release.values)
    if not all(np.array_equal(a, b) for a, b in zip(told, shown, strict=True)):
        raise DataError(
            "the true values are not those of the buckets",
            fix="Give them in the order of the release's people.",
        )
    found = beliefs(release, rng=rng, chains=chains, rounds=rounds, burn_in=burn_in)
    right = found.guess == true
    filled = release.st.indptr[:-1][np.diff(release.st.indptr) > 0]
    modes = np.maximum.reduceat(release.st.counts, filled)
    result = Rate(successes=int(right.sum()), guesses=len(true))
    baseline = Rate(successes=int(modes.sum()), guesses=len(true))
    sure = found.confidence >= 0.9
    sentences = [
        f"The values of {result.value:.1%} of {len(true):,} people are named rightly; "
        f"their bucket alone promises {baseline.value:.1%}."
    ]
    if sure.any():
        sentences.append(
            f"Of {int(sure.sum()):,} people the attacker is at least 90 % sure, "
            f"for {right[sure].mean():.1%} of them rightly."
        )
    return AttackResult(
        attack="de-finetti",
        goal="the person's sensitive value is named",
        found=result,
        baseline=baseline,
        gains=_gains(found, true),
        sentences=tuple(sentences),
        detail={
            "buckets": size,
            "chains": chains,
            "rounds": rounds,
            "sure": int(sure.sum()),
            "sure_and_right": int(right[sure].sum()),
        },
    )


def _gains(found: BucketBeliefs, true: Codes) -> Gains:
    """What is gained about everybody; certain is only who is in a bucket with one value.

    A simulation in which a person always has the same value is no proof that they do.
    """
    st, bucket = found.release.st, found.release.bucket
    first, width = st.indptr[bucket], np.diff(st.indptr)[bucket]
    places = np.minimum(first[:, None] + np.arange(found.share.shape[1]), len(st.codes) - 1)
    own = (st.codes[places] == true[:, None]) & (np.arange(found.share.shape[1]) < width[:, None])
    belief = (found.share * own).sum(axis=1)
    total = np.bincount(st.codes, weights=st.counts, minlength=found.release.values)
    return Gains.believed(belief, (total / total.sum())[true], width == 1)


def against_anatomy(
    source: Any,
    *,
    quasi: Sequence[str],
    sensitive: str,
    l: int,  # noqa: E741
    rng: np.random.Generator,
    null: Sequence[str] = (),
    chains: int = CHAINS,
    rounds: int = ROUNDS,
    burn_in: int = BURN_IN,
) -> AttackResult:
    """Publish a table by Anatomy, then attack that.

    Args:
        source: A file or a table, a row a person.
        quasi: Its quasi-identifiers.
        sensitive: The sensitive column.
        l: Of the buckets.
        rng: For both.
        null: Texts that mean missing.
        chains: See `beliefs`.
        rounds: See `beliefs`.
        burn_in: See `beliefs`.
    """
    columns = columns_of(source, (*quasi, sensitive), null=null)
    codes = [columns[name][1] for name in quasi]
    stacked = np.stack(codes, axis=1) if codes else np.zeros((len(columns[sensitive][1]), 0))
    truth = columns[sensitive][1]
    release = Bucketised.of(stacked, anatomise(truth, l=l, rng=rng))
    return de_finetti(release, truth, rng=rng, chains=chains, rounds=rounds, burn_in=burn_in)


def _twins(st: Histogram, rng: np.random.Generator) -> Ints:
    """A number for each value, the same for those that lie in the same buckets equally often."""
    width = int(st.codes.max(initial=0)) + 1
    mark = rng.integers(2**63, size=len(st.indptr) - 1, dtype=np.uint64)
    order = np.argsort(st.codes, kind="stable")
    present, begin = np.unique(st.codes[order], return_index=True)
    # Sums of random marks differ where the buckets do, up to chance of one in 2^63 or so.
    sums = np.add.reduceat((mark[st.owner()] * st.counts.astype(np.uint64))[order], begin)
    kind = np.full(width, -1, np.int64)
    kind[present] = np.unique(sums, return_inverse=True)[1]
    return kind


@kernel
def _count(rows: Codes, held: Ints, values: Ints, counts: Ints) -> None:
    """How many people with each quasi-identifier hold each value.

    Args:
        rows: People by quasi-identifiers: the row that stands for the person's value of it.
        held: Of each person, the entry of the sensitive table that they hold for now.
        values: The sensitive value of each entry.
        counts: Rows by sensitive values. Filled in place.
    """
    counts[:] = 0
    for i in range(len(rows)):
        for k in range(rows.shape[1]):
            counts[rows[i, k], values[held[i]]] += 1


@kernel
def _swap(
    rows: Codes,
    held: Ints,
    values: Ints,
    model: Floats,
    start: Ints,
    members: Ints,
    partner: Floats,
    coin: Floats,
) -> None:
    """Each member may swap values with another of the bucket, as likely as the model says.

    Args:
        rows: People by quasi-identifiers: the row that stands for the person's value of it.
        held: Of each person, the entry of the sensitive table that they hold. Changed in place.
        values: The sensitive value of each entry.
        model: Rows by sensitive values: the logarithm of the row's probability, given the value,
            times how far the model is trusted (from 0 to 1).
        start: Bucket b has members[start[b]:start[b + 1]],
        members: who are people.
        partner: For each place in `members`, a random number below 1: with whom to swap,
        coin: and another: whether to.
    """
    for b in range(len(start) - 1):
        first, size = start[b], start[b + 1] - start[b]
        for t in range(size):
            i, j = members[first + t], members[first + int(partner[first + t] * size)]
            a, c = values[held[i]], values[held[j]]
            if a == c:
                continue
            gain = 0.0
            for k in range(rows.shape[1]):
                gain += model[rows[i, k], c] - model[rows[i, k], a]
                gain += model[rows[j, k], a] - model[rows[j, k], c]
            if coin[first + t] < 1.0 / (1.0 + np.exp(-gain)):
                held[i], held[j] = held[j], held[i]


@kernel
def _tally(tally: Ints, held: Ints, first: Ints) -> None:
    for i in range(len(held)):
        tally[i, held[i] - first[i]] += 1


@kernel
def _even_out(share: Floats, first: Ints, end: Ints, kind: Ints) -> None:
    """Give the values of one kind in a bucket the same share, their mean.

    Args:
        share: People by entries of their bucket: how likely each is theirs. Changed in place.
        first: The entries of person i's bucket are those from first[i]
        end: to end[i].
        kind: Of each entry, the kind of its value: those of one kind nobody can tell apart.
    """
    total, met = np.zeros(kind.max() + 1), np.zeros(kind.max() + 1)
    for i in range(len(share)):
        width = end[i] - first[i]
        for slot in range(width):
            total[kind[first[i] + slot]] += share[i, slot]
            met[kind[first[i] + slot]] += 1
        for slot in range(width):
            share[i, slot] = total[kind[first[i] + slot]] / met[kind[first[i] + slot]]
        for slot in range(width):
            total[kind[first[i] + slot]] = 0.0
            met[kind[first[i] + slot]] = 0.0


def _attempt(read: FileInput) -> AttackResult:
    """The two tables of an Anatomy, and the original; or a table that is published by Anatomy."""
    assert read.sensitive is not None, "it needs it"
    rng = np.random.default_rng(read.seed)
    first = read.file(0, "a table, or the two of an Anatomy")
    if len(read.files) > 1 and "l" in read.given:
        raise PlanError(
            "the buckets are there, so there is no l to publish with", fix="Leave out --know l."
        )
    if len(read.files) == 1:
        with open_engine(first) as engine:
            quasi = [name for name in engine.columns() if name != read.sensitive]
        return against_anatomy(
            first, quasi=quasi, sensitive=read.sensitive, l=read.whole("l", 3), rng=rng
        )
    if read.truth is None:
        raise PlanError("the attack needs the truth", fix="Say --truth original.csv.")
    release, texts = read_tables(first, read.files[1], sensitive=read.sensitive)
    (values,) = texts_of(read.truth, read.sensitive)
    place = {text: code for code, text in enumerate(texts[read.sensitive])}
    if lost := [value for value in dict.fromkeys(values) if value not in place]:
        raise DataError(f"{some(lost)} are not in the release", where=called(read.truth))
    return de_finetti(release, np.array([place[value] for value in values]), rng=rng)


DE_FINETTI = FileAttack(
    name="de-finetti",
    asks="Do buckets together tell which value belongs to whom?",
    success="a person's value is named",
    reads="the two tables of an Anatomy with `--truth`, or a table to publish by Anatomy first",
    most=2,
    needs=(COLUMN,),
    knows={"l": "Of the buckets, where a table is published first; 3 if left out."},
    attempt=_attempt,
    reference="Kifer 2009 (SIGMOD).",
)
