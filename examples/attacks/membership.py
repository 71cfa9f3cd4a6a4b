"""A hundred people's genomes, published as averages only: who took part?

python examples/attacks/membership.py [FILE.svg]
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from hedgerow.attacks.charts import attacks_chart
from hedgerow.attacks.membership import membership

PARTICIPANTS, OTHERS = 100, 400


def draw(target: Path) -> None:
    rng = np.random.default_rng(1)
    population = rng.uniform(0.05, 0.95, 5_000)
    people = rng.binomial(2, population, (2 * PARTICIPANTS + OTHERS, 5_000)) / 2
    inside, strangers, outside = np.split(people, [PARTICIPANTS, 2 * PARTICIPANTS])
    study = inside.mean(axis=0)
    told = {}
    for alleles in (5_000, 1_000, 200, 50):
        told[f"{alleles:,} averages"] = (study[:alleles], alleles)
    told["5,000 averages of other people"] = (strangers.mean(axis=0), 5_000)
    told["5,000 averages with Laplace noise of scale 1"] = (
        np.clip(study + rng.laplace(0, 1, 5_000), 0, 1), 5_000
    )  # fmt: skip
    results = []
    for title, (published, alleles) in told.items():
        result = membership(
            published, population[:alleles], participants=inside[:, :alleles],
            others=outside[:, :alleles],
        )  # fmt: skip
        print(f"{title}: {' '.join(result.sentences)}")
        results.append(replace(result, attack=title))
    attacks_chart(
        results,
        title="Participants told by published averages",
        subtitle="synthetic, a study of 100 people, Homer's test at 5 %; 95 % intervals;\n"
        "400 others took no part",
    ).save(target)


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "attack_membership.svg"))
