"""`hedgerow init`: a first plan, and the questions that only a person can answer."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hedgerow.cli.jobs import AsJson, Quiet, ReadAs, rendering, running

if TYPE_CHECKING:
    from hedgerow.api import PlanQuestion


def init(
    data: Annotated[
        str,
        typer.Argument(
            help="CSV, Parquet, Excel, SPSS, Stata, SAS, JSON lines or database file, or a table: "
            "postgresql://…::schema.table.",
            show_default=False,
        ),
    ],
    to: Annotated[Path, typer.Option(help="Where to write the plan.")] = Path("plan.yaml"),
    replace: Annotated[bool, typer.Option("--replace", help="Replace an existing plan.")] = False,
    person: Annotated[
        str | None,
        typer.Option(help="Column that says whose row it is, where people have several."),
    ] = None,
    one_row_per_person: Annotated[
        bool,
        typer.Option("--one-row-per-person", help="State that every row is another person."),
    ] = False,
    not_a_key: Annotated[
        list[str] | None,
        typer.Option(help="State that a column does not identify people; may be repeated."),
    ] = None,
    purpose: Annotated[
        str | None,
        typer.Option(
            "--for",
            help="What the release is for: public, research, internal, hospital or survey. It "
            "decides which claims are proposed.",
        ),
    ] = None,
    no_questions: Annotated[
        bool,
        typer.Option(
            "--no-questions", help="Ask nothing; what is unsure stands on top of the plan."
        ),
    ] = False,
    read: ReadAs = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write a first plan for a table: roles and hierarchies guessed, each guess explained."""
    with running("init", as_json, quiet, bar=False) as job:
        from hedgerow.api import form_of, look_at_file, said_in_words, write_plan

        said = said_in_words(read or ())
        look = look_at_file(data, form=form_of(said))
        path = write_plan(
            data, to, replace=replace, person=person, one_row_per_person=one_row_per_person,
            not_keys=not_a_key or (), purpose=purpose, read=said, look=look,
            asker=None if no_questions or as_json or quiet or not at_terminal() else answered,
        )  # fmt: skip
        job.done({"plan": str(path)}, lambda: rendering().started(path, look))


def at_terminal() -> bool:
    """Whether somebody can read a question and answer it."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def answered(question: PlanQuestion) -> str:
    """Put a question to whoever sits at the terminal; Enter takes the default.

    Args:
        question: What to ask.

    Returns:
        One of the question's options.
    """
    show = rendering()
    show.question(question)
    while True:
        try:
            text = input(f"Answer [{question.default}]: ")
        except EOFError:
            return question.default
        chosen = choice(text, question)
        if chosen is not None:
            return chosen
        show.say(f"Answer with a number from 1 to {len(question.options)}, or press Enter.")


def choice(text: str, question: PlanQuestion) -> str | None:
    """The option that an answer means: its number, its words, or how they begin.

    Args:
        text: What somebody typed; nothing means the default.
        question: What was asked.
    """
    said = text.strip().casefold()
    if not said:
        return question.default
    if said.isdecimal() and 1 <= int(said) <= len(question.options):
        return question.options[int(said) - 1]
    exact = [option for option in question.options if option.casefold() == said]
    begin = [option for option in question.options if option.casefold().startswith(said)]
    found = exact or begin
    return found[0] if len(found) == 1 else None
