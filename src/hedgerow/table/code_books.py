"""Code books: what the codes of a table's columns mean, and the hierarchies that follow."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from hedgerow.base.errors import DataError, nearest, some
from hedgerow.base.safe_xml import LARGEST, read_xml
from hedgerow.table.proposals.categories import by_words
from hedgerow.table.proposals.names import free_name
from hedgerow.table.taxonomies import Taxonomy

HEADS = {
    "variable": ("variable", "column", "field", "name", "var"),
    "code": ("code", "value", "level", "cat"),
    "label": ("label", "meaning", "text", "description"),
}
"""What the columns of a code book in CSV may be called."""


@dataclass(frozen=True)
class CodedColumn:
    """What the codes of one column mean."""

    labels: Mapping[str, str]
    """Code -> label."""
    missing: tuple[str, ...] = ()
    """Codes that mean that there is no value."""

    @property
    def domain(self) -> tuple[str, ...]:
        """The codes that are values: what everybody may know of the column."""
        return tuple(code for code in self.labels if code not in self.missing)

    @cached_property
    def tree(self) -> list[Any]:
        """Words that labels have in common, the labels, the codes below each.

        >>> book = CodedColumn({"1": "Married, living together", "2": "Married, apart",
        ...                     "3": "Single", "9": "Unknown"}, missing=("9",))
        >>> book.tree[0], list(book.tree[1])
        ({'Single': ['3']}, ['Married ..'])
        """
        codes: dict[str, list[str]] = {}
        for code in self.domain:
            codes.setdefault(self.labels[code], []).append(code)
        taken = set(self.domain)
        named = {label: free_name(label, taken) for label in codes}
        shape = by_words(list(codes)) or list(codes)

        def written(part: Any) -> Any:
            if isinstance(part, str):
                return {named[part]: codes[part]}
            return {free_name(name, taken): [written(one) for one in below]
                    for name, below in part.items()}  # fmt: skip

        return [written(part) for part in shape]

    def spec(self) -> Taxonomy:
        """The hierarchy: code, label, words that labels have in common, `*`.

        Raises:
            HierarchyError: It has no codes, or labels that stand for two things.
        """
        return Taxonomy(tree=self.tree)


@dataclass(frozen=True)
class CodeBook:
    """The coded columns of a table."""

    columns: Mapping[str, CodedColumn]
    where: str
    """What messages call it."""

    def column(self, name: str) -> CodedColumn:
        """A column.

        Raises:
            DataError: The book has none of that name.
        """
        if name in self.columns:
            return self.columns[name]
        folded = {one.casefold(): one for one in self.columns}
        if name.casefold() in folded:
            return self.columns[folded[name.casefold()]]
        close = nearest(name, list(self.columns))
        raise DataError(
            f"the code book has no codes of {name!r}", where=self.where,
            fix=f"Did you mean {close!r}?" if close else f"It has {some(self.columns)}.",
        )  # fmt: skip


def from_value_labels(
    labels: Mapping[str, Mapping[Any, str]], missing: Mapping[str, Iterable[Any]] | None = None
) -> CodeBook:
    """The code book of a file that has value labels, such as those of SPSS and Stata.

    >>> from_value_labels({"sex": {1.0: "male", 2.0: "female"}}).column("sex").domain
    ('1', '2')

    Args:
        labels: Column -> code -> label; codes may be numbers.
        missing: Column -> codes that mean that there is no value.
    """
    said = {name: {_code(code) for code in codes} for name, codes in (missing or {}).items()}
    columns = {}
    for name, given in labels.items():
        codes = {_code(code): str(label) for code, label in given.items()}
        columns[name] = CodedColumn(codes, tuple(c for c in codes if c in said.get(name, ())))
    return CodeBook(columns, "value labels")


def read_code_book(file: Path) -> CodeBook:
    """A code book: DDI (XML), or CSV with a line for each code: variable, code, label.

    Raises:
        DataError: It cannot be read, or is none.
    """
    try:
        size = file.stat().st_size
        content = file.read_bytes() if size <= LARGEST else b""
    except (OSError, ValueError) as error:
        raise DataError(
            f"cannot be read ({getattr(error, 'strerror', None) or error})", where=str(file)
        ) from None
    if size > LARGEST:
        raise DataError(f"larger than {LARGEST:,} bytes, which no code book is", where=str(file))
    start = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if start == b"<" or content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return _from_ddi(content, str(file))
    return _from_csv(content, str(file))


def _from_ddi(content: bytes, where: str) -> CodeBook:
    """DDI Codebook: `var` with `catgry`, each with `catValu` and `labl`."""
    root = read_xml(content, where=where)
    columns: dict[str, CodedColumn] = {}
    for variable in root.iter("var"):
        name = variable.get("name") or variable.get("ID")
        labels: dict[str, str] = {}
        missing: list[str] = []
        for category in variable.iter("catgry"):
            code = (category.findtext("catValu") or "").strip()
            label = " ".join((category.findtext("labl") or "").split())
            if code:
                labels[code] = label or code
                if category.get("missing") == "Y":
                    missing.append(code)
        if name and labels:
            columns[name.strip()] = CodedColumn(labels, tuple(missing))
    if not columns:
        raise DataError(
            "it has no variables with categories, so it is no DDI code book", where=where,
            fix="Save it as DDI Codebook (2.5), or as CSV with the columns variable, code, label.",
        )  # fmt: skip
    return CodeBook(columns, where)


def _from_csv(content: bytes, where: str) -> CodeBook:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"byte {content[error.start]:#04x} is not UTF-8", where=f"{where}:{line}",
            fix="Save the file as UTF-8.",
        ) from None  # fmt: skip
    first = text.partition("\n")[0]
    delimiter = max(";\t,", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        lines = [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise DataError(
            f"not a readable line ({error})", where=f"{where}:{reader.line_num}"
        ) from None
    heads = [cell.strip().casefold() for cell in (lines[0][1] if lines else [])]
    places = {
        part: next((heads.index(head) for head in known if head in heads), None)
        for part, known in HEADS.items()
    }
    if None in places.values():
        raise DataError(
            "the first line does not name the columns variable, code and label",
            where=f"{where}:1", fix="Write `variable,code,label`, then a line for each code.",
        )  # fmt: skip
    found: dict[str, dict[str, str]] = {}
    for line, row in lines[1:]:
        if len(row) != len(heads):
            raise DataError(
                f"{len(row)} column(s) where line 1 has {len(heads)}", where=f"{where}:{line}",
                fix="Put texts that contain the delimiter in quotes.",
            )  # fmt: skip
        name, code, label = (row[places[part] or 0].strip() for part in HEADS)
        if code in found.setdefault(name, {}):
            raise DataError(
                f"the code {code!r} of {name!r} stands there already", where=f"{where}:{line}",
                fix="Give every code one line.",
            )  # fmt: skip
        found[name][code] = label or code
    return replace(from_value_labels(found), where=where)


def _code(code: Any) -> str:
    """A code as a table of texts has it: 1.0 is 1."""
    if isinstance(code, float) and code.is_integer():
        return str(int(code))
    return str(code)
