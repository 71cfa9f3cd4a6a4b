"""Which doubles careless noise can reach from 0 and from 1, and what that gives away.

python examples/attacks/floating.py [FILE.svg]
"""

import math
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.attacks.floating_point import fits, identifies
from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.figure import Figure
from hedgerow.charts.marks import Points
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import Band, Linear
from hedgerow.charts.series import Legend, Series

OUTPUTS = 20_000
START, SHOWN = 0.3, 60
"""The doubles drawn: this one and those after it."""


def shares() -> str:
    """How many outputs give their value away, by how noise is made."""
    source = random.Random(1)  # noqa: S311 - the careless noise under attack
    truth = np.array([source.choice((0.0, 1.0)) for _ in range(OUTPUTS)])
    naive = [f + source.choice((1, -1)) * math.log(source.random()) for f in truth]
    rng = np.random.default_rng(1)
    whole = truth + rng.geometric(1 - math.exp(-1), OUTPUTS)
    whole -= rng.geometric(1 - math.exp(-1), OUTPUTS)
    told = []
    for name, outputs, noise in (
        ("± ln U", naive, "signed"),
        ("numpy's laplace", rng.laplace(truth), "numpy"),
        ("whole numbers", whole, "lattice"),
    ):
        found = identifies(outputs, candidates=[0, 1], truth=truth, noise=noise)
        print(f"{name}: {' '.join(found.sentences)}")
        told.append(f"{name} {found.detail['share_identified']:.1%}")
    return "Outputs that give their value away, scale 1: " + ", ".join(told)


def reached() -> list[dict[str, Any]]:
    doubles = START + np.arange(SHOWN) * math.ulp(START)
    can = fits(doubles, candidates=[0, 1])
    rows = []
    for i, (zero, one) in enumerate(can.tolist()):
        who = "both" if zero and one else "one value only"
        rows += [
            {"i": i, "from": f, "who": who} for f, can_be in (("0", zero), ("1", one)) if can_be
        ]
    return rows


def draw(target: Path) -> None:
    by = Series(field="who", names=("one value only", "both"), tints=("s1", "empty"),
                symbols=("diamond", "circle"))  # fmt: skip
    panel = Panel(
        marks=[Points(rows=reached(), x="i", y="from", by=by)],
        x=ChartAxis(scale=Linear(-1, SHOWN), many=6,
                    title=f"the {SHOWN} doubles from {START} on, one after the other"),
        y=ChartAxis(scale=Band(("0", "1")), title="can come from"),
        width=620,
        height=90,
    )  # fmt: skip
    Figure(
        title="Noise in doubles cannot give every answer",
        subtitle=f"Values 0 and 1 with noise ± ln U, U of 53 bits.\n{shares()}",
        told="doubles that can come from 0, from 1, and from both",
        panels=[panel],
        legends=[Legend(keys=by.keys())],
    ).save(target)


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "attack_floating.svg"))
