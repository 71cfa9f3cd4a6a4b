"""What people see of a randomised release, and of a safe one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hedgerow.cli.ledger_show import budget_lines
from hedgerow.cli.terminal import columns, console, plain, say, tell

if TYPE_CHECKING:
    from hedgerow import RandomisedRelease, SafeRelease

MOST_LINES = 20
"""Of the list of tables; the rest is in the certificate."""
MOST_NAMED = 4
"""Values named of a column; the rest is in the certificate."""


def randomised(found: RandomisedRelease) -> None:
    """The tables, how much noise they have, what that cost, and where the files are."""
    told, made = found.certificate, found.certificate["synthetic"]
    if found.again:
        tell(
            "Published before: the same noisy numbers, for nothing, whether or not the data have "
            "changed (--anew draws and pays again)."
        )
        console.print()
    table = columns(
        ("table", "right"), ("columns", "left"), ("cells", "right"),
        *([("rows off by", "right")] if made else []),
    )  # fmt: skip
    for number, one in enumerate(told["tables"][:MOST_LINES], 1):
        off = [f"{made['distances'][number - 1] / 2:.2%}"] if made else []
        names = " × ".join(one["columns"])
        table.add_row(str(number), plain(names), f"{one['cells']:,}", *off)
    console.print(table)
    if len(told["tables"]) > MOST_LINES:
        say(f"… and {len(told['tables']) - MOST_LINES:,} more tables")
    console.print()
    _numbers(found)
    _ending(found)


def safe(found: SafeRelease) -> None:
    """The levels, how people were drawn, what that cost, and where the file is."""
    told = found.certificate
    if found.again:
        tell(
            "Published before: the same rows, for nothing, whether or not the data have changed"
            + (
                " (--anew draws and pays again)."
                if told["sampling"]["drawn"] == "here"
                else "; nothing else can be published from this sample."
            )
        )
        console.print()
    table = columns(("column", "left"), ("level", "right"), ("published as", "left"))
    for one in told["columns"]:
        named = ["missing" if label is None else label for label in one["labels"][:MOST_NAMED]]
        named += ["…"] * (len(one["labels"]) > MOST_NAMED)
        level = f"{one['level']}"
        table.add_row(plain(one["column"]), level, plain(", ".join(named)))
    console.print(table)
    console.print()
    for sentence in found.empty:
        console.print(plain(sentence, style="bold yellow" if sentence is found.empty[0] else ""))
    if found.rows:
        groups = "1 group" if found.groups == 1 else f"{found.groups:,} groups"
        tell(f"rows: {found.rows:,} in {groups}, each of at least {found.k:,}")
    tell(f"sample: {told['sampling']['assumption']}")
    if told["choice"] is not None:
        many = told["choice"]["steps"]
        each = "one choice" if many is None else f"{many + 1:,} choices"
        tell(
            f"levels: by {each} at epsilon {told['choice']['epsilon']} among "
            f"{told['choice']['among']:,} combinations; that is part of the cost"
        )
    if (public := told.get("public")) is not None:
        tell(
            f"levels: the best for {public['file']} (SHA-256 {public['sha256'][:12]}…), which "
            "costs nothing. The publisher states that this table is public and has none of these "
            "people; this is not checked"
        )
    here = told["sampling"]["drawn"] == "here"
    drawn = "were drawn" if here else "came into the table"
    tell(f"not published, and not to be told: how many people {drawn}, or were left out")
    _ending(found)


def _ending(found: RandomisedRelease | SafeRelease) -> None:
    """Which rows count, what it cost, whom it protects, and where it is."""
    told = found.certificate
    for rule in told["counting"]["rules"]:
        tell(rule)
    if not found.again:
        spent = ", ".join(f"{name} {text}" for name, text in told["spent"].items())
        tell(f"cost: {told['claim'].partition(' (')[0]}, charged as {spent}")
    tell(f"protects: {told['neighbours']['words']}")
    _budget(found)
    if found.place:
        say(f"\nrelease: {found.place}")


def _numbers(found: RandomisedRelease) -> None:
    told, noise = found.certificate, found.certificate["noise"]
    tell(
        f"noise on each count: {noise['distribution']}, scale {float(noise['scale']):,.4g}; with "
        f"95 % it moves a count by at most {noise['half_width_95']:,}"
    )
    agreed = told["consistency"]
    tell(
        f"counts: {told['counts']['lines']:,} in {len(told['tables']):,} tables, made to agree "
        f"(to {agreed['disagreement']:.2g}) and not negative; each table adds up to "
        f"{agreed['total']:,}, with noise"
    )
    if told["synthetic"] is not None:
        off = [distance / 2 for distance in told["synthetic"]["distances"]]
        worst = off.index(max(off))
        tell(
            f"rows: {found.rows:,} made up from the counts; one may equal somebody's record, and "
            "what that tells is bounded by the cost below, and by nothing else; to have the tables "
            f"exactly, {sum(off) / len(off):.2%} of them would have to change on average, "
            f"{off[worst]:.2%} at worst (table {worst + 1})"
        )


def _budget(found: RandomisedRelease | SafeRelease) -> None:
    for line in budget_lines(found.position, found.certificate["spent"]):
        tell(line)
