"""What publish says without the claim `composition` are the numbers the claim goes by."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

from hedgerow import Plan
from hedgerow.base.errors import HedgerowError
from hedgerow.claims import Composition
from hedgerow.claims.composition import earlier_name, with_earlier
from hedgerow.claims.joins import Joins
from hedgerow.claims.worlds.table_world import UncheckedError
from hedgerow.release.partition import exposure as module
from hedgerow.release.partition.earlier_releases import in_words
from hedgerow.release.partition.exposure import FEW, Exposure, exposure
from hedgerow.release.partition.job import opened
from hedgerow.release.partition.ledger_record import earlier_releases
from hedgerow.release.partition.recoding_choice import choose
from hedgerow.table.groups import Earlier, Groups

STORIES = 80
QI: dict[str, Any] = {"role": "quasi-identifier", "hierarchy": {"ranges": [2, 4]}}
METHODS = ("lattice", "mondrian", "local")


def compared(seed: int, folder: Path) -> tuple[Exposure, dict[int, int]] | None:
    """What publish says of a table beside an earlier release, and what claims measure.

    Returns:
        The exposure; and for claims that ask for 2, 3 and 4 values, the fewest that remain.
    """
    random = Random(seed)
    size, cut, by = random.randint(6, 14), random.choice([1, 2, 3]), random.randrange(2)
    people = [
        (random.randrange(4), random.randrange(4), random.choice("abcd")) for _ in range(size)
    ]
    rows = []
    for person in people[: size - random.choice([0, 0, 1, 3])]:
        label = f"0-{cut - 1}" if person[by] < cut else f"{cut}-3"
        rows.append((*((label, "*") if by == 0 else ("*", label)), person[2]))
    folder.mkdir()
    pd.DataFrame(rows, columns=["x", "y", "ill"]).to_csv(folder / "first.csv", index=False)
    pd.DataFrame(people, columns=["x", "y", "ill"]).to_csv(folder / "table.csv", index=False)
    shared: dict[str, Any] = {
        "source": str(folder / "table.csv"),
        "columns": {"x": QI, "y": QI, "ill": "sensitive"},
        "one_row_per_person": True,
        "method": random.choice(METHODS),
    }
    claim = {"composition": {"confidence": 0.5, "with": [str(folder / "first.csv")]}}
    plan, other = (Plan.of(**shared, protect=[one]) for one in (claim, {"k-anonymity": 2}))
    try:
        with opened(plan, past=earlier_releases(plan)) as job:
            cells = job.cells()
            (left,), _ = job.lefts(cells)
            recoding = choose(other, cells, other.models())
            groups, measured = recoding.groups(cells), {}
            for least in (2, 3, 4):
                level = Composition(confidence=1 / least, of="ill").check(groups).level
                measured[least] = round(1 / level) if level else 99
            return exposure(left, cells.in_one_spelling, recoding), measured
    except HedgerowError:
        return None


def disagreements(folder: Path) -> tuple[int, int, list[tuple[int, int]]]:
    """How many stories there were, how many people had few values, and what does not agree."""
    told, exposed, wrong = 0, 0, []
    for seed in range(STORIES):
        found = compared(seed, folder / str(seed))
        if found is None:
            continue
        said, measured = found
        told += 1
        exposed += said.together[0] > 0
        for few, many, gone in zip(FEW, said.together, said.only_earlier, strict=True):
            # The claim that asks for one more holds where nobody is left so few, and not else.
            if (measured[few + 1] > few) != (many + gone == 0):
                wrong.append((seed, few))
    return told, exposed, wrong


def test_the_warning_has_the_numbers_of_the_claim(tmp_path: Path) -> None:
    told, exposed, wrong = disagreements(tmp_path)
    assert not wrong
    assert told > STORIES / 2
    assert told > exposed > 5


def test_what_it_forgets_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = Joins.left

    def uncounted(self: Joins, *parts: Any, proven: bool = True, **more: Any) -> Any:
        found = left(self, *parts, proven=proven, **more)
        if not proven:  # so publish asks
            found.inside[:] = 99
        return found

    monkeypatch.setattr(Joins, "left", uncounted)
    assert disagreements(tmp_path)[2]


def only_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither joins nor counts."""
    monkeypatch.setattr(Composition, "_joined", lambda self, groups: None)
    monkeypatch.setattr(Joins, "left", lambda *_, **__: _refuse())


def _refuse() -> None:
    raise UncheckedError("not here")


def test_groups_by_themselves_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_groups(monkeypatch)
    assert not disagreements(tmp_path)[2]


def test_which_values_let_a_claim_hold_counts() -> None:
    """Four values; c has three in common with the earlier groups that have it, but only two values
    of the group would have had two or more, had three been asked for."""
    groups = with_earlier(
        Groups.of({"ill": [{"a": 1, "b": 1, "c": 1, "d": 1}]}), "ill",
        sets=[[0, 1], [0, 2, 3]], profiles=[[0, 1]], people=[[(0, 2)]],
    )  # fmt: skip
    claim = Composition(confidence=0.5, of="ill").level(groups)[0]
    h = groups.histograms["ill"]
    domain = groups.domains[earlier_name("ill")]
    assert isinstance(domain, Earlier)
    every = np.ones(4, np.bool_)
    found = module._counts(
        in_words(every[None]), h.indptr, h.codes, every, np.zeros(1, np.int64),
        np.zeros(1, np.int64), np.zeros(1, np.int32), np.array([2], np.int32), domain.start,
        domain.members, domain.sets,
    )  # fmt: skip
    assert 1 / claim == found[0] == 2
