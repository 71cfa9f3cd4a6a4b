"""The order of a sensitive column's values as a form, for the ordered distance of t-closeness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hedgerow.api import DATES, NUMBERS, arranged, reading
from hedgerow.api.claims import CLAIMS, ChoiceParameter
from hedgerow.base.errors import PlanError, some
from hedgerow.web.draft import Draft
from hedgerow.web.hierarchies import MOST_SORTED
from hedgerow.web.sentences import parameters

if TYPE_CHECKING:
    from hedgerow.engines.base import ColumnProfile

ORDERS = {
    "none": "not stated; numbers are ordered as numbers",
    NUMBERS: "the order of numbers",
    DATES: "the order of dates, such as 2024-02-29",
    "list": "your own list",
}
PLACES = {"": "not stated", "first": "before all others", "last": "after all others"}
MISSING = "(missing)"
"""The line of a list that stands for missing values."""

Values = Sequence[str | None]


def order_said(
    name: str, values: Values, *, order: str, listed: str = "", missing: str = ""
) -> Any:
    """The column's `order` as the plan writes it; None for none.

    Raises:
        PlanError: There is no such order, or it has no place for some value of the column.
        DataError: The values are no numbers, or no dates.
    """
    if order not in ORDERS or missing not in PLACES:
        raise PlanError("there is no such order", fix="Choose one of those shown.")
    if order == "none":
        return None
    lacks = any(reading(value) is None for value in values)
    if order == "list":
        found = _list(listed, values)
        places = set(found)
        if None in places:
            places |= {value for value in values if reading(value) is None}
        if lost := [value for value in values if value not in places]:
            raise PlanError(
                f"{some(lost)} of {name!r} {'has' if len(lost) == 1 else 'have'} no place in the "
                "list",
                fix=f"Add each value on a line of its own, and {MISSING} for missing ones.",
            )
        return found
    if lacks and not missing:
        raise PlanError(
            f"some people have no value in {name!r}", fix="Choose where missing values stand."
        )
    arranged(name, values, f"{order}, missing {missing}" if missing else order, said=True)
    return {"by": order, "missing": missing} if missing else order


def _list(listed: str, values: Values) -> list[str | None]:
    """A value on each line, as the table spells it; blanks around it count only where it has some.

    Raises:
        PlanError: There are too few, or one stands twice.
    """
    there = set(values)
    found: list[str | None] = []
    for line in listed.splitlines():
        text = line if line in there else line.strip()
        if text:
            found.append(None if text == MISSING and MISSING not in there else text)
    if len(found) < 2:
        raise PlanError(
            "the list has fewer than two values",
            fix="Write one on each line, the first one on top.",
        )
    if twice := [value for i, value in enumerate(found) if value in found[:i]]:
        raise PlanError(f"{some(twice)} stands in the list more than once", fix="List each once.")
    return found


def order_fields(said: Mapping[str, Any], values: Values) -> dict[str, str]:
    """What the plan's column says, as fields; a list begins with the values, to be arranged."""
    order, missing = said.get("order"), ""
    if isinstance(order, Mapping):
        missing, order = str(order.get("missing") or ""), order.get("by")
    listed: Sequence[Any] = values if len(values) <= MOST_SORTED else []
    kind = "none"
    if isinstance(order, list):
        kind, listed = "list", order
    elif order in (NUMBERS, DATES):
        kind = str(order)
    texts = [MISSING if value is None else str(value) for value in listed]
    return {"order": kind, "missing": missing, "listed": "\n".join(texts)}


def orders(draft: Draft, name: str) -> bool:
    """Whether a claim goes by the order of the column's values."""
    claims = draft.said("protect")
    said = [parameters(claim) for claim in claims] if isinstance(claims, list) else []
    return any(
        one.get("of") in (None, name) and _by_order(claim, one)
        for claim, one in said
        if claim in CLAIMS
    )


def _by_order(claim: str, said: Mapping[str, Any]) -> bool:
    chosen = ((p.kind, said.get(p.name)) for p in CLAIMS[claim].parameters)
    return any(isinstance(kind, ChoiceParameter) and word in kind.by_order for kind, word in chosen)


def lacks_order(said: Mapping[str, Any], profile: ColumnProfile) -> bool:
    """Whether nothing says in which order the values stand."""
    hierarchy = said.get("hierarchy")
    ordered = hierarchy == DATES or (
        isinstance(hierarchy, Mapping) and bool({"bins", DATES} & set(hierarchy))
    )
    if said.get("order") is not None or ordered:
        return False
    return not profile.numbers or profile.missing > 0
