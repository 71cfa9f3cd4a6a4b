"""Releases of a table that changes: intersection, subtraction, m-invariance."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.attacks.invariance import m_invariance
from hedgerow.attacks.sequential import sequential
from hedgerow.base.errors import DataError
from hedgerow.claims.history import follow
from hedgerow.table.groups import Groups
from hedgerow.table.location import Located, locate, placed
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

# Slide "Updates can also destroy k-anonymity": name, age, sex, zip code. Joe is 10 and lives in
# 17000 here, and has what the microdata says: pneumonia. Mike is in no release.
LIST = [
    ("Andy", 5, "M", 12000, "gastric ulcer"),
    ("Bill", 9, "M", 14000, "dyspepsia"),
    ("Ken", 6, "M", 18000, "pneumonia"),
    ("Nash", 8, "M", 19000, "bronchitis"),
    ("Mike", 7, "M", 17000, None),
    ("Joe", 10, "M", 17000, "pneumonia"),
    ("Sam", 19, "M", 24000, "pneumonia"),
    ("Linda", 21, "F", 58000, "flu"),
    ("Jane", 26, "F", 36000, "gastritis"),
    ("Sarah", 28, "F", 37000, "pneumonia"),
    ("Mary", 56, "F", 33000, "flu"),
]
JOE, SAM, NASH = 5, 6, 3
# The third group of the slide begins at zip code 20001, where Joe never is; his birthday takes
# him there only if it begins at 15001.
BOXES = [
    ("[1, 10]", "M", "[10001, 15000]"),
    ("[1, 10]", "M", "[15001, 20000]"),
    ("[11, 20]", "M", "[15001, 25000]"),
    ("[21, 60]", "F", "[30000, 60000]"),
]


def inside(number: int, label: str) -> bool:
    low, high = label.strip("[]").split(", ")
    return int(low) <= number <= int(high)


def on_day(joes_age: int, *, mike: bool = True) -> tuple[Published, Located, list[list[str]]]:
    """The release of that day, where the list's people are in it, and its groups' values."""
    people = [(n, joes_age if n == "Joe" else a, s, z, d) for n, a, s, z, d in LIST]
    by_box: list[list[str]] = [[] for _ in BOXES]
    rows = []
    for _, age, sex, zip_, disease in people:
        if disease is not None:
            box = next(b for b, (ages, s, zips) in enumerate(BOXES)
                       if inside(age, ages) and sex == s and inside(zip_, zips))  # fmt: skip
            by_box[box].append(disease)
            rows.append((*BOXES[box], disease))
    names = ("age", "sex", "zip", "disease")
    table = pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)})
    published = Published.read(table, sensitive=["disease"])
    known = [p for p in people if mike or p[4] is not None]
    targets = Targets.of({name: [str(p[i + 1]) for p in known] for i, name in enumerate(names[:3])})
    return published, locate(published, targets), by_box


class TestJoesBirthday:
    def test_the_slide_shows_the_day_after(self) -> None:
        """Its groups 2 and 3, {pneumonia, bronchitis} and {pneumonia, pneumonia}, are those with
        Joe being 11. The day before Sam was alone: k-anonymity was gone."""
        assert [Counter(v) for v in on_day(11)[2]] == [
            Counter(["gastric ulcer", "dyspepsia"]),
            Counter(["pneumonia", "bronchitis"]),
            Counter(["pneumonia", "pneumonia"]),
            Counter(["flu", "gastritis", "pneumonia", "flu"]),
        ]
        assert [len(v) for v in on_day(10)[2]] == [2, 3, 1, 4]

    def test_joe_has_pneumonia(self) -> None:
        """Pneumonia or bronchitis before, pneumonia after."""
        (before, here, _), (after, there, _) = on_day(10), on_day(11)
        history = follow([before.groups, after.groups], [here, there], of="disease")
        assert history.each[JOE].tolist() == [2, 1]
        assert history.of(JOE) == ("pneumonia",)
        assert set(history.of(NASH)) == {"pneumonia", "bronchitis"}
        result = sequential([before.groups, after.groups], [here, there], of="disease")
        # Joe and Sam; pneumonia, with four of ten on both days, is what one would guess.
        assert (result.found.successes, result.baseline.successes) == (2, 2)
        assert result.found.guesses == 11
        json.dumps(result.summary(), allow_nan=False)

    def test_who_knows_that_mike_is_not_in_it_also_knows_the_others(self) -> None:
        """Group 2 lost Joe and one case of pneumonia: one of Ken and Nash has the other, and one
        bronchitis. Each group is all of the list now, so the subtraction applies."""
        (before, here, _), (after, there, _) = on_day(10, mike=False), on_day(11, mike=False)
        history = follow([before.groups, after.groups], [here, there], of="disease")
        joe = JOE - 1
        assert history.of(joe) == ("pneumonia",)
        assert history.left.tolist() == [2, 2, 2, 2, 1, 1, 3, 3, 3, 3]

    def test_diverse_groups_do_not_help(self) -> None:
        """Were both groups 2-diverse on both days, the difference would still name Joe's."""
        before = Groups.of({"d": [{"flu": 1, "gout": 1, "acne": 1}, {"flu": 1, "gout": 1}]})
        after = Groups.of({"d": [{"flu": 1, "gout": 1}, {"flu": 1, "gout": 1, "acne": 1}]})
        where = [placed([0, 0, 0, 1, 1]), placed([0, 0, 1, 1, 1])]
        history = follow([before, after], where, of="d")
        assert history.left.tolist() == [2, 2, 1, 2, 2]
        assert history.of(2) == ("acne",)
        result = sequential([before, after], where, of="d")
        assert result.detail["named"] == [{"person": 2, "value": "acne"}]
        assert "Person 2: acne." in result.sentences


def release(truth: Sequence[int], where: Sequence[int], values: int = 3) -> Groups:
    size = max(where) + 1
    groups: list[dict[str | None, int]] = [{} for _ in range(size)]
    for value, group in zip(truth, where, strict=True):
        if group >= 0:
            groups[group][str(value)] = groups[group].get(str(value), 0) + 1
    return Groups.of({"d": groups}, order={"d": [str(v) for v in range(values)]})


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[int], list[list[int]]]:
    people = draw(st.integers(2, 6))
    truth = draw(st.lists(st.integers(0, 2), min_size=people, max_size=people))
    where = []
    for _ in range(draw(st.integers(2, 3))):
        groups = draw(
            st.lists(st.integers(-1, 2), min_size=people, max_size=people).filter(
                lambda g: max(g) >= 0
            )
        )
        used = sorted({g for g in groups if g >= 0})
        where.append([used.index(g) if g >= 0 else -1 for g in groups])
    return truth, where


def every_consistent(truth: Sequence[int], where: Sequence[Sequence[int]]) -> list[set[int]]:
    """The values each person has in some assignment that gives the same releases."""

    def shown(values: Sequence[int]) -> list[Counter[tuple[int, int]]]:
        return [
            Counter((g, v) for g, v in zip(groups, values, strict=True) if g >= 0)
            for groups in where
        ]

    wanted = shown(truth)
    found: list[set[int]] = [set() for _ in truth]
    for values in product(range(3), repeat=len(truth)):
        if shown(values) == wanted:
            for person, value in enumerate(values):
                found[person].add(value)
    return found


class TestSoundness:
    @settings(max_examples=150, deadline=None)
    @given(histories())
    def test_nothing_possible_is_ruled_out(self, case: tuple[list[int], list[list[int]]]) -> None:
        truth, where = case
        releases = [release(truth, groups) for groups in where]
        history = follow(releases, [placed(groups) for groups in where], of="d")
        for person, values in enumerate(every_consistent(truth, where)):
            assert {str(v) for v in values} <= set(history.of(person))
            assert str(truth[person]) in history.of(person)
        assert history.disagreeing == 0

    @settings(max_examples=80, deadline=None)
    @given(histories())
    def test_a_list_that_lacks_people(self, case: tuple[list[int], list[list[int]]]) -> None:
        """Half the people are on nobody's list; the truth stays possible for the others."""
        truth, where = case
        listed = [p for p in range(len(truth)) if p % 2 == 0]
        releases = [release(truth, groups) for groups in where]
        located = [placed([groups[p] for p in listed]) for groups in where]
        history = follow(releases, located, of="d")
        for place, person in enumerate(listed):
            assert str(truth[person]) in history.of(place)

    @settings(max_examples=80, deadline=None)
    @given(histories())
    def test_people_who_fit_several_groups(self, case: tuple[list[int], list[list[int]]]) -> None:
        """Person 0 fits every group of the first release, and a stranger fits theirs too."""
        truth, where = case
        releases = [release(truth, groups) for groups in where]
        located = []
        for r, groups in enumerate(where):
            fits = [[g] if g >= 0 else [] for g in groups]
            if r == 0 and groups[0] >= 0:
                fits[0] = list(range(max(groups) + 1))
            fits.append([groups[0]] if groups[0] >= 0 else [])
            start = np.cumsum([0, *map(len, fits)])
            located.append(Located(start, np.array([g for f in fits for g in f], np.int64)))
        history = follow(releases, located, of="d")
        for person, value in enumerate(truth):
            assert str(value) in history.of(person)

    def test_how_often_everything_that_follows_is_found(self) -> None:
        """Sound rules need not be complete ones; these find all there is in nine cases of ten."""
        rng = np.random.default_rng(3)
        equal = 0
        for _ in range(150):
            truth = rng.integers(0, 3, 6).tolist()
            where = rng.integers(0, 2, (2, 6))
            where[rng.random((2, 6)) < 0.15] = -1
            where[:, :2] = [0, 1]
            history = follow(
                [release(truth, g) for g in where.tolist()], [placed(g) for g in where], of="d"
            )
            oracle = every_consistent(truth, where.tolist())
            equal += all(
                {str(v) for v in values} == set(history.of(person))
                for person, values in enumerate(oracle)
                if (where[:, person] >= 0).any()
            )
        assert equal >= 0.9 * 150


class TestAttack:
    def test_one_group_with_the_same_people_says_nothing(self) -> None:
        rng = np.random.default_rng(5)
        for values in (1, 2, 5):
            truth = rng.integers(0, values, 40).tolist()
            where = [0] * 40
            releases = [release(truth, where, values)] * 2
            result = sequential(releases, [placed(where)] * 2, of="d")
            assert result.found.value <= result.baseline.value
            assert not result.succeeded

    def test_somebody_who_leaves_is_named_even_so(self) -> None:
        """One group of a thousand people, then without one of them: the difference is theirs."""
        truth = [0] * 500 + [1] * 300 + [2] * 200
        gone = [0] * 999 + [-1]
        releases = [release(truth, [0] * 1000), release(truth, gone)]
        history = follow(releases, [placed([0] * 1000), placed(gone)], of="d")
        assert history.of(999) == ("2",)
        assert set(history.left[:999].tolist()) == {3}

    @pytest.mark.parametrize("swapped", [False, True])
    def test_somebody_who_comes_or_leaves_while_others_are_split(self, swapped: bool) -> None:
        """Four people in one group; then two and two, and a fifth. Either pair of groups leaves
        the fifth two values; both groups together leave one."""
        truth = [0, 1, 0, 1, 0]
        where = [[0, 0, 0, 0, -1], [0, 0, 1, 1, 1]]
        if swapped:
            where.reverse()
        history = follow([release(truth, w) for w in where], [placed(w) for w in where], of="d")
        assert history.left.tolist() == [2, 2, 2, 2, 1]
        assert history.of(4) == ("0",)

    def test_whoever_is_known_is_taken_out_of_their_group(self) -> None:
        """Person 0 has f, the only value in three groups; so 1 and 2 do not. No two of these
        groups share as many values as people."""
        letters = [{"f": 1, "g": 1, "h": 1}, {"f": 1, "g": 1, "x": 1}, {"f": 1, "h": 1, "y": 1}]
        releases = [Groups.of({"d": [group]}) for group in letters]
        where = [[0, 0, 0, -1, -1, -1, -1], [0, -1, -1, 0, 0, -1, -1], [0, -1, -1, -1, -1, 0, 0]]
        history = follow(releases, [placed(w) for w in where], of="d")
        assert [set(history.of(p)) for p in range(7)] == [
            {"f"}, {"g", "h"}, {"g", "h"}, {"g", "x"}, {"g", "x"}, {"h", "y"}, {"h", "y"},
        ]  # fmt: skip

    def test_a_value_nobody_else_may_have(self) -> None:
        """Persons 1 and 2 were seen in groups without h: it is person 0's."""
        letters = [{"f": 1, "g": 1, "h": 1}, {"f": 1, "g": 1, "x": 1}, {"f": 1, "g": 1, "y": 1}]
        releases = [Groups.of({"d": [group]}) for group in letters]
        where = [[0, 0, 0, -1, -1, -1, -1], [-1, 0, -1, 0, 0, -1, -1], [-1, -1, 0, -1, -1, 0, 0]]
        history = follow(releases, [placed(w) for w in where], of="d")
        assert history.of(0) == ("h",)
        assert set(history.of(1)) == set(history.of(2)) == {"f", "g"}

    def test_as_many_people_as_records_may_still_be_others(self) -> None:
        """Group 0 has two records, and two people fit it; one of them fits group 1 too and is
        there. The second record is a stranger's, so nothing follows."""
        groups = Groups.of({"d": [{"flu": 1, "gout": 1}, {"acne": 1}]})
        located = Located(np.array([0, 2, 3]), np.array([0, 1, 0]))
        history = follow([groups, groups], [located, located], of="d")
        assert set(history.of(0)) == {"flu", "gout", "acne"}
        assert set(history.of(1)) == {"flu", "gout"}

    def test_releases_that_change_groups_at_random_are_broken(self) -> None:
        rng = np.random.default_rng(11)
        truth = rng.integers(0, 6, 600).tolist()
        where = [rng.permutation(np.repeat(np.arange(150), 4)) for _ in range(4)]
        releases = [release(truth, w.tolist(), 6) for w in where]
        result = sequential(releases, [placed(w) for w in where], of="d")
        assert result.succeeded
        assert result.found.value > 0.5
        history = follow(releases, [placed(w) for w in where], of="d")
        assert all(str(v) in history.of(p) for p, v in enumerate(truth))
        assert result.detail["contradictions"] == 0

    def test_a_value_that_changed_is_a_contradiction(self) -> None:
        one = Groups.of({"d": [{"flu": 1}, {"gout": 2}]})
        two = Groups.of({"d": [{"gout": 1}, {"gout": 2}]})
        result = sequential([one, two], [placed([0, 1, 1])] * 2, of="d")
        assert result.detail["contradictions"] == 1
        assert result.detail["disagreeing_groups"] == 2
        assert "a contradiction" in result.sentences[1]

    def test_values_are_matched_by_name_not_by_place(self) -> None:
        one = Groups.of({"d": [{"flu": 1, "gout": 1}]})
        two = Groups.of({"d": [{"gout": 1, "acne": 1}]})
        history = follow([one, two], [placed([0])] * 2, of="d")
        assert history.of(0) == ("gout",)

    def test_bad_input(self) -> None:
        one = Groups.of({"d": [{"flu": 1, "gout": 1}]})
        with pytest.raises(DataError, match="1 releases"):
            sequential([one], [placed([0])], of="d")
        with pytest.raises(DataError, match="the same people"):
            sequential([one, one], [placed([0]), placed([0, 0])], of="d")
        with pytest.raises(DataError, match="groups that release 2 does not have"):
            sequential([one, one], [placed([0]), placed([1])], of="d")
        several = Groups.of({"d": [{"flu": 2, "gout": 2}]}, n=[2])
        with pytest.raises(DataError, match="which go together"):
            sequential([one, several], [placed([0]), placed([0])], of="d")


class TestInvariance:
    def test_two_invariant_releases_with_counterfeits(self) -> None:
        """After Xiao and Tao 2007: Alan leaves, and a made-up record with his value stays in the
        group, so that Bob's signature is what it was."""
        before = Groups.of({"d": [{"dyspepsia": 1, "bronchitis": 1}, {"flu": 1, "gastritis": 1}]})
        after = Groups.of({"d": [{"dyspepsia": 1, "bronchitis": 1}, {"flu": 1, "gastritis": 1}]})
        bob, alan, david, emily = range(4)
        where = [placed([0, 0, 1, 1]), placed([0, -1, 1, 1])]
        found = m_invariance([before, after], where, of="d")
        assert (found.m, found.unique, found.surviving, found.changed) == (2, (2, 2), 3, 0)
        result = sequential([before, after], where, of="d")
        assert result.found.successes == 0
        assert result.sentences[-1] == "The releases are 2-invariant: no belief exceeds 1/2."
        # Without the made-up record Alan had what is no longer there, and Bob the other.
        honest = Groups.of({"d": [{"bronchitis": 1}, {"flu": 1, "gastritis": 1}]})
        found = m_invariance([before, honest], where, of="d")
        assert (found.m, found.unique, found.changed) == (0, (2, 1), 1)
        history = follow([before, honest], where, of="d")
        assert history.of(bob) == ("bronchitis",)
        assert history.of(alan) == ("dyspepsia",)
        assert history.left[[david, emily]].tolist() == [2, 2]

    def test_a_value_that_repeats(self) -> None:
        one = Groups.of({"d": [{"flu": 2, "gout": 1}]})
        found = m_invariance([one, one], [placed([0, 0, 0])] * 2, of="d")
        assert (found.m, found.unique, found.changed) == (0, (0, 0), 0)

    def test_people_who_fit_several_groups_are_not_counted(self) -> None:
        one = Groups.of({"d": [{"flu": 1, "gout": 1}, {"acne": 1, "gout": 1}]})
        both = Located(np.array([0, 2]), np.array([0, 1]))
        found = m_invariance([one, one], [both, placed([0])], of="d")
        assert (found.m, found.surviving, found.unsure) == (None, 0, 1)

    @settings(max_examples=100, deadline=None)
    @given(histories())
    def test_oracle(self, case: tuple[list[int], list[list[int]]]) -> None:
        truth, where = case
        signatures, unique = [], []
        for groups in where:
            members = [
                [v for v, g in zip(truth, groups, strict=True) if g == group]
                for group in range(max(groups) + 1)
            ]
            signatures.append([frozenset(m) for m in members])
            repeats = any(len(set(m)) < len(m) for m in members)
            unique.append(0 if repeats else min(map(len, members)))
        changed = 0
        for person in range(len(truth)):
            seen = [s[g[person]] for s, g in zip(signatures, where, strict=True) if g[person] >= 0]
            changed += len(set(seen)) > 1
        found = m_invariance([release(truth, g) for g in where], [placed(g) for g in where], of="d")
        assert found.unique == tuple(unique)
        assert found.changed == changed
        stayed = np.sum(np.array(where) >= 0, axis=0).max() > 1
        whole = min(unique) if stayed else None
        assert found.m == (0 if changed or not min(unique) else whole)


def test_certain_is_certain_and_right() -> None:
    """Whoever takes Joe to be in both releases is sure that he has acne; he is only in one."""
    before = Groups.of({"d": [{"flu": 1, "gout": 1, "acne": 1}, {"flu": 1, "gout": 1}]})
    after = Groups.of({"d": [{"flu": 1, "gout": 1}, {"flu": 1, "gout": 1, "acne": 1}]})
    where = [placed([0, 0, 0, 1, 1]), placed([0, 0, 1, 1, 1])]
    for joe, known in (("acne", 1), ("flu", 0), ("measles", 0)):
        truth = ["flu", "gout", joe, "flu", "gout"]
        result = sequential([before, after], where, of="d", truth=truth)
        assert result.gains is not None
        assert result.found.successes == result.gains.certain == known
        assert result.gains.summary()["wrongly"] == result.detail["wrong"] == 1 - known
        assert ("Person 2: acne." in result.sentences) == bool(known)
        assert any("it is the wrong one" in text for text in result.sentences) != bool(known)
        assert any("takes everybody who fits" in text for text in result.sentences)
