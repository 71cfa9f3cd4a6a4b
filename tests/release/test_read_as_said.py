"""A plan's `read` from a file to a release: what is published, and what is asked again."""

from __future__ import annotations

from pathlib import Path

import pytest

import hedgerow
from hedgerow.base.errors import DataError

PEOPLE = "name;born;income;ill\n" + "".join(
    f"P{i};{i % 2 + 3}.4.19{80 + i % 2};{i % 3 + 1}.000,50;{'grippe' if i % 2 else 'größe'}\n"
    for i in range(40)
)
READ = {"encoding": "cp1252", "dates": {"born": "dmy"}, "decimal": {"income": ","}}


def plan_for(folder: Path, **more: object) -> hedgerow.Plan:
    source = folder / "people.csv"
    source.write_bytes(PEOPLE.encode("cp1252"))
    columns = {
        "name": "identifier", "born": {"role": "quasi-identifier", "hierarchy": "dates"},
        "income": {"role": "quasi-identifier", "hierarchy": {"ranges": [1000, 10000]}},
        "ill": "sensitive",
    }  # fmt: skip
    return hedgerow.Plan.of(
        columns=columns, protect=[{"k-anonymity": 2}], source=source, one_row_per_person=True,
        **more,
    )  # type: ignore[arg-type]  # fmt: skip


def test_canonical_values_are_published(tmp_path: Path) -> None:
    release = hedgerow.publish(plan_for(tmp_path, read=READ), to=tmp_path / "release")
    lines = (release.folder / "data.csv").read_text("utf-8").splitlines()
    assert len(lines) == 41
    assert {line.split(",")[2] for line in lines[1:]} == {"grippe", "größe"}
    days = {line.split(",")[0] for line in lines[1:]}
    assert days == {"1980-04-03", "1981-04-04"}
    incomes = {line.split(",")[1] for line in lines[1:]}
    assert incomes == {"1000.50", "2000.50", "3000.50"}
    assert not hedgerow.verify(release.folder).refuted


def test_without_it_the_file_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="this is not UTF-8") as error:
        hedgerow.publish(plan_for(tmp_path), to=tmp_path / "release")
    assert error.value.fix is not None
    assert "`read: {encoding: cp1252}`" in error.value.fix


def test_another_reading_is_another_release(tmp_path: Path) -> None:
    """The ledger does not tell the release of a file that was read otherwise."""
    more = {"population": "p", "ledger": tmp_path / "ledger.db"}
    first = plan_for(tmp_path, read=READ, **more)
    hedgerow.publish(first, to=tmp_path / "one")
    other = plan_for(tmp_path, read={**READ, "dates": {"born": "mdy"}}, **more)
    release = hedgerow.publish(other, to=tmp_path / "two")
    days = {line.split(",")[0] for line in (release.folder / "data.csv").read_text().splitlines()}
    assert {"1980-03-04", "1981-04-04"} <= days


def test_what_is_not_so_written_stops_publishing(tmp_path: Path) -> None:
    plan = plan_for(tmp_path, read=READ)
    source = tmp_path / "people.csv"
    source.write_bytes(source.read_bytes().replace(b"3.4.1980", b"31.4.1980", 2))
    told = r"born: 2 values are not a date with the day first, .*: '31.4.1980' \(line 2\), "
    with pytest.raises(DataError, match=told):
        hedgerow.publish(plan, to=tmp_path / "release")
    assert not (tmp_path / "release").exists()
