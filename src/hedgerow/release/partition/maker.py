"""The maker of recoded tables: count, choose a recoding, write it, judge the claims on it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from dataclasses import replace as changed
from typing import Any

from hedgerow.analyses import AnalysisComparison
from hedgerow.base.errors import ClaimError, DataError, PlanError
from hedgerow.base.faults import point
from hedgerow.claims.base import PrivacyModel, Verdict
from hedgerow.engines.base import Written
from hedgerow.plan.plan import Plan
from hedgerow.recode.metrics import measure
from hedgerow.recode.recoding import SUPPRESSED
from hedgerow.release.codings.coded_file import code_file, refuse_table
from hedgerow.release.codings.earlier_draws import (
    EarlierDraw,
    draws_at,
    refuse_drawn_again,
    with_earlier,
)
from hedgerow.release.delivery_state import DeliveryState
from hedgerow.release.destination import Staged
from hedgerow.release.maker import Certificate, Record
from hedgerow.release.manifest import listed
from hedgerow.release.options import Options
from hedgerow.release.partition.belief_check import (
    asks_who_fits,
    refuse_believed,
    with_beliefs,
)
from hedgerow.release.partition.candidates import Candidates
from hedgerow.release.partition.certificate import certify, shown_orders
from hedgerow.release.partition.data_file import write_release
from hedgerow.release.partition.exposure import (
    Exposure,
    exposures,
    refuse_exposed,
)
from hedgerow.release.partition.fingerprint import inputs_of, made_from
from hedgerow.release.partition.job import Job, opened
from hedgerow.release.partition.judgement import (
    judge,
    needs_candidates,
    refuse_in_doubt,
    refuse_unclear_population,
)
from hedgerow.release.partition.kept_analyses import refuse_spoiled
from hedgerow.release.partition.ledger_record import StoredRelease, as_published, remembering
from hedgerow.release.partition.recoded_table import Recoded, recoded
from hedgerow.release.partition.recoding_choice import refuse_hopeless
from hedgerow.release.partition.refusals import refuse_failed
from hedgerow.release.partition.words import in_words, with_codings
from hedgerow.release.partition.written_groups import Measured, measured_groups
from hedgerow.release.release import Release
from hedgerow.table.column_codings import Codings
from hedgerow.table.label_taxonomies import written_out
from hedgerow.table.published_table import Published
from hedgerow.table.schema import Schema

NOT_COMPARED = (
    "The plan's analyses were compared when it was published first, and not again. `hedgerow "
    "report RELEASE --plan PLAN` shows them."
)


@dataclass(frozen=True, eq=False)
class ChosenTable:
    """A source and the recoding that was chosen for it."""

    job: Job
    table: Recoded


@dataclass(frozen=True, eq=False)
class ReadTable:
    """What was made, as it is read in the written table."""

    made: ChosenTable
    written: Written
    measured: Measured
    kept: tuple[AnalysisComparison, ...] = ()
    """The plan's analyses on the source and on what was written."""
    notes: tuple[str, ...] = ()
    """What codings changed; for the steward alone."""
    codings: Codings = field(default_factory=dict)
    """What became of coded columns once they were measured."""

    @property
    def schema(self) -> Schema:
        """The columns, with what was done to those that are coded."""
        return changed(self.made.job.schema, coded=self.codings)


@dataclass(frozen=True, eq=False)
class JudgedTable:
    """What was read, and what became of the claims about it."""

    read: ReadTable
    claims: tuple[Verdict, ...]
    promised: tuple[PrivacyModel, ...]
    """The claims, as terminal, certificate and reports name them."""
    published: Published | None
    """The release as its recipients know it, where somebody remembers it."""
    exposures: tuple[Exposure, ...]
    utility: Mapping[str, float]

    @property
    def suppressed(self) -> int:
        """People who are in the source and not in the release."""
        table = self.read.made.table
        return table.chosen.suppressed + table.cells.absent


class RecodedMaker:
    """The most useful table that keeps every claim, on its way."""

    def __init__(self, plan: Plan, data: Any, options: Options) -> None:
        if options.anew and not plan.schema().randomised:
            raise PlanError(
                "anew has no meaning for a release without noise",
                fix="Leave it out, or say replace.",
            )
        self.plan, self.data, self.options = plan, data, options
        self.destination = options.destination(plan)
        if self.destination.table is not None and plan.codings:
            refuse_table(plan)
        self.companions = options.companions_at(self.destination)

    @contextlib.contextmanager
    def opened(self) -> Iterator[None]:
        """Open the ledger, and the source.

        What is reserved is never given back, and what is stored may be from before anybody asked
        whose rows these are. So the source is opened first.
        """
        options = self.options
        with remembering(self.plan, options.ledger_text, recoding=options.recoding) as memory:
            self._memory = memory
            self._inputs = None
            if memory.ledger is not None:
                self._inputs = self._hashed()
            elif self.destination.folder is not None:
                self.destination.check()
            with self._source() as self._job:
                yield

    def _source(self) -> AbstractContextManager[Job]:
        """The source, of which it is known whose rows it has."""
        return opened(
            self.plan, self.data, population_table=self.options.population_table,
            memory=self.options.memory, past=(),
        )  # fmt: skip

    def _asked_again(self) -> AbstractContextManager[Job]:
        """The source after the wait for the ledger.

        Whose rows it has was asked before. If the source has a hash, a change since then is found
        before anything is recorded. Where it has none, everything is asked again.
        """
        if self._memory.ledger is None or self._inputs is not None:
            return contextlib.nullcontext(self._job)
        return self._source()

    def _hashed(self) -> str | None:
        return inputs_of(self.plan, self.data, self.options.population_table)

    def recall(self) -> StoredRelease | None:
        """The same release, if it was published before from the same inputs."""
        stored = None
        if self.destination.folder is not None and not self.options.anew:
            stored = self._memory.stored(self._inputs)
        if stored is None:
            self._refuse_early()
        return stored

    def _refuse_early(self) -> None:
        self.destination.check(engine=self._job.engine, inputs=self._job.files)
        self.companions.refuse_foreign()

    def at_place(self, kept: StoredRelease) -> Certificate | None:
        """The certificate of the release in the folder, if it is the stored one, untouched."""
        assert self.destination.folder is not None, "only what is in a folder is recalled"
        found = kept.at(self.destination.folder, self.options.signed)
        if found is None:
            self._refuse_early()
        return found

    def told_again(self, kept: StoredRelease, certificate: Certificate) -> Release:
        """The release in the folder, with what to say of it."""
        assert self.destination.folder is not None, "it is at its place"
        release = kept.release(certificate, self.destination.folder)
        unkept = (NOT_COMPARED,) if self.plan.keep else ()
        return changed(
            release, notes=(*self._job.notes, *release.notes, *unkept, *self.companions.lost())
        )

    @contextlib.contextmanager
    def made(self, kept: StoredRelease | None) -> Iterator[ChosenTable]:
        """Reserve it, count the source, and choose a recoding."""
        memory, options = self._memory, self.options
        name = None if self.destination.place is None else self.destination.place.name
        with (
            memory.reserved(name, lambda: made_from(self.plan, self.data)),
            self._asked_again() as job,
        ):
            job = changed(job, past=memory.past)
            refuse_drawn_again(self.plan, self._drawn_before(), anew=options.anew)
            refuse_hopeless(job.models)
            options.say("counting")
            table = recoded(job, options.recoding, options.say, point, stop=options.stop)
            if not (table.chosen.group != SUPPRESSED).any():
                raise ClaimError(
                    f"nothing would remain: all {table.cells.people:,} people would have to be "
                    "left out",
                    fix="Weaken a claim, or give the columns coarser levels.",
                )
            point("chosen")
            yield ChosenTable(job, table)

    def _drawn_before(self) -> list[EarlierDraw]:
        """The columns of releases in the ledger, and of the one that is replaced."""
        known = self._memory.draws
        return [*known, *draws_at(self.destination.folder, known)]

    def staged(self, made: ChosenTable, delivery: DeliveryState) -> AbstractContextManager[Staged]:
        """The hidden place; a table may be made where the source is."""
        return self.destination.staged(delivery, engine=made.job.engine, inputs=made.job.files)

    def write(self, made: ChosenTable, staged: Staged) -> tuple[ChosenTable, Written]:
        """Write the recoded rows."""
        written = write_release(
            made.job.engine, made.job.schema, made.table.cells, made.table.chosen, staged.data,
            held=made.table.held, escape_formulas=self.destination.escaped,
        )  # fmt: skip
        return made, staged.arrived(written)

    def read_back(self, written: tuple[ChosenTable, Written], staged: Staged) -> ReadTable:
        """Count the written rows, as a recipient would."""
        made, file = written
        measured = measured_groups(
            made.job.schema, made.table.cells, made.table.chosen, file,
            escaped=self.destination.escaped, staged=staged.reader, records=self._is_compared(made),
        )  # fmt: skip
        # Claims are about what was measured just now; recipients get what it is coded to.
        coded = code_file(
            self.plan, made.job.schema, file, escaped=self.destination.escaped,
            least=max((m.least_people or 0 for m in made.job.models), default=0),
            memory=self.options.memory,
        )  # fmt: skip
        file = coded.written
        kept: tuple[AnalysisComparison, ...] = ()
        if made.table.kept is not None:
            kept = made.table.kept.written(
                file, made.job.schema, escaped=self.destination.escaped, staged=staged.reader
            )
        before = self._drawn_before()
        codings = {name: with_earlier(told, name, before) for name, told in coded.told.items()}
        return ReadTable(made, file, measured, kept, coded.notes, codings)

    def _is_compared(self, made: ChosenTable) -> bool:
        """Whether it stands beside other releases: earlier ones, or later ones of a ledger."""
        return bool(made.job.past) or self._memory.ledger is not None

    def judge(self, read: ReadTable) -> JudgedTable:
        """Judge every claim on the written table."""
        made, measured = read.made, read.measured
        job, cells, chosen = made.job, made.table.cells, made.table.chosen
        published: Published | None = None
        found: tuple[Exposure, ...] = ()
        compared = self._is_compared(made)
        candidates = None
        divided = cells.population is not None and chosen.levels is None
        if needs_candidates(job) or asks_who_fits(job) or divided:
            nodes = written_out(self.plan.specs, cells.hierarchies)
            candidates = Candidates.in_release(cells, chosen, measured.contents, nodes)
        if compared:
            published = as_published(
                self.plan, cells, chosen, measured.contents,
                name=self.destination.name, records=compared,
            )  # fmt: skip
            found = exposures(job, cells, chosen, measured.contents)
        if candidates is not None and divided:
            refuse_unclear_population(job.models, cells, measured.groups, candidates)
        fitting = candidates if needs_candidates(job) else None
        claims = judge(job, cells, measured.groups, fitting)
        if fitting is not None:
            refuse_in_doubt(claims, job, cells, fitting)
        if candidates is not None and asks_who_fits(job):
            assert published is not None, "it is compared"
            believed = refuse_believed(job, cells, chosen, measured.contents, candidates, published)
            claims = with_beliefs(claims, believed)
        refuse_failed(claims, job.models, measured.groups)
        promised: tuple[PrivacyModel, ...] = job.claims
        if chosen.suppressed + cells.absent:
            promised, claims = shown_orders(job.claims, claims, measured.groups)
        refuse_exposed(job.models, found)
        refuse_spoiled(self.plan, read.kept)
        weighed = self.plan.utility.over([h.name for h in cells.hierarchies])
        lost = measure(chosen.outcome(made.table.original), weighed)
        # -1e-16 and 1e-14 are rounding, not loss.
        utility = {name: value if value > 1e-12 else 0.0 for name, value in lost.items()}
        return JudgedTable(read, claims, promised, published, found, utility)

    def certify(self, judged: JudgedTable, staged: Staged) -> Certificate:
        """The certificate of the table, and of the report that goes with it."""
        read, job = judged.read, judged.read.made.job
        table = read.made.table
        lefts, _ = job.lefts(table.cells)
        certificate = certify(
            self.plan, read.schema, judged.promised, table.cells, table.chosen, read.written,
            judged.claims, read.measured, utility=judged.utility, ledger=self._memory.tip,
            considered=list(dict.fromkeys(one.public for left in lefts for one, _ in left.fitting)),
        )  # fmt: skip
        certificate = listed(certificate, staged.files)
        # What was measured is not what recipients of coded columns see.
        seen = None if read.codings else (job.schema, read.measured)
        return self.companions.add(staged.folder, certificate, seen)

    def record(self, judged: JudgedTable, certificate: Certificate) -> None:
        """Write it down, if there is a ledger; from then on it counts as published."""
        if self._memory.ledger is None:
            return
        if self._hashed() != self._inputs:
            raise DataError(
                "the source changed while it was being published",
                where=self.plan.source,
                fix="Run it again when nobody writes to it.",
            )
        assert judged.published is not None, "a ledger remembers it"
        release = self._release(judged, certificate)
        self._memory.record(release, judged.published, self._inputs)

    @property
    def recorded(self) -> Record | None:
        """Its groups and its certificate are in the ledger."""
        reservation = self._memory.reservation
        if reservation is None or not reservation.recorded:
            return None
        seq = reservation.entries[0].seq
        means = f"The ledger counts it as published (entry {seq})."
        return Record(seq=seq, what="its record is", means=means)

    def finish(self, judged: JudgedTable, certificate: Certificate, staged: Staged) -> Release:
        """The release; its internal report is beside it."""
        release, made = self._release(judged, certificate), judged.read.made
        if staged.in_memory:
            return changed(release, data=release.to_arrow())
        if self.destination.folder is None:
            return release
        if made.table.held is not None:
            self.companions.forget()
        else:
            self.companions.recoded(
                made.job, made.table.cells, made.table.chosen, judged.claims,
                judged.read.measured, release, self._memory.ledger, judged.read.kept,
            )  # fmt: skip
        return changed(release, data=self.destination.folder / judged.read.written.path.name)

    def _release(self, judged: JudgedTable, certificate: Certificate) -> Release:
        made, written = judged.read.made, judged.read.written
        lefts, found_out = made.job.lefts(made.table.cells)
        return Release(
            data=written.path,
            rows=written.rows,
            suppressed=judged.suppressed,
            people=made.table.cells.people,
            recoding=certificate["recoding"],
            optimal=certificate["optimal"],
            utility=dict(judged.utility),
            claims=judged.claims,
            words=with_codings(in_words(made.table.chosen, made.table.cells), judged.read.codings),
            certificate=dict(certificate),
            exposures=judged.exposures,
            kept=judged.read.kept,
            notes=(
                *found_out,
                *made.job.notes,
                *made.job.told_spellings(made.table.cells),
                *self._memory.notes,
                *made.table.notes,
                *judged.read.notes,
                *self.companions.unmade(made.table.held),
                *(note for left in lefts for note in left.notes()),
            ),
        )
