"""The two censuses of the paper, and two overlapping halves of each."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv

from hedgerow import DataError, KAnonymity, Plan
from hedgerow.table.groups import Ints
from hedgerow.table.label_taxonomies import nodes_of, specs_of
from hedgerow.table.labels import Taxonomy
from hedgerow.table.targets import Targets

ROW = "row"
"""Whose row it is: published along so that guesses can be scored, never shown to the attacker."""
ADULT = Path("adult") / "adult.data"
ADULT_COLUMNS = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
    "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week",
    "native-country", "salary-class",
)  # fmt: skip
IPUMS = {year: Path("ipums-la") / f"ipums_la_{year}_small.csv.gz" for year in ("97", "98", "99")}
"""97, 98 and 99 are the censuses of 1970, 1980 and 1990."""
AGES = {"ranges": [5, 10, 20, 40]}
REGIONS = {
    "Northeast": ["Connecticut", "Maine", "Massachusetts", "New_Hampshire", "New_Jersey",
                  "New_York", "Pennsylvania", "Rhode_Island", "Vermont"],
    "Midwest": ["Illinois", "Indiana", "Iowa", "Kansas", "Michigan", "Minnesota", "Missouri",
                "Nebraska", "North_Dakota", "Ohio", "South_Dakota", "Wisconsin"],
    "South": ["Alabama", "Arkansas", "Delaware", "District_of_Columbia", "Florida", "Georgia",
              "Kentucky", "Louisiana", "Maryland", "Mississippi", "North_Carolina", "Oklahoma",
              "South_Carolina", "Tennessee", "Texas", "Virginia", "West_Virginia"],
    "West": ["Alaska", "Arizona", "California", "Colorado", "Hawaii", "Idaho", "Montana",
             "Nevada", "New_Mexico", "Oregon", "Utah", "Washington", "Wyoming"],
    "elsewhere in the United States": ["United_States_ns"],
}  # fmt: skip
SCHOOLING = {
    "school": ["None_or_preschool", "Grade_1-4", "Grade_5-8", "Grade_9", "Grade_10", "Grade_11",
               "Grade_12"],
    "college": ["1_to_3_years_of_college", "4+_years_of_college"],
    "not told": ["?"],
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Census:
    """A table of people, and how many of them each of two publishers has."""

    name: str
    table: Any
    """pyarrow: quasi-identifiers, the sensitive column, and `ROW`."""
    sensitive: str
    columns: Mapping[str, Any]
    """As in a plan."""
    subset: int
    """People in each release."""
    overlap: int
    """People in both: P."""

    @property
    def quasi(self) -> list[str]:
        return [name for name in self.table.column_names if name not in (self.sensitive, ROW)]

    @property
    def people(self) -> int:
        return int(self.table.num_rows)

    @cached_property
    def taxonomies(self) -> Mapping[str, Taxonomy]:
        """Everybody knows what an undergraduate is."""
        plan = Plan.of(columns=self.columns, protect=[KAnonymity(k=2)])
        return {
            name: nodes_of(spec.bind(name, [])) for name, spec in specs_of(plan.specs, {}).items()
        }

    def sized(self, subset: int, overlap: int) -> Census:
        """The same people, of whom each publisher has more or fewer."""
        return replace(self, subset=subset, overlap=overlap)

    def targets(self, rows: Ints) -> Targets:
        """What is known of these people: their quasi-identifiers."""
        return Targets.read(self.table.take(pa.array(rows)).select(self.quasi))

    def truth(self, rows: Ints) -> list[str]:
        """Their sensitive values."""
        found: list[str] = self.table[self.sensitive].take(pa.array(rows)).to_pylist()
        return found


@dataclass(frozen=True, eq=False)
class Split:
    """Who is in which release; row numbers of the census."""

    first: Ints
    second: Ints
    both: Ints
    only_first: Ints
    neither: Ints

    @classmethod
    def of(cls, census: Census, seed: int) -> Split:
        """Sampled without replacement, the overlap exactly as large as asked for."""
        order = np.random.default_rng(seed).permutation(census.people)
        begin, end = census.subset - census.overlap, 2 * census.subset - census.overlap
        if begin < 0 or end > census.people:
            raise DataError(
                f"two times {census.subset:,} people of whom {census.overlap:,} are in both do "
                f"not fit into {census.people:,}",
                where=census.name,
                fix="Take smaller subsets, or a larger overlap.",
            )
        return cls(
            np.sort(order[: census.subset]),
            np.sort(order[begin:end]),
            np.sort(order[begin : census.subset]),
            np.sort(order[:begin]),
            np.sort(order[end:]),
        )


def adult() -> Census:
    """The complete rows of Adult: 10,000 people in each release, 5,000 in both."""
    names = list(ADULT_COLUMNS)
    table = arrow_csv.read_csv(
        _file(ADULT),
        read_options=arrow_csv.ReadOptions(column_names=names),
        convert_options=_texts(names),
    )
    table = pa.table({name: pc.utf8_trim_whitespace(table[name]) for name in names})
    complete = np.ones(table.num_rows, np.bool_)
    for name in names:
        complete &= pc.not_equal(table[name], "?").to_numpy()
    quasi = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
    columns: dict[str, Any] = {}
    for name in quasi:
        file = _file(ADULT.parent / f"hierarchy_{name}.csv")
        columns[name] = {"role": "quasi-identifier", "hierarchy": str(file)}
    columns["age"] = {"role": "quasi-identifier", "hierarchy": AGES}
    chosen = table.filter(pa.array(complete)).select([*quasi, "occupation"])
    return _census("Adult", chosen, "occupation", columns, 10_000, 5_000)


def ipums(years: tuple[str, ...] = ("97",), *, working: bool = False) -> Census:
    """Los Angeles in 1970 (or several censuses as one); who has no occupation has "?" there.

    A third of the people in each release and half of these in both, as in `adult`.
    """
    sensitive = "occ1950"
    quasi = ["age", "classwkg", "educrec", "marst", "raceg", "sex", "bplg"]
    names = [*quasi, sensitive]
    table = pa.concat_tables(
        arrow_csv.read_csv(_file(IPUMS[year]), convert_options=_texts(names)).select(names)
        for year in years
    )
    if working:
        table = table.filter(pc.not_equal(table[sensitive], "?"))
    columns: dict[str, Any] = dict.fromkeys(quasi, "quasi-identifier")
    columns["age"] = {"role": "quasi-identifier", "hierarchy": AGES}
    columns["educrec"] = {"role": "quasi-identifier", "hierarchy": {"taxonomy": SCHOOLING}}
    states = {state for states in REGIONS.values() for state in states}
    abroad = sorted(set(pc.unique(table["bplg"]).to_pylist()) - states)
    birthplace = {"taxonomy": {"United States": REGIONS, "abroad": abroad}}
    columns["bplg"] = {"role": "quasi-identifier", "hierarchy": birthplace}
    name = "IPUMS " + ", ".join({"97": "1970", "98": "1980", "99": "1990"}[y] for y in years)
    name += ", with an occupation" if working else ""
    third = table.num_rows // 300 * 100
    return _census(name, table, sensitive, columns, third, third // 2)


def _census(
    name: str, table: Any, sensitive: str, columns: dict[str, Any], subset: int, overlap: int
) -> Census:
    table = table.append_column(ROW, pa.array(np.arange(table.num_rows)))
    columns = columns | {sensitive: "sensitive", ROW: "insensitive"}
    return Census(name, table, sensitive, columns, subset, overlap)


def _texts(names: list[str]) -> Any:
    return arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))


def _file(path: Path) -> Path:
    folder = os.environ.get("HEDGEROW_DATA")
    if not folder or not (Path(folder) / path).is_file():
        raise DataError(
            f"the data set {path.as_posix()} is not at hand",
            where=f"HEDGEROW_DATA={folder or ''}",
            fix="Set HEDGEROW_DATA to a folder that holds it: UCI Adult with ARX's hierarchies "
            "in adult/, the UCI IPUMS Los Angeles samples in ipums-la/.",
        )
    return Path(folder) / path
