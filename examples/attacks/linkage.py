"""Ten patients without names, and a voter list of eleven people with names.

python examples/attacks/linkage.py [FILE.svg]
"""

import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd

from hedgerow.attacks.charts import attacks_chart
from hedgerow.attacks.linkage import link
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

PEOPLE = [
    ("Andy", "5", "M", "12000"), ("Bill", "9", "M", "14000"), ("Ken", "6", "M", "18000"),
    ("Nash", "8", "M", "19000"), ("Joe", "12", "M", "22000"), ("Sam", "19", "M", "24000"),
    ("Linda", "21", "F", "58000"), ("Jane", "26", "F", "36000"), ("Sarah", "28", "F", "37000"),
    ("Mary", "56", "F", "33000"),
]  # fmt: skip
VOTERS = [*PEOPLE, ("Mike", "7", "M", "17000")]
DISEASES = ["gastric ulcer", "dyspepsia", "pneumonia", "bronchitis", "pneumonia", "pneumonia",
            "flu", "gastritis", "pneumonia", "flu"]  # fmt: skip
COLUMNS = ["age", "sex", "zip"]
YOUNG, WOMEN = "[1, 10]", ("[21, 60]", "F", "[30000, 60000]")
RELEASES = {
    "as they are": [person[1:] for person in PEOPLE],
    "2-anonymous": [(YOUNG, "M", "[10001, 15000]")] * 2 + [(YOUNG, "M", "[15001, 20000]")] * 2
    + [("[11, 20]", "M", "[20001, 25000]")] * 2 + [WOMEN] * 4,
    "4-anonymous": [("[1, 20]", "M", "[10001, 25000]")] * 6 + [WOMEN] * 4,
    "nothing but diseases": [("*", "*", "*")] * 10,
}  # fmt: skip


def draw(target: Path) -> None:
    register = Targets.read(pd.DataFrame(VOTERS, columns=["name", *COLUMNS]))
    results = []
    for title, rows in RELEASES.items():
        table = pd.DataFrame(rows, columns=COLUMNS).assign(disease=DISEASES)
        release = Published.read(table, sensitive=["disease"], name=title)
        result = link(release, register, name="name")
        print(f"{title}: {' '.join(result.sentences)}")
        results.append(replace(result, attack=title))
    attacks_chart(
        results,
        title="Records that get the right name",
        subtitle="ten patients against a voter list of eleven; expected where records and "
        "names\nfit each other equally well; bars are 95 % intervals",
    ).save(target)


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "attack_linkage.svg"))
