"""An opened source with the claims about it: what every step of publishing works on."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.base.errors import DataError, HedgerowError, PlanError, some
from hedgerow.base.spelling_classes import classes, taken_for, told_both_ways
from hedgerow.claims.base import PrivacyModel, Verdict
from hedgerow.claims.prior_files import refuse_misspelt
from hedgerow.claims.readings import checked, judged
from hedgerow.claims.row_bound import of_people, of_rows
from hedgerow.claims.worlds.table_world import UncheckedError
from hedgerow.engines import open_engine
from hedgerow.engines.base import Engine
from hedgerow.plan.claims import Claim
from hedgerow.plan.people import must_have_values, require_people, require_population
from hedgerow.plan.person_rows import require_rows, respelled
from hedgerow.plan.plan import Plan
from hedgerow.recode.recoding import people_of
from hedgerow.release.partition.earlier_releases import (
    UNCOMPARED,
    Before,
    Left,
    left_by,
    with_earlier,
    without_beside,
)
from hedgerow.release.partition.ledger_record import earlier_releases
from hedgerow.table.cell_table import read_cells
from hedgerow.table.cells import Cells
from hedgerow.table.facts import AskedFacts
from hedgerow.table.groups import Beside, Groups, Sensitive, Weights
from hedgerow.table.header import require_header
from hedgerow.table.label_taxonomies import written_out
from hedgerow.table.rules import Rules
from hedgerow.table.schema import Schema
from hedgerow.table.survey_weights import summed, told_by_weights

UNKNOWN = "What both give away together is not known."


@dataclass(frozen=True)
class Job:
    """An open source and the claims about it."""

    plan: Plan
    schema: Schema
    engine: Engine
    population: Engine | None
    models: tuple[PrivacyModel, ...]
    """What rows have to keep, so that the claims about people hold."""
    claims: tuple[PrivacyModel, ...]
    """The plan's claims, about people; the same where everybody has one row."""
    rows: int = 1
    """The most rows of a person; 1 where each row is another person's."""
    past: tuple[Before, ...] = ()
    """Earlier releases of the same people."""
    notes: tuple[str, ...] = ()
    """What to tell of the table, whatever becomes of it."""
    _lefts: list[tuple[list[Left], list[str]]] = field(default_factory=list, init=False)

    @cached_property
    def rules(self) -> Rules:
        """How the values of the table are taken."""
        return self.plan.rules()

    @property
    def files(self) -> tuple[Path, ...]:
        """The files a release is made from, patterns resolved."""
        outside = () if self.population is None else self.population.files
        return (*self.engine.files, *outside, *self.plan.claim_files)

    def told_spellings(self, cells: Cells) -> list[str]:
        """For the steward: spellings that may be one value, and are judged both ways.

        And what the plan says of values that nobody has; and what survey weights add up to.
        """
        told = []
        for domain in cells.sensitive:
            if isinstance(domain, Weights):
                told.append(summed(domain))
                told += list(told_by_weights(domain, self.schema.published))
            name = domain.name
            if name not in self.schema.sensitive:
                continue
            claimed = any(name in model.attributes for model in self.models)
            if claimed and (listed := domain.listed_spellings()):
                told.append(told_both_ways(name, listed))
            have = set(domain.values)
            if lost := [v for v in self.plan.columns[name].distinct or () if v not in have]:
                told.append(f"`distinct` of {name!r} lists {some(lost)}, which nobody has.")
        return told

    def cells(self, *, as_it_is: bool = False) -> Cells:
        """Count the table; as it is, or without those the plan bars from a release."""
        composed = {model.column for model in self.models if model.composes}
        beside = self.schema.insensitive if composed else ()
        shared = {column for before in self.past for column in before.as_they_are}
        cells = read_cells(
            self.engine,
            self.rules,
            self.schema,
            population=self.population,
            joint=self.joint,
            facts=self.facts,
            weights=self.weights,
            beside=[column for column in beside if column in shared],
            as_it_is=as_it_is,
            empty_rows=not must_have_values(self.plan, self.engine.columns()),
        )
        self.refuse_unfitting(cells)
        if not composed:
            return cells
        lefts, _ = self.lefts(cells)
        # What releases are joined on is known by now, and no claim looks at it by itself.
        return with_earlier(without_beside(cells), [left for left in lefts if left.of in composed])

    def refuse_linked(self, what: str) -> None:
        """Refuse what is done for people with one row only.

        Args:
            what: What that is, as in "exploring".

        Raises:
            PlanError: A person may have several rows.
        """
        if self.rows > 1:
            raise PlanError(
                f"{what} cannot be used with `rows: at most {self.rows}`: it is for one row per "
                "person",
                where=self.plan.where("rows"),
                fix="Publish one row per person: `rows: one`.",
            )

    def check(self, groups: Groups) -> tuple[Verdict, ...]:
        """What becomes of each claim in these groups of rows."""
        return tuple(
            of_people(claim, checked(model, groups), self.rows)
            for claim, model in zip(self.claims, self.models, strict=True)
        )

    @property
    def joint(self) -> bool:
        """Whether a claim counts every published column as a quasi-identifier."""
        return any(model.joint for model in self.models)

    @property
    def facts(self) -> list[AskedFacts]:
        """What claims have to know of people that the release does not show."""
        return [model.facts for model in self.models if model.facts is not None]

    @property
    def weights(self) -> list[str]:
        """Columns of survey weights that claims are judged with."""
        return [model.weighted_by for model in self.models if model.weighted_by is not None]

    def refuse_unfitting(self, cells: Cells) -> None:
        """Refuse claims about beliefs that do not fit the values of the table.

        Raises:
            HedgerowError: Names the claim's place in the plan.
        """
        domains = {domain.name: domain for domain in cells.sensitive}
        nobody = people_of(cells, np.zeros(0, np.int64), np.zeros(0, np.int64))
        for model, where in self._against():
            if model.column is not None:
                domain = domains[model.column]
                differ = self.plan.columns[model.column].distinct or ()
                if model.believed is not None:
                    refuse_misspelt(model.believed, domain.values, where=where, distinct=differ)
                _refuse_misnamed(model, domain, where=where, distinct=differ)
            try:
                (judge,) = judged([model], cells.sensitive)
                judge.level(nobody)  # of nobody it only finds out whether it fits the table
            except HedgerowError as error:
                where = error.where or where
                raise type(error)(error.what, where=where, fix=error.fix) from None

    def lefts(self, cells: Cells) -> tuple[list[Left], list[str]]:
        """What earlier releases leave possible, by sensitive column; and what to say of them.

        Looked up once: the cells are those of the job, whatever was added to them.

        Raises:
            PlanError: A claim is about earlier releases, and one of them cannot be compared.
            UncheckedError: Or they cannot be joined.
        """
        if self._lefts:
            return self._lefts[0]
        found: list[Left] = []
        notes: list[str] = []
        if self.rows > 1 and self.past:
            notes.append(f"{UNCOMPARED}earlier releases: a person may have several rows. {UNKNOWN}")
            self._lefts.append((found, notes))
            return found, notes
        composed = {model.column for model in self.models if model.composes}
        nodes = written_out(self.plan.specs, cells.hierarchies) if self.past else {}
        for of in self.schema.sensitive:
            fit = []
            for before in self.past:
                obstacle = before.obstacle(
                    self.schema.quasi_identifiers, of, certain=of in composed,
                    ages=self.plan.ages_json,
                )  # fmt: skip
                if obstacle is None and of not in before.published.sensitive:
                    notes.append(f"{before.name} has no column {of!r}, and was not compared.")
                elif obstacle is None:
                    fit.append(before)
                elif of in composed:
                    raise PlanError(
                        f"{before.name} cannot be compared: {obstacle}",
                        where=self.plan.where("protect"),
                        fix="Give the columns the roles they had there, compare with others, or "
                        "give up the claim.",
                    )
                else:
                    notes.append(f"{UNCOMPARED}{before.name}: {obstacle}. {UNKNOWN}")
            if of not in composed and not fit:
                continue
            unjoined = self._unjoined(of, fit)
            if of in composed:
                unjoined = unjoined or self._beside_it(of, fit)
            if unjoined is not None and of in composed:
                raise UncheckedError(
                    f"whether several values of {of!r} remain cannot be checked: {unjoined}",
                    where=self.plan.where("protect"),
                    fix="Do not publish these columns as they are, or give up the claim; then "
                    "publish says what it could check.",
                )
            if of in composed:
                self._refuse_alike(of, fit, cells)
            try:
                left = left_by(
                    fit, cells.in_one_spelling, of, nodes=nodes, null=self.plan.null,
                    beside=self._beside(of, cells), unjoined=unjoined,
                )  # fmt: skip
            except DataError as error:
                if of in composed:
                    raise
                notes.append(f"{UNCOMPARED}earlier releases: {error.what}. {UNKNOWN}")
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

    def _beside(self, of: str, cells: Cells) -> list[str]:
        """Attributes of the cells on which records of this release and others may be joined."""
        shared = {column for before in self.past for column in before.as_they_are} - {of}
        return [
            domain.name
            for domain in cells.sensitive
            if domain.name in shared or (isinstance(domain, Beside) and domain.shown in shared)
        ]

    def _unjoined(self, of: str, past: Sequence[Before]) -> str | None:
        """Why this release and earlier ones cannot be joined and counted, where they cannot."""
        here = {*self.schema.sensitive, *self.schema.insensitive}
        releases = [
            ("this release", here, here),
            *((one.name, one.as_they_are, one.shows().columns(of)) for one in past),
        ]
        for (_, one, first), (name, other, second) in combinations(releases, 2):
            if on := sorted(((one & other) - {of}) - (first & second)):
                return (
                    f"{name} and another release both show {some(on)}, and nobody kept which "
                    "values of it stand beside which of the others"
                )
        return None

    def _beside_it(self, of: str, compared: Sequence[Before]) -> str | None:
        """Why a release that lacks the column matters all the same, where one does."""
        here = {*self.schema.sensitive, *self.schema.insensitive}
        shown = here.union(*(before.as_they_are for before in compared)) - {of}
        for before in self.past:
            if of not in before.published.sensitive and (on := sorted(shown & before.as_they_are)):
                return (
                    f"{before.name} has no column {of!r}, but records can be joined with it on "
                    f"{some(on)}"
                )
        return None

    def _refuse_alike(self, of: str, compared: Sequence[Before], cells: Cells) -> None:
        """Refuse values that may be one or several, where records are joined on them.

        Who takes them for one and who does not learn different things, and neither is the worse.
        """
        shown = [before.shows().columns(of) for before in compared]
        shown.append({*self.schema.sensitive, *self.schema.insensitive})
        joined = {column for one, other in combinations(shown, 2) for column in one & other}
        mine = {
            domain.shown if isinstance(domain, Beside) else domain.name: domain
            for domain in cells.sensitive
        }
        names = [(before.name, before.published.alike) for before in compared]
        here = {c: found[0] for c, domain in mine.items() if (found := classes(domain.values))}
        for name, alike in (*names, ("the table", here)):
            for column in sorted(joined & alike.keys()):
                raise UncheckedError(
                    f"what several releases say of {of!r} cannot be checked: records are joined on "
                    f"{column!r}, and {name} has {some(alike[column])}, which may be taken for "
                    "one value or for several",
                    where=self.plan.where("protect"),
                    fix="Spell each value in one way, or give up the claim; `distinct` does not "
                    "help here.",
                )

    def _against(self) -> Iterator[tuple[PrivacyModel, str]]:
        """The claims about what attackers believe, and where the plan makes them."""
        places = []
        for place, claim in enumerate(self.plan.protect):
            spot = (claim.name,) if isinstance(claim, Claim) else ()
            places += [self.plan.where("protect", place, *spot)] * claim.about_beliefs
        models = (model for model in self.models if model.about_beliefs)
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
    """Open the plan's source (and population) and see that they are what the plan says.

    They must have the plan's columns, and it must be known whose rows the source's are.

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
            open_engine(origin, null=plan.null, form=plan.form, memory=memory)
        )
        plan.fit(engine.columns())
        values = require_header(engine, where=plan.source)
        # What is read in another spelling may be blank no longer once it is counted.
        as_written = all(column.spelling is None for column in plan.columns.values())
        notes = require_people(plan, engine, values=values, counted=as_written)
        population = None
        outside = plan.population_file if population_table is None else population_table
        if outside is not None:
            population = stack.enter_context(open_engine(outside, null=plan.null, memory=memory))
        schema = plan.schema(engine.columns())
        # First, so that rows of a person that differ in spelling only do not differ.
        notes = (*notes, *respelled(plan, schema, engine))
        rows = require_rows(plan, engine)
        schema = replace(schema, person=None, rows=rows)
        most, claims = rows or 1, plan.models()
        models = tuple(of_rows(claim, most, where=plan.where("protect")) for claim in claims)
        if population is not None:
            file = str(outside) if isinstance(outside, str | Path) else "the population"
            require_population(plan, population, where=file)
        yield Job(plan, schema, engine, population, models, claims, most, tuple(past), notes)


def _refuse_misnamed(
    model: PrivacyModel, domain: Sensitive, *, where: str, distinct: Sequence[str]
) -> None:
    """Refuse a claim that names a value nobody has, and that looks like one that people have.

    Raises:
        DataError: Names them.
    """
    above = zip(domain.levels[1:], domain.labels[1:], strict=False)
    known = {*domain.values, *(names[node] for nodes, names in above for node in nodes.tolist())}
    for name in model.secrets():
        if name not in known and (near := taken_for(name, domain.values, distinct)):
            raise DataError(
                f"the claim names {name!r}, which nobody has as {domain.name!r} and a reader "
                f"may take for {some(near)}",
                where=where,
                fix="Name values as they stand in the data.",
            )
