"""What is measured, against whom, and what would be good enough."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bench import arx_peer
from bench.clock import BenchError, Measured, command, process
from bench.ledger import ENTRIES

ROLL_UP = 0.68
"""Seconds a prototype took for the roll-up of Adult's lattice where ARX's times were taken."""
ARX = {
    "search": 1.08,
    "search_nothing_suppressed": 0.05,
    "search_million": 9.2,
    "closeness": 1.2,
    "local": 7.8,
    "cold": 3.9,
}
"""ARX's seconds there: Java, warm; only `cold` is a whole command."""
ARX_GRANULARITY = 0.932
ANONYPYX = 0.028
"""Seconds anonypyx takes to intersect two releases of 10,000 for one target, there."""
SCRIPT_TO_ANONYPY = 0.44 / 52
"""A public pure-Python Mondrian compared with anonypy, both timed there."""

OURS = {
    "roll_up": (2, 6),
    "search": (2, 7),
    "search_nothing_suppressed": (2, 9),
    "frontier": (2, 5),
    "roll_up_evaluated": (1, 2),
    "closeness": (2, 9),
    "closeness_evaluated": (1, 1),
    "search_million": (2, 5),
    "rows_to_node": (1, 7),
    "rows_to_node_noisy": (1, 5),
    "rows_to_node_million": (1, 3),
    "rows_to_node_closeness": (1, 5),
    "local": (2, 3),
    "mondrian": (2, 9),
    "mondrian_frame": (1, 5),
    "mdav": (1, 3),
    "publish_frame": (1, 5),
    "models": (1, 9),
    "models_frame": (1, 7),
    "adversaries": (2, 5),
    "duckdb_groups": (2, 5),
    "adversaries_parquet": (2, 7),
    "duckdb_groups_parquet": (2, 7),
    "adversaries_counted": (1, 9),
    "intersection": (2, 7),
    "composition": (1, 2),
    "steps": (2, 1),
}
"""Jobs in processes of their own: how many processes, and runs in each."""

DUCKDB = """
import duckdb, sys
folder = sys.argv[1]
connection = duckdb.connect()
connection.execute("CREATE TABLE people AS FROM read_csv(?)", [folder + "/million.csv"])
connection.execute("CREATE TABLE counts AS SELECT *, count(*) FROM people GROUP BY ALL")
connection.execute("COPY people TO '" + folder + "/duckdb.csv'")
"""

Say = Callable[[str], None]


class Bench:
    """Runs the measurements one after the other and keeps them by name."""

    def __init__(self, folder: Path, adult: Path, *, peers: Path | None, say: Say) -> None:
        self.folder, self.adult, self.peers, self.say = folder, adult, peers, say
        self.found: dict[str, Measured] = {}
        self.failed: dict[str, str] = {}

    def keep(self, name: str, measure: Callable[[], Measured]) -> None:
        """Measure, and take together with what was measured under this name before."""
        self.say(name.replace("_", " "))
        try:
            self.found[name] = measure().best(self.found.get(name))
        except BenchError as error:
            self.failed[name] = str(error)

    def ours(self) -> None:
        """Rounds rather than repetitions, so that what is compared meets the same noise."""
        for turn in range(max(processes for processes, _ in OURS.values())):
            for name, (processes, runs) in OURS.items():
                if turn < processes:
                    self.keep(name, lambda name=name, runs=runs: self._work(name, runs))

    def _work(self, name: str, runs: int) -> Measured:
        return process(sys.executable, "bench.work", name, self.folder, str(runs))

    def commands(self) -> None:
        """Whole commands, as a user types them."""
        hedgerow = Path(sys.executable).with_name("hedgerow")
        release = self.folder / "release"
        to = ["--to", release, "--json"]

        def clean() -> None:
            shutil.rmtree(release, ignore_errors=True)

        def publish(plan: str, **more: Mapping[str, str]) -> Measured:
            return command([hedgerow, "publish", self.folder / plan, *to], before=clean, **more)

        self.keep("help", lambda: command([hedgerow, "--help"], repeats=5))
        for _ in range(3):
            self.keep("publish_million", lambda: publish("million.yaml"))
            self.keep("duckdb", lambda: command([sys.executable, "-c", DUCKDB, self.folder]))
            self.keep("cold", lambda: publish("adult.yaml"))
        fresh = {"NUMBA_CACHE_DIR": str(self.folder / "compiled")}
        self.keep("first", lambda: publish("adult.yaml", env=fresh))
        clean()

    def ledger(self) -> None:
        """A ledger of 100,000 entries: the median of many appends and looks, on this disk."""
        for name in ("append", "budget", "find", "verify"):
            self.keep(f"ledger_{name}", lambda name=name: process(
                sys.executable, "bench.ledger", name, self.folder, str(ENTRIES)
            ))  # fmt: skip

    def large(self) -> None:
        """Ten million rows, where memory is what matters."""
        hedgerow = Path(sys.executable).with_name("hedgerow")
        publish = [hedgerow, "publish", self.folder / "large.yaml", "--to"]
        self.keep("large", lambda: command([*publish, self.folder / "release", "--json"]))
        self.keep("large_limited", lambda: self._work("large_limited", 1))
        self.keep("intersection_million", lambda: self._work("intersection_million", 1))

    def others(self, *, slow: bool) -> None:
        """The peers, in their own environment; those that take minutes only where asked for."""
        if self.peers is None:
            return
        for name in ("anjana", "anonypy", "pycanon")[: 3 if slow else 1]:
            self.keep(name, lambda name=name: process(
                self.peers, "bench.peers", name, self.folder, self.adult
            ))  # fmt: skip
        if "anjana" in self.found:
            self.keep("anjana_loss", lambda: self._work("anjana_loss", 1))


@dataclass(frozen=True)
class Target:
    """What a row should reach."""

    kind: Literal["faster", "within", "under"]
    """At least so many times faster; at most so many times as long; under so many seconds."""
    value: float

    def met(self, ours: float, theirs: float | None) -> bool | None:
        """Whether it is reached; None where there is nothing to compare with."""
        if self.kind == "under":
            return ours < self.value
        if theirs is None:
            return None
        if self.kind == "faster":
            return theirs / ours >= self.value
        return ours / theirs <= self.value

    def __str__(self) -> str:
        if self.kind == "under":
            return f"under {self.value:g} s"
        if self.kind == "faster":
            return f"at least {self.value:g}× faster"
        return f"at most {self.value:g}× as long"


@dataclass(frozen=True)
class Row:
    """One comparison."""

    job: str
    ours: Measured
    peer: str = ""
    theirs: Measured | float | None = None
    """Measured here; or seconds computed from a ratio measured elsewhere."""
    target: Target | None = None
    worth: str = ""
    """What the results are worth, ours and theirs, where they differ."""

    @property
    def seconds(self) -> float | None:
        """The peer's."""
        return self.theirs.seconds if isinstance(self.theirs, Measured) else self.theirs

    @property
    def met(self) -> bool | None:
        """Whether the target is reached, on the wall and, where both were measured, in processor
        time: a peer that ran once may have met more noise than the best of our runs.
        """
        if self.target is None:
            return None
        reached = self.target.met(self.ours.seconds, self.seconds)
        if isinstance(self.theirs, Measured) and self.target.kind != "under":
            return bool(reached) and bool(self.target.met(self.ours.cpu, self.theirs.cpu))
        return reached

    @property
    def _slower(self) -> bool:
        """Whether ratios are told as longer, not faster: as the target is, or as it came out."""
        if self.target is not None and self.target.kind != "under":
            return self.target.kind == "within"
        return self.seconds is not None and self.ours.seconds > self.seconds

    @property
    def ratio(self) -> str:
        if self.seconds is None:
            return ""
        if self._slower:
            return f"{_short(self.ours.seconds / self.seconds)}× as long"
        return f"{_short(self.seconds / self.ours.seconds)}× faster"

    @property
    def processor(self) -> str:
        """The same ratio in processor time, where both were measured."""
        if not isinstance(self.theirs, Measured):
            return ""
        if self._slower:
            return f"{_short(self.ours.cpu / self.theirs.cpu)}×"
        return f"{_short(self.theirs.cpu / self.ours.cpu)}×"


def _short(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 20 else f"{ratio:.2g}" if ratio < 1 else f"{ratio:.1f}"


def rows(found: Mapping[str, Measured]) -> list[Row]:
    """The comparisons that can be made with what was measured."""
    wanted: list[Row] = []

    def add(
        job: str,
        name: str,
        peer: str = "",
        theirs: Measured | float | None = None,
        target: Target | None = None,
        worth: str = "",
    ) -> None:
        if name in found:
            wanted.append(Row(job, found[name], peer, theirs, target, worth))

    roll_up = found.get("roll_up")
    scale = None if roll_up is None else roll_up.seconds / ROLL_UP
    arx: dict[str, Measured | float | None] = {
        name: None if scale is None else seconds * scale for name, seconds in ARX.items()
    }
    arx |= {name: found[key] for name in arx_peer.SEARCHES
            if (key := arx_peer.NAME.format(name)) in found}  # fmt: skip
    anonypy, anjana = found.get("anonypy"), found.get("anjana")
    script = None
    if anonypy is not None:
        script = min(anonypy.seconds, anonypy.cpu) * SCRIPT_TO_ANONYPY
    elif scale is not None:
        script = 0.44 * scale
    six = Target("faster", 6)

    best = "best release, nine quasi-identifiers, k = 5"
    add(f"{best}, 5 % left out", "search", "roll-up of all 12,960 nodes, same kernels", roll_up,
        Target("faster", 4))  # fmt: skip
    add("", "search", "the same, evaluating each node", found.get("roll_up_evaluated"))
    add("", "search", "ARX", arx["search"])
    add("the same, counting the rows included", "rows_to_node", "ARX", arx["search"])
    add(f"{best}, nobody left out", "search_nothing_suppressed", "ARX",
        arx["search_nothing_suppressed"])  # fmt: skip
    add("the best release for each of 30 values of k", "frontier",
        "roll-up of all 12,960 nodes", roll_up, Target("within", 1.5))  # fmt: skip
    add("300,000 rows, 5 % left out, counting the rows included", "rows_to_node_noisy", "ARX",
        arx.get("search_noisy"))  # fmt: skip
    add("1,000,000 rows, 5 % left out", "search_million", "ARX", arx["search_million"], six)
    add("the same, counting the rows included", "rows_to_node_million", "ARX",
        arx["search_million"], six)  # fmt: skip
    add("0.2-closeness of the occupation, eight quasi-identifiers", "closeness", "ARX",
        arx["closeness"], six)  # fmt: skip
    add("0.25-closeness of the salary class, 60,000 rows, seven quasi-identifiers, counting the "
        "rows included", "rows_to_node_closeness", "ARX", arx.get("closeness_sixty"))  # fmt: skip
    add("", "closeness", "every node evaluated, same kernels", found.get("closeness_evaluated"))
    add("`hedgerow publish`, 1,000,000 rows, CSV to CSV", "publish_million",
        "DuckDB: read, group, write", found.get("duckdb"), Target("within", 3))  # fmt: skip
    if "duckdb" in found:
        alone = _alone(found["duckdb"])
        add("", "publish_million", "DuckDB, if it had every core to itself", alone,
            Target("within", 3))  # fmt: skip
    add("nine models on the raw table, from a data frame", "models_frame", "pycanon",
        found.get("pycanon"), Target("faster", 500))  # fmt: skip
    add("the same, on counted groups", "models", "pycanon", found.get("pycanon"))
    by_group = "DuckDB: the one group-by over the file"
    half_more = Target("within", 1.5)
    add("smallest epsilon, 72 nodes, 6 adversaries, 3,000,000 rows of CSV, counting included",
        "adversaries", by_group, found.get("duckdb_groups"), half_more)  # fmt: skip
    add("the same, Parquet", "adversaries_parquet", by_group, found.get("duckdb_groups_parquet"),
        half_more)  # fmt: skip
    add("the same, on counted cells", "adversaries_counted", by_group,
        found.get("duckdb_groups_parquet"), half_more)  # fmt: skip
    if "intersection" in found:
        targets = found["intersection"].detail["people"]
        each = None if scale is None else ANONYPYX * targets * scale
        add(f"intersection attack, {targets:,} targets, two releases of 10,000", "intersection",
            "anonypyx", each, Target("faster", 500))  # fmt: skip
        add("", "intersection", target=Target("under", 0.2))
    add("the same, ten releases of 1,000,000 rows, reading them included", "intersection_million",
        target=Target("under", 60))  # fmt: skip
    add("strict Mondrian beside an earlier release: composition, two thirds of Adult",
        "composition", target=Target("under", 30))  # fmt: skip
    add("strict Mondrian, k = 5, data frame to published table", "mondrian_frame", "anonypy",
        anonypy, Target("faster", 100), _groups(found, "mondrian_frame", "anonypy"))  # fmt: skip
    add(
        "strict Mondrian, k = 5, the division of counted cells alone",
        "mondrian",
        "anonypy",
        anonypy,
    )
    add("", "mondrian", "a pure-Python script", script, Target("faster", 4))
    add("k = 5, 5 % left out, data frame to published table", "publish_frame", "anjana", anjana,
        None, _losses(found))  # fmt: skip
    granularity = found["local"].detail["granularity"] if "local" in found else 0.0
    add("local recoding, nine quasi-identifiers, k = 5", "local", "ARX", arx["local"], None,
        f"granularity {granularity:.3f}, ARX {ARX_GRANULARITY}")  # fmt: skip
    if "mdav" in found:
        clusters = found["mdav"].detail["groups"]
        add("MDAV, nine quasi-identifiers, k = 5", "mdav", worth=f"{clusters:,} groups")
    add("`hedgerow publish`, Adult, compiled code cached", "cold", "ARX, whole command",
        arx["cold"], Target("under", 2))  # fmt: skip
    add("the very first `hedgerow publish`, compiling", "first", target=Target("under", 8))
    add("`hedgerow --help`", "help", target=Target("under", 0.5))
    ten = Target("under", 0.01)
    add("ledger of 100,000 entries: reserve, the budget checked (median)", "ledger_append",
        target=ten)  # fmt: skip
    add("the same: where a population stands (median)", "ledger_budget", target=ten)
    add("the same: an earlier release by its key (median)", "ledger_find", target=ten)
    add("the same: verify all of it", "ledger_verify")
    add("`hedgerow publish`, 10,000,000 rows of Parquet", "large")
    add("its counting, search and writing alone, the engine held to 1 GB", "large_limited")
    return wanted


def _alone(measured: Measured) -> float:
    """What a parallel peer would take on a quiet machine, at best.

    Next to other work it loses the cores it would have used, and we, on one core, do not: the
    ratio on the wall would flatter us.
    """
    return min(measured.seconds, measured.cpu / (os.cpu_count() or 1))


def _groups(found: Mapping[str, Measured], ours: str, theirs: str) -> str:
    if ours not in found or theirs not in found:
        return ""
    return f"{found[ours].detail['groups']:,} groups, theirs {found[theirs].detail['groups']:,}"


def _losses(found: Mapping[str, Measured]) -> str:
    if "publish_frame" not in found or "anjana_loss" not in found:
        return ""
    ours, theirs = found["publish_frame"].detail["loss"], found["anjana_loss"].detail["loss"]
    return f"loss {ours:.3f}, theirs {theirs:.3f}"


def disagreements(found: Mapping[str, Measured]) -> list[str]:
    """Searches that did not find the optimum an exhaustive run found. There should be none."""
    pairs = (
        ("search", "roll_up_evaluated"),
        ("rows_to_node", "search"),
        ("rows_to_node_million", "search_million"),
        ("closeness", "closeness_evaluated"),
    )
    wrong = []
    for one, other in pairs:
        if one in found and other in found:
            a, b = found[one].detail["loss"][0], found[other].detail["loss"][0]
            if abs(a - b) > 1e-9:
                wrong.append(f"{one} found loss {a!r}, {other} {b!r}")
    return wrong
