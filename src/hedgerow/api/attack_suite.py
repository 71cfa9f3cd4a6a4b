"""Attacks on a plan's releases: a trial where nothing is published yet, and every column's suite.

A trial is a release that nobody receives: it is not remembered by any ledger, and made anew each
time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hedgerow.base.errors import HedgerowError, PlanError
from hedgerow.plan.plan import Plan
from hedgerow.table.column_codings import aggregates

Progress = Callable[[str, float | None], None]
NOISY = ("marginals", "safe")
"""Searches whose releases are random: a trial would cost what the release costs."""
TRIAL = "trial"
"""What a trial is called in results."""


def make_trial(plan: Plan, folder: Path, progress: Progress) -> Path:
    """Make the release the plan describes, in a folder that nobody receives.

    Raises:
        PlanError: It cannot be made without publishing it.
    """
    from hedgerow.api.publication import publish

    why = no_trial(plan)
    if why is not None:
        raise PlanError(why, fix="Publish it first, then attack what was published.")
    target = folder / TRIAL / "release"
    target.parent.mkdir()
    # A ledger of its own, where the environment names one: nobody is to remember a trial.
    elsewhere = folder / "ledger.db" if plan.population else None

    def say(said: str, share: float | None) -> None:
        progress(f"making the release: {said}", share)

    unremembered = plan.model_copy(update={"ledger": None})
    publish(unremembered, to=target, ledger=elsewhere, progress=say, report=False)
    return target


def no_trial(plan: Plan) -> str | None:
    """Why a plan's release cannot be made without publishing it; None if it can."""
    if plan.method.search in NOISY:
        return "a release with noise is charged when it is made, so there is no trial of it"
    composed = [claim for claim in plan.protect if claim.composes]
    if any(not getattr(claim, "releases", ()) for claim in composed):
        return "a claim is about what the ledger remembers, and a trial has no part in that"
    return None


def attack_columns(
    plan: Plan,
    releases: Mapping[str, str],
    *,
    extra: Sequence[str],
    progress: Progress,
    register: str | None = None,
    control: str | None = None,
    given: Mapping[str, str] | None = None,
) -> tuple[list[dict[str, Any]], list[str]]:
    """Try every attack on every sensitive column that all of the releases have.

    Args:
        plan: Of the releases: its hierarchies, and the people who are looked for.
        releases: Their names, and where they are.
        extra: Attacks that are asked for besides, each in a round of its own.
        progress: Called as work goes on.
        register: A list of people with names.
        control: People who are in none of the releases.
        given: Numbers and words that attacks take, such as the l of minimality.

    Returns:
        Summaries, each with the column it is about; and sentences on what could not be tried.
    """
    from hedgerow.attacks.belief_attack import BELIEF
    from hedgerow.attacks.registry import ATTACKS, outcome_of, release_attacks
    from hedgerow.attacks.suite import attack

    means = aggregates(plan.codings)
    columns = [name for name in plan.schema().sensitive if name not in means]
    if means and not columns:
        raise PlanError(
            "every sensitive column is published as one value for each group, which need not be "
            "anybody's own: there is no attack on it",
            fix="Its claims are judged on the values before: see the certificate.",
        )
    if not columns:
        raise PlanError(
            "the plan has no sensitive column, so there is nothing for attackers to learn",
            fix="Give a column the role sensitive.",
        )
    always = [one.name for one in release_attacks() if one.by_default]
    further = [name for name in extra if name not in always]
    people = plan.source is not None or register is not None
    if people and len(releases) == 1 and BELIEF.name not in further and not (plan.rows or 1) > 1:
        further.append(BELIEF.name)  # of several it is tried unasked
    paths = [Path(path) for path in releases.values()]
    foreign = not all(path.is_dir() for path in paths)
    shared: dict[str, Any] = {
        "plan": plan,
        "register": register,
        "control": control,
        "sensitive": columns if foreign else None,
        "quasi": list(plan.schema().quasi_identifiers) if foreign else None,
    }
    found: list[dict[str, Any]] = []
    skipped: list[str] = []
    seen: set[str] = set()
    first: list[str] | None = None
    joining = [one.name for one in release_attacks() if one.joins and one.name in further]
    if joining and len(paths) > 1 and register:
        # With a register they are tried only where they are asked for. In one round with the
        # others, since what they join is then nothing that was not tried.
        further = [name for name in further if name not in joining]
        first = [*always, *joining]
    rounds = [
        (column, methods) for column in columns for methods in (first, *([e] for e in further))
    ]
    for place, (column, methods) in enumerate(rounds):

        def say(said: str, share: float | None, place: int = place, of: str = column) -> None:
            whole = None if share is None else (place + share) / len(rounds)
            progress(f"{of}: {said}", whole)

        takes = {name for one in methods or () for name in ATTACKS[one].knows}
        know = {name: text for name, text in (given or {}).items() if name in takes}
        try:
            results = attack(paths, of=column, methods=methods, know=know, progress=say, **shared)
        except HedgerowError as error:
            if methods is None or methods is first:
                raise
            fix = f" {error.fix}" if error.fix else ""
            skipped.append(f"{methods[0]} was not tried on {column}: {error.what}.{fix}")
            continue
        if methods is first and first:
            tried = {result.attack for result in results}
            skipped += [
                f"{name} was not tried on {column}: it does not apply here."
                for name in joining
                if name not in tried
            ]
        for result in results:
            about = column if outcome_of(result.attack).of_column else ""
            told = result.summary() | {"of": about}
            same = repr((told["attack"], about, told["sentences"], told["detail"].get("release")))
            if same not in seen:
                seen.add(same)
                found.append(_named(told, releases))
    return found, skipped


def believed_of(
    plan: Plan,
    releases: Mapping[str, str],
    person: Mapping[str, str],
    *,
    of: str,
    register: str | None = None,
) -> dict[str, Any]:
    """What is believed of one person, with the names of releases for their places.

    Args:
        plan: Of the releases: its hierarchies, and its source as the list of people.
        releases: Their names, and where they are.
        person: What picks somebody from the list.
        of: The sensitive column.
        register: The list of people, if it is not the source.
    """
    from hedgerow.attacks.person_belief import belief_about

    paths = [Path(path) for path in releases.values()]
    foreign = not all(path.is_dir() for path in paths)
    schema = plan.schema()
    found = belief_about(
        paths, person, plan=plan, of=of, register=register,
        sensitive=list(schema.sensitive) if foreign else None,
        quasi=list(schema.quasi_identifiers) if foreign else None,
    )  # fmt: skip
    return _named(found.summary(), releases)


def _named(told: dict[str, Any], releases: Mapping[str, str]) -> dict[str, Any]:
    """The summary with names of releases for their places on this machine."""
    places = {str(Path(path)): name for name, path in releases.items()}
    text = _with_names(told, places)
    assert isinstance(text, dict)
    return text


def _with_names(value: Any, places: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        for place in sorted(places, key=len, reverse=True):
            value = value.replace(place, places[place])
        return value
    if isinstance(value, Mapping):
        return {key: _with_names(one, places) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_with_names(one, places) for one in value]
    return value
