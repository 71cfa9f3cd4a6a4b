"""Values as a library hands them over, made Arrow columns: no value changes what it says."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

EXACT = 2**53
"""Under this, a double is every whole number."""


def column_of(values: Sequence[Any]) -> Any:
    """An Arrow column of values of any kind; of one type where they have one, else text.

    Whole numbers stay whole where a format knows doubles only; other numbers become text, as
    short as it can be: 30 and 1.5, not 30.0. Days are dates where no value has a time.
    """
    kinds = {type(value) for value in values if value is not None}
    if not kinds:
        return pa.nulls(len(values), pa.string())
    if kinds == {str}:
        return pa.array(values, pa.string())
    if kinds == {bool}:
        return pa.array(values, pa.bool_())
    if kinds <= {int, float}:
        return _numbers(values, kinds)
    if kinds == {datetime.date}:
        return pa.array(values, pa.date32())
    if kinds <= {datetime.date, datetime.datetime}:
        return _moments(values)
    return pa.array([None if value is None else text_of(value) for value in values], pa.string())


def doubles_of(values: Any) -> Any:
    """An Arrow column of a NumPy array of doubles, NaN missing; see `column_of`."""
    missing = np.isnan(values)
    there = values[~missing]
    if len(there) and (np.trunc(there) == there).all() and (np.abs(there) < EXACT).all():
        whole = np.where(missing, 0, values).astype(np.int64)
        return pa.array(whole, mask=missing)
    return pa.array(values, mask=missing).cast(pa.string())


def _numbers(values: Sequence[Any], kinds: set[type]) -> Any:
    present = [value for value in values if value is not None]
    whole = all(isinstance(v, int) or (v.is_integer() and abs(v) < EXACT) for v in present)
    if whole and all(-(2**63) <= v < 2**63 for v in present):
        return pa.array([None if v is None else int(v) for v in values], pa.int64())
    large = any(isinstance(v, int) and abs(v) >= EXACT for v in present)
    if large or kinds == {int}:
        return pa.array([None if v is None else text_of(v) for v in values], pa.string())
    return pa.array([None if v is None else float(v) for v in values]).cast(pa.string())


def _moments(values: Sequence[Any]) -> Any:
    midnight = datetime.time()
    if all(
        value is None
        or not isinstance(value, datetime.datetime)
        or (value.time() == midnight and value.tzinfo is None)
        for value in values
    ):
        days = [v.date() if isinstance(v, datetime.datetime) else v for v in values]
        return pa.array(days, pa.date32())
    if any(isinstance(value, datetime.datetime) and value.tzinfo for value in values):
        return pa.array([None if v is None else text_of(v) for v in values], pa.string())
    full = [
        v
        if v is None or isinstance(v, datetime.datetime)
        else datetime.datetime.combine(v, midnight)
        for v in values
    ]
    return pa.array(full, pa.timestamp("us"))


def text_of(value: Any) -> str:
    """A value as text.

    >>> text_of(30.0), text_of(1.5), text_of(datetime.date(2020, 4, 3)), text_of(True)
    ('30', '1.5', '2020-04-03', 'true')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isfinite(value) and value.is_integer() and abs(value) < EXACT:
            return str(int(value))
        return repr(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return str(value)
