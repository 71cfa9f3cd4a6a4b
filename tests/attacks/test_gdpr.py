"""Singling out, linkability, inference: counted by hand, on noise, on Adult."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import ADULT, data_folder

import hedgerow
from hedgerow.attacks.gdpr import gdpr, inference, linkability, singling_out
from hedgerow.attacks.record_descriptions import described
from hedgerow.attacks.release_columns import projected, shuffled
from hedgerow.attacks.suite import read_releases
from hedgerow.base.errors import DataError, PlanError
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

COLUMNS = ["a", "b", "s"]
ALL = 10**6
"""More guesses than anybody needs: everybody is a target."""


def released(table: pd.DataFrame, **keywords) -> Published:
    return Published.read(table, sensitive=["s"], **keywords)


def society(n: int, seed: int, *, values: int = 12, secrets: int = 4) -> pd.DataFrame:
    """People whose columns have nothing to do with each other, the secret not quite."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.integers(0, values, (n, 4)), columns=list("abcd"))
    odd = rng.integers(0, secrets, n)
    table["s"] = np.where(rng.random(n) < 0.5, table["a"] % secrets, odd)
    return table.astype(str)


tables = st.lists(
    st.tuples(st.sampled_from("012"), st.sampled_from("01"), st.sampled_from("xyz")),
    min_size=1,
    max_size=12,
)


class TestByHand:
    @given(tables, tables)
    @settings(max_examples=25, deadline=None)
    def test_linkability(self, rows, others):
        """Raw records: exactly one has the person's values."""
        table, outside = (pd.DataFrame(r, columns=COLUMNS) for r in (rows, others))
        result = linkability(released(table), Targets.read(table), Targets.read(outside))
        known = Counter(row[:2] for row in rows)
        assert result.found.successes == sum(known[row[:2]] == 1 for row in rows)
        assert result.found.guesses == len(rows)
        assert result.control.successes == sum(known[row[:2]] == 1 for row in others)

    @given(tables, tables, st.booleans())
    @settings(max_examples=25, deadline=None)
    def test_inference(self, rows, others, coarse):
        table, outside = (pd.DataFrame(r, columns=COLUMNS) for r in (rows, others))
        public = table.assign(a=table["a"].map(lambda a: "{0, 1}" if a < "2" else "2"))
        result = inference(
            released(public if coarse else table), Targets.read(table), Targets.read(outside)
        )
        overall = Counter(row[2] for row in rows)

        def guess(person) -> str:
            near = Counter(
                s for a, b, s in rows
                if b == person[1] and (a == person[0] or (coarse and max(a, person[0]) < "2"))
            )  # fmt: skip
            return min("xyz", key=lambda s: (-near[s], -overall[s], s))

        assert result.found.successes == sum(guess(row) == row[2] for row in rows)
        assert result.control.successes == sum(guess(row) == row[2] for row in others)
        assert result.baseline.successes == max(overall.values())

    @given(tables, tables)
    @settings(max_examples=25, deadline=None)
    def test_singling_out(self, rows, others):
        """Descriptions of all records: of raw tables they single out who is unique."""
        table, outside = (pd.DataFrame(r, columns=COLUMNS) for r in (rows, others))
        result = singling_out(released(table), Targets.read(table), Targets.read(outside),
                              guesses=ALL)  # fmt: skip
        unique = sum(n == 1 for n in Counter(row[:2] for row in rows).values())
        assert (result.found.successes, result.found.guesses) == (unique, len(rows))
        assert result.detail["describing_one_record"] == unique
        with_secret = sum(n == 1 for n in Counter(rows).values())
        assert result.detail["with_secret"]["found"] == pytest.approx(with_secret / len(rows))

    @given(tables, tables)
    @settings(max_examples=25, deadline=None)
    def test_whom_descriptions_fit(self, rows, others):
        """With one attribute there is one order: counted on the table somebody else is in."""
        table, outside = (pd.DataFrame(r, columns=COLUMNS) for r in (rows, others))
        release = projected(released(table.assign(a=table["a"].replace("0", "{0, 1}"))), ["a"])
        _, found, control = described(
            release,
            [Targets.read(table), Targets.read(outside)],
            None,
            ALL,
            np.random.default_rng(0),
        )
        for rate, people in ((found, rows), (control, others)):
            fitting = [
                sum(p[0] == row[0] or (row[0] == "0" and p[0] == "1") for p in people)
                for row in rows
            ]
            assert rate.successes == fitting.count(1)

    def test_descriptions_are_as_short_as_their_order_allows(self):
        """Column a alone tells everybody apart; b never does."""
        table = pd.DataFrame({"a": list("0123"), "b": ["0"] * 4, "s": ["x"] * 4})
        release, people = projected(released(table), ["a", "b"]), [Targets.read(table)]
        lengths = [
            described(release, people, None, 1, np.random.default_rng(seed))[0]
            ["columns_of_a_description"]
            for seed in range(40)
        ]  # fmt: skip
        assert set(lengths) == {1.0, 2.0}

    def test_two_halves_of_two_people(self):
        """Two people who share nothing: joined halves of both fit no record."""
        table = pd.DataFrame({"a": ["0", "1"], "b": ["0", "1"], "s": ["x", "y"]})
        result = linkability(released(table), Targets.read(table), halves=(["b"], ["a"]))
        assert result.found.value == 1
        assert result.detail["halves_of_two_people"] == 0
        assert result.detail["halves"] == [["b"], ["a"]]


class TestNothingToFind:
    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("with_control", [True, False])
    def test_noise(self, seed, with_control):
        """A release whose columns have nothing to do with the people, nor with each other."""
        people, others = society(1500, seed), society(1500, seed + 100)
        rng = np.random.default_rng(seed + 200)
        noise = people.apply(lambda column: rng.permutation(column.to_numpy()))
        control = Targets.read(others) if with_control else None
        for result in gdpr(released(noise), Targets.read(people), control, seed=seed):
            assert not result.succeeded, result.attack
            if result.gains is None:
                assert result.gain_interval()[0] == 0
            else:  # by luck some beliefs are right; that they are luck shows in those that are not
                assert result.gains.wrong > result.gains.certain

    def test_the_truth_is_told_apart_from_noise(self):
        """The same people, published as they are: each attack sees it."""
        people, others = society(1500, 1), society(1500, 101)
        for control in (Targets.read(others), None):
            for result in gdpr(released(people), Targets.read(people), control):
                assert result.succeeded, result.attack
                assert result.gain > 0.3

    def test_one_group(self):
        people = society(300, 2)
        hidden = people.assign(a="*", b="*", c="*", d="*")
        single, linked, inferred = gdpr(released(hidden), Targets.read(people))
        assert single.found.successes == linked.found.successes == 0
        assert inferred.found == inferred.baseline
        assert not any(result.succeeded for result in (single, linked, inferred))

    def test_shuffling_keeps_each_column_and_nothing_else(self):
        people = society(2000, 3)
        people["b"] = people["a"]
        release = projected(released(people), ["a", "b"])
        noise = shuffled(release, np.random.default_rng(0))
        for j in range(2):
            before, after = (
                np.bincount(p.codes[:, j], weights=p.groups.n, minlength=12)
                for p in (release, noise)
            )
            assert before.tolist() == after.tolist()
        equal = noise.codes[:, 0] == noise.codes[:, 1]
        share = noise.groups.n[equal].sum() / 2000
        assert abs(share - 1 / 12) < 0.03, "as often as by chance"


class TestControl:
    def test_what_holds_for_everybody_is_known_without_the_release(self):
        """The secret is the group's name: known of people outside as well as inside."""
        people, others = society(500, 4), society(500, 5)
        for table in (people, others):
            table["s"] = table["a"]
        release = released(people[["a", "s"]])
        original = Targets.read(people)
        alone = inference(release, original)
        assert alone.succeeded
        assert alone.found.value == 1
        compared = inference(release, original, Targets.read(others))
        assert compared.rate_gain == 0
        assert compared.control.value == 1
        assert not compared.succeeded
        # What the release says of its people it says, whoever else it is true of.
        assert compared.gains == alone.gains
        assert compared.gains.certain == 500

    def test_a_large_control_is_cut_to_size(self):
        """Fifty times as many people would fit a description for being more."""
        people = pd.DataFrame({"a": [str(i) for i in range(40)], "b": "0", "s": "x"})
        release, original = released(people), Targets.read(people)
        large = Targets.read(pd.concat([people] * 50))
        cut = singling_out(release, original, large)
        assert cut.found.value == 1
        # Forty of 2,000: about 40 * exp(-1) values are drawn once.
        assert 6 <= cut.control.successes <= 25
        assert "; exactly one of 40 people who are not in the release, " in cut.sentences[0]

    def test_a_small_control_is_no_control_of_singling_out(self):
        """One of the original has a twin, nobody of the control: few people are all unlike."""
        people = pd.DataFrame(
            {"a": [str(i % 10) for i in range(20)],
             "b": [str((i + i // 10 * 3) % 10) for i in range(20)], "s": "x"}
        )  # fmt: skip
        original = Targets.read(pd.concat([people, people.iloc[:1]]))
        small = singling_out(released(people), original, Targets.read(people))
        assert small.found.value == 19 / 20
        assert small.control is None
        assert small.detail["smaller_control"] == {"people": 20, "rate": 1.0}
        assert small.gain > 0, "against the control of twenty, all of them singled out, it was 0"
        assert small.sentences[1].startswith("The control has 20 people only, the original 21:")
        assert small.detail["with_secret"]["control"] is None
        # One person fewer in a hundred makes no difference that could be measured.
        hundred = pd.DataFrame({"a": [str(i) for i in range(100)], "b": "0", "s": "x"})
        most = singling_out(
            released(hundred), Targets.read(hundred), Targets.read(hundred.iloc[1:])
        )
        assert most.control.successes == 99
        assert "smaller_control" not in most.detail


class TestCentroids:
    def test_nobody_is_told_apart(self):
        """Microaggregated: the groups have five members each, and say what their secret is."""
        rng = np.random.default_rng(9)
        centre = np.repeat(np.arange(40) * 100, 5)
        people = pd.DataFrame({"a": centre + rng.integers(-20, 20, 200), "b": centre})
        people["s"] = np.repeat(rng.permutation(list("xy") * 20), 5)
        people = people.astype(str)
        release = released(people.assign(a=centre.astype(str)), located="nearest")
        single, linked, inferred = gdpr(release, Targets.read(people))
        assert single.found.successes == linked.found.successes == 0
        assert inferred.found.value == 1
        assert inferred.succeeded

    def test_those_alone_are(self):
        table = pd.DataFrame({"a": ["0", "100", "100"], "b": ["0", "9", "9"], "s": list("xyz")})
        release = released(table, located="nearest")
        people = Targets.of({"a": ["3", "98", "97"], "b": ["1", "9", "8"], "s": list("xyz")})
        torn = Targets.of({"a": ["3"], "b": ["9"], "s": ["x"]})
        single, linked, inferred = gdpr(release, people, torn)
        assert single.found.successes == linked.found.successes == 1
        assert linked.control.successes == 0, "the halves are nearest to different centroids"
        assert single.detail["with_secret"]["found"] == 1
        assert inferred.found.successes == 2


class TestInput:
    def test_the_same_seed_the_same_result(self):
        people = society(400, 10)
        original = Targets.read(people)
        first = gdpr(released(people), original, guesses=100, seed=3)
        shaken = released(people.sample(frac=1, random_state=1))
        assert [r.summary() for r in first] == [
            r.summary() for r in gdpr(shaken, original, guesses=100, seed=3)
        ]
        assert first[0].found.guesses == first[1].found.guesses == first[2].found.guesses == 100
        assert json.loads(json.dumps([r.summary() for r in first]))

    def test_the_secret_has_to_be_named(self):
        people = society(20, 11)
        release = Published.read(people, sensitive=["s", "d"])
        with pytest.raises(DataError, match="several columns are sensitive"):
            inference(release, Targets.read(people))
        assert inference(release, Targets.read(people), secret="d").detail["secret"] == "d"
        assert "with_secret" not in singling_out(release, Targets.read(people)).detail
        with pytest.raises(DataError, match="no sensitive column"):
            gdpr(release, Targets.read(people), secret="a")

    def test_one_quasi_identifier_leaves_out_linkability_only(self):
        people = society(40, 14)
        for release, original in (
            (released(people[["a", "s"]]), Targets.read(people)),
            (released(people), Targets.read(people[["a", "s"]])),
        ):
            single, inferred = gdpr(release, original, seed=1)
            assert [single.attack, inferred.attack] == ["singling-out", "inference"]
            assert single.sentences[-1] == (
                "Linkability was not tried: it takes two quasi-identifiers, and of these people "
                "only 'a' is known."
            )
            assert single.found == singling_out(release, original, seed=1).found
            with pytest.raises(DataError, match="two halves"):
                gdpr(release, original, halves=(["a"], ["b"]))
        assert not any(
            "not tried" in s for s in gdpr(released(people), Targets.read(people))[0].sentences
        )

    def test_missing_columns(self):
        people = society(20, 12)
        release, original = released(people), Targets.read(people)
        with pytest.raises(DataError, match="the original has no column 's'"):
            inference(release, Targets.read(people[["a", "b"]]))
        with pytest.raises(DataError, match="the control has no column 'b'"):
            gdpr(release, original, Targets.read(people[["a", "s"]]))
        with pytest.raises(DataError, match="none of the release's quasi-identifiers"):
            gdpr(release, Targets.read(people[["s"]]))
        with pytest.raises(DataError, match="two halves"):
            linkability(release, original, halves=(["a"], ["a", "b"]))
        with pytest.raises(DataError, match="two halves"):
            linkability(released(people[["a", "s"]]), original)
        with pytest.raises(PlanError, match="0 guesses"):
            gdpr(release, original, guesses=0)
        with pytest.raises(DataError, match="nobody in the control"):
            gdpr(release, original, original.take(np.zeros(20, np.bool_)))

    def test_labels_nobody_understands_are_no_protection(self):
        people = society(20, 13)
        with pytest.raises(DataError, match="taxonomy"):
            gdpr(released(people.assign(a="Europe")), Targets.read(people))


QUASI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]


@pytest.mark.data
def test_adult_raw_anonymous_suppressed(tmp_path):
    """Half of Adult is published, the other half is the control."""
    folder = data_folder() / "adult"
    adult = pd.read_csv(
        folder / "adult.data", header=None, names=ADULT, skipinitialspace=True, dtype=str
    )[[*QUASI, "occupation"]]
    adult = adult[(adult != "?").all(axis=1)].dropna()
    assert len(adult) > 30_000
    adult = adult.sample(frac=1, random_state=0)
    inside, outside = adult.iloc[: len(adult) // 2], adult.iloc[len(adult) // 2 :]
    files = {name: folder / f"hierarchy_{name}.csv" for name in QUASI}
    hedgerow.publish(
        inside,
        columns={
            name: {"role": "quasi-identifier", "hierarchy": str(files[name])} for name in QUASI
        }
        | {"occupation": "sensitive"},
        protect=[hedgerow.KAnonymity(k=5)],
        method={"search": "lattice", "suppress": "5%"},
        to=tmp_path / "release",
    )
    suppressed = inside.assign(**dict.fromkeys(QUASI, "*"))
    releases = read_releases(
        [inside, tmp_path / "release", suppressed], sensitive=["occupation"], taxonomies=files
    )
    original, control = Targets.read(inside), Targets.read(outside)
    raw, anonymous, hidden = (gdpr(r, original, control, seed=1) for r in releases)
    for result in raw:
        assert result.succeeded, result.attack
    for before, after, last in zip(raw, anonymous, hidden, strict=True):
        assert before.gain > after.gain + 0.1, before.attack
        assert last.gain < 0.05, last.attack
        assert not last.succeeded
    single, linked, inferred = anonymous
    assert single.found.successes == linked.found.successes == 0
    assert inferred.found.value > inferred.baseline.value, "people were located"
    assert single.detail["with_secret"]["found"] > 0, "who has a rare occupation in the group"
