"""Half of Adult, published raw, 5-anonymous and suppressed; the other half is the control.

HEDGEROW_DATA=... python examples/attacks/gdpr.py [FILE.svg]
"""

import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

import hedgerow
from hedgerow.attacks.base import AttackResult
from hedgerow.attacks.charts import attacks_chart
from hedgerow.attacks.gdpr import gdpr
from hedgerow.attacks.suite import read_releases
from hedgerow.table.targets import Targets

PLACES = {"age": 0, "workclass": 1, "education": 3, "marital-status": 5, "occupation": 6,
          "race": 8, "sex": 9, "native-country": 13}  # fmt: skip
"""Where the columns are in the file."""
QUASI = [name for name in PLACES if name != "occupation"]


def halves(folder: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    table = pd.read_csv(folder / "adult.data", header=None, skipinitialspace=True, dtype=str)
    table = table[(table != "?").all(axis=1)].dropna()[list(PLACES.values())]
    table = table.set_axis(list(PLACES), axis=1).sample(frac=1, random_state=0)
    return table.iloc[: len(table) // 2], table.iloc[len(table) // 2 :]


def attacked(folder: Path) -> list[AttackResult]:
    inside, outside = halves(folder)
    files = {name: folder / f"hierarchy_{name}.csv" for name in QUASI}
    columns = {q: {"role": "quasi-identifier", "hierarchy": str(files[q])} for q in QUASI}
    with tempfile.TemporaryDirectory() as place:
        hedgerow.publish(
            inside,
            columns=columns | {"occupation": "sensitive"},
            protect=[hedgerow.KAnonymity(k=5)],
            method={"search": "lattice", "suppress": "5%"},
            to=Path(place) / "release",
        )
        titles = ["raw", "5-anonymous", "suppressed", "noise"]
        rng = np.random.default_rng(1)
        noise = inside.apply(lambda column: rng.permutation(column.to_numpy()))
        releases = read_releases(
            [inside, Path(place) / "release", inside.assign(**dict.fromkeys(QUASI, "*")), noise],
            sensitive=["occupation"],
            taxonomies=files,
            names=titles,
        )
    original, control = Targets.read(inside), Targets.read(outside)
    results = []
    for release in releases:
        begun = time.perf_counter()
        found = gdpr(release, original, control)
        print(f"{release.name}, {time.perf_counter() - begun:.2f} s")
        for result in found:
            print(f"  {result.attack}: {' '.join(result.sentences)}")
            print(f"    residual risk {result.rate_gain:.1%}; mean gain {result.gain:.1%}")
        results += found
    return results


def draw(target: Path) -> None:
    results = attacked(Path(os.environ["HEDGEROW_DATA"]) / "adult")
    order = ["singling-out", "linkability", "inference"]
    named = [
        replace(result, attack=f"{result.attack}, {result.detail['release']}")
        for attack in order
        for result in results
        if result.attack == attack
    ]
    attacks_chart(
        named,
        title="Singling out, linkability, inference",
        subtitle="15,081 people of Adult, occupation secret, 1,000 guesses each; 95 % "
        "intervals;\n15,081 others are not in it",
    ).save(target)


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "attack_gdpr.svg"))
