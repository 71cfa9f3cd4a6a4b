"""Questions around a session: what one would cost, which filter it has, what was answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from hedgerow.answers.answer import Answer
from hedgerow.answers.preview import Preview
from hedgerow.answers.questions import Asking, Question
from hedgerow.answers.sensitivity import claimed, exact_notes, protected_notes
from hedgerow.base import decimals, filters
from hedgerow.base.errors import DataError, HedgerowError
from hedgerow.ledger import Entry, EntryKind
from hedgerow.noise.measures import Approximate, Loss, Pure
from hedgerow.noise.semantics import truth

if TYPE_CHECKING:
    from hedgerow.answers.public_knowledge import Public
    from hedgerow.answers.session import Session

ANSWER = "answer"
"""What the ledger calls an answer."""


class CostPreview(Asking[Preview]):
    """Says what a question costs and which noise it gets, where nobody can be made up for it."""

    def __init__(self, public: Public) -> None:
        self.public = public

    def ask(self, question: Question, loss: Loss) -> Preview:
        """A preview without its simulation."""
        design, stated = question.design(self.public, loss), self.public.stated
        return Preview(
            question=question.asked(),
            words=question.words(),
            loss=claimed(design.loss, stated),
            spends=design.loss.amounts().texts(),
            neighbours=self.public.protects,
            noise=tuple(one.as_json() for one in design.noise),
            on="nobody",
            runs=0,
            notes=(
                *exact_notes(design.noise, stated),
                *self.public.not_protected,
                *protected_notes(design.loss, stated),
                *design.notes,
            ),
            errors=(),
            tables=(),
        )


def chance_of_guess(spends: Mapping[str, str]) -> float:
    """How often somebody who knows everything else guesses right about one person, at most.

    >>> chance_of_guess({"epsilon": "0.1"})
    0.525
    """
    epsilon, delta = spends["epsilon"], spends.get("delta")
    loss: Pure | Approximate = Pure(epsilon=epsilon)
    if delta is not None:
        loss = Approximate(epsilon=epsilon, delta=delta)
    return ceil(truth(loss) * 10_000) / 10_000


@dataclass(frozen=True)
class KeptAnswer:
    """An answer as the ledger has it."""

    entry: Entry
    answer: Answer


def find_answer(session: Session, reservation: str) -> KeptAnswer:
    """The answer of a reservation of the session's population.

    Raises:
        DataError: There is none.
    """
    for entry in session.ledger.releases(session.population):
        ours = entry.reservation == reservation and entry.body.get("kind") == ANSWER
        if ours and entry.kind == EntryKind.RELEASED:
            content = session.ledger.content(entry)
            if content is not None:
                return KeptAnswer(entry, Answer.read(content))
    raise DataError(
        "the ledger has no such answer about these people", fix="Choose one of those shown."
    )


def is_range(low: str, high: str) -> bool:
    """Whether these are two numbers, the first no larger than the second.

    >>> is_range("40", "60"), is_range("60", "4e1"), is_range("40", "")
    (True, False, False)
    """
    ends = [decimals.parse(end) for end in (low, high)]
    numbers = [end[0] * Fraction(10) ** end[1] for end in ends if end is not None]
    return len(numbers) == 2 and numbers[0] <= numbers[1]


def columns_in_filter(text: str) -> set[str]:
    """The columns that a filter names.

    Raises:
        HedgerowError: It is no filter.
    """
    return set(filters.parse(text).columns)


def as_in_filter(column: str) -> str:
    """A column as a filter names it: in backquotes where it must.

    >>> as_in_filter("age"), as_in_filter("length of stay"), as_in_filter("and")
    ('age', '`length of stay`', '`and`')
    """
    try:
        alone = str(filters.parse(f"{column} = 1")) == f"{column} = 1"
    except HedgerowError:
        alone = False
    return column if alone else "`{}`".format(column.replace("`", "``"))
