"""Measurements of one publication at several sizes: kept, compared, and fitted by a line.

`bench/scale.json` holds the last measurement of each engine, target and size, so that a hundred
million rows need not be measured again whenever a page is written.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.clock import BenchError

STORE = Path(__file__).with_name("scale.json")
ENGINES = {
    "duckdb": "DuckDB",
    "postgresql": "PostgreSQL",
    "spark": "Spark on this machine",
    "cluster": "Spark with two workers",
}
FILES, THERE = "files", "there"
"""Where a release goes: to a Parquet file, or to a table or folder the engine writes itself."""
TARGETS = {
    "duckdb": (FILES,),
    "postgresql": (FILES, THERE),
    "spark": (FILES, THERE),
    "cluster": (FILES, THERE),
}
MILLION = 1_000_000


@dataclass(frozen=True)
class Run:
    """One `hedgerow publish`, as a whole command."""

    engine: str
    target: str
    rows: int
    seconds: float
    own: float
    """Processor seconds of our process."""
    others: float
    """Processor seconds of the server's processes, or of Java's."""
    memory: int
    """Peak resident bytes of our process."""
    date: str
    machine: str
    elsewhere: float | None = None
    """Part of the machine that other work took meanwhile; None where nobody looked."""
    cells: int | None = None
    """Distinct tuples."""
    counting: float | None = None
    """Seconds for counting alone, in a process of its own."""
    sha256: str | None = None
    """Of the release: of its file, or of its rows where it is a table or a folder."""
    certificate: str | None = None
    """SHA-256 of the certificate's text."""

    @property
    def millions(self) -> float:
        return self.rows / MILLION


@dataclass(frozen=True)
class Line:
    """Seconds that a publication takes whatever its size, and for each million rows."""

    fixed: float
    million: float

    def at(self, rows: float) -> float:
        """Seconds for so many rows.

        >>> Line(2.5, 1.25).at(10_000_000)
        15.0
        """
        return self.fixed + self.million * rows / MILLION


def fit(points: Iterable[tuple[float, float]]) -> Line | None:
    """The line of least squares through (rows, seconds); None for fewer than two sizes.

    Weighted by one over the rows: else the largest run alone would decide. Nothing takes less than
    no time, and more rows do not take less: a line that would begin below zero goes through it,
    and one that would fall is level.

    >>> fit([(1_000_000, 3.0), (3_000_000, 7.0)])
    Line(fixed=1.0, million=2.0)
    >>> fit([(1_000_000, 1.0), (4_000_000, 8.0)])
    Line(fixed=0.0, million=1.5)
    >>> fit([(1_000_000, 2.0), (2_000_000, 1.0)])
    Line(fixed=1.8, million=0.0)
    >>> fit([(1_000_000, 3.0)]) is None
    True
    """
    found = [(rows / MILLION, seconds) for rows, seconds in points]
    if len({size for size, _ in found}) < 2:
        return None
    weights = [size**-2 for size, _ in found]
    whole = sum(weights)
    size = sum(w * x for w, (x, _) in zip(weights, found, strict=True)) / whole
    taken = sum(w * y for w, (_, y) in zip(weights, found, strict=True)) / whole
    spread = sum(w * (x - size) ** 2 for w, (x, _) in zip(weights, found, strict=True))
    both = sum(w * (x - size) * (y - taken) for w, (x, y) in zip(weights, found, strict=True))
    slope = max(0.0, both / spread)
    if slope * size > taken:
        return Line(0.0, sum(y / x for x, y in found) / len(found))
    return Line(taken - slope * size, slope)


def of(runs: Iterable[Run], engine: str, target: str = FILES) -> list[Run]:
    """Those of an engine and a target, by size."""
    chosen = (run for run in runs if (run.engine, run.target) == (engine, target))
    return sorted(chosen, key=lambda run: run.rows)


def fitted(runs: Sequence[Run], what: str) -> Line | None:
    """How a measurement (`seconds`, `own`, `others`) of one engine and target grows."""
    return fit((run.rows, getattr(run, what)) for run in runs)


def differing(runs: Iterable[Run]) -> list[str]:
    """Sizes at which engines gave different releases, a sentence each; there should be none."""
    released: dict[tuple[int, str, str], dict[str, list[str]]] = defaultdict(dict)
    for run in runs:
        for what, digest in (("release", run.sha256), ("certificate", run.certificate)):
            if digest is not None:
                engines = released[run.rows, run.target, what].setdefault(digest, [])
                engines.append(f"{ENGINES[run.engine]} ({run.date})")
    return [
        f"{rows:,} rows, {target}: the {what} differs: "
        + "; ".join(f"{digest[:12]} from {', '.join(e)}" for digest, e in sorted(found.items()))
        for (rows, target, what), found in sorted(released.items())
        if len(found) > 1
    ]


def stored(store: Path = STORE) -> list[Run]:
    """What was measured last; nothing where nothing was."""
    if not store.exists():
        return []
    try:
        return [Run(**run) for run in json.loads(store.read_text("utf-8"))]
    except (TypeError, ValueError) as error:
        raise BenchError(f"{store} is not a file of measurements: {error}") from error


def merged(old: Iterable[Run], new: Iterable[Run]) -> list[Run]:
    """A new measurement takes the place of the old one of its engine, target and size."""
    found = {(run.engine, run.target, run.rows): run for run in (*old, *new)}
    order = list(ENGINES)
    return [found[key] for key in sorted(found, key=lambda key: (order.index(key[0]), *key[1:]))]


def store(runs: Iterable[Run], path: Path = STORE) -> None:
    """Keep the measurements, one in a line."""
    lines = ",\n".join(json.dumps(asdict(run)) for run in runs)
    path.write_text(f"[\n{lines}\n]\n", "utf-8")
