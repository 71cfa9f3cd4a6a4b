"""What the parts of a plan say against each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from hedgerow.base.errors import nearest, some
from hedgerow.base.problems import Place, Problem
from hedgerow.claims.declaration import ChoiceParameter, ParameterKind, declared
from hedgerow.plan.adversaries import AdversaryPlan
from hedgerow.plan.claims import Claim
from hedgerow.plan.codings import codings_contradict
from hedgerow.plan.keep import keep_contradicts
from hedgerow.plan.methods import PRICED
from hedgerow.plan.policy_checks import policy_contradicts
from hedgerow.plan.privacy import privacy_contradicts
from hedgerow.plan.safe import safe_contradicts
from hedgerow.plan.utility import utility_contradicts
from hedgerow.table.schema import Role

if TYPE_CHECKING:
    from hedgerow.claims.base import PrivacyModel
    from hedgerow.plan.plan import Plan


def contradictions(plan: Plan, broken: frozenset[str]) -> Iterable[Problem]:
    """All of them, but for those about the broken parts."""
    if not plan.columns and "columns" not in broken:
        yield Problem(
            ("columns",), "no columns are listed", "List each under `columns`, with its role."
        )
    empty = "protect" in plan.model_fields_set and not plan.protect
    noise = plan.privacy is not None or plan.method.search in PRICED
    if empty or not (plan.protect or noise or {"protect", "privacy"} & broken):
        yield Problem(
            ("protect",), "nothing is protected",
            "List claims under `protect`, such as `- k-anonymity: 5`; or, for answers with noise "
            "only, leave `protect` out and add `privacy: {neighbours: add-remove}`.",
        )  # fmt: skip
    if plan.columns and "columns" not in broken:
        yield from _columns_contradict(plan, broken)
        if not {"method", "publish", "person", "rows"} & broken:
            yield from codings_contradict(plan)
        if "protect" not in broken:
            for place, claim in enumerate(plan.protect):
                yield from _claim_contradicts(plan, ("protect", place), claim)
    if plan.columns and not {"columns", "method"} & broken:
        yield from _unimportant(plan)
    yield from privacy_contradicts(plan, broken)
    yield from policy_contradicts(plan, broken)
    yield from utility_contradicts(plan, broken)
    yield from keep_contradicts(plan, broken)
    if plan.method.search == "safe":
        yield from safe_contradicts(plan, broken)
    if "protect" not in broken:
        first = plan.population_file
        for place, claim in enumerate(plan.protect):
            if isinstance(claim, Claim) and claim.population not in (None, first):
                yield Problem(
                    ("protect", place, claim.name, "population"),
                    f"the population {str(claim.population)!r} is another than {str(first)!r}",
                    "Use one population file in all claims.",
                )


def _columns_contradict(plan: Plan, broken: frozenset[str]) -> Iterable[Problem]:
    # Answers with noise protect every column alike; only claims are about groups.
    claims = plan.protect or "protect" in broken
    if claims and not plan.schema().quasi_identifiers:
        yield Problem(
            ("columns",), "no column is a quasi-identifier, so there is nothing to generalise",
            "Give that role to what an attacker may know: age, postcode, sex, dates.",
        )  # fmt: skip
    if claims or plan.method.search == "safe":
        yield from _ages_contradict(plan)
    if plan.rows is not None and plan.person is None:
        yield Problem(
            ("rows",), "nothing says whose row it is, so nobody can have several",
            "Leave out `rows`, or name the person column: `person: patient_id`.",
        )  # fmt: skip
    if plan.rows is not None and plan.method.search in PRICED:
        yield Problem(
            ("rows",), "`rows` is about rows that are published as they are, and these are not",
            "Leave it out: `privacy: {rows: 3}` says how many rows of a person count.",
        )  # fmt: skip
    for name, one in plan.columns.items():
        if one.within_person is not None and plan.rows != 1:
            yield Problem(
                ("columns", name, "within_person"),
                "`within_person` works only with `rows: one`",
                "Remove it, or add `rows: one` and `person`.",
            )
    if plan.person is not None and plan.one_row_per_person:
        yield Problem(
            ("one_row_per_person",),
            f"people are told apart by {plan.person!r}, so they may have several rows",
            "Leave out `one_row_per_person`, or `person`.",
        )
    column = plan.columns.get(plan.person) if plan.person is not None else None
    if column is not None and column.role is not Role.IDENTIFIER:
        yield Problem(
            ("columns", str(plan.person), "role"),
            f"{plan.person!r} is the person column, so it cannot be {column.role}",
            "Leave the column out or give it the role identifier.",
        )


def _ages_contradict(plan: Plan) -> Iterable[Problem]:
    """Two of a date of birth, the date of an event and the age at it tell the third.

    So if one is published as it is, it narrows the others in each row: somebody who knows the
    date of birth finds fewer people than the group has.
    """
    kept = (Role.QUASI_IDENTIFIER, Role.IDENTIFIER)
    for age, (born, at) in plan.ages.items():
        for name in (age, born, at):
            if name in plan.columns and plan.columns[name].role not in kept:
                yield Problem(
                    ("columns", name, "role"),
                    f"{age!r} is the age between {born!r} and {at!r}: two of them tell the third, "
                    f"and {name!r} would be published as it is",
                    "Give it the role quasi-identifier, or identifier to leave it out.",
                )


def _claim_contradicts(plan: Plan, place: Place, claim: Claim | PrivacyModel) -> Iterable[Problem]:
    """Claims about a sensitive column need one."""
    sensitive = plan.schema().sensitive
    of = claim.parameters.given(ParameterKind.COLUMN) if isinstance(claim, Claim) else claim.column
    if isinstance(claim, Claim):
        place = (*place, claim.name)
    yield from _facts_contradict(plan, place, claim)
    yield from _weights_contradict(plan, place, claim)
    if of is not None and of not in sensitive:
        close = nearest(str(of), sensitive)
        role = plan.columns[of].role if of in plan.columns else None
        yield Problem(
            (*place, "of"),
            f"{of!r} has the role {role}, not sensitive" if role else f"there is no column {of!r}",
            f"Did you mean {close!r}?" if close else "Name a sensitive column.",
        )
    elif isinstance(claim, Claim) and claim.declaration.about_column and not sensitive:
        yield Problem(
            place, "the claim is about a sensitive column, and no column has that role",
            "Give the role sensitive to what must not be learned of a person.",
        )  # fmt: skip
    elif of is None and len(sensitive) > 1 and isinstance(claim, Claim):
        yield from _about_one_column(place, claim, sensitive)
    yield from _unknowable(plan, place, claim)
    yield from _lacks_hierarchy(plan, place, claim, sensitive)


def _unimportant(plan: Plan) -> Iterable[Problem]:
    """Columns whose cells are said to be important, and that no cell is suppressed of."""
    quasi = plan.schema().quasi_identifiers
    for name in plan.method.importance or ():
        if name not in quasi:
            close = nearest(name, quasi)
            yield Problem(
                ("method", "importance", name), f"{name!r} is no quasi-identifier",
                f"Did you mean {close!r}?" if close else "Cells of others are not suppressed.",
            )  # fmt: skip


def _unknowable(plan: Plan, place: Place, claim: Claim | PrivacyModel) -> Iterable[Problem]:
    """Columns that an attacker is said to know, and that are no quasi-identifiers."""
    quasi = plan.schema().quasi_identifiers
    named: dict[str, Place] = {}
    if isinstance(claim, Claim):
        parameter = claim.declaration.of_kind(ParameterKind.COLUMN_SETS)
        sets = None if parameter is None else getattr(claim.parameters, parameter.name)
        if parameter is None or sets is None:
            return
        if isinstance(sets, int):
            if sets > len(quasi):
                yield Problem(
                    (*place, parameter.name), f"there are {len(quasi)} quasi-identifiers, and "
                    f"nobody knows {sets} of them", "Leave it out: then all of them are known.",
                )  # fmt: skip
            return
        for i, one in enumerate(sets):
            for j, name in enumerate(one):
                named[name] = (*place, parameter.name, i, j)
                if name in one[:j]:
                    yield Problem(named[name], f"{name!r} stands twice in a set", "Remove one.")
    else:
        named = dict.fromkeys(claim.named_columns, place)
    for name, spot in named.items():
        if name not in quasi:
            role = plan.columns[name].role if name in plan.columns else None
            close = nearest(name, quasi)
            yield Problem(
                spot,
                f"{name!r} has the role {role}, and what is known are quasi-identifiers" if role
                else f"there is no column {name!r}",
                f"Did you mean {close!r}?" if close else f"There are {some(quasi)}.",
            )  # fmt: skip


def _about_one_column(place: Place, claim: Claim, sensitive: Sequence[str]) -> Iterable[Problem]:
    """Claims whose parameters only make sense for one column, where several are meant."""
    fix = "Say which column is meant: `of: ...`."
    beliefs = (ParameterKind.ADVERSARY, ParameterKind.PRIOR)
    if any(claim.parameters.given(kind) is not None for kind in beliefs):
        yield Problem(
            place, f"the claim may be about any of {some(sensitive)}, and what attackers believe "
            "is about one column", fix,
        )  # fmt: skip
    value = claim.parameters.given(ParameterKind.VALUE)
    if value is not None:
        yield Problem(place, f"{value!r} may be a value of {some(sensitive)}", fix)


def _lacks_hierarchy(
    plan: Plan, place: Place, claim: Claim | PrivacyModel, sensitive: Sequence[str]
) -> Iterable[Problem]:
    """Choices that need a hierarchy of the sensitive column."""
    declaration = claim.declaration if isinstance(claim, Claim) else declared(claim)
    asked = claim.parameters if isinstance(claim, Claim) else claim
    about = claim.columns(sensitive) if isinstance(claim, Claim) else (claim.column,)
    for one in declaration.parameters if declaration else ():
        if not isinstance(one.kind, ChoiceParameter):
            continue
        if getattr(asked, one.name, None) not in one.kind.by_hierarchy:
            continue
        for name in about:
            if name is not None and name in sensitive and plan.columns[name].hierarchy is None:
                yield Problem(
                    (*place, one.name), f"{name!r} has no hierarchy to measure {one.name} in",
                    f"Give {name!r} a hierarchy, or use {one.name}: {one.kind.words[0]}.",
                )  # fmt: skip


def _weights_contradict(plan: Plan, place: Place, claim: Claim | PrivacyModel) -> Iterable[Problem]:
    """Survey weights are numbers of people: a column of theirs must exist and stay as it is."""
    if isinstance(claim, Claim):
        name, at = claim.parameters.given(ParameterKind.WEIGHTS), (*place, "weights")
    else:
        name, at = claim.weighted_by, place
    if name is None:
        return
    roles = plan.schema().roles
    if name not in roles or name == plan.person:
        close = nearest(name, list(roles))
        yield Problem(
            at, f"there is no column {name!r} of survey weights",
            f"Did you mean {close!r}?" if close and close != name else "Name a column of numbers.",
        )  # fmt: skip
    elif roles[name] is Role.QUASI_IDENTIFIER:
        yield Problem(
            at, f"the survey weights in {name!r} have the role quasi-identifier, which generalises "
            "them: nobody could add them up",
            "Give them the role identifier, so that they are not published. With the role "
            "insensitive they are published as they are: say so only if nobody can tell from a "
            "weight who somebody is or where they live.",
        )  # fmt: skip


def _facts_contradict(plan: Plan, place: Place, claim: Claim | PrivacyModel) -> Iterable[Problem]:
    """Columns that say what people want protected, or who they are, must exist and stay back."""
    roles = plan.schema().roles
    at: Place = ()
    told: Place = ()
    if isinstance(claim, Claim):
        adversary: AdversaryPlan | None = claim.parameters.given(ParameterKind.ADVERSARY)
        wishes = claim.parameters.given(ParameterKind.WISHES)
        by = None if adversary is None else adversary.knows.by
        at, told = ("wishes",), ("adversary", "knows", "by")
    else:
        facts = claim.facts
        wishes = facts.wishes if facts else None
        by = facts.known.by if facts and facts.known else None
    for name, spot in ((wishes, at), (by, told)):
        if name is not None and name not in roles:
            close = nearest(name, list(roles))
            yield Problem(
                (*place, *spot), f"there is no column {name!r}",
                f"Did you mean {close!r}?" if close else "Name a column of the table.",
            )  # fmt: skip
    if wishes in roles and roles[wishes] is not Role.IDENTIFIER:
        yield Problem(
            (*place, *at),
            f"{wishes!r} says what people want protected, so it must not be published, and its "
            f"role is {roles[wishes]}",
            "Give it the role identifier.",
        )
    if by in roles and roles[by] is not Role.IDENTIFIER:
        yield Problem(
            (*place, *told),
            f"{by!r} tells people apart, so it must not be published, and its role is {roles[by]}",
            "Give it the role identifier.",
        )
    if by in roles and plan.person is not None and by != plan.person:
        yield Problem(
            (*place, *told), f"people are told apart by {plan.person!r}, not by {by!r}",
            f"List people by {plan.person!r}.",
        )  # fmt: skip
