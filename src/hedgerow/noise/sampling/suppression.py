"""Sample, recode blindly, leave out groups under k: the exact delta, and what it takes.

The claim. Everybody is drawn with probability beta. A recoding that does not depend on the data
puts people into groups. A group of which j were drawn is published as it is, with its number j,
if j >= k; else nothing of it is. Let f(j; n) be the probability that j of n are drawn, and E be
e^epsilon. Neighbouring tables differ in one person, whose group has n people with them, n - 1
without.
Other groups are drawn independently and alike, so the loss is that of this one group. Write

    more(n) = sum over outcomes of (P_n - E P_(n-1))+       the person is there
    less(n) = sum over outcomes of (P_(n-1) - E P_n)+       the person is not

where the outcomes are k, k + 1, ... and "nothing". Then delta = max over n of both, and

    (1)  more is largest at n = floor((k - 1) / g) + 1, g = 1 - (1 - beta) / E, and is there
         P[Bin(n) >= k] - E P[Bin(n - 1) >= k];
    (2)  less is 0 everywhere if h = 1 - E (1 - beta) <= 0; else it is largest at
         n = floor((k - 1) / h) + 1, and is there P[Bin(n - 1) < k] - E P[Bin(n) < k].

So one group size settles each direction: there is no search, and no tail to be cut off.

Proof. f(j; n) / f(j; n - 1) = n (1 - beta) / (n - j) grows with j.

(1) "Nothing" is likelier without the person, so it adds nothing. A number j adds something iff
n (1 - beta) > E (n - j), that is j > g n.
*Small n.* While g n <= k - 1, all j >= k count, and more(n) = P_n[>= k] - E P_(n-1)[>= k]. As
P_(n+1)[>= k] = P_n[>= k] + beta f(k - 1; n), this changes from n to n + 1 by
beta (f(k - 1; n) - E f(k - 1; n - 1)), which is not negative iff k - 1 >= g n. So it grows until
n* = floor((k - 1) / g) + 1, the first n with g n > k - 1; there g n* <= k - 1 + g < k, so still
exactly the j >= k count.
*Large n.* Let H(n) be the same sum with no group left out. Leaving out only merges outcomes, so
more(n) <= H(n). Bin(n + 1) is Bin(n) plus a coin, and Bin(n) is Bin(n - 1) plus that coin: the
pair for n + 1 is made from the pair for n without the data, so H(n + 1) <= H(n). At n* the
numbers that count for H, those above g n*, are those from k on: H(n*) = more(n*). So for n > n*,
more(n) <= H(n) <= H(n*) = more(n*).

(2) is the mirror image: j counts iff j < h n, which is never so if h <= 0; then neither does
"nothing", all of whose parts are at most E times likelier. Else, while h n <= k - 1, only
"nothing" can count, less(n) = (b(n))+ with b(n) = P_(n-1)[< k] - E P_n[< k], which changes by
beta (E f(k - 1; n) - f(k - 1; n - 1)), not negative iff h n <= k - 1. At the first n with
h n > k - 1, where h n < k, the numbers that count are those under k: "nothing", together. From
there on the sum with no group left out bounds it, and falls.

E need not be e^epsilon: the proof holds for every real E >= 1, and delta falls in E. So a
rational at or under e^epsilon is put in its place. The place of the maximum is then exact, and so
is all the rest but for rounding up.

Monotone: delta falls in epsilon (clear); in k, as to leave out groups under k + 1 is to leave out
more of what k left; and grows in beta, as at a rate of r beta and the same epsilon it is at most
r delta by Theorem 1. Never under beta^k: n = k, all drawn, cannot be without the person. Never
over beta: k = 1 leaves out nobody, and n = 1 is worst.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache

from hedgerow.base.errors import PlanError
from hedgerow.noise.rounding import (
    FARTHEST,
    Number,
    double_down,
    exact,
    exp_down,
    log_down,
    log_up,
    positive,
    share,
    whole,
)
from hedgerow.noise.sampling.chances import DOWN, ONE, UP, power, probability, ratio

MOST_PEOPLE = 100_000
"""Larger k are refused: nobody publishes only groups that large."""
UNITS = 10**9
"""Epsilons are found to this many parts of 1, as many as a ledger counts."""
_ENOUGH = Decimal("1e-25")
"""Terms are added up until the rest is less than this part of the sum; then its bound is added."""


def delta(*, k: int, beta: Number, epsilon: Number) -> Fraction:
    """The smallest delta that holds for every table; rounded up in the 25th digit.

    Guarantee: drawing with probability beta, recoding without a look at the data and leaving out
    groups of under k drawn people is (epsilon, delta)-differentially private under add-remove,
    and for no smaller delta. Any epsilon and any rate under 1 will do.
    Assumes: all columns that are published are recoded, one row for each person, and neither the
    number of people left out nor that of people drawn is published.
    Reference: Li, Qardaji and Su (2012), Sec. 3, whose Theorem 5 bounds it; see `theorem`. The
    exact value is proved above.

    >>> float(f"{float(delta(k=20, beta='0.2', epsilon=1)):.3g}")
    2.77e-10
    """
    people, b, e = _group("k", k), share("beta", beta), exact("epsilon", epsilon)
    # Beyond, what the proof says of E = e^2000 holds as well: delta falls in epsilon.
    return _delta(people, b, max(exp_down(min(e, Fraction(FARTHEST))), Fraction(1)))


def smallest_k(*, beta: Number, epsilon: Number, delta: Number) -> int:
    """The smallest k that keeps an (epsilon, delta) at this sampling rate.

    Raises:
        PlanError: epsilon is 0, or k would be over 100,000.

    >>> smallest_k(beta="0.8", epsilon=1, delta="1e-6")
    135
    """
    b, e, d = share("beta", beta), positive("epsilon", epsilon), share("delta", delta)
    high = 1
    while _exceeds(high, b, e, d):
        if high == MOST_PEOPLE:
            raise too_large(beta=b, epsilon=e, delta=d)
        high = min(2 * high, MOST_PEOPLE)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _exceeds(middle, b, e, d) else (low, middle)
    return high


def largest_beta(*, k: int, epsilon: Number, delta: Number) -> Fraction:
    """The largest sampling rate that keeps an (epsilon, delta), to nine digits, rounded down.

    >>> float(largest_beta(k=135, epsilon=1, delta="1e-6"))
    0.80067568
    """
    people, e, d = whole("k", k), exact("epsilon", epsilon), share("delta", delta)
    # A rate of delta always keeps delta; a rate above its k-th root never does.
    low, high = d, Fraction(1)
    for _ in range(60):
        # In the middle of the exponents where the two are far apart.
        middle = Fraction(float(low * high) ** 0.5) if high > 4 * low else (low + high) / 2
        middle = Fraction(f"{float(middle):.16g}")
        if not low < middle < high:
            break
        low, high = (low, middle) if _exceeds(people, middle, e, d) else (middle, high)
    digits = Context(prec=9, rounding=ROUND_FLOOR)
    return max(Fraction(digits.create_decimal(Decimal(double_down(low)))), d)


def smallest_epsilon(*, k: int, beta: Number, delta: Number) -> Fraction:
    """The smallest epsilon that holds with this delta, to nine decimal places, rounded up.

    Raises:
        PlanError: None does, because delta is under beta^k.

    >>> float(smallest_epsilon(k=135, beta="0.8", delta="1e-6"))
    0.99422209
    """
    people, b, d = whole("k", k), share("beta", beta), share("delta", delta)
    require_possible(k=people, beta=b, delta=d)
    # From there on a group of k is the worst, and delta is beta^k.
    enough = max(log_up(Fraction(people)), log_up(1 / (1 - b)))
    low, high = -1, int(enough * UNITS) + 1
    while high - low > 1:
        middle = (low + high) // 2
        held = not _exceeds(people, b, Fraction(middle, UNITS), d)
        low, high = (low, middle) if held else (middle, high)
    return Fraction(high, UNITS)


def require_possible(*, k: int, beta: Number, delta: Number) -> None:
    """Refuse what no epsilon can make good: delta is never under beta^k.

    Raises:
        PlanError: delta is under beta^k; says which k, or which rate, would do.
    """
    people, b, d = _group("k", k), share("beta", beta), share("delta", delta)
    least = power(ratio(b, DOWN), people, DOWN)
    if Fraction(least) <= d:
        return
    enough = max(people + 1, int(log_up(1 / d) / log_down(1 / b)) - 1)
    while Fraction(power(ratio(b, UP), enough, UP)) > d:
        enough += 1
    rate = float(d) ** (1 / people)
    every = "the only one" if people == 1 else f"all {people:,}"
    raise PlanError(
        f"with k = {people:,} and {rate_text(b)} of all people drawn, delta is at least beta^k = "
        f"{_short(least)} ({every} of a group {'is' if people == 1 else 'are'} drawn), whatever "
        f"epsilon is; asked for was {float(d):.3g}",
        fix=f"Take k = {enough:,} or more, or draw no more than {rate:.3g} of the people."
        if enough <= MOST_PEOPLE
        else f"Draw no more than {rate:.3g} of the people, or take a larger k as well.",
    )


def too_large(*, beta: Fraction, epsilon: Fraction, delta: Fraction, after: str = "") -> PlanError:
    """What is said where no k will do; with the bound beta^k where that is why."""
    least = power(ratio(beta, DOWN), MOST_PEOPLE, DOWN)
    why = (
        ""
        if Fraction(least) <= delta
        else (
            f": delta is never under beta^k, the chance that all k of a group are drawn, which is "
            f"{_short(least)} for k = {MOST_PEOPLE:,}"
        )
    )
    return PlanError(
        f"no k up to {MOST_PEOPLE:,} keeps epsilon {float(epsilon):.4g} and delta "
        f"{float(delta):.4g} when {rate_text(beta)} of all people are drawn{after}{why}",
        fix="Draw fewer people, or allow a larger epsilon.",
    )


def rate_text(beta: Fraction) -> str:
    """A sampling rate in a sentence: never less than it is, and never 1.

    >>> rate_text(Fraction("0.85")), rate_text(Fraction(2, 3)), rate_text(Fraction("0.99999999"))
    ('0.85', '0.666667', '0.99999999')
    """
    digits = 6
    while (found := ratio(beta, Context(prec=digits, rounding=ROUND_CEILING))) >= 1 > beta:
        digits += 1
    return f"{found.normalize():f}"


def _group(name: str, k: int) -> int:
    """A k, if it is none that takes for ever to compute with."""
    people = whole(name, k)
    if people > MOST_PEOPLE:
        raise PlanError(f"{name} must be at most {MOST_PEOPLE:,}, not {people:,}")
    return people


def _short(least: Decimal) -> str:
    """Three digits, rounded down."""
    return f"{Context(prec=3, rounding=ROUND_FLOOR).plus(least).normalize():g}"


def _exceeds(k: int, beta: Fraction, epsilon: Fraction, bound: Fraction) -> bool:
    return delta(k=k, beta=beta, epsilon=epsilon) > bound


@lru_cache(maxsize=4096)
def _delta(k: int, beta: Fraction, e: Fraction) -> Fraction:
    """Parts (1) and (2) of the proof, for a rational in place of e^epsilon."""
    more = _more(k, beta, e)
    less = _less(k, beta, e)
    return min(Fraction(max(more, less)), beta)


def _more(k: int, beta: Fraction, e: Fraction) -> Decimal:
    out = 1 - beta
    g = 1 - out / e
    n = (k - 1) // g + 1
    # f(j; n) - E f(j; n-1) = f(j; n) (n out - E (n - j)) / (n out), for j from k up.
    start = e.denominator * n * out.numerator - e.numerator * (n - k) * out.denominator
    step = e.numerator * out.denominator
    per = Decimal(e.denominator * n * out.numerator)
    odds = ratio(beta / out, UP)
    term, total = probability(k, n, beta), Decimal(0)
    for j in range(k, n + 1):
        weight = UP.divide(Decimal(start + (j - k) * step), per)
        total = UP.add(total, UP.multiply(term, weight))
        # Each further term is at most `falls` of the one before, and weights are at most 1.
        falls = UP.multiply(odds, UP.divide(Decimal(n - j), Decimal(j + 1)))
        term = UP.multiply(term, falls)
        if _small(term, falls, total):
            return UP.add(total, UP.divide(term, DOWN.subtract(ONE, falls)))
    return total


def _less(k: int, beta: Fraction, e: Fraction) -> Decimal:
    out = 1 - beta
    h = 1 - e * out
    if h <= 0:
        return Decimal(0)
    n = (k - 1) // h + 1
    # f(j; n-1) - E f(j; n) = f(j; n) (n - j - E n out) / (n out), for j from k - 1 down.
    scale = e.denominator * out.denominator
    start = (n - k + 1) * scale - e.numerator * n * out.numerator
    per = Decimal(n * out.numerator * e.denominator)
    odds = ratio(out / beta, UP)
    most = ratio(1 / out, UP)
    term, total = probability(k - 1, n, beta), Decimal(0)
    for j in range(k - 1, -1, -1):
        weight = UP.divide(Decimal(start + (k - 1 - j) * scale), per)
        total = UP.add(total, UP.multiply(term, weight))
        falls = UP.multiply(odds, UP.divide(Decimal(j), Decimal(n - j + 1)))
        term = UP.multiply(term, falls)
        if _small(term, falls, total):
            return UP.add(total, UP.multiply(most, UP.divide(term, DOWN.subtract(ONE, falls))))
    return total


def _small(term: Decimal, falls: Decimal, total: Decimal) -> bool:
    return falls < Decimal("0.99") and term < total * _ENOUGH * (1 - falls)
