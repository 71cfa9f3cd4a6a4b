"""`read` in a plan: how the source is written, where it is not as files usually are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, WithJsonSchema

from hedgerow.base.errors import PlanError
from hedgerow.base.problems import Problem, problem, problems_at, raise_all, short, suggest
from hedgerow.engines.source_form import (
    ASK,
    DECIMALS,
    ENCODINGS,
    ORDERS,
    THOUSANDS,
    SourceForm,
    encoding_name,
)
from hedgerow.plan.fields import PlanMapping
from hedgerow.plan.validation import validated

_WORDS = {"tab": "\t", "comma": ",", "semicolon": ";", "bar": "|", "blank": " ", "space": " "}
_QUESTIONS = {
    "dates": (
        "nothing says whether the dates of {name!r} begin with the day or with the month: "
        "03/04/2020 may be 3 April or March 4",
        "Write `{name}: dmy` (day first) or `{name}: mdy` (month first).",
    ),
    "decimal": (
        "nothing says which sign stands before the decimals of {name!r}: 1,234 may be 1.234 or "
        "1234",
        'Write `{name}: ","` or `{name}: "."`.',
    ),
}


def _encoding(value: Any) -> str:
    if isinstance(value, str) and (name := encoding_name(value)) is not None:
        return name
    raise problem(f"'encoding' cannot be {short(value)}", suggest(value, ENCODINGS))


def _delimiter(value: Any) -> str:
    sign = _WORDS.get(value, value) if isinstance(value, str) else None
    if not isinstance(sign, str) or len(sign) != 1 or not sign.isascii() or sign in "\"'\\\r\n\0":
        raise problem(
            f"'delimiter' cannot be {short(value)}",
            'It is one character, such as ";", "|", or tab.',
        )
    if sign.isalnum():
        raise problem(f"'delimiter' cannot be {short(value)}", "No letter and no digit can be one.")
    return sign


def _quote(value: Any) -> str:
    signs = {"none": "", "double": '"', "single": "'"}
    sign = signs.get(value, value) if isinstance(value, str) else None
    if sign not in ("", '"', "'"):
        raise problem(
            f"'quote' cannot be {short(value)}",
            "Write double, single, or none where there is none.",
        )
    return str(sign)


def _of_columns(value: Any, key: str, choices: Sequence[str], words: Mapping[str, str]) -> Any:
    """One of the choices, for all columns; or for each of some columns."""
    if isinstance(value, Mapping):
        found, wrong = {}, []
        for name, one in value.items():
            said = words.get(one, one) if isinstance(one, str) else one
            if said == ASK and key in _QUESTIONS:
                what, fix = (text.format(name=str(name)) for text in _QUESTIONS[key])
                wrong.append(Problem((str(name),), what, fix))
            elif said not in choices:
                wrong.append(_no_choice(str(name), one, choices))
            found[str(name)] = said
        if wrong:
            raise problems_at(wrong)
        return found
    said = words.get(value, value) if isinstance(value, str) else value
    if said not in choices:
        found_ = _no_choice(key, value, choices)
        raise problem(found_.what, found_.fix)
    return said


def _no_choice(name: str, value: Any, choices: Sequence[str]) -> Problem:
    if "dmy" in choices:
        fix = suggest(value, choices)
    else:
        fix = "Write one of " + ", ".join(f'"{one}"' for one in choices) + ", in quotes."
    return Problem((name,), f"{name!r} cannot be {short(value)}", fix)


def _dates(value: Any) -> Any:
    forms = {"day first": "dmy", "month first": "mdy", "year first": "ymd", "iso": "ymd"}
    return _of_columns(value, "dates", ORDERS, forms)


def _decimal(value: Any) -> Any:
    return _of_columns(value, "decimal", DECIMALS, {"comma": ",", "point": "."})


def _thousands(value: Any) -> Any:
    words = {"comma": ",", "point": ".", "blank": " ", "space": " ", "apostrophe": "'"}
    return _of_columns(value, "thousands", THOUSANDS, words)


def _labels(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, Mapping) and all(isinstance(one, bool) for one in value.values()):
        return {str(name): one for name, one in value.items()}
    raise problem(
        f"'labels' cannot be {short(value)}",
        "Write true or false, or that for columns: {sex: true, income: false}.",
    )


def _sheet(value: Any) -> str | int:
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    raise problem(f"'sheet' cannot be {short(value)}", "Write its name, or its number from 1.")


def _skip(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise problem(
        f"'skip' cannot be {short(value)}", "Write how many lines stand above the header."
    )


def _by_column(one: Mapping[str, Any]) -> dict[str, Any]:
    return {"anyOf": [dict(one), {"type": "object", "additionalProperties": dict(one)}]}


def _words(*choices: str) -> dict[str, Any]:
    return {"enum": list(choices)}


_MISSING = (
    "texts that mean missing in every column stand under `null` at the top of the plan, not under "
    "`read`"
)


def _missing(value: Any) -> dict[str, tuple[str, ...]]:
    """By column, one text or several."""
    if not isinstance(value, Mapping):
        raise problem(
            _MISSING,
            'Write `null: ["?", NA, "-9"]` there; or here, of a column: {income: ["-9"]}. '
            "On the command line: --read missing.income=-9.",
        )
    found, wrong = {}, []
    for name, texts in value.items():
        listed = [texts] if isinstance(texts, str) else texts
        if isinstance(listed, list | tuple) and all(isinstance(one, str) for one in listed):
            found[str(name)] = tuple(listed)
        else:
            fix = 'Write texts, in quotes: ["-9", "999"].'
            wrong.append(Problem((str(name),), f"{str(name)!r} cannot be {short(texts)}", fix))
    if wrong:
        raise problems_at(wrong)
    return found


def _ages(value: Any) -> dict[str, tuple[str, str]]:
    """By column that is added, the columns of the date of birth and of the event."""
    if not isinstance(value, Mapping):
        raise problem(
            f"'ages' cannot be {short(value)}",
            "Name a column to add, and between which two dates it is: "
            "{age_at_admission: [birth_date, admitted]}.",
        )
    found, wrong = {}, []
    for name, given in value.items():
        both = [one.strip() for one in given.split(",")] if isinstance(given, str) else given
        texts = isinstance(both, list | tuple) and all(isinstance(one, str) for one in both)
        if texts and len(both) == 2 and both[0] != both[1]:
            found[str(name)] = (both[0], both[1])
        else:
            fix = "Write the column of the date of birth, then that of the event: [born, admitted]."
            wrong.append(Problem((str(name),), f"{str(name)!r} cannot be {short(given)}", fix))
    if wrong:
        raise problems_at(wrong)
    return found


class ReadPlan(PlanMapping):
    """How the source is written; what is left out is as in most files."""

    encoding: Annotated[
        str | None, PlainValidator(_encoding), WithJsonSchema({"type": "string"})
    ] = Field(
        default=None,
        description="Of a CSV file (UTF-8 if left out), SPSS, Stata or SAS file: utf-8, utf-16, "
        "latin-1, cp1252 and others.",
    )
    delimiter: Annotated[
        str | None, PlainValidator(_delimiter), WithJsonSchema({"type": "string"})
    ] = Field(
        default=None,
        description="Between the fields of a CSV file, such as ; or tab. If left out: of comma, "
        "semicolon and tab the one that splits the header most often.",
    )
    quote: Annotated[
        str | None,
        PlainValidator(_quote),
        WithJsonSchema(_words("double", "single", "none", '"', "'", "")),
    ] = Field(default=None, description="Around the fields of a CSV file: double, single or none.")
    escape: Literal["doubled", "backslash"] | None = Field(
        default=None, description='How a CSV file writes a quote inside quotes: doubled, or \\".'
    )
    blanks: Literal["keep", "skip"] | None = Field(
        default=None,
        description="Whether blanks beside delimiters are part of values (keep), or not (skip).",
    )
    skip: Annotated[
        int | None,
        PlainValidator(_skip),
        WithJsonSchema({"type": "integer", "minimum": 0}),
    ] = Field(
        default=None,
        description="Of a CSV file or a workbook: how many lines (rows) stand above the header.",
    )
    sheet: Annotated[
        str | int | None,
        PlainValidator(_sheet),
        WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 1}]}),
    ] = Field(default=None, description="Of a workbook: its name, or its number from 1; the first.")
    labels: Annotated[
        bool | dict[str, bool] | None,
        PlainValidator(_labels),
        WithJsonSchema(_by_column({"type": "boolean"})),
    ] = Field(
        default=None,
        description="Whether value labels of an SPSS, Stata or SAS file are read in place of "
        "codes; for all columns, or by column. They are, where every value of a column has one.",
    )
    declared_missing: bool | None = Field(
        default=None,
        description="Whether values that an SPSS, Stata or SAS file declares missing are read as "
        "missing; they are if left out.",
    )
    decimal: Annotated[
        str | dict[str, str] | None,
        PlainValidator(_decimal),
        WithJsonSchema(_by_column(_words(*DECIMALS, "comma", "point", ASK))),
    ] = Field(
        default=None,
        description="The sign before decimals, such as a comma: of one column every number is "
        "written so; of all columns, those in which it fits every value.",
    )
    thousands: Annotated[
        str | dict[str, str] | None,
        PlainValidator(_thousands),
        WithJsonSchema(_by_column(_words(*THOUSANDS, "comma", "point", "blank", "apostrophe"))),
    ] = Field(
        default=None,
        description="The sign between thousands. Where `decimal` is a comma it may be a point, "
        "and the other way round.",
    )
    dates: Annotated[
        str | dict[str, str] | None,
        PlainValidator(_dates),
        WithJsonSchema(_by_column(_words(*ORDERS, ASK))),
    ] = Field(
        default=None,
        description="How dates are written, by column or in all: dmy (03.04.2020, 3/4/2020, "
        "3 Apr 2020), mdy (04/03/2020), ymd (2020/04/03) or yyyymmdd (20200403). They are "
        "published as 2020-04-03.",
    )

    missing: Annotated[
        dict[str, tuple[str, ...]] | None,
        PlainValidator(_missing),
        WithJsonSchema(
            {
                "type": "object",
                "additionalProperties": {
                    "anyOf": [
                        {"type": "string"},
                        {"type": "array", "items": {"type": "string"}},
                    ]
                },
            }
        ),
    ] = Field(
        default=None,
        description="By column: texts that mean missing in it, and may be values in others, such "
        "as {income: ['-9']}. What means missing in every column stands under `null`.",
    )
    ages: Annotated[
        dict[str, tuple[str, str]] | None,
        PlainValidator(_ages),
        WithJsonSchema(
            {
                "type": "object",
                "additionalProperties": {
                    "type": "array",
                    "items": {"type": "string"},
                    "minItems": 2,
                    "maxItems": 2,
                },
            }
        ),
    ] = Field(
        default=None,
        description="Columns to add: the age in whole years at an event, from the column of the "
        "date of birth and that of the event, such as {age_at_admission: [birth_date, admitted]}. "
        "Each has a role like any other column.",
    )

    @property
    def form(self) -> SourceForm:
        """For the engine."""
        given = {name: getattr(self, name) for name in type(self).model_fields}
        return SourceForm(**given)


def form_of(said: Mapping[str, Any]) -> SourceForm:
    """What somebody says of a source beside a plan, such as on the command line.

    >>> form_of({"encoding": "latin1", "dates": {"born": "dmy"}}).said
    {'encoding': 'latin-1', 'dates': {'born': 'dmy'}}

    Raises:
        PlanErrors: Something that cannot be said.
    """
    plan, problems = validated(ReadPlan, dict(said), {})
    raise_all(
        dict.fromkeys(problems), lambda found: (0, ".".join(["read", *map(str, found.place)]))
    )
    assert plan is not None, "no problem means a plan"
    return plan.form


def decided(said: Any) -> dict[str, Any]:
    """What is said of a source but for what is still asked, to look at it meanwhile.

    >>> decided({"sheet": 2, "dates": {"born": "ask", "died": "dmy"}})
    {'sheet': 2, 'dates': {'died': 'dmy'}}
    """
    if not isinstance(said, Mapping):
        return {}
    return {
        str(key): {name: one for name, one in value.items() if one != ASK}
        if isinstance(value, Mapping)
        else value
        for key, value in said.items()
    }


def joined(said: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """What is said of a source, the second in place of the first; columns are joined.

    >>> joined({"dates": {"a": "dmy"}, "sheet": 1}, {"dates": {"b": "mdy"}, "sheet": 2})
    {'dates': {'a': 'dmy', 'b': 'mdy'}, 'sheet': 2}
    """
    both = dict(said)
    for key, value in more.items():
        before = both.get(key)
        both[key] = (
            {**before, **value}
            if isinstance(before, Mapping) and isinstance(value, Mapping)
            else value
        )
    return both


def said_in_words(texts: Sequence[str]) -> dict[str, Any]:
    """Settings of the command line, each `key=value` or `key.column=value`.

    >>> said_in_words(["encoding=latin-1", "dates.born=dmy", "sheet=2", "labels=false"])
    {'encoding': 'latin-1', 'dates': {'born': 'dmy'}, 'sheet': 2, 'labels': False}

    Raises:
        PlanError: One is of another form.
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        key, _, column = name.partition(".")
        if not sign or not key.strip():
            raise PlanError(
                f"{short(text)} is no setting",
                where="--read",
                fix="Write --read key=value, such as --read encoding=latin-1; of one column "
                "--read dates.born=dmy.",
            )
        said: Any = {"true": True, "false": False}.get(value, value)
        if key in ("sheet", "skip") and value.isdecimal():
            said = int(value)
        if not column:
            found[key] = said
        elif isinstance(found.setdefault(key, {}), dict):
            found[key][column] = said
    return found
