"""The worked numbers of `explain adversary`: worlds that are counted, and the paper's equations."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path
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
    (flu, *_) = said(ClassI(prior=Prior.uniform(), stubbornness=6), (3, 2, 0))
    assert flu.p_out == Fraction(2 + 2, 4 + 6)
    assert counted(replace(flu, p_out=Fraction(3 + 2, 5 + 6))) == flu


@pytest.mark.parametrize("people", [1, 2, 40_000])
def test_groups_of_any_size(people: int) -> None:
    """Nobody else at all, and far more people than are counted one by one."""
    for sigma in (3, Fraction(7, 2), 10**9):
        claim = ClassI(prior=Prior.shape({"a": 1, "b": 2, "c": 4}), stubbornness=sigma)
        for belief in said(claim, (people, people // 2, 0)):
            assert belief.others is not None
            assert counted(replace(belief, p_out=Fraction(0))) == belief


def test_without_the_record_of_somebody_who_has_something_else() -> None:
    """Who wishes flu protected and has gout: a gout is taken out, and all flus are left."""
    people = ("flu", "flu", "gout", "gout")
    truth = tuple(int(has == "gout") for has in people)
    sigma = worlds.finite(2, 3)
    for belief, has in ((True, 0), (False, 2)):
        left = (2 - belief, 2 - (not belief))
        slow = worlds.belief(sigma, truth, has, frozenset(), published=False)
        before = Belief(
            predicate="flu", people=4, holders=2, unknown=4, unknown_holders=2,
            expected=Fraction(2, 5), stubbornness=Fraction(5), p_in=Fraction(1, 2),
            p_out=Fraction(0), epsilon=None, others=left,
        )  # fmt: skip
        assert counted(before).p_out == slow[0]


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


def test_wishes_as_the_manual_says() -> None:
    """docs/plan.md: of four with flu and four with gout, and nobody with HIV."""
    prior = Prior.shape({"flu": 1, "gout": 1, "HIV": 1})
    claim = ClassI(prior=prior, stubbornness=10)
    model = EpsilonPrivacy(epsilon=2, of="s", adversary=claim)
    groups = Groups.of({"s": [{"flu": 4, "gout": 4}]})
    (flu, _) = model.beliefs(groups, 0)
    page = (Path(__file__).resolve().parents[2] / "docs" / "plan.md").read_text("utf-8")
    own, others = flu.p_out, counted(replace(flu, others=(4, 3))).p_out
    assert own == (3 + Fraction(10, 3)) / 17
    assert others == (4 + Fraction(10, 3)) / 17
    for without, told in ((own, "1.343"), (others, "1.160")):
        needed = max(flu.p_in / without, (1 - without) / (1 - flu.p_in))
        assert needed <= Fraction(told) < needed + Fraction(1, 1000)
        assert told in page
