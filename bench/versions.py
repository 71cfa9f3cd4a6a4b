"""`python -m bench.versions BEFORE`: this source against an earlier one, job by job.

BEFORE is another working copy of the repository (`git worktree add ../before COMMIT`). Both are run
in turns, in processes of their own, on the same tables; the best run of each counts. Processor
time decides, since it suffers less than the wall clock from what else the machine does.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from bench.clock import ROOT, BenchError, Measured, command, process
from bench.suite import OURS

LIMIT = 1.15
"""How many times as long as before a job may take."""
COMMANDS = {
    "help": ["--help"],
    "publish adult": ["publish", "adult.yaml", "--to", "release", "--json"],
    "publish a million rows": ["publish", "million.yaml", "--to", "release", "--json"],
    "verify adult": ["verify", "kept"],
}
"""Whole commands; paths are within the folder of tables."""
THEIRS = ("duckdb_groups", "duckdb_groups_parquet", "steps")
"""Jobs of others, and one that measures its own steps."""


class Version:
    """One working copy."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.env = {"PYTHONPATH": f"{home / 'src'}{os.pathsep}{home}"}

    def job(self, name: str, folder: Path, runs: int) -> Measured:
        """A job of the benchmarks, warm, in a process that measures itself."""
        run = (
            "import runpy, sys; runpy.run_module('bench.work', run_name='__main__', alter_sys=True)"
        )
        told = command([sys.executable, "-P", "-c", run, name, folder, str(runs)], env=self.env)
        return Measured(**told.detail)

    def command(self, arguments: list[str], folder: Path) -> Measured:
        """A whole command, cold."""
        shutil.rmtree(folder / "release", ignore_errors=True)
        places = [str(folder / one) if (folder / one).exists() or one == "release" else one
                  for one in arguments]  # fmt: skip
        return command([sys.executable, "-P", "-m", "hedgerow", *places], env=self.env)


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0: nothing takes longer than allowed; 1: something does; 2: no data."""
    parser = argparse.ArgumentParser(prog="python -m bench.versions", description=__doc__)
    parser.add_argument("before", type=Path, help="working copy of the earlier version")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each in turns")
    parser.add_argument("--only", default="", help="jobs whose names contain this")
    chosen = parser.parse_args(arguments)
    if "HEDGEROW_DATA" not in os.environ:
        print("Set HEDGEROW_DATA to a folder with adult/adult.data.", file=sys.stderr)
        return 2
    versions = (Version(chosen.before.resolve()), Version(ROOT))
    slower = []
    with tempfile.TemporaryDirectory(prefix="hedgerow-versions-") as name:
        folder = Path(name)
        process(sys.executable, "bench.tables", name, "0")
        versions[1].command(COMMANDS["publish adult"], folder)
        (folder / "release").rename(folder / "kept")
        print("| job | before | now | times, processor | times, wall |\n|---|---|---|---|---|")
        for job in [*COMMANDS, *(one for one in OURS if one not in THEIRS)]:
            if chosen.only in job:
                try:
                    before, now = _compared(job, versions, folder, chosen.rounds)
                except BenchError as error:
                    print(f"| {job} | {str(error).splitlines()[-1]} | | | |", flush=True)
                    continue
                times, wall = now.cpu / before.cpu, now.seconds / before.seconds
                spent = f"{before.cpu:.3f} s | {now.cpu:.3f} s"
                print(f"| {job} | {spent} | {times:.2f} | {wall:.2f} |", flush=True)
                if times > LIMIT and wall > LIMIT:
                    slower.append(job)
    print(json.dumps({"slower": slower}))
    return 1 if slower else 0


def _compared(
    job: str, versions: tuple[Version, Version], folder: Path, rounds: int
) -> tuple[Measured, Measured]:
    """The best of each, in turns."""
    best: list[Measured | None] = [None, None]
    for turn in range(rounds):
        for which in (0, 1) if turn % 2 == 0 else (1, 0):
            one = versions[which]
            found = (
                one.command(COMMANDS[job], folder)
                if job in COMMANDS
                else one.job(job, folder, max(1, OURS[job][1] // 2))
            )
            best[which] = found.best(best[which])
    before, now = best
    assert before is not None, "there was a round"
    assert now is not None, "there was a round"
    return before, now


if __name__ == "__main__":
    sys.exit(main())
