"""Widened groups: a release with the facts of everybody who fits each group, not only its people.

A known person who fits several groups may be in any of them, so of each value some records are
surely theirs, some perhaps, and the others are not. For a group and a value these numbers are
bounds over every way to place the known people; see decision 033 for why bounds suffice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.release.partition.candidates import Candidates
from hedgerow.table.cells import Cells
from hedgerow.table.facts import AskedFacts
from hedgerow.table.groups import AttributedRecords, Facts, Groups, Histogram, Ints


def widened(
    facts: Sequence[AskedFacts], cells: Cells, groups: Groups, candidates: Candidates, into: Ints
) -> Groups:
    """The groups with the facts of everybody who fits them, and whose their records may be.

    Args:
        facts: What claims have to know of people.
        cells: The source, counted.
        groups: Of the release.
        candidates: Who fits them.
        into: Which group a reader takes each group for.
    """
    size = int(into.max(initial=-1)) + 1
    groups = groups.merge(into, size)
    pairs = np.unique(candidates.tuple_ * size + into[candidates.group])
    tuple_, group = pairs // size, pairs % size
    absent = np.zeros(size, np.int64)
    np.maximum.at(absent, into, np.where(candidates.absent, cells.absent, 0))
    only = np.bincount(tuple_, minlength=candidates.tuples)[tuple_] == 1
    histograms, domains = dict(groups.histograms), dict(groups.domains)
    for asked in facts:
        domain = domains[asked.name]
        assert isinstance(domain, Facts), "facts are counted as such"
        fitting = _by_tuple(cells, asked.name, candidates.tuples).take(tuple_)
        pair = fitting.owner()
        people = _Fitting(group[pair], fitting.codes.astype(np.int64), fitting.counts, only[pair])
        entries = people.group * len(domain.values) + people.code
        histograms[asked.name] = _added(entries, people.number, len(domain.values), size)
        listed = 0 if asked.known is None else len(asked.known.people)
        histograms[asked.records] = _attributed(
            groups.histograms[asked.of], len(domains[asked.of].values), domain, people,
            absent=np.minimum(absent, listed), left_out=candidates.left_out,
        )  # fmt: skip
        domains[asked.records] = _domain(asked, domain, len(domains[asked.of].values))
    return replace(groups, histograms=histograms, domains=domains)


class _Fitting(NamedTuple):
    """People who fit a group, by their facts."""

    group: Ints
    code: Ints
    """Of `Facts`."""
    number: Ints
    only: NDArray[np.bool_]
    """Whether they fit this group only."""


def _attributed(
    records: Histogram, values: int, facts: Facts, people: _Fitting, *, absent: Ints, left_out: int
) -> Histogram:
    """The records of each group by value, and whether they are known people's.

    Args:
        records: By group and value.
        values: How many values there are.
        facts: What is known of people.
        people: Who fits which group.
        absent: For each group, how many known people may fit it who are not among them.
        left_out: How many people are in no group: known people may be among them.
    """
    known = facts.known[people.code]
    place = people.group[known] * values + facts.value[people.code[known]]
    owner = records.owner()
    at = owner * values + records.codes
    possible = _found(at, place, people.number[known]) + absent[owner]
    surely = _found(at, place, np.where(people.only, people.number, 0)[known]) - left_out
    most = np.minimum(records.counts, possible)
    least = np.minimum(most, np.maximum(0, surely))
    entries = np.concatenate((at * 3, at * 3 + 1, at * 3 + 2))
    counts = np.concatenate((records.counts - most, least, most - least))
    return _added(entries, counts, values * 3, len(absent))


def _domain(asked: AskedFacts, facts: Facts, values: int) -> AttributedRecords:
    """Each value three times: of people whom the attacker does not know, knows, may know."""
    codes = np.arange(values * 3)
    return AttributedRecords(
        asked.records,
        tuple(map(str, codes.tolist())),
        np.zeros(values * 3, np.int64),
        facts.people,
        value=(codes // 3).astype(np.int32),
        known=codes % 3 == 1,
        perhaps=codes % 3 == 2,
    )


def _found(entries: Ints, keys: Ints, counts: Ints) -> Ints:
    """For each of some different entries, what the counts with the same key add up to."""
    total = np.zeros(len(entries), np.int64)
    if not len(entries):
        return total
    order = np.argsort(entries)
    place = np.minimum(np.searchsorted(entries[order], keys), len(entries) - 1)
    same = entries[order][place] == keys  # else there is no such record
    np.add.at(total, order[place[same]], counts[same])
    return total


def _by_tuple(cells: Cells, name: str, tuples: int) -> Histogram:
    """An attribute of the people of each tuple of quasi-identifiers."""
    _, of_cell = cells.tuples
    place = [domain.name for domain in cells.sensitive].index(name)
    h, width = cells.values[place], len(cells.sensitive[place].values)
    return _added(of_cell[h.owner()] * width + h.codes, h.counts, width, tuples)


def _added(entries: Ints, counts: Ints, width: int, size: int) -> Histogram:
    """A histogram of `size` groups from entries, group times width plus code, that may repeat."""
    there = counts > 0
    found, place = np.unique(entries[there], return_inverse=True)
    total = np.zeros(len(found), np.int64)
    np.add.at(total, place, counts[there])
    starts = np.searchsorted(found, np.arange(size + 1) * width).astype(np.int64)
    return Histogram(starts, (found % width).astype(np.int32), total)
