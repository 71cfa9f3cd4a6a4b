"""From a plan to a release, readable top to bottom.

count -> choose a recoding -> write -> measure what was written -> move into place. Nothing is
visible at the target before the claims have been measured on the written file and hold.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedgerow import __version__
from hedgerow.engines import open_engine
from hedgerow.engines.base import Engine, Written
from hedgerow.errors import ClaimError, HedgerowError, PlanError, TargetError
from hedgerow.models.anonymity import KAnonymity
from hedgerow.models.base import Needs, PrivacyModel, Verdict
from hedgerow.plan import Plan
from hedgerow.recode.cells import Cells
from hedgerow.recode.fulldomain import at_node, full_domain
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.local import local
from hedgerow.recode.microaggregation import microaggregation
from hedgerow.recode.mondrian import mondrian
from hedgerow.recode.recoding import Recoding
from hedgerow.recode.reuse import apply_groups
from hedgerow.recode.search import Constraints
from hedgerow.release import CERTIFICATE, Release, claim_summary, read_certificate
from hedgerow.schema import Schema
from hedgerow.table import read_cells
from hedgerow.utility import METRICS, CellMetric, measure
from hedgerow.writing import measured_groups, write_release

Progress = Callable[[str, float | None], None]
"""Called with what is going on and how far it is (None: unknown)."""


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
        progress: Called as work goes on.
        more: Further keys of the plan (person, null, population, publish).

    Raises:
        ClaimError: No recoding keeps the claims; nothing was written.
    """
    plan, data = _plan(source, columns, protect, method, utility, more)
    say = progress or (lambda what, share: None)
    target = Path(to) if to is not None else plan.publish.to if plan.publish else None
    form = plan.publish.format if plan.publish else "csv" if target else "parquet"
    escape = plan.publish.escape_formulas if plan.publish else False
    if target is not None:
        check_target(target, replace=replace)
    with opened(plan, data) as job:
        say("counting", None)
        cells = job.cells()
        if recoding is None:
            chosen = choose(plan, cells, job.models, say)
        else:
            chosen = again(plan, cells, job.models, Path(recoding))
        with _staging(target) as folder:
            say("writing", None)
            written = write_release(
                job.engine, job.schema, cells, chosen, folder / f"data.{form}",
                escape_formulas=escape,
            )  # fmt: skip
            say("measuring what was written", None)
            groups, measured_on = measured_groups(
                job.schema, cells, chosen, written, escaped=escape
            )
            claims = tuple(model.check(groups) for model in job.models)
            _refuse_failed(claims)
            release = _release(plan, cells, chosen, written, claims, measured_on)
            say("done", 1.0)
            return _deliver(release, written, folder, target, replace=replace)


def check(
    source: Plan | str | os.PathLike[str] | Any,
    *,
    columns: Mapping[str, Any] | None = None,
    protect: Sequence[Any] | None = None,
    **more: Any,
) -> tuple[Verdict, ...]:
    """Measure the plan's claims on the table as it is; publish nothing.

    The arguments are those of `publish`.
    """
    plan, data = _plan(source, columns, protect, None, None, more)
    with opened(plan, data) as job:
        cells = job.cells()
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

    def cells(self) -> Cells:
        """Count the table."""
        joint = any(isinstance(m, KAnonymity) and m.over == "all" for m in self.models)
        return read_cells(
            self.engine, self.plan, self.schema, population=self.population, joint=joint
        )


@contextlib.contextmanager
def opened(plan: Plan, data: Any = None) -> Iterator[Job]:
    """Open the plan's source (and population) and see that they have the plan's columns."""
    with contextlib.ExitStack() as stack:
        origin = plan.source if data is None else data
        if origin is None:
            raise PlanError("the plan names no source", fix="Add `source: table.csv`.")
        engine = stack.enter_context(open_engine(origin, null=plan.null, person=plan.person))
        plan.fit(engine.columns())
        population = None
        if plan.population_file is not None:
            population = stack.enter_context(open_engine(plan.population_file, null=plan.null))
        yield Job(plan, plan.schema(engine.columns()), engine, population, plan.models())


def choose(
    plan: Plan,
    cells: Cells,
    models: tuple[PrivacyModel, ...],
    say: Progress = lambda what, share: None,
) -> Recoding:
    """Find the recoding the plan's method asks for."""
    method = plan.method
    limit = plan.method.may_suppress(cells.people)
    metric = METRICS[plan.utility]
    if method.search != "lattice" and any(Needs.POPULATION in m.needs for m in models):
        raise PlanError(
            f"claims about a population need `search: lattice`, not {method.search!r}",
            fix="Only full-domain generalisation maps the population as it maps the table.",
        )
    if method.search != "lattice" and cells.absent > limit:
        raise ClaimError(
            f"{cells.absent:,} people lack a value the plan wants suppressed, where it allows "
            f"{limit:,} to be left out"
        )

    def searching(share: float) -> None:
        say(f"searching ({method.search})", share)

    if method.search == "lattice":
        constraints = Constraints(models, limit, method.keep_suppressed)
        return full_domain(
            cells, constraints, metric, bounds=bounds(plan), seconds=method.time,
            progress=searching,
        )  # fmt: skip
    if method.search == "local":
        order = metric if isinstance(metric, CellMetric) else None
        lattice = Lattice.of(cells, bounds(plan))
        return local(cells, models, lattice=lattice, metric=order, limit=limit, progress=searching)
    if method.search == "mondrian":
        return mondrian(cells, models, mode=method.mode, boxes=method.boxes, progress=searching)
    sizes = [m.k for m in models if isinstance(m, KAnonymity) and m.over != "all"]
    if not sizes:
        raise PlanError("microaggregation needs a k-anonymity claim", fix="Add `- k-anonymity: 5`.")
    return microaggregation(cells, k=max(sizes), models=models, progress=searching)


def bounds(plan: Plan) -> dict[str, tuple[int, int]]:
    """The plan's lowest and highest level of each column that has some."""
    return {name: c.levels for name, c in plan.columns.items() if c.levels is not None}


def again(plan: Plan, cells: Cells, models: tuple[PrivacyModel, ...], folder: Path) -> Recoding:
    """The recoding of an earlier release, applied to these cells."""
    certificate = read_certificate(folder)
    kind, levels = certificate["recoding"]["kind"], certificate["recoding"].get("levels")
    limit = plan.method.may_suppress(cells.people)
    names = [h.name for h in cells.hierarchies]
    if kind == "microaggregation":
        raise PlanError(
            "a microaggregation cannot be applied to new people: its centroids are averages over "
            "the people they were computed from",
            fix="Publish anew, without --recoding.",
        )
    if levels is not None:
        if set(levels) != set(names):
            raise PlanError(
                f"the stored recoding is for the columns {', '.join(map(repr, levels))}",
                fix="The plan must have the same quasi-identifiers.",
            )
        lattice = Lattice.of(cells, {name: (level, level) for name, level in levels.items()})
        constraints = Constraints(models, limit, plan.method.keep_suppressed)
        detail: dict[str, object] = {"stored": True}
        recoding = at_node(lattice, lattice.bottom, constraints, detail)
    else:
        with open_engine(folder / certificate["data"]["file"]) as release:
            groups = release.counts(names)
        labels = [groups[f"q{j}"].to_pylist() for j in range(len(names))]
        recoding = apply_groups(kind, cells, labels)
    left_out = recoding.suppressed + cells.absent
    if left_out > limit:
        raise ClaimError(
            f"under the stored recoding {left_out:,} of {cells.people:,} people would be left out "
            f"where the plan allows {limit:,}",
            fix="Allow more suppression, or publish anew, without --recoding.",
        )
    return recoding


def check_target(target: Path, *, replace: bool) -> None:
    """Refuse early what would fail late."""
    if target.exists() and not replace:
        raise TargetError(
            f"{str(target)!r} exists already",
            fix="Choose another place, or say --replace (in Python replace=True).",
        )
    if target.exists() and not (target / CERTIFICATE).exists():
        raise TargetError(
            f"{str(target)!r} exists and is not a release", fix="Choose another place."
        )
    parent = target.absolute().parent
    while not parent.exists():
        parent = parent.parent
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise TargetError(f"cannot write in {str(parent)!r}", fix="Choose another place.")


@contextlib.contextmanager
def _staging(target: Path | None) -> Iterator[Path]:
    """A folder next to the target, gone afterwards whatever happens."""
    beside = None
    if target is not None:
        beside = target.absolute().parent
        try:
            beside.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TargetError(f"cannot write in {str(beside)!r}: {error.strerror}") from None
    folder = Path(tempfile.mkdtemp(prefix=".hedgerow-", dir=beside))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _release(
    plan: Plan,
    cells: Cells,
    chosen: Recoding,
    written: Written,
    claims: tuple[Verdict, ...],
    measured_on: str,
) -> Release:
    utility = measure(chosen.outcome(Lattice.of(cells).original))
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
        "search": chosen.detail,
        "optimal": optimal,
        "claims": [claim_summary(v) for v in claims],
        "utility": utility,
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
        certificate=certificate,
    )


def _refuse_failed(claims: Sequence[Verdict]) -> None:
    failed = [v for v in claims if not v.holds]
    if failed:
        reached = "; ".join(
            f"{v.claim} reaches {v.level:.6g}, required {v.required:.6g}" for v in failed
        )
        raise ClaimError(
            f"the release would not keep its claims: {reached}. Nothing was published",
            fix="Weaken the claim, allow more suppression, or choose another method.",
        )


def _deliver(
    release: Release, written: Written, folder: Path, target: Path | None, *, replace: bool
) -> Release:
    """Put certificate and data where they belong, in one move."""
    fields = {k: getattr(release, k) for k in release.__dataclass_fields__}
    if target is None:
        return Release(**(fields | {"data": release.to_arrow()}))
    text = json.dumps(release.certificate, indent=2, sort_keys=True, ensure_ascii=False)
    try:
        (folder / CERTIFICATE).write_text(text + "\n", "utf-8")
        folder.chmod(0o755)
        check_target(target, replace=replace)
        if target.exists():
            old = folder.with_name(folder.name + "-old")
            target.rename(old)
            try:
                folder.rename(target)
            except OSError:
                old.rename(target)
                raise
            shutil.rmtree(old, ignore_errors=True)
        else:
            folder.rename(target)
    except OSError as error:
        raise TargetError(f"cannot write {str(target)!r}: {error.strerror or error}") from None
    return Release(**(fields | {"data": target / written.path.name}))


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
    given = columns is not None or protect is not None
    if isinstance(source, Plan) and not given:
        return source, None
    path = Path(source) if isinstance(source, str | os.PathLike) else None
    if path is not None and not given:
        return Plan.read(path), None
    if columns is None or protect is None:
        raise HedgerowError(
            "a table needs `columns` (name -> role) and `protect` (the claims)",
            fix="For instance columns={'age': 'quasi-identifier'}, protect=[KAnonymity(k=5)].",
        )
    plan = Plan.of(
        columns=columns, protect=protect, method=method, utility=utility, source=path, **more
    )
    return plan, (None if path is not None else source)
