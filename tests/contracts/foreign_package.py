"""An attack and a policy profile as an installed package declares them; nothing else knows them."""

from __future__ import annotations

ATTACK, FILE_ATTACK, PROFILE = "smallest-group", "coin", "at-least-three"
SOURCE = """
from hedgerow.attacks.base import AttackResult, Rate
from hedgerow.attacks.declaration import GROUPS, FileAttack, ReleaseAttack
from hedgerow.reports.profiles.base import PolicyProfile, RequirementCheck


def attempt(read):
    for published in read.releases:
        n = published.groups.n
        yield AttackResult(
            attack="smallest-group", goal="the person of a record is drawn",
            found=Rate(successes=len(n), guesses=int(n.sum())),
            baseline=Rate(successes=1, guesses=int(n.sum())),
            sentences=(f"The smallest group has {n.min()} people.",),
        )


SMALLEST = ReleaseAttack(
    name="smallest-group", asks="How small is the smallest group?", success="a person is drawn",
    needs=(GROUPS,), attempt=attempt, reference="None.", by_default=False,
)


def flip(read):
    side = read.word("side", "heads")
    half = Rate(successes=1, guesses=2)
    return AttackResult(attack="coin", goal=side, found=half, baseline=half, sentences=(side,))


COIN = FileAttack(
    name="coin", asks="Which side falls?", success="the side is named", needs=(),
    knows={"side": "Heads or tails."}, attempt=flip, reads="any file", most=1, reference="None.",
)


def requirements(evidence):
    least = int(evidence.handed.groups.rows.min())
    asked = "every group has three people"
    yield RequirementCheck.of(asked, least >= 3, f"{least} people", "Merge.")


THREE = PolicyProfile(
    name="at-least-three", title="A rule of three",
    checks="the smallest group", leaves="everything else", requirements=requirements,
)
"""
POINTS = {"hedgerow.attacks": ("SMALLEST", "COIN"), "hedgerow.profiles": "THREE"}
"""Its entry points."""
