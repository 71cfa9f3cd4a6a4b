"""Averaging: exact sums turn many noisy counts into one good estimate of each.

What is known exactly about the counts (A x = b) leaves them fewer directions to move in. The
nearest point that agrees with it keeps only the noise in those directions: with the k - 1 sums
of neighbours one direction is left, and k independent noises are averaged. The same holds where
noise is drawn anew each time somebody asks: the draws belong to equal counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.declaration import FileAttack
from hedgerow.attacks.file_input import FileInput, numbers_of
from hedgerow.base.errors import DataError
from hedgerow.table.groups import Floats

CLOSE = 1e-6
"""How far, relative to the numbers involved, exact sums may be missed by rounding."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Projection:
    """The noisy counts moved to the nearest point that agrees with what is known."""

    counts: Floats
    """As many as were noisy, in the same shape."""
    variance_left: Floats
    """For each count, the variance of its estimate as a share of its noise's own."""
    free: int
    """Directions in which nothing is known: the number of independent errors left."""


def neighbouring_sums(k: int) -> Floats:
    """The matrix of x1 + x2, x2 + x3, ..., the sums of paper 002.

    >>> neighbouring_sums(3)
    array([[1., 1., 0.],
           [0., 1., 1.]])
    """
    _some(k)
    return np.eye(k - 1, k) + np.eye(k - 1, k, 1)


def redrawn(k: int, *, draws: int) -> Floats:
    """What is known of k counts whose noise was drawn several times: the draws' counts agree.

    The noisy counts stand one draw after the other; all the sums are zero.

    >>> redrawn(2, draws=2)
    array([[ 1.,  0., -1., -0.],
           [ 0.,  1., -0., -1.]])
    """
    _some(k, draws)
    return np.hstack([np.tile(np.eye(k), (draws - 1, 1)), -np.eye((draws - 1) * k)])


def projection(
    noisy: ArrayLike, *, matrix: ArrayLike, sums: ArrayLike, scale: ArrayLike = 1.0
) -> Projection:
    """Weighted least squares under constraints that hold exactly.

    The work grows with the cube of k; a thousand counts take a second.

    Args:
        noisy: k noisy counts, or a row of k for each release that is attacked by itself.
        matrix: A row for each known sum: how often each count is in it.
        sums: Its exact value.
        scale: Of each count's noise, where they differ; only the proportions matter.

    Raises:
        DataError: Shapes do not fit, or the sums contradict each other.

    x1 + x2 = 10 is known. Noise moved the sum by +2; each count takes half of that back:

    >>> found = projection([8.0, 4.0], matrix=[[1, 1]], sums=[10])
    >>> found.counts, found.variance_left, found.free
    (array([7., 3.]), array([0.5, 0.5]), 1)
    """
    y, a, b = _numbers(noisy, "noisy counts"), _numbers(matrix, "matrix"), _numbers(sums, "sums")
    k = y.shape[-1] if y.ndim in (1, 2) else 0
    if not k or a.ndim != 2 or a.shape[1] != k or b.shape != a.shape[:1]:
        raise DataError(
            f"noisy counts {y.shape}, matrix {a.shape} and sums {b.shape} do not fit",
            fix="Give k counts, a matrix with k columns, and a sum for each of its rows.",
        )
    weight = _numbers(scale, "scale")
    if weight.shape not in ((), (k,)) or not (weight > 0).all():
        raise DataError(
            "the noise's scale is not positive, or not one for each count", where="scale"
        )
    left, values, right = np.linalg.svd(a * weight, full_matrices=False)
    rank = int((values > values.max(initial=0.0) * max(a.shape) * np.finfo(float).eps).sum())
    left, values, right = left[:, :rank], values[:rank], right[:rank]
    # The least change, counted in scales of the noise, that mends every sum.
    change = ((b - y @ a.T) @ left / values) @ right * weight
    counts = y + change
    size = np.abs(a) @ np.abs(counts).reshape(-1, k).max(axis=0) + np.abs(b) + 1
    missed = (np.abs(counts @ a.T - b) > CLOSE * size).reshape(y.size // k, len(b)).any(axis=0)
    if missed.any():
        raise DataError(
            f"{missed.sum()} of {len(b)} known sums contradict the others",
            where="sums",
            fix="Exact sums agree with each other; leave out those that are rounded or noisy.",
        )
    spread = np.clip(1 - (right**2).sum(axis=0), 0.0, 1.0)
    return Projection(counts=counts, variance_left=spread, free=k - rank)


def averaging(
    noisy: ArrayLike,
    *,
    matrix: ArrayLike,
    sums: ArrayLike,
    truth: ArrayLike,
    scale: ArrayLike = 1.0,
) -> AttackResult:
    """Combine exact sums with noisy counts.

    The attacker knows: noisy counts with independent noise, and sums of the true ones exactly.
    A success: a count's estimate, rounded, is the true count.
    The baseline: rounding the noisy count itself, without the sums.
    Where few directions are free, the estimates err together. They count as that many
    independent guesses, else fifty counts that stand or fall with one error would look like
    fifty proofs.

    Args:
        noisy: k noisy counts, or a row of k for each release that is attacked by itself.
        matrix: A row for each known sum: how often each count is in it.
        sums: Its exact value.
        truth: The k true counts.
        scale: Of each count's noise, where they differ.

    Raises:
        DataError: Shapes do not fit, sums contradict each other, or counts are no whole numbers.

    Reference: paper 002, "Composition with other mechanisms": the variance falls from 2/ε² to
    2/(kε²).

    Noise 1.6, -0.4 and -0.6; the sums leave x = (7, 3, 7) + c (1, -1, 1), and c = 1.4 / 3:

    >>> found = averaging(
    ...     [8.6, 2.6, 6.4], matrix=neighbouring_sums(3), sums=[10, 10], truth=[7, 3, 7]
    ... )
    >>> [round(estimate, 3) for estimate in found.detail["estimates"]]
    [7.467, 2.533, 7.467]
    >>> found.found.value, round(found.baseline.value, 3)
    (1.0, 0.333)
    """
    y, x = _numbers(noisy, "noisy counts"), _numbers(truth, "true counts")
    estimate = projection(y, matrix=matrix, sums=sums, scale=scale)
    if x.shape != y.shape[-1:] or (x != np.rint(x)).any():
        raise DataError(
            "the true counts are not whole numbers, one for each noisy count", where="truth"
        )
    k, releases = len(x), y.size // len(x)
    right = float((np.rint(estimate.counts) == x).mean())
    alone = int((np.rint(y) == x).sum())
    # Nothing free: the sums alone say every count, and chance plays no part.
    guesses = releases * (estimate.free or k)
    found = Rate(successes=right * guesses, guesses=guesses)
    baseline = Rate(successes=alone, guesses=y.size)
    shown = estimate.counts if y.ndim == 1 else estimate.counts[0]
    variance = float(estimate.variance_left.mean())
    sentences = [
        f"{found.value:.1%} of the counts come out exactly; rounding the noisy ones gives "
        f"{baseline.value:.1%}.",
        f"What is known exactly takes {1 - variance:.1%} of the noise's variance away.",
    ]
    together = {0: "the sums alone say every count", 1: "all counts are right or wrong together"}
    if estimate.free in together:
        sentences.append(
            f"The known sums leave {estimate.free} of {k:,} directions free: "
            f"{together[estimate.free]}."
        )
    return AttackResult(
        attack="averaging",
        goal="a count is named exactly",
        found=found,
        baseline=baseline,
        sentences=tuple(sentences),
        detail={
            "counts": k,
            "releases": releases,
            "free_directions": estimate.free,
            "variance_left": variance,
            "estimates": [float(round(value, 9)) for value in shown],
        },
    )


def _some(*numbers: int) -> None:
    if min(numbers) < 1:
        raise DataError("there are no noisy counts", fix="Give at least one.")


def _numbers(values: ArrayLike, what: str) -> Floats:
    try:
        found = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise DataError(f"the {what} are not numbers in rows of equal length") from None
    if not np.isfinite(found).all():
        raise DataError(f"the {what} are not all finite")
    return found


def _attempt(read: FileInput) -> AttackResult:
    noisy, sums, truth = numbers_of(read.file(0, "a file of counts"), "noisy", "sum", "truth")
    matrix = neighbouring_sums(len(noisy))
    return averaging(noisy, matrix=matrix, sums=sums[:-1], truth=truth)


AVERAGING = FileAttack(
    name="averaging",
    asks="Do exact sums take the noise out of noisy counts?",
    success="a count is right",
    reads="noisy counts and exact sums (`noisy`, `sum` of this count and the next, `truth`)",
    most=1,
    needs=(),
    attempt=_attempt,
    reference='Paper 002, "Composition with other mechanisms".',
)
