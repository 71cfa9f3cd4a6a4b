"""What the publisher knows of a release: the source, counted, and what was done with it."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.base.errors import DataError, HedgerowError, PlanError
from hedgerow.claims.base import PrivacyModel, Verdict
from hedgerow.engines.base import Written
from hedgerow.ledger.choice import ledger_place
from hedgerow.plan.plan import Plan
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.metrics import measure
from hedgerow.recode.recoding import Recoding
from hedgerow.release.partition.data_file import write_release
from hedgerow.release.partition.job import Job, opened
from hedgerow.release.partition.kept_analyses import KeptAnalyses
from hedgerow.release.partition.ledger_record import (
    as_published,
    earlier_releases,
    releases_beside,
)
from hedgerow.release.partition.recoding_choice import again, choose
from hedgerow.release.partition.written_groups import Measured, measured_groups
from hedgerow.reports.profiles.base import Raw
from hedgerow.reports.quality_section import survey_weights, usual_analyses
from hedgerow.reports.recipient_view import Handed
from hedgerow.table.cells import Cells
from hedgerow.table.groups import PEOPLE, ROWS, Ints
from hedgerow.table.schema import Schema

if TYPE_CHECKING:
    from hedgerow.analyses import AnalysisComparison
    from hedgerow.ledger import Entry, Ledger, Position
    from hedgerow.release.partition.earlier_releases import Before
    from hedgerow.table.published_table import Published


@dataclass(frozen=True, eq=False, kw_only=True)
class Books:
    """What a ledger says of a population."""

    position: Position
    releases: tuple[Entry, ...]

    @classmethod
    def of(cls, ledger: Ledger, population: str) -> Books:
        """Look it up."""
        return cls(position=ledger.budget(population), releases=tuple(ledger.releases(population)))

    @classmethod
    def read(cls, plan: Plan, where: str | Path | None = None) -> Books | None:
        """From the ledger that is given or that the plan names; None where there is none.

        Raises:
            LedgerError: There should be one, and it cannot be read.
        """
        place = ledger_place(plan, where)
        if place is None or plan.population is None:
            return None
        from hedgerow.ledger import Ledger

        with Ledger.open(place, create=False) as ledger:
            return cls.of(ledger, plan.population)


@dataclass(frozen=True, eq=False, kw_only=True)
class Inside:
    """A recoded release with everything it was made from."""

    plan: Plan
    schema: Schema
    models: tuple[PrivacyModel, ...]
    cells: Cells
    chosen: Recoding
    claims: tuple[Verdict, ...]
    measured: Measured
    utility: Mapping[str, float]
    certificate: Mapping[str, Any]
    sentences: tuple[str, ...] = ()
    """What it gives away together with earlier releases, and what else the steward heard."""
    books: Books | None = None
    kept: tuple[AnalysisComparison, ...] = ()
    """The plan's analyses on the source and on the release."""
    quality: tuple[AnalysisComparison, ...] = ()
    """What is compared whatever the plan says, where somebody looked."""
    beside: tuple[Before, ...] = ()
    """Other releases about these people, where somebody looked for them."""

    @property
    def raw(self) -> Raw:
        """How exposed people were before anything was done."""
        sizes = self.sizes_before
        return Raw(
            people=int(sizes.sum()),
            smallest=int(sizes.min(initial=int(sizes.sum()))),
            groups=len(sizes),
            unique=int((sizes <= self.most).sum()),
            most=self.most,
        )

    @property
    def most(self) -> int:
        """The most rows of a person that are published."""
        return self.schema.rows or 1

    @property
    def unit(self) -> str:
        """What groups count: people, or rows where a person may have several."""
        return ROWS if self.schema.linked else PEOPLE

    @property
    def sizes_before(self) -> Ints:
        """People (or rows) of each combination of quasi-identifiers as the source has them."""
        tuples, into = self.cells.tuples
        sizes = np.bincount(into, weights=self.cells.n, minlength=len(tuples)).astype(np.int64)
        return sizes[sizes > 0]

    @property
    def shown(self) -> Ints:
        """The groups that are published: with people, and with labels."""
        return np.flatnonzero(self.measured.groups.n[: self.measured.contents.size] > 0)

    @property
    def sizes(self) -> Ints:
        """People (or rows) of each published group."""
        return self.measured.groups.n[self.shown]

    @property
    def left_out(self) -> int:
        """People (or rows) of the source who are not published."""
        return self.chosen.suppressed + self.cells.absent

    def published(self, *, records: bool = False) -> Published:
        """The release as an attacker holds it; with its records, where they are joined."""
        return as_published(
            self.plan, self.cells, self.chosen, self.measured.contents, name="the release",
            records=records,
        ).as_read()  # fmt: skip


def remade(handed: Handed, plan: Plan, *, ledger: str | Path | None = None) -> Inside:
    """What a release was made from, counted again.

    Args:
        handed: The release.
        plan: Its plan.
        ledger: Where it is remembered, where the plan does not say.

    Raises:
        DataError: Plan or source are not those the release was made from.
    """
    told = handed.certificate
    past = [one for one in earlier_releases(plan) if one.public in told["with"]]
    with opened(plan, past=past) as job:
        _refuse_other_columns(job.schema, handed)
        cells = job.cells()
        chosen = _chosen(plan, cells, job.models, handed)
        file = handed.file
        assert file is not None, "a recoded release has rows"
        written = Written(
            path=file,
            rows=int(told["data"]["rows"]),
            people=cells.people - chosen.suppressed - cells.absent,
            sha256=str(told["data"]["sha256"]),
        )
        _refuse_other(told, cells, chosen)
        escaped = bool(told["plan"]["escape_formulas"])
        try:
            with _before_coding(job, cells, chosen, written, escaped=escaped) as judged_on:
                measured = measured_groups(job.schema, cells, chosen, judged_on, escaped=escaped)
        except HedgerowError as error:
            raise _another(error.what) from None
        kept: tuple[AnalysisComparison, ...] = ()
        usual = KeptAnalyses.of_all(
            job, cells, partial(usual_analyses, weights=survey_weights(plan))
        )
        quality = usual.written(written, job.schema, escaped=escaped, staged=None)
        if plan.keep:
            analyses = KeptAnalyses.of(job, cells)
            kept = analyses.written(written, job.schema, escaped=escaped, staged=None)
        found = np.sort(measured.groups.n[measured.groups.n > 0])
        mine = chosen.groups(cells).n
        if not np.array_equal(found, np.sort(mine[mine > 0])):
            raise _another("its groups have other sizes")
        weighed = plan.utility.over([h.name for h in cells.hierarchies])
        original = measure(chosen.outcome(Lattice.of(cells).original), weighed)
        return Inside(
            plan=plan,
            schema=job.schema,
            models=job.claims,
            cells=cells,
            chosen=chosen,
            claims=job.check(measured.groups),
            measured=measured,
            utility={name: value if value > 1e-12 else 0.0 for name, value in original.items()},
            certificate=told,
            books=Books.read(plan, ledger),
            kept=kept,
            quality=quality,
            beside=releases_beside(plan, ledger, str(told["data"]["sha256"])),
        )


@contextlib.contextmanager
def _before_coding(
    job: Job, cells: Cells, chosen: Recoding, written: Written, *, escaped: bool
) -> Iterator[Written]:
    """The file as the claims were judged on it, where its columns were coded afterwards."""
    if not job.plan.codings:
        yield written
        return
    with tempfile.TemporaryDirectory() as hidden:
        yield write_release(
            job.engine, job.schema, cells, chosen, Path(hidden) / written.path.name,
            escape_formulas=escaped,
        )  # fmt: skip


def _chosen(plan: Plan, cells: Cells, models: tuple[PrivacyModel, ...], handed: Handed) -> Recoding:
    told = handed.certificate
    try:
        # Groups that overlap do not say who was in which; whoever searched finds them again.
        if "levels" not in told["recoding"] and not told["search"].get("stored"):
            return choose(plan, cells, models)
        return again(plan, cells, models, handed.folder)
    except HedgerowError as error:
        raise _another(error.what) from None


def _refuse_other_columns(schema: Schema, handed: Handed) -> None:
    told = handed.certificate["plan"]
    mine = {name: str(role) for name, role in schema.roles.items()}
    if told["person"] is not None:
        mine.pop(told["person"], None)
    theirs = {name: role for name, role in told["columns"].items() if name != told["person"]}
    if mine != theirs:
        raise _another("the plan gives other columns or roles")


def _refuse_other(told: Mapping[str, Any], cells: Cells, chosen: Recoding) -> None:
    people = told["people"]
    unit = people.get("unit", PEOPLE)
    if cells.people != people["in_source"]:
        raise _another(f"the source has {cells.people:,} {unit}, not {people['in_source']:,}")
    out = chosen.suppressed + cells.absent
    if out != people["left_out"]:
        raise _another(f"{out:,} {unit} would be suppressed, not {people['left_out']:,}")


def _another(why: str) -> DataError:
    return DataError(
        f"plan and source are not those the release was made from: {why}",
        fix="Give the plan of this release, with its source as it was; or publish anew.",
    )


def refuse_other_kind(plan: Plan, handed: Handed) -> None:
    """The plan must be for a release of this kind.

    Raises:
        PlanError: It is not.
    """
    kinds = {"marginals": "randomised", "safe": "safe"}
    kind = kinds.get(plan.method.search, "recoded")
    if kind != handed.kind:
        raise PlanError(
            f"the plan is for a {kind} release, and this one is {handed.kind}",
            where=plan.where("method", "search"),
            fix="Give the plan of this release.",
        )


def order_of(labels: Sequence[Any]) -> tuple[Any, ...]:
    """To sort by labels, missing last."""
    return tuple((label is None, label or "") for label in labels)
