"""People with many distinct tuples, published part by part: where the table is, and in memory."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hedgerow
import hedgerow.release.partition.engine_recoding
from hedgerow.release.certificate_text import as_text

STRICT = {"search": "mondrian"}
RELAXED = {"search": "mondrian", "mode": "relaxed"}
TAXONOMY = {"search": "mondrian", "boxes": "taxonomy"}
MDAV = {"search": "microaggregation"}
LOCAL = {"search": "local", "suppress": "12%"}
K = [{"k-anonymity": 4}]
MANY = [{"k-anonymity": 3}, {"l-diversity": {"l": 2, "of": "disease"}},
        {"t-closeness": {"t": 0.45, "of": "disease"}}]  # fmt: skip


def people(rows: int = 900, seed: int = 3) -> Any:
    """A table with missing values, equal rows, and texts that are ordered in different ways.

    Some quasi-identifiers are many people's, who have different sensitive values; of these, `job`
    is a number, so that its order is not that of its text.
    """
    pick = random.Random(seed).choice
    ages = [None, *(str(age) for age in range(18, 60))]
    zips = [f"{digits:03}" for digits in range(0, 400, 9)]
    cities = ["Zürich", "zug", "Aarau", "aarau", "É", "", None]
    many = [("31", "018", "zug"), ("44", "198", "É"), (None, "009", "Aarau")]
    who = [
        pick(many) if row % 4 == 0 else (pick(ages), pick(zips), pick(cities))
        for row in range(rows)
    ]
    ill = ["flu", "flu", "cold", "Krebs", "ärger"]
    columns: dict[str, list[str | None]] = {
        "age": [age for age, _, _ in who],
        "zip": [code for _, code, _ in who],
        "city": [city for _, _, city in who],
        "disease": [pick(ill) for _ in range(rows)],
        "job": [pick(["9", "10", "100", None]) for _ in range(rows)],
        "note": [f"n{pick(range(30))}" for _ in range(rows)],
    }
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


def roles(*, note: bool = False, missing: str = "value") -> dict[str, Any]:
    """The roles of its columns."""
    age = {"role": "quasi-identifier", "hierarchy": {"ranges": [5, 10, 20]}, "missing": missing}
    return {
        "age": age,
        "zip": {"role": "quasi-identifier", "hierarchy": {"prefix": 3}},
        "city": "quasi-identifier",
        "disease": "sensitive",
        "job": "sensitive",
        "note": "insensitive" if note else {"role": "identifier", "key": False},
    }


class Watched:
    """What the parts were that somebody worked on."""

    def __init__(self) -> None:
        self.lines: list[int] = []


def watched(patch: pytest.MonkeyPatch) -> Watched:
    """See the parts that are worked on in this process."""
    seen = Watched()
    real = hedgerow.release.partition.engine_recoding.PartWork.__call__

    def work(self: Any, lines: Any) -> Any:
        seen.lines.append(lines.num_rows)
        return real(self, lines)

    patch.setattr(hedgerow.release.partition.engine_recoding.PartWork, "__call__", work)
    return seen


def in_memory(patch: pytest.MonkeyPatch) -> None:
    """From here on no table is left where it is."""
    patch.setattr(
        hedgerow.release.partition.engine_recoding, "obstacle", lambda job: "a test wants it so"
    )


def files(folder: Path) -> dict[str, bytes]:
    """What a release in a folder consists of."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def both(source: Any, to: Path, **said: Any) -> tuple[Any, Any]:
    """The release that is made where the table is, and the one made in memory.

    Each is compared in all its files by who asks; that they were made as they should be is seen
    to here.
    """
    with pytest.MonkeyPatch.context() as patch:
        seen = watched(patch)
        there = hedgerow.publish(source, to=to / "there", report=False, **said)
        assert not there.notes, "nothing was in the way"
        assert not seen.lines or len(seen.lines) > 1, "several parts, or on executors"
    with pytest.MonkeyPatch.context() as patch:
        in_memory(patch)
        here = hedgerow.publish(source, to=to / "here", report=False, **said)
        assert "a test wants it so" in here.notes[-1]
    assert there.words == here.words
    assert repr(there.utility) == repr(here.utility), "bit for bit"
    assert as_text(there.certificate) == as_text(here.certificate)
    return there, here
