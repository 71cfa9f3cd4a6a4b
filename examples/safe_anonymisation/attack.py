"""An attacker who knows everybody else, and looks only at which values are published."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from examples.safe_anonymisation.town import METHOD, SEARCHES, ordinary, safe, tuples
from hedgerow.attacks.presence import PresenceGuess, best_guess
from hedgerow.noise.sampling.pipeline import SafeAnonymisation

CROWD = 2000
"""People of an ordinary person's group, between 20 and 29."""


@dataclass(frozen=True)
class Game:
    """What the attacker makes of one way to publish."""

    method: str
    right: int
    of: int
    telling: tuple[str, ...]
    """Values that are published only if the person is there."""


def on_ordinary(search: str) -> Game:
    """These use no randomness: the attacker runs them on both tables, and compares."""
    there, gone = (tuples(ordinary(search, there=one)) for one in (True, False))
    return Game(search, 2 if there != gone else 1, 2, tuple(sorted(there - gone)))


def on_safe(games: int) -> Game:
    """Half of the games with the person. The attacker says so if a value speaks for it."""
    right, telling = 0, set[str]()
    with tempfile.TemporaryDirectory() as folder:
        ledger = Path(folder) / "ledger.db"
        usual = tuples(safe(ledger, "known", there=False))
        for game in range(games):
            there = game % 2 == 0
            strange = tuples(safe(ledger, f"town {game}", there=there)) - usual
            telling |= strange
            right += bool(strange) == there
    return Game("safe", right, games, tuple(sorted(telling)))


def promised() -> SafeAnonymisation:
    """The mechanism of the plan."""
    return SafeAnonymisation.keeping(**{key: METHOD[key] for key in ("beta", "epsilon", "delta")})


def worst() -> tuple[int, PresenceGuess]:
    """The group size that is best for an attacker who also counts, and how often it is right."""
    mechanism = promised()
    sizes = range(1, 2 * mechanism.k)
    people = max(sizes, key=lambda n: best_guess(mechanism, people=n).success)
    return people, best_guess(mechanism, people=people)


def crowd() -> Fraction:
    """How often the best guess about somebody between 20 and 29 is right."""
    return best_guess(promised(), people=CROWD).success


def all_ordinary() -> list[Game]:
    """Three usual ways."""
    return [on_ordinary(search) for search in SEARCHES]
