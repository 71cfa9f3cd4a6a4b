"""What the page of questions shows: fields, tables, sentences; plain data for a template."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hedgerow.api import (
    Bounds,
    Neighbouring,
    Role,
    Values,
    as_in_filter,
    chance_of_guess,
    columns_in_filter,
    decimal,
)
from hedgerow.base.errors import HedgerowError
from hedgerow.web.query_form import QuestionForm, widths

if TYPE_CHECKING:
    from hedgerow import Answer, Plan, Preview
    from hedgerow.answers.design import AnswerTable
    from hedgerow.answers.public_knowledge import Public

MOST_LINES = 200
"""Of a table on a page; the rest is in the file."""
MOST_TABLES = 20
URGENT = ("EXACT", "Not protected")
"""How notes begin that nobody may overlook."""


@dataclass(frozen=True, kw_only=True)
class ColumnChoice:
    """A column in a form."""

    name: str
    chosen: bool
    numbers: bool
    """Whether it is cut into cells of a width."""
    width: str = ""
    step: str = ""
    """What the cells are where no width is given."""
    known: str = ""
    """What everybody may know of its values, in words; empty: nothing."""


def columns_to_ask(asked: QuestionForm, public: Public) -> list[ColumnChoice]:
    """The columns a question may be about: those whose bounds or domain the plan has."""
    kind = Bounds if asked.kind.column == "numbers" else Values
    return [
        ColumnChoice(
            name=name, chosen=name == asked.column, numbers=kind is Bounds,
            known=known_words(public, name),
        )
        for name in public.columns
        if isinstance(public.domains.get(name), kind)
    ]  # fmt: skip


def columns_to_count_by(asked: QuestionForm, plan: Plan, public: Public) -> list[ColumnChoice]:
    """All columns that cells can be made of; those whose values are not public come last."""
    chosen = widths(asked.by, public.columns)
    found = []
    for name in public.columns:
        domain = public.domains.get(name)
        role = plan.columns[name].role if name in plan.columns else None
        if name == plan.person or (domain is None and role == Role.IDENTIFIER):
            continue
        step = domain.step if isinstance(domain, Bounds) else None
        found.append(
            ColumnChoice(
                name=name,
                chosen=name in chosen,
                numbers=isinstance(domain, Bounds),
                width=chosen.get(name, ""),
                step="" if step is None else decimal(step),
                known=known_words(public, name),
            )
        )
    return sorted(found, key=lambda one: not one.known)


def undescribed(asked: QuestionForm, plan: Plan, public: Public) -> tuple[list[str], list[str]]:
    """Columns of which it is not said what the question needs: its own, and others."""
    kind = Bounds if asked.kind.column == "numbers" else Values
    named = {asked.column, *widths(asked.by, public.columns)}
    with contextlib.suppress(HedgerowError):
        named |= columns_in_filter(asked.where) if asked.where else set()
    found = []
    for name in public.columns:
        role = plan.columns[name].role if name in plan.columns else None
        domain = public.domains.get(name)
        wrong = (
            name == asked.column and asked.kind.column != "none" and not isinstance(domain, kind)
        )
        free = domain is None and name != plan.person and role != Role.IDENTIFIER
        if wrong or free:
            found.append(name)
    own = [name for name in found if name in named]
    return own, [name for name in found if name not in named]


def known_words(public: Public, column: str) -> str:
    """What everybody may know of a column's values, in words; empty if nothing."""
    match public.domains.get(column):
        case Bounds(low, high, step):
            apart = "" if step is None else f" in steps of {decimal(step)}"
            return f"numbers from {decimal(low)} to {decimal(high)}{apart}"
        case Values(values):
            few = ", ".join("missing" if value is None else value for value in values[:4])
            more = len(values) - 4
            return f"{len(values):,} values: {few}{f' and {more:,} more' if more > 0 else ''}"
        case _:
            return ""


def example_filter(public: Public) -> str:
    """A filter on the plan's own columns, to show how one is written."""
    found = []
    for name, domain in public.domains.items():
        plain = as_in_filter(name)
        if isinstance(domain, Bounds):
            found.append(f"{plain} >= {(domain.low + domain.high) // 2}")
        elif domain.values and domain.values[0] is not None:
            text = domain.values[0].replace("'", "''")
            found.append(f"{plain} = '{text}'")
    return " and ".join(found[-2:]) or "age >= 40 and sex = 'F'"


def settings(plan: Plan, public: Public) -> list[str]:
    """Who is protected and what counts as known, as sentences, most important first."""
    told = [*public.not_protected]
    who = f"Everybody in {plan.population!r} is protected" if plan.population else "Protected"
    told.append(f"{who} like this: {public.protects}.")
    if plan.person:
        told.append(f"Whose row it is stands in the column {plan.person!r}.")
    known = [name for name in public.columns if name in public.domains]
    if known:
        told.append(
            f"Answers take as known, from the plan and never from the data: "
            f"{'; '.join(f'{name}: {known_words(public, name)}' for name in known)}."
        )
    unknown = [
        name
        for name in public.columns
        if name not in public.domains
        and name in plan.columns
        and plan.columns[name].role != Role.IDENTIFIER
    ]
    if unknown:
        told.append(
            f"Nothing is known of the values of {', '.join(unknown)}: no sum, mean or quantile of "
            "them, and no count by them without a delta."
        )
    return told


@dataclass(frozen=True, kw_only=True)
class Lines:
    """A table as it is shown."""

    names: tuple[tuple[str, bool], ...]
    """Each column, and whether it holds numbers."""
    lines: tuple[tuple[str, ...], ...]
    more: int
    """Lines that are not shown."""


def lines_of(shown: AnswerTable) -> Lines:
    """The lines of a table that a page has room for."""
    columns = list(shown.columns.items())
    count = len(columns[0][1]) if columns else 0
    few = [[cell(value) for value in column[:MOST_LINES]] for _, column in columns]
    return Lines(
        names=tuple(
            (name, name not in shown.keys and not any(isinstance(v, str) for v in column[:1]))
            for name, column in columns
        ),
        lines=tuple(zip(*few, strict=True)),
        more=max(0, count - MOST_LINES),
    )


@dataclass(frozen=True, kw_only=True)
class AnswerView:
    """What an answer and its preview have in common: sentences about them."""

    words: str
    urgent: tuple[str, ...]
    notes: tuple[str, ...]
    noise: tuple[str, ...]
    loss: str
    charged: str
    protects: str
    tables: tuple[Lines, ...]
    more_tables: int
    intervals: bool


def told(found: Answer | Preview) -> AnswerView:
    """What a page says of an answer, or of a preview."""
    spent = found.spent if hasattr(found, "spent") else found.spends
    return AnswerView(
        words=found.words,
        urgent=tuple(note for note in found.notes if note.startswith(URGENT)),
        notes=tuple(note for note in found.notes if not note.startswith(URGENT)),
        noise=tuple(
            f"noise on {one['of']}: {one['distribution']}, scale {number(float(one['scale']))}; "
            f"{one['sensitivity']}"
            for one in found.noise
        ),
        loss=found.loss,
        charged=amounts(spent),
        protects=found.neighbours,
        tables=tuple(map(lines_of, found.tables[:MOST_TABLES])),
        more_tables=max(0, len(found.tables) - MOST_TABLES),
        intervals=any(one.told("low") is not None for one in found.tables),
    )


def meaning(public: Public, spends: Mapping[str, str]) -> str:
    """What a loss means to one person, in a sentence; empty where this is not said so simply.

    Under a policy it is another promise, and a rho has no such sentence.
    """
    if public.stated is not None or "epsilon" not in spends:
        return ""
    most = chance_of_guess(spends)
    absent = public.neighbours.kind == Neighbouring.ADD_REMOVE
    asks = "is this person in the table" if absent else "has this person these values or others"
    return (
        "To one person: somebody who knows everything else, and takes yes and no for equally "
        f"likely, guesses right with probability {most:g} at most ({asks}?). A coin is right "
        "with 0.5."
    )


def errors_of(preview: Preview) -> list[dict[str, str]]:
    """How far off answers would be, a line for each kind of number."""
    found = []
    for error in preview.errors[:MOST_TABLES]:
        typical, middle = error["typical"], error["median error"]
        found.append(
            {
                "of": str(error["of"]),
                "typical": number(typical),
                "median": number(middle),
                "most": number(error["95 % of errors under"]),
                "relative": f"{middle / typical:.1%}" if typical else "",
            }
        )
    return found


def amounts(texts: Mapping[str, str]) -> str:
    """What is charged, in words.

    >>> amounts({"epsilon": "0.1", "delta": "0.000001"}), amounts({})
    ('epsilon 0.1, delta 0.000001', 'nothing')
    """
    return ", ".join(f"{name} {text}" for name, text in texts.items()) or "nothing"


def cell(value: Any) -> str:
    """A value of a table."""
    if value is None:
        return "missing"
    return value if isinstance(value, str) else number(value)


def number(value: float) -> str:
    """Whole numbers wholly, others to six digits.

    >>> number(12345), number(1234.5678), number(0.000123456789)
    ('12,345', '1,234.57', '0.000123457')
    """
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.6g}"


def chartable(tables: Sequence[AnswerTable]) -> AnswerTable | None:
    """The one table of an answer, if there is one; several have no chart."""
    return tables[0] if len(tables) == 1 else None
