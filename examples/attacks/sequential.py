"""A ward published again and again while people come and go: whose illness is left without doubt.

python examples/attacks/sequential.py [FILE.svg]
"""

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

from hedgerow.attacks.base import AttackResult
from hedgerow.attacks.charts import attacks_chart
from hedgerow.attacks.sequential import sequential
from hedgerow.table.groups import Groups, Ints
from hedgerow.table.location import placed

PEOPLE, VALUES, SIZE = 6_000, 12, 6
LEAVE = 0.02
"""The share of people that a release lacks."""


def published(illness: Ints, where: Ints) -> Groups:
    """The release in which person p is in group where[p]; -1: in none."""
    rows = [Counter[str | None]() for _ in range(int(where.max()) + 1)]
    for value, group in zip(illness[where >= 0], where[where >= 0], strict=True):
        rows[group][f"illness {value}"] += 1
    order = [f"illness {value}" for value in range(VALUES)]
    return Groups.of({"illness": rows}, order={"illness": order})


def attacked(name: str, illness: Ints, places: list[Ints]) -> AttackResult:
    releases = [published(illness, where) for where in places]
    result = sequential(releases, [placed(where) for where in places], of="illness")
    print(f"{name}: {' '.join(result.sentences)}")
    return replace(result, attack=name)


def draw(target: Path) -> None:
    rng = np.random.default_rng(1)
    # Each group of six has six different illnesses, and so has each below unless said otherwise.
    first = np.repeat(np.arange(PEOPLE // SIZE), SIZE)
    illness = np.concatenate(
        [rng.choice(VALUES, SIZE, replace=False) for _ in range(PEOPLE // SIZE)]
    )
    came = np.where(rng.random(PEOPLE) < LEAVE, -1, first)
    gone = np.where(rng.random(PEOPLE) < LEAVE, -1, first)
    anew = [rng.permutation(first) for _ in range(2)]
    one = np.zeros(PEOPLE, np.int64)
    results = [
        attacked("the same groups twice", illness, [first, first]),
        attacked("one group of everybody, twice", illness, [one, one]),
        attacked("the same groups, 2 % come and 2 % leave", illness, [came, gone]),
        attacked("grouped anew, two releases", illness, [first, anew[0]]),
        attacked("grouped anew, three releases", illness, [first, *anew]),
    ]
    attacks_chart(
        results,
        title="Whose illness is certain after later releases",
        subtitle="synthetic, 6,000 people in groups of 6, 12 illnesses; 95 % intervals",
    ).save(target)


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "attack_sequential.svg"))
