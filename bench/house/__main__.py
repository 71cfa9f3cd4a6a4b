"""`python -m bench.house`: measure the house, and write the numbers into docs/architecture.md.

Counts are taken from the source; the files that run during a publication from a real one, of the
demo's table, in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.house.names import shared, verb_forms
from bench.house.publication import complexity, length, life_cycles, publish_function
from bench.house.reach import Names, unreached_modules
from bench.house.readers import published_readers
from bench.house.rooms import ROOMS, edges, wrong
from bench.house.source import HOME, Source, cycles

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
BEFORE = {
    "modules at the top level": "80",
    "modules": "480",
    "lines": "88,908",
    "packages in cycles": "19",
    "imports that the walls do not allow": "no walls",
    "modules that no command, page or public name reaches": "26",
    "classes and functions that nothing reaches, by name": "22",
    "class names that stand for several things": "80",
    "modules called by a gerund or participle": "108",
    "files in which a function runs during `publish`": "129",
    "readers of published tables": "5",
    "life cycles of a release": "2",
    "lines of `publish`, and ways through it": "125, 34",
    "files to add a claim, besides its oracle": "13",
}
"""Measured on the commit before the rooms."""
RUN = """
import inspect, json, sys, threading
home, folder = sys.argv[1:]
seen = set()
def look(frame, event, arg):
    file = frame.f_code.co_filename
    # Bodies of modules and classes run when they are loaded; only functions have this flag.
    if event == "call" and file.startswith(home) and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        seen.add(file)
from pathlib import Path
import hedgerow
from hedgerow.api.demo import write_hospital
plan = write_hospital(Path(folder), patients=2000)
threading.setprofile(look)
sys.setprofile(look)
hedgerow.publish(plan, to=Path(folder) / "out")
sys.setprofile(None)
print(json.dumps(sorted(seen)))
"""


def run_files() -> list[str]:
    """The files in which a function runs while the demo's table is published."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", RUN, str(HOME), folder],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
    found: list[str] = json.loads(done.stdout.splitlines()[-1])
    return found


def measures() -> dict[str, str]:
    """What is measured, as the page shows it."""
    source = Source()
    rings = cycles(edges(source))
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in source.modules.values())
    function = publish_function()
    outside = [name for name in source.modules if source.room(name) not in ROOMS]
    return {
        "modules at the top level": str(len(outside)),
        "modules": f"{len(source.modules):,}",
        "lines": f"{lines:,}",
        "packages in cycles": str(sum(len(ring) for ring in rings)),
        "imports that the walls do not allow": str(len(wrong(source))),
        "modules that no command, page or public name reaches": str(len(unreached_modules(source))),
        "classes and functions that nothing reaches, by name": str(len(Names(source).unreached())),
        "class names that stand for several things": str(len(shared(source))),
        "modules called by a gerund or participle": str(len(verb_forms(source))),
        "files in which a function runs during `publish`": str(len(run_files())),
        "readers of published tables": str(len(published_readers(source))),
        "life cycles of a release": str(len(life_cycles(source))),
        "lines of `publish`, and ways through it": f"{length(function)}, {complexity(function)}",
        "files to add a claim, besides its oracle": "1",
    }


def table(found: dict[str, str]) -> str:
    rows = [f"| {name} | {BEFORE[name]} | {value} |" for name, value in found.items()]
    return "\n".join(["| measure | before the rooms | now |", "|---|---|---|", *rows])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.house", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    chosen = parser.parse_args(arguments)
    text = table(measures())
    print(text)
    if chosen.write:
        page = PAGE.read_text("utf-8")
        before, _, rest = page.partition(BEGIN)
        _, _, after = rest.partition(END)
        PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
