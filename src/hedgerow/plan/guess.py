"""A first plan, guessed from what the columns are called and what they hold.

Every guess carries a comment with its reason, for a person to read and correct. Where unsure
a column becomes a quasi-identifier. That hides whose row it is, but no claim is about its values:
what nobody may learn has to be made sensitive.
"""

from __future__ import annotations

import os
import re
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from hedgerow.base.decimals import Scale, numeric, parse
from hedgerow.base.errors import DataError, HierarchyError, PlanError, TargetError, some
from hedgerow.base.spelling import means_missing
from hedgerow.engines.base import ColumnProfile
from hedgerow.engines.file_look import FileLook
from hedgerow.plan.read_lines import questions_first, read_lines
from hedgerow.table.column_words import words, words_in
from hedgerow.table.hierarchy_builders import Dates, Prefix, Ranges, Spec, Suppression
from hedgerow.table.id_shapes import look_like_ids
from hedgerow.table.schema import Role

IDENTIFIERS = words(
    "ssn email mail phone mobile telephone tel fax mrn passport iban account username login uuid "
    "guid surname firstname lastname forename fullname address street url ip licence license "
    "plate vin insurance"
)
"""Words that name a person outright, whatever else the column is called."""
WEAK_IDENTIFIERS = words("name id identifier key number no nr nbr pid seqn code")
"""Words that name a person unless another word says what is numbered or named."""
QUASI_IDENTIFIERS = words(
    "zip zipcode postcode postal plz age birth birthdate birthday born dob sex gender nationality "
    "country citizenship native race ethnicity ethnic marital civil occupation job profession "
    "employer workclass education degree school city town county state region district "
    "municipality province area language religion household family relationship children spouse "
    "height weight admission admitted discharge discharged visit date year veteran"
)
"""Words for what others may know about a person."""
SENSITIVE = words(
    "disease diagnosis diagnoses condition illness icd salary income wage wages pay earnings hiv "
    "result treatment medication medicine drug procedure offence offense crime debt credit loan "
    "balance grade vote party orientation disability symptom therapy"
)
"""Words for what must not be learned of a person."""
POSTCODES = words("zip zipcode postcode postal plz")

ROW_NAMES = ("row", "row_number")
"""What a first column without a name is called."""
FREE_TEXT = 60
"""Longer texts are taken for remarks, which may name anybody."""
FEW_ROWS = 20
"""With fewer rows, values that are all different say nothing."""


LIKE_IDS = "its values look like IDs"


NOISE_HINT = (
    "# For answers with noise a plan also says who is hidden by it, and which values everybody may",
    "# know to be possible. These are never guessed: what is read off the data is not public.",
    "# privacy: {neighbours: add-remove}  # or change-one; with `person` also `rows: 3`",
    "# In columns, of numbers: `bounds: [0, 120], step: 1`; of others: `domain: [yes, no, null]`.",
)
"""How to go on to differential privacy; the same for every table, since nothing is guessed."""


@dataclass(frozen=True)
class Guess:
    """A role for a column and why."""

    role: Role
    sure: bool
    because: str
    hierarchy: str | None = None
    """As it is written in the plan."""


def write_plan(
    data: str | Path,
    to: Path,
    *,
    replace: bool = False,
    person: str | None = None,
    one_row_per_person: bool = False,
    not_keys: Sequence[str] = (),
    ask: bool = True,
    read: Mapping[str, Any] | None = None,
    look: FileLook | None = None,
) -> Path:
    """Look at a table and write a first plan for it.

    Args:
        data: The table.
        to: Where to write the plan.
        replace: Whether an existing plan may be replaced.
        person: The column that says whose row it is, where people have several.
        one_row_per_person: Whether somebody states that every row is another person.
        not_keys: Columns of which somebody states that they do not identify people.
        ask: Whether to stop where a person ID repeats and nothing of this is said; else
            whoever uses the plan is asked.
        read: What is known of how a file is written, as a plan says it under `read`; the rest
            is detected, and the plan says all of it.
        look: What was detected, where that was done before.

    Raises:
        DataError: The table cannot be read, or it is not known whose rows these are.
        TargetError: There is a plan already, or it cannot be written.
    """
    from hedgerow.engines import open_engine, table_place
    from hedgerow.engines.detection import look_at_file
    from hedgerow.plan.source_form import form_of
    from hedgerow.table.header import require_header
    from hedgerow.table.person_keys import asked, refuse_empty_rows, repeated

    place, to = table_place(data), Path(to)
    if to.exists() and not replace:
        raise TargetError(
            "exists already",
            where=str(to),
            fix="Choose another name with --to, or say --replace (in Python replace=True).",
        )
    if person is not None and one_row_per_person:
        raise PlanError(
            f"people are told apart by {person!r}, so they may have several rows",
            fix="Name the person column, or state that every row is another person, not both.",
        )
    known = form_of(read or {})
    if look is None:
        look = look_at_file(data, form=known)
    form, missing = (known, ()) if look is None else (look.form, look.missing)
    with open_engine(place or Path(data), null=missing, person=person, form=form) as engine:
        profile = engine.profile()
        require_header(engine, where=str(data))
        if lost := sorted(set(not_keys) - set(engine.columns())):
            raise DataError(
                f"there is no column {lost[0]!r}",
                where=str(data),
                fix=f"It has {some(engine.columns())}.",
            )
        if ask and not one_row_per_person and profile and profile[0].rows:
            if person is None:
                refuse_empty_rows(engine, where=str(data))
            roles = {column.name: guess(column).role for column in profile}
            said = dict.fromkeys(not_keys, False)
            for key in repeated(engine, roles, said, person=person, names=False).keys:
                raise asked(key, person=person, where=str(data), init=True)
    if profile and not profile[0].rows:
        raise DataError(
            "the table has no rows, so there is nothing to guess from",
            where=str(data),
            fix="Give a table with at least one person in it.",
        )
    text = propose(
        profile,
        source=_seen_from(Path(data), to) if place is None else str(place),
        person=person,
        one_row_per_person=one_row_per_person,
        not_keys=not_keys,
        look=look,
    )
    try:
        part = to.with_name(f".{to.name}.{secrets.token_hex(8)}.part")
        try:
            part.write_text(text, "utf-8", newline="\n")
            part.replace(to)
        finally:
            part.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise TargetError(
            f"cannot be written: {getattr(error, 'strerror', None) or error}",
            where=str(to),
            fix="Choose a file you may write, with --to.",
        ) from None
    return to


def _seen_from(data: Path, plan: Path) -> str:
    """The data as the plan names them: its paths are seen from its folder."""
    try:
        seen = os.path.relpath(data.resolve(), plan.resolve().parent)
    except ValueError:  # on another drive
        seen = str(data.resolve())
    return Path(seen).as_posix()


def propose(
    profile: Sequence[ColumnProfile],
    *,
    source: str | None = None,
    person: str | None = None,
    one_row_per_person: bool = False,
    not_keys: Sequence[str] = (),
    look: FileLook | None = None,
) -> str:
    """A plan for a table with these columns, as YAML with a reason for every guess.

    Args:
        profile: The columns.
        source: How the plan names the table.
        person: The column that says whose row it is.
        one_row_per_person: Whether somebody states that every row is another person.
        not_keys: Columns of which somebody states that they do not identify people.
        look: How the file is written.

    Raises:
        DataError: There are no columns, or two of the same name.
    """
    twice = [name for name, n in Counter(column.name for column in profile).items() if n > 1]
    if twice or not profile:
        raise DataError(
            f"the data have {some(twice)} more than once" if twice else "the data have no columns",
            where=source,
            fix="Give every column its own name." if twice else "Check the file and its header.",
        )
    marks = sorted({*_marks(profile), *(() if look is None else look.missing)})
    profile = [_without(column, marks) for column in profile]
    named = Guess(Role.IDENTIFIER, True, "it says whose row it is")
    guesses = [(c, named if c.name == person else guess(c)) for c in profile]
    if not any(found.role is Role.QUASI_IDENTIFIER for _, found in guesses):
        guesses = _with_quasi_identifier(guesses)
    lines = [
        "# Guessed by looking at the data. Read every line before you publish: only you know",
        "# what an attacker can find out elsewhere: in doubt choose quasi-identifier. What nobody",
        "# may learn of a person is sensitive: no claim is about the values of other columns.",
        *(() if look is None else questions_first(look)),
    ]
    if source is not None:
        lines.append(f"source: {scalar(source)}")
    if look is not None:
        lines += read_lines(look, scalar)
    if person is not None:
        lines.append(f"person: {scalar(person)}")
    elif one_row_per_person:
        lines.append("one_row_per_person: true  # your statement; the certificate repeats it")
    else:
        lines += _person_hint(guesses)
    if marks:
        lines += [
            "# guessed: these stand among numbers or dates, so they mean that there is none",
            f"null: [{', '.join(map(scalar, marks))}]",
        ]
    lines.append("columns:")
    for column, found in guesses:
        lines += _column(column.name, found, no_key=column.name in not_keys)
    lines.append("protect:")
    lines += [
        "  # guessed: 5 is a common choice; policies for health data ask for 11 or 12.",
        "  - k-anonymity: 5",
    ]
    for column, found in guesses:
        if found.role is Role.SENSITIVE:
            lines += _diversity(column)
    lines += [
        "method: {search: lattice, suppress: 5%}",
        "utility: loss",
        "publish: {to: release}",
        *NOISE_HINT,
    ]
    return "\n".join(lines) + "\n"


def guess(column: ColumnProfile) -> Guess:
    """The role of one column, and its hierarchy where it needs one."""
    named = words_in(column.name)
    weak, quasi = named & WEAK_IDENTIFIERS, named & QUASI_IDENTIFIERS
    sensitive = named & SENSITIVE
    if found := named & IDENTIFIERS:
        return Guess(Role.IDENTIFIER, True, f"its name says {_said(found)}")
    if column.name in ROW_NAMES and _is_sequence(column) and column.distinct == column.rows:
        return Guess(Role.IDENTIFIER, True, "it numbers the rows")
    if look_like_ids(column.examples, named):
        return Guess(Role.IDENTIFIER, False, LIKE_IDS)
    if weak and not quasi and not sensitive:
        return Guess(Role.IDENTIFIER, False, f"its name says {_said(weak)}")
    if weak and _all_different(column):
        return Guess(
            Role.IDENTIFIER, False, f"its name says {_said(weak)} and all values are different"
        )
    if quasi:
        also = f", though also {_said(sensitive)}" if sensitive else ""
        return _quasi(column, not sensitive, f"its name says {_said(quasi)}{also}")
    if sensitive:
        return Guess(Role.SENSITIVE, True, f"its name says {_said(sensitive)}")
    if column.dates:
        return _quasi(column, False, "it holds dates, which others may know")
    if _all_different(column) and not (column.numbers and not _is_sequence(column)):
        return Guess(Role.IDENTIFIER, False, "all its values are different")
    if column.longest > FREE_TEXT and not column.numbers:
        return Guess(Role.IDENTIFIER, False, "it holds long texts, which may name somebody")
    return _quasi(column, False, "nothing says that nobody else knows it")


def _all_different(column: ColumnProfile) -> bool:
    """Whether no value stands twice, in enough rows for that to mean something."""
    return column.rows >= FEW_ROWS and column.distinct == column.rows - column.missing > 1


def _marks(profile: Sequence[ColumnProfile]) -> list[str]:
    """Marks of missing values: what stands in columns that otherwise hold only numbers."""
    found: set[str] = set()
    for column in profile:
        marks = {text for text in column.examples if text and means_missing(text)}
        if marks and len(column.examples) > 2 * len(marks):
            rest = [value for value in column.examples if value not in marks]
            found |= marks if numeric(rest) else set()
    return sorted(found)


def _without(column: ColumnProfile, marks: Sequence[str]) -> ColumnProfile:
    """The column as it looks when marks are read as missing."""
    rest = tuple(value for value in column.examples if value not in marks)
    if len(rest) == len(column.examples) or not rest:
        return column
    return replace(
        column,
        examples=rest,
        distinct=column.distinct - (len(column.examples) - len(rest)),
        # Examples are all that is known here; `publish` looks at every value again.
        numbers=numeric(rest),
    )


def _quasi(column: ColumnProfile, sure: bool, because: str) -> Guess:
    """A quasi-identifier with a hierarchy that fits at least the examples."""
    for text, spec in _hierarchies(column):
        try:
            spec.bind(column.name, column.examples or (None,))
        except HierarchyError:
            continue
        return Guess(Role.QUASI_IDENTIFIER, sure, because, text)
    raise AssertionError("suppression fits everything")


def _hierarchies(column: ColumnProfile) -> list[tuple[str, Spec]]:
    """Hierarchies worth trying, the most telling first."""
    tried: list[tuple[str, Spec]] = []
    values = [value for value in column.examples if value is not None]
    lengths = {len(value) for value in values}
    if column.dates and values:
        tried.append(("dates", Dates()))
    digits = all(value.isascii() and value.isdigit() for value in values)
    if (
        values
        and lengths == {column.longest}
        and 3 <= column.longest <= 20
        and (
            words_in(column.name) & POSTCODES
            or (digits and not (column.numbers and numeric(values)))
        )
    ):
        tried.append((f"{{prefix: {column.longest}}}", Prefix(length=column.longest)))
    if column.numbers and numeric(values):
        widths = _widths(values)
        if widths:
            tried.append((f"{{ranges: [{', '.join(widths)}]}}", Ranges(widths=widths)))
    return [*tried, ("suppression", Suppression())]


def _widths(values: Sequence[str]) -> list[str]:
    """Widths that double, from about a twentieth of the spread to less than all of it.

    >>> _widths(["17", "90"])
    ['5', '10', '20', '40']
    """
    parsed = [number for value in values if (number := parse(value)) is not None]
    scale = Scale.of(parsed)
    units = [scale.units(number) for number in parsed]
    spread = Fraction(max(units) - min(units), scale.one)
    if spread == 0:
        return []
    step = Fraction(1)
    while step * 20 < spread:
        step *= 10
    while step * 20 > spread:
        step /= 10
    first = next(step * nice for nice in (1, 2, 5, 10) if step * nice * 20 >= spread)
    if scale.one == 1 or all(unit % scale.one == 0 for unit in units):
        first = max(first, Fraction(2))  # A range of one whole number hides nothing.
    widths: list[str] = []
    while first < spread and len(widths) < 5:
        widths.append(_plain(first))
        first *= 2
    return widths


def _plain(number: Fraction) -> str:
    """A decimal fraction as YAML reads it, without an exponent."""
    exponent = 0
    while number.denominator != 1:
        number, exponent = number * 10, exponent - 1
    return Scale(exponent).text(int(number))


def _is_sequence(column: ColumnProfile) -> bool:
    """Whether its examples are whole numbers without gaps, as row numbers are."""
    parsed = [parse(value) for value in column.examples if value is not None]
    whole = sorted(n[0] for n in parsed if n is not None and n[1] == 0)
    return len(whole) == len(parsed) > 1 and whole[-1] - whole[0] == len(whole) - 1


def _with_quasi_identifier(
    guesses: list[tuple[ColumnProfile, Guess]],
) -> list[tuple[ColumnProfile, Guess]]:
    """A plan needs something to generalise: the column that says least about who it is."""

    def telling(place: int) -> tuple[bool, bool, int]:
        column, found = guesses[place]
        return found.because == LIKE_IDS, found.sure, column.distinct

    least = min(range(len(guesses)), key=telling)
    column = guesses[least][0]
    guesses[least] = (column, _quasi(column, False, "no other column looked like one"))
    return guesses


def _column(name: str, found: Guess, *, no_key: bool = False) -> list[str]:
    sure = "" if found.sure else ", not sure"
    hierarchy = f", hierarchy: {found.hierarchy}" if found.hierarchy else ""
    key = scalar(name)
    comment = f"  # guessed{sure}: {found.role} because {found.because}"
    stated = ", key: false" if no_key else ""
    body = f"{{role: {found.role}{hierarchy}{stated}}}"
    # YAML allows 1,024 characters before the colon; longer keys are announced by a question mark.
    if len(key) > 1000:
        return [comment, f"  ? {key}", f"  : {body}"]
    return [comment, f"  {key}: {body}"]


def _diversity(column: ColumnProfile) -> list[str]:
    if column.distinct < 2:
        return []
    wanted = 3 if column.distinct >= 6 else 2
    return [
        f"  # guessed: of {column.distinct:,} values every group shows at least {wanted}",
        f"  - l-diversity: {{l: {wanted}, kind: distinct, of: {scalar(column.name)}}}",
    ]


def _person_hint(guesses: Sequence[tuple[ColumnProfile, Guess]]) -> list[str]:
    """A key that repeats may say that people have several rows."""
    for column, found in guesses:
        repeats = 1 < column.distinct < column.rows - column.missing
        if found.role is Role.IDENTIFIER and words_in(column.name) & WEAK_IDENTIFIERS and repeats:
            return [f"# person: {scalar(column.name)}  # if people have several rows, as it seems"]
    return []


def _said(words: frozenset[str]) -> str:
    return " and ".join(f'"{word}"' for word in sorted(words))


_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_RESERVED = words("true false null yes no on off y n")


def scalar(text: str) -> str:
    r"""A text as a YAML scalar, in quotes where it needs them.

    >>> print(scalar("age"), scalar("no"), scalar('a "b": c'), scalar("\n"))
    age "no" "a \"b\": c" "\n"
    """
    if _PLAIN.fullmatch(text) and text.casefold() not in _RESERVED:
        return text
    return '"' + "".join(_ESCAPED.get(c) or _escape(c) for c in text) + '"'


_ESCAPED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _escape(character: str) -> str:
    """Characters YAML does not allow, or reads as line ends, by their number."""
    if character.isprintable():
        return character
    number = ord(character)
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}" if number < 65536 else (
        f"\\U{number:08x}"
    )  # fmt: skip
