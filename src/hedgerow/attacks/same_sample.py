"""Sampled: two harmless releases of one sample that together name who is in it.

Sampling hides people because nobody knows who was drawn. That uncertainty is spent once: the
parity of the others in the sample says nothing, the parity of the whole sample says next to
nothing, and one XOR the other is "the target is in the sample". With a fresh sample for the
second release the two parities have nothing to do with each other.
"""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.declaration import AttackOutcome, FileAttack, known_number
from hedgerow.attacks.file_input import FileInput, numbers_of
from hedgerow.base.errors import DataError, PlanError

Flags = NDArray[np.bool_]
Shown = Literal["first", "second", "both"]


def odd(people: int, rate: Fraction) -> Fraction:
    """The probability that a sample holds an odd number of these people.

    Each is drawn with probability `rate`, independently.

    >>> odd(1, Fraction(1, 10)), odd(2, Fraction(1, 10))  # 2 · 1/10 · 9/10
    (Fraction(1, 10), Fraction(9, 50))
    """
    return (1 - (1 - 2 * rate) ** people) / 2


def distance(
    people: int, rate: Fraction | float | str, *, shown: Shown, fresh: bool = False
) -> Fraction:
    """How well releases tell data with the target from data without: exactly.

    The largest difference between the probabilities of any event, the total variation. It is
    the smallest delta for which the releases are (0, delta)-differentially private here.

    Args:
        people: In the data besides the target.
        rate: With which everybody is drawn.
        shown: Which release somebody sees.
        fresh: Whether the second release draws its own sample.

    >>> [str(distance(3, "1/4", shown=shown)) for shown in ("first", "second", "both")]
    ['0', '1/32', '1/4']
    >>> str(distance(3, "1/4", shown="both", fresh=True))
    '1/32'
    """
    beta = _rate(rate)
    if people < 0 or shown not in ("first", "second", "both"):
        raise PlanError(f"there is no release {shown!r} of {people} people")
    within = _outcomes(people, beta, shown, fresh, target=True)
    without = _outcomes(people, beta, shown, fresh, target=False)
    apart = (abs(within[o] - without[o]) for o in {*within, *without})
    return sum(apart, Fraction(0)) / 2


def composition(
    first: ArrayLike, second: ArrayLike, *, sampled: ArrayLike, rate: float
) -> AttackResult:
    """Put a parity without the target and a parity with the target together.

    The attacker knows: for each target, a bit from the first release and a bit from the second.
    They name the targets for whom the bits differ. A success: a named target is in the second
    release's sample. The baseline: as many targets, named without seeing anything, of whom the
    sampling rate's share are in it.

    Args:
        first: For each target, whether the number of others in the first sample is odd.
        second: For each target, whether the number of people in the second sample is odd.
        sampled: For each target, whether they are in the second sample.
        rate: With which everybody is drawn.

    Raises:
        DataError: There are no bits, these are none, or not as many of each.
        PlanError: The rate is no probability.

    Reference: paper 003, section 2.1: one algorithm outputs a predicate, a second one that
    predicate XOR'ed with one that leaks, and they do not compose.

    >>> found = composition([0, 1, 1, 0], [1, 1, 0, 0], sampled=[1, 0, 1, 0], rate=0.1)
    >>> found.found.value, round(found.baseline.value, 3), found.detail["missed"]
    (1.0, 0.1, 0)
    """
    one, two, true = _bits(first, "first"), _bits(second, "second"), _bits(sampled, "sampled")
    if not len(one) == len(two) == len(true):
        raise DataError(
            f"{len(one)}, {len(two)} and {len(true)} bits are not about the same people"
        )
    if not len(one):
        raise DataError("there are no targets to judge", fix="Give bits for at least one.")
    beta = float(_rate(rate))
    named = one ^ two
    claims, right = int(named.sum()), int((named & true).sum())
    missed = int((~named & true).sum())
    alone = {
        name: Rate(successes=int((bits & true).sum()), guesses=int(bits.sum())).value
        for name, bits in (("first", one), ("second", two))
    }
    sentences = (
        f"Together the two releases name {claims:,} of {len(one):,} targets, and {right:,} of "
        f"those are in the sample; {beta * claims:,.1f} would be by chance.",
        f"{missed:,} who are in the sample are not named.",
    )
    return AttackResult(
        attack="same-sample",
        goal="a named target is in the sample",
        found=Rate(successes=right, guesses=claims),
        baseline=Rate(successes=beta * claims, guesses=claims),
        sentences=sentences,
        detail={
            "targets": len(one),
            "rate": beta,
            "named": claims,
            "missed": missed,
            "right_from_one_release": alone,
        },
    )


def simulated(
    people: int,
    *,
    rate: float,
    runs: int,
    rng: np.random.Generator,
    fresh: bool = False,
) -> AttackResult:
    """Publish both parities many times, for a target in the data, and attack each time.

    Args:
        people: In the data besides the target.
        rate: With which everybody is drawn.
        runs: How often a sample is drawn and both releases are made.
        rng: Where chance comes from.
        fresh: Whether the second release draws its own sample.

    >>> same = simulated(100, rate=0.1, runs=2_000, rng=np.random.default_rng(1))
    >>> same.found.value, same.succeeded
    (1.0, True)
    """
    beta = float(_rate(rate))
    if people < 0 or runs < 1:
        raise PlanError(f"{runs} runs with {people} people cannot be made")
    others = rng.binomial(people, beta, runs)
    target = rng.random(runs) < beta
    again = rng.binomial(people, beta, runs) if fresh else others
    return composition(others % 2, (again + target) % 2, sampled=target, rate=beta)


def _outcomes(
    people: int, beta: Fraction, shown: Shown, fresh: bool, *, target: bool
) -> dict[tuple[int, ...], Fraction]:
    """The probability of everything somebody can see."""
    parity = {0: 1 - odd(people, beta), 1: odd(people, beta)}
    found: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for first, p in parity.items():
        for others, q in (parity if fresh else {first: Fraction(1)}).items():
            for drawn, r in ((1, beta), (0, 1 - beta)) if target else ((0, Fraction(1)),):
                second = others ^ drawn
                seen = {"first": (first,), "second": (second,), "both": (first, second)}[shown]
                found[seen] += p * q * r
    return found


def _rate(rate: Fraction | float | str) -> Fraction:
    try:
        found = Fraction(rate) if not isinstance(rate, float) or math.isfinite(rate) else None
    except (TypeError, ValueError, ZeroDivisionError):
        found = None
    if found is None or not 0 <= found <= 1:
        raise PlanError(f"{rate!r} is no probability", fix="Give a number from 0 to 1.")
    return found


def _bits(values: ArrayLike, what: str) -> Flags:
    found = np.asarray(values)
    if found.ndim != 1 or not np.isin(found, (0, 1)).all():
        raise DataError("these are no bits in one row", where=what)
    return found.astype(np.bool_)


def _attempt(read: FileInput) -> AttackResult:
    bits = numbers_of(read.file(0, "a file of bits"), "first", "second", "sampled")
    first, second, sampled = bits
    return composition(first, second, sampled=sampled, rate=read.number("rate"))


SAME_SAMPLE = FileAttack(
    name="same-sample",
    asks="Do two answers from one sample tell who is in it?",
    success="a person is known to be in the sample",
    reads="two bits from one sample (`first`, `second`, `sampled`; a row a person)",
    most=1,
    needs=(known_number("rate", "the share of people who were drawn", "0.1"),),
    knows={"rate": "The share of people who were drawn."},
    outcomes=(AttackOutcome(name="same-sample", silent=True),),
    attempt=_attempt,
    reference="Paper 003, Section 2.1.",
)
