"""Run it: `python -m examples.realistic_adversaries --to out/`."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from pathlib import Path

from examples.realistic_adversaries import census, figures, hospital, page
from examples.realistic_adversaries.claims import label
from hedgerow.base.errors import HedgerowError

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = "realistic_adversaries.md"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m examples.realistic_adversaries",
        description="The example and the experiment of “Data publishing against realistic "
        "adversaries” (VLDB 2009), done again. Needs census-income in HEDGEROW_DATA.",
    )
    parser.add_argument("--to", type=Path, metavar="DIR", help="folder for the page and figures")
    parser.add_argument(
        "--write-docs", action="store_true", help="rewrite docs/realistic_adversaries.md"
    )
    options = parser.parse_args(arguments)
    print("Table 3, Gotham City Hospital\n")
    print("\n".join([*hospital.report(), "", *hospital.beliefs(), ""]))
    try:
        experiment = census.Experiment.from_environment()
        if options.to:
            written = write(experiment, options.to, formats=("svg", "html"))
            (options.to / "table_5.csv").write_text(table_5(experiment), "utf-8", newline="")
            print(f"{written} and {len(list((options.to / 'figures').iterdir()))} figures")
        if options.write_docs:
            print(write(experiment, DOCS, formats=("svg",)))
        if not options.to and not options.write_docs:
            print(page.page(experiment))
    except HedgerowError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def write(experiment: census.Experiment, folder: Path, *, formats: tuple[str, ...]) -> Path:
    """The page and its figures."""
    drawn = folder / "figures"
    drawn.mkdir(parents=True, exist_ok=True)
    for name, chart in figures.figures(experiment).items():
        for form in formats:
            chart.save(drawn / f"{name}.{form}")
    target = folder / PAGE
    target.write_text(page.page(experiment), "utf-8", newline="\n")
    return target


def table_5(experiment: census.Experiment) -> str:
    """Every node and adversary, with all digits."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["node", "decided", *map(str, census.SIX)])
    for by in ("theorem", "exact"):
        columns = [experiment.levels(adversary, by) for adversary in census.SIX]
        for node in experiment.nodes:
            rows.writerow([label(node), by, *(repr(column[node]) for column in columns)])
    return text.getvalue()


if __name__ == "__main__":
    sys.exit(main())
