"""The peers' side, run by the peers' own interpreter: `python -m bench.peers JOB FOLDER ADULT`.

Each is used as its documentation shows, on a data frame in memory, without a warm-up: they take
seconds to minutes, where it changes nothing.
"""

from __future__ import annotations

import contextlib
import csv
import io
import sys
from pathlib import Path
from typing import Any

import pandas as pd

from bench.clock import Job, tell, timed

SENSITIVE = "occupation"


def pycanon(folder: Path, adult: Path) -> Job:
    """Every level of the raw table: eight quasi-identifiers, the occupation sensitive."""
    from pycanon import anonymity as p

    frame = pd.read_csv(folder / "adult.csv")
    quasi, sensitive = [name for name in frame if name != SENSITIVE], [SENSITIVE]

    def work() -> dict[str, Any]:
        alpha, _ = p.alpha_k_anonymity(frame, quasi, sensitive)
        c, l = p.recursive_c_l_diversity(frame, quasi, sensitive)  # noqa: E741
        return {
            "k": p.k_anonymity(frame, quasi),
            "alpha": alpha,
            "l": p.l_diversity(frame, quasi, sensitive),
            "entropy l": p.entropy_l_diversity(frame, quasi, sensitive),
            "(c, l)": f"({c}, {l})",
            "t": p.t_closeness(frame, quasi, sensitive),
            "basic beta": p.basic_beta_likeness(frame, quasi, sensitive),
            "enhanced beta": p.enhanced_beta_likeness(frame, quasi, sensitive),
            "delta": p.delta_disclosure(frame, quasi, sensitive),
        }

    def describe(found: dict[str, Any]) -> dict[str, Any]:
        return {"levels": [f"{name}: {level}" for name, level in found.items()]}

    return Job(work, describe)


def anonypy(folder: Path, adult: Path) -> Job:
    """Mondrian, k = 5: eight quasi-identifiers, the occupation carried along."""
    import anonypy as library

    frame = pd.read_csv(folder / "adult.csv")
    quasi = [name for name in frame if name != SENSITIVE]
    for name in frame:
        if name != "age":
            frame[name] = frame[name].astype("category")

    def work() -> list[dict[str, Any]]:
        return library.Preserver(frame, quasi, SENSITIVE).anonymize_k_anonymity(k=5)

    def describe(rows: list[dict[str, Any]]) -> dict[str, Any]:
        return {"groups": len(pd.DataFrame(rows)[quasi].astype(str).drop_duplicates())}

    return Job(work, describe)


def anjana(folder: Path, adult: Path) -> Job:
    """k = 5, at most 5 % of the rows left out, the same hierarchies."""
    from anjana.anonymity import k_anonymity

    frame = pd.read_csv(folder / "adult.csv", dtype=str)
    quasi = list(frame)
    hierarchies = {name: _levels(adult, name, set(frame[name])) for name in quasi}

    def work() -> pd.DataFrame:
        given = {name: dict(levels) for name, levels in hierarchies.items()}  # it alters them
        with contextlib.redirect_stdout(io.StringIO()):
            return k_anonymity(frame, [], quasi, 5, 5, given)

    def describe(found: pd.DataFrame) -> dict[str, Any]:
        found[quasi].to_csv(folder / "anjana.csv", index=False)
        return {"rows": len(found)}

    return Job(work, describe)


def _levels(adult: Path, name: str, present: set[str]) -> dict[int, list[str]]:
    with (adult / f"hierarchy_{name}.csv").open() as lines:
        rows = list(csv.reader(lines, delimiter=";"))
    known = {row[0] for row in rows}
    rows += [[v, *["*"] * (len(rows[0]) - 1)] for v in sorted(present - known)]
    return {level: [row[level] for row in rows] for level in range(len(rows[0]))}


JOBS = {"pycanon": pycanon, "anonypy": anonypy, "anjana": anjana}

if __name__ == "__main__":
    make = JOBS[sys.argv[1]]
    tell(timed(make(Path(sys.argv[2]), Path(sys.argv[3])), repeats=3, warm=False))
