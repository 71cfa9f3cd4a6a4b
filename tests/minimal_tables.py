"""Small tables of people in places, and what somebody believes who knows how they are published.

The beliefs are counted over all ways to deal the records out, by plain Python.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product
from random import Random

from tables import cells_of

from hedgerow.claims import AlphaKAnonymity
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.full_domain import full_domain
from hedgerow.recode.metrics import METRICS
from hedgerow.recode.recoding import Recoding
from hedgerow.table.cells import Cells
from hedgerow.table.hierarchy import Hierarchy

Person = tuple[str, str]


LEVELS = Hierarchy.of("place", [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"),
                                ("d", "cd", "*")])  # fmt: skip


def table(people: Sequence[Person], hierarchy: Hierarchy) -> Cells:
    return cells_of(people, [hierarchy], sensitive=["ill"], order={"ill": ["HIV", "flu", "gout"]})


def searching(limit: int = 0, *, alpha: float = 0.5, value: str | None = "HIV") -> object:
    """What publishing does: at most half of each group has HIV."""
    models = (AlphaKAnonymity(alpha=alpha, k=1, of="ill", value=value),)

    def search(cells: Cells) -> Recoding:
        return full_domain(cells, SearchConstraints(models, limit), METRICS["loss"])

    return search


def lowest_level(people: Sequence[Person], labels: Sequence[dict[str, str]], limit: int) -> object:
    """What would be published: the level, and who is suppressed there. Nothing of hedgerow."""
    for level, label in enumerate(labels):
        groups = defaultdict(list)
        for place, ill in people:
            groups[label[place]].append(ill)
        failing = {g for g, ills in groups.items() if 2 * ills.count("HIV") > len(ills)}
        out = sum(len(groups[g]) for g in failing)
        if out <= limit and out < len(people):
            return level, frozenset(failing)
    return None


def enumerated(
    people: Sequence[Person], labels: Sequence[dict[str, str]], limit: int
) -> dict[str, Fraction] | None:
    """Place -> belief in HIV, over all ways to deal the records out."""
    shown = lowest_level(people, labels, limit)
    if shown is None:
        return None
    level, failing = shown
    group = [labels[level][place] for place, _ in people]
    kept = [g for g in dict.fromkeys(group) if g not in failing]
    inside = [ill for (_, ill), g in zip(people, group, strict=True) if g not in failing]
    out = [i for i, g in enumerate(group) if g in failing]
    weight: dict[str, Fraction] = defaultdict(Fraction)
    total = Fraction(0)
    dealt = [
        list(permutations([ill for (_, ill), g in zip(people, group, strict=True) if g == one]))
        for one in kept
    ]
    for values in product(*dealt):
        for drawn in product(sorted({ill for _, ill in people}), repeat=len(out)):
            likely = Fraction(1)
            for ill in drawn:
                likely *= inside.count(ill) + 1  # each is there once more
            world = [place for place, _ in people]
            mine = {g: list(v) for g, v in zip(kept, values, strict=True)}
            missing = list(drawn)
            had = [mine[g].pop(0) if g in mine else missing.pop(0) for g in group]
            now = list(zip(world, had, strict=True))
            if lowest_level(now, labels, limit) != shown:
                continue
            total += likely
            for place, ill in now:
                weight[place] += likely * (ill == "HIV")
    count = [place for place, _ in people]
    return {place: weight[place] / total / count.count(place) for place in set(count)}


def drawn_people(seed: int, *, places: str, most: int) -> list[Person]:
    random = Random(seed)
    size = random.randint(3, most)
    ills = [random.choice(["HIV", "HIV", "flu", "gout"]) for _ in range(size)]
    return [(random.choice(places), ill) for ill in ills]
