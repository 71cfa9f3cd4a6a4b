"""One person: what somebody believes who knows the plan, and that it gave the best release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hedgerow.attacks.minimal_worlds import MinimalWorlds
from hedgerow.base.errors import HedgerowError, some
from hedgerow.base.spelling import likeness
from hedgerow.claims.base import Needs, PrivacyModel
from hedgerow.claims.readings import judged
from hedgerow.engines import open_engine
from hedgerow.plan.person_rows import require_rows, respelled
from hedgerow.plan.plan import Plan
from hedgerow.plan.recoding import bounds, searched
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.recoding import Recoding
from hedgerow.table.cell_table import read_cells
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Groups
from hedgerow.table.labels import Value
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

MOST_NODES = 20_000
"""Nodes of lattices that are searched once for each world."""


@dataclass(frozen=True, eq=False)
class MinimalistBelief:
    """What is believed of one person, and what it rests on."""

    values: Mapping[Value, tuple[float, float]] | None
    """Value, as `likeness` has it -> belief: equal ends where it is exact; else an interval."""
    exact: bool
    told: str


class UntriedError(Exception):
    """Why the search is not done again."""


def believed_by_minimality(
    plan: Plan, releases: Sequence[Published], people: Targets, one: int, of: str, *, seed: int = 0
) -> MinimalistBelief:
    """What somebody believes who knows the plan and everybody's quasi-identifiers.

    Args:
        plan: The plan; its source is the table.
        releases: One, made from it.
        people: The list.
        one: Who of them is asked about.
        of: The sensitive column.
        seed: Of worlds that are drawn.
    """
    try:
        if len(releases) > 1:
            raise UntriedError("there are several releases")
        worlds = _worlds(plan, releases[0], of)
        place = _combination(worlds, people, one)
    except UntriedError as error:
        return _silent(f"Not tried: {error}.")
    except HedgerowError as error:
        return _silent(f"Not tried: {error.what}.")
    found = worlds.believed(seed=seed)
    if found.failure is not None:
        return _silent(f"No estimate: {found.failure}.")
    column = [domain.name for domain in worlds.cells.sensitive].index(of)
    domain, codes = worlds.cells.sensitive[column], worlds.records[:, column]
    values = {}
    for code, value in enumerate(domain.values):
        belief = found.belief(place, np.flatnonzero(codes == code).tolist())
        if belief is not None:
            values[likeness(value)] = belief
    exact = found.shares is not None
    how = (
        f"exact, by trying every table that fits ({found.looked_at:,}). Of {found.kept:,} this "
        "would be the release"
        if exact
        else f"an estimate, not proven. Of {found.looked_at:,} random tables that fit (seed "
        f"{seed}), {found.kept:,} would give this release. The interval of each value is wrong in "
        "about 5% of such samples"
    )
    return MinimalistBelief(
        values, exact,
        f"Somebody who knows the plan, and that the best release was published: {how}.",
    )  # fmt: skip


def _silent(why: str) -> MinimalistBelief:
    return MinimalistBelief(
        None, False, f"Somebody who knows the plan, and that the best release was published: {why}"
    )


def _worlds(plan: Plan, release: Published, of: str) -> MinimalWorlds:
    """The table and the search, if that is what made this release."""
    models = _refuse_unfit(plan)
    if release.codings:
        names = some(sorted(release.codings))
        raise UntriedError(f"{release.name} does not show what people have as {names}")
    assert plan.source is not None, "it was asked"
    with open_engine(plan.source, null=plan.null, form=plan.form) as engine:
        schema = plan.schema(engine.columns())
        list(respelled(plan, schema, engine))
        if (require_rows(plan, engine) or 1) > 1:
            raise UntriedError("a person may have several rows")
        cells = read_cells(engine, plan.rules(), replace(schema, person=None, rows=1))
    if any(domain.several for domain in cells.sensitive):
        raise UntriedError("a person may have several values")
    if of not in [domain.name for domain in cells.sensitive]:
        raise UntriedError(f"the plan has no sensitive column {of!r}")
    if plan.method.search == "lattice" and Lattice.of(cells, bounds(plan)).size > MOST_NODES:
        raise UntriedError("the lattice has too many nodes to search it many times")
    judges, limit = judged(models, cells.sensitive), plan.method.may_suppress(cells.people)

    def search(world: Cells) -> Recoding:
        return searched(plan, world, judges, limit=limit)

    worlds = MinimalWorlds(cells, search)
    if _shown(search(cells).groups(cells), of) != _shown(release.groups, of):
        raise UntriedError(f"{release.name} is not what the plan makes of its source today")
    return worlds


def _refuse_unfit(plan: Plan) -> tuple[PrivacyModel, ...]:
    """The plan's claims, if the search is deterministic and looks at nothing but the table."""
    method = plan.method
    if plan.source is None:
        raise UntriedError("the plan names no source")
    fit = method.search in ("lattice", "local") or (
        method.search == "mondrian" and method.mode == "strict"
    )
    if not fit:
        raise UntriedError(f"`search: {method.search}` separates people who look alike")
    if method.parts is not None or method.time is not None:
        raise UntriedError("a search with `parts` or `time` may find something else each time")
    models = plan.models()
    for model in models:
        alone = not (model.composes or model.joint or model.looks_behind or model.facts)
        alone &= not model.across_groups
        if (
            not alone
            or model.about_single_people
            or not model.closed_under_mixtures
            or Needs.POPULATION in model.needs
        ):
            raise UntriedError(f"{model} looks at more than the groups")
    return models


def _shown(groups: Groups, of: str) -> Counter[tuple[tuple[str, int], ...]]:
    """How often each histogram of a column is there."""
    domain, h = groups.domains[of], groups.histograms[of]
    names = [str(likeness(value)) for value in domain.values]
    found: Counter[tuple[tuple[str, int], ...]] = Counter()
    for g in range(len(groups.n)):
        entries = range(h.indptr[g], h.indptr[g + 1])
        if len(entries):
            found[tuple(sorted((names[h.codes[e]], int(h.counts[e])) for e in entries))] += 1
    return found


def _combination(worlds: MinimalWorlds, people: Targets, one: int) -> int:
    """The person's combination of quasi-identifiers."""
    fits = np.ones(len(worlds.combinations), np.bool_)
    for j, hierarchy in enumerate(worlds.cells.hierarchies):
        if hierarchy.name not in people.columns:
            raise UntriedError(f"the list of people has no column {hierarchy.name!r}")
        mine = likeness(people.column(hierarchy.name)[one])
        same = np.array([likeness(value) == mine for value in hierarchy.values], np.bool_)
        fits &= same[worlds.combinations[:, j]]
    if fits.sum() != 1:
        raise UntriedError("the person is not found in the source of the plan")
    return int(fits.argmax())
