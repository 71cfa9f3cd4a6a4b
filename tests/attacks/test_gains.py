"""The gain of each person: over everybody in the release, not over those it singled out."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.attacks.background_knowledge import background_knowledge
from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.gains import Gains
from hedgerow.attacks.gdpr import inference
from hedgerow.attacks.homogeneity import homogeneity
from hedgerow.attacks.intersection import intersect
from hedgerow.attacks.linkage import link
from hedgerow.attacks.minimality import minimality
from hedgerow.attacks.sequential import sequential
from hedgerow.attacks.similarity import similarity
from hedgerow.attacks.skewness import skewness
from hedgerow.table.groups import Groups
from hedgerow.table.location import placed
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

# 490 of 1,000 people are in a group where everybody is positive; half of all people are.
VIRUS = [{"positive": 490}, {"positive": 10, "negative": 500}]
# Lecture slide "A 3-anonymous patient table": Bob is one of three who all have heart disease.
PATIENTS = [["heart"] * 3, ["flu", "heart", "cancer"], ["heart", "cancer", "cancer"]]

tables = st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=6), min_size=1, max_size=5)


def found(result: AttackResult) -> Gains:
    assert result.gains is not None
    return result.gains


def of(groups: list[list[str]]) -> Groups:
    return Groups.of({"s": [dict(Counter(group)) for group in groups]})


def oracle(people: list[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction, int]:
    """Mean, worst and certain of beliefs (p, p0), one for each person."""
    gains = [max(Fraction(0), (p - p0) / (1 - p0)) if p0 < 1 else Fraction(0) for p, p0 in people]
    return (
        sum(gains, Fraction(0)) / len(gains),
        max(gains),
        sum(p == 1 for p, _ in people),
    )


def same(gains: Gains, expected: tuple[Fraction, Fraction, int]) -> None:
    mean, worst, certain = expected
    assert gains.mean == pytest.approx(float(mean), abs=1e-12)
    assert gains.worst == pytest.approx(float(worst), abs=1e-12)
    assert gains.certain == certain


class TestGroups:
    def test_490_people_are_given_away(self) -> None:
        """All 490 believed in with 1 instead of 1/2; the 10 with 1/51, and the 500 with 50/51."""
        gains = found(homogeneity(Groups.of({"virus": VIRUS}), of="virus"))
        assert gains.people == 1000
        assert gains.certain == 490
        assert gains.certain_share == 0.49
        assert gains.worst == 1
        negative = Fraction(500, 510) * 2 - 1
        assert gains.mean == pytest.approx(float((490 + 500 * negative) / 1000))

    def test_the_lecture_table(self) -> None:
        """3 of 9 people. Heart, cancer and flu have 5, 3 and 1 people of the 9."""
        result = homogeneity(of(PATIENTS), of="s")
        everybody = [
            (Fraction(group.count(v), 3), Fraction({"heart": 5, "cancer": 3, "flu": 1}[v], 9))
            for group in PATIENTS
            for v in group
        ]
        same(found(result), oracle(everybody))
        assert found(result).certain == 3
        assert result.gain == found(result).mean
        assert result.succeeded, "three people are given away, whatever guessing finds"

    @given(tables)
    def test_oracle(self, people: list[list[int]]) -> None:
        groups = [[str(v) for v in group] for group in people]
        total = Counter(v for group in groups for v in group)
        n = total.total()
        beliefs = [(Fraction(g.count(v), len(g)), Fraction(total[v], n)) for g in groups for v in g]
        for attack in (homogeneity, skewness):
            same(found(attack(of(groups), of="s")), oracle(beliefs))

    @given(tables, st.integers(0, 3))
    def test_background_knowledge_oracle(self, people: list[list[int]], m: int) -> None:
        """For each person the m other values of the group that most people have are ruled out,
        with the release and without it; of equally frequent ones those that help most."""
        groups = [[str(v) for v in group] for group in people]
        total = Counter(v for group in groups for v in group)
        gains, certain = [], 0
        for group in groups:
            here = Counter(group)
            for v in group:
                others = [w for w in here if w != v]
                size = min(m, len(others))
                ways = [
                    (
                        Fraction(here[v], len(group) - sum(here[w] for w in out)),
                        Fraction(total[v], total.total() - sum(total[w] for w in out)),
                    )
                    for out in combinations(others, size)
                ]
                p, p0 = min(ways, key=lambda way: (-way[0], way[1]))
                gains.append(max(Fraction(0), (p - p0) / (1 - p0)) if p0 < 1 else Fraction(0))
                # Who can rule out every other value there is knows it without the release.
                certain += p == 1 and (p0 < 1 or len(total) == 1)
        result = found(background_knowledge(of(groups), of="s", m=m))
        assert result.mean == pytest.approx(float(sum(gains) / len(gains)))
        assert result.worst == pytest.approx(float(max(gains)))
        assert result.certain == certain

    def test_a_value_that_everybody_of_the_table_has(self) -> None:
        """Nothing is gained over the published shares, and everybody is known for certain."""
        gains = found(homogeneity(Groups.of({"s": [{"HIV": 4}, {"HIV": 3}]}), of="s"))
        assert (gains.mean, gains.worst, gains.certain, gains.people) == (0, 0, 7, 7)

    def test_losses_do_not_pay_for_exposure(self) -> None:
        """Seven are believed in less than before: that takes nothing from the one who is known."""
        groups = of([["HIV"], ["HIV", *["flu"] * 7], ["flu"] * 4 + ["gout"] * 4])
        gains = found(homogeneity(groups, of="s"))
        assert gains.certain == 1
        assert gains.mean >= 1 / 17

    def test_missing_values_are_nobodys_secret_and_dilute_nothing(self) -> None:
        groups = Groups.of({"s": [{None: 90}, {"flu": 5}, {"flu": 2, "gout": 3}]})
        gains = found(homogeneity(groups, of="s"))
        assert (gains.people, gains.certain) == (10, 5)

    def test_people_with_several_values(self) -> None:
        """Everybody of the first group has flu. In the second, at most two have gout."""
        several = [{"flu": 3, "gout": 2}, {"flu": 1, "gout": 2}]
        gains = found(homogeneity(Groups.of({"s": several}, n=[3, 3]), of="s"))
        assert (gains.certain, gains.people) == (3, 6)
        assert gains.worst == 1

    def test_similarity(self) -> None:
        salaries = [["20", "30", "40"], ["50", "100", "70"], ["60", "80", "90"]]
        gains = found(similarity(of(salaries), of="s"))
        assert (gains.certain, gains.people, gains.worst) == (3, 9, 1)
        assert gains.mean == pytest.approx(1 / 3)


def virus() -> pd.DataFrame:
    return pd.DataFrame(
        {"age": ["<30"] * 490 + [">=30"] * 510,
         "virus": ["positive"] * 490 + ["positive"] * 10 + ["negative"] * 500}
    )  # fmt: skip


def people() -> Targets:
    return Targets.of({"age": ["20"] * 490 + ["40"] * 510, "virus": virus()["virus"].tolist()})


class TestPeople:
    def test_intersection_with_the_truth(self) -> None:
        release = Published.read(virus(), sensitive=["virus"])
        result = intersect([release], people(), of="virus").result(people().column("virus"))
        gains, same_ones = found(result), found(homogeneity(release.groups, of="virus"))
        assert (gains.people, gains.certain, gains.worst) == (1000, 490, 1)
        assert gains.mean == pytest.approx(same_ones.mean)

    def test_intersection_of_two_releases(self) -> None:
        """Shares 1/2, 1/2 and 1/4, 3/4 of a and b: 1/4 and 3/4 of what both leave."""
        one = Published.read(
            pd.DataFrame({"age": ["*"] * 4, "s": ["a", "a", "b", "b"]}), sensitive=["s"]
        )
        two = Published.read(
            pd.DataFrame({"age": ["*"] * 4, "s": ["a", "b", "b", "b"]}), sensitive=["s"]
        )
        known = Targets.of({"age": ["1", "2"]})
        gains = found(intersect([one, two], known, of="s").result(["a", "b"]))
        before = {"a": Fraction(3, 8), "b": Fraction(5, 8)}
        same(gains, oracle([(Fraction(1, 4), before["a"]), (Fraction(3, 4), before["b"])]))

    def test_a_value_that_is_left_and_wrong_is_not_known(self) -> None:
        release = Published.read(
            pd.DataFrame({"age": ["<30", ">=30"], "s": ["a", "b"]}), sensitive=["s"]
        )
        gains = found(intersect([release], Targets.of({"age": ["20", "40"]}), of="s").result("ba"))
        assert (gains.certain, gains.mean) == (0, 0)

    def test_intersection_without_the_truth(self) -> None:
        """What is left counts; where several are, they are weighed by the attacker's belief."""
        release = Published.read(
            pd.DataFrame({"age": ["<30"] + [">=30"] * 4, "s": ["a", "b", "b", "b", "c"]}),
            sensitive=["s"],
        )
        gains = found(intersect([release], Targets.of({"age": ["20", "40"]}), of="s").result())
        b = (Fraction(3, 4) - Fraction(3, 5)) / Fraction(2, 5)
        c = (Fraction(1, 4) - Fraction(1, 5)) / Fraction(4, 5)
        assert gains.certain == 1
        assert gains.mean == pytest.approx(float((1 + b * 3 / 4 + c / 4) / 2))

    def test_inference_speaks_of_everybody(self) -> None:
        """A hundred guesses are drawn; the gain is that of all 1,000 people."""
        release = Published.read(virus(), sensitive=["virus"])
        gains = found(inference(release, people(), guesses=100))
        assert (gains.people, gains.certain) == (1000, 490)

    def test_sequential(self) -> None:
        """Joe's group lost him and a case of acne."""
        before = Groups.of({"s": [{"flu": 1, "gout": 1, "acne": 1}, {"flu": 1, "gout": 1}]})
        after = Groups.of({"s": [{"flu": 1, "gout": 1}, {"flu": 1, "gout": 1, "acne": 1}]})
        where = [placed([0, 0, 0, 1, 1]), placed([0, 0, 1, 1, 1])]
        gains = found(sequential([before, after], where, of="s"))
        assert (gains.people, gains.certain, gains.worst) == (5, 1, 1)

    def test_minimality(self) -> None:
        """The two have HIV for certain, though their group of seven shows 2/7."""
        truth = [{"HIV": 2}, {"flu": 2, "gout": 2, "acne": 1}]
        classes = Groups.of({"s": truth})
        result = minimality(classes, np.array([0, 0]), of="s", l=2, values=["HIV"])
        assert (found(result).certain, found(result).people) == (2, 7)

    def test_linkage(self) -> None:
        """One woman and two men: her name is certain, theirs is one of two."""
        table = pd.DataFrame({"sex": ["M", "M", "F"], "ill": ["flu", "ulcer", "flu"]})
        register = Targets.of({"name": ["Al", "Bo", "Cy"], "sex": ["M", "M", "F"]})
        gains = found(link(Published.read(table, sensitive=["ill"]), register, name="name"))
        half = (Fraction(1, 2) - Fraction(1, 3)) / Fraction(2, 3)
        same(gains, ((1 + 2 * half) / 3, Fraction(1), 1))


def test_a_result_without_beliefs_keeps_its_rates() -> None:
    """Of descriptions, counts and outputs there is no belief about a person."""
    rate = AttackResult(
        attack="singling-out", goal="", found=Rate(successes=60, guesses=100),
        baseline=Rate(successes=20, guesses=100),
    )  # fmt: skip
    assert rate.gains is None
    assert rate.gain == rate.rate_gain == pytest.approx(0.5)
    assert rate.summary()["worst_gain"] is None
    assert rate.summary()["certain"] is None
