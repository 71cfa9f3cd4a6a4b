"""Predicates: which values make them true, by value, by node, opposites and wishes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest

from hedgerow.base.errors import DataError, PlanError
from hedgerow.claims.adversary import ClassIII
from hedgerow.claims.predicates import PERHAPS, Bound, Predicates
from hedgerow.claims.priors import Prior
from hedgerow.table.groups import Sensitive

VALUES = ("flu", "ulcer", "gastritis", "gout", None)
LEVELS = (
    np.arange(5, dtype=np.int32),
    np.array([0, 1, 1, 2, 3], np.int32),
    np.array([0, 0, 0, 0, 0], np.int32),
)
LABELS = (
    ("flu", "ulcer", "gastritis", "gout", None, "crohn"),
    ("flu", "stomach", "gout", None, "bowel"),
    ("*",),
)
TAXONOMY = Sensitive("disease", VALUES, np.array([4, 3, 2, 1, 1]), 11, LEVELS, LABELS)
PLAIN = Sensitive("disease", VALUES, np.array([4, 3, 2, 1, 1]), 11)
NAMESAKES = Sensitive(
    "disease", ("ulcer", "gastritis", "flu"), np.array([1, 1, 1]), 3,
    (np.arange(3, dtype=np.int32), np.array([0, 0, 1], np.int32)),
    (("ulcer", "gastritis", "flu"), ("ulcer", "flu")),
)  # fmt: skip
"""`ulcer` is a value and also a node with gastritis below it."""


def meant(bound: Bound, domain: Sensitive) -> dict[str, set[str | None]]:
    """By name, the values that make each predicate true."""
    return {
        name: {domain.values[code] for code in bound.values(p)}
        for p, name in enumerate(bound.names)
    }


def bind(
    sets: Sequence[Any] | None = None,
    domain: Sensitive = TAXONOMY,
    *,
    known: Iterable[str | None] = (),
    **more: Any,
) -> Bound:
    wanted = None if sets is None else tuple(sets)
    return Predicates(sets=wanted, **more).bind(domain, known=known)


# By value and by node


def test_each_single_value_by_default() -> None:
    assert Predicates().usual
    bound = bind()
    assert meant(bound, TAXONOMY) == {
        "flu": {"flu"}, "ulcer": {"ulcer"}, "gastritis": {"gastritis"}, "gout": {"gout"},
        "(missing)": {None},
    }  # fmt: skip
    assert bound.apart
    assert not bound.negated.any()
    assert [len(bound.values(p)) for p in range(len(bound))] == [1] * 5


def test_nodes_stand_for_the_values_below() -> None:
    bound = bind(["stomach", ["flu", "stomach"], "gout", None, ["gout", None]])
    assert meant(bound, TAXONOMY) == {
        "stomach": {"ulcer", "gastritis"}, "flu or stomach": {"flu", "ulcer", "gastritis"},
        "gout": {"gout"}, "(missing)": {None}, "gout or (missing)": {"gout", None},
    }  # fmt: skip
    assert not bound.apart
    assert [len(bound.values(p)) for p in range(len(bound))] == [2, 3, 1, 1, 2]


def test_only_a_partition_is_apart() -> None:
    assert bind(["stomach", "flu", "gout", None]).apart
    assert not bind(["stomach", "flu", "gout"]).apart, "nobody asks about missing"
    assert not bind(["stomach", "ulcer", "flu", "gout", None]).apart
    assert not bind(["stomach", "flu", "gout", None], negative=True).apart


def test_the_opposite_of_each() -> None:
    bound = bind(["stomach", "flu"], negative=True)
    assert meant(bound, TAXONOMY) == {
        "stomach": {"ulcer", "gastritis"}, "flu": {"flu"},
        "not stomach": {"flu", "gout", None}, "not flu": {"ulcer", "gastritis", "gout", None},
    }  # fmt: skip
    assert bound.negated.tolist() == [False, False, True, True]
    assert [len(bound.values(p)) for p in range(len(bound))] == [2, 1, 3, 4]
    everything = bind(negative=True)
    assert meant(everything, TAXONOMY)["not (missing)"] == {"flu", "ulcer", "gastritis", "gout"}


def test_which_predicates_a_value_is_in() -> None:
    bound = bind([["gout", "flu"], "stomach", "flu"])
    start, owners = bound.by_value
    found = [sorted(owners[start[code] : start[code + 1]].tolist()) for code in range(5)]
    assert found == [[0, 2], [1], [1], [0], []]


def test_a_node_named_like_a_value_means_both() -> None:
    assert [sorted(bind(["ulcer"], NAMESAKES).values(p)) for p in (0, 1)] == [[0], [0, 1]]
    bound = bind(["ulcer"], NAMESAKES, negative=True)
    assert [sorted(bound.values(p)) for p in range(4)] == [[0], [0, 1], [1, 2], [2]]
    with pytest.raises(DataError, match="'ulcer' is a value of 'disease' and also a node"):
        bind([["ulcer", "flu"]], NAMESAKES)


def test_a_leaf_that_is_its_own_node_is_one_predicate() -> None:
    assert len(bind(["flu"])) == 1


@pytest.mark.parametrize(
    ("name", "says"),
    [("stomac", "Did you mean 'stomach'?"), ("Flu", "Did you mean 'flu'?"), ("zebra", "There are")],
)
def test_unknown_names(name: str, says: str) -> None:
    with pytest.raises(DataError) as caught:
        bind([name])
    assert f"{name!r} is no value of 'disease' in the table and no node" in str(caught.value)
    assert says in str(caught.value)


def test_missing_where_nobody_lacks_a_value() -> None:
    with pytest.raises(DataError, match="None is no value"):
        bind([None], NAMESAKES)


@pytest.mark.parametrize("domain", [TAXONOMY, PLAIN])
def test_what_is_true_of_everybody_is_refused(domain: Sensitive) -> None:
    with pytest.raises(DataError, match="is true of everybody in the table"):
        bind([["flu", "ulcer", "gastritis", "gout", None]], domain)
    with pytest.raises(DataError, match="is true of everybody in the table"):
        bind(["*"])


# Values nobody in the table has


@pytest.mark.parametrize("name", ["bowel", "crohn"])
def test_nodes_nobody_is_below_are_true_of_nobody(name: str) -> None:
    bound = bind([name, "flu"])
    assert meant(bound, TAXONOMY) == {name: set(), "flu": {"flu"}}
    assert bound.others == (PERHAPS, PERHAPS), "flu is a node too"


def test_values_only_the_prior_knows() -> None:
    bound = bind(["plague", ["plague", "flu"], ["stomach", "plague"]], known=["plague"])
    assert meant(bound, TAXONOMY) == {
        "plague": set(), "plague or flu": {"flu"}, "stomach or plague": {"ulcer", "gastritis"},
    }  # fmt: skip
    plague = frozenset(["plague"])
    assert bound.others == ((plague, False), (plague, True), (plague, True))
    with pytest.raises(DataError, match="'plague' is no value"):
        bind(["plague"])


@pytest.mark.parametrize("name", ["bowel", "plague"])
def test_no_release_hides_that_nobody_has_what_nobody_has(name: str) -> None:
    with pytest.raises(DataError, match=f"nobody in the table has '{name}', so no release hides"):
        bind([name], known=["plague"], negative=True)
    bind([[name, "flu"]], known=["plague"], negative=True)


# Wishes


def wished(
    wishes: Sequence[str | None],
    domain: Sensitive = TAXONOMY,
    *,
    negative: bool = False,
    known: Iterable[str | None] = (),
) -> list[list[tuple[str, set[str | None]]]]:
    """For each wish, names and values of the predicates."""
    bound = Predicates(wishes="guard", negative=negative).bind(domain, known=known, wishes=wishes)
    return [
        [(bound.names[p], {domain.values[c] for c in bound.values(p)}) for p in found]
        for found in bound.wished
    ]


def test_wishes() -> None:
    singles = [("flu", {"flu"}), ("ulcer", {"ulcer"}), ("gastritis", {"gastritis"}),
               ("gout", {"gout"}), ("(missing)", {None})]  # fmt: skip
    found = wished(["stomach", None, "flu", "  ", "stomach", "bowel"])
    stomach = [("stomach", {"ulcer", "gastritis"})]
    assert found == [stomach, singles, [("flu", {"flu"})], singles, stomach, [("bowel", set())]]


def test_opposites_of_wishes() -> None:
    found = wished(["stomach", "flu", None], negative=True)
    assert found[0] == [("stomach", {"ulcer", "gastritis"}), ("not stomach", {"flu", "gout", None})]
    assert found[1] == [("flu", {"flu"}), ("not flu", {"ulcer", "gastritis", "gout", None})]
    assert len(found[2]) == 10
    assert {name for name, _ in found[2]} >= {"gout", "not gout", "(missing)", "not (missing)"}


def test_a_wish_for_a_name_of_two_meanings_is_a_wish_for_both() -> None:
    assert wished(["ulcer"], NAMESAKES) == [
        [("ulcer", {"ulcer"}), ("ulcer", {"ulcer", "gastritis"})]
    ]


def test_wishes_that_name_nothing() -> None:
    with pytest.raises(DataError, match=r"(?s)'stomac' is no value.*Did you mean 'stomach'"):
        wished(["stomac"])
    with pytest.raises(DataError, match="true of everybody"):
        wished(["*"])
    with pytest.raises(DataError, match="nobody in the table has 'bowel'"):
        wished(["flu", "bowel"], negative=True)


def test_a_wish_may_be_for_a_value_only_the_prior_knows() -> None:
    assert wished(["plague", "flu"], known=["plague"])[0] == [("plague", set())]
    with pytest.raises(DataError, match="'plague'"):
        wished(["plague"])


def test_a_node_with_one_value_below_is_not_that_value() -> None:
    """Of "not bowel" the prior may expect less than of "not colitis": who says that a value only
    the prior knows is no bowel disease? Reckoned as "not colitis" the attacker expects it and
    seems to learn less."""
    domain = Sensitive(
        "disease", ("flu", "colitis"), np.array([5, 5]), 10,
        (np.arange(2, dtype=np.int32), np.array([0, 1], np.int32)),
        (("flu", "colitis", "crohn"), ("flu", "bowel")),
    )  # fmt: skip
    prior = Prior.shape({"flu": 1, "colitis": 1, "crohn": 2})
    predicates = Predicates(wishes="guard", negative=True)
    bound = predicates.bind(domain, known=["crohn"], wishes=["bowel", "colitis"])
    (extreme,) = ClassIII(prior=prior).extremes(domain, bound)
    expected = {
        bound.names[p]: extreme.weight[p] for wishes in bound.wished for p in wishes
    }  # fmt: skip
    assert expected["not bowel"] == prior.bind(domain).shares[0], "flu alone is surely not bowel"
    assert expected["bowel"] == expected["colitis"] == prior.bind(domain).shares[1]
    assert expected["not colitis"] == 1 - prior.bind(domain).shares[1]


# What cannot be asked for


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"sets": "flu"}, "are a list, not 'flu'"),
        ({"sets": 5}, "are a list, not 5"),
        ({"sets": []}, "protects nothing"),
        ({"sets": ["flu", []]}, "protects nothing"),
        ({"sets": [5]}, "5 is neither a value nor"),
        ({"sets": [["flu", ["ulcer"]]]}, "neither a value nor"),
        ({"sets": [{"flu": 1}]}, "neither a value nor"),
        ({"sets": ["flu"], "wishes": "guard"}, "same for everybody or each person's own"),
        ({"wishes": 5}, "must be named, not 5"),
        ({"negative": "yes"}, "true or false, not 'yes'"),
    ],
)
def test_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(PlanError) as caught:
        Predicates(**given)
    assert says in str(caught.value)


def test_how_they_read() -> None:
    assert str(Predicates()) == "each value"
    assert str(Predicates(negative=True)) == "each value; and the opposite of each"
    many = Predicates(sets=(("a", None, "c", "d", "e"), "b"))
    assert str(many) == "a, (missing), c or 2 others; b"
    assert str(Predicates(wishes="guard")) == "what each person wants protected (guard)"
    assert not Predicates(negative=True).usual
    assert not Predicates(wishes="guard").usual
