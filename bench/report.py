"""The measurements for people: a table in the terminal, and docs/benchmarks.md."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench import noise_suite
from bench.clock import Measured
from bench.suite import ARX, ROLL_UP, Row

LIBRARIES = ("hedgerow", "duckdb", "numba", "numpy", "opendp", "pyarrow", "pandas")
PEERS = ("anjana", "anonypy", "diffprivlib", "opendp", "pycanon", "numpy", "pandas", "polars")


def seconds(value: float | None) -> str:
    """Three digits at most.

    >>> seconds(0.0064), seconds(0.11), seconds(1.234), seconds(127.4), seconds(None)
    ('6.4 ms', '110 ms', '1.23 s', '127 s', '')
    """
    if value is None:
        return ""
    if value < 0.01:
        return f"{value * 1000:.1f} ms"
    if value < 1:
        return f"{value * 1000:.0f} ms"
    return f"{value:.2f} s" if value < 10 else f"{value:.1f} s" if value < 100 else f"{value:.0f} s"


def memory(size: int) -> str:
    """Megabytes, or gigabytes.

    >>> memory(310_919_168), memory(4_200_000_000)
    ('311 MB', '4.2 GB')
    """
    return f"{size / 1e6:,.0f} MB" if size < 1e9 else f"{size / 1e9:.1f} GB"


def machine() -> str:
    """What it ran on, in general terms."""
    model = platform.processor() or platform.machine()
    total = ""
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [l.partition(":")[2].strip() for l in info.read_text().splitlines()  # noqa: E741
                 if l.startswith("model name")]  # fmt: skip
        model = names[0] if names else model
    info = Path("/proc/meminfo")
    if info.exists():
        total = f", {int(info.read_text().split()[1]) / 1e6:.0f} GB of memory"
    return f"{os.cpu_count()} cores ({model}){total}, {platform.system()}"


def versions(peers: Path | None) -> tuple[str, str]:
    """Ours and the peers'."""
    ours = f"Python {platform.python_version()}, " + _versions(LIBRARIES)
    if peers is None:
        return ours, ""
    code = "import importlib.metadata as m, platform; print('Python', platform.python_version()"
    code += "".join(f", '{name}', m.version('{name}')" for name in PEERS) + ")"
    told = subprocess.run([peers, "-c", code], capture_output=True, text=True, check=True)
    words = told.stdout.split()
    return ours, ", ".join(f"{a} {b}" for a, b in zip(words[::2], words[1::2], strict=True))


def _versions(names: Sequence[str]) -> str:
    return ", ".join(f"{name} {version(name)}" for name in names)


def _met(row: Row) -> str:
    return {True: "yes", False: "**no**", None: ""}[row.met]


def _peer(row: Row) -> str:
    if row.theirs is None:
        return "not measured" if row.peer and row.target and row.target.kind != "under" else ""
    if isinstance(row.theirs, Measured):
        return f"{seconds(row.seconds)}, {memory(row.theirs.memory)}"
    return f"{seconds(row.seconds)} (computed)"


HEADINGS = (
    "job", "Hedgerow", "peer", "its time", "ratio", "in processor time", "target", "met?", "result",
)  # fmt: skip


def _cells(row: Row) -> list[str]:
    peer = row.peer if row.theirs is not None or _peer(row) else ""
    target = "" if row.target is None else str(row.target)
    ours = f"{seconds(row.ours.seconds)}, {memory(row.ours.memory)}"
    return [
        row.job, ours, peer, _peer(row), row.ratio, row.processor, target, _met(row), row.worth,
    ]  # fmt: skip


def show(rows: Sequence[Row], console: Console) -> None:
    """Print the comparisons."""
    table = Table(title="Hedgerow side by side", show_lines=False)
    for i, name in enumerate(HEADINGS):
        table.add_column(name, justify="right" if i in (1, 3, 4, 5) else "left")
    for row in rows:
        style = "red" if row.met is False else None
        table.add_row(*(cell.replace("*", "") for cell in _cells(row)), style=style)
    console.print(table)


def _lines(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [
        "| " + " | ".join(headings) + " |",
        "|" + "---|" * len(headings),
        *("| " + " | ".join(cells) + " |" for cells in rows),
    ]


def markdown(
    rows: Sequence[Row],
    found: Mapping[str, Measured],
    *,
    table: Mapping[str, int],
    libraries: tuple[str, str],
    load: float,
    left_out: Sequence[str],
    growth: str = "",
) -> str:
    """docs/benchmarks.md.

    Args:
        rows: The comparisons.
        found: All measurements by name.
        table: Rows and distinct tuples of the tables.
        libraries: Versions, ours and the peers'.
        load: What else the machine was doing when the run began (load average).
        left_out: What was not measured, a sentence each.
        growth: How publishing grows with rows, as it was measured last.
    """
    ours, peers = libraries
    scale = found["roll_up"].seconds / ROLL_UP
    missed = [row for row in rows if row.met is False]
    asked = [row for row in rows if row.met is not None]
    if missed:
        names = "; ".join(f"{row.job} ({row.peer})" if row.job else row.peer for row in missed)
        verdict = f"{len(asked) - len(missed)} of {len(asked)} targets are met. Missed: {names}."
    else:
        verdict = f"All {len(asked)} targets are met."
    lines = [
        "# Benchmarks",
        "",
        "Written by `python -m bench --write` (`make bench` prints the same): one run, one "
        "machine, everything side by side. Seconds depend on the machine and on what else it "
        f"does; the ratios are what to look at. {verdict}",
        "",
        *_lines(HEADINGS, [_cells(row) for row in rows]),
        "",
        "Beside each measured time is the peak memory of the whole process, interpreter and "
        "libraries included. *Computed* times were not measured here; how they come about is said "
        "below. An empty first column continues the job above it.",
        "",
        *(f"{sentence}\n" for sentence in left_out),
        "## Where `publish` spends its time",
        "",
        "The 1,000,000 rows from CSV to CSV, in a fresh process with compiled code cached:",
        "",
    ]
    if "steps" in found:
        spent = found["steps"].detail
        total = sum(spent.values())
        lines += _lines(
            ("step", "time", "share"),
            [(name, seconds(value), f"{value / total:.0%}") for name, value in spent.items()],
        )
        lines.append("")
    lines += [
        "*Measuring* reads the written file again, counts it, checks every claim on those counts "
        "and computes every utility metric.",
        "",
    ]
    if spent_on := noise_suite.steps(found):
        lines += ["## Where an answer with noise spends its time", "", noise_suite.WHERE, ""]
        lines += [*_lines(noise_suite.HEADINGS, spent_on), ""]
    if growth:
        lines += [
            "## How publishing grows with rows",
            "",
            "Not of this run: kept from the last of `python -m bench.scale`. More is in "
            "[scale.md](scale.md).",
            "",
            growth,
            "",
        ]
    lines += [
        "## What is measured and what is computed",
        "",
        "**Measured**, in this run, on this machine: every Hedgerow time, DuckDB, OpenDP, "
        "diffprivlib, anjana, anonypy, pycanon, and the exhaustive roll-ups.",
        "",
        "**Computed**, never run here: ARX, anonypyx and the pure-Python Mondrian script. ARX's "
        "times were taken elsewhere, on a quiet machine, together with a naive roll-up of Adult's "
        f"whole lattice, which took {ROLL_UP} s there. Here our roll-up takes "
        f"{seconds(found['roll_up'].seconds)}, so ARX's times are multiplied by {scale:.2f}: "
        + ", ".join(f"{name.replace('_', ' ')} {value:g} s" for name, value in ARX.items())
        + ". This takes the two roll-ups to be equally good; if ours is the better one, ARX is "
        "made too fast by as much, if it is the worse one, too slow: it is an estimate. The "
        "script's time is anonypy's processor time here times 0.44 / 52, the ratio of the two "
        "there, perhaps on other columns (without anonypy: 0.44 s times the factor above). "
        "With `--arx JAR` (or HEDGEROW_ARX) ARX's searches are measured in the same run instead, "
        "and not labelled as computed. "
        "*DuckDB, if it had every core to itself* is its processor time divided by the cores, the "
        "least it could take: it works on all of them, Hedgerow mostly on one, so that a busy "
        "machine slows it more than us. On a quiet one the truth is between the two.",
        "",
        "## The jobs",
        "",
        f"*Adult* is the UCI census extract, its {table['rows']:,} complete rows, with the nine "
        "hierarchies that come with ARX: sex, age, race, marital status, education, native "
        "country, workclass, occupation, salary class. Its lattice has 12,960 nodes. The metric "
        "is the loss. Where the occupation is sensitive the other eight are the "
        f"quasi-identifiers. The *{table['drawn']:,} rows* are drawn from Adult with replacement, "
        "then a tenth of each column's cells is redrawn from the column alone (PCG64, seed 1), "
        f"which gives {table['distinct']:,} distinct tuples.",
        "",
        "- *Best release*: the search from counted cells to the proven optimum; nothing is cached "
        "from one run to the next. The roll-up visits every node of the lattice depth first with "
        "the same kernels, and does nothing else; the second one also evaluates each node, and "
        "has to find the same optimum. *Counting included* starts from rows in memory (Arrow).",
        "- *DuckDB* reads the CSV file, groups by the nine columns and writes the rows to a CSV "
        "file again: the least anyone can do. Both times are of whole processes.",
        "- *Data frame to published table* is `hedgerow.publish` in memory: it counts, recodes, "
        "writes, reads what it wrote, checks the claims and computes eight metrics; the peers "
        "recode.",
        "- *Smallest epsilon*: every node of the lattice of the VLDB 2009 experiment (age in "
        "ranges, marital status, race, sex; salary sensitive) against its six adversaries, on a "
        "generated table. *Counting included* opens the file and counts it; DuckDB groups by the "
        "same five columns.",
        "- *Intersection attack*: the releases are strict Mondrian, k = 5, of two overlapping "
        "thirds of Adult; everybody in both is looked for. *anonypyx* was timed elsewhere, 28 ms a "
        "target.",
        "- *anjana* gets the same hierarchies; its loss is our metric on its output.",
        "- *anonypy* and we split the same eight columns; more groups is finer.",
        *noise_suite.JOBS,
    ]
    if "pycanon" in found:
        lines += [
            "- *pycanon* and we compute the levels below. Where they differ it is pycanon that "
            "leaves something out: it skips values a group lacks in δ-disclosure, and reports "
            "the largest bound, not the level, in enhanced β-likeness (no β is enough where a "
            "gain exceeds -ln p). For (c, l) it stops where l is 1.",
            "",
            *_lines(
                ("Hedgerow", "pycanon"),
                list(zip(found["models_frame"].detail["levels"],
                         found["pycanon"].detail["levels"], strict=True)),
            ),
        ]  # fmt: skip
    lines += [
        "",
        "## How",
        "",
        "Each measurement runs in a process of its own, one at a time. Warm ones do the job once "
        "untimed, then several times, and the best counts; what is compared takes turns, so that "
        "both meet the same noise. Whole commands are timed from outside, best of three. Peers "
        "that take minutes run once. Peak memory is that of the largest run. Processor time adds "
        "up all threads; where it is much below the time on the wall, the machine was busy with "
        "something else. A target against a measured peer counts as met only if it is reached on "
        "the wall and in processor time.",
        "",
        f"- {datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {machine()}; load average {load:.1f} "
        "before the run began",
        f"- {ours}",
    ]
    if peers:
        lines.append(f"- peers: {peers}")
    lines += [
        "",
        "## Every measurement",
        "",
        *_lines(
            ("measurement", "time", "processor", "peak memory", "runs"),
            [
                (
                    name.replace("_", " "),
                    seconds(m.seconds),
                    seconds(m.cpu),
                    memory(m.memory),
                    str(m.runs),
                )
                for name, m in found.items()
                if name != "anjana_loss"
            ],
        ),
        "",
    ]
    return "\n".join(lines)
