"""Which texts a plan reads as missing values, and which of them somebody has to be asked about."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from hedgerow.base.decimals import parse
from hedgerow.base.spelling import means_missing
from hedgerow.table.profile.column_facts import ColumnFacts, MissingToken
from hedgerow.table.profile.missing_tokens import A_COUNTRY
from hedgerow.table.profile.table_profile import TableProfile


@dataclass(frozen=True, kw_only=True)
class MissingMark:
    """A text that seems to mean that there is no value."""

    text: str
    columns: tuple[str, ...]
    """Where it seems so."""
    because: str
    sure: bool
    surely: tuple[str, ...] = ()
    """Of the columns, those that say so by themselves."""
    elsewhere: tuple[str, ...] = ()
    """Columns in which it is a value like others."""


@dataclass
class _MarkPlaces:
    columns: list[str] = field(default_factory=list)
    surely: list[str] = field(default_factory=list)
    because: str = ""
    sure: bool = False


def missing_marks(profile: TableProfile) -> tuple[MissingMark, ...]:
    """The texts, those in most columns first.

    `null` of a plan is about all columns. A text that is a value in another column is missing
    only in those that say so by themselves, or where somebody says so.
    """
    found: dict[str, _MarkPlaces] = defaultdict(_MarkPlaces)
    doubted: dict[str, list[str]] = defaultdict(list)
    for column in profile.columns:
        for token in _tokens(column):
            one = found[token.text]
            one.columns.append(column.name)
            if token.because == A_COUNTRY:
                doubted[token.text].append(column.name)
            elif token.sure:
                one.surely.append(column.name)
            if token.sure or not one.because:
                one.because, one.sure = token.because, one.sure or token.sure
    elsewhere: dict[str, list[str]] = defaultdict(list)
    facts = {column.name: column for column in profile.columns}
    others = {t.text: t.elsewhere for column in facts.values() for t in column.missing_tokens}
    for text, one in found.items():
        kept = [c.name for c in facts.values() if text in c.tokens and c.name not in one.columns]
        for name in (*kept, *others[text]):
            if one.sure and _out_of_place(text, facts[name]):
                one.columns.append(name)
                one.surely.append(name)
            else:
                elsewhere[text].append(name)
    for text, names in doubted.items():
        if found[text].sure:  # of other columns; in these it may be a country
            found[text].columns = [name for name in found[text].columns if name not in names]
            elsewhere[text] += names
    marks = (
        MissingMark(
            text=text, columns=tuple(one.columns), because=one.because, sure=one.sure,
            surely=tuple(one.surely), elsewhere=tuple(elsewhere[text]),
        )
        for text, one in found.items()
    )  # fmt: skip
    return tuple(sorted(marks, key=lambda mark: (-len(mark.columns), mark.text)))


def _tokens(column: ColumnFacts) -> list[MissingToken]:
    """Its tokens; but words that most rows have are what the column is about."""
    words = [token for token in column.missing_tokens if not _says_nothing(token.text)]
    if 2 * sum(token.rows for token in words) <= column.rows - column.missing:
        return list(column.missing_tokens)
    return [token for token in column.missing_tokens if _says_nothing(token.text)]


def _says_nothing(text: str) -> bool:
    return means_missing(text) or parse(text) is not None


def _out_of_place(text: str, column: ColumnFacts) -> bool:
    """Whether a number below zero is the only one in a column: there it means the same."""
    number = parse(text)
    if number is None or number[0] >= 0:
        return False
    others = [found for one in column.values if (found := parse(one.value)) and one.value != text]
    return column.values_complete and not any(other[0] < 0 for other in others)
