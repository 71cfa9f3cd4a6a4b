"""What people see of `hedgerow look`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hedgerow.api import column_notes, in_percent, listed
from hedgerow.cli.terminal import console, plain, say, tell

if TYPE_CHECKING:
    from hedgerow.table.profile.column_facts import ColumnFacts, MissingToken
    from hedgerow.table.profile.special_uniques import SpecialUniques
    from hedgerow.table.profile.table_profile import TableProfile

MOST_LINES = 12
"""Lines of a part, besides the table of columns."""
MOST_ROWS = 5
"""Rows that are special uniques."""
NARROW = 70
"""Characters of a terminal under which columns of the table are left out."""


def profile(found: TableProfile, data: str) -> None:
    """The table, then what to look at: whose rows, missing values, dependencies, who stands out."""
    rows = f"{found.rows:,} {'row' if found.rows == 1 else 'rows'}"
    people = f" of {found.people:,} people" if found.person is not None else ""
    console.print(plain(f"{data}: {rows}{people}, {len(found.columns):,} columns", style="bold"))
    _file(found)
    for note in found.notes:
        tell(note)
    console.print(_columns(found.columns))
    _keys(found)
    _missing(found.columns)
    _dependencies(found)
    _who_stands_out(found)
    _attackers(found)
    _population(found)
    _special(found)
    key = next((one.column for one in found.keys if one.sure and one.several), found.person)
    who = "" if key is None else f" --person {shlex.quote(key)}"
    say("\nNext:\n")
    if who and found.person is None:
        say(f"  hedgerow look {shlex.quote(data)}{who}   count people, not rows")
    if not data.endswith((".yaml", ".yml")):
        say(f"  hedgerow init {shlex.quote(data)}{who}   write a first plan")


def _file(found: TableProfile) -> None:
    """How the file was read, where that is not as usual; `init` writes it into the plan."""
    file = found.file
    if file is None or file.usual:
        return
    tell("; ".join(f"{what}: {value}" for what, value in file.said))
    for line in (*file.notes, *map(str, file.unreadable), *map(str, file.questions)):
        _line(line)


def _columns(looks: Sequence[ColumnFacts]) -> Table:
    wide = console.width >= NARROW
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, expand=False)
    table.add_column("column", overflow="fold", ratio=None)
    table.add_column("kind", no_wrap=True)
    table.add_column("values", justify="right", no_wrap=True)
    if wide:
        table.add_column("missing", justify="right", no_wrap=True)
        table.add_column("unique", justify="right", no_wrap=True)
    table.add_column("")
    for look in looks:
        known = sum(one.rows for one in look.missing_tokens if one.sure)
        missing = (look.missing + known) / max(1, look.rows)
        cells: list[Text | str] = [plain(look.name), str(look.kind), f"{look.distinct:,}"]
        if wide:
            cells += [_short(missing), _short(look.distinction)]
        notes = column_notes(look)
        if not wide and missing:
            notes.append(f"{_short(missing)} missing")
        alarm = "bold red" if look.identifiers or look.free_text else ""
        table.add_row(*cells, plain("; ".join([*notes, *_range(look)]), style=alarm))
    return table


def _short(share: float) -> str:
    """A share for a table: nothing for none."""
    if not share:
        return ""
    return "<1 %" if share < 0.01 else ">99 %" if 0.99 < share < 1 else f"{share:.0%}".replace(
        "%", " %")  # fmt: skip


def _range(look: ColumnFacts) -> list[str]:
    """From where to where numbers go; some values of others."""
    if look.numbers is not None and str(look.kind) == "number":
        return [f"{_number(look.numbers.low)} to {_number(look.numbers.high)}"]
    if look.identifiers or look.free_text or str(look.kind) in ("date", "empty"):
        return []
    shown = [one.value for one in look.values[:3] if one.value not in look.tokens]
    more = ", …" if look.distinct - len(look.tokens) > len(shown) else ""
    return [", ".join(value if len(value) <= 20 else f"{value[:19]}…" for value in shown) + more]


def _line(text: str) -> None:
    """A sentence, further in, also where it is broken."""
    console.print(Padding(plain(text), (0, 0, 0, 2), expand=False))


def _number(value: float) -> str:
    """All digits of a whole number, six of others."""
    whole = value == int(value) and abs(value) < 1e15
    return f"{value:,.0f}" if whole else f"{value:,.6g}"


def _part(title: str) -> None:
    console.print(plain(f"\n{title}", style="bold", keep="\n"))


def _keys(found: TableProfile) -> None:
    if not found.keys:
        return
    _part("Whose rows are these?")
    for key in found.keys[:3]:
        each = f"{key.people:,} people, {key.mean_rows:.3g} rows each"
        if key.several:
            each += f" on average and {key.most_rows:,} at most"
        elif key.people:
            each = f"{key.people:,} people, one row each"
        sure = "" if key.sure else " (please check)"
        _line(f"{key.column}{sure}: {each}; {key.because}.")


def _missing(looks: Sequence[ColumnFacts]) -> None:
    """Tokens of missing values, a line for each text and reason."""
    lines: dict[tuple[str, str, bool], list[tuple[ColumnFacts, MissingToken]]] = {}
    for look in looks:
        for one in look.missing_tokens:
            lines.setdefault((one.text, one.because, one.sure), []).append((look, one))
    if not lines:
        return
    _part("What means that a value is missing")
    for (text, because, sure), places in list(lines.items())[:MOST_LINES]:
        names = listed([look.name for look, _ in places], 4)
        rows = sum(one.rows for _, one in places)
        doubt = "" if sure else " Please check."
        times = f"{rows:,} {'time' if rows == 1 else 'times'}"
        _line(f"{text!r} in {names}, {times}: {because}.{doubt}")
    _more(len(lines) - MOST_LINES)


def _dependencies(found: TableProfile) -> None:
    if not found.dependencies:
        return
    _part("Columns that follow from others")
    pairs = {(one.determinant, one.dependent) for one in found.dependencies if one.exact}
    lines = []
    for one in found.dependencies:
        if (one.dependent, one.determinant) in pairs and one.exact:
            if one.determinant < one.dependent:
                lines.append(f"{one.determinant} and {one.dependent} say the same")
            continue
        broken = "" if one.exact else f", but in {one.breaks:,} of {one.rows:,} rows"
        lines.append(f"{one.dependent} follows from {one.determinant}{broken}")
    for line in lines[:MOST_LINES]:
        _line(line)
    _more(len(lines) - MOST_LINES)


def _who_stands_out(found: TableProfile) -> None:
    if not found.smallest:
        return
    _part("Who stands out by what")
    for one in found.smallest:
        _line(f"{one}")


def _attackers(found: TableProfile) -> None:
    if not found.knowledge:
        return
    _part("What attackers are likely to know (a guess, by names and values)")
    for one in found.knowledge:
        share = in_percent(one.distinction)
        _line(f"{one.attacker}: {listed(one.columns, 7)}; singles out {share}")


def _population(found: TableProfile) -> None:
    if not found.population:
        return
    _part(f"In the population, of which the table is {in_percent(found.population[0].fraction)}")
    for one in found.population:
        if one.right is None:
            _line(f"{one.attacker}: finds nobody who is alone in the table")
            continue
        _line(f"{one.attacker}: at most {in_percent(one.upper)} unique; who finds exactly one "
              f"record has the right one with a chance of {in_percent(one.right)}")  # fmt: skip
    _line(
        "Estimated for a simple random sample: the upper end of an interval that needs no model "
        "and is too low for one sample in 20; the chance by data intrusion simulation."
    )


def _special(found: TableProfile) -> None:
    special = found.special
    if special is None or not special.rows:
        return
    _part("Special uniques: who stands out by few columns, and in many ways")
    sizes = [
        f"{n:,} by {size} {'column' if size == 1 else 'columns'}"
        for size, n in enumerate(special.by_size, 1) if n
    ]  # fmt: skip
    share = in_percent(special.rows / max(1, found.looked_at))
    _line(f"{share} of the rows are unique in at most {special.largest} columns: "
         f"{listed(sizes)}.")  # fmt: skip
    most = [f"{name} {in_percent(part)}" for name, part in special.contributions[:4] if part]
    _line(f"How much columns contribute to the scores: {listed(most)}.")
    _risky(special)


def _risky(special: SpecialUniques) -> None:
    """The rows with the highest scores, and their risk where the sampling fraction is known."""
    for one in special.worst[:MOST_ROWS]:
        has = [f"{name} {'missing' if value is None else value}"
               for name, value in zip(one.columns, one.values, strict=True)]  # fmt: skip
        ways = "way" if one.ways == 1 else "ways"
        chance = "" if one.dis_suda is None else f", DIS-SUDA {in_percent(one.dis_suda)}"
        _line(f"Row {one.row + 1:,}: score {one.score:,}{chance}; unique by {listed(has)}; "
              f"{one.ways:,} {ways} in all.")  # fmt: skip
    risk = special.intrusion
    if risk is None:
        return
    _line(
        f"DIS-SUDA estimates how often who finds exactly this row for a person of the population "
        f"has the right one; {in_percent(risk.right)} for all rows that are alone. It assumes a "
        "simple random sample without errors, and spreads the risk of the file by the scores."
    )
    if risk.unscored:
        _line(
            f"{risk.unscored:,} more rows are alone only in more than {special.largest} columns. "
            "They have no score, which does not mean no risk."
        )


def _more(number: int) -> None:
    if number > 0:
        _line(f"and {number:,} more")
