"""The role of one column: by its name, then by its values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from hedgerow.plan.guesses.identifier_words import DIRECT, NAME_PARTS, NAMES, OTHERS, PEOPLE, WEAK
from hedgerow.plan.guesses.name_shapes import LIKE_NAMES, are_shaped_as_names
from hedgerow.plan.guesses.quasi_words import (
    AGE,
    ALWAYS,
    CIVIL,
    EDUCATION,
    ETHNICITY,
    PLACE,
    QUASI_TOPICS,
    SEX,
    TIME,
)
from hedgerow.plan.guesses.sensitive_words import (
    HEALTH,
    MEASURED,
    SENSITIVE_TOPICS,
    SURVEY_WEIGHT,
)
from hedgerow.plan.guesses.sensitive_words import WEAK as STATUS
from hedgerow.plan.guesses.topics import NamedTopic, Topic, folded_words, found
from hedgerow.plan.guesses.value_words import (
    CIVIL as CIVIL_VALUES,
)
from hedgerow.plan.guesses.value_words import (
    ETHNICITIES,
    ILLNESS,
    SCHOOLS,
    are_sexes,
    is_flag,
    mostly,
    values_of,
)
from hedgerow.table.id_shapes import look_like_ids
from hedgerow.table.profile.column_facts import ColumnFacts, ColumnKind
from hedgerow.table.profile.column_notes import several
from hedgerow.table.profile.survey_weights import survey_weight
from hedgerow.table.schema import Role

ANSWERED = "you said so"
"""The reason of a role that somebody chose when asked."""
FEW_ROWS = 20
"""With fewer rows, values that are all different say nothing."""
COORDINATES = "coordinates"
"""A form of values that is made coarser like other places."""
MANY = 0.5
"""Share of rows with a value of their own from which on a code may number people."""
LIKE_AGES = "its numbers look like ages, which others know"
LIKE_YEARS = "its numbers look like years, which others may know: of birth, for example"
YEARS = (1890, 2035)
NAMED = 0.3
"""Different values for each row from which on texts may be names of people with several rows."""
MANY_PEOPLE = 10
"""Values from which on a column that is called like people may number them."""
MEASURED_VALUES = 20
"""Distinct numbers from which on a column of an unknown name may be a measurement."""


class Confidence(StrEnum):
    """How far a guess can be relied on."""

    SURE = "sure"
    LIKELY = "likely"
    UNSURE = "unsure"


@dataclass(frozen=True, kw_only=True)
class RoleGuess:
    """A role for a column, and why."""

    column: str
    role: Role
    confidence: Confidence
    because: str
    """A reason that a person can judge, as the end of a sentence."""
    topic: Topic | None = None
    """What the column is about, where its name or values say so."""
    follows: str | None = None
    """The column that determines it, whose role it has."""
    hierarchy: str | None = None
    """Of a quasi-identifier, as a plan writes it."""
    coarser: str | None = None
    """Why this hierarchy, as the end of a sentence."""

    @property
    def sure(self) -> bool:
        return self.confidence is Confidence.SURE

    @property
    def doubt(self) -> str:
        """How far not to rely on it, behind `guessed` or `proposed`."""
        return {"sure": "", "likely": ", likely", "unsure": ", not sure"}[self.confidence]

    @property
    def known(self) -> int:
        """Who knows it: 1 anybody who knows the person, 2 some of them, 3 nobody says."""
        return self.topic.known or 3 if self.topic else 3


def guess_role(column: ColumnFacts) -> RoleGuess:
    """The role of a column, as far as it says so itself."""
    named = folded_words(column.name)
    quasi, sensitive = found(named, QUASI_TOPICS), found(named, SENSITIVE_TOPICS)
    values = values_of(column)
    direct = _direct(column, named, values, quasi, sensitive)
    if direct is not None:
        return direct
    if column.constant:
        return _constant(column, quasi, sensitive)
    return (
        _survey_weight(column)
        or _by_name(column, named, quasi, sensitive)
        or _by_values(column, values, named)
        or _unknown(column, named)
    )


def _guess(
    column: ColumnFacts,
    role: Role,
    confidence: Confidence,
    because: str,
    topic: Topic | None = None,
) -> RoleGuess:
    return RoleGuess(
        column=column.name, role=role, confidence=confidence, because=because, topic=topic
    )


def _direct(
    column: ColumnFacts,
    named: frozenset[str],
    values: frozenset[str],
    quasi: list[NamedTopic],
    sensitive: list[NamedTopic],
) -> RoleGuess | None:
    """Whether it names people: by the form of its values, or by its name."""

    def identifier(confidence: Confidence, because: str) -> RoleGuess:
        return _guess(column, Role.IDENTIFIER, confidence, because)

    forms = [form for form in column.identifiers if form.kind != COORDINATES]
    if forms:
        form = forms[0]
        return identifier(Confidence.SURE, f"its values look like {several(form.kind)}")
    flag = is_flag(values) or column.distinct <= 3
    if (words := DIRECT.words(named)) and not flag:
        return identifier(Confidence.SURE, NamedTopic(DIRECT, words).because)
    name = NAMES.words(named)
    of_people = bool(named & NAME_PARTS) or (not quasi and name != ("initial",))
    if name and not flag and of_people and not (sensitive or OTHERS.words(named)):
        return identifier(Confidence.SURE, NamedTopic(NAMES, name).because)
    if look_like_ids((one.value for one in column.values), named):
        return identifier(Confidence.LIKELY, "its values look like IDs")
    if column.free_text:
        return identifier(Confidence.LIKELY, "it holds sentences, which may name somebody")
    weak, people = WEAK.words(named), PEOPLE.words(named)
    topics = bool(quasi or sensitive)
    others = bool(OTHERS.words(named))
    if column.sequence and not topics and (column.rows >= FEW_ROWS or "row" in named):
        return identifier(Confidence.LIKELY, "it numbers the rows")
    different = _all_different(column)
    alone = named <= {*weak, *people}
    repeated = column.distinct < (MANY_PEOPLE if alone else MANY * column.rows)
    if weak and not flag and (different or not (topics or others or repeated)):
        how = Confidence.SURE if different or people else Confidence.LIKELY
        also = ", and all values are different" if different else ""
        return identifier(how, f"{NamedTopic(WEAK, weak).because}{also}")
    most = column.distinct >= MANY * column.rows
    if people and _codes(column) and (most or (alone and _numbered(column))):
        also = "most values are different" if most else "its values are numbers or codes"
        return identifier(Confidence.LIKELY, f"{NamedTopic(PEOPLE, people).because}, and {also}")
    if different and not topics and _codes(column):
        return identifier(Confidence.LIKELY, "all its values are different")
    return None


def _all_different(column: ColumnFacts) -> bool:
    """Whether no value stands twice, in enough rows for that to mean something."""
    return column.rows >= FEW_ROWS and column.distinct == column.rows - column.missing > 1


def _codes(column: ColumnFacts) -> bool:
    """Whether its values could be codes: whole numbers, or texts."""
    return column.numbers is None or column.numbers.whole


def _numbered(column: ColumnFacts) -> bool:
    """Whether there are many values, and most have digits."""
    coded = sum(any(c.isdigit() for c in one.value) for one in column.values)
    return column.distinct >= MANY_PEOPLE and 2 * coded >= len(column.values)


def _constant(
    column: ColumnFacts, quasi: list[NamedTopic], sensitive: list[NamedTopic]
) -> RoleGuess:
    """A column with one value tells nobody apart."""
    if sensitive:
        because = f"{sensitive[0].because}; all rows have one value"
        return _guess(column, Role.SENSITIVE, Confidence.LIKELY, because, sensitive[0].topic)
    role = Role.QUASI_IDENTIFIER if quasi or column.missing else Role.INSENSITIVE
    what = "no row has a value" if not column.distinct else "all rows have one value"
    return _guess(column, role, Confidence.LIKELY, f"{what}, so it tells nobody apart")


def _survey_weight(column: ColumnFacts) -> RoleGuess | None:
    """A weight that is nobody's body weight."""
    because = survey_weight(column)
    if because is None:
        return None
    because = f"{because}: {SURVEY_WEIGHT.phrase}"
    return _guess(column, Role.SENSITIVE, Confidence.UNSURE, because, SURVEY_WEIGHT)


def _by_name(
    column: ColumnFacts, named: frozenset[str], quasi: list[NamedTopic], sensitive: list[NamedTopic]
) -> RoleGuess | None:
    """What its words say."""
    always = next((one for one in quasi if one.topic.name in ALWAYS), None)
    if always is None and sensitive and (not quasi or not _when(quasi, sensitive)):
        sensitive.sort(key=lambda one: one.topic.rank)
        best = sensitive[0]
        how = Confidence.LIKELY if quasi or best.topic is MEASURED else Confidence.SURE
        return _guess(
            column, Role.SENSITIVE, how, f"{best.because}: {best.topic.phrase}", best.topic
        )
    if quasi:
        best = always or quasi[0]
        how = Confidence.LIKELY if sensitive or best.topic.known > 1 else Confidence.SURE
        return _guess(
            column, Role.QUASI_IDENTIFIER, how, f"{best.because}: {best.topic.phrase}", best.topic
        )
    return None


def _when(quasi: list[NamedTopic], sensitive: list[NamedTopic]) -> bool:
    """Whether a name says when something about health happened: others may know the day."""
    when = any(one.topic is TIME for one in quasi)
    return when and all(one.topic in (HEALTH, MEASURED) for one in sensitive)


def _by_values(
    column: ColumnFacts, values: frozenset[str], named: frozenset[str]
) -> RoleGuess | None:
    """What its values say."""
    sex = Confidence.SURE if len(next(iter(values), "")) > 1 else Confidence.LIKELY
    for fits, topic, what in (
        (are_sexes(values), SEX, "sexes"),
        (mostly(values, ETHNICITIES), ETHNICITY, "ethnic groups"),
        (mostly(values, CIVIL_VALUES), CIVIL, "marital statuses"),
        (mostly(values, SCHOOLS), EDUCATION, "levels of education"),
    ):
        if fits:
            because = f"its values look like {what}: {topic.phrase}"
            return _guess(column, Role.QUASI_IDENTIFIER, sex, because, topic)
    if any(form.kind == COORDINATES for form in column.recognised):
        because = f"its values look like coordinates: {PLACE.phrase}"
        return _guess(column, Role.QUASI_IDENTIFIER, Confidence.LIKELY, because, PLACE)
    if column.kind is ColumnKind.DATE:
        because = f"it holds dates: {TIME.phrase}"
        return _guess(column, Role.QUASI_IDENTIFIER, Confidence.LIKELY, because, TIME)
    if mostly(values, ILLNESS, least=1):
        because = "its values look like findings: they are about health"
        return _guess(column, Role.SENSITIVE, Confidence.LIKELY, because, HEALTH)
    if words := STATUS.words(named):
        because = f"{NamedTopic(STATUS, words).because}: {STATUS.phrase}"
        return _guess(column, Role.SENSITIVE, Confidence.UNSURE, because, STATUS)
    return None


def _unknown(column: ColumnFacts, named: frozenset[str]) -> RoleGuess:
    """Neither its name nor its values say what it is about."""
    numbers = column.numbers
    code = column.kind is ColumnKind.CODE or bool(WEAK.words(named))
    if (
        numbers is not None
        and not code
        and (not numbers.whole or column.distinct > MEASURED_VALUES)
    ):
        if _like_ages(column):
            because = LIKE_AGES
            return _guess(column, Role.QUASI_IDENTIFIER, Confidence.UNSURE, because, AGE)
        if _like_years(column):
            return _guess(column, Role.QUASI_IDENTIFIER, Confidence.UNSURE, LIKE_YEARS, TIME)
        if numbers.whole and column.distinct >= MANY * column.rows:
            because = "most rows have a number of their own, which may find them in other data"
            return _guess(column, Role.QUASI_IDENTIFIER, Confidence.UNSURE, because)
        because = "it holds many different numbers, as measurements do, which few people know"
        return _guess(column, Role.SENSITIVE, Confidence.UNSURE, because, MEASURED)
    if numbers is None and column.kind is ColumnKind.TEXT and _all_different(column):
        because = "all its values are different"
        return _guess(column, Role.IDENTIFIER, Confidence.UNSURE, because)
    many = column.distinct >= NAMED * (column.rows - column.missing)
    if numbers is None and many and are_shaped_as_names([one.value for one in column.values]):
        return _guess(column, Role.IDENTIFIER, Confidence.UNSURE, LIKE_NAMES)
    because = "nothing says what it is about, so others may know it"
    return _guess(column, Role.QUASI_IDENTIFIER, Confidence.UNSURE, because)


def _like_ages(column: ColumnFacts) -> bool:
    """Whether its numbers could be the ages of grown-ups: whole, spread as ages are."""
    numbers = column.numbers
    assert numbers is not None
    low, middle, high = numbers.quartiles
    return (
        numbers.whole
        and numbers.low >= 14
        and 60 <= numbers.high <= 110
        and 22 <= low <= middle <= high <= 80
    )


def _like_years(column: ColumnFacts) -> bool:
    """Whether its numbers could be years of birth, or of anything else that others know."""
    numbers = column.numbers
    assert numbers is not None
    return numbers.whole and YEARS[0] <= numbers.low and numbers.high <= YEARS[1]


def following(guess: RoleGuess, leader: RoleGuess) -> RoleGuess:
    """The guess for a column that another determines: whoever knows that one knows it, too."""
    because = f"it follows from {leader.column!r}, and has its role"
    return replace(
        guess, role=leader.role, confidence=leader.confidence, because=because,
        topic=leader.topic, follows=leader.column,
    )  # fmt: skip
