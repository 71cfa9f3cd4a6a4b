"""Descriptions of records: conjunctions of published values that leave one, and whom they fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.attacks.base import Rate
from hedgerow.base.jit import kernel
from hedgerow.base.spelling_classes import told_apart
from hedgerow.table.groups import Ints
from hedgerow.table.labels import Flags, Value, covers
from hedgerow.table.location import locate
from hedgerow.table.pack import Codes, distinct
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets


def described(
    release: Published,
    tables: Sequence[Targets],
    secret: str | None,
    guesses: int,
    rng: np.random.Generator,
) -> tuple[dict[str, Any], Rate, Rate | None]:
    """Describe random records; how often one person of each table fits."""
    codes, n = release.codes, release.groups.n
    if release.located == "nearest":
        # A centroid describes those it is nearest to; its numbers say nothing one by one.
        codes = np.arange(len(n), dtype=np.int32)[:, None]
    if secret is not None:
        entries = release.groups.histograms[secret]
        codes = np.column_stack((codes[entries.owner()], entries.codes))
        n = entries.counts
    records = rng.choice(int(n.sum()), min(guesses, int(n.sum())), replace=False)
    cells = np.searchsorted(np.cumsum(n), records, side="right")
    width = codes.shape[1]
    order = rng.permuted(np.tile(np.arange(width), (len(cells), 1)), axis=1)
    length, left = _shortest(np.ascontiguousarray(codes), n, cells, order)
    rates = []
    for table in tables:
        fits, people = _attributes(release, table, secret, codes[cells])
        widths = [matrix.shape[1] for matrix in fits]
        first, into = distinct(people, widths)
        kinds = people[first]
        # People by the value they have in each attribute: few are looked at for a description.
        by_value = np.argsort(kinds, axis=0, kind="stable")
        starts = np.concatenate(
            [
                np.searchsorted(kinds[by_value[:, j], j], np.arange(width + 1))
                for j, width in enumerate(widths)
            ]
        )
        found = _fitting(
            np.concatenate([matrix.ravel() for matrix in fits]),
            np.concatenate(([0], np.cumsum([matrix.size for matrix in fits]))),
            starts,
            np.concatenate(([0], np.cumsum(np.array(widths) + 1))),
            by_value,
            kinds,
            np.bincount(into),
            order,
            length,
        )
        rates.append(Rate(successes=int((found == 1).sum()), guesses=len(cells)))
    made = {
        "describing_one_record": int((left == 1).sum()),
        "columns_of_a_description": float(length.mean()),
    }
    return made, rates[0], rates[1] if len(rates) > 1 else None


def _attributes(
    release: Published, table: Targets, secret: str | None, codes: Codes
) -> tuple[list[Flags], Codes]:
    """For each attribute, descriptions by values: what fits; and the value of each person."""
    fits: list[Flags] = []
    values: list[NDArray[Any]] = []
    if release.located == "nearest":
        place = locate(release, table).groups
        fits.append(codes[:, :1] == np.arange(len(release)))
        values.append(place)
    else:
        for j, name in enumerate(release.quasi):
            c = table.columns.index(name)
            used, row = np.unique(codes[:, j], return_inverse=True)
            matrix = covers(
                [release.labels[j][code] for code in used],
                table.values[c],
                column=name,
                taxonomy=release.taxonomies.get(name),
            )
            fits.append(matrix[row])
            values.append(table.codes[:, c])
    if secret is not None:
        domain = release.groups.domains[secret].values
        fits.append(codes[:, -1:] == np.arange(-1, len(domain)))
        values.append(secret_codes(domain, table, secret) + 1)
    return fits, np.column_stack(values).astype(np.int32)


@kernel
def _shortest(codes: Codes, n: Ints, cells: Ints, order: Ints) -> tuple[Ints, Ints]:
    """How many attributes, in this order, leave one record of each cell's kind; what they leave.

    Args:
        codes: Cells (groups, by secret where there is one) by attributes: the published value.
        n: Records of each cell.
        cells: The cell that each description is of.
        order: Descriptions by places: the attribute that is named there.

    Returns:
        For each description, the attributes it names (all, where they leave several records),
        and the records they leave.
    """
    length = np.zeros(len(cells), np.int64)
    left = np.zeros(len(cells), np.int64)
    alive = np.empty(len(codes), np.int64)
    for i in range(len(cells)):
        size = len(codes)
        for a in range(order.shape[1]):
            column = order[i, a]
            wanted = codes[cells[i], column]
            end, total = 0, 0
            for m in range(size):
                cell = m if a == 0 else alive[m]
                if codes[cell, column] == wanted:
                    alive[end] = cell
                    end += 1
                    total += n[cell]
            size = end
            length[i], left[i] = a + 1, total
            if total == 1:
                break
    return length, left


@kernel
def _fitting(
    fits: Flags,
    offset: Ints,
    starts: Ints,
    start: Ints,
    by_value: Ints,
    kinds: Codes,
    people: Ints,
    order: Ints,
    length: Ints,
) -> Ints:
    """How many people fit each description; counting stops at two.

    Args:
        fits: Flags of all attributes in a row, each descriptions by values.
        offset: Where those of each attribute begin.
        starts: For all attributes in a row, where each value's kinds begin in `by_value`.
        start: Where those of each attribute begin.
        by_value: For each attribute, the kinds of people sorted by their value.
        kinds: For each kind and attribute, the value.
        people: How many are of each kind.
        order: For each description, the attributes.
        length: How many of them it names.
    """
    found = np.zeros(len(length), np.int64)
    for i in range(len(length)):
        least, rarest = len(kinds) + 1, 0
        for a in range(length[i]):
            j = order[i, a]
            width = start[j + 1] - start[j] - 1
            size = 0
            for v in range(width):
                if fits[offset[j] + i * width + v]:
                    size += starts[start[j] + v + 1] - starts[start[j] + v]
            if size < least:
                least, rarest = size, j
        for v in range(start[rarest + 1] - start[rarest] - 1):
            if not fits[offset[rarest] + i * (start[rarest + 1] - start[rarest] - 1) + v]:
                continue
            for m in range(starts[start[rarest] + v], starts[start[rarest] + v + 1]):
                kind = by_value[m, rarest]
                fit = True
                for a in range(length[i]):
                    j = order[i, a]
                    width = start[j + 1] - start[j] - 1
                    if not fits[offset[j] + i * width + kinds[kind, j]]:
                        fit = False
                        break
                if fit:
                    found[i] += people[kind]
                    if found[i] > 1:
                        break
            if found[i] > 1:
                break
    return found


def secret_codes(domain: Sequence[Value], people: Targets, secret: str) -> Ints:
    """Each person's secret as its place in the release's values; -1: it is not among them."""
    kind = told_apart(domain)
    place = {kind(value): i for i, value in enumerate(domain)}
    c = people.columns.index(secret)
    codes = np.array([place.get(kind(value), -1) for value in people.values[c]], np.int64)
    return codes[people.codes[:, c]]
