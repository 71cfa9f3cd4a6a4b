"""What was measured of growth, as the pages say it: tables, lines, and what a billion would take.

The pages have places for it, between `<!-- bench.scale: name -->` and `<!-- bench.scale: end -->`.
What stands there is written by `python -m bench.scale --write`, never by hand.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bench.census import MILLION, TUPLES
from bench.clock import ROOT, BenchError
from bench.growth import ENGINES, FILES, TARGETS, THERE, Line, Run, fitted, of
from bench.servers import WORKER_GIGABYTES

PAGES = {
    ROOT / "docs" / "scale.md": ("growth", "duckdb", "postgresql", "spark", "billion"),
    ROOT / "docs" / "benchmarks.md": ("growth",),
}
WIDTH = 115
BEGIN = "<!-- bench.scale: "
END = "<!-- bench.scale: end -->"
BILLION = 1_000_000_000
CORES = 64
"""Of the cluster a billion rows are computed for."""
POSTGRESQL = "The server is on the same machine, with the settings it comes with, autovacuum off."
SPARK = (
    f"*Two workers* are a standalone cluster on the same machine, a core and {WORKER_GIGABYTES} GB "
    "of memory for each executor. Java is the driver and the cluster's processes, all cores "
    "together."
)
THERE_CALLED = {"postgresql": "a table", "spark": "a folder", "cluster": "a folder"}


def seconds(value: float | None) -> str:
    """As precise as one run is.

    >>> seconds(0.734), seconds(118.4), seconds(20_512.0), seconds(None)
    ('0.7 s', '118 s', '20,512 s', '')
    """
    if value is None:
        return ""
    return f"{value:.1f} s" if value < 100 else f"{value:,.0f} s"


def duration(value: float) -> str:
    """For a computation: two digits.

    >>> duration(42.3), duration(312.0), duration(1163.0), duration(20_000.0), duration(180_000.0)
    ('42 seconds', '5.2 minutes', '19 minutes', '5.6 hours', '50 hours')
    """
    for name, size in (("hours", 3600), ("minutes", 60), ("seconds", 1)):
        if value >= 1.5 * size or size == 1:
            many = value / size
            return f"{many:.1f} {name}" if many < 10 else f"{many:,.0f} {name}"
    raise AssertionError("seconds are always enough")


def _gigabytes(size: int) -> str:
    return f"{size / 2**30:.2f} GB"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headings, ("---",) * len(headings), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines).replace("  ", " ")


def _paragraph(text: str, *, indent: str = "") -> str:
    return textwrap.fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _line(line: Line | None) -> str:
    return "" if line is None else f"{line.fixed:.1f} s + {line.million:.2f} s"


def _listed(words: Sequence[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _when(runs: Sequence[Run]) -> str:
    """When, where, and how quiet it was there: two sentences under each table."""
    dates, machines = ({getattr(run, what) for run in runs} for what in ("date", "machine"))
    told = f"One run of each, {_listed(sorted(dates))}, {' and '.join(sorted(machines))}."
    known = [run.elsewhere for run in runs if run.elsewhere is not None]
    if not known:
        return f"{told} What other work the machine did meanwhile was not recorded."
    told += f" Other work took up to {max(known):.0%} of it meanwhile"
    if unknown := sorted({run.rows for run in runs if run.elsewhere is None}):
        told += f"; for {_listed([f'{rows:,}' for rows in unknown])} rows that was not recorded"
    return f"{told}."


def duckdb(runs: Sequence[Run]) -> str:
    """The table of files on one machine, and its line."""
    found = of(runs, "duckdb")
    table = _table(
        ("rows", "distinct tuples", "counting alone", "`hedgerow publish`", "processor time",
         "peak memory", "seconds a million"),
        [(f"{run.rows:,}", "" if run.cells is None else f"{run.cells:,}", seconds(run.counting),
          seconds(run.seconds), seconds(run.own + run.others), _gigabytes(run.memory),
          f"{run.seconds / run.millions:.2f}") for run in found],
    )  # fmt: skip
    told = _when(found)
    line = fitted(found, "seconds")
    if line and line.million:
        told += (
            f" Time grows with the rows: about {line.fixed:.1f} s, and {line.million:.2f} s for "
            "each million."
        )
    return f"{table}\n\n{_paragraph(told)}"


def by_others(runs: Sequence[Run], engines: Sequence[str], *, who: str, note: str) -> str:
    """The table of engines whose work is done by other processes.

    Args:
        runs: What was measured.
        engines: Which of them.
        who: Whose processor time it is, besides that of the machine that publishes.
        note: How it was set up.
    """
    headings = (
        "engine", "release", "rows", "counting alone", "`hedgerow publish`",
        f"processor time: {who}", "the machine that publishes", "its peak memory",
    )  # fmt: skip
    rows: list[tuple[str, ...]] = []
    shown: list[Run] = []
    for engine in engines:
        for target in TARGETS[engine]:
            found = of(runs, engine, target)
            shown += found
            first = (ENGINES[engine], "a Parquet file" if target == FILES else THERE_CALLED[engine])
            rows += [
                (*first, f"{run.rows:,}", seconds(run.counting), seconds(run.seconds),
                 seconds(run.others), seconds(run.own), _gigabytes(run.memory))
                for run in found
            ]  # fmt: skip
            lines = [_line(fitted(found, what)) for what in ("seconds", "others", "own")]
            if all(lines):
                rows.append((*first, "**fixed + a million**", "", *lines, ""))
    kept = [i for i in range(len(headings)) if any(row[i] for row in rows)]
    kept = kept[1:] if len(engines) == 1 else kept
    table = _table([headings[i] for i in kept], [[row[i] for i in kept] for row in rows])
    return f"{table}\n\n{_paragraph(f'{note} {_when(shown)}')}"


def growth(runs: Sequence[Run]) -> str:
    """All engines side by side, at all sizes, to a Parquet file."""
    measured = [engine for engine in ENGINES if of(runs, engine)]
    by_size = {(run.engine, run.rows): run for run in runs if run.target == FILES}
    rows = []
    for size in sorted({size for _, size in by_size}):
        found = [by_size.get((engine, size)) for engine in measured]
        rows.append([f"{size:,}", *(
            "" if run is None else f"{seconds(run.seconds)} ({seconds(run.own + run.others)})"
            for run in found
        )])  # fmt: skip
    lines = [fitted(of(runs, engine), "seconds") for engine in measured]
    if any(lines):
        rows.append(["**fixed + a million**", *map(_line, lines)])
    told = (
        "`hedgerow publish` of a made-up census to a Parquet file, as a whole command: time on the "
        "wall, and in brackets processor time of all processes, the server's and Java's included. "
        "Written by `python -m bench.scale --write`."
    )
    if same := _same(runs):
        told += f" {same}"
    shown = [run for engine in measured for run in of(runs, engine)]
    table = _table(("rows", *(ENGINES[engine] for engine in measured)), rows)
    return f"{table}\n\n{_paragraph(f'{told} {_when(shown)}')}"


def _same(runs: Sequence[Run]) -> str:
    """At which sizes several engines were seen to give the same file."""
    found = []
    for rows in sorted({run.rows for run in runs}):
        seen = [run for run in runs if (run.rows, run.target) == (rows, FILES) and run.sha256]
        alike = {(run.sha256, run.certificate) for run in seen}
        if len(seen) > 1 and len(alike) == 1:
            names = _listed([ENGINES[run.engine] for run in seen])
            found.append(f"{rows:,} rows ({names}; SHA-256 {str(seen[0].sha256)[:16]}…)")
    told = "The files and the certificates were the same, byte for byte, at "
    return f"{told}{_listed(found)}." if found else ""


def billion(runs: Sequence[Run]) -> str:
    """What a billion rows would take if the lines went on."""
    told = []
    for name, engine, target in (
        ("DuckDB", "duckdb", FILES),
        ("PostgreSQL, to a file", "postgresql", FILES),
        ("PostgreSQL, to a table", "postgresql", THERE),
    ):
        line = fitted(of(runs, engine, target), "seconds")
        if line and line.million:
            told.append(
                f"{name}: {line.fixed:.1f} s and a thousand times {line.million:.2f} s, so "
                f"{duration(line.at(BILLION))} on the machine that was measured, if it does "
                "nothing else and its disk keeps up."
            )
    spark = "cluster" if of(runs, "cluster") else "spark"
    for target, where in ((FILES, "to a file"), (THERE, "to a folder")):
        found = of(runs, spark, target)
        java, own = fitted(found, "others"), fitted(found, "own")
        if java is None or own is None or not java.million:
            continue
        work = java.million * BILLION / MILLION
        told.append(
            f"Spark, {where}: a thousand times {java.million:.1f} s of Java's processor time, so "
            f"{work / 3600:.1f} core hours: {duration(work / CORES)} on {CORES} cores that share "
            f"the work evenly; and {duration(own.at(BILLION))} of processor time on the machine "
            "that publishes"
            + (", which receives, sorts and writes all rows." if target == FILES
               else "; the executors sort and write.")
        )  # fmt: skip
    if not told:
        return "No engine was measured at sizes that tell how its time grows."
    first = (
        "**This is a computation, not a measurement.** If time goes on growing with the rows as "
        "the lines above say:"
    )
    lines = "\n".join(_paragraph(f"- {sentence}", indent="  ") for sentence in told)
    last = (
        f"Memory does not grow that far: this census has at most {TUPLES:,} distinct tuples. Left "
        "out are the network between executors, which one machine does not have, sorting, which "
        "grows a little faster than the rows (a third more at this size), executors that wait "
        "for the slowest, and a release that no longer fits the disk's cache. The lines are drawn "
        "through few sizes, the largest of them far below a billion: take it as an order of "
        "magnitude."
    )
    return f"{_paragraph(first)}\n\n{lines}\n\n{_paragraph(last)}"


def sections(runs: Sequence[Run]) -> dict[str, str]:
    """What can be said of these measurements, by the name of its place."""
    seen = {run.engine for run in runs}
    told = {"growth": growth(runs)} if seen else {}
    if "duckdb" in seen:
        told["duckdb"] = duckdb(runs)
    if "postgresql" in seen:
        told["postgresql"] = by_others(runs, ["postgresql"], who="the server", note=POSTGRESQL)
    if spark := [engine for engine in ("spark", "cluster") if engine in seen]:
        told["spark"] = by_others(runs, spark, who="Java", note=SPARK)
    if seen:
        told["billion"] = billion(runs)
    return told


def marked(name: str, text: str) -> str:
    """A text with the marks by which its place is found again."""
    return f"{BEGIN}{name} -->\n\n{text}\n\n{END}"


def placed(page: str, told: Mapping[str, str]) -> str:
    """The page with these texts in their places.

    >>> placed("a\\n<!-- bench.scale: x -->\\nold\\n<!-- bench.scale: end -->\\nb", {"x": "new"})
    'a\\n<!-- bench.scale: x -->\\n\\nnew\\n\\n<!-- bench.scale: end -->\\nb'

    Raises:
        BenchError: The page has no such place, or more than one, or one without an end.
    """
    for name, text in told.items():
        begin = f"{BEGIN}{name} -->\n"
        before, _, rest = page.partition(begin)
        inside, end, after = rest.partition(END)
        if page.count(begin) != 1 or not end or BEGIN in inside:
            raise BenchError(f"there is not one place for {name!r}, begun and ended")
        page = before + marked(name, text) + after
    return page


def write(runs: Sequence[Run], pages: Mapping[Path, Sequence[str]] = PAGES) -> None:
    """Put what can be said of these measurements into the pages."""
    told = sections(runs)
    for page, names in pages.items():
        chosen = {name: told[name] for name in names if name in told}
        try:
            page.write_text(placed(page.read_text("utf-8"), chosen), "utf-8")
        except BenchError as error:
            raise BenchError(f"{page}: {error}") from error
