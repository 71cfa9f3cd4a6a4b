"""One budget: which spends fit into it, also where each is chosen in view of the answers before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from hedgerow.base.errors import PlanError
from hedgerow.noise.amounts import PLACES, Amounts
from hedgerow.noise.equal_spends import delta_of_equal
from hedgerow.noise.equal_spends import epsilon_of_equal as least_epsilon
from hedgerow.noise.measures import Approximate, Loss, Pure, ZeroConcentrated
from hedgerow.noise.renyi import best_order, renyi_loss, renyi_room, rounded_up
from hedgerow.noise.rounding import double_down

OWN_SHARE, LARGE_OWN_SHARE = Fraction(1, 10), Fraction(1, 2)
"""Of a budget's delta: what spends with a delta of their own may take together; the large share
where the first spend is one of them."""
WORTHWHILE = Fraction(102, 100)
"""What a sum is told as where another way of counting is less than that much better."""
_EPSILON, _DELTA = 10 ** PLACES["epsilon"], 10 ** PLACES["delta"]


@dataclass(frozen=True)
class Spends:
    """What a population has spent, as far as an account needs to know it."""

    first: Loss | None = None
    count: int = 0
    alike: bool = True
    """Whether every spend is equal to the first."""
    epsilon: Fraction = Fraction(0)
    """Of pure and approximate spends, added up."""
    delta: Fraction = Fraction(0)
    """Of approximate spends, added up."""
    concentrated: bool = False
    """Whether there is a spend in zCDP, which no epsilon alone bounds."""
    renyi: Fraction = Fraction(0)
    """Rényi losses of the account's order, or rhos, added up; each rounded up, so that it is the
    same whoever adds, and wherever it was written down between."""


@dataclass(frozen=True)
class PureAccount:
    """A budget in epsilon: losses add up.

    Guarantee: all spends together keep epsilon-differential privacy, however each was chosen.
    Reference: Rogers, Roth, Ullman and Vadhan, Privacy odometers and filters (2016), Thm 3.6.
    """

    budget: Pure

    def add(self, spends: Spends, loss: Loss, *, times: int = 1) -> Spends:
        """What is spent after one more, or so many of it."""
        return _added(spends, loss, times)

    def admits(self, spends: Spends) -> bool:
        """Whether all of it fits."""
        return self.used(spends) <= 1

    def used(self, spends: Spends) -> Fraction:
        """How much of the budget is spent, as a share; above 1 where it does not fit."""
        if spends.concentrated or spends.delta:
            return Fraction(2)
        return _part(spends.epsilon, self.budget.epsilon)

    def spent(self, spends: Spends) -> Loss:
        """What is spent, in the currency of the budget."""
        return Pure(epsilon=spends.epsilon)


@dataclass(frozen=True)
class ConcentratedAccount:
    """A budget in rho: losses add up, and a pure one counts as epsilon squared over two.

    Guarantee: all spends together keep rho-zCDP, however each was chosen.
    Reference: Feldman and Zrnic, Individual privacy accounting via a Rényi filter (2021), Thm
    3.1, for every order at once.
    """

    budget: ZeroConcentrated

    def add(self, spends: Spends, loss: Loss, *, times: int = 1) -> Spends:
        """What is spent after one more, or so many of it."""
        rho = Fraction(0)
        if isinstance(loss, Pure):
            rho = rounded_up(loss.concentrated().rho)
        elif isinstance(loss, ZeroConcentrated):
            rho = loss.rho
        return _added(spends, loss, times, renyi=rho)

    def admits(self, spends: Spends) -> bool:
        """Whether all of it fits."""
        return self.used(spends) <= 1

    def used(self, spends: Spends) -> Fraction:
        """How much of the budget is spent, as a share; above 1 where it does not fit."""
        return Fraction(2) if spends.delta else _part(spends.renyi, self.budget.rho)

    def spent(self, spends: Spends) -> Loss:
        """What is spent, in the currency of the budget."""
        return ZeroConcentrated(rho=spends.renyi)


@dataclass(frozen=True)
class ApproximateAccount:
    """A budget in epsilon and delta: a privacy filter with three ways to fit.

    Guarantee: all spends together keep (epsilon, delta)-differential privacy, also where whether,
    what and at what price to ask next depends on all answers so far. A spend is let through if
    all spends so far and this one fit in one of three ways:

    - *sums*: the epsilons add up to at most epsilon;
    - *equal*: all spends are equal, and so many equal spends, fixed beforehand, keep epsilon
      with the delta of this way;
    - *Rényi*: their Rényi losses of one order, fixed beforehand, add up to at most what implies
      epsilon with the delta of this way.

    Deltas of the spends themselves are added up, to at most their own share. Which way a whole
    transcript fits in splits the transcripts into three kinds. For each kind, somebody who stops
    before leaving it has the same transcripts of that kind, and the guarantee of that way. So
    P(S) <= e^epsilon Q(S) holds but for the deltas of the ways, added up, and for the chance that
    a spend with a delta of its own fails.

    The first spend is chosen before any answer, so it may decide how large that share is: a tenth;
    half, if the first spend has a delta of its own; and if it needs more than half, all of delta,
    and then only sums count.

    Assumes: the budget was not chosen in view of the answers.
    Reference: for sums, Rogers, Roth, Ullman and Vadhan, Privacy odometers and filters (2016);
    for equal spends, Kairouz, Oh and Viswanath, The composition theorem (2015), Thm 3.3; for one
    Rényi order, Feldman and Zrnic (2021), Thm 3.1. `tests/noise/test_account.py` enumerates
    adaptive strategies.
    """

    budget: Approximate
    order: Fraction
    """The Rényi order, above 1."""

    def __post_init__(self) -> None:
        if self.order <= 1:
            raise PlanError(f"a Rényi order must be above 1, not {self.order}")

    @classmethod
    def of(cls, budget: Approximate) -> ApproximateAccount:
        """The account of a budget, with the order that lets the most Gaussian noise through.

        >>> account = ApproximateAccount.of(Approximate(epsilon=5, delta="1e-6"))
        >>> spends = Spends()
        >>> for _ in range(101):
        ...     spends = account.add(spends, Pure(epsilon="0.1"))
        >>> account.admits(spends), spends.epsilon
        (True, Fraction(101, 10))
        """
        if not budget.epsilon or not budget.delta:
            raise PlanError("such an account needs an epsilon and a delta", fix="Give both.")
        way = _way(budget, OWN_SHARE)
        return cls(budget, best_order(Approximate(epsilon=budget.epsilon, delta=way)))

    def own_share(self, spends: Spends) -> Fraction:
        """The share of delta that is for spends with a delta of their own."""
        first = spends.first
        if not isinstance(first, Approximate) or not first.delta:
            return OWN_SHARE
        large = first.delta > self.budget.delta * LARGE_OWN_SHARE
        return Fraction(1) if large else LARGE_OWN_SHARE

    def way(self, spends: Spends) -> Fraction:
        """The delta of each of the two ways that need one."""
        return _way(self.budget, self.own_share(spends))

    def room(self, spends: Spends) -> Fraction:
        """The Rényi loss that implies the budget's epsilon; may be 0."""
        kept = Approximate(epsilon=self.budget.epsilon, delta=self.way(spends))
        return renyi_room(kept, self.order)

    def add(self, spends: Spends, loss: Loss, *, times: int = 1) -> Spends:
        """What is spent after one more, or so many of it."""
        return _added(spends, loss, times, renyi=renyi_loss(loss, self.order))

    def admits(self, spends: Spends) -> bool:
        """Whether all of it fits, one way or another."""
        if self._own(spends) > 1:
            return False
        return self._sums(spends) <= 1 or self._renyi(spends) <= 1 or self._equal(spends)

    def used(self, spends: Spends) -> Fraction:
        """The epsilon of what is spent, as a share of the budget's; above 1 where it does not fit.

        By the way in which it fits best, and by the sum where another way gains next to nothing.
        """
        if self._own(spends) > 1:
            return Fraction(2)
        sums, best = self._sums(spends), self._renyi_used(spends)
        if (epsilon := self.epsilon_of_equal(spends)) is not None:
            best = min(best, epsilon / self.budget.epsilon)
        plain = sums <= 1 and sums <= best * WORTHWHILE
        return sums if plain else min(sums, best)

    def _renyi_used(self, spends: Spends) -> Fraction:
        """The epsilon that their Rényi losses imply, as a share of the budget's."""
        if self._renyi(spends) > 1:
            return Fraction(2)
        implied = spends.renyi + self.budget.epsilon - self.room(spends)
        return implied / self.budget.epsilon

    def spent(self, spends: Spends) -> Loss:
        """What is spent: an epsilon, and the delta that goes with it."""
        if not spends.count:
            return Approximate(epsilon=0, delta=0)
        epsilon = self.used(spends) * self.budget.epsilon
        only_sums = spends.epsilon <= epsilon and not spends.concentrated
        delta = spends.delta if only_sums else self.budget.delta
        return Approximate(epsilon=epsilon, delta=delta)

    def most_of_own_delta(self, spends: Spends) -> Fraction:
        """What the deltas of the spends themselves may add up to."""
        return self.budget.delta * self.own_share(spends)

    def epsilon_of_equal(self, spends: Spends) -> Fraction | None:
        """The epsilon that would do for equal spends; None where they are not."""
        if (epsilon := self._one_of_equal(spends)) is None:
            return None
        return least_epsilon(spends.count, epsilon=epsilon, delta=self.way(spends))

    def only_sums(self, spends: Spends) -> bool:
        """Whether the first spend took all of delta, so that only sums count."""
        return self.own_share(spends) == 1

    def _own(self, spends: Spends) -> Fraction:
        """The share that is taken of what the spends' own deltas may add up to."""
        return _part(spends.delta, self.most_of_own_delta(spends))

    def _sums(self, spends: Spends) -> Fraction:
        if spends.concentrated:
            return Fraction(2)
        return _part(spends.epsilon, self.budget.epsilon)

    def _renyi(self, spends: Spends) -> Fraction:
        return Fraction(2) if self.only_sums(spends) else _part(spends.renyi, self.room(spends))

    def _equal(self, spends: Spends) -> bool:
        if (epsilon := self._one_of_equal(spends)) is None:
            return False
        bound = double_down(self.budget.epsilon)
        return delta_of_equal(spends.count, epsilon=epsilon, at=bound) <= self.way(spends)

    def _one_of_equal(self, spends: Spends) -> Fraction | None:
        """The epsilon of each spend, where all are equal and have one."""
        first = spends.first
        if not spends.alike or self.only_sums(spends):
            return None
        return first.epsilon if isinstance(first, Pure | Approximate) else None


Account = PureAccount | ConcentratedAccount | ApproximateAccount


def account_of(budget: Amounts, *, order: Fraction | None = None) -> Account | None:
    """The account of a budget; None for one that names epsilon and rho, which is two.

    Args:
        budget: As the ledger keeps it.
        order: The Rényi order that was fixed when the budget was set.

    >>> account_of(Amounts.of(rho=1))
    ConcentratedAccount(budget=ZeroConcentrated(rho=Fraction(1, 1)))
    """
    loss = loss_of(budget)
    if loss is None:
        return None
    if isinstance(loss, Pure):
        return PureAccount(loss)
    if isinstance(loss, ZeroConcentrated):
        return ConcentratedAccount(loss)
    return ApproximateAccount.of(loss) if order is None else ApproximateAccount(loss, order)


def loss_of(amounts: Amounts) -> Loss | None:
    """The loss that amounts stand for; None where they are more than one, or nothing.

    >>> print(loss_of(Amounts.of(epsilon=1, delta="1e-6")))
    (1, 1e-6)-differential privacy
    """
    losses = losses_of(amounts)
    return losses[0] if len(losses) == 1 else None


def losses_of(amounts: Amounts) -> tuple[Loss, ...]:
    """The losses that amounts stand for: one after the other, where they name epsilon and rho.

    >>> print(*losses_of(Amounts.of(epsilon=1, rho="0.1")), sep="; ")
    1-differential privacy; 0.1-zCDP
    """
    epsilon, delta = Fraction(amounts.epsilon, _EPSILON), Fraction(amounts.delta, _DELTA)
    found: list[Loss] = []
    if amounts.delta:
        found.append(Approximate(epsilon=epsilon, delta=delta))
    elif amounts.epsilon:
        found.append(Pure(epsilon=epsilon))
    if amounts.rho:
        found.append(ZeroConcentrated(rho=Fraction(amounts.rho, 10 ** PLACES["rho"])))
    return tuple(found)


def _added(spends: Spends, loss: Loss, times: int, *, renyi: Fraction = Fraction(0)) -> Spends:
    first = loss if spends.first is None else spends.first
    return replace(
        spends,
        first=first,
        count=spends.count + times,
        alike=spends.alike and loss == first,
        epsilon=spends.epsilon
        + times * (0 if isinstance(loss, ZeroConcentrated) else loss.epsilon),
        delta=spends.delta + times * (loss.delta if isinstance(loss, Approximate) else 0),
        concentrated=spends.concentrated or isinstance(loss, ZeroConcentrated),
        renyi=spends.renyi + times * renyi,
    )


def _way(budget: Approximate, own: Fraction) -> Fraction:
    return budget.delta * (1 - own) / 2


def _part(spent: Fraction, most: Fraction) -> Fraction:
    if not spent:
        return Fraction(0)
    return spent / most if most > 0 else Fraction(2)
