"""What people see on the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from hedgerow.models import Explanation
from hedgerow.models.base import Verdict
from hedgerow.release import Release

console = Console(highlight=False)


def progress() -> tuple[Progress, Callable[[str, float | None], None]]:
    """A bar on standard error, and the function that moves it."""
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task("starting", total=None)
    bar.start()

    def move(what: str, share: float | None) -> None:
        bar.update(
            task, description=what, total=None if share is None else 1.0, completed=share or 0
        )

    return bar, move


def claims(verdicts: Sequence[Verdict]) -> None:
    """A line a claim: holds or fails, the level reached, the level required."""
    table = Table(box=None, pad_edge=False)
    table.add_column("claim")
    table.add_column("")
    table.add_column("level", justify="right")
    table.add_column("required", justify="right")
    for v in verdicts:
        word = Text("holds", "green") if v.holds else Text("fails", "bold red")
        table.add_row(Text(v.claim), word, f"{v.level:.6g}", f"{v.required:.6g}")
    console.print(table)


def release(published: Release) -> None:
    """What was protected, what was lost, and where the release is."""
    claims(published.claims)
    console.print()
    share = published.suppressed / max(1, published.people)
    console.print(
        f"{published.rows:,} rows published; {published.suppressed:,} of {published.people:,} "
        f"people left out ({share:.1%})"
    )
    if published.levels:
        levels = ", ".join(f"{name} {level}" for name, level in published.levels.items())
        proof = "proven optimal" if published.optimal else "not proven optimal"
        console.print(Text(f"levels: {levels} ({proof})"))
    else:
        console.print(f"recoding: {published.recoding['kind']}")
    table = Table(box=None, pad_edge=False)
    for name in published.utility:
        table.add_column(name, justify="right")
    table.add_row(*(f"{value:.4g}" for value in published.utility.values()))
    console.print(table)
    if published.folder:
        console.print()
        console.print(Text(f"release: {published.folder}"))


def demo(plan: Path, published: Release) -> None:
    """The release of the synthetic hospital, before and after."""
    from hedgerow.engines import open_engine
    from hedgerow.plan import Plan

    read = Plan.read(plan)
    console.print(Text(f"A synthetic hospital of {published.people:,} inpatients, {read.source}\n"))
    with open_engine(read.source) as before, open_engine(published.data) as after:
        _rows("before (never leaves the building)", before)
        _rows("after (published)", after)
    release(published)
    console.print(
        Text(f"plan:    {plan}\nEdit the plan and run: hedgerow publish {plan} --replace")
    )


def _rows(title: str, engine: Any, *, most: int = 4) -> None:
    names = engine.columns()
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for name in names:
        table.add_column(Text(name), no_wrap=True, overflow="ellipsis")
    for row in engine.rows(names, most).to_pylist():
        table.add_row(*(Text("" if value is None else str(value)) for value in row.values()))
    console.print(table)
    console.print()


def explanation(found: Explanation) -> None:
    """A model in plain words."""
    console.print(Text(found.name, "bold"))
    for title, text in found.sections():
        console.print()
        console.print(Text(title, "bold"))
        console.print(Text(text))
