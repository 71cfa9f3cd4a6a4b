"""From a plan to a release, readable top to bottom.

count -> choose a recoding -> write -> measure what was written -> move into place. Nothing is
visible at the target before the claims have been measured on the written file and hold.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from math import floor, log10
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow import __version__
from hedgerow.choosing import Progress, again, choose, refuse_hopeless, refuse_meaningless
from hedgerow.delivery import DATA, check_target, deliver, staging
from hedgerow.engines import open_engine
from hedgerow.engines.base import Engine, Written
from hedgerow.errors import ClaimError, HedgerowError, PlanError
from hedgerow.models.anonymity import KAnonymity
from hedgerow.models.base import PrivacyModel, Verdict
from hedgerow.models.epsilon import EpsilonPrivacy
from hedgerow.plan import Plan
from hedgerow.planning.claims import Claim
from hedgerow.prior_files import refuse_misspelt
from hedgerow.recode.cells import Cells
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.recoding import SUPPRESSED, Recoding, people_of
from hedgerow.release import (
    Release,
    claim_certified,
    level_in_words,
    rounded,
)
from hedgerow.schema import Schema
from hedgerow.table import read_cells
from hedgerow.utility import measure
from hedgerow.warming import warming
from hedgerow.writing import measured_groups, write_release


def publish(
    source: Plan | str | os.PathLike[str] | Any,
    *,
    columns: Mapping[str, Any] | None = None,
    protect: Sequence[Any] | None = None,
    method: Mapping[str, Any] | None = None,
    utility: str | None = None,
    to: str | os.PathLike[str] | None = None,
    recoding: str | os.PathLike[str] | None = None,
    replace: bool = False,
    population_table: Any = None,
    memory: str | None = None,
    progress: Progress | None = None,
    **more: Any,
) -> Release:
    """Publish the most useful table that keeps every claim.

    Args:
        source: A plan, the path of a plan file, or (in a notebook) a pandas, polars or Arrow
            table or a data file; then `columns` and `protect` are needed.
        columns: Name -> role, or what the plan's `columns` hold.
        protect: Claims: models such as `KAnonymity(k=5)`, or entries of the plan's `protect`.
        method: The plan's `method`.
        utility: The metric to minimise.
        to: Folder of the release; without it the result stays in memory.
        recoding: Folder of an earlier release whose recoding is applied instead of searching.
        replace: Whether an existing release at `to` may be replaced.
        population_table: The outside population that `KMap`, `DeltaPresence` and
            `JournalistRisk` refer to, where the plan names no file: a table or a data file.
        memory: How much memory the engine may use, such as "4GB"; the rest goes to disk.
        progress: Called as work goes on.
        more: Further keys of the plan (person, null, population, publish).

    Raises:
        ClaimError: No recoding keeps the claims; nothing was written.
    """
    plan, data = _plan(source, columns, protect, method, utility, more)
    refuse_meaningless(plan)
    say = progress or (lambda what, share: None)
    target = Path(to) if to is not None else plan.publish.to if plan.publish else None
    form = plan.publish.format if plan.publish else "csv" if target else "parquet"
    escape = plan.publish.escape_formulas if plan.publish else False
    place = None
    if target is not None:
        place = check_target(target, replace=replace)
    with opened(plan, data, population_table=population_table, memory=memory) as job:
        if target is not None:
            check_target(target, replace=replace, inputs=job.files)
        refuse_hopeless(job.models)
        say("counting", None)
        with warming():
            cells = job.cells()
        if recoding is None:
            chosen = choose(plan, cells, job.models, say)
        else:
            chosen = again(plan, cells, job.models, Path(recoding))
        _refuse_empty(chosen, cells)
        with staging(place) as folder:
            say("writing", None)
            written = write_release(
                job.engine, job.schema, cells, chosen, folder / DATA[form],
                escape_formulas=escape,
            )  # fmt: skip
            say("measuring what was written", None)
            groups, measured_on = measured_groups(
                job.schema, cells, chosen, written, escaped=escape
            )
            claims = tuple(model.check(groups) for model in job.models)
            _refuse_failed(claims)
            release = _release(job, cells, chosen, written, claims, measured_on)
            say("done", 1.0)
            if target is None:
                return changed(release, data=release.to_arrow())
            certificate = json.dumps(
                release.certificate, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False
            )
            deliver(folder, target, certificate + "\n", replace=replace)
            return changed(release, data=target / written.path.name)


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
    plan, data = _plan(source, columns, protect, None, None, more)
    with opened(plan, data, population_table=population_table) as job:
        cells = job.cells(as_it_is=True)
        tuples, into = cells.tuples
        groups = cells.groups(into, len(tuples))
        return tuple(model.check(groups) for model in job.models)


@dataclass(frozen=True)
class Job:
    """An open source and the claims about it."""

    plan: Plan
    schema: Schema
    engine: Engine
    population: Engine | None
    models: tuple[PrivacyModel, ...]

    @property
    def files(self) -> tuple[Path, ...]:
        """The files a release is made from, patterns resolved."""
        outside = () if self.population is None else self.population.files
        return (*self.engine.files, *outside, *self.plan.claim_files)

    def cells(self, *, as_it_is: bool = False) -> Cells:
        """Count the table; as it is, or without those the plan bars from a release."""
        joint = any(isinstance(m, KAnonymity) and m.over == "all" for m in self.models)
        against = list(self._against())
        cells = read_cells(
            self.engine,
            self.plan,
            self.schema,
            population=self.population,
            joint=joint,
            facts=[m.facts for m, _ in against if m.facts],
            as_it_is=as_it_is,
        )
        values = {domain.name: domain.values for domain in cells.sensitive}
        nobody = people_of(cells, np.zeros(0, np.int64), np.zeros(0, np.int64))
        for model, where in against:
            if model.adversary.believed is not None:
                refuse_misspelt(model.adversary.believed, values[model.of], where=where)
            try:
                model.level(nobody)  # of nobody it only finds out whether it fits the table
            except HedgerowError as error:
                where = error.where or where
                raise type(error)(error.what, where=where, fix=error.fix) from None
        return cells

    def _against(self) -> Iterator[tuple[EpsilonPrivacy, str]]:
        """The claims about what attackers believe, and where the plan makes them."""
        places = []
        for place, claim in enumerate(self.plan.protect):
            if not isinstance(claim, Claim):
                places += [self.plan.where("protect", place)] * isinstance(claim, EpsilonPrivacy)
            elif claim.epsilon_privacy is not None:
                places.append(self.plan.where("protect", place, claim.name))
        models = (model for model in self.models if isinstance(model, EpsilonPrivacy))
        yield from zip(models, places, strict=True)


@contextlib.contextmanager
def opened(
    plan: Plan, data: Any = None, *, population_table: Any = None, memory: str | None = None
) -> Iterator[Job]:
    """Open the plan's source (and population) and see that they have the plan's columns.

    Args:
        plan: The plan.
        data: The table, where it is not the plan's source.
        population_table: The outside population, where it is not the plan's.
        memory: How much memory each engine may use, such as "4GB".
    """
    with contextlib.ExitStack() as stack:
        origin = plan.source if data is None else data
        if origin is None:
            raise PlanError("the plan names no source", fix="Add `source: table.csv`.")
        engine = stack.enter_context(
            open_engine(origin, null=plan.null, person=plan.person, memory=memory)
        )
        plan.fit(engine.columns())
        population = None
        outside = plan.population_file if population_table is None else population_table
        if outside is not None:
            population = stack.enter_context(open_engine(outside, null=plan.null, memory=memory))
        yield Job(plan, plan.schema(engine.columns()), engine, population, plan.models())


def _release(
    job: Job,
    cells: Cells,
    chosen: Recoding,
    written: Written,
    claims: tuple[Verdict, ...],
    measured_on: str,
) -> Release:
    plan = job.plan
    measured = measure(chosen.outcome(Lattice.of(cells).original))
    # -1e-16 and 1e-14 are rounding, not loss.
    utility = {name: value if value > 1e-12 else 0.0 for name, value in measured.items()}
    recoding: dict[str, Any] = {"kind": chosen.kind}
    if chosen.levels is not None:
        recoding["levels"] = chosen.levels
    suppressed = chosen.suppressed + cells.absent
    optimal = bool(chosen.detail.get("optimal", False))
    certificate = {
        "format": "hedgerow-certificate/0",
        "software": f"hedgerow {__version__}",
        "population": plan.population,
        "data": {"file": written.path.name, "rows": written.rows, "sha256": written.sha256},
        "people": {"in_source": cells.people, "left_out": suppressed},
        "plan": _described(plan),
        "recoding": recoding,
        "search": _searched(chosen.detail),
        "optimal": optimal,
        "claims": [
            _certified(model, verdict, suppressed) | model.spelled_out()
            for model, verdict in zip(job.models, claims, strict=True)
        ],
        "utility": rounded(utility),
        "measured_on": measured_on,
    }
    return Release(
        data=written.path,
        rows=written.rows,
        suppressed=suppressed,
        people=cells.people,
        recoding=recoding,
        optimal=optimal,
        utility=utility,
        claims=claims,
        words=in_words(chosen, cells),
        certificate=certificate,
    )


def _certified(model: PrivacyModel, verdict: Verdict, suppressed: int) -> dict[str, Any]:
    """A claim for the certificate; its level only where the release itself shows as much."""
    if isinstance(model, EpsilonPrivacy) and model.facts is not None:
        # Whoever guesses who is on the list, or what somebody wishes, could try it on the level.
        why = "it depends on what people want protected, or on who is known"
        return claim_certified(verdict, withheld=True) | {"level_withheld": why}
    return claim_certified(verdict, withheld=bool(suppressed) and model.compares_with_table)


def _searched(detail: Mapping[str, Any]) -> dict[str, Any]:
    """How the recoding was found, for the certificate; the bound is never rounded up."""
    told: dict[str, Any] = rounded(dict(detail))
    bound = told.get("lower_bound")
    if bound is not None and bound > detail["lower_bound"]:
        if detail["optimal"]:
            told["lower_bound"] = told["cost"]
        else:
            told["lower_bound"] = rounded(bound - 10.0 ** (floor(log10(abs(bound))) - 2))
    return told


def in_words(chosen: Recoding, cells: Cells) -> dict[str, str]:
    """What became of each quasi-identifier, with a value of the largest group as an example."""
    kept = chosen.group != SUPPRESSED
    people = np.bincount(chosen.group[kept], weights=chosen.people[kept], minlength=chosen.size)
    largest = int(people.argmax())
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


def _refuse_failed(claims: Sequence[Verdict]) -> None:
    failed = [v for v in claims if not v.holds]
    if failed:
        reached = "; ".join(
            f"{v.claim} reaches {level_in_words(v)}, required {v.required:.6g}" for v in failed
        )
        raise ClaimError(
            f"the release would not keep its claims: {reached}. Nothing was published",
            fix="Weaken the claim, allow more suppression, or choose another method.",
        )


def _described(plan: Plan) -> dict[str, Any]:
    """The plan as the certificate holds it: without places on the steward's machine."""
    return {
        "columns": {name: str(column.role) for name, column in plan.columns.items()},
        "person": plan.person,
        "protect": [str(model) for model in plan.models()],
        "method": plan.method.model_dump(mode="json"),
        "utility": plan.utility,
        "escape_formulas": bool(plan.publish and plan.publish.escape_formulas),
    }


def _plan(
    source: Any,
    columns: Mapping[str, Any] | None,
    protect: Sequence[Any] | None,
    method: Mapping[str, Any] | None,
    utility: str | None,
    more: Mapping[str, Any],
) -> tuple[Plan, Any]:
    """The plan, and the table itself where it was handed over in memory."""
    path = Path(source) if isinstance(source, str | os.PathLike) else None
    given = {"columns": columns, "protect": protect, "method": method, "utility": utility, **more}
    given = {key: value for key, value in given.items() if value is not None}
    if isinstance(source, Plan) or (path is not None and columns is None and protect is None):
        if given:
            raise PlanError(
                f"a plan says its {' and '.join(given)} itself",
                fix="Give a plan alone, or a table with `columns` and `protect`.",
            )
        return (source if path is None else Plan.read(path)), None
    if columns is None or protect is None:
        raise HedgerowError(
            "a table needs `columns` (name -> role) and `protect` (the claims)",
            fix="For instance columns={'age': 'quasi-identifier'}, protect=[KAnonymity(k=5)].",
        )
    return Plan.of(**given, source=path), (None if path is not None else source)
