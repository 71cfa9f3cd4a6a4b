"""Raw Adult: every model against plain Python, and in few enough steps to sit in a search."""

from __future__ import annotations

import os
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from work import steps

from hedgerow.claims import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    JournalistRisk,
    KAnonymity,
    KMap,
    MarketerRisk,
    ProbabilisticLDiversity,
    ProsecutorRisk,
    RecursiveLDiversity,
    TCloseness,
    UniqueShare,
)
from hedgerow.claims.base import PrivacyModel
from hedgerow.table.groups import ALL, Groups, Histogram, Sensitive

ADULT = Path(os.environ.get("HEDGEROW_DATA", "/nowhere")) / "adult" / "adult.data"
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not ADULT.exists(), reason="HEDGEROW_DATA has no adult/adult.data"),
]
QUASI_IDENTIFIERS, OCCUPATION = [0, 1, 3, 5, 8, 9, 13, 14], 6
STEPS = 10_000
"""Lines of Python for all models together. A loop over the 12,458 groups would be as many each."""


@pytest.fixture(scope="module")
def people() -> dict[tuple[str, ...], list[str]]:
    """Occupations by quasi-identifiers."""
    found: dict[tuple[str, ...], list[str]] = {}
    for line in ADULT.read_text().splitlines():
        row = [field.strip() for field in line.split(",")]
        if len(row) == 15 and "?" not in row:
            found.setdefault(tuple(row[i] for i in QUASI_IDENTIFIERS), []).append(row[OCCUPATION])
    return found


@pytest.fixture(scope="module")
def groups(people: dict[tuple[str, ...], list[str]]) -> Groups:
    values = tuple(sorted({v for group in people.values() for v in group}))
    place = {value: code for code, value in enumerate(values)}
    counted = [Counter(group) for group in people.values()]
    indptr = np.cumsum([0, *(len(c) for c in counted)])
    codes = np.array([place[v] for c in counted for v in c], np.int32)
    counts = np.array([k for c in counted for k in c.values()], np.int64)
    reference = np.bincount(codes, weights=counts).astype(np.int64)
    levels = (np.arange(14, dtype=np.int32), np.arange(14, dtype=np.int32) // 5)
    domain = Sensitive("occupation", values, reference, int(reference.sum()), levels)
    histogram = Histogram(indptr, codes, counts)
    n = np.array([len(group) for group in people.values()])
    return Groups(
        n, {"occupation": histogram, ALL: histogram}, {"occupation": domain, ALL: domain}, 3 * n
    )


MODELS: list[PrivacyModel] = [
    KAnonymity(k=5),
    KAnonymity(k=5, over="all"),
    DistinctLDiversity(l=3, of="occupation"),
    ProbabilisticLDiversity(l=2, of="occupation"),
    EntropyLDiversity(l=2, of="occupation"),
    RecursiveLDiversity(c=4, l=3, of="occupation"),
    TCloseness(t=0.2, of="occupation"),
    TCloseness(t=0.2, of="occupation", distance="ordered"),
    TCloseness(t=0.2, of="occupation", distance="hierarchical"),
    AlphaKAnonymity(alpha=0.5, k=2, of="occupation"),
    DeltaDisclosure(delta=1, of="occupation"),
    BetaLikeness(beta=1, of="occupation"),
    BetaLikeness(beta=1, of="occupation", kind="enhanced"),
    DeltaPresence(minimum=0.1, maximum=0.4),
    KMap(k=5),
    ProsecutorRisk(risk=0.09),
    JournalistRisk(risk=0.09),
    MarketerRisk(risk=0.05),
    UniqueShare(share=0.1),
]


def test_models_are_checked_as_arrays(groups: Groups) -> None:
    for model in MODELS:
        model.check(groups)  # compiled now
    assert sum(steps(lambda model=model: model.check(groups)) for model in MODELS) < STEPS


def test_levels_against_plain_python(
    people: dict[tuple[str, ...], list[str]], groups: Groups
) -> None:
    assert groups.people == 30_162
    table = Counter(v for group in people.values() for v in group)
    shares = {v: Fraction(c, groups.people) for v, c in table.items()}
    level = {str(model): model.level(groups) for model in MODELS}
    for g, group in list(enumerate(people.values()))[::40]:
        counts = Counter(group)
        n = len(group)
        own = {v: Fraction(counts[v], n) for v in shares}
        equal = sum(abs(own[v] - shares[v]) for v in shares) / 2
        carried, ordered = Fraction(0), Fraction(0)
        for value in sorted(shares):
            carried += own[value] - shares[value]
            ordered += abs(carried)
        gain = max((own[v] - shares[v]) / shares[v] for v in shares)
        assert level["5-anonymity"][g] == n
        assert level["distinct 3-diversity of occupation"][g] == len(counts)
        assert level["probabilistic 2-diversity of occupation"][g] == n / max(counts.values())
        for name, true in (
            ("0.2-closeness of occupation (equal distance)", equal),
            ("0.2-closeness of occupation (ordered distance)", ordered / 13),
            ("basic 1-likeness of occupation", gain),
        ):
            assert level[name][g] == pytest.approx(float(true), rel=1e-13)


def test_levels_of_the_whole_table(groups: Groups) -> None:
    """Uniques: 8,841 of 30,162 people, in 12,458 groups."""
    assert len(groups) == 12_458
    assert MarketerRisk(risk=0.5).check(groups).level == pytest.approx(12_458 / 30_162)
    assert UniqueShare(share=0.5).check(groups).level == pytest.approx(8_841 / 30_162)
