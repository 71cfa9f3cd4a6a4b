"""Fuzzy matching: a register's values and a release's are about the same, not equal.

Ages were taken a year apart, names were typed by hand. A label then fits a value if it covers
some value near it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, PlanError, nearest, some
from hedgerow.base.jit import kernel
from hedgerow.table.groups import Ints
from hedgerow.table.labels import Flags, RawValues, Taxonomy, Value, covers
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

WHOLE = 100
"""Tolerances up to this probe every whole number between; wider ones only the ends."""
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_MASK = re.compile(r"[^*{}\[\]()<>]*[^*{}\[\]()<>\s]\*+")


@dataclass(frozen=True)
class Edits:
    """At most this many characters typed wrongly, left out or added."""

    at_most: int = 1

    def __post_init__(self) -> None:
        if self.at_most < 0:
            raise PlanError(f"{self.at_most} edits are fewer than none")


Fuzzy = Mapping[str, float | Edits]
"""Column -> how far numbers may be apart, or how many characters may differ."""


def loosened(published: Published, register: Targets, fuzzy: Fuzzy) -> Published:
    """The release as somebody reads it who allows for mistakes.

    Raises:
        DataError: A column is not in both, or holds no numbers where a distance is given.

    >>> from hedgerow.table.location import locate
    >>> import pyarrow as pa
    >>> table = pa.table({"age": ["20-29", "30-39"], "illness": ["flu", "cough"]})
    >>> release = Published.read(table, sensitive=["illness"])
    >>> people = Targets.of({"age": ["25", "30", "40"]})
    >>> locate(release, people).count.tolist()
    [1, 1, 0]
    >>> locate(loosened(release, people, {"age": 1}), people).count.tolist()
    [1, 2, 1]
    """
    if published.located == "nearest":
        raise DataError(
            "people are looked for at the nearest centroid, however far it is",
            where=published.name,
            fix="Leave the tolerances out.",
        )
    both = [name for name in published.quasi if name in register.columns]
    taxonomies = dict(published.taxonomies)
    for column, tolerance in fuzzy.items():
        if column not in both:
            near = nearest(column, both)
            raise DataError(
                f"there is no column {column!r} both in the release and in the register",
                where=published.name,
                fix=f"Did you mean {near!r}?" if near else f"They share {some(both)}.",
            )
        labels = published.labels[published.quasi.index(column)]
        values = register.values[register.columns.index(column)]
        taxonomy = published.taxonomies.get(column)
        if isinstance(tolerance, Edits):
            fits = _misspelt(labels, values, tolerance.at_most, column, taxonomy)
        else:
            fits = _within(labels, values, tolerance, column, taxonomy)
        taxonomies[column] = {
            label.strip(): [values[v] for v in np.flatnonzero(row)]
            for label, row in zip(labels, fits, strict=True)
            if label is not None
        }
    return replace(published, taxonomies=taxonomies)


def _within(
    labels: Sequence[Value],
    values: Sequence[Value],
    tolerance: float,
    column: str,
    taxonomy: Taxonomy | None,
) -> Flags:
    """Labels by values: whether the label covers a number that near."""
    if not tolerance >= 0:
        raise PlanError(f"{tolerance} is no distance", where=f"column {column!r}")
    numbers = RawValues(values).numbers
    words = [v for v, x in zip(values, numbers, strict=True) if v is not None and np.isnan(x)]
    if words:
        raise DataError(
            f"{some(words)} are no numbers, so none is within {tolerance:g} of them",
            where=f"column {column!r} of the register",
            fix="Edits(1) allows for a mistyped character.",
        )
    real = np.unique(numbers[~np.isnan(numbers)])
    written = {float(x) for label in labels if label for x in _DIGITS.findall(label)}
    probes = [real - tolerance, real + tolerance, np.array(sorted(written))]
    if tolerance <= WHOLE and (real == np.round(real)).all():
        steps = np.arange(-np.floor(tolerance), np.floor(tolerance) + 1)
        probes.append(np.add.outer(real, steps).ravel())
    texts = [f"{x:.15g}" for x in np.unique(np.concatenate(probes))]
    # The values come first as they are written: a mask covers "07", not "7".
    every = list(dict.fromkeys([*values, *texts]))
    matrix = covers(labels, every, column=column, taxonomy=taxonomy)
    points = RawValues(every).numbers
    order = np.argsort(points)[: int((~np.isnan(points)).sum())]
    covered = np.concatenate(
        (np.zeros((len(labels), 1), np.int64), matrix[:, order].cumsum(axis=1)), axis=1
    )
    slack = 1e-9 * max(1.0, float(np.abs(real).max(initial=0)))
    low = np.searchsorted(points[order], numbers - tolerance - slack)
    high = np.searchsorted(points[order], numbers + tolerance + slack, side="right")
    fits: Flags = covered[:, high] > covered[:, low]
    return fits | matrix[:, : len(values)]


def _misspelt(
    labels: Sequence[Value],
    values: Sequence[Value],
    at_most: int,
    column: str,
    taxonomy: Taxonomy | None,
) -> Flags:
    """Labels by values: whether the label covers a word that differs in so few characters."""
    below = [value for leaves in (taxonomy or {}).values() for value in leaves]
    members = [
        member.strip().strip('"')
        for label in labels
        if label and label.strip().startswith("{")
        for member in label.strip()[1:-1].split(",")
    ]
    words = list(dict.fromkeys([*values, *below, *members]))
    matrix = covers(labels, words, column=column, taxonomy=taxonomy)
    near = _alike(words, values, at_most)
    value, word = np.nonzero(near.T)
    starts = np.searchsorted(value, np.arange(len(values)))
    fits: Flags = np.logical_or.reduceat(matrix[:, word], starts, axis=1)
    known = set(values)
    plain = np.array([label in known for label in labels]) | ~matrix.any(axis=1)
    masks = np.array([label is not None and bool(_MASK.fullmatch(label)) for label in labels])
    alike = _alike(labels, values, at_most)
    fits |= alike & (plain | masks)[:, None]
    return fits


def _alike(words: Sequence[Value], others: Sequence[Value], at_most: int) -> Flags:
    """Words by words: whether at most so many characters differ."""
    # What is missing is spelt so that it differs enough from every word.
    longest = max((len(w) for w in (*words, *others) if w is not None), default=0)
    missing = "\1" * (longest + at_most + 1)
    return _within_edits(*_spelt(words, missing), *_spelt(others, missing), at_most)


def _spelt(words: Sequence[Value], missing: str) -> tuple[NDArray[np.int32], Ints]:
    """All characters in a row, and where each word starts; 0, from masks, is any character."""
    texts = [missing if word is None else word for word in words]
    texts = [text.replace("*", "\0") if _MASK.fullmatch(text) else text for text in texts]
    letters = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.int32)
    return letters, np.concatenate(([0], np.cumsum([len(t) for t in texts]))).astype(np.int64)


@kernel
def _within_edits(
    a: NDArray[np.int32], a_start: Ints, b: NDArray[np.int32], b_start: Ints, at_most: int
) -> Flags:
    """Levenshtein's distance, given up as soon as it is too long.

    Args:
        a: The characters of the first words, end to end; 0 is any character.
        a_start: Word i is a[a_start[i]:a_start[i + 1]].
        b: The characters of the other words, end to end; here 0 is no mask.
        b_start: Word j is b[b_start[j]:b_start[j + 1]].
        at_most: How many characters may differ.

    Returns:
        The first words by the others: whether no more do.
    """
    found = np.zeros((len(a_start) - 1, len(b_start) - 1), np.bool_)
    longest = 0
    for j in range(len(b_start) - 1):
        longest = max(longest, b_start[j + 1] - b_start[j])
    row = np.empty(longest + 1, np.int64)
    for i in range(len(a_start) - 1):
        rows = a_start[i + 1] - a_start[i]
        for j in range(len(b_start) - 1):
            width = b_start[j + 1] - b_start[j]
            if abs(rows - width) > at_most:
                continue
            for c in range(width + 1):
                row[c] = c
            least = 0
            for r in range(rows):
                letter = a[a_start[i] + r]
                diagonal = row[0]
                row[0] = least = r + 1
                for c in range(width):
                    same = letter == 0 or letter == b[b_start[j] + c]
                    best = min(diagonal + (0 if same else 1), row[c] + 1, row[c + 1] + 1)
                    diagonal = row[c + 1]
                    row[c + 1] = best
                    least = min(least, best)
                if least > at_most:
                    break
            found[i, j] = least <= at_most and row[width] <= at_most
    return found
