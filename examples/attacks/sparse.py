"""Ten thousand people's ratings without names, and how few of them it takes to find a person.

python examples/attacks/sparse.py [FILE.svg]
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from hedgerow.attacks.charts import attacks_chart
from hedgerow.attacks.ratings import Ratings
from hedgerow.attacks.sparse import evaluate

KNOWN = ((8, 2, 14), (6, 2, 14), (4, 2, 14), (4, 0, 14), (2, 0, 3), (2, 0, 14))
"""Ratings known of a person, how many of them are wrong, by how many days dates are off."""


def long_tailed(
    rng: np.random.Generator, *, people: int = 10_000, items: int = 2_000, draws: int = 1_500_000
) -> Ratings:
    """A few films everybody saw, many that few did; a few people rated very many."""
    activity, popularity = rng.lognormal(0, 1, people), 1 / (np.arange(items) + 10.0)
    who = rng.choice(people, draws, p=activity / activity.sum())
    what = rng.choice(items, draws, p=popularity / popularity.sum())
    cells = np.unique(who * items + what)
    who, what = cells // items, cells % items
    liked = rng.normal(3.5, 0.5, items)[what] + rng.normal(0, 1, len(cells))
    return Ratings.of(who, what, np.clip(np.rint(liked), 1, 5), rng.integers(0, 2_000, len(cells)))


def all_alike(*, people: int = 10_000, items: int = 20) -> Ratings:
    who, what = np.repeat(np.arange(people), items), np.tile(np.arange(items), people)
    return Ratings.of(who, what, what % 5 + 1.0, 10.0 * what)


def draw(target: Path) -> None:
    ratings = long_tailed(np.random.default_rng(1))
    results = []
    for m, wrong, days in KNOWN:
        result = evaluate(
            ratings, rng=np.random.default_rng(2), targets=500, outsiders=500, m=m, wrong=wrong,
            days=days,
        )  # fmt: skip
        but = f", {wrong} of them wrong" if wrong else ""
        results.append(replace(result, attack=f"{m} ratings{but}, ± {days} days"))
    same = evaluate(all_alike(), rng=np.random.default_rng(2), targets=500, outsiders=500)
    results.append(replace(same, attack="8 ratings, but all people are alike"))
    for result in results:
        print(f"{result.attack}: {' '.join(result.sentences)}")
    attacks_chart(
        results,
        title="Who is found by a few ratings",
        subtitle="synthetic, 10,000 people, 2,000 films, long-tailed; 500 people looked for;\n"
        "bars are 95 % intervals",
    ).save(target)


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "attack_sparse.svg"))
