"""What was detected in a file before anything is read from it for good: shown to a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hedgerow.engines.source_form import SourceForm


@dataclass(frozen=True, kw_only=True)
class UnreadableValues:
    """Values of a column that are not what the rest of it is; they stay as they are written."""

    column: str
    wanted: str
    """What they are not, such as "a date with the day first"."""
    count: int
    lines: tuple[int, ...]
    """Where the first of them stand: lines of a text file, else rows, the header being 1."""
    examples: tuple[str, ...]
    """Those values, in the same order."""

    def __str__(self) -> str:
        shown = ", ".join(
            f"{text!r} (line {line:,})"
            for text, line in zip(self.examples, self.lines, strict=False)
        )
        verb = "value is" if self.count == 1 else "values are"
        more = ", …" if self.count > len(self.examples) else ""
        return f"{self.column}: {self.count:,} {verb} not {self.wanted}: {shown}{more}"


@dataclass(frozen=True, kw_only=True)
class ReadQuestion:
    """What the file alone does not decide; `publish` refuses until the plan says it."""

    key: str
    """The key under `read`, such as "dates"."""
    column: str
    choices: tuple[str, ...]
    because: str
    """An example, and what it may mean."""

    def __str__(self) -> str:
        ways = " or ".join(f"`{self.key}: {{{self.column}: {one}}}`" for one in self.choices)
        return f"{self.column}: {self.because}. Say {ways} under `read`."


@dataclass(frozen=True, kw_only=True)
class FileLook:
    """A file as it would be read: what was detected, what could not be, and the first rows."""

    source: str
    format: str
    """Such as "CSV"."""
    columns: tuple[str, ...]
    rows: int
    first_rows: tuple[tuple[str | None, ...], ...]
    """As they are counted and published: numbers with a point, dates as 2020-04-03."""
    form: SourceForm
    """How to open it: `open_engine(source, form=look.form)`. What a plan says under `read`."""
    encoding: str | None = None
    """None where the format says itself."""
    assumed: bool = False
    """Whether the encoding is only likely: every file can be read as Latin-1."""
    accented: tuple[str, ...] = ()
    """Texts of the file by which a person can judge the encoding."""
    delimiter: str | None = None
    quote: str | None = None
    escape: str | None = None
    blanks: bool = False
    """Whether blanks beside delimiters are passed over."""
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    """All of a workbook."""
    decimal: Mapping[str, str] = field(default_factory=dict)
    """By column, where it is a comma."""
    thousands: Mapping[str, str] = field(default_factory=dict)
    dates: Mapping[str, str] = field(default_factory=dict)
    """By column, where dates are not ISO dates already."""
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By column, the label of each code."""
    declared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By column, values that the file declares missing."""
    missing: tuple[str, ...] = ()
    """Texts that mean missing among numbers or dates; a plan says them under `null`."""
    unreadable: tuple[UnreadableValues, ...] = ()
    questions: tuple[ReadQuestion, ...] = ()
    notes: tuple[str, ...] = ()
    """What else a person should know, each a sentence."""

    @property
    def usual(self) -> bool:
        """Whether there is nothing that a person should look at."""
        return not (self.form.said or self.notes or self.unreadable or self.questions)

    @property
    def said(self) -> list[tuple[str, str]]:
        """What was detected, each as a name and a value, for a page or a terminal."""
        found = [("format", self.format), ("rows", f"{self.rows:,}")]
        found.append(("columns", f"{len(self.columns):,}"))
        if self.encoding is not None:
            found.append(("encoding", self.encoding + " (assumed)" * self.assumed))
        if self.delimiter is not None:
            found.append(("delimiter", _SIGNS.get(self.delimiter, self.delimiter)))
        if self.quote is not None:
            found.append(("quote", self.quote or "none"))
        if self.escape == "backslash":
            found.append(("escape", "backslash"))
        if self.blanks:
            found.append(("blanks beside delimiters", "passed over"))
        if self.form.skip:
            found.append(("lines above the header", f"{self.form.skip:,}, skipped"))
        if self.sheet is not None:
            found.append(("sheet", self.sheet))
        for name, by in (
            ("decimal sign", self.decimal), ("thousands", self.thousands), ("dates", self.dates),
        ):  # fmt: skip
            if by:
                found.append((name, ", ".join(f"{c}: {_SIGNS.get(v, v)}" for c, v in by.items())))
        if self.labels:
            found.append(("value labels", ", ".join(self.labels)))
        if self.missing:
            found.append(("mean missing", ", ".join(map(repr, self.missing))))
        if self.form.missing:
            each = (f"{c}: {', '.join(map(repr, v))}" for c, v in self.form.missing.items())
            found.append(("mean missing in one column", "; ".join(each)))
        return found


_SIGNS = {"\t": "tab", " ": "blank", ",": "comma", ";": "semicolon"}
