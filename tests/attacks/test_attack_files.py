"""Attacks on files of their own kind: whatever is wrong with the files or options is told."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import hedgerow
from hedgerow.attacks.registry import file_attacks
from hedgerow.base.errors import DataError, PlanError

QUERIES = "query,person\nq1,Ann\nq1,Bob\nq2,Bob\nq3,Ann\n"
ANSWERS = "query,answer\nq1,1.2\nq2,0.9\nq3,0.1\n"
TRUTH = "person,value\nAnn,0\nBob,1\n"


def attacked(method: str, *texts: str, folder: Path, **more: object) -> hedgerow.AttackResult:
    files = []
    for i, text in enumerate(texts):
        files.append(folder / f"{i}.csv")
        files[-1].write_text(text)
    (result,) = hedgerow.attack(files, methods=[method], **more)  # type: ignore[arg-type]
    return result


def reconstructed(
    folder: Path,
    *,
    queries: str = QUERIES,
    answers: str = ANSWERS,
    truth: str = TRUTH,
    **more: object,
) -> hedgerow.AttackResult:
    (folder / "truth.csv").write_text(truth)
    return attacked(
        "reconstruction", queries, answers, folder=folder, truth=folder / "truth.csv", **more
    )


class TestReconstruction:
    def test_files_that_fit(self, tmp_path: Path) -> None:
        assert reconstructed(tmp_path).found.successes == 2

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ({"answers": ANSWERS.replace("0.9", "abc")}, "1.csv: 'abc' in 'answer' is not"),
            ({"truth": TRUTH.replace("Bob,1", "Bob,yes")}, "truth.csv: 'yes' in 'value' is not"),
            ({"truth": TRUTH.replace("Bob,1", "Bob,")}, "not a bit for each"),
            ({"answers": ANSWERS + "q2,0.8\n"}, "column 'query': .*more than one row: 'q2'"),
            ({"answers": ANSWERS + ",0.8\n"}, "column 'query': .*no name.*: missing"),
            ({"truth": TRUTH + "Ann,1\n"}, "column 'person': .*more than one row: 'Ann'"),
            ({"queries": QUERIES + "q1,Ann\n"}, "0.csv: 1 rows say again"),
            ({"queries": QUERIES + "q4,Ann\n"}, "no answer for 'q4'"),
            ({"queries": QUERIES + "q3,Eve\n"}, "no value for 'Eve'"),
            ({"queries": "query,person\n"}, "nobody is in any query"),
            ({"queries": "query,person\n", "answers": "query,answer\n", "truth": "person,value\n"},
             "nobody is in any query"),
        ],
    )  # fmt: skip
    def test_files_that_do_not(self, tmp_path: Path, wrong: dict[str, str], message: str) -> None:
        with pytest.raises(DataError, match=message):
            reconstructed(tmp_path, **wrong)

    def test_answers_and_names_are_read_together(self, tmp_path: Path) -> None:
        """Bits by hand, people and queries in an order of their own in each file."""
        rng = np.random.default_rng(1)
        bits, inside = rng.integers(0, 2, 12), rng.random((90, 12)) < 0.5
        query, person = np.nonzero(inside)
        order = rng.permutation(90)
        people = rng.permutation(12)
        frames = (
            pd.DataFrame({"query": query, "person": person}).sample(frac=1, random_state=1),
            pd.DataFrame({"query": order, "answer": (inside @ bits)[order]}),
        )
        truth = pd.DataFrame({"person": people, "value": bits[people]})
        (found,) = hedgerow.attack(frames, truth=truth, methods=["reconstruction"])
        assert found.found.successes == 12


NOTHING = {
    "averaging": ("noisy,sum,truth\n",),
    "floating-point": ("output,truth\n",),
    "same-sample": ("first,second,sampled\n",),
    "sparse": ("person,item\n",),
    "de-finetti": ("age,ill\n",),
}


@pytest.mark.parametrize("method", NOTHING)
def test_a_file_of_a_header_only_is_nothing_to_judge(tmp_path: Path, method: str) -> None:
    know = {"rate": "0.1"} if method == "same-sample" else {}
    with pytest.raises(DataError, match=r"there are no |has no rows"):
        attacked(method, *NOTHING[method], folder=tmp_path, know=know, sensitive=["ill"])


def test_a_study_without_alleles_or_people(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("Ann,Bob\n")
    with pytest.raises(DataError, match="no alleles or no people"):
        attacked(
            "membership", "study,population\n", folder=tmp_path, truth=tmp_path / "in.csv",
            control=tmp_path / "in.csv",
        )  # fmt: skip


@pytest.mark.parametrize(
    ("method", "know", "message", "fix"),
    [
        ("sparse", {"wrnog": "1"}, "no use for --know wrnog", "Did you mean 'wrong'?"),
        ("sparse", {"zebra": "1"}, "no use for --know zebra", "It takes 'm', 'wrong', 'days'"),
        ("averaging", {"scale": "1"}, "no use for --know scale", "It takes none."),
        ("floating-point", {"noisse": "numpy"}, "no use for --know noisse", "'noise'"),
        ("same-sample", {"rate": "0.1", "rat": "0.1"}, "no use for --know rat", "'rate'"),
        ("membership", {"alhpa": "0.1"}, "no use for --know alhpa", "'alpha'"),
        ("reconstruction", {"eror": "1"}, "no use for --know eror", "'error'"),
        ("de-finetti", {"L": "4"}, "no use for --know L", "'l'"),
    ],
)
def test_names_an_attack_does_not_know(
    tmp_path: Path, method: str, know: dict[str, str], message: str, fix: str
) -> None:
    with pytest.raises(PlanError, match=message) as told:
        attacked(method, "person,item\na,b\n", folder=tmp_path, know=know)
    assert fix in str(told.value)


def test_every_name_an_attack_takes_is_used() -> None:
    """A name in the list that nothing reads would be ignored in silence."""
    for one in file_attacks():
        source = Path(inspect.getsourcefile(one.attempt) or "").read_text("utf-8")
        for name in one.knows:
            assert any(f'read.{kind}("{name}"' in source for kind in ("number", "whole", "word"))


@pytest.mark.parametrize("number", ["inf", "-inf", "nan", "1e400"])
@pytest.mark.parametrize(
    ("method", "name"),
    [("sparse", "m"), ("same-sample", "rate"), ("floating-point", "scale"), ("de-finetti", "l")],
)
def test_numbers_that_are_none(tmp_path: Path, method: str, name: str, number: str) -> None:
    text = "person,item,first,second,sampled,output\na,b,0,0,0,1\n"
    with pytest.raises(PlanError, match=f"{name} must be a number, not '{number}'"):
        attacked(method, text, folder=tmp_path, know={name: number}, sensitive=["item"])


@pytest.mark.parametrize("number", ["2.5", "1e30", "-1e30"])
@pytest.mark.parametrize("name", ["m", "wrong", "days", "targets", "outsiders"])
def test_fractions_are_not_cut_off(tmp_path: Path, name: str, number: str) -> None:
    with pytest.raises(PlanError, match=f"{name} must be a whole number .*, not '{number}'"):
        attacked("sparse", "person,item\na,b\n", folder=tmp_path, know={name: number})


@pytest.mark.parametrize("name", ["m", "days"])
def test_the_largest_whole_numbers_are_held(tmp_path: Path, name: str) -> None:
    rows = "".join(f"p{i},i{j},{j % 5},{j}\n" for i in range(6) for j in range(i, i + 4))
    found = attacked(
        "sparse", "person,item,rating,day\n" + rows, folder=tmp_path,
        know={name: "1e9", "targets": "3", "outsiders": "2"},
    )  # fmt: skip
    assert found.found.guesses == 3


def test_files_nobody_reads_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="reads 1 of the 2 files"):
        attacked("sparse", "person,item\na,b\n", "person,item\na,b\n", folder=tmp_path)


def test_buckets_that_are_there_need_no_l(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="no l to publish with"):
        attacked(
            "de-finetti", "age,bucket\n1,0\n2,0\n", "bucket,ill,count\n0,a,1\n0,b,1\n",
            folder=tmp_path, sensitive=["ill"], know={"l": "2"},
        )  # fmt: skip
