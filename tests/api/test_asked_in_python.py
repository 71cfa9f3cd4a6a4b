"""What somebody in a notebook gets wrong first: a sentence and what to write instead."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import hedgerow
from hedgerow.base.errors import DataError, HedgerowError, PlanError
from hedgerow.claims import DistinctLDiversity, EntropyLDiversity, KAnonymity

TABLE = pd.DataFrame({"age": [1, 1, 2, 2], "ill": ["flu", "gout", "flu", "gout"]})
COLUMNS = {"age": "quasi-identifier", "ill": "sensitive"}
TWO = KAnonymity(k=2)


def test_public_names_are_listed() -> None:
    assert {"publish", "KAnonymity", "Plan", "__version__"} <= set(dir(hedgerow))


@pytest.mark.parametrize("protect", [TWO, [TWO], (TWO,), {"k-anonymity": 2}])
def test_a_single_claim_needs_no_list(protect: Any) -> None:
    assert hedgerow.publish(TABLE, columns=COLUMNS, protect=protect).claims[0].holds


CLAIM: Any = KAnonymity
"""As somebody sees it whose editor checks no types."""


@pytest.mark.parametrize(
    ("wrong", "kind", "says", "fix"),
    [
        (lambda: CLAIM(5), PlanError, "parameters by name", "KAnonymity(k=...)"),
        (lambda: CLAIM(q=5), PlanError, "no parameter 'q'", "KAnonymity(k=...)"),
        (lambda: CLAIM(), PlanError, "needs the parameter 'k'", "KAnonymity(k=...)"),
        (lambda: hedgerow.publish(TABLE, columns=["age"], protect=TWO), PlanError,  # type: ignore[arg-type]
         "`columns` must say the role", "columns={"),
        (lambda: hedgerow.publish(TABLE, columns=COLUMNS, protect="k-anonymity"), PlanError,
         "`protect` must be a list", "protect=["),
        (lambda: hedgerow.publish(TABLE, columns=COLUMNS, protect=TWO, colums=1), PlanError,
         "a plan has no 'colums'", "'columns'"),
        (lambda: hedgerow.publish(5, columns=COLUMNS, protect=TWO), DataError,
         "type int cannot be read", "pandas"),
        (lambda: hedgerow.publish(None, columns=COLUMNS, protect=TWO), DataError,
         "there is no table", "pandas"),
        (lambda: hedgerow.publish("nowhere.csv"), PlanError, "No such file", None),
        (lambda: hedgerow.verify(5), DataError, "a release is a folder", "folder"),  # type: ignore[arg-type]
        (lambda: hedgerow.frontier(5), PlanError, "a plan is a file", "path"),  # type: ignore[arg-type]
        (lambda: hedgerow.attack("nowhere"), DataError, "no such file", ".csv"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(
    wrong: Callable[[], Any], kind: type[HedgerowError], says: str, fix: str | None
) -> None:
    with pytest.raises(kind) as refused:
        wrong()
    assert says in str(refused.value)
    assert fix is None or fix in str(refused.value.fix)


def test_claims_that_are_made_from_others_need_no_names() -> None:
    """Spellings that may be one value: the claim is judged both ways."""
    ills = ["flu", "Flu", "gout", "acne"] * 2
    table = pd.DataFrame({"age": [1] * 8, "ill": ills})
    claim = DistinctLDiversity(l=3, of="ill")
    assert hedgerow.publish(table, columns=COLUMNS, protect=claim).claims[0].level == 3


def test_claims_are_copied_as_ever(tmp_path: Path) -> None:
    claim = EntropyLDiversity(l=3, of="ill")
    assert copy.deepcopy(claim) == pickle.loads(pickle.dumps(claim)) == claim
