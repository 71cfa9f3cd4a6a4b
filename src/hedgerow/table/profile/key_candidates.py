"""Columns that may say whose row it is.

A number of people repeats where people have several rows, and what does not change of a person,
such as sex and date of birth, agrees within it. A number of hospitals or households repeats, too,
but sex differs within it. What numbers the rows is no number of people.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set

import numpy as np
import pyarrow as pa

from hedgerow.table.column_words import words, words_in
from hedgerow.table.groups import Floats, Ints
from hedgerow.table.id_shapes import look_like_ids
from hedgerow.table.person_keys import KEY_WORDS, PERSON_WORDS, is_called_id, looks_like_codes
from hedgerow.table.profile.column_facts import ColumnFacts, ColumnKind
from hedgerow.table.profile.encoded_column import EncodedColumn
from hedgerow.table.profile.table_profile import Dependency, PersonKey

LASTING = words(
    "sex gender geschlecht birth born dob birthdate geburtsdatum birthday race raceg ethnicity "
    "ethnic birthplace bplg sexe sexo genre"
)
"""Words in the names of columns that do not change of a person."""
NAMES = words(
    "surname lastname firstname forename familyname givenname fullname nachname vorname nom prenom "
    "apellido apellidos nombre cognome achternaam voornaam"
)
"""Words in the names of columns that hold names of people."""
OTHER_THINGS = words(
    "hospital clinic centre center site provider doctor physician payer insurer school class "
    "household family hh hhid famid county state region district city country zip plz postcode "
    "product item drug device visit encounter admission claim order invoice event test episode "
    "department ward team company employer firm bank branch trial study"
)
"""Words that say that something else than people is numbered."""
TIMES = words(
    "visit visits time times day days date year years month months week weeks wave round period "
    "occasion age session trial"
)
"""Words for what each person has each of once."""
CONTACT = frozenset({"e-mail address", "telephone number", "street address", "name of a person",
                     "given name", "IP address"})  # fmt: skip
"""Forms of what identifies people and is no number of them."""
MOST_ROWS_EACH = 0.2
"""Share of the table that people have each, on average, at most."""
FEW_PEOPLE = 5
MANY_KEYS = 20
"""Values above which a column may number people whatever it is called."""
MOST_VISITS = 50
"""Rows of a person on average, at most, where only their order tells."""
MOST_SORTED = 5000
"""Values that are looked at to see whether a table is in their order."""
BALANCED = 0.9
"""Share of the values that have as many rows as most have."""
MOSTLY = 0.5
"""Share of the values of a key with several names from which on it numbers no people."""
AGREE = 0.01
"""Share of rows that may break the agreement of a lasting column."""


def key_candidates(
    columns: Mapping[str, EncodedColumn],
    facts: Mapping[str, ColumnFacts],
    follows: Iterable[Dependency],
    unique_with: Mapping[str, Sequence[str]],
) -> tuple[PersonKey, ...]:
    """Columns that may say whose row it is, the likeliest first.

    Args:
        columns: The columns, coded.
        facts: What is known of each.
        follows: Dependencies.
        unique_with: For each column, others with which it is different in every row.
    """
    agree: dict[str, list[str]] = {name: [] for name in columns}
    broken = {(one.determinant, one.dependent) for one in follows if not one.exact}
    for one in follows:
        agree[one.determinant].append(one.dependent)
    lasting = [name for name in columns if words_in(name) & LASTING and facts[name].distinct > 1]
    named = [name for name in columns if words_in(name) & NAMES or _are_names(facts[name])]
    found: list[tuple[float, PersonKey]] = []
    for name, column in columns.items():
        look = facts[name]
        if not _may_number(look, column):
            continue
        same = [n for n in agree[name] if not _only_groups(facts[n], look)]
        together = _stands_together(look, column)
        # A name may be misspelt; whoever has another one in most rows is somebody else.
        strangers = [n for n in named if n != name and _mostly_differs(column, columns[n])]
        score, because = _score(
            look, column, same, lasting, unique_with.get(name, ()), together=together,
            strangers=strangers, nearly={n for n in same if (name, n) in broken},
        )  # fmt: skip
        if score <= 0:
            continue
        rows = column.counts[:-1]
        differ = [
            n for n in columns
            if n != name and n not in same and facts[n].distinct > 1 and rows.max() > 1
        ]  # fmt: skip
        found.append((score, PersonKey(
            column=name, people=column.distinct, mean_rows=float(rows.sum() / len(rows)),
            most_rows=int(rows.max()), nobody=column.missing, agree=tuple(same),
            differ=tuple(differ), because=because, sure=score >= SURE, together=together,
        )))  # fmt: skip
    found.sort(key=lambda each: -each[0])
    return tuple(key for _, key in found)


SURE = 5.0
"""Points from which on a key is sure."""


def _are_names(look: ColumnFacts) -> bool:
    """Whether the values are names of people."""
    kinds = {form.kind for form in look.recognised}
    first_or_last = words_in(look.name) >= {"name"} and bool(
        words_in(look.name) & {"first", "last", "given", "family", "full"}
    )
    return bool(kinds & {"name of a person", "given name"}) or first_or_last


def _mostly_differs(key: EncodedColumn, other: EncodedColumn) -> bool:
    """Whether most values of a key with several rows have several values of the other column."""
    there = (key.codes < key.distinct) & (other.codes < other.distinct)
    pairs = np.unique(key.codes[there].astype(np.int64) * other.size + other.codes[there])
    each = np.bincount(pairs // other.size, minlength=key.size)
    several = np.bincount(key.codes[there], minlength=key.size) > 1
    return bool(several.any()) and float((each[several] > 1).mean()) > MOSTLY


def _may_number(look: ColumnFacts, column: EncodedColumn) -> bool:
    """Whether a column could number people: many values, no amounts, not just the rows."""
    there = column.rows - column.missing
    if look.sequence or look.distinct < FEW_PEOPLE or there < 0.5 * column.rows:
        return False
    if look.kind in (ColumnKind.DATE, ColumnKind.EMPTY) or look.free_text:
        return False
    if look.numbers is not None and not look.numbers.whole:
        return False
    return there / look.distinct <= max(2.0, MOST_ROWS_EACH * there)


def _only_groups(dependent: ColumnFacts, key: ColumnFacts) -> bool:
    """Whether a column that follows is as fine as the key: the same thing in another form."""
    return dependent.distinct >= key.distinct


def _score(
    look: ColumnFacts, column: EncodedColumn, same: Sequence[str], lasting: Sequence[str],
    times: Sequence[str], *, together: bool, strangers: Sequence[str], nearly: Set[str],
) -> tuple[float, str]:  # fmt: skip
    """Points for a key, and why it may be one.

    Args:
        look: What is known of the column.
        column: It.
        same: Columns that follow from it.
        lasting: Columns that do not change of a person.
        times: Columns with which it is different in every row.
        together: Whether the rows of each value stand together.
        strangers: Columns of names that differ within most of its values.
        nearly: Of the columns that follow from it, those that do not in a few rows.
    """
    name, named = look.name, words_in(look.name)
    texts = [text for text in column.spread(300) if text.strip()]
    called = is_called_id(name) and not named & OTHER_THINGS
    person = bool(named & (PERSON_WORDS - {"id", "ids", "identifier"}))
    shaped = look_like_ids(texts, named)
    repeats = column.rows - column.missing > column.distinct
    score, why = 0.0, []
    if called:
        score += 2.0 + (named <= KEY_WORDS)
        why.append("it is called an ID")
    if person:
        score += 1.0
    if shaped:
        score += 2.0
        why.append("its values look like IDs")
    if any(form.kind in CONTACT for form in look.recognised):
        score -= 2.0  # people have several of them, and share them
    if named & OTHER_THINGS:
        score -= 2.0
    if not repeats:
        # Every row has another: an ID, if anything says so.
        codes = looks_like_codes(name, texts)
        return (score, " and ".join(why)) if score >= 2.0 and codes else (0.0, "")
    held = [n for n in lasting if n in same and n != name]
    broken = [n for n in lasting if n not in same and n != name]
    if held:
        score += 2.0 * len(held)
        ever = "hardly ever" if nearly & set(held) else "never"
        why.append(f"{_listed(held)} {ever} {'differs' if len(held) == 1 else 'differ'} within it")
    if broken:
        score -= 3.0 * len(broken)
    others = [n for n in same if n not in held]
    if others:
        score += min(2.0, 0.5 * len(others))
        if not held:
            why.append(
                f"{_listed(others[:3])} {'follows' if len(others) == 1 else 'follow'} from it"
            )
    timed = [n for n in times if words_in(n) & TIMES]
    if timed:
        score += 2.0
        why.append(f"each stands once with each {timed[0]}")
    if together and not broken:
        score += 2.5
        why.append("the rows of each value stand together")
    if strangers and not (same or timed or _in_runs(column)):
        return 0.0, ""  # nothing but its name speaks for it
    unnamed = held and look.kind is ColumnKind.CODE and column.distinct > MANY_KEYS
    if not (called or shaped or person or unnamed or (together and not broken)):
        return 0.0, ""
    return score, ", ".join(why) or "its name says so"


def _stands_together(look: ColumnFacts, column: EncodedColumn) -> bool:
    """Whether equal values are side by side though the table is not in their order.

    So are the rows of a person in most tables that have several, whatever the column is called.
    Where values are in order, the same is so of any table that is sorted by them, unless all have
    as many rows.
    """
    rows = column.counts[:-1]
    if look.distinct <= MANY_KEYS or words_in(look.name) & (TIMES | OTHER_THINGS):
        return False
    if look.recognised or is_called_id(look.name):
        return False  # that says what they are
    if not 1.5 <= rows.mean() <= MOST_VISITS or _are_years(look):
        return False
    if not _in_runs(column):
        return False
    ends = np.flatnonzero(np.diff(column.codes))
    order = column.codes[np.append(0, ends + 1)]
    if len(np.unique(order)) < len(order):
        return False
    texts = column.texts.take(pa.array(order[order < column.distinct][:MOST_SORTED])).to_pylist()
    if 2 * sum(any(map(str.isdigit, text)) for text in texts) < len(texts):
        return False
    usual = np.median(rows)
    balanced = usual >= 2 and (rows == usual).mean() >= BALANCED
    key = float if look.numbers is not None else str
    numbers = [key(text) for text in texts if text not in look.tokens]
    ordered = numbers == sorted(numbers) or numbers == sorted(numbers, reverse=True)
    return bool(balanced or not ordered)


def _in_runs(column: EncodedColumn) -> bool:
    """Whether the rows of each value are side by side."""
    return len(np.flatnonzero(np.diff(column.codes))) < column.size


def _are_years(look: ColumnFacts) -> bool:
    return look.numbers is not None and look.numbers.low >= 1890 and look.numbers.high <= 2035


def _listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def is_sequence(column: EncodedColumn, values: Floats, rows: Ints) -> bool:
    """Whether whole numbers without gaps number the rows, none of them twice.

    Args:
        column: The column.
        values: Its numbers, in ascending order.
        rows: The rows of each.
    """
    if len(values) < 3 or len(values) != column.rows or int(rows.max()) != 1:
        return False
    return bool((np.diff(values) == 1).all())
