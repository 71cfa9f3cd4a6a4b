"""Choose the recoding privately, then sample and leave out small groups: the loss of it all.

The recoding is chosen on the whole table by exponential mechanisms; the sample is drawn after
that, with coins that have nothing to do with the choice, and for whichever recoding was chosen
the second part has the profile H(E) of `suppression.delta`, where E = e^epsilon.

The loss of one choice. Let P(c) and Q(c) be the chances of recoding c on two neighbouring tables,
and x(c) = Q(c) / P(c). The hockey-stick distance of the pairs (choice, release) is at most

    sum over c of P(c) H(E x(c)),   where   sum over c of P(c) x(c) = 1.

H is convex and falls, being the largest of sums of (p - E q)+. An exponential mechanism whose
scores one person moves within an interval of length d has x(c) = e^(-move(c) / scale) times a
constant, so all x(c) lie in one interval [e^-a, e^(range - a)] with range = d / scale and 0 <= a
<= range. Under convexity the worst is at the two ends of the interval:

    (T H)(E) = max over a of  w H(E e^-a) + (1 - w) H(E e^(range - a)),
    w e^-a + (1 - w) e^(range - a) = 1.

T H is again convex and falls, so choices that follow each other, each in view of those before,
are T applied as often: T(T(...(H))). This costs about half of what adding up epsilons costs for
one choice, and about the root of it for many.

Under E = 1, where a long walk looks, too, (p - E q)+ = p - E q + E (q - p / E)+, so that
H(E) = 1 - E + E H(1 / E), H being of both directions. A k without end would leave of it
max(0, 1 - E): the choices alone. What they cost no k makes good, and nothing else limits a walk;
their epsilons may well add up to more than epsilon.

How it is computed. ln E goes over a grid of parts of the range. For a between two points of the
grid the interval is widened to the points around it, which makes the worst only worse. H comes
rounded up from exact sums. What follows are sums of products of positive doubles, each off by a
few units in the sixteenth digit, and each application is raised by 1e-12 of itself.

Why not choose on the sample itself, as the paper does? Then the choice tells about the very coins
that hide people: a recoding is likelier to be chosen where unusually many of a group were drawn.
Given the choice, numbers are not binomial any more, and the two losses do not simply combine.
A test shows a table where they do not. Chosen on the whole table, the choice has more people to
go by, and its own loss is all there is to add.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError
from hedgerow.noise import samplers
from hedgerow.noise.rounding import (
    FARTHEST,
    Number,
    double_down,
    double_up,
    exact,
    positive,
    share,
    whole,
)
from hedgerow.noise.sampling import suppression
from hedgerow.noise.sampling.measure import Sampled, SampleOrigin
from hedgerow.table.groups import Ints

Floats = NDArray[np.float64]

FINE, COARSE, MANY = 16, 4, 4
"""Parts into which the range of a choice is cut; fewer where there are many choices, as it takes
as long as there are parts altogether."""
RAISED = 1 + 1e-12
LEAST = 1e-200
"""Smaller chances count as this: products of them must not fall out of the doubles."""
SMALLEST = Fraction(1, 10**150)
"""Smaller deltas are refused where there is a choice."""
MOST_CHOICES = 200


def delta_after_choices(
    *, k: int, beta: Number, epsilon: Number, choice: Number, choices: int = 1
) -> Fraction:
    """The delta of choosing a recoding with exponential mechanisms and then publishing safely.

    Guarantee: all of it together is (epsilon, delta)-differentially private under add-remove.
    Assumes: each choice is an exponential mechanism on the whole table whose pure loss is at most
    `choice`, from candidates that are public or follow from earlier choices; not
    permute-and-flip, whose ratios have a wider range. The sample is drawn afterwards.
    Reference: proved above; for a single choice see Dong, Durfee and Rogers, Optimal
    differential privacy composition for exponential mechanisms (2020).

    Args:
        k: Groups with fewer drawn people are left out.
        beta: The chance of everybody to be drawn.
        epsilon: Of all choices and the release.
        choice: The pure epsilon of each choice; 0 if the recoding is public.
        choices: How many there are, one after the other.

    >>> blind = suppression.delta(k=150, beta="0.8", epsilon=1)
    >>> chosen = delta_after_choices(k=150, beta="0.8", epsilon=1, choice="0.05")
    >>> bool(blind < chosen < suppression.delta(k=150, beta="0.8", epsilon="0.96"))
    True
    """
    people, b, e = whole("k", k), share("beta", beta), exact("epsilon", epsilon)
    span, times = exact("choice", choice), whole("choices", choices)
    if times > MOST_CHOICES:
        raise PlanError(f"at most {MOST_CHOICES} choices are accounted for, not {times}")
    if e > FARTHEST:
        raise PlanError("such an epsilon promises nothing", fix="Ask for less than 10.")
    if not span:
        return suppression.delta(k=people, beta=b, epsilon=e)
    return _composed(lambda at: _at(people, b, at), e, span, times)


def delta_of_choices(*, epsilon: Number, choice: Number, choices: int = 1) -> Fraction:
    """The delta of the choices alone, which no k makes smaller.

    Guarantee and assumptions are those of `delta_after_choices`.

    >>> float(delta_of_choices(epsilon=1, choice="0.02", choices=50))
    0.0
    >>> f"{float(delta_of_choices(epsilon=1, choice='0.2', choices=31)):.1e}"
    '3.7e-02'
    """
    e, span, times = exact("epsilon", epsilon), exact("choice", choice), whole("choices", choices)
    # The sum of all epsilons is a bound that rounding must not spoil.
    return Fraction(0) if span * times <= e else _composed(_choices_alone, e, span, times)


def _composed(
    profile_at: Callable[[Fraction], float], epsilon: Fraction, span: Fraction, times: int
) -> Fraction:
    """T applied so many times to a profile, at one epsilon."""
    parts = FINE if times < MANY else COARSE
    step = span / parts
    # After `times` applications one value is left: ln E = epsilon. Each needs `parts` to a side.
    reach = times * parts
    profile = np.array([profile_at(epsilon + i * step) for i in range(-reach, reach + 1)])
    for _ in range(times):
        profile = _worst(profile, float(step), parts)
    return min(Fraction(float(profile[0])), Fraction(1))


def smallest_k_after_choices(
    *, beta: Number, epsilon: Number, delta: Number, choice: Number, choices: int = 1
) -> int:
    """The smallest k that keeps an (epsilon, delta) for the choices and the release together.

    Epsilons of many choices may add up to more than epsilon: what they cost together is less.

    Raises:
        PlanError: The choices alone have a larger delta, or k would be too large.

    >>> smallest_k_after_choices(beta="0.8", epsilon=1, delta="1e-6", choice="0.1")
    138
    >>> smallest_k_after_choices(beta="0.8", epsilon=1, delta="1e-6", choice="0.02", choices=61)
    145
    """
    b, e, d = share("beta", beta), positive("epsilon", epsilon), share("delta", delta)
    span = exact("choice", choice)
    if d < SMALLEST:
        raise PlanError(
            f"a choice cannot be accounted for with a delta under {float(SMALLEST):g}",
            fix="Allow a larger delta, or fix all levels.",
        )
    each = f"{choices:,} choices" if choices > 1 else "one choice"
    each += f" at epsilon {float(span):.6g}"
    alone = delta_of_choices(epsilon=e, choice=span, choices=choices)
    if alone >= d:
        raise PlanError(
            f"the delta of {each} alone is {float(alone):.3g} with epsilon {float(e):.6g}, "
            f"which no k brings down; asked for was {float(d):.3g}",
            fix="Choose with less epsilon, or in fewer steps.",
        )

    def exceeds(k: int) -> bool:
        found = delta_after_choices(k=k, beta=b, epsilon=e, choice=span, choices=choices)
        return found > d

    # It takes more than without a choice, and seldom much more.
    low = suppression.smallest_k(beta=b, epsilon=e, delta=d) - 1
    high = low + 1 + low // 16
    while exceeds(high):
        if high == suppression.MOST_PEOPLE:
            raise suppression.too_large(beta=b, epsilon=e, delta=d, after=f" after {each}")
        low, high = high, min(2 * high, suppression.MOST_PEOPLE)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if exceeds(middle) else (low, middle)
    return high


@dataclass(frozen=True, kw_only=True)
class SafeAnonymisation:
    """Safe k-anonymisation: draw, recode blindly or by a private choice, leave out small groups.

    Guarantee: (epsilon, delta)-differential privacy under add-remove for everybody in the table.
    Assumes: one row for each person; every published column is recoded, by hierarchies that do
    not depend on the data; nothing else is published, no number of people left out or drawn.
    Reference: Li, Qardaji and Su (2012), Sec. 3; the delta is proved in `suppression` and above.

    >>> safe = SafeAnonymisation.keeping(beta="0.8", epsilon=1, delta="1e-6")
    >>> safe.k, print(safe.loss)
    (0.8, 1, 1e-6)-differential privacy under sampling
    (135, None)
    """

    k: int
    beta: Fraction
    epsilon: Fraction
    delta: Fraction
    choice: Fraction = Fraction(0)
    """The pure epsilon of each private choice; 0 if the recoding is public."""
    choices: int = 1
    drawn: SampleOrigin = SampleOrigin.HERE

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k))
        object.__setattr__(self, "beta", share("beta", self.beta))
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        object.__setattr__(self, "delta", share("delta", self.delta))
        object.__setattr__(self, "choice", exact("choice", self.choice))
        object.__setattr__(self, "choices", whole("choices", self.choices))
        object.__setattr__(self, "drawn", SampleOrigin(self.drawn))
        if self.drawn is SampleOrigin.BEFORE and self.choice:
            raise PlanError(
                "a table that is a sample already cannot be used to choose its recoding: the "
                "choice would tell about the coins that hide people",
                fix="Fix the levels in the plan, choose them on other data, or draw again.",
            )
        suppression.require_possible(k=self.k, beta=self.beta, delta=self.delta)
        found = delta_after_choices(
            k=self.k,
            beta=self.beta,
            epsilon=self.epsilon,
            choice=self.choice,
            choices=self.choices,
        )
        if found > self.delta:
            raise PlanError(
                f"k = {self.k:,} at a rate of {suppression.rate_text(self.beta)} keeps delta "
                f"{float(found):.3g} with epsilon {float(self.epsilon):.4g}, not "
                f"{float(self.delta):.3g}",
                fix="Take a larger k, or leave k out.",
            )

    @classmethod
    def keeping(
        cls,
        *,
        beta: Number,
        epsilon: Number,
        delta: Number,
        choice: Number = 0,
        choices: int = 1,
        drawn: SampleOrigin = SampleOrigin.HERE,
    ) -> SafeAnonymisation:
        """With the smallest k that keeps an (epsilon, delta)."""
        b, e, d = share("beta", beta), positive("epsilon", epsilon), share("delta", delta)
        span = exact("choice", choice)
        k = (
            smallest_k_after_choices(beta=b, epsilon=e, delta=d, choice=span, choices=choices)
            if span
            else suppression.smallest_k(beta=b, epsilon=e, delta=d)
        )
        return cls(
            k=k, beta=b, epsilon=e, delta=d, choice=span, choices=choices, drawn=SampleOrigin(drawn)
        )

    @property
    def loss(self) -> Sampled:
        """What is claimed, and what the ledger is charged."""
        return Sampled(beta=self.beta, epsilon=self.epsilon, delta=self.delta, drawn=self.drawn)

    def release(self, sizes: Ints) -> Ints:
        """For each group of the chosen recoding the number to publish; 0 where it is left out.

        A group's people become one tuple, so that its number is all there is of them. Numbers of
        drawn people are drawn here, unless the table is a sample already.

        Args:
            sizes: People of the whole table in each group.
        """
        drawn = sizes if self.drawn is SampleOrigin.BEFORE else sample(sizes, beta=self.beta)
        return np.where(drawn >= self.k, drawn, 0).astype(np.int64)


def sample(sizes: Ints, *, beta: Number) -> Ints:
    """How many of each group are drawn, everybody by a coin of their own.

    The chance is the largest the sampler can take that is not above beta: a smaller rate keeps
    every claim of a larger one.

    >>> sample(np.array([0, 5]), beta=1).tolist()
    [0, 5]
    """
    b = positive("beta", beta)
    if b > 1:
        raise PlanError(f"a sampling rate must be at most 1, not {beta}")
    counts = np.ascontiguousarray(sizes, np.int64)
    if b == 1 or not counts.sum():
        return counts.copy()
    # The sampler takes chances up to a half: above, it draws who is not in the sample.
    few = b <= Fraction(1, 2)
    chance = double_down(b) if few else double_up(1 - b)
    bits = samplers.bernoulli(int(counts.sum()), probability=chance)
    ends = np.cumsum(counts)
    hits = np.concatenate(([0], np.cumsum(bits, dtype=np.int64)))
    found: Ints = hits[ends] - hits[ends - counts]
    return found if few else counts - found


def _at(k: int, beta: Fraction, epsilon: Fraction) -> float:
    """H rounded up."""
    found = max(double_up(suppression.delta(k=k, beta=beta, epsilon=abs(epsilon))), LEAST)
    return found if epsilon >= 0 else _choices_alone(epsilon) + found


def _choices_alone(epsilon: Fraction) -> float:
    """H of nothing, rounded up: 1 - E under E = 1, and else 0."""
    return -float(np.expm1(float(epsilon))) * RAISED if epsilon < 0 else 0.0


def _worst(profile: Floats, step: float, parts: int) -> Floats:
    """T, on the grid: the ends lie i + 1 steps below and parts - i above, for some i."""
    size = len(profile) - 2 * parts
    worst = np.zeros(size)
    for i in range(parts):
        up, down = np.expm1((parts - i) * step), -np.expm1(-(i + 1) * step)
        low = profile[parts - i - 1 : parts - i - 1 + size]
        high = profile[2 * parts - i : 2 * parts - i + size]
        worst = np.maximum(worst, (up * low + down * high) / (up + down))
    return worst * RAISED
