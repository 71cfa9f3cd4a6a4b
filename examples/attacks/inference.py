"""How sure somebody becomes of a diagnosis who can rule out some, with and without a claim.

python examples/attacks/inference.py [FILE.svg]
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import hedgerow
from hedgerow.api.demo import write_hospital
from hedgerow.attacks.background_knowledge import background_knowledge
from hedgerow.attacks.homogeneity import homogeneity
from hedgerow.attacks.similarity import similarity
from hedgerow.attacks.skewness import skewness
from hedgerow.attacks.suite import read_releases
from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.figure import Figure
from hedgerow.charts.marks import Curve, Points
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import Linear, percent
from hedgerow.charts.series import Legend, Series
from hedgerow.claims.base import PrivacyModel

RULED_OUT = 5
CLAIMS: dict[str, list[PrivacyModel]] = {
    "5-anonymity": [hedgerow.KAnonymity(k=5)],
    "5-anonymity and recursive (1, 3)-diversity": [
        hedgerow.KAnonymity(k=5),
        hedgerow.RecursiveLDiversity(c=1, l=3, of="diagnosis"),
    ],
}


def measured() -> list[dict[str, Any]]:
    """For each claim and number of values ruled out, people believed in with at least 50 %."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan = write_hospital(folder)
        columns = {
            "name": "identifier",
            "bill": "identifier",
            "zip": {"role": "quasi-identifier", "hierarchy": {"prefix": 5}},
            "birth_date": {
                "role": "quasi-identifier",
                "hierarchy": {"dates": ["month", "quarter", "year", "decade"]},
            },
            "sex": "quasi-identifier",
            "nationality": {
                "role": "quasi-identifier",
                "hierarchy": str(folder / "nationality.csv"),
            },
            "diagnosis": {"role": "sensitive", "hierarchy": str(folder / "diagnosis.csv")},
        }
        for i, (claim, protect) in enumerate(CLAIMS.items()):
            hedgerow.publish(
                folder / "patients.csv", columns=columns, protect=protect,
                method={"search": "mondrian"}, to=folder / str(i),
            )  # fmt: skip
            (published,) = read_releases([folder / str(i)], plan=plan)
            groups, of = published.groups, "diagnosis"
            known = background_knowledge(groups, of=of, m=RULED_OUT)
            others = (
                homogeneity(groups, of=of),
                similarity(groups, of=of),
                skewness(groups, of=of),
            )
            for result in (known, *others):
                print(f"{claim}, {result.attack}: {' '.join(result.sentences)}")
            for step in known.detail["beliefs"]:
                half = dict(step["at_least"])[0.5] / groups.people
                rows.append({"m": step["m"], "claim": claim, "people": half})
    return rows


def draw(target: Path) -> None:
    by = Series(field="claim", names=tuple(CLAIMS), tints=("s1", "s0"), shown=("line", "point"))
    rows = measured()
    panel = Panel(
        marks=[
            Curve(rows=rows, x="m", y="people", by=by),
            Points(rows=rows, x="m", y="people", by=by,
                   hover=lambda row: f"{row['claim']}: {row['people']:.1%}"),
        ],
        x=ChartAxis(scale=Linear(-0.1, RULED_OUT + 0.1), ticks=list(range(RULED_OUT + 1)),
                    title="values ruled out for each person, those that help most"),
        y=ChartAxis(scale=Linear(0, 1), title="people believed in with at least 50 %",
                    label=percent, grid=True, many=10),
        width=560,
        height=280,
    )  # fmt: skip
    Figure(
        title="Groups of five, and what one can rule out",
        subtitle="20,000 synthetic patients, 119 diagnoses, published by Mondrian",
        told="people whose diagnosis is believed in with at least 50 %, against values ruled out",
        panels=[panel],
        legends=[Legend(keys=by.keys())],
    ).save(target)


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "attack_inference.svg"))
