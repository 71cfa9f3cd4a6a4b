"""Classes of attackers: what they refuse, what their claim says, which priors decide."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from hedgerow.adversary import AtMost, ClassI, ClassII, ClassIII, ClassIV, Known
from hedgerow.errors import PlanError
from hedgerow.groups import Groups
from hedgerow.models import EpsilonPrivacy
from hedgerow.priors import Prior

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
