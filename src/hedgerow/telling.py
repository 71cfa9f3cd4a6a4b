"""Beliefs, groups and numbers in words a data steward understands."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from hedgerow.errors import some
from hedgerow.hierarchy import ANY
from hedgerow.models.epsilon import Belief, EpsilonPrivacy
from hedgerow.priors import Shape, Value

DIGITS = 12
"""Significant digits of a level; what is cut off raises the last one."""
MOST_NAMED = 3
"""Values of a prior that are named."""


def rounded_up(epsilon: Fraction | float) -> float:
    """A level for programs: never below the true one, and short.

    >>> rounded_up(Fraction(20001, 5000)), rounded_up(Fraction(1, 3))
    (4.0002, 0.333333333334)
    """
    if epsilon == math.inf:
        return math.inf
    exact = Fraction(epsilon)
    context = Context(prec=DIGITS, rounding=ROUND_CEILING)
    return float(context.divide(Decimal(exact.numerator), Decimal(exact.denominator)))


def times(epsilon: Fraction | float | None) -> str:
    """A level for people: rounded up, in at most eight characters.

    >>> times(4.00008), times(6), times(Fraction(123_456, 10)), times(2.3e7), times(None)
    ('4.0001', '6', '12,346', '2.3e+07', 'infinite')
    """
    if epsilon is None or epsilon == math.inf:
        return "infinite"
    exact = Fraction(epsilon if isinstance(epsilon, Fraction) else repr(epsilon))
    if exact >= 10**6:
        context = Context(prec=3, rounding=ROUND_CEILING)
        return f"{context.divide(Decimal(exact.numerator), Decimal(exact.denominator)):.3g}"
    places = max(0, 5 - len(str(int(exact))))
    scaled = math.ceil(exact * 10**places)
    text = f"{scaled // 10**places:,}"
    part = f"{scaled % 10**places:0{places}}".rstrip("0") if places else ""
    return f"{text}.{part}" if part else text


def percent(share: Fraction, *others: Fraction) -> str:
    """A share, with as many digits as it takes to tell it from the others and from 0 and 1.

    >>> percent(Fraction(9, 10)), percent(Fraction(1, 3)), percent(Fraction(99_999, 100_000))
    ('90.0%', '33.3%', '99.999%')
    >>> percent(Fraction(1)), percent(Fraction(2, 5), Fraction(399_999, 1_000_000))
    ('100%', '40.0000%')
    """
    if share in (0, 1):
        return f"{int(share):.0%}"
    text = ""
    for digits in range(1, 9):
        text = f"{float(share):.{digits}%}"
        apart = {f"{float(other):.{digits}%}" for other in (*others, Fraction(0), Fraction(1))}
        if text not in apart or (digits > 4 and share in others):
            break
    return text


def published_as(labels: Mapping[str, str | None]) -> str:
    """What a group is published as, without the columns that say nothing.

    >>> published_as({"age": "40-59", "sex": "F", "zip": "*"}), published_as({"zip": "*"})
    ('(age 40-59, sex F)', 'all alike')
    """
    told = [
        f"{name} {'missing' if label is None else label}"
        for name, label in labels.items()
        if label != ANY
    ]
    return f"({', '.join(told)})" if told else "all alike"


def has(model: EpsilonPrivacy, predicate: str, *, plural: bool = True) -> str:
    """That people make a predicate true.

    >>> from hedgerow.adversary import ClassIV
    >>> has(EpsilonPrivacy(epsilon=2, of="disease", adversary=ClassIV()), "flu")
    'have flu as their disease'
    """
    if model.predicates.negative and predicate.startswith("not "):
        return f"{'do' if plural else 'does'} not have {predicate[4:]} as their {model.of}"
    return f"{'have' if plural else 'has'} {predicate} as their {model.of}"


def sentence(model: EpsilonPrivacy, belief: Belief, labels: Mapping[str, str | None]) -> str:
    """What an attacker believes of the people of one group, with and without the record."""
    n = belief.people
    told = [f"{_group(n, labels)}, {_number(belief.holders, n)} {has(model, belief.predicate)}."]
    if belief.p_in == 1:
        return " ".join([*told, _sure(model, belief)])
    p_in, p_out = belief.p_in, belief.p_out
    shares = (p_in, p_out, belief.expected)
    told.append(
        f"Whoever knows that somebody is among them{_holding(model)} believes this of them with "
        f"{percent(p_in, *shares[1:])}."
    )
    if belief.stubbornness is None:
        why = "as they expected, since nothing changes their mind"
    else:
        others = "the one other has" if n == 2 else f"the {n - 1:,} others have"
        why = f"they had expected {percent(belief.expected, p_in, p_out)}, and {others} "
        why += "changed their mind" if n > 1 else "nobody to change their mind"
        if n == 1:
            why = f"they had expected {percent(belief.expected, p_in, p_out)}"
    told.append(
        f"Had the record been left out, they would believe it with {percent(p_out, p_in)}: {why}."
    )
    told.append(_compared(model, belief))
    return " ".join(told)


def _group(n: int, labels: Mapping[str, str | None]) -> str:
    people = "the one person" if n == 1 else f"the {n:,} people"
    return f"Of {people} published {'as ' if ANY else ''}{published_as(labels)}"


def _number(holders: int, n: int) -> str:
    return "all" if holders == n and n > 1 else f"{holders:,}"


def _holding(model: EpsilonPrivacy) -> str:
    """What else the attacker knows."""
    if model.adversary.listed is not None:
        return ", and holds the records of those on the list,"
    known = model.adversary.known
    if not known:
        return ""
    return f", and holds the records of {known:,} others of whom this is not true,"


def _sure(model: EpsilonPrivacy, belief: Belief) -> str:
    if belief.holders == belief.people:
        return "Whoever knows that somebody is among them is sure of it; no epsilon covers that."
    held = "those on the list" if model.adversary.listed else f"{model.adversary.known:,} others"
    return (
        f"Whoever holds the records of {held} can take these away, and may be sure of it for "
        "those who remain; no epsilon covers that."
    )


def _compared(model: EpsilonPrivacy, belief: Belief) -> str:
    """The two ratios, and which of them decides."""
    assert belief.epsilon is not None, "nobody is sure"
    surer = belief.p_in / belief.p_out
    if belief.epsilon == 1:
        return "The record makes them no surer: epsilon 1."
    if belief.epsilon == surer:
        return f"The record makes them {times(surer)} times as sure: epsilon {times(surer)}."
    doubt, before = 1 - belief.p_in, 1 - belief.p_out
    return (
        f"The record leaves them {percent(doubt, before)} of doubt instead of "
        f"{percent(before, doubt)}, {times(belief.epsilon)} times less: epsilon "
        f"{times(belief.epsilon)}."
    )


def expectations(shape: Shape, values: tuple[Value, ...]) -> str:
    """The values an attacker expects most.

    >>> expectations(Shape((Fraction(2, 5), Fraction(3, 5)), (), None), ("flu", "cancer"))
    'cancer 60.0%, flu 40.0%'
    """
    shares = [*zip(values, shape.shares, strict=True), *shape.elsewhere]
    shares.sort(key=lambda entry: (-entry[1], entry[0] is not None, entry[0] or ""))
    told = [f"{'missing' if v is None else v} {percent(p)}" for v, p in shares[:MOST_NAMED]]
    more = len(shares) - len(told)
    if more == 1:
        value, share = shares[-1]
        return ", ".join([*told, f"{'missing' if value is None else value} {percent(share)}"])
    if more:
        rest = sum((share for _, share in shares[MOST_NAMED:]), Fraction(0))
        return f"{', '.join(told)} and {percent(rest)} for {more:,} others together"
    return ", ".join(told)
