"""What a review of the attacks found, each as it was reproduced."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import hedgerow
from hedgerow.attacks.gdpr import inference
from hedgerow.attacks.intersection import intersect
from hedgerow.attacks.invariance import m_invariance
from hedgerow.attacks.overlap import trusted
from hedgerow.base.errors import DataError, PlanError
from hedgerow.cli import app
from hedgerow.table.groups import Groups
from hedgerow.table.location import placed
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name: str, header: str, *rows: str) -> str:
    Path(name).write_text("\n".join([header, *rows]) + "\n")
    return name


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["attack", *arguments, "--sensitive", "ill"])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, " ".join(done.output.split())


def release(rows: list[tuple[str | None, ...]], name: str = "r", **more: object) -> Published:
    frame = pd.DataFrame(rows, columns=["age", "ill"])
    return Published.read(frame, sensitive=["ill"], name=name, **more)  # type: ignore[arg-type]


class TestOverlap:
    def test_what_the_first_release_gives_away_counts_in_full(self, folder: Path) -> None:
        """Finding 1."""
        write("a.csv", "age,ill", *["20-29,HIV"] * 5, *["30-39,flu"] * 5)
        write("b.csv", "age,ill", *(f"20-39,{v}" for v in ("HIV", "flu", "gout", "acne")))
        write("reg.csv", "name,age", *(f"p{a},{a}" for a in (21, 22, 23, 24, 25, *range(31, 36))))
        gate = ("--register", "reg.csv", "--method", "intersection", "--at-most", "0.05")
        assert run("a.csv", *gate)[0] == 1
        code, told = run("a.csv", "b.csv", *gate, "--overlap", "0.02")
        assert code == 1
        assert "For 10 the first release alone leaves one value: they count in full." in told

    def test_who_does_not_fit_into_the_second_is_still_in_the_first(self) -> None:
        one = pd.DataFrame({"age": ["20-29"] * 2 + ["30-39"] * 2, "ill": ["HIV"] * 2 + ["a", "b"]})
        two = pd.DataFrame({"age": ["30-39"] * 2, "ill": ["a", "c"]})
        people = pd.DataFrame({"age": ["21", "31", "32"]})
        (found,) = hedgerow.attack([one, two], sensitive=["ill"], register=people, overlap=0.5,
                                   methods=["intersection"])  # fmt: skip
        # 21 in full; of the two who fit into both, half of all three are there: 3/4 of them.
        assert (found.found.successes, found.found.guesses) == (1 + 2 * 0.75, 3)

    def test_with_three_releases_the_smallest_share_is_called_a_bound(self) -> None:
        tables = [
            pd.DataFrame({"age": ["*"] * len(v), "ill": list(v)}) for v in ("abc", "abd", "ae")
        ]
        (found,) = hedgerow.attack(tables, sensitive=["ill"], know={"age": "3"}, overlap=0.5,
                                   methods=["intersection"])  # fmt: skip
        assert found.found.successes == 0.5
        assert "upper bound" in found.sentences[-1]

    @settings(max_examples=150, deadline=None)
    @given(
        st.lists(st.integers(0, 15), min_size=2, max_size=4),
        st.lists(st.sampled_from([0.1, 0.4, 0.7, 1.0]), min_size=3, max_size=3),
    )
    def test_against_all_sets_of_releases(self, sets: list[int], trust: list[float]) -> None:
        """The best of all sets of further releases is as good as the worst release in it; where
        releases contradict each other, which of them count is not what is tested."""
        shares = trust[: len(sets) - 1]
        together = sets[0]
        for other in sets[1:]:
            together &= other
        best = 0.0
        for size in range(len(sets)):
            for chosen in combinations(range(1, len(sets)), size):
                left = sets[0]
                for j in chosen:
                    left &= sets[j]
                if left.bit_count() == 1:
                    best = max(best, min((shares[j - 1] for j in chosen), default=1.0))
        words = [np.array([[s]], np.uint64) for s in sets]
        if together:
            assert trusted(words, shares).tolist() == [best]


class TestScores:
    def test_the_baseline_does_not_know_the_targets(self, folder: Path) -> None:
        """Finding 2: three people with the rare value are all found, and nobody guesses it."""
        write("rel.csv", "age,ill", *["20-29,HIV"] * 3, *["30-39,flu"] * 97)
        write("targets.csv", "age,ill", "21,HIV", "22,HIV", "23,HIV")
        code, _ = run("rel.csv", "--truth", "targets.csv", "--method", "intersection",
                      "--at-most", "0.05")  # fmt: skip
        assert code == 1
        (found,) = hedgerow.attack(["rel.csv"], truth="targets.csv", sensitive=["ill"],
                                   methods=["intersection"])  # fmt: skip
        assert (found.found.value, found.baseline.value) == (1, 0)

    def test_the_most_frequent_value_of_all_releases_together(self) -> None:
        one, two = release([("*", "a")] * 3 + [("*", "b")] * 2), release([("*", "b")] * 2)
        found = intersect([one, two], Targets.of({"age": ["1", "2", "3"]}))
        assert found.result(["b", "b", "a"]).baseline.successes == 2

    def test_a_wrong_certainty_is_called_wrong(self) -> None:
        """Finding 7."""
        found = intersect([release([("20-29", "HIV"), ("30-39", "flu")])],
                          Targets.of({"age": ["21", "22", "31"]}))  # fmt: skip
        told = found.result(["HIV", "flu", "flu"]).sentences
        assert "For 1 of these 3 it is the wrong one." in told
        assert not any("wrong" in s for s in found.result(["HIV", "HIV", "flu"]).sentences)
        one = intersect([release([("20-29", "HIV")])], Targets.of({"age": ["21"]}))
        assert one.result(["flu"]).sentences[-1] == "That is wrong: the person has flu."

    def test_a_nearest_centroid_is_called_a_guess(self) -> None:
        table = release([("20", "HIV")] * 2 + [("40", "flu")] * 2, located="nearest")
        told = intersect([table], Targets.of({"age": ["28"]})).result().sentences
        assert told[0] == "In r the nearest centroid has 2 records, with HIV."
        assert "a guess, and often a wrong one" in told[-1]
        many = intersect([table], Targets.of({"age": ["28", "39"]})).result().sentences
        assert "a guess, and often a wrong one" in many[-1]

    def test_a_missing_value_may_be_any_elsewhere(self) -> None:
        """Finding 13c."""
        one, two = release([("*", None), ("*", "flu")]), release([("*", "HIV"), ("*", "flu")])
        told = intersect([one, two], Targets.of({"age": ["1"]})).result().sentences
        assert told[2] == "Two releases together leave one possible value: flu."
        assert told[3].endswith("may be any value in the others, that leaves flu, HIV.")
        many = intersect([one, two], Targets.of({"age": ["1", "2"]})).result()
        assert many.found.successes == 2
        assert any("0 have one possible ill left" in s for s in many.sentences)

    def test_missing_is_no_value_to_find(self) -> None:
        nothing = intersect([release([("*", None)] * 3)], Targets.of({"age": ["1", "2"]}))
        assert nothing.result().found.successes == 0
        assert nothing.result([None, "flu"]).found.successes == 0
        assert nothing.guesses.tolist() == [-1, -1]
        some = release([("*", None)] * 3 + [("*", "flu")])
        found = intersect([some], Targets.of({"age": ["1", "2"]})).result(["flu", None])
        assert (found.found.successes, found.baseline.successes) == (1, 1)


class TestInvariance:
    def test_nothing_is_claimed_of_people_who_fit_several_groups(self, folder: Path) -> None:
        """Finding 6."""
        write("s1.csv", "age,ill", "20-29,flu", "20-29,gout")
        write(
            "s2.csv", "zip,age,ill", "A,25-34,flu", "A,25-34,acne", "B,20-34,acne", "B,20-34,cold"
        )
        write("joe.csv", "name,age", "Joe,28")
        write("old.csv", "name,age", "Joe,99")
        _, told = run("s1.csv", "s2.csv", "--register", "joe.csv", "--method", "sequential")
        assert "leave 1 of 1 people one possible ill" in told
        assert "-invariant: no belief" not in told
        assert "Whether the releases are m-invariant cannot be measured" in told
        _, told = run("s1.csv", "s2.csv", "--register", "old.csv", "--method", "sequential")
        assert "Nobody who was looked for fits" in told
        assert "invariant" not in told

    def test_everybody_in_two_releases_has_to_be_listed(self) -> None:
        groups = Groups.of({"d": [{"flu": 1, "gout": 1}, {"acne": 1, "gout": 1}]})
        everybody = placed([0, 0, 1, 1])
        assert m_invariance([groups, groups], [everybody, everybody], of="d").m == 2
        few = placed([0, 0, 1, -1])
        found = m_invariance([groups, groups], [few, few], of="d")
        assert (found.m, found.unlisted) == (None, (1, 1))
        # A made-up record in one of them is nobody who could be in the other.
        assert m_invariance([groups, groups], [everybody, few], of="d").m == 2
        crowd = placed([0, 0, 1, 1, 1])
        found = m_invariance([groups, groups], [crowd, crowd], of="d")
        assert (found.m, found.crowded) == (None, 2)
        nobody = m_invariance([groups, groups], [placed([0]), placed([-1])], of="d")
        assert nobody.m is None


class TestSpelling:
    """Finding 9."""

    def test_inference_by_the_truth(self) -> None:
        table = release([("1", "1.0"), ("1", "1.0"), ("2", "2.0"), ("2", "2.0")])
        people = Targets.of({"age": ["1", "1", "2", "2"], "ill": ["1", "1.00", "2", "02"]})
        assert inference(table, people).found.successes == 4

    def test_homogeneity(self, folder: Path) -> None:
        write("sp.csv", "age,ill", "1,HIV", "1,HIV ", "2,50", "2,50.0")
        _, told = run("sp.csv", "--method", "homogeneity")
        assert "4 of 4 people are in 2 groups where everybody has the same ill" in told

    def test_sequential(self, folder: Path) -> None:
        write("q1.csv", "age,ill", "*,1", "*,2")
        write("q2.csv", "age,ill", "*,1.0", "*,3.0")
        _, told = run("q1.csv", "q2.csv", "--know", "age=3", "--method", "sequential")
        assert "contradiction" not in told
        assert "The person with age 3: 1." in told

    def test_counts_are_kept(self) -> None:
        table = release([("1", "a"), ("1", "a "), ("1", "b"), ("2", " a"), ("2", "")])
        assert set(table.groups.domains["ill"].values) == {"a", "b", None}
        assert sorted(table.groups.domains["ill"].reference.tolist()) == [1, 1, 3]
        assert table.groups.histograms["ill"].counts.sum() == 5


class TestGate:
    """Finding 8: nothing found because nobody was looked for must not pass."""

    def refused(self, *arguments: str) -> str:
        code, told = run(*arguments, "--at-most", "0.5", "--certain-at-most", "1")
        assert code == 2, told
        assert "this does not show what an attacker finds" in told
        code, plainly = run(*arguments)
        assert code in (1, 2), "without any bound it does not pass either"
        assert "this does not show what an attacker finds" in plainly
        return told

    def test_a_truth_spelled_otherwise(self, folder: Path) -> None:
        write("a.csv", "age,ill", *["20-29,AIDS"] * 5, *["30-39,flu"] * 5)
        write("t.csv", "age,ill", "21,sida", "22,sida", "31,flu")
        asked = ("a.csv", "--truth", "t.csv", "--method", "intersection")
        assert "spelled otherwise" in self.refused(*asked)
        asked = ("a.csv", "--truth", "t.csv", "--method", "gdpr")
        assert "spelled otherwise" in self.refused(*asked)

    def test_a_truth_that_is_read_alike(self, folder: Path) -> None:
        """Case and full stops make no other illness of it."""
        write("a.csv", "age,ill", *["20-29,AIDS"] * 5, *["30-39,flu"] * 5)
        write("t.csv", "age,ill", "21,aids", "22,A.I.D.S.", "31,flu")
        asked = ("a.csv", "--truth", "t.csv", "--method", "intersection")
        status, told = run(*asked)
        assert status == 1, "everybody's illness is known for certain"
        assert "spelled otherwise" not in told
        assert "intersection 100.0%" in " ".join(told.split())

    def test_releases_that_contradict_each_other(self, folder: Path) -> None:
        write("a.csv", "age,ill", "20-29,x", "20-29,y")
        write("b.csv", "age,ill", "20-29,v", "20-29,w")
        write("r.csv", "name,age", "p,21", "q,22")
        for method in ("intersection", "sequential"):
            asked = ("a.csv", "b.csv", "--register", "r.csv", "--method", method)
            assert "contradict each other for 2 of 2" in self.refused(*asked)

    def test_a_taxonomy_is_lacking(self, folder: Path) -> None:
        write("a.csv", "nation,ill", "Europe,flu", "Europe,HIV", "Peru,gout", "Peru,flu")
        write("t.csv", "nation,ill", *["Polish,flu"] * 100, *["Peru,gout"] * 2)
        asked = ("a.csv", "--truth", "t.csv", "--method", "intersection")
        assert "covers that of 100 of 102 people" in self.refused(*asked)
        write("b.csv", "nation,ill", "Europe,flu", "Europe,HIV", "*,gout", "*,flu")
        asked = ("b.csv", "--truth", "t.csv", "--method", "intersection")
        assert "'Europe' as nation in b.csv fits nobody" in self.refused(*asked)

    def test_nobody_fits(self, folder: Path) -> None:
        write("a.csv", "age,ill", "20-29,x", "20-29,y")
        write("r.csv", "name,age", "p,91", "q,92")
        assert "fits" in self.refused("a.csv", "--register", "r.csv", "--method", "linkage")
        two = ("a.csv", "a.csv", "--register", "r.csv", "--method", "sequential")
        assert "nobody who was looked for fits" in self.refused(*two)

    def test_files_without_rows(self, folder: Path) -> None:
        write("o.csv", "output")
        write("s.csv", "first,second,sampled")
        gate = ("--at-most", "0.5")
        assert run("o.csv", "--method", "floating-point", *gate)[0] == 2
        assert run("s.csv", "--method", "same-sample", "--know", "rate=0.5", *gate)[0] == 2

    def test_people_who_are_left_out_of_a_release_are_no_doubt(self, folder: Path) -> None:
        """Ranges are understood: who is in none of them is not in the release."""
        write("a.csv", "age,ill", *["20-29,x", "20-29,y"] * 5)
        write("t.csv", "age,ill", *["25,x", "26,y"] * 5, *["91,x"] * 5)
        asked = ("a.csv", "--truth", "t.csv", "--method", "intersection", "--at-most", "0.5")
        assert run(*asked)[0] == 0

    def test_nothing_suspicious_is_no_doubt(self, folder: Path) -> None:
        write("a.csv", "age,ill", *["20-29,x", "20-29,y"] * 5)
        assert run("a.csv", "--method", "skewness", "--at-most", "0.5")[0] == 0


class TestSentences:
    def test_data_that_speaks_of_groups(self, folder: Path) -> None:
        """Finding 11."""
        write("g.csv", "age,ill", *["20,risk group 77"] * 3, "30,risk group 0", "30,flu")
        for method in ("homogeneity", "background-knowledge", "skewness"):
            _, told = run("g.csv", "--method", method)
            assert "the group (age" not in told or "risk the group" not in told
        _, told = run("g.csv", "--method", "homogeneity")
        assert "The largest is the group (age 20): 3 people, all with risk group 77." in told

    def test_a_column_that_is_called_like_a_group(self) -> None:
        frame = pd.DataFrame({"age": ["20"] * 2, "group 0": ["x"] * 2})
        (found,) = hedgerow.attack([frame], sensitive=["group 0"], methods=["homogeneity"])
        assert "everybody has the same group 0: it is known" in found.sentences[0]
        assert "the group (age 20)" in found.sentences[1]
        (found,) = hedgerow.attack(
            [frame.rename(columns={"group 0": "Risk group 0"})], sensitive=["Risk group 0"],
            methods=["homogeneity"],
        )  # fmt: skip
        assert "everybody has the same Risk group 0: it is known" in found.sentences[0]
        mixed = pd.DataFrame({"age": ["20"] * 2, "group 5": ["x", "y"]})
        (found,) = hedgerow.attack([mixed], sensitive=["group 5"], methods=["homogeneity"])
        assert found.sentences == ("No group agrees on one group 5.",)


class TestInput:
    def test_names_nobody_has(self) -> None:
        """Finding 12."""
        frame = pd.DataFrame({"age": ["20-29"], "zip": ["130**"], "ill": ["flu"]})
        with pytest.raises(PlanError, match="--know zpi: no release has such a quasi") as caught:
            hedgerow.attack([frame], sensitive=["ill"], know={"age": "28", "zpi": "13012"})
        assert caught.value.fix == "Did you mean 'zip'?"
        with pytest.raises(PlanError, match="--know l: no release"):
            hedgerow.attack([frame], sensitive=["ill"], know={"age": "28", "l": "2"})
        with pytest.raises(PlanError, match="sparse has no use for quasi-identifiers"):
            hedgerow.attack([frame], methods=["sparse"], quasi=["age"])

    def test_a_row_number(self, folder: Path) -> None:
        """Finding 13d."""
        ills = ("flu", "gout", "acne", "HIV")
        write("id.csv", "id,age,ill", *(f"{i},20-29,{ill}" for i, ill in enumerate(ills)))
        _, told = run("id.csv", "--method", "homogeneity")
        assert "Every record has its own id" in told
        _, told = run("id.csv", "--method", "homogeneity", "--quasi", "age")
        assert "No group agrees on one ill." in told

    def test_quasi_identifiers_of_releases_with_other_columns(self) -> None:
        one = pd.DataFrame({"id": ["1", "2"], "age": ["*"] * 2, "ill": ["flu", "HIV"]})
        two = pd.DataFrame({"id": ["1", "2"], "sex": ["*"] * 2, "ill": ["flu", "gout"]})
        (found,) = hedgerow.attack(
            [one, two], sensitive=["ill"], quasi=["age", "sex"], know={"age": "3", "sex": "F"},
            methods=["intersection"],
        )  # fmt: skip
        assert found.sentences[-2:] == (
            "Two releases together leave one possible value: flu.",
            "Not tried: joining records on 'id', which several releases show.",
        )

    def test_a_microaggregated_file(self, folder: Path) -> None:
        write("m.csv", "age,ill", *["24.5,flu", "24.5,HIV"], *["44,gout", "44,acne"])
        asked = ("m.csv", "--know", "age=28", "--method", "intersection")
        assert "Nobody fits" in run(*asked)[1]
        _, told = run(*asked, "--located", "nearest")
        assert "the nearest centroid has 2 records, with HIV, flu." in told


class TestMinimality:
    """Finding 14."""

    TABLE = ([("20-30", "HIV")] * 2 + [("20-30", f"v{i}") for i in range(8)]
             + [("30-40", f"w{i}") for i in range(3)])  # fmt: skip

    def test_people_who_fit_several_groups(self) -> None:
        people = pd.DataFrame(
            [("20", "HIV")] * 2 + [("25", f"v{i}") for i in range(5)]
            + [("30", f"v{i}") for i in range(5, 8)] + [("40", f"w{i}") for i in range(3)],
            columns=["age", "ill"],
        )  # fmt: skip
        frame = pd.DataFrame(self.TABLE, columns=["age", "ill"])
        with pytest.raises(DataError, match="1 of 2 groups have other records"):
            hedgerow.attack([frame], sensitive=["ill"], truth=people, know={"l": "2"},
                            methods=["minimality"])  # fmt: skip

    def test_groups_that_are_left_out_are_told(self) -> None:
        others = [("50", "x")] * 2 + [("60", value) for value in "abcde"]
        rows = [*self.TABLE, *(("50-60", value) for _, value in others)]
        people = pd.DataFrame([("20", "HIV")] * 2 + others, columns=["age", "ill"])
        frame = pd.DataFrame(rows, columns=["age", "ill"])
        (found,) = hedgerow.attack([frame], sensitive=["ill"], truth=people, know={"l": "2"},
                                   methods=["minimality"])  # fmt: skip
        assert found.detail["left_out_groups"] == 2
        assert "2 groups with 13 of 20 records were left out" in found.sentences[-1]
        assert found.detail["worst"][0]["share"] == pytest.approx(2 / 7)

    def test_the_right_truth_has_nothing_left_out(self) -> None:
        frame = pd.DataFrame({"age": ["20-60"] * 7, "ill": ["HIV"] * 2 + list("abcde")})
        people = pd.DataFrame({"age": ["20"] * 2 + ["60"] * 5, "ill": ["HIV "] * 2 + list("abcde")})
        (found,) = hedgerow.attack([frame], sensitive=["ill"], truth=people, know={"l": "2"},
                                   methods=["minimality"])  # fmt: skip
        assert found.detail["left_out_groups"] == 0
        assert found.found.value == 1
