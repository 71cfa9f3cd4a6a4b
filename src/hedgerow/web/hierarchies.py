"""Hierarchies as forms: what a form says, as the plan writes it, and back again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from hedgerow import Plan
from hedgerow.api import DATE_LEVELS, Dates
from hedgerow.api.plan_text import data_of, written
from hedgerow.base.errors import HedgerowError, PlanError
from hedgerow.web.draft import Draft

if TYPE_CHECKING:
    from hedgerow.table.hierarchy_builders import Spec

KINDS = {
    "suppression": "all at once: every value becomes *",
    "ranges": "ranges of numbers, of equal width",
    "bins": "groups of your own: edges of numbers, or labels",
    "prefix": "codes, masked from the right",
    "dates": "dates: month, quarter, year, decade",
    "taxonomy": "a tree of names",
    "csv": "a file with a line for each value",
    "text": "as a plan writes it: codes of a public system, and all else",
}
MOST_SORTED = 400
"""Values that a new tree begins with, for somebody to sort."""
MOST_SHOWN = 14
"""Values in a preview."""


@dataclass(frozen=True, kw_only=True)
class Fields:
    """A hierarchy as the fields of its form; those of other kinds are empty."""

    kind: str = "suppression"
    widths: str = ""
    origin: str = ""
    length: str = ""
    steps: str = ""
    dates: tuple[str, ...] = ()
    bins: str = ""
    tree: str = ""
    file: str = ""
    text: str = ""

    def said(self, draft: Draft) -> Any:
        """As the plan writes it.

        Raises:
            PlanError: A field is not what it should be.
        """
        if self.kind == "ranges":
            widths = numbers(self.widths, "The widths")
            if not self.origin.strip() or number(self.origin) == 0:
                return {"ranges": widths}
            return {"ranges": {"widths": widths, "origin": number(self.origin)}}
        if self.kind == "prefix":
            if not self.steps.strip():
                return {"prefix": number(self.length)}
            steps = numbers(self.steps, "The steps")
            return {"prefix": {"length": number(self.length), "steps": steps}}
        if self.kind == "dates":
            return {"dates": [level for level in DATE_LEVELS if level in self.dates]}
        if self.kind == "bins":
            return {"bins": [_level(line) for line in self.bins.splitlines() if line.strip()]}
        if self.kind == "taxonomy":
            return {"taxonomy": tree(self.tree)}
        if self.kind == "csv":
            # A file by its name: one of those uploaded, or one the plan named before.
            if self.file in uploaded(draft):
                return draft.reference(self.file)
            return self.file
        if self.kind == "text":
            return _read(self.text)
        if self.kind not in KINDS:
            raise PlanError(f"there is no hierarchy {self.kind[:40]!r}")
        return "suppression"


def fields_of(said: Any) -> Fields:
    """The fields of what the plan says."""
    if isinstance(said, str) and said not in KINDS:
        return Fields(kind="csv", file=said)
    if isinstance(said, str):
        return Fields(kind=said, dates=tuple(Dates.levels) if said == "dates" else ())
    if not isinstance(said, dict) or len(said) != 1:
        # What stands beside the kind, such as `from: data`, must not get lost.
        return Fields(kind="text", text=written(said))
    ((kind, how),) = said.items()
    if kind == "ranges" and isinstance(how, dict):
        return Fields(
            kind=kind, widths=_listed(how.get("widths")), origin=str(how.get("origin", ""))
        )
    if kind == "prefix" and isinstance(how, dict) and "keep" not in how:
        return Fields(kind=kind, length=str(how.get("length", "")), steps=_listed(how.get("steps")))
    if kind == "bins" and isinstance(how, list):
        return Fields(kind=kind, bins="\n".join(_line(level) for level in how))
    if kind in ("codes", "coding") or (isinstance(how, dict) and kind == "prefix"):
        return Fields(kind="text", text=written(said))
    simple: dict[str, dict[str, Any]] = {
        "ranges": {"widths": _listed(how)},
        "prefix": {"length": str(how)},
        "dates": {"dates": tuple(how) if isinstance(how, list) else Dates.levels},
        "taxonomy": {"tree": outline(how)},
        "csv": {"file": str(how)},
    }
    return Fields(kind=kind, **simple[kind]) if kind in simple else Fields()


def _read(text: str) -> Any:
    """What a plan says under `hierarchy`.

    Raises:
        PlanError: It is empty, or no YAML.
    """
    if not text.strip():
        raise PlanError("the hierarchy is empty", fix="Write one, such as {codes: icd-10}.")
    try:
        return data_of(f"columns: {{x: {{hierarchy: {text.strip()}\n}}}}")["columns"]["x"][
            "hierarchy"
        ]
    except (HedgerowError, KeyError, TypeError):
        raise PlanError(
            "this is no hierarchy as a plan writes it", fix="Write it like {codes: icd-10}."
        ) from None


def uploaded(draft: Draft) -> list[str]:
    """The files that were uploaded."""
    return sorted(p.name for p in draft.files.iterdir() if p.is_file() and p.name[0] != ".")


def spec_of(draft: Draft, column: str, said: Any) -> Spec:
    """The builder of what a form says, checked as the plan is.

    Raises:
        HedgerowError: What is wrong with it.
    """
    column_said = {"role": "quasi-identifier", "hierarchy": said}
    text = written({"columns": {column: column_said}, "protect": [{"k-anonymity": 2}]}, block=True)
    try:
        plan = Plan.parse(text, name="plan.yaml", folder=draft.base)
        draft.refuse_foreign(plan)
    except HedgerowError as error:
        first = getattr(error, "errors", (error,))[0]
        # The line would be that of a plan which nobody has seen.
        raise PlanError(first.what, fix=first.fix) from None
    return plan.hierarchy_spec(column)


@dataclass(frozen=True)
class LevelTable:
    """Some values of a column on every level, and how many values each level has."""

    rows: tuple[tuple[str | None, ...], ...]
    distinct: tuple[int, ...]
    more: int


def shown(spec: Spec, column: str, values: Sequence[str | None]) -> LevelTable:
    """The preview of a hierarchy on the column's own values.

    Raises:
        HedgerowError: It does not fit them.
    """
    hierarchy = spec.bind(column, values)
    ours = set(values)
    leaves = [leaf for leaf, value in enumerate(hierarchy.values) if value in ours]
    step = max(1, len(leaves) // MOST_SHOWN)
    some = leaves[::step][:MOST_SHOWN]
    rows = tuple(
        tuple(
            hierarchy.labels[level][hierarchy.codes[level][leaf]]
            for level in range(hierarchy.height + 1)
        )
        for leaf in some
    )
    distinct = tuple(
        len({int(hierarchy.codes[level][leaf]) for leaf in leaves})
        for level in range(hierarchy.height + 1)
    )
    return LevelTable(rows, distinct, len(leaves) - len(some))


def number(text: str) -> int | float:
    """A number somebody typed.

    Raises:
        PlanError: It is none.
    """
    text = text.strip()
    try:
        return int(text) if re.fullmatch(r"[-+]?\d{1,300}", text, re.ASCII) else float(text)
    except ValueError:
        raise PlanError(f"{text[:40]!r} is not a number", fix="Write one, such as 5.") from None


def numbers(text: str, what: str) -> list[int | float]:
    """Numbers somebody typed, with commas or spaces between them."""
    parts = re.split(r"[\s,;]+", text.strip())
    if parts == [""]:
        raise PlanError(f"{what} are missing", fix="Write numbers, such as 5, 10, 20.")
    return [number(part) for part in parts]


def tree(text: str) -> Any:
    r"""A tree from an outline: what stands further in is below.

    >>> tree("Europe\n  France\n  Spain\nAsia\n  Japan")
    {'Europe': ['France', 'Spain'], 'Asia': ['Japan']}

    Raises:
        PlanError: A line stands further out than anything above it allows.
    """
    root: list[Any] = []
    open_at: list[tuple[int, list[Any]]] = [(-1, root)]
    for line in text.expandtabs(4).splitlines():
        if not line.strip():
            continue
        depth = len(line) - len(line.lstrip())
        while depth <= open_at[-1][0]:
            open_at.pop()
        node: list[Any] = []
        open_at[-1][1].append((line.strip(), node))
        open_at.append((depth, node))
        if len(open_at) > 60:
            raise PlanError("the tree is more than 60 levels deep")
    if not root:
        raise PlanError("the tree is empty", fix="Write a name on each line, parts further in.")
    return _branches(root)


def _branches(nodes: list[Any]) -> Any:
    if all(not below for _, below in nodes):
        return [name for name, _ in nodes]  # also of nothing: a value beside branches
    names = [name for name, _ in nodes]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise PlanError(f"{twice!r} stands twice in the tree", fix="Give every name one place.")
    return {name: _branches(below) for name, below in nodes}


def outline(said: Any, depth: int = 0) -> str:
    """A tree as an outline.

    >>> print(outline({"Europe": ["France"], "Asia": ["Japan"]}))
    Europe
      France
    Asia
      Japan
    """
    space = "  " * depth
    if isinstance(said, Mapping):
        return "\n".join(
            f"{space}{name}" + (f"\n{outline(below, depth + 1)}" if below else "")
            for name, below in said.items()
        )
    if isinstance(said, list):
        return "\n".join(
            outline(part, depth) if isinstance(part, dict | list) else f"{space}{part}"
            for part in said
        )
    return f"{space}{said}"


def _level(line: str) -> list[Any]:
    """A level of bins: edges, or groups of labels with bars between them."""
    if "|" in line:
        return [[label.strip() for label in group.split(",")] for group in line.split("|")]
    return list(numbers(line, "The edges"))


def _line(level: Any) -> str:
    if not isinstance(level, list):
        return str(level)
    if any(isinstance(group, list) for group in level):
        return " | ".join(
            ", ".join(map(str, group if isinstance(group, list) else [group])) for group in level
        )
    return ", ".join(map(str, level))


def _listed(said: Any) -> str:
    return (
        ", ".join(map(str, said)) if isinstance(said, list) else "" if said is None else str(said)
    )


def name_of(file: str) -> str:
    """A file's name for people, without the folders it lies in."""
    return PurePath(file).name
