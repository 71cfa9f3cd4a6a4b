"""What the page of attacks shows: a line and sentences for each; plain data for a template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from hedgerow import AttackResult
from hedgerow.api import UNTRIED, doubts, release_attacks

DOUBTS = "doubts"
"""Where a restored result keeps why it does not show that little is gained."""
HELP = (
    "Give the columns their hierarchies on the Data page, or add a register of people who are in "
    "the releases."
)
"""What helps where labels are not understood, or nobody fits."""
WHY_ALLOWED = (
    "These attacks look for people of the raw table and check guesses against it, because the "
    "worst attacker is one who knows somebody in it. You hold the table anyway, and it does not "
    "leave this machine. What they find may name people: it is for you, not for recipients of "
    "the release."
)
PROVES_NOTHING = (
    "An attack that finds nothing proves nothing: this attacker, with this knowledge, gains "
    "nothing measurable. Claims are proved; attacks are a second pair of eyes."
)


@dataclass(frozen=True, kw_only=True)
class AttackLine:
    """One attack, as it is shown."""

    name: str
    goal: str
    found: str
    found_interval: str
    guessing: str
    control: str
    gain: str
    gain_interval: str
    worst: str
    certain: str
    """How many people are known for certain, of how many."""
    succeeded: bool
    given_away: bool
    """Whether anybody is known for certain."""
    verdict: str
    """In a few words, since colour alone says nothing to many."""
    standing: str
    """fails, holds or unsure: what the colour says."""
    doubts: tuple[str, ...]
    """Why it does not show that little is gained."""
    sentences: tuple[str, ...]


def restored(summaries: Sequence[Mapping[str, Any]]) -> list[AttackResult]:
    """Results from their summaries, as they are kept in a file, under names that differ.

    A name says what is found out, and about which release where there are several.
    """
    several = len({_release(one) for one in summaries} - {""}) > 1
    found: list[AttackResult] = []
    taken: set[str] = set()
    for one in summaries:
        result = AttackResult.restored(one)
        release = _release(one)
        name = f"{result.attack}: {one['of']}" if one.get("of") else result.attack
        name += f" ({release})" if several and release else ""
        while name in taken:
            name += "'"
        taken.add(name)
        # Before the name is changed, by which an attack is known.
        unsure = [text.removeprefix(f"{result.attack}: ") for text in doubts([result])]
        found.append(replace(result, attack=name, detail={**result.detail, DOUBTS: tuple(unsure)}))
    return found


def doubts_of(result: AttackResult) -> tuple[str, ...]:
    """Why a restored result does not show that little is gained; nothing, if it does."""
    found = result.detail.get(DOUBTS)
    return tuple(doubts([result]) if found is None else found)


def unsure(results: Sequence[AttackResult]) -> list[str]:
    """All doubts, each with the attack it is about, as `hedgerow attack` prints them.

    What was not tried is told once, whichever attack would have been it.
    """
    found = [
        why if why.startswith(UNTRIED) else f"{result.attack}: {why}"
        for result in results
        for why in doubts_of(result)
    ]
    return list(dict.fromkeys(found))


def help_for(told: Sequence[str]) -> str:
    """What would settle doubts."""
    untried = [why for why in told if why.startswith(UNTRIED)]
    found = [HELP] if len(untried) < len(told) else []
    if any("joining" in why for why in untried):
        joining = [one.name for one in release_attacks() if one.joins]
        found.append(f"Tick {' or '.join(joining)} above, and attack again.")
    return " ".join(found)


def _release(summary: Mapping[str, Any]) -> str:
    return PurePath(str(summary["detail"].get("release") or "")).name


def lines(results: Sequence[AttackResult]) -> list[AttackLine]:
    """A line for each attack.

    >>> from hedgerow.attacks.base import Rate
    >>> lines([AttackResult(attack="linkage", goal="a record gets the right name",
    ...                     found=Rate(successes=12, guesses=12),
    ...                     baseline=Rate(successes=1, guesses=12))])[0].verdict
    'better than guessing'
    """
    return [
        AttackLine(
            name=result.attack,
            goal=result.goal,
            found=share(result.found.value),
            found_interval=_between(result.found.interval()),
            guessing=share(result.baseline.value),
            control="" if result.control is None else share(result.control.value),
            gain=share(result.gain),
            gain_interval="" if result.gains else _between(result.gain_interval()),
            worst="" if result.gains is None else share(result.gains.worst),
            certain=""
            if result.gains is None
            else f"{result.gains.certain:,} of {result.gains.people:,}"
            + ("" if result.unit == "people" else f" {result.unit}"),
            succeeded=result.succeeded,
            given_away=_certain(result) > 0,
            verdict=_verdict(result),
            standing=_standing(result),
            doubts=doubts_of(result),
            sentences=result.sentences,
        )
        for result in results
    ]


def outcome(results: Sequence[AttackResult], *, skipped: bool = False) -> str:
    """All attacks in a sentence or two.

    Args:
        results: What they found.
        skipped: Whether an attack that was asked for could not be tried.
    """
    if not results:
        return "No attack applies to this release: say what the attacker knows."
    doubtful = skipped or bool(unsure(results))
    worst = max(results, key=lambda result: result.gain)
    won = sum(result.succeeded for result in results)
    tried = f"{len(results)} attack{'s were' if len(results) > 1 else ' was'} tried."
    known = max(results, key=_certain)
    sure = (
        f" {_certain(known):,} people are known for certain ({known.attack})."
        if _certain(known)
        else ""
    )
    if not won and doubtful:
        return (
            f"{tried} They do not show what an attacker finds: not everything could be tried or "
            f"understood.{sure}"
        )
    if not won:
        return f"{tried} None does better than guessing, beyond what chance explains.{sure}"
    return (
        f"{tried} {won} {'do' if won > 1 else 'does'} better than guessing.{sure} The largest gain "
        f"is {share(worst.gain)} ({worst.attack}): how much the attacker's belief in a person's "
        "true value grew, on average."
        + (" Not everything could be tried or understood: there may be more." if doubtful else "")
    )


def _certain(result: AttackResult) -> int:
    return 0 if result.gains is None else result.gains.certain


def share(value: float) -> str:
    """A share in per cent.

    >>> share(0.0123), share(0.5)
    ('1.23 %', '50.0 %')
    """
    return f"{value * 100:.2f} %" if value < 0.1 else f"{value * 100:.1f} %"


def _verdict(result: AttackResult) -> str:
    if _certain(result):
        return "people known for certain"
    if result.succeeded:
        return "better than guessing"
    if doubts_of(result):
        return "shows nothing: see the doubts"
    if not result.found.guesses:
        return "suspects nobody"
    if result.gains is not None and result.gain > 0:
        return "nobody known for certain"  # but what is believed did grow
    return "no better than guessing"


def _standing(result: AttackResult) -> str:
    if result.succeeded or _certain(result):
        return "fails"
    return "unsure" if doubts_of(result) else "holds"


def _between(ends: tuple[float, float]) -> str:
    return f"{share(ends[0])} to {share(ends[1])}"
