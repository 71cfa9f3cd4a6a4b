"""How a published table writes values, and what whoever reads them takes them for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hedgerow.base.errors import DataError, some
from hedgerow.engines.base import TablePlace
from hedgerow.engines.csv_lines import rerun, unrun

Value = str | None


@dataclass(frozen=True, kw_only=True)
class WrittenForm:
    """The form a certificate states; another tool's table is read as it stands.

    >>> form = WrittenForm(escaped=True)
    >>> form.written("=1+1"), form.meant("'=1+1"), form.meant("'tis")
    ("'=1+1", '=1+1', "'tis")
    """

    escaped: bool = False
    """Whether values that a spreadsheet would run have an apostrophe before them."""
    alone: bool = False
    """Whether it is the only column of a CSV file, where missing is written as ""."""
    delimiter: str | None = None
    """Of a CSV file, where it is known: guessing it could be led astray by a column name."""

    @classmethod
    def of(cls, file: Path | TablePlace, columns: Sequence[str], *, escaped: bool) -> WrittenForm:
        """The form of a file, or a table, that Hedgerow wrote.

        Args:
            file: Where it is.
            columns: The columns that were published.
            escaped: Whether formulas were escaped.
        """
        csv = file.suffix == ".csv"
        return cls(escaped=escaped, alone=csv and len(columns) == 1, delimiter="," if csv else None)

    def header(self, name: str) -> str:
        """What a column's name is in the file."""
        return unrun(name) if self.escaped else name

    def column(self, header: str) -> str:
        """The column that a name in the file stands for."""
        return rerun(header) if self.escaped else header

    def all_columns(self, headers: Sequence[str]) -> list[str]:
        """The columns that the names in a file stand for.

        Raises:
            DataError: Two names stand for one column.
        """
        found = [self.column(header) for header in headers]
        for name in found:
            if found.count(name) > 1:
                raise DataError(
                    f"two columns of the file stand for {name!r}",
                    fix="Ask for the release as it was published.",
                )
        return found

    def written(self, value: Value) -> Value:
        """What a value is in the file."""
        if value is None:
            return "" if self.alone else None
        return unrun(value) if self.escaped else value

    def meant(self, text: Value) -> Value:
        """The value that is written so, as far as anybody can tell."""
        if text is None or (self.alone and text == ""):
            return None
        return rerun(text) if self.escaped else text

    def read_back(self, value: Value) -> Value:
        """What a value is taken for once it was written.

        >>> WrittenForm(escaped=True).read_back("'=1+1")
        '=1+1'
        """
        return self.meant(self.written(value))

    def all_meant(self, column: str, texts: Sequence[Value]) -> list[Value]:
        """The values that the different texts of a column stand for.

        Raises:
            DataError: Two texts stand for one value. Hedgerow does not write such a file, and a
                reader could count two groups as one.
        """
        if not (self.escaped or self.alone):
            return list(texts)
        met: dict[Value, Value] = {}
        for text in texts:
            if (first := met.setdefault(self.meant(text), text)) != text:
                raise DataError(
                    f"{some([first, text])} in {column!r} stand for one value",
                    fix="Ask for the release as it was published.",
                )
        return list(met)


FOREIGN = WrittenForm()
"""A table of another tool: it says what stands in it."""
