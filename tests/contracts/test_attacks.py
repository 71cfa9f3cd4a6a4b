"""What holds of every attack in the registry, on the tables of `attack_cases.py`."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from contracts.attack_cases import CASES, Given

import hedgerow
from hedgerow import AttackResult
from hedgerow.attacks import declaration
from hedgerow.attacks.base import Rate
from hedgerow.attacks.declaration import Attack, FileAttack, Need, ReleaseAttack
from hedgerow.attacks.registry import ATTACKS, file_attacks, release_attacks
from hedgerow.base.errors import PlanError

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.house.source import Source  # noqa: E402
from bench.listings import LISTINGS, listed  # noqa: E402

OPTIONS: dict[str, tuple[str, ...]] = {
    declaration.PEOPLE.option: ("know", "register", "truth", "plan"),
    declaration.ORIGINAL.option: ("truth", "plan"),
    "--register": ("register",),
    "--truth": ("truth",),
    "--control": ("control",),
    "--sensitive": ("sensitive",),
    "--plan": ("plan",),
}
"""What a need is given by, as arguments of `hedgerow.attack`."""


def tried(name: str, given: Given, **more: Any) -> tuple[AttackResult, ...]:
    return hedgerow.attack(**{**given, **more}, methods=[name])


def lacking(given: Given, need: Need) -> Given:
    """The same without what a need is about."""
    if need is declaration.RELEASES:
        return {**given, "releases": given["releases"][:1]}
    if need.option.startswith("--know") and need.option not in OPTIONS:
        name = need.option.removeprefix("--know ").partition("=")[0]
        return {**given, "know": {k: v for k, v in given["know"].items() if k != name}}
    return {k: v for k, v in given.items() if k not in OPTIONS[need.option]}


def needs() -> Iterator[Any]:
    for one in ATTACKS.values():
        for need in one.needs:
            if need.option or need is declaration.RELEASES:
                yield pytest.param(one.name, need, id=f"{one.name}: {need.words}")


def test_every_attack_has_a_case() -> None:
    assert {*CASES} >= {*ATTACKS}


@pytest.mark.parametrize("name", ATTACKS)
def test_it_breaks_what_it_should_break(name: str) -> None:
    results = tried(name, CASES[name].breaks())
    assert results
    for result in results:
        assert result.found.value > result.baseline.value, result
        assert result.gain > 0
        assert result.sentences


@pytest.mark.parametrize("name", ATTACKS)
def test_it_does_no_better_than_its_baseline_where_there_is_nothing_to_find(name: str) -> None:
    results = tried(name, CASES[name].keeps())
    assert results
    for result in results:
        assert not result.succeeded, result
        assert result.found.value <= result.baseline.interval()[1]
        assert result.gains is None or result.gains.certain == 0


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("which", ["breaks", "keeps"])
def test_its_numbers_agree(name: str, which: str) -> None:
    outcomes = [one.name for one in ATTACKS[name].outcomes]
    results = tried(name, getattr(CASES[name], which)())
    assert [one.attack for one in results] == outcomes
    for result in results:
        for rate in (result.found, result.baseline, result.control):
            assert_rate(rate)
        low, high = result.gain_interval()
        assert 0 <= low <= result.gain + 1e-12 <= high + 2e-12 <= 1 + 2e-12
        gains = result.gains
        if gains is not None:
            assert 0 <= gains.mean <= gains.worst <= 1
            assert 0 <= gains.certain <= gains.people
            assert gains.people > 0
        summary = json.loads(json.dumps(result.summary()))
        assert summary["worst_gain"] == (None if gains is None else gains.worst)
        again = AttackResult.restored(summary)
        assert (again.found, again.baseline, again.control) == (
            result.found, result.baseline, result.control,
        )  # fmt: skip
        assert math.isclose(again.gain, result.gain)
        assert again.succeeded == result.succeeded


def assert_rate(rate: Rate | None) -> None:
    if rate is not None:
        low, high = rate.interval()
        assert 0 <= low <= high <= 1
        assert low - 1e-12 <= rate.value <= high + 1e-12 or not rate.guesses


@pytest.mark.parametrize("name", ATTACKS)
def test_a_seed_gives_the_same_again(name: str) -> None:
    first, second = (
        [one.summary() for one in tried(name, CASES[name].breaks(), seed=7)] for _ in range(2)
    )
    assert first == second


@pytest.mark.parametrize(("name", "need"), list(needs()))
def test_what_it_lacks_is_said(name: str, need: Need) -> None:
    given = lacking(CASES[name].breaks(), need)
    with pytest.raises(PlanError) as error:
        tried(name, given)
    told = str(error.value)
    assert (need.brief or need.words) in told or need.words in told
    assert need.option in told


@pytest.mark.parametrize("one", release_attacks(), ids=lambda one: one.name)
def test_without_a_sensitive_column_it_says_so_or_needs_none(one: ReleaseAttack) -> None:
    """A release that shows no secret: whoever is after one must not look as if they found none."""
    given = CASES[one.name].breaks()
    tables = [table.drop(columns=given["sensitive"]) for table in given["releases"]]
    quasi = list(tables[0].columns)
    bare = {**given, "releases": tables, "sensitive": [], "quasi": quasi}
    if any("sensitive column" in need.words for need in one.needs):
        with pytest.raises(PlanError, match="no sensitive column"):
            tried(one.name, bare)
    else:
        assert tried(one.name, bare)


def test_what_is_asked_for_and_cannot_be_tried_is_not_passed_over() -> None:
    """Of two attacks one lacks its register: the other's result says so, and the gate doubts."""
    from hedgerow.attacks.gain_bounds import doubts

    found = hedgerow.attack(**CASES["homogeneity"].keeps(), methods=["homogeneity", "linkage"])
    assert [one.attack for one in found] == ["homogeneity"]
    told = "not tried: linkage: it needs a list of people with names (--register)"
    assert doubts(found) == [told]


@pytest.mark.parametrize("one", tuple(ATTACKS.values()), ids=lambda one: one.name)
def test_its_words_are_there(one: Attack) -> None:
    assert one.asks.endswith("?")
    assert one.reference.endswith(".")
    assert not one.success.endswith(".")
    assert all(what.endswith(".") for what in one.knows.values())
    told = dict(one.sections())
    assert one.asks in told.values()
    assert bool(one.knows) == ("What may be said" in told)


@pytest.mark.parametrize("one", release_attacks(), ids=lambda one: one.name)
def test_it_can_be_tried_one_way(one: ReleaseAttack) -> None:
    assert (one.attempt is None) != (one.by_group is None)
    assert declaration.ORIGINAL in one.needs or declaration.GROUPS in one.needs
    assert one.by_default or one.tried.startswith("If it is asked for")


@pytest.mark.parametrize("one", file_attacks(), ids=lambda one: one.name)
def test_files_it_does_not_read_are_refused(one: FileAttack) -> None:
    given = CASES[one.name].breaks()
    with pytest.raises(PlanError, match=f"reads {one.most} of the {one.most + 1} files"):
        tried(one.name, {**given, "releases": [given["releases"][0]] * (one.most + 1)})
    with pytest.raises(PlanError, match="no use for --know zebra"):
        tried(one.name, {**given, "know": {"zebra": "1"}})


def test_names_of_results_belong_to_one_attack() -> None:
    names = [outcome.name for one in ATTACKS.values() for outcome in one.outcomes]
    assert len(names) == len(set(names))


def test_every_module_of_the_room_serves_the_registry() -> None:
    """An attack outside the registry would be reached by no command and no page."""
    source = Source()
    room = {name for name in source.modules if name.startswith("hedgerow.attacks.")}
    doors = {
        f"hedgerow.attacks.{name}"
        for name in ("suite", "gain_bounds", "charts", "person_belief", "person_chart")
    }
    reached, new = set[str](), doors
    while new:
        reached |= new
        new = {of for by in new for of in source.imported(by) if of in room} - reached
    assert reached == room


def test_the_manual_lists_every_attack() -> None:
    page = (ROOT / "docs" / LISTINGS["attacks"][0]).read_text("utf-8")
    assert listed("attacks", page) == page, "python -m bench.listings --write"
