"""Every kind of release: declared once, told apart by its plans and by its certificates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

import hedgerow
from hedgerow.base.errors import DataError, TargetError
from hedgerow.ledger import Amounts, Ledger
from hedgerow.plan.methods import PRICED
from hedgerow.plan.plan import Plan
from hedgerow.release.certificate_schema import misfit
from hedgerow.release.kind import KindName, ReleaseKind
from hedgerow.release.kinds import KINDS, kind_of_certificate, kind_of_plan
from hedgerow.release.verdicts import REFUTED

ROWS = "age,sex,ill\n" + "".join(
    f"{20 + i % 3 * 10},{'FM'[i % 2]},{'ab'[i % 2]}\n" for i in range(240)
)
QUASI = {"role": "quasi-identifier"}
SEX = {"sex": QUASI | {"domain": ["F", "M"]}, "age": "identifier", "ill": "identifier"}
PLANS: dict[KindName, dict[str, Any]] = {
    "recoded": {
        "columns": {"age": QUASI, "sex": QUASI, "ill": "sensitive"},
        "protect": [{"k-anonymity": 3}],
    },
    "randomised": {
        "columns": SEX,
        "privacy": "add-remove",
        "method": {"search": "marginals", "epsilon": 1, "tables": [["sex"]], "synthetic": True},
    },
    "safe": {
        "columns": SEX,
        "privacy": "add-remove",
        "method": {"search": "safe", "epsilon": 1, "delta": 1e-3, "beta": 0.5},
    },
}  # fmt: skip


@pytest.fixture(params=KINDS, ids=[kind.name for kind in KINDS])
def kind(request: pytest.FixtureRequest) -> ReleaseKind:
    found: ReleaseKind = request.param
    return found


@pytest.fixture
def plan(kind: ReleaseKind, tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(ROWS, "utf-8")
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=10, delta="0.1"))
    file = tmp_path / "plan.yaml"
    given = {
        "population": "town",
        "ledger": "ledger.db",
        "source": "people.csv",
        "one_row_per_person": True,
        "publish": {"to": "release"},
    }
    file.write_text(yaml.safe_dump(given | PLANS[kind.name]), "utf-8")
    return file


def test_every_kind_is_listed_once() -> None:
    assert sorted(kind.name for kind in KINDS) == sorted(get_args(KindName)) == sorted(PLANS)
    assert len({kind.family for kind in KINDS}) == len(KINDS)


def test_every_search_with_a_price_has_a_kind_of_its_own() -> None:
    assert len(PRICED) == len([kind for kind in KINDS if kind.name != "recoded"])


def test_a_plan_asks_for_one_kind(kind: ReleaseKind, plan: Path) -> None:
    asked = Plan.read(plan)
    assert kind_of_plan(asked) is kind
    assert [one for one in KINDS if one.makes(asked)] == [kind]


def test_what_is_published_has_the_form_and_is_verified(kind: ReleaseKind, plan: Path) -> None:
    release = hedgerow.publish(plan)
    certificate = json.loads((plan.parent / "release" / "certificate.json").read_text("utf-8"))
    assert certificate == release.certificate
    assert kind_of_certificate(certificate) is kind
    assert certificate["format"] == kind.format
    assert misfit(certificate, kind.schema()) is None
    for other in KINDS:
        if other is not kind:
            assert misfit(certificate, other.schema()) is not None
    assert not hedgerow.verify(plan.parent / "release").refuted
    assert not hedgerow.verify(plan.parent / "release", plan=plan).refuted


def test_it_is_told_again_and_entered_once(kind: ReleaseKind, plan: Path) -> None:
    first = hedgerow.publish(plan)
    with Ledger.open(plan.parent / "ledger.db") as ledger:
        before = len(list(ledger.entries()))
    again = hedgerow.publish(plan)
    assert (first.again, again.again) == (False, True)
    assert again.certificate == first.certificate
    with Ledger.open(plan.parent / "ledger.db") as ledger:
        assert len(list(ledger.entries())) == before


@pytest.mark.parametrize("file", ["data.csv", "certificate.json", "report.html"])
def test_a_changed_file_is_refuted(kind: ReleaseKind, plan: Path, file: str) -> None:
    hedgerow.publish(plan)
    place = plan.parent / "release" / file
    place.write_bytes(place.read_bytes() + b"\n")
    checks = hedgerow.verify(plan.parent / "release").checks
    assert [check for check in checks if check.verdict == REFUTED]


@pytest.mark.parametrize("number", [0, 1, 3])
def test_another_version_is_refused(kind: ReleaseKind, plan: Path, number: int) -> None:
    hedgerow.publish(plan)
    place = plan.parent / "release" / "certificate.json"
    text = place.read_text("utf-8")
    place.write_text(text.replace(kind.format, f"{kind.family}{number}"), "utf-8")
    older = kind.oldest <= number < kind.version
    with pytest.raises(DataError, match="too old" if older else "does not know"):
        hedgerow.verify(plan.parent / "release")


def test_what_it_was_made_from_is_not_replaced_by_it(kind: ReleaseKind, plan: Path) -> None:
    """Also where it is told again, and nothing of the source is looked at."""
    home = plan.parent / "A"
    (plan.parent / "first.yaml").write_text(plan.read_text("utf-8"), "utf-8")
    hedgerow.publish(plan.parent / "first.yaml", to=home)
    (home / "data.csv").write_text(ROWS, "utf-8")
    given = yaml.safe_load(plan.read_text("utf-8")) | {"source": str(home / "data.csv")}
    given |= {"population": "village", "other_people_than": ["town"]}
    with Ledger.open(plan.parent / "ledger.db") as ledger:
        ledger.set_budget("village", Amounts.of(epsilon=10, delta="0.1"))
    plan.write_text(yaml.safe_dump(given), "utf-8")
    hedgerow.publish(plan, to=plan.parent / "B")
    with pytest.raises(TargetError):
        hedgerow.publish(plan, to=home, replace=True)
    assert (home / "data.csv").read_text("utf-8") == ROWS


def test_an_interrupt_right_after_the_reservation_is_recorded(
    kind: ReleaseKind, plan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(name: str) -> None:
        if name == "reserved":
            raise KeyboardInterrupt

    monkeypatch.setattr("hedgerow.ledger.reservation.point", stop)
    with pytest.raises(KeyboardInterrupt) as said:
        hedgerow.publish(plan)
    assert ("stays charged" in str(said.value)) == (kind.name != "recoded")
    with Ledger.open(plan.parent / "ledger.db") as ledger:
        assert [str(entry.kind) for entry in ledger.entries()][-2:] == ["RESERVE", "FAILED"]
