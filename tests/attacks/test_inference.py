"""Homogeneity, background knowledge, similarity and skewness of single releases."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hedgerow.attacks.background_knowledge import background_knowledge
from hedgerow.attacks.base import AttackResult
from hedgerow.attacks.group_beliefs import beliefs
from hedgerow.attacks.homogeneity import homogeneity
from hedgerow.attacks.similarity import similarity
from hedgerow.attacks.skewness import lifts, skewness
from hedgerow.base.errors import DataError, PlanError
from hedgerow.claims import RecursiveLDiversity
from hedgerow.table.groups import Groups

TABLE_1 = [["heart"] * 2 + ["viral"] * 2, ["cancer", "heart", "viral", "viral"], ["cancer"] * 4]
THREE_DIVERSE = [
    ["heart", "viral", "cancer", "cancer"],
    ["heart", "viral", "cancer", "cancer"],
    ["cancer", "heart", "viral", "viral"],
]
PATIENTS = [
    ["heart"] * 3,
    ["flu", "heart", "cancer"],
    ["heart", "cancer", "cancer"],
]
SALARIES = [["20", "30", "40"], ["50", "100", "70"], ["60", "80", "90"]]
DISEASES = [
    ["gastric ulcer", "gastritis", "stomach cancer"],
    ["gastritis", "flu", "bronchitis"],
    ["bronchitis", "pneumonia", "stomach cancer"],
]
TREE = {
    "order": ["flu", "pneumonia", "bronchitis", "gastric ulcer", "stomach cancer", "gastritis"],
    "levels": [[0, 0, 0, 1, 1, 1], [0] * 6],
    "labels": [["respiratory", "stomach"], ["*"]],
}
ALL: list[Callable[[Groups], AttackResult]] = [
    lambda groups: homogeneity(groups, of="s"),
    lambda groups: background_knowledge(groups, of="s", m=1),
    lambda groups: background_knowledge(groups, of="s", m=3),
    lambda groups: similarity(groups, of="s", by="range"),
    lambda groups: similarity(groups, of="s", by="taxonomy"),
    lambda groups: skewness(groups, of="s", times=1.01),
]


def table(groups: Iterable[Iterable[str]], of: str = "disease", **more: object) -> Groups:
    counted = {of: [dict(Counter(group)) for group in groups]}
    return Groups.of(counted, **more)  # type: ignore[arg-type]


def numbered(groups: Iterable[Iterable[int]]) -> Groups:
    """Numbers from 0 to 9 below two nodes, in a column with a taxonomy."""
    return table(
        ([str(v) for v in group] for group in groups),
        of="s",
        order={"s": [str(v) for v in range(10)]},
        levels={"s": [[0] * 5 + [1] * 5, [0] * 10]},
    )


def counts(result: AttackResult) -> tuple[float, float, int]:
    assert result.found.guesses == result.baseline.guesses
    json.dumps(result.summary(), allow_nan=False)
    return result.found.successes, result.baseline.successes, result.found.guesses


tables = st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=8), min_size=1, max_size=6)


class TestHomogeneity:
    def test_gotham(self) -> None:
        """Paper 001, Table 1 and Example 1: Rachel, 35, from 13068, has cancer. Viral, cancer
        and heart have 4, 5, 3 people: cancer is what one would guess of everybody."""
        result = homogeneity(table(TABLE_1), of="disease")
        assert counts(result) == (4, 4, 12)
        assert result.detail["worst"] == [{"group": 2, "people": 4, "value": "cancer"}]
        assert "4 of 12 people" in result.sentences[0]
        assert result.succeeded, "what all four have is read off, not guessed"
        assert result.gains is not None
        assert (result.gains.certain, result.gains.people) == (4, 12)

    def test_bob(self) -> None:
        """Slide "A 3-anonymous patient table"; heart and cancer, 5 and 3, flu 1."""
        assert counts(homogeneity(table(PATIENTS), of="disease")) == (3, 3, 9)

    def test_a_release_of_homogeneous_groups_is_broken(self) -> None:
        groups = numbered([[v] * 20 for v in range(10)])
        result = homogeneity(groups, of="s")
        assert counts(result) == (200, 20, 200)
        assert result.succeeded
        assert result.gain == 1

    def test_3_diverse(self) -> None:
        assert counts(homogeneity(table(THREE_DIVERSE), of="disease")) == (0, 0, 12)

    def test_missing_is_not_known(self) -> None:
        """Nobody knows what the five have, and that it is missing is no guess either."""
        groups = Groups.of({"ill": [{None: 5}, {"flu": 2}, {"flu": 1, None: 1}, {"gout": 1}]})
        result = homogeneity(groups, of="ill")
        assert counts(result) == (4, 3, 10), "flu is the most frequent value there is"
        assert [worst["group"] for worst in result.detail["worst"]] == [1, 2, 3]
        assert "everybody whose value is recorded has the same ill" in result.sentences[0]
        assert result.gains is not None
        assert result.gains.certain == 4, "the gate counts whom homogeneity finds"
        assert result.sentences[-1] == (
            "Every ill is missing in 1 group with 5 people: that is not counted as known."
        )
        none = homogeneity(Groups.of({"ill": [{None: 5}, {None: 2}]}), of="ill")
        assert counts(none) == (0, 0, 7)
        assert none.sentences == (
            "No group agrees on one ill.",
            "Every ill is missing in 2 groups with 7 people: that is not counted as known.",
        )

    def test_people_with_several_values(self) -> None:
        """Everybody in the first group has flu, whatever else they have; nobody in the second
        group is settled, although it has as many entries as people."""
        several = [{"flu": 3, "gout": 2}, {"flu": 1, "gout": 2}]
        groups = Groups.of({"disease": several}, n=[3, 3])
        result = homogeneity(groups, of="disease")
        assert counts(result) == (3, 3, 6)
        assert result.detail["worst"][0]["value"] == "flu"

    @given(tables)
    def test_oracle(self, people: list[list[int]]) -> None:
        flat = Counter(v for group in people for v in group)
        usual = min(flat, key=lambda v: (-flat[v], v))
        settled = [group for group in people if len(set(group)) == 1]
        result = homogeneity(numbered(people), of="s")
        assert counts(result) == (
            sum(map(len, settled)),
            sum(len(group) for group in settled if group[0] == usual),
            sum(map(len, people)),
        )


class TestBackgroundKnowledge:
    def test_carl(self) -> None:
        """Who knows that Carl has no heart disease knows that he has cancer; nobody in the
        second group is known from one value less."""
        result = background_knowledge(table(PATIENTS), of="disease", m=1)
        assert result.found.successes == 6
        assert [step["certain"] for step in result.detail["beliefs"]] == [3, 6]

    def test_umeko(self) -> None:
        """Slides "k-Anonymity Attack Example": no heart disease leaves viral infection; in the
        3-diversified table it leaves viral infection or cancer."""
        assert background_knowledge(table(TABLE_1), of="disease", m=1).found.successes == 8
        assert background_knowledge(table(THREE_DIVERSE), of="disease", m=1).found.successes == 0
        assert background_knowledge(table(THREE_DIVERSE), of="disease", m=2).found.successes == 12

    def test_joe_has_hiv(self) -> None:
        """98 of 100; and 50, 49 and 1 of 100, pneumonia ruled out: 50 of 51."""
        one = table([["HIV"] * 98 + ["pneumonia", "bronchitis"]])
        assert beliefs(one, of="disease", m=0).tolist() == [0.98, 0.01, 0.01]
        two = table([["HIV"] * 50 + ["pneumonia"] * 49 + ["bronchitis"]])
        assert beliefs(two, of="disease", m=0)[0] == 0.5
        assert beliefs(two, of="disease", m=1)[0] == 50 / 51
        sentence = background_knowledge(two, of="disease", m=1).sentences[1]
        assert "98.0% for HIV, which 50 of its 100 people have" in sentence

    @given(tables, st.integers(0, 4))
    def test_beliefs_against_every_choice(self, people: list[list[int]], m: int) -> None:
        groups = numbered(people)
        h = groups.histograms["s"]
        found = beliefs(groups, of="s", m=m)
        for e, g in enumerate(h.owner()):
            own = Counter(people[g])
            value = int(h.codes[e])
            others = [v for v in own if v != value]
            best = max(
                Fraction(own[value], len(people[g]) - sum(own[v] for v in ruled))
                for size in range(min(m, len(others)) + 1)
                for ruled in combinations(others, size)
            )
            assert found[e] == float(best)

    @given(tables, st.integers(0, 3))
    def test_who_is_certain_and_who_would_guess_right(
        self, people: list[list[int]], m: int
    ) -> None:
        """The baseline rules out the same values and takes the most frequent of the others."""
        flat = Counter(v for group in people for v in group)
        certain = right = 0
        for group in people:
            if len(set(group)) <= m + 1:
                for value in group:
                    open_ = [v for v in flat if v == value or v not in group]
                    certain += 1
                    right += min(open_, key=lambda v: (-flat[v], v)) == value
        result = background_knowledge(numbered(people), of="s", m=m)
        assert counts(result) == (certain, right, sum(map(len, people)))

    @settings(deadline=None)  # compiles at first
    @given(tables, st.integers(2, 5))
    def test_recursive_diversity_bounds_belief(self, people: list[list[int]], l: int) -> None:  # noqa: E741
        """After l - 2 values are ruled out, the highest belief of a group is c / (c + 1) for the
        c that is just not enough for recursive (c, l)-diversity."""
        groups = numbered(people)
        level = RecursiveLDiversity(c=1, l=l, of="s").level(groups)
        belief = beliefs(groups, of="s", m=l - 2)
        highest = np.zeros(len(groups))
        np.maximum.at(highest, groups.histograms["s"].owner(), belief)
        expected = np.where(np.isinf(level), 1.0, level / (1 + np.where(np.isinf(level), 0, level)))
        assert highest == pytest.approx(expected)

    def test_missing_is_not_known(self) -> None:
        """Who takes missing for not recorded has nothing to rule out to know of the one flu."""
        groups = Groups.of({"ill": [{None: 3, "flu": 1}, {None: 2}, {"flu": 1, "gout": 1, "a": 1}]})
        result = background_knowledge(groups, of="ill", m=1)
        assert counts(result) == (1, 1, 9), "flu is the most frequent that is not missing"
        assert [step["certain"] for step in result.detail["beliefs"]] == [1, 1]
        assert [step["highest"] for step in result.detail["beliefs"]] == [1, 1]
        assert all(worst["value"] != "missing" for worst in result.detail["worst"])
        blank = background_knowledge(Groups.of({"ill": [{None: 2}]}), of="ill", m=1)
        assert counts(blank) == (0, 0, 2)
        assert blank.detail["worst"] == []
        assert len(blank.sentences) == 1

    def test_beliefs_grow_with_what_is_ruled_out(self) -> None:
        steps = background_knowledge(table(TABLE_1), of="disease", m=5).detail["beliefs"]
        means = [step["mean"] for step in steps]
        assert means == sorted(means)
        assert means[0] == pytest.approx((4 * 0.5 + 1 * 0.25 * 2 + 2 * 0.5 + 4) / 12)
        assert means[-1] == 1
        assert dict(steps[0]["at_least"]) == {0.5: 10, 0.75: 4, 0.9: 4, 1.0: 4}

    def test_bad_input(self) -> None:
        groups = table(PATIENTS)
        for wrong in (-1, 1.5, True, "two"):
            with pytest.raises(PlanError, match="m must be a whole number"):
                background_knowledge(groups, of="disease", m=wrong)  # type: ignore[arg-type]
        with pytest.raises(PlanError, match="no sensitive column 'illness'"):
            homogeneity(groups, of="illness")
        several = Groups.of({"disease": [{"flu": 2, "gout": 2}]}, n=[2])
        with pytest.raises(DataError, match="which go together"):
            background_knowledge(several, of="disease")
        with pytest.raises(DataError, match="nobody"):
            homogeneity(groups.take(np.zeros(3, np.bool_)), of="disease")


class TestSimilarity:
    def test_bobs_salary(self) -> None:
        """Slide "Similarity Attack": Bob's salary is in [20k, 40k], 2 of 8 tenths of the table's
        range. The fullest range of that width has three people too: 20 to 40 comes first."""
        result = similarity(table(SALARIES, "salary"), of="salary")
        assert counts(result) == (3, 3, 9)
        assert result.detail["worst"][0] == {
            "group": 0, "people": 3, "learned": "20 to 40", "share": 1 / 3,
            "values": [["20", 1], ["30", 1], ["40", 1]],
        }  # fmt: skip
        wider = similarity(table(SALARIES, "salary"), of="salary", within=0.4)
        assert [g["learned"] for g in wider.detail["worst"]] == ["20 to 40", "60 to 90"]
        # 60 to 90 has four people of the table, as has 20 to 50, which is tried first.
        assert counts(wider) == (6, 3, 9)

    def test_li_et_al(self) -> None:
        """The salaries of Li et al. 2007, 3 to 11 thousand: {3, 4, 5} is a quarter of the range,
        {6, 8, 11} and {7, 9, 10} are 5/8 and 3/8."""
        groups = table([["3000", "4000", "5000"], ["6000", "11000", "8000"],
                        ["7000", "9000", "10000"]], "salary")  # fmt: skip
        assert similarity(groups, of="salary").detail["worst"][0]["learned"] == "3,000 to 5,000"
        assert similarity(groups, of="salary", within=0.25).found.successes == 0, "not narrower"

    def test_bobs_stomach(self) -> None:
        """Bob "has some stomach-related disease"; in the other groups only the root covers all."""
        groups = table(
            DISEASES,
            order={"disease": TREE["order"]},
            levels={"disease": TREE["levels"]},
            labels={"disease": TREE["labels"]},
        )
        result = similarity(groups, of="disease")
        # 5 of 9 have a disease of the stomach: it would be the guess, too.
        assert counts(result) == (3, 3, 9)
        assert result.detail["worst"][0]["learned"] == "stomach"
        assert result.detail["worst"][0]["share"] == 5 / 9
        assert result.sentences[1] == "Everybody in group 0 (3 people): stomach."

    def test_a_release_of_alike_groups_is_broken(self) -> None:
        groups = numbered([[0, 1, 2] * 9, [5, 6] * 9, [7, 8] * 9, [8, 9] * 9])
        by_node = similarity(groups, of="s")
        assert counts(by_node) == (81, 54, 81)
        assert by_node.succeeded
        # All four ranges are narrow. Of width 2 the fullest is 7 to 9 (36 people), none of the
        # first group; of width 1 it is 7 to 8 and 8 to 9 (27 each), the first of them taken.
        by_range = similarity(groups, of="s", by="range")
        assert counts(by_range) == (81, 18 + 9, 81)
        assert by_range.succeeded

    def test_what_covers_the_whole_table_says_nothing(self) -> None:
        """All values are below the first of two nodes: nobody learns anything from it."""
        assert similarity(numbered([[0, 1], [3, 4]]), of="s").found.successes == 0

    def test_one_value_is_left_to_homogeneity(self) -> None:
        assert similarity(numbered([[0, 0], [1, 2], [9, 9]]), of="s").found.successes == 2

    def test_groups_of_one_value_are_not_said_to_differ(self) -> None:
        groups = table([["50", "50"], ["90", "90"], ["10", "100"]], "salary")
        result = similarity(groups, of="salary")
        assert result.sentences == (
            "In no group with several values of salary are they all alike.",
            "4 people are in 2 groups with only one value of salary: they are left to homogeneity "
            "and do not count here.",
        )
        assert result.detail["left_to_homogeneity"] == 4
        assert homogeneity(groups, of="salary").found.successes == 4
        both = similarity(numbered([[0, 0], [1, 2], [9, 9]]), of="s")
        assert both.sentences[-1].startswith("4 people are in 2 groups with only one value")
        none = similarity(numbered([[0, 1], [9, 5]]), of="s")
        assert not any("homogeneity" in sentence for sentence in none.sentences)
        missing = similarity(Groups.of({"s": [{None: 3}, {"1": 1, "9": 1}]}), of="s")
        assert missing.detail["left_to_homogeneity"] == 0

    @pytest.mark.parametrize("odd", [None, "unknown", "inf", "nan"])
    def test_what_is_no_number_is_in_no_range(self, odd: str | None) -> None:
        groups = Groups.of({"s": [{"1": 1, odd: 1}, {"2": 1, "3": 1}, {"99": 1, "100": 1}]})
        assert [g["group"] for g in similarity(groups, of="s").detail["worst"]] == [1, 2]

    def test_without_labels_the_values_are_named(self) -> None:
        worst = similarity(numbered([[0, 1], [9, 5]]), of="s").detail["worst"]
        assert worst[0]["learned"] == "one of 0, 1, 2, 3, 4"

    @given(tables)
    def test_oracle_for_nodes(self, people: list[list[int]]) -> None:
        node = [0] * 5 + [1] * 5
        below = Counter(node[v] for group in people for v in group)
        usual = min(below, key=lambda v: (-below[v], v))
        alike = [
            group for group in people
            if len(set(group)) > 1 and len({node[v] for v in group}) == 1 and len(below) == 2
        ]  # fmt: skip
        assert counts(similarity(numbered(people), of="s")) == (
            sum(map(len, alike)),
            sum(len(group) for group in alike if node[group[0]] == usual),
            sum(map(len, people)),
        )

    @given(tables, st.sampled_from([0.2, 0.3, 0.5, 1.0]))
    def test_oracle_for_ranges(self, people: list[list[int]], within: float) -> None:
        flat = [v for group in people for v in group]
        wide = max(flat) - min(flat)
        found = right = 0
        for group in people:
            width = max(group) - min(group)
            if len(set(group)) > 1 and width < within * wide:
                found += len(group)
                starts = sorted(set(flat))
                inside = [sum(a <= v <= a + width for v in flat) for a in starts]
                best = starts[inside.index(max(inside))]
                right += sum(best <= v <= best + width for v in group)
        result = similarity(numbered(people), of="s", by="range", within=within)
        assert counts(result) == (found, right, len(flat))

    def test_bad_input(self) -> None:
        with pytest.raises(PlanError, match="neither a taxonomy nor numbers"):
            similarity(table(DISEASES), of="disease")
        with pytest.raises(PlanError, match="has no taxonomy"):
            similarity(table(DISEASES), of="disease", by="taxonomy")
        for wrong in (0, 1.5, "a"):
            with pytest.raises(PlanError, match="within must be"):
                similarity(table(SALARIES, "salary"), of="salary", within=wrong)  # type: ignore[arg-type]
        with pytest.raises(PlanError, match="not by 'colour'"):
            similarity(table(SALARIES, "salary"), of="salary", by="colour")  # type: ignore[arg-type]


class TestSkewness:
    def test_one_in_a_hundred(self) -> None:
        """Li et al. 2007, Section 3.2: 1 % of 10,000 are positive; of a group with as many
        positive as negative everybody is believed to be so with 50 %."""
        virus = [{"positive": 50, "negative": 50}, {"positive": 50, "negative": 9850}]
        result = skewness(Groups.of({"virus": virus}), of="virus")
        assert counts(result) == (50, 1, 100)
        assert result.succeeded
        assert result.sentences[1] == (
            "Whoever finds somebody in group 0 believes in positive with 50.0% instead of 1.00%, "
            "50 times as much."
        )
        assert result.detail["worst"] == [
            {"group": 0, "people": 100, "value": "positive", "count": 50, "belief": 0.5,
             "before": 0.01, "times": 50.0}
        ]  # fmt: skip

    def test_overkill_and_underkill(self) -> None:
        """Slide: 99 % cancer everywhere tells nothing; 50 % does, of flu."""
        quiet = Groups.of({"disease": [{"flu": 5, "cancer": 495}, {"flu": 5, "cancer": 495}]})
        assert counts(skewness(quiet, of="disease")) == (0, 0, 0)
        loud = Groups.of({"disease": [{"flu": 10, "cancer": 10}, {"cancer": 980}]})
        assert counts(skewness(loud, of="disease")) == (10, pytest.approx(0.2), 20)

    @given(tables, st.sampled_from([1.5, 2.0, 3.0]))
    @example([[0, 1, 1, 1, 2], [2, 2, 2]], 1.5)  # 0 and 1 alike, and of the two more have 1
    def test_oracle(self, people: list[list[int]], times: float) -> None:
        flat = Counter(v for group in people for v in group)
        total = sum(flat.values())
        guesses = right = 0
        expected = Fraction(0)
        for group in people:
            own = Counter(group)
            lift = {v: Fraction(own[v] * total, len(group) * flat[v]) for v in own}
            best = max(own, key=lambda v: (lift[v], own[v], -v))
            if lift[best] >= times:
                guesses += len(group)
                right += own[best]
                expected += Fraction(len(group) * flat[best], total)
        found = counts(skewness(numbered(people), of="s", times=times))
        assert found == (right, pytest.approx(float(expected)), guesses)

    def test_suppressed_people_count_in_the_population(self) -> None:
        whole = Groups.of({"disease": [{"flu": 4, "gout": 6}, {"flu": 0, "gout": 90}]})
        part = whole.take(np.array([True, False]))
        assert lifts(part, of="disease").tolist() == pytest.approx([10, 0.625])

    def test_bad_input(self) -> None:
        for wrong in (1, 0.5, float("inf"), float("nan"), "a"):
            with pytest.raises(PlanError, match="times must be a number above 1"):
                skewness(table(PATIENTS), of="disease", times=wrong)  # type: ignore[arg-type]
        whole = Groups.of({"disease": [{"flu": 1}, {"gout": 1}]})
        other = Groups.of({"disease": [{"gout": 1}]}, order={"disease": ["flu", "gout"]})
        mixed = Groups(whole.n, whole.histograms, other.domains)
        with pytest.raises(DataError, match="nobody in the table has"):
            skewness(mixed, of="disease")


@pytest.mark.parametrize("attack", ALL)
@settings(max_examples=30)
@given(people=st.lists(st.integers(0, 9), min_size=1, max_size=40))
def test_one_group_says_nothing(
    attack: Callable[[Groups], AttackResult], people: list[int]
) -> None:
    """The release of one group is what somebody who never saw a group knows."""
    result = attack(numbered([people]))
    assert result.found.value <= result.baseline.value
    assert not result.succeeded
    assert result.gain == 0


@pytest.mark.parametrize("attack", [ALL[0], ALL[1], ALL[3], ALL[4]])
def test_large_groups_at_random_say_nothing(attack: Callable[[Groups], AttackResult]) -> None:
    people = np.random.default_rng(7).integers(0, 10, (20, 500))
    result = attack(numbered(people.tolist()))
    assert result.found.successes == 0
    assert not result.succeeded


def test_values_at_random_are_not_skewed() -> None:
    people = np.random.default_rng(7).integers(0, 10, (20, 500))
    assert skewness(numbered(people.tolist()), of="s").found.guesses == 0
