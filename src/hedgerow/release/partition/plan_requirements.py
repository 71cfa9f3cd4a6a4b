"""A release against the plan it must keep: roles, claims, and the order of sensitive values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hedgerow.base.errors import DataError, HierarchyError
from hedgerow.claims.base import PrivacyModel
from hedgerow.claims.serialisation import UnknownModelError, foreign, spelled
from hedgerow.plan.plan import Plan
from hedgerow.table.column_domains import in_order
from hedgerow.table.contents import Contents, Order
from hedgerow.table.hierarchy_builders import FromCsv
from hedgerow.table.written_form import Value


def matched(
    asked: Sequence[PrivacyModel], entries: Sequence[Mapping[str, Any]]
) -> list[int | None]:
    """Which claim of the plan each claim of a certificate is; None where it is none.

    Claims of the same words are told apart by their parameters, in whichever order they stand.
    """
    left = list(range(len(asked)))
    found: list[int | None] = [None] * len(entries)
    for same in (_same_parameters, _same_words):
        for place, entry in enumerate(entries):
            fitting = next((i for i in left if same(asked[i], entry)), None)
            if found[place] is None and fitting is not None:
                found[place] = fitting
                left.remove(fitting)
    return found


def unlike(plan: Plan, asked: Sequence[PrivacyModel], certificate: Mapping[str, Any]) -> str | None:
    """Where the plan given is not the one the release was made with."""
    stated = certificate["plan"]
    roles = {name: str(column.role) for name, column in plan.columns.items()}
    if roles != stated["columns"] or plan.person != stated["person"]:
        return "the plan gives the columns other roles than the certificate"
    if plan.rows is not None and stated.get("rows") not in (1, plan.rows):
        return "the plan allows another number of rows a person than the certificate says"
    within = {name: one.within_person for name, one in plan.columns.items() if one.within_person}
    if within != stated.get("within_person", {}):
        return "the plan chooses other values of a person than the certificate says"
    if plan.one_row_per_person != stated.get("one_row_per_person", False):
        return "plan and certificate do not both state that every row is another person"
    if plan.ids_as_written != stated.get("ids_as_written", False):
        return "plan and certificate do not both state that IDs are compared as they are written"
    if set(plan.not_keys) != set(stated.get("not_keys", ())):
        return "plan and certificate do not state of the same columns that they identify nobody"
    if set(plan.from_data) != set(stated.get("from_data", ())):
        return "plan and certificate do not say of the same hierarchies that they are from the data"
    if plan.ages_json != stated.get("ages", {}):
        return "the plan does not count the ages that the certificate says were counted"
    places = matched(asked, stated["protect"])
    for entry, place in zip(stated["protect"], places, strict=True):
        if place is None:
            return f"the plan does not ask for {entry['claim']}"
        if entry["model"] is not None and not _same_parameters(asked[place], entry):
            return f"the plan asks for {entry['claim']} with other parameters"
    missing = [model for i, model in enumerate(asked) if i not in places]
    if missing:
        return f"the plan asks for {missing[0]}, which the certificate does not claim"
    return None


def other_order(plan: Plan, certificate: Mapping[str, Any], contents: Contents) -> str | None:
    """Where the plan orders sensitive values otherwise than the certificate.

    Args:
        plan: The plan.
        certificate: The certificate.
        contents: The published file, counted.

    Raises:
        DataError: A file in which the plan has a taxonomy is not there.
    """
    for column in contents.sets:
        if column in plan.codings:
            continue  # the file has no values that the plan speaks of
        spec = plan.hierarchy_spec(column)
        if isinstance(spec, FromCsv) and not spec.path.is_file():
            raise DataError(
                f"there is no such file, and the plan has the taxonomy of {column!r} in it",
                where=str(spec.path),
                fix="Put it beside the plan, or verify without the plan.",
            )
        try:
            order = planned_order(plan, column, contents.values(column))
        except HierarchyError as error:
            return f"the plan's values of {column!r} are others: {error.what}"
        stated = certificate["sensitive"].get(column)
        levels = [list(nodes) for nodes in order.levels]
        values = [contents.form.written(value) for value in order.values]
        if stated and (values, levels) != (stated["order"], stated["levels"]):
            return f"the plan gives the values of {column!r} another order or taxonomy"
    return None


def planned_order(plan: Plan, column: str, values: Sequence[Value]) -> Order:
    """The order and taxonomy of a column as the plan has them, of the values a file has.

    Args:
        plan: The plan.
        column: The sensitive column.
        values: Its values, as they are read in the file.

    Raises:
        HedgerowError: The plan's taxonomy does not have all of them.
    """
    hierarchy = plan.hierarchy_spec(column).bind(
        column, values, where=plan.where("columns", column)
    )
    present = set(values)
    here = [i for i, value in enumerate(hierarchy.values) if value in present]
    if (chosen := in_order(plan.rules(), column, list(present))) is not None:
        here = [hierarchy.place[value] for value in chosen]
    ordered = tuple(hierarchy.values[i] for i in here)
    if plan.columns[column].hierarchy is None:
        return Order(values=ordered)
    levels = tuple(
        tuple(names[nodes[i]] for i in here)
        for nodes, names in zip(hierarchy.codes[1:], hierarchy.labels[1:], strict=True)
    )
    names = (name for level in hierarchy.labels for name in level)
    return Order(values=ordered, levels=levels, also=tuple(dict.fromkeys(names)))


def as_stated(model: PrivacyModel, entry: Mapping[str, Any]) -> PrivacyModel:
    """The plan's claim, its order without the values that a certificate does not name."""
    if not isinstance(model.stated_order, tuple) or entry["model"] is None:
        return model
    order = entry["model"].get("order")
    if not isinstance(order, list):
        return model
    return model.in_order(tuple(value for value in model.stated_order if value in order))


def _same_words(model: PrivacyModel, entry: Mapping[str, Any]) -> bool:
    return bool(str(as_stated(model, entry)) == entry["claim"])


def _same_parameters(model: PrivacyModel, entry: Mapping[str, Any]) -> bool:
    if not _same_words(model, entry) or entry["model"] is None:
        return False
    try:
        return bool(spelled(as_stated(model, entry)) == entry["model"])
    except UnknownModelError:
        return bool(foreign(model) == entry["model"])
