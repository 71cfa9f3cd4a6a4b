"""Whether rows are people: columns that number people, and whether their numbers repeat.

Every claim counts people. Without a `person` column each row counts as one, so a table in which a
patient's five visits are five rows would be published as if they were five patients. Names repeat
because people share them. Numbers of people do not, unless a person has several rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hedgerow.base.errors import DataError
from hedgerow.engines.base import Engine, Repeats
from hedgerow.table.column_words import words, words_in
from hedgerow.table.header import first_values
from hedgerow.table.id_shapes import look_like_ids
from hedgerow.table.schema import Role

AT_ONCE = 50
"""Columns that are counted together; the first key that is found is enough."""
NUMBERING = words(
    "id ids identifier nbr no nr num number key pid mrn ssn uuid guid seqn username login email "
    "account passport"
)
"""Words in the name of a column that numbers something, whatever else it is called."""
PERSON_WORDS = words(
    "id ids identifier pid mrn ssn uuid guid seqn patient person subject participant respondent "
    "nhs medicare nino pseudonym enrollee beneficiary insured patnr patientnr patientennr "
    "patientnummer patientennummer probandennummer teilnehmernummer"
)
"""Words that mean a person or a record, where no other word says what is numbered."""
KEY_WORDS = (
    NUMBERING | PERSON_WORDS | words("member customer client user case record code hash token ref")
)
"""Words of a name that says only that people are numbered: patient_age says more."""
NO_IDS = words(
    "aid acid android arid asteroid avoid bid carotid covid did fluid grid humid hybrid "
    "invalid kid lipid liquid medicaid mid morbid opioid paid rapid rheumatoid rigid solid steroid "
    "thyroid typhoid unpaid valid void"
)
"""Words that end in id and mean none."""
LONG = 6
"""Characters of a code that is too long for most measured numbers."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_WHOLE = re.compile(r"(?<=\d)\.0*$")
"""What a whole number ends in that was read as a decimal."""
_DECIMAL = re.compile(r"[+-]?\d*\.\d+(e[+-]?\d+)?", re.IGNORECASE)
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4})?([ T]?\d{1,2}:\d{2}.*)?")


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """The columns whose values should be of one person each, and are not."""

    keys: tuple[Repeats, ...] = ()
    """A person ID that stands in several rows, or with several people: the first found."""
    names: tuple[Repeats, ...] = ()
    """Other identifiers that stand in several rows: people share names."""


def repeated(
    engine: Engine,
    roles: Mapping[str, Role],
    said: Mapping[str, bool] | None = None,
    *,
    person: str | None = None,
    names: bool = True,
    values: Mapping[str, Sequence[str]] | None = None,
) -> Repeated:
    """Look for columns that number people and repeat.

    A column that is called nothing but a person ID and looks like one is a key however often it
    repeats: where everybody has fifty rows, hardly a value is distinct. So are columns of hashes,
    e-mail addresses and long codes (`look_like_ids`), and identifiers that are called so or are
    codes. Others are keys if at least half of their values are distinct, because measured numbers
    look alike.

    Rows in which a key is missing may be anybody's, so such a key is found, too, unless a person
    column is named.

    Args:
        engine: The table.
        roles: The role of each column.
        said: Whether a column is a key, where somebody has said so.
        person: The column that says whose row it is; then what counts is whether a value stands
            with several people.
        names: Whether to count names that repeat, too.
        values: The first values of each column, where somebody has read them.
    """
    said = said or {}
    asked = [name for name in roles if name != person and said.get(name, True)]
    if not asked:
        return Repeated()
    looked = first_values(engine, asked) if values is None else values
    certain = {n for n in asked if said.get(n) or look_like_ids(looked[n], words_in(n))}
    asked = [n for n in asked if n in certain or roles[n] is Role.IDENTIFIER or is_called_id(n)]
    codes = [n for n in asked if n in certain or looks_like_codes(n, looked[n])]
    certain |= {n for n in codes if _is_key(n, looked[n], roles[n])}
    # A value that stands twice among the first rows repeats; where that is a key, it is enough.
    twice = [n for n in codes if n in certain and len(set(looked[n])) < len(looked[n])]
    rest = [n for n in codes if n not in set(twice)]
    counted: list[Repeats] = []
    parts = [rest[first : first + AT_ONCE] for first in range(0, len(rest), AT_ONCE)]
    for some in (*([name] for name in twice), *parts):
        for one in engine.repeats(some, person=person):
            doubtful = one.repeats or one.missing
            if doubtful and (one.name in certain or 2 * one.distinct >= one.units):
                people = 0 if person is None else engine.repeats([person])[0].distinct
                return Repeated(keys=(replace(one, people=people),))
            counted.append(one)
    if person is not None or not names:
        return Repeated()
    known = set(codes)
    counted += engine.repeats([n for n in asked if n not in known and roles[n] is Role.IDENTIFIER])
    shared = (one for one in counted if roles[one.name] is Role.IDENTIFIER and one.repeats)
    return Repeated(names=tuple(shared))


def _is_key(name: str, values: Iterable[str], role: Role) -> bool:
    """Whether a column that looks like codes identifies people, however often values repeat."""
    distinct = {value.strip() for value in values}
    if role is Role.IDENTIFIER:
        return is_called_id(name) or _most(map(_is_long, distinct))
    named = words_in(name)
    if not named or not all(word in KEY_WORDS or _ends_in_id(word) for word in named):
        return False
    if any(word in NUMBERING & PERSON_WORDS or _ends_in_id(word) for word in named):
        return True
    # A subject may be a person, or mathematics.
    return bool(named & PERSON_WORDS) and _most(map(is_code, distinct))


def _most(found: Iterable[bool]) -> bool:
    """Whether at least half are true, of any."""
    told = list(found)
    return 2 * sum(told) >= len(told) > 0


def _is_long(code: str) -> bool:
    """Whether a code is too long for a measured number, or has letters and digits."""
    mixed = any(c.isalpha() for c in code) and any(c.isdigit() for c in code)
    return is_code(code) and (mixed or len(_WHOLE.sub("", code)) >= LONG)


def looks_like_codes(name: str, values: Iterable[str | None]) -> bool:
    """Whether most values look like numbers or codes of people rather than like names.

    >>> looks_like_codes("pid", ["1001", "1002"]), looks_like_codes("name", ["Ann Lee", "Bo"])
    (True, False)
    >>> looks_like_codes("born", ["1999-01-31"]), looks_like_codes("patient id", ["a", "b"])
    (False, True)
    """
    distinct = {value.strip() for value in values if value is not None}
    called = is_called_id(name)
    return _most(is_code(value) or (called and _is_token(value)) for value in distinct)


def is_code(value: str) -> bool:
    """Whether a value looks like a whole number or a code.

    >>> [is_code(v) for v in ("4711", "AB 12 34 56 C", "x@example.org", "12 Main Street", "Anna")]
    [True, True, True, False, False]
    >>> is_code("764.6"), is_code("1001.0")
    (False, True)
    """
    if _DATE.fullmatch(value) or _DECIMAL.fullmatch(_WHOLE.sub("", value)):
        return False
    if " " not in value and "@" in value:
        return True
    alone = len(value.split()) == 1
    return any(c.isdigit() for c in value) and (alone or not _WORD.search(value))


def _is_token(value: str) -> bool:
    return len(value.split()) == 1 and not _DATE.fullmatch(value)


def is_called_id(name: str) -> bool:
    """Whether a name says that something is numbered, or nothing but that people are."""
    named = words_in(name)
    if any(word in NUMBERING or _ends_in_id(word) for word in named):
        return True
    return bool(named - {"code"}) and named <= KEY_WORDS


def _ends_in_id(word: str) -> bool:
    """Whether it is like patientid, and not like paid."""
    return word.endswith("id") and word not in NO_IDS


def refuse_empty_rows(engine: Engine, *, where: str | None = None, stated: bool = True) -> None:
    """Rows that are all empty are left by spreadsheets, and would count as people.

    Args:
        engine: The table.
        where: What it is called.
        stated: Whether the plan may state that every row is another person.

    Raises:
        DataError: There are such rows. It says how many.
    """
    if empty := engine.empty_rows():
        rows = "1 row is" if empty == 1 else f"{empty:,} rows are"
        way_out = "say `one_row_per_person: true`" if stated else "add a column with their IDs"
        fix = f"Remove them. If each is a person of whom nothing is known, {way_out}."
        raise DataError(
            f"{rows} empty in every column, so nobody's",
            where=where or next(map(str, engine.files), None),
            fix=fix,
        )


def same_ids(person: str, engine: Engine, *, where: str | None = None) -> DataError | None:
    """What is wrong where two texts of the person column may be one person's ID; None if nothing.

    No claim counts two people there.
    """
    (ids,), written = engine.repeats([person]), engine.rows_of(person).people
    if ids.distinct == written:
        return None
    return DataError(
        f"{person!r} has {written:,} different IDs, but {ids.distinct:,} if case, leading "
        "zeros and marks (blanks, hyphens) are ignored, so one person may have several",
        where=where,
        fix="Write each ID in one way: `7`, `07` and `7.0` may be one person. If they are "
        f"different people, say so: `{person}: {{role: identifier, key: true}}` in `columns`.",
    )


def asked(key: Repeats, *, person: str | None, where: str | None, init: bool = False) -> DataError:
    """The question whose rows they are.

    Args:
        key: The column that repeats.
        person: The person column, where there is one.
        where: The column's place in the plan, or the table.
        init: Whether there is no plan yet.
    """
    if person is not None and init:
        fix = (
            f"If {person!r} identifies people, say --not-a-key {key.name} (in Python "
            f"not_keys=[{key.name!r}]); otherwise say --person {key.name}."
        )
    elif person is not None:
        fix = (
            f"If {person!r} identifies people, add `key: false` to {key.name!r}; otherwise name "
            f"`person: {key.name}`."
        )
    elif init:
        fix = (
            f"Name the column with --person {key.name} (in Python person={key.name!r}), or say "
            "--one-row-per-person (one_row_per_person=True) if every row is another person. If "
            f"the column does not identify people, say --not-a-key {key.name} "
            f"(not_keys=[{key.name!r}])."
        )
    else:
        fix = (
            f"Name the column with `person: {key.name}`, or say `one_row_per_person: true` if "
            "every row is another person. If the column does not identify people, give it "
            "`key: false`."
        )
    if key.missing:
        fix = f"Say in the data whose rows these are. {fix}"
    return DataError(question(key, person=person), where=where, fix=fix)


def question(key: Repeats, *, person: str | None = None) -> str:
    """What is wrong about a key that repeats.

    Args:
        key: The column.
        person: The person column, where there is one.
    """
    values = f"{key.distinct:,} {'value' if key.distinct == 1 else 'values'}"
    if person is not None:
        return (
            f"{key.name!r} also looks like a person ID: {values}, each may stand with several "
            f"values of {person!r} ({key.people:,})"
        )
    different = f"{key.distinct:,} different values" if key.distinct != 1 else "1 value"
    if not key.repeats:
        different = f"a value in {key.units:,} rows"
    else:
        different += f" in {key.units:,} rows"
    if key.missing:
        different += f", and none in {key.missing:,}"
    return (
        f"{key.name!r} looks like a person ID. It has {different}, so one person may have several "
        "rows"
    )


def shared_name(name: Repeats) -> str:
    """What to tell of an identifier that repeats and is no key."""
    return (
        f"{name.distinct:,} {'value' if name.distinct == 1 else 'values'} of {name.name!r} "
        f"{'stands' if name.distinct == 1 else 'stand'} in {name.units:,} rows. People may share "
        "a value, so every row counts as another person; if some have several rows, name a column "
        "that tells people apart with `person`."
    )
