"""Spellings of one value as a form: published in one, kept apart, or judged both ways."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hedgerow.api import quoted, reading
from hedgerow.base.errors import PlanError, some

SPELLING = {
    "": "Publish them as they are. Every claim is judged twice, with each spelling as a value and "
    "with all as one.",
    "one": "Publish each value in one spelling, the one most people have.",
}
"""What becomes of spellings that nobody says differ."""
MOST_SHOWN = 200
"""Values with several spellings that a page lists."""


@dataclass(frozen=True, kw_only=True)
class Spellings:
    """One value in its spellings, as the form shows it."""

    mark: str
    """What the form calls it."""
    shown: tuple[str, ...]
    """The texts, in quotes where a blank would not be seen."""
    differ: bool
    """Whether somebody says that they are different values."""
    one_for_programs: bool
    """Whether programs read two of them as one number or date, so that nobody can say so."""


def spellings_shown(
    said: Mapping[str, Any], listed: Sequence[Sequence[str]], differ: Collection[str] | None = None
) -> dict[str, Any]:
    """What the page shows of a column.

    Args:
        said: What the plan says of the column.
        listed: The values that have several spellings, each with all of them.
        differ: Marks of those that the form says differ; the plan's, if left out.
    """
    distinct = texts_of(said.get("distinct"))
    classes = [
        Spellings(
            mark=mark_of(texts),
            shown=tuple(map(quoted, texts)),
            differ=any(text in distinct for text in texts)
            if differ is None
            else mark_of(texts) in differ,
            one_for_programs=_is_one(texts),
        )
        for texts in listed[:MOST_SHOWN]
    ]
    return {
        "classes": classes,
        "more": len(listed) - len(classes),
        "spelling": str(said.get("spelling") or ""),
        "unused": list(map(quoted, _unused(distinct, listed))),
    }


def spelling_said(
    said: Mapping[str, Any], listed: Sequence[Sequence[str]], *, spelling: str,
    differ: Collection[str], unused: bool,
) -> dict[str, Any]:  # fmt: skip
    """The column with what the form says of its spellings.

    Args:
        said: What the plan says of the column now.
        listed: The values that have several spellings, each with all of them.
        spelling: One of SPELLING.
        differ: Marks of those whose spellings are different values.
        unused: Whether to go on listing values that have one spelling, or that nobody has.

    Raises:
        PlanError: There is no such choice, or they cannot differ.
    """
    if spelling not in SPELLING:
        raise PlanError(f"there is no choice {spelling[:40]!r}", fix="Choose one of those shown.")
    marks = {mark_of(texts): texts for texts in listed}
    if not marks.keys() >= set(differ):
        raise PlanError(
            "the spellings of this column have changed", fix="Look at them again, and choose."
        )
    before = texts_of(said.get("distinct"))
    found: list[str] = _unused(before, listed) if unused else []
    for place, texts in enumerate(listed):
        beyond = place >= MOST_SHOWN and any(text in before for text in texts)
        if mark_of(texts) not in differ and not beyond:
            continue
        if _is_one(texts):
            raise PlanError(
                f"programs that read the release take {some(texts)} for one value",
                fix="Give one of them another name in the data, or publish them in one spelling.",
            )
        found += texts
    result = {key: value for key, value in said.items() if key not in ("spelling", "distinct")}
    if spelling:
        result["spelling"] = spelling
    if len(found) > 1:
        result["distinct"] = found
    return result


def mark_of(texts: Sequence[str]) -> str:
    """A name for spellings of one value that a form can hold, whatever is in them."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


def _is_one(texts: Sequence[str]) -> bool:
    return len(set(map(reading, texts))) < len(texts)


def _unused(distinct: Sequence[str], listed: Sequence[Sequence[str]]) -> list[str]:
    """What the plan lists as different although nothing in the table looks like it."""
    found = {text for texts in listed for text in texts}
    return [text for text in distinct if text not in found]


def texts_of(listed: Any) -> tuple[str, ...]:
    """The texts of the plan's `distinct`, which may have lists in it.

    >>> texts_of([["Flu", "FLU"], "a"])
    ('Flu', 'FLU', 'a')
    """
    found: list[str] = []
    for item in listed if isinstance(listed, list) else []:
        found += texts_of(item) if isinstance(item, list) else [str(item)]
    return tuple(dict.fromkeys(found))
