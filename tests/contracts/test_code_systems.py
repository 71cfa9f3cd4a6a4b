"""Every code system reads its codes in any spelling, and its labels are a hierarchy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packages import Installed

from hedgerow.base.errors import HierarchyError
from hedgerow.plan.plan import Plan
from hedgerow.table.codes import CODE_SYSTEMS, Codes, recognised
from hedgerow.table.codes.places import NUTS
from hedgerow.table.codes.tables import table
from hedgerow.table.labels import covers

ROOT = Path(__file__).resolve().parents[2]
every = pytest.mark.parametrize("name", CODE_SYSTEMS)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def many(name: str) -> Sequence[str]:
    """Codes of a system, made without asking it which there are."""
    digits = [f"{n:02}" for n in range(100)]
    match name:
        case "icd-10":
            return [f"{a}{d}{more}" for a in LETTERS for d in digits for more in ("", ".1", ".12A")]
        case "icd-9-cm":
            plain = [f"{n:03}{more}" for n in range(1, 1000) for more in ("", ".0", ".01")]
            return [*plain, *(f"V{d}.1" for d in digits), *(f"E{n}.2" for n in range(800, 1000))]
        case "atc":
            return [
                f"{a}{d}{more}"
                for a in LETTERS
                for d in digits[:20]
                for more in ("", "A", "AB", "AB01")
            ]
        case "countries":
            lines = table("countries")
            return [text for line in lines for text in (*line[:3], *line[5].split("|"))]
        case "nuts":
            return [f"{c}{more}" for c in NUTS.split() for more in ("", "1", "1A", "1AZ")]
        case "us-states":
            return [f"{n}" for n in range(80)] + ["Texas", "TX", "Guam"]
        case "zip" | "zip-hipaa":
            return [f"{n:05}" for n in range(100, 100_000, 97)]
        case "uk-postcodes":
            return [f"{a}{d} {n}AA" for a in ("M", "SW", "EC") for d in ("1", "11", "1A")
                    for n in range(10)]  # fmt: skip
        case "plz":
            return [f"{n:05}" for n in range(1000, 100_000, 97)]
        case "isco-08":
            return [f"{n:0{size}}" for size in (1, 2, 3, 4) for n in range(10**size)]
        case "soc":
            return [f"{a}-{n:04}" for a in range(11, 56, 2) for n in range(0, 10_000, 111)]
        case "nace":
            return [*LETTERS[:21], *(f"{d}{more}" for d in digits for more in ("", ".1", ".12"))]
        case "naics":
            return [f"{n}" for n in (*range(10, 100), *range(100, 1000), *range(1000, 9999, 7))]
        case "isced":
            return [f"{n}" for n in range(9)] + [f"{n}" for n in range(100, 900)]
        case "hipaa-ages":
            return [f"{n}" for n in range(131)]
        case _:
            return []


@every
def test_it_says_what_it_is(name: str) -> None:
    system = CODE_SYSTEMS[name]
    assert system.name == name
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    for text in (system.title, system.edition, system.source, system.licence):
        assert text
        assert "|" not in text
    assert len(set(system.levels)) == len(system.levels) > 0
    assert all(word == word.casefold() for word in system.words)
    assert system.examples


@every
def test_every_code_reaches_the_root_and_levels_nest(name: str) -> None:
    system = CODE_SYSTEMS[name]
    codes = [code for code in dict.fromkeys((*many(name), *system.examples)) if system.read(code)]
    assert len(codes) >= len(system.examples)
    h = Codes(name).bind("x", [*codes, None])
    assert h.height == len(system.levels) + 1
    assert h.labels[h.height] == ("*",)
    above: dict[tuple[int, str], str] = {}
    for code in codes:
        row = system.row(code)
        assert row is not None
        assert all(row)
        for level, (low, high) in enumerate(pairwise(row[1:])):
            assert above.setdefault((level, low), high) == high


@every
def test_reading_a_code_again_changes_nothing(name: str) -> None:
    system = CODE_SYSTEMS[name]
    for text in (*system.examples, *many(name)[:500]):
        code = system.read(text)
        if code is None:
            continue
        assert system.read(code) == code
        for spelt in (f" {text} ", text.lower(), text.upper()):
            assert system.read(spelt) == code, spelt


@every
def test_a_label_means_the_same_on_every_level(name: str) -> None:
    """Somebody who reads it does not see the level."""
    system = CODE_SYSTEMS[name]
    below: dict[str, dict[int, set[str]]] = {}
    for text in (*many(name), *system.examples):
        row = system.row(text)
        for level, label in enumerate((row or ())[1:]):
            below.setdefault(label, {}).setdefault(level, set()).add(text)
    for label, levels in below.items():
        assert len({frozenset(texts) for texts in levels.values()}) == 1, label


@every
def test_whoever_reads_a_release_knows_what_its_labels_cover(name: str) -> None:
    """Without the plan: the labels say it."""
    system = CODE_SYSTEMS[name]
    values = [*system.examples, "something else"]
    h = Codes(name, other="no code").bind("x", values)
    for level in range(1, h.height):
        labels = [label for label in h.labels[level] if label != "no code"]
        read = covers(labels, h.values, column="x")
        for label, row in zip(labels, read, strict=True):
            code = h.labels[level].index(label)
            wanted = {v for v, c in zip(h.values, h.codes[level], strict=True) if c == code}
            assert wanted <= {v for v, fits in zip(h.values, row, strict=True) if fits}, label


@every
@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=12))
def test_any_text_is_a_code_or_is_not(name: str, text: str) -> None:
    row = CODE_SYSTEMS[name].row(text)
    assert row is None or (row[0] == text and len(row) == len(CODE_SYSTEMS[name].levels) + 1)


@every
def test_it_is_recognised_where_the_column_says_so(name: str) -> None:
    system = CODE_SYSTEMS[name]
    counts = dict.fromkeys(system.examples, 10)
    named = {m.system.name: m for m in recognised(counts, system.words)}
    assert named[name].share == 1
    assert named[name].named


@every
def test_a_plan_names_it(name: str) -> None:
    plan = Plan.of(
        columns={"x": {"role": "quasi-identifier", "hierarchy": {"codes": name}}},
        protect=[{"k-anonymity": 2}],
    )
    assert plan.hierarchy_spec("x") == Codes(name)
    assert f"| `{name}` |" in (ROOT / "docs" / "hierarchies.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "text", "labels"),
    [
        ("icd-10", "A09.1", ("ICD-10 A09.1", "ICD-10 A09", "ICD-10 A00-A09", "ICD-10 A00-B99")),
        ("icd-10", "e119", ("ICD-10 E11.9", "ICD-10 E11", "ICD-10 E08-E13", "ICD-10 E00-E90")),
        ("icd-9-cm", "250.00", ("ICD-9 250.0", "ICD-9 250", "ICD-9 249-259", "ICD-9 240-279")),
        ("icd-9-cm", "V27.0", ("ICD-9 V27.0", "ICD-9 V27", "ICD-9 V20-V29", "ICD-9 V01-V91")),
        ("icd-9-cm", "E880.1", ("ICD-9 E880.1", "ICD-9 E880", "ICD-9 E880-E888",
                                "ICD-9 E000-E999")),
        ("nuts", "DE212", ("NUTS DE21", "NUTS DE2", "NUTS DE")),
        ("atc", "J01CA04", ("ATC J01CA", "ATC J01C", "ATC J01", "ATC J")),
        ("uk-postcodes", "SW1A 1AA", ("UK SW1A 1", "UK SW1A", "UK SW")),
        ("zip", "2138", ("ZIP 02138", "ZIP 021", "ZIP 0")),
        ("zip-hipaa", "3601", ("ZIP 000",)),
        ("countries", "Côte d'Ivoire", ("Western Africa", "Africa")),
        ("countries", "COTE D IVOIRE", ("Western Africa", "Africa")),
        ("countries", "USA", ("Northern America", "Americas")),
        ("hipaa-ages", "93", (">=90",) * 4),
        ("hipaa-ages", "89", ("89", "85-89", "80-89", "60-89")),
        ("isced", "Upper secondary education", ("ISCED 3", "ISCED medium")),
        ("naics", "541511", ("NAICS 5415", "NAICS 541", "NAICS 54")),
        ("nace", "J62.01", ("NACE 62.0", "NACE 62", "NACE J")),
        ("soc", "15-1252", ("SOC 15-125", "SOC 15-1", "SOC 15")),
        ("us-states", "New-York", ("Middle Atlantic", "Northeast")),
        ("languages", "Swiss German", None),
    ],
)  # fmt: skip
def test_examples(name: str, text: str, labels: tuple[str, ...] | None) -> None:
    row = CODE_SYSTEMS[name].row(text)
    assert (row if row is None else row[1:]) == labels


def test_plain_numbers_are_recognised_only_by_name() -> None:
    years = {str(n): 5 for n in range(20, 80)}
    assert recognised(years) == ()
    assert [m.system.name for m in recognised(years, {"age"})] == ["hipaa-ages"]


def test_a_tenth_of_the_people_has_to_have_telling_codes() -> None:
    """Of ICD-9 most codes are plain numbers; one V code among many numbers says little."""
    plain = {f"{n}": 10 for n in range(100, 140)}
    assert [m.system.name for m in recognised(plain | {"V27.0": 50, "E880.1": 50})] == ["icd-9-cm"]
    assert recognised(plain | {"V27.0": 1, "E880.1": 1}) == ()


def test_values_that_are_no_codes_are_listed_and_pooled_only_if_said() -> None:
    found = recognised({"A09.1": 50, "E11": 40, "unknown": 3, "n/a": 4})[0]
    assert found.unmatched == ("n/a", "unknown")
    with pytest.raises(HierarchyError, match=r"'n/a'.*'unknown'.*no codes of icd-10"):
        Codes("icd-10").bind("x", ["A09", "n/a", "unknown"])
    h = Codes("icd-10", other="other").bind("x", ["A09", "n/a", "unknown"])
    assert h.labels[1] == ("ICD-10 A09 only", "other")
    with pytest.raises(HierarchyError, match="also a value or a label"):
        Codes("icd-10", other="A09").bind("x", ["A09", "n/a"])


def test_an_unknown_system_is_refused_with_the_nearest() -> None:
    with pytest.raises(HierarchyError, match="Did you mean 'icd-10'"):
        Codes("icd10")


FAR = """
from hedgerow.table.codes import CodeSystem
COLOURS = CodeSystem(
    name="colours", title="colours of cars", edition="1", source="me", licence="mine",
    levels=("warmth",), read={"red": "red", "blue": "blue"}.get,
    above=lambda code: ("warm" if code == "red" else "cold",), owns={"warm", "cold"}.__contains__,
    words=frozenset({"colour"}), examples=("red", "blue"),
)
"""


def test_a_package_adds_one(tmp_path: Path) -> None:
    far = Installed(tmp_path / "far", FAR, {"hedgerow.codes": "COLOURS"})
    told = far.run("-c", "from hedgerow.table.codes import Codes\n"
                   "print(Codes('colours').bind('x', ['red', 'blue']).labels[1])")  # fmt: skip
    assert "('cold', 'warm')" in told
