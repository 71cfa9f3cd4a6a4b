"""Run it: `python -m examples.differential_privacy --to out/`."""

from __future__ import annotations

import argparse
import sys
from fractions import Fraction
from pathlib import Path

import hedgerow
from examples.differential_privacy import diabetes
from examples.differential_privacy.figure import figure
from hedgerow.base.errors import HedgerowError
from hedgerow.noise.loss_sentences import told
from hedgerow.noise.rounding import positive


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m examples.differential_privacy",
        description="How many patients have diabetes, answered with noise: the worked example of "
        "the lecture slides.",
    )
    parser.add_argument("--epsilon", default="0.5", help="of each answer; 0.5 if left out")
    parser.add_argument("--to", type=Path, metavar="DIR", help="folder for the figures")
    options = parser.parse_args(arguments)
    try:
        epsilon = positive("epsilon", options.epsilon)
        study = hedgerow.explain_epsilon(epsilon)
        tell(epsilon, study)
        if options.to:
            options.to.mkdir(parents=True, exist_ok=True)
            print(figure(epsilon).save(options.to / "diabetes.svg"))
            print(study.plot(options.to / "epsilon.svg"))
    except HedgerowError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def tell(epsilon: Fraction, study: hedgerow.EpsilonStudy) -> None:
    here, there = (diabetes.diabetics(t) for t in (diabetes.PATIENTS, diabetes.NEIGHBOURS))
    print(f"D has {here} patients with diabetes, D' has {there}: Chris is another in D'.")
    print("Published as it is, the number tells the two apart: no epsilon covers that.\n")
    count = diabetes.counting(epsilon)
    print(f"Neighbours: {diabetes.UNIT}.")
    print(f"A count changes by {diabetes.UNIT.count} at most, so the noise has scale "
          f"{told(count.scale)}: {count.privacy_map(diabetes.UNIT.count)}.")  # fmt: skip
    half = count.accuracy(confidence="0.95")
    print(f"D, with noise: {count.release(here)}, within {half} of the truth 95 times in 100.\n")
    bins = diabetes.binning(epsilon)
    yes, no = bins.release(diabetes.histogram(diabetes.PATIENTS)).tolist()
    print(f"A histogram changes by {diabetes.UNIT.histogram} in all, so the noise has scale "
          f"{told(bins.scale)}: {bins.privacy_map(diabetes.UNIT.histogram)}.")  # fmt: skip
    print(f"D, with noise: {yes} with diabetes, {no} without.\n")
    print("What that means to Chris:")
    for sentence in (study.question.sentences[0], *study.group.sentences[:1]):
        print(f"- {sentence}")


if __name__ == "__main__":
    sys.exit(main())
