"""Choosing the best of several by scores that depend on people."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from hedgerow.base.errors import DataError, PlanError
from hedgerow.noise import samplers
from hedgerow.noise.measures import Pure, ZeroConcentrated
from hedgerow.noise.mechanisms import LINF, MECHANISMS, InputMetric, array, as_sampled, integers
from hedgerow.noise.rounding import Number, exact, log_up, positive, share, whole


@dataclass(frozen=True, init=False)
class _Selection:
    """What the three have in common: a scale, and the distance between score vectors."""

    scale: Fraction
    """A double, as the sampler takes it: what was given, rounded up."""
    monotone: bool
    """Whether a person moves all scores in the same direction, as counts under add-remove."""
    metric: ClassVar[InputMetric] = LINF
    measure: ClassVar[type[Pure]] = Pure

    def __init__(self, *, scale: Number, monotone: bool = False) -> None:
        object.__setattr__(self, "scale", as_sampled(scale))
        object.__setattr__(self, "monotone", bool(monotone))

    def privacy_map(self, d_in: Number) -> Pure:
        """The loss at a distance; exact.

        Scores may move against each other by twice the distance, or once where they are monotone.
        """
        return Pure(epsilon=_apart(exact("d_in", d_in), self.monotone) / self.scale)

    @staticmethod
    def scale_for(loss: Pure, *, d_in: Number, monotone: bool = False) -> Fraction:
        """The smallest scale a sampler can take that keeps a loss."""
        distance = _apart(positive("d_in", d_in), monotone)
        return as_sampled(distance / positive("epsilon", loss.epsilon))

    def accuracy(self, *, confidence: Number, candidates: int) -> Fraction:
        """How far under the best score the chosen one lies at most, this often or more often.

        Each candidate t under the best is chosen with probability at most e^(-t / scale), so some
        such candidate with at most (candidates - 1) times that.
        """
        others = whole("candidates", candidates) - 1
        beyond = 1 - share("confidence", confidence)
        return self.scale * log_up(others / beyond) if others > beyond else Fraction(0)


@dataclass(frozen=True, init=False)
class Exponential(_Selection):
    """A candidate with probability in proportion to e^(score / scale).

    Guarantee: pure differential privacy, epsilon = 2 d_in / scale, or d_in / scale for monotone
    scores, where no score changes by more than d_in. Also zero-concentrated; see `concentrated`.
    Assumes: candidates do not depend on the data; d_in counts what was lost in computing scores.
    Reference: McSherry and Talwar, Mechanism design via differential privacy (2007), Thm 6.

    >>> mechanism = Exponential(scale=Exponential.scale_for(Pure(epsilon=1), d_in=1))
    >>> mechanism.scale, mechanism.release([0, 0, 1000])
    (Fraction(2, 1), 2)
    """

    name: ClassVar[str] = "exponential mechanism"
    samplers: ClassVar[tuple[str, ...]] = ("gumbel",)

    def release(self, value: ArrayLike) -> int:
        """The place of the chosen candidate, counted from 0.

        Raises:
            DataError: There are no scores, or one of them is no finite number.
        """
        return samplers.gumbel(scores(value), scale=self.scale)

    def concentrated(self, d_in: Number) -> ZeroConcentrated:
        """The loss in zCDP, epsilon^2 / 8: a quarter of what holds for every pure mechanism.

        Reference: Cesar and Rogers, Bounding, concentrating, and truncating (2021), Lemma 3.2.
        """
        return ZeroConcentrated(rho=self.privacy_map(d_in).epsilon ** 2 / 8)


MECHANISMS.register(Exponential)


@dataclass(frozen=True, init=False)
class PermuteAndFlip(_Selection):
    """Candidates in random order; stop at one with probability e^((score - best) / scale).

    Guarantee: pure differential privacy, as `Exponential`, and never a worse expected score.
    The same as to report the largest score after exponential noise.
    Assumes: as `Exponential`.
    Reference: McKenna and Sheldon, Permute-and-flip (2020), Thm 1 and 2.

    >>> print(PermuteAndFlip(scale=2, monotone=True).privacy_map(1))
    0.5-differential privacy
    """

    name: ClassVar[str] = "permute-and-flip"
    samplers: ClassVar[tuple[str, ...]] = ("permute_and_flip",)

    def release(self, value: ArrayLike) -> int:
        """The place of the chosen candidate, counted from 0.

        Raises:
            DataError: There are no scores, or one of them is no finite number.
        """
        return samplers.permute_and_flip(scores(value), scale=self.scale)[0]


MECHANISMS.register(PermuteAndFlip)


@dataclass(frozen=True, init=False)
class NoisyMax(_Selection):
    """The largest scores after exponential noise: one, or the first few, best first.

    Guarantee: pure differential privacy, `top` times that of `PermuteAndFlip`, which draws one
    after the other from those that are left.
    Assumes: as `Exponential`.
    Reference: Ding, Kifer, Saghaian, Steinke, Wang, Xiao and Zhang, The permute-and-flip
    mechanism is identical to report-noisy-max with exponential noise (2021).

    >>> first = NoisyMax(scale=1, top=2)
    >>> first.release([0, 2000, 1000]), print(first.privacy_map(1))
    4-differential privacy
    ((1, 2), None)
    """

    name: ClassVar[str] = "report noisy max"
    samplers: ClassVar[tuple[str, ...]] = ("permute_and_flip",)

    top: int
    """How many are chosen."""

    def __init__(self, *, scale: Number, monotone: bool = False, top: int = 1) -> None:
        super().__init__(scale=scale, monotone=monotone)
        object.__setattr__(self, "top", whole("top", top))

    def privacy_map(self, d_in: Number) -> Pure:
        """The loss at a distance; exact."""
        return super().privacy_map(d_in).group(self.top)

    @staticmethod
    def scale_for(loss: Pure, *, d_in: Number, monotone: bool = False, top: int = 1) -> Fraction:
        """The smallest scale a sampler can take that keeps a loss."""
        each = Pure(epsilon=loss.epsilon / whole("top", top))
        return _Selection.scale_for(each, d_in=d_in, monotone=monotone)

    def release(self, value: ArrayLike) -> tuple[int, ...]:
        """The places of the chosen candidates, counted from 0.

        Raises:
            DataError: There are no scores, or one of them is no finite number.
            PlanError: More are asked for than there are candidates.
        """
        given = scores(value)
        if self.top > len(given):
            raise PlanError(f"there are no {self.top} candidates, only {len(given)}")
        return samplers.permute_and_flip(given, scale=self.scale, top=self.top)

    def accuracy(self, *, confidence: Number, candidates: int) -> Fraction:
        """As for one, of all draws together: each is compared with the best that was left."""
        beyond = (1 - share("confidence", confidence)) / self.top
        return super().accuracy(confidence=1 - beyond, candidates=candidates)


MECHANISMS.register(NoisyMax)


def scores(value: ArrayLike) -> samplers.Scores:
    """One score for each candidate: whole numbers or doubles.

    Raises:
        DataError: There are none, or one of them is no finite number.
    """
    given = array(value)
    if given.ndim != 1 or not given.size:
        raise DataError("a choice needs one score for each candidate", fix="Give a row of numbers.")
    if given.dtype.kind in "iuO":
        return integers(given)
    if given.dtype.kind != "f" or given.dtype.itemsize > 8 or not np.isfinite(given).all():
        raise DataError("scores must be finite numbers of 64 bits at most")
    return given.astype(np.float64)


def _apart(distance: Fraction, monotone: bool) -> Fraction:
    return distance if monotone else 2 * distance
