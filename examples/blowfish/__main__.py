"""Run it: `python -m examples.blowfish --to out/`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from examples.blowfish.experiment import Results, Setting, measured
from examples.blowfish.figures import figures
from examples.blowfish.page import MARK, page
from hedgerow.base.errors import HedgerowError

DOCS = Path(__file__).resolve().parents[2] / "docs"
GUIDE = DOCS / "blowfish.md"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m examples.blowfish",
        description="Figure 2 of “Designing statistical privacy for your data” (CACM 2015), range "
        "queries under a policy, and the averaging example. Needs skin-segmentation and adult in "
        "HEDGEROW_DATA.",
    )
    parser.add_argument("--to", type=Path, metavar="DIR", help="folder for the page and figures")
    parser.add_argument("--quick", action="store_true", help="fewer runs, rows and parameters")
    parser.add_argument(
        "--write-docs", action="store_true", help="rewrite what is measured in docs/blowfish.md"
    )
    options = parser.parse_args(arguments)
    if options.quick and options.write_docs:
        parser.error("the page in docs/ is that of the whole experiment; leave out --quick")
    try:
        results = measured(Setting.quick() if options.quick else Setting.full())
        if options.to:
            draw(results, options.to / "figures")
            (options.to / "blowfish.md").write_text(page(results) + "\n", "utf-8", newline="\n")
            print(options.to / "blowfish.md")
        if options.write_docs:
            draw(results, DOCS / "figures")
            guide = GUIDE.read_text("utf-8").partition(MARK)[0]
            GUIDE.write_text(guide + page(results) + "\n", "utf-8", newline="\n")
            print(GUIDE)
        if not options.to and not options.write_docs:
            print(page(results))
    except HedgerowError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def draw(results: Results, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, chart in figures(results).items():
        chart.save(folder / f"{name}.svg")


if __name__ == "__main__":
    sys.exit(main())
