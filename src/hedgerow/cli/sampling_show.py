"""What people see of `hedgerow explain sampling`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.api import told
from hedgerow.cli.terminal import columns, console, plain, say

if TYPE_CHECKING:
    from hedgerow import SamplingStudy


def sampling(found: SamplingStudy, plots: Sequence[Path] = ()) -> None:
    """What a rate and a loss mean, in sentences and numbers; then what is not protected."""
    console.print(plain(str(found.loss), style="bold"))
    console.print()
    table = columns(("groups must have", "left"), ("k", "right"))
    for words, k in (
        ("recoding fixed beforehand", found.groups.k),
        ("recoding chosen at a tenth of epsilon", found.groups.after_choice),
        ("by the published theorem", found.groups.theorem),
    ):
        table.add_row(words, "-" if k is None else f"{k:,}")
    if found.given is not None:
        table.add_row(f"delta of k = {found.given.k:,}", told(found.given.delta))
    console.print(table)
    console.print()
    for sentence in found.sentences:
        console.print(plain(sentence))
    say("\nNot protected", style="bold")
    for sentence in found.not_protected:
        console.print(plain(sentence))
    for path in plots:
        say(f"\nplot: {path}")
