"""One person: what two attackers believe of them, before and after they read the releases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.attacks.attacker_prior import AttackerPrior, GivenPrior, GivenStubbornness
from hedgerow.attacks.losers import told_group
from hedgerow.attacks.person_minimal import believed_by_minimality
from hedgerow.attacks.person_mistakes import nobody_fits, nobody_listed, require_columns
from hedgerow.attacks.person_scene import Scene, SceneBelief, SeenColumn
from hedgerow.attacks.release_joins import unjoined
from hedgerow.attacks.suite import read_releases
from hedgerow.attacks.world_sample import RATE, SampledBelief
from hedgerow.base.errors import DataError, PlanError, nearest, some
from hedgerow.base.spelling import likeness
from hedgerow.plan.person_rows import people_of
from hedgerow.plan.plan import Plan
from hedgerow.table.column_codings import aggregates
from hedgerow.table.groups import ROWS
from hedgerow.table.labels import Value
from hedgerow.table.location import Located, locate, told_labels
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

Flags = NDArray[np.bool_]
Range = tuple[float, float]


@dataclass(frozen=True)
class ValueBelief:
    """How likely a value is, to whom."""

    value: Value
    before: float
    """To somebody who knows how frequent it is in the releases, and not who is where; where the
    attacker has a prior, by that."""
    alone: float
    """To somebody who knows this person, and nobody else, and that they are in the releases."""
    listed: Range | None
    """To somebody who has the whole list of people; between these bounds, which are equal where
    the belief is exact. None where there is no list, or it contradicts the releases."""

    estimate: SampledBelief | None = None
    """The same by random worlds, where counting is too much. Not proven."""
    knowing_plan: Range | None = None
    """To somebody who knows the plan as well, and that the best release was published; between
    these bounds, which are equal where the belief is exact, and no proof where they are not."""

    def summary(self) -> dict[str, Any]:
        listed = None if self.listed is None else list(self.listed)
        found: dict[str, Any] = {
            "value": self.value,
            "before": self.before,
            "alone": self.alone,
            "listed": listed,
        }
        if self.knowing_plan is not None:
            low, high = self.knowing_plan
            found["knowing_plan"] = {"interval": [low, high], "proven": low == high}
        if self.estimate is None:
            return found
        one = self.estimate
        return found | {
            "listed_estimate": {
                "by": "sampling", "proven": False, "rate": RATE,
                "interval": [one.low, one.high], "middle": one.middle,
            }
        }  # fmt: skip


@dataclass(frozen=True)
class GroupRows:
    """The rows of a group that may be the person's."""

    release: str
    group: str
    rows: int
    values: Mapping[Value, int]
    """How many rows have each value."""

    def summary(self) -> dict[str, Any]:
        values = [{"value": v, "rows": n} for v, n in self.values.items()]
        return {"release": self.release, "group": self.group, "rows": self.rows, "values": values}


@dataclass(frozen=True)
class PersonBelief:
    """What is believed of a person."""

    person: str
    of: str
    beliefs: tuple[ValueBelief, ...]
    """The likeliest value first."""
    rows: tuple[GroupRows, ...]
    truth: Value
    """The person's value, where the list says it; else None."""
    people: int
    """How many are on the list."""
    sentences: tuple[str, ...]

    def summary(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "person": self.person, "of": self.of, "truth": self.truth, "people": self.people,
            "beliefs": [one.summary() for one in self.beliefs],
            "rows": [one.summary() for one in self.rows],
            "sentences": list(self.sentences),
        }  # fmt: skip


def belief_about(
    releases: Sequence[Any],
    person: Mapping[str, str],
    *,
    register: Any = None,
    truth: Any = None,
    sensitive: Sequence[str] | None = None,
    quasi: Sequence[str] | None = None,
    located: str | None = None,
    of: str | None = None,
    taxonomies: Mapping[str, str | Path] | None = None,
    plan: Plan | str | Path | None = None,
    prior: GivenPrior = None,
    stubbornness: GivenStubbornness = None,
    seed: int = 0,
) -> PersonBelief:
    """What attackers believe of one person, given everything they can read.

    Args:
        releases: One or several.
        person: Column -> value: what picks the person from the list; without a list, what is
            known of them.
        register: An identified list of people.
        truth: The original table, as the list.
        sensitive: The sensitive columns, where no certificate says which.
        quasi: The quasi-identifiers, where no certificate says which.
        located: As in `attack`.
        of: The sensitive column that is asked about.
        taxonomies: Column -> hierarchy file, where labels are nodes of it.
        plan: The plan of the releases: its hierarchies, and its source as the list.
        prior: What the attacker expects before; as in `attack`.
        stubbornness: How many people's data that is worth; as in `attack`.
        seed: Of estimates by random worlds.

    Raises:
        DataError: Nobody is so, or several are, or the person fits no release.
    """
    read = Plan.read(plan) if isinstance(plan, str | Path) else plan
    held = AttackerPrior.read(prior, stubbornness, null=() if read is None else read.null)
    found = read_releases(
        releases, sensitive=sensitive, quasi=quasi, located=located, taxonomies=taxonomies,
        plan=read,
    )  # fmt: skip
    of = _column(found, of)
    if has_rows(found, read):
        if held is not None:
            raise PlanError(
                "a prior is about one value a person, and a person may have several rows",
                fix="Leave it out.",
            )
        from hedgerow.attacks.person_rows_belief import belief_of_rows

        return belief_of_rows(
            found, person, listed_people(person, register, truth, read), of=of, plan=read
        )
    people, one = _listed(found, person, register, truth, read)
    places = tuple(locate(release, people) for release in found)
    here = [i for i, where in enumerate(places) if where.count[one]]
    if not here:
        raise nobody_fits(found, people, one)
    # What other releases tell of other people tells of this one, too, if there is a list.
    joined = set(SeenColumn.read([found[i] for i in here], of).joined)
    others = len(people) > 1 or (held is not None and held.stubbornness is not None)
    used = [i for i in range(len(found))
            if i in here or (others and joined <= _shown(found[i]))]  # fmt: skip
    unused = [release.name for i, release in enumerate(found) if i not in used]
    found, places = tuple(found[i] for i in used), tuple(places[i] for i in used)
    seen = SeenColumn.read(found, of).expected(None if held is None else held.of(of))
    alone = Scene(seen, tuple(where.take(np.array([one])) for where in places)).of_one()
    everybody, told = SceneBelief(None, None, ()), [*joining(found, seen)]
    if seen.prior is not None:
        told += seen.prior.told
    if unused and others:
        told.append(
            f"Not used: {some(unused)}. The person fits no group there, and the columns on which "
            "the other releases are joined are not shown."
        )
    if len(people) > 1:
        everybody = Scene(seen, places).of_all(one, seed=seed)
        told += everybody.told
    listed, estimates = everybody.proven, everybody.estimates
    told += [line for r, where in zip(found, places, strict=True) for line in told_labels(r, where)]
    knowing_plan: Mapping[Value, Range] = {}
    if read is not None and len(people) > 1 and held is not None:
        told.append(
            "What somebody believes who knows how the release was made is not computed for an "
            "attacker with a prior."
        )
    elif read is not None and len(people) > 1:
        minimalist = believed_by_minimality(read, found, people, one, of, seed=seed)
        knowing_plan = minimalist.values or {}
        told.append(minimalist.told)
    column = people.column(of) if of in people.columns else None
    before = seen.before
    order = sorted(
        range(len(seen.values)),
        key=lambda v: (-(alone[v] if listed is None else listed[v][1]), -alone[v], v),
    )
    return PersonBelief(
        ", ".join(f"{column} {value}" for column, value in person.items()),
        of,
        tuple(
            ValueBelief(
                seen.values[v], float(before[v]), float(alone[v]),
                None if listed is None else (float(listed[v][0]), float(listed[v][1])),
                None if estimates is None else estimates[v],
                _possible(
                    knowing_plan.get(likeness(seen.values[v])),
                    None if listed is None else listed[v],
                ),
            )
            for v in order
        ),
        tuple(fitting_rows(found, places, one, of)),
        None if column is None else column[one],
        len(people),
        tuple(told),
    )  # fmt: skip


def _possible(interval: Range | None, listed: Sequence[Fraction] | None) -> Range | None:
    """An interval of somebody who knows more than the list: what is certain by it stays so."""
    if interval is None or listed is None or listed[0] != listed[1] or listed[0] not in (0, 1):
        return interval
    return float(listed[0]), float(listed[1])


def _shown(release: Published) -> set[str]:
    """The columns it shows as they are."""
    return set() if release.records is None else set(release.records.columns)


def _column(releases: Sequence[Published], of: str | None) -> str:
    shared = [c for c in releases[0].sensitive if all(c in r.sensitive for r in releases)]
    if of is None and len(shared) == 1:
        return shared[0]
    if of in shared:
        assert of is not None
        return of
    for one in releases:
        if of in aggregates(one.codings) or (of is None and aggregates(one.codings) and not shared):
            raise DataError(
                f"{one.name} shows {some(aggregates(one.codings))} as one value for each group, "
                "which need not be anybody's own",
                fix="Ask about a column that shows people's own values.",
            )
    near = None if of is None else nearest(of, shared)
    raise DataError(
        "the releases have no sensitive column in common" if not shared
        else "the releases have several sensitive columns in common" if of is None
        else f"not every release has a sensitive column {of!r}",
        fix=f"Did you mean {near!r}?" if near else f"Say which is meant with --of: {some(shared)}.",
    )  # fmt: skip


def has_rows(releases: Sequence[Published], plan: Plan | None) -> bool:
    """Whether a person may have several rows in them."""
    several = any(one.unit == ROWS or one.not_people is not None for one in releases)
    return several or (plan is not None and (plan.rows or 1) > 1)


def _listed(
    releases: Sequence[Published],
    person: Mapping[str, str],
    register: Any,
    truth: Any,
    plan: Plan | None,
) -> tuple[Targets, int]:
    """The people on the list, and who of them is meant."""
    listed = listed_people(person, register, truth, plan)
    if listed is None:
        require_columns(releases, person)
        return Targets.of({column: [value] for column, value in person.items()}), 0
    people, fits = listed
    said = ", ".join(f"{column}={value}" for column, value in person.items())
    if fits.sum() > 1 and (people.codes[fits] == people.codes[fits.argmax()]).all():
        return people, int(fits.argmax())  # nothing tells them apart, so the same is said of each
    if not fits.any():
        raise nobody_listed(people, person)
    if fits.sum() > 1:
        raise DataError(
            f"{int(fits.sum()):,} people on the list: {said}",
            fix="Say more of the person: repeat --person.",
        )
    return people, int(fits.argmax())


def listed_people(
    person: Mapping[str, str], register: Any, truth: Any, plan: Plan | None
) -> tuple[Targets, Flags] | None:
    """The list, and which of its rows are so; None where there is no list."""
    null = () if plan is None else plan.null
    if register is not None and truth is not None:
        raise PlanError("there are two lists of people", fix="Give --register or --truth.")
    given = register if register is not None else truth
    if isinstance(given, list | tuple):
        if len(given) != 1:
            raise PlanError("--person takes one list of people", fix="Give one --register.")
        (given,) = given
    if given is not None:
        form = None if plan is None else plan.form_for(given)
        people = Targets.read(given, null=null, form=form)
    elif plan is not None and plan.source is not None:
        people = people_of(plan)
    else:
        return None
    fits = np.ones(len(people), np.bool_)
    for column, value in person.items():
        if column not in people.columns:
            near = nearest(column, people.columns)
            raise PlanError(
                f"--person {column}: the list of people has no such column",
                fix=f"Did you mean {near!r}?" if near else f"It has {some(people.columns)}.",
            )
        wanted = likeness(value)
        known = people.values[people.columns.index(column)]
        same = np.array([v is not None and likeness(v) == wanted for v in known], np.bool_)
        fits &= same[people.codes[:, people.columns.index(column)]]
    return people, fits


def joining(releases: Sequence[Published], seen: SeenColumn) -> Iterator[str]:
    """On what records were joined, and what was not tried."""
    if seen.joined:
        yield f"Records were joined on {some(seen.joined)}."
    if len(releases) > 1:
        for missed in unjoined(releases, seen.of, joined=seen.joined):
            yield f"Not tried: {missed}. Whoever does may know more than is shown here."
    for release in releases:
        if release.located == "nearest":
            yield (
                f"In {release.name} people are looked for in the group with the nearest centroid. "
                "That is a guess, so the beliefs are one, too."
            )


def fitting_rows(
    releases: Sequence[Published], places: Sequence[Located], one: int, of: str
) -> Iterator[GroupRows]:
    """The groups that fit the person, and what is in them."""
    for release, where in zip(releases, places, strict=True):
        domain, h = release.groups.domains[of], release.groups.histograms[of]
        for g in where.of(one).tolist():
            entries = range(h.indptr[g], h.indptr[g + 1])
            counts = {domain.values[h.codes[e]]: int(h.counts[e]) for e in entries}
            ordered = dict(sorted(counts.items(), key=lambda item: (-item[1], str(item[0]))))
            yield GroupRows(release.name, told_group(release, g), int(release.groups.n[g]), ordered)
