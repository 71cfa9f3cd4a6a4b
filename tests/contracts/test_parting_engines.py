"""Part by part where the table is: every engine comes to what DuckDB comes to in memory."""

import json

import pytest
from contracts.engine_homes import ELSEWHERE
from parted_people import (
    LOCAL,
    MANY,
    MDAV,
    RELAXED,
    STRICT,
    K,
    files,
    in_memory,
    people,
    roles,
)

import hedgerow
from hedgerow.base.errors import ClaimError

TABLE = people(500)
PARTS = 120


@pytest.fixture(params=ELSEWHERE)
def tables(request):
    return request.getfixturevalue(f"{request.param}_tables")


@pytest.mark.parametrize(
    ("method", "claims", "note", "form"),
    [
        (STRICT, K, False, "csv"),
        (RELAXED, K, True, "parquet"),
        (MDAV, MANY, True, "csv"),
        (LOCAL, MANY, True, "parquet"),
    ],
)
def test_a_release_in_files_is_the_same(method, claims, note, form, tables, tmp_path):
    said = {
        "columns": roles(note=note, missing="suppress" if method is LOCAL else "value"),
        "protect": claims,
        "method": {**method, "parts": PARTS},
        "publish": {"to": "x", "format": form},
    }
    there = hedgerow.publish(tables(TABLE), to=tmp_path / "there", report=False, **said)
    assert not there.notes
    with pytest.MonkeyPatch.context() as patch:
        in_memory(patch)
        hedgerow.publish(TABLE, to=tmp_path / "here", report=False, **said)
    assert files(tmp_path / "there") == files(tmp_path / "here")


@pytest.mark.parametrize(("method", "note"), [(STRICT, True), (RELAXED, False), (LOCAL, False)])
def test_a_release_that_is_a_table_is_the_same(method, note, tables):
    address = tables(TABLE)
    said = {
        "columns": roles(note=note),
        "protect": MANY,
        "method": {**method, "parts": PARTS},
    }
    there = hedgerow.publish(address, to=tables.place("parted"), **said)
    assert not there.notes
    with pytest.MonkeyPatch.context() as patch:
        in_memory(patch)
        here = hedgerow.publish(address, to=tables.place("whole"), **said)
    assert json.dumps(there.certificate) == json.dumps(here.certificate), "the hash of rows too"
    found = hedgerow.verify(tables.place("parted"))
    assert not found.refuted
    assert found.verified


def test_what_goes_wrong_in_a_part_is_said(tables):
    columns = {**roles(), "zip": {"role": "quasi-identifier", "levels": [0, 0]}}
    with pytest.raises(
        ClaimError, match=r"in a part of .* local recoding placed all but"
    ) as refused:
        hedgerow.publish(
            tables(TABLE), columns=columns, protect=[{"k-anonymity": 30}],
            method={"search": "local", "parts": PARTS},
        )  # fmt: skip
    assert "larger `parts`" in refused.value.fix
