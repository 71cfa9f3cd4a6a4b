"""The question of a form: which kinds there are, what each asks for, and how it is put."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlencode

from hedgerow.base.errors import PlanError, nearest, some

if TYPE_CHECKING:
    from hedgerow.answers.counts import Counted
    from hedgerow.answers.questions import Asking

Column = Literal["none", "numbers", "values"]
Cells = Literal["none", "some", "one", "several"]


@dataclass(frozen=True, kw_only=True)
class QuestionKind:
    """A kind of question, and the fields it has."""

    name: str
    label: str
    says: str
    """What is asked, in a sentence."""
    column: Column = "none"
    """Which column it is about: one with bounds, or one with a domain."""
    cells: Cells = "none"
    """Whether it is asked for each cell of some columns."""
    rows: bool = False
    """Whether rows can be counted instead of people."""


KINDS: Mapping[str, QuestionKind] = {
    kind.name: kind
    for kind in (
        QuestionKind(name="count", label="Count",
                     says="How many people, all together or in each cell.",
                     cells="some", rows=True),
        QuestionKind(name="histogram", label="Histogram", says="How many people have each value.",
                     cells="one", rows=True),
        QuestionKind(name="table", label="Table",
                     says="How many people in each combination of several columns.",
                     cells="several", rows=True),
        QuestionKind(name="marginals", label="All tables of two",
                     says="A table of every two of the columns, all at one price.",
                     cells="several", rows=True),
        QuestionKind(name="sum", label="Sum", says="The sum of a column of numbers.",
                     column="numbers", cells="some"),
        QuestionKind(name="mean", label="Mean", says="The mean of a column of numbers.",
                     column="numbers", cells="some"),
        QuestionKind(name="variance", label="Variance", says="The variance of a column of numbers.",
                     column="numbers", cells="some"),
        QuestionKind(name="median", label="Median",
                     says="The number with half of the rows below it.",
                     column="numbers", cells="some"),
        QuestionKind(name="quantiles", label="Quantiles",
                     says="Numbers with given shares of the rows below them.",
                     column="numbers", cells="some"),
        QuestionKind(name="ranges", label="Ranges",
                     says="How many rows lie between any two numbers: all ranges at one price.",
                     column="numbers"),
        QuestionKind(name="most-frequent", label="Most frequent",
                     says="The values that most rows have.", column="values", cells="some"),
    )
}  # fmt: skip
"""In the order they are offered."""

AT = "0.25,0.5,0.75"
"""Which quantiles, where nobody says."""
PEOPLE = 1000
"""Made up for a preview, where nobody says."""
MOST_PEOPLE = 1_000_000
MOST_TEXT = 2000
"""Letters of one field."""


@dataclass(frozen=True, kw_only=True)
class QuestionForm:
    """A question as a form holds it: all texts, nothing of it checked but its shape.

    >>> fields = [("kind", "mean"), ("column", "bill"), ("by", "sex"), ("epsilon", "0.1")]
    >>> asked = QuestionForm.read(fields)
    >>> asked.kind.label, asked.column, asked.by, asked.priced
    ('Mean', 'bill', ('sex',), True)
    >>> asked.query
    'kind=mean&column=bill&by=sex&epsilon=0.1'
    """

    kind: QuestionKind = KINDS["count"]
    column: str = ""
    by: tuple[str, ...] = ()
    """Columns, those of numbers with a width: bill:10000."""
    where: str = ""
    at: str = ""
    top: str = ""
    rows: bool = False
    epsilon: str = ""
    delta: str = ""
    rho: str = ""
    people: str = ""

    @classmethod
    def read(cls, given: Iterable[tuple[str, str]]) -> QuestionForm:
        """A question from the fields of a form; a width is a field `width:column`.

        Raises:
            PlanError: There is no such kind, or a field is endless.
        """
        fields: dict[str, str] = {}
        chosen: list[str] = []
        for name, text in given:
            if len(text) > MOST_TEXT or len(name) > MOST_TEXT:
                raise PlanError(
                    f"a field has more than {MOST_TEXT:,} letters", fix="Ask for less at once."
                )
            if name == "by":
                chosen.append(text)
            else:
                fields[name] = text.strip()
        wanted = fields.get("kind") or "count"
        if wanted not in KINDS:
            near = nearest(wanted, KINDS)
            raise PlanError(
                f"there is no question {wanted!r}",
                fix=f"Did you mean {near!r}?" if near else f"There are {some(KINDS, most=99)}.",
            )
        kind = KINDS[wanted]
        by = [_with_width(column, fields) for column in dict.fromkeys(chosen)]
        texts = {
            name: fields.get(name, "")
            for name in ("where", "at", "top", "epsilon", "delta", "rho", "people")
        }
        return cls(
            kind=kind,
            column=fields.get("column", ""),
            by=tuple(by),
            rows=fields.get("rows") == "yes",
            **texts,
        ).for_kind(kind)

    def for_kind(self, kind: QuestionKind) -> QuestionForm:
        """The same with another kind: what it has no field for is dropped, not asked in silence."""
        return replace(
            self,
            kind=kind,
            column=self.column if kind.column != "none" else "",
            by=self.by if kind.cells != "none" else (),
            at=self.at if kind.name == "quantiles" else "",
            top=self.top if kind.name == "most-frequent" else "",
            rows=self.rows and kind.rows,
        )

    @property
    def priced(self) -> bool:
        """Whether it says what it may cost, without which there is nothing to preview."""
        return bool(self.epsilon or self.rho or self.delta)

    @property
    def fields(self) -> list[tuple[str, str]]:
        """The fields that make this question again, those that are left out left out."""
        texts = [
            ("kind", self.kind.name), ("column", self.column),
            *(("by", column) for column in self.by),
            ("where", self.where), ("at", self.at), ("top", self.top),
            ("rows", "yes" if self.rows else ""), ("epsilon", self.epsilon),
            ("delta", self.delta), ("rho", self.rho), ("people", self.people),
        ]  # fmt: skip
        return [(name, text) for name, text in texts if text]

    @property
    def query(self) -> str:
        """The same as the end of an address."""
        return urlencode(self.fields)

    @property
    def command(self) -> str:
        """What does the same on the command line, after `hedgerow query plan.yaml`."""
        kind = self.kind.name
        words = [f"--{kind}"]
        if kind in ("histogram", "table"):
            words.append(",".join(self.by))
        elif kind == "marginals":
            words += ["2", "--columns", ",".join(self.by)]
        else:
            words += [self.column] if self.column else []
            words += [word for column in self.by for word in ("--by", column)]
        for name in ("where", "at", "top", "epsilon", "delta", "rho"):
            text = getattr(self, name)
            words += [f"--{name}", text] if text else []
        words += ["--rows"] if self.rows else []
        return " ".join(map(_quoted, words))

    def put(self, asking: Asking[Any]) -> Any:
        """Put the question to a session, which answers, or to a preview.

        Raises:
            PlanError: It is none; the sentences are those of the command line.
        """
        kind = self.kind
        self._refuse_unfinished()
        of: Counted = "rows" if self.rows else "people"
        shared: dict[str, Any] = {"where": self.where or None}
        shared |= {name: getattr(self, name) or None for name in ("epsilon", "delta", "rho")}
        match kind.name:
            case "count":
                return asking.count(by=self.by, of=of, **shared)
            case "histogram" | "table":
                return asking.table(self.by, of=of, **shared)
            case "marginals":
                return asking.marginals(self.by, ways=2, of=of, **shared)
            case "quantiles":
                at = tuple(part.strip() for part in (self.at or AT).split(","))
                return asking.quantiles(self.column, at, by=self.by, **shared)
            case "ranges":
                return asking.ranges(self.column, **shared)
            case "most-frequent":
                top = _whole("top", self.top or "1", most=10**6)
                return asking.most_frequent(self.column, top=top, by=self.by, **shared)
            case _:
                return getattr(asking, kind.name)(self.column, by=self.by, **shared)

    def simulated_people(self) -> int:
        """How many people a preview makes up."""
        return _whole("people", self.people or str(PEOPLE), most=MOST_PEOPLE)

    def _refuse_unfinished(self) -> None:
        kind = self.kind
        if kind.column != "none" and not self.column:
            raise PlanError(
                f"nothing says of which column: {kind.label.lower()} is about one",
                fix="Choose a column.",
            )
        least = {"one": 1, "several": 2 if kind.name == "marginals" else 1}.get(kind.cells, 0)
        if len(self.by) < least:
            raise PlanError(
                f"{kind.label.lower()} is about {'a column' if least == 1 else 'columns'}, and "
                f"{len(self.by) or 'none'} {'is' if len(self.by) < 2 else 'are'} chosen",
                fix=f"Choose {'one' if kind.cells == 'one' else f'at least {least}'}.",
            )
        if kind.cells == "one" and len(self.by) > 1:
            raise PlanError(
                f"a histogram is of one column, and {len(self.by)} are chosen",
                fix="Choose one, or ask for a table.",
            )


def widths(by: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """What is chosen to count by: column -> width, empty where there is none.

    >>> widths(["sex", "bill:10000", "a:1"], ["sex", "bill", "a:1"])
    {'sex': '', 'bill': '10000', 'a:1': ''}
    """
    found = {}
    for one in by:
        column, colon, width = one.rpartition(":")
        split = bool(colon) and one not in columns
        found[column if split else one] = width if split else ""
    return found


def _quoted(word: str) -> str:
    """A word as a shell takes it; text in a filter has single quotes, so double ones where safe.

    >>> print(_quoted("--by"), _quoted("sex = 'F'"), _quoted('a$ "b"'))
    --by "sex = 'F'" 'a$ "b"'
    """
    if "'" in word and not set(word) & set('"$`\\!'):
        return f'"{word}"'
    return shlex.quote(word)


def _with_width(column: str, fields: Mapping[str, str]) -> str:
    width = fields.get(f"width:{column}", "")
    return f"{column}:{width}" if width else column


def _whole(name: str, text: str, *, most: int) -> int:
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:12]) <= most:
        raise PlanError(
            f"{name} must be a whole number from 1 to {most:,}, not {text!r}", fix="Give one."
        )
    return int(text)
