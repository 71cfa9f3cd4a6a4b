"""Two hospitals, 5,000 patients in common: what their releases say alone and together.

python examples/attacks/intersection.py [FILE.svg]
"""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import hedgerow
from hedgerow.api.demo import attacked, write_hospital, write_neighbour
from hedgerow.attacks.charts import attacks_chart

TITLES = ("Gotham's release", "the county hospital's", "both together")


def draw(target: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        hedgerow.publish(write_hospital(folder))
        hedgerow.publish(write_neighbour(folder))
        results = attacked(folder)
    named = [replace(r, attack=title) for r, title in zip(results, TITLES, strict=True)]
    for result in named:
        print(f"{result.attack}: {result.sentences[0]}")
    attacks_chart(
        named,
        title="Whose diagnosis is named right",
        subtitle="5,000 patients of two synthetic hospitals; bars are 95 % intervals",
    ).save(target)


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else "attack_intersection.svg"))
