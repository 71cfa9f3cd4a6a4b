"""Floating point: which values an answer with careless noise can have been made from.

A double has gaps, the logarithm of a random double reaches only some of the doubles around it,
and adding it to 0 and to 1 rounds differently. So the answers that can come from 0 and those
that can come from 1 are different sets, and seeing one answer is often enough to know which.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.declaration import FileAttack
from hedgerow.attacks.file_input import FileInput, numbers_of
from hedgerow.base.errors import DataError, PlanError
from hedgerow.base.jit import kernel
from hedgerow.engines import open_engine
from hedgerow.table.groups import Floats, Ints

Flags = NDArray[np.bool_]
Noise = Literal["signed", "one-sided", "numpy", "lattice"]

_RISING, _FALLING, _LOWER, _UPPER = range(4)
BRANCHES: dict[str, tuple[int, ...]] = {
    "signed": (_RISING, _FALLING),
    "one-sided": (_RISING,),
    "numpy": (_LOWER, _UPPER),
}
"""The pieces of each way to make noise; on each, answers rise or fall with U."""
BITS = 53
"""Of U in Python's `random()` and numpy's generators: a multiple of 2^-53."""
NEAR = 2
"""Neighbours of U also tried, should a logarithm fall for once where it ought to rise."""


def fits(
    outputs: ArrayLike,
    *,
    candidates: ArrayLike,
    scale: float = 1.0,
    noise: Noise = "signed",
    bits: int = BITS,
    granularity: float = 1.0,
) -> Flags:
    """Whether each output can have been made from each candidate; outputs by candidates.

    U is searched for by halving, as answers only rise or only fall with it: exact, and the same
    work however many U lead to one answer.

    Args:
        outputs: Published answers.
        candidates: Values f they may have been made from.
        scale: The noise's b.
        noise: "signed": f + b ln U or f - b ln U, by a coin. "one-sided": f + b ln U. "numpy": as
            numpy's `laplace(f, b)` computes it. "lattice": f plus a multiple of the granularity.
        bits: U is one of the multiples of 2^-bits between 0 and 1.
        granularity: Of the lattice; a power of two.

    Raises:
        DataError: Outputs or candidates are not finite numbers.
        PlanError: There is no such noise.

    From U of two bits (1/4, 1/2, 3/4) noise is ln U = -1.39, -0.69, -0.29; to 1 it gives -0.39:

    >>> fits([1 + math.log(0.25)], candidates=[0, 1], noise="one-sided", bits=2)
    array([[False,  True]])
    """
    y, f = _finite(outputs, "outputs"), _finite(candidates, "candidates")
    if noise == "lattice":
        if (
            not (granularity > 0 and math.isfinite(granularity))
            or math.frexp(granularity)[0] != 0.5
        ):
            raise PlanError(
                f"a granularity of {granularity} is no power of two",
                fix="Give 1, 0.5, 0.25 and the like: other grids cannot be held exactly.",
            )
        # Exact: dividing by a power of two only moves the binary point.
        return np.asarray(np.mod(y / granularity, 1)[:, None] == np.mod(f / granularity, 1))
    if noise not in BRANCHES:
        raise PlanError(f"there is no noise {noise!r}", fix="See the names in `fits`.")
    if not (0 < scale < math.inf and 1 <= bits <= BITS):
        raise PlanError(
            f"noise of scale {scale} from {bits} bits does not exist",
            fix=f"Give a positive scale, and 1 to {BITS} bits.",
        )
    return _fits(y, f, float(scale), np.array(BRANCHES[noise]), int(bits))


def identifies(
    outputs: ArrayLike,
    *,
    candidates: ArrayLike,
    scale: float = 1.0,
    truth: ArrayLike | None = None,
    noise: Noise = "signed",
    bits: int = BITS,
    granularity: float = 1.0,
) -> AttackResult:
    """Tell values apart by the answers they cannot give.

    The attacker knows: how noise is made, its scale, and a few values the true one is among.
    For each output they name the candidate that can have given it, and one of them at random
    where several can, or none. A success: the named one is the true one; where they draw, the
    chance of it counts. The baseline: one of the candidates, at random, without the output. So
    the gain is the share of outputs that give the value away for certain, less those that
    mislead. Which value is likelier is not looked at: that much noise of any epsilon tells.

    Args:
        outputs: Published answers.
        candidates: At least two different values they may have been made from.
        scale: See `fits`, as for noise, bits and granularity.
        truth: The true value, or one for each output; if left out, a single value that fits is
            taken to be it.
        noise: How noise is made.
        bits: Of U.
        granularity: Of a lattice.

    Raises:
        DataError: There are no outputs, outputs or candidates are not finite numbers, or the
            truth is no candidate.
        PlanError: There is no such noise.

    Reference: Mironov, On significance of the least significant bits for differential privacy
    (CCS 2012).

    >>> answers = [1 + math.log(0.25), 0 + math.log(0.5)]
    >>> found = identifies(answers, candidates=[0, 1], truth=[1, 0], noise="one-sided", bits=2)
    >>> found.gain, found.detail["identified"], found.detail["wrong"]
    (1.0, 2, 0)

    Noise in whole numbers leads from either value to every whole number:

    >>> identifies([3, -1], candidates=[0, 1], truth=0, noise="lattice").gain
    0.0
    """
    y, f = _finite(outputs, "outputs"), np.unique(_finite(candidates, "candidates"))
    if not len(y):
        raise DataError("there are no outputs to judge", where="outputs", fix="Give some.")
    if len(f) < 2:
        raise DataError("there are not two candidates to tell apart", where="candidates")
    can = fits(y, candidates=f, scale=scale, noise=noise, bits=bits, granularity=granularity)
    count = can.sum(axis=1)
    identified = count == 1
    true = np.argmax(can, axis=1) if truth is None else _places(truth, f, len(y))
    holds = can[np.arange(len(y)), true]
    wrong = int((identified & ~holds).sum())
    right = int((identified & holds).sum())
    # Where nothing fits, all are as likely as before; where several do, the others are out.
    drawn = np.where(count == 0, 1 / len(f), np.where(holds, 1 / np.maximum(count, 1), 0.0))
    successes = min(right + float(drawn[~identified].sum()), float(len(y)))
    share = float(identified.mean())
    nowhere = int((count == 0).sum())
    return AttackResult(
        attack="floating-point",
        goal="the value behind an output is named",
        found=Rate(successes=successes, guesses=len(y)),
        baseline=Rate(successes=len(y) / len(f), guesses=len(y)),
        sentences=_sentences(share, 0 if truth is None else wrong, nowhere),
        detail={
            "noise": noise,
            "scale": float(scale),
            "outputs": len(y),
            "candidates": [float(value) for value in f],
            "identified": int(identified.sum()),
            "share_identified": share,
            "wrong": None if truth is None else wrong,
            "from_nowhere": nowhere,
        },
    )


def _sentences(share: float, wrong: int, nowhere: int) -> tuple[str, ...]:
    told = []
    # Where noise was made in another way, fitting one value only is no certainty.
    if share and (wrong or nowhere):
        told.append(f"{share:.1%} of the outputs fit one value only.")
    elif share:
        told.append(
            f"{share:.1%} of the outputs can come from one value only: whoever sees such an "
            "output knows the value for certain, whatever epsilon was promised."
        )
    elif nowhere:
        told.append("No output fits one value only.")
    else:
        told.append("No output gives its value away.")
    if wrong:
        told.append(f"{wrong:,} of them name a wrong value: noise was made in another way.")
    if nowhere:
        told.append(
            f"{nowhere:,} outputs can come from none of the values: noise was made in another "
            "way, or the value is another."
        )
    return tuple(told)


@kernel
def _made(f: float, scale: float, branch: int, u: float) -> float:
    """An output, by the same operations in the same order as the noise under attack.

    Args:
        f: The value it is made from.
        scale: The noise's b.
        branch: Which piece of the noise: _RISING, _FALLING, _LOWER or _UPPER.
        u: The random number U, between 0 and 1.
    """
    if branch == _RISING:
        return f + scale * math.log(u)
    if branch == _FALLING:
        return f - scale * math.log(u)
    if branch == _LOWER:
        return f + scale * math.log(u + u)
    return f - scale * math.log(2.0 - u - u)


@kernel
def _reaches(y: float, f: float, scale: float, branch: int, bits: int) -> bool:
    """Whether some U leads from a value to an output, on one branch.

    Args:
        y: The output.
        f: The value.
        scale: The noise's b.
        branch: See `_made`.
        bits: U is a multiple of 2^-bits.
    """
    step, first, last = 0.5**bits, 1, 2**bits - 1
    if branch == _LOWER:
        last = 2 ** (bits - 1) - 1
    elif branch == _UPPER:
        first = 2 ** (bits - 1)
    low, high = first, last
    while low < high:
        middle = (low + high) // 2
        made = _made(f, scale, branch, middle * step)
        if (made <= y) if branch == _FALLING else (made >= y):
            high = middle
        else:
            low = middle + 1
    for i in range(max(first, low - NEAR), min(last, low + NEAR) + 1):
        if _made(f, scale, branch, i * step) == y:
            return True
    return False


@kernel
def _fits(y: Floats, f: Floats, scale: float, branches: Ints, bits: int) -> Flags:
    """Outputs by candidates: whether some U leads from the one to the other, on any branch.

    Args:
        y: The outputs.
        f: The candidates.
        scale: The noise's b.
        branches: The pieces of the noise; see `_made`.
        bits: U is a multiple of 2^-bits.
    """
    found = np.zeros((len(y), len(f)), np.bool_)
    for i in range(len(y)):
        for j in range(len(f)):
            for branch in branches:
                if _reaches(y[i], f[j], scale, branch, bits):
                    found[i, j] = True
                    break
    return found


def _places(truth: ArrayLike, f: Floats, outputs: int) -> Ints:
    true = _finite(truth, "truth")
    if len(true) not in (1, outputs) or not np.isin(true, f).all():
        raise DataError("the truth is not one of the candidates for each output", where="truth")
    return np.broadcast_to(np.searchsorted(f, true), outputs)


def _finite(values: ArrayLike, what: str) -> Floats:
    try:
        found = np.atleast_1d(np.asarray(values, np.float64))
    except (TypeError, ValueError):
        raise DataError("these are no numbers", where=what) from None
    if found.ndim != 1 or not np.isfinite(found).all():
        raise DataError("these are not finite numbers in one row", where=what)
    return found


def _attempt(read: FileInput) -> AttackResult:
    file = read.file(0, "a file of outputs")
    with open_engine(file) as engine:
        known = "truth" in engine.columns()
    outputs, *truth = numbers_of(file, "output", *(["truth"] if known else []))
    try:
        candidates = [float(text) for text in read.word("candidates", "0,1").split(",")]
    except ValueError:
        raise PlanError("candidates are numbers", fix="Say --know candidates=0,1.") from None
    noise: Any = read.word("noise", "signed")
    return identifies(
        outputs, candidates=candidates, scale=read.number("scale", 1.0), noise=noise,
        truth=truth[0] if truth else None,
    )  # fmt: skip


FLOATING_POINT = FileAttack(
    name="floating-point",
    asks="Which value can an output with careless noise have been made from?",
    success="the value behind an output is named",
    reads="outputs of naive noise (`output`, and `truth` where it is known)",
    most=1,
    needs=(),
    knows={
        "scale": "Of the noise; 1 if left out.",
        "candidates": "The values it may have been, as in 0,1.",
        "noise": "How it was made: signed, one-sided, numpy or lattice.",
    },
    attempt=_attempt,
    reference="Mironov 2012 (CCS).",
)
