"""A first plan for a table: everything that is guessed, and what has to be asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hedgerow.base.spelling_classes import classes
from hedgerow.plan.guesses.event_age import INSTEAD, EventAge, Fits, event_age, with_age
from hedgerow.plan.guesses.first_claims import FirstClaims, first_claims
from hedgerow.plan.guesses.first_hierarchies import first_hierarchy
from hedgerow.plan.guesses.missing_marks import MissingMark, missing_marks
from hedgerow.plan.guesses.name_shapes import LIKE_NAMES
from hedgerow.plan.guesses.purposes import DEFAULT, PURPOSES, Purpose, purpose_of
from hedgerow.plan.guesses.questions import MOST_QUESTIONS, PlanQuestion
from hedgerow.plan.guesses.role_guess import ANSWERED, Confidence, RoleGuess, guess_role
from hedgerow.plan.guesses.table_guess import guess_roles
from hedgerow.table.profile.column_facts import ColumnFacts
from hedgerow.table.profile.table_profile import PersonKey, TableProfile
from hedgerow.table.schema import Role

ANOTHER = "every row is another person"
YES, NO = "yes", "no"
KNOWN, PRIVATE, NEITHER = "others may know them", "they are private", "neither"
DROPPED = "they are, leave them out"


@dataclass(frozen=True, kw_only=True)
class FirstPlan:
    """What is proposed for a table."""

    profile: TableProfile
    purpose: Purpose
    purpose_said: bool
    person: str | None
    """The column that says whose row it is."""
    key: PersonKey | None
    """What is known of it, where nobody but Hedgerow has said so."""
    one_row_per_person: bool
    """Whether somebody has stated that."""
    null: tuple[MissingMark, ...]
    """Texts that are read as missing."""
    null_in_columns: tuple[MissingMark, ...]
    """Those that are so in some columns only, since they are values in others."""
    roles: Mapping[str, RoleGuess]
    most_rows: int
    """Rows of the person who has most."""
    within_person: Mapping[str, str]
    """Which of a person's values is kept, where these differ."""
    age: EventAge | None
    """The age at an event that is added, in place of the date of birth."""
    not_keys: tuple[str, ...]
    claims: FirstClaims
    questions: tuple[PlanQuestion, ...]
    """What nobody has answered yet, the most consequential first."""


def first_plan(
    profile: TableProfile,
    *,
    person: str | None = None,
    one_row_per_person: bool = False,
    not_keys: Sequence[str] = (),
    purpose: str | None = None,
    find_person: bool = True,
    answers: Mapping[str, str] | None = None,
    by_column: bool = True,
    fits_age: Fits | None = None,
) -> FirstPlan:
    """Propose a plan.

    Args:
        profile: The facts of the table.
        person: The column that says whose row it is, where somebody has said so.
        one_row_per_person: Whether somebody states that every row is another person.
        not_keys: Columns of which somebody states that they do not identify people.
        purpose: What the release is for; a name of `PURPOSES`.
        find_person: Whether to look for the column that says whose row it is, if nobody says.
        answers: For each question, by what it is about, the option that somebody chose.
        by_column: Whether texts that are missing in some columns only are said of these.
        fits_age: Whether an age at an event can be counted; without it none is proposed.

    Raises:
        PlanError: There is no such purpose.
    """
    given = dict(answers or {})
    purpose_name = purpose or given.get("purpose")
    aim = purpose_of(purpose_name)
    facts = {column.name: column for column in profile.columns}
    questions: list[PlanQuestion] = []
    if purpose_name is None:
        questions.append(_about_purpose())

    key = None
    if given.get("person") == ANOTHER:
        one_row_per_person = True
    elif find_person and person is None and not one_row_per_person and len(facts) > 1:
        several = [
            k
            for k in profile.keys
            if k.several and k.column not in not_keys and (k.sure or _numbers_people(facts, k))
        ]
        chosen = [k for k in several if k.column == given.get("person")]
        key = next(iter(chosen or several), None)
        if key is not None and not (key.sure or chosen):
            questions.append(_about_person(several))
        person = key.column if key else None

    null, own, doubtful = _marked(profile, by_column=by_column)
    if doubtful:
        answer = given.get("missing")
        question = _about_missing(doubtful)
        if answer is None:
            questions.append(question)
        if (answer or question.default) == YES:
            for mark in doubtful:
                (own if by_column and mark.elsewhere else null).append(mark)

    roles = guess_roles(profile, person=person)
    for about, role in (("known", Role.QUASI_IDENTIFIER), ("private", Role.SENSITIVE)):
        unsure = _unsure(roles, role, facts)
        if not unsure:
            continue
        if about not in given:
            questions.append(_about_columns(about, role, unsure))
            continue
        for name in unsure:
            roles[name] = _answered(roles[name], given[about])
    named = [name for name, guess in roles.items() if guess.because == LIKE_NAMES]
    if named and "names" not in given:
        questions.append(_about_names(named))
    for name in named if given.get("names") == KNOWN else ():
        roles[name] = _answered(roles[name], KNOWN)
    if not any(guess.role is Role.QUASI_IDENTIFIER for guess in roles.values()):
        _one_quasi_identifier(roles, facts, person)

    age = (
        None
        if fits_age is None
        else event_age(roles, facts, fits_age, null=null, null_in_columns=own)
    )
    if age is not None:
        if "age" not in given:
            questions.append(age.question)
        if given.get("age", INSTEAD) == INSTEAD:
            roles = with_age(roles, age)
        else:
            age = None

    most_rows = key.most_rows if key is not None else _most_rows(facts.get(person or ""))
    everywhere = {mark.text for mark in null}
    for name, guess in roles.items():
        if guess.role is Role.QUASI_IDENTIFIER and name in facts:
            missing = frozenset(everywhere | {m.text for m in own if name in m.columns})
            made = first_hierarchy(facts[name], missing, k=aim.k, sampled=profile.sampled)
            roles[name] = replace(guess, hierarchy=made.text, coarser=made.because)
    return FirstPlan(
        profile=profile,
        purpose=aim,
        purpose_said=purpose_name is not None,
        person=person,
        key=key,
        one_row_per_person=one_row_per_person,
        null=tuple(null),
        null_in_columns=tuple(own),
        roles=roles,
        most_rows=most_rows,
        within_person=_kept(person, profile, roles, age) if person and most_rows > 1 else {},
        age=age,
        not_keys=tuple(not_keys),
        claims=first_claims(roles, facts, aim),
        questions=tuple(questions[:MOST_QUESTIONS]),
    )


def _marked(
    profile: TableProfile, *, by_column: bool
) -> tuple[list[MissingMark], list[MissingMark], list[MissingMark]]:
    """What is missing in all columns, what in some only, and what somebody has to say."""
    null, own, doubtful = [], [], []
    for mark in missing_marks(profile):
        if mark.sure and not mark.elsewhere:
            null.append(mark)
        elif by_column and mark.elsewhere and mark.surely:
            own.append(replace(mark, columns=mark.surely))
            rest = tuple(name for name in mark.columns if name not in mark.surely)
            if rest:
                doubtful.append(replace(mark, columns=rest, sure=False))
        else:
            doubtful.append(mark)
    return null, own, doubtful


def _most_rows(person: ColumnFacts | None) -> int:
    """Rows of the person who has most, where somebody has named the column."""
    return max((one.rows for one in person.values), default=1) if person is not None else 1


def _numbers_people(facts: Mapping[str, ColumnFacts], key: PersonKey) -> bool:
    """Whether the column of a doubtful key looks like an identifier, or is used as one."""
    return key.together or guess_role(facts[key.column]).role is Role.IDENTIFIER


def _about_purpose() -> PlanQuestion:
    return PlanQuestion(
        about="purpose",
        text="What is the release for?",
        options=tuple(PURPOSES),
        default=DEFAULT,
        why="It decides how large groups are and how many people may be left out.",
        meanings=tuple(f"{p.readers}: groups of {p.k} or more" for p in PURPOSES.values()),
    )


def _about_person(keys: Sequence[PersonKey]) -> PlanQuestion:
    best = keys[0]
    return PlanQuestion(
        about="person",
        text=f"Does {best.column!r} say whose row it is? It has {best.people:,} values, up to "
        f"{best.most_rows:,} rows each.",
        options=(*(key.column for key in keys[:3]), ANOTHER),
        default=best.column,
        why="Every claim counts people. If a person has several rows, rows are not people.",
        columns=tuple(key.column for key in keys[:3]),
    )


def _about_missing(marks: Sequence[MissingMark]) -> PlanQuestion:
    first = marks[0]
    others = f" (and {len(marks) - 1} other texts)" if len(marks) > 1 else ""
    where = _listed(first.columns)
    values = f"; in {_listed(first.elsewhere)} it is a value" if first.elsewhere else ""
    default = NO if any(mark.elsewhere or mark.text.isalpha() for mark in marks) else YES
    return PlanQuestion(
        about="missing",
        text=f"Does {first.text!r}{others} mean in {where} that there is no value?",
        options=(YES, NO),
        default=default,
        why=f"{first.because[:1].upper()}{first.because[1:]}{values}. A missing value that is "
        "taken for a number spoils ranges and means.",
        columns=first.columns,
    )


def _about_columns(about: str, role: Role, names: Sequence[str]) -> PlanQuestion:
    which = _listed(names, most=6)
    return PlanQuestion(
        about=about,
        text=f"What are the values of {which}?",
        options=(KNOWN, PRIVATE),
        default=KNOWN if role is Role.QUASI_IDENTIFIER else PRIVATE,
        why="What others may know is made coarser, so that it finds nobody. What is private is "
        "published as it is, protected by claims alone.",
        columns=tuple(names),
    )


def _about_names(names: Sequence[str]) -> PlanQuestion:
    return PlanQuestion(
        about="names",
        text=f"Are the values of {_listed(names)} names of people?",
        options=(DROPPED, KNOWN),
        default=DROPPED,
        why="They are shaped so. Names are not published; firms or places that others know may be, "
        "made coarser.",
        columns=tuple(names),
    )


def _listed(names: Sequence[str], most: int = 4) -> str:
    shown = [repr(name) for name in names[:most]]
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _unsure(
    roles: Mapping[str, RoleGuess], role: Role, facts: Mapping[str, ColumnFacts]
) -> list[str]:
    """Columns that were given a role without knowing, the most telling first."""
    names = [
        name
        for name, guess in roles.items()
        if guess.role is role and guess.confidence is Confidence.UNSURE and guess.follows is None
    ]
    return sorted(names, key=lambda name: -facts[name].separation)


def _answered(guess: RoleGuess, answer: str) -> RoleGuess:
    role = Role.QUASI_IDENTIFIER if answer == KNOWN else Role.SENSITIVE
    return replace(guess, role=role, confidence=Confidence.SURE, because=ANSWERED)


def _one_quasi_identifier(
    roles: dict[str, RoleGuess], facts: Mapping[str, ColumnFacts], person: str | None
) -> None:
    """A plan needs something to generalise: the column that says least about who it is."""

    def telling(name: str) -> tuple[bool, bool, int]:
        found = roles[name]
        direct = bool(facts[name].identifiers) or facts[name].free_text
        return direct or "look like" in found.because, found.sure, facts[name].distinct

    names = [name for name in roles if name != person]
    if names:
        least = min(names, key=telling)
        because = "no other column looked like one"
        roles[least] = replace(
            roles[least], role=Role.QUASI_IDENTIFIER, confidence=Confidence.UNSURE, because=because
        )


def _kept(
    person: str, profile: TableProfile, roles: Mapping[str, RoleGuess], age: EventAge | None
) -> dict[str, str]:
    """Which of a person's values is kept, where these differ or may differ."""
    agree = {
        one.dependent
        for one in profile.dependencies
        if one.determinant == person and one.exact and not profile.sampled
    }
    kept: dict[str, str] = {}
    for column in profile.columns:
        if column.name in agree or roles[column.name].role is Role.IDENTIFIER:
            continue
        values = [one.value for one in column.values]
        plain = column.numbers is None and column.values_complete
        plain = plain and not any(len(texts) > 1 for texts in classes(values))
        kept[column.name] = "most-frequent" if plain else "smallest"
    if age is not None:
        kept[age.name] = "smallest"
    return kept
