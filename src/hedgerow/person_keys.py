"""Whether rows are people: columns that number people, and whether their numbers repeat.

Every claim counts people. Without a `person` column each row counts as one, so a table in which a
patient's five visits are five rows would be published as if they were five patients. Names repeat
because people share them. Numbers of people do not, unless a person has several rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hedgerow.engines.base import Engine, Repeats
from hedgerow.errors import DataError
from hedgerow.guess import QUASI_IDENTIFIERS, SENSITIVE, words, words_in
from hedgerow.planning.claims import Claim
from hedgerow.schema import Role

if TYPE_CHECKING:
    from hedgerow.plan import Plan

LOOKED_AT = 1000
"""Rows whose values say what a column looks like."""
KEY_WORDS = words(
    "id ids nbr no nr num number key pid mrn ssn uuid guid seqn patient person subject participant "
    "respondent member customer client user username login email account passport"
)
"""Words in the name of a column that numbers people."""
_WORD = re.compile(r"[^\W\d_]{3,}")
_DATE = re.compile(r"(\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4})?([ T]?\d{1,2}:\d{2}.*)?")


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """The columns whose values should be of one person each, and are not."""

    keys: tuple[Repeats, ...] = ()
    """A number of people that stands in several rows, or with several people: the first found."""
    names: tuple[Repeats, ...] = ()
    """Other identifiers that stand in several rows: people share names."""


def repeated(
    engine: Engine,
    roles: Mapping[str, Role],
    said: Mapping[str, bool] | None = None,
    *,
    person: str | None = None,
    names: bool = True,
) -> Repeated:
    """Look for columns that number people and repeat.

    An identifier whose values look like numbers or codes is a key however often it repeats: where
    everybody has fifty rows, hardly a value is distinct. Other columns are keys only if they are
    called so and most of their values are distinct, because measured numbers look alike.

    Args:
        engine: The table.
        roles: The role of each column.
        said: Whether a column is a key, where somebody has said so.
        person: The column that says whose row it is; then what counts is whether a value stands
            with several people.
        names: Whether to count names that repeat, too.
    """
    said = said or {}
    asked = [
        name
        for name, role in roles.items()
        if name != person and said.get(name, role is Role.IDENTIFIER or bool(_called(name)))
    ]
    if not asked:
        return Repeated()
    rows = engine.rows(asked, LOOKED_AT)
    looked = {name: [v for v in rows[name].to_pylist() if v is not None] for name in asked}
    codes = [n for n in asked if said.get(n) or looks_like_codes(n, looked[n])]
    # A value that stands twice among the first rows repeats; where that is a key, it is enough.
    twice = [n for n in codes if len(set(looked[n])) < len(looked[n])]
    rest = [n for n in codes if n not in set(twice)]
    for some in (*([name] for name in twice), rest):
        for one in engine.repeats(some, person=person):
            if one.repeats and (said.get(one.name) or _is_key(one, roles[one.name])):
                return Repeated(keys=(one,))
    if person is not None or not names:
        return Repeated()
    known = set(codes)
    named = [n for n in asked if n not in known and roles[n] is Role.IDENTIFIER]
    return Repeated(names=tuple(one for one in engine.repeats(named) if one.repeats))


def _is_key(column: Repeats, role: Role) -> bool:
    """Whether a column that looks like codes numbers people, by its role, name and values."""
    if 2 * column.distinct > column.units:
        return True
    described = words_in(column.name) & (QUASI_IDENTIFIERS | SENSITIVE)
    return role is Role.IDENTIFIER and (not described or bool(_called(column.name)))


def looks_like_codes(name: str, values: Iterable[str | None]) -> bool:
    """Whether most values look like numbers or codes of people rather than like names.

    >>> looks_like_codes("pid", ["1001", "1002"]), looks_like_codes("name", ["Ann Lee", "Bo"])
    (True, False)
    >>> looks_like_codes("born", ["1999-01-31"]), looks_like_codes("patient id", ["a", "b"])
    (False, True)
    """
    distinct = {value.strip() for value in values if value is not None}
    called = _called(name)
    found = sum(is_code(value) or bool(called and _is_token(value)) for value in distinct)
    return 2 * found >= len(distinct) > 0


def is_code(value: str) -> bool:
    """Whether a value looks like a number or a code.

    >>> [is_code(v) for v in ("4711", "AB 12 34 56 C", "x@example.org", "12 Main Street", "Anna")]
    [True, True, True, False, False]
    """
    if _DATE.fullmatch(value):
        return False
    if " " not in value and "@" in value:
        return True
    alone = len(value.split()) == 1
    return any(c.isdigit() for c in value) and (alone or not _WORD.search(value))


def _is_token(value: str) -> bool:
    return len(value.split()) == 1 and not _DATE.fullmatch(value)


def _called(name: str) -> frozenset[str]:
    """Words of a name that say that people are numbered; patientid says so, too."""
    return frozenset(word for word in words_in(name) if word in KEY_WORDS or word.endswith("id"))


def require_people(plan: Plan, engine: Engine, *, names: bool = True) -> tuple[str, ...]:
    """Stop where rows may not be people, and nobody has said whether they are.

    Args:
        plan: The plan.
        engine: Its source.
        names: Whether to count names that repeat; what is counted exactly is for the steward.

    Returns:
        What to tell of identifiers that repeat because people share them.

    Raises:
        DataError: A column numbers people and repeats. It says what to add to the plan.
    """
    if plan.one_row_per_person:
        return ()
    schema = plan.schema(engine.columns())
    found = repeated(engine, schema.roles, _said(plan), person=plan.person, names=names)
    if found.keys:
        key = found.keys[0]
        raise asked(key, person=plan.person, where=plan.where("columns", key.name))
    return tuple(map(shared_name, found.names))


def _said(plan: Plan) -> dict[str, bool]:
    """Whether columns are keys, where the plan says so; what people want protected is none."""
    claims = (claim.epsilon_privacy for claim in plan.protect if isinstance(claim, Claim))
    wishes = {one.wishes: False for one in claims if one is not None and one.wishes is not None}
    return wishes | {name: c.key for name, c in plan.columns.items() if c.key is not None}


def asked(key: Repeats, *, person: str | None, where: str | None, init: bool = False) -> DataError:
    """The question whose rows they are.

    Args:
        key: The column that repeats.
        person: The person column, where there is one.
        where: The column's place in the plan, or the table.
        init: Whether there is no plan yet.
    """
    if person is not None:
        return DataError(
            f"{key.name!r} looks like a number of people, and its {key.distinct:,} values stand "
            f"with {key.units:,} values of the person column {person!r}. One person may have "
            f"several values of {person!r}",
            where=where,
            fix=f"Say --person {key.name}."
            if init
            else f"Name the column with `person: {key.name}`; or give it `key: false` if it does "
            "not number people.",
        )
    return DataError(
        question(key),
        where=where,
        fix=f"Name the column with --person {key.name} (in Python person={key.name!r}), or say "
        "--one-row-per-person (one_row_per_person=True) if every row is another person."
        if init
        else f"Name the column with `person: {key.name}`, or say `one_row_per_person: true` if "
        "every row is another person. If the column does not number people, give it `key: false`.",
    )


def question(key: Repeats) -> str:
    """What is wrong about a key that repeats, where no person is named."""
    return (
        f"{key.name!r} looks like a number of people, and its {key.distinct:,} "
        f"{'value stands' if key.distinct == 1 else 'values stand'} in {key.units:,} rows. One "
        "person may have several rows"
    )


def shared_name(name: Repeats) -> str:
    """What to tell of an identifier that repeats and is no key."""
    return (
        f"{name.distinct:,} {'value' if name.distinct == 1 else 'values'} of {name.name!r} "
        f"{'stands' if name.distinct == 1 else 'stand'} in {name.units:,} rows. People share "
        "names, so every row counts as another person; if some have several rows, name a column "
        "that tells people apart with `person`."
    )
