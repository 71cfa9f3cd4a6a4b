"""What only a person can answer: at most five questions about a first plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

MOST_QUESTIONS = 5


@dataclass(frozen=True, kw_only=True)
class PlanQuestion:
    """Something that was guessed, and that only a person can know."""

    about: str
    """What the answer is about: `purpose`, `person`, `missing`, `known`, `private`."""
    text: str
    options: tuple[str, ...]
    """The possible answers."""
    default: str
    """The answer that the plan is written with; one of the options."""
    why: str
    """Why it matters, in one sentence."""
    columns: tuple[str, ...] = ()
    """The columns it is about."""
    meanings: tuple[str, ...] = ()
    """What each option means, where its name does not say it."""

    def __post_init__(self) -> None:
        assert self.default in self.options, "the default is one of the options"
        assert len(self.meanings) in (0, len(self.options)), "all options are explained, or none"


Asker = Callable[[PlanQuestion], str]
"""Puts a question to a person, and returns one of its options."""
