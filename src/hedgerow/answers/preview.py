"""Previews: how far off an answer would be, found out on data that are nobody's secret."""

from __future__ import annotations

import contextlib
import glob
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.answers.design import AnswerTable, Design
from hedgerow.answers.questions import Asking, Question
from hedgerow.answers.sensitivity import claimed, exact_notes, plain_notes, protected_notes
from hedgerow.base.errors import PlanError
from hedgerow.noise.measures import Loss
from hedgerow.noise.rounding import whole
from hedgerow.table.domain import Bounds, Values

if TYPE_CHECKING:
    from hedgerow.answers.public_knowledge import Public
    from hedgerow.plan.plan import Plan

ENOUGH = 100_000
"""Numbers that are looked at in all runs together: a large table needs fewer runs."""
LEAST_RUNS = 5


@dataclass(frozen=True)
class Preview:
    """What an answer would cost and how far off it would be. Nothing was spent for it."""

    question: Mapping[str, Any]
    words: str
    loss: str
    spends: Mapping[str, str]
    neighbours: str
    noise: tuple[Mapping[str, str], ...]
    on: str
    """Which data it was simulated on."""
    runs: int
    notes: tuple[str, ...]
    errors: tuple[Mapping[str, float], ...]
    """For each kind of number: its typical size there, and the error in the middle, on average
    and in 95 of 100 cases."""
    tables: tuple[AnswerTable, ...]
    """One simulated answer: what it would look like."""

    def as_json(self) -> dict[str, Any]:
        return {
            "question": dict(self.question),
            "words": self.words,
            "loss": self.loss,
            "spends": dict(self.spends),
            "neighbours": self.neighbours,
            "noise": [dict(told) for told in self.noise],
            "on": self.on,
            "runs": self.runs,
            "notes": list(self.notes),
            "errors": [dict(error) for error in self.errors],
        }


class Previewing(Asking[Preview]):
    """Simulates answers on a public table, or on people made up from the plan."""

    def __init__(
        self,
        plan: Plan,
        public: Public,
        *,
        like: Any,
        people: int,
        runs: int,
        private: Any = None,
    ) -> None:
        self.plan, self.public, self.private = plan, public, private
        self.like, self.people, self.runs = like, whole("people", people), whole("runs", runs)

    def ask(self, question: Question, loss: Loss) -> Preview:
        """Simulate the answer to a question at a price."""
        design = question.design(self.public, loss)
        exact = self.exact(design)
        best = design.best(exact)
        truth = None if best is None else design.shown(best)
        runs = self.runs
        if truth is not None:
            numbers = sum(len(_numbers(one)[1]) for one in truth)
            runs = max(min(runs, ENOUGH // max(numbers, 1)), min(LEAST_RUNS, runs))
        simulated = [design.shown(design.noisy(exact)) for _ in range(runs)]
        on = "people made up evenly over the plan's domains and bounds"
        return Preview(
            question=question.asked(),
            words=question.words(),
            loss=claimed(design.loss, self.public.stated),
            spends=design.loss.amounts().texts(),
            neighbours=self.public.protects,
            noise=tuple(told.as_json() for told in design.noise),
            on=f"{self.people:,} {on}"
            if self.like is None
            else "the table you call public, whose exact numbers show through",
            runs=runs,
            notes=(
                *exact_notes(design.noise, self.public.stated),
                *self.public.not_protected,
                *protected_notes(design.loss, self.public.stated),
                *plain_notes(self.public.stated, design.tallies),
                *design.notes,
            ),
            errors=() if truth is None else _errors(truth, simulated),
            tables=simulated[0],
        )

    def exact(self, design: Design) -> Any:
        """The numbers without noise, on the table that stands in for the data."""
        from hedgerow.engines import open_engine, table_place

        source = self._made_up(design) if self.like is None else self.like
        if table_place(source) is not None:
            raise PlanError(
                "a table of a database cannot be told from the plan's own source",
                fix="Give a public table as a file, or none: then people are made up.",
            )
        person = self.plan.person if self.like is not None else None
        with open_engine(source, null=self.plan.null, person=person) as engine:
            self._refuse_private(engine.files)
            for tally in design.tallies:
                missing = [c for c in tally.columns if c not in engine.columns()]
                if missing:
                    raise PlanError(
                        f"the public table has no column {missing[0]!r}",
                        fix="Give one with the columns the question is about.",
                    )
            return design.read(engine.tallies(design.tallies))

    def _refuse_private(self, files: Sequence[Path]) -> None:
        """A preview shows exact numbers; those of the plan's own source are nobody's to see.

        Args:
            files: What the table that is called public is read from.
        """
        shared = self.like is not None and self.like is self.private
        source = str(self.plan.source or "").partition("::")[0]
        for own in [Path(source), *map(Path, glob.glob(source, recursive=True))]:  # noqa: PTH207
            with contextlib.suppress(OSError):
                shared = shared or any(file.samefile(own) for file in files)
        if shared:
            raise PlanError(
                "this is the plan's own source, and a preview shows exact numbers of a table",
                where=str(self.like) if files else None,
                fix="Give a table that is public, or none: then people are made up.",
            )

    def _made_up(self, design: Design) -> Any:
        """A table with the columns of the question, drawn evenly: anybody could have made it."""
        import pyarrow as pa

        chance = np.random.default_rng(0)
        columns: dict[str, Any] = {}
        for name in dict.fromkeys(c for tally in design.tallies for c in tally.columns):
            match self.public.domains.get(name):
                case Values(values):
                    drawn = chance.integers(len(values), size=self.people)
                    columns[name] = pa.array([values[i] for i in drawn], pa.string())
                case Bounds(low, high, step):
                    if step is None:
                        columns[name] = chance.uniform(float(low), float(high), self.people)
                    else:
                        places = chance.integers(int((high - low) / step) + 1, size=self.people)
                        columns[name] = float(low) + places * float(step)
                case _:
                    raise PlanError(
                        f"nothing is known of the values of {name!r}, so nobody can be made up",
                        where=self.public.places.get(name),
                        fix="Give its domain or bounds in the plan, or a public table to preview "
                        "with.",
                    )
        # A question without columns is about all rows.
        columns = columns or {"nobody": np.zeros(self.people)}
        return pa.table(columns)


def _numbers(shown: AnswerTable) -> tuple[str, np.ndarray[Any, Any]]:
    name = next(name for name in shown.columns if name not in shown.keys)  # the value comes first
    return name, np.array(shown.columns[name], np.float64)


def _errors(
    truth: tuple[AnswerTable, ...], simulated: list[tuple[AnswerTable, ...]]
) -> tuple[Mapping[str, float], ...]:
    found = []
    for place, one in enumerate(truth):
        name, exact = _numbers(one)
        off = np.abs(np.stack([_numbers(answer[place])[1] - exact for answer in simulated]))
        found.append(
            {
                "of": name,
                "typical": float(np.median(np.abs(exact))),
                "median error": float(np.median(off)),
                "mean error": float(off.mean()),
                "95 % of errors under": float(np.quantile(off, 0.95)),
            }
        )
    return tuple(found)  # type: ignore[arg-type]
