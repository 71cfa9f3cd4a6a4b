"""`python -m bench`: measure Hedgerow and its peers side by side.

This process only starts others and prints, so that it takes no memory they would be blamed for.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from bench import (
    arx_peer,
    beliefs,
    blowfish,
    exploring,
    growth,
    growth_page,
    noise_suite,
    profiles,
    report,
    safe,
    suite,
    wide,
)
from bench.clock import ROOT, BenchError, fingerprint, process

PAGE = ROOT / "docs" / "benchmarks.md"
LARGE = 10_000_000
SOURCE = ROOT / "src" / "hedgerow"


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0: measured; 1: a target is missed or a run is void; 2: no data."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="without the peers that take minutes")
    parser.add_argument("--large", action="store_true", help="also 10,000,000 rows of Parquet")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    parser.add_argument(
        "--peers",
        type=Path,
        default=Path(os.environ.get("HEDGEROW_PEERS", ROOT / ".venv-peers")),
        help="the peers' virtual environment",
    )
    parser.add_argument(
        "--arx",
        type=Path,
        default=os.environ.get("HEDGEROW_ARX"),
        help="ARX's jar, if there is one",
    )
    chosen = parser.parse_args(arguments)
    console = Console(stderr=True)
    given = os.environ.get("HEDGEROW_DATA")
    adult = Path(given) / "adult" if given else None
    if adult is None or not (adult / "adult.data").exists():
        console.print(
            "python -m bench: the Adult data are not there. Set HEDGEROW_DATA to a folder with "
            "adult/adult.data and adult/hierarchy_<column>.csv.",
            soft_wrap=True,
        )
        return 2
    load, program = os.getloadavg()[0], fingerprint(SOURCE)
    python = chosen.peers / "bin" / "python"
    peers = python if python.exists() else None
    if peers is None:
        console.print(f"no peers in {chosen.peers}: pip install -r bench/peers.txt there")
    with tempfile.TemporaryDirectory(prefix="hedgerow-bench-") as name, console.status("") as now:
        bench = suite.Bench(Path(name), adult, peers=peers, say=now.update)
        now.update("preparing the tables")
        try:
            table = process(sys.executable, "bench.tables", name, str(LARGE * chosen.large)).detail
        except BenchError as error:
            console.print(str(error), markup=False)
            return 2
        bench.ours()
        if chosen.arx is not None:
            arx_peer.measure(bench, chosen.arx)
        bench.commands()
        bench.ledger()
        noise_suite.measure(bench, large=chosen.large)
        blowfish.measure(bench)
        safe.measure(bench)
        exploring.measure(bench)
        beliefs.measure(bench)
        profiles.measure(bench)
        wide.measure(bench)
        if chosen.large:
            bench.large()
        bench.others(slow=not chosen.quick)
    rows = [
        *suite.rows(bench.found),
        *noise_suite.rows(bench.found),
        *blowfish.rows(bench.found),
        *safe.rows(bench.found),
        *exploring.rows(bench.found),
        *beliefs.rows(bench.found),
        *profiles.rows(bench.found),
        *wide.rows(bench.found),
    ]
    report.show(rows, Console(width=None if sys.stdout.isatty() else 190))
    for failed, message in bench.failed.items():
        console.print(f"{failed} failed: {message}", style="red", markup=False)
    wrong = suite.disagreements(bench.found)
    for sentence in wrong:
        console.print(f"Not the same optimum: {sentence}", style="red", markup=False)
    changed = fingerprint(SOURCE) != program
    if changed:
        console.print("src/hedgerow changed during the run: measure again", style="red")
    if chosen.write and not bench.failed and not changed:
        page = report.markdown(
            rows,
            bench.found,
            table=table,
            libraries=report.versions(peers),
            load=load,
            left_out=_left_out(quick=chosen.quick, peers=peers is not None, large=chosen.large),
            growth=_growth(),
        )
        PAGE.write_text(page, "utf-8")
        console.print(f"wrote {PAGE.relative_to(ROOT)}")
    missed = any(row.met is False for row in rows)
    return 1 if bench.failed or wrong or missed or changed else 0


def _growth() -> str:
    """From what `bench.scale` has kept, which writes to the same place of the page."""
    told = growth_page.sections(growth.stored())
    return growth_page.marked("growth", told["growth"]) if told else ""


def _left_out(*, quick: bool, peers: bool, large: bool) -> list[str]:
    told = []
    if not peers:
        told.append("The peers were not installed and not measured.")
    elif quick:
        told.append("This was a quick run: anonypy and pycanon, which take minutes, are left out.")
    if not large:
        told.append("`--large` adds 10,000,000 rows of Parquet.")
    return told


if __name__ == "__main__":
    sys.exit(main())
