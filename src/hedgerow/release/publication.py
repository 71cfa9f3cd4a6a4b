"""From a plan to a release, readable top to bottom.

count -> choose a recoding -> write -> measure what was written -> move into place. Nothing is
visible at the target before the claims have been measured on the written file and hold.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace as changed
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.base.delivery import DATA, check_target, deliver, staging
from hedgerow.base.errors import ClaimError, DataError, PlanError, some
from hedgerow.base.faults import point
from hedgerow.base.spelling import kinds
from hedgerow.claims.base import PrivacyModel, Verdict
from hedgerow.claims.readings import on_shown_scale
from hedgerow.engines.base import TablePlace, Written
from hedgerow.plan.arguments import plan_of
from hedgerow.plan.methods import PRICED
from hedgerow.plan.plan import Plan
from hedgerow.recode.metrics import measure
from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.release.certificate import as_text, certify, shown_orders
from hedgerow.release.data_file import write_release
from hedgerow.release.delivery_state import Standing, certified, moved
from hedgerow.release.exposure import Exposure, exposure, refuse_exposed
from hedgerow.release.fingerprint import inputs_of, made_from
from hedgerow.release.job import Job, opened
from hedgerow.release.ledger_record import as_published, remembering
from hedgerow.release.manifest import listed
from hedgerow.release.recoded_table import Recoded, recoded
from hedgerow.release.recoding_choice import (
    refuse_hopeless,
    refuse_meaningless,
)
from hedgerow.release.release import Release
from hedgerow.release.table_target import Tabled, tabled
from hedgerow.release.wanted import Wanted
from hedgerow.release.written_groups import Measured, intended_groups, measured_groups
from hedgerow.table.cells import Cells, Codes
from hedgerow.table.contents import Contents
from hedgerow.table.groups import Groups
from hedgerow.table.label_taxonomies import written_out
from hedgerow.table.location import locate
from hedgerow.table.published_table import ANY, Published
from hedgerow.table.targets import Targets

if TYPE_CHECKING:
    from hedgerow.release.noisy.release import RandomisedRelease
    from hedgerow.release.safe.release import SafeRelease


def publish(plan: Plan, data: Any, wanted: Wanted) -> Release | RandomisedRelease | SafeRelease:
    """Publish what the plan asks for, or tell again what was published before.

    Args:
        plan: The plan.
        data: The table, where it is not the plan's source.
        wanted: Where to, and how.

    Raises:
        ClaimError: No recoding keeps the claims; nothing was published.
    """
    refuse_meaningless(plan)
    if plan.method.search == "safe":
        from hedgerow.release.safe.publication import publish_safe

        _refuse_beside_noise(wanted)
        return publish_safe(plan, data, wanted)
    if plan.method.search in PRICED:
        from hedgerow.release.noisy.publication import publish_randomised

        _refuse_beside_noise(wanted)
        return publish_randomised(plan, data, wanted)
    if wanted.anew:
        raise PlanError(
            "anew has no meaning for a release without noise", fix="Leave it out, or say replace."
        )
    return _publish_recoded(plan, data, wanted)


def _publish_recoded(plan: Plan, data: Any, wanted: Wanted) -> Release:
    """Publish the most useful table that keeps every claim."""
    say, replace, memory = wanted.say, wanted.replace, wanted.memory
    target = wanted.place(plan)
    table = target if isinstance(target, TablePlace) else None
    into = None if isinstance(target, TablePlace) else target
    form = plan.publish.format if plan.publish else "csv" if target else "parquet"
    escape = plan.publish.escape_formulas if plan.publish else False
    standing = Standing()
    with standing.told(), contextlib.ExitStack() as stack:
        where = None if wanted.ledger is None else str(wanted.ledger)
        remember = stack.enter_context(remembering(plan, where, recoding=wanted.recoding))

        def inputs() -> str | None:
            return inputs_of(plan, data, wanted.population_table)

        def at_table(one: TablePlace, job: Job) -> contextlib.AbstractContextManager[Tabled]:
            return tabled(
                one, replace=replace, escaped=escape, engine=job.engine, inputs=job.files,
                memory=memory,
            )  # fmt: skip

        reports = wanted.companions(target=into, internal=wanted.report)
        told: tuple[str, ...] = ()
        if remember.ledger is not None:
            # What is reserved is never given back, and what is stored may be from before anybody
            # asked whose rows these are.
            with opened(plan, data, memory=memory, past=()) as first:
                told = first.notes
        if (stored := remember.stored(into, inputs, wanted.signed)) is not None:
            return changed(stored, notes=(*told, *stored.notes, *reports.lost()))
        place = None if into is None else check_target(into, replace=replace)
        if table is not None and remember.ledger is not None:
            # What is reserved is never given back, so a table is looked for before it, too.
            with opened(plan, data, memory=memory, past=()) as first, at_table(table, first):
                pass
        reports.refuse_foreign()
        stack.enter_context(remember.reserved(target, standing, lambda: made_from(plan, data)))
        past = remember.past
        read = inputs() if remember.ledger is not None else None
        job = stack.enter_context(
            opened(plan, data, population_table=wanted.population_table, memory=memory, past=past)
        )
        if into is not None:
            check_target(into, replace=replace, inputs=job.files)
        tables = None
        if table is not None:
            tables = stack.enter_context(at_table(table, job))
        refuse_hopeless(job.models)
        say("counting", None)
        found = recoded(job, wanted.recoding, say, point)
        cells, chosen, held = found.cells, found.chosen, found.held
        _refuse_empty(chosen, cells)
        point("chosen")
        folder = stack.enter_context(staging(place))
        say("writing", None)
        written = write_release(
            job.engine, job.schema, cells, chosen,
            folder / DATA[form] if tables is None else tables.written_to(folder),
            held=held, escape_formulas=escape,
        )  # fmt: skip
        if tables is not None:
            written = tables.arrived(written)
        point("written")
        say("measuring what was written", None)
        remembered = bool(past) or remember.ledger is not None
        measured = measured_groups(
            job.schema, cells, chosen, written, escaped=escape,
            staged=None if tables is None else tables.staged,
            records=remembered,
        )  # fmt: skip
        published: Published | None = None
        exposures: tuple[Exposure, ...] = ()
        if remembered or job.facts:
            name = "in memory" if target is None else target.name
            published = as_published(
                plan, cells, chosen, measured.contents, name=name, records=remembered
            )
            _refuse_overlapping(job, cells, published)
            exposures = _exposures(job, cells, chosen, measured.contents if remembered else None)
        claims = job.check(measured.groups)
        _refuse_failed(claims, job.models, measured.groups)
        promised: tuple[PrivacyModel, ...] = job.claims
        if chosen.suppressed + cells.absent:
            promised, claims = shown_orders(job.claims, claims, measured.groups)
        refuse_exposed(job.models, exposures)
        point("measured")
        release = _release(
            job, found, written, promised, claims, measured,
            ledger=remember.tip, exposures=exposures,
            notes=(
                *job.notes, *job.told_spellings(cells), *remember.notes, *found.notes,
                *reports.unmade(held),
            ),
        )  # fmt: skip
        certificate = listed(release.certificate, folder if tables is None else None)
        certificate = reports.add(folder, certificate, (job.schema, measured))
        release = changed(release, certificate=wanted.signed(certificate))
        if remember.ledger is not None:
            if inputs() != read:
                raise DataError(
                    "the source changed while it was being published",
                    where=plan.source,
                    fix="Run it again when nobody writes to it.",
                )
            assert published is not None, "a ledger remembers it"
            remember.released(release, published, read)
        say("done", 1.0)
        if tables is None and into is None:
            return changed(release, data=release.to_arrow())
        text = as_text(release.certificate)
        if tables is not None and table is not None:
            with standing.appearing(str(table), certified(table, text)):
                tables.deliver(text, replace=replace)
            point("delivered")
            return release
        assert into is not None
        with standing.appearing(str(into), moved(folder, into)):
            deliver(folder, into, text, replace=replace)
        point("delivered")
        if held is None:
            reports.recoded(job, cells, chosen, claims, measured, release, remember.ledger)
        else:
            reports.forget()
        return changed(release, data=into / written.path.name)


def _refuse_beside_noise(wanted: Wanted) -> None:
    """What a randomised release has no use for."""
    if wanted.recoding is not None:
        raise PlanError(
            "a randomised release takes no recoding from another: it has none, or its own",
            fix="Leave the recoding out, or use another search than marginals or safe.",
        )
    if wanted.population_table is not None:
        raise PlanError(
            "a randomised release makes no claims that an outside population could be for",
            fix="Leave the population table out.",
        )


def check(
    source: Plan | str | os.PathLike[str] | Any,
    *,
    columns: Mapping[str, Any] | None = None,
    protect: Sequence[Any] | None = None,
    population_table: Any = None,
    **more: Any,
) -> tuple[Verdict, ...]:
    """Measure the plan's claims on the table as it is; publish nothing.

    The arguments are those of `publish`.
    """
    plan, data = plan_of(source, {"columns": columns, "protect": protect} | more)
    return checked(plan, data, population_table=population_table)[0]


def checked(
    plan: Plan, data: Any = None, *, population_table: Any = None
) -> tuple[tuple[Verdict, ...], tuple[str, ...]]:
    """`check`, and what to tell of the table besides."""
    with opened(plan, data, population_table=population_table) as job:
        cells = job.cells(as_it_is=True)
        tuples, into = cells.tuples
        groups = cells.groups(into, len(tuples))
        if any(model.about_single_people for model in job.models):
            labels = tuple(tuple(h.values) for h in cells.hierarchies)
            names = tuple(h.name for h in cells.hierarchies)
            nodes = written_out(plan.specs, cells.hierarchies)
            as_it_is = Published("the table", names, labels, tuples, groups, "box", nodes)
            _refuse_overlapping(job, cells, as_it_is)
        return job.check(groups), (*job.notes, *job.told_spellings(cells))


def _release(
    job: Job,
    recoded: Recoded,
    written: Written,
    promised: tuple[PrivacyModel, ...],
    claims: tuple[Verdict, ...],
    measured: Measured,
    *,
    ledger: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
    exposures: tuple[Exposure, ...] = (),
) -> Release:
    cells, chosen = recoded.cells, recoded.chosen
    lefts, found_out = job.lefts(cells)
    found = measure(chosen.outcome(recoded.original))
    # -1e-16 and 1e-14 are rounding, not loss.
    utility = {name: value if value > 1e-12 else 0.0 for name, value in found.items()}
    certificate = certify(
        job.plan, job.schema, promised, cells, chosen, written, claims, measured,
        utility=utility, ledger=ledger,
        considered=list(dict.fromkeys(one.public for left in lefts for one, _ in left.fitting)),
    )  # fmt: skip
    return Release(
        data=written.path,
        rows=written.rows,
        suppressed=chosen.suppressed + cells.absent,
        people=cells.people,
        recoding=certificate["recoding"],
        optimal=certificate["optimal"],
        utility=utility,
        claims=claims,
        words=in_words(chosen, cells),
        certificate=certificate,
        exposures=exposures,
        notes=(*found_out, *notes, *(note for left in lefts for note in left.notes())),
    )


def _exposures(
    job: Job, cells: Cells, chosen: Recoding, contents: Contents | None
) -> tuple[Exposure, ...]:
    """What the release gives away together with earlier ones, by sensitive column.

    Args:
        job: Has the earlier ones.
        cells: The source, counted.
        chosen: What was applied.
        contents: What was read of it, with all its columns that are not generalised.
    """
    lefts, _ = job.lefts(cells)
    one, records = cells.in_one_spelling, None
    if contents is not None and len(contents.sets) > 1:
        records = contents.records(tuple(contents.sets), intended_groups(chosen, contents))
    return tuple(exposure(left, one, chosen, records) for left in lefts if left.fitting)


def _refuse_overlapping(job: Job, cells: Cells, published: Published) -> None:
    """Refuse claims about single people where somebody fits several groups, as a reader sees them.

    However it was recoded: labels of a hierarchy may overlap within a level, too.
    """
    single = [model for model in job.models if model.about_single_people]
    if not single or not published.quasi:
        return
    _refuse_unclear(single[0], published.quasi, published.labels, published.codes)
    tuples, of_cell = cells.tuples
    names = tuple(h.name for h in cells.hierarchies)
    targets = Targets(names, tuple(h.values for h in cells.hierarchies), tuples)
    several = locate(published, targets).count > 1
    with contextlib.suppress(DataError):  # without the hierarchies labels may mean nothing
        several |= locate(changed(published, taxonomies={}), targets).count > 1
    people = int(cells.n[several[of_cell]].sum())
    if people:
        who = "1 person fits" if people == 1 else f"{people:,} people fit"
        raise ClaimError(
            f"{single[0]} cannot be claimed: {who} several groups of the release, and it says "
            "nothing of groups that are not theirs",
            fix="Give the columns hierarchies whose labels do not overlap, and search the lattice "
            "without keep_suppressed.",
        )


def _refuse_unclear(
    claim: PrivacyModel,
    quasi: Sequence[str],
    columns: Sequence[Sequence[str | None]],
    groups: Codes,
) -> None:
    """Refuse where a reader may take two groups for one, or a missing value for any other.

    Args:
        claim: A claim about single people.
        quasi: The quasi-identifiers.
        columns: What each of them is published as, by code.
        groups: The codes of each group.
    """
    read_as = []
    for name, labels, codes in zip(quasi, columns, groups.T, strict=True):
        alike = kinds(labels, (ANY,))  # a star is every value: whom it fits is looked up
        shown = {alike[code] for code in codes.tolist()}
        if len(shown) > 1 and None in shown:
            raise ClaimError(
                f"{claim} cannot be claimed: {name!r} is missing in some groups and not in "
                "others, so whoever knows a person's value cannot tell which group it is",
                fix=f"Fill in what is missing in {name!r}, or suppress these people: name the "
                "texts that mean missing in the plan's `null`, and say `missing: suppress`.",
            )
        place = {kind: i for i, kind in enumerate(dict.fromkeys(alike))}
        read_as.append(np.array([place[kind] for kind in alike], np.int64))
    met: dict[tuple[int, ...], int] = {}
    for group, row in enumerate(groups.tolist()):
        read = tuple(int(kind[code]) for kind, code in zip(read_as, row, strict=True))
        if (first := met.setdefault(read, group)) != group:
            one, two = sorted(
                ", ".join(repr(labels[c]) for labels, c in zip(columns, one, strict=True))
                for one in (groups[first], groups[group])
            )
            raise ClaimError(
                f"{claim} cannot be claimed: a reader may take the groups {one} and {two} of "
                f"{some(quasi)} for one",
                fix="Spell each value of the quasi-identifiers alike in the data.",
            )


def in_words(chosen: Recoding, cells: Cells) -> dict[str, str]:
    """What became of each quasi-identifier, with a value of the largest group as an example."""
    kept = chosen.group != SUPPRESSED
    first, into = chosen.seen
    people = np.bincount(into[chosen.group[kept]], weights=chosen.people[kept])
    tied = first[np.flatnonzero(people == people.max())].tolist()
    # However the groups were found, the example is the same.
    largest = min(tied, key=lambda g: [(kind[g] is None, kind[g] or "") for kind in chosen.labels])
    words = {}
    for j, h in enumerate(cells.hierarchies):
        label = chosen.labels[j][largest]
        example = "missing" if label is None else str(label)
        if chosen.levels is None:
            words[h.name] = f"such as {example}"
        else:
            level = chosen.levels[h.name]
            shown = example if level else "as it is"
            words[h.name] = f"level {level} of {h.height} ({shown})"
    return words


def _refuse_empty(chosen: Recoding, cells: Cells) -> None:
    if not (chosen.group != SUPPRESSED).any():
        raise ClaimError(
            f"nothing would remain: all {cells.people:,} people would have to be left out",
            fix="Weaken a claim, or give the columns coarser levels.",
        )


def _refuse_failed(
    claims: Sequence[Verdict], models: Sequence[PrivacyModel], groups: Groups
) -> None:
    failed = [v for v in claims if not v.holds]
    for verdict, model in zip(claims, models, strict=True):
        if not verdict.holds and on_shown_scale(model, groups) is not None:
            (column,) = model.attributes
            raise ClaimError(
                f"the release would not keep {verdict.claim}: on the scale of the values of "
                f"{column!r} that it publishes it reaches {verdict.told[0]}, required "
                f"{verdict.told[1]}. The search measured on a longer scale, since suppressed "
                "people have further values. Nothing was published",
                fix="Suppress fewer people, or weaken the claim.",
            )
    if failed:
        reached = "; ".join(f"{v.claim} reaches {v.told[0]}, required {v.told[1]}" for v in failed)
        raise ClaimError(
            f"the release would not keep its claims: {reached}. Nothing was published",
            fix="Weaken the claim, allow more suppression, or choose another method.",
        )
