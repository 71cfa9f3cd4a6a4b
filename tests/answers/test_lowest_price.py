"""The lowest epsilon: against the law of the noise in exact fractions, and against answers."""

from __future__ import annotations

import json
from fractions import Fraction
from math import prod
from pathlib import Path

import mpmath
import numpy as np
import pytest
from typer.testing import CliRunner

import hedgerow
from hedgerow.answers import lowest_price
from hedgerow.answers.counts import CountQuestion
from hedgerow.base.errors import HedgerowError
from hedgerow.cli import app
from hedgerow.ledger import Amounts, Ledger
from hedgerow.noise.measures import Pure

PLAN = """\
source: people.csv
population: town
ledger: ledger.db
privacy: {neighbours: add-remove}
columns:
  sex: {role: quasi-identifier, domain: [f, m]}
  age: {role: quasi-identifier, bounds: [0, 100], step: 1}
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    rows = "".join(f"{'fm'[i % 3 == 0]},{20 + i % 50}\n" for i in range(300))
    (tmp_path / "people.csv").write_text("sex,age\n" + rows, "utf-8")
    (tmp_path / "public.csv").write_text("sex,age\n" + rows.replace("f", "m", 40), "utf-8")
    (tmp_path / "plan.yaml").write_text(PLAN, "utf-8")
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=20))
    return tmp_path / "plan.yaml"


def chance(epsilon: Fraction, sensitivity: int, reach: list[int]) -> mpmath.mpf:
    """That independent discrete Laplace noise stays within each reach, from its definition."""
    with mpmath.workdps(40):
        q = mpmath.exp(-mpmath.mpf(epsilon.numerator) / epsilon.denominator / sensitivity)
        # P(Z = z) = (1 - q) / (1 + q) q^|z|, added up.
        one = [(1 - q) / (1 + q) * (1 + 2 * sum(q**z for z in range(1, far + 1))) for far in reach]
        return prod(one)


@pytest.mark.parametrize(
    ("by", "within", "sure", "cells"),
    [((), "5", "0.95", 1), (("sex",), "3", "0.9", 2), (("age:10", "sex"), "40", "0.99", 22),
     ((), "0", "0.5", 1)],
)  # fmt: skip
def test_it_is_enough_and_one_step_less_is_not(plan, by, within, sure, cells) -> None:
    with hedgerow.session(plan) as session:
        found = session.lowest_price(within=within, sure=sure).count(by=by)
        sensitivity = session.public.neighbours.d_in if by else 1
        assert session.budget.spent == Amounts()
    assert found.counts == cells
    reach = [int(within)] * cells
    step = Fraction(1, 10**9)
    sensitivity = min(sensitivity, cells)
    assert chance(found.epsilon, sensitivity, reach) >= mpmath.mpf(sure)
    # Rounding is against ourselves, by less than a few steps.
    assert chance(found.epsilon - 20 * step, sensitivity, reach) < mpmath.mpf(sure)


def test_answers_at_that_price_are_near_as_often_as_is_said(plan) -> None:
    """False alarms in fewer than one run in 10^6: 400 draws with a chance of at least 0.8."""
    with hedgerow.session(plan) as session:
        found = session.lowest_price(within="4", sure="0.8").count(by=("sex",))
        near = 0
        design = CountQuestion(by=("sex",)).design(session.public, Pure(epsilon=found.epsilon))
        exact = np.array([50, 50])
        for _ in range(400):
            near += bool((np.abs(design.noisy(exact) - exact) <= 4).all())
    assert near >= 0.8 * 400 - 5 * (400 * 0.8 * 0.2) ** 0.5
    assert near <= 400 * (0.8 + 0.15), "and no better than asked: the price is the lowest"


def test_per_cent_go_by_a_public_table_and_never_by_the_data(plan, monkeypatch) -> None:
    public = plan.with_name("public.csv")
    with hedgerow.session(plan) as session:
        found = session.lowest_price(within="10%", public=public).count(by=("sex",))
        lines = public.read_text("utf-8").splitlines()[1:]
        men = sum(line.startswith("m") for line in lines)
        women = len(lines) - men
        reach = [max(n, len(lines) // 100) // 10 for n in (women, men)]
        sensitivity = min(session.public.neighbours.d_in, 2)
        assert chance(found.epsilon, sensitivity, reach) >= 0.95
        assert chance(found.epsilon - Fraction(20, 10**9), sensitivity, reach) < 0.95
        with pytest.raises(HedgerowError, match="nobody may look at"):
            session.lowest_price(within="10%")
        own = session.lowest_price(within="10%", public=plan.with_name("people.csv"))
        with pytest.raises(HedgerowError, match="plan's own source"):
            own.count(by=("sex",))
        with pytest.raises(HedgerowError, match="Leave the price out"):
            session.lowest_price(within="5").count(epsilon=1)
        with pytest.raises(HedgerowError, match="depends on the data"):
            session.lowest_price(within="5").mean("age")
        monkeypatch.setattr(lowest_price, "MOST", 1)
        with pytest.raises(HedgerowError, match="no epsilon up to 1 keeps"):
            session.lowest_price(within="0", sure="0.99").count(by=("sex",))
        for wrong in ("many", "-3", "5%%"):
            with pytest.raises(HedgerowError, match="is no tolerance"):
                session.lowest_price(within=wrong)
    monkeypatch.undo()
    # It says the same whatever the data are.
    told = found.epsilon
    plan.with_name("people.csv").write_text("sex,age\nf,30\n", "utf-8")
    with hedgerow.session(plan) as session:
        again = session.lowest_price(within="10%", public=public).count(by=("sex",))
    assert again.epsilon == told


def test_the_command_says_it_and_spends_nothing(plan) -> None:
    def run(*more: str, code: int = 0) -> str:
        done = CliRunner().invoke(app, ["query", str(plan), "--count", "--by", "sex", *more])
        assert done.exit_code == code, done.output
        return " ".join(done.output.split())

    told = json.loads(run("--within", "5", "--sure", "90%", "--json"))
    assert (told["counts"], told["sure"], told["within"]) == (2, 0.9, 5.0)
    shown = run("--within", "5", "--sure", "90%")
    assert f"--epsilon {told['epsilon']}" in shown
    assert "all 2 counts would be within 5 of the exact ones" in shown
    assert "Nothing was spent" in shown
    assert "beside --within" in run("--within", "5", "--epsilon", "1", code=2)
    assert "--sure goes with --within" in run("--sure", "90%", "--epsilon", "1", code=2)
    assert "nobody may look at" in run("--within", "5%", code=2)
    answered = json.loads(run("--epsilon", told["epsilon"], "--json"))
    assert answered["spent"]["epsilon"] == str(float(told["epsilon"])).rstrip("0")
