"""Attackers read what people read: spellings of one value are one, unless somebody says not."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import hedgerow
from hedgerow import KAnonymity
from hedgerow.attacks.homogeneity import homogeneity
from hedgerow.attacks.intersection import intersect
from hedgerow.table.archive import kept, remembered
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

FLU = ["flu", "Flu", "FLU"]


def published(ages: list[str], illnesses: list[str], name: str = "r") -> Published:
    table = pa.table({"age": ages, "ill": illnesses})
    return Published.read(table, sensitive=["ill"], name=name)


def test_homogeneity_sees_one_illness() -> None:
    release = published(["20-29"] * 3 + ["30-39"] * 3, [*FLU, "gout", "acne", "H.I.V."])
    assert release.groups.domains["ill"].values.count("flu") <= 1
    found = homogeneity(release.groups, of="ill")
    assert found.found.successes == 3, "all three of the first group"


def test_intersection_sees_one_illness() -> None:
    """20-29 has flu or gout in one release, and flu or acne in the other."""
    one = published(["20-29"] * 2 + ["30-39"] * 2, ["flu", "gout", "mumps", "croup"], "one")
    two = published(["20-29"] * 2 + ["30-39"] * 2, ["FLU.", "acne", "Croup", "ulcer"], "two")
    found = intersect([one, two], Targets.of({"age": ["25", "35"]}), of="ill")
    assert found.result(["F L U", "croup"]).found.successes == 2


def test_what_a_certificate_says_differs_is_told_apart(tmp_path: Path) -> None:
    table = pa.table({"age": ["20"] * 3 + ["30"] * 3, "ill": [*FLU, "gout", "acne", "mumps"]})
    for distinct, homogeneous in ((None, 3), (FLU, 0)):
        secret = {"role": "sensitive"} | ({} if distinct is None else {"distinct": distinct})
        release = hedgerow.publish(
            table, columns={"age": "quasi-identifier", "ill": secret}, protect=[KAnonymity(k=3)],
            to=tmp_path / "r", replace=True,
        )  # fmt: skip
        read = Published.read(release.folder)
        assert homogeneity(read.groups, of="ill").found.successes == homogeneous
        again = remembered(kept(read), name="again").as_read()
        assert again.groups.domains["ill"].values == read.groups.domains["ill"].values


@pytest.mark.parametrize("spelling", [None, "one"])
def test_the_ledger_and_the_file_are_read_alike(tmp_path: Path, spelling: str | None) -> None:
    table = pa.table({"age": ["20"] * 3, "ill": FLU})
    secret = {"role": "sensitive"} | ({} if spelling is None else {"spelling": spelling})
    release = hedgerow.publish(
        table, columns={"age": "quasi-identifier", "ill": secret}, protect=[KAnonymity(k=3)],
        to=tmp_path / "r",
    )  # fmt: skip
    read = Published.read(release.folder)
    assert len(read.groups.domains["ill"].values) == 1
    assert len(remembered(kept(read), name="again").as_read().groups.domains["ill"].values) == 1
