"""GroupGuess: an attack on the groups of each release by itself, next to a control."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from hedgerow.attacks.annotation import with_values
from hedgerow.attacks.attack_input import AttackInput
from hedgerow.attacks.base import AttackResult
from hedgerow.attacks.control_group import Right, control_rate
from hedgerow.table.groups import PEOPLE, Groups


class GuessFunction(Protocol):
    """What is guessed about the people of groups."""

    def __call__(self, groups: Groups, *, of: str, unit: str = PEOPLE) -> AttackResult: ...


@dataclass(frozen=True, eq=False)
class GroupGuess:
    """How an attack guesses about the people of groups; it needs nothing but the groups."""

    guess: GuessFunction
    right: Right
    """Of people who are not in the release: of whom it speaks, and about whom it is right."""
    applies: Callable[[Groups, str], bool] = lambda groups, of: True
    """Whether there is something to guess about a sensitive column."""

    def attempt(self, read: AttackInput) -> Iterator[AttackResult]:
        """Try it on every release and every sensitive column."""
        for published in read.releases:
            for of in read.of:
                if self.applies(published.groups, of):
                    found = self.guess(published.groups, of=of, unit=published.unit)
                    control = control_rate(self.right, [published], read.control, of=of)
                    yield replace(with_values(published, found), control=control)
