"""The YAML of a first plan, with a reason for every guess and the questions on top."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from hedgerow.engines.file_look import FileLook
from hedgerow.engines.source_form import AS_ALWAYS, SourceForm
from hedgerow.plan.guesses.event_age import EventAge
from hedgerow.plan.guesses.first_claims import FirstClaim
from hedgerow.plan.guesses.first_plan import FirstPlan
from hedgerow.plan.guesses.missing_marks import MissingMark
from hedgerow.plan.guesses.role_guess import ANSWERED, Confidence, RoleGuess
from hedgerow.plan.read_lines import questions_first, read_lines
from hedgerow.plan.yaml_scalar import scalar
from hedgerow.table.schema import Role

_FAST = "\ue000"
"""Stands for a blank at which no line may end."""
MOST_FOR_LATTICE = 8
"""Quasi-identifiers that all people can have with the same detail."""
WIDTH = 96
"""Characters of a line of comments."""
HEAD = (
    "Guessed by looking at the data. Read every line before you publish: only you know what an "
    "attacker can find out elsewhere. If in doubt, choose quasi-identifier. What nobody may learn "
    "of a person is sensitive. No claim is about the values of other columns."
)
NOISE_HINT = (
    "# For answers with noise a plan also says who is hidden by it, and which values everybody may",
    "# know to be possible. These are never guessed: what is read off the data is not public.",
    "# privacy: {neighbours: add-remove}  # or change-one; with `person` also `rows: 3`",
    "# In columns, of numbers: `bounds: [0, 120], step: 1`; of others: `domain: [yes, no, null]`.",
)
"""How to go on to differential privacy; the same for every table, since nothing is guessed."""
_HOW = {Confidence.SURE: "", Confidence.LIKELY: ", likely", Confidence.UNSURE: ", not sure"}


def plan_text(first: FirstPlan, *, source: str | None = None, look: FileLook | None = None) -> str:
    """The plan as YAML.

    Args:
        first: What is proposed.
        source: How the plan names the table.
        look: How its file is written.
    """
    lines = _comment(HEAD)
    if look is not None:
        lines += questions_first(look)
    lines += _questions(first)
    if source is not None:
        lines.append(f"source: {scalar(source)}")
    lines += _reasons(first.null_in_columns)
    form = with_age_and_marks(
        AS_ALWAYS if look is None else look.form, first.age, first.null_in_columns
    )
    lines += read_lines(form, look, scalar)
    lines += [*_people(first), *_missing(first, () if look is None else look.missing), "columns:"]
    for name, guess in first.roles.items():
        lines += _column(first, name, guess)
    lines += [*_claims(first), *_method(first), *NOISE_HINT]
    return "\n".join(lines) + "\n"


def _comment(text: str, indent: int = 0, bullet: str = "") -> list[str]:
    """A text as comments that are not too wide."""
    first = f"{' ' * indent}# {bullet}"
    clean = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return textwrap.wrap(
        clean,
        WIDTH,
        initial_indent=first,
        subsequent_indent=f"{' ' * indent}# {' ' * len(bullet)}",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _questions(first: FirstPlan) -> Iterator[str]:
    """What is left to ask, with what is assumed."""
    if not first.questions:
        return
    yield "#"
    yield "# Please answer first, by changing the lines below (on a terminal, init asks):"
    for number, question in enumerate(first.questions, 1):
        others = [option for option in question.options if option != question.default]
        yield from _comment(
            f"{question.text} Assumed: {question.default}. Otherwise: {' | '.join(others)}. "
            f"{question.why}",
            bullet=f"{number}. ",
        )


def _people(first: FirstPlan) -> Iterator[str]:
    """Whose rows these are."""
    if first.person is not None and first.key is not None:
        key = first.key
        yield from _comment(
            f"guessed: {key.column!r} says whose row it is: {key.people:,} people, up to "
            f"{key.most_rows:,} rows each; {key.because}. If every row is another person, write "
            "`one_row_per_person: true` instead."
        )
    if first.person is not None:
        yield f"person: {scalar(first.person)}"
        if (most := first.most_rows) > 1:
            yield from _comment(
                "guessed: one row of each person is published, with the values that "
                f"`within_person` keeps. `rows: at most {most}` publishes all rows, in groups "
                f"that must be up to {most:,} times as large."
            )
            yield "rows: one"
    elif first.one_row_per_person:
        yield "one_row_per_person: true  # your statement; the certificate repeats it"
    else:
        for key in first.profile.keys:
            if key.several and key.column not in first.not_keys:
                yield f"# person: {scalar(key.column)}  # if people have several rows"
                return


def _missing(first: FirstPlan, detected: Sequence[str]) -> Iterator[str]:
    """Which texts are missing values; some were detected while the file was read."""
    texts = [*dict.fromkeys([*detected, *(mark.text for mark in first.null)])]
    if not texts:
        return
    if detected:
        which = ", ".join(map(scalar, detected))
        yield from _comment(f"guessed: {which}: no value, since it stands among numbers or dates")
    yield from _reasons(first.null)
    yield f"null: [{', '.join(map(scalar, texts))}]"


def _reasons(marks: Iterable[MissingMark]) -> Iterator[str]:
    """Why texts are taken for missing."""
    for mark in marks:
        where = ", ".join(map(scalar, mark.columns[:3]))
        more = f" and {len(mark.columns) - 3} more columns" if len(mark.columns) > 3 else ""
        yield from _comment(
            f"guessed: {scalar(mark.text)} means that there is no value, since {mark.because} "
            f"({where}{more})"
        )


def with_age_and_marks(
    form: SourceForm, age: EventAge | None, marks: Iterable[MissingMark]
) -> SourceForm:
    """The form of a source, with an age and the texts that are missing in some columns only."""
    found = {name: list(texts) for name, texts in (form.missing or {}).items()}
    for mark in marks:
        for name in mark.columns:
            found.setdefault(name, []).append(mark.text)
    missing = {name: tuple(dict.fromkeys(texts)) for name, texts in found.items()}
    ages = dict(form.ages or {})
    if age is not None:
        ages[age.name] = (age.born, age.at)
    return replace(form, missing=missing or None, ages=ages or None)


def _column(first: FirstPlan, name: str, guess: RoleGuess) -> list[str]:
    """A column, with the reasons for its role and its hierarchy."""
    why = f"guessed{_HOW[guess.confidence]}: {guess.role} because {guess.because}"
    if guess.because == ANSWERED:
        why = f"your answer: {guess.role}"
    if guess.coarser is not None:
        why += f". Hierarchy: {guess.coarser}"
    comment, key = _comment(why, 2), scalar(name)
    parts = [f"role: {guess.role}"]
    if name in first.within_person:
        parts.append(f"within_person: {first.within_person[name]}")
    if name in first.not_keys:
        parts.append("key: false")
    if guess.hierarchy is not None:
        parts.insert(1, f"hierarchy: {guess.hierarchy}")
    body = f"{{{', '.join(parts)}}}"
    # YAML allows 1,024 characters before the colon; longer keys are announced by a question mark.
    if len(key) > 1000:
        return [*comment, f"  ? {key}", f"  : {body}"]
    if len(key) + len(body) <= WIDTH or guess.hierarchy is None:
        return [*comment, f"  {key}: {body}"]
    others = [part for part in parts if not part.startswith("hierarchy: ")]
    lines = [*comment, f"  {key}:", *(f"    {part}" for part in others)]
    return [*lines, *_wrapped(f"hierarchy: {guess.hierarchy}")]


def _wrapped(text: str) -> list[str]:
    """A key and its value on lines that are not too wide, or on one where that would change it.

    YAML makes several blanks one where a line ends, and a name before a colon may not go on.
    """
    import yaml

    lines = textwrap.wrap(
        # Only what follows a comma begins a line.
        text.replace(" ", _FAST).replace(f",{_FAST}", ", "), WIDTH, initial_indent="    ",
        subsequent_indent=" " * 6, break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    lines = [line.replace(_FAST, " ") for line in lines]
    try:
        same = yaml.safe_load("\n".join(lines)) == yaml.safe_load(text)
    except yaml.YAMLError:
        same = False
    return lines if same else [f"    {text}"]


def _claims(first: FirstPlan) -> Iterator[str]:
    """What is claimed, and what is not."""
    aim = first.purpose
    if first.purpose_said:
        yield from _comment(f"The release is for {aim.name}: {aim.readers}.")
    else:
        yield from _comment(
            f"Nobody said what the release is for. Assumed: {aim.name}: {aim.readers}."
        )
    for sentence in aim.not_protected:
        yield from _comment(f"Not protected: {sentence}")
    if aim.profiles:
        flags = " ".join(f"--profile {name}" for name in aim.profiles)
        yield from _comment(
            f"After publishing, compare with policies: hedgerow report release {flags}"
        )
    yield "protect:"
    yield from _comment(f"guessed: every group has at least {aim.k} people: {aim.k_because}.", 2)
    yield f"  - k-anonymity: {aim.k}"
    for claim in first.claims.claims:
        yield from _claim(claim)
    if first.claims.none:
        names = first.claims.none
        which = ", ".join(map(scalar, names[:8]))
        more = f" and {len(names) - 8} more" if len(names) > 8 else ""
        yield from _comment(
            f"Not protected: no claim is about the values of {which}{more}. A group in which all "
            "have one value tells it of each of them. Add a line for what nobody may learn.",
            2,
        )


def _claim(claim: FirstClaim) -> list[str]:
    said = [f"{key}: {value}" for key, value in claim.parameters.items()]
    body = ", ".join([*said, f"of: {scalar(claim.column)}"])
    return [*_comment(f"guessed: {claim.because}", 2), f"  - {claim.name}: {{{body}}}"]


def _method(first: FirstPlan) -> Sequence[str]:
    """How the release is made."""
    aim = first.purpose
    many = sum(guess.role is Role.QUASI_IDENTIFIER for guess in first.roles.values())
    if many > MOST_FOR_LATTICE:
        how = (
            f"detail that differs from group to group, since one level for everybody would leave "
            f"nothing of many of the {many} quasi-identifiers. For columns in which every value "
            "has the same detail, take out quasi-identifiers and choose `search: lattice`"
        )
        method = "search: mondrian, boxes: taxonomy"
    else:
        how = (
            "the same level of detail for everybody. If that leaves nothing of a column, `search: "
            "local` keeps more, with detail that differs from group to group"
        )
        method = "search: lattice"
    return [
        *_comment(f"guessed: {how}; {aim.suppress_because}."),
        f"method: {{{method}, suppress: {aim.suppress}}}",
        "utility: loss",
        "publish: {to: release}",
    ]
