"""Bounds by way of groups are those of comparing every kind with every other one."""

from __future__ import annotations

import numpy as np
import pytest
from puzzle_knowledge import crowded, knowledge
from record_worlds import believed, drawn
from work import growth

from hedgerow.claims.worlds import bounds as module
from hedgerow.claims.worlds.belief import believed as everybody
from hedgerow.claims.worlds.bounds import ROUNDS, bounds
from hedgerow.claims.worlds.exact import beliefs
from hedgerow.claims.worlds.knowledge import Knowledge, Shown
from hedgerow.table.groups import Ints


def compared(held: Knowledge) -> tuple[Ints, Ints]:
    """The least and the most, kind by kind and value by value."""
    people = held.people
    most = np.repeat(people[:, None], held.values, axis=1)
    if held.weights is not None:
        most[np.array(held.weights) == 0] = 0
    least = np.zeros_like(most)
    for _ in range(ROUNDS):
        before = most.copy(), least.copy()
        for one in held.shown:
            compare(one, least, most, people)
        least[:] = np.maximum(least, people[:, None] - most.sum(axis=1, keepdims=True) + most)
        most[:] = np.minimum(most, people[:, None] - least.sum(axis=1, keepdims=True) + least)
        if np.array_equal(before, (most, least)):
            break
    return least, most


def compare(one: Shown, least: Ints, most: Ints, people: Ints) -> None:
    kinds, values = most.shape
    fits = [set(one.fits.of(k).tolist()) for k in range(kinds)]
    table = one.dense()
    records = [sum((table[g] for g in mine), np.zeros(table.shape[1], np.int64)) for mine in fits]
    alike = [[w for w in range(values) if one.looks[w] == one.looks[v]] for v in range(values)]
    lower = [least[k].copy() for k in range(kinds)]
    for k in np.flatnonzero(one.sure):
        for v in range(values):
            inside = [j for j in range(kinds) if one.sure[j] and fits[j] and fits[j] <= fits[k]]
            others = sum(lower[j][w] for j in inside if j != k for w in alike[v])
            room = records[k][one.looks[v]] - others if one.looks[v] >= 0 else 0
            if not fits[k]:
                room += sum(lower[k][w] for w in alike[v]) if one.looks[v] >= 0 else 0
            most[k, v] = min(most[k, v], max(room, 0))
    if not one.listed:
        return
    upper = most.copy()
    for k in range(kinds):
        for v in np.flatnonzero(one.looks >= 0):
            beside = [j for j in range(kinds) if j != k and fits[j] & fits[k]]
            others = sum(min(people[j], sum(upper[j][w] for w in alike[v])) for j in beside)
            left = records[k][one.looks[v]] - others
            rest = sum(upper[k][w] for w in alike[v] if w != v)
            least[k, v] = max(least[k, v], left - rest)


@pytest.mark.parametrize("seed", range(150))
def test_bounds_are_those_of_comparing_kinds(seed: int) -> None:
    for puzzle in (drawn(seed, releases=3), crowded(seed)):
        held, _ = knowledge(puzzle)
        found, (least, most) = bounds(held), compared(held)
        assert np.array_equal(found.least, least)
        assert np.array_equal(found.most, most)


@pytest.mark.parametrize("seed", range(60))
def test_too_many_sets_make_bounds_wider_at_most(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, _ = knowledge(crowded(seed))
    whole = bounds(held)
    monkeypatch.setattr(module, "MOST_PAIRS", 0)
    wide = bounds(held)
    assert (wide.least <= whole.least).all()
    assert (wide.most >= whole.most).all()


def test_overlaps_were_drawn() -> None:
    """Without comparing sets something would be lost."""
    assert any(
        module._Release.of(one).within.nnz and module._Release.of(one).twice.nnz
        for seed in range(60)
        for one in knowledge(crowded(seed))[0].shown
    )


def test_values_of_no_weight_are_not_had() -> None:
    puzzle = next(p for p in map(drawn, range(99)) if p.weights and 0 in p.weights[0])
    held, kind = knowledge(puzzle)
    assert puzzle.weights is not None
    assert bounds(held).most[kind[0], puzzle.weights[0].index(0)] == 0


@pytest.mark.parametrize("seed", range(80))
def test_components_are_cut_apart(seed: int) -> None:
    held, _ = knowledge(drawn(seed, people=7))
    part = held.components()
    seen = []
    for kinds, alone in held.apart():
        assert len(set(part[kinds].tolist())) == 1
        seen += kinds.tolist()
        taken = held.take(kinds)
        assert beliefs(alone) == beliefs(taken)
        assert np.array_equal(bounds(alone).most, bounds(taken).most)
        assert np.array_equal(bounds(alone).least, bounds(taken).least)
    assert sorted(seen) == list(range(held.kinds))


def test_a_record_of_nobody_contradicts_every_component() -> None:
    groups, fits = [[[1, 0], [0, 1], [1, 0]]], [[[0], [1]]]
    assert believed_contradicted(Knowledge.of_groups(groups, fits)) == [True, True]
    assert believed_contradicted(Knowledge.of_groups(groups, fits, listed=False)) == [False] * 2


def believed_contradicted(held: Knowledge) -> list[bool]:
    return list(everybody(held).contradicted.tolist())


def test_many_components_take_as_long_each_as_few() -> None:
    def work(components: int) -> None:
        fits = [[[i // 2] for i in range(2 * components)]] * 2
        everybody(Knowledge.of_groups([[[1, 1]] * components] * 2, fits))

    assert growth(work, 20, 80) < 5


def test_many_kinds_of_one_group_take_as_long_each_as_few() -> None:
    def work(kinds: int) -> None:
        fits = [[[0]] * kinds, [[i // 2] for i in range(kinds)]]
        found = bounds(Knowledge.of_groups([[[kinds // 2] * 2], [[1, 1]] * (kinds // 2)], fits))
        assert found.most.max() == 1

    assert growth(work, 100, 400) < 5


def test_beliefs_of_the_oracle_lie_between() -> None:
    """On people who fit many groups, too."""
    for seed in range(12):
        puzzle = crowded(seed)
        if puzzle.people > 6:
            continue
        held, kind = knowledge(puzzle)
        total, wanted = believed(puzzle)
        found = bounds(held)
        for person, k in enumerate(kind):
            for value in range(held.values):
                least, most = found.belief(k, value)
                assert not total or least <= wanted[person][value] <= most
