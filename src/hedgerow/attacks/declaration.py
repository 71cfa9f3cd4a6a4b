"""Attack: what is declared of an attack beside its code.

Everything else is derived from the declarations in `registry.ATTACKS`: what `hedgerow attack`
takes and tries, the page of the app, the attacks of reports, the table in docs/attacks.md, and the
contract suite.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hedgerow.attacks.attack_input import AttackInput
from hedgerow.attacks.base import AttackResult
from hedgerow.attacks.file_input import FileInput
from hedgerow.attacks.group_guess import GroupGuess
from hedgerow.base.errors import PlanError, nearest, some


@dataclass(frozen=True, eq=False)
class Need:
    """Something without which an attack cannot be tried."""

    words: str
    """What it is, as in "the original people"."""
    option: str
    """How the command line is given it; empty where it is what is attacked."""
    given: Callable[[Any], bool]
    """Whether an `AttackInput` or a `FileInput` has it."""
    brief: str = ""
    """What it is in a message; its words if left out."""

    def __str__(self) -> str:
        return f"{self.words} ({self.option})" if self.option else self.words


GROUPS = Need("a release of people in groups", "", lambda read: not read.made_up)
SECRET = Need("a sensitive column", "", lambda read: bool(read.of))
RELEASES = Need("two or more releases", "", lambda read: len(read.releases) > 1)
PEOPLE = Need(
    "people to look for",
    "--know, --register, --truth or --plan",
    lambda read: read.targets is not None,
)
REGISTER = Need("a list of people with names", "--register", lambda read: bool(read.registers))
ORIGINAL = Need("the original people", "--truth or --plan", lambda read: read.truth is not None)
TRUTH = Need("the truth, to score guesses", "--truth", lambda read: read.truth is not None)
CONTROL = Need("people who are not in it", "--control", lambda read: read.control is not None)
COLUMN = Need("a sensitive column", "--sensitive", lambda read: read.sensitive is not None)
PLAN = Need("a plan", "--plan", lambda read: read.plan is not None)


def known_number(name: str, words: str, example: str) -> Need:
    """A number that is given with `--know`; a text that is none is refused, whatever else lacks."""

    def given(read: AttackInput | FileInput) -> bool:
        return name in read.given and not math.isnan(read.number(name))

    return Need(words, f"--know {name}={example}", given, f"to know {name}")


@dataclass(frozen=True, kw_only=True)
class AttackOutcome:
    """A result that an attack gives."""

    name: str
    """As results are called."""
    by_column: bool = True
    """Whether its numbers depend on the sensitive column that is asked about."""
    of_column: bool = True
    """Whether its numbers or its sentences speak of that column."""
    silent: bool = False
    """Whether it names only whom it suspects: no guesses then mean that it suspects nobody."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Attack(ABC):
    """An attack, as its module declares it."""

    name: str
    """As on the command line."""
    asks: str
    """What it tries to find out, as a question."""
    success: str
    """What a right guess is."""
    needs: tuple[Need, ...]
    knows: Mapping[str, str] = field(default_factory=dict)
    """Numbers and words it takes with `--know`: what each is."""
    outcomes: tuple[AttackOutcome, ...] = ()
    """Its results; one of its own name, if left out."""
    reference: str

    def __post_init__(self) -> None:
        if not self.outcomes:
            object.__setattr__(self, "outcomes", (AttackOutcome(name=self.name),))

    @property
    @abstractmethod
    def attacks(self) -> str:
        """What is attacked, in a few words."""

    @property
    @abstractmethod
    def tried(self) -> str:
        """When it is tried, in a sentence."""

    def lacks(self, read: AttackInput | FileInput) -> tuple[Need, ...]:
        """What it needs and was not given."""
        return tuple(need for need in self.needs if not need.given(read))

    @property
    def given(self) -> str:
        """What it is given, in a few words."""
        besides = (need for need in self.needs if need is not GROUPS and need is not RELEASES)
        return "; ".join([self.attacks, *map(str, besides)])

    def sections(self) -> Iterator[tuple[str, str]]:
        """Titles and texts of the explanation, in reading order."""
        yield "What it asks", self.asks
        yield "A success", f"{self.success[0].upper()}{self.success[1:]}."
        yield "What it needs", f"{self.given[0].upper()}{self.given[1:]}."
        if self.knows:
            listed = [f"--know {name}=...: {what}" for name, what in self.knows.items()]
            yield "What may be said", "\n".join(listed)
        yield "When it is tried", self.tried
        yield "Reference", self.reference


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleaseAttack(Attack):
    """An attack on one or more releases, as the one reader reads them."""

    attempt: Callable[[AttackInput], Iterator[AttackResult]] | None = None
    """Tries it; its needs are there."""
    by_group: GroupGuess | None = None
    """For an attack on the groups of each release by itself: how it guesses, instead."""
    raw: str = ""
    """What it takes from the raw table; empty if nothing."""
    by_default: bool = True
    """Whether it is tried where nobody names it."""
    also: Callable[[AttackInput], bool] = lambda read: False
    """Where it is tried although nobody names it and it is not tried by default."""
    also_words: str = ""
    """Where that is."""
    joins: bool = False
    """Whether it joins the records of several releases."""

    @property
    def attacks(self) -> str:
        return "two or more releases" if RELEASES in self.needs else "a release"

    @property
    def tried(self) -> str:
        if self.by_default:
            return "Wherever it applies."
        return f"If it is asked for{f', and {self.also_words}' if self.also_words else ''}."

    def wanted(self, read: AttackInput) -> bool:
        """Whether it is tried where nobody names any attack."""
        return self.by_default or self.also(read)

    def run(self, read: AttackInput) -> Iterator[AttackResult]:
        """Try it; nothing is found by an attack that does not apply."""
        attempt = self.attempt if self.by_group is None else self.by_group.attempt
        assert attempt is not None, "an attack has one way to be tried"
        return attempt(read)


@dataclass(frozen=True, kw_only=True, eq=False)
class FileAttack(Attack):
    """An attack on files of its own kind: answers, ratings, frequencies, buckets, a raw table."""

    attempt: Callable[[FileInput], AttackResult]
    reads: str
    """What its files are, with the names of their columns."""
    most: int
    """How many files it reads."""

    @property
    def attacks(self) -> str:
        return self.reads

    @property
    def tried(self) -> str:
        return "If it is asked for, by itself."

    def run(self, read: FileInput) -> AttackResult:
        """Try it.

        Raises:
            PlanError: It has no use for something that was given.
        """
        for name in read.given:
            if name not in self.knows:
                near = nearest(name, self.knows)
                knows = f"It takes {some(self.knows)}." if self.knows else "It takes none."
                raise PlanError(
                    f"the attack has no use for --know {name}",
                    fix=f"Did you mean {near!r}? {knows}" if near else knows,
                )
        if len(read.files) > self.most:
            raise PlanError(
                f"the attack reads {self.most} of the {len(read.files)} files",
                fix="Give no others; docs/attacks.md says which it reads.",
            )
        if lacking := self.lacks(read):
            raise PlanError(
                f"the attack needs {lacking[0].brief or lacking[0].words}",
                fix=f"Say {lacking[0].option}; it needs {' and '.join(map(str, self.needs))}.",
            )
        return self.attempt(read)
