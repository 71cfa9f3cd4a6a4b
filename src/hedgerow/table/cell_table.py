"""From what the engine counted to cells: values become codes, hierarchies are bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, some
from hedgerow.engines.base import Engine, Table
from hedgerow.table.cells import Cells
from hedgerow.table.column_domains import barring, bound, domain_of, refuse_names, refuse_nobody
from hedgerow.table.encoding import encoded, histogram, set_codes
from hedgerow.table.facts import AskedFacts
from hedgerow.table.groups import ALL, Beside, Facts, Histogram, Ints, Sensitive
from hedgerow.table.pack import canonical, distinct
from hedgerow.table.person_keys import refuse_empty_rows
from hedgerow.table.rules import Rules
from hedgerow.table.schema import Schema
from hedgerow.table.survey_weights import weights_attribute

Codes = NDArray[np.int32]
Flags = NDArray[np.bool_]


def read_cells(
    engine: Engine,
    rules: Rules,
    schema: Schema,
    *,
    population: Engine | None = None,
    joint: bool = False,
    facts: Sequence[AskedFacts] = (),
    weights: Sequence[str] = (),
    beside: Sequence[str] = (),
    as_it_is: bool = False,
    empty_rows: bool = True,
) -> Cells:
    """Count the table and encode it.

    Args:
        engine: Holds the table.
        rules: Say how columns generalise.
        schema: Which columns are what, in the order of the source.
        population: Holds the outside population some claims refer to.
        joint: Whether a claim counts every published column as a quasi-identifier.
        facts: What claims have to know of people that the release does not show.
        weights: Columns of survey weights that claims are judged with.
        beside: Insensitive columns on which releases may be joined.
        as_it_is: Whether people who would be suppressed for a missing value count too.
        empty_rows: Whether rows that are empty in every column count as people.
    """
    names = schema.quasi_identifiers
    refuse_names(rules, schema)
    sets = (*schema.sensitive, *(schema.insensitive if joint else beside))
    facts = tuple(dict.fromkeys(facts))
    wishes = tuple(dict.fromkeys(asked.wishes for asked in facts if asked.wishes is not None))
    weights = tuple(dict.fromkeys(weights))
    lists = tuple(dict.fromkeys(asked.known for asked in facts if asked.known is not None))
    counted = engine.counts(
        names, sets=(*sets, *wishes, *weights), marks=[(known.by, known.people) for known in lists]
    )
    n, rows = _ints(counted["n"]), _ints(counted["rows"])
    refuse_nobody(rules, len(n))
    columns = [encoded(counted[f"q{j}"]) for j in range(len(names))]
    values = [histogram(counted[f"s{i}"], n) for i in range(len(sets))]
    wished = {name: histogram(counted[f"s{len(sets) + i}"], n) for i, name in enumerate(wishes)}
    weighed = {
        name: histogram(counted[f"s{len(sets) + len(wishes) + i}"], n)
        for i, name in enumerate(weights)
    }
    marked = {known: _flags(counted[f"m{i}"]) for i, known in enumerate(lists)}
    if not empty_rows and _may_be_empty(columns, values, len(n)):
        refuse_empty_rows(engine)
    outside = None if population is None else population.counts(names)
    hierarchies, codes = [], []
    for j, (name, (found, code)) in enumerate(zip(names, columns, strict=True)):
        known = found if outside is None else _union(found, encoded(outside[f"q{j}"])[0])
        hierarchy = bound(rules, name, known)
        hierarchies.append(hierarchy)
        codes.append(hierarchy.encode(found)[code])
    q = np.stack(codes, axis=1) if codes else np.zeros((len(n), 0), np.int32)
    sensitive = [
        _domain(rules, name, *value, n)
        for name, value in zip(schema.sensitive, values, strict=False)
    ]
    more = [h for _, h in (*wished.values(), *weighed.values())]
    order = _canonical(q, [*(h for _, h in values), *more], list(marked.values()))
    attributes = [(domain, h.take(order)) for domain, h in sensitive]
    for asked in facts:
        domain, h = next(pair for pair in sensitive if pair[0].name == asked.of)
        wish = None if asked.wishes is None else wished[asked.wishes]
        mark = None if asked.known is None else marked[asked.known]
        together, joined = facts_attribute(asked, domain, h, wish, mark, n)
        attributes.append((together, joined.take(order)))
    for name, (texts, h) in weighed.items():
        attributes.append((weights_attribute(name, texts, h, n), h.take(order)))
    for name in beside:
        known, h = values[sets.index(name)]
        shown = _beside(name, known, h, n)
        attributes.append((shown, h.take(order)))
    if joint:
        attributes.append(joint_attribute([h.take(order) for _, h in values], n[order]))
    cells = Cells(
        tuple(hierarchies),
        q[order],
        n[order],
        rows[order],
        tuple(domain for domain, _ in attributes),
        tuple(h for _, h in attributes),
    )
    cells = _without_missing(cells, rules, as_it_is=as_it_is)
    if outside is None:
        return cells
    return _with_population(cells, outside, str(rules.population))


def _may_be_empty(
    columns: Sequence[tuple[list[str | None], Codes]],
    sets: Sequence[tuple[list[str | None], Histogram]],
    cells: int,
) -> bool:
    """Whether some cell is empty in all columns that were counted: few tables have one."""
    empty = np.ones(cells, np.bool_)
    for values, codes in columns:
        empty &= _blank(values)[codes]
    for values, found in sets:
        empty &= np.isin(np.arange(cells), found.owner()[_blank(values)[found.codes]])
    return bool(empty.any())


def _blank(values: Sequence[str | None]) -> Flags:
    return np.array([value is None or not value.strip() for value in values], np.bool_)


def _canonical(q: Codes, values: Sequence[Histogram], marks: Sequence[Flags]) -> Ints:
    """An order of the cells that is the same however the engine came upon them."""
    columns = np.column_stack([q, *(set_codes(h) for h in values), *marks])
    return canonical(columns, [int(column.max(initial=0)) + 1 for column in columns.T])


def _ints(column: Any) -> Ints:
    return np.asarray(column.to_numpy(), np.int64)


def _flags(column: Any) -> Flags:
    return np.asarray(column.to_numpy(), np.bool_)


def _domain(
    rules: Rules, name: str, values: list[str | None], found: Histogram, n: Ints
) -> tuple[Sensitive, Histogram]:
    """The attribute's values in order (taxonomy, numbers, text), and the recoded histogram."""
    counts = np.bincount(found.codes, weights=found.counts, minlength=len(values))
    domain, rank = domain_of(rules, name, values, counts.astype(np.int64), int(n.sum()))
    return domain, Histogram(found.indptr, rank[found.codes], found.counts)


def joint_attribute(histograms: Sequence[Histogram], n: Ints) -> tuple[Sensitive, Histogram]:
    """One attribute made of all columns that are not generalised, for claims over them all.

    Raises:
        DataError: Some people have several values in a column. Their rows then differ in
            combinations that the values of each column alone do not tell.
    """
    cells = len(n)
    if any(len(h.codes) != cells for h in histograms):
        raise DataError(
            "k-anonymity over all columns cannot be measured where people have rows that differ",
            fix="Claim it over quasi-identifiers, or give every person one row.",
        )
    columns = np.stack([h.codes for h in histograms] or [np.zeros(cells, np.int32)], axis=1)
    first, into = distinct(columns, [int(c.max(initial=0)) + 1 for c in columns.T])
    reference = np.bincount(into, weights=n, minlength=len(first)).astype(np.int64)
    domain = Sensitive(ALL, tuple(map(str, range(len(first)))), reference, int(n.sum()))
    return domain, Histogram(np.arange(cells + 1), into.astype(np.int32), n)


def facts_attribute(
    asked: AskedFacts,
    domain: Sensitive,
    found: Histogram,
    wish: tuple[list[str | None], Histogram] | None,
    mark: Flags | None,
    n: Ints,
) -> tuple[Facts, Histogram]:
    """The sensitive values together with what people want protected and who is known.

    Raises:
        DataError: Some people have several values, or several wishes.
    """
    cells = len(n)
    wishes: list[str | None] = [None]
    wanted = np.zeros(cells, np.int32)
    if wish is not None:
        wishes, wanted = wish[0], wish[1].codes
    for name, codes in ((asked.of, found.codes), (asked.wishes, wanted)):
        if len(codes) != cells:
            raise DataError(
                f"some people have several values as {name!r}, and the claim is about one each",
                fix="Give every person one value in it.",
            )
    known = np.zeros(cells, np.bool_) if mark is None else mark
    columns = np.stack([found.codes, wanted, known.astype(np.int32)], axis=1)
    first, into = distinct(columns, [len(domain.values), len(wishes), 2])
    reference = np.bincount(into, weights=n, minlength=len(first)).astype(np.int64)
    facts = Facts(
        asked.name,
        tuple(map(str, range(len(first)))),
        reference,
        int(n.sum()),
        value=found.codes[first],
        known=known[first],
        wish=wanted[first],
        wishes=tuple(wishes),
    )
    return facts, Histogram(np.arange(cells + 1), into.astype(np.int32), n)


def _beside(name: str, values: list[str | None], found: Histogram, n: Ints) -> Beside:
    counts = np.bincount(found.codes, weights=found.counts, minlength=len(values))
    return Beside(
        f"({name}, as it is)", tuple(values), counts.astype(np.int64), int(n.sum()), shown=name
    )


def _union(values: list[str | None], more: list[str | None]) -> list[str | None]:
    return list(dict.fromkeys([*values, *more]))


def _without_missing(cells: Cells, rules: Rules, *, as_it_is: bool) -> Cells:
    """What the rules say about missing quasi-identifiers: values, suppressed, or refused."""
    without = {
        h.name: flags
        for j, h in enumerate(cells.hierarchies)
        if None in h.place and (flags := cells.q[:, j] == h.place[None]).any()
    }
    missing = {name: int(cells.n[flags].sum()) for name, flags in without.items()}
    barred = np.zeros(len(cells.n), np.bool_)
    for name in barring(rules, cells.hierarchies, missing, cells.people):
        barred |= without[name]
    if as_it_is or not barred.any():
        return cells
    kept = np.flatnonzero(~barred)
    return Cells(
        cells.hierarchies,
        cells.q[kept],
        cells.n[kept],
        cells.rows[kept],
        cells.sensitive,
        tuple(h.take(kept) for h in cells.values),
        absent=int(cells.n[barred].sum()),
    )


def _with_population(cells: Cells, outside: Table, file: str) -> Cells:
    """Add the population's people: to the cells of their tuple, or in cells of their own."""
    columns = []
    for j, h in enumerate(cells.hierarchies):
        values, codes = encoded(outside[f"q{j}"])
        columns.append(h.encode(values)[codes])
    people = _ints(outside["n"])
    q = np.concatenate((cells.q, np.stack(columns, axis=1)))
    _, into = distinct(q, [h.size(0) for h in cells.hierarchies])
    own, theirs = into[: len(cells.n)], into[len(cells.n) :]
    size = int(into.max(initial=-1)) + 1
    table = np.bincount(own, weights=cells.n, minlength=size).astype(np.int64)
    total = np.bincount(theirs, weights=people, minlength=size).astype(np.int64)
    more = table > total
    if more.any():
        example = cells.q[np.flatnonzero(np.isin(own, np.flatnonzero(more)))[0]]
        tuple_ = [h.values[c] for h, c in zip(cells.hierarchies, example, strict=True)]
        raise DataError(
            f"{int((table - total)[more].sum()):,} people of the table are not in the population, "
            f"for instance with {some(tuple_)}",
            where=file,
            fix="The population must contain everybody in the table, with the same spelling.",
        )
    first = np.full(size, -1, np.int64)
    first[own[::-1]] = np.arange(len(own))[::-1]
    outsiders = np.unique(theirs[first[theirs] < 0])
    where = np.full(size, -1, np.int64)
    where[theirs] = np.arange(len(theirs))
    population = np.zeros(len(cells.n) + len(outsiders), np.int64)
    inside = np.flatnonzero(first >= 0)
    population[first[inside]] = total[inside]
    population[len(cells.n) :] = total[outsiders]
    none = np.zeros(len(outsiders), np.int64)
    return Cells(
        cells.hierarchies,
        np.concatenate((cells.q, q[len(cells.n) + where[outsiders]])),
        np.concatenate((cells.n, none)),
        np.concatenate((cells.rows, none)),
        cells.sensitive,
        tuple(
            Histogram(
                np.concatenate((h.indptr, np.full(len(outsiders), h.indptr[-1]))), h.codes, h.counts
            )
            for h in cells.values
        ),
        population,
        cells.absent,
    )
