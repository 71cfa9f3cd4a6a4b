"""A first plan, guessed from what the columns are called and what they hold.

Every guess carries a comment with its reason, for a person to read and correct. Columns of which
nothing is known become quasi-identifiers where there are few of them, and sensitive where there
are many: nobody knows forty values of a person. `guesses` has the rules.
"""

from __future__ import annotations

import os
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hedgerow.base.errors import DataError, PlanError, TargetError, some
from hedgerow.engines.base import Engine
from hedgerow.engines.file_look import FileLook
from hedgerow.plan.guesses.event_age import EventAge, Fits
from hedgerow.plan.guesses.first_plan import FirstPlan, first_plan
from hedgerow.plan.guesses.first_plan_text import plan_text, with_age_and_marks
from hedgerow.plan.guesses.purposes import purpose_of
from hedgerow.plan.guesses.questions import MOST_QUESTIONS, Asker
from hedgerow.table.profile.table_profile import TableProfile


def write_plan(
    data: str | Path,
    to: Path,
    *,
    replace: bool = False,
    person: str | None = None,
    one_row_per_person: bool = False,
    not_keys: Sequence[str] = (),
    purpose: str | None = None,
    ask: bool = True,
    asker: Asker | None = None,
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
        purpose: What the release is for: public, research, internal, hospital or survey.
        ask: Whether to find out whose rows these are, and to stop where a person ID repeats and
            the data do not tell; else whoever uses the plan is asked.
        asker: Puts questions to a person, at most five; without it they become comments.
        read: What is known of how a file is written, as a plan says it under `read`; the rest
            is detected, and the plan says all of it.
        look: What was detected, where that was done before.

    Raises:
        DataError: The table cannot be read, or it is not known whose rows these are.
        PlanError: What is said contradicts itself, or there is no such purpose.
        TargetError: There is a plan already, or it cannot be written.
    """
    from hedgerow.engines import open_engine, table_place
    from hedgerow.engines.detection import look_at_file
    from hedgerow.plan.source_form import form_of
    from hedgerow.table.header import require_header
    from hedgerow.table.person_keys import refuse_empty_rows
    from hedgerow.table.profile.whole_table import profile_table

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
    purpose_of(purpose)
    known = form_of(read or {})
    if look is None:
        look = look_at_file(data, form=known)
    form, missing = (known, ()) if look is None else (look.form, look.missing)

    def fits_age(age: EventAge) -> bool:
        """Whether the table can be read with it: all are dates, and the right way round."""
        null = [*missing, *(mark.text for mark in age.null)]
        added = with_age_and_marks(form, age, age.null_in_columns)
        try:
            open_engine(place or Path(data), null=null, form=added).close()
        except DataError:
            return False
        return True

    with open_engine(place or Path(data), null=missing, person=person, form=form) as engine:
        require_header(engine, where=str(data))
        if lost := sorted(set(not_keys) - set(engine.columns())):
            raise DataError(
                f"there is no column {lost[0]!r}",
                where=str(data),
                fix=f"It has {some(engine.columns())}.",
            )
        if ask and person is None and not one_row_per_person:
            refuse_empty_rows(engine, where=str(data))
        refuse_no_columns(engine.columns(), where=str(data))
        if not engine.rows_total():
            raise DataError(
                "the table has no rows, so there is nothing to guess from",
                where=str(data),
                fix="Give a table with at least one person in it.",
            )
        profile = profile_table(engine, source=str(data), deep=False)
        first = _asked_for(
            profile, asker, person=person, one_row_per_person=one_row_per_person,
            not_keys=not_keys, purpose=purpose, find_person=ask, fits_age=fits_age,
        )  # fmt: skip
        if ask and not first.one_row_per_person:
            _refuse_unknown_people(engine, first, where=str(data))
    source = _seen_from(Path(data), to) if place is None else str(place)
    _write(plan_text(first, source=source, look=look), to)
    return to


def refuse_no_columns(names: Sequence[str], *, where: str | None) -> None:
    """Stop where there is nothing to guess about.

    Raises:
        DataError: There are no columns, or two of the same name.
    """
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice or not names:
        raise DataError(
            f"the data have {some(twice)} more than once" if twice else "the data have no columns",
            where=where,
            fix="Give every column its own name." if twice else "Check the file and its header.",
        )


def _asked_for(
    profile: TableProfile,
    asker: Asker | None,
    *,
    person: str | None,
    one_row_per_person: bool,
    not_keys: Sequence[str],
    purpose: str | None,
    find_person: bool,
    fits_age: Fits,
) -> FirstPlan:
    """The plan after all questions that a person answers."""
    answers: dict[str, str] = {}
    while True:
        first = first_plan(
            profile, person=person, one_row_per_person=one_row_per_person, not_keys=not_keys,
            purpose=purpose, find_person=find_person, answers=answers, fits_age=fits_age,
        )  # fmt: skip
        if asker is None or not first.questions or len(answers) >= MOST_QUESTIONS:
            return first
        question = first.questions[0]
        answers[question.about] = asker(question)


def _refuse_unknown_people(engine: Engine, first: FirstPlan, *, where: str) -> None:
    """Stop where a person ID repeats, and neither somebody nor the data say whose rows these are.

    Raises:
        DataError: It is not known whose rows these are.
    """
    from hedgerow.table.person_keys import asked, repeated

    there = engine.columns()
    roles = {name: guess.role for name, guess in first.roles.items() if name in there}
    said = dict.fromkeys(first.not_keys, False)
    for key in repeated(engine, roles, said, person=first.person, names=False).keys:
        raise asked(key, person=first.person, where=where, init=True)


def _write(text: str, to: Path) -> None:
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


def _seen_from(data: Path, plan: Path) -> str:
    """The data as the plan names them: its paths are seen from its folder."""
    try:
        seen = os.path.relpath(data.resolve(), plan.resolve().parent)
    except ValueError:  # on another drive
        seen = str(data.resolve())
    return Path(seen).as_posix()
