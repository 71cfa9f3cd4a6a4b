"""The peers' answers with noise, run by the peers' own interpreter.

`python -m bench.noise_peers JOB FOLDER REPEATS`, as `bench.noise`; the same five questions on the
same Parquet file, each library used as its documentation shows. Reading the file is included.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.clock import Job, Measured, tell, timed

RICHEST = 200_000
OLDEST = 99
EPSILON = 0.1


def opendp(folder: Path) -> Job:
    """OpenDP's context over a lazy frame of polars."""
    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib")
    warnings.simplefilter("ignore", FutureWarning)
    income = pl.col("income").dp.sum((0, RICHEST))
    ages = pl.LazyFrame({"age": pl.Series(range(OLDEST + 1), dtype=pl.Int32)})

    def work() -> list[Any]:
        context = dp.Context.compositor(
            data=pl.scan_parquet(folder / "patients.parquet"),
            privacy_unit=dp.unit_of(contributions=1),
            privacy_loss=dp.loss_of(epsilon=5 * EPSILON),
            split_evenly_over=5,
            margins=[dp.polars.Margin(by=[], max_length=10_000_000)],
        )
        asked = [
            context.query().select(dp.len()),
            context.query().filter(pl.col("age") >= 40).select(dp.len()),
            context.query().select(income),
            context.query().select(income, dp.len()),  # a mean is their ratio
            context.query().group_by("age").agg(dp.len()).with_keys(ages),
        ]
        return [query.release().collect() for query in asked]

    return Job(work, _told)


def diffprivlib(folder: Path) -> Job:
    """diffprivlib's tools on arrays; the two columns are read once for all questions."""
    import numpy as np
    import pandas as pd
    from diffprivlib import tools

    def work() -> list[Any]:
        frame = pd.read_parquet(folder / "patients.parquet", columns=["age", "income"])
        age, income = frame["age"].to_numpy(), frame["income"].to_numpy()
        bounds = (0, RICHEST)
        return [
            tools.count_nonzero(np.ones(len(age), bool), epsilon=EPSILON),
            tools.count_nonzero(age >= 40, epsilon=EPSILON),
            tools.sum(income, bounds=bounds, epsilon=EPSILON),
            tools.mean(income, bounds=bounds, epsilon=EPSILON),
            tools.histogram(age, bins=OLDEST + 1, range=(0, OLDEST + 1), epsilon=EPSILON),
        ]

    return Job(work, _told)


def _told(answered: list[Any]) -> dict[str, Any]:
    return {"answers": len(answered)}


JOBS: dict[str, Callable[[Path], Job]] = {"opendp": opendp, "diffprivlib": diffprivlib}


def main(name: str, folder: Path, repeats: int) -> Measured:
    made = JOBS[name](folder)
    if repeats:
        return timed(made, repeats=repeats)
    return Measured(0.0, 0.0, 0, 1, made.describe(made.work()))


if __name__ == "__main__":
    tell(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))
