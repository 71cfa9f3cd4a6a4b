"""Changes to a plan's text that leave the rest of it, with its comments, as it was.

The text is cut where YAML says that a value begins and ends. Afterwards it is read again: if
the result is not what was asked for (anchors, odd layouts), the plan is written anew instead,
which loses comments but never a value.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import yaml

from hedgerow.base.errors import PlanError
from hedgerow.plan.text_places import is_domain, is_text
from hedgerow.plan.yaml_document import Document, parse_document
from hedgerow.plan.yaml_scalar import scalar

Place = tuple[str | int, ...]
"""Where something stands: keys, and numbers of entries of lists."""

REMOVED: Any = object()
"""In place of a value: take the key, or the entry, away."""
WIDEST = 88
"""Characters of a value on one line; longer ones get a line for each part."""


class Typed(str):
    """A number with the digits it was typed with; written without quotes."""

    __slots__ = ()


def document_of(text: str) -> Document:
    """What a plan's text says, and on which line.

    Raises:
        PlanError: It is not YAML.
    """
    return parse_document(text, name="plan.yaml", as_text=is_text, or_null=is_domain)


def data_of(text: str) -> Any:
    """What a plan's text says, as plain data; whether it is right is another question.

    Raises:
        PlanError: It is not YAML.
    """
    return document_of(text).data


def changed(text: str, place: Place, value: Any) -> str:
    r"""The text with another value at a place; the number one past the last appends to a list.

    >>> print(changed("age: {role: sensitive}  # why\n", ("age", "role"), "identifier"), end="")
    age: {role: identifier}  # why

    Raises:
        PlanError: The text is not a plan's, so that there are no places in it.
    """
    before = data_of(text)
    try:
        wanted = _put(copy.deepcopy(before) or {}, place, value)
    except (TypeError, LookupError):
        raise PlanError(
            "the text is no plan, so nothing in it can be changed",
            fix="Write a plan, or open the one you began with.",
        ) from None
    try:
        result = _cut(text, place, value)
        if _alike(data_of(result), wanted):
            return result
    except (PlanError, LookupError, ValueError, yaml.YAMLError):
        pass
    return written(wanted, block=True)


def without_guess(text: str, place: Place) -> str:
    """The text without the comment above a place that says why it was guessed."""
    try:
        line = document_of(text).lines[place] - 1
    except (PlanError, KeyError):
        return text
    lines = text.splitlines(keepends=True)
    if line and lines[line - 1].lstrip().startswith("# guessed"):
        del lines[line - 1]
    return "".join(lines)


def written(value: Any, *, block: bool = False, indent: int = 0) -> str:
    """A value as the plan's YAML; on one line, or in block style with a line for each part.

    >>> written({"l": 3, "of": "no"})
    '{l: 3, of: "no"}'
    """
    if isinstance(value, Mapping):
        if not value:
            return "{}"
        if not block:
            return "{" + ", ".join(f"{scalar(k)}: {written(v)}" for k, v in value.items()) + "}"
        return "".join(
            f"{' ' * indent}{scalar(key)}:{_below(part, indent)}\n" for key, part in value.items()
        )
    if isinstance(value, Sequence) and not isinstance(value, str):
        if not block or not value:
            return "[" + ", ".join(map(written, value)) + "]"
        return "".join(f"{' ' * indent}-{_after_dash(part, indent)}\n" for part in value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Typed):
        return str(value)
    return scalar(str(value))


def _below(value: Any, indent: int) -> str:
    """What stands after a colon."""
    flat = written(value)
    if len(flat) <= WIDEST or not isinstance(value, Mapping | list | tuple) or not value:
        return f" {flat}"
    return "\n" + written(value, block=True, indent=indent + 2).removesuffix("\n")


def _after_dash(value: Any, indent: int) -> str:
    """What stands after a dash: a claim is one key, which needs no braces."""
    if isinstance(value, Mapping) and len(value) == 1:
        ((key, part),) = value.items()
        return f" {scalar(key)}:{_below(part, indent + 2)}"
    return _below(value, indent)


def _put(data: Any, place: Place, value: Any) -> Any:
    """The data with another value at a place."""
    if not place:
        return value
    key, *rest = place
    if isinstance(data, list) and isinstance(key, int) and key == len(data):
        data.append(None)
    if not rest and value is REMOVED:
        del data[key]
        return data
    below = data.get(key) if isinstance(data, dict) else data[key]
    if rest and not isinstance(below, dict | list):
        below = [] if isinstance(rest[0], int) else {}
    data[key] = _put(below, tuple(rest), value)
    return data


def _alike(one: Any, other: Any) -> bool:
    """Whether two are the same to a reader of plans: 5 and 5.0 are, and so are 1/2 and "0.5"."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return list(one) == list(other) and all(_alike(one[key], other[key]) for key in one)
    if isinstance(other, tuple | list) and isinstance(one, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(other, Fraction) or type(one) is not type(other):
        return str(one) == str(other)
    return bool(one == other)


def _cut(text: str, place: Place, value: Any) -> str:
    """The change made in the text itself."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    if node is None or not place:
        raise LookupError(place)
    around: list[tuple[yaml.Node, int]] = []
    for depth, key in enumerate(place):
        entries = _entries(node)
        at = next((i for i, (name, _, _) in enumerate(entries) if name == key), None)
        if at is None:
            rest: Any = value
            for missing in reversed(place[depth + 1 :]):
                rest = [rest] if isinstance(missing, int) else {missing: rest}
            return text if value is REMOVED else _inserted(text, node, entries, key, rest)
        around.append((node, at))
        node = entries[at][2]
    parent, at = around[-1]
    if value is REMOVED:
        return _removed(text, parent, _entries(parent), at)
    first, end = node.start_mark.index, _end(node)
    return text[:first] + _in_place(text, parent, _entries(parent)[at], value) + text[end:]


def _entries(node: yaml.Node) -> list[tuple[str | int, yaml.Node, yaml.Node]]:
    """What a mapping or a list holds: the name, the node where it begins, and its value."""
    if isinstance(node, yaml.MappingNode):
        return [(key.value, key, below) for key, below in node.value]
    if isinstance(node, yaml.SequenceNode):
        return [(number, below, below) for number, below in enumerate(node.value)]
    raise LookupError("a single value holds nothing")


def _in_braces(node: yaml.Node) -> bool:
    """Whether it is written in braces or brackets."""
    return isinstance(node, yaml.CollectionNode) and bool(node.flow_style)


def _end(node: yaml.Node) -> int:
    """Where a value ends; of block style the last part's end, since YAML counts what follows."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.index)


def _in_place(
    text: str, parent: yaml.Node, entry: tuple[str | int, yaml.Node, yaml.Node], value: Any
) -> str:
    """The value's text, in block style where it is long and the style around allows it."""
    flat = written(value)
    if isinstance(entry[0], int) and not _in_braces(parent):
        return _after_dash(value, entry[1].start_mark.column - 2).lstrip()
    if _in_braces(parent) or len(flat) <= WIDEST or not isinstance(value, Mapping | list | tuple):
        return flat
    column = entry[1].start_mark.column
    block = "\n" + written(value, block=True, indent=column + 2).removesuffix("\n")
    standing = text[: entry[2].start_mark.index]
    # Where the old value began on a line of its own, that line's beginning is there already.
    line = standing.rpartition("\n")[2]
    return block.lstrip() if not line.strip() else block


def _inserted(
    text: str, parent: yaml.Node, entries: list[tuple[str | int, yaml.Node, yaml.Node]],
    key: str | int, value: Any,
) -> str:  # fmt: skip
    """A new entry after the last one."""
    head = "" if isinstance(key, int) else f"{scalar(key)}: "
    if _in_braces(parent) or not entries:
        flat = head + written(value)
        close = _end(parent) - 1
        if not _in_braces(parent) or text[close] not in "]}":
            raise LookupError("not in braces")
        return text[:close].rstrip() + (", " if entries else "") + flat + text[close:]
    listed = isinstance(key, int)
    column = entries[0][1].start_mark.column - (2 if listed else 0)
    after = _after_dash(value, column) if listed else f"{scalar(str(key))}:{_below(value, column)}"
    line = f"{' ' * column}{'-' if listed else ''}{after}\n"
    at = _line_end(text, _end(entries[-1][2]))
    return text[:at] + ("" if text[:at].endswith("\n") else "\n") + line + text[at:]


def _removed(
    text: str, parent: yaml.Node, entries: list[tuple[str | int, yaml.Node, yaml.Node]], at: int
) -> str:
    """The text without an entry."""
    _, begins, below = entries[at]
    if _in_braces(parent):
        if at + 1 < len(entries):
            return text[: begins.start_mark.index] + text[entries[at + 1][1].start_mark.index :]
        first = _end(entries[at - 1][2]) if at else begins.start_mark.index
        return text[:first] + text[_end(below) :]
    if len(entries) == 1:
        first, end = parent.start_mark.index, _end(parent)
        return text[:first] + ("[]" if isinstance(parent, yaml.SequenceNode) else "{}") + text[end:]
    first = text.rfind("\n", 0, begins.start_mark.index) + 1
    return text[:first] + text[_line_end(text, _end(below)) :]


def _line_end(text: str, index: int) -> int:
    """After the line's end: a comment behind a value belongs to it."""
    found = text.find("\n", index)
    return len(text) if found < 0 else found + 1
