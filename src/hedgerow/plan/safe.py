"""What a plan for a safe release has to say, and must not say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hedgerow.base.problems import Problem
from hedgerow.plan.methods import CHOOSING, PAID
from hedgerow.plan.privacy import how_public, needed
from hedgerow.table.schema import Role

if TYPE_CHECKING:
    from hedgerow.plan.plan import Plan


def safe_contradicts(plan: Plan, broken: frozenset[str]) -> Iterable[Problem]:
    """What is wrong about a release of a sample."""
    if plan.privacy is None and "privacy" not in broken:
        yield Problem(
            ("method", "search"), "a safe release has a price, and nothing says who is protected",
            needed(plan.person, rows=1),
        )  # fmt: skip
    elif plan.privacy is not None and plan.privacy.rows not in (None, 1):
        yield Problem(
            ("privacy", "rows"),
            f"a safe release protects people with one row, not with {plan.privacy.rows}",
            "Write `rows: 1`: of a person with more rows one counts, whichever; or use a table "
            "with one row per person.",
        )  # fmt: skip
    if plan.protect:
        yield Problem(
            ("protect",),
            "a safe release keeps its epsilon and delta, from which k follows; whether it keeps "
            "other claims depends on who is drawn",
            "Leave `protect` out, or use another search.",
        )
    if "utility" in plan.model_fields_set:
        yield Problem(
            ("utility",), "utility has no meaning for safe, which chooses by granularity",
            "Leave it out; `row` under `method` says what a row is worth by itself.",
        )  # fmt: skip
    if plan.policy is not None:
        yield Problem(
            ("policy",), "a policy is for answers, and a safe release does not use it",
            "Leave it out: the release then keeps differential privacy.",
        )  # fmt: skip
    if "columns" not in broken:
        yield from _columns_contradict(plan)
        yield from _choice_contradicts(plan)


def _columns_contradict(plan: Plan) -> Iterable[Problem]:
    if plan.columns and not plan.schema().quasi_identifiers:
        yield Problem(
            ("columns",), "no column is a quasi-identifier, so there is nothing to publish",
            "Give that role to every column that is published.",
        )  # fmt: skip
    for name, column in plan.columns.items():
        if column.role in (Role.SENSITIVE, Role.INSENSITIVE):
            yield Problem(
                ("columns", name, "role"),
                f"a column with the role {column.role} is published as it is, which would tell "
                "the rows of a group apart; in a safe release every column is recoded",
                "Give it the role quasi-identifier (`levels: [0, 0]` publishes its values and "
                "counts them as part of the group), or identifier to leave it out.",
            )
        elif column.role is Role.QUASI_IDENTIFIER and not column.has_cells:
            yield Problem(
                ("columns", name),
                f"nothing says which values {name!r} may have, and they are never taken from the "
                "data: what is published must not depend on who is in the table",
                how_public(name),
            )
        if column.missing != "value":
            yield Problem(
                ("columns", name, "missing"),
                f"nobody may learn that a value is missing, so it cannot be {column.missing!r}",
                "Leave it out; rows are counted as missing where the domain has null, else they "
                "do not count.",
            )


def _choice_contradicts(plan: Plan) -> Iterable[Problem]:
    fixed, public = levels_fixed(plan), plan.method.levels_from is not None
    if plan.method.drawn == "before" and not fixed and not public:
        yield Problem(
            ("method", "drawn"),
            "a table that is a sample already cannot be used to choose its levels: the choice "
            "would tell about the very chance that hides people",
            "Fix them in the plan: `levels: [2, 2]` for every quasi-identifier; choose them on "
            "public data about other people: `levels_from: other.csv`; or leave `drawn` out, and "
            "a sample is drawn from the table.",
        )
    for key in () if fixed else PAID:
        if public and key in plan.method.model_fields_set:
            yield Problem(
                ("method", key),
                f"levels are chosen on public data, which costs nothing, so there is no choice "
                f"that {key} is for",
                "Leave it out, or leave `levels_from` out.",
            )
    for key in (*CHOOSING, "levels_from"):
        if fixed and key in plan.method.model_fields_set:
            yield Problem(
                ("method", key), f"all levels are fixed, so there is no choice that {key} is for",
                "Leave it out.",
            )  # fmt: skip


def levels_fixed(plan: Plan) -> bool:
    """Whether the plan leaves no level to be chosen."""
    columns = (c for c in plan.columns.values() if c.role is Role.QUASI_IDENTIFIER)
    return all(c.levels is not None and c.levels[0] == c.levels[1] for c in columns)
