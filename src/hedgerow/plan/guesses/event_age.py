"""The age at an event, where a table has a date of birth and the date of an event."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from hedgerow.plan.guesses.missing_marks import MissingMark
from hedgerow.plan.guesses.quasi_words import AGE, BIRTH
from hedgerow.plan.guesses.questions import PlanQuestion
from hedgerow.plan.guesses.role_guess import Confidence, RoleGuess
from hedgerow.table.profile.column_facts import ColumnFacts, ColumnKind
from hedgerow.table.proposals import USUAL
from hedgerow.table.schema import Role

INSTEAD, AS_IT_IS = "the age", "the date of birth"


@dataclass(frozen=True, kw_only=True)
class EventAge:
    """A column that a plan may add."""

    name: str
    born: str
    at: str
    null: tuple[MissingMark, ...] = ()
    """Texts that are read as missing."""
    null_in_columns: tuple[MissingMark, ...] = ()
    """Those that are so in some columns only."""

    @property
    def question(self) -> PlanQuestion:
        """Whether it is to stand for the date of birth."""
        return PlanQuestion(
            about="age",
            text=f"What shall the release have of {self.born!r}?",
            options=(INSTEAD, AS_IT_IS),
            default=INSTEAD,
            why=f"The age at {self.at!r} in whole years tells less than a date, and is what most "
            "analyses need.",
            columns=(self.born, self.at),
        )


Fits = Callable[[EventAge], bool]
"""Whether an age can be counted in all rows."""


def event_age(
    roles: Mapping[str, RoleGuess],
    facts: Mapping[str, ColumnFacts],
    fits: Fits,
    *,
    null: Sequence[MissingMark] = (),
    null_in_columns: Sequence[MissingMark] = (),
) -> EventAge | None:
    """The age at the first event that others may know; None where there is an age already.

    A date that nobody may learn is no event here: with the age it would tell the date of birth.

    Args:
        roles: What is guessed of the columns.
        facts: What is known of them.
        fits: Whether the age can be counted.
        null: Texts that are read as missing.
        null_in_columns: Those that are so in some columns only.
    """
    if any(guess.topic is AGE for guess in roles.values()):
        return None
    days = [name for name, column in facts.items() if column.kind is ColumnKind.DATE]
    known = [name for name in days if roles[name].role is Role.QUASI_IDENTIFIER]
    births = [name for name in days if roles[name].topic is BIRTH]
    events = [name for name in known if roles[name].topic is not BIRTH]
    if len(births) != 1 or not events:
        return None
    name = f"age_at_{events[0]}"
    while name.casefold() in {one.casefold() for one in roles}:
        name += "_"
    found = EventAge(
        name=name, born=births[0], at=events[0], null=tuple(null),
        null_in_columns=tuple(null_in_columns),
    )  # fmt: skip
    return found if fits(found) else None


def with_age(roles: Mapping[str, RoleGuess], age: EventAge) -> dict[str, RoleGuess]:
    """The roles, with the age in place of the date of birth."""
    changed: dict[str, RoleGuess] = {}
    for name, guess in roles.items():
        changed[name] = guess
        if name == age.born:
            because = f"{age.name!r} stands for it: an age tells less than a date of birth"
            changed[name] = replace(
                guess, role=Role.IDENTIFIER, confidence=Confidence.LIKELY, because=because,
                hierarchy=None, coarser=None,
            )  # fmt: skip
            changed[age.name] = RoleGuess(
                column=age.name, role=Role.QUASI_IDENTIFIER, confidence=Confidence.LIKELY,
                because=f"{AGE.phrase}; it is counted from {age.born!r} to {age.at!r}", topic=AGE,
                hierarchy=f"{{ranges: [{', '.join(map(str, USUAL))}]}}",
                coarser="the usual ranges of ages",
            )  # fmt: skip
    return changed
