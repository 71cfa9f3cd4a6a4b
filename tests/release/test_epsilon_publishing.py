"""Publishing under an epsilon-privacy claim, recomputed from raw rows and published file.

The recomputation is plain Python over people: it asks of each person and each predicate what an
attacker believes with the record (p_in) and without it (p_out), trying every number of known
people and every mix of them, and every prior of a class on a grid. Nothing of it is hedgerow's.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import recipients
from tables import data_folder

import hedgerow
from hedgerow import (
    AtMost,
    ClaimError,
    ClassI,
    ClassII,
    ClassIII,
    ClassIV,
    DataError,
    EpsilonPrivacy,
    KAnonymity,
    Known,
    Plan,
    PlanError,
    Predicates,
    Prior,
    TargetError,
    read_prior,
)
from hedgerow.release.partition import maker as publishing
from hedgerow.release.partition import overlap_choice

Row = dict[str, str]
Phi = frozenset[str]
Believed = Callable[[Phi], Iterable[tuple[Fraction, Fraction | None]]]
"""For a predicate, each attacker's sigma(phi) and sigma; or share of phi, and None for infinite."""


# The recomputation


@dataclass(frozen=True)
class Person:
    value: str
    known: bool = False
    wants: tuple[Phi, ...] | None = None
    """None: whatever everybody wants."""


def smallest_epsilon(
    group: Sequence[Person],
    believed: Believed,
    predicates: Sequence[Phi],
    *,
    knows: int = 0,
) -> Fraction | float:
    """The smallest epsilon at which publishing the group is private for all who are in it."""
    worst: Fraction | float = Fraction(1)
    n, listed = len(group), sum(person.known for person in group)
    for person in dict.fromkeys(group):
        if person.known:
            continue
        for phi in predicates if person.wants is None else person.wants:
            true = person.value in phi
            holders = sum(other.value in phi for other in group)
            unknown = sum(other.value in phi for other in group if not other.known)
            have, lack = unknown - true, n - listed - unknown - (not true)
            p_in = max(
                Fraction(unknown - held, n - listed - b)
                for b in range(knows + 1)
                for held in range(min(b, have) + 1)
                if b - held <= lack
            )
            for weight, sigma in believed(phi):
                p_out = weight if sigma is None else (holders - true + weight) / (n - 1 + sigma)
                if p_in == 1:
                    return inf
                worst = max(worst, p_in / p_out if p_in else worst, (1 - p_out) / (1 - p_in))
    return worst


def dirichlet(parameters: Mapping[str, int | Fraction]) -> Believed:
    """One prior, D(...)."""
    total = Fraction(sum(parameters.values()))
    return lambda phi: [(sum((Fraction(parameters[v]) for v in phi), Fraction(0)), total)]


def stubborn(shape: Mapping[str, int | Fraction]) -> Believed:
    """A shape that nothing changes."""
    total = Fraction(sum(shape.values()))
    return lambda phi: [(sum((Fraction(shape[v]) for v in phi), Fraction(0)) / total, None)]


def scaled(shape: Mapping[str, int | Fraction], sigmas: Iterable[Fraction]) -> Believed:
    """A shape at several stubbornnesses."""
    total, each = Fraction(sum(shape.values())), list(sigmas)
    return lambda phi: [
        (sum((Fraction(shape[v]) for v in phi), Fraction(0)) / total * sigma, sigma)
        for sigma in each
    ]


def any_prior(sigma: int, values: int) -> Believed:
    """Every prior of at most this stubbornness that counts each value it knows (on a grid).

    Of a predicate it knows one value at least, and of the others all there is room for.
    """

    def found(phi: Phi) -> Iterable[tuple[Fraction, Fraction]]:
        for total in {values, values + 1, (values + sigma) // 2, sigma}:
            spare = total - values
            for more in {0, spare // 2, spare}:
                for known in {1, len(phi)}:
                    yield Fraction(known + more), Fraction(total)

    return found


def persons(rows: Iterable[Row]) -> list[Person]:
    return [Person(row["disease"]) for row in rows]


def level_of(
    groups: Iterable[Sequence[Person]],
    believed: Believed,
    predicates: Sequence[Phi] | None = None,
    *,
    knows: int = 0,
) -> Fraction | float:
    """The smallest epsilon for a whole release."""
    asked = SINGLES if predicates is None else predicates
    return max(smallest_epsilon(g, believed, asked, knows=knows) for g in groups)


# The people

QUASI = ("age", "zip", "sex")
TREE = {"stomach": ["ulcer", "gastritis"], "chest": ["flu", "asthma", "angina"]}
DISEASES = [disease for diseases in TREE.values() for disease in diseases]
SINGLES: list[Phi] = [frozenset([disease]) for disease in DISEASES]
STOMACH, CHEST = (frozenset(diseases) for diseases in TREE.values())


def without(phi: Phi) -> Phi:
    return frozenset(DISEASES) - phi


def hospital(people: int, *, seed: int = 1) -> list[Row]:
    """The old have more stomach diseases; a generator of its own."""
    state = seed

    def draw(limit: int) -> int:
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % limit

    rows = []
    for i in range(people):
        age = 20 + draw(40)
        pot = DISEASES + ["flu"] * 2 + ["ulcer", "gastritis"] * (age // 20)
        rows.append(
            {
                "id": f"Canary-{i:04d}",
                "guard": "",
                "age": str(age),
                "zip": f"1{draw(2)}{draw(3)}",
                "sex": "FM"[draw(2)],
                "disease": pot[draw(len(pot))],
                "ticket": f"T{i:04d}",
            }
        )
    return rows


PEOPLE = hospital(240)
HERE = Counter(row["disease"] for row in PEOPLE)
METROPOLIS = {"flu": 90, "asthma": 35, "angina": 30, "ulcer": 60, "gastritis": 44}
AFTER = {disease: count + 1 for disease, count in METROPOLIS.items()}
COLUMNS: dict[str, Any] = {
    "id": "identifier",
    "guard": "identifier",
    "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [5, 10, 20, 40]}},
    "zip": {"role": "quasi-identifier", "hierarchy": {"prefix": 3}},
    "sex": "quasi-identifier",
    "disease": {"role": "sensitive", "hierarchy": {"taxonomy": TREE}},
    "ticket": {"role": "identifier", "key": False},
}
WITH_TICKET = COLUMNS | {"ticket": "insensitive"}
"""A column that says in the release whose row it is, for the recomputation only."""


def generalised(row: Row, levels: Mapping[str, int]) -> tuple[str, ...]:
    """The published quasi-identifiers of a person in a full-domain recoding."""
    age, zip_ = int(row["age"]), row["zip"]
    width = [1, 5, 10, 20, 40, 0][levels["age"]]
    low = age // width * width if width else 0
    ages = row["age"] if width == 1 else f"{low}-{low + width - 1}" if width else "*"
    kept = 3 - levels["zip"]
    prefix = zip_ if kept == 3 else zip_[:kept] + "*" * (3 - kept) if kept else "*"
    return ages, prefix.replace("***", "*"), "*" if levels["sex"] else row["sex"]


def texts(release: hedgerow.Release) -> list[Row]:
    """The published rows, read without hedgerow where they are a file."""
    data = release.data
    if isinstance(data, Path) and data.suffix == ".csv":
        return recipients.read_csv(data)
    table = pq.read_table(data) if isinstance(data, Path) else data
    return [{k: "" if v is None else str(v) for k, v in row.items()} for row in table.to_pylist()]


def published(release: hedgerow.Release) -> list[list[Person]]:
    """The groups in the published file, of rows that are people."""
    return [persons(rows) for rows in recipients.classes(texts(release), QUASI).values()]


def joined(
    release: hedgerow.Release, people: Sequence[Row], person: Callable[[Row], Person]
) -> list[list[Person]]:
    """The groups in the published file, each person as the raw rows know them."""
    raw = {row["ticket"]: row for row in people}
    found: dict[tuple[str, ...], dict[str, Person]] = defaultdict(dict)
    for row in texts(release):
        source = raw[row["ticket"]]
        assert source["disease"] == row["disease"]
        found[tuple(row[q] for q in QUASI)][source["id"]] = person(source)
    return [list(group.values()) for group in found.values()]


def from_levels(
    release: hedgerow.Release, people: Sequence[Row], person: Callable[[Row], Person]
) -> list[list[Person]]:
    """The same for a full-domain release, by the levels alone; the file must agree."""
    groups: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in people:
        groups[generalised(row, release.levels)].append(row)
    seen = recipients.classes(texts(release), QUASI)
    assert set(seen) <= set(groups)
    for key, rows in seen.items():
        assert Counter(r["disease"] for r in rows) == Counter(r["disease"] for r in groups[key])
    return [[person(row) for row in groups[key]] for key in seen]


def agrees(release: hedgerow.Release, place: int, epsilon: float, oracle: Fraction | float) -> None:
    """The claim holds, and its level is what was recomputed."""
    claim = release.claims[place]
    assert claim.holds
    assert oracle <= Fraction(str(epsilon))
    assert claim.level == pytest.approx(float(oracle), rel=1e-12)


# Every class with every method

THIRDS = [Fraction(n, 3) for n in (15, 20, 100, 400, 900)]
LARGER = [Fraction(sum(AFTER.values()) * n, 31) for n in (31, 1, 2, 4, 8, 16)]
"""At 1/31 of it the rarest disease, counted 31 times, counts once."""


def fewer(phi: Phi) -> Iterable[tuple[Fraction, Fraction | None]]:
    """Those who have seen fewer people of Metropolis, in the same proportions."""
    for share in (Fraction(0), Fraction(1, 20), Fraction(1, 3), Fraction(1)):
        yield from dirichlet({d: 1 + n * share for d, n in METROPOLIS.items()})(phi)


TABLE_LEAST = Fraction(len(PEOPLE), min(HERE.values()))
ATTACKERS: dict[str, tuple[float, dict[str, Any], Believed, int]] = {
    "I": (2.2, {"class": "I", "prior": {"counts": METROPOLIS}}, dirichlet(AFTER), 0),
    "I uniform": (2.5, {"class": "I", "prior": "uniform"}, dirichlet(dict.fromkeys(DISEASES, 1)),
                  0),
    "I table": (2.0, {"class": "I", "prior": "table", "stubbornness": 30.5},
                scaled(HERE, [Fraction(61, 2)]), 0),
    "I knows": (3.5, {"class": "I", "prior": {"counts": METROPOLIS}, "knows": 2},
                dirichlet(AFTER), 2),
    "at most": (2.6, {"class": "at-most", "prior": "table", "stubbornness": 300},
                scaled(HERE, [TABLE_LEAST, *(s for s in THIRDS if s > TABLE_LEAST)]), 0),
    "at most, from": (2.6, {"class": "at-most", "prior": "uniform", "stubbornness": 300,
                            "at_least": 5},
                      scaled(dict.fromkeys(DISEASES, 1), THIRDS), 0),
    "at most, counts": (2.8, {"class": "at-most", "prior": {"counts": METROPOLIS}},
                        lambda phi: [*scaled(AFTER, LARGER)(phi), *fewer(phi)], 0),
    "II": (4.0, {"class": "II", "stubbornness": 60}, any_prior(60, len(DISEASES)), 0),
    "II knows": (5.0, {"class": "II", "stubbornness": 40, "knows": {"people": 1}},
                 any_prior(40, len(DISEASES)), 1),
    "III": (2.6, {"class": "III", "prior": {"shape": {d: n / 10 for d, n in AFTER.items()}}},
            stubborn(AFTER), 0),
    "III uniform": (3.0, {"class": "III", "prior": "uniform"},
                    stubborn(dict.fromkeys(DISEASES, 1)), 0),
    "III table": (2.2, {"class": "III", "prior": "table", "knows": 1}, stubborn(HERE), 1),
}  # fmt: skip
METHODS: dict[str, dict[str, Any]] = {
    "lattice": {"suppress": "20%"},
    "kept": {"suppress": "20%", "keep_suppressed": True},
    "nobody left out": {"search": "lattice"},
    "local": {"search": "local", "suppress": "50%"},
    "strict": {"search": "mondrian"},
    "taxonomy": {"search": "mondrian", "boxes": "taxonomy"},
    "relaxed": {"search": "mondrian", "mode": "relaxed"},
    "microaggregation": {"search": "microaggregation"},
}


WHOLLY = ("I", "I knows", "at most", "II", "III table")
"""One of each kind goes through all methods, the others through some."""


@pytest.mark.parametrize(
    ("attacker", "method"),
    [
        (attacker, method)
        for attacker, method in product(ATTACKERS, METHODS)
        if attacker in WHOLLY or method in ("kept", "strict", "microaggregation")
    ],
)
def test_every_attacker_against_every_method(attacker: str, method: str) -> None:
    epsilon, adversary, believed, knows = ATTACKERS[attacker]
    release = hedgerow.publish(
        pd.DataFrame(PEOPLE),
        columns=COLUMNS,
        protect=[
            {"epsilon-privacy": {"epsilon": epsilon, "adversary": adversary}},
            {"k-anonymity": 3},
        ],
        method=METHODS[method],
    )
    groups = published(release)
    assert sum(map(len, groups)) == len(PEOPLE) - release.suppressed
    agrees(release, 0, epsilon, level_of(groups, believed, knows=knows))
    assert len(groups) > 1, "a single group would be a poor test"


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("ticket", [False, True])
@pytest.mark.parametrize("method", ["lattice", "strict", "relaxed", "local", "microaggregation"])
def test_every_way_of_writing(tmp_path: Path, method: str, ticket: bool, form: str) -> None:
    """From the counted tuples, or row by row where a further column is published."""
    epsilon, adversary, believed, knows = ATTACKERS["I"]
    plan = Plan.of(
        columns=WITH_TICKET if ticket else COLUMNS,
        protect=[{"epsilon-privacy": {"epsilon": epsilon, "adversary": adversary}},
                 {"k-anonymity": 3}],
        method=METHODS[method],
        source=recipients.write_csv(tmp_path / "people.csv", PEOPLE),
        publish={"to": tmp_path / "release", "format": form},
    )  # fmt: skip
    release = hedgerow.publish(plan)
    assert release.data == tmp_path / f"release/data.{form}"
    agrees(release, 0, epsilon, level_of(published(release), believed, knows=knows))
    assert release.certificate["measured_on"] == "the written file"
    if ticket:
        same = joined(release, PEOPLE, lambda row: Person(row["disease"]))
        assert sorted(map(len, same)) == sorted(map(len, published(release)))


def test_the_theorem_asks_a_little_more() -> None:
    """Theorem 1, solved for epsilon (FACTS, section D)."""
    given: dict[str, Any] = {"columns": COLUMNS, "method": {"suppress": "20%"}}
    adversary = {"class": "I", "prior": {"counts": METROPOLIS}, "knows": 1}
    parameters = {"epsilon": 3, "adversary": adversary, "by": "theorem"}
    release = hedgerow.publish(
        pd.DataFrame(PEOPLE), protect=[{"epsilon-privacy": parameters}], **given
    )
    worst = Fraction(1)
    total = Fraction(sum(AFTER.values())) + 1
    for group in published(release):
        others = len(group) - 1
        x = others / total
        for value, count in Counter(person.value for person in group).items():
            f, a = Fraction(count, others), (AFTER[value] - 1) / total
            worst = max(worst, f * (1 + x) / (a + f * x),
                        ((1 - a) / (1 - f) + x) / (1 - 1 / total + x))  # fmt: skip
    exact = level_of(published(release), dirichlet(AFTER), knows=1)
    assert exact < worst <= 3
    assert release.claims[0].level == pytest.approx(float(worst), rel=1e-9)
    decided = release.certificate["claims"][0]["decided"]
    assert decided == "by the theorems' conditions"


# The search


def nodes() -> Iterable[dict[str, int]]:
    for age, zip_, sex in product(range(6), range(4), range(2)):
        yield {"age": age, "zip": zip_, "sex": sex}


def split(
    people: Sequence[Row], levels: Mapping[str, int], fits: Callable[[list[Person]], bool]
) -> tuple[int, int]:
    """Sum of squares of the groups that fit, and people in those that do not."""
    groups: dict[tuple[str, ...], list[Person]] = defaultdict(list)
    for row in people:
        groups[generalised(row, levels)].append(Person(row["disease"]))
    kept = [g for g in groups.values() if fits(g)]
    return sum(len(g) ** 2 for g in kept), len(people) - sum(map(len, kept))


@pytest.mark.parametrize("attacker", ["I", "I knows", "II", "III", "at most", "I about a node"])
@pytest.mark.parametrize("share", ["0%", "10%", "40%"])
def test_the_best_of_all_nodes(attacker: str, share: str) -> None:
    """Discernibility is easy to add up: every node of the lattice is tried by hand."""
    people = PEOPLE[:120]
    if share == "40%":  # many who are alike, so that coarse groups fail where fine ones pass
        people = [r | {"disease": "ulcer"} if int(r["age"]) < 30 else r for r in people]
    _, adversary, believed, knows = ATTACKERS[attacker.removesuffix(" about a node")]
    epsilon, phis, more = 3.0, SINGLES, {}
    if attacker == "I about a node":
        epsilon = 1.5 if share == "40%" else 1.3
        phis, more = [STOMACH, CHEST], {"predicates": ["stomach"], "negative": True}
    if attacker == "II":  # the prior that has never seen it, at its most stubborn
        believed = lambda phi: [(Fraction(1), Fraction(60))]  # noqa: E731
    if attacker == "at most":
        here = Counter(row["disease"] for row in people)
        least = Fraction(len(people), min(here.values()))
        believed = scaled(here, [least, Fraction(300)])
    limit = int(share[:-1]) * len(people) // 100
    costs = []
    for levels in nodes():
        squares, out = split(
            people,
            levels,
            lambda g: smallest_epsilon(g, believed, phis, knows=knows) <= Fraction(str(epsilon)),
        )
        if out <= limit:
            costs.append(squares + out * len(people))
    parameters = {"epsilon": epsilon, "adversary": adversary, **more}
    release = hedgerow.publish(
        pd.DataFrame(people),
        columns=COLUMNS,
        protect=[{"epsilon-privacy": parameters}],
        method={"suppress": share},
        utility="discernibility",
    )
    assert release.optimal
    assert release.utility["discernibility"] == min(costs)
    assert min(costs) < len(people) ** 2


# A prior from a second source


def as_rows(path: Path) -> Path:
    people = [d for d, n in METROPOLIS.items() for _ in range(n)]
    return recipients.write_csv(path, [{"x": str(i), "disease": d} for i, d in enumerate(people)])


def as_counts(path: Path) -> Path:
    rows = [{"disease": d, "count": str(n)} for d, n in METROPOLIS.items()]
    return recipients.write_csv(path, rows)


PRIORS: dict[str, Callable[[Path], Any]] = {
    "rows": lambda folder: as_rows(folder / "metropolis.csv"),
    "counts": lambda folder: as_counts(folder / "metropolis.csv"),
    "parquet": lambda folder: pq.write_table(
        pa.table({"disease": list(METROPOLIS), "count": list(METROPOLIS.values())}),
        folder / "metropolis.parquet",
    ) or folder / "metropolis.parquet",
}  # fmt: skip


@pytest.mark.parametrize("form", PRIORS)
def test_a_prior_from_a_second_file(tmp_path: Path, form: str) -> None:
    recipients.write_csv(tmp_path / "people.csv", PEOPLE)
    file = PRIORS[form](tmp_path)
    plan = tmp_path / "plan.yaml"
    columns = {n: c if isinstance(c, str) else dict(c) for n, c in COLUMNS.items()}
    plan.write_text(
        f"source: people.csv\ncolumns: {json.dumps(columns)}\nprotect:\n  - epsilon-privacy:\n"
        f"      epsilon: 2.2\n      adversary: {{class: I, prior: {file.name}}}\n"
        "method: {suppress: 20%}\npublish: release\n"
    )
    release = hedgerow.publish(plan)
    agrees(release, 0, 2.2, level_of(published(release), dirichlet(AFTER)))
    said = (tmp_path / "release/certificate.json").read_text()
    assert "prior from counts of 259 people" in said
    assert "metropolis" not in said
    assert str(tmp_path) not in said
    with pytest.raises(TargetError, match="exists already"):
        hedgerow.publish(plan)


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_a_prior_from_a_table_in_memory(library: str) -> None:
    people = [d for d, n in METROPOLIS.items() for _ in range(n)]
    frame = pd.DataFrame({"disease": people, "ward": "x"})
    table = {"pandas": lambda: frame, "polars": lambda: pl.from_pandas(frame),
             "arrow": lambda: pa.Table.from_pandas(frame)}[library]()  # fmt: skip
    prior = read_prior(table, column="disease")
    release = hedgerow.publish(
        pl.DataFrame(PEOPLE),
        columns=COLUMNS,
        protect=[EpsilonPrivacy(epsilon=2.2, of="disease", adversary=ClassI(prior=prior))],
        method={"suppress": "20%"},
    )
    agrees(release, 0, 2.2, level_of(published(release), dirichlet(AFTER)))


def test_values_that_only_one_of_both_has() -> None:
    """asthma counts once for who never saw it; plague keeps its share of the belief."""
    elsewhere = {d: n for d, n in METROPOLIS.items() if d != "asthma"} | {"plague": 50}
    release = hedgerow.publish(
        pd.DataFrame(PEOPLE),
        columns=COLUMNS,
        protect=[
            EpsilonPrivacy(epsilon=9, of="disease", adversary=ClassI(prior=Prior.counts(elsewhere)))
        ],
        method={"suppress": "20%"},
    )
    after = {d: n + 1 for d, n in elsewhere.items()} | {"asthma": 1}
    agrees(release, 0, 9, level_of(published(release), dirichlet(after)))


def test_who_expects_the_plague_expects_that_it_is_not_flu() -> None:
    """Flu is rarer here than expected, so that somebody has something else is what one learns."""
    elsewhere = {**METROPOLIS, "flu": 400, "plague": 50}
    after = {d: n + 1 for d, n in elsewhere.items()}
    release = hedgerow.publish(
        pd.DataFrame(PEOPLE),
        columns=COLUMNS,
        protect=[
            EpsilonPrivacy(
                epsilon=3, of="disease", adversary=ClassI(prior=Prior.counts(elsewhere)),
                predicates=Predicates(sets=("flu",), negative=True),
            )
        ],
        method={"suppress": "20%"},
    )  # fmt: skip
    flu, groups = frozenset(["flu"]), published(release)
    opposite = level_of(groups, dirichlet(after), [frozenset(after) - flu])
    agrees(release, 0, 3, opposite)
    assert level_of(groups, dirichlet(after), [flu]) < opposite


def test_missing_is_a_value() -> None:
    rows = [row | {"disease": ""} if row["disease"] == "angina" else row for row in PEOPLE]
    counts = {None if d == "angina" else d: n for d, n in METROPOLIS.items()}
    release = hedgerow.publish(
        pd.DataFrame(rows).replace({"disease": {"": None}}),
        columns=COLUMNS | {"disease": "sensitive"},
        protect=[
            EpsilonPrivacy(epsilon=2.2, of="disease", adversary=ClassI(prior=Prior.counts(counts)))
        ],
        method={"suppress": "20%"},
    )
    after = {"" if d == "angina" else d: n for d, n in AFTER.items()}
    groups = published(release)
    singles = [frozenset([d]) for d in after]
    agrees(release, 0, 2.2, level_of(groups, dirichlet(after), singles))
    assert any(person.value == "" for group in groups for person in group)


# What must not be learned

PREDICATES: dict[str, tuple[float, dict[str, Any], list[Phi]]] = {
    "a node": (1.6, {"predicates": ["stomach"]}, [STOMACH]),
    "a node and values": (2.2, {"predicates": ["stomach", "flu", ["asthma", "ulcer"]]},
                          [STOMACH, frozenset(["flu"]), frozenset(["asthma", "ulcer"])]),
    "overlapping": (1.8, {"predicates": ["chest", ["angina", "stomach"]]},
                    [CHEST, STOMACH | {"angina"}]),
    "negative": (2.2, {"negative": True}, [*SINGLES, *(without(s) for s in SINGLES)]),
    "negative nodes": (1.6, {"predicates": ["stomach", ["flu"]], "negative": True},
                       [STOMACH, CHEST, frozenset(["flu"]), without(frozenset(["flu"]))]),
}  # fmt: skip


@pytest.mark.parametrize("method", ["lattice", "kept", "local", "strict", "relaxed"])
@pytest.mark.parametrize("case", PREDICATES)
def test_predicates(case: str, method: str) -> None:
    epsilon, more, phis = PREDICATES[case]
    adversary = {"class": "I", "prior": {"counts": METROPOLIS}}
    release = hedgerow.publish(
        pd.DataFrame(PEOPLE),
        columns=COLUMNS,
        protect=[{"epsilon-privacy": {"epsilon": epsilon, "adversary": adversary, **more}}],
        method=METHODS[method],
    )
    groups = published(release)
    agrees(release, 0, epsilon, level_of(groups, dirichlet(AFTER), phis))
    assert len(groups) > 1
    assert release.certificate["claims"][0]["predicates"] == str(
        Predicates(sets=more.get("predicates"), negative=more.get("negative", False))
    )


def test_any_prior_about_sets() -> None:
    """Of a set of two values somebody of class II may know one only, and has counted it once."""
    predicates = {"predicates": ["stomach", "chest", "flu"], "negative": True}
    adversary = {"class": "II", "stubbornness": 60}
    release = hedgerow.publish(
        pd.DataFrame(PEOPLE),
        columns=COLUMNS,
        protect=[{"epsilon-privacy": {"epsilon": 3, "adversary": adversary, **predicates}}],
        method={"suppress": "20%"},
    )
    phis = [STOMACH, CHEST, frozenset(["flu"]), without(frozenset(["flu"]))]
    agrees(release, 0, 3, level_of(published(release), any_prior(60, len(DISEASES)), phis))


def test_nobody_can_say_whether_a_value_of_the_prior_is_below_the_node() -> None:
    """Whichever it is, the attacker expects no less than was reckoned."""
    prior = {**METROPOLIS, "crohn": 40}
    after = {disease: count + 1 for disease, count in prior.items()}
    given = {"class": "I", "prior": {"counts": prior}}
    release = hedgerow.publish(
        pd.DataFrame(PEOPLE),
        columns=COLUMNS,
        protect=[{"epsilon-privacy": {"epsilon": 2.5, "adversary": given, "negative": True,
                                      "predicates": ["stomach"]}}],
        method={"suppress": "20%"},
    )  # fmt: skip
    groups, everything = published(release), frozenset(after)
    readings = [
        level_of(groups, dirichlet(after), [phi, everything - phi])
        for phi in (STOMACH, STOMACH | {"crohn"})
    ]
    assert max(readings) <= Fraction("2.5")
    assert release.claims[0].level == pytest.approx(float(max(readings)), rel=1e-12)


# Known people and wishes

LIST = [row["id"] for row in PEOPLE if row["sex"] == "F" and int(row["age"]) % 3 == 0]
GUARDS = {"ulcer": "stomach", "angina": "stomach", "gastritis": "flu", "asthma": "chest"}
"""Some want protected what they do not have."""
GUARDED = [row | {"guard": GUARDS.get(row["disease"], "")} for row in PEOPLE]
NODES = {"stomach": STOMACH, "chest": CHEST, "flu": frozenset(["flu"])}


def knowing(row: Row) -> Person:
    return Person(row["disease"], known=row["id"] in LIST)


def guarding(row: Row) -> Person:
    return Person(row["disease"], wants=(NODES[row["guard"]],) if row["guard"] else None)


def both(row: Row) -> Person:
    return Person(row["disease"], knowing(row).known, guarding(row).wants)


def opposites(row: Row) -> Person:
    own = guarding(row).wants or tuple(SINGLES)
    return Person(row["disease"], wants=(*own, *(without(phi) for phi in own)))


FACTS: dict[str, tuple[float, Callable[[Row], Person]]] = {
    "known": (2.6, knowing),
    "wishes": (2.2, guarding),
    "both": (2.6, both),
    "negative": (2.4, opposites),
}


def claim_of(case: str, folder: Path, epsilon: float) -> dict[str, Any]:
    adversary: dict[str, Any] = {"class": "I", "prior": {"counts": METROPOLIS}}
    parameters: dict[str, Any] = {"epsilon": epsilon, "adversary": adversary}
    if case in ("known", "both"):
        # Some of them twice, with other columns besides.
        rows = [{"name": "somebody", "id": who} for who in [*LIST, *LIST[:3]]]
        file = recipients.write_csv(folder / "staff.csv", rows)
        adversary["knows"] = {"file": str(file), "by": "id"}
    if case != "known":
        parameters["wishes"] = "guard"
    if case == "negative":
        parameters["negative"] = True
    return {"epsilon-privacy": parameters}


@pytest.mark.parametrize(
    ("method", "form"),
    [
        ("lattice", "csv"),
        ("lattice", "parquet"),
        ("nobody left out", "csv"),
        ("strict", "parquet"),
    ],
)
@pytest.mark.parametrize("case", FACTS)
def test_facts(tmp_path: Path, case: str, method: str, form: str) -> None:
    epsilon, person = FACTS[case]
    plan = Plan.of(
        columns=WITH_TICKET,
        protect=[claim_of(case, tmp_path, epsilon), {"k-anonymity": 3}],
        method=METHODS[method],
        source=recipients.write_csv(tmp_path / "people.csv", GUARDED),
        publish={"to": tmp_path / "release", "format": form},
    )
    release = hedgerow.publish(plan)
    groups = joined(release, GUARDED, person)
    agrees(release, 0, epsilon, level_of(groups, dirichlet(AFTER)))
    assert len(groups) > 1
    # Without what is known of them the people would look otherwise: the facts decide.
    plain = level_of([[Person(p.value) for p in group] for group in groups], dirichlet(AFTER))
    assert plain != level_of(groups, dirichlet(AFTER))


@pytest.mark.parametrize("case", FACTS)
def test_facts_written_from_counts(tmp_path: Path, case: str) -> None:
    epsilon, person = FACTS[case]
    release = hedgerow.publish(
        pd.DataFrame(GUARDED),
        columns=COLUMNS,
        protect=[claim_of(case, tmp_path, epsilon)],
        method={"suppress": "20%"},
    )
    groups = from_levels(release, GUARDED, person)
    agrees(release, 0, epsilon, level_of(groups, dirichlet(AFTER)))
    assert "on the recoding that was applied" in release.certificate["measured_on"]


@pytest.mark.parametrize("case", FACTS)
@pytest.mark.parametrize("method", ["local", "taxonomy", "kept"])
def test_facts_where_groups_overlap(tmp_path: Path, method: str, case: str) -> None:
    """Each group keeps it for its own people; for those who only fit it see test_overlap_oracle."""
    _, person = FACTS[case]
    release = hedgerow.publish(
        pd.DataFrame(GUARDED),
        columns=WITH_TICKET,
        protect=[claim_of(case, tmp_path, 9), KAnonymity(k=3)],
        method=METHODS[method],
        to=tmp_path / "release",
    )
    own = level_of(joined(release, GUARDED, person), dirichlet(AFTER))
    assert own <= release.claims[0].level * (1 + 1e-12)
    assert release.claims[0].level <= 9
    assert "for all who fit a group" in release.certificate["measured_on"]
    verified = hedgerow.verify(tmp_path / "release")
    assert not verified.refuted


@pytest.mark.parametrize("case", FACTS)
@pytest.mark.parametrize("columns", [COLUMNS, WITH_TICKET])
@pytest.mark.parametrize("method", ["relaxed", "microaggregation"])
def test_facts_where_equals_are_separated(
    tmp_path: Path, method: str, columns: dict[str, Any], case: str
) -> None:
    """Who of them goes where would have to be decided by what is not published."""
    given: dict[str, Any] = {"columns": columns, "method": METHODS[method]}
    with pytest.raises(PlanError, match="cannot be kept by a method that separates"):
        hedgerow.publish(
            pd.DataFrame(GUARDED),
            protect=[claim_of(case, tmp_path, 9), KAnonymity(k=3)],
            to=tmp_path / "release",
            **given,
        )
    assert not (tmp_path / "release").exists()


def test_opposites_that_nobody_who_minds_has() -> None:
    """All who mind stomach diseases have one; what is learned of them is the opposite."""
    expected = {"ulcer": 300, "gastritis": 300, "flu": 40, "asthma": 60, "angina": 30}
    rows = [
        row
        | {"age": str(int(row["age"]) // 20 * 20), "zip": "111"}
        | {"guard": "stomach" if row["disease"] in STOMACH else "asthma"}
        for row in PEOPLE
    ]
    wants = {"stomach": (STOMACH, CHEST), "asthma": (SINGLES[3], without(SINGLES[3]))}
    assert SINGLES[3] == {"asthma"}
    groups = [
        [Person(row["disease"], wants=wants[row["guard"]]) for row in group]
        for group in recipients.classes(rows, QUASI).values()
    ]
    believed = dirichlet({disease: count + 1 for disease, count in expected.items()})
    model = EpsilonPrivacy(
        epsilon=9,
        of="disease",
        adversary=ClassI(prior=Prior.counts(expected)),
        predicates=Predicates(wishes="guard", negative=True),
    )
    (claim,) = hedgerow.check(pd.DataFrame(rows), columns=COLUMNS, protect=[model])
    assert claim.level == pytest.approx(float(level_of(groups, believed)), rel=1e-12)
    chest = [[Person(p.value, wants=(CHEST,)) for p in group] for group in groups]
    assert level_of(groups, believed) < level_of(chest, believed), "were they asked who have it"


def test_what_nobody_who_minds_has_and_most_others_do() -> None:
    """Two mind that they might be held for flu patients; six have it."""
    flu, rows = frozenset(["flu"]), []
    for disease, guard, times in (("flu", "asthma", 6), ("ulcer", "flu", 2)):
        rows += [PEOPLE[0] | {"disease": disease, "guard": guard}] * times
    expected = {"flu": 5, "ulcer": 7, "asthma": 5}
    group = [
        Person(row["disease"], wants=(flu if row["guard"] == "flu" else frozenset(["asthma"]),))
        for row in rows
    ]
    believed = dirichlet({disease: count + 1 for disease, count in expected.items()})
    wanted = smallest_epsilon(group, believed, [])
    p_in, p_out = Fraction(6, 8), Fraction(6 + 6, 7 + 20)
    assert wanted == (1 - p_out) / (1 - p_in) > p_in / p_out
    model = EpsilonPrivacy(
        epsilon=9,
        of="disease",
        adversary=ClassI(prior=Prior.counts(expected)),
        predicates=Predicates(wishes="guard"),
    )
    given: dict[str, Any] = {"columns": COLUMNS | {"disease": "sensitive"}, "protect": [model]}
    given["one_row_per_person"] = True
    (claim,) = hedgerow.check(pd.DataFrame(rows), **given)
    assert claim.level == pytest.approx(float(wanted), rel=1e-12)


def test_a_list_is_about_these_people_only() -> None:
    """One who knows nobody, and one who knows these: the second learns more."""
    rows = [{"id": str(i), "q": "x", "disease": d} for i, d in enumerate("aaaabbbb")]
    columns = {"id": "identifier", "q": "quasi-identifier", "disease": "sensitive"}
    uniform = Prior.uniform()
    levels = []
    for known in ((), ("0", "1", "2"), ("0", "4")):
        knows = Known(by="id", people=known) if known else 0
        model = EpsilonPrivacy(
            epsilon=90, of="disease", adversary=ClassI(prior=uniform, knows=knows)
        )
        (claim,) = hedgerow.check(pd.DataFrame(rows), columns=columns, protect=[model])
        group = [Person(r["disease"], r["id"] in known) for r in rows]
        believed = dirichlet({"a": 1, "b": 1})
        wanted = smallest_epsilon(group, believed, [frozenset("a"), frozenset("b")])
        assert claim.level == pytest.approx(float(wanted), rel=1e-12)
        levels.append(claim.level)
    assert levels[0] < levels[1]


# People with several rows

ONE_TICKET = COLUMNS | {"ticket": {"role": "insensitive", "within_person": "smallest"}}
"""One of a person's tickets is published."""


def visits(rows: Sequence[Row]) -> list[Row]:
    """Some come up to three times; their disease stays the same, the ticket does not."""
    return [
        row | {"ticket": f"{row['ticket']}-{v}"}
        for i, row in enumerate(rows)
        for v in range(1 + i % 3)
    ]


@pytest.mark.parametrize(
    ("case", "method"),
    [*product(["plain", *FACTS], ["lattice", "strict"]), ("plain", "local")],
)
def test_people_with_several_rows(tmp_path: Path, case: str, method: str) -> None:
    rows = visits(GUARDED)
    epsilon, person = FACTS.get(case, (2.2, lambda row: Person(row["disease"])))
    claim = claim_of(case, tmp_path, epsilon)
    if case == "plain":
        del claim["epsilon-privacy"]["wishes"]
    release = hedgerow.publish(
        pd.DataFrame(rows), columns=ONE_TICKET, protect=[claim], method=METHODS[method],
        person="id", rows="one",
    )  # fmt: skip
    groups = joined(release, rows, person)
    assert sum(map(len, groups)) == release.people - release.suppressed
    assert release.people == len(PEOPLE)
    agrees(release, 0, epsilon, level_of(groups, dirichlet(AFTER)))
    assert release.certificate["measured_on"].startswith("the written file")


@pytest.mark.parametrize("case", ["plain", "known"])
def test_people_with_several_values_are_refused(tmp_path: Path, case: str) -> None:
    rows = visits(GUARDED)
    rows[-1] = rows[-1] | {"disease": "angina" if rows[-1]["disease"] == "flu" else "flu"}
    assert rows[-1]["id"] == rows[-2]["id"]
    claim = claim_of(case, tmp_path, 9)
    claim["epsilon-privacy"].pop("wishes", None)
    with pytest.raises(DataError, match=r"1 person has rows with different values of 'disease'"):
        hedgerow.publish(
            pd.DataFrame(rows), columns=ONE_TICKET, protect=[claim], person="id", rows="one",
            to=tmp_path / "release",
        )  # fmt: skip
    assert not (tmp_path / "release").exists()


def test_people_with_several_wishes_are_refused(tmp_path: Path) -> None:
    rows = visits(GUARDED)
    rows[-1] = rows[-1] | {"guard": "chest"}
    with pytest.raises(DataError, match="1 person has rows with different values of 'guard'"):
        hedgerow.publish(
            pd.DataFrame(rows), columns=ONE_TICKET, protect=[claim_of("wishes", tmp_path, 9)],
            person="id", rows="one",
        )  # fmt: skip


# An earlier release's recoding


@pytest.mark.parametrize("method", ["nobody left out", "local", "strict", "taxonomy"])
@pytest.mark.parametrize("case", ["plain", "both"])
def test_the_recoding_of_an_earlier_release(tmp_path: Path, method: str, case: str) -> None:
    """New people, old groups: those that fail under the claim are left out."""
    hedgerow.publish(
        pd.DataFrame(hospital(400, seed=5)),
        columns=WITH_TICKET,
        protect=[KAnonymity(k=6)],
        method=METHODS[method] | ({"suppress": "5%"} if method == "local" else {}),
        to=tmp_path / "old",
    )
    epsilon, person = (2.6, both) if case == "both" else (2.2, lambda row: Person(row["disease"]))
    if (case, method) == ("both", "local"):
        epsilon = 2.4  # at 2.6 all who fit keep it
    claim = claim_of(case, tmp_path, epsilon)
    if case == "plain":
        del claim["epsilon-privacy"]["wishes"]
    given: dict[str, Any] = {"columns": WITH_TICKET, "protect": [claim]}
    given |= {"recoding": tmp_path / "old"}
    if case == "both" and method in ("local", "taxonomy"):
        with pytest.raises(ClaimError, match="people fit several groups of the release"):
            hedgerow.publish(
                pd.DataFrame(GUARDED), **given, method={"suppress": "100%"}, to=tmp_path / "new"
            )
        assert not (tmp_path / "new").exists()
        return
    release = hedgerow.publish(
        pd.DataFrame(GUARDED), **given, method={"suppress": "100%"}, to=tmp_path / "new"
    )
    agrees(release, 0, epsilon, level_of(joined(release, GUARDED, person), dirichlet(AFTER)))
    assert 0 < release.suppressed < len(GUARDED)
    with pytest.raises(ClaimError, match="would be left out"):
        hedgerow.publish(pd.DataFrame(GUARDED), **given)
    hopeless = EpsilonPrivacy(epsilon=2, of="disease", adversary=ClassIV())
    with pytest.raises(ClaimError, match="no generalisation is private against class IV"):
        hedgerow.publish(
            pd.DataFrame(GUARDED), columns=WITH_TICKET, protect=[hopeless],
            method={"suppress": "100%"}, recoding=tmp_path / "old",
        )  # fmt: skip


# What is claimed is measured on what was written


def finest(release_of: Callable[..., Any]) -> Callable[..., Any]:
    """A search that keeps nothing."""

    def search(plan: Plan, cells: Any, models: Any, say: Any, **more: Any) -> Any:
        return release_of(plan, cells, (), say, **more)

    return search


@pytest.mark.parametrize("case", ["plain", "wishes"])
def test_claims_that_do_not_hold_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    monkeypatch.setattr(overlap_choice, "choose", finest(overlap_choice.choose))
    claim = claim_of(case, tmp_path, 2.2)
    if case == "plain":
        del claim["epsilon-privacy"]["wishes"]
    with pytest.raises(ClaimError, match=r"2\.2-privacy .* reaches infinite, required 2\.2"):
        hedgerow.publish(
            pd.DataFrame(GUARDED), columns=COLUMNS, protect=[claim], to=tmp_path / "release"
        )
    assert not (tmp_path / "release").exists()


def test_a_file_that_was_altered_is_measured_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of one group get the same value on the way to the disk."""
    write = publishing.write_release

    def altered(*args: Any, **more: Any) -> Any:
        written = write(*args, **more)
        with written.path.open(newline="") as file:
            header, *rows = list(csv.reader(file))
        first = rows[0][:3]
        rows = [[*row[:3], "flu"] if row[:3] == first else row for row in rows]
        with written.path.open("w", newline="") as file:
            csv.writer(file).writerows([header, *rows])
        return written

    monkeypatch.setattr(publishing, "write_release", altered)
    model = EpsilonPrivacy(
        epsilon=50, of="disease", adversary=ClassI(prior=Prior.counts(METROPOLIS))
    )
    given: dict[str, Any] = {"columns": COLUMNS, "to": tmp_path / "release"}
    with pytest.raises(ClaimError, match="reaches infinite"):
        hedgerow.publish(pd.DataFrame(PEOPLE), protect=[model], **given)
    wishes = Predicates(wishes="guard")
    model = EpsilonPrivacy(
        epsilon=50, of="disease", adversary=model.adversary, predicates=wishes
    )  # fmt: skip
    with pytest.raises(DataError, match="does not hold the groups and values"):
        hedgerow.publish(pd.DataFrame(GUARDED), protect=[model], **given)
    assert not (tmp_path / "release").exists()


def test_class_iv_is_refused_with_the_reason() -> None:
    model = EpsilonPrivacy(epsilon=10**9, of="disease", adversary=ClassIV())
    with pytest.raises(ClaimError) as caught:
        hedgerow.publish(pd.DataFrame(PEOPLE), columns=COLUMNS, protect=[model])
    assert "no generalisation is private against class IV" in str(caught.value)
    assert "class I, II or III" in str(caught.value)
    assert caught.value.exit_code == 1
    (claim,) = hedgerow.check(pd.DataFrame(PEOPLE), columns=COLUMNS, protect=[model])
    assert (claim.holds, claim.level) == (False, inf)


@pytest.mark.parametrize("attacker", ATTACKERS)
def test_check_measures_the_table_as_it_is(attacker: str) -> None:
    _, adversary, believed, knows = ATTACKERS[attacker]
    rows = [row | {"age": str(int(row["age"]) // 20 * 20), "zip": "111"} for row in PEOPLE]
    groups = list(map(persons, recipients.classes(rows, QUASI).values()))
    wanted = level_of(groups, believed, knows=knows)
    for epsilon in (float(wanted) * 0.999, float(wanted) * 1.001):
        parameters = {"epsilon": epsilon, "adversary": adversary}
        (claim,) = hedgerow.check(
            pd.DataFrame(rows), columns=COLUMNS, protect=[{"epsilon-privacy": parameters}]
        )
        assert claim.holds == (epsilon >= wanted)
        assert claim.level == pytest.approx(float(wanted), rel=1e-12)


@pytest.mark.parametrize(
    ("seen", "group", "about", "people"),
    [
        ({"a": 90, "b": 10}, {"a": 18, "b": 2}, "a", 0),
        ({"a": 60, "b": 30, "c": 10}, {"a": 18, "b": 1, "c": 1}, "abc", 20),
    ],
)
def test_who_has_seen_fewer_people_in_the_same_proportions(
    seen: dict[str, int], group: dict[str, int], about: str, people: int
) -> None:
    """A group like the prior says most to who has seen nobody; another, to who has seen 20."""
    rows = [{"q": "x", "disease": d} for d, count in group.items() for _ in range(count)]
    most = 20 + len(seen)
    model = EpsilonPrivacy(
        epsilon=9,
        of="disease",
        adversary=AtMost(prior=Prior.counts(seen), stubbornness=most),
        predicates=Predicates(sets=tuple(about)),
    )
    columns = {"q": "quasi-identifier", "disease": "sensitive"}
    (claim,) = hedgerow.check(pd.DataFrame(rows), columns=columns, protect=[model])
    phis = [frozenset(d) for d in about]

    def having_seen(number: int) -> Fraction | float:
        believed = dirichlet({d: 1 + Fraction(count * number, 100) for d, count in seen.items()})
        return smallest_epsilon(persons(rows), believed, phis)

    wanted = max(map(having_seen, range(21)))
    assert claim.level == pytest.approx(float(wanted), rel=1e-12)
    shape = {d: Fraction(count + 1) for d, count in seen.items()}
    same_shape = scaled(shape, [sum(shape.values()) / 11, Fraction(12), Fraction(most)])
    assert wanted == having_seen(people)
    assert wanted > smallest_epsilon(persons(rows), same_shape, phis)


def just_below(epsilon: float) -> float:
    return epsilon * (1 - 2**-53)


@pytest.mark.parametrize(
    ("knows", "epsilon"),
    [
        (0, 2.0),  # p_in = 6/8: 3/2 and (1/2) / (1/4)
        (1, 3.5),  # 6/7: 12/7 and (1/2) / (1/7)
        (("0", "6"), 3.0),  # 5/6: 5/3 and (1/2) / (1/6)
        (("0", "1", "2"), 1.25),  # 3/5: 6/5 and (1/2) / (2/5)
    ],
)
def test_exactly_at_epsilon_holds(knows: Any, epsilon: float) -> None:
    """6 of 8, against an even prior that nothing changes."""
    rows = [{"id": str(i), "q": "x", "disease": d} for i, d in enumerate("aaaaaabb")]
    columns = {"id": "identifier", "q": "quasi-identifier", "disease": "sensitive"}
    held = knows if isinstance(knows, int) else Known(by="id", people=knows)
    for asked, holds in ((epsilon, True), (just_below(epsilon), False)):
        model = EpsilonPrivacy(
            epsilon=asked,
            of="disease",
            adversary=ClassIII(prior=Prior.uniform(), knows=held),
        )
        (claim,) = hedgerow.check(pd.DataFrame(rows), columns=columns, protect=[model])
        assert claim.holds == holds


# What a certificate must not say


def in_the_folder(folder: Path) -> str:
    """Everything a recipient gets, as text."""
    found = []
    for file in sorted(folder.rglob("*")):
        if file.suffix == ".parquet":
            table = pq.read_table(file)
            found.append(str(table.schema) + json.dumps(table.to_pylist()))
            found.append(file.read_bytes().decode("latin-1"))
        elif file.is_file():
            found.append(file.read_text("utf-8"))
    return "\n".join(found)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_nothing_about_those_on_the_list_or_their_wishes(tmp_path: Path, form: str) -> None:
    tree = {"WISHNODE": ["ulcer", "gastritis"], "chest": ["flu", "asthma", "angina"]}
    rows = [row | {"guard": "WISHNODE" if row["guard"] else ""} for row in GUARDED]
    rows[0]["guard"] = "PRIORONLY"
    source = recipients.write_csv(tmp_path / "SOURCEFILE.csv", rows)
    staff = recipients.write_csv(tmp_path / "STAFFFILE.csv", [{"id": who} for who in LIST])
    counts = {**METROPOLIS, "PRIORONLY": 40}
    prior = recipients.write_csv(
        tmp_path / "PRIORFILE.csv",
        [{"PRIORCOLUMN": d, "PRIORCOUNT": str(n)} for d, n in counts.items()],
    )
    adversary = {
        "class": "at-most",
        "prior": {"file": str(prior), "column": "PRIORCOLUMN", "count": "PRIORCOUNT"},
        "knows": {"file": str(staff), "by": "id"},
    }
    parameters = {"epsilon": 6, "adversary": adversary, "wishes": "guard"}
    plan = Plan.of(
        columns=COLUMNS | {"disease": {"role": "sensitive", "hierarchy": {"taxonomy": tree}}},
        protect=[{"epsilon-privacy": parameters}],
        method={"suppress": "30%"},
        source=source,
        publish={"to": tmp_path / "release", "format": form},
    )
    release = hedgerow.publish(plan)
    said = in_the_folder(tmp_path / "release")
    for canary in ("Canary", "WISHNODE", "FILE", "PRIOR", str(tmp_path), "T0"):
        assert canary not in said
    (known,) = (m.adversary.listed for m in plan.models() if isinstance(m, EpsilonPrivacy))
    assert known is not None
    assert known.digest not in said
    (claim,) = release.certificate["claims"]
    assert f"knowing {len(LIST)} people on a list" in claim["adversary"]
    assert claim["predicates"] == "what each person wants protected (guard)"
    assert claim["decided"] == "by p_in and p_out themselves"
    assert claim["model"] is None
    assert release.certificate["plan"]["protect"] == [{"claim": claim["claim"], "model": None}]


@pytest.mark.parametrize("case", FACTS)
def test_the_level_of_a_claim_about_facts_is_withheld(tmp_path: Path, case: str) -> None:
    """Nobody is left out, and still it would tell who is known and what they wish."""
    release = hedgerow.publish(
        pd.DataFrame(GUARDED), columns=COLUMNS, protect=[claim_of(case, tmp_path, 9)]
    )
    assert release.suppressed == 0
    (claim,) = release.certificate["claims"]
    assert claim["level"] is None
    assert "what people want protected, or on who is known" in claim["level_withheld"]
    assert str(release.claims[0].level) not in json.dumps(release.certificate)


def outlier(disease: str, guard: str = "") -> Row:
    return {"id": "out", "guard": guard, "age": "59", "zip": "999", "sex": "M",
            "disease": disease, "ticket": "T9"}  # fmt: skip


@pytest.mark.parametrize(
    "attacker", ["I", "I uniform", "I table", "at most", "II", "III", "III uniform", "III table"]
)
def test_the_certificate_is_the_same_whatever_the_one_left_out_has(
    tmp_path: Path, attacker: str
) -> None:
    """Only the outlier's disease differs; no byte of the release may."""
    adversary = ATTACKERS[attacker][1]
    columns = COLUMNS | {
        "zip": {"role": "quasi-identifier", "hierarchy": {"prefix": 3}, "levels": [0, 1]},
        "disease": "sensitive",
    }
    seen, levels = set(), set()
    diseases = list(DISEASES)
    if "shape" not in str(adversary.get("prior")):
        diseases.append("CANARYOSIS")  # a value nobody else has
    for disease in diseases:
        release = hedgerow.publish(
            pd.DataFrame([*PEOPLE, outlier(disease)]),
            columns=columns,
            protect=[
                {"epsilon-privacy": {"epsilon": 80, "adversary": adversary}},
                {"k-anonymity": 12},
            ],
            method={"suppress": "20%"},
            to=tmp_path / disease,
        )
        assert release.suppressed > 0
        seen.add(in_the_folder(tmp_path / disease))
        levels.add(release.claims[0].level)
        assert "CANARYOSIS" not in in_the_folder(tmp_path / disease)
    assert len(seen) == 1
    assert (len(levels) > 1) == (attacker not in ("II", "II knows", "III")), "the exact level tells"
    level = json.loads((tmp_path / "flu/certificate.json").read_text())["claims"][0]["level"]
    assert (level is None) == (len(levels) > 1)


def test_a_wish_changes_no_byte(tmp_path: Path) -> None:
    """Of somebody in a release with nobody left out."""
    seen, levels = set(), set()
    reports: set[str] = set()
    for i, guard in enumerate(("", "stomach", "flu", "chest")):
        rows = [dict(row) for row in GUARDED]
        for row in rows[:200]:
            row["guard"] = guard
        release = hedgerow.publish(
            pd.DataFrame(rows),
            columns=COLUMNS,
            protect=[claim_of("wishes", tmp_path, 50)],
            recoding=tmp_path / "0" if i else None,
            to=tmp_path / str(i),
        )
        assert release.suppressed == 0
        files = dict(release.certificate["files"])
        # Only the first was searched for, and its report says whether it is the best.
        report = files.pop("report.html")
        reports |= {report} if i else set()
        certificate = release.certificate | {"search": None, "optimal": None, "files": files}
        seen.add(json.dumps(certificate, sort_keys=True))
        levels.add(release.claims[0].level)
    assert len(levels) > 1
    assert len(seen) == len(reports) == 1


def test_inputs_of_a_claim_are_not_overwritten(tmp_path: Path) -> None:
    """The prior lies where the release is to go."""
    recipients.write_csv(tmp_path / "people.csv", PEOPLE)
    target = tmp_path / "release"
    given: dict[str, Any] = {
        "columns": COLUMNS, "source": tmp_path / "people.csv", "publish": {"to": target},
        "method": {"suppress": "20%"},
    }  # fmt: skip
    hedgerow.publish(Plan.of(**given, protect=[{"k-anonymity": 3}]))
    before = (target / "data.csv").read_bytes()
    adversary = {"class": "I", "prior": str(target / "data.csv")}
    claim = {"epsilon-privacy": {"epsilon": 9, "adversary": adversary}}
    with pytest.raises(TargetError, match="would be replaced by the release made from it"):
        hedgerow.publish(Plan.of(**given, protect=[claim]), replace=True)
    assert (target / "data.csv").read_bytes() == before


# Mistakes that show only beside the data


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ({"adversary": ClassII(stubbornness=4)}, "nobody has a stubbornness of 4"),
        ({"adversary": ClassI(prior=Prior.of_table())}, "does not say how stubborn"),
        ({"adversary": ClassI(prior=Prior.shape({"flu": 1}), stubbornness=9)}, "gives no chance"),
        ({"adversary": ClassI(prior=Prior.counts({"Flu": 1, "ulcer": 1}))}, "spells values"),
        ({"adversary": ClassI(prior=Prior.counts({"gout": 1}))}, "no value in common"),
        ({"predicates": Predicates(sets=("stomac",))}, "'stomac' is no value of 'disease'"),
        ({"predicates": Predicates(sets=("*",))}, "'*' is true of everybody in the table"),
        ({"predicates": Predicates(sets=(("stomach", "chest"),))}, "true of everybody"),
        ({"adversary": ClassII(stubbornness=40, knows=Known(by="id", people=("me", "you")))},
         "2 of the 2 people on the list are not in the table's column 'id': 'me' and 'you'"),
        ({"adversary": ClassII(stubbornness=40, knows=Known(by="guard", people=("stomach",)))},
         "'guard' does not tell people apart: 'stomach'"),
        ({"predicates": Predicates(wishes="ticket")}, "is no value of 'disease'"),
    ],
)  # fmt: skip
def test_claims_that_do_not_fit_the_table(tmp_path: Path, model: dict[str, Any], says: str) -> None:
    given: dict[str, Any] = {
        "epsilon": 2, "of": "disease", "adversary": ClassII(stubbornness=9),
    }  # fmt: skip
    for run in (hedgerow.publish, hedgerow.check):
        with pytest.raises((DataError, PlanError)) as caught:
            run(
                pd.DataFrame(GUARDED),
                columns=COLUMNS,
                protect=[KAnonymity(k=2), EpsilonPrivacy(**given | model)],
                **({"to": tmp_path / "release"} if run is hedgerow.publish else {}),
            )
        assert says in str(caught.value)
        assert caught.value.where in ("plan.protect.1", "the pandas table")
    assert list(tmp_path.iterdir()) == []


def test_two_claims_with_facts_of_their_own() -> None:
    """Two lists and a column of wishes, about one column and about two."""
    rows = [row | {"bill": row["disease"][:1]} for row in GUARDED]
    bills = Counter(row["bill"] for row in rows)
    lists = {"a": LIST[::2], "b": LIST[1::2]}
    prior = ClassI(prior=Prior.counts(METROPOLIS))
    models = [
        EpsilonPrivacy(epsilon=5, of="disease", adversary=ClassI(
            prior=prior.prior, knows=Known(by="id", people=tuple(lists["a"])))),
        EpsilonPrivacy(epsilon=5, of="disease", adversary=ClassI(
            prior=prior.prior, knows=Known(by="id", people=tuple(lists["b"]))),
            predicates=Predicates(wishes="guard")),
        EpsilonPrivacy(epsilon=5, of="bill", adversary=AtMost(
            prior=Prior.of_table(), stubbornness=50,
            knows=Known(by="id", people=tuple(lists["b"])))),
        EpsilonPrivacy(epsilon=5, of="disease", adversary=prior),
    ]  # fmt: skip
    release = hedgerow.publish(
        pd.DataFrame(rows), columns=COLUMNS | {"bill": "sensitive"},
        protect=[*models, KAnonymity(k=2, over="all")], method={"suppress": "90%"},
    )  # fmt: skip
    least = Fraction(len(rows), min(bills.values()))
    bill_phis = [frozenset([bill]) for bill in bills]
    wanted = [
        level_of(
            from_levels(release, rows, lambda r: Person(r["disease"], r["id"] in lists["a"])),
            dirichlet(AFTER),
        ),
        level_of(
            from_levels(
                release, rows,
                lambda r: Person(r["disease"], r["id"] in lists["b"], guarding(r).wants),
            ),
            dirichlet(AFTER),
        ),
        level_of(
            from_levels(release, rows, lambda r: Person(r["bill"], r["id"] in lists["b"])),
            scaled(bills, [least, Fraction(50)]),
            bill_phis,
        ),
        level_of(published(release), dirichlet(AFTER)),
    ]  # fmt: skip
    for place, oracle in enumerate(wanted):
        agrees(release, place, 5, oracle)
    assert len({claim.level for claim in release.claims[:4]}) > 2


# Real data


@pytest.mark.data
def test_census_income(tmp_path: Path) -> None:
    """The training part is published; who has seen the test part attacks it."""
    file = data_folder() / "census-income/census_income_5.csv.gz"
    with gzip.open(file, "rt", newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    parts = {part: [row for row in rows if row["part"] == part] for part in ("train", "test")}
    names = ["age", "marital_status", "race", "sex", "salary_class"]
    for part, people in parts.items():
        recipients.write_csv(tmp_path / f"{part}.csv", people, names)
    (tmp_path / "plan.yaml").write_text(
        """\
source: train.csv
columns:
  age: {role: quasi-identifier, hierarchy: {ranges: [5, 10, 20, 40]}}
  marital_status: quasi-identifier
  race: quasi-identifier
  sex: quasi-identifier
  salary_class: sensitive
protect:
  - epsilon-privacy: {epsilon: 4, adversary: {class: I, prior: test.csv, knows: 1}}
method: {suppress: 40%}
publish: release
"""
    )
    release = hedgerow.publish(tmp_path / "plan.yaml")
    seen = Counter(row["salary_class"] for row in parts["test"])
    counted: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for row in recipients.read_csv(tmp_path / "release/data.csv"):
        counted[tuple(row[name] for name in names[:4])][row["salary_class"]] += 1
    sigma = sum(seen.values()) + len(seen)
    worst = Fraction(1)
    for group in counted.values():
        n = group.total()
        for value, count in group.items():
            assert count < n - 1, "no group in which all have the same"
            p_in = Fraction(count, n - 1)
            p_out = Fraction(count + seen[value], n - 1 + sigma)
            worst = max(worst, p_in / p_out, (1 - p_out) / (1 - p_in))
    assert len(seen) == 2
    assert release.claims[0].level == pytest.approx(float(worst), rel=1e-12)
    assert worst <= 4
    assert len(counted) > 10
    assert release.rows == sum(group.total() for group in counted.values())
    assert release.rows >= 0.6 * len(parts["train"])
    assert release.certificate["claims"][0]["level"] is None
    assert (
        f"prior from counts of {len(parts['test']):,} people, knowing any one person"
        in (release.certificate["claims"][0]["claim"])
    )
