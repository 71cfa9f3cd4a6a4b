"""How cost grows with rows: `python -m bench.scale FOLDER --engine spark --rows 1000000,4000000`.

A made-up census (`bench/census.py`) is published by the command line as a steward would: to a
Parquet file, and with PostgreSQL and Spark also to a table or folder that the engine writes itself.
The servers are started for it. Prints the tables of `docs/scale.md` from what was measured. With
`--write` the measurements are kept in `bench/scale.json`, where the older ones of other engines
and sizes stay, and the pages are written from all of them. Without FOLDER nothing is measured.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import hashlib
import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from bench import census, growth, growth_page, servers
from bench.clock import ROOT, BenchError, command, fingerprint
from bench.growth import ENGINES, FILES, TARGETS, THERE, Run
from bench.report import machine
from bench.watched import watched

ROWS = (1_000_000, 10_000_000, 100_000_000)
MEMORY = "2GB"
SOURCE = ROOT / "src" / "hedgerow"
COUNTED = ("duckdb", "postgresql")
"""Engines on which counting alone is measured too; the others spend their time on starting."""


@contextlib.contextmanager
def _server(engine: str) -> Iterator[servers.Server]:
    """What an engine needs to be there."""
    if engine == "postgresql":
        with servers.postgresql() as server:
            yield server
    elif engine == "cluster":
        with servers.cluster() as server:
            yield server
    else:
        yield servers.Server("spark://", ())


def measured(
    folder: Path,
    engine: str,
    sizes: Sequence[int],
    *,
    memory: str,
    say: Callable[[str], object] = lambda _: None,
) -> list[Run]:
    """Publish the census of each size by one engine.

    Args:
        folder: Where the census and, for the time they are looked at, the releases are.
        engine: One of `growth.ENGINES`.
        sizes: Rows.
        memory: What the engine may use on this machine (`--memory`).
        say: Told what is done.
    """
    runs = []
    with _server(engine) as server:
        for rows in sorted(sizes):
            say(f"preparing {rows:,} rows")
            rest = census.prepared(folder, rows)
            source = f"{rest}/*.parquet" if engine == "duckdb" else f"{server.address}::{rest}"
            if engine == "postgresql":
                census.load(rest, server.address, f"census_{rows}")
                source = f"{server.address}::census_{rows}"
            plan = census.plan(folder / f"{engine}-{rows}.yaml", source)
            for target in TARGETS[engine]:
                say(f"{rows:,} rows, {ENGINES[engine]}, to {target}")
                runs.append(_run(plan, engine, target, rows, server=server, memory=memory))
    return runs


def _run(
    plan: Path, engine: str, target: str, rows: int, *, server: servers.Server, memory: str
) -> Run:
    """One publication; what it wrote is looked at and removed."""
    release = plan.with_name(f"release-{engine}-{rows}")
    place = release.name.replace("-", "_") if engine == "postgresql" else release
    to = str(release) if target == FILES else f"{server.address}::{place}"
    counted = None
    if target == FILES and engine in COUNTED:
        counted = command([sys.executable, "-m", "bench.census", plan, memory])
    shutil.rmtree(release, ignore_errors=True)
    hedgerow = Path(sys.executable).with_name("hedgerow")
    spent = watched(
        [hedgerow, "publish", plan, "--to", to, "--memory", memory, "--no-report", "--json"],
        env=server.env,
        servers=server.processes,
    )
    if target == THERE and engine == "postgresql":
        certificate = _fetched(server.address, str(place))
    else:
        certificate = (release / "certificate.json").read_text("utf-8")
    said = json.loads(certificate)["data"]["sha256"]
    if target == FILES and said != _digest(release / "data.parquet"):
        raise BenchError(f"{release}: the file is not the one its certificate speaks of")
    shutil.rmtree(release, ignore_errors=True)
    return Run(
        engine=engine,
        target=target,
        rows=rows,
        seconds=round(spent.seconds, 2),
        own=round(spent.own, 2),
        others=round(spent.others, 2),
        memory=spent.memory,
        date=f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}",
        machine=machine(),
        elsewhere=round(spent.elsewhere, 3),
        cells=counted.detail["cells"] if counted else None,
        counting=round(counted.seconds, 2) if counted else None,
        sha256=said,
        certificate=hashlib.sha256(certificate.encode()).hexdigest(),
    )


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _fetched(address: str, table: str) -> str:
    """The certificate beside a table, both dropped then."""
    import psycopg

    beside = f"{table}_certificate"
    with psycopg.connect(address, autocommit=True) as connection:
        found = connection.execute(f"SELECT certificate FROM {beside}".encode()).fetchone()
        connection.execute(f"DROP TABLE {table}, {beside}".encode())
    assert found is not None, "publish has written it"
    return str(found[0])


def engines(text: str) -> list[str]:
    """Names of engines, with commas between."""
    names = text.split(",")
    if wrong := [name for name in names if name not in ENGINES]:
        raise argparse.ArgumentTypeError(f"no engine {wrong[0]!r}: {', '.join(ENGINES)}")
    return names


def sizes(text: str) -> list[int]:
    """Numbers of rows, with commas between.

    >>> sizes("20000,1_000_000")
    [20000, 1000000]
    """
    try:
        found = [int(size) for size in text.split(",")]
    except ValueError:
        found = []
    if not found or min(found) < 1:
        raise argparse.ArgumentTypeError(f"not numbers of rows with commas between: {text!r}")
    return found


def main(
    arguments: list[str] | None = None,
    *,
    store: Path = growth.STORE,
    pages: Mapping[Path, Sequence[str]] = growth_page.PAGES,
) -> int:
    """Exit code 0: measured; 1: engines differ or a run is void; 2: it cannot be measured."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.scale",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "folder", type=Path, nargs="?", help="for the census, 8 MB a million rows, and the releases"
    )
    parser.add_argument(
        "--engine", type=engines, action="extend", help=f"one or several of {','.join(ENGINES)}"
    )
    parser.add_argument(
        "--rows", type=sizes, default=list(ROWS), help="numbers of rows, with commas between"
    )
    parser.add_argument("--memory", default=MEMORY, help="what the engine may use")
    parser.add_argument("--write", action="store_true", help="keep them, and write the pages")
    chosen = parser.parse_args(arguments)
    if chosen.write and chosen.memory != MEMORY:
        parser.error(f"the pages speak of --memory {MEMORY}: leave --write or --memory out")
    program, runs = fingerprint(SOURCE), list[Run]()
    try:
        older = growth.stored(store)
        if chosen.folder is not None:
            folder = chosen.folder.absolute()
            for engine in chosen.engine or ["duckdb"]:
                runs += measured(folder, engine, chosen.rows, memory=chosen.memory, say=_say)
        else:
            runs = older
        print("\n\n".join(growth_page.sections(runs).values()))
        everything = growth.merged(older, runs) if chosen.write else runs
        wrong = growth.differing(everything)
        if fingerprint(SOURCE) != program:
            wrong.append("src/hedgerow changed during the run: measure again")
        for sentence in wrong:
            _say(sentence)
        if chosen.write and not wrong:
            growth.store(everything, store)
            growth_page.write(everything, pages)
    except BenchError as error:
        _say(str(error))
        return 2
    return 1 if wrong else 0


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
