"""Beliefs estimated by random worlds, where counting them takes too long.

An estimate is no proof, and no claim rests on one. Several chains start far apart, and each is one
observation: the interval is as wide as they differ. Where they do not agree, or hardly find a world
that fits, nothing is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import sqrt

import numpy as np

from hedgerow.attacks.world_chain import ChainBoard, WorldChain, board_of
from hedgerow.claims.worlds.bounds import CountBounds
from hedgerow.claims.worlds.knowledge import Knowledge
from hedgerow.table.groups import Floats, Ints

RATE = 0.95
"""How often an interval has the belief in it: of each value by itself."""
CHAINS = 8
BATCHES = 16
"""Parts of each chain that are compared."""
STEPS = 6_000_000
"""Of all chains together: two or three seconds on two cores."""
WARM = 0.25
"""The share of the steps that are only taken to get to worlds that fit."""
AGREEMENT = 1.1
"""Chains agree where the split R-hat of their batches is at most this (Gelman, Rubin 1992)."""
FEWEST = 4
"""How many batches of each half of each chain must have been at worlds that fit."""
MOST_CELLS = 20_000_000
"""Cells of all tables of a component that is sampled: kinds, groups and people by values."""


@dataclass(frozen=True)
class SampledBelief:
    """An estimate. The interval is wrong in one case of twenty (see RATE)."""

    low: float
    middle: float
    high: float


@dataclass(frozen=True, eq=False)
class WorldSample:
    """What chains saw of some kinds of people at worlds that fit."""

    share: Floats
    """Chains by batches by kinds by values: the share of the people; nan where no world fitted."""
    weight: Floats
    """Chains by batches: steps at worlds that fit."""
    visits: int
    """How often a chain came to worlds that fit."""
    bounds: CountBounds
    """What is proven of these kinds."""
    failure: str | None
    """Why nothing is estimated of anybody; None where something may be."""

    def belief(self, kind: int, values: Sequence[int]) -> SampledBelief | None:
        """How likely somebody of a kind has one of these values; None where chains disagree.

        Args:
            kind: Place among those that were asked about.
            values: One or more.
        """
        if self.failure is not None:
            return None
        mine: Floats = self.share[:, :, kind, :]
        batches = mine[:, :, list(values)].sum(axis=2)
        if _disagreement(batches) > AGREEMENT:
            return None
        each = self._means(mine)
        chain = each[:, list(values)].sum(axis=1)
        low, high = interval(chain, fewest=_independent(each))
        people = int(self.bounds.people[kind])
        # Proven of each value, so of the sum as well.
        least = int(self.bounds.least[kind, list(values)].sum()) / people
        most = min(1.0, int(self.bounds.most[kind, list(values)].sum()) / people)
        if high < least or low > most:
            return None
        low, high = max(low, least), min(high, most)
        return SampledBelief(low, min(max(float(chain.mean()), low), high), high)

    def _means(self, share: Floats) -> Floats:
        """Chains by values, from chains by batches by values."""
        weight = self.weight[:, :, None]
        total: Floats = np.nansum(share * weight, axis=1) / weight.sum(axis=1)
        return total


def sample(
    knowledge: Knowledge,
    bounds: CountBounds,
    kinds: Sequence[int],
    *,
    seed: int = 0,
    steps: int = STEPS,
) -> WorldSample:
    """Estimate what is believed of some kinds of people.

    Args:
        knowledge: What the attacker has: one component.
        bounds: What is proven of it.
        kinds: Who is asked about.
        seed: Of the chains.
        steps: Of all chains together.

    Ann and Bob have flu and gout between them. By another release Bob and Cem have flu and acne:

    >>> from hedgerow.claims.worlds.bounds import bounds
    >>> two = Knowledge.of_groups([[[1, 1, 0], [0, 0, 1]], [[1, 0, 1], [0, 1, 0]]],
    ...                           [[[0], [0], [1]], [[1], [0], [0]]])
    >>> sample(two, bounds(two), [0], steps=20_000).belief(0, [1])
    SampledBelief(low=1.0, middle=1.0, high=1.0)
    """
    asked = np.array(kinds, np.int64)
    mine = CountBounds(bounds.least[asked], bounds.most[asked], bounds.people[asked])
    empty = np.zeros((CHAINS, 0, len(asked), knowledge.values)), np.zeros((CHAINS, 0))
    cells = sum(np.prod(one.dense().shape) for one in knowledge.shown)
    people = int(knowledge.people.sum())
    if knowledge.kinds * knowledge.values + cells + people * len(knowledge.shown) > MOST_CELLS:
        return WorldSample(*empty, 0, mine, "there are too many people and values")
    if not (bounds.most > 0).any(axis=1).all() or bounds.contradicted:
        return WorldSample(*empty, 0, mine, "no world fits")
    board = board_of(knowledge, bounds.most > 0)
    if not (np.diff(board.value_start) > 0).all():
        return WorldSample(*empty, 0, mine, "no world fits")
    rngs = [np.random.default_rng([seed, chain]) for chain in range(CHAINS)]
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda rng: _run(board, rng, asked, steps // CHAINS), rngs))
    share = np.stack([run[0] for run in runs]) / np.maximum(1, mine.people)[None, None, :, None]
    weight = np.stack([run[1] for run in runs])
    visits = sum(run[2] for run in runs)
    halves = (weight > 0).reshape(CHAINS, 2, -1).sum(axis=2)
    failure = None
    if (halves < FEWEST).any():
        failure = (
            f"{int((halves < FEWEST).any(axis=1).sum())} of {CHAINS} chains found too few worlds "
            "that fit"
        )
    return WorldSample(share, weight, visits, mine, failure)


def _run(
    board: ChainBoard, rng: np.random.Generator, asked: Ints, steps: int
) -> tuple[Floats, Floats, int]:
    """One chain: people who have each value, of each batch; its steps that fit; and visits."""
    share = np.full((BATCHES, len(asked), board.allowed.shape[1]), np.nan)
    weight, visits = np.zeros(BATCHES), 0
    chain = WorldChain.begin(board, rng)
    if not chain.warm(int(steps * WARM)):
        return share, weight, visits
    for batch in range(BATCHES):
        tally = chain.run(int(steps * (1 - WARM)) // BATCHES, asked)
        weight[batch] = tally.clock[0]
        visits += int(tally.clock[1])
        if tally.clock[0]:
            share[batch] = tally.total / tally.clock[0]
    return share, weight, visits


def interval(chain: Floats, *, fewest: float) -> tuple[float, float]:
    """Where a probability is, from one independent estimate of each chain.

    Student's interval, and that of Clopper and Pearson for as many independent draws as there
    were, put together: the second is not empty where all chains saw the same.

    Args:
        chain: The estimates.
        fewest: As many independent draws they are worth together, at most.

    >>> [round(end, 3) for end in interval(np.full(8, 0.5), fewest=100.0)]
    [0.398, 0.602]
    >>> [round(end, 3) for end in interval(np.zeros(8), fewest=8.0)]
    [0.0, 0.369]
    """
    from scipy.stats import beta, t

    middle, tail = float(chain.mean()), (1 - RATE) / 2
    width = float(t.isf(tail, len(chain) - 1)) * float(chain.std(ddof=1)) / sqrt(len(chain))
    hits = middle * fewest
    low = float(beta.ppf(tail, hits, fewest - hits + 1)) if hits > 0 else 0.0
    high = float(beta.isf(tail, hits + 1, fewest - hits)) if hits < fewest else 1.0
    return max(0.0, min(low, middle - width)), min(1.0, max(high, middle + width))


def _independent(each: Floats) -> float:
    """How many independent draws the chains are worth, for the value of which they are worth least.

    Args:
        each: Chains by values.

    Each chain is worth one at least: chains know nothing of each other.
    """
    chains, middle = len(each), each.mean(axis=0)
    error = each.var(axis=0, ddof=1) / chains
    open_ = (middle > 0) & (middle < 1) & (error > 1e-12)
    if not open_.any():
        return float(chains)
    worth = middle[open_] * (1 - middle[open_]) / error[open_]
    return max(float(chains), float(worth.min()))


def _disagreement(batches: Floats) -> float:
    """The split R-hat of batches: chains by batches, nan where there is nothing.

    >>> _disagreement(np.array([[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]]))
    inf
    >>> _disagreement(np.array([[0.4, 0.6, 0.5, 0.5], [0.6, 0.4, 0.5, 0.5]]))
    1.0
    """
    halves = batches.reshape(2 * len(batches), -1)
    within = float(np.nanvar(halves, axis=1, ddof=1).mean())  # FEWEST of each are no nan
    between = float(np.nanmean(halves, axis=1).var(ddof=1))
    if between < 1e-18:
        return 1.0
    if within == 0:
        return float("inf")
    size = float((~np.isnan(halves)).sum(axis=1).mean())
    return max(1.0, sqrt((size - 1) / size + between / within))
