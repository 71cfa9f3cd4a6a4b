"""`make shuffle RUNS=10`: the default suite in random orders, as unkindly as it may be run.

Each run has an order of its own, is in the background (a session without a terminal and without
input), and shares the machine with processes that do nothing but compute. A run that fails names
its seed; `pytest --suite default --shuffle SEED` repeats its order.
"""

from __future__ import annotations

import argparse
import contextlib
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BURN = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: sum(range(10**6))"
"""Computes until whoever started it has gone."""


@contextlib.contextmanager
def busy(processes: int) -> Iterator[None]:
    """So many processes that compute as fast as they can."""
    burning = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in burning:
            process.kill()
            process.wait()


def run(seed: int, log: Path) -> bool:
    """Whether the suite passes in this order."""
    words = ["-n", "2", "--suite", "default", "--shuffle", str(seed)]
    with log.open("w") as out:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *words], cwd=ROOT, stdin=subprocess.DEVNULL,
            stdout=out, stderr=subprocess.STDOUT, start_new_session=True, check=False,
        )  # fmt: skip
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--busy", type=int, default=2, help="processes that only compute")
    asked = parser.parse_args()
    logs, failed = Path(tempfile.mkdtemp(prefix="hedgerow-shuffle-")), 0
    with busy(asked.busy):
        for number in range(1, asked.runs + 1):
            seed = secrets.randbelow(2**32)
            log = logs / f"{seed}.log"
            passed = run(seed, log)
            failed += not passed
            last = log.read_text("utf-8").splitlines()[-1].strip("= ")
            print(f"run {number} of {asked.runs}, seed {seed}: {last}", flush=True)
            if not passed:
                print(f"  see {log}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
