"""Survey weights: how many people of the population each person of a sample stands for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal, InvalidOperation

import numpy as np

from hedgerow.base.errors import DataError
from hedgerow.table.groups import Histogram, Ints, Weights

MILLION = 1_000_000
LARGEST = 10**9
"""No person stands for more people than this."""


def weights_attribute(name: str, texts: Sequence[str | None], found: Histogram, n: Ints) -> Weights:
    """The weights of a column as an attribute of people.

    Args:
        name: The column.
        texts: Its values.
        found: Who has which.
        n: People in each cell.

    Raises:
        DataError: Somebody has no weight, or several, or one that is no number of at least 1.
    """
    if len(found.codes) != len(n):
        raise DataError(
            "some people have several survey weights, and a person has one",
            where=f"column {name!r}",
            fix="Give every person one weight.",
        )
    people = np.bincount(found.codes, weights=found.counts, minlength=len(texts)).astype(np.int64)
    used = people > 0
    return Weights(
        Weights.name_of(name),
        tuple(texts),
        people,
        int(n.sum()),
        millionths=np.array(
            [
                _millionths(name, text) if there else 0
                for text, there in zip(texts, used, strict=True)
            ],
            np.int64,
        ),
    )


def _millionths(name: str, text: str | None) -> int:
    where = f"column {name!r}"
    if text is None or not text.strip():
        raise DataError(
            "somebody has no survey weight", where=where, fix="Give every person a weight."
        )
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise DataError(
            f"{text!r} is no survey weight", where=where, fix="Give numbers, such as 12.5."
        )
    if not 1 <= number <= LARGEST:
        raise DataError(
            f"the survey weight {text} is not from 1 to {LARGEST:,}",
            where=where,
            fix="A weight says how many people of the population a person stands for, themselves "
            "included. If the weights were scaled to another sum, scale them back.",
        )
    return int(number * MILLION)


def share_by_weights(name: str, texts: Sequence[str | None], n: Ints) -> float:
    """The share of the population that a table is, as its weights say on average.

    Args:
        name: The column.
        texts: Its values.
        n: People with each.

    Raises:
        DataError: Somebody has no weight, or the weights say that the table is everybody.
    """
    total = sum(_millionths(name, text) * int(of) for text, of in zip(texts, n, strict=True))
    people = int(n.sum())
    if total <= people * MILLION:
        raise DataError(
            "the survey weights add up to no more people than are in the table",
            where=f"column {name!r}",
            fix="If the table is the whole population, leave the weights out: everybody in it "
            "was counted.",
        )
    return people * MILLION / total


def told_by_weights(weights: Weights, published: Collection[str]) -> Iterator[str]:
    """What published weights tell by themselves: a sentence for the steward, if anything."""
    column = weights.name.removeprefix("(weights ").removesuffix(")")
    alone = int(np.count_nonzero(weights.reference == 1))
    if column in published and alone:
        have = "person has a survey weight" if alone == 1 else "people have a survey weight"
        yield (
            f"{alone:,} {have} in {column!r} that nobody else has, and it is published as it is. "
            "Whoever knows somebody's weight finds their record. Round the weights, or give the "
            "column the role identifier."
        )


def summed(weights: Weights) -> str:
    """What the weights add up to, as the steward is told."""
    total = int((weights.reference * weights.millionths).sum()) / MILLION
    share = weights.people / total if total else 0.0
    column = weights.name.removeprefix("(weights ").removesuffix(")")
    return (
        f"The survey weights in {column!r} add up to {total:,.0f} people of the population for "
        f"{weights.people:,} in the table ({share:.3%})."
    )
