"""Two releases of one sample, and of two: who is named, and how often that is right.

python examples/attacks/sampled.py [FILE.svg]
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from hedgerow.attacks.charts import attacks_chart
from hedgerow.attacks.same_sample import distance, simulated

PEOPLE, RUNS = 200, 20_000


def draw(target: Path) -> None:
    rng = np.random.default_rng(1)
    results = []
    for rate in (0.01, 0.1, 0.5):
        for fresh in (False, True):
            found = simulated(PEOPLE, rate=rate, runs=RUNS, rng=rng, fresh=fresh)
            name = f"{'fresh samples' if fresh else 'same sample'}, rate {rate}"
            both = float(distance(PEOPLE, rate, shown="both", fresh=fresh))
            print(f"{name}: {found.sentences[0]} Total variation {both:.3g}.")
            results.append(replace(found, attack=name))
    attacks_chart(
        results,
        title="Named as being in the sample, and in it",
        subtitle=f"{PEOPLE} others in the data, {RUNS:,} simulated pairs of releases; "
        "bars are 95 % intervals",
    ).save(target)


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "attack_sampled.svg"))
