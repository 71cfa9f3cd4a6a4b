"""Edits of a plan's text: the value asked for, and everything else as it was."""

from __future__ import annotations

import copy
from importlib.resources import files
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.api.plan_text import REMOVED, Typed, changed, data_of, written
from hedgerow.base.errors import PlanError

DEMO = (files("hedgerow.api") / "demo_data" / "plan.yaml").read_text("utf-8")

names = st.sampled_from(["age", "zip", "no", "a b", "null", "x: y", "1", "é", '"q"', "#", "- a"])
scalars = st.one_of(
    st.integers(-1000, 1000), st.booleans(), st.floats(-5, 5, allow_nan=False).map(abs),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8), names,
)  # fmt: skip
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)


def spelt(value: Any) -> Any:
    """How the plan's reader hands values out: some places hold texts, whatever they look like."""
    if isinstance(value, dict):
        return {str(key): spelt(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [spelt(part) for part in value]
    return str(value).lower() if isinstance(value, bool) else str(value)


@given(values)
@settings(max_examples=300)
def test_what_is_written_is_read_again(value: Any) -> None:
    for text in (written({"k": value}), written({"k": value}, block=True)):
        assert spelt(data_of(text)["k"]) == spelt(value) or value is None


def comment(text: str, draw: Any) -> str:
    """Comments behind some lines, and between them."""
    lines = []
    for line in text.splitlines():
        if draw(st.booleans()):
            lines.append("# a comment of its own")
        quoted = '"' in line or "'" in line
        lines.append(line + ("  # behind" if draw(st.booleans()) and not quoted else ""))
    return "\n".join(lines) + "\n"


@given(st.data())
@settings(max_examples=300)
def test_an_edit_changes_one_place(data: st.DataObject) -> None:
    """Against changing the data itself, in texts of every style with comments in them."""
    before = data.draw(st.dictionaries(names, values, min_size=1, max_size=4))
    flow = data.draw(st.sampled_from([None, True, False]))
    text = yaml.safe_dump(before, sort_keys=False, default_flow_style=flow, allow_unicode=True)
    text = comment(text, data.draw)
    try:
        read = data_of(text)
    except PlanError:
        return
    place: list[Any] = []
    at = read
    while isinstance(at, dict | list) and at and (not place or data.draw(st.booleans())):
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = data.draw(st.sampled_from(keys))
        place.append(key)
        at = at[key]
    value = data.draw(st.just(REMOVED) | values.filter(lambda v: v is not None))
    wanted = copy.deepcopy(read)
    inside = wanted
    for key in place[:-1]:
        inside = inside[key]
    if value is REMOVED:
        del inside[place[-1]]
    else:
        inside[place[-1]] = value
    result = changed(text, tuple(place), value)
    found = data_of(result)
    assert spelt(found or {}) == spelt(wanted)


@pytest.mark.parametrize(
    ("place", "value", "lines"),
    [
        (("columns", "sex", "role"), "sensitive", 1),
        (("columns", "sex", "levels"), [0, 1], 1),
        (("columns", "bill", "bounds"), [Typed("0"), Typed("1e5")], 1),
        (("protect", 0), {"k-anonymity": 12}, 1),
        (("protect", 0), REMOVED, 1),
        (("protect", 4), {"unique-share": 0}, 1),
        (("protect", 2, "epsilon-privacy", "epsilon"), 2.5, 1),
        (("method", "suppress"), "2%", 1),
        (("method", "time"), 5, 1),
        (("privacy",), REMOVED, 1),
        (("null",), ["?", "NA"], 1),
    ],
)
def test_the_demo_keeps_its_comments(place: Any, value: Any, lines: int) -> None:
    result = changed(DEMO, place, value)
    before, after = DEMO.splitlines(), result.splitlines()
    assert len(set(before) - set(after)) <= lines
    assert len(set(after) - set(before)) <= lines
    gone = set(DEMO.split("#")[1:]) - set(result.split("#")[1:])
    assert len(gone) <= 1, "at most the comment that the line itself carries"


def test_numbers_keep_their_digits() -> None:
    assert written([Typed("0.10"), 1, 2.5, True, None]) == "[0.10, 1, 2.5, true, null]"


def test_what_is_not_yaml_is_left_alone() -> None:
    with pytest.raises(PlanError):
        changed("columns: [", ("columns",), {})


@pytest.mark.parametrize("text", ["u}", "7", "- a\n- b\n", "just words"])
def test_a_text_that_is_no_plan_has_no_places(text: str) -> None:
    with pytest.raises(PlanError, match="no plan"):
        changed(text, ("ledger",), "ledger.db")
