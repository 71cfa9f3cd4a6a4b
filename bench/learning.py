"""Learning on Adult, beside diffprivlib: how accurate, at which loss.

Run as `python -m bench.learning ADULT [--runs 10] [--peers PYTHON]`; the peers' interpreter runs
this file too. Both get the same rows and the same public domains, those of adult.names.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.clock import ROOT

EPSILONS = ("1", "0.1")
NUMBERS = {
    "age": (0, 100),
    "education-num": (1, 16),
    "capital-gain": (0, 99_999),
    "capital-loss": (0, 4_999),
    "hours-per-week": (0, 99),
}
"""Bounds anybody would choose who has read the questionnaire."""
LEFT_OUT = "fnlwgt"
"""A weight of the sample, nothing about the person."""
MEANS = ("age", "education-num", "hours-per-week")
CLUSTERS = 5

Table = tuple[np.ndarray, np.ndarray]


def names(folder: Path) -> dict[str, list[str]]:
    """The columns in order, and what adult.names lists for them."""
    found = {}
    for line in (folder / "adult.names").read_text().splitlines():
        name, colon, values = line.partition(":")
        if colon and values.endswith(".") and not line.startswith("|") and " " not in name:
            found[name] = [value.strip() for value in values.rstrip(".").split(",")]
    found.pop(LEFT_OUT)
    return found


def adult(folder: Path) -> tuple[Table, Table]:
    """Complete rows to learn from, 30,162, and to be asked about, 15,060."""
    return _read(folder, "adult.data"), _read(folder, "adult.test")


def _read(folder: Path, name: str) -> Table:
    with (folder / name).open(newline="") as lines:
        rows = [row for row in csv.reader(lines, skipinitialspace=True) if len(row) == 15]
    kept = np.array([row for row in rows if "?" not in row], object)
    cells = np.delete(kept[:, :14], 2, axis=1)
    for place, column in enumerate(names(folder)):
        if column in NUMBERS:
            cells[:, place] = cells[:, place].astype(int)
    return cells, np.array([label.rstrip(".") for label in kept[:, 14]])


def numbered(table: np.ndarray, folder: Path, encoding: str) -> tuple[np.ndarray, np.ndarray]:
    """The same for those who know numbers only, between 0 and these upper bounds."""
    columns, widths = [], []
    for place, (name, values) in enumerate(names(folder).items()):
        if name in NUMBERS:
            low, high = NUMBERS[name]
            columns.append((table[:, place].astype(float) - low) / (high - low))
            widths.append(1.0)
        elif encoding == "one hot":
            columns += [(table[:, place] == value).astype(float) for value in values]
            widths += [1.0] * len(values)
        elif encoding == "codes":
            codes = {value: code for code, value in enumerate(values)}
            columns.append(np.array([codes[value] for value in table[:, place]], float))
            widths.append(float(len(values) - 1))
    return np.column_stack(columns), np.array(widths)


def estimators(epsilon: Any, folder: Path) -> dict[str, Callable[[], Any]]:
    """Ours, as anybody would call them, and the paper's trees."""
    from hedgerow.learning import DifferentiallyPrivateTree, NaiveBayes, NothingCharged
    from hedgerow.table.domain import Bounds, Values

    warnings.simplefilter("ignore", NothingCharged)  # a public table

    listed = names(folder)
    common: dict[str, Any] = {
        "epsilon": epsilon,
        "neighbours": "add-remove",
        "classes": ("<=50K", ">50K"),
        "domains": [
            Bounds(*NUMBERS[name], 1) if name in NUMBERS else Values(tuple(values))
            for name, values in listed.items()
        ],
    }
    paper = {**common, "growth": "ID3", "depth": 3}
    return {
        "tree": lambda: DifferentiallyPrivateTree(**common),
        "tree, max": lambda: DifferentiallyPrivateTree(**common, criterion="max"),
        "DiffP-ID3, Gini": lambda: DifferentiallyPrivateTree(**paper),
        "DiffP-ID3, max": lambda: DifferentiallyPrivateTree(**paper, criterion="max"),
        "naive Bayes": lambda: NaiveBayes(**common),
    }


def measured(make: Callable[[], Any], train: Table, test: Table, runs: int) -> dict[str, float]:
    """Accuracy on rows that were not learnt from, and seconds to fit."""
    scores, seconds = [], []
    for _ in range(runs):
        begin = time.perf_counter()
        model = make().fit(*train)
        seconds.append(time.perf_counter() - begin)
        scores.append(float((model.predict(test[0]) == test[1]).mean()))
    return {
        "accuracy": float(np.mean(scores)),
        "deviation": float(np.std(scores)),
        "seconds": float(np.median(seconds)),
    }


def ours(folder: Path, runs: int) -> dict[str, dict[str, Any]]:
    from sklearn.cluster import KMeans as Exact
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    from hedgerow.learning import KMeans
    from hedgerow.table.domain import Bounds

    train, test = adult(folder)
    found: dict[str, dict[str, Any]] = {}
    for epsilon in EPSILONS:
        for name, make in estimators(epsilon, folder).items():
            found.setdefault(f"Hedgerow {name}", {})[epsilon] = measured(make, train, test, runs)
    plain = [(numbered(x, folder, "codes")[0], y) for x, y in (train, test)]
    majority = float((test[1] == "<=50K").mean())
    found["always the larger class"] = {"none": {"accuracy": majority, "deviation": 0.0}}
    for name, make in {
        "scikit-learn tree, depth 4": lambda: DecisionTreeClassifier(max_depth=4),
        "scikit-learn tree, 100 leaves": lambda: DecisionTreeClassifier(max_leaf_nodes=100),
        "scikit-learn Gaussian naive Bayes": lambda: GaussianNB(),
    }.items():
        found[name] = {"none": measured(make, *plain, 1)}
    points = clustered(train[0], folder)
    for epsilon in EPSILONS:
        found.setdefault("Hedgerow k-means", {})[epsilon] = spread(
            lambda e=epsilon: KMeans(
                n_clusters=CLUSTERS, epsilon=e, neighbours="add-remove", domains=Bounds(0, 1)
            ),
            points,
            runs,
        )
    found["scikit-learn k-means"] = {
        "none": spread(lambda: Exact(n_clusters=CLUSTERS, n_init=5), points, 1)
    }
    return found


def theirs(folder: Path, runs: int) -> dict[str, dict[str, Any]]:
    """diffprivlib with bounds and classes given; each with the best of three encodings."""
    train, test = adult(folder)
    truth = [(labels == ">50K").astype(int) for labels in (train[1], test[1])]
    found: dict[str, dict[str, Any]] = {}
    for epsilon in EPSILONS:
        for encoding in ("codes", "one hot", "numbers alone"):
            rows, high = numbered(train[0], folder, encoding)
            asked = numbered(test[0], folder, encoding)[0]
            for name, make in _peers(float(epsilon), high, encoding).items():
                one = measured(make, (rows, truth[0]), (asked, truth[1]), runs)
                kept = found.setdefault(f"diffprivlib {name}", {})
                if epsilon not in kept or one["accuracy"] > kept[epsilon]["accuracy"]:
                    kept[epsilon] = one
        found.setdefault("diffprivlib k-means", {})[epsilon] = spread(
            _their_means(float(epsilon)), clustered(train[0], folder), runs
        )
    return found


def _peers(epsilon: float, high: np.ndarray, encoding: str) -> dict[str, Callable[[], Any]]:
    from diffprivlib import models

    bounds = (np.zeros(len(high)), high)
    # One hot, a row has a 1 for each of its eight texts, and five numbers up to 1.
    norm = float(np.sqrt(13) if encoding == "one hot" else np.linalg.norm(high))
    trees = {"epsilon": epsilon, "bounds": bounds, "classes": [0, 1]}
    return {
        "tree": lambda: models.DecisionTreeClassifier(**trees),
        "forest": lambda: models.RandomForestClassifier(**trees),
        "naive Bayes": lambda: models.GaussianNB(epsilon=epsilon, bounds=bounds),
        "logistic regression": lambda: models.LogisticRegression(epsilon=epsilon, data_norm=norm),
    }


def _their_means(epsilon: float) -> Callable[[], Any]:
    from diffprivlib import models

    return lambda: models.KMeans(CLUSTERS, epsilon=epsilon, bounds=(np.zeros(3), np.ones(3)))


def clustered(table: np.ndarray, folder: Path) -> np.ndarray:
    """Three numbers of everybody, between 0 and 1."""
    places = {name: place for place, name in enumerate(names(folder))}
    return np.column_stack(
        [
            (table[:, places[name]].astype(float) - NUMBERS[name][0])
            / (NUMBERS[name][1] - NUMBERS[name][0])
            for name in MEANS
        ]
    )


def spread(make: Callable[[], Any], points: np.ndarray, runs: int) -> dict[str, float]:
    """The mean squared distance to the nearest centre, in thousandths, and seconds to fit."""
    found, seconds = [], []
    for _ in range(runs):
        begin = time.perf_counter()
        centres = make().fit(points).cluster_centers_
        seconds.append(time.perf_counter() - begin)
        apart = ((points[:, None] - centres[None]) ** 2).sum(axis=2)
        found.append(1000 * float(apart.min(axis=1).mean()))
    return {
        "spread": float(np.mean(found)),
        "deviation": float(np.std(found)),
        "seconds": float(np.median(seconds)),
    }


def page(found: dict[str, dict[str, Any]], runs: int) -> str:
    """A table of each kind, as in docs/learning.md."""
    lines = []
    for key, head, digits in (
        ("accuracy", "accuracy", 3),
        ("spread", "mean squared distance, thousandths", 1),
    ):
        lines += [
            f"| {head}, mean of {runs} fits | ε = 1 | ε = 0.1 | without noise | seconds |",
            "|---|---|---|---|---|",
        ]
        for name, each in found.items():
            first = next(iter(each.values()))
            if key in first:
                cells = [_cell(each.get(e), key, digits) for e in (*EPSILONS, "none")]
                took = f"{first['seconds']:.2f}" if "seconds" in first else ""
                lines.append(f"| {name} | {' | '.join(cells)} | {took} |")
        lines.append("")
    return "\n".join(lines)


def _cell(one: dict[str, float] | None, key: str, digits: int) -> str:
    if one is None:
        return ""
    return f"{one[key]:.{digits}f} ± {one['deviation']:.{digits}f}"


def main() -> int:
    """Exit code 1: one of ours is less accurate than diffprivlib's best of its kind."""
    parser = argparse.ArgumentParser(prog="python -m bench.learning", description=__doc__)
    parser.add_argument("adult", type=Path)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--peers", type=Path, default=ROOT / ".venv-peers" / "bin" / "python")
    parser.add_argument("--theirs", action="store_true", help="what the peers' interpreter is told")
    given = parser.parse_args()
    if given.theirs:
        warnings.simplefilter("ignore")
        print(json.dumps(theirs(given.adult, given.runs)))
        return 0
    found = ours(given.adult, given.runs)
    if given.peers.exists():
        told = subprocess.run(
            [given.peers, "-W", "ignore", "-m", "bench.learning", given.adult, "--theirs",
             "--runs", str(given.runs)],
            cwd=ROOT, check=True, stdout=subprocess.PIPE,
        )  # fmt: skip
        found |= json.loads(told.stdout.splitlines()[-1])
    else:
        print(f"no peers in {given.peers}: pip install -r bench/peers.txt there", file=sys.stderr)
    print(page(found, given.runs))
    return int(any(missed(found)))


def missed(found: dict[str, dict[str, Any]]) -> list[str]:
    """Where ours is not the more accurate one."""
    return [
        f"{name} at {epsilon}"
        for name in ("tree", "naive Bayes")
        for epsilon in EPSILONS
        if f"diffprivlib {name}" in found
        and found[f"Hedgerow {name}"][epsilon]["accuracy"]
        <= found[f"diffprivlib {name}"][epsilon]["accuracy"]
    ]


if __name__ == "__main__":
    sys.exit(main())
