"""Hierarchies written out value by value: in a file, or as a tree in the plan."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeGuard

from hedgerow.base.decimals import numeric
from hedgerow.base.errors import HierarchyError, nearest, some
from hedgerow.table.hierarchy import ANY, Hierarchy

Value = str | None
Row = tuple[Value, ...]
Tree = Mapping[str, "Tree"] | Sequence["Tree"] | str | None

DEEPEST = 100
"""Levels of a tree; more is a mistake, and would exhaust the stack."""

DELIMITERS = ";\t,"
"""What may stand between the columns of a file, most likely first."""


@dataclass(frozen=True)
class FromCsv:
    """One line for each value, the value first, then its label on every level; no header.

    Separated by semicolons, commas or tabs; UTF-8. Values the data lack are kept: they are
    what a published value may hide. A line whose value is empty is that of missing values.
    """

    path: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))

    def bind(self, name: str, values: Sequence[Value], *, where: str | None = None) -> Hierarchy:
        rows = _missing_line(self._read(where), values)
        try:
            return covering(name, rows, values, str(self.path))
        except HierarchyError as error:
            error.where = f"{self.path} ({where})" if where else str(self.path)
            raise

    def _read(self, where: str | None) -> list[Row]:
        try:
            content = self.path.read_bytes()
        except OSError as error:
            folder = self.path.parent
            close = None
            if folder.is_dir():
                close = nearest(self.path.name, [p.name for p in folder.iterdir()])
            raise HierarchyError(
                f"the hierarchy file {str(self.path)!r} cannot be read ({error.strerror})",
                where=where,
                fix=f"Did you mean {close!r}?"
                if close
                else "Give the file's place, seen from the plan's folder.",
            ) from None
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise HierarchyError(
                f"byte {content[error.start]:#04x} is not UTF-8",
                where=f"{self.path}:{line}",
                fix="Save the file as UTF-8.",
            ) from None
        lines = self._split(text)
        if not lines:
            raise HierarchyError(
                "the file is empty", where=f"{self.path}:1", fix="Write one line for each value."
            )
        width = len(lines[0][1])
        first: dict[str, int] = {}
        for line, row in lines:
            if len(row) != width or width < 2:
                raise HierarchyError(
                    f"{len(row)} column(s) where line {lines[0][0]} has {width}"
                    if len(row) != width
                    else "only one column, so nothing a value could become",
                    where=f"{self.path}:{line}",
                    fix="Write the value and its label on each level, separated by ; or , or tab.",
                )
            if row[0] in first:
                raise HierarchyError(
                    f"{row[0]!r} stands in line {first[row[0]]} already",
                    where=f"{self.path}:{line}",
                    fix="Give every value one line.",
                )
            first[row[0]] = line
        self._refuse_circle(lines)
        return [tuple(row) for _, row in lines]

    def _refuse_circle(self, lines: Sequence[tuple[int, list[str]]]) -> None:
        """A label above itself would be published for people who have another value."""
        above: dict[str, dict[str, int]] = {}
        for line, row in lines:
            for low, high in pairwise(row):
                if low != high:
                    above.setdefault(low, {}).setdefault(high, line)
        try:
            TopologicalSorter(above).prepare()
        except CycleError as error:
            names: list[str] = error.args[1][::-1]
            line = max(above[low][high] for low, high in pairwise(names))
            raise HierarchyError(
                f"{names[0]!r} stands above itself: {' -> '.join(map(repr, names))}",
                where=f"{self.path}:{line}",
                fix="A value must not be its own ancestor; give one of them another name.",
            ) from None

    def _split(self, text: str) -> list[tuple[int, list[str]]]:
        """The lines by the first delimiter under which all are equally long, numbered."""
        tried: list[list[tuple[int, list[str]]]] = []
        refused: HierarchyError | None = None
        for delimiter in DELIMITERS:
            if delimiter not in text and delimiter != DELIMITERS[-1]:
                continue
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
            try:
                lines = [(reader.line_num, row) for row in reader if row]
            except csv.Error as error:
                where = f"{self.path}:{reader.line_num}"
                refused = refused or HierarchyError(f"not a readable line ({error})", where=where)
                continue
            if lines and {len(row) for _, row in lines} == {max(2, len(lines[0][1]))}:
                return lines
            tried.append(lines)
        if refused:
            raise refused
        # None fits: report against the one that splits most lines.
        return max(tried, key=lambda lines: sum(len(row) > 1 for _, row in lines))


@dataclass(frozen=True)
class Taxonomy:
    """A tree written out: mappings and lists of names; what has nothing below it is a value.

    A value less deep than others repeats upward until their levels meet. Several roots get
    a common one, `*`.

    >>> h = Taxonomy(tree={"Europe": ["France", "Spain"], "Asia": ["Japan"]}).bind("c", ["Japan"])
    >>> h.labels[1:]
    (('Europe', 'Asia'), ('*',))
    """

    tree: Tree

    def __post_init__(self) -> None:
        _ = self.rows

    @cached_property
    def rows(self) -> list[Row]:
        """For each value its ancestors, all rows equally long."""
        if not isinstance(self.tree, Mapping) and not is_list(self.tree):
            raise HierarchyError(
                f"a taxonomy is a tree of names, not {self.tree!r}",
                fix="Write it as {Europe: [France, Spain], Asia: [Japan]}.",
            )
        paths = list(_paths(self.tree, (), (), set()))
        if not paths:
            raise HierarchyError("the taxonomy has no values")
        if len({path[-1] for path in paths}) > 1 or min(map(len, paths)) == 1:
            paths = [(*path, ANY) for path in paths]
        deepest = max(map(len, paths))
        return [(path[0],) * (deepest - len(path)) + path for path in paths]

    def bind(self, name: str, values: Sequence[Value], *, where: str | None = None) -> Hierarchy:
        return covering(name, self.rows, values, where)


def _paths(tree: Tree, above: Row, parents: tuple[int, ...], met: set[str]) -> Iterable[Row]:
    """The way from each value up to its root."""
    if id(tree) in parents or len(parents) > DEEPEST:
        raise HierarchyError(
            "the taxonomy contains itself"
            if id(tree) in parents
            else f"the taxonomy is more than {DEEPEST} levels deep",
            fix="A tree has no cycles: look for an anchor (&) used inside itself (*).",
        )
    inside = (*parents, id(tree))
    if isinstance(tree, Mapping):
        for key, below in tree.items():
            name = _placed(key, above, met)
            if below is None or ((isinstance(below, Mapping) or is_list(below)) and not below):
                yield (name, *above)
            else:
                yield from _paths(below, (name, *above), inside, met)
    elif is_list(tree):
        for item in tree:
            yield from _paths(item, above, inside, met)
    else:
        yield (_placed(tree, above, met), *above)


def is_list(item: object) -> TypeGuard[Sequence[Any]]:
    """Whether it holds items, as a text does not."""
    return isinstance(item, Sequence) and not isinstance(item, str)


def label(given: object) -> str:
    """A label as text, also where the plan's YAML made it a number or a truth value."""
    if isinstance(given, bool):
        return str(given).lower()
    if isinstance(given, str | int | float):
        return str(given)
    raise HierarchyError(f"{given!r} is not a label", fix="Put it in quotes.")


def _placed(given: object, above: Row, met: set[str]) -> str:
    """The name of a node, which must be the only one of that name."""
    name = label(given)
    if name in above:
        raise HierarchyError(
            f"{name!r} stands above itself in the taxonomy",
            fix="A name must not be its own ancestor; give one of them another name.",
        )
    if name in met:
        raise HierarchyError(
            f"{name!r} stands in the taxonomy more than once",
            fix="Give every name one place in the tree.",
        )
    met.add(name)
    return name


def _missing_line(rows: list[Row], values: Sequence[Value]) -> list[Row]:
    """The line with an empty value stands for missing ones, and for empty text if there is any."""
    for place, row in enumerate(rows):
        if row[0] == "":
            missing: Row = (None, *(label or None for label in row[1:]))
            met = [row] if "" in values else []
            if None in values or not met:
                met.append(missing)
            return [*rows[:place], *met, *rows[place + 1 :]]
    return rows


def floats(leaves: Sequence[Value]) -> list[float]:
    """The leaves as numbers, missing ones as NaN."""
    return [float("nan") if v is None else float(v) for v in leaves]


def with_missing(rows: list[Row], values: Sequence[Value], width: int) -> list[Row]:
    """Add the missing value where the column has it: apart, but for a level of one value."""
    if None not in values or any(row[0] is None for row in rows):
        return rows
    tops = {row[-1] for row in rows}
    top = ANY if not tops else tops.pop() if len(tops) == 1 else None
    return [*rows, (None,) * (width - 1) + (top,)]


def covering(name: str, rows: list[Row], values: Sequence[Value], where: str | None) -> Hierarchy:
    """A hierarchy of given rows that must have every value of the column."""
    known = {row[0] for row in rows}
    lacking = [v for v in dict.fromkeys(values) if v is not None and v not in known]
    if lacking:
        close = nearest(lacking[0], [v for v in known if v])
        hint = f"It has {close!r}; is that {lacking[0]!r}? " if close else ""
        raise unfit(
            name, where, f"{some(lacking)}: not in it",
            f"{hint}Add each of these values, or correct them in the data.",
        )  # fmt: skip
    rows = with_missing(rows, values, len(rows[0]))
    leaves = [row[0] for row in rows]
    if numeric(leaves):
        numbers = floats(leaves)
        try:
            return Hierarchy.of(name, rows, numbers=numbers, where=where)
        except HierarchyError:
            pass  # It joins numbers that are not neighbours: they are codes, not quantities.
    return Hierarchy.of(name, rows, where=where)


def unfit(name: str, where: str | None, what: str, fix: str) -> HierarchyError:
    """The error for values a hierarchy cannot place."""
    return HierarchyError(f"the hierarchy of {name!r} does not fit: {what}", where=where, fix=fix)
