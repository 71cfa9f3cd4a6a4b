"""What is added to a result: the release's name, its published values, and what was not tried."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hedgerow.attacks.base import AttackResult
from hedgerow.table.location import Located, doubtful, locate, told_labels
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

NUMBERED = re.compile(r"([A-Z][A-Za-z, ]*\b)group (\d+)\b")
"""How sentences begin that are about one group; what is data comes after its number."""


def with_release(
    published: Published, result: AttackResult, located: Located | None = None
) -> AttackResult:
    """The result, with the release's name, and what was not understood of its labels."""
    detail = {"release": published.name, **result.detail}
    if located is None:
        return replace(result, detail=detail)
    return replace(
        result,
        sentences=(*result.sentences, *told_labels(published, located)),
        detail=detail | doubtful([published], [located]),
    )


def with_values(published: Published, result: AttackResult) -> AttackResult:
    """The result of an attack on groups, with the release's name and its published values."""
    worst = result.detail.get("worst") or [{}]

    def described(text: str) -> str:
        found = NUMBERED.match(text)
        if found is None or found[2] != str(worst[0].get("group")):
            return text
        return f"{found[1]}the group {published.described(int(found[2]))}{text[found.end() :]}"

    notes = [
        f"Every record has its own {name}, so every group is one record. If {name} is a row "
        "number or a name, say which columns are quasi-identifiers."
        for name in published.numbering
        if published.made is None
    ]
    sentences = (*map(described, result.sentences), *notes, *published.remarks)
    return with_release(published, replace(result, sentences=sentences))


def with_untried(result: AttackResult, what: Sequence[str]) -> AttackResult:
    """The result, which says what was not tried."""
    if not what:
        return result
    notes = [f"Not tried: {one}." for one in what]
    return replace(
        result,
        sentences=(*result.sentences, *notes),
        detail={**result.detail, "not_tried": list(what)},
    )


def understood(published: Published, people: Targets) -> Located | None:
    """How the labels are read for these people, without looking for them."""
    if published.located == "nearest":
        return None
    return locate(published, people.take(np.arange(0)))
