"""Priors: which Dirichlet distribution they stand for, over the values of which table."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from work import growth

from hedgerow.base.errors import DataError, PlanError
from hedgerow.claims.priors import Prior, Shape, exact_number, text_of
from hedgerow.table.groups import Sensitive

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def domain(counts: dict[str | None, int]) -> Sensitive:
    reference = np.array(list(counts.values()), np.int64)
    return Sensitive("disease", tuple(counts), reference, int(reference.sum()))


TABLE = domain({"flu": 6, "cold": 3, None: 1})


def dirichlet(shape: Shape, values: tuple[str | None, ...]) -> dict[str | None, Fraction]:
    """The parameters of D(...), by value."""
    assert shape.stubbornness is not None
    parameters = dict(zip(values, shape.shares, strict=True)) | dict(shape.elsewhere)
    return {value: share * shape.stubbornness for value, share in parameters.items()}


# What they stand for


def test_counts_are_added_to_one_for_each_value() -> None:
    shape = Prior.counts({"flu": 4, "cold": 0, None: 2}).bind(TABLE)
    assert dirichlet(shape, TABLE.values) == {"flu": 5, "cold": 1, None: 3}
    assert shape.stubbornness == 9, "6 people and 3 values"
    assert (shape.elsewhere, shape.unseen) == ((), ())


def test_values_the_source_lacks_count_once() -> None:
    shape = Prior.counts({"flu": 4}).bind(TABLE)
    assert dirichlet(shape, TABLE.values) == {"flu": 5, "cold": 1, None: 1}
    assert shape.stubbornness == 4 + 3
    assert shape.unseen == ("cold", None)


def test_values_the_table_lacks_keep_their_share() -> None:
    shape = Prior.counts({"flu": 4, "plague": 7, "gout": 0}).bind(domain({"flu": 2}))
    assert dirichlet(shape, ("flu",)) == {"flu": 5, "plague": 8, "gout": 1}
    assert shape.stubbornness == 11 + 3, "S has the values of the table and of the source"
    assert sum(shape.shares) == Fraction(5, 14)
    assert shape.elsewhere == (("plague", Fraction(8, 14)), ("gout", Fraction(1, 14)))


def test_uniform() -> None:
    shape = Prior.uniform().bind(TABLE)
    assert shape == Shape((THIRD, THIRD, THIRD), (), Fraction(3))


def test_of_the_table() -> None:
    shape = Prior.of_table().bind(TABLE)
    assert shape.shares == (Fraction(6, 10), Fraction(3, 10), Fraction(1, 10))
    assert shape.stubbornness is None, "it does not say how stubbornly one believes it"


@pytest.mark.parametrize(
    "shares",
    [
        {"flu": 0.2, "cold": 0.3, None: 0.5},
        {"flu": 2, "cold": 3, None: 5},
        {"flu": "1/5", "cold": "0.3", None: Fraction(1, 2)},
        {"flu": np.float64(0.2), "cold": np.int64(3) * 0.1, None: 0.5},
    ],
)
def test_only_proportions_of_a_shape_count(shares: dict[Any, Any]) -> None:
    shape = Prior.shape(shares).bind(TABLE)
    wanted = (Fraction(1, 5), Fraction(3, 10), HALF)
    assert [float(x) for x in shape.shares] == pytest.approx([float(x) for x in wanted])
    if all(type(share) is not np.float64 for share in shares.values()):
        assert shape.shares == wanted, "0.2 is one fifth"
    assert shape.stubbornness is None


def test_a_shape_may_know_values_nobody_in_the_table_has() -> None:
    shape = Prior.shape({"flu": 1, "plague": 3}).bind(domain({"flu": 2}))
    assert (shape.shares, shape.elsewhere) == ((Fraction(1, 4),), (("plague", Fraction(3, 4)),))


def test_the_least_stubbornness_counts_every_value_once() -> None:
    assert Prior.shape({"flu": 1, "plague": 3}).bind(domain({"flu": 2})).least == 4
    assert Prior.shape({"flu": 3, "plague": 1}).bind(domain({"flu": 2})).least == 4
    assert Prior.of_table().bind(TABLE).least == 10
    assert Prior.of_table().bind(domain({"flu": 5, "cold": 0})).least == 1
    assert Prior.uniform().bind(TABLE).least == 3
    assert Prior.uniform().bind(domain({})).least == 1


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 40), min_size=1),
    st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 40), min_size=1),
)
def test_counts_by_hand(counts: dict[str, int], table: dict[str | None, int]) -> None:
    here = domain(table)
    every = {*counts, *table}
    wanted = {value: counts.get(str(value), 0) + 1 for value in every}
    shape = Prior.counts(counts).bind(here)
    assert dirichlet(shape, here.values) == wanted
    assert shape.stubbornness == sum(counts.values()) + len(every)
    assert sum(shape.shares) + sum(share for _, share in shape.elsewhere) == 1


def test_only_a_shape_says_the_same_of_every_table() -> None:
    priors = [Prior.counts({"a": 1}), Prior.shape({"a": 1}), Prior.uniform(), Prior.of_table()]
    assert [prior.fixed for prior in priors] == [False, True, False, False]


def test_how_they_read() -> None:
    assert str(Prior.counts({"a": 1200, "b": 34})) == "prior from counts of 1,234 people"
    assert str(Prior.shape({"a": 1, "b": 3})) == "prior of a given shape over 2 values"
    assert str(Prior.uniform()) == "uniform prior"
    assert str(Prior.of_table()) == "prior of the table's own shape"


# Numbers and values


def test_whole_numbers_of_numpy_do_not_overflow() -> None:
    """np.unique(..., return_counts=True) gives them; kept as they are, products would wrap."""
    values, counts = np.unique(["a"] * 2 + ["b"], return_counts=True)
    prior = Prior.counts(dict(zip(values, counts * 3_000_000_000, strict=True)))
    for value, weight in prior.weights:
        assert type(value) is str
        assert type(weight.numerator) is int
    shape = prior.bind(domain({"a": 1, "b": 1}))
    assert shape.shares[0] ** 3 == Fraction(6_000_000_001, 9_000_000_002) ** 3


def test_whole_numbers_as_values_are_the_text_the_table_has() -> None:
    assert Prior.counts({1: 5, np.int64(2): 3}) == Prior.counts({"1": 5, "2": 3})
    assert Prior.shape({1: 5, None: 3}) == Prior.shape({"1": 5, None: 3})


@pytest.mark.parametrize("value", [1.0, float("nan"), True, ("a",), b"a", Decimal(1)])
def test_other_values_are_refused(value: Any) -> None:
    with pytest.raises(PlanError, match="a sensitive value is a text"):
        Prior.counts({value: 3})
    with pytest.raises(PlanError, match="a sensitive value is a text"):
        Prior.shape({value: 3})
    with pytest.raises(PlanError):
        text_of(value)


def test_a_value_twice_is_refused() -> None:
    with pytest.raises(PlanError, match="'1' twice"):
        Prior.counts({1: 5, "1": 3, "2": 1})
    with pytest.raises(PlanError, match="'1' twice"):
        Prior.shape({1: 5, "1": 3})


@pytest.mark.parametrize("count", [-1, 0.5, "x", None, True, float("nan"), float("inf"), "1/0"])
def test_counts_that_are_none(count: Any) -> None:
    with pytest.raises(PlanError, match="count of 'flu'"):
        Prior.counts({"flu": count})


@pytest.mark.parametrize("share", [0, -0.1, "x", None, False, float("nan"), float("inf"), [1]])
def test_shares_that_are_none(share: Any) -> None:
    with pytest.raises(PlanError, match="share of 'flu'"):
        Prior.shape({"flu": share})


def test_nothing_at_all() -> None:
    with pytest.raises(PlanError, match="counts nobody"):
        Prior.counts({})
    with pytest.raises(PlanError, match="no shares"):
        Prior.shape({})


def test_numbers_are_what_was_written() -> None:
    assert exact_number("x", 0.1) == Fraction(1, 10)
    assert exact_number("x", "1/3") == THIRD
    assert exact_number("x", 1e300) == 10**300
    for wrong in (complex(1), b"1", Decimal(1), object()):
        with pytest.raises(PlanError, match="x must be a number"):
            exact_number("x", wrong)


# Over a table they do not fit


def test_a_shape_without_a_value_of_the_table() -> None:
    with pytest.raises(DataError) as caught:
        Prior.shape({"flu": 1}).bind(TABLE)
    assert "gives no chance to 'cold' and missing" in str(caught.value)
    assert "'disease'" in str(caught.value)


def test_many_values_are_bound_one_by_one() -> None:
    def bound(many: int) -> Shape:
        values: dict[str | None, int] = {f"v{i}": 1 for i in range(many)}
        elsewhere = {f"w{i}": 1 for i in range(many)}
        return Prior.counts(elsewhere).bind(domain(values))

    assert growth(bound, 1_000, 2_000) < 2.2, "quadratic code is at 4"
    assert bound(20_000).stubbornness == 20_000 + 40_000
