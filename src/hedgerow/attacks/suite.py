"""From releases and what an attacker may know to what the attacks find, readable top to bottom."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.attacks.attack_input import AttackInput, Fuzz, number_in
from hedgerow.attacks.attacker_prior import AttackerPrior, GivenPrior, GivenStubbornness
from hedgerow.attacks.base import AttackResult
from hedgerow.attacks.declaration import PEOPLE as TARGETS
from hedgerow.attacks.declaration import PLAN, Attack, FileAttack, ReleaseAttack
from hedgerow.attacks.file_input import FileInput
from hedgerow.attacks.overlap import Overlap, estimated_overlaps, known_overlaps
from hedgerow.attacks.registry import ATTACKS, release_attacks
from hedgerow.attacks.row_owners import UnclearRowsError
from hedgerow.attacks.tolerance import Edits
from hedgerow.base.errors import DataError, PlanError, nearest, some
from hedgerow.plan.person_rows import people_of
from hedgerow.plan.plan import Plan
from hedgerow.table.column_codings import aggregates, taken_for_true
from hedgerow.table.groups import PEOPLE, ROWS
from hedgerow.table.label_taxonomies import nodes_of, pooled, specs_of
from hedgerow.table.location import Located, locate
from hedgerow.table.published_table import Published, columns_of, says_roles
from hedgerow.table.release_source import SAMPLE, SYNTHETIC, has_certificate
from hedgerow.table.targets import Targets

if TYPE_CHECKING:
    from hedgerow.release.partition.recoding_choice import Progress


SEVERAL = "A person may have several rows: rows were counted, each as a target of its own."
"""Said of attacks on a release that does not say whose rows are whose."""
NOBODY = (
    "combining the releases. Several were given, and nobody to look for in them: say --truth or "
    "--register"
)
"""Said of several releases that were attacked one by one."""


def attack(
    releases: Sequence[Any] | str | os.PathLike[str],
    *,
    know: Mapping[str, str] | None = None,
    register: Any = None,
    truth: Any = None,
    control: Any = None,
    sensitive: Sequence[str] | None = None,
    quasi: Sequence[str] | None = None,
    located: str | None = None,
    of: str | None = None,
    taxonomies: Mapping[str, str | Path] | None = None,
    plan: Plan | str | Path | None = None,
    fuzzy: Mapping[str, float | str] | None = None,
    methods: Sequence[str] | None = None,
    overlap: float | str | None = None,
    prior: GivenPrior = None,
    stubbornness: GivenStubbornness = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[AttackResult, ...]:
    """Attack one or more releases of the same people.

    Args:
        releases: One release or several: folders, files made by any tool, or tables, also of a
            database or a cluster (postgresql://…::schema.table, spark://…::table).
        know: What is known of one person: column -> value.
        register: An identified list of people: a file or a table. Or a list of them, one for
            each release, as things were when it came out; people go by the first column that is
            in all of these and in no release.
        truth: The original table: its people are the targets, its values score the guesses.
        control: People who are in none of the releases, for comparison.
        sensitive: The sensitive columns, where no certificate says which.
        quasi: The quasi-identifiers, where no certificate says which; all columns that are not
            sensitive if left out.
        located: Where no certificate says how a release was made: whether people are in the
            groups that fit them ("box"), or (microaggregation) in the nearest one ("nearest").
        of: The one that is asked about; all of them if left out.
        taxonomies: Column -> hierarchy file, where labels are nodes of it.
        plan: The plan the releases were made with: it says hierarchies, and the truth where
            none is given.
        fuzzy: For linkage, column -> how far numbers in the register may be off, or "typo" for
            texts with one letter wrong.
        methods: Names of attacks; all that apply if left out.
        overlap: For the intersection, the share of the first release's people that is in each
            further one, or "estimate", which needs the control. All who fit, if left out.
        prior: What the attacker of `belief` expects before reading anything: a prior, a file about
            other people, "uniform", "table", or what stands behind `prior:` in a plan.
        stubbornness: How many people's data that belief is worth. The shares are fixed, whatever
            the attacker sees, if left out.
        seed: Of attacks that draw guesses.
        progress: Called as work goes on.

    Raises:
        DataError: A release cannot be read, or they have nothing in common.
        PlanError: There is no such attack, or it needs what was not given.
    """
    if isinstance(releases, str | os.PathLike):
        releases = [releases]
    asked = [ATTACKS.find(name) for name in methods or ()]
    if prior is not None or stubbornness is not None:
        _refuse_prior([one.name for one in asked])
    if on_files := [one for one in asked if isinstance(one, FileAttack)]:
        single = _alone(on_files[0], asked)
        unused = {
            "a register": register, "quasi-identifiers": quasi, "where people are": located,
            "a question": of, "a taxonomy": taxonomies, "tolerances": fuzzy,
            "an overlap": overlap, "a plan": None if PLAN in single.needs else plan,
        }  # fmt: skip
        for what, given in unused.items():
            if given:
                raise PlanError(f"{single.name} has no use for {what}", fix="Leave it out.")
        read_plan = Plan.read(plan) if isinstance(plan, str | Path) else plan
        files = FileInput(
            files=releases, given=know or {}, truth=truth, control=control, plan=read_plan,
            sensitive=None if sensitive is None else sensitive[0], seed=seed,
        )  # fmt: skip
        return (single.run(files),)
    say = progress or (lambda what, share: None)
    say("reading the releases", None)
    read = Plan.read(plan) if isinstance(plan, str | Path) else plan
    published = read_releases(
        releases, sensitive=sensitive, quasi=quasi, located=located, taxonomies=taxonomies,
        plan=read,
    )  # fmt: skip
    null = () if read is None else read.null
    form = None if read is None else read.form_for(truth)
    original = None if truth is None else Targets.read(truth, null=null, form=form)
    if truth is None and read is not None and read.source is not None:
        original = people_of(read)
    lists = _lists(register, len(published), null)
    say("looking for people in them", None)
    people = lists[0] if lists else original
    known = dict(know or {})
    named = [one for one in asked if isinstance(one, ReleaseAttack)]
    given = {name: known.pop(name) for one in named for name in one.knows if name in known}
    quasi_identifiers = dict.fromkeys(c for one in published for c in one.quasi)
    _refuse_unknown("--know", known, quasi_identifiers, "quasi-identifier")
    if known:
        people = Targets.of({column: [value] for column, value in known.items()})
    placed: tuple[Located, ...] = ()
    if len(lists) > 1 and not known:
        people, placed = followed(published, lists)
    several = (read is not None and (read.rows or 1) > 1) or any(
        one.unit == ROWS for one in published
    )
    held = AttackInput(
        releases=published,
        targets=people,
        truth=None if known else original,
        control=None if control is None else Targets.read(control, null=null),
        registers=lists,
        of=_asked(published, of),
        seed=seed,
        given=given,
        prior=AttackerPrior.read(prior, stubbornness, null=null),
        fuzzy={column: _fuzz(column, far) for column, far in (fuzzy or {}).items()},
        everybody=read is not None and not (lists or known or overlap is not None),
        unit=ROWS if several and people is original else PEOPLE,
        person=None if read is None else read.person,
    )
    chosen = named or [one for one in release_attacks() if one.wanted(held)]
    if people is not None and not placed and any(TARGETS in one.needs for one in chosen):
        placed = tuple(locate(one, people) for one in published)
    held = replace(
        held,
        located=placed,
        overlaps=_overlaps(published, placed, held.control, overlap),
        joining=any(one.joins for one in chosen),
    )
    results: list[AttackResult] = []
    unclear: list[str] = []
    for place, one in enumerate(chosen):
        say(f"trying {one.name}", place / len(chosen))
        if one.lacks(held):
            continue
        try:
            results += one.run(held)
        except UnclearRowsError as error:
            if named:
                raise
            unclear.append(f"{one.name}: {error.what}")
    lacking = [f"{one.name}: {_lacking(one, held)}" for one in named if one.lacks(held)]
    if not results:
        what, fix = _why_none(published, named, held)
        raise PlanError(what, fix=fix)
    untried = (
        [NOBODY] if not methods and len(published) > 1 and people is None else lacking + unclear
    )
    if untried:
        results = [replace(r, detail=_with_untried(r.detail, untried)) for r in results]
    if several:
        results = [one if "rows" in one.detail
                   else replace(one, sentences=(*one.sentences, SEVERAL))
                   for one in results]  # fmt: skip
    for told in (line for one in published for line in taken_for_true(one.name, one.codings)):
        results = [
            one if told in one.sentences else replace(one, sentences=(*one.sentences, told))
            for one in results
        ]
    return tuple(results)


def _refuse_prior(asked: Sequence[str]) -> None:
    """Only one attack has a prior.

    Raises:
        PlanError: Others are to be tried.
    """
    if list(asked) != ["belief"]:
        raise PlanError(
            "a prior and a stubbornness are those of the attack belief",
            fix="Ask for it alone (--method belief), or for one person (--person).",
        )


def _alone(one: FileAttack, asked: Sequence[Attack]) -> FileAttack:
    """An attack on files of its own kind.

    Raises:
        PlanError: Others are to be tried with it.
    """
    if len(asked) > 1:
        raise PlanError(f"{one.name} is about files of its own kind", fix="Try it on its own.")
    return one


def _with_untried(detail: Mapping[str, Any], what: Sequence[str]) -> dict[str, Any]:
    return {**detail, "not_tried": [*detail.get("not_tried", ()), *what]}


def _lacking(one: Attack, held: AttackInput) -> str:
    """What an attack needs and was not given, in words."""
    return f"it needs {' and '.join(map(str, one.lacks(held)))}"


def _why_none(
    published: Sequence[Published], named: Sequence[ReleaseAttack], held: AttackInput
) -> tuple[str, str]:
    """Why nothing could be tried, and what would help."""
    tried = some(one.name for one in named) if named else "no attack"
    what = f"{tried} {'cannot' if named else 'can'} be tried with what was given"
    for one in published:
        if one.made == SYNTHETIC:
            return (
                f"{what}: the rows of {one.name} are made up from counts with noise, and nobody's",
                "Singling out, linkability and inference need the original people: --truth or "
                "--plan.",
            )
        if not one.sensitive:
            sample = " and is of a random sample" if one.made == SAMPLE else ""
            return (
                f"{what}: {one.name} has no sensitive column{sample}",
                "Linkage needs a list of people (--register); singling out and linkability need "
                "the original people (--truth or --plan).",
            )
    if lacking := [one for one in named if one.lacks(held)]:
        what = f"{what}: {_lacking(lacking[0], held)}"
    return what, "See docs/attacks.md for what each attack needs."


def _refuse_unknown(
    option: str, given: Iterable[str], known: Collection[str], kind: str = "column"
) -> None:
    """Something said of a column that no release has is a slip of the pen."""
    for name in given:
        if name not in known:
            near = nearest(name, known)
            raise PlanError(
                f"{option} {name}: no release has such a {kind}",
                fix=f"Did you mean {near!r}?" if near else f"There are {some(known)}.",
            )


def _lists(register: Any, releases: int, null: Sequence[str]) -> tuple[Targets, ...]:
    if register is None:
        return ()
    given = register if isinstance(register, list | tuple) else [register]
    if len(given) not in (1, releases):
        raise PlanError(
            f"{len(given)} registers for {releases} releases",
            fix="Give one, or one for each release in the same order.",
        )
    return tuple(Targets.read(one, null=null) for one in given)


def followed(
    published: Sequence[Published], lists: Sequence[Targets]
) -> tuple[Targets, tuple[Located, ...]]:
    """People by name, and where each may be in each release by the list of its time.

    Whoever is not in a list is not in its release.

    Raises:
        DataError: The lists have no names in common, or somebody is in one of them twice.
    """
    taken = {column for one in published for column in (*one.quasi, *one.sensitive)}
    shared = [c for c in lists[0].columns if all(c in one.columns for one in lists)]
    names = [column for column in shared if column not in taken]
    shown = {column for one in published if one.records for column in one.records.columns}
    names.sort(key=lambda column: column in shown)  # a bill both show names nobody
    if not names:
        raise DataError(
            "the registers have no column in common that is not in a release, so nobody can be "
            "followed from one to the next",
            fix="Give people a name or a number in each.",
        )
    every = [one.column(names[0]) for one in lists]
    people = {name: i for i, name in enumerate(dict.fromkeys(n for one in every for n in one))}
    located = []
    for release, one, called in zip(published, lists, every, strict=True):
        if len(set(called)) < len(called) or None in called:
            raise DataError(
                f"{names[0]!r} does not name each person of the register of {release.name} once",
                fix="Give people different names or numbers.",
            )
        row = np.full(len(people), -1, np.int64)
        row[[people[name] for name in called]] = np.arange(len(called))
        located.append(locate(release, one).take(row))
    return Targets.of({names[0]: list(people)}), tuple(located)


def _overlaps(
    published: Sequence[Published],
    placed: tuple[Located, ...],
    strangers: Targets | None,
    overlap: float | str | None,
) -> tuple[Overlap, ...]:
    if overlap is None:
        return ()
    if not placed:
        raise PlanError(
            "an overlap is about people who are looked for",
            fix="Say who with --register, --truth or --know.",
        )
    names = [one.name for one in published]
    if overlap != "estimate":
        return known_overlaps(names, placed, number_in("overlap", overlap))
    if strangers is None:
        raise PlanError(
            "an overlap is estimated with people who are in none of the releases",
            fix="Give such a list with --control, or say the share: --overlap 0.3.",
        )
    return estimated_overlaps(names, placed, [locate(one, strangers) for one in published])


def _fuzz(column: str, given: float | str) -> Fuzz:
    if given == "typo":
        return Edits(1)
    try:
        return float(given)
    except ValueError:
        raise PlanError(
            f"{column!r} may be off by a number or a typo, not by {given!r}",
            fix="Give a number, or typo.",
        ) from None


def read_releases(
    releases: Sequence[Any],
    *,
    sensitive: Sequence[str] | None = None,
    quasi: Sequence[str] | None = None,
    located: str | None = None,
    taxonomies: Mapping[str, str | Path] | None = None,
    plan: Plan | str | Path | None = None,
    names: Sequence[str] | None = None,
) -> tuple[Published, ...]:
    """The releases as an attacker holds them; the arguments are those of `attack`."""
    if located not in (None, "box", "nearest"):
        raise PlanError(f"people are not located by {located!r}", fix="It is box or nearest.")
    how: Any = located
    read = Plan.read(plan) if isinstance(plan, str | Path) else plan
    specs = specs_of({} if read is None else read.specs, taxonomies or {})
    nodes = pooled({} if read is None else read.specs)
    nodes |= {column: nodes_of(spec.bind(column, [])) for column, spec in specs.items()}
    columns_said = {} if read is None else read.columns
    differing = {name: column.distinct or () for name, column in columns_said.items()}
    found = []
    known: dict[str, None] = {}
    for i, release in enumerate(releases):
        name = None if names is None else names[i]
        foreign = not has_certificate(release)
        chosen, secret = None, sensitive
        # The certificate of made-up rows says what was counted, not what each column is.
        if foreign or not says_roles(release):
            columns = columns_of(release)
            if not foreign and read is not None:
                schema = read.schema()
                secret = secret or [c for c in schema.sensitive if c in columns]
                chosen = [c for c in schema.quasi_identifiers if c in columns]
            if quasi:
                chosen = [column for column in quasi if column in columns]
                known |= dict.fromkeys(columns)
        published = Published.read(
            release, sensitive=secret, quasi=chosen, taxonomies=nodes, name=name,
            located=how if foreign else None, differing=differing if foreign else None,
            every_kind=True, records=len(releases) > 1,
        )  # fmt: skip
        if foreign and read is not None:
            # A file without its certificate: what was coded, the plan says.
            published = replace(published, codings=read.codings)
        for column, spec in specs.items():
            published = published.with_taxonomy(column, spec)
        found.append(published)
    if quasi and not known:
        raise PlanError(
            "the certificates say which columns are quasi-identifiers", fix="Leave out --quasi."
        )
    _refuse_unknown("--quasi", quasi or (), known)
    labelled = dict.fromkeys(c for one in found for c in (*one.quasi, *one.sensitive))
    _refuse_unknown("--taxonomy", taxonomies or (), labelled)
    return tuple(found)


def _asked(published: Sequence[Published], of: str | None) -> tuple[str, ...]:
    if of is not None:
        for one in published:
            if of in aggregates(one.codings):
                raise PlanError(
                    f"{one.name} shows {of!r} as one value for each group, which need not be "
                    "anybody's own",
                    fix="Ask about a column that shows people's own values.",
                )
        return (of,)
    first = published[0].sensitive if published else ()
    shared = tuple(name for name in first if all(name in p.sensitive for p in published))
    if published and not any(p.sensitive for p in published):
        return ()
    if not shared:
        every = dict.fromkeys(name for p in published for name in p.sensitive)
        raise DataError(
            "the releases have no sensitive column in common" if published
            else "there is no release to attack",
            fix=f"They have {some(every)}." if every else "Name at least one.",
        )  # fmt: skip
    return shared
