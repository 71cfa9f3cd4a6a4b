"""Linkage with a register: the voter list of the lecture slides, and tables counted by hand."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.attacks.linkage import link
from hedgerow.attacks.links import Links
from hedgerow.attacks.tolerance import Edits, loosened
from hedgerow.base.errors import DataError, PlanError
from hedgerow.table.labels import covers
from hedgerow.table.location import locate
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

# Slides "What if we de-identify the records" and "We can re-identify people".
MICRODATA = pd.DataFrame(
    [
        ("Andy", "5", "M", "12000", "gastric ulcer"),
        ("Bill", "9", "M", "14000", "dyspepsia"),
        ("Ken", "6", "M", "18000", "pneumonia"),
        ("Nash", "8", "M", "19000", "bronchitis"),
        ("Joe", "12", "M", "22000", "pneumonia"),
        ("Sam", "19", "M", "24000", "pneumonia"),
        ("Linda", "21", "F", "58000", "flu"),
        ("Jane", "26", "F", "36000", "gastritis"),
        ("Sarah", "28", "F", "37000", "pneumonia"),
        ("Mary", "56", "F", "33000", "flu"),
    ],
    columns=["name", "age", "sex", "zip", "disease"],
)
VOTERS = Targets.read(
    pd.concat(
        [
            MICRODATA.drop(columns="disease"),
            pd.DataFrame([("Mike", "7", "M", "17000")], columns=["name", "age", "sex", "zip"]),
        ]
    )
)
# Slide "2-anonymous generalization".
TWO = [("[1, 10]", "M", "[10001, 15000]")] * 2 + [("[1, 10]", "M", "[15001, 20000]")] * 2
TWO += [("[11, 20]", "M", "[20001, 25000]")] * 2 + [("[21, 60]", "F", "[30000, 60000]")] * 4
FOUR = [("[1, 20]", "M", "[10001, 25000]")] * 6 + TWO[6:]


def generalised(rows) -> Published:
    table = pd.DataFrame(rows, columns=["age", "sex", "zip"])
    return Published.read(table.assign(disease=MICRODATA["disease"]), sensitive=["disease"])


@pytest.fixture(scope="module")
def raw() -> Published:
    return Published.read(MICRODATA.drop(columns="name"), sensitive=["disease"])


class TestSlides:
    def test_everybody_is_re_identified(self, raw):
        result = link(raw, VOTERS, name="name")
        assert sorted(result.detail["who"]) == sorted(MICRODATA["name"])
        assert (result.found.successes, result.found.guesses) == (10, 10)
        assert result.baseline.value == pytest.approx(1 / 11)
        assert result.succeeded
        assert result.detail["prosecutor"]["fitting"] == 10, "Mike fits no record"
        assert result.detail["prosecutor"]["singled_out"] == 10
        assert result.detail["journalist"]["singled_out"] == 10

    def test_age_alone_does_it(self, raw):
        result = link(raw, VOTERS, name="name")
        whole = [key["columns"] for key in result.detail["keys"] if key["reidentified"] == 10]
        assert whole[:2] == [["age"], ["zip"]]
        assert ["sex"] not in whole
        assert "age alone re-identifies 10 of them." in result.sentences

    def test_two_anonymous(self):
        """Groups of 2, 2, 2 and 4 records; Mike is a third candidate for the second."""
        result = link(generalised(TWO), VOTERS, name="name")
        assert result.detail["reidentified"] == 0
        assert result.detail["who"] == result.detail["keys"] == []
        assert result.found.successes == pytest.approx(float(1 + Fraction(2, 3) + 1 + 1))
        prosecutor, journalist = result.detail["prosecutor"], result.detail["journalist"]
        assert (prosecutor["fitting"], prosecutor["highest"]) == (11, 0.5)
        assert prosecutor["average"] == pytest.approx((7 / 2 + 4 / 4) / 11)
        assert journalist["average"] == pytest.approx((2 / 2 + 2 / 3 + 2 / 2 + 4 / 4) / 10)

    def test_four_anonymous(self):
        result = link(generalised(FOUR), VOTERS, name="name")
        assert result.detail["reidentified"] == 0
        assert result.found.successes == pytest.approx(6 / 7 + 1)
        assert result.detail["prosecutor"]["highest"] == 0.25
        assert "hides among 4 records or more" in result.sentences[1]

    def test_one_group_says_nothing(self):
        """Whoever looks at such a release guesses as well as somebody who does not."""
        result = link(generalised([("*", "*", "*")] * 10), VOTERS)
        assert result.found.value == pytest.approx(result.baseline.value)
        assert not result.succeeded
        assert result.gain == pytest.approx(0)

    def test_plain_data(self, raw):
        assert json.loads(json.dumps(link(raw, VOTERS, fuzzy={"age": 1}).summary()))


class TestFuzzy:
    def test_a_register_that_is_a_year_old(self, raw):
        """Joe was 11 and Sam 18: exact matching loses them, a year of tolerance finds them."""
        known = {name: VOTERS.column(name) for name in VOTERS.columns}
        known["age"] = [{"12": "11", "19": "18"}.get(age, age) for age in known["age"]]
        register = Targets.of(known)
        truth = [locate(raw, VOTERS).of(i).tolist() for i in range(11)]
        home = [groups[0] if groups else -1 for groups in truth]
        exact = link(raw, register, name="name", truth=home)
        assert set(MICRODATA["name"]) - set(exact.detail["who"]) == {"Joe", "Sam"}
        assert (exact.found.successes, exact.detail["reidentified_rightly"]) == (8, 8)
        near = link(raw, register, name="name", truth=home, fuzzy={"age": 1})
        assert (near.found.successes, near.detail["reidentified_rightly"]) == (10, 10)
        assert near.detail["exact"]["reidentified"] == 8
        assert any("Without tolerance 8" in told for told in near.sentences)

    def test_tolerance_blurs_too(self, raw):
        """By age alone, within a year, only those with no neighbour are left."""
        ages = Targets.of({"age": list(MICRODATA["age"])})
        result = link(raw, ages, fuzzy={"age": 1})
        alone = [
            i for i, a in enumerate(MICRODATA["age"])
            if all(abs(int(a) - int(b)) > 1 for j, b in enumerate(MICRODATA["age"]) if i != j)
        ]  # fmt: skip
        assert result.detail["who"] == [f"row {i + 1}" for i in alone]
        assert 0 < len(alone) < 10

    @given(
        st.lists(st.tuples(st.integers(0, 40), st.integers(0, 9)), min_size=1, max_size=6),
        st.lists(st.integers(0, 50), min_size=1, max_size=8),
        st.integers(0, 12),
    )
    @settings(max_examples=40, deadline=None)
    def test_within(self, ranges, ages, tolerance):
        table = pd.DataFrame({"age": [f"{a}-{a + w}" for a, w in ranges]}).assign(s="x")
        published = Published.read(table, sensitive=["s"])
        people = Targets.of({"age": [str(age) for age in ages]})
        found = locate(loosened(published, people, {"age": tolerance}), people)
        for i, age in enumerate(ages):
            fit = {
                f"{a}-{a + w}" for a, w in ranges if a - tolerance <= age <= a + w + tolerance
            }  # fmt: skip
            assert {published.labels[0][published.codes[g, 0]] for g in found.of(i)} == fit

    def test_masks_and_bounds_within(self):
        table = pd.DataFrame({"age": ["3*", "<30", ">=40"]}).assign(s="x")
        published = Published.read(table, sensitive=["s"])
        people = Targets.of({"age": ["40", "31", "28", "42"]})
        near = locate(loosened(published, people, {"age": 2}), people)
        told = [{published.labels[0][published.codes[g, 0]] for g in near.of(i)} for i in range(4)]
        assert told == [{"3*", ">=40"}, {"3*", "<30"}, {"3*", "<30"}, {">=40"}]

    def test_every_whole_number_between(self):
        """From 25 to 65 there are some in their thirties, though neither end is."""
        published = Published.read(pd.DataFrame({"age": ["3*", "7*"], "s": ["x", "y"]}),
                                   sensitive=["s"])  # fmt: skip
        people = Targets.of({"age": ["45"]})
        (group,) = locate(loosened(published, people, {"age": 20}), people).of(0)
        assert published.labels[0][published.codes[group, 0]] == "3*"

    @given(
        st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=5, unique=True),
        st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=5, unique=True),
        st.integers(0, 2),
    )
    @settings(max_examples=40, deadline=None)
    def test_edits(self, labels, words, most):
        published = Published.read(pd.DataFrame({"w": labels}).assign(s="x"), sensitive=["s"])
        people = Targets.of({"w": [*words, None]})
        found = locate(loosened(published, people, {"w": Edits(most)}), people)
        for i, word in enumerate(words):
            fit = {label for label in labels if levenshtein(label, word) <= most}
            met = {published.labels[0][published.codes[g, 0]] for g in found.of(i)}
            assert met == fit
        assert len(found.of(len(words))) == 0, "a missing name is nobody's"

    def test_edits_of_masks_sets_and_nodes(self):
        published = Published.read(
            pd.DataFrame({"place": ["130**", '{"Ithaca", "Troy"}', "Europe"]}).assign(s="x"),
            sensitive=["s"],
            taxonomies={"place": {"Europe": ["Paris", "Rome"]}},
        )
        people = Targets.of({"place": ["13112", "Ithacca", "Pariss", "14112", "Berlin"]})
        found = locate(loosened(published, people, {"place": Edits(1)}), people)
        told = [[published.labels[0][published.codes[g, 0]] for g in found.of(i)] for i in range(5)]
        assert told == [["130**"], ['{"Ithaca", "Troy"}'], ["Europe"], [], []]
        assert locate(published, people).count.tolist() == [0] * 5

    def test_bad_tolerances(self, raw):
        with pytest.raises(DataError, match="Did you mean 'age'"):
            link(raw, VOTERS, fuzzy={"Age": 1})
        with pytest.raises(DataError, match="'F' and 'M' are no numbers"):
            link(raw, VOTERS, fuzzy={"sex": 1})
        with pytest.raises(PlanError, match="no distance"):
            link(raw, VOTERS, fuzzy={"age": -1})
        with pytest.raises(PlanError, match="fewer than none"):
            Edits(-1)
        centroids = Published.read(MICRODATA, sensitive=["disease", "name"], located="nearest")
        with pytest.raises(DataError, match="nearest centroid"):
            link(centroids, VOTERS, fuzzy={"age": 1})


@cache
def levenshtein(a: str, b: str) -> int:
    if not a or not b:
        return len(a) + len(b)
    return min(
        levenshtein(a[1:], b) + 1,
        levenshtein(a, b[1:]) + 1,
        levenshtein(a[1:], b[1:]) + (a[0] != b[0]),
    )


LABELS = ["0", "1", "2", "{0, 1}", "{1, 2}", "*"]


@given(
    st.lists(st.tuples(*[st.sampled_from(LABELS)] * 3), min_size=1, max_size=8),
    st.lists(st.tuples(*[st.sampled_from("012")] * 3), min_size=1, max_size=8),
)
@settings(max_examples=40, deadline=None)
def test_counted_by_hand(rows, people):
    """Overlapping labels, people who are alike, people who fit nothing."""
    published = Published.read(pd.DataFrame(rows, columns=list("abc")).assign(s="x"),
                               sensitive=["s"])  # fmt: skip
    register = Targets.of({c: [p[j] for p in people] for j, c in enumerate("abc")})
    result = link(published, register, combined=3)

    def fits(person, row, columns=range(3)) -> bool:
        return all(row[j] == "*" or person[j] in row[j] for j in columns)

    def named(columns) -> set[int]:
        found = set()
        for i, person in enumerate(people):
            own = [row for row in rows if fits(person, row, columns)]
            if len(own) == 1 and sum(fits(p, own[0], columns) for p in people) == 1:
                found.add(i)
        return found

    everybody = named(range(3))
    assert result.detail["who"] == [f"row {i + 1}" for i in sorted(everybody)]
    records = [sum(fits(p, row) for row in rows) for p in people]
    assert result.detail["prosecutor"]["singled_out"] == records.count(1)
    per_record = [sum(fits(p, row) for p in people) for row in rows]
    assert result.detail["journalist"]["singled_out"] == per_record.count(1)
    right = Fraction(0)
    for row in rows:
        shares = [
            Fraction(1, r) for p, r in zip(people, records, strict=True) if fits(p, row)
        ]  # fmt: skip
        if shares:
            right += max(shares) / max(Fraction(1), sum(shares))
    assert result.found.successes == pytest.approx(float(right))
    keys = {tuple(key["columns"]): key for key in result.detail["keys"]}
    for size in (1, 2, 3):
        for columns in combinations(range(3), size):
            found = named(columns) & everybody
            less = set().union(
                *(named(c) & everybody for c in combinations(columns, size - 1) if c)
            )
            key = keys.get(tuple("abc"[j] for j in columns))
            if found:
                assert (key["reidentified"], key["only"]) == (len(found), len(found - less))
            else:
                assert key is None


def test_disjoint_groups_match_at_random_within_each():
    """The expected number of right pairs, over all ways to match n records to m people."""
    from itertools import permutations

    for n, m in ((1, 1), (2, 2), (3, 3), (2, 4), (4, 2), (1, 5)):
        published = Published.read(pd.DataFrame({"q": ["1"] * n, "s": ["x"] * n}), sensitive=["s"])
        result = link(published, Targets.of({"q": ["1"] * m}))
        # The first of the longer list are the shorter: record i is person i.
        ways = list(permutations(range(max(n, m)), min(n, m)))
        right = Fraction(sum(w[i] == i for w in ways for i in range(min(n, m))), len(ways))
        # Where records outnumber people, every record is given a name, not only some.
        expected = right if n <= m else Fraction(1)
        assert result.found.successes == pytest.approx(float(expected))
        assert result.baseline.successes == pytest.approx(float(expected)), "one group says nothing"


class TestTruth:
    def test_who_fits_fewer_records_is_named(self):
        """Zero fits both records, One the second only: it must be One's."""
        release = Published.read(pd.DataFrame({"q": ["0", "*"], "s": ["x", "y"]}), sensitive=["s"])
        people = Targets.of({"q": ["0", "1"]})
        home = [release.labels[0][code] for code in release.codes[:, 0]]
        result = link(release, people, truth=[home.index("0"), home.index("*")])
        assert result.found.successes == 2

    def test_by_a_column(self):
        table = MICRODATA.assign(id=[f"r{i}" for i in range(10)])
        release = Published.read(table[["age", "sex", "zip", "id"]], sensitive=["id"])
        ids = [*table["id"], "elsewhere"]
        people = {c: VOTERS.column(c) for c in VOTERS.columns} | {"id": ids}
        result = link(release, Targets.of(people), name="name", truth="id")
        assert (result.found.successes, result.detail["reidentified_rightly"]) == (10, 10)
        assert result.baseline.successes == pytest.approx(10 / 11)
        swapped = people | {"id": [ids[1], ids[0], *ids[2:]]}
        result = link(release, Targets.of(swapped), name="name", truth="id")
        assert (result.found.successes, result.detail["reidentified_rightly"]) == (8, 8)

    def test_a_release_of_noise_gives_nobody_away(self):
        """Quasi-identifiers drawn at random: names fit, and are wrong as often as by chance."""
        rng = np.random.default_rng(7)
        n = 400
        people = pd.DataFrame(rng.integers(0, 20, (n, 2)), columns=["a", "b"]).astype(str)
        people["id"] = [f"p{i}" for i in range(n)]
        noise = people.assign(**{c: rng.permutation(people[c]) for c in "ab"})
        release = Published.read(noise, sensitive=["id"])
        result = link(release, Targets.read(people), truth="id")
        assert result.detail["reidentified"] > 20, "there are names to be wrong about"
        assert not result.succeeded
        honest = link(Published.read(people, sensitive=["id"]), Targets.read(people), truth="id")
        assert honest.succeeded
        assert honest.found.value > 0.5

    def test_agrees_with_the_chance_that_is_claimed(self):
        """Where the register is the population, the right names are as many as expected."""
        rng = np.random.default_rng(3)
        people = pd.DataFrame(rng.integers(0, 6, (300, 2)), columns=["a", "b"]).astype(str)
        people["id"] = [f"p{i}" for i in range(300)]
        release = Published.read(people.iloc[:120], sensitive=["id"])
        register = Targets.read(people)
        assert link(release, register, truth="id").found.successes == pytest.approx(
            link(release, register).found.successes
        )

    def test_bad_truth(self, raw):
        with pytest.raises(DataError, match="not both a column"):
            link(raw, VOTERS, truth="disease")
        with pytest.raises(DataError, match="one of 10 groups"):
            link(raw, VOTERS, truth=[0, 1])
        with pytest.raises(DataError, match="one of 10 groups"):
            link(raw, VOTERS, truth=[10] * 11)
        people = Targets.of({"age": ["5"], "disease": ["flu"]})
        with pytest.raises(DataError, match="belong to several records"):
            link(raw, people, truth="disease")


class TestBadInput:
    def test_nothing_in_common(self, raw):
        with pytest.raises(DataError, match="nothing that is known"):
            link(raw, Targets.of({"shoe size": ["43"]}))

    def test_no_such_name(self, raw):
        with pytest.raises(DataError, match="Did you mean 'name'"):
            link(raw, VOTERS, name="nam")

    def test_an_empty_register(self, raw):
        with pytest.raises(DataError, match="nobody"):
            link(raw, VOTERS.take(np.zeros(11, np.bool_)))

    def test_no_columns(self, raw):
        with pytest.raises(PlanError, match="-1"):
            link(raw, VOTERS, combined=-1)

    def test_nobody_fits(self, raw):
        result = link(raw, Targets.of({"age": ["99"]}))
        assert result.found.successes == 0
        assert "Nobody in the register fits any record." in result.sentences

    def test_labels_that_are_not_understood(self):
        """Nodes of a taxonomy nobody gave look like values nobody has."""
        release = Published.read(pd.DataFrame({"q": ["Europe"], "s": ["x"]}), sensitive=["s"])
        result = link(release, Targets.of({"q": ["Rome"]}))
        assert result.detail["columns_nobody_fits"] == ["q"]
        assert any("taxonomy" in told for told in result.sentences)
        assert not covers(["Europe"], ["Rome"], column="q").any()


def test_centroids():
    """People are looked for at the nearest centroid."""
    release = Published.read(
        pd.DataFrame({"age": ["7", "7", "30"], "s": list("xyz")}),
        sensitive=["s"],
        located="nearest",
    )
    links = Links.between(release, Targets.of({"age": ["5", "9", "28"]}))
    assert links.records.tolist() == [2, 2, 1]
    assert links.reidentified.tolist() == [False, False, True]
