"""The worked numbers of `explain adversary`: worlds that are counted, and the paper's equations."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest
import worlds
from record_worlds import Puzzle, Release
from record_worlds import believed as of_all_worlds

from hedgerow import ClassI, ClassII, ClassIII, EpsilonPrivacy, Predicates, Prior
from hedgerow.claims.adversary import Adversary
from hedgerow.claims.belief_terms import Belief
from hedgerow.claims.worlds.belief import believed
from hedgerow.claims.worlds.knowledge import Knowledge
from hedgerow.explain.counted_belief import counted
from hedgerow.table.groups import Groups

VALUES = "abc"


def said(adversary: Adversary, counts: tuple[int, ...], **more: object) -> list[Belief]:
    group = {v: n for v, n in zip(VALUES, counts, strict=True) if n}
    model = EpsilonPrivacy(epsilon=2, of="s", adversary=adversary, **more)
    other = dict.fromkeys(VALUES, 1)
    return list(model.beliefs(Groups.of({"s": [group, other]}), 0))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("knows", [0, 1, 3])
def test_the_worlds_say_what_the_claim_says(seed: int, knows: int) -> None:
    random = Random(seed)
    counts = tuple(random.choice([0, 1, 2, 5, 40]) for _ in VALUES)
    shape = Prior.shape({v: random.randint(1, 9) for v in VALUES})
    sets = random.choice([None, ("a", ("b", "c"))])
    about = Predicates(sets=sets, negative=random.random() < 0.5)
    for adversary in (
        ClassI(prior=shape, stubbornness=random.randint(3, 90), knows=knows),
        ClassII(stubbornness=random.randint(3, 90), knows=knows),
        ClassIII(prior=shape, knows=knows),
    ):
        for belief in said(adversary, counts, predicates=about):
            assert counted(belief) == belief


def test_a_mistake_would_be_seen() -> None:
    """A claim that forgot the record the attacker holds would be told the right number."""
    (flu, *_) = said(ClassIII(prior=Prior.uniform(), knows=1), (3, 2, 0))
    assert flu.p_in == Fraction(3, 4)
    wrong = replace(flu, p_in=Fraction(3, 5), p_out=Fraction(1, 2))
    assert counted(wrong) == flu


@pytest.mark.parametrize("known", range(3))
def test_taking_records_away_is_knowing_whose_they_are(known: int) -> None:
    """Everybody is listed, and of some the attacker knows that it is false: by enumeration."""
    for has, others in ((1, 2), (2, 2), (3, 2), (1, 3)):
        people = has + others
        weights = tuple((Fraction(0 if i < known else 1), Fraction(1)) for i in range(people))
        group = Release(
            tuple((0, int(i >= has)) for i in range(people)), (0, 1),
            (frozenset({0}),) * people, (True,) * people, listed=True,
        )  # fmt: skip
        _, wanted = of_all_worlds(Puzzle(people, 2, (group,), weights))
        listed = replace(Knowledge.of_groups([[[has, others]]], [[[0]] * people]), weights=weights)
        (belief,) = (
            b
            for b in said(ClassIII(prior=Prior.uniform(), knows=known), (has, others, 0))
            if b.predicate == "a"
        )
        told = believed(listed).between(people - 1, 0)
        assert told == (wanted[-1][0],) * 2 == (counted(belief).p_in,) * 2


@pytest.mark.parametrize("sigma", [(1, 1), (2, 5), (6, 9)])
def test_equation_9_is_drawing_from_the_data_and_the_others(sigma: tuple[int, int]) -> None:
    """Class I with a data set: also what the plain enumeration of Dirichlet worlds says."""
    for has, others in combinations(range(1, 5), 2):
        data = Prior.counts(dict(zip("ab", (n - 1 for n in sigma), strict=True)))
        group = {"a": has, "b": others}
        model = EpsilonPrivacy(epsilon=2, of="s", adversary=ClassI(prior=data))
        belief = next(b for b in model.beliefs(Groups.of({"s": [group]}), 0) if b.predicate == "a")
        drawn = [[[has - 1 + sigma[0], others + sigma[1]]]]
        told = believed(Knowledge.of_groups(drawn, [[[0]]], listed=False)).between(0, 0)
        truth = (0,) * has + (1,) * others
        slow = worlds.belief(worlds.finite(*sigma), truth, 0, frozenset(), published=False)
        assert told == (counted(belief).p_out,) * 2 == (slow[0],) * 2
