"""Spark tallies what DuckDB tallies: cells, filters, bounds for each person, sums."""

import math
import random
from decimal import Decimal
from fractions import Fraction

import pyarrow as pa
import pytest

from hedgerow.base.conditions import And, Compared, Missing, Not, Number, OneOf, Or
from hedgerow.engines import open_engine
from hedgerow.engines.remote_engine import RemoteEngine
from hedgerow.engines.spark.remote import open_frame
from hedgerow.engines.tally import AsFound, Listed, Spaced, Summed, Tally

DRAWN = random.Random(20)
ROWS = 300


def drawn(values):
    return [DRAWN.choice(values) for _ in range(ROWS)]


TABLE = pa.table(
    {
        "who": pa.array(drawn([*map(str, range(60)), None, "", "ä"])),
        "number": pa.array(drawn(list(range(40))), pa.int64()),
        "x": pa.array(drawn([0.0, -0.0, 0.29, 1.0, 7.0, -3.5, math.nan, math.inf, None, 1e300])),
        "cost": pa.array(drawn([Decimal("1.50"), Decimal("7.00"), None]), pa.decimal128(9, 2)),
        "v": pa.array(drawn(["a", "A", "ä", "", None, "7", "7.0", "?", "\x1f", "a\x1fb"])),
        "w": pa.array(drawn(["a", None, "b\x1fa", "b"])),
    }
)
WHERE = Or(
    (
        And((Compared("x", "<", Number(Fraction(7))), Not(Missing("v")))),
        OneOf("v", ("a", "7", Number(Fraction(7)))),
        Compared("cost", ">=", Number(Fraction(3, 2))),
    )
)
CASES = {
    "everyone": Tally(),
    "filtered": Tally(where=WHERE, by=(AsFound("v"),)),
    "listed": Tally(by=(Listed("v", ("7", "a", None, "nobody")), Listed("x", ("0", "1", "7")))),
    "spaced": Tally(by=(Spaced("x", Fraction(-1), Fraction(29, 100), 8), AsFound("w"))),
    "rows": Tally(by=(AsFound("v"), AsFound("w")), count="rows", most=2),
    "cells": Tally(by=(AsFound("v"), AsFound("w")), most=2),
    "sums": Tally(
        where=Not(Compared("v", "=", "a")),
        by=(Listed("w", ("b", "a")),),
        sums=(
            Summed("x", Fraction(1, 10), -50, 50, centre=3, power=2),
            Summed("number", Fraction(1), -(2**52), 2**52),
        ),
        count="rows",
        most=3,
    ),
}


@pytest.mark.parametrize("person", [None, "who", "number"])
@pytest.mark.parametrize("case", CASES)
def test_the_same_tally(framed, case, person):
    with open_engine(TABLE, null=("?", "7.0"), person=person) as duck:
        wanted = duck.tally(CASES[case])
    with RemoteEngine(open_frame(framed(TABLE)), null=("?", "7.0"), person=person) as spark:
        got = spark.tally(CASES[case])
    assert wanted.num_rows
    assert got.schema == wanted.schema
    assert got.to_pylist() == wanted.to_pylist()


def test_sums_are_held_and_do_not_overflow(spark):
    frame = spark.range(3000).selectExpr("9007199254740992L AS big")
    tally = Tally(sums=(Summed("big", Fraction(1), 0, 2**53),), count="rows")
    with RemoteEngine(open_frame(frame)) as engine:
        assert engine.tally(tally).to_pylist() == [{"n": 3000, "s0": 2**62}]
