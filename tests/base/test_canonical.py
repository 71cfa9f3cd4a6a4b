"""Equal values have equal bytes, different ones do not, and what has no form is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.base.canonical_json import canonical, digest
from hedgerow.base.errors import HedgerowError

text = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | text,
    lambda inner: st.lists(inner) | st.dictionaries(text, inner),
)  # fmt: skip


@given(values)
def test_it_reads_back_as_the_same(value: Any) -> None:
    written = canonical(value)
    assert canonical(json.loads(written)) == written
    assert repr(_sorted(json.loads(written))) == repr(_sorted(value))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def test_order_does_not_matter_and_anything_else_does() -> None:
    assert digest({"a": 1, "b": [True, None]}) == digest({"b": (True, None), "a": 1})
    different = [{"a": 1}, {"a": 1.0}, {"a": "1"}, {"a": True}, {"a": None}, {"a": [1]}, {}, [], "",
                 {"A": 1}, {"a ": 1}, {"é": 1}, {"e\u0301": 1}, 0, 0.0, -0.0]  # fmt: skip
    assert len({digest(value) for value in different}) == len(different)


def test_the_form_is_the_documented_one() -> None:
    assert (
        canonical({"ß": '\n"', "a": [1e-7, 10**20]})
        == '{"a":[1e-07,100000000000000000000],"ß":"\\n\\""}'.encode()
    )


def _circle() -> list[Any]:
    circle: list[Any] = []
    circle.append(circle)
    return circle


def _deep() -> Any:
    value: Any = 1
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), {"x": [float("-inf")]}, {1: 2}, {None: 1}, {"a": {True: 1}},
     [{2: 3}], b"x", {1, 2}, object(), "\ud800", {"\udfff": 1}],
)  # fmt: skip
def test_what_has_no_canonical_form(value: Any) -> None:
    with pytest.raises(HedgerowError):
        canonical(value)


def test_what_never_ends() -> None:
    for value in (_circle(), _deep()):
        with pytest.raises(HedgerowError, match="nested too deeply"):
            canonical(value)
