"""What everybody may know of a column's values, as a form: bounds, a list, a file."""

from __future__ import annotations

from typing import Any

from hedgerow.api.plan_text import Typed
from hedgerow.base.errors import PlanError
from hedgerow.web.hierarchies import number

PUBLIC = {
    "none": "nothing is stated",
    "bounds": "numbers from one to another",
    "list": "a list of values",
    "hierarchy": "the values its hierarchy lists",
    "file": "the values in a file",
}


def public_said(
    kind: str, *, low: str, high: str, step: str, values: str, or_missing: bool, file: str
) -> dict[str, Any]:
    """The keys of the plan's column.

    Raises:
        PlanError: A field is not what it should be.
    """
    if kind == "bounds":
        for text in (low, high, *([step] if step.strip() else [])):
            number(text)
        # As they were typed: the plan takes numbers by their digits.
        said: dict[str, Any] = {"bounds": [Typed(low.strip()), Typed(high.strip())]}
        return said | ({"step": Typed(step.strip())} if step.strip() else {})
    if kind == "list":
        listed: list[str | None] = [line.strip() for line in values.splitlines() if line.strip()]
        if not listed:
            raise PlanError("no values are listed", fix="Write one on each line.")
        return {"domain": [*listed, *([None] if or_missing else [])]}
    if kind == "hierarchy":
        return {"domain": "hierarchy"}
    if kind == "file":
        if not file:
            raise PlanError("no file is chosen", fix="Upload one, with a value on each line.")
        return {"domain": {"csv": file}}
    if kind != "none":
        raise PlanError(f"there is no choice {kind[:40]!r}")
    return {}


def public_fields(said: dict[str, Any]) -> dict[str, Any]:
    """What the plan's column says, as fields."""
    bounds, domain = said.get("bounds"), said.get("domain")
    fields: dict[str, Any] = {
        "public": "none", "low": "", "high": "", "step": "", "values": "", "or_missing": False,
        "file": "",
    }  # fmt: skip
    if isinstance(bounds, list) and len(bounds) == 2:
        step = said.get("step")
        fields |= {"public": "bounds", "low": str(bounds[0]), "high": str(bounds[1])}
        fields["step"] = "" if step is None else str(step)
    elif isinstance(domain, list):
        listed = [str(value) for value in domain if value is not None]
        fields |= {"public": "list", "values": "\n".join(listed), "or_missing": None in domain}
    elif isinstance(domain, dict):
        fields |= {"public": "file", "file": str(domain.get("csv", ""))}
    elif domain == "hierarchy":
        fields["public"] = "hierarchy"
    return fields
