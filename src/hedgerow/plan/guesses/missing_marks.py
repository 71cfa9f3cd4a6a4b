"""Which texts a plan reads as missing values, and which of them somebody has to be asked about."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from hedgerow.table.profile.table_profile import TableProfile


@dataclass(frozen=True, kw_only=True)
class MissingMark:
    """A text that seems to mean that there is no value."""

    text: str
    columns: tuple[str, ...]
    """Where it seems so."""
    because: str
    sure: bool
    elsewhere: tuple[str, ...] = ()
    """Columns in which it is a value like others."""


@dataclass
class _Found:
    columns: list[str] = field(default_factory=list)
    because: str = ""
    sure: bool = False


def missing_marks(profile: TableProfile) -> tuple[MissingMark, ...]:
    """The texts, those in most columns first.

    `null` of a plan is about all columns: a text that is a value in another column is not read as
    missing unless somebody says so.
    """
    found: dict[str, _Found] = defaultdict(_Found)
    for column in profile.columns:
        for token in column.missing_tokens:
            one = found[token.text]
            one.columns.append(column.name)
            if token.sure or not one.because:
                one.because, one.sure = token.because, one.sure or token.sure
    elsewhere: dict[str, list[str]] = defaultdict(list)
    for column in profile.columns:
        for value in column.values:
            if value.value in found and column.name not in found[value.value].columns:
                elsewhere[value.value].append(column.name)
    marks = (
        MissingMark(
            text=text, columns=tuple(one.columns), because=one.because, sure=one.sure,
            elsewhere=tuple(elsewhere[text]),
        )
        for text, one in found.items()
    )  # fmt: skip
    return tuple(sorted(marks, key=lambda mark: (-len(mark.columns), mark.text)))
