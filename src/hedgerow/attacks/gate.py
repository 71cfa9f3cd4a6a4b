"""Gate: whether results say enough that somebody may rely on a gain being small.

An attack that could not look for anybody finds nothing, and nothing found must not pass for safe.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hedgerow.attacks.base import AttackResult
from hedgerow.errors import some

FEW = 0.05
"""The share of people an attack may fail to judge."""
SILENT = ("skewness", "minimality", "same-sample")
"""Attacks that name only whom they suspect: no guesses means that they suspect nobody."""


def doubts(results: Sequence[AttackResult]) -> list[str]:
    """Why the results do not show that little is gained; nothing, if they do.

    >>> from hedgerow.attacks.base import Rate
    >>> nobody = Rate(successes=0, guesses=0)
    >>> doubts([AttackResult(attack="sequential", goal="", found=nobody, baseline=nobody)])
    ['sequential: nobody who was looked for fits into the releases']
    """
    found = [f"{result.attack}: {why}" for result in results for why in _doubts(result)]
    return list(dict.fromkeys(found)) if results else ["no attack was tried"]


def _doubts(result: AttackResult) -> Iterator[str]:
    detail: dict[str, Any] = dict(result.detail)
    for told in detail.get("not_understood", ()):
        yield (
            f"{some(told['values'], most=3)} as {told['column']} in {told['release']} fits nobody "
            "and was perhaps not understood"
        )
    if result.found.guesses == 0 and result.attack not in SILENT:
        yield "nobody who was looked for fits into the releases"
        return
    if detail.get("prosecutor", {}).get("fitting") == 0:
        yield "nobody who was looked for fits into the releases"
    for column in detail.get("columns_nobody_fits", ()):
        yield f"no published {column} fits anybody"
    people = detail.get("people", 0)
    for told in detail.get("lost", ()):
        if told["may_be_nodes"] and told["people"] > FEW * people:
            yield (
                f"no published {told['column']} in {told['release']} covers that of "
                f"{told['people']:,} of {people:,} people, and some may be nodes of a taxonomy"
            )
    judged = result.found.guesses
    # Who is in one release only is no contradiction where not everybody is in all of them.
    if "overlaps" not in detail and detail.get("contradictions", 0) > FEW * judged:
        yield f"the releases contradict each other for {detail['contradictions']:,} of {judged:,}"
    if detail.get("true_value_unknown", 0) > FEW * judged:
        yield (
            f"the true value of {detail['true_value_unknown']:,} of {judged:,} people is in none "
            "of the releases, and may be spelled otherwise"
        )
    if detail.get("left_out_records", 0) > FEW * max(1, detail.get("records", 0)):
        yield (
            f"{detail['left_out_records']:,} of {detail['records']:,} records are in groups that "
            "could not be judged"
        )
