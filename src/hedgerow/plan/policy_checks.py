"""What is wrong about a policy beside the rest of the plan."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hedgerow.base.errors import PlanError, nearest
from hedgerow.base.problems import Place, Problem
from hedgerow.plan.policies import RESERVED, PolicyPlan, SecretPlan
from hedgerow.table.schema import Role

if TYPE_CHECKING:
    from hedgerow.plan.plan import Plan


def policy_contradicts(plan: Plan, broken: frozenset[str]) -> Iterable[Problem]:
    """What is wrong about a policy beside the rest of the plan."""
    policy = plan.policy
    if policy is None:
        return
    if "privacy" not in broken:
        yield from _neighbours_contradict(plan)
    if plan.person is not None and "person" not in broken:
        yield Problem(
            ("policy",),
            f"people have several rows ({plan.person!r}), and which of them count depends on all "
            "of a person's values: a small change in one may bring others in, which no policy "
            "bounds",
            "Use a table with one row per person, or leave the policy out.",
        )
    if plan.ages:
        age, (born, at) = next(iter(plan.ages.items()))
        yield Problem(
            ("policy",),
            f"{age!r} is counted from {born!r} and {at!r}: who changes one of them changes two "
            "columns, and a policy is about one column at a time",
            "Leave the policy out, or take `ages` out of `read` and compute the age in the data.",
        )
    if plan.method.search == "marginals":
        yield Problem(
            ("policy",), "a policy is for answers, and a randomised release does not use it",
            "Leave it out: the release then keeps differential privacy.",
        )  # fmt: skip
    if "columns" not in broken:
        yield from _secrets_contradict(plan, policy)
        yield from _known_contradicts(plan, policy)


def _neighbours_contradict(plan: Plan) -> Iterable[Problem]:
    if plan.privacy is None:
        yield Problem(
            ("policy",), "a policy says how much noise there is, and nothing says who is protected",
            "Add `privacy: {neighbours: change-one}`.",
        )  # fmt: skip
    elif plan.privacy.neighbours != "change-one":
        yield Problem(
            ("privacy", "neighbours"),
            "a policy is about which value somebody has, with the number of rows public; "
            "add-remove hides whether somebody is in the table, and no pair of values says that",
            "Write `neighbours: change-one`, or leave the policy out.",
        )


def _secrets_contradict(plan: Plan, policy: PolicyPlan) -> Iterable[Problem]:
    taken: dict[str, str] = {}
    if not policy.secrets:
        yield Problem(("policy",), "the policy names no column", "Write {age: {within: 5}}.")
    for name, secret in policy.secrets.items():
        for i, column in enumerate(policy.columns(name)):
            place: Place = ("policy", name) if secret.of is None else ("policy", name, "of", i)
            if taken.setdefault(column, name) != name:
                yield Problem(
                    place, f"{column!r} has a policy already, under {taken[column]!r}",
                    "Keep one of the two.",
                )  # fmt: skip
            yield from _unfit(plan, secret, column, place, name)


def _unfit(
    plan: Plan, secret: SecretPlan, column: str, place: Place, name: str
) -> Iterable[Problem]:
    planned = plan.columns.get(column)
    if planned is None:
        close = nearest(column, [*plan.columns, *RESERVED])
        yield Problem(
            place, f"there is no column {column!r}",
            f"Did you mean {close!r}?"
            if close
            else "Name a column, or say which are meant: {of: [latitude, longitude], ...}.",
        )  # fmt: skip
        return
    if planned.role is Role.IDENTIFIER:
        yield Problem(
            place, f"{column!r} is an identifier, and no answer is about it", "Leave it out."
        )
        return
    kind = secret.kind
    numbers = kind == "within"
    if numbers and planned.step is None:
        yield Problem(
            ("policy", name, "within"),
            f"{column!r} has no bounds with a step, so nobody knows which numbers lie within",
            f"Add them under `columns`: `{column}: {{..., bounds: [0, 120], step: 1}}`.",
        )
    elif kind in ("partition", "line", "graph") and not planned.has_cells:
        yield Problem(
            ("policy", name, kind),
            f"{column!r} has no public values that could be joined",
            f"Say which values are possible, under `columns`: `{column}: {{..., domain: [a, b]}}`, "
            "or bounds and a step.",
        )
    if isinstance(secret.partition, int | str) and planned.hierarchy is None:
        yield Problem(
            ("policy", name, "partition"),
            f"{column!r} has no hierarchy, so it has no levels",
            "Give it one, or write the blocks out: {partition: {a: [x, y], b: [z]}}.",
        )


def _known_contradicts(plan: Plan, policy: PolicyPlan) -> Iterable[Problem]:
    if policy.known is None:
        return
    for i, table in enumerate(policy.known.marginals):
        for j, column in enumerate(table):
            yield from _uncounted(plan, policy, column, ("policy", "known", "marginals", i, j))
    for i, text in enumerate(policy.known.counts):
        from hedgerow.base.filters import parse

        place: Place = ("policy", "known", "counts", i)
        try:
            condition = parse(text)
        except PlanError as error:
            yield Problem(place, f"{error.where}: {error.what}", error.fix)
            continue
        for column in condition.columns:
            yield from _uncounted(plan, policy, column, place)


def _uncounted(plan: Plan, policy: PolicyPlan, column: str, place: Place) -> Iterable[Problem]:
    """Why nobody can know counts of a column under this policy."""
    planned = plan.columns.get(column)
    shared = [s.of for s in policy.secrets.values() if s.of and len(s.of) > 1 and column in s.of]
    if planned is None:
        close = nearest(column, list(plan.columns))
        yield Problem(
            place, f"there is no column {column!r}",
            f"Did you mean {close!r}?" if close else "Name a column of the plan.",
        )  # fmt: skip
    elif not planned.has_cells:
        yield Problem(
            place, f"{column!r} has no public values, so its counts cannot be taken into account",
            f"Say which there are, under `columns`: `{column}: {{..., domain: [a, b]}}`.",
        )  # fmt: skip
    elif shared:
        yield Problem(
            place, f"{column!r} shares its policy with another column, and counts of it alone "
            "cannot be taken into account", "Leave it out, and use no policy for these columns.",
        )  # fmt: skip
