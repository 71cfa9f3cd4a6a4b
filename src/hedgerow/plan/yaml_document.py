"""YAML as plain data in which every key still knows its line.

Only what a plan needs is read: mappings, lists, texts, numbers, true and false. `no`, `on`,
`2024-01-01` and `013` stay texts, keys are always texts, and nothing is ever executed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from hedgerow.base.errors import PlanError
from hedgerow.base.problems import Place, Problem

LARGEST = 20_000_000
"""Bytes of a plan; ten thousand columns need one."""
MOST_NODES = 1_000_000
"""Values in a plan, aliases written out: a few aliases of aliases can make billions."""

DEEPEST = 150
"""Levels of nesting."""

_Base: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc]
    """PyYAML's safe loader with the types of YAML 1.2."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - filled by PyYAML's own method


_TAG = "tag:yaml.org,2002:"
for _name, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
    (
        "float",
        r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        "-+.0123456789",
    ),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
):
    _Loader.add_implicit_resolver(_TAG + _name, re.compile(f"^(?:{_pattern})$"), list(_first))


@dataclass(frozen=True)
class Document:
    """What a file says, and on which line it says it."""

    name: str
    data: Any
    lines: Mapping[Place, int]
    problems: tuple[Problem, ...]
    """Keys that stand twice, tags that are not data."""

    def line(self, place: Place) -> int:
        """The line of a place, or of the nearest one around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


def _nowhere(place: Place) -> bool:
    return False


def read_document(
    path: Path,
    *,
    as_text: Callable[[Place], bool],
    or_null: Callable[[Place], bool] = _nowhere,
) -> Document:
    """Read a file.

    Args:
        path: The file.
        as_text: Whether the value at a place is a text, however much it looks like a number.
        or_null: Whether null, without quotes, is nothing there even in a list of texts.

    Raises:
        PlanError: The file cannot be read or is not YAML.
    """
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise PlanError(f"cannot be read ({reason})", where=str(path)) from None
    if len(content) > LARGEST:
        raise PlanError(f"larger than {LARGEST:,} bytes, which no plan is", where=str(path))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PlanError(
            f"byte {content[error.start]:#04x} is not UTF-8", where=f"{path}:{line}",
            fix="Save the file as UTF-8.",
        ) from None  # fmt: skip
    return parse_document(text, name=str(path), as_text=as_text, or_null=or_null)


def parse_document(
    text: str,
    *,
    name: str,
    as_text: Callable[[Place], bool],
    or_null: Callable[[Place], bool] = _nowhere,
) -> Document:
    """Parse a text; see `read_document`."""
    try:
        _refuse_bombs(text)
        root = yaml.compose(text, Loader=_Loader)
        walk = _Walk(as_text, or_null)
        data = walk.value(root, (), ()) if root is not None else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise PlanError(
            f"not a readable plan: {error.problem or error.context}", where=f"{name}:{line}"
        ) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, int(error.position)) + 1
        raise PlanError(
            f"not a readable plan: {error.reason}", where=f"{name}:{line}",
            fix='Write the character as an escape in double quotes, such as "\\u0000".',
        ) from None  # fmt: skip
    return Document(name, data, walk.lines, tuple(walk.problems))


@dataclass
class _Open:
    """A mapping or a list that has begun."""

    anchor: str | None = None
    mapping: bool = False
    parts: int = 0
    values: int = 1
    levels: int = 1


def _refuse_bombs(text: str) -> None:
    """Composing recurses, in C without a limit, and so do aliases of aliases: look first.

    What an anchor stands for is counted once, so that this takes as long as the text is.
    """
    # Each mapping and each list is begun by one of these, and without aliases no value is longer
    # than the text: most plans need no closer look.
    if "*" not in text and len(text) <= MOST_NODES and sum(map(text.count, "[{-:?")) <= DEEPEST:
        return
    known: dict[str, tuple[int, int]] = {}
    around = [_Open(values=0, levels=0)]
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            around.append(_Open(event.anchor, isinstance(event, yaml.MappingStartEvent)))
            anchor, values, levels = None, 0, 0
        elif isinstance(event, yaml.CollectionEndEvent):
            ended = around.pop()
            anchor, values, levels = ended.anchor, ended.values, ended.levels
        elif isinstance(event, yaml.ScalarEvent):
            anchor, values, levels = event.anchor, 1, 0
        elif isinstance(event, yaml.AliasEvent):
            # One that is not known yet stands inside itself, which is refused later.
            anchor, (values, levels) = None, known.get(str(event.anchor), (1, 0))
        else:
            continue
        if len(around) - 1 + levels > DEEPEST:
            raise _refused(f"more than {DEEPEST} levels deep", event)
        if isinstance(event, yaml.CollectionStartEvent):
            continue
        if anchor is not None:
            known[anchor] = values, levels
        outer = around[-1]
        is_key = outer.mapping and outer.parts % 2 == 0
        outer.parts += 1
        outer.values += 0 if is_key else values
        outer.levels = max(outer.levels, levels + 1)
        if outer.values > MOST_NODES:
            raise _refused(f"more than {MOST_NODES:,} values", event)


def _refused(problem: str, at: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=at.start_mark)


class _Walk:
    """One pass over the nodes of a document."""

    def __init__(self, as_text: Callable[[Place], bool], or_null: Callable[[Place], bool]) -> None:
        self.as_text, self.or_null = as_text, or_null
        self.lines: dict[Place, int] = {}
        self.problems: list[Problem] = []
        self.nodes = 0

    def value(self, node: yaml.Node, place: Place, around: tuple[int, ...]) -> Any:
        self.lines.setdefault(place, node.start_mark.line + 1)
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise _refused(f"more than {MOST_NODES:,} values", node)
        if id(node) in around:
            raise _refused("an anchor (&) is used inside itself (*), so this has no end", node)
        inside = (*around, id(node))
        if isinstance(node, yaml.MappingNode) and node.tag == _TAG + "map":
            return self.mapping(node, place, inside)
        if isinstance(node, yaml.SequenceNode) and node.tag == _TAG + "seq":
            return [self.value(n, (*place, i), inside) for i, n in enumerate(node.value)]
        if isinstance(node, yaml.ScalarNode) and node.tag.removeprefix(_TAG) in _SCALARS:
            kind = node.tag.removeprefix(_TAG)
            # In a list of labels "null" and "~" are labels; after a key they mean no value.
            if self.as_text(place) and (
                kind != "null"
                or (node.value and isinstance(place[-1], int) and not self.or_null(place))
            ):
                return node.value
            return _SCALARS[kind](node.value)
        self.problems.append(
            Problem(place, f"the tag {node.tag.replace(_TAG, '!!')} is not data", "Leave it out.")
        )
        return None

    def mapping(self, node: yaml.MappingNode, place: Place, inside: tuple[int, ...]) -> Any:
        data: dict[str, Any] = {}
        for key, below in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self.problems.append(Problem(place, "a key is a list or mapping, not a name", None))
                continue
            here = (*place, key.value)
            line = key.start_mark.line + 1
            if key.value in data:
                self.problems.append(
                    Problem(
                        here,
                        f"the key {key.value!r} stands twice (first in line {self.lines[here]})",
                        "Keep one of the two.",
                        line,
                    )
                )
                continue
            self.lines[here] = line
            data[key.value] = self.value(below, here, inside)
        return data


_SCALARS: Mapping[str, Callable[[str], Any]] = {
    "str": str,
    "int": lambda text: int(text) if len(text) < 400 else text,
    "float": lambda text: float(text.lower().replace(".inf", "inf").replace(".nan", "nan")),
    "bool": lambda text: text.lower() == "true",
    "null": lambda text: None,
}
