"""Lecture slides on k-anonymity, l-diversity, t-closeness and differential privacy.

Every worked table is measured. Where a slide's claim is wrong as printed, the test asserts
what is right and says so.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product

import pytest
from asked_beliefs import asked, one

from hedgerow.attacks.background_knowledge import background_knowledge
from hedgerow.attacks.gain_bounds import GainBounds
from hedgerow.attacks.homogeneity import homogeneity
from hedgerow.claims import (
    BetaLikeness,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    JournalistRisk,
    KAnonymity,
    KMap,
    ProbabilisticLDiversity,
    ProsecutorRisk,
    RecursiveLDiversity,
    TCloseness,
    UniqueShare,
)
from hedgerow.claims.base import PrivacyModel, RatioModel
from hedgerow.table.groups import ALL, Groups

# Slide "Why is access so strictly controlled?": name, age, sex, zip code, disease.
MICRODATA = [
    ("Andy", 5, "M", 12000, "gastric ulcer"),
    ("Bill", 9, "M", 14000, "dyspepsia"),
    ("Ken", 6, "M", 18000, "pneumonia"),
    ("Nash", 8, "M", 19000, "bronchitis"),
    ("Joe", 12, "M", 22000, "pneumonia"),
    ("Sam", 19, "M", 24000, "pneumonia"),
    ("Linda", 21, "F", 58000, "flu"),
    ("Jane", 26, "F", 36000, "gastritis"),
    ("Sarah", 28, "F", 37000, "pneumonia"),
    ("Mary", 56, "F", 33000, "flu"),
]
VOTERS = [row[:4] for row in MICRODATA] + [("Mike", 7, "M", 17000)]
# Slide "2-anonymous generalization": age, sex and zip code of the four groups.
BOXES = [
    ((1, 10), "M", (10001, 15000)),
    ((1, 10), "M", (15001, 20000)),
    ((11, 20), "M", (20001, 25000)),
    ((21, 60), "F", (30000, 60000)),
]
DISEASES_BY_BOX = [
    ["gastric ulcer", "dyspepsia"],
    ["pneumonia", "bronchitis"],
    ["pneumonia", "pneumonia"],
    ["flu", "gastritis", "pneumonia", "flu"],
]


def box_of(person: Sequence[object]) -> int | None:
    _, age, sex, postcode = person[:4]
    for place, ((low, high), whose, (first, last)) in enumerate(BOXES):
        if low <= age <= high and sex == whose and first <= postcode <= last:  # type: ignore[operator]
            return place
    return None


def table(groups: Iterable[Iterable[str]], **more: object) -> Groups:
    """Groups of people, each with one disease."""
    return Groups.of({"disease": [dict(Counter(group)) for group in groups]}, **more)  # type: ignore[arg-type]


def level(model: PrivacyModel, groups: Groups) -> list[float]:
    return model.level(groups).tolist()


def exact_levels(model: RatioModel, groups: Groups) -> list[Fraction]:
    above, below = model.ratios(groups)[0]
    return [Fraction(int(a), int(b)) for a, b in zip(above, below, strict=True)]


distinct = DistinctLDiversity(l=2, of="disease")
probabilistic = ProbabilisticLDiversity(l=2, of="disease")
entropy = EntropyLDiversity(l=2, of="disease")


class TestIdentity:
    def test_raw_microdata(self) -> None:
        """Slide "What if we de-identify the records by removing names?": everybody is unique."""
        groups = table([row[4]] for row in MICRODATA)
        assert len({row[1:4] for row in MICRODATA}) == len(MICRODATA)
        assert KAnonymity(k=2).check(groups).level == 1
        assert UniqueShare(share=0).check(groups).level == 1
        assert ProsecutorRisk(risk=0.5).check(groups).level == 1

    def test_the_voter_list_names_them_all(self) -> None:
        """Slide "We can re-identify people": each row meets one voter; Mike meets none."""
        published = {row[1:4]: row[4] for row in MICRODATA}
        met = {name: published.get((age, sex, zip_)) for name, age, sex, zip_ in VOTERS}
        assert met["Joe"] == "pneumonia"
        assert met["Mike"] is None
        assert sum(disease is not None for disease in met.values()) == 10
        groups = table(([row[4]] for row in MICRODATA), population=[1] * 10)
        assert KMap(k=2).check(groups).level == 1

    def test_2_anonymous_generalization(self) -> None:
        """Sizes 2, 2, 2, 4. "Indistinguishable from >= k other people's" is one too many: each
        person has at least k - 1 = 1 other (Sweeney 2002)."""
        by_box = [[row[4] for row in MICRODATA if box_of(row) == b] for b in range(4)]
        assert by_box == DISEASES_BY_BOX
        groups = table(by_box)
        assert groups.n.tolist() == [2, 2, 2, 4]
        assert KAnonymity(k=2).check(groups).holds
        assert not KAnonymity(k=3).check(groups).holds
        assert min(groups.n) - 1 == 1

    def test_its_homogeneous_group(self) -> None:
        """Slide "No diversity in this QI group": both have pneumonia."""
        groups = table(DISEASES_BY_BOX)
        assert level(distinct, groups) == [2, 2, 1, 3]
        assert distinct.check(groups).worst == 2
        assert level(probabilistic, groups) == [2, 2, 1, 2]
        assert entropy.level(groups) == pytest.approx([2, 2, 1, 8**0.5])
        assert RecursiveLDiversity(c=9, l=2, of="disease").level(groups)[2] == math.inf

    def test_its_voter_list(self) -> None:
        """Mike, who is not in the table, falls into the second group: the only doubt there is."""
        population = Counter(box_of(voter) for voter in VOTERS)
        groups = table(DISEASES_BY_BOX, population=[population[b] for b in range(4)])
        assert groups.population is not None
        assert groups.population.tolist() == [2, 3, 2, 4]
        presence = DeltaPresence(minimum=0, maximum=1)
        assert exact_levels(presence, groups) == [1, Fraction(2, 3), 1, 1]
        assert not DeltaPresence(minimum=0, maximum=0.99).check(groups).holds
        assert KMap(k=2).check(groups).holds
        assert JournalistRisk(risk=0.5).check(groups).holds
        # Three voters fit two records. In the two worlds of three in which Ken is one of them he
        # has pneumonia or bronchitis; in the third he may have any of six diseases.
        boxes = [dict(Counter(box)) for box in DISEASES_BY_BOX]
        fits = [[i] for i in range(4)]
        everybody = asked([boxes], [fits], people=[2, 3, 2, 4], listed=True, sure=False)
        likely, rare = Fraction(1, 3) + Fraction(1, 18), Fraction(1, 18)
        assert everybody[1] == dict.fromkeys(
            ["dyspepsia", "flu", "gastric ulcer", "gastritis"], rare
        ) | dict.fromkeys(["bronchitis", "pneumonia"], likely)
        assert everybody[2] == {"pneumonia": Fraction(1)}

    def test_updates_destroy_it(self) -> None:
        """Slide "Updates can also destroy k-anonymity", whose list has Joe at (10, M, 17000), not
        at (12, M, 22000) as before: only Sam fits the homogeneous group, and on his birthday Joe
        fits none."""
        moved = [("Joe", 10, "M", 17000) if v[0] == "Joe" else v for v in VOTERS]
        population = Counter(box_of(voter) for voter in moved)
        assert [population[b] for b in range(4)] == [2, 4, 1, 4]
        groups = table(DISEASES_BY_BOX, population=[2, 4, 1, 4])
        assert KMap(k=2).holds(groups).tolist() == [True, True, False, True]
        # Two records where the list has one person: no share of it, so no presence either.
        assert exact_levels(DeltaPresence(minimum=0, maximum=1), groups)[2] == 2
        assert box_of(("Joe", 11, "M", 17000)) is None

    def test_wait_for_his_birthday(self) -> None:
        """Slide "Updates can also destroy k-anonymity": "What is Joe's disease? Wait for his
        birthday." The slide does not show the table after it. Here it is published once more, with
        Joe among those above ten. What has moved is his."""
        before = [{"pneumonia": 2, "bronchitis": 1}, {"pneumonia": 1}]  # Ken, Nash, Joe; Sam
        after = [{"pneumonia": 1, "bronchitis": 1}, {"pneumonia": 2}]  # Ken, Nash; Sam, Joe
        assert asked([before], [[[0]]])[0]["pneumonia"] == Fraction(2, 3)
        assert one([before, after], 0, 1) == {"pneumonia": Fraction(1)}
        ken_and_nash, joe, sam = asked(
            [before, after], [[[0], [0], [1]], [[0], [1], [1]]], people=[2, 1, 1], listed=True
        )
        half = Fraction(1, 2)
        assert joe == sam == {"pneumonia": Fraction(1)}
        assert ken_and_nash == {"pneumonia": half, "bronchitis": half}


class TestDiversity:
    def test_homogeneity_and_background_knowledge(self) -> None:
        """Slide "A 3-anonymous patient table": Bob (47678, 27) has heart disease; who knows that
        Carl (47673, 36) has none knows that he has cancer."""
        patients = [
            ["heart disease"] * 3,
            ["flu", "heart disease", "cancer"],
            ["heart disease", "cancer", "cancer"],
        ]
        groups = table(patients)
        assert KAnonymity(k=3).check(groups).level == 3
        assert level(distinct, groups) == [1, 3, 2]
        assert set(patients[0]) == {"heart disease"}
        assert set(patients[2]) - {"heart disease"} == {"cancer"}
        # Bob and the two beside him are 3 of 9, and no gate may let them pass.
        read = homogeneity(groups, of="disease")
        assert read.gains is not None
        assert (read.gains.certain, read.gains.people) == (3, 9)
        assert GainBounds().broken(read)
        assert GainBounds(mean=0.001).broken(read)
        # Ruled out heart disease, Carl and the other two of the last group have cancer as well.
        ruled = background_knowledge(groups, of="disease", m=1)
        assert ruled.gains is not None
        assert ruled.gains.certain == 6
        # Whoever counts worlds believes the same of Bob and of Carl.
        rows = [dict(Counter(group)) for group in patients]
        assert one([rows], 0) == {"heart disease": Fraction(1)}
        assert one([rows], 2, ruled_out=["heart disease"]) == {"cancer": Fraction(1)}
        # 3-diversity would leave two values to an attacker who rules out one.
        assert not DistinctLDiversity(l=3, of="disease").holds(groups)[2]

    def test_a_2_diverse_table(self) -> None:
        """Every group has two values, equally frequent. As printed it is no generalisation of the
        microdata: Bill, who is 9, would be in [1, 5]."""
        groups = table(
            [
                ["gastric ulcer", "dyspepsia"],
                ["pneumonia", "bronchitis"],
                ["flu", "pneumonia"],
                ["gastritis", "gastritis", "flu", "flu"],
            ]
        )
        assert KAnonymity(k=2).check(groups).level == 2
        for model in (distinct, probabilistic, entropy):
            assert level(model, groups) == [2, 2, 2, 2]
            assert model.check(groups).holds
        assert [row[1] for row in MICRODATA if row[0] == "Bill"] == [9]

    def test_98_of_100(self) -> None:
        """Slide "We can attack this probabilistically": three values, and HIV with 98 %."""
        groups = table([["HIV"] * 98 + ["pneumonia", "bronchitis"]])
        assert level(distinct, groups) == [3]
        assert exact_levels(probabilistic, groups) == [Fraction(100, 98)]
        assert entropy.level(groups)[0] < 1.13
        assert level(RecursiveLDiversity(c=49, l=2, of="disease"), groups) == [49]
        assert not RecursiveLDiversity(c=49, l=2, of="disease").check(groups).holds
        assert RecursiveLDiversity(c=49.01, l=2, of="disease").check(groups).holds
        joe = one([[{"HIV": 98, "pneumonia": 1, "bronchitis": 1}]], 0)
        assert joe["HIV"] == Fraction(98, 100)

    def test_50_and_49_of_100(self) -> None:
        """Slide "Even then, we can still attack": Sally rules out pneumonia; 50 : 1 is left."""
        groups = table([["HIV"] * 50 + ["pneumonia"] * 49 + ["bronchitis"]])
        assert probabilistic.check(groups).holds
        assert level(RecursiveLDiversity(c=2, l=2, of="disease"), groups) == [1]
        assert level(RecursiveLDiversity(c=2, l=3, of="disease"), groups) == [50]
        assert RecursiveLDiversity(c=2, l=2, of="disease").check(groups).holds
        assert not RecursiveLDiversity(c=2, l=3, of="disease").check(groups).holds
        assert Fraction(50, 50 + 1) > Fraction(98, 100)
        rows = [{"HIV": 50, "pneumonia": 49, "bronchitis": 1}]
        joe, others = asked(
            [rows], [[[0], [0]]], people=[1, 99], listed=True, ruled_out=[["pneumonia"], []]
        )
        assert joe == one([rows], 0, ruled_out=["pneumonia"])
        assert joe == {"HIV": Fraction(50, 51), "bronchitis": Fraction(1, 51)}
        # The 49 who have pneumonia are among the others.
        assert others["pneumonia"] == Fraction(49, 99)

    def test_three_variants(self) -> None:
        """Slide "l-diversity variants": share <= 1/l, entropy >= log l, r_1 < c (r_l + ...)."""
        groups = table([["a"] * 2 + ["b"] * 2 + ["c"] * 2, ["a"] * 3 + ["b"] * 2 + ["c"]])
        for kind in (ProbabilisticLDiversity, EntropyLDiversity):
            assert kind(l=3, of="disease").holds(groups).tolist() == [True, False]
        assert RecursiveLDiversity(c=1.5, l=2, of="disease").holds(groups).tolist() == [True, True]
        assert RecursiveLDiversity(c=1, l=2, of="disease").holds(groups).tolist() == [True, False]

    def test_overkill_and_underkill(self) -> None:
        """99 % cancer everywhere is not diverse and tells nothing; 50 % is diverse and tells a lot.
        The slide shows only some rows, so its shares are written out for 1,000 people."""
        quiet = Groups.of({"disease": [{"flu": 5, "cancer": 495}, {"flu": 5, "cancer": 495}]})
        loud = Groups.of({"disease": [{"flu": 10, "cancer": 10}, {"cancer": 980}]})
        closeness = TCloseness(t=0.05, of="disease")
        assert not entropy.check(quiet).holds
        assert exact_levels(closeness, quiet) == [0, 0]
        assert entropy.holds(loud)[0]
        assert exact_levels(closeness, loud) == [Fraction(49, 100), Fraction(1, 100)]
        gain = BetaLikeness(beta=1, of="disease")
        assert exact_levels(gain, loud)[0] == 49
        assert exact_levels(gain, quiet) == [0, 0]

    def test_what_l_diversity_guarantees(self) -> None:
        """Confidence at most 1/l holds for the 2-diverse table on that slide (Bob: 1/2) ..."""
        groups = table(
            [
                ["pneumonia", "dyspepsia", "dyspepsia", "pneumonia"],
                ["flu", "gastritis", "flu", "bronchitis"],
            ]
        )
        assert level(distinct, groups) == [2, 3]
        assert level(probabilistic, groups) == [2, 2]

    def test_but_distinct_diversity_does_not_guarantee_it(self) -> None:
        """... yet not for l different values as such, which the "3-diversified" slide uses:
        cancer has 2 of 4 in two of its groups, more than 1/3."""
        groups = table(THREE_DIVERSIFIED)
        assert KAnonymity(k=4).check(groups).level == 4
        assert DistinctLDiversity(l=3, of="disease").check(groups).holds
        assert level(probabilistic, groups) == [2, 2, 2]
        assert not ProbabilisticLDiversity(l=3, of="disease").check(groups).holds
        assert entropy.level(groups) == pytest.approx([8**0.5] * 3)

    def test_umeko_and_bob(self) -> None:
        """Umeko (13068, Japanese, so no heart disease) and Bob (13053) in the 4-anonymization and
        in the 3-diversified table."""
        umeko, bob = FOUR_ANONYMOUS[0], FOUR_ANONYMOUS[2]
        assert set(umeko) - {"heart"} == {"viral"}
        assert set(bob) == {"cancer"}
        rows = [dict(Counter(group)) for group in FOUR_ANONYMOUS]
        assert one([rows], 0, ruled_out=["heart"]) == {"viral": Fraction(1)}
        assert one([rows], 2) == {"cancer": Fraction(1)}
        groups = table(FOUR_ANONYMOUS)
        assert KAnonymity(k=4).check(groups).level == 4
        assert level(distinct, groups) == [2, 3, 1]
        assert set(THREE_DIVERSIFIED[1]) - {"heart"} == {"viral", "cancer"}
        rows = [dict(Counter(group)) for group in THREE_DIVERSIFIED]
        assert one([rows], 1, ruled_out=["heart"]) == {
            "viral": Fraction(1, 3), "cancer": Fraction(2, 3),
        }  # fmt: skip
        assert set(THREE_DIVERSIFIED[0]) == {"viral", "cancer", "heart"}


# Slides "k-Anonymity Attack Example": conditions of rows 1-4, 5-8, 9-12.
FOUR_ANONYMOUS = [
    ["heart", "heart", "viral", "viral"],
    ["cancer", "heart", "viral", "viral"],
    ["cancer", "cancer", "cancer", "cancer"],
]
# Slide "3-diversified": rows 1, 4, 9, 10 (1305*), 2, 3, 11, 12 (1306*), 5-8 (1485*).
THREE_DIVERSIFIED = [
    ["heart", "viral", "cancer", "cancer"],
    ["heart", "viral", "cancer", "cancer"],
    ["cancer", "heart", "viral", "viral"],
]


class TestGeneralizationSlides:
    def test_three_2_anonymizations_and_which_are_minimal(self) -> None:
        """Zip kept: two mixed groups. All generalised: one group of four, so it is 4-anonymous
        too. Age and nationality kept: two groups, each with one condition."""
        first = table([["heart", "cancer"], ["heart", "cancer"]])
        second = table([["heart", "heart", "cancer", "cancer"]])
        third = table([["heart", "heart"], ["cancer", "cancer"]])
        assert [KAnonymity(k=2).check(t).level for t in (first, second, third)] == [2, 4, 2]
        assert [distinct.check(t).level for t in (first, second, third)] == [2, 2, 1]
        # The second is not minimal: it is a union of groups of either other one.
        for finer in (first, third):
            union = finer.merge(finer.n * 0, 1)
            assert union.n.tolist() == second.n.tolist()
            assert sorted(union.histograms["disease"].counts) == [2, 2]

    def test_original_data_of_the_attack_example(self) -> None:
        rows = [
            (13053, 28, "Russian"), (13068, 29, "American"), (13068, 21, "Japanese"),
            (13053, 23, "American"), (14853, 50, "Indian"), (14853, 55, "Russian"),
            (14850, 47, "American"), (14850, 49, "American"), (13053, 31, "American"),
            (13053, 37, "Indian"), (13068, 36, "Japanese"), (13068, 35, "American"),
        ]  # fmt: skip
        groups = Groups.of(list(Counter(rows).values()))
        assert len(groups) == 12
        assert KAnonymity(k=2).check(groups).level == 1


class TestCloseness:
    def test_caucas_and_asian(self) -> None:
        """Slide "Principle 3": both groups have flu, acne and shingles 3 : 2 : 1, so t = 0."""
        caucas = ["Flu", "Shingles", "Acne", "Flu", "Acne", "Flu"]
        asian = ["Flu", "Flu", "Acne", "Shingles", "Acne", "Flu"]
        groups = table([caucas, asian])
        assert KAnonymity(k=6).check(groups).level == 6
        assert level(distinct, groups) == [3, 3]
        assert TCloseness(t=0, of="disease").check(groups).holds

    def test_4_anonymous_3_diverse_perfectly_close(self) -> None:
        """True of the disease, by number of values; not of HIV, which has only two, and not by
        entropy (2.83). Both columns are perfectly close."""
        groups = FOUR_THREE_ZERO
        assert KAnonymity(k=4).check(groups).level == 4
        assert level(distinct, groups) == [3, 3]
        assert entropy.level(groups) == pytest.approx([8**0.5, 8**0.5])
        assert level(DistinctLDiversity(l=3, of="hiv"), groups) == [2, 2]
        assert not DistinctLDiversity(l=3, of="hiv").check(groups).holds
        for column in ("disease", "hiv"):
            assert TCloseness(t=0, of=column).check(groups).holds

    def test_and_still_bob_with_shingles_is_hiv_positive(self) -> None:
        """Slide "That depends on the attacker's background knowledge": whoever knows one more
        column finds one record. Over all columns the table is 1-anonymous."""
        assert {hiv for hiv, disease in ASIAN if disease == "Shingles"} == {"HIV+"}
        assert KAnonymity(k=4, over="all").check(FOUR_THREE_ZERO).level == 1

    def test_similarity_attack_salaries(self) -> None:
        """Slide "A 3-diverse patient table", and Bob's salary is in [20k, 40k]. Ordered distances
        are 3/8, 1/6 and 17/72; equal distance sees no difference."""
        salaries = [[20, 30, 40], [50, 100, 70], [60, 80, 90]]
        groups = Groups.of(
            {"salary": [{str(s): 1 for s in group} for group in salaries]},
            order={"salary": [str(s) for s in range(20, 101, 10)]},
        )
        assert DistinctLDiversity(l=3, of="salary").check(groups).holds
        ordered = TCloseness(t=0.375, of="salary", distance="ordered")
        assert exact_levels(ordered, groups) == [
            Fraction(3, 8), Fraction(1, 6), Fraction(17, 72),
        ]  # fmt: skip
        assert ordered.check(groups).holds
        assert exact_levels(TCloseness(t=1, of="salary"), groups) == [Fraction(2, 3)] * 3

    def test_similarity_attack_diseases(self) -> None:
        """Bob "has some stomach-related disease". In the taxonomy below (height 3) the
        distances are 4/9, 8/27 and 8/27."""
        taxonomy = [
            ("flu", 0, 0), ("pneumonia", 0, 0), ("bronchitis", 0, 0),
            ("pulmonary edema", 1, 0), ("pulmonary embolism", 1, 0),
            ("gastric ulcer", 2, 1), ("stomach cancer", 2, 1), ("gastritis", 2, 1),
            ("colitis", 3, 1), ("colon cancer", 3, 1),
        ]  # fmt: skip
        diseases = [
            ["gastric ulcer", "gastritis", "stomach cancer"],
            ["gastritis", "flu", "bronchitis"],
            ["bronchitis", "pneumonia", "stomach cancer"],
        ]
        groups = table(
            diseases,
            order={"disease": [name for name, _, _ in taxonomy]},
            levels={
                "disease": [[a for _, a, _ in taxonomy], [b for _, _, b in taxonomy], [0] * 10]
            },
        )
        assert DistinctLDiversity(l=3, of="disease").check(groups).holds
        tree = TCloseness(t=0.45, of="disease", distance="hierarchical")
        assert exact_levels(tree, groups) == [Fraction(4, 9), Fraction(8, 27), Fraction(8, 27)]


# Slide "How anonymous is this 4-anonymous, 3-diverse, and perfectly-t-close data?".
ASIAN = [("HIV-", "Acne"), ("HIV-", "Acne"), ("HIV-", "Flu"), ("HIV+", "Shingles")]
CAUCASIAN = [("HIV+", "Flu"), ("HIV-", "Acne"), ("HIV-", "Shingles"), ("HIV-", "Acne")]
FOUR_THREE_ZERO = Groups.of(
    {
        "hiv": [dict(Counter(hiv for hiv, _ in g)) for g in (ASIAN, CAUCASIAN)],
        "disease": [dict(Counter(disease for _, disease in g)) for g in (ASIAN, CAUCASIAN)],
        ALL: [dict(Counter(map(str, g))) for g in (ASIAN, CAUCASIAN)],
    }
)


class TestDifferentialPrivacySlides:
    """Plain arithmetic on the tables shown; the mechanisms have tests of their own."""

    PATIENTS = (("F", 28, "Y"), ("M", 19, "Y"), ("M", 25, "N"), ("M", 30, "N"))

    def neighbours(self) -> Iterable[tuple[tuple[str, int, str], ...]]:
        """Every table in which one tuple has other values."""
        for place, gender, age, diabetes in product(range(4), "FM", (19, 23, 25, 28, 30), "YN"):
            changed = list(self.PATIENTS)
            changed[place] = (gender, age, diabetes)
            yield tuple(changed)

    def test_the_diabetes_count_changes_by_at_most_1(self) -> None:
        """2 in D, 3 in D' (Chris becomes 23, Y): noise of scale 1 / epsilon is enough."""
        count = sum(d == "Y" for _, _, d in self.PATIENTS)
        assert count == 2
        shown = (*self.PATIENTS[:2], ("M", 23, "Y"), self.PATIENTS[3])
        assert shown in set(self.neighbours())
        assert sum(d == "Y" for _, _, d in shown) == 3
        assert max(abs(sum(d == "Y" for _, _, d in t) - count) for t in self.neighbours()) == 1
        for epsilon, y in product((0.1, 1.0, 3.0), (-2.0, 0.0, 2.0, 2.5, 3.0, 9.0)):
            ratio = math.exp(epsilon * (abs(y - 2) - abs(y - 3)))
            assert ratio <= math.exp(epsilon) * (1 + 1e-12)

    def test_a_histogram_has_sensitivity_2(self) -> None:
        """Slide "Sensitivity of Queries": a tuple leaves one bin for another, 1 + 1."""
        people = ((42, "Y"), (31, "Y"), (28, "Y"), (43, "N"))
        bins = list(product((20, 30, 40), "YN"))

        def histogram(rows: Iterable[tuple[int, str]]) -> list[int]:
            found = Counter((age // 10 * 10, hiv) for age, hiv in rows)
            return [found[b] for b in bins]

        before = histogram(people)
        assert before == [1, 0, 1, 0, 1, 1]
        changes = set()
        for place, (age, hiv) in product(range(4), bins):
            rows = [*people[:place], (age, hiv), *people[place + 1 :]]
            changes.add(sum(abs(a - b) for a, b in zip(before, histogram(rows), strict=True)))
        assert changes == {0, 2}

    def test_exponential_mechanism_probabilities(self) -> None:
        """0.71 and 0.39 add up to 1.10, as printed. Scores 0.5 and 0.3 with weights
        exp(score / scale) give 0.71 and 0.29 at scale 0.2234, and 0.61 and 0.39 at 0.447."""

        def gender_and_age(scale: float) -> tuple[float, float]:
            gender, age = math.exp(0.5 / scale), math.exp(0.3 / scale)
            return gender / (gender + age), age / (gender + age)

        assert 0.2 / math.log(0.71 / 0.29) == pytest.approx(0.2234, abs=5e-5)
        assert gender_and_age(0.2234) == pytest.approx((0.71, 0.29), abs=5e-4)
        assert gender_and_age(0.447) == pytest.approx((0.61, 0.39), abs=5e-4)
