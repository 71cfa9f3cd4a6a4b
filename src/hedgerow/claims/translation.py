"""What other privacy definitions ask, as ε-privacy against some adversary.

ε-privacy bounds what being in the table adds to an adversary's belief in a sensitive value:
p_in / p_out <= ε and (1 - p_out) / (1 - p_in) <= ε. Older definitions are points of it, all
with an adversary who does not learn from the table (class III, infinitely stubborn). Such an
adversary believes p(s) before and after, and a group in which the share f of the people has
value s is ε-private where f / p <= ε and (1 - p) / (1 - f) <= ε, for every value in the group.

Each function translates parameters under a condition it states, exactly, and refuses where the
condition is not met. One person has one sensitive value throughout, and the adversary knows no
one's record but where it says so.

Reference: Machanavajjhala, Gehrke, Götz 2009 (VLDB), section 5, with the corrections given at
each function.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from numbers import Integral
from typing import Literal

import numpy as np

from hedgerow.base import ranges
from hedgerow.base.decimals import parse
from hedgerow.base.errors import PlanError
from hedgerow.base.ranges import Range
from hedgerow.claims.base import LARGEST, exact, histogram_of, require_number
from hedgerow.table.groups import Groups, Ints, Sensitive

Number = int | float | str | Fraction
"""As a person writes it: 0.2, "0.2" and "1/5" are all one fifth."""

Shape = Mapping[str, Number] | Mapping[str | None, Number] | Sequence[Number] | Ints
"""How sensitive values are distributed: shares that add up to 1, or counts."""

_DIGITS = 60
"""Far more than the 17 of a float, so that rounding up is decided by the number itself."""


def epsilon_of_diversity(*, c: Number, values: int) -> Fraction:
    """The ε at which ε-privacy is (c, 2)-diversity, for an adversary with a uniform prior.

    Guarantee: A group has its most frequent value at most c times as often as all others
        together if and only if it is ε-private against a class III adversary who thinks each
        of k values equally likely, with ε = max(k c / (c + 1), (c + 1)(k - 1) / k).
    Assumes: k >= 2 counts the values the *adversary* thinks possible, which must include all
        of the table's. Single values are sensitive, not sets of them. c >= 1 / (k - 1), since
        among k values the most frequent one has at least 1/k of a group: below, no group
        passes either definition.
    Reference: Machanavajjhala et al. 2009, Equation 6, which prints min where max is right:
        ε allows shares up to min(ε / k, 1 - (k - 1) / (k ε)). Each bound grows with ε, so
        both have reached c / (c + 1) at the larger of the two solutions.

    This is the non-strict form, r_1 <= c (r_2 + ... + r_m). `RecursiveLDiversity` is strict
    (r_1 < ..., ICDE 2006): at c it implies this ε, and this ε implies it at every larger c;
    the two differ for groups in which r_1 is exactly c times the rest.

    >>> epsilon_of_diversity(c=4, values=2), epsilon_of_diversity(c=2, values=3)
    (Fraction(5, 2), Fraction(2, 1))
    """
    k = _whole("the number of values", values, least=2)
    c = _number("c", c, ranges.POSITIVE)
    if c * (k - 1) < 1:
        raise PlanError(
            f"no group can be ({c}, 2)-diverse over {k} values",
            fix=f"Give c at least {Fraction(1, k - 1)}, which all values equally often reach.",
        )
    return max(k * c / (c + 1), (c + 1) * Fraction(k - 1, k))


def diversity_of_epsilon(*, epsilon: Number, values: int) -> Fraction:
    """The c at which (c, 2)-diversity is ε-privacy; the inverse of `epsilon_of_diversity`.

    Every ε of at least 1 has one: c = x / (1 - x), x = min(ε / k, 1 - (k - 1) / (k ε)) being
    the largest share a value may have. At ε = 1 only groups with all k values equally often
    pass. Below 1 nothing does: some value is as frequent as the adversary thought, or more.

    >>> diversity_of_epsilon(epsilon=2.5, values=2), diversity_of_epsilon(epsilon=1, values=3)
    (Fraction(4, 1), Fraction(1, 2))
    """
    k = _whole("the number of values", values, least=2)
    e = _number("epsilon", epsilon, ranges.FROM_ONE)
    share = min(e / k, 1 - (k - 1) / (k * e))
    return share / (1 - share)


def epsilon_of_closeness(*, t: Number, shape: Shape, steps: int = 1) -> Fraction:
    """An ε for which t-closeness implies ε-privacy, for an adversary who knows the table's shape.

    Guarantee: Where every group is t-close by the equal distance, every group is ε-private
        against a class III adversary whose shape p is the table's, with ε the largest of
        (p + t) / p and (1 - p) / (1 - p - t) over the values: t-closeness lets a share grow
        from p to p + t, and every such group exists, so no smaller ε will do.
    Assumes: t < 1 - max p. Then no group in which all share a value is t-close (it is 1 - p
        away) and ε is finite; otherwise one may be, and no ε is enough. `shape` is what the
        distances were measured from: the whole table, suppressed people included, and no
        value that nobody has. Single values are sensitive; for sets see `epsilon_of_lemma_1`.
    Reference: Machanavajjhala et al. 2009, Lemma 1, which gives a larger or equal ε.

    One way only: an ε-private table need not be t-close, since t-closeness bounds how much of
    the distribution moves and ε-privacy by what factor each share grows. (Two values, equally
    frequent, are the exception.)

    Args:
        t: The distance, 0 to 1.
        shape: Shares that add up to 1, or counts.
        steps: For other ground distances: 1 over the least distance between two values, which
            is m - 1 for m ordered values and the height of the taxonomy for hierarchical
            ones. A distance of t moves at most steps * t of the people, so t is multiplied by
            it: sound, no longer the smallest. Leaving it at 1 there is **not** sound.

    >>> float(epsilon_of_closeness(t=0.2, shape=[0.334, 0.666])).__round__(4)
    2.4925
    >>> epsilon_of_closeness(t="1/10", shape={"flu": 20, "cancer": 30, "ulcer": 50})
    Fraction(3, 2)
    """
    p = _positive(shape)
    moved = _number("t", t, ranges.UNIT)
    moved *= _whole("steps", steps, least=1)
    rest = 1 - max(p)
    if moved >= rest:
        largest = rest / steps
        raise PlanError(
            f"a group in which everybody has the same value could be {t}-close: the most "
            f"frequent value has {1 - rest} of the table, and no epsilon follows",
            fix=f"Give t below {largest} (about {float(largest):.4g}).",
        )
    # (p + t) / p falls with p, (1 - p) / (1 - p - t) grows: only the extremes matter.
    return max(1 + moved / min(p), rest / (rest - moved))


def epsilon_of_lemma_1(*, t: Number, shape: Shape) -> Fraction:
    """The ε of the paper's Lemma 1: the largest of (p + t) / p and p / (p - t).

    It is what t-closeness implies where not only values but all sets of values are sensitive,
    "does not have cancer" among them: the adversary believes in a set with 1 - p at most, and
    (1 - P) / (1 - P - t) at P = 1 - p is p / (p - t), the larger of the two. Where single
    values are sensitive it is larger than need be, but for two values, when it is the same.

    The lemma holds for the equal distance (the paper does not say so) and t < min p, without
    which p / (p - t) is negative or infinite (the paper's "no homogeneous group" is too weak).

    >>> epsilon_of_lemma_1(t=0.1, shape=[0.2, 0.3, 0.5])
    Fraction(2, 1)
    """
    least = min(_positive(shape))
    moved = _number("t", t, ranges.UNIT)
    if moved >= least:
        raise PlanError(
            f"a {t}-close group could be without the rarest value, which has {least} of the "
            "table: no epsilon follows from Lemma 1",
            fix=f"Give t below {least} (about {float(least):.4g}), or protect single values only.",
        )
    return least / (least - moved)


def perfect_privacy(*, groups: Groups, of: str, shape: Shape) -> bool:
    """Whether nobody's presence changes anything for an adversary with this shape: 1-privacy.

    Guarantee: True if and only if every group has exactly the adversary's shape, n(q, s) /
        n(q) = p(s) for all s, which is 1-privacy against class III for values and for sets of
        values. Nothing but that helps: 1-privacy asks f <= p for each value in the group, and
        as both add up to 1 over the values, f = p.
    Assumes: The adversary never revises p. Against *any* shape there is no perfect privacy:
        a group equals one shape only. Nor is there against a finitely stubborn adversary
        even with the right shape: f <= p_out of Equation 9 means f (σ - 1) <= σ(s) - 1,
        and summed over the m values of the group σ - 1 <= σ - m, so m = 1 and that value has
        all of the prior.
    Reference: Machanavajjhala et al. 2009, section 5.3; Miklau, Suciu 2004 (SIGMOD).

    Args:
        groups: What would be published. A table without people is perfect.
        of: The sensitive column.
        shape: By value; or in the order of the column's values, for all of them. At least two
            must be possible: whoever is certain learns nothing, and 1 - p_in is 0.

    >>> groups = Groups.of({"disease": [{"flu": 2, "cancer": 3}, {"flu": 18, "cancer": 27}]})
    >>> perfect_privacy(groups=groups, of="disease", shape={"flu": 0.4, "cancer": 0.6})
    True
    >>> perfect_privacy(groups=groups, of="disease", shape={"flu": 0.5, "cancer": 0.5})
    False
    """
    domain, histogram = histogram_of(groups, of)
    ends = np.concatenate(([0], np.cumsum(histogram.counts)))[histogram.indptr]
    if domain.several or (np.diff(ends) != groups.n).any():
        raise PlanError(
            f"people have several values of {of!r}, or none, so a group has no distribution",
            fix="Ask about a column in which everybody has one value.",
        )
    p = _by_value(domain, shape)
    if 1 in p:
        raise PlanError(
            "an adversary who is certain of one value has nothing to learn",
            fix="Give a shape in which two values or more are possible.",
        )
    unit = math.lcm(*(share.denominator for share in p))
    owner = histogram.owner()
    # A share of 0, or of a value the domain lacks, cannot be met: then some f = p fails.
    large = unit * int(groups.n.max(initial=1)) > LARGEST
    kind = object if large else np.int64
    believed = np.array([int(share * unit) for share in p], kind)
    found = histogram.counts.astype(kind) * unit
    return bool((found == groups.n.astype(kind)[owner] * believed[histogram.codes]).all())


def epsilon_of_differential_privacy(
    *, epsilon: Number, neighbours: Literal["replace", "add-remove"] = "replace"
) -> float:
    """The factor that ε-differential privacy allows: e^ε, or e^(2ε) for add/remove neighbours.

    Guarantee: A mechanism that is ε-differentially private is ε'-private, with ε' the result
        rounded up, against an adversary who knows everybody else's record and has any prior
        about this one; for all sets of records; no smaller ε' will do for all mechanisms.
    Assumes: Neighbours differ in one person's record (replace) or in one person's being there
        (add-remove). An adversary who knows less is covered if they think people independent.
    Reference: Machanavajjhala et al. 2009, section 5.2; Dwork et al. 2006 (TCC), Claim 3.

    Proof. Let π be the prior, o the output, L(t) = Pr[o | the others, t]. Without the person's
    record o says nothing about it, so p_out = π(φ). With it, p_in = π(φ) L(φ) / L, L(φ) being
    the mean of L over φ and L the mean over all records. Between two records L differs by e^ε
    at most (one replacement) or e^(2ε) (one removal, one addition), and so do the means:
    p_in / p_out = L(φ) / L <= e^ε and (1 - p_out) / (1 - p_in) = L / L(not φ) <= e^ε. It is
    approached where L differs that much between φ and the rest and π(φ) goes to 0. Hence also
    the way back for replace: if no prior gains more than e^ε, no two records differ by more.
    There is no way back for add-remove: publishing only how many people there are tells
    nothing about a record, and is not differentially private.

    No generalisation is differentially private at any ε: who knows all but one of the published
    tuples takes them away and is left with one, p_in = 1.

    >>> epsilon_of_differential_privacy(epsilon=1)
    2.7182818284590455
    >>> epsilon_of_differential_privacy(epsilon=0.5, neighbours="add-remove")
    2.7182818284590455
    """
    if neighbours not in ("replace", "add-remove"):
        raise PlanError(
            f"there are no neighbours {neighbours!r}",
            fix="Use 'replace' (one record changes) or 'add-remove' (one record more or less).",
        )
    exponent = _number("epsilon", epsilon, Range(0))
    factor = _exponential_rounded_up(exponent if neighbours == "replace" else 2 * exponent)
    if math.isinf(factor):
        raise PlanError(
            f"epsilon {epsilon} allows a factor too large to write down: it protects nobody",
            fix="Give an epsilon of a few units at most.",
        )
    return factor


def _exponential_rounded_up(exponent: Fraction) -> float:
    """The smallest float that is at least e^exponent; infinite where there is none."""
    if exponent == 0:
        return 1.0
    if exponent > 710:
        return math.inf
    context = Context(prec=_DIGITS, rounding=ROUND_CEILING)
    power = context.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
    # `exp` rounds to the nearest whatever the context says; one unit more is above.
    above = context.next_plus(context.exp(power))
    factor = float(above)
    return math.nextafter(factor, math.inf) if Decimal(factor) < above else factor


def _number(name: str, value: Number, within: Range) -> Fraction:
    """A parameter exactly as written, if it is in its range."""
    number: object = value
    if isinstance(value, str) and ("/" in value or parse(value)):
        try:
            number = Fraction(value)
        except (ValueError, ZeroDivisionError):
            number = value
    require_number(name, number, within)
    # A NumPy integer inside a fraction would overflow silently.
    return exact(int(number) if isinstance(number, Integral) else number)  # type: ignore[arg-type]


def _whole(name: str, value: int, *, least: int) -> int:
    require_number(name, value, Range(least, whole=True))
    return int(value)


def _shares(weights: Sequence[Number] | Ints) -> tuple[Fraction, ...]:
    """Shares that add up to 1, from such shares or from counts."""
    if isinstance(weights, str) or not isinstance(weights, Sequence | np.ndarray):
        raise PlanError(
            f"a shape must be a list of numbers, not {weights!r}",
            fix="Give a share or a count for each value.",
        )
    numbers = [_number("a share", w, Range(0)) for w in weights]
    total = sum(numbers, Fraction(0))
    counts = all(number.denominator == 1 for number in numbers)
    if total == 0 or (total != 1 and not counts):
        raise PlanError(
            f"the shares of a shape must add up to 1, not {total}",
            fix="Write shares as '1/3', or give counts.",
        )
    return tuple(number / total for number in numbers)


def _positive(shape: Shape) -> tuple[Fraction, ...]:
    """The shape of a table: two values or more, each of which somebody has."""
    shares = _shares(list(shape.values()) if isinstance(shape, Mapping) else shape)
    if len(shares) < 2 or min(shares) == 0:
        raise PlanError(
            "the shape of a table needs two values or more, each of which somebody has",
            fix="Leave out values that nobody in the table has.",
        )
    return shares


def _by_value(domain: Sensitive, shape: Shape) -> list[Fraction]:
    """The shares in the order of the domain's values; what it lacks is believed nonetheless."""
    if isinstance(shape, Mapping):
        shares: dict[str | None, Fraction] = dict(
            zip(shape, _shares(list(shape.values())), strict=True)
        )
        return [shares.get(value, Fraction(0)) for value in domain.values]
    listed = _shares(shape)
    if len(listed) != len(domain.values):
        raise PlanError(
            f"the shape has {len(listed)} shares, column {domain.name!r} {len(domain.values)} "
            "values",
            fix="Give the shares by value.",
        )
    return list(listed)
