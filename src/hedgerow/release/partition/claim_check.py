"""One claim, measured again on the published file and compared with what the certificate says."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hedgerow.base.errors import HedgerowError, some
from hedgerow.base.spelling_classes import taken_for
from hedgerow.claims.base import Needs, PrivacyModel, Verdict
from hedgerow.claims.diversity import DistinctLDiversity
from hedgerow.claims.outside import judged_before, unverifiable, withheld
from hedgerow.claims.readings import checked, judged
from hedgerow.claims.row_bound import of_people, of_rows
from hedgerow.claims.serialisation import CUSTOM
from hedgerow.release.partition.record_candidates import most_fitting
from hedgerow.release.release import level_in_words
from hedgerow.release.verdicts import REFUTED, UNVERIFIABLE, VERIFIED, CheckedClaim
from hedgerow.table.contents import Contents, Order
from hedgerow.table.groups import Groups
from hedgerow.table.schema import Schema
from hedgerow.table.value_order import NUMBERS, arranged
from hedgerow.table.written_form import Value

SAME = 1e-9
"""How far (relatively) a level may be from another machine's."""


@dataclass(frozen=True, kw_only=True)
class Ground:
    """What claims are checked on."""

    contents: Contents
    person: bool
    """Whether a person may have several rows."""
    rows: int = 1
    """The most rows of a person, which do not say whose they are."""
    left_out: int | None
    """People of the source who are not in the file; None where nobody says."""
    orders: Callable[[str], Order]
    """The order and taxonomy of a sensitive column."""
    others: tuple[str, ...] = ()
    """Columns that are no quasi-identifiers."""
    people: int | None = None
    """People in the file; None where nobody says."""
    certified: bool = True
    """Whether a certificate vouches that the values and nodes the claims name exist."""
    distinct: Mapping[str, frozenset[str | None]] = field(default_factory=dict)
    """Column -> values that differ from all others, whatever they look like."""
    schema: Schema | None = None
    """The columns, where a certificate says which of them are coded."""
    other_groups: str | None = None
    """Why its groups are no groups of a population, where the certificate says so."""
    uncounted: str | None = None
    """Why nobody can count a population in its groups, where the certificate says so."""
    one_level: bool = False
    """Whether all labels of a column are said to be of one level of its hierarchy, or stars."""
    worded: bool = True
    """Whether the certificate's reasons would be this version's, word for word."""

    def coded(self, model: PrivacyModel) -> str | None:
        """Why the file does not show what a claim was judged on, where that was coded."""
        return None if self.schema is None else judged_before(model, self.schema)

    @property
    def shows_groups(self) -> bool:
        """Whether its groups are those that claims were judged on."""
        schema = self.schema
        return schema is None or schema.shown_groups == schema.quasi_identifiers

    def groups(self, model: PrivacyModel) -> Groups:
        """The groups as the model needs them.

        Raises:
            DataError: The file's values are not those the claim is about.
        """
        if model.joint:
            return self.contents.joint(self.others)
        of = model.column
        if of is None:
            return replace(self.contents.sizes(), left_out=self.left_out or 0)
        if of not in self.contents.sets:
            raise HedgerowError(f"the file has no sensitive column {of!r}")
        named = dict.fromkeys(model.named_values())
        as_read = self.contents.form.read_back
        order = self._in_order(model, of, self.orders(of))
        names: dict[Value, Value] = {}
        for value in named:
            if names.setdefault(as_read(value), value) != value:
                raise HedgerowError(f"{value!r} is written like another value of {of!r}")
        absent: list[Value] = []
        if self.certified:
            nodes = {node for level in order.levels for node in level}
            unseen = [name for name in named if as_read(name) not in order.values]
            strange = [name for name in unseen if name not in nodes]
            self._refuse_unheard_of(model, of, strange, order)
            # Somebody left out may have had it: to the claim it is a value all the same.
            if model.named_value is not None:
                absent = unseen
            order = replace(order, also=(*order.also, *unseen))
        return self.contents.with_values(
            of,
            order=order,
            names=names,
            absent=absent,
            distinct=self.distinct.get(of, ()),
        )

    def _in_order(self, model: PrivacyModel, of: str, order: Order) -> Order:
        """The values in the order the claim names; where it names none, numbers have one.

        Raises:
            DataError: They have no place in it, or are said to stand otherwise.
        """
        if not model.by_order:
            return order
        chosen = arranged(of, self.contents.values(of), model.stated_order or NUMBERS)
        values = tuple(chosen)
        stated = tuple(value for value in order.values if value in set(values))
        if order.said and stated != values:
            raise HedgerowError(f"the values of {of!r} are stated to be in another order")
        return Order(values=values)

    def _refuse_unheard_of(
        self, model: PrivacyModel, of: str, unseen: list[Value], order: Order
    ) -> None:
        """A claim about a value nobody has would hold of any table."""
        texts = [self.contents.form.read_back(name) for name in unseen]
        values = self.contents.values(of)
        differ = self.distinct.get(of, frozenset())
        # Left out people may have had it so: then it is judged as one with what looks like it.
        known = model.named_value is not None and self.left_out
        for text in () if known else texts:
            if near := taken_for(text, values, differ):
                raise HedgerowError(f"{some([near[0], text])} in {of!r} may be read as one value")
        if self.left_out:
            return
        missing = [name for name in unseen if not _believed(model, name)]
        # Taxonomies have nodes and values nobody has, and a certificate does not list them.
        if missing and (model.named_value is not None or not (order.levels or order.also)):
            raise HedgerowError(f"nobody has {some(missing)} as {of!r}")


def recheck(
    model: PrivacyModel, ground: Ground, entry: Mapping[str, Any] | None = None
) -> CheckedClaim:
    """Check one claim.

    Args:
        model: The claim.
        ground: The published file.
        entry: What the certificate says of it; None where there is none.
    """
    coded = ground.coded(model)
    why = unverifiable(model, person=ground.person, left_out=ground.left_out, coded=coded)
    told: dict[str, Any] = {
        "claim": str(model),
        "required": float(model.required),
        "stated": None if entry is None else entry["level"],
    }
    wrong = [] if entry is None else list(_contradictions(model, entry))
    if model.about_population and ground.other_groups is not None:
        wrong.append(ground.other_groups)
    if Needs.POPULATION in model.needs and ground.uncounted is not None:
        wrong.append(ground.uncounted)
    if entry is not None and ground.worded:
        wrong += _other_reasons(model, ground, entry, why)
    if why is not None:
        if ground.shows_groups:
            wrong += _sure(model, ground, entry)
        if coded is None:
            wrong += _too_far(model, ground)
        if wrong:
            return CheckedClaim(**told, verdict=REFUTED, why="; ".join(wrong))
        compared = "" if coded is not None else _against_published(model, ground)
        return CheckedClaim(**told, verdict=UNVERIFIABLE, why=why + compared)
    try:
        groups = ground.groups(model)
        found = of_people(model, checked(of_rows(model, ground.rows), groups), ground.rows)
    except ArithmeticError:
        wrong.append("with these parameters it cannot be computed")
        return CheckedClaim(**told, verdict=REFUTED, why="; ".join(wrong))
    except HedgerowError as error:
        # What was published was measured; a file on which that cannot be done is another one.
        verdict = UNVERIFIABLE if entry is None else REFUTED
        return CheckedClaim(**told, verdict=verdict, why="; ".join([*wrong, error.what]))
    if not found.holds:
        wrong.append(f"it reaches {level_in_words(found)}, required {found.required:.6g}")
    if entry is not None:
        wrong += _differences(model, ground.contents, groups, found, entry)
    return CheckedClaim(
        **told,
        level=found.level,
        verdict=REFUTED if wrong else VERIFIED,
        why="; ".join(wrong),
    )


def _contradictions(model: PrivacyModel, entry: Mapping[str, Any]) -> Iterator[str]:
    """Where what the certificate says of a claim does not go together."""
    if entry["claim"] != str(model):
        yield f"its parameters say {str(model)!r}, not {entry['claim']!r}"
    if not _same(entry["required"], float(model.required)):
        yield f"it requires {float(model.required):.6g}, not {_shown(entry['required'])}"
    if not entry["holds"]:
        yield "the certificate itself says that it does not hold"
    for key, value in model.spelled_out().items():
        if entry.get(key) != value:
            yield f"its {key} is {value!r}, not {entry.get(key)!r}"
    level, required = entry["level"], float(model.required)
    secret = entry.get("level_withheld") is not None
    if secret and any(entry[key] is not None for key in ("level", "margin", "worst")):
        yield "it states what it says is withheld"
    if level is None:
        if entry["margin"] is not None:
            yield f"the margin stated, {_shown(entry['margin'])}, is that of no level"
        return
    # Where a level must not even be reached, equal may be rounded: that is for `check` to say.
    if not (level >= required if model.higher_is_safer else level <= required):
        yield f"the level stated, {level:.6g}, does not keep it"
    if entry["margin"] is None or not _same(entry["margin"], abs(level - required)):
        yield f"the margin stated, {_shown(entry['margin'])}, is not that of the level {level:.6g}"


def _other_reasons(
    model: PrivacyModel, ground: Ground, entry: Mapping[str, Any], why: str | None
) -> Iterator[str]:
    """Where the certificate gives reasons for what it does not say that are none."""
    hidden = entry["model"] is None
    unread = hidden or str(entry["model"].get("model")).startswith(CUSTOM)
    if not unread and entry["not_verifiable"] != why:
        stated = _reason(entry["not_verifiable"])
        yield f"it is {_reason(why)}, and the certificate says it is {stated}"
    coded = ground.coded(model)
    secret = withheld(model, left_out=ground.left_out or 0, hidden=hidden, coded=coded)
    if entry.get("level_withheld") != secret:
        yield (
            "its level is withheld without a reason"
            if secret is None
            else ("its level would be withheld")
        )


def _reason(why: str | None) -> str:
    return "verifiable" if why is None else f"not verifiable ({why})"


def _differences(
    model: PrivacyModel,
    contents: Contents,
    groups: Groups,
    found: Verdict,
    entry: Mapping[str, Any],
) -> Iterator[str]:
    """Where the file says otherwise than the certificate."""
    if entry.get("level_withheld") is None:
        stated = math.inf if entry["level"] is None else entry["level"]
        if not _same(stated, found.level):
            yield f"the level is {found.level!r}, not {_shown(entry['level'])} as stated"
    worst = entry["worst"]
    if worst is None:
        if found.worst is not None and entry.get("level_withheld") is None:
            yield "the worst group is not named"
        return
    place = contents.group(worst["group"])
    named = some(worst["group"].values())
    if place is None:
        yield f"the file has no group {named}, which is stated to be the worst"
    elif int(groups.n[place]) != worst["records"]:
        yield f"the group {named} has {int(groups.n[place]):,} records, not {worst['records']:,}"
    else:
        (judge,) = judged([model], groups.domains.values())
        levels = judge.level(groups)
        if found.worst is None or not _same(float(levels[place]), float(levels[found.worst])):
            yield f"the group {named} is not the worst"


def _sure(model: PrivacyModel, ground: Ground, entry: Mapping[str, Any] | None) -> Iterator[str]:
    """What refutes a claim although it does not follow from the file.

    A group has at most as many people as rows, whoever they are. And however many values each
    of them has, a group with fewer than l different ones is not l-diverse. Nobody has more
    candidates than there are records.
    """
    if not ground.contents.size:
        return
    sizes = ground.contents.sizes().n
    rows, records = int(sizes.min()), int(sizes.sum())
    least = model.least_people
    if least is not None and rows < least:
        yield f"some group has {rows:,} rows, so it has not {least:,} people"
    level = None if entry is None else entry["level"]
    size, people = ground.contents.size, ground.people
    implied = None if level is None else model.people_at(level)
    if least is not None and implied is not None and implied < math.inf:
        least = max(least, math.ceil(implied * (1 - SAME)))
    if least is not None and people is not None and least * size > people:
        yield f"{people:,} people in {size:,} groups are not {least:,} in each"
    if implied is not None and implied * (1 - SAME) > rows:
        yield f"the level stated is {level:.6g}, and some group has {rows:,} rows"
    candidates = max(model.candidates_of_people, model.candidates_of_records)
    if candidates > records:
        yield f"{candidates:,} candidates are more than the {records:,} records there are"
    elif candidates > 1 and ground.one_level and not ground.person and ground.rows == 1:
        most = int(most_fitting(ground.contents).min())
        if most < max(candidates, 0 if level is None else level * (1 - SAME)):
            yield (
                f"some record agrees with {most:,} records, itself included, so no more than that "
                "fit whoever it is of"
            )
    values, of = model.least_values, model.column
    if ground.coded(model) is not None:
        return  # its values are not those it was judged on
    if values is not None and of is not None and of in ground.contents.sets:
        order = Order(values=tuple(ground.contents.sets[of][0]))
        try:
            found = checked(
                DistinctLDiversity(l=1, of=of),
                ground.contents.with_values(of, order=order, distinct=ground.distinct.get(of, ())),
            )
        except HedgerowError:
            return
        if found.level < values:
            yield f"some group has {found.level:.0f} values of {of!r}"


def _too_far(model: PrivacyModel, ground: Ground) -> Iterator[str]:
    """Where a distribution is too far from the published one, whatever suppressed people have.

    They are a share of the whole table, and move its distribution by that share at most: all the
    way, in every distance. So much closer than to what is published a group may be to the whole.
    """
    if not model.is_distance or not ground.left_out or ground.people is None:
        return
    if ground.person or ground.rows > 1 or not ground.contents.size:
        return
    try:
        found = checked(model, ground.groups(model))
    except (HedgerowError, ArithmeticError):
        return
    share = ground.left_out / (ground.left_out + ground.people)
    if found.level - share > float(model.required) + SAME:
        yield (
            f"compared with what is published alone, it reaches {level_in_words(found)}, and those "
            f"left out are a share of {share:.6g}: more than {found.required:.6g} remains, "
            "whatever values they have"
        )


def _against_published(model: PrivacyModel, ground: Ground) -> str:
    """What a claim about the whole table comes to where the file is taken for the whole."""
    if not model.compares_with_table or ground.person or model.looks_behind:
        return ""
    try:
        found = checked(model, ground.groups(model))
    except HedgerowError:
        return ""
    return f"; compared with what is published alone, it reaches {level_in_words(found)}"


def _believed(model: PrivacyModel, name: Value) -> bool:
    """Whether it is a value that attackers have met elsewhere."""
    prior = model.believed
    return prior is not None and any(value == name for value, _ in prior.weights)


def _same(a: float | None, b: float) -> bool:
    return a is not None and math.isclose(a, b, rel_tol=SAME, abs_tol=SAME)


def _shown(value: float | None) -> str:
    return "none" if value is None else repr(value)
