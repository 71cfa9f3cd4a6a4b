"""Beliefs, priors and numbers in words a data steward understands."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from pathlib import Path

from hedgerow.claims.adversary import Adversary, AtMost, ClassII, ClassIV
from hedgerow.claims.belief_terms import Belief
from hedgerow.claims.epsilon import EpsilonPrivacy
from hedgerow.claims.priors import Shape, Value
from hedgerow.explain.adversary_study import Breaking, Labels
from hedgerow.table.hierarchy import ANY

DIGITS = 12
"""Significant digits of a level; what is cut off raises the last one."""
MOST_NAMED = 3
"""Values of a prior that are named, if there are many."""

Range = tuple[Fraction | None, Fraction | None]
"""The least and the most stubborn of some attackers; None: infinite."""


def rounded_up(epsilon: Fraction | float) -> float:
    """A level for programs: never below the true one, and short.

    >>> rounded_up(Fraction(20001, 5000)), rounded_up(Fraction(4, 3))
    (4.0002, 1.33333333334)
    """
    exact = Fraction(epsilon)
    context = Context(prec=DIGITS, rounding=ROUND_CEILING)
    return float(context.divide(Decimal(exact.numerator), Decimal(exact.denominator)))


def times(epsilon: Fraction | float, *, fixed: bool = False) -> str:
    """A level for people: rounded up, in at most eight characters.

    >>> times(4.00008), times(6), times(Fraction(123_456, 10)), times(2.31e7), times(math.inf)
    ('4.0001', '6', '12,346', '2.4e+7', 'infinite')
    >>> times(6, fixed=True)
    '6.0000'
    """
    if epsilon == math.inf:
        return "infinite"
    exact = Fraction(epsilon if isinstance(epsilon, Fraction) else repr(epsilon))
    if exact >= 10**6:
        context = Context(prec=2, rounding=ROUND_CEILING)
        return f"{context.divide(Decimal(exact.numerator), Decimal(exact.denominator)):.1e}"
    places = max(0, 5 - len(str(int(exact))))
    whole, part = divmod(math.ceil(exact * 10**places), 10**places)
    text = f"{whole:,}.{part:0{places}}" if places else f"{whole:,}"
    return text if fixed or not places else text.rstrip("0").rstrip(".")


def percents(*shares: Fraction) -> list[str]:
    """Shares, with as many digits as it takes to tell them from 0, from 1 and from each other.

    >>> percents(Fraction(9, 10), Fraction(1, 3)), percents(Fraction(99_999, 100_000))
    (['90.0%', '33.3%'], ['99.999%'])
    >>> percents(Fraction(1), Fraction(2, 5), Fraction(399_999, 1_000_000))
    ['100%', '40.0000%', '39.9999%']
    """
    told: list[str] = []
    for digits in range(1, 12):
        told = [f"{int(p):.0%}" if p in (0, 1) else f"{float(p):.{digits}%}" for p in shares]
        apart = {f"{end:.{digits}%}" for end in (0, 1)}.isdisjoint(told)
        if apart and len(set(told)) == len(set(shares)):
            break
    return told


def stubborn(sigma: Fraction | float) -> str:
    """A stubbornness.

    >>> stubborn(Fraction(30_000)), stubborn(2.5), stubborn(math.inf)
    ('30,000', '2.5', 'infinite')
    """
    if sigma == math.inf:
        return "infinite"
    return f"{int(sigma):,}" if sigma == int(sigma) else f"{float(sigma):,.6g}"


def published(labels: Labels) -> str:
    """What a group is published as, without the columns that say nothing.

    >>> published({"age": "40-59", "sex": "F", "zip": "*"}), published({"zip": "*"})
    ('published as (age 40-59, sex F)', 'who are published')
    """
    told = [f"{n} {'missing' if v is None else v}" for n, v in labels.items() if v != ANY]
    return f"published as ({', '.join(told)})" if told else "who are published"


def has(model: EpsilonPrivacy, predicate: str, *, who: str, one: bool = False) -> str:
    """That a predicate is true of somebody.

    >>> from hedgerow.claims.adversary import ClassIV
    >>> model = EpsilonPrivacy(epsilon=2, of="disease", adversary=ClassIV())
    >>> has(model, "flu", who="18,000")
    '18,000 have flu as their disease'
    """
    if model.predicates.negative and predicate.startswith("not "):
        return f"{who} {'does' if one else 'do'} not have {predicate[4:]} as their {model.of}"
    return f"{who} {'has' if one else 'have'} {predicate} as their {model.of}"


def nobody_has(model: EpsilonPrivacy, predicate: str) -> str:
    """That a predicate is true of nobody."""
    if model.predicates.negative and predicate.startswith("not "):
        return f"everybody has {predicate[4:]} as their {model.of}"
    return has(model, predicate, who="nobody", one=True)


def sentence(model: EpsilonPrivacy, belief: Belief, labels: Labels) -> str:
    """What an attacker believes of the people of one group, with and without the record."""
    n, p_in, p_out = belief.people, belief.p_in, belief.p_out
    whom, holders = published(labels), f"{belief.holders:,}"
    if belief.holders == n:
        holders = "both" if n == 2 else "all"
    told = f"Of the {n:,} people {whom}, "
    told += f"{has(model, belief.predicate, who=holders, one=belief.holders == 1)}. "
    if n == 1:
        told = f"{has(model, belief.predicate, who=f'The one person {whom}', one=True)}. "
    if p_in == 1:
        return told + _sure(model, belief)
    believed, without = percents(p_in, p_out)
    told += (
        f"Whoever knows that somebody is among them{_holding(model)} believes it of them with "
        f"{believed}. Had that record been left out, they would believe it with {without}"
    )
    if belief.stubbornness is None:
        told += ", as they do of anybody: nothing changes their mind. "
    elif abs(belief.expected - p_out) <= p_out / 100:
        told += ", about what they had expected. "
    else:
        others = "the other one" if n == 2 else f"the {n - 1:,} others"
        (expected,) = percents(belief.expected)
        told += f": they had expected {expected}, and {others} moved them. "
    return told + _compared(belief)


def _holding(model: EpsilonPrivacy) -> str:
    """What else the attacker knows."""
    if model.adversary.listed is not None:
        return ", and holds the records on the list,"
    known = model.adversary.known
    others = "one other" if known == 1 else f"{known:,} others"
    return f", and holds the records of {others} of whom it is not true," if known else ""


def _sure(model: EpsilonPrivacy, belief: Belief) -> str:
    if belief.people == 1:
        return "Whoever finds them is sure of it: no epsilon covers that."
    if belief.holders == belief.people:
        return "Whoever knows that somebody is among them is sure of it: no epsilon covers that."
    known = model.adversary.listed or f"{model.adversary.known:,} of them"
    return (
        f"Whoever holds the records of {known} can take these away and be sure of it for those who "
        "remain: no epsilon covers that."
    )


def _compared(belief: Belief) -> str:
    """The two ratios, and which of them decides."""
    assert belief.epsilon is not None, "nobody is sure"
    if belief.epsilon == 1:
        return "So the record makes them no surer: epsilon 1."
    surer = belief.p_in / belief.p_out
    told = f"So the record makes them {times(surer)} times as sure that it is true"
    if belief.epsilon == surer:
        return f"{told}: epsilon {times(surer)}."
    after, before = percents(1 - belief.p_in, 1 - belief.p_out)
    return (
        f"{told}; but it also leaves them only {after} of doubt instead of {before}, "
        f"{times(belief.epsilon)} times less, and that decides: epsilon {times(belief.epsilon)}."
    )


def prior_in_words(
    adversary: Adversary,
    shape: Shape,
    values: tuple[Value, ...],
    file: Path | None,
    own: Range | None,
) -> Iterator[str]:
    """Where a prior comes from, what it expects, and how stubbornly it is held.

    Args:
        adversary: The plan's.
        shape: Their prior; a uniform one where they have none of their own.
        values: Of the table.
        file: What the prior was read from, where that was a file.
        own: The least and the most stubborn of them; None: everybody.
    """
    known, prior = len(shape.shares) + len(shape.elsewhere), adversary.believed
    if prior is None:
        if isinstance(adversary, ClassIV):
            yield (
                "Class IV is every attacker there can be. No generalisation is private against "
                "all of them: some were sure of the opposite, and nothing changes their mind."
            )
        else:
            yield "Class II attackers may hold any prior that some data set leads to."
        yield f"Where a certain prior is needed below, all {known:,} values are equally likely."
    elif prior.kind == "counts":
        people = int(sum(weight for _, weight in prior.weights))
        source = "counts in the plan" if file is None else file.name
        yield (
            f"The prior comes from {source} ({people:,} people, {known:,} values). It expects "
            f"{expectations(shape, values)}."
        )
        yield (
            "Whoever has seen these data and nothing else has a stubbornness of "
            f"{people + known:,}, people plus values."
        )
    elif prior.kind == "shape":
        yield f"The prior is a shape given in the plan: {expectations(shape, values)}."
    elif prior.kind == "uniform":
        yield f"The prior: all {known:,} values equally likely, as to somebody without any data."
    else:
        yield f"The prior is the table's own distribution: {expectations(shape, values)}."
    if own is not None:
        yield from _stubbornness_in_words(adversary, shape, known, *own)


def _stubbornness_in_words(
    adversary: Adversary, shape: Shape, known: int, least: Fraction | None, most: Fraction | None
) -> Iterator[str]:
    if least is None:
        yield "The plan's attackers are infinitely stubborn: nothing they see changes their mind."
        return
    from_data = adversary.believed is not None and adversary.believed.kind == "counts"
    if from_data and least == most == shape.stubbornness:
        yield "So have the plan's attackers."
        return
    upper = stubborn(math.inf if most is None else most)
    worth = ""
    if most is not None and most >= known:
        people = f"about {stubborn(most - known)} people" if most > known else "about nobody"
        worth = f", which takes data {people}"
    if isinstance(adversary, ClassII):
        yield f"Their stubbornness is at most {upper}{worth}."
    elif isinstance(adversary, AtMost):
        ends = f"{stubborn(least)} {'upwards' if most is None else f'to {upper}'}"
        yield f"The plan's attackers have any stubbornness from {ends}{worth}."
    else:
        yield f"The plan's attackers have a stubbornness of {upper}{worth}."
    if from_data and most is not None and most < (shape.stubbornness or 0):
        yield "So whoever has seen all these data is more stubborn than the plan's attackers."


def expectations(shape: Shape, values: tuple[Value, ...]) -> str:
    """The values an attacker expects most.

    >>> expectations(Shape((Fraction(2, 5), Fraction(3, 5)), (), None), ("flu", "cancer"))
    'cancer 60.0%, flu 40.0%'
    """
    shares = [*zip(values, shape.shares, strict=True), *shape.elsewhere]
    shares.sort(key=lambda entry: (-entry[1], entry[0] is not None, entry[0] or ""))
    named = len(shares) if len(shares) <= MOST_NAMED + 1 else MOST_NAMED
    told = ", ".join(f"{'missing' if v is None else v} {percents(p)[0]}" for v, p in shares[:named])
    rest = sum((share for _, share in shares[named:]), Fraction(0))
    more = f", {percents(rest)[0]} for {len(shares) - named:,} others together"
    return told + more if rest else told


def breaks_like(
    model: EpsilonPrivacy,
    found: Breaking,
    *,
    keeps: bool,
    below: tuple[str, Labels] | None,
    from_data: bool,
) -> Iterator[str]:
    """Which data sets like the prior's, or which attackers with its shares, break the claim.

    Args:
        model: The claim.
        found: The data sets.
        keeps: Whether the claim holds against the plan's attackers.
        below: What is learned by those who are less stubborn, and of whom; None: nothing.
        from_data: Whether the prior is one that data lead to; else only stubbornness is known.
    """
    prior = model.adversary.believed
    equal = prior is None or prior.kind == "uniform"
    like = "with equal shares of all values" if equal else "with the prior's shares"
    first = "" if found.labels is None else _place(found.predicate or "", found.labels)
    if not keeps and prior is not None:
        yield "The claim does not hold against the plan's attackers."
    if found.holds_from is None:
        if keeps:  # with equality, and only in the limit
            yield "The claim holds against attackers whom nothing moves, and only these."
        yield (
            f"Attackers {like} break it, however much or little data they have, because of {first}."
        )
        return
    low, high = stubborn(found.holds_from), stubborn(found.holds_to or 0)
    if not keeps and prior is not None:
        yield f"It would hold against those of a stubbornness from {low} to {high}."
    if below is not None:
        yield from _too_little(found, *below, like=like, from_data=from_data, low=low)
    upper = "" if below is None else " of at least that size" if from_data else " beyond that"
    if found.people == math.inf:
        yield (
            f"No data set {like}{upper} breaks the claim, however large." if from_data
            else f"No attacker {like}{upper} breaks the claim, however stubborn."
        )  # fmt: skip
    elif found.people is None:
        yield (
            f"Any data set {like} breaks the claim, however small: first because of {first}."
            if from_data
            else f"Whoever has seen any data and holds shares {like[5:]} breaks the claim: first "
            f"because of {first}."
        )
    elif from_data:
        yield (
            f"A data set of more than {found.people:,} people {like} breaks the claim, first "
            f"because of {first}."
        )
    else:
        yield (
            f"Attackers {like} and a stubbornness of more than {high} break the claim, first "
            f"because of {first}. It takes data about some {found.people:,} people to be so sure."
        )


def _too_little(
    found: Breaking, predicate: str, labels: Labels, *, like: str, from_data: bool, low: str
) -> Iterator[str]:
    """Who breaks a claim because they know little."""
    why = f"because of {_place(predicate, labels)}: who knows little is moved by a single record."
    if from_data:
        yield f"A data set {like} of fewer than {found.fewest:,} people breaks the claim, {why}"
    else:
        yield f"Attackers {like} and a stubbornness below {low} break the claim, {why}"


def breaks_any(model: EpsilonPrivacy, found: Breaking) -> Iterator[str]:
    """Which data sets of any shape break the claim."""
    if found.people == math.inf:
        yield "No data set that can exist breaks the claim, whatever its shares."
        return
    assert found.predicate is not None, "something breaks it"
    assert found.labels is not None, "somewhere"
    first = _place(found.predicate, found.labels)
    # Against a set those decide who know of one of its values only: they expect it least.
    sets = not model.predicates.usual
    if found.people is None:
        whom = "who has heard of one such value only" if sets else "to whom all are equally likely"
        yield f"Even somebody without any data, {whom}, breaks the claim, because of {first}."
        return
    most = f"more than {found.people:,} people" if found.people else "a single person"
    reader = ", read by somebody who has heard of one such value only" if sets else ""
    yield (
        f"Whatever its shares, a data set of {most} can break the claim, for instance one in "
        f"which {nobody_has(model, found.predicate)}{reader}: first because of {first}."
    )
    if found.people:
        yield (
            f"No data set of at most {found.people:,} people does, as long as it has only values "
            "that the table has too."
        )


def _place(predicate: str, labels: Labels) -> str:
    return f"{predicate} among those {published(labels)}"
