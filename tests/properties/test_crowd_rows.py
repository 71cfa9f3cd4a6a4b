"""Everybody with several rows: what is believed of them is the share of all worlds of rows."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache, cached_property
from random import Random
from typing import Any

import numpy as np
import pytest
from record_worlds import Puzzle, Release, worlds
from sampled_releases import Sample, sampled

from hedgerow.attacks import crowd_rows_belief
from hedgerow.attacks.belief_attack import CrowdGains
from hedgerow.attacks.crowd_belief import CrowdBelief
from hedgerow.attacks.crowd_rows_belief import crowd_of_rows
from hedgerow.attacks.person_scene import SeenColumn
from hedgerow.attacks.row_owners import RowOwners, UnclearRowsError, refuse_unclear_rows
from hedgerow.attacks.suite import read_releases
from hedgerow.table.location import locate
from hedgerow.table.targets import Targets

SEEDS = 60
CLOSE = 1e-9


def having(
    sample: Sample, puzzle: Puzzle, mine: list[int], said: str = ""
) -> dict[str, Fraction] | None:
    """How likely one of some people of a puzzle has each illness.

    Args:
        sample: What values mean.
        puzzle: Its people are rows.
        mine: Which of them are the person's.
        said: Somebody supposes that none of these has this illness.
    """
    total, found = Fraction(0), dict[str, Fraction]()
    for values, ways in worlds(puzzle):
        ill = {sample.values[values[row]][0] for row in mine}
        if said in ill:
            continue
        total += ways
        for one in ill:
            found[one] = found.get(one, Fraction(0)) + ways
    return {one: ways / total for one, ways in found.items()} if total else None


def only(puzzle: Puzzle, mine: list[int]) -> Puzzle:
    """The rows of one person, of whom somebody knows nobody else."""
    releases = tuple(
        Release(r.records, r.looks, tuple(r.fits[row] for row in mine),
                tuple(bool(r.fits[row]) for row in mine), listed=False)
        for r in puzzle.releases
    )  # fmt: skip
    return Puzzle(len(mine), puzzle.values, releases)


class Rows:
    """A random release or two of rows, and whose each is."""

    def __init__(self, seed: int, *, silent: str = "") -> None:
        self.sample = sampled(seed, releases=1 + seed % 2)
        if silent:
            tables = tuple(t.replace({"ill": {"a": silent}}) for t in self.sample.tables)
            values = tuple(tuple(silent if v == "a" else v for v in one)
                           for one in self.sample.values)  # fmt: skip
            self.sample = replace(self.sample, tables=tables, values=values)
        random = Random(seed)
        whose = [f"p{random.randrange(3)}" for _ in self.sample.people]
        columns = ["ill", "bill"] if self.sample.joined else ["ill"]
        releases = read_releases(self.sample.tables, sensitive=columns, quasi=["x", "y"])
        rows = Targets.read(self.sample.register.assign(pid=whose))
        self.owners = RowOwners.of(releases, rows, "pid")
        self.places = tuple(locate(one, rows) for one in releases)
        refuse_unclear_rows(releases, self.places)
        self.seen = SeenColumn.read(releases, "ill")
        ill = [silent if v[0] == "a" and silent else v[0] for _, _, v in self.sample.people]
        self.ill = np.array([self.seen.values.index(v) if v in self.seen.values else -2
                             for v in ill])  # fmt: skip

    @cached_property
    def crowd(self) -> CrowdBelief:
        return crowd_of_rows(self.seen, self.places, self.owners)

    def mine(self, person: int) -> list[int]:
        """Rows of a person that are in a release."""
        return [row for row in self.owners.rows(person).tolist()
                if any(r.fits[row] for r in self.sample.puzzle.releases)]  # fmt: skip

    def listed(self) -> Puzzle:
        return self.sample.presence(-1)


@cache
def rows(seed: int, **more: Any) -> Rows | None:
    try:
        return Rows(seed, **more)
    except UnclearRowsError:
        return None


def beliefs(crowd: CrowdBelief, table: Any, person: int) -> dict[str, float]:
    row = table[crowd.kind[person]].tolist()
    return {str(v): p for v, p in zip(crowd.seen.values, row, strict=True) if p}


def agree(found: dict[str, float], wanted: dict[str, Fraction] | None) -> None:
    wanted = wanted or {}
    assert found.keys() == wanted.keys()
    for value, share in wanted.items():
        assert abs(found[value] - float(share)) < CLOSE
        assert (found[value] == 1) == (share == 1)


def test_beliefs_of_everybody_are_those_of_all_worlds() -> None:
    told = 0
    for seed in range(SEEDS):
        given = rows(seed)
        if given is None:
            continue
        crowd = given.crowd
        for person in range(len(given.owners)):
            mine, k = given.mine(person), crowd.kind[person]
            assert crowd.present[k] == bool(mine)
            if not mine:
                continue
            wanted = having(given.sample, given.listed(), mine)
            assert crowd.contradicted[k] == (wanted is None), seed
            agree(beliefs(crowd, crowd.low, person), wanted)
            assert crowd.exact[k] or wanted is None
            puzzle = only(given.sample.puzzle, mine)
            known = having(given.sample, puzzle, [*range(len(mine))])
            agree(beliefs(crowd, crowd.alone, person), known)
            told += len(mine) > 1
    assert told > 30, "several rows are often met"


def test_bounds_contain_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowd_rows_belief, "MOST_WORK", 0)
    bounded = 0
    for seed in range(SEEDS):
        given = rows(seed)
        if given is None:
            continue
        crowd = crowd_of_rows(given.seen, given.places, given.owners)
        for person in range(len(given.owners)):
            mine, k = given.mine(person), crowd.kind[person]
            wanted = having(given.sample, given.listed(), mine) if mine else None
            if wanted is None:
                continue
            for v, value in enumerate(given.seen.values):
                share = float(wanted.get(str(value), Fraction(0)))
                assert crowd.low[k, v] - CLOSE <= share <= crowd.high[k, v] + CLOSE
            bounded += bool(crowd.bounded[k])
    assert bounded > 3


def test_values_that_say_nothing_are_taken_for_not_recorded() -> None:
    """What is believed of somebody of whose rows something is recorded."""
    told = 0
    for seed in range(SEEDS):
        given = rows(seed, silent="?")
        if given is None or "?" not in given.seen.values:
            continue
        crowd = given.crowd
        assert crowd.given is not None
        for person in range(len(given.owners)):
            mine, k = given.mine(person), crowd.kind[person]
            if not mine or crowd.contradicted[k]:
                continue
            wanted = having(given.sample, given.listed(), mine, "?")
            agree(beliefs(crowd, crowd.given.low, person), wanted)
            told += wanted is not None
            believed = (
                having(given.sample, only(given.sample.puzzle, mine), [*range(len(mine))], "?")
                or {}
            )
            for value, share in believed.items():
                v = given.seen.values.index(value)
                assert crowd.given.alone[k, v] >= float(share) - CLOSE
    assert told > 20


def test_gains_are_about_the_value_that_most_is_gained_in() -> None:
    for seed in range(SEEDS):
        given = rows(seed)
        if given is None:
            continue
        crowd = given.crowd
        there = np.any([where.count > 0 for where in given.places], axis=0)
        found = CrowdGains(crowd, given.ill[there], given.owners.person[there])
        certain = 0
        for person in range(len(given.owners)):
            k, mine = crowd.kind[person], given.mine(person)
            gains, sure = [0.0], [0.0]
            for v in {int(given.ill[row]) for row in mine} - {-2}:
                before = crowd.before[k, v]
                p = max(crowd.alone[k, v], crowd.low[k, v])
                sure.append(p)
                gains.append((p - before) / (1 - before) if before < 1 else 0.0)
            assert abs(found.gain[person] - max(gains)) < CLOSE
            certain += max(sure) == 1
        assert found.gains.certain == certain
        assert abs(found.gains.worst - found.gain.max(initial=0.0)) < CLOSE
