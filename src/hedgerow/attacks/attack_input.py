"""What an attack on releases works with: the releases as they were read, and what else is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hedgerow.attacks.attacker_prior import AttackerPrior
from hedgerow.attacks.overlap import Overlap
from hedgerow.attacks.tolerance import Edits
from hedgerow.base.errors import PlanError
from hedgerow.table.groups import PEOPLE
from hedgerow.table.location import Located
from hedgerow.table.published_table import Published
from hedgerow.table.release_source import SYNTHETIC
from hedgerow.table.targets import Targets

Fuzz = float | Edits


@dataclass(frozen=True, eq=False, kw_only=True)
class AttackInput:
    """What is attacked, and what the attacker holds."""

    releases: tuple[Published, ...]
    targets: Targets | None = None
    """People the attacker looks for."""
    truth: Targets | None = None
    """The original people with their sensitive values, to score guesses by."""
    control: Targets | None = None
    """People who are in none of the releases."""
    registers: tuple[Targets, ...] = ()
    """Identified lists that the attacker has: one, or one for each release."""
    located: tuple[Located, ...] = ()
    """Where the targets may be in each release."""
    of: tuple[str, ...] = ()
    """The sensitive columns that are asked about."""
    seed: int = 0
    given: Mapping[str, str] = field(default_factory=dict)
    """Numbers and words that attacks take (`--know l=3`), by name."""
    fuzzy: Mapping[str, Fuzz] = field(default_factory=dict)
    """How far what the attacker knows may be off, by column."""
    overlaps: tuple[Overlap, ...] = ()
    """How many of those in the first release are in the others too; everybody, if left out."""
    prior: AttackerPrior | None = None
    """What the attacker of `belief` expects before; None: nothing in particular."""
    joining: bool = False
    """Whether an attack that joins records is tried too."""
    everybody: bool = False
    """Whether the targets are the people of a plan's source, and nothing else is known."""
    unit: str = PEOPLE
    """What the targets are: people, or rows of people who may have several."""
    person: str | None = None
    """Where they are rows, the column that says whose each is; None: nothing says it."""

    @property
    def made_up(self) -> bool:
        """Whether rows are nobody's: then no group of them is a group of people."""
        return any(published.made == SYNTHETIC for published in self.releases)

    def number(self, name: str) -> float:
        """A number that was given.

        Raises:
            PlanError: It is none.
        """
        return number_in(name, self.given[name])


def number_in(name: str, text: float | str | None) -> float:
    """The number that a text is.

    Raises:
        PlanError: It is none.
    """
    try:
        return float("" if text is None else text)
    except ValueError:
        raise PlanError(f"{name} must be a number, not {text!r}", fix="Give a number.") from None
