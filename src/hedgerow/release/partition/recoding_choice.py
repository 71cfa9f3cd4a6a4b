"""Which recoding: the one a search finds, or that of an earlier release."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.base.errors import ClaimError, DataError, PlanError, some
from hedgerow.base.stop_request import StopRequest
from hedgerow.claims.base import Needs, PrivacyModel
from hedgerow.claims.readings import judged
from hedgerow.plan.methods import PRICED
from hedgerow.plan.plan import Plan
from hedgerow.plan.recoding import bounds, searched
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.full_domain import at_node
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.recode.reuse import apply_groups
from hedgerow.recode.search_state import SearchState
from hedgerow.table.cells import Cells
from hedgerow.table.certificate_file import read_certificate
from hedgerow.table.contents import Contents
from hedgerow.table.hierarchy import Hierarchy
from hedgerow.table.release_source import ReleaseSource

MOST_COLUMNS = 50
"""Quasi-identifiers local recoding can order the combinations of levels of."""
LOCAL = "local recoding"
MOST_NODES = 10_000_000
"""Nodes of the largest lattice that is searched to the end, however long it takes."""
BY_KEEP = "chosen_by_keep"
"""Of a recoding that is applied again: it was chosen by comparing analyses on the source."""
LONG = 50_000
"""Searches of lattices with more nodes than this can be ended with the best so far."""
PATIENCE = 60.0
"""Seconds for a larger one, where the plan does not say."""

Progress = Callable[[str, float | None], None]
"""Called with what is going on and how far it is (None: unknown)."""


def choose(
    plan: Plan,
    cells: Cells,
    models: tuple[PrivacyModel, ...],
    say: Progress = lambda what, share: None,
    *,
    unit: str = "people",
    stop: StopRequest | None = None,
) -> Recoding:
    """Find the recoding the plan's method asks for.

    Args:
        plan: The plan.
        cells: Its source, counted.
        models: What groups have to keep.
        say: Told what is going on.
        unit: What groups count, for messages: people or rows.
        stop: Where somebody may ask for the best so far, of a large lattice.
    """
    method = plan.method
    models = judged(models, cells.sensitive)
    limit = refuse_unsuited(
        plan, models, cells.hierarchies, people=cells.people, absent=cells.absent
    )

    def searching(share: float) -> None:
        say(f"searching ({method.search})", share)

    metric = plan.utility.over([h.name for h in cells.hierarchies])

    def told(state: SearchState) -> None:
        say(f"searching ({method.search}): {state.words(metric)}", state.share)

    stop = stop or StopRequest()
    if method.search != "lattice":
        seconds = PATIENCE if method.search == "local" else method.time
        return searched(
            plan, cells, models, limit=limit, seconds=seconds, progress=searching, unit=unit
        )
    lattice = Lattice.of(cells, bounds(plan))
    listens = stop.heard() if lattice.size > LONG else nullcontext()
    with listens:
        return searched(
            plan, cells, models, limit=limit, seconds=patience(plan, lattice), tell=told,
            ends=stop.asked, unit=unit,
        )  # fmt: skip


def refuse_unsuited(
    plan: Plan,
    models: Sequence[PrivacyModel],
    hierarchies: Sequence[Hierarchy],
    *,
    people: int,
    absent: int,
) -> int:
    """Refuse what the plan's method cannot do with such a table.

    Args:
        plan: The plan.
        models: Its claims.
        hierarchies: Of the quasi-identifiers.
        people: Everybody in the table.
        absent: Those of them whom the plan bars from a release.

    Returns:
        How many people may be left out, those barred included.
    """
    search = plan.method.search
    refuse_hopeless(models)
    _refuse_separated(plan, models)
    refuse_overlapping(plan, models)
    limit = plan.method.may_suppress(people)
    if search not in ("lattice", "local") and any(_of_population(m) for m in models):
        raise PlanError(
            f"claims about a population need `search: lattice` or `search: local`, not {search!r}",
            fix="Only these map the population as they map the table: nobody fits two groups.",
        )
    if absent > limit:
        raise ClaimError(
            f"{absent:,} of {people:,} people have no value in a column with "
            f"`missing: suppress`, where the plan allows {limit:,} to be left out",
            fix="Allow more suppression, or treat missing as a value: `missing: value`.",
        )
    _refuse_absent_levels(plan, hierarchies)
    if search == "local":
        _refuse_endless(hierarchies)
    return limit


def _of_population(model: PrivacyModel) -> bool:
    """Whether it is about groups of the population, counted or estimated."""
    return Needs.POPULATION in model.needs or model.about_population


def refuse_hopeless(models: Sequence[PrivacyModel]) -> None:
    """Say why, where a claim cannot be kept by any release."""
    for model in models:
        if model.hopeless is not None:
            raise ClaimError(
                f"{model} cannot be kept: {model.hopeless}",
                fix="Say what the attackers know and how stubborn they are: class I, II or III.",
            )


def _refuse_separated(plan: Plan, models: Sequence[PrivacyModel]) -> None:
    """Where equal people are separated, who has which wish would decide who goes where.

    And nobody could tell which group a person is in, so that the groups would have to keep the
    claim for people who are not in them.
    """
    method = plan.method
    if method.search == "microaggregation" or (method.search, method.mode) == (
        "mondrian",
        "relaxed",
    ):
        for model in models:
            if model.looks_behind:
                raise PlanError(
                    f"{model} cannot be kept by a method that separates people with equal "
                    "quasi-identifiers",
                    where=plan.where("method"),
                    fix="Search the lattice, or use local recoding or strict Mondrian.",
                )


def refuse_overlapping(plan: Plan, models: Sequence[PrivacyModel]) -> None:
    """Refuse claims about presence where a person may fit several groups.

    Raises:
        PlanError: There is such a claim, and the plan's method makes such groups.
    """
    for name in _overlapping(plan):
        for model in models:
            if model.about_population:
                raise PlanError(
                    f"{model} cannot be kept with {name}: groups that overlap are no groups of "
                    "the population, of which it takes the table for a sample",
                    where=plan.where("method"),
                    fix="Search the lattice, and leave keep_suppressed out.",
                )
            if model.about_presence and name != LOCAL:  # whose groups then do not overlap
                raise PlanError(
                    f"{model} cannot be kept with {name}: whoever fits a group may also be in the "
                    "one that fits everybody, which makes their presence likelier",
                    where=plan.where("method"),
                    fix="Leave keep_suppressed out.",
                )


def refuse_unexplored(plan: Plan, models: Sequence[PrivacyModel]) -> None:
    """Refuse claims that a node is not judged by when one looks at many.

    Claims about single people are about all groups that a person fits, and so are those that are
    not closed under mixtures. Each node is looked at group by group.

    Raises:
        PlanError: There is such a claim, and the plan's method makes groups that overlap.
    """
    refuse_overlapping(plan, models)
    for name in _overlapping(plan):
        for model in models:
            single = model.about_single_people or model.across_groups
            if single or not model.closed_under_mixtures:
                raise PlanError(
                    f"{model} cannot be explored with {name}: people may fit several groups, and "
                    "only `publish` judges all of them",
                    where=plan.where("method"),
                    fix="Publish it, or leave keep_suppressed out.",
                )


def _overlapping(plan: Plan) -> list[str]:
    """What makes a person fit several groups, of what the plan's method does."""
    method = plan.method
    made = {
        LOCAL: method.search == "local",
        "taxonomy boxes": (method.search, method.boxes) == ("mondrian", "taxonomy"),
        "suppressed cells": method.search == "cells",
        "keep_suppressed": method.search == "lattice" and method.keep_suppressed,
    }
    return [how for how, used in made.items() if used]


def patience(plan: Plan, lattice: Lattice) -> float | None:
    """Seconds the search of this lattice may take; None: as long as it takes."""
    if plan.method.time is None and lattice.size > MOST_NODES:
        return PATIENCE
    return plan.method.time


def _refuse_endless(hierarchies: Sequence[Hierarchy]) -> None:
    """Some lattices nobody can walk from cheap to dear."""
    columns = len(hierarchies)
    if columns > MOST_COLUMNS:
        raise PlanError(
            f"{columns:,} quasi-identifiers have too many combinations of levels to search",
            fix="Use `search: mondrian`.",
        )


def _refuse_absent_levels(plan: Plan, hierarchies: Sequence[Hierarchy]) -> None:
    """The plan's levels must exist."""
    heights = {h.name: h.height for h in hierarchies}
    for name, (low, high) in bounds(plan).items():
        if high > heights[name]:
            raise PlanError(
                f"levels [{low}, {high}] of {name!r} do not exist",
                where=plan.where("columns", name, "levels"),
                fix=f"Its hierarchy has levels 0 to {heights[name]}.",
            )


def refuse_meaningless(plan: Plan) -> None:
    """Refuse what the chosen method would silently ignore.

    Raises:
        PlanError: Names the key and its line.
    """
    search, told = plan.method.search, plan.method.model_fields_set
    for key, searches in (("keep_suppressed", ("lattice",)), ("time", ("lattice", "cells"))):
        if key in told and getattr(plan.method, key) and search not in searches:
            raise PlanError(
                f"{key} has no meaning for {search}",
                where=plan.where("method", key),
                fix="Leave it out, or use `search: lattice`.",
            )
    if plan.method.parts is not None and search in ("lattice", "cells"):
        raise PlanError(
            f"parts has no meaning for {search}, which generalises everybody alike",
            where=plan.where("method", "parts"),
            fix="Leave it out, or use mondrian, microaggregation or local.",
        )
    if search in PRICED:
        for name, column in plan.columns.items():
            if column.spelling is not None:
                raise PlanError(
                    f"spelling has no meaning for {search}: {name!r} is read as it is",
                    where=plan.where("columns", name, "spelling"),
                    fix="Leave it out, and give values one spelling in the data.",
                )
    if search not in ("lattice", "local", "cells", "safe"):
        for name in bounds(plan):
            raise PlanError(
                f"{search} does not publish levels, so it cannot keep the levels of {name!r}",
                where=plan.where("columns", name, "levels"),
                fix="Leave the levels out, or use `search: lattice` or `search: local`.",
            )
    tables = plan.method.search == "marginals"  # which are CSV in any case
    if (
        plan.publish
        and plan.publish.escape_formulas
        and plan.publish.format != "csv"
        and not tables
    ):
        raise PlanError(
            "escape_formulas has no meaning for parquet, which no spreadsheet runs",
            where=plan.where("publish", "escape_formulas"),
            fix="Leave it out, or use `format: csv`.",
        )


def again(plan: Plan, cells: Cells, models: tuple[PrivacyModel, ...], folder: Path) -> Recoding:
    """The recoding of an earlier release, applied to these cells.

    Raises:
        PlanError: It does not fit these columns, or does what the plan forbids.
        ClaimError: More people would be left out than the plan allows.
    """
    certificate = read_certificate(folder)
    kind, levels = certificate["recoding"]["kind"], certificate["recoding"].get("levels")
    limit = plan.method.may_suppress(cells.people)
    models = judged(models, cells.sensitive)
    constraints = SearchConstraints(models, limit, plan.method.keep_suppressed)
    names = [h.name for h in cells.hierarchies]
    if kind == "microaggregation":
        raise PlanError(
            "a microaggregation cannot be applied to new people: its centroids are averages over "
            "the people they were computed from",
            fix="Publish anew, without --recoding.",
        )
    codings = certificate.get("codings", {})
    if levels is None and (coded := [name for name in names if name in codings]):
        raise PlanError(
            f"the groups of this release cannot be applied again: its file does not show them, as "
            f"{some(coded)} {'is' if len(coded) == 1 else 'are'} coded",
            where=str(folder),
            fix="Publish anew, without --recoding.",
        )
    _refuse_absent_levels(plan, cells.hierarchies)
    if levels is not None:
        _refuse_other_levels(levels, cells, folder)
        _refuse_forbidden_levels(plan, levels)
        lattice = Lattice.of(cells, {name: (level, level) for name, level in levels.items()})
        metric = plan.utility.over(names)
        recoding = at_node(lattice, lattice.bottom, constraints, {"stored": True}, metric=metric)
    else:
        if any(_of_population(m) for m in models):
            raise PlanError(
                f"claims about a population cannot be measured on a {kind} recoding",
                fix="Apply the recoding of a release that was made with `search: lattice`.",
            )
        _refuse_unkept(plan, kind)
        labels = _stored_groups(folder, certificate, names)
        recoding = _without_failing(apply_groups(kind, cells, labels), cells, constraints)
    left_out = recoding.suppressed + cells.absent
    if left_out > limit:
        raise ClaimError(
            f"under the stored recoding {left_out:,} of {cells.people:,} people would be left out "
            f"where the plan allows {limit:,}",
            fix="Allow more suppression, or publish anew, without --recoding.",
        )
    if certificate["plan"].get(BY_KEEP):
        return replace(recoding, detail={**recoding.detail, BY_KEEP: True})
    return recoding


def _refuse_other_levels(levels: Mapping[str, int], cells: Cells, folder: Path) -> None:
    """The stored levels must be levels of these columns."""
    heights = {h.name: h.height for h in cells.hierarchies}
    if set(levels) != set(heights):
        raise PlanError(
            f"the stored recoding is for the columns {', '.join(map(repr, levels))}, not for "
            f"{', '.join(map(repr, heights))}",
            where=str(folder),
            fix="The plan must have the same quasi-identifiers.",
        )
    for name, level in levels.items():
        if not 0 <= level <= heights[name]:
            raise PlanError(
                f"the stored recoding has {name!r} at level {level}, and its hierarchy ends at "
                f"level {heights[name]}",
                where=str(folder),
                fix="Use the hierarchies the earlier release was made with.",
            )


def _refuse_forbidden_levels(plan: Plan, levels: Mapping[str, int]) -> None:
    """The stored levels must be among those the plan lets out."""
    for name, (low, high) in bounds(plan).items():
        if not low <= levels[name] <= high:
            raise PlanError(
                f"the stored recoding has {name!r} at level {levels[name]}, and the plan allows "
                f"levels {low} to {high}",
                where=plan.where("columns", name, "levels"),
                fix="Allow that level, or publish anew, without --recoding.",
            )


def _refuse_unkept(plan: Plan, kind: str) -> None:
    """What groups of an earlier release cannot keep, since they have no levels of their own."""
    for name in bounds(plan):
        raise PlanError(
            f"a {kind} recoding is applied by its published groups, so it cannot keep the levels "
            f"of {name!r}",
            where=plan.where("columns", name, "levels"),
            fix="Leave the levels out, or publish anew, without --recoding.",
        )
    if plan.method.keep_suppressed:
        raise PlanError(
            f"keep_suppressed has no meaning where a {kind} recoding is applied: whom its groups "
            "do not cover, or fail, is left out",
            where=plan.where("method", "keep_suppressed"),
            fix="Leave it out, or publish anew, without --recoding.",
        )


def _stored_groups(
    folder: Path, certificate: Mapping[str, Any], names: Sequence[str]
) -> list[list[str | None]]:
    """The groups of an earlier release as it published them."""
    file = folder / str(certificate["data"]["file"])
    try:
        with file.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", where=str(file)) from None
    if digest != certificate["data"]["sha256"]:
        raise DataError(
            "is not the file its certificate was written for",
            where=str(file),
            fix="Name the folder of a release as it was published.",
        )
    form = ReleaseSource.of(folder).form
    contents = Contents.read(file, quasi=names, form=form)
    if absent := [name for name in names if name not in contents.quasi]:
        raise DataError(f"has no column {absent[0]!r}", where=str(file))
    return [labels.tolist() for labels in contents.labels]


def _without_failing(recoding: Recoding, cells: Cells, constraints: SearchConstraints) -> Recoding:
    """Leave out the groups that fail a model, as a search would."""
    _, into = recoding.seen
    held = np.append(constraints.rank(recoding.groups(cells)) > 0, False)
    seen = np.append(into, len(held) - 1)  # SUPPRESSED, -1, is nobody's group
    return replace(recoding, group=np.where(held[seen[recoding.group]], recoding.group, SUPPRESSED))
