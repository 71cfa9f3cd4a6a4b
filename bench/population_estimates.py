"""How good estimates of population risk are: bias and coverage where the population is known.

`python -m bench.population_estimates [RUNS]` prints the tables of docs/population_risk.md. It needs
the real data: HEDGEROW_DATA names their folder.
"""

from __future__ import annotations

import csv
import gzip
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hedgerow.claims.population.decision import ESTIMATORS
from hedgerow.claims.population.estimate import UndefinedEstimateError
from hedgerow.claims.population.individual import benedetti_franconi, bounded_risk
from hedgerow.claims.population.size_counts import SizeCounts

Ints = NDArray[np.int64]
FRACTIONS = (0.01, 0.05, 0.1, 0.3, 0.5)
SEED = 20
ADULT = "age workclass fnlwgt education years marital occupation relationship race sex gain loss hours country salary"  # noqa: E501


def made(draw: np.random.Generator) -> dict[str, Ints]:
    """Sizes of the groups of populations that were made up."""
    return {
        "geometric sizes": draw.geometric(0.3, 20_000),
        "Zipf sizes": np.maximum(1, (20_000 / np.arange(1, 40_001)).astype(np.int64)),
        "log-normal sizes": draw.poisson(np.exp(draw.normal(0, 2, 50_000))),
        "equal sizes": draw.poisson(3, 30_000),
        "one person or a hundred": np.repeat([1, 100], [8_000, 800]),
    }


def real(folder: Path) -> dict[str, Ints]:
    """Sizes of the groups of real tables, taken for populations."""
    census = _rows(folder / "census-income/census_income_5.csv.gz")
    adult = [
        dict(zip(ADULT.split(), line.strip().rstrip(".").split(", "), strict=True))
        for name in ("adult.data", "adult.test")
        for line in (folder / "adult" / name).read_text().splitlines()
        if line.count(",") == len(ADULT.split()) - 1
    ]
    survey = _rows(folder / "nist/national2019.csv")
    angeles = [
        row for year in (97, 98, 99)
        for row in _rows(folder / f"ipums-la/ipums_la_{year}_small.csv.gz")
    ]  # fmt: skip
    six = "age sex race education marital country"
    return {
        "census income, 5 columns": _sizes(census, "age marital_status race sex salary_class"),
        "Adult, 6 columns": _sizes(adult, six),
        "Adult, 8 columns": _sizes(adult, f"{six} workclass occupation"),
        "NIST ACS, 4 columns": _sizes(survey, "PUMA AGEP SEX RAC1P"),
        "NIST ACS, 6 columns": _sizes(survey, "PUMA AGEP SEX RAC1P MSP EDU"),
        "IPUMS LA, 5 columns": _sizes(angeles, "age sex raceg marst bplg"),
    }


def _rows(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        return list(csv.DictReader(file))


def _sizes(rows: list[dict[str, str]], columns: str) -> Ints:
    keys = ["|".join(row[name] for name in columns.split()) for row in rows]
    return np.unique(np.array(keys), return_counts=True)[1]


def samples(sizes: Ints, fraction: float, runs: int, draw: np.random.Generator) -> Iterator[Ints]:
    """Simple random samples: how many people of each group are in it."""
    people = int(sizes.sum())
    for _ in range(runs):
        yield draw.multivariate_hypergeometric(sizes, round(people * fraction), method="marginals")


def uniqueness(
    sizes: Ints, fraction: float, runs: int, draw: np.random.Generator
) -> dict[str, tuple[float, float, int]]:
    """For each estimator its bias, relatively, how often the upper end covers, and of how many."""
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in ESTIMATORS}
    for seen in samples(sizes, fraction, runs, draw):
        truth = float(np.count_nonzero((seen == 1) & (sizes == 1)))
        sample = SizeCounts.of(seen, fraction=fraction)
        for name, estimator in ESTIMATORS.items():
            try:
                estimate = estimator(sample)
            except UndefinedEstimateError:
                continue
            found[name].append((estimate.uniques, estimate.upper, truth))
    told = {}
    for name, values in found.items():
        if values:
            estimate, upper, truth = np.array(values).T
            bias = float(estimate.mean() / truth.mean() - 1)
            told[name] = (bias, float((upper >= truth).mean()), len(values))
    return told


def risks(
    sizes: Ints, fraction: float, runs: int, draw: np.random.Generator, k: int
) -> tuple[float, float, float, float] | None:
    """Of groups of k: the mean of 1 / F, the model's, the bound's, and how often that covers.

    None where no sample has such groups.
    """
    found = []
    for seen in samples(sizes, fraction, runs, draw):
        inside = (seen >= k) & (seen <= k + k // 4)
        if not (seen == k).any():
            continue
        odds = np.array([(1 - fraction) / fraction])
        upper = bounded_risk(np.array([k]), odds, sizes=seen[seen > 0], left_out=0)[0]
        found.append((float((1 / sizes[inside]).mean()), float(upper)))
    if not found:
        return None
    truth, upper = np.array(found).T
    model = benedetti_franconi(np.array([k]), np.array([k / fraction]))[0]
    return truth.mean(), float(model), upper.mean(), float((upper >= truth).mean())


def main(runs: int) -> None:
    """Print both tables."""
    draw = np.random.default_rng(SEED)
    tables: Mapping[str, Ints] = real(Path(os.environ["HEDGEROW_DATA"])) | made(draw)
    tables = {name: sizes[sizes > 0].astype(np.int64) for name, sizes in tables.items()}
    names = list(ESTIMATORS)
    print("| population | sample |", " | ".join(f"`{n}`" for n in names), "|")
    print("|---|--:|", "--:|" * len(names))
    for name, sizes in tables.items():
        for fraction in FRACTIONS:
            seen = uniqueness(sizes, fraction, runs, draw)
            cells = [
                f"{seen[n][0]:+.0%}, {seen[n][1]:.0%}" + f" of {seen[n][2]}" * (seen[n][2] < runs)
                if n in seen else "none" for n in names
            ]  # fmt: skip
            print(f"| {name} | {fraction:.0%} |", " | ".join(cells), "|", flush=True)
    print("\n| population | sample | k | true | model | `bound` | covers |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name, sizes in tables.items():
        for fraction in (0.01, 0.1, 0.3):
            for k in (1, 2, 5):
                told = risks(sizes, fraction, max(10, runs // 5), draw, k)
                if told is None:
                    continue
                true, model, upper, covers = told
                print(f"| {name} | {fraction:.0%} | {k} | {true:.3f} | {model:.3f} "
                      f"| {upper:.3f} | {covers:.0%} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
