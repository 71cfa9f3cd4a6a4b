"""Anatomy, and the de Finetti attack against it."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import ADULT, data_folder

from hedgerow.attacks import definetti
from hedgerow.attacks.bucketised_release import Bucketised, read_tables
from hedgerow.attacks.definetti import against_anatomy, beliefs, de_finetti
from hedgerow.base.errors import ClaimError, DataError, PlanError
from hedgerow.claims import DistinctLDiversity
from hedgerow.recode.anatomy import anatomise, bucketed
from hedgerow.table.groups import Ints


def correlated(
    seed: int,
    *,
    people: int = 3_000,
    values: int = 8,
    columns: int = 4,
    strength: float = 0.5,
    even: bool = False,
) -> tuple[Ints, Ints]:
    """Quasi-identifiers that follow the sensitive value with this probability, else nothing."""
    rng = np.random.default_rng(seed)
    sensitive = np.arange(people) % values if even else rng.integers(values, size=people)
    follows = rng.random((people, columns)) < strength
    noise = rng.integers(values, size=(people, columns))
    return np.where(follows, (sensitive[:, None] + np.arange(columns)) % values, noise), sensitive


# --- Anatomy ---------------------------------------------------------------------------------


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 7), min_size=1, max_size=60),
    st.integers(2, 5),
    st.integers(0, 2**32),
)
def test_every_bucket_is_eligible_or_none_can_be(codes: list[int], l: int, seed: int) -> None:  # noqa: E741
    rng = np.random.default_rng(seed)
    if max(Counter(codes).values()) * l > len(codes):
        with pytest.raises(ClaimError, match="more than one in"):
            anatomise(codes, l=l, rng=rng)
        return
    anatomy = anatomise(codes, l=l, rng=rng)
    members = defaultdict(list)
    for bucket, code in zip(anatomy.bucket.tolist(), codes, strict=True):
        members[bucket].append(code)
    assert set(members) == set(range(len(codes) // l)), "as many buckets as there can be"
    for bucket, held in members.items():
        assert len(set(held)) == len(held) >= l
        entries = slice(*anatomy.st.indptr[bucket : bucket + 2])
        published = dict(zip(anatomy.st.codes[entries], anatomy.st.counts[entries], strict=True))
        assert published == Counter(held)
    sizes = sorted(map(len, members.values()))
    assert sum(sizes) - l * len(sizes) < l, "only the residue is more than l"
    assert DistinctLDiversity(l=l, of="sensitive").check(anatomy.groups()).holds


def test_who_is_where_is_chosen_at_random() -> None:
    """A person's bucket tells no more of the value than the bucket's values do."""
    codes = np.repeat(np.arange(4), 50)
    met = Counter(
        int(anatomise(codes, l=4, rng=np.random.default_rng(seed)).bucket[0]) for seed in range(500)
    )
    assert len(met) == 50
    assert max(met.values()) < 35, "10 on average; 1 in a million beyond"


def test_a_large_table_is_dealt_in_seconds() -> None:
    codes = np.random.default_rng(1).integers(1_000, size=500_000)
    anatomy = anatomise(codes, l=10, rng=np.random.default_rng(1))
    assert len(anatomy) == 50_000
    assert (anatomy.st.counts == 1).all()


def test_both_tables_hold_what_is_published_and_no_more() -> None:
    codes = np.array([0, 0, 1, 1, 2, 2, 2])
    quasi = {"zip": list("gfedcba"), "age": [30, None, 30, 40, 50, 60, 70]}
    anatomy = anatomise(codes, l=2, rng=np.random.default_rng(1))
    qit, table = anatomy.qit(quasi), anatomy.sensitive_table("illness", ["flu", None, "gout"])
    assert qit.column_names == ["zip", "age", "bucket"]
    rows = list(zip(*(qit[name].to_pylist() for name in qit.column_names), strict=True))
    assert Counter(rows) == Counter(
        zip(quasi["zip"], quasi["age"], anatomy.bucket.tolist(), strict=True)
    ), "quasi-identifiers are published as they are"
    assert rows == sorted(rows, key=lambda row: (row[2], row[0])), "not in the source's order"
    names = ["flu", None, "gout"]
    assert Counter(
        zip(table["bucket"].to_pylist(), table["illness"].to_pylist(), strict=True)
    ) == Counter((b, names[c]) for b, c in zip(anatomy.bucket.tolist(), codes, strict=True))
    assert set(table["count"].to_pylist()) == {1}


def test_anatomy_says_what_is_wrong() -> None:
    rng = np.random.default_rng(1)
    for bad in ([], [[1, 2]], [0.5, 1.5], [-1, 2]):
        with pytest.raises(DataError):
            anatomise(bad, l=2, rng=rng)
    with pytest.raises(PlanError, match="l is 1"):
        anatomise([0, 1], l=1, rng=rng)
    with pytest.raises(ClaimError) as told:
        anatomise([0, 0, 0, 1, 1, 2, 2], l=3, rng=rng)
    assert "l = 2 at most" in str(told.value)
    anatomy = anatomise([0, 1], l=2, rng=rng)
    with pytest.raises(PlanError, match="bucket"):
        anatomy.qit({"bucket": [1, 2]})
    with pytest.raises(DataError, match="3 values for 2 people"):
        anatomy.qit({"age": [1, 2, 3]})
    with pytest.raises(PlanError, match="count"):
        anatomy.sensitive_table("count", ["a", "b"])


# --- the attack ------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [(0, 1, 2), (0, 0, 1)])
def test_swaps_follow_the_model(values: tuple[int, ...]) -> None:
    """All 3! matches of a bucket, each as likely as the model says: by enumeration."""
    model = np.log(np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4]]))
    rows = np.arange(3)[:, None]
    weight: dict[tuple[int, ...], float] = defaultdict(float)
    for held in itertools.permutations(values):
        weight[held] += math.exp(sum(model[i, v] for i, v in enumerate(held)))
    rng, rounds = np.random.default_rng(1), 40_000
    held, met = np.arange(3), Counter[tuple[int, ...]]()
    code = np.array(values)
    start, members = np.array([0, 3]), np.arange(3)
    for _ in range(rounds):
        definetti._swap(rows, held, code, model, start, members, rng.random(3), rng.random(3))
        met[tuple(code[held].tolist())] += 1
    for match, mass in weight.items():
        assert met[match] / rounds == pytest.approx(mass / sum(weight.values()), abs=0.02)


def test_beliefs_keep_to_what_is_published() -> None:
    """Each member has one value, and a bucket's values are held as often as it says."""
    quasi, sensitive = correlated(1, people=300)
    bucket = np.random.default_rng(2).integers(40, size=300)
    release = Bucketised(quasi, bucket, bucketed(bucket, sensitive, 40))
    found = beliefs(release, rng=np.random.default_rng(3), rounds=30, burn_in=10)
    np.testing.assert_allclose(found.share.sum(axis=1), 1)
    for b in range(40):
        start, end = release.st.indptr[b : b + 2]
        np.testing.assert_allclose(
            found.share[bucket == b].sum(axis=0)[: end - start], release.st.counts[start:end]
        )
    for person in (0, 17, 299):
        told = found.about(person)
        assert max(told.values()) == pytest.approx(found.confidence[person])
        assert told[int(found.guess[person])] == pytest.approx(found.confidence[person])


@pytest.mark.parametrize("l", [2, 4])
def test_correlated_values_are_named_far_more_often_than_promised(l: int) -> None:  # noqa: E741
    quasi, sensitive = correlated(1)
    release = Bucketised.of(quasi, anatomise(sensitive, l=l, rng=np.random.default_rng(2)))
    result = de_finetti(release, sensitive, rng=np.random.default_rng(3))
    assert result.baseline.value == pytest.approx(1 / l, abs=0.01)
    assert result.succeeded
    assert result.found.value > 1.5 * result.baseline.value
    assert "named rightly" in result.sentences[0]


@pytest.mark.parametrize("seed", range(4))
def test_where_values_are_independent_the_promise_holds(seed: int) -> None:
    quasi, sensitive = correlated(seed, strength=0)
    release = Bucketised.of(quasi, anatomise(sensitive, l=4, rng=np.random.default_rng(seed)))
    result = de_finetti(release, sensitive, rng=np.random.default_rng(seed + 9))
    low, high = result.found.interval(0.999)
    assert low <= result.baseline.value <= high
    assert not result.succeeded


def test_quasi_identifiers_all_alike_tell_nothing() -> None:
    _, sensitive = correlated(1)
    nothing = np.zeros((len(sensitive), 0), np.int64)
    release = Bucketised.of(nothing, anatomise(sensitive, l=3, rng=np.random.default_rng(2)))
    assert not de_finetti(release, sensitive, rng=np.random.default_rng(3)).succeeded


def test_a_single_bucket_tells_nothing() -> None:
    """With as many people of each value nothing says which is which, however clear the groups."""
    quasi, sensitive = correlated(1, strength=0.9, people=640, even=True)
    bucket = np.zeros(640, np.int64)
    release = Bucketised(quasi, bucket, bucketed(bucket, sensitive, 1))
    result = de_finetti(release, sensitive, rng=np.random.default_rng(3))
    assert result.found.value == result.baseline.value == 1 / 8
    assert not result.succeeded


def test_values_that_lie_in_the_same_buckets_cannot_be_told_apart() -> None:
    """With two values and l = 2 exchanging both names explains the release as well."""
    rng = np.random.default_rng(1)
    sensitive = np.repeat([0, 1], 300)
    quasi = np.where(rng.random((600, 3)) < 0.8, sensitive[:, None], 1 - sensitive[:, None])
    release = Bucketised.of(quasi, anatomise(sensitive, l=2, rng=rng))
    found = beliefs(release, rng=rng)
    np.testing.assert_allclose(found.share, 0.5)
    # A third value that lies in some of the buckets breaks the tie between the two.
    sensitive[::4] = 2
    release = Bucketised.of(quasi, anatomise(sensitive, l=2, rng=rng))
    assert beliefs(release, rng=rng).confidence.mean() > 0.6


def test_the_same_seed_believes_the_same() -> None:
    quasi, sensitive = correlated(1, people=400)
    release = Bucketised.of(quasi, anatomise(sensitive, l=3, rng=np.random.default_rng(2)))
    one, two, other = (
        beliefs(release, rng=np.random.default_rng(seed), rounds=20, burn_in=5).share
        for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(one, two)
    assert (one != other).any()


def test_what_another_tool_published_is_read(tmp_path: Path) -> None:
    quasi, sensitive = correlated(1, people=400)
    anatomy = anatomise(sensitive, l=3, rng=np.random.default_rng(2))
    columns = {f"column {j}": [f"v{code}" for code in quasi[:, j]] for j in range(quasi.shape[1])}
    names = [f"illness {code}" for code in range(8)]
    qit, table = anatomy.qit(columns), anatomy.sensitive_table("illness", names)
    pyarrow.csv.write_csv(qit, tmp_path / "qit.csv")
    pyarrow.csv.write_csv(table, tmp_path / "st.csv")
    release, texts = read_tables(tmp_path / "qit.csv", tmp_path / "st.csv", sensitive="illness")
    assert texts["illness"] == names

    def shown(release: Bucketised) -> Counter[tuple[object, ...]]:
        dense = release.st.dense(8)
        return Counter(
            (*row, *dense[bucket])
            for row, bucket in zip(release.quasi.tolist(), release.bucket, strict=True)
        )

    assert shown(release) == shown(Bucketised.of(quasi, anatomy))


@pytest.mark.data
def test_occupations_of_adult() -> None:
    rows = [line for line in (data_folder() / "adult" / "adult.data").read_text().splitlines()
            if line and "?" not in line]  # fmt: skip
    table = pyarrow.table(
        list(map(list, zip(*(line.split(", ") for line in rows), strict=True))), names=list(ADULT)
    )
    quasi = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
    for l, least in ((2, 0.75), (4, 0.4)):  # noqa: E741
        result = against_anatomy(
            table, quasi=quasi, sensitive="occupation", l=l, rng=np.random.default_rng(1),
            chains=2,
        )  # fmt: skip
        assert result.found.guesses == 30_162
        assert result.baseline.value == pytest.approx(1 / l, abs=1e-4)
        assert result.found.value > least
        assert result.succeeded


def test_bad_input_is_told(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    codes = np.array([0, 1, 2, 0, 1, 2])
    anatomy = anatomise(codes, l=3, rng=rng)
    release = Bucketised.of(codes[:, None], anatomy)
    with pytest.raises(DataError, match="do not fit buckets"):
        Bucketised.of(codes, anatomy)
    with pytest.raises(DataError, match="different number of members"):
        Bucketised(codes[:, None], np.zeros(6, np.int64), anatomy.st)
    with pytest.raises(DataError, match="from 0"):
        Bucketised(codes[:, None] - 1, anatomy.bucket, anatomy.st)
    with pytest.raises(DataError, match="not those of the buckets"):
        de_finetti(release, np.array([0, 0, 0, 0, 1, 2]), rng=rng)
    with pytest.raises(DataError, match="no bucket"):
        de_finetti(release, codes + 1, rng=rng)
    with pytest.raises(DataError, match="shape"):
        de_finetti(release, codes[:3], rng=rng)
    with pytest.raises(PlanError, match="rounds"):
        beliefs(release, rng=rng, rounds=5, burn_in=5)
    file = tmp_path / "people.csv"
    file.write_text("age,illness\n30,flu\n40,gout\n")
    with pytest.raises(DataError, match="'ilness'") as told:
        against_anatomy(file, quasi=["age"], sensitive="ilness", l=2, rng=rng)
    assert "'illness'" in str(told.value)
    (tmp_path / "qit.csv").write_text("age,bucket\n30,0\n40,1\n")
    (tmp_path / "st.csv").write_text("bucket,illness,count\n0,flu,1\n")
    with pytest.raises(DataError, match="bucket '1'"):
        read_tables(tmp_path / "qit.csv", tmp_path / "st.csv", sensitive="illness")
    for count, told_of in (
        ("one", "whole numbers from 0, not 'one'"),
        ("1.5", "whole numbers from 0, not '1.5'"),
        ("", "whole numbers from 0, not missing"),
        ("-1", "whole numbers from 0, not '-1'"),
        ("99999999999999999999", "99,999,999,999,999,999,999 times, and there are 2 people"),
        ("9" * 5_000, "whole numbers"),
        ("3", "3 times, and there are 2 people"),
        ("2", "3 values are published for 2 people"),
        ("0", "bucket 0 has a different number"),
    ):
        (tmp_path / "st.csv").write_text(f"bucket,illness,count\n0,flu,{count}\n1,gout,1\n")
        with pytest.raises(DataError, match=told_of):
            read_tables(tmp_path / "qit.csv", tmp_path / "st.csv", sensitive="illness")
