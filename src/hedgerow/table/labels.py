"""Labels: which raw values a generalised value stands for, whoever wrote it.

Read are `*`, `ALL`; ranges, bounds, decades and dates (see spans.py); masks `130**`, `3*`,
`**012`, `199x`, `130##`; beginnings `J01..`; sets `{a, "b, c", missing}`,
`{'a', 'b'}`, `['a', 'b']`, `a,b`; nodes of a taxonomy; labels of public code systems; and plain
values.
A label that can be read in several ways stands for all that any of them covers, and what it
covers does not depend on who else is looked for; only how many characters a mask hides does.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, some
from hedgerow.base.spelling import reading
from hedgerow.table.beginnings import MORE
from hedgerow.table.codes import CODE_SYSTEMS, CodeSystem, NoCodes
from hedgerow.table.spans import day_span, days_of, decade, number, read_span, simple_span

Value = str | None
Taxonomy = Mapping[str, Collection[Value]]
"""Node -> the values below it."""
Flags = NDArray[np.bool_]
Kind = Literal["word", "span", "other"]
"""How a label was read: as a plain value only; as a range, a bound or a date; or else."""

MISSING = "missing"
"""How a set says that somebody in it has no value."""
EXACT = 2.0**53
"""Whole numbers from here on are compared as they are written."""
_ANY = re.compile(r"\*+|any|Any|ANY|all|All|ALL")
_MASK = re.compile(r"([^*{}\[\]()<>]*[^*{}\[\]()<>\s])\*+|\*+([^*{}\[\]()<>\s][^*{}\[\]()<>]*)")
_CROSSED = re.compile(r"(\d[\d-]*)([xX]+|#+)")
"""A mask of other tools; without a digit before it is a word."""
_QUOTED = r"""\"(?:[^"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"""
_MEMBER = re.compile(rf"\s*({_QUOTED}|[\[(\]][^\])]*[\])\[]|[^,]+?)\s*(?:,|$)")
UNKNOWN = "?"
"""What other tools write for a value that was suppressed: any, unless somebody has just that."""
_LIST = re.compile(r"[,;|]")
_STRUCTURED = re.compile(r"[\d*{}\[\]()<>≤≥∞,;|]")
"""Without any of these a label is a word: a plain value, or a node."""
_GENERALISED = re.compile(r"[*{}\[\]<>≤≥]")
"""What no plain value is made of, as a rule."""


class RawValues:
    """The raw values of a column, read as text, numbers and dates."""

    def __init__(self, values: Sequence[Value], *, taxonomy: Taxonomy | None = None) -> None:
        self.values = tuple(values)
        self.numbers = np.array([number(value) for value in self.values])
        self.taxonomy = taxonomy or {}
        self.masks: set[int] = set()
        """How long the masks among the labels are."""
        self.systems = tuple(CODE_SYSTEMS.values())
        """The code systems whose labels are understood."""
        self._codes: dict[str, dict[str, list[int]]] = {}
        self._ends: dict[tuple[int, bool], dict[str, list[int]]] = {}
        self._known: dict[str, tuple[Flags | None, Kind]] = {}

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def alike(self) -> dict[Value, list[int]]:
        """Where the values are that are read in each way."""
        places: dict[Value, list[int]] = {}
        for i, value in enumerate(self.values):
            places.setdefault(reading(value), []).append(i)
        return places

    @cached_property
    def exact(self) -> dict[Value, list[int]]:
        """For each value as it is written, where it and those read like it are."""
        return {value: self.alike[reading(value)] for value in self.values}

    @cached_property
    def texts(self) -> tuple[Value, ...]:
        """The values without blanks around them, as labels are read."""
        return tuple(None if value is None else _plain(value) for value in self.values)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Characters of each value; -1 where it is missing."""
        return np.array([-1 if text is None else len(text) for text in self.texts], np.int64)

    @cached_property
    def days(self) -> NDArray[np.int64]:
        """First and last day of each value; empty where none is a date."""
        return days_of(self.values)

    @cached_property
    def measured(self) -> bool:
        """Whether most of the values are numbers or dates, so that a word is none of them."""
        known = sum(value is not None for value in self.values)
        dates = int((self.days[0] > 0).sum()) if len(self.days) else 0
        return 2 * max(dates, int((~np.isnan(self.numbers)).sum())) > known

    @cached_property
    def ordered(self) -> bool:
        """Whether any value is a number, a date or a range, so that ranges may be about it."""
        texts = (value for value in self.values if value is not None)
        return (
            not np.isnan(self.numbers).all()
            or len(self.days) > 0
            or any(read_span(_plain(text)) is not None for text in texts)
        )

    @cached_property
    def nodes(self) -> dict[str, str]:
        """The nodes of the taxonomy by how they are read."""
        return {_plain(node): node for node in self.taxonomy}

    @cached_property
    def leaves(self) -> set[Value]:
        """All values of the taxonomy, as they are read."""
        return {reading(value) for below in self.taxonomy.values() for value in below}

    def spelled(self, read: Value, amount: float) -> Flags:
        """Which values are read like this, or are this number."""
        flags = np.zeros(len(self), np.bool_)
        if read in self.alike:
            flags[self.alike[read]] = True
        if abs(amount) < EXACT:
            flags |= self.numbers == amount
        return flags

    def ending(self, part: str, *, begins: bool) -> Flags:
        """Which values begin, or end, with these characters."""
        size = len(part)
        if (size, begins) not in self._ends:
            found: dict[str, list[int]] = {}
            for i, text in enumerate(self.texts):
                if text is not None and len(text) >= size:
                    found.setdefault(text[:size] if begins else text[-size:], []).append(i)
            self._ends[size, begins] = found
        flags = np.zeros(len(self), np.bool_)
        flags[self._ends[size, begins].get(part, [])] = True
        return flags

    def codes(self, system: CodeSystem) -> dict[str, list[int]]:
        """Where the values are that are below each label of a code system."""
        if system.name not in self._codes:
            found = self._codes[system.name] = {}
            for i, value in enumerate(self.values):
                labels = None if value is None else system.row(value)
                for label in dict.fromkeys(() if labels is None else labels[1:]):
                    found.setdefault(label, []).append(i)
        return self._codes[system.name]

    def below(self, node: str) -> Flags:
        """Which values are below a node of the taxonomy."""
        below = self.taxonomy[node]
        if isinstance(below, NoCodes):
            return np.array([value in below for value in self.values], np.bool_)
        flags = np.zeros(len(self), np.bool_)
        for value in below:
            flags[self.exact.get(value) or self.alike.get(reading(value), [])] = True
        return flags

    def member(self, text: str) -> tuple[Flags | None, Kind]:
        """The `meaning` of a member of a set: the same ones are in many sets."""
        if text not in self._known:
            self._known[text] = meaning(text, self)
        return self._known[text]


@dataclass(frozen=True, eq=False)
class Read:
    """What the labels of a column stand for."""

    fits: Flags
    """Labels by values."""
    words: tuple[str, ...]
    """Labels that nobody has, and that were taken for plain values for want of another reading."""
    strange: tuple[str, ...]
    """Labels that fit nobody and were hardly understood: generalised in a way nobody reads.

    That is a word where values are numbers or dates; any word, where no word of the column is a
    value of anybody; a range, where no value is a number or a date."""


def may_stand_for_others(value: Value) -> bool:
    """Whether a plain value may be read as a label that other values are under, too.

    Sets name such a value as itself. Somebody who reads them may take it for more.

    >>> [may_stand_for_others(value) for value in ("20-30", "3*", "25", "flu", None)]
    [True, True, False, False, False]
    """
    return value is not None and _STRUCTURED.search(value) is not None and math.isnan(number(value))


def covers(
    labels: Sequence[Value],
    values: Sequence[Value],
    *,
    column: str,
    taxonomy: Taxonomy | None = None,
) -> Flags:
    """Which values each published label stands for, labels by values.

    Args:
        labels: As published; None is a missing value.
        values: Raw values somebody may have.
        column: For messages.
        taxonomy: The values below each node, where labels are nodes.

    Raises:
        DataError: A label is generalised in a way nobody can read.

    >>> covers(["<30", "3*", "[40, 50)", "*"], ["28", "33", "40", "50"], column="age").astype(int)
    array([[1, 0, 0, 0],
           [0, 1, 0, 0],
           [0, 0, 1, 0],
           [1, 1, 1, 1]])
    """
    return read_labels(labels, values, column=column, taxonomy=taxonomy).fits


def read_labels(
    labels: Sequence[Value],
    values: Sequence[Value],
    *,
    column: str,
    taxonomy: Taxonomy | None = None,
) -> Read:
    """The same as `covers`, with the labels that may not have been understood.

    >>> found = read_labels(["20-29", "young"], ["28", "33"], column="age")
    >>> found.words, found.strange
    (('young',), ('young',))
    """
    known = RawValues(values, taxonomy=taxonomy)
    starred = map(_starred, map(_plain, filter(None, labels)))
    known.masks = {len(text) for text in starred if _MASK.fullmatch(text)}
    fits = np.zeros((len(labels), len(known)), np.bool_)
    unread: list[Value] = []
    kinds: list[Kind] = ["other"] * len(labels)
    for i, label in enumerate(labels):
        row, kind = meaning(label, known)
        if row is not None and kind == "word" and _plain(label or "") == UNKNOWN:
            row, kind = row if row.any() else ~row, "other"
        if row is None:
            unread.append(label)
            continue
        fits[i] = row
        kinds[i] = kind
    if unread:
        raise DataError(
            f"nobody can read {some(unread)} as generalised values",
            where=f"column {column!r}",
            fix="Ranges are 20-29 or [20, 30), bounds <30 or >=40, masks 130**, sets {a, b}; for "
            "nodes of a taxonomy give its file.",
        )
    unfit: dict[Kind, list[str]] = {"word": [], "span": [], "other": []}
    somebodys = False
    fitting: list[bool] = np.asarray(fits.any(axis=1)).tolist()
    for label, kind, fits_somebody in zip(labels, kinds, fitting, strict=True):
        if fits_somebody:
            somebodys |= kind == "word"
        elif label is not None:
            unfit[kind].append(label)
    strange = []
    if len(known) and (known.measured or not somebodys):
        strange += unfit["word"]
    if len(known) and unfit["span"] and not known.ordered:
        strange += unfit["span"]
    return Read(fits, tuple(unfit["word"]), tuple(strange))


def meaning(label: Value, known: RawValues) -> tuple[Flags | None, Kind]:
    """The values a label stands for (None: unreadable), and how it was read."""
    if label is not None and label not in known.alike and label not in known.nodes:
        ends = simple_span(label)
        if ends is not None and ends[0] <= ends[1]:
            return (known.numbers >= ends[0]) & (known.numbers <= ends[1]), "span"
    read = reading(label)
    if label is None or read is None:
        return known.spelled(None, math.nan), "other"
    text, amount = _plain(label), number(label)
    if _ANY.fullmatch(text):
        return np.ones(len(known), np.bool_), "other"
    row = known.spelled(read, amount)
    if text in known.nodes:
        return row | known.below(known.nodes[text]), "other"
    leaf = bool(known.taxonomy) and read in known.leaves
    kind: Kind = "word" if math.isnan(amount) and not leaf else "other"
    for system in known.systems:
        if system.owns(text) and (below := known.codes(system).get(text)):
            row = row.copy()
            row[below] = True
            kind = "other"
    if not _STRUCTURED.search(text) and not text.endswith(MORE):
        return row, kind
    for reader, how in _READERS:
        more = reader(text, known)
        if more is not None:
            return row | more, kind if leaf else how
    if kind == "word" and not row.any() and _GENERALISED.search(text):
        return None, kind
    return row, kind


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()


def _starred(text: str) -> str:
    """A mask with stars for whatever else hides its characters.

    >>> _starred("199x"), _starred("130##"), _starred("x-ray")
    ('199*', '130**', 'x-ray')
    """
    found = _CROSSED.fullmatch(text)
    return text if found is None else found[1] + "*" * len(found[2])


def _set(text: str, known: RawValues) -> Flags | None:
    """Members in braces; in brackets where they are no interval of numbers or dates."""
    opened, closed = text[0], text[-1]
    if (opened, closed) not in (("{", "}"), ("[", "]"), ("(", ")")):
        return None
    if opened != "{" and (read_span(text) is not None or not re.search("[,'\"]", text)):
        return None
    found = np.zeros(len(known), np.bool_)
    for match in _MEMBER.finditer(text[1:-1]):
        written = match[1]
        if written == MISSING:
            found[known.alike.get(None, [])] = True
        elif written in known.exact and written not in known.taxonomy:
            found[known.exact[written]] = True  # as most members are, of sets of hundreds
        elif written[0] == '"' or re.fullmatch("'.*'", written):
            try:
                member = json.loads(written) if written[0] == '"' else _unquoted(written)
            except json.JSONDecodeError:
                return None
            node = known.nodes.get(_plain(member))
            found |= (
                known.spelled(reading(member), number(member))
                if node is None
                else known.below(node)
            )
        else:
            row, _ = known.member(written)
            if row is None:
                return None
            found |= row
    return found


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1])


def _mask(text: str, known: RawValues) -> Flags | None:
    """One character for each star, where values are that long; else any number of them.

    A single star may stand for any number also where some values are that long, for those that
    no mask of the column is as long as.
    """
    text = _starred(text)
    found = _MASK.fullmatch(text) if "*" in text else None
    if found is None:
        return None
    part = found[1] or found[2]
    fits, long = known.ending(part, begins=found[1] is not None), known.lengths == len(text)
    if len(text) > len(part) + 1:
        return np.asarray(fits & long) if long.any() else fits
    other = (known.lengths > len(part)) & ~np.isin(known.lengths, list(known.masks))
    return np.asarray(fits & (long | other))


def _beginning(text: str, known: RawValues) -> Flags | None:
    """`J01..`: whatever begins so."""
    part = text.removesuffix(MORE)
    return known.ending(part, begins=True) if part != text and part.strip(".") else None


def _span(text: str, known: RawValues) -> Flags | None:
    """Ranges, bounds and dates."""
    found = read_span(text)
    if found is not None:
        return found.holds(known.numbers, known.days)
    when = day_span(text)
    if when is None or not len(known.days):
        return None  # a year is a number as well
    first, last = known.days
    return np.asarray((first > 0) & (last >= when[0]) & (first <= when[1]))


def _decade(text: str, known: RawValues) -> Flags | None:
    """`20s`: from 20 to 29, and years and dates that end so."""
    found = decade(text)
    if found is None:
        return None
    low, high = found
    inside = (known.numbers >= low) & (known.numbers <= high)
    if high < 100:
        years = known.numbers % 100
        inside |= (known.numbers >= 1000) & (years >= low) & (years <= high)
        if len(known.days):
            first, last = known.days // 10_000
            inside |= (first > 0) & (last % 100 >= low) & (first % 100 <= high)
    return np.asarray(inside)


def _list(text: str, known: RawValues) -> Flags | None:
    """Members without braces, as some tools write sets."""
    members = [part.strip() for part in _LIST.split(text)]
    if len(members) < 2 or not all(members):
        return None
    found = np.zeros(len(known), np.bool_)
    understood = True
    for member in members:
        row, kind = known.member(member)
        if row is None:
            return None
        found |= row
        understood &= kind != "word"
    # Somebody's value, or a word with a comma in it.
    return found if understood or found.any() else None


_READERS: tuple[tuple[Callable[[str, RawValues], Flags | None], Kind], ...] = (
    (_set, "other"),
    (_mask, "other"),
    (_beginning, "other"),
    (_decade, "span"),
    (_span, "span"),
    (_list, "other"),
)
