"""Sparse de-anonymisation: a few ratings or purchases are as good as a name.

Most people share their rare items with hardly anybody. Whoever learns a handful of them, even
with errors, looks for the record they fit far better than any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hedgerow.attacks.auxiliary import Auxiliary
from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.declaration import FileAttack
from hedgerow.attacks.file_input import FileInput
from hedgerow.attacks.ratings import Ratings
from hedgerow.base.errors import DataError, PlanError
from hedgerow.base.jit import kernel
from hedgerow.engines import open_engine
from hedgerow.table.groups import Floats, Ints

PHI = 1.5
"""How many standard deviations the best score must be above the second best."""
ALPHA = 0.5
"""How similar each known item must be at least, for the plain Scoreboard."""
RATING_SCALE, DAY_SCALE = 1.5, 30.0
"""By how much ratings, and days, differ where similarity has fallen to 1/e."""

Method = Literal["eccentricity", "entropic", "scoreboard"]
METHODS: tuple[Method, ...] = ("eccentricity", "entropic", "scoreboard")


@dataclass(frozen=True, eq=False)
class Matches:
    """What the attack says of each target."""

    person: Ints
    """The person named; -1 where there is no match."""
    ties: Ints
    """How many people fit as well as the one named, that one included."""
    eccentricity: Floats
    """(best - second best score) / standard deviation of all scores; Scoreboard: 0."""
    entropy: Floats
    """Of the probabilities given to people, in bits: 0 is certainty."""
    probability: Floats
    """Given to the true person, where one was told; 0 elsewhere."""


def identify(
    ratings: Ratings,
    known: Auxiliary,
    *,
    method: Method = "eccentricity",
    phi: float = PHI,
    alpha: float = ALPHA,
    truth: Ints | None = None,
) -> Matches:
    """Who the targets are, by what is known of them.

    The score of a record is the sum over the known items, also rated in it, of
    (exp(-|difference of ratings| / 1.5) + exp(-|difference of days| / 30)) / log(people who
    rated the item). An item that one person rated weighs as one that two did (log 1 is 0).
    Where neither rating nor day is known, having the item counts 1; of several ratings of the
    item in a record the most similar counts.

    Args:
        ratings: The release.
        known: What is known of each target.
        method: eccentricity (Scoreboard-RH): the best record, if its score is `phi` standard
            deviations above the second best, else nobody. entropic: each record with
            probability proportional to exp(score / standard deviation). scoreboard: all
            records in which each known item's similarity (from 0 to 1, the mean of the two
            parts) exceeds `alpha`, equally likely; nobody if there is none.
        phi: See method.
        alpha: See method.
        truth: The true person of each target, -1 for those who are not in the release.

    The film that few saw gives Ann away, though Bob agrees with her on the other:

    >>> ratings = Ratings.of(
    ...     ["Ann", "Ann", "Bob", "Bob", "Cem", "Dee"],
    ...     ["Brazil", "Titanic", "Titanic", "Alien", "Titanic", "Titanic"],
    ...     [5, 2, 2, 4, 5, 4], [10, 20, 20, 5, 90, 300],
    ... )
    >>> known = Auxiliary.of(ratings, [{"Brazil": (5, 10), "Titanic": (2, 20)}])
    >>> found = identify(ratings, known)
    >>> str(ratings.people[found.person[0]]), round(float(found.eccentricity[0]), 2)
    ('Ann', 1.7)
    """
    if method not in METHODS:
        raise PlanError(f"there is no method {method!r}", fix=f"Choose from {', '.join(METHODS)}.")
    true = np.full(len(known), -1, np.int64) if truth is None else np.asarray(truth, np.int64)
    if true.shape != (len(known),) or true.max(initial=-1) >= len(ratings.people):
        raise DataError(
            "the true people do not fit the targets", fix="Give one person each, or -1."
        )
    if known.item.max(initial=-1) >= len(ratings.items) or known.item.min(initial=0) < 0:
        raise DataError("the attacker knows items that the release does not have")
    weight = 1 / np.log(np.maximum(ratings.support, 2))
    told = _judge(
        ratings.indptr, ratings.person, ratings.rating, ratings.day, weight, len(ratings.people),
        known.indptr, known.item, known.rating, known.day, true,
        RATING_SCALE, DAY_SCALE, METHODS.index(method), phi, alpha,
    )  # fmt: skip
    return Matches(*told)


def observe(
    ratings: Ratings,
    targets: Ints,
    *,
    m: int = 8,
    wrong: int = 2,
    days: int = 14,
    rng: np.random.Generator,
) -> Auxiliary:
    """What somebody might know of these people: some of their ratings, with errors.

    Args:
        ratings: The data.
        targets: The people, as codes.
        m: Ratings known of each; all, where a person has fewer.
        wrong: How many of them are wrong altogether: somebody's rating of some item.
        days: The others' days are off by up to so many.
        rng: For the simulation.
    """
    if not 0 <= wrong <= m or m < 1 or days < 0:
        raise PlanError(f"{wrong} of {m} ratings wrong, {days} days off: that cannot be")
    rows, owner = ratings.rows_of(targets)
    shuffled = np.lexsort((rng.random(len(rows)), owner))
    rows, owner = rows[shuffled], owner[shuffled]
    first = np.searchsorted(owner, np.arange(len(targets)))
    rank = np.arange(len(rows)) - first[owner]
    kept = rank < m
    rows, owner, rank = rows[kept], owner[kept], rank[kept]
    rows = np.where(rank < wrong, rng.integers(len(ratings.person), size=len(rows)), rows)
    return Auxiliary(
        np.searchsorted(owner, np.arange(len(targets) + 1)).astype(np.int64),
        ratings.item_of(rows),
        ratings.rating[rows],
        ratings.day[rows] + rng.integers(-days, days + 1, len(rows)),
    )


def deanonymise(
    ratings: Ratings,
    known: Auxiliary,
    truth: Ints,
    *,
    outsiders: Auxiliary | None = None,
    method: Method = "eccentricity",
    phi: float = PHI,
    alpha: float = ALPHA,
) -> AttackResult:
    """Find the records of people of whom a few ratings are known.

    What the attacker knows: a few of a target's items, with ratings and days, some wrong.
    A success: the target's record is named (one of several equally likely ones counts as the
        fraction; with the entropic method, the probability given to the right record counts).
    The baseline: one of all records, at random.
    No control: the record of people who are not in the release cannot be named. How many of
        them are matched with somebody all the same, wrongly, is told apart (`outsiders`).
    Reference: Narayanan and Shmatikov, Robust de-anonymization of large sparse datasets,
        S&P 2008, algorithms Scoreboard and Scoreboard-RH, and section 5.

    Args:
        ratings: The release.
        known: What is known of each target.
        truth: Who they are.
        outsiders: What is known of people who are not in the release.
        method: See `identify`.
        phi: See `identify`.
        alpha: See `identify`.
    """
    truth = np.asarray(truth, np.int64)
    if not len(known):
        raise DataError("there is nobody to look for", fix="Give at least one target.")
    if truth.min(initial=0) < 0:
        raise DataError("a target is not in the release", fix="Give them as outsiders.")
    found = identify(ratings, known, method=method, phi=phi, alpha=alpha, truth=truth)
    guesses, people = len(known), len(ratings.people)
    named = found.person >= 0
    rate = Rate(successes=_bounded(found.probability.sum(), guesses), guesses=guesses)
    strangers = None
    # The entropic method names nobody: it always gives probabilities, also to the wrong people.
    if outsiders is not None and len(outsiders) and method != "entropic":
        others = identify(ratings, outsiders, method=method, phi=phi, alpha=alpha)
        strangers = {"people": len(outsiders), "matched": int((others.person >= 0).sum())}
    by = f"among {people:,} by {len(known.item) / guesses:.3g} ratings each"
    sentences = [f"{rate.value:.1%} of {guesses:,} people were found {by}."]
    if method == "entropic":
        sentences = [
            f"The right record gets a probability of {rate.value:.1%} on average, for "
            f"{guesses:,} people looked for {by}."
        ]
    else:
        sentences.append(
            f"Matched with nobody: {guesses - int(named.sum()):,}; "
            f"with somebody else: {int((named & (found.probability == 0)).sum()):,}."
        )
    if strangers is not None:
        sentences.append(
            f"Of {strangers['people']:,} people who are not in the release "
            f"{strangers['matched']:,} were matched with somebody."
        )
    return AttackResult(
        attack="sparse",
        goal="the target's record is named",
        found=rate,
        baseline=Rate(successes=guesses / people, guesses=guesses),
        sentences=tuple(sentences),
        detail={
            "method": method,
            "people": people,
            "outsiders": strangers,
            "items": len(ratings.items),
            "no_match": int((~named).sum()),
            "wrong_match": int((named & (found.probability == 0)).sum()),
            "mean_entropy_bits": float(found.entropy.mean()),
            "median_eccentricity": float(np.median(found.eccentricity)),
        },
    )


def evaluate(
    ratings: Ratings,
    *,
    rng: np.random.Generator,
    targets: int = 100,
    outsiders: int = 100,
    m: int = 8,
    wrong: int = 2,
    days: int = 14,
    method: Method = "eccentricity",
    phi: float = PHI,
    alpha: float = ALPHA,
) -> AttackResult:
    """Publish all but some people, then look for others of whom a little is known.

    Args:
        ratings: The data.
        rng: Chooses people, what is known of them and its errors.
        targets: How many people are looked for who are in the release.
        outsiders: How many who are not: they are taken out before.
        m: See `observe`.
        wrong: See `observe`.
        days: See `observe`.
        method: See `identify`.
        phi: See `identify`.
        alpha: See `identify`.
    """
    if targets < 1 or outsiders < 0 or targets + outsiders > len(ratings.people):
        raise PlanError(
            f"{targets:,} targets and {outsiders:,} outsiders of {len(ratings.people):,} people",
            fix="Look for fewer.",
        )
    chosen = rng.permutation(len(ratings.people))[: targets + outsiders]
    known = observe(ratings, chosen, m=m, wrong=wrong, days=days, rng=rng)
    release, place = ratings.without(chosen[targets:])
    inside, outside = known.split(targets)
    return deanonymise(
        release,
        inside,
        place[chosen[:targets]],
        outsiders=outside,
        method=method,
        phi=phi,
        alpha=alpha,
    )


def _bounded(successes: float, guesses: int) -> float:
    """Sums of probabilities may miss the whole number by rounding."""
    return float(min(max(successes, 0.0), guesses))


@kernel
def _similarity(
    rating: float, day: float, known_rating: float, known_day: float, scale: float, day_scale: float
) -> tuple[float, int]:
    """The sum of the known parts, each from 0 to 1, and how many they are.

    Args:
        rating: In the record; not a number: there is none.
        day: In the record; not a number: there is none.
        known_rating: What the attacker knows; not a number: nothing.
        known_day: What the attacker knows; not a number: nothing.
        scale: By how much ratings differ where similarity has fallen to 1/e.
        day_scale: The same of days.
    """
    total, parts = 0.0, 0
    gap = abs(rating - known_rating)
    if not np.isnan(gap):
        total, parts = total + np.exp(-gap / scale), parts + 1
    gap = abs(day - known_day)
    if not np.isnan(gap):
        total, parts = total + np.exp(-gap / day_scale), parts + 1
    return (total, parts) if parts else (1.0, 1)


@kernel
def _judge(
    indptr: Ints, person: Ints, rating: Floats, day: Floats, weight: Floats, people: int,
    known_indptr: Ints, known_item: Ints, known_rating: Floats, known_day: Floats, truth: Ints,
    scale: float, day_scale: float, method: int, phi: float, alpha: float,
) -> tuple[Ints, Ints, Floats, Floats, Floats]:  # fmt: skip
    """What the attack says of each target; see `identify`.

    Args:
        indptr: Item i of the release owns the entries indptr[i] to indptr[i + 1].
        person: Of each entry, who rated the item; ascending within an item.
        rating: Of each entry; not a number: there is none.
        day: Of each entry; not a number: there is none.
        weight: Of each item, what it counts.
        people: How many are in the release.
        known_indptr: Of target t the entries known_indptr[t] to known_indptr[t + 1] are known.
        known_item: Of each of these, the item,
        known_rating: the rating; not a number: it is not known;
        known_day: and the day; not a number: it is not known.
        truth: Of each target, the true person; -1: there is none, or nobody says.
        scale: By how much ratings differ where similarity has fallen to 1/e.
        day_scale: The same of days.
        method: Its place in `METHODS`.
        phi: For eccentricity: standard deviations the best score must be above the second.
        alpha: For scoreboard: what each known item's similarity must exceed.

    Returns:
        The fields of `Matches`.
    """
    targets = len(known_indptr) - 1
    named, ties = np.full(targets, -1, np.int64), np.zeros(targets, np.int64)
    eccentricity, entropy = np.zeros(targets), np.zeros(targets)
    probability = np.zeros(targets)
    score, lowest, met = np.zeros(people), np.zeros(people), np.zeros(people, np.int64)
    for t in range(targets):
        score[:] = 0.0
        lowest[:] = 1.0
        met[:] = 0
        start, end = known_indptr[t], known_indptr[t + 1]
        for k in range(start, end):
            item = known_item[k]
            e = indptr[item]
            while e < indptr[item + 1]:
                who = person[e]
                best, share = 0.0, 0.0
                while e < indptr[item + 1] and person[e] == who:
                    total, parts = _similarity(
                        rating[e], day[e], known_rating[k], known_day[k], scale, day_scale
                    )
                    best, share = max(best, total), max(share, total / parts)
                    e += 1
                score[who] += weight[item] * best
                lowest[who] = min(lowest[who], share)
                met[who] += 1
        if method == 2:
            for r in range(people):
                if met[r] == end - start and end > start and lowest[r] > alpha:
                    ties[t] += 1
                    if named[t] < 0:
                        named[t] = r
            if ties[t]:
                entropy[t] = np.log2(ties[t])
                true = truth[t]
                if true >= 0 and met[true] == end - start and lowest[true] > alpha:
                    probability[t] = 1.0 / ties[t]
            continue
        first, second, best_person = -1.0, -1.0, -1
        for r in range(people):
            if score[r] > first:
                first, second, best_person = score[r], first, r
            elif score[r] > second:
                second = score[r]
        for r in range(people):
            ties[t] += score[r] == first
        mean = score.mean()
        sigma = np.sqrt(((score - mean) ** 2).mean())
        # Where all scores are equal, rounding of their mean must not make a spread of it.
        if first - score.min() <= 0.0:
            sigma = 0.0
        mass, tilt = 0.0, 0.0
        for r in range(people):
            away = (score[r] - first) / sigma if sigma > 0.0 else 0.0
            mass += np.exp(away)
            tilt += np.exp(away) * away
        entropy[t] = (np.log(mass) - tilt / mass) / np.log(2.0)
        if ties[t] == 1 and sigma > 0.0:
            eccentricity[t] = (first - max(second, 0.0)) / sigma
        true = truth[t]
        if method == 1:
            named[t] = best_person
            if true >= 0:
                away = (score[true] - first) / sigma if sigma > 0.0 else 0.0
                probability[t] = np.exp(away) / mass
        elif eccentricity[t] >= phi:
            named[t] = best_person
            if true >= 0 and score[true] == first:
                probability[t] = 1.0 / ties[t]
    return named, ties, eccentricity, entropy, probability


def _attempt(read: FileInput) -> AttackResult:
    file = read.file(0, "a file of ratings")
    with open_engine(file) as engine:
        there = set(engine.columns())
    ratings = Ratings.read(
        file, person="person", item="item", rating="rating" if "rating" in there else None,
        day="day" if "day" in there else None,
    )  # fmt: skip
    method: Any = read.word("method", "eccentricity")
    return evaluate(
        ratings, rng=np.random.default_rng(read.seed), targets=read.whole("targets", 100),
        outsiders=read.whole("outsiders", 100), m=read.whole("m", 8),
        wrong=read.whole("wrong", 2), days=read.whole("days", 14), method=method,
    )  # fmt: skip


SPARSE = FileAttack(
    name="sparse",
    asks="Do a few ratings or purchases give a person's record away?",
    success="a person is found by a few of them",
    reads="ratings or transactions (`person`, `item`, and `rating` and `day` where there are)",
    most=1,
    needs=(),
    knows={
        "m": "Ratings known of each person; 8 if left out.",
        "wrong": "How many of them are wrong; 2 if left out.",
        "days": "By how many days the others may be off; 14 if left out.",
        "targets": "People who are looked for; 100 if left out.",
        "outsiders": "People who are looked for and not there; 100 if left out.",
        "method": "eccentricity, entropic or scoreboard.",
    },
    attempt=_attempt,
    reference="Narayanan, Shmatikov 2008 (IEEE S&P).",
)
