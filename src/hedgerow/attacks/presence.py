"""Is somebody in the table? Read it off ordinary k-anonymisers, and fail at the safe one.

The attacker knows everybody else and the record of one person, and has to tell two tables apart:
with that person, and without. A coin is right half of the time. How many rows are published is
not looked at, as it would give the answer away by itself: only which tuples are. An anonymiser
that uses no randomness is run by the attacker on both tables. If the sets of published tuples
differ, whoever sees one of them knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.declaration import PLAN, FileAttack
from hedgerow.attacks.file_input import FileInput
from hedgerow.attacks.gains import Gains
from hedgerow.base.errors import DataError, PlanError, nearest, some
from hedgerow.engines import open_engine
from hedgerow.table.cells import Cells

if TYPE_CHECKING:
    from hedgerow.noise.sampling.pipeline import SafeAnonymisation
    from hedgerow.recode.recoding import Recoding

COIN = Fraction(1, 2)
LARGEST = 5000
"""People in the largest group that is computed exactly."""

TARGETS = 20
"""People who are looked for, where nobody says how many."""
SAFE = "safe"

Anonymiser = Callable[[Cells], "Recoding"]
Tuples = frozenset[tuple[str | None, ...]]


@dataclass(frozen=True, kw_only=True)
class PresenceGuess:
    """How often the attacker is right, next to a coin."""

    method: str
    success: Fraction
    bound: Fraction
    """No attacker is right more often: 1 where nothing is promised."""
    with_person: Tuples = frozenset()
    """Tuples that are published only if the person is there."""
    without: Tuples = frozenset()
    """Tuples that are published only if not."""

    @property
    def gain(self) -> Fraction:
        """Over a coin, from 0 to 1."""
        return 2 * (self.success - COIN)


def ordinary(k: int) -> Mapping[str, Anonymiser]:
    """Three ways to make a table k-anonymous that look at the data to choose their groups."""
    from hedgerow.claims.anonymity import KAnonymity
    from hedgerow.recode.constraints import SearchConstraints
    from hedgerow.recode.full_domain import full_domain
    from hedgerow.recode.metrics import GeneralisationLoss
    from hedgerow.recode.microaggregation import microaggregation
    from hedgerow.recode.mondrian import mondrian

    claims = (KAnonymity(k=k),)
    return {
        "mondrian": lambda cells: mondrian(cells, claims),
        "lattice": lambda cells: full_domain(
            cells, SearchConstraints(claims, limit=0), GeneralisationLoss()
        ),
        "microaggregation": lambda cells: microaggregation(cells, k=k),
    }


def tuples(recoding: Recoding) -> Tuples:
    """Which tuples a release shows, not how often."""
    columns = [label.tolist() for label in recoding.labels]
    return frozenset(zip(*columns, strict=True))


def read_presence(method: str, *, there: Tuples, gone: Tuples) -> PresenceGuess:
    """What follows from what an anonymiser without randomness publishes.

    Args:
        method: Its name.
        there: The tuples it publishes of the table with the person.
        gone: Those of the table without.
    """
    return PresenceGuess(
        method=method,
        success=COIN if there == gone else Fraction(1),
        bound=Fraction(1),
        with_person=there - gone,
        without=gone - there,
    )


def best_guess(safe: SafeAnonymisation, *, people: int) -> PresenceGuess:
    """The best that can be made of a safe release of a public recoding, exactly.

    The person's group has so many people with them. All that depends on the person is the number
    published of that group. It is best to guess that they are there if it is at least beta times
    the people (such numbers are likelier then), and else that they are not: the guess is right
    with probability 1/2 + (P[Bin(n) >= t] - P[Bin(n - 1) >= t]) / 2, where t is the least number
    that is published and above beta n.

    Raises:
        PlanError: The recoding is chosen by the data, or the group is too large to sum up.
    """
    from hedgerow.noise.rounding import exact, whole
    from hedgerow.noise.semantics import truth

    n = whole("people", people)
    if safe.choice or n > LARGEST:
        raise PlanError(f"guesses are computed for public recodings and groups up to {LARGEST:,}")
    beta = exact("beta", safe.beta)
    least = _least(safe, n)
    # P[Bin(n) >= t] - P[Bin(n-1) >= t] = beta P[Bin(n-1) = t - 1].
    more = beta * _chance(least - 1, n - 1, beta)
    return PresenceGuess(
        method="safe", success=COIN + more / 2, bound=truth(safe.loss.approximate())
    )


def _least(safe: SafeAnonymisation, people: int) -> int:
    """The least published number that speaks for the person."""
    return max(safe.k, int(safe.beta * people) + 1)


def _chance(j: int, n: int, beta: Fraction) -> Fraction:
    return comb(n, j) * beta**j * (1 - beta) ** (n - j) if 0 <= j <= n else Fraction(0)


def presence(
    cells: Cells, anonymise: Anonymiser, *, method: str, targets: int, rng: np.random.Generator
) -> AttackResult:
    """Look for some people of a table in what an anonymiser publishes with and without them.

    Knows: Everybody else in the table, the record of the target, and how the table is published.
    Success: It is known whether the target is in the table.
    Baseline: A coin.
    Reference: Li, Qardaji, Su 2012 (ASIACCS), Section 3: why k-anonymity alone is not safe.

    Args:
        cells: The people of the table.
        anonymise: From cells to a recoding.
        method: What it is called.
        targets: How many people are looked for; each takes one more run of the anonymiser.
        rng: Of the choice of targets.
    """
    chosen = _chosen(cells, targets, rng)
    there = tuples(anonymise(cells))
    guesses = [
        read_presence(method, there=there, gone=tuples(anonymise(_without(cells, cell))))
        for cell in chosen
    ]
    return _result(method, guesses)


def safe_presence(
    cells: Cells, safe: SafeAnonymisation, *, targets: int, rng: np.random.Generator
) -> AttackResult:
    """The same against a safe release of the table, recoded as it is: the best guess, exactly."""
    sizes = np.bincount(cells.tuples[1], weights=cells.n).astype(np.int64)
    people = sizes[cells.tuples[1][_chosen(cells, targets, rng)]]
    found = {n: best_guess(safe, people=n) for n in set(people.tolist())}
    return _result(SAFE, [found[n] for n in people.tolist()])


def _chosen(cells: Cells, targets: int, rng: np.random.Generator) -> list[int]:
    """The cells of people who are looked for."""
    total = int(cells.n.sum())
    if targets < 1 or total < 2:
        raise DataError(
            f"{targets:,} people are looked for in a table of {total:,}",
            fix="Look for at least one, in a table of at least two.",
        )
    places = np.sort(rng.choice(total, min(targets, total), replace=False))
    return [int(cell) for cell in np.searchsorted(np.cumsum(cells.n), places, side="right")]


def _without(cells: Cells, cell: int) -> Cells:
    """The table without one person of a cell."""
    n = cells.n.copy()
    n[cell] -= 1
    kept = n > 0
    return replace(cells, q=cells.q[kept], n=n[kept], rows=n[kept])


def _result(method: str, guesses: list[PresenceGuess]) -> AttackResult:
    many = len(guesses)
    success = sum((guess.success for guess in guesses), Fraction(0))
    belief = np.array([float(guess.success) for guess in guesses])
    seen = np.array([guess.success == 1 for guess in guesses], np.bool_)
    return AttackResult(
        attack="presence",
        goal="it is known whether a person is in the table",
        found=Rate(successes=float(success), guesses=many),
        baseline=Rate(successes=many / 2, guesses=many),
        gains=Gains.believed(belief, np.full(many, 0.5), seen),
        sentences=tuple(_sentences(method, guesses, int(seen.sum()))),
        detail={"method": method, "seen": int(seen.sum()), "highest": float(belief.max())},
    )


def _sentences(method: str, guesses: list[PresenceGuess], seen: int) -> Iterator[str]:
    many = len(guesses)
    if method == SAFE:
        best = max(guess.success for guess in guesses)
        bound = max(guess.bound for guess in guesses)
        yield (
            f"The best guess about one of {many:,} people is right with probability "
            f"{float(best):.3f}; the release promises at most {float(bound):.3f}, a coin has 0.5."
        )
        return
    yield (
        f"What {method} publishes changes if one person leaves the table, for {seen:,} of "
        f"{many:,} people: whoever knows the others knows whether they are there."
    )
    telling = next((sorted(map(str, guess.with_person)) for guess in guesses
                    if guess.with_person), [])  # fmt: skip
    if telling:
        yield f"Published only with the person: {some(telling, most=3)}."


def _attempt(read: FileInput) -> AttackResult:
    from hedgerow.table.cell_table import read_cells

    assert read.plan is not None, "it needs it"
    method = read.word("method", "mondrian")
    ways = ordinary(read.whole("k", 5))
    if method not in (*ways, SAFE):
        near = nearest(method, (*ways, SAFE))
        raise PlanError(
            f"there is no method {method!r}",
            fix=f"Did you mean {near!r}?" if near else f"There are {some((*ways, SAFE), most=9)}.",
        )
    raw = read.file(0, "a raw table")
    with open_engine(raw, null=read.plan.null, form=read.plan.form_for(raw)) as engine:
        counted = read_cells(engine, read.plan.rules(), read.plan.schema(engine.columns()))
    # Only what is published of everybody is looked at, and a person is one row of it.
    cells = Cells(counted.hierarchies, counted.q, counted.n, counted.n)
    targets, rng = read.whole("targets", TARGETS), np.random.default_rng(read.seed)
    if method != SAFE:
        return presence(cells, ways[method], method=method, targets=targets, rng=rng)
    from hedgerow.noise.sampling.pipeline import SafeAnonymisation

    safe = SafeAnonymisation.keeping(
        beta=read.word("beta", "0.8"),
        epsilon=read.word("epsilon", "1"),
        delta=read.word("delta", "1e-6"),
    )
    return safe_presence(cells, safe, targets=targets, rng=rng)


PRESENCE = FileAttack(
    name="presence",
    asks="Does what is published tell whether somebody is in the table?",
    success="it is known whether a person is in the table",
    reads="a raw table, which is published with and without a person",
    most=1,
    needs=(PLAN,),
    knows={
        "method": "mondrian, lattice, microaggregation or safe.",
        "k": "Of mondrian, lattice and microaggregation; 5 if left out.",
        "targets": f"People who are looked for; {TARGETS} if left out.",
        "beta": "Of safe: the share of people who are drawn; 0.8 if left out.",
        "epsilon": "Of safe; 1 if left out.",
        "delta": "Of safe; 1e-6 if left out.",
    },
    attempt=_attempt,
    reference="Li, Qardaji, Su 2012 (ASIACCS), Section 3.",
)
