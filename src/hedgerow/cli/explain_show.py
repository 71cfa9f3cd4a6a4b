"""What people see of `hedgerow explain epsilon` and `hedgerow explain policy`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.api import SCALE, told
from hedgerow.cli.terminal import columns, console, plain, rounded, say

if TYPE_CHECKING:
    from hedgerow import EpsilonStudy, PolicyStudy
    from hedgerow.explain.epsilon import BeliefShift, Joint


def epsilon(found: EpsilonStudy, plots: Sequence[Path] = ()) -> None:
    """What a loss means to a person, from one answer to many."""
    console.print(plain(str(found.loss), style="bold"))
    _part("The most revealing question", found.question.sentences)
    _part("How far a belief moves", ())
    if found.beliefs.fails < 1:
        _moved(found.beliefs)
    _told(found.beliefs.sentences)
    _part("What one record changes", found.record.sentences)
    many = found.answers
    _part(f"{many.count:,} such answer{'s' * (many.count != 1)}", ())
    _joint(many.joint)
    _told(many.sentences)
    size = found.group.size
    _part(f"A group of {size:,}", found.group.sentences)
    _part("A secret sample", found.sample.sentences)
    if found.delta:
        _part("What delta allows", found.delta)
    for path in plots:
        say(f"\nplot: {path}")


def policy(found: PolicyStudy, plots: Sequence[Path] = ()) -> None:
    """First what is not protected, then what is, and what that saves."""
    console.print(plain(f"policy {found.stated.name}", style="bold"))
    _part("Not protected", [line.removeprefix("Not protected: ") for line in found.not_protected])
    _part("Protected", [line.removeprefix("Protected: ") for line in found.protected])
    of = "" if found.loss is None else f" at epsilon {told(found.loss.epsilon)}"
    _part(f"By which factor an answer may be likelier{of}", ())
    table = columns(("", "left"), ("two values", "left"), ("edges", "right"), ("factor", "right"))
    for row in found.apart:
        edges = "" if row.edges is None else f"{row.edges:,}"
        table.add_row(plain(row.of), plain(row.apart), edges, row.factor)
    console.print(table)
    _part(f"Noise{of or ' at epsilon 1'}, beside change-one differential privacy", ())
    table = columns(
        ("scale of the noise", "left"), ("policy", "right"), ("change-one", "right"),
        ("less", "right"),
    )  # fmt: skip
    for line in found.beside:
        less = "" if line.times is None else f"{rounded(line.times)} times"
        if line.plain and line.times is None:
            less = "none"
        noise = rounded(line.policy) if line.policy else "exact"
        asked = line.question if line.what == SCALE else f"{line.question}: {line.what}"
        table.add_row(plain(asked), noise, rounded(line.plain) if line.plain else "exact", less)
    console.print(table)
    for path in plots:
        say(f"\nplot: {path}")


def _part(title: str, sentences: Sequence[str]) -> None:
    say(f"\n{title}", style="bold")
    _told(sentences)


def _told(sentences: Sequence[str]) -> None:
    for sentence in sentences:
        console.print(plain(sentence))


def _moved(beliefs: BeliefShift) -> None:
    table = columns(
        ("believed before", "right"), ("after: at least", "right"), ("at most", "right")
    )
    for row in beliefs.moved:
        table.add_row(told(row.prior), told(row.least, up=False), told(row.most))
    console.print(table)


def _joint(rows: Sequence[Joint]) -> None:
    table = columns(("", "left"), ("epsilon", "right"), ("delta", "right"),
                    ("a guess is right", "right"))  # fmt: skip
    for row in rows:
        if row.epsilon is None or row.delta is None or row.truth is None:
            table.add_row(row.name, "-", "-", "1")
        else:
            table.add_row(row.name, told(row.epsilon), told(row.delta), told(row.truth))
    console.print(table)
