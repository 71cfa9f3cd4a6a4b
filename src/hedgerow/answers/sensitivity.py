"""How far apart the numbers of neighbouring tables are: what one person changes, or one edge.

A policy's neighbours are change-one neighbours too, so what a person changes bounds what an edge
changes; where a policy says less, noise is for that. Where everybody knows counts of the table,
neighbours differ in several rows: one moves along an edge and the others anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.base.errors import PlanError
from hedgerow.engines.tally import Summed, Tally
from hedgerow.noise import calibration
from hedgerow.noise.blowfish.filter_outcomes import by_column, settled
from hedgerow.noise.blowfish.plan_policy import Stated
from hedgerow.noise.calibration import Additive, AnswerPart
from hedgerow.noise.measures import Approximate, Loss, Pure
from hedgerow.noise.rounding import Number

if TYPE_CHECKING:
    from hedgerow.answers.design import NoiseDescription

PERSON = "one person"
EDGE = "one edge of the policy"
FACTOR = ", by a factor of "
"""Between what a policy protects and how strongly, in its sentences."""


@dataclass(frozen=True)
class Untouched:
    """No noise, where no two neighbours differ in the numbers.

    That is so where no edge of a policy changes them, where they follow from counts that it
    declares known, and of the number of rows under change-one.

    Guarantee: a loss of 0 for these neighbours. **Tables that are not neighbours are told apart
    for certain.**
    """

    scale = Fraction(0)

    def release(self, value: Any) -> Any:
        return value

    def accuracy(self, *, confidence: Number) -> int:
        return 0


Noise = Additive | Untouched
NOTHING = AnswerPart(0, 0)
"""What neighbours change in counts that are the same for all of them."""


def count_under(stated: Stated | None, tally: Tally, plain: AnswerPart) -> AnswerPart:
    """What neighbours' counts differ by.

    Args:
        stated: The policy, if there is one.
        tally: What is counted.
        plain: What one changed row changes.
    """
    if stated is None:
        return plain
    if stated.implies(tally):
        return NOTHING
    return known(stated, edge_of(stated, tally, plain), plain)


def edge_of(stated: Stated, tally: Tally, plain: AnswerPart) -> AnswerPart:
    """What one edge changes in the counts of a tally, and never more than a changed row does."""
    between, leaving = stated.moves(tally)
    changed = 2 if between else int(leaving)
    return _least(AnswerPart(changed, changed), plain)


def tables_under(
    stated: Stated | None, tallies: Sequence[Tally], plains: Sequence[AnswerPart]
) -> AnswerPart:
    """What neighbours' counts of several tables differ by, all of them together.

    Where a neighbour differs in few parts of the policy at once, only tables about these change:
    no more than the tables of each part together, for the parts that have most.
    """
    plain = AnswerPart(sum(p.l1 for p in plains), sum(p.l2_squared for p in plains))
    if stated is None:
        return plain
    assert not any(stated.implies(tally) for tally in tallies), "those are told without noise"
    each = [edge_of(stated, tally, part) for tally, part in zip(tallies, plains, strict=True)]
    edge = AnswerPart(sum(p.l1 for p in each), sum(p.l2_squared for p in each))
    if stated.at_once is None:
        return known(stated, edge, plain)
    touched: dict[object, list[AnswerPart]] = {}
    for tally, part in zip(tallies, each, strict=True):
        for which in {stated.part_of(column) for column in tally.columns}:
            touched.setdefault(which, []).append(part)
    at_once = stated.at_once
    ones = sorted((sum(p.l1 for p in parts) for parts in touched.values()), reverse=True)
    twos = sorted((sum(p.l2_squared for p in parts) for parts in touched.values()), reverse=True)
    fewer = AnswerPart(sum(ones[:at_once]), sum(twos[:at_once]))
    return known(stated, _least(fewer, edge), plain)


def sum_under(
    stated: Stated | None, tally: Tally, plain: AnswerPart, summed: Summed, span: tuple[int, int]
) -> AnswerPart:
    """What neighbours' sums differ by, in units.

    A row that stays in its cell changes the sum by the spread of its number along an edge. One
    that leaves takes its number with it, and one that changes its cell does so twice.

    Args:
        stated: The policy, if there is one.
        tally: What is summed.
        plain: What one changed row changes.
        summed: The number of each row.
        span: The least and the most a row adds, of a square less than the square.
    """
    if stated is None:
        return plain
    between, leaving = stated.moves(tally)
    moved = 2 if between else int(leaving)
    farthest = max(abs(end) for end in span)
    along = stated.spread(summed)
    if summed.power == 2:
        # |x^2 - y^2| is most at the end farthest from the middle.
        reach = max(abs(summed.low - summed.centre), abs(summed.high - summed.centre))
        along = reach**2 - max(reach - along, 0) ** 2
    edge = AnswerPart(max(along, moved * farthest), max(along**2, moved * farthest**2))
    return known(stated, _least(edge, plain), plain)


def known(stated: Stated, edge: AnswerPart, plain: AnswerPart) -> AnswerPart:
    """What several rows change, where what is known ties them together."""
    n = stated.changed
    if n == 1:
        return edge
    # Norms add up: (a + (n - 1) b)^2 is at most n (a^2 + (n - 1) b^2).
    squared = n * (edge.l2_squared + (n - 1) * plain.l2_squared)
    return replace(
        plain,
        l1=edge.l1 + (n - 1) * plain.l1,
        l2_squared=min(squared, n * n * plain.l2_squared),
    )


def require_alone(stated: Stated | None, what: str) -> None:
    """Refuse what is not computed where neighbours differ in several rows.

    Raises:
        PlanError: What is known ties rows together.
    """
    if stated is not None and stated.changed > 1:
        raise PlanError(
            f"with what is known, neighbours differ in up to {stated.changed} rows, and for {what} "
            "nobody has worked out what that costs",
            fix="Ask for counts, sums or ranges.",
        )


def noise_for(price: Loss, parts: Sequence[AnswerPart]) -> tuple[tuple[Noise, ...], Loss]:
    """A mechanism for each part, and what they cost together.

    Parts that no neighbour changes get no noise, and their share goes to the others.
    """
    noisy = [part for part in parts if part.l1]
    if not noisy:
        return tuple(Untouched() for _ in parts), Pure(epsilon=0)
    together = sum((part.share for part in noisy), Fraction(0))
    shared = [replace(part, share=part.share / together) for part in noisy]
    made, spent = calibration.noise_for(price, shared)
    left = iter(made)
    return tuple(next(left) if part.l1 else Untouched() for part in parts), spent


def mover(stated: Stated | None) -> str:
    """Who or what changes numbers, in words."""
    if stated is None:
        return PERSON
    besides = stated.changed - 1
    return f"{EDGE}, and {besides:,} row{'s' * (besides > 1)} besides," if besides else EDGE


def claimed(loss: Loss, stated: Stated | None) -> str:
    """A loss as a claim: of differential privacy, or under a policy and nothing more.

    >>> claimed(Pure(epsilon=1), None)
    '1-differential privacy'
    """
    if stated is None:
        exact = "" if loss.amounts().texts() else f": the number is exact, as {_same(None)}"
        return f"{loss}{exact}"
    texts = loss.amounts().texts()
    cost = ", ".join(f"{name} {text}" for name, text in texts.items()) or "nothing"
    start = f"{cost} under the policy {stated.name}, which is no differential privacy"
    if not texts:
        return f"{start}: the numbers are exact, as {_same(stated)}"
    if stated.changed > 1:
        return (
            f"{start}: for tables that differ along one edge and agree with what is known; "
            "nothing is promised beyond"
        )
    if isinstance(loss, Pure):
        factor = texts["epsilon"]
        return (
            f"{start}: a factor of e^{factor} for values one edge apart, e^({factor} d) for d "
            "edges, and nothing where no path joins them"
        )
    farther = "epsilon and delta grow" if isinstance(loss, Approximate) else "d^2 times as much"
    return f"{start}: for values one edge apart; {farther} for d edges, nothing without a path"


def _same(stated: Stated | None) -> str:
    """Why neighbours do not differ in numbers without noise."""
    if stated is None:
        return "with change-one neighbours the number of rows is public"
    if stated.changed > 1:
        return "they follow from what the policy declares known"
    return "no two values it joins change them"


def exact_notes(noise: Iterable[NoiseDescription], stated: Stated | None) -> tuple[str, ...]:
    """What must be said first of an answer without noise."""
    exact = [told.of for told in noise if not told.scale]
    if not exact:
        return ()
    told = f"EXACT, without any noise: {' and '.join(exact)}."
    if stated is None:
        return (
            f"{told} With change-one neighbours, and each row a person, the number of rows is "
            "public. From now on nothing about this population hides who is in the table: answers "
            "under add-remove are refused.",
        )
    if stated.changed > 1:
        return (
            f"{told} The policy declares known what decides them, so it lets everybody know them. "
            "That everybody does is the steward's statement; it is not checked.",
        )
    return (
        f"{told} No two values that the policy joins change them, so it lets everybody know them; "
        "whoever thinks they should be protected must change the policy before this is published.",
    )


def protected_notes(loss: Loss, stated: Stated | None) -> tuple[str, ...]:
    """What must not be told apart by an answer, and how well that is kept: a reader has no plan.

    Factors are for pure losses. Others have none: their loss is named, and how it grows with it.
    """
    if stated is None:
        return ()
    if isinstance(loss, Pure) and loss.epsilon:
        return (*stated.protected(loss), "The factors of several answers multiply.")
    cut = [line.partition(FACTOR) for line in stated.protected()]
    if not loss.amounts().texts():
        same = ": this answer is the same for either."
        if stated.changed > 1:
            same = ": this answer tells nothing of it that was not known."
        return tuple(f"{what}{same}" for what, factor, _ in cut if factor)
    return tuple(
        f"{what}, at the loss this answer names."
        if factor
        else what.replace("factors", "losses").replace("factor", "loss")
        for what, factor, _ in cut
    )


def plain_notes(stated: Stated | None, tallies: Iterable[Tally]) -> tuple[str, ...]:
    """Why an answer has the noise of change-one differential privacy, where it has."""
    if stated is None:
        return ()
    open_ = dict.fromkeys(words for tally in tallies for words in _undecided(stated, tally))
    if not open_:
        return ()
    return (
        f"The plan's public values do not decide {'; nor '.join(open_)}: there the noise is that "
        "of change-one differential privacy.",
    )


def _undecided(stated: Stated, tally: Tally) -> Iterator[str]:
    """What of a tally the public codes do not decide: anything may change it."""
    for column in [cells.column for cells in tally.by] + [s.column for s in tally.sums]:
        if column not in stated.known and stated.domain(column) is None:
            yield f"{column}, of which no values are public"
    for cells in tally.by:
        told = cells.column in stated.known or stated.domain(cells.column) is None
        if not told and stated.cells_of(cells) is None:
            yield f"in which of these cells somebody's {cells.column} is"
    for part in () if tally.where is None else by_column(tally.where):
        (column,) = part.columns
        domain = stated.domain(column)
        if column in stated.known:
            continue
        if domain is None or np.logical_and(*settled(part, domain)).any():
            yield f"whether {part}"


def _least(edge: AnswerPart, plain: AnswerPart) -> AnswerPart:
    return replace(
        plain, l1=min(edge.l1, plain.l1), l2_squared=min(edge.l2_squared, plain.l2_squared)
    )
