"""A synthetic hospital to try things on: Gotham's inpatients, none of whom exists.

The randomness here makes up data; it protects nobody, so it may be seeded. Every draw is an
integer from PCG64's raw stream, looked up in a table of integer weights, so that the file is
the same, byte for byte, on every machine and with every NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml
from numpy.typing import NDArray

from hedgerow.base.errors import ClaimError, DataError, TargetError, some

if TYPE_CHECKING:
    import pyarrow as pa

    from hedgerow.answers.answer import Answer
    from hedgerow.attacks.base import AttackResult
    from hedgerow.ledger import Position
    from hedgerow.release.release import Release

Ints = NDArray[np.int64]
Texts = NDArray[np.object_]

SEED = 2009
"""Of the synthetic data; the year Gotham's hospital first appeared in a paper."""
OLDEST = 103
LAST_YEAR = 2025
"""Ages are those of 31 December of this year."""
COLUMNS = ("name", "zip", "birth_date", "sex", "nationality", "diagnosis", "bill")
BUDGET = "epsilon=1, delta=1e-6, rho=0.01"
"""What Gotham's patients may lose to answers with noise."""
SECOND = ("planners.yaml", "planners_coarser.yaml")
"""Plans of a second release about the same patients: one the ledger stops, one it does not."""
SHIPPED = ("nationality.csv", "diagnosis.csv", "metropolis.csv", "plan.yaml", *SECOND)
"""Files of the demo that do not depend on the number of patients."""


@dataclass(frozen=True, kw_only=True)
class Demo:
    """What the demo did."""

    plan: Path
    source: str
    rows: pa.Table
    """The first patients, before anything is published."""
    release: Release
    stopped: ClaimError | None
    """Why the ledger stopped the second release."""
    second: Release | None
    """What was published instead of it."""
    attacks: list[AttackResult]
    answer: Answer
    position: Position

    def summary(self) -> dict[str, Any]:
        """For `--json`."""
        return self.release.summary() | {
            "stopped": None if self.stopped is None else self.stopped.what,
            "second": None if self.second is None else self.second.summary(),
            "attacks": [result.summary() for result in self.attacks],
            "answer": self.answer.as_json(),
        }


def run_demo(folder: Path, *, progress: Callable[[str, float | None], None] | None = None) -> Demo:
    """Make the hospital, publish it twice and its neighbour once, attack that, ask a question.

    Args:
        folder: Where to; see `write_hospital`.
        progress: Called as work goes on.
    """
    from hedgerow.api.publication import publish
    from hedgerow.engines import open_engine
    from hedgerow.plan.plan import Plan

    def published(plan: Path) -> Any:
        return publish(plan, replace=True, progress=progress)

    plan = write_hospital(folder)
    release = published(plan)
    stopped, second = None, None
    try:
        published(folder / SECOND[0])
    except ClaimError as error:
        stopped = error
        second = published(folder / SECOND[1])
    published(write_neighbour(folder))
    source = Plan.read(plan).source
    with open_engine(source) as engine:
        rows = engine.rows(engine.columns(), 4)
    attacks = attacked(folder)
    answer, position = asked(folder)
    return Demo(
        plan=plan, source=str(source), rows=rows, release=release, stopped=stopped, second=second,
        attacks=attacks, answer=answer, position=position,
    )  # fmt: skip


def write_hospital(folder: Path, *, patients: int = 20_000) -> Path:
    """Write a table of inpatients, its hierarchies and a plan; return the plan's path.

    Nothing here is about real people. A smaller hospital is the top of a larger one.

    Args:
        folder: Where to; made if it does not exist.
        patients: How many rows, one for each patient.

    Raises:
        DataError: Fewer than one patient.
        TargetError: The folder cannot be written, or holds other files under these names.
    """
    if patients < 1:
        raise DataError(f"a hospital of {patients} patients", fix="Ask for at least 1.")
    contents = {name: _shipped(name) for name in SHIPPED}
    contents["patients.csv"] = _csv(hospital(patients=patients))
    _write(folder, contents)
    return folder / "plan.yaml"


def write_neighbour(folder: Path, *, patients: int = 20_000, shared: int = 5_000) -> Path:
    """Write the county hospital's table and plan beside Gotham's; return the plan's path.

    The last of Gotham's patients have been there too, with the same diagnosis.

    Args:
        folder: Gotham's, which holds the hierarchies.
        patients: Of each hospital.
        shared: Patients of both.
    """
    everybody = hospital(patients=2 * patients - shared)
    theirs = {name: column[patients - shared :] for name, column in everybody.items()}
    contents = {"patients.csv": _csv(theirs), "plan.yaml": _shipped("county.yaml")}
    _write(folder / "county", contents)
    return folder / "county" / "plan.yaml"


def attacked(folder: Path, *, patients: int = 20_000, shared: int = 5_000) -> list[AttackResult]:
    """The intersection attack on the patients of both hospitals: on each release, and on both.

    Args:
        folder: With both releases; see `write_hospital` and `write_neighbour`.
        patients: Of each hospital.
        shared: Patients of both.
    """
    # Here, not above: whoever wants the data only need not wait for the attacks.
    from hedgerow.attacks.intersection import intersect
    from hedgerow.attacks.suite import read_releases
    from hedgerow.table.targets import Targets

    both = read_releases(
        [folder / "release", folder / "county" / "release"], plan=folder / "plan.yaml",
        names=["Gotham's release", "the county hospital's"],
    )  # fmt: skip
    people = Targets.read(folder / "patients.csv").take(np.arange(patients - shared, patients))
    truth = people.column("diagnosis")
    return [
        intersect(releases, people, of="diagnosis").result(truth)
        for releases in (both[:1], both[1:], both)
    ]


def asked(folder: Path) -> tuple[Answer, Position]:
    """One question about Gotham's patients, answered with noise, and what is left of the budget.

    The ledger has the answer of an earlier run, if there was one, and tells it again.
    """
    from hedgerow.answers.session import session
    from hedgerow.noise.amounts import Amounts

    with session(folder / "plan.yaml") as questions:
        if questions.budget.budget is None:
            questions.ledger.set_budget(questions.population, Amounts.read(BUDGET))
        answer = questions.count(where="diagnosis = 'Stroke'", by="sex", epsilon="0.1")
        return answer, questions.budget


def _write(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write files that are not there yet, or are the same; else nothing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = [
            name
            for name, content in contents.items()
            if (folder / name).exists() and (folder / name).read_bytes() != content
        ]
        if taken:
            raise TargetError(
                f"{some(taken)} would be overwritten", where=str(folder),
                fix="Choose another folder, or move these files away.",
            )  # fmt: skip
        for name, content in contents.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise TargetError(
            f"the demo cannot be written: {error.strerror or error}", where=str(folder),
            fix="Choose a folder you may write to.",
        ) from error  # fmt: skip


def hospital(*, patients: int) -> dict[str, Texts]:
    """The inpatients column by column, in the order of `COLUMNS`."""
    facts = yaml.safe_load(_shipped("hospital.yaml"))
    draw = _Draw(patients)

    zips = {
        zip_code: (number, weight)
        for number, district in enumerate(facts["districts"].values())
        for zip_code, weight in district["zips"].items()
    }
    home = draw.one_of([weight for _, weight in zips.values()])
    district = np.array([number for number, _ in zips.values()])[home]

    # Age and sex are drawn together, so that the wards hold mothers but no fathers.
    body = _curves(facts["patients"])
    bend = np.array([np.tile(_curve(d["ages"]), 2) for d in facts["districts"].values()])
    body_of = draw.one_of(body * bend, given=district)
    sex, age = np.divmod(body_of, OLDEST + 1)

    nations = facts["nationalities"]
    per_district = np.transpose([n["per_district"] for n in nations.values()])
    nation = draw.one_of(per_district, given=district)
    names = facts["names"]
    bears = [[n["names"].get(culture, 0) for culture in names] for n in nations.values()]
    culture = draw.one_of(bears, given=nation)
    first = draw.out_of([lists[s] for lists in names.values() for s in "FM"],
                        given=2 * culture + sex)  # fmt: skip
    family = draw.out_of([lists["family"] for lists in names.values()], given=culture)

    entries = [(part, d) for part in facts["diagnoses"] for d in part["percent"]]
    weights = [part["percent"][d] * _curves(part) for part, d in entries]
    illness = draw.one_of(np.transpose(weights), given=body_of)
    usual = np.array([part["bill"] for part, _ in entries])[illness]
    bill = 1000 * np.maximum(1, usual * draw.one_of(_curve(facts["bills"])) // 10)
    return {
        "name": first + " " + family,
        "zip": _texts(zips)[home],
        "birth_date": draw.birth_date(age),
        "sex": _texts("FM")[sex],
        "nationality": _texts(nations)[nation],
        "diagnosis": _texts(d for _, d in entries)[illness],
        "bill": bill.astype(np.str_).astype(np.object_),
    }


class _Draw:
    """Draws for every patient at once; each attribute has a stream of its own."""

    def __init__(self, patients: int) -> None:
        self.patients = patients
        self.streams = 0

    def raw(self) -> NDArray[np.uint64]:
        self.streams += 1
        stream = np.random.PCG64([SEED, self.streams])
        return stream.random_raw(self.patients).astype(np.uint64, copy=False)

    def below(self, limit: Ints) -> Ints:
        """Uniform on 0 .. limit - 1; the remainder's bias, below 2**-40, is no matter here."""
        return (self.raw() % limit.astype(np.uint64)).astype(np.int64)

    def one_of(self, weights: object, *, given: Ints | None = None) -> Ints:
        """Inverse transform: a place in `weights`, or in the row of it that `given` says."""
        table = np.atleast_2d(np.asarray(weights, np.int64))
        row = np.zeros(self.patients, np.int64) if given is None else given
        edges = np.cumsum(table)  # the rows laid end to end: one search serves them all
        total = table.sum(axis=1)
        start = np.cumsum(total) - total
        found = np.searchsorted(edges, start[row] + self.below(total[row]), side="right")
        place: Ints = found - row * table.shape[1]
        return place

    def out_of(self, lists: list[list[str]], *, given: Ints) -> Texts:
        """An entry, each equally likely, of the list that `given` says."""
        length = np.array([len(entries) for entries in lists])
        flat = _texts([entry for entries in lists for entry in entries])
        start = np.cumsum(length) - length
        entries: Texts = flat[start[given] + self.below(length[given])]
        return entries

    def birth_date(self, age: Ints) -> Texts:
        """A day of the year in which people of this age were born, in ISO 8601."""
        year = (LAST_YEAR - 1970 - age).astype("datetime64[Y]")
        first = year.astype("datetime64[D]")
        days = ((year + 1).astype("datetime64[D]") - first).astype(np.int64)
        day = first + self.below(days).astype("timedelta64[D]")
        dates: Texts = np.datetime_as_string(day).astype(np.object_)
        return dates


def _curves(knots: Mapping[str, str]) -> Ints:
    """A weight for women of age 0, 1, ..., then for men."""
    return np.concatenate([_curve(knots.get(sex, "")) for sex in "FM"])


def _curve(knots: str) -> Ints:
    """A weight for each age from "age:weight" knots: straight in between, zero outside.

    >>> _curve("2:0 4:9").tolist()[:6]
    [0, 0, 0, 4, 9, 0]
    """
    curve = np.zeros(OLDEST + 1, np.int64)
    points = [tuple(map(int, knot.split(":"))) for knot in knots.split()]
    for (left, low), (right, high) in pairwise(points):
        ages = np.arange(left, min(right, OLDEST) + 1)
        curve[ages] = low + (high - low) * (ages - left) // (right - left)
    return curve


def _csv(columns: Mapping[str, Texts]) -> bytes:
    """Comma separated with a header; nothing in the tables above needs quotes."""
    first, *others = columns.values()
    lines: Any = first
    for column in others:
        lines = lines + "," + column
    text = "\n".join(lines)
    return f"{','.join(columns)}\n{text}\n".encode()


def _texts(values: Iterable[str]) -> Texts:
    return np.array(list(values), np.object_)


def _shipped(name: str) -> bytes:
    return (files("hedgerow.api") / "demo_data" / name).read_bytes()
