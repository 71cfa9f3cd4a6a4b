"""Safe releases, from the plan to the file: what is claimed, charged, kept and never told."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import hedgerow
from hedgerow.base.errors import HedgerowError, PlanError
from hedgerow.engines import open_engine
from hedgerow.ledger import Amounts, Ledger
from hedgerow.noise import samplers
from hedgerow.noise.measures import Approximate
from hedgerow.noise.sampling import suppression
from hedgerow.noise.sampling.private_choice import RecodingScores
from hedgerow.plan.plan import Plan
from hedgerow.release.certificate_text import as_text
from hedgerow.release.safe import design as designing
from hedgerow.release.safe.design import Sampling
from hedgerow.release.safe.request import SafeRequest
from hedgerow.release.safe.terms import SafeTerms

METHOD = {"search": "safe", "beta": 0.8, "epsilon": 1, "delta": 1e-6}
AGE = {"role": "quasi-identifier", "bounds": [0, 99], "step": 1, "hierarchy": {"ranges": [10, 50]}}
SEX = {"role": "quasi-identifier", "domain": ["F", "M", None]}
FIXED = {"age": AGE | {"levels": [2, 2]}, "sex": SEX | {"levels": [0, 0]}}


def said(**more: Any) -> dict[str, Any]:
    """What a plan says."""
    told = {
        "population": "town",
        "ledger": "ledger.db",
        "columns": FIXED,
        "privacy": {"neighbours": "add-remove"},
        "method": METHOD,
    }
    return told | more


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HEDGEROW_LEDGER", raising=False)
    budget("town")
    return tmp_path


def budget(population: str) -> None:
    with Ledger.open("ledger.db") as ledger:
        ledger.set_budget(population, Amounts.of(epsilon=10, delta=Fraction(1, 1000)))


def people(n: int = 2000) -> pa.Table:
    """Even over ages to 99; one in ten has an unknown sex."""
    return pa.table(
        {
            "age": [str(i % 100) for i in range(n)],
            "sex": [("F", "M", "F", "M", "F", "M", "F", "M", "F", None)[i % 10] for i in range(n)],
        }
    )


def write(table: pa.Table, path: str = "people.csv") -> str:
    lines = [",".join("" if v is None else v for v in row.values()) for row in table.to_pylist()]
    Path(path).write_text("\n".join([",".join(table.column_names), *lines, ""]), "utf-8")
    return path


def publish(**more: Any) -> hedgerow.SafeRelease:
    to, anew = more.pop("to", None), more.pop("anew", False)
    found = hedgerow.publish(Plan.of(**said(**more)), to=to, anew=anew)
    assert isinstance(found, hedgerow.SafeRelease)
    return found


# Every coin and every choice, through the code that publishes


VALUES = (("0", "F"), ("0", "M"), ("60", "F"), ("60", "M"))
Row = tuple[str, str]
Law = dict[object, float]


def exact_law(table: tuple[Row, ...], request: SafeRequest, monkeypatch: pytest.MonkeyPatch) -> Law:
    """What may come out, with its probability: all bits, and all nodes by their own scores."""
    sampling = Sampling(request)
    columns = {"age": [a for a, _ in table], "sex": [s for _, s in table]}
    data = pa.table({name: pa.array(v, pa.string()) for name, v in columns.items()})
    with open_engine(data) as engine:
        cells = sampling.read([engine.tally(tally) for tally in sampling.tallies])
    seen: dict[str, Any] = {}

    def bits(n: int, *, probability: float) -> np.ndarray:
        seen["probability"] = probability
        given: tuple[int, ...] = seen["bits"]
        assert n == len(given)
        return np.array(given, np.int8)

    def chosen(scores: tuple[int, ...], *, scoring: RecodingScores, choice: Fraction) -> int:
        assert choice == request.terms.safe.choice, "what is accounted for is spent"
        scale = float(scoring.mechanism(choice).scale)
        weights = [math.exp((score - max(scores)) / scale) for score in scores]
        seen["chance"] = weights[seen["node"]] / sum(weights)
        return int(seen["node"])

    law: Law = {}
    with monkeypatch.context() as patch:
        patch.setattr(samplers, "bernoulli", bits)
        patch.setattr(designing, "choose", chosen)
        nodes = range(request.nodes) if request.terms.choice else (None,)
        for node, coins in itertools.product(nodes, itertools.product((0, 1), repeat=len(table))):
            seen.update(node=node, bits=coins, chance=1.0, probability=0.5)
            found = sampling.noisy(cells)
            p = seen["probability"]
            chance = seen["chance"] * math.prod(p if bit else 1 - p for bit in coins)
            key = (found.node, found.codes.tobytes(), found.counts.tobytes())
            law[key] = law.get(key, 0.0) + chance
    assert math.isclose(sum(law.values()), 1)
    return law


@pytest.mark.slow
@pytest.mark.parametrize(
    ("columns", "method", "k"),
    [
        (FIXED, {"beta": 0.5, "epsilon": 0.5, "delta": 0.26}, 2),
        (FIXED, {"beta": 0.8, "epsilon": 1.2, "delta": 0.65}, 2),
        ({"age": AGE | {"levels": [2, 3]}, "sex": SEX | {"domain": ["F", "M"]}},
         {"beta": 0.5, "epsilon": 0.8, "delta": 0.26, "choice": 0.3}, 2),
    ],
)  # fmt: skip
def test_the_true_delta_is_never_above_the_claim(
    columns: Any, method: Any, k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = SafeRequest.of(Plan.of(**said(columns=columns, method=METHOD | method)))
    assert request.terms.safe.k == k
    laws = {
        rows: exact_law(rows, request, monkeypatch)
        for size in range(5)
        for rows in itertools.combinations_with_replacement(VALUES, size)
    }
    e, worst = math.exp(method["epsilon"]), 0.0
    for rows, law in laws.items():
        for person in VALUES:
            other = laws.get(tuple(sorted((*rows, person))))
            if other is not None:
                for p, q in ((law, other), (other, law)):
                    apart = sum(max(x - e * q.get(key, 0.0), 0.0) for key, x in p.items())
                    worst = max(worst, apart)
    assert 0 < worst <= method["delta"]
    blind = suppression.delta(k=k, beta=method["beta"], epsilon=method["epsilon"])
    if not request.terms.choice and k / method["beta"] < 4:
        assert worst == pytest.approx(float(blind), rel=1e-9), "the bound is met"


def test_a_release_is_what_the_design_draws(town: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With everybody drawn, the file has each group of at least k once for each person."""
    monkeypatch.setattr(samplers, "bernoulli", lambda n, *, probability: np.zeros(n, np.int8))
    write(people())
    found = publish(source="people.csv", to="out")
    assert found.k == 135
    lines = Path("out/data.csv").read_text("utf-8").splitlines()
    assert lines[0] == "age,sex"
    counts = {line: lines.count(line) for line in set(lines[1:])}
    assert counts == {"0-49,F": 500, "0-49,M": 400, "50-99,F": 500, "50-99,M": 400}, "100 missing"
    assert lines[1:] == sorted(lines[1:])
    assert (found.rows, found.groups) == (1800, 4)


# Whoever is in the table, all else is the same


def harness(
    table: pa.Table, name: str, monkeypatch: pytest.MonkeyPatch, **more: Any
) -> tuple[bytes, dict[str, Any], Any]:
    """File, certificate and ledger with all coins alike, and all words that were said."""
    words: list[str] = []
    budget(name)
    write(table)
    with monkeypatch.context() as patch:
        patch.setattr(samplers, "bernoulli", lambda n, *, probability: np.zeros(n, np.int8))
        # The two tables are at one place, one after the other.
        given = said(source="people.csv", population=name, other_people_than=["a", "b"], **more)
        plan = Plan.of(**given)
        found = hedgerow.publish(plan, to=name, progress=lambda what, share: words.append(what))
    certificate = json.loads((Path(name) / "certificate.json").read_text("utf-8"))
    for key in ("ledger", "population"):
        del certificate[key]
    del certificate["files"]["report.html"]  # which names both
    with Ledger.open("ledger.db") as ledger:
        bodies = [
            # Which entry set the budget is a number of this ledger.
            dict(e.body, name=0, clock=0, account=dict(e.body.get("account", {}), budget=0))
            for e in ledger.entries(population=name)
        ]
        for body in bodies:
            body.pop("content_sha256", None)
            body.pop("content_bytes", None)
    data = (Path(name) / "data.csv").read_bytes()
    return data, certificate, (words, bodies, found.summary() | {"release": 0})


ODD = [
    ("97", "F"), ("-5", "M"), ("1e999", "F"), ("nan", "F"), ("", ""), ("=cmd", "canary"),
    ("50.5", None), ("x" * 5000, "F"),
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD)
def test_one_person_more_changes_nothing_but_what_was_drawn(
    odd: tuple[str, str | None], town: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = people(400)
    person = pa.table({"age": [odd[0]], "sex": pa.array([odd[1]], pa.string())})
    more = pa.concat_tables([table, person])
    # Groups are under k with and without: all that is told must be the same, to the byte.
    first, second = (harness(t, n, monkeypatch) for t, n in ((table, "a"), (more, "b")))
    assert first == second
    assert first[0] == b"age,sex\n", "k is 135, and the largest group has 100"


def test_a_person_in_a_large_group_changes_one_number(
    town: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = pa.concat_tables([people(), pa.table({"age": ["7"], "sex": ["F"]})])
    a, b = (harness(t, n, monkeypatch) for t, n in ((people(), "a"), (more, "b")))
    assert sorted(b[0].splitlines()) == sorted([*a[0].splitlines(), b"0-49,F"])
    for one in (a, b):
        for key in ("rows", "sha256"):
            del one[1]["data"][key]
        del one[1]["files"]["data.csv"]
        one[2][2].pop("rows")
    assert a[1:] == b[1:]


def test_no_number_of_people_is_told(
    town: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """7,919 people are in the table, 6,334 in its domain, none of which is said anywhere."""
    table = people(6334)
    others = pa.table({"age": ["5"] * 1585, "sex": ["canary"] * 1585})
    write(pa.concat_tables([table, others]))
    from hedgerow.cli import app

    Path("plan.json").write_text(json.dumps(said(source="people.csv", publish={"to": "out"})))
    from typer.testing import CliRunner

    done = CliRunner().invoke(app, ["publish", "plan.json"])
    assert done.exit_code == 0, done.output
    told = [done.output, Path("out/certificate.json").read_text("utf-8"),
            Path("out/data.csv").read_text("utf-8")]  # fmt: skip
    with Ledger.open("ledger.db") as ledger:
        entries = list(ledger.entries(population="town"))
        told += [json.dumps(entry.body) for entry in entries]
        told += [str(ledger.content(entry)) for entry in entries if entry.kind == "RELEASED"]
    for text in told:
        # The digits of hashes and names of reservations are random.
        text = re.sub(r"[0-9a-f]{32,}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "", text)
        for secret in ("7919", "7,919", "6334", "6,334", "1585", "1,585", "canary"):
            assert secret not in text


def test_nobody_in_the_table(town: Path) -> None:
    write(people(1).slice(0, 0))
    found = publish(source="people.csv", to="out", columns={"age": AGE, "sex": SEX})
    assert (found.rows, found.groups) == (0, 0)
    assert hedgerow.verify("out").refuted == ()


def test_labels_are_those_of_the_plan_whoever_is_there(town: Path) -> None:
    write(pa.table({"age": ["3", "4"] * 200, "sex": ["F"] * 400}))
    columns = {"age": AGE | {"levels": [1, 1]}, "sex": SEX | {"levels": [0, 0]}}
    found = publish(source="people.csv", columns=columns)
    labels = found.certificate["columns"][0]["labels"]
    assert labels == [f"{10 * i}-{10 * i + 9}" for i in range(10)]


def test_a_person_counts_once(town: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samplers, "bernoulli", lambda n, *, probability: np.zeros(n, np.int8))
    rows = [(str(i), "7", "F") for i in range(200)] + [("200", "60", "M")] * 500 + [("", "7", "F")]
    names = ("id", "age", "sex")
    write(pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)}))
    privacy = {"neighbours": "add-remove", "rows": 1}
    found = publish(source="people.csv", person="id", privacy=privacy)
    assert (found.rows, found.groups) == (200, 1), "one with 500 rows is no group of 135"
    # Nor is one with 300 different rows, which all become one tuple.
    rows = [("1", str(age), sex) for age in range(100) for sex in ("F", "M", "")]
    write(pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)}))
    coarse = {"age": AGE | {"levels": [3, 3]}, "sex": SEX | {"levels": [1, 1]}}
    found = publish(source="people.csv", person="id", privacy=privacy, columns=coarse, anew=True)
    assert found.rows == 0


def test_the_order_of_rows_follows_from_what_is_in_them(
    town: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first row of a group that is found must not show: here M stands before F in the data."""
    monkeypatch.setattr(samplers, "bernoulli", lambda n, *, probability: np.zeros(n, np.int8))
    write(pa.table({"age": ["0"] * 200 + ["1"] * 200, "sex": ["M"] * 200 + ["F"] * 200}))
    publish(source="people.csv", to="out")
    lines = Path("out/data.csv").read_text("utf-8").splitlines()
    assert lines[1:] == ["0-49,F"] * 200 + ["0-49,M"] * 200
    assert hedgerow.verify("out").refuted == ()


# Price, ledger, replay


def test_it_is_charged_first_and_told_again_for_nothing(town: Path) -> None:
    write(people())
    first = publish(source="people.csv", to="out")
    with Ledger.open("ledger.db") as ledger:
        assert ledger.budget("town").spent == Amounts.of(epsilon=1, delta="1e-6")
    bytes_of = Path("out/data.csv").read_bytes()
    write(people(300))  # to look would tell that they have changed
    again = publish(source="people.csv", to="out")
    assert (first.again, again.again) == (False, True)
    assert again.certificate == first.certificate
    publish(source="people.csv", to="other")
    assert Path("other/data.csv").read_bytes() == bytes_of
    parquet = publish(source="people.csv", publish={"to": "p", "format": "parquet"})
    assert parquet.to_arrow().to_pylist() == first.to_arrow().to_pylist()
    with Ledger.open("ledger.db") as ledger:
        assert ledger.budget("town").spent == Amounts.of(epsilon=1, delta="1e-6")
    assert publish(source="people.csv", to="new", anew=True).rows < 400
    with Ledger.open("ledger.db") as ledger:
        assert ledger.budget("town").spent == Amounts.of(epsilon=2, delta="2e-6")


def test_two_samples_are_not_the_same(town: Path) -> None:
    write(people(20_000))
    texts = {
        (publish(source="people.csv", to=f"out{i}", anew=bool(i)), Path(f"out{i}/data.csv")
         .read_text("utf-8"))[1]
        for i in range(3)
    }  # fmt: skip
    assert len(texts) == 3


def test_under_change_one_a_person_is_two_steps() -> None:
    plan = Plan.of(**said(privacy={"neighbours": "change-one"}))
    terms, adding = SafeRequest.of(plan).terms, SafeRequest.of(Plan.of(**said())).terms
    inner = terms.safe.loss.approximate()
    assert inner.group(2) == terms.loss
    assert terms.loss == Approximate(epsilon=1, delta="1e-6"), "what the plan says is charged"
    assert inner.epsilon == Fraction(1, 2)
    assert terms.safe.k > adding.safe.k == 135
    assert terms.safe.k == suppression.smallest_k(
        beta="0.8", epsilon="0.5", delta=Fraction(1, 10**6) / (1 + Fraction(math.exp(0.5)))
    )


def test_terms_come_back_from_their_json() -> None:
    for more in ({}, {"columns": {"age": AGE, "sex": SEX}},
                 {"columns": {"age": AGE, "sex": SEX},
                  "method": METHOD | {"steps": 3, "choice": 0.02, "row": "5%"}}):  # fmt: skip
        terms = SafeRequest.of(Plan.of(**said(**more))).terms
        assert SafeTerms.read(json.loads(json.dumps(terms.as_json()))) == terms


def test_a_choice_has_its_price() -> None:
    free = {"columns": {"age": AGE, "sex": SEX}}
    terms = SafeRequest.of(Plan.of(**said(**free))).terms
    assert (terms.choice, terms.row, terms.safe.k) == (Fraction(1, 10), Fraction(1, 5), 138)
    assert not SafeRequest.of(Plan.of(**said())).terms.choice, "fixed levels are not chosen"


def test_a_walk(town: Path) -> None:
    write(people(5000))
    method = METHOD | {"steps": 5, "choice": 0.02}
    found = publish(source="people.csv", columns={"age": AGE, "sex": SEX}, method=method, to="out")
    assert found.certificate["choice"]["steps"] == 5
    assert found.rows
    assert hedgerow.verify("out").refuted == ()


# A table that is a sample already


BEFORE = METHOD | {"drawn": "before"}


def test_a_sample_is_published_as_it_is_and_once(town: Path) -> None:
    write(people())
    found = publish(source="people.csv", method=BEFORE, to="out")
    assert found.rows == 1800, "nobody is drawn again"
    told = found.certificate
    assert "This was stated, not checked" in told["sampling"]["assumption"]
    assert told["sampling"]["assumption"] in told["protected"]
    assert "of a population" in told["claim"]
    # The loss is about being in the population; whether somebody came into the table costs more.
    assert told["neighbours"]["words"].startswith("add-remove: one person in the population or not")
    assert "in the table or not" not in told["protected"] + told["claim"]
    assert "nor how many" in told["protected"]
    assert "as if k were one less" in told["protected"]
    assert publish(source="people.csv", method=BEFORE, to="out").again
    with pytest.raises(PlanError, match="the table is the sample"):
        publish(source="people.csv", method=BEFORE, to="new", anew=True)
    coarser = {"age": AGE | {"levels": [3, 3]}, "sex": SEX | {"levels": [0, 0]}}
    for other in ({"columns": coarser, "method": BEFORE}, {}):
        with pytest.raises(PlanError, match="because its table is a random sample"):
            publish(source="people.csv", to="new", **other)
    plan = Plan.of(**said(source="people.csv", method={"search": "lattice"}))
    with hedgerow.session(plan) as session, pytest.raises(PlanError, match="random sample"):
        session.count(epsilon=1)
    claims = said(source="people.csv", method={}, protect=[{"k-anonymity": 5}])
    with pytest.raises(PlanError, match="random sample"):
        hedgerow.publish(Plan.of(**claims), to="table")
    with Ledger.open("ledger.db") as ledger:
        assert ledger.budget("town").spent == Amounts.of(epsilon=1, delta="1e-6")


@pytest.mark.parametrize("first", ["answer", "safe", "table"])
def test_a_sample_of_which_something_was_told_is_refused(first: str, town: Path) -> None:
    write(people())
    plan = Plan.of(**said(source="people.csv", method={"search": "lattice"}))
    if first == "answer":
        with hedgerow.session(plan) as session:
            session.count(epsilon=1)
    elif first == "safe":
        publish(source="people.csv")
    else:
        claims = said(source="people.csv", method={}, protect=[{"k-anonymity": 5}])
        hedgerow.publish(Plan.of(**claims), to="table")
    with pytest.raises(PlanError, match="may have told of this sample already"):
        publish(source="people.csv", method=BEFORE)


def test_an_interrupted_sample_can_be_published(
    town: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was reserved and never released told nobody anything, and is the same release."""
    from hedgerow.answers import charge

    write(people())

    class Killed(BaseException):
        pass

    def die(*given: Any, **more: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "failed", die)
        patch.setattr(charge, "point", lambda name: die() if name == "counted" else None)
        with pytest.raises(Killed):
            publish(source="people.csv", method=BEFORE)
    assert publish(source="people.csv", method=BEFORE).rows == 1800


# Verifying


@pytest.fixture
def released(town: Path) -> Path:
    write(people(20_000))
    Path("plan.json").write_text(json.dumps(said(source="people.csv", columns={
        "age": AGE, "sex": SEX})))  # fmt: skip
    hedgerow.publish("plan.json", to="out")
    assert hedgerow.verify("out", plan="plan.json").refuted == ()
    return Path("out")


def tampered(out: Path, change: Callable[[dict[str, Any]], None], data: str | None = None) -> Any:
    """Change certificate and file as a forger would, with a hash that fits."""
    import hashlib

    file = out / "certificate.json"
    told = json.loads(file.read_text("utf-8"))
    if data is not None:
        (out / "data.csv").write_text(data, "utf-8")
        digest = hashlib.sha256(data.encode()).hexdigest()
        told["data"]["sha256"] = told["files"]["data.csv"] = digest
        told["data"]["rows"] = data.count("\n") - 1
    change(told)
    file.write_text(as_text(told), "utf-8")
    return hedgerow.verify(out)


def setting(*path: Any) -> Callable[[dict[str, Any]], None]:
    *keys, last, value = path

    def change(told: dict[str, Any]) -> None:
        place: Any = told
        for key in keys:
            place = place[key]
        place[last] = value

    return change


def keep(told: dict[str, Any]) -> None:
    pass


FORGED = {
    "k": setting("k", 20),
    "beta": setting("sampling", "beta", "0.95"),
    "epsilon": setting("price", "epsilon", "0.5"),
    "loss": setting("loss", "epsilon", "0.5"),
    "spent": setting("spent", "epsilon", "0.5"),
    "choice": setting("choice", "epsilon", "0.3"),
    "unpaid choice": setting("choice", None),
    "drawn": setting("sampling", "drawn", "before"),
    "claim": setting("claim", "0-differential privacy"),
    "protected": setting("protected", "Everything."),
    "rows": setting("neighbours", "rows", 3),
    "label": setting("columns", 1, "labels", ["F", "M", None, "X"]),
    "level": setting("columns", 1, "level", 7),
    "vast": setting("price", "epsilon", "9" * 300),
    "nothing": setting("price", "delta", "0"),
}


@pytest.mark.parametrize("what", FORGED)
def test_forged_certificates_are_refuted(what: str, released: Path) -> None:
    # An extra label can be told only by somebody who has the hierarchy: by the plan.
    found = tampered(released, FORGED[what])
    if what == "label":
        found = hedgerow.verify(released, plan="plan.json")
    assert found.refuted, what
    if what in ("k", "beta", "epsilon", "loss", "spent", "choice", "unpaid choice", "drawn"):
        assert "loss" in {one.what for one in found.checks if one.verdict == "refuted"}
        assert found.claims[0].verdict == "refuted"


def test_forged_files_are_refuted(released: Path) -> None:
    lines = (released / "data.csv").read_text("utf-8").splitlines(keepends=True)
    head, rows = lines[0], lines[1:]
    first = [line for line in rows if line == rows[0]]
    rest = [line for line in rows if line != rows[0]]
    assert not tampered(released, keep, "".join(lines)).refuted, "the forger's own work is sound"
    for text, what in (
        ("".join([head, *first[:50], *rest]), "groups"),
        ("".join([head, *rest, *first]), "rows"),
        ("".join([head, "5-6,X\n" * 500, *rows]), "rows"),
    ):
        found = tampered(released, keep, text)
        assert what in {str(one.what) for one in found.checks if one.verdict == "refuted"}
        assert found.claims[0].verdict == "refuted"


# Plans that are refused


REFUSED = [
    ({"method": {"search": "safe", "epsilon": 1, "delta": 1e-6}}, "beta is missing"),
    ({"method": {"search": "safe", "beta": 0.5, "epsilon": 1}}, "delta is missing"),
    ({"method": METHOD | {"beta": 1}}, "'beta' needs a number above 0 and below 1"),
    ({"method": METHOD | {"keep_suppressed": True}}, "keep_suppressed has no meaning for safe"),
    ({"method": METHOD | {"suppress": 0.1}}, "suppress has no meaning for safe"),
    ({"method": METHOD | {"rho": 1}}, "rho has no meaning for safe"),
    ({"method": METHOD | {"choice": 0.1}}, "there is no choice that choice is for"),
    ({"method": {"search": "lattice", "beta": 0.5}}, "beta has no meaning for lattice"),
    ({"method": METHOD | {"steps": 3}, "columns": {"age": AGE}}, "how much of epsilon each step"),
    ({"method": METHOD | {"choice": 1}, "columns": {"age": AGE}}, "would leave nothing of epsilon"),
    ({"method": BEFORE, "columns": {"age": AGE}}, "cannot be used to choose its levels"),
    ({"columns": FIXED | {"ill": "sensitive"}}, "every column is recoded"),
    ({"columns": FIXED | {"ill": "insensitive"}}, "every column is recoded"),
    ({"columns": FIXED | {"ill": "quasi-identifier"}}, "never taken from the data"),
    ({"columns": FIXED | {"sex": SEX | {"missing": "refuse"}}}, "nobody may learn"),
    ({"privacy": {"neighbours": "add-remove", "rows": 3}, "person": "id"}, "with one row"),
    ({"protect": [{"k-anonymity": 5}]}, "from which k follows"),
    ({"utility": "loss"}, "utility has no meaning"),
    ({"privacy": None, "protect": [{"k-anonymity": 5}]}, "nothing says who is protected"),
]  # fmt: skip


@pytest.mark.parametrize(("more", "words"), REFUSED)
def test_plans_that_would_claim_too_much(more: dict[str, Any], words: str) -> None:
    told = {key: value for key, value in said(**more).items() if value is not None}
    with pytest.raises(HedgerowError) as caught:
        Plan.of(**told)
    assert words in str(caught.value)


def test_whoever_is_drawn_is_not_published_outright(town: Path) -> None:
    """With a delta as large as the rate, groups of one would keep the price."""
    write(people())
    method = METHOD | {"beta": "0.001", "delta": "0.001"}
    with pytest.raises(PlanError, match="as large as the chance to be drawn"):
        publish(source="people.csv", method=method, to="out")


def test_what_fails_later_fails_before_it_costs(town: Path) -> None:
    write(people())
    many = {f"c{i}": SEX | {"domain": ["a", "b"]} for i in range(18)}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"columns": FIXED | {"sex": SEX | {"levels": [2, 2]}}}, "do not exist"),
        ({"method": METHOD | {"beta": 0.999999}}, "no k up to"),
        ({"columns": many}, "combinations of levels"),
        ({"population": None}, "the plan names none"),
        ({"ledger": None}, "no ledger that would remember it"),
    ]
    for more, words in cases:
        told = {key: value for key, value in said(**more).items() if value is not None}
        plan = Plan.of(**told, source="people.csv")
        with pytest.raises(HedgerowError, match=words):
            hedgerow.publish(plan)
    with pytest.raises(PlanError, match="no recoding from another"):
        hedgerow.publish(Plan.of(**said(source="people.csv")), recoding="x")
    with Ledger.open("ledger.db") as ledger:
        assert not ledger.budget("town").spent
