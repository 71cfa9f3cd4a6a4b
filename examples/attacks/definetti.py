"""Illnesses in buckets, each promised to be believed with probability 1/l, and what is named.

python examples/attacks/definetti.py [FILE.svg]
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from hedgerow.attacks.bucketised_release import Bucketised
from hedgerow.attacks.charts import attacks_chart
from hedgerow.attacks.definetti import de_finetti
from hedgerow.recode.anatomy import anatomise
from hedgerow.table.groups import Ints

PEOPLE, ILLNESSES, COLUMNS = 20_000, 12, 5


def patients(rng: np.random.Generator, *, strength: float) -> tuple[Ints, Ints]:
    """Each of five columns goes with the illness at this rate, else with nothing."""
    illness = rng.integers(ILLNESSES, size=PEOPLE)
    follows = rng.random((PEOPLE, COLUMNS)) < strength
    noise = rng.integers(ILLNESSES, size=(PEOPLE, COLUMNS))
    usual = (illness[:, None] * (np.arange(COLUMNS) + 1)) % ILLNESSES
    return np.where(follows, usual, noise), illness


def draw(target: Path) -> None:
    results = []
    for strength, words in (
        (0.3, "columns that tell a little"),
        (0.0, "columns that tell nothing"),
    ):
        for l in (2, 3, 4, 6):  # noqa: E741
            rng = np.random.default_rng(l)
            quasi, illness = patients(rng, strength=strength)
            release = Bucketised.of(quasi, anatomise(illness, l=l, rng=rng))
            result = de_finetti(release, illness, rng=rng)
            results.append(replace(result, attack=f"l = {l}, {words}"))
            print(f"{results[-1].attack}: {' '.join(result.sentences)}")
    attacks_chart(
        results,
        title="Whose illness is named from buckets",
        subtitle="synthetic, 20,000 people, 12 illnesses, published by Anatomy; 95 % intervals",
    ).save(target)


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "attack_definetti.svg"))
