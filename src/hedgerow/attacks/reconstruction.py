"""Reconstruction: enough sums over subsets give the secret bits back, noise or not.

Each person has a bit, each answer says roughly how many in a subset have theirs set. With errors
small beside the square root of the subsets' size, a few answers for each person are enough.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.declaration import TRUTH, FileAttack, Need
from hedgerow.attacks.file_input import FileInput, called, parsed, texts_of
from hedgerow.base.errors import DataError, PlanError, some
from hedgerow.table.groups import Floats

Flags = NDArray[np.bool_]
Method = Literal["least squares", "linear program", "exhaustive"]

MOST_ENUMERATED = 16
"""People whose bits are all tried, at most: 65,536 combinations."""
CELLS = 4_000_000
"""Numbers drawn or compared at a time."""


def subset_queries(
    people: int, queries: int, *, rng: np.random.Generator, share: float = 0.5
) -> Any:
    """Random subsets, as a sparse matrix of queries by people.

    Args:
        people: How many there are.
        queries: How many subsets.
        rng: Where chance comes from.
        share: Everybody is in a subset with this probability, independently. Half is Dinur and
            Nissim's; the linear program is quicker with few people in each.
    """
    from scipy import sparse

    if people < 1 or queries < 1 or not 0 < share <= 1:
        raise PlanError(
            f"{queries} subsets of {people} people, a share of {share} in each, do not exist"
        )
    block = max(1, CELLS // people)
    blocks = [
        sparse.csr_matrix(rng.random((min(block, queries - start), people)) < share, dtype=float)
        for start in range(0, queries, block)
    ]
    return sparse.vstack(blocks, format="csr")


def least_squares(queries: Any, answers: ArrayLike) -> Floats:
    """The bits, as real numbers, that explain the answers best; the nearest to ½ where many do.

    1,000 people and 8,000 subsets of half of them: a fifth of a second.

    >>> least_squares([[1, 1, 0], [0, 1, 1], [1, 0, 1]], [1.1, 1.0, 1.9]).round(2)
    array([1. , 0.1, 0.9])
    """
    from scipy.sparse.linalg import lsqr

    q, a = _asked(queries, answers)
    middle = np.full(q.shape[1], 0.5)
    moved = lsqr(q, a - q @ middle, atol=1e-10, btol=1e-10)[0]
    return np.asarray(middle + moved, np.float64)


def linear_program(queries: Any, answers: ArrayLike, *, error: float | None = None) -> Floats:
    """Bits between 0 and 1 that miss the answers by the least sum, or each by at most `error`.

    The least sum withstands a few answers that are altogether wrong. 1,000 people, 4,000 subsets
    of about 30: a second; of 500: a quarter of a minute.

    Raises:
        DataError: No bits come that close to every answer.

    >>> linear_program([[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]], [1, 1, 2, 9]).round(6)
    array([1., 0., 1.])
    """
    from scipy import sparse
    from scipy.optimize import linprog

    q, a = _asked(queries, answers)
    m, n = q.shape
    apart = sparse.identity(m, format="csr")
    if error is None:
        # An answer lies above or below its sum; the cost is both distances.
        equal = sparse.hstack([q, apart, -apart], format="csr")
        cost = np.r_[np.zeros(n), np.ones(2 * m)]
        low, high = np.zeros(n + 2 * m), np.r_[np.ones(n), np.full(2 * m, np.inf)]
    else:
        _positive(error)
        equal = sparse.hstack([q, apart], format="csr")
        cost = np.zeros(n + m)
        low, high = np.r_[np.zeros(n), np.full(m, -error)], np.r_[np.ones(n), np.full(m, error)]
    bounds = np.stack([low, high], axis=1)
    # Interior points: the simplex method takes twenty times as long here.
    solved = linprog(cost, A_eq=equal, b_eq=a, bounds=bounds, method="highs-ipm")
    if solved.x is None:
        raise _contradiction(error)
    return np.clip(np.asarray(solved.x[:n], np.float64), 0.0, 1.0)


def consistent(queries: Any, answers: ArrayLike, *, error: float) -> Flags:
    """All combinations of bits that miss no answer by more than `error`; a row for each.

    Where every subset was asked for, any two of them, and so any of them and the truth, differ
    in at most 4 `error` places: in the places where only one of them has ones, their sums are
    apart by the number of places, and both are within `error` of one answer.

    Raises:
        DataError: There are too many people to try all combinations.

    >>> consistent([[1, 1], [1, 0]], [1, 0.6], error=0.5).astype(int)
    array([[1, 0]])
    """
    q, a = _asked(queries, answers)
    _positive(error)
    n = q.shape[1]
    if n > MOST_ENUMERATED:
        raise DataError(
            f"{n:,} people have too many combinations to try all",
            fix=f"Try at most {MOST_ENUMERATED}, or another method.",
        )
    left: Flags = (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(np.bool_)
    block = CELLS >> n
    for start in range(0, q.shape[0], block):
        sums = (q[start : start + block] @ left.T.astype(np.float64)).T
        left = left[(np.abs(sums - a[start : start + block]) <= error + 1e-9).all(axis=1)]
    return left


def reconstruction(
    queries: Any,
    answers: ArrayLike,
    *,
    truth: ArrayLike,
    method: Method = "least squares",
    error: float | None = None,
) -> AttackResult:
    """Find everybody's bit from noisy answers to sums over subsets.

    The attacker knows: who is in which subset, and the answers; for some methods a bound on
    their errors. A success: a person's bit is right. The baseline: everybody is given the more
    common bit.

    Args:
        queries: Queries by people, 1 where somebody is in a subset; dense or sparse.
        answers: One for each query.
        truth: Everybody's bit.
        method: Least squares is quickest; a linear program withstands wrong answers, or uses
            `error`; exhaustive search is for up to 16 people and needs `error`.
        error: No answer is wrong by more.

    Raises:
        DataError: Shapes do not fit, or no bits agree with the answers.
        PlanError: The method is unknown, or cannot do without, or with, an error.

    Reference: Dinur and Nissim (PODS 2003), as told in paper 002: errors of o(√n) in n log² n
    answers give away nearly all bits. Errors far above √n do not.

    >>> subsets = [[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]]
    >>> found = reconstruction(subsets, [1.2, 0.9, 2.1, 1.8], truth=[1, 0, 1])
    >>> found.found.successes, found.baseline.successes
    (3, 2)
    """
    q, a = _asked(queries, answers)
    bits = np.asarray(truth)
    n = q.shape[1]
    if bits.shape != (n,) or not np.isin(bits, (0, 1)).all():
        raise DataError(f"the truth is not a bit for each of {n:,} people", where="truth")
    guess = _guessed(q, a, method, error)
    right, ones = int((guess == (bits == 1)).sum()), int(bits.sum())
    missed = np.abs(q @ guess.astype(np.float64) - a)
    found, baseline = (
        Rate(successes=right, guesses=n),
        Rate(successes=max(ones, n - ones), guesses=n),
    )
    return AttackResult(
        attack="reconstruction",
        goal="a person's bit is right",
        found=found,
        baseline=baseline,
        sentences=(
            f"{right:,} of {n:,} people's bits are right ({found.value:.1%}); giving everybody the "
            f"more common one makes {baseline.successes:,} right ({baseline.value:.1%}).",
            f"{len(a):,} answers were used, {len(a) / n:.1f} for each person; the bits found miss "
            f"them by {missed.mean():.3g} on average.",
        ),
        detail={
            "method": method,
            "people": n,
            "queries": len(a),
            "error": error,
            "average_subset": float(q.sum() / len(a)),
            "missed_by": {"mean": float(missed.mean()), "most": float(missed.max())},
        },
    )


def _guessed(q: Any, a: Floats, method: str, error: float | None) -> Flags:
    if method == "least squares":
        if error is not None:
            raise PlanError(
                "least squares has no use for a bound on the error",
                fix="Leave it out, or use a linear program.",
            )
        return least_squares(q, a) > 0.5
    if method == "linear program":
        return linear_program(q, a, error=error) > 0.5
    if method != "exhaustive":
        raise PlanError(
            f"there is no method {method!r}",
            fix="There are 'least squares', 'linear program' and 'exhaustive'.",
        )
    if error is None:
        raise PlanError("exhaustive search needs a bound on the error", fix="Give error=...")
    found = consistent(q, a, error=error)
    if not len(found):
        raise _contradiction(error)
    first: Flags = found[0]
    return first


def _asked(queries: Any, answers: ArrayLike) -> tuple[Any, Floats]:
    from scipy import sparse

    try:
        q = sparse.csr_matrix(queries, dtype=np.float64)
        a = np.asarray(answers, np.float64)
    except (TypeError, ValueError):
        raise DataError("queries or answers are not numbers in rows of equal length") from None
    if not q.shape[0] or not q.shape[1] or a.shape != (q.shape[0],):
        raise DataError(
            f"queries {q.shape} and answers {a.shape} do not fit",
            fix="Give a row for each query, a column for each person, an answer for each row.",
        )
    if not np.isfinite(a).all() or not np.isin(q.data, (0, 1)).all():
        raise DataError("answers are not finite, or somebody is in a subset in part")
    return q, a


def _positive(error: float) -> None:
    if not 0 <= error < np.inf:
        raise PlanError(f"an error of {error} bounds nothing", fix="Give a number of at least 0.")


def _contradiction(error: float | None) -> DataError:
    return DataError(
        f"no bits are within {error} of every answer",
        where="answers",
        fix="The answers are further off than that, or about other people: give a larger error.",
    )


def _attempt(read: FileInput) -> AttackResult:
    from scipy.sparse import csr_matrix

    subsets, results = read.file(0, "a file of queries"), read.file(1, "a file of answers")
    query, person = texts_of(subsets, "query", "person")
    asked, answer = texts_of(results, "query", "answer")
    who, value = texts_of(read.truth, "person", "value")
    rows, columns = _once(asked, results, "query"), _once(who, read.truth, "person")
    for names, known, what in ((query, rows, "answer"), (person, columns, "value")):
        if lost := [name for name in dict.fromkeys(names) if name not in known]:
            raise DataError(f"there is no {what} for {some(lost)}", fix="Give all of them.")
    if not query:
        raise DataError("nobody is in any query", where=called(subsets))
    places = [rows[name] for name in query], [columns[name] for name in person]
    matrix = csr_matrix((np.ones(len(query)), places), shape=(len(rows), len(columns)))
    if matrix.nnz < len(query):
        raise DataError(
            f"{len(query) - matrix.nnz:,} rows say again that somebody is in a query",
            where=called(subsets),
            fix="Give everybody in a subset once.",
        )
    error = read.number("error") if "error" in read.given else None
    method: Any = read.word("method", "least squares")
    answers, bits = parsed(answer, results, "answer"), parsed(value, read.truth, "value")
    return reconstruction(matrix, answers, truth=bits, method=method, error=error)


def _once(names: Sequence[str | None], file: Any, column: str) -> dict[str | None, int]:
    """The row of each name.

    Raises:
        DataError: One is there twice, or missing.
    """
    wrong = [name for name, times in Counter(names).items() if times > 1 or name is None]
    if wrong:
        raise DataError(
            f"a {column} has no name, or more than one row: {some(wrong)}",
            where=f"{called(file)}, column {column!r}",
            fix="Give each a name and one row.",
        )
    return {name: i for i, name in enumerate(names)}


RECONSTRUCTION = FileAttack(
    name="reconstruction",
    asks="Do many answers about subsets of people give everybody's secret bit away?",
    success="a person's bit is right",
    reads="who is in which subset (`query`, `person`), and the answers (`query`, `answer`)",
    most=2,
    needs=(Need("the truth: `person` and `value`", "--truth", TRUTH.given),),
    knows={
        "method": "least squares, linear program or exhaustive.",
        "error": "The largest error of an answer, where it is known.",
    },
    attempt=_attempt,
    reference="Dinur, Nissim 2003 (PODS).",
)
