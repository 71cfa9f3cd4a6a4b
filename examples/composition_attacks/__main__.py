"""Run it: `python -m examples.composition_attacks --to out/`."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from examples.composition_attacks import figures, page
from examples.composition_attacks.experiment import CONFIDENCES, Experiment
from examples.composition_attacks.private import Noisy, attack
from hedgerow.base.errors import HedgerowError

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = "composition_attacks.md"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m examples.composition_attacks",
        description="The experiments of “Composition attacks and auxiliary information in data "
        "privacy” (KDD 2008), done again. Needs adult and ipums-la in HEDGEROW_DATA.",
    )
    parser.add_argument("--to", type=Path, metavar="DIR", help="folder for the page and figures")
    parser.add_argument("--quick", action="store_true", help="fewer people, seeds and parameters")
    parser.add_argument(
        "--write-docs", action="store_true", help="rewrite docs/composition_attacks.md"
    )
    options = parser.parse_args(arguments)
    if options.quick and options.write_docs:
        parser.error("the page in docs/ is that of the whole experiment; leave out --quick")
    try:
        experiment = Experiment.quick() if options.quick else Experiment.full()
        noisy = attacked(experiment)
        if options.to:
            written = write(experiment, noisy, options.to, formats=("svg", "html"))
            (options.to / "scores.csv").write_text(scores(experiment), "utf-8", newline="")
            print(f"{written} and {len(list((options.to / 'figures').iterdir()))} figures")
        if options.write_docs:
            print(write(experiment, noisy, DOCS, formats=("svg",)))
        if not options.to and not options.write_docs:
            print(page.page(experiment, noisy))
    except HedgerowError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def attacked(experiment: Experiment) -> list[Noisy]:
    """The differentially private half, without noise first."""
    census, seeds = experiment.adult.census, experiment.setting.seeds
    return [attack(census, seeds, epsilon) for epsilon in (None, *experiment.setting.epsilons)]


def write(
    experiment: Experiment, noisy: Sequence[Noisy], folder: Path, *, formats: tuple[str, ...]
) -> Path:
    """The page and its figures."""
    drawn = folder / "figures"
    drawn.mkdir(parents=True, exist_ok=True)
    for name, chart in figures.figures(experiment, noisy).items():
        for form in formats:
            chart.save(drawn / f"{name}.{form}")
    target = folder / PAGE
    target.write_text(page.page(experiment, noisy), "utf-8", newline="\n")
    return target


def scores(experiment: Experiment) -> str:
    """Every attack and seed, with all digits."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    head = ["census", "subset", "overlap", "first", "second", "k", "l", "t", "located", "targets",
            "working", "seed"]  # fmt: skip
    for lab in (*experiment.both, *experiment.variants):
        census = lab.census
        for (methods, claims, way, who, working), found in lab.attacked():
            for seed, score in zip(lab.seeds, found, strict=True):
                numbers = asdict(score)
                shares = numbers.pop("pvp")
                if head:
                    rows.writerow([*head, *numbers, *(f"pvp {c:.3g}" for c in CONFIDENCES)])
                    head = []
                rows.writerow(
                    [census.name, census.subset, census.overlap, *methods, claims.k, claims.l,
                     claims.t, way, who, working, seed, *map(repr, numbers.values()),
                     *map(repr, shares)]
                )  # fmt: skip
    return text.getvalue()


if __name__ == "__main__":
    sys.exit(main())
