"""A session: questions about one table, charged to the ledger before the data are touched."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.answers.answer import Answer
from hedgerow.answers.batch import Together
from hedgerow.answers.charge import Charge, address_of, charged_together, source_of, told_before
from hedgerow.answers.design import CONFIDENCE, Design
from hedgerow.answers.exact_releases import exact_entries, with_releases
from hedgerow.answers.lowest_price import LowestPrice, PriceSearch, Tolerance
from hedgerow.answers.preview import Preview, Previewing
from hedgerow.answers.public_knowledge import Public
from hedgerow.answers.questions import Asking, Question
from hedgerow.answers.sensitivity import claimed, exact_notes, plain_notes, protected_notes
from hedgerow.answers.unit_of_privacy import Unit, exactly
from hedgerow.base.errors import LedgerError, PlanError
from hedgerow.ledger.choice import ENVIRONMENT, POLICY, ledger_place
from hedgerow.noise.measures import Loss
from hedgerow.noise.rounding import Number, share
from hedgerow.plan.arguments import plan_of
from hedgerow.plan.plan import Plan
from hedgerow.table.schema import AS_WRITTEN, STATED, stated_no_keys

if TYPE_CHECKING:
    from hedgerow.engines.base import Engine
    from hedgerow.ledger import Ledger, Position

KIND = "answer"
"""What the ledger calls it."""


class Session(Asking[Answer]):
    """Asks questions about a table, and remembers what was answered. A context manager.

    Guarantee: an answer is differentially private at the loss it names, for the neighbours the
    plan states, and all answers of a population together at the sum that the ledger keeps. Where
    the plan has a policy, all of this holds under the policy and no further.
    Assumes: bounds and domains of the plan are public and were not taken from the data.
    Not protected: how long an answer takes; somebody who reads the process, the ledger or the
    data; a file that cannot be read as a table makes an error that says so.

    The same question at the same price is answered from the ledger, with the same bytes and for
    nothing, also if the data have changed since: to look would tell that they have.
    """

    def __init__(
        self,
        plan: Plan,
        data: Any = None,
        *,
        ledger: str | Path | None = None,
        name: str | None = None,
        memory: str | None = None,
        anew: bool = False,
    ) -> None:
        self.plan, self.anew = plan, anew
        self._planned = self._public = public_of(plan)
        self._exact: tuple[int, ...] = ()
        if plan.population is None:
            raise PlanError(
                "an answer is charged to the budget of a population, and the plan names none",
                where=plan.where(),
                fix="Add `population: a-name`, the same in every plan about these people.",
            )
        self.population: str = plan.population
        self._data, self._memory = data, memory
        self._where = ledger_place(plan, ledger)
        self._source = source_of(plan, data, name=name)
        self._address = address_of(plan, data, name=name)
        self._open = contextlib.ExitStack()
        self._ledger: Ledger | None = None
        self._engine: Engine | None = None

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the source and of the ledger."""
        self._open.close()
        self._ledger = self._engine = None

    @property
    def ledger(self) -> Ledger:
        """Where answers are charged and kept.

        Raises:
            PlanError: Nobody says where.
        """
        if self._ledger is None:
            if self._where is None:
                raise PlanError(
                    "an answer has a price, and there is no ledger that would remember it",
                    where=self.plan.where(),
                    fix="Name one: `ledger: ledger.db` in the plan, --ledger, or the environment "
                    f"variable {ENVIRONMENT}. A preview needs none.",
                )
            from hedgerow.ledger import Ledger

            self._ledger = self._open.enter_context(Ledger.open(self._where))
        return self._ledger

    @property
    def public(self) -> Public:
        """What everybody may know; answers are designed from nothing else.

        Under a policy that is also what earlier releases without noise tell, if the ledger has
        any. Before anything is asked, one that is not there is not made.

        Raises:
            PlanError: Nobody has worked out what noise must cover with them.
        """
        if self._planned.stated is None or not self._there:
            return self._planned
        entries = exact_entries(self.ledger, self.population)
        found = tuple(entry.seq for entry in entries)
        if found != self._exact:
            self._public = with_releases(self._planned, self.plan, self.ledger, entries)
            self._exact = found
        return self._public

    @property
    def _there(self) -> bool:
        if self._ledger is not None or self._where is None:
            return self._ledger is not None
        return "://" in str(self._where) or Path(self._where).exists()

    @property
    def escape_formulas(self) -> bool:
        """Whether the plan wants text that a spreadsheet would run escaped in files."""
        return self.plan.publish is not None and self.plan.publish.escape_formulas

    @property
    def budget(self) -> Position:
        """Where the population stands."""
        return self.ledger.budget(self.population)

    @property
    def position(self) -> Position | None:
        """Where the population stands; None where no ledger can be read that would say so."""
        if self._where is None or self.plan.population is None:
            return None
        if (
            self._ledger is None
            and "://" not in str(self._where)
            and not Path(self._where).exists()
        ):
            return None
        try:
            return self.budget
        except LedgerError:
            return None

    def preview(
        self, *, public: Any = None, people: int = 1000, runs: int = 100
    ) -> Asking[Preview]:
        """Somebody to ask for nothing how far off answers would be.

        Args:
            public: A table that is public and like the data, or the path of one. If left out,
                people are made up, evenly over the plan's domains and bounds.
            people: How many are made up.
            runs: How often each answer is simulated.
        """
        return Previewing(
            self.plan, self.public, like=public, people=people, runs=runs, private=self._data
        )

    def lowest_price(
        self, *, within: str, sure: Number = CONFIDENCE, public: Any = None
    ) -> Asking[LowestPrice]:
        """Somebody to ask for nothing how little epsilon keeps counts near enough.

        Args:
            within: How far every count may be off: "50", or "5%" with a public table.
            sure: With which chance all of them are nearer.
            public: A table that is public and like the data, or the path of one.
        """
        return PriceSearch(
            self.plan, self.public, within=Tolerance.read(within), sure=share("sure", sure),
            like=public, private=self._data,
        )  # fmt: skip

    def together(self) -> Together:
        """Somebody to ask several questions, who charges and answers all of them at once.

        >>> import hedgerow
        >>> with hedgerow.session("plan.yaml") as questions:  # doctest: +SKIP
        ...     several = questions.together()
        ...     several.count(epsilon=0.1)
        ...     several.mean("age", epsilon=0.1)
        ...     people, age = several.answers()
        """
        return Together(self.answered)

    def ask(self, question: Question, loss: Loss) -> Answer:
        """Answer a question at a price.

        Raises:
            BudgetError: It does not fit into the budget; nothing was looked at.
        """
        return self.answered([(question, loss)])[0]

    def answered(self, asked: Sequence[tuple[Question, Loss]]) -> tuple[Answer, ...]:
        """Answer several questions, each at its price.

        What was answered before is told again for nothing, and a question that stands here twice
        is answered once, unless everything is wanted anew.

        Raises:
            BudgetError: What is new does not fit into the budget; nothing was looked at.
        """
        public = self.public
        charges = [self._charge(question, loss, public) for question, loss in asked]
        told: dict[str, Answer] = {}
        if not self.anew:
            for charge in charges:
                if (content := told_before(self.ledger, charge)) is not None:
                    told[charge.key] = Answer.read(content)
        new: dict[str, tuple[Charge, Callable[[Any, Mapping[str, Any]], Answer]]] = {}
        for place, (charge, (question, _)) in enumerate(zip(charges, asked, strict=True)):
            if charge.key not in told:
                name = f"{place} {charge.key}" if self.anew else charge.key
                new[name] = (charge, partial(self._answer, question, charge.design, public))
        if new:
            found = charged_together(self.ledger, list(new.values()), self._opened())
            told |= dict(zip(new, found, strict=True))
        return tuple(
            told[f"{place} {charge.key}" if self.anew else charge.key]
            for place, charge in enumerate(charges)
        )

    def _charge(self, question: Question, loss: Loss, public: Public) -> Charge:
        design = question.design(public, loss)
        return Charge(
            population=self.population,
            asked=self._asked(question, design, loss, public),
            what={
                "kind": KIND,
                "name": question.words(),
                "question": question.asked(),
                **exactly(design.noise),
            },
            unit=replace(Unit.of(public, self.plan.person), exact=self._exact),
            design=design,
            source=self._address,
            others=self.plan.other_people_than,
        )

    def _answer(
        self,
        question: Question,
        design: Design,
        public: Public,
        noisy: Any,
        tip: Mapping[str, Any],
    ) -> Answer:
        return Answer(
            question=question.asked(),
            words=question.words(),
            tables=design.shown(noisy),
            noise=tuple(told.as_json() for told in design.noise),
            loss=claimed(design.loss, public.stated),
            spent=design.loss.amounts().texts(),
            neighbours=public.protects,
            notes=(
                *exact_notes(design.noise, public.stated),
                *public.not_protected,
                *((STATED,) if self.plan.one_row_per_person else ()),
                *((AS_WRITTEN,) if self.plan.ids_as_written else ()),
                *stated_no_keys(self.plan.not_keys),
                *protected_notes(design.loss, public.stated),
                *plain_notes(public.stated, design.tallies),
                *design.notes,
            ),
            ledger=tip,
            details=design.details,
        )

    def _asked(
        self, question: Question, design: Design, loss: Loss, public: Public
    ) -> dict[str, Any]:
        """Everything that makes a question the same question; none of it is from the data."""
        columns = {column for tally in design.tallies for column in tally.columns}
        ages = {name: both for name, both in self.plan.ages_json.items() if name in columns}
        return {
            "kind": KIND,
            "question": question.asked(),
            "price": loss.amounts().units,
            "neighbours": str(public.neighbours),
            **({} if public.stated is None else {POLICY: public.stated.digest}),
            "source": self._source,
            "person": self.plan.person,
            "null": list(self.plan.null),
            **({"ages": ages} if ages else {}),
            "domains": {name: repr(public.domains.get(name)) for name in sorted(columns)},
        }

    def _opened(self) -> Engine:
        """The source, open and with the columns of the plan, each row of a person who is known.

        Before anything is charged nothing else is read. Who asks is told if a number of people
        repeats; no answer tells that.
        """
        if self._engine is None:
            from hedgerow.engines import open_engine
            from hedgerow.plan.people import require_people

            origin = self.plan.source if self._data is None else self._data
            if origin is None:
                raise PlanError("the plan names no source", fix="Add `source: table.csv`.")
            engine = self._open.enter_context(
                open_engine(
                    origin,
                    null=self.plan.null,
                    person=self.plan.person,
                    form=self.plan.form,
                    memory=self._memory,
                )
            )
            self.plan.fit(engine.columns())
            require_people(self.plan, engine, names=False)
            self._engine = engine
        return self._engine


def public_of(plan: Plan) -> Public:
    """What a plan says everybody may know.

    Raises:
        PlanError: It does not say who is protected.
    """
    domains = {name: domain for name in plan.columns if (domain := plan.domain(name)) is not None}
    return Public(
        columns=tuple(plan.schema().roles),
        domains=domains,
        neighbours=plan.neighbours(),
        places={name: plan.where("columns", name) for name in plan.columns},
        stated=plan.stated(),
        person=plan.person,
    )


def session(
    source: Any,
    *,
    ledger: str | Path | None = None,
    name: str | None = None,
    memory: str | None = None,
    anew: bool = False,
    **given: Any,
) -> Session:
    """Ask questions about a table; each answer has noise, an interval and a price.

    Args:
        source: A plan, the path of a plan file, or (in a notebook) a table or a data file with
            `columns`, `privacy` and `population`.
        ledger: Where answers are charged and kept; by default what the plan or the environment
            variable HEDGEROW_LEDGER names.
        name: Of a table in memory, so that a question about it is known again in later sessions.
        memory: How much memory the engine may use, such as "4GB".
        anew: Whether what was answered before is answered and charged again.
        given: Keys of the plan, where `source` is a table.

    >>> import hedgerow
    >>> with hedgerow.session("plan.yaml") as questions:  # doctest: +SKIP
    ...     questions.count(where="age >= 40", by="disease", epsilon=0.1).to_pandas()
    """
    plan, data = plan_of(source, given)
    return Session(plan, data, ledger=ledger, name=name, memory=memory, anew=anew)
