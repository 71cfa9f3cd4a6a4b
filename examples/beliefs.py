"""The pictures of docs/beliefs.md: worlds, one person, and what is known as people become more.

python examples/beliefs.py [FOLDER]
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path

from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.figure import Figure
from hedgerow.charts.marks import Intervals, Points, Rectangles, Words
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import Band, Linear, percent
from hedgerow.charts.series import Legend, Series
from hedgerow.claims.worlds.belief import believed
from hedgerow.claims.worlds.knowledge import Knowledge

VALUES = ("flu", "gout", "acne")
ILL = Series(field="value", names=VALUES, symbols=("circle", "square", "triangle-up"))


# Six people, who are in two releases.

PEOPLE: Mapping[str, tuple[int, str]] = {
    "Ann": (22, "east"),
    "Bob": (25, "east"),
    "Cem": (28, "west"),
    "Dora": (31, "east"),
    "Eve": (34, "west"),
    "Finn": (37, "west"),
}
ILLNESS = {"Ann": "gout", "Bob": "flu", "Cem": "flu", "Dora": "acne", "Eve": "flu", "Finn": "gout"}
BY_AGE = {name: "20-29" if age < 30 else "30-39" for name, (age, _) in PEOPLE.items()}
BY_PLACE = {name: place for name, (_, place) in PEOPLE.items()}
RELEASES = (BY_AGE, BY_PLACE)
World = tuple[str, ...]
"""What each of the people has, in their order."""


def records(release: Mapping[str, str], has: Mapping[str, str]) -> dict[str, Counter[str]]:
    """What a release shows of each group."""
    found: dict[str, Counter[str]] = {}
    for name, group in release.items():
        found.setdefault(group, Counter())[has[name]] += 1
    return found


def worlds() -> list[World]:
    """Everything that everybody may have, so that both releases are as they are."""
    shown = [records(release, ILLNESS) for release in RELEASES]
    return [
        world
        for world in product(VALUES, repeat=len(PEOPLE))
        if [records(release, dict(zip(PEOPLE, world, strict=True))) for release in RELEASES]
        == shown
    ]


def known(*releases: Mapping[str, str], only: str | None = None) -> Knowledge:
    """What somebody has who knows everybody, or one person."""
    who = [*PEOPLE] if only is None else [only]
    shown, fits = [], []
    for release in releases:
        groups = records(release, ILLNESS)
        shown.append([[groups[g][v] for v in VALUES] for g in groups])
        fits.append([[[*groups].index(release[name])] for name in who])
    return Knowledge.of_groups(shown, fits, listed=only is None)


def share(knowledge: Knowledge, kind: int = 0) -> dict[str, Fraction]:
    """What is believed of a person, counted."""
    found = believed(knowledge)
    return {v: found.between(kind, i)[0] for i, v in enumerate(VALUES)}


def beliefs_of(name: str) -> dict[str, dict[str, Fraction]]:
    """What is believed of a person, and by whom."""
    total = Counter(ILLNESS.values())
    everybody = [*PEOPLE].index(name)
    return {
        "before": {v: Fraction(total[v], len(PEOPLE)) for v in VALUES},
        "one release": share(known(BY_AGE, only=name)),
        f"both, knowing {name}": share(known(*RELEASES, only=name)),
        "both, knowing all": share(known(*RELEASES), everybody),
    }


def in_words(shares: Mapping[str, Fraction]) -> str:
    """What is possible, the likeliest first.

    >>> in_words({"flu": Fraction(1, 3), "gout": Fraction(2, 3), "acne": Fraction(0)})
    'gout 67%, flu 33%'
    """
    told = sorted((-p, v) for v, p in shares.items() if p)
    return ", ".join(f"{v} {float(-p):.0%}" for p, v in told)


def drawn_worlds() -> Figure:
    """People, the records that fit them, every world, and what follows."""
    every = worlds()
    columns = ["by age", "by place", *(f"world {i + 1}" for i in range(len(every))), "belief"]
    last = len(columns) - 1
    records_, cells, told = [], [], []
    for place, name in enumerate(PEOPLE):
        row = label(name)
        for column, release in enumerate(RELEASES):
            counts = records(release, ILLNESS)[release[name]]
            for i, value in enumerate(v for v in VALUES for _ in range(counts[v])):
                at = column + 0.22 * (i - 1)
                records_.append({"person": row, "shown": columns[column], "value": value, "_x": at})
        for i, world in enumerate(every):
            cells.append({"person": row, "world": i + 1, "value": world[place], "_x": float(2 + i)})
        shares = Counter(world[place] for world in every)
        counted = {v: Fraction(shares[v], len(every)) for v in VALUES}
        told.append({"person": row, "belief": in_words(counted), "_x": last - 0.4})
    return Figure(
        title="Two releases, and every world that fits them",
        subtitle="Left: the records of each person's group. Right: all ways to give everybody one "
        "value so that both releases are as they are.",
        told=f"{len(every)} worlds fit; "
        + "; ".join(f"{row['person']}: {row['belief']}" for row in told),
        legends=(Legend(keys=ILL.keys()),),
        panels=(
            Panel(
                width=720, height=210,
                x=ChartAxis(
                    scale=Linear(-0.5, last + 0.9), ticks=range(len(columns)),
                    label=lambda at: columns[round(at)], line=False,
                ),
                y=ChartAxis(scale=Band(tuple(label(name) for name in PEOPLE)), line=False),
                marks=(
                    Points(rows=records_, x="_x", y="person", by=ILL, size=110),
                    Points(rows=cells, x="_x", y="person", by=ILL, size=110),
                    Words(rows=cells, x="_x", y="person", text="value", dx=11, dy=4, size=12,
                          anchor="start", tint="ink"),
                    Words(rows=told, x="_x", y="person", text="belief", dy=4, anchor="start",
                          tint="ink"),
                ),
                notes=(
                    "Dora has acne in every world, although each release alone leaves her three "
                    "values.",
                ),
            ),
        ),
    )  # fmt: skip


def label(name: str) -> str:
    age, place = PEOPLE[name]
    return f"{name}, {age}, {place}"


def drawn_person(name: str = "Cem") -> Figure:
    """One person's values, to four attackers."""
    rows = [
        {"attacker": attacker, "value": value, "belief": float(p), "share": f"{float(p):.0%}"}
        for attacker, shares in beliefs_of(name).items()
        for value, p in shares.items()
    ]
    attackers = tuple(dict.fromkeys(str(row["attacker"]) for row in rows))
    return Figure(
        title=f"What is believed of {name}, before and after",
        subtitle=f"{label(name)}: he has {ILLNESS[name]}.",
        told="; ".join(f"{a}: {in_words(s)}" for a, s in beliefs_of(name).items()),
        legends=(Legend(keys=ILL.keys()),),
        panels=(
            Panel(
                width=620, height=190,
                x=ChartAxis(scale=Band(attackers)),
                y=ChartAxis(scale=Linear(0, 1), label=percent, many=4, grid=True),
                marks=(
                    Rectangles(rows=rows, x="attacker", y="belief", by=ILL, beside=ILL),
                    Words(rows=rows, x="attacker", y="belief", by=ILL, beside=ILL, text="share",
                          dy=-4, size=11),
                ),
            ),
        ),
    )  # fmt: skip


# Nine kinds of people, by age and place: how many of four have each value.

KINDS: Sequence[Sequence[tuple[int, int, int]]] = (
    ((3, 1, 0), (2, 1, 1), (3, 1, 0)),
    ((4, 0, 0), (2, 2, 0), (3, 0, 1)),
    ((3, 1, 0), (1, 3, 0), (4, 0, 0)),
)
MIDDLE = 4
"""The kind that is asked about."""
TIMES = (1, 2, 3, 4, 8)


def town(times: int) -> Knowledge:
    """One release by age and one by place, of so many times as many people."""
    age = [[times * sum(kind[v] for kind in row) for v in range(3)] for row in KINDS]
    place = [[times * sum(row[j][v] for row in KINDS) for v in range(3)] for j in range(3)]
    fits = [[[i] for i in range(3) for _ in range(3)], [[j] for _ in range(3) for j in range(3)]]
    return Knowledge.of_groups([age, place], fits, people=[4 * times] * 9)


def grown() -> Iterator[dict[str, object]]:
    """What is believed of the same person, the more people there are."""
    for times in TIMES:
        knowledge = town(times)
        counted, bounded = believed(knowledge), believed(knowledge, moves=0)
        for i, value in enumerate(VALUES):
            low, high = bounded.between(MIDDLE, i)
            row = {
                "people": f"{int(knowledge.people.sum()):,} people",
                "value": value, "at least": float(low), "at most": float(high),
            }  # fmt: skip
            if counted.exact[MIDDLE]:
                row["counted"] = float(counted.between(MIDDLE, i)[0])
            yield row


def drawn_growth() -> Figure:
    """Bounds that hold in every case, and the exact belief while it can be counted."""
    rows = [*grown()]
    exact = [row for row in rows if "counted" in row]
    names = tuple(dict.fromkeys(str(row["people"]) for row in rows))
    most = exact[-1]["people"]
    return Figure(
        title="Counted while that is possible, and between proven bounds beyond",
        subtitle="One person of nine kinds, who hang together by two releases. Dot: exact, by "
        "counting. Line: the belief is between its ends, proven.",
        told=f"Up to {most} the belief is counted; it is always between the bounds.",
        legends=(Legend(keys=ILL.keys()),),
        panels=(
            Panel(
                width=620, height=200,
                x=ChartAxis(scale=Band(names)),
                y=ChartAxis(scale=Linear(0, 1), label=percent, many=4, grid=True),
                marks=(
                    Intervals(rows=rows, x="people", y="at least", low="at least", high="at most",
                              by=ILL, beside=ILL, opacity=0.45),
                    Points(rows=exact, x="people", y="counted", by=ILL, beside=ILL, size=80,
                           edge="paper"),
                ),
                notes=(f"More than {most} would take more steps than Hedgerow counts.",),
            ),
        ),
    )  # fmt: skip


def figures() -> dict[str, Figure]:
    """Every picture by the name of its file."""
    return {
        "beliefs_worlds": drawn_worlds(),
        "beliefs_person": drawn_person(),
        "beliefs_growth": drawn_growth(),
    }


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/figures")
    for name, figure in figures().items():
        print(figure.save(folder / f"{name}.svg"))
