"""What the parts of a plan say against each other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hedgerow.base.errors import nearest, some
from hedgerow.base.problems import Place, Problem
from hedgerow.plan.claims import About, AlphaKAnonymity, Claim, EpsilonPrivacy
from hedgerow.plan.methods import PRICED
from hedgerow.plan.policy_checks import policy_contradicts
from hedgerow.plan.privacy import privacy_contradicts
from hedgerow.plan.safe import safe_contradicts
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
        if "protect" not in broken:
            for place, claim in enumerate(plan.protect):
                yield from _claim_contradicts(plan, ("protect", place), claim)
    yield from privacy_contradicts(plan, broken)
    yield from policy_contradicts(plan, broken)
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


def _claim_contradicts(plan: Plan, place: Place, claim: Claim | PrivacyModel) -> Iterable[Problem]:
    """Claims about a sensitive column need one."""
    sensitive = plan.schema().sensitive
    asked: Any = claim
    if isinstance(claim, Claim):
        asked, place = claim.parameters, (*place, claim.name)
    of = getattr(asked, "of", None)
    yield from _facts_contradict(plan, place, asked)
    if of is not None and of not in sensitive:
        close = nearest(str(of), sensitive)
        role = plan.columns[of].role if of in plan.columns else None
        yield Problem(
            (*place, "of"),
            f"{of!r} has the role {role}, not sensitive" if role else f"there is no column {of!r}",
            f"Did you mean {close!r}?" if close else "Name a sensitive column.",
        )
    elif isinstance(asked, About) and not sensitive:
        yield Problem(
            place, "the claim is about a sensitive column, and no column has that role",
            "Give the role sensitive to what must not be learned of a person.",
        )  # fmt: skip
    elif isinstance(asked, EpsilonPrivacy) and of is None and len(sensitive) > 1:
        yield Problem(
            place, f"the claim may be about any of {some(sensitive)}, and what attackers believe "
            "is about one column", "Say which column is meant: `of: ...`.",
        )  # fmt: skip
    elif isinstance(asked, AlphaKAnonymity) and asked.value is not None and of is None:
        if len(sensitive) > 1:
            yield Problem(
                place, f"{asked.value!r} may be a value of {some(sensitive)}",
                "Say which column is meant: `of: ...`.",
            )  # fmt: skip
    elif getattr(asked, "distance", None) == "hierarchical":
        for name in (of,) if of is not None else sensitive:
            if plan.columns[name].hierarchy is None:
                yield Problem(
                    (*place, "distance"), f"{name!r} has no hierarchy to measure distance in",
                    f"Give {name!r} a hierarchy, or use distance: equal.",
                )  # fmt: skip


def _facts_contradict(plan: Plan, place: Place, asked: Any) -> Iterable[Problem]:
    """Columns that say what people want protected, or who they are, must exist and stay back."""
    roles = plan.schema().roles
    if isinstance(asked, EpsilonPrivacy):
        wishes, by = asked.wishes, asked.adversary.knows.by
        at: Place = ("wishes",)
        told: Place = ("adversary", "knows", "by")
    else:
        facts = getattr(asked, "facts", None)
        wishes = facts.wishes if facts else None
        by = facts.known.by if facts and facts.known else None
        at = told = ()
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
