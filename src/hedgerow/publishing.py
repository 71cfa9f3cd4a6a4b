"""From a plan to a release, readable top to bottom.

count -> choose a recoding -> write -> measure what was written -> move into place. Nothing is
visible at the target before the claims have been measured on the written file and hold.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.attacks.taxonomies import written_out
from hedgerow.certificate import as_text, certify
from hedgerow.choosing import Progress, again, choose, refuse_hopeless, refuse_meaningless
from hedgerow.delivery import DATA, check_target, deliver, staging
from hedgerow.earlier import Before, Left, explain_refusal, exposure, left_by, with_earlier
from hedgerow.engines import open_engine
from hedgerow.engines.base import Engine, Written
from hedgerow.errors import ClaimError, DataError, HedgerowError, PlanError
from hedgerow.faults import point
from hedgerow.fingerprint import inputs_of
from hedgerow.models.anonymity import KAnonymity
from hedgerow.models.base import PrivacyModel, Verdict
from hedgerow.models.composition import Composition
from hedgerow.models.epsilon import EpsilonPrivacy
from hedgerow.plan import Plan
from hedgerow.planning.claims import Claim
from hedgerow.planning.given import plan_of
from hedgerow.prior_files import refuse_misspelt
from hedgerow.recode.cells import Cells
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.recoding import SUPPRESSED, Recoding, people_of
from hedgerow.release import Release, level_in_words
from hedgerow.remembering import as_published, earlier_releases, remembering
from hedgerow.schema import Schema
from hedgerow.table import read_cells
from hedgerow.utility import measure
from hedgerow.warming import warming
from hedgerow.writing import Measured, measured_groups, write_release

if TYPE_CHECKING:
    from hedgerow.randomised.release import RandomisedRelease
    from hedgerow.safe.release import SafeRelease


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
    ledger: str | os.PathLike[str] | None = None,
    sign: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    anew: bool = False,
    **more: Any,
) -> Release | RandomisedRelease | SafeRelease:
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
        ledger: Where releases are remembered: a file, or postgresql://...; by default what the
            plan or the environment variable HEDGEROW_LEDGER names, and if neither does, nowhere.
        sign: A file with the private key (Ed25519) that signs the certificate.
        progress: Called as work goes on.
        anew: Whether a randomised release draws, and is charged for, noise that it has already.
        more: Further keys of the plan (person, null, population, publish).

    Raises:
        ClaimError: No recoding keeps the claims; nothing was published.
    """
    said = {"columns": columns, "protect": protect, "method": method, "utility": utility}
    plan, data = plan_of(source, said | more)
    refuse_meaningless(plan)
    signed = _signer(sign)
    if plan.method.search == "marginals":
        _refuse_beside_noise(recoding, population_table)
        from hedgerow.randomised.publishing import publish_randomised

        return publish_randomised(
            plan, data, to=to, replace=replace, memory=memory, ledger=ledger, signed=signed,
            progress=progress, anew=anew,
        )  # fmt: skip
    if plan.method.search == "safe":
        _refuse_beside_noise(recoding, population_table)
        from hedgerow.safe.publishing import publish_safe

        return publish_safe(
            plan, data, to=to, replace=replace, memory=memory, ledger=ledger, signed=signed,
            progress=progress, anew=anew,
        )  # fmt: skip
    if anew:
        raise PlanError(
            "anew has no meaning for a release without noise", fix="Leave it out, or say replace."
        )
    say = progress or (lambda what, share: None)
    target = Path(to) if to is not None else plan.publish.to if plan.publish else None
    form = plan.publish.format if plan.publish else "csv" if target else "parquet"
    escape = plan.publish.escape_formulas if plan.publish else False
    with contextlib.ExitStack() as stack:
        applied = None if recoding is None else Path(recoding)
        where = None if ledger is None else str(ledger)
        remember = stack.enter_context(remembering(plan, where, recoding=applied))

        def inputs() -> str | None:
            return inputs_of(plan, data, population_table)

        if (stored := remember.stored(target, inputs, signed)) is not None:
            return stored
        place = None if target is None else check_target(target, replace=replace)
        stack.enter_context(remember.reserved(target))
        past = remember.past
        read = inputs() if remember.ledger is not None else None
        job = stack.enter_context(
            opened(plan, data, population_table=population_table, memory=memory, past=past)
        )
        if target is not None:
            check_target(target, replace=replace, inputs=job.files)
        refuse_hopeless(job.models)
        say("counting", None)
        with warming():
            cells = job.cells()
        point("counted")
        if applied is None:
            chosen = _chosen(job, cells, say)
        else:
            chosen = again(plan, cells, job.models, applied)
        _refuse_empty(chosen, cells)
        point("chosen")
        folder = stack.enter_context(staging(place))
        say("writing", None)
        written = write_release(
            job.engine, job.schema, cells, chosen, folder / DATA[form], escape_formulas=escape
        )
        point("written")
        say("measuring what was written", None)
        measured = measured_groups(job.schema, cells, chosen, written, escaped=escape)
        claims = tuple(model.check(measured.groups) for model in job.models)
        _refuse_failed(claims)
        point("measured")
        release = _release(
            job, cells, chosen, written, claims, measured,
            ledger=remember.tip, signed=signed,
        )  # fmt: skip
        name = "in memory" if target is None else target.name
        if remember.ledger is not None:
            published = as_published(plan, job.schema, cells, chosen, name)
            if inputs() != read:
                raise DataError(
                    "the source changed while it was being published",
                    where=plan.source,
                    fix="Run it again when nobody writes to it.",
                )
            remember.released(release, published, read)
        say("done", 1.0)
        if target is None:
            return changed(release, data=release.to_arrow())
        deliver(folder, target, as_text(release.certificate), replace=replace)
        point("delivered")
        return changed(release, data=target / written.path.name)


def _chosen(job: Job, cells: Cells, say: Progress) -> Recoding:
    """What the search finds; if earlier releases leave nothing to find, says what they do."""
    try:
        return choose(job.plan, cells, job.models, say)
    except ClaimError as error:
        others = tuple(model for model in job.models if not isinstance(model, Composition))
        if len(others) == len(job.models) or not others:
            raise
        try:
            best = choose(job.plan, cells, others, say)
        except ClaimError:
            raise error from None
        raise explain_refusal(error, job.lefts(cells)[0], cells, best) from None


def _refuse_beside_noise(recoding: Any, population_table: Any) -> None:
    """What a randomised release has no use for."""
    if recoding is not None:
        raise PlanError(
            "a randomised release takes no recoding from another: it has none, or its own",
            fix="Leave the recoding out, or use another search than marginals or safe.",
        )
    if population_table is not None:
        raise PlanError(
            "a randomised release makes no claims that an outside population could be for",
            fix="Leave the population table out.",
        )


def _signer(key: str | os.PathLike[str] | None) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Reads the key before anything else is done, since a bad one must not cost a search."""
    if key is None:
        return lambda certificate: certificate
    from hedgerow.signing import read_private, sign

    read_private(Path(key))
    return lambda certificate: sign(certificate, key)


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
    past: tuple[Before, ...] = ()
    """Earlier releases of the same people."""
    _lefts: list[tuple[list[Left], list[str]]] = field(default_factory=list)

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
        composed = {model.of for model in self.models if isinstance(model, Composition)}
        if not composed:
            return cells
        lefts, _ = self.lefts(cells)
        return with_earlier(cells, [left for left in lefts if left.of in composed])

    def lefts(self, cells: Cells) -> tuple[list[Left], list[str]]:
        """What earlier releases leave possible, by sensitive column; and what to say of them.

        Looked up once: the cells are those of the job, whatever was added to them.

        Raises:
            PlanError: A claim is about earlier releases, and one of them cannot be compared.
        """
        if self._lefts:
            return self._lefts[0]
        found: list[Left] = []
        notes: list[str] = []
        composed = {model.of for model in self.models if isinstance(model, Composition)}
        nodes = written_out(self.plan, cells.hierarchies) if self.past else {}
        for of in self.schema.sensitive:
            fit = []
            for before in self.past:
                obstacle = before.obstacle(self.schema.quasi_identifiers, of)
                if obstacle is None and of not in before.published.sensitive:
                    notes.append(f"{before.name} has no column {of!r}, and was not compared.")
                elif obstacle is None:
                    fit.append(before)
                elif of in composed:
                    raise PlanError(
                        f"{before.name} cannot be compared: {obstacle}",
                        where=self.plan.where("protect"),
                        fix="Give the columns the roles they had there, or give up the claim.",
                    )
                else:
                    notes.append(f"{before.name} was not compared: {obstacle}.")
            if of not in composed and not fit:
                continue
            try:
                left = left_by(fit, cells, of, nodes=nodes, null=self.plan.null)
            except DataError as error:
                if of in composed:
                    raise
                notes.append(f"Earlier releases were not compared: {error.what}.")
                continue
            for before, people in left.fitting:
                if of in composed and not people:
                    raise DataError(
                        f"nobody of the table fits into {before.name} with their {of}",
                        fix="Are values spelled otherwise there, or are these other people? Then "
                        "they are another population.",
                    )
            found.append(left)
        if self.plan.population is not None and not self.past and composed:
            notes.append(f"No earlier release of {self.plan.population!r} is known.")
        self._lefts.append((found, notes))
        return found, notes

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
    plan: Plan,
    data: Any = None,
    *,
    population_table: Any = None,
    memory: str | None = None,
    past: Sequence[Before] | None = None,
) -> Iterator[Job]:
    """Open the plan's source (and population) and see that they have the plan's columns.

    Args:
        plan: The plan.
        data: The table, where it is not the plan's source.
        population_table: The outside population, where it is not the plan's.
        memory: How much memory each engine may use, such as "4GB".
        past: Earlier releases; those the plan's claims are about, if left out.
    """
    with contextlib.ExitStack() as stack:
        if past is None:
            past = earlier_releases(plan)
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
        schema = plan.schema(engine.columns())
        yield Job(plan, schema, engine, population, plan.models(), tuple(past))


def _release(
    job: Job,
    cells: Cells,
    chosen: Recoding,
    written: Written,
    claims: tuple[Verdict, ...],
    measured: Measured,
    *,
    ledger: Mapping[str, Any] | None = None,
    signed: Callable[[dict[str, Any]], dict[str, Any]] = lambda certificate: certificate,
) -> Release:
    lefts, notes = job.lefts(cells)
    found = measure(chosen.outcome(Lattice.of(cells).original))
    # -1e-16 and 1e-14 are rounding, not loss.
    utility = {name: value if value > 1e-12 else 0.0 for name, value in found.items()}
    certificate = certify(
        job.plan, job.schema, job.models, cells, chosen, written, claims, measured,
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
        certificate=signed(certificate),
        exposures=tuple(exposure(left, cells, chosen) for left in lefts if left.fitting),
        notes=(*notes, *(note for left in lefts for note in left.notes())),
    )


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
