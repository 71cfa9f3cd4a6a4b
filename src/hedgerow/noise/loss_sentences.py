"""What a privacy loss means, in sentences; risks are rounded up."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from hedgerow.base.errors import PlanError
from hedgerow.noise.measures import Approximate, Pure
from hedgerow.noise.semantics import truth

DIGITS = 12
"""Significant digits for programs; what is cut off raises the last one."""
SHORT = 4
"""Significant digits for people; more where it takes more to tell a probability from 1."""
FAR = Fraction(1, 100)
"""A delta is far under 1/n if somebody is published more rarely than this."""

Loss = Pure | Approximate


@dataclass(frozen=True)
class Shift:
    """How far one record moves beliefs, how often it is more, for one person and for any."""

    far: Fraction
    one: Fraction
    any: Fraction | None


def rounded_up(x: Fraction) -> float:
    """A number for programs: as it is written, never below the true one.

    >>> rounded_up(Fraction(1, 3)), rounded_up(Fraction(1, 10)), rounded_up(Fraction(1, 10**999))
    (0.333333333334, 0.1, 5e-324)
    """
    found = float(_rounded(x, DIGITS, up=True))
    if math.isinf(found) or Fraction(repr(found)) >= x:
        return found
    # The smallest doubles have few digits, and under them there is only 0.
    return math.nextafter(found, math.inf)


def rounded_down(x: Fraction) -> float:
    """As `rounded_up`, never above."""
    return float(_rounded(x, DIGITS, up=False))


def told(x: Fraction | float, *, up: bool = True) -> str:
    """A number for people.

    >>> told(Fraction(1, 3)), told(Fraction(1, 3), up=False), told(Fraction(10)), told(0.525)
    ('0.3334', '0.3333', '10', '0.525')
    >>> told(Fraction(999_999, 10**6)), told(Fraction(21_051, 10**10)), told(Fraction(0))
    ('0.999999', '2.106e-6', '0')
    """
    number = x if isinstance(x, Fraction) else Fraction(repr(x))
    digits = SHORT
    short = _rounded(number, digits, up=up)
    while short == 1 and number < 1 and digits < DIGITS:
        digits += 1
        short = _rounded(number, digits, up=up)
    short = short.normalize()
    return f"{short:,f}" if not short or Decimal("1e-4") <= short < 10**6 else f"{short:e}"


def of_question(loss: Loss, twice: Loss | None) -> Iterator[str]:
    """How often the most revealing answer is true."""
    attained = "A yes or no by randomised response is true that often."
    yield (
        "Somebody knows everything but one yes or no about one person, and takes both for equally "
        "likely. Whatever they are told with this loss, they guess right with probability "
        f"{told(truth(loss))} at most; a coin is right with 0.5."
        + (f" {attained}" if isinstance(loss, Pure) else "")
    )
    other = "anything may be told"
    if twice is not None:
        other = f"that is epsilon {told(twice.epsilon)}, and {told(truth(twice))}"
    yield (
        "The yes or no is what neighbouring tables differ in. Under change-one: has this person "
        "this value or that? Under add-remove: is this person in the table? There, one value or "
        f"another may cost twice as much, as it is one person less and one more: {other}."
    )


def of_beliefs(even: Fraction, fails: Fraction) -> Iterator[str]:
    """How far beliefs about one person move."""
    if fails == 1:
        yield (
            "With this delta and this epsilon, nothing can be said about how far a belief moves "
            "after a single answer."
        )
        return
    but = f", but for a probability of {told(fails)}" if fails else ""
    twice = ", e to the power of twice the epsilon" if fails else ", e to the power of epsilon"
    yield (
        f"An answer multiplies or divides the odds of a belief by at most the same number"
        f"{twice}{but}. Who thought it as likely as not then believes it with {told(even)} at most."
    )
    yield (
        "This is for those to whom one person's data tell nothing about other people's. Who knows "
        "that some people's data go together learns more; see the group below."
    )


def of_record(
    loss: Loss, shifts: Sequence[Shift], simple: Fraction | None, n: int | None
) -> Iterator[str]:
    """What taking part changes, for whatever belief."""
    first = shifts[0]
    yield (
        "Compare what an answer makes somebody believe with what it would make them believe had "
        "it been given without one person's record (left out, or a fixed one in its place). "
        "Whatever they believed before, also of people whose data go together, no probability "
        f"differs by more than {told(first.far)}"
        + (" (tanh of half the epsilon)." if isinstance(loss, Pure) else ", with exceptions.")
    )
    if isinstance(loss, Approximate):
        yield from _exceptions(shifts, n)
        weaker = "too large to write down" if simple is None else told(simple)
        empty = simple is None or simple >= 1
        yield (
            "The simpler bound e^(2 epsilon) - 1 + (1 + e^epsilon) sqrt(delta) is "
            f"{weaker}{', which says nothing' if empty else ''}."
        )
    yield (
        "That is not to learn nothing about this person. What the others' data tell about "
        "everybody, such as that smoking harms, is learned with or without the record."
    )


def _exceptions(shifts: Sequence[Shift], n: int | None) -> Iterator[str]:
    for number, s in enumerate(shifts):
        begin = f"A difference of at most {told(s.far)}" if number else "It"
        if s.one == 1:
            yield f"{begin} may fail always: with this delta it says nothing."
            continue
        named = f"{begin} fails for one named person with probability {told(s.one)} at most"
        if n is None or s.any is None:
            yield f"{named}."
        elif s.any == 1:
            why = "" if number else ", as 2 n sqrt(delta) is 1 or more"
            yield f"{named}. Of all {n:,} people at once it says nothing{why}."
        else:
            yield f"{named}, and for any of {n:,} people with {told(s.any)}."
    if n is None:
        yield (
            "For all people at once it fails as many times as often as there are people. Say how "
            "many (n) to see whether it then says anything."
        )


def of_answers(loss: Loss, count: int, n: int | None, missing: PlanError | None) -> Iterator[str]:
    """What several answers amount to."""
    yield (
        "Added up: whatever the answers are, also if each question depends on the answers before. "
        "By zCDP: the same answers, with a delta that is small and not 0. Each of the two holds; "
        "take the better one."
    )
    if missing is None:
        yield (
            "Laplace: if each answer is one number with Laplace noise, which by itself needs no "
            "delta, by an accountant."
        )
    else:
        yield f"{missing.what[0].upper()}{missing.what[1:]}. {missing.fix}"
    if isinstance(loss, Approximate):
        total = loss.delta * count
        if total >= 1:
            yield "The deltas add up to 1 or more: nothing is promised of all of them together."
        elif n is not None and total * n >= 1:
            yield (
                f"The deltas add up to {told(total)}, and that is 1/{n:,} or more: all of them "
                "together may publish somebody."
            )


def of_group(loss: Loss, size: int, together: Loss | None) -> Iterator[str]:
    """What it means for people whose data go together."""
    if together is None:
        yield f"Nothing is promised about {size:,} people together: their deltas reach 1."
        return
    delta = f", delta {told(together.delta)}" if isinstance(together, Approximate) else ""
    yield (
        f"If the data of {size:,} people go together, such as a family that all has a disease or "
        f"not, an answer tells about them what an epsilon of {told(together.epsilon)}{delta} "
        f"allows: a guess is right with probability {told(truth(together))} at most, where it was "
        f"{told(truth(loss))} for one."
    )
    yield (
        "The loss that is promised does not see such links: it is that of one person. Choose the "
        "epsilon by the largest group that is to be protected."
    )


def of_sample(rate: Fraction, lower: Loss) -> Iterator[str]:
    """What a secret sample buys."""
    delta = f", delta {told(lower.delta)}" if isinstance(lower, Approximate) else ""
    yield (
        f"If everybody is drawn with probability {told(rate)} and the answer is about those drawn, "
        f"it has an epsilon of {told(lower.epsilon)}{delta} for everybody: a guess is "
        f"right with probability {told(truth(lower))} at most."
    )
    yield (
        "That holds under add-remove, if each person has an own coin, if who was drawn stays "
        "secret, and if each answer has a fresh sample."
    )


def of_delta(loss: Approximate, n: int | None) -> Iterator[str]:
    """What a delta allows."""
    yield (
        f"To publish everything with probability {told(loss.delta)} keeps this promise, and so "
        "does to publish each record with that probability. A delta is no noise: it is a chance "
        "that there is no protection."
    )
    if n is None:
        yield "It must be far under one in the number of people. Say how many there are (n)."
        return
    expected = loss.delta * n
    far = "" if expected < FAR else ": under 1, as it must be, but not far under it"
    chance = f"with probability {told(expected)}{far}"
    yield f"Among {n:,} people that allows to publish somebody {chance}."


def _rounded(x: Fraction, digits: int, *, up: bool) -> Decimal:
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return context.divide(Decimal(x.numerator), Decimal(x.denominator))
