"""Recoded: a table counted, and the recoding that was chosen for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hedgerow.base.errors import ClaimError
from hedgerow.base.stop_request import StopRequest
from hedgerow.claims.worlds.table_world import UncheckedError
from hedgerow.engines.frequency_set import FrequencySet
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.outcome import Original
from hedgerow.recode.recoding import Recoding
from hedgerow.recode.warmup import warming
from hedgerow.release.partition.belief_check import explain_in_one_group
from hedgerow.release.partition.exposure import explain_refusal
from hedgerow.release.partition.job import Job
from hedgerow.release.partition.kept_analyses import KeptAnalyses
from hedgerow.release.partition.kept_choice import keep_analyses
from hedgerow.release.partition.overlap_choice import choose_over_overlaps
from hedgerow.release.partition.recoding_choice import Progress, again, choose
from hedgerow.table.cells import Cells
from hedgerow.table.groups import PEOPLE, ROWS


@dataclass(frozen=True, eq=False)
class Recoded:
    """What is to be written, and what it is measured against."""

    cells: Cells
    """The source, counted; or, where its tuples stayed in the engine, as a recipient sees it."""
    chosen: Recoding
    original: Original
    held: FrequencySet | None = None
    """Has the source's own tuples, where they stayed in the engine."""
    notes: tuple[str, ...] = ()
    kept: KeptAnalyses | None = None
    """The plan's analyses on the source, where it has some."""


def recoded(
    job: Job,
    applied: Path | None,
    say: Progress,
    reached: Callable[[str], None],
    *,
    stop: StopRequest | None = None,
) -> Recoded:
    """Count the source and choose a recoding, part by part where the plan wants that.

    Args:
        job: The source, with the claims about it.
        applied: A release whose recoding is applied instead of searching.
        say: Told what is going on.
        reached: Told when the source is "counted".
        stop: Where somebody may ask for the best so far.

    Raises:
        ClaimError: No recoding keeps the claims.
    """
    notes = []
    if job.plan.method.parts is not None:
        from hedgerow.release.partition.engine_recoding import obstacle, parted_there

        why = "a stored recoding is applied" if applied is not None else obstacle(job)
        if why is None:
            with warming():
                there = parted_there(job, say, reached)
            if there is not None:
                kept = KeptAnalyses.of(job, there.cells) if job.plan.keep else None
                return Recoded(there.cells, there.chosen, there.original, there.held, kept=kept)
        else:
            notes.append(f"All tuples were held in memory, in spite of `parts`: {why}.")
    with warming():
        cells = job.cells()
    reached("counted")
    kept = KeptAnalyses.of(job, cells) if job.plan.keep else None
    if applied is None:
        chosen = _chosen(job, cells, say, stop)
        if kept is not None:
            chosen = keep_analyses(job, cells, chosen, kept, say)
    else:
        chosen = again(job.plan, cells, job.models, applied)
    return Recoded(cells, chosen, Lattice.of(cells).original, notes=tuple(notes), kept=kept)


def _chosen(job: Job, cells: Cells, say: Progress, stop: StopRequest | None) -> Recoding:
    """What the search finds; if earlier releases leave nothing to find, says what they do."""
    unit = ROWS if job.rows > 1 else PEOPLE
    try:
        return choose_over_overlaps(job, cells, say, unit=unit, stop=stop)
    except UncheckedError:
        raise
    except ClaimError as error:
        if job.rows > 1:
            raise ClaimError(
                error.what, where=error.where, fix=f"{error.fix or ''} {_in_rows(job)}".strip()
            ) from None
        others = tuple(model for model in job.models if not model.composes)
        if len(others) == len(job.models):
            raise
        lefts, one = job.lefts(cells)[0], cells.in_one_spelling
        if not others:
            raise explain_in_one_group(error, job.models, lefts, one) from None
        try:
            best = choose(job.plan, cells, others, say)
        except ClaimError:
            raise error from None
        raise explain_refusal(error, job.models, lefts, one, best) from None


def _in_rows(job: Job) -> str:
    """Why claims about people ask for more of rows."""
    asked = [
        f"{claim} needs {model}"
        for claim, model in zip(job.claims, job.models, strict=True)
        if str(claim) != str(model)
    ]
    return (
        f"With `rows: at most {job.rows}`, {job.rows} rows of a group may be one person's, so the "
        f"rows have to keep more: {'; '.join(asked)}. `rows: one` asks for less."
    )
