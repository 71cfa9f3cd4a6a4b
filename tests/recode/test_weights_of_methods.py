"""Weights reach every method: what matters more is cut first, kept closer, hidden less."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import hedgerow
from hedgerow.plan.plan import Plan

RANDOM = np.random.default_rng(23)
TABLE = pa.table(
    {
        "age": [str(v) for v in RANDOM.integers(20, 84, 300)],
        "zip": [f"{v:05d}" for v in RANDOM.integers(10000, 10064, 300)],
        "disease": [str(v) for v in RANDOM.choice(["flu", "ulcer", "cancer"], 300)],
    }
)
COLUMNS = {
    "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [2, 4, 8, 16, 32]}},
    "zip": {"role": "quasi-identifier", "hierarchy": {"ranges": [2, 4, 8, 16, 32]}},
    "disease": "sensitive",
}


def published(search: str, utility: object = "granularity", **method: object) -> hedgerow.Release:
    return hedgerow.publish(
        TABLE, columns=COLUMNS, protect=[{"k-anonymity": 4}], utility=utility,
        method={"search": search, **method},
    )  # fmt: skip


def width(release: hedgerow.Release, column: str) -> float:
    """How wide a published range is on average; a lone number is 1 wide, `*` all."""
    found = []
    for label in release.to_arrow()[column].to_pylist():
        if label == "*":
            found.append(64.0)
        else:
            low, _, high = str(label).partition("-")
            found.append(float(high or low) - float(low) + 1)
    return float(np.mean(found))


def spread(release: hedgerow.Release, column: str) -> int:
    """How many different values are published."""
    return len(set(release.to_arrow()[column].to_pylist()))


@pytest.mark.parametrize(
    "method",
    [{"search": "lattice"}, {"search": "mondrian"}, {"search": "mondrian", "mode": "relaxed"},
     {"search": "mondrian", "parts": 100}, {"search": "local"}],
)  # fmt: skip
def test_a_weight_keeps_a_column_finer(method: dict[str, object]) -> None:
    age = published(**method, utility={"metric": "granularity", "weights": {"age": 50}})
    zip_ = published(**method, utility={"metric": "granularity", "weights": {"zip": 50}})
    assert width(age, "age") < width(zip_, "age")
    assert width(zip_, "zip") < width(age, "zip")


def test_a_weight_keeps_clusters_closer() -> None:
    """Centres of clusters that are close in a column take more different values there."""
    age = published("microaggregation", {"weights": {"age": 50}})
    zip_ = published("microaggregation", {"weights": {"zip": 50}})
    original = {name: TABLE[name].to_numpy(zero_copy_only=False).astype(float)
                for name in ("age", "zip")}  # fmt: skip

    def between(release: hedgerow.Release, column: str) -> float:
        """The variance of the centres, which close clusters hardly lower."""
        values = release.to_arrow()[column].to_numpy(zero_copy_only=False).astype(float)
        return float(values.var() / original[column].var())

    assert between(age, "age") > between(zip_, "age") + 0.03
    assert between(zip_, "zip") > between(age, "zip") + 0.03


def test_equal_weights_change_nothing() -> None:
    for search in ("lattice", "mondrian", "local", "microaggregation"):
        one = published(search)
        other = published(search, {"metric": "granularity", "weights": {"age": 3, "zip": 3}})
        assert one.to_arrow() == other.to_arrow()


def test_parts_are_cut_by_the_same_weights() -> None:
    """Strict Mondrian is the same with parts as without."""
    utility = {"metric": "loss", "weights": {"age": 0.2}}
    whole = published("mondrian", utility)
    parts = published("mondrian", utility, parts=50)
    assert sorted(map(str, whole.to_arrow().to_pylist())) == sorted(
        map(str, parts.to_arrow().to_pylist())
    )


def test_a_low_factor_suppresses_more_and_a_high_one_less() -> None:
    few, even, many = (
        published("lattice", {"metric": "loss", "suppression": f}, suppress="40%").suppressed
        for f in (0.95, 0.5, 0.05)
    )
    assert few <= even <= many
    assert few < many


def test_local_recoding_suppresses_where_that_counts_less() -> None:
    """Two of 80 fit no group of four: a group is widened for them, or they go."""
    rows = pa.table({"age": ["20"] * 10 + ["21"] * 10 + ["80"] * 2, "disease": ["flu"] * 22})
    for factor, suppressed in ((0.0, True), (1.0, False)):
        release = hedgerow.publish(
            rows, columns={name: COLUMNS[name] for name in ("age", "disease")},
            protect=[{"k-anonymity": 4}], method={"search": "local", "suppress": "20%"},
            utility={"metric": "granularity", "suppression": factor},
        )  # fmt: skip
        assert (release.suppressed > 0) is suppressed


def test_the_certificate_says_what_was_weighed() -> None:
    utility = {"metric": "loss", "weights": {"age": 2.0}, "suppression": 0.7}
    release = published("lattice", utility, suppress="5%")
    told = release.certificate
    assert told["plan"]["utility"] == "loss"
    assert told["plan"]["weighed"] == {"weights": {"age": 2.0}, "suppression": 0.7}
    assert told["utility"]["loss, weighed"] != told["utility"]["loss"]
    assert told["search"]["cost"] == pytest.approx(told["utility"]["loss, weighed"], rel=1e-3)
    plain = published("lattice", {"metric": "loss"})
    assert "weighed" not in plain.certificate["plan"]
    assert "loss, weighed" not in plain.utility


@pytest.mark.parametrize(
    ("utility", "what"),
    [
        ({"weights": {"height": 2}}, "'height' is not a quasi-identifier"),
        ({"weights": {"disease": 2}}, "'disease' is not a quasi-identifier"),
        ({"weights": {"age": 0}}, "above 0"),
        ({"suppression": 1.5}, "'suppression'"),
        ({"metric": "discernibility", "weights": {"age": 2}}, "has no columns to weigh"),
        ({"metric": "kl-divergence", "suppression": 0.7}, "cannot tell suppression"),
        ({"metric": "los"}, "Did you mean loss?"),
    ],
)
def test_what_has_no_meaning_is_refused(utility: dict[str, object], what: str) -> None:
    with pytest.raises(hedgerow.PlanError) as error:
        Plan.of(columns=COLUMNS, protect=[{"k-anonymity": 4}], utility=utility)
    assert what in str(error.value)


def test_who_is_published_is_not_suppressed() -> None:
    with pytest.raises(hedgerow.PlanError, match="nobody is suppressed"):
        Plan.of(columns=COLUMNS, protect=[{"k-anonymity": 4}], utility={"suppression": 0.7},
                method={"suppress": "5%", "keep_suppressed": True})  # fmt: skip
