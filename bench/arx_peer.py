"""ARX, where its jar is at hand: the same searches, in the same run.

`python -m bench --arx libarx-3.9.2.jar` (or HEDGEROW_ARX). The runner is compiled as it
starts, which needs a JDK of version 11 or later.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bench.clock import Measured, command

if TYPE_CHECKING:
    from bench.suite import Bench

RUNNER = Path(__file__).with_name("arx") / "SearchTime.java"
NAME = "arx_{}"
"""The name of the measurement that is compared with one of ours."""
RUNS = 5

NINE = "sex,age,race,marital-status,education,native-country,workclass,occupation,salary-class"
EIGHT = NINE.replace("occupation,", "")
SEVEN = EIGHT.replace("workclass,", "").replace("salary-class", "occupation")
SEARCHES = {
    "search": ("adult.csv", NINE, 5, 0.0, "-", 0.05),
    "search_nothing_suppressed": ("adult.csv", NINE, 5, 0.0, "-", 0.0),
    "search_noisy": ("noisy.csv", NINE, 5, 0.0, "-", 0.05),
    "search_million": ("million.csv", NINE, 5, 0.0, "-", 0.05),
    "closeness": ("adult.csv", EIGHT, 5, 0.2, "occupation", 0.05),
    "closeness_sixty": ("sixty.csv", SEVEN, 0, 0.25, "salary-class", 0.05),
}  # fmt: skip
"""Table, quasi-identifiers, k, t, sensitive column and suppression of each."""


def measure(bench: Bench, jar: Path) -> None:
    """Each search, warm, counting included."""
    for name, asked in SEARCHES.items():
        bench.keep(NAME.format(name), lambda asked=asked: _searched(bench, jar, *asked))


def _searched(
    bench: Bench, jar: Path, table: str, columns: str, k: int, t: float, of: str, suppress: float
) -> Measured:
    """One process of ARX.

    Args:
        bench: Where the tables are.
        jar: ARX.
        table: The table.
        columns: Its quasi-identifiers.
        k: Of k-anonymity; 0: not asked for.
        t: Of t-closeness,
        of: of this column; `-`: not asked for.
        suppress: Share of the people who may be suppressed.
    """
    given = [bench.folder / table, bench.adult, columns, k, t, of, suppress, RUNS]
    told = command(["java", "-cp", jar, RUNNER, *map(str, given)])
    return Measured(**told.detail)
