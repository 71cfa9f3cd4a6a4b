"""The roles of all columns of a table: what follows from others, and how many there are."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace

from hedgerow.plan.guesses.quasi_words import AGE, BIRTH, TIME
from hedgerow.plan.guesses.role_guess import LIKE_AGES, Confidence, RoleGuess, following, guess_role
from hedgerow.plan.guesses.sensitive_words import MEASURED
from hedgerow.plan.guesses.value_words import are_proper_names, is_flag, values_of
from hedgerow.table.profile.column_facts import ColumnFacts
from hedgerow.table.profile.table_profile import TableProfile
from hedgerow.table.schema import Role

BATTERY = 5
"""Columns of unknown names with the same answers from which on they are questions of one kind."""
MOST_UNKNOWN = 3
"""Columns of which nothing says what they are about that become quasi-identifiers."""
SECRETS = 3
"""Sensitive columns of a table from which on one of an unknown name is likely to be one, too."""
MOST_QUASI = 12
"""Quasi-identifiers from which on those that fewer people know are taken for private."""
MOST_OF_ALL = 16
"""Quasi-identifiers, at most."""
FEW_VALUES = 20
"""Of findings and answers, at most."""


def guess_roles(profile: TableProfile, *, person: str | None = None) -> dict[str, RoleGuess]:
    """A role for each column of a table.

    Args:
        profile: The table's facts.
        person: The column that says whose row it is.
    """
    guesses = {column.name: guess_role(column) for column in profile.columns}
    if person is not None:
        because = "it says whose row it is"
        guesses[person] = RoleGuess(
            column=person, role=Role.IDENTIFIER, confidence=Confidence.SURE, because=because
        )
    facts = {column.name: column for column in profile.columns}
    _ages(guesses)
    _follow(guesses, facts, profile)
    _answers(guesses, facts)
    _bounded(guesses, facts)
    return guesses


def _ages(guesses: dict[str, RoleGuess]) -> None:
    """A person has one age: where several columns look like one, they are measurements."""
    alike = [name for name, guess in guesses.items() if guess.because == LIKE_AGES]
    if sum(guess.topic in (AGE, BIRTH) for guess in guesses.values()) > 1:
        because = "it holds many different numbers, as measurements do, which few people know"
        for name in alike:
            guesses[name] = replace(
                guesses[name], role=Role.SENSITIVE, because=because, topic=MEASURED
            )


def _follow(
    guesses: dict[str, RoleGuess], facts: Mapping[str, ColumnFacts], profile: TableProfile
) -> None:
    """Columns of which nothing is known have the role of the column that determines them."""
    leaders: dict[str, list[str]] = defaultdict(list)
    for one in profile.dependencies:
        if one.exact:
            leaders[one.dependent].append(one.determinant)
    for name, found in leaders.items():
        own = guesses[name]
        if own.confidence is not Confidence.UNSURE:
            continue
        known = [
            guesses[other]
            for other in found
            if guesses[other].confidence is not Confidence.UNSURE
            and guesses[other].role in (Role.QUASI_IDENTIFIER, Role.SENSITIVE)
            and facts[other].distinct <= max(2 * facts[name].distinct, 20)
        ]
        if known:
            guesses[name] = following(own, min(known, key=lambda one: facts[one.column].distinct))


def _answers(guesses: dict[str, RoleGuess], facts: Mapping[str, ColumnFacts]) -> None:
    """Many columns of unknown names with few values: findings, or answers to questions.

    Nobody knows forty of them of a person. Those in a battery with the same answers are sensitive,
    and so are the others if there are more than a few.
    """
    unknown = [
        name
        for name, guess in guesses.items()
        if guess.role is Role.QUASI_IDENTIFIER
        and guess.topic is None
        and guess.follows is None
        and guess.confidence is Confidence.UNSURE
    ]
    alike: dict[frozenset[str], list[str]] = defaultdict(list)
    for name in unknown:
        alike[_answers_of(facts[name])].append(name)
    for names in alike.values():
        if len(names) >= BATTERY:
            because = (
                f"{len(names)} columns have the same values, as answers and findings do, which "
                "few people know"
            )
            for name in names:
                guesses[name] = replace(
                    guesses[name], role=Role.SENSITIVE, because=because, topic=MEASURED
                )
                unknown.remove(name)
    secrets = [g for g in guesses.values() if g.role is Role.SENSITIVE and g.topic is not None]
    unknown = [
        name for name in unknown
        if facts[name].distinct <= FEW_VALUES and not _may_name(guesses[name], facts)
    ]  # fmt: skip
    if len(unknown) > MOST_UNKNOWN or len(secrets) >= SECRETS:
        because = (
            "nothing says what it is about; beside so many columns that few people know, it may "
            "be one of them"
        )
        for name in unknown:
            guesses[name] = replace(
                guesses[name], role=Role.SENSITIVE, because=because, topic=MEASURED
            )


def _may_name(guess: RoleGuess, facts: Mapping[str, ColumnFacts]) -> bool:
    """Whether a column of an unknown name could hold names of people or places.

    A sensitive column is published as it is, which names must not be.
    """
    column = facts[guess.column]
    texts = [one.value for one in column.values if one.value not in column.tokens]
    return guess.topic is None and column.numbers is None and are_proper_names(texts)


def _bounded(guesses: dict[str, RoleGuess], facts: Mapping[str, ColumnFacts]) -> None:
    """No attacker knows everything of a person, and no release hides all of it.

    Of many quasi-identifiers those stay that anybody knows who knows the person, all dates, and
    what may be names.
    """
    many = [guess for guess in guesses.values() if guess.role is Role.QUASI_IDENTIFIER]
    order = (Confidence.SURE, Confidence.LIKELY, Confidence.UNSURE)
    weak = [
        g for g in many
        if g.known > 1 and g.topic is not TIME and g.follows is None and not _may_name(g, facts)
    ]  # fmt: skip
    weak.sort(key=lambda guess: (-guess.known, -order.index(guess.confidence)))
    for guess in weak[: max(0, len(many) - MOST_QUASI)]:
        because = (
            f"{guess.because}; but {len(many)} columns may be known, and nobody knows all of "
            "them of a person"
        )
        guesses[guess.column] = replace(
            guess, role=Role.SENSITIVE, confidence=Confidence.UNSURE, because=because
        )
    left = [guess for guess in guesses.values() if guess.role is Role.QUASI_IDENTIFIER]
    left = [guess for guess in left if not _may_name(guess, facts)]
    kept = sum(guess.role is Role.QUASI_IDENTIFIER for guess in guesses.values()) - len(left)
    while left and len(left) + kept > MOST_OF_ALL:
        alike = Counter(guess.topic for guess in left if guess.topic is not None)
        crowded = max(alike, key=lambda topic: alike[topic]) if alike else None
        one = next(guess for guess in reversed(left) if crowded in (guess.topic, None))
        because = (
            f"{one.because}; but {len(many)} columns may be known, and nobody knows all of them "
            "of a person"
        )
        guesses[one.column] = replace(
            one, role=Role.SENSITIVE, confidence=Confidence.UNSURE, because=because
        )
        left.remove(one)


def _answers_of(column: ColumnFacts) -> frozenset[str]:
    """What the values of answers have in common: all flags are alike."""
    values = values_of(column)
    if column.distinct > FEW_VALUES:
        return frozenset({column.name})
    return frozenset({"flag"}) if is_flag(values) or len(values) <= 2 else values
