"""Classes of attackers: what they refuse, what their claim says, which priors decide."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from hedgerow.base.errors import PlanError
from hedgerow.claims import EpsilonPrivacy
from hedgerow.claims.adversary import AtMost, ClassI, ClassII, ClassIII, ClassIV, Known
from hedgerow.claims.predicates import Predicates
from hedgerow.claims.priors import Prior
from hedgerow.table.groups import Groups

GROUPS = Groups.of({"s": [{"a": 1, "b": 1, "c": 8}]})
RARE = Prior.shape({"a": 1, "b": 1, "c": 98})


def level(adversary: object) -> float:
    return float(EpsilonPrivacy(epsilon=2, of="s", adversary=adversary).level(GROUPS)[0])


def test_at_most_claims_no_stubbornness_it_has_not_looked_at() -> None:
    """At 50 the rare values count half a person, so nobody knows where "at most 50" begins."""
    with pytest.raises(PlanError, match="not every value of 's' counts once") as caught:
        level(AtMost(prior=RARE, stubbornness=50))
    assert "100" in caught.value.what
    assert level(AtMost(prior=RARE, stubbornness=50, at_least=10)) == pytest.approx(19)
    assert level(AtMost(prior=RARE, stubbornness=50, at_least=1)) == pytest.approx(100)
    assert level(ClassI(prior=RARE, stubbornness=50)) == pytest.approx(11.8)


def test_at_most_is_the_worst_of_all_it_speaks_of() -> None:
    prior = Prior.shape({"a": 2, "b": 4, "c": 1})
    groups = Groups.of({"s": [{"a": 6, "b": 9, "c": 3}]})

    def smallest(adversary: object) -> float:
        model = EpsilonPrivacy(epsilon=2, of="s", adversary=adversary)
        return float(model.level(groups)[0])

    # FACTS: the worst case seen of a smaller stubbornness that learns more.
    assert smallest(ClassI(prior=prior, stubbornness=7)) == pytest.approx(4 / 3)
    assert smallest(ClassI(prior=prior, stubbornness=175)) == pytest.approx(1.1852, abs=1e-4)
    between = [smallest(ClassI(prior=prior, stubbornness=s)) for s in range(7, 176)]
    assert smallest(AtMost(prior=prior, stubbornness=175)) == max(between)


def test_at_most_without_limit_is_class_three_and_all_below() -> None:
    found = level(AtMost(prior=RARE, stubbornness=math.inf))
    assert found == max(level(ClassIII(prior=RARE)), level(ClassI(prior=RARE, stubbornness=100)))


@pytest.mark.parametrize(
    ("adversary", "words"),
    [
        (AtMost(prior=RARE), "up to what it justifies at which each value counts at least once"),
        (AtMost(prior=RARE, stubbornness=500), "any stubbornness up to 500 at which each value"),
        (AtMost(prior=RARE, stubbornness=500, at_least=2.5), "any stubbornness from 2.5 to 500"),
        (AtMost(prior=RARE, stubbornness=math.inf, at_least=3), "from 3 to infinity"),
        (ClassI(prior=RARE, stubbornness=9, knows=1), "stubbornness 9, knowing any one person)"),
        (ClassI(prior=RARE, stubbornness=9, knows=3), "knowing any 3 people"),
        (ClassIII(prior=RARE, knows=Known(by="id", people=("x", "y", "x"))), "2 people on a list"),
        (ClassIV(), "class IV attackers (any prior, however stubborn)"),
    ],
)
def test_claims_say_what_was_looked_at(adversary: object, words: str) -> None:
    assert words in str(adversary)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ClassI(prior="uniform"),
        lambda: ClassI(prior=RARE, stubbornness=0.5),
        lambda: ClassI(prior=RARE, stubbornness=math.inf),
        lambda: ClassI(prior=RARE, stubbornness=math.nan),
        lambda: ClassI(prior=RARE, stubbornness=True),
        lambda: ClassI(prior=RARE, stubbornness=5, knows=-1),
        lambda: ClassI(prior=RARE, stubbornness=5, knows=1.5),
        lambda: ClassI(prior=RARE, stubbornness=5, knows=True),
        lambda: ClassII(stubbornness="many"),
        lambda: AtMost(prior=RARE, stubbornness=3, at_least=4),
        lambda: AtMost(prior=RARE, stubbornness=-math.inf),
        lambda: Known(by="", people=("x",)),
        lambda: Known(by="id", people=()),
        lambda: Known(by="id", people="x"),
    ],
)
def test_refused(make: object) -> None:
    with pytest.raises(PlanError) as caught:
        make()  # type: ignore[operator]
    assert caught.value.fix


def test_nobody_is_less_stubborn_than_who_has_seen_nothing() -> None:
    with pytest.raises(PlanError, match="one for each value of 's'"):
        level(ClassII(stubbornness=2))
    assert level(ClassII(stubbornness=3)) > 1


def test_a_shape_does_not_say_how_stubborn() -> None:
    with pytest.raises(PlanError, match="does not say how stubborn"):
        level(ClassI(prior=RARE))
    assert level(ClassI(prior=Prior.uniform())) == level(
        ClassI(prior=Prior.uniform(), stubbornness=Fraction(3))
    )


def test_no_release_is_private_against_everybody() -> None:
    model = EpsilonPrivacy(epsilon=1000, of="s", adversary=ClassIV())
    assert model.level(GROUPS).tolist() == [math.inf]
    assert not model.check(GROUPS).holds
    assert model.hopeless is not None
    assert model.could_stay(GROUPS).tolist() == [0]


# Words and numbers that once promised more than there was


def test_a_prior_of_more_people_than_there_ever_were() -> None:
    """Numbers beyond floating point once came out as 1-private."""
    with pytest.raises(PlanError, match="whole number of people"):
        Prior.counts({"a": 4 * 10**306, "b": 6 * 10**306})
    many = Groups.of({"s": [{"a": 9 * 10**9, "b": 10**9}]})
    shape = Prior.shape({"a": 4, "b": 6})
    for sigma in (10**18, 10**100, 10**300):
        model = EpsilonPrivacy(
            epsilon=5.9, of="s", adversary=ClassI(prior=shape, stubbornness=sigma)
        )
        assert model.level(many)[0] == pytest.approx(6, rel=1e-7)
        assert not model.check(many).holds
    with pytest.raises(PlanError, match="beyond all bounds"):
        ClassI(prior=shape, stubbornness=10**301)


def test_knowing_more_people_than_can_be_counted() -> None:
    with pytest.raises(PlanError, match="knows a number of people"):
        ClassII(stubbornness=5, knows=2**63)


def test_fewer_people_in_the_same_proportions() -> None:
    """A data set about nobody leads to D(1, 1, 1), which is no shape of the larger one's."""
    prior = Prior.counts({"flu": 999, "ulcer": 999, "rare": 0})
    groups = Groups.of({"s": [{"flu": 1, "ulcer": 1}]}, order={"s": ["flu", "ulcer", "rare"]})

    def smallest(adversary: object) -> float:
        return float(EpsilonPrivacy(epsilon=2, of="s", adversary=adversary).level(groups)[0])

    assert smallest(AtMost(prior=prior)) == pytest.approx(2)
    by_size = [smallest(ClassI(prior=prior.of_size(Fraction(m)))) for m in range(0, 1999, 9)]
    assert max(by_size) == by_size[0] == pytest.approx(2)
    assert smallest(AtMost(prior=prior, at_least=21)) == pytest.approx(
        smallest(ClassI(prior=prior.of_size(Fraction(18))))
    )
    assert "fewer people in the same proportions" in str(AtMost(prior=prior))
    assert "fewer people" not in str(AtMost(prior=prior, stubbornness=math.inf))


def test_a_class_two_attacker_may_know_of_one_value_of_a_set() -> None:
    """Whoever has never met u2 expects the set {u1, u2} no more than u1 alone."""
    groups = Groups.of({"s": [{"u1": 1, "flu": 20}, {"u2": 1}]})
    model = EpsilonPrivacy(
        epsilon=1.5, of="s", adversary=ClassII(stubbornness=30),
        predicates=Predicates(sets=[["u1", "u2"]]),
    )  # fmt: skip
    assert model.level(groups)[0] == pytest.approx(Fraction(1, 21) * 50)


def test_a_node_named_like_its_only_value_in_the_table() -> None:
    """The opposite of the node leaves out gastritis too, which only the prior's source has."""
    counts = {"ulcer": 500, "flu": 5, "cancer": 5, "gastritis": 490}
    groups = Groups.of(
        {"s": [{"ulcer": 50, "flu": 25, "cancer": 25}]},
        levels={"s": [[0, 1, 2]]},
        labels={"s": [["ulcer", "flu", "cancer"]]},
    )
    model = EpsilonPrivacy(
        epsilon=2, of="s", adversary=ClassI(prior=Prior.counts(counts)),
        predicates=Predicates(sets=["ulcer"], negative=True),
    )  # fmt: skip
    # Not ulcer: 50 of 100, and 6 + 6 of 1,004 expected: p_out = (49 + 12) / 1,103.
    assert model.level(groups)[0] == pytest.approx(Fraction(1, 2) / Fraction(61, 1103))


def test_what_class_two_claims_says_whose_priors() -> None:
    assert "any prior formed from data, of stubbornness at most 5" in str(ClassII(stubbornness=5))


def test_lists_of_people() -> None:
    assert Known(by="id", people=np.array(["7", "8", "7"])).people == ("7", "8")
    assert str(Known(by="id", people=("x",))) == "one person on a list"
    with pytest.raises(PlanError, match="nobody stands somewhere"):
        Known(by="id", people=("x", None))
