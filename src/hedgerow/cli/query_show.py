"""What people see of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.api import NOTHING, Amounts
from hedgerow.cli.ledger_show import budget_lines
from hedgerow.cli.terminal import columns, console, plain, rounded, say, tell

if TYPE_CHECKING:
    from hedgerow import Answer, Preview
    from hedgerow.answers.design import AnswerTable
    from hedgerow.answers.lowest_price import LowestPrice
    from hedgerow.answers.ranges import Between
    from hedgerow.api import Position

MOST_LINES = 40
"""Of a table; the rest is in the file or in --json."""
URGENT = ("EXACT", "Not protected")
"""How notes begin that nobody may overlook."""


def answer(
    found: Answer,
    position: Position,
    between: Sequence[Between],
    to: Path | None,
    policy: str | None = None,
) -> None:
    """What is not protected before all else, then the numbers, their errors and their cost.

    Args:
        found: The answer.
        position: Where its population stands.
        between: Ranges to tell.
        to: The file it was written to.
        policy: What the policy is called, if there is one.
    """
    say(found.words, style="bold")
    rest = _first(found.notes)
    if not between:
        _tables(found.tables)
    for one in between:
        count, least, most = map(_number, (one.count, one.least, one.most))
        say(f"from {one.low:.15g} up to {one.high:.15g}: {count} ({least} to {most})")
    console.print()
    if between or any(one.told("low") is not None for one in found.tables):
        tell(
            f"low and high: where the exact number is, with {found.confidence:.0%}, for each line "
            "by itself."
        )
    _noise(found.noise)
    for note in rest:
        tell(note)
    if found.again:
        tell("This was answered before: the same answer, for nothing (--anew asks and pays again).")
    else:
        tell(f"cost: {found.loss}, charged as {_amounts(found.spent)}")
    tell(f"protects: {found.neighbours}")
    _budget(position, found.spent, policy)
    if to is not None:
        say(f"written to {to}")


def preview(found: Preview, position: Position | None) -> None:
    """What an answer would look like, how far off it would be, and what it would cost now.

    Args:
        found: The preview.
        position: Where its population stands, where that is known.
    """
    say(f"preview: {found.words}", style="bold")
    rest = _first(found.notes)
    tell(f"Simulated {found.runs:,} times on {found.on}; nothing was spent or looked at.")
    if found.errors:
        table = columns(
            ("", "left"), ("typical size", "right"), ("median error", "right"),
            ("95 % of errors under", "right"), ("relative", "right"),
        )  # fmt: skip
        for error in found.errors[:MOST_LINES]:
            typical, middle = error["typical"], error["median error"]
            table.add_row(
                plain(str(error["of"])), _number(typical), _number(middle),
                _number(error["95 % of errors under"]),
                f"{middle / typical:.1%}" if typical else "",
            )  # fmt: skip
        console.print(table)
    console.print()
    say("One simulated answer:")
    _tables(found.tables)
    console.print()
    _noise(found.noise)
    for note in rest:
        tell(note)
    tell(f"would cost: {found.loss}, charged as {_amounts(found.spends)}")
    if position is not None:
        spends = ", ".join(f"{name}={text}" for name, text in found.spends.items())
        _in_account(position, Amounts.read(spends) if spends else NOTHING)
    tell(f"protects: {found.neighbours}")


def lowest_price(found: LowestPrice) -> None:
    """The least epsilon, and what it is about."""
    say(found.words, style="bold")
    tell(f"{found}")
    tell("Nothing was spent, and the data were not opened. Ask with it:")
    say(f"  --epsilon {float(found.epsilon):.9f}")


def _first(notes: Sequence[str]) -> list[str]:
    """Say what is exact and what is not protected; the other notes can wait."""
    urgent = [note for note in notes if note.startswith(URGENT)]
    for note in urgent:
        tell(note)
    return [note for note in notes if note not in urgent]


def _tables(tables: Sequence[AnswerTable]) -> None:
    for shown in tables[:MOST_LINES]:
        console.print()
        table = columns(
            *((name, "left" if name in shown.keys else "right") for name in shown.columns)
        )
        lines = list(zip(*shown.columns.values(), strict=True))
        for line in lines[:MOST_LINES]:
            table.add_row(*(plain(_cell(value)) for value in line))
        console.print(table)
        if len(lines) > MOST_LINES:
            say(f"… and {len(lines) - MOST_LINES:,} more lines: --to answer.csv, or --json")
    if len(tables) > MOST_LINES:
        say(f"… and {len(tables) - MOST_LINES:,} more tables: --to answer.json, or --json")


def _noise(noise: Sequence[Any]) -> None:
    for told in noise:
        scale = rounded(float(told["scale"]))
        tell(f"noise on {told['of']}: {told['distribution']}, scale {scale}; {told['sensitivity']}")


def _budget(position: Position, currencies: Any, policy: str | None) -> None:
    under = "" if policy is None else f" under policy {policy}"
    for line in budget_lines(position, currencies, under):
        tell(line)


def _in_account(position: Position, cost: Amounts) -> None:
    """What a question would cost in the account as it stands now."""
    if position.standing is None or not cost:
        return
    if not position.admits(cost):
        tell(f"It would be refused: it does not fit into the budget of {position.population}.")
        return
    adds = float(position.standing.after(cost).used - position.standing.used)
    more = position.more(cost)
    tell(
        f"in the account of {position.population}: {max(adds, 0):.2%} of "
        f"{position.standing.words}; {'one fits' if more == 1 else f'{more:,} such fit'}"
    )


def _amounts(texts: Any) -> str:
    return ", ".join(f"{name} {text}" for name, text in texts.items()) or "nothing"


def _cell(value: Any) -> str:
    if value is None:
        return "missing"
    return value if isinstance(value, str) else _number(value)


def _number(value: float) -> str:
    """Whole numbers wholly, others to six digits.

    >>> _number(12345), _number(1234.5678), _number(0.000123456789)
    ('12,345', '1,234.57', '0.000123457')
    """
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.6g}"
