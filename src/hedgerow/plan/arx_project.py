"""Projects of ARX (`.deid`): roles, hierarchies, privacy models, as a plan.

The layout follows from ARX's public source, which writes a ZIP with `input/definition.xml` (an
`assigment`, so spelt, for each column), `input/config.xml` (criteria, as texts) and a file
`input/hierarchies/COLUMN.csv` for each hierarchy. The data in it are not read.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from hedgerow.base.errors import DataError, HierarchyError, some
from hedgerow.base.safe_xml import read_xml
from hedgerow.table.hierarchy import Hierarchy
from hedgerow.table.schema import Role

LARGEST_XML = 20_000_000
LARGEST_HIERARCHY = 200_000_000
MOST_COLUMNS = 10_000
ROLES = {
    "IDENTIFYING_ATTRIBUTE": Role.IDENTIFIER,
    "QUASI_IDENTIFYING_ATTRIBUTE": Role.QUASI_IDENTIFIER,
    "SENSITIVE_ATTRIBUTE": Role.SENSITIVE,
    "INSENSITIVE_ATTRIBUTE": Role.INSENSITIVE,
}
_ATTRIBUTE = r" for attribute '(?P<of>.*)'"
_NUMBER = r"\d+(?:\.\d+)?(?:[eE]-?\d+)?"
_WAYS = {"equal": "equal", "hierarchical": "hierarchical", "ordered": "ordered"}
Claim = dict[str, Any]


def _k(found: re.Match[str]) -> Claim:
    return {"k-anonymity": int(found["k"])}


def _l(found: re.Match[str]) -> Claim:
    l_value = float(found["l"])
    whole = int(l_value) if l_value.is_integer() else l_value
    kind = "distinct" if found["kind"] == "distinct" else "entropy"
    return {"l-diversity": {"l": whole, "kind": kind, "of": found["of"]}}


def _recursive(found: re.Match[str]) -> Claim:
    given = {"kind": "recursive", "c": float(found["c"]), "l": int(found["l"]), "of": found["of"]}
    return {"l-diversity": given}


def _t(found: re.Match[str]) -> Claim:
    distance = _WAYS[found["way"]]
    return {"t-closeness": {"t": float(found["t"]), "distance": distance, "of": found["of"]}}


MODELS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Claim]], ...] = (
    (re.compile(r"(?P<k>\d+)-anonymity"), _k),
    (
        re.compile(
            rf"(?P<kind>distinct|entropy|shannon-entropy)-(?P<l>{_NUMBER})-diversity{_ATTRIBUTE}"
        ),
        _l,
    ),
    (re.compile(rf"recursive-\((?P<c>{_NUMBER}),(?P<l>\d+)\)-diversity{_ATTRIBUTE}"), _recursive),
    (
        re.compile(
            rf"(?P<t>{_NUMBER})-closeness with (?P<way>equal|hierarchical|ordered)"
            rf"(?: ground)?-?(?: ?distance){_ATTRIBUTE}"
        ),
        _t,
    ),
)
"""ARX's privacy models as it writes them, and the claims that say the same."""


@dataclass(frozen=True, kw_only=True)
class ArxColumn:
    """A column of a project."""

    name: str
    role: Role
    rows: tuple[tuple[str, ...], ...] = ()
    """Its hierarchy, leaf first; none if it has only the values."""
    levels: tuple[int, int] | None = None
    """The lowest and the highest level, if the project limits them."""


@dataclass(frozen=True, kw_only=True)
class ArxProject:
    """What a project says that a plan can say."""

    columns: tuple[ArxColumn, ...]
    claims: tuple[Claim, ...]
    suppress: float | None
    notes: tuple[str, ...] = field(default=())
    """What was not taken over."""


def read_project(file: Path) -> ArxProject:
    """A project.

    Raises:
        DataError: It is no project, or damaged, or has more in it than any project.
        HierarchyError: A hierarchy in it is none.
    """
    where = str(file)
    try:
        with zipfile.ZipFile(file) as archive:
            return _project(archive, where)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise DataError(f"cannot be read ({why})", where=where) from None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise DataError(
            f"not a project of ARX ({error})", where=where, fix="Give the .deid file ARX saved."
        ) from None


def _project(archive: zipfile.ZipFile, where: str) -> ArxProject:
    definition = read_xml(
        _member(archive, "input/definition.xml", where, LARGEST_XML),
        where=f"{where}/input/definition.xml",
    )
    config = read_xml(
        _member(archive, "input/config.xml", where, LARGEST_XML), where=f"{where}/input/config.xml"
    )
    notes: list[str] = []
    columns = [_column(archive, one, where, notes) for one in definition.iter("assigment")]
    names = [column.name for column in columns]
    if not columns or len(columns) > MOST_COLUMNS or len(set(names)) < len(names):
        raise DataError(
            "it defines no columns, one of them twice, or more than any table has",
            where=f"{where}/input/definition.xml",
        )
    claims: list[Claim] = []
    for criterion in config.iter("criterion"):
        text = (criterion.text or "").strip()
        claim = next((make(m) for shape, make in MODELS if (m := shape.fullmatch(text))), None)
        about = next((v.get("of") for v in (claim or {}).values() if isinstance(v, dict)), None)
        if claim is None or (about is not None and about not in names):
            notes.append(f"privacy model: {text}")
        else:
            claims.append(claim)
    return ArxProject(
        columns=tuple(columns), claims=tuple(claims), notes=tuple(notes),
        suppress=_share(config, notes),
    )  # fmt: skip


def _share(config: Element, notes: list[str]) -> float | None:
    """The share of people that may be suppressed."""
    text = config.findtext("relativeMaxOutliers")
    if text is None:
        return None
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        notes.append(f"suppression limit: {text}")
        return None
    return share


def _column(archive: zipfile.ZipFile, one: Element, where: str, notes: list[str]) -> ArxColumn:
    name, kind = (one.findtext("name") or ""), (one.findtext("type") or "").strip()
    if not name or kind not in ROLES:
        raise DataError(
            f"the column {name!r} has the type {kind!r}", where=f"{where}/input/definition.xml",
            fix=f"The types of ARX are {some(ROLES)}.",
        )  # fmt: skip
    role = ROLES[kind]
    if one.findtext("microAggregationFunction"):
        notes.append(f"microaggregation of {name}")
    ref = one.findtext("ref")
    if ref is None or role not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
        return ArxColumn(name=name, role=role)
    place = f"input/{ref}"
    # ARX also refers to files of hierarchies that are empty, and does not write these.
    if place not in archive.namelist():
        notes.append(f"hierarchy of {name}: it is not in the file")
        return ArxColumn(name=name, role=role)
    rows = _rows(_member(archive, place, where, LARGEST_HIERARCHY), f"{where}/{place}")
    if not rows or len(rows[0]) < 2:
        return ArxColumn(name=name, role=role)
    Hierarchy.of(name, rows, where=f"{where}/{place}")
    levels = _levels(one, len(rows[0]) - 1) if role is Role.QUASI_IDENTIFIER else None
    return ArxColumn(name=name, role=role, rows=rows, levels=levels)


def _levels(one: Element, top: int) -> tuple[int, int] | None:
    low, high = (one.findtext(key) or "All" for key in ("min", "max"))
    numbers = [int(text) if re.fullmatch(r"\d{1,4}", text) else None for text in (low, high)]
    if numbers == [None, None]:
        return None
    first = min(numbers[0] or 0, top)
    last = top if numbers[1] is None else min(numbers[1], top)
    return (first, max(first, last))


def _rows(content: bytes, where: str) -> tuple[tuple[str, ...], ...]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace")
    first = text.partition("\n")[0]
    delimiter = max(";\t,|", key=first.count)
    try:
        lines = [tuple(row) for row in csv.reader(io.StringIO(text, newline=""),
                                                  delimiter=delimiter) if row]  # fmt: skip
    except csv.Error as error:
        raise HierarchyError(f"not a readable line ({error})", where=where) from None
    ragged = [i for i, row in enumerate(lines, start=1) if len(row) != len(lines[0])]
    if ragged:
        raise HierarchyError(
            f"line {ragged[0]} has {len(lines[ragged[0] - 1])} labels where line 1 has "
            f"{len(lines[0])}", where=where,
        )  # fmt: skip
    return tuple(lines)


def _member(archive: zipfile.ZipFile, name: str, where: str, largest: int) -> bytes:
    """What is in a file of the archive; its stated size is not believed."""
    try:
        with archive.open(name) as file:
            content = file.read(largest + 1)
    except KeyError:
        raise DataError(
            f"it has no {name}, so it is no project of ARX 3 or later", where=where,
            fix="Open it in ARX and save it again.",
        ) from None  # fmt: skip
    if len(content) > largest:
        raise DataError(f"{name} has more than {largest:,} bytes", where=where)
    return content


def plan_of(
    project: ArxProject, files: Mapping[str, str], *, source: str | None = None
) -> tuple[str, Sequence[str]]:
    """The plan, and the notes that stand at its top.

    Args:
        project: The project.
        files: Column -> the file its hierarchy was written to, as the plan names it.
        source: The table, as the plan names it.
    """
    import yaml

    columns: dict[str, Any] = {}
    for column in project.columns:
        told: dict[str, Any] = {"role": str(column.role)}
        if column.name in files:
            told["hierarchy"] = {"csv": files[column.name], "from": "data"}
        if column.levels is not None:
            told["levels"] = list(column.levels)
        columns[column.name] = told
    plan: dict[str, Any] = {} if source is None else {"source": source}
    plan["columns"] = columns
    plan["protect"] = list(project.claims) or [{"k-anonymity": 5}]
    method: dict[str, Any] = {"search": "lattice"}
    if project.suppress is not None:
        method["suppress"] = project.suppress
    plan |= {"method": method, "utility": "loss", "publish": {"to": "release"}}
    notes = [
        "Taken over from a project of ARX. Read every line before you publish.",
        "`from: data` stands beside each hierarchy, since its file lists values that occur: say",
        "`from: public` where nobody looked at the data to make it.",
    ]
    if not project.claims:
        notes.append("It has no privacy model that Hedgerow knows: 5-anonymity is a start.")
    notes += [f"Not taken over: {note}" for note in project.notes]
    head = "".join(f"# {' '.join(note.split())}\n" for note in notes)
    body: str = yaml.safe_dump(
        plan, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120
    )
    return head + body, notes
