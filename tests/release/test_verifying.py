"""Releases checked from outside, whole and tampered with; truth counted by hand from the file."""

from __future__ import annotations

import csv
import hashlib
import json
import math
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hedgerow
from hedgerow.api.verification import verify
from hedgerow.base.errors import DataError, HedgerowError
from hedgerow.claims import (
    AlphaKAnonymity,
    BetaLikeness,
    Composition,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    EpsilonPrivacy,
    JournalistRisk,
    KAnonymity,
    KMap,
    MarketerRisk,
    PrivacyModel,
    ProbabilisticLDiversity,
    ProsecutorRisk,
    RecursiveLDiversity,
    TCloseness,
    UniqueShare,
    Verdict,
)
from hedgerow.claims.adversary import AtMost, ClassI, ClassII, ClassIII, Known
from hedgerow.claims.outside import unverifiable
from hedgerow.claims.predicates import Predicates
from hedgerow.claims.priors import Prior
from hedgerow.plan.plan import Plan
from hedgerow.release.certificate_text import as_text
from hedgerow.release.verification import Verification
from hedgerow.table.groups import ALL, Groups

Row = dict[str, str]
TREE = {"stomach": ["ulcer"], "chest": ["croup", "flu", "asthma"]}
ILLNESSES = ["ulcer", "croup", "flu", "asthma"]
QUASI = ("town", "sex")
COLUMNS: dict[str, Any] = {
    "name": "identifier",
    "town": {"role": "quasi-identifier", "levels": [0, 0]},
    "sex": {"role": "quasi-identifier", "levels": [0, 0]},
    "illness": {"role": "sensitive", "hierarchy": {"taxonomy": TREE}},
    "pay": {"role": "sensitive", "order": {"by": "numbers", "missing": "last"}},
    "ward": "insensitive",
}


def table(*, people: int = 48) -> list[Row]:
    return [
        {
            "name": f"Canary-{i}",
            "town": "xyz"[i % 3],
            "sex": "FM"[i // 3 % 2],
            "illness": ILLNESSES[(i // 6 if i < 42 or i % 2 else i % 3) % 4],
            "pay": ["9", "10", "100", ""][(i // 6 + i % 5) % 4],
            "ward": "1",
        }
        for i in range(people)
    ]


def eps(adversary: Any, **more: Any) -> EpsilonPrivacy:
    return EpsilonPrivacy(epsilon=60, of="illness", adversary=adversary, **more)


COUNTED = Prior.counts({"flu": 40, "ulcer": 30, "croup": 20, "mumps": 2})
SHAPED = Prior.shape({"flu": 4, "ulcer": "3/7", "croup": 2.5, "asthma": 1, "mumps": 1})
SETS = Predicates(sets=["stomach", ["flu", "ulcer"]], negative=True)
VERIFIABLE: list[PrivacyModel] = [
    KAnonymity(k=4),
    KAnonymity(k=1, over="all"),
    AlphaKAnonymity(alpha=0.7, k=3, of="illness"),
    AlphaKAnonymity(alpha=0.6, k=3, of="illness", value="flu"),
    DistinctLDiversity(l=3, of="illness"),
    DistinctLDiversity(l=2, of="pay"),
    ProbabilisticLDiversity(l=1.5, of="illness"),
    EntropyLDiversity(l=2.5, of="illness"),
    RecursiveLDiversity(c=2, l=2, of="illness"),
    TCloseness(t=0.4, of="illness"),
    TCloseness(t=0.4, of="illness", distance="hierarchical"),
    TCloseness(t=0.4, of="pay", distance="ordered"),
    DeltaDisclosure(delta=1.5, of="illness"),
    BetaLikeness(beta=1.5, of="illness"),
    BetaLikeness(beta=3, of="pay", kind="enhanced"),
    eps(ClassI(prior=COUNTED, knows=1)),
    eps(ClassI(prior=Prior.of_table(), stubbornness=10)),
    eps(AtMost(prior=COUNTED), by="theorem"),
    eps(AtMost(prior=SHAPED, stubbornness=math.inf)),
    eps(ClassII(stubbornness=30), predicates=SETS),
    eps(ClassIII(prior=SHAPED)),
    eps(ClassIII(prior=Prior.uniform()), predicates=SETS),
    ProsecutorRisk(risk=0.25),
    MarketerRisk(risk=0.2),
    UniqueShare(share=0.1),
]


# What is true of a file, counted by hand


def rows_of(folder: Path) -> list[Row]:
    with (folder / "data.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def by_hand(model: PrivacyModel, rows: Sequence[Row]) -> tuple[Groups, list[tuple[str, ...]]]:
    """Groups with a dict of values each; missing is None."""
    found: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in QUASI)].append(row)
    keys = list(found)
    if isinstance(model, KAnonymity) and model.over == "all":
        others = [
            Counter((row["illness"], row["pay"], row["ward"]) for row in found[k]) for k in keys
        ]
        return Groups.of({ALL: [{str(v): n for v, n in c.items()} for c in others]}), keys
    if not hasattr(model, "of"):
        return Groups.of([len(found[key]) for key in keys]), keys
    counts = [Counter(row[model.of] or None for row in found[key]) for key in keys]
    present = {value for count in counts for value in count}
    if model.of == "pay":
        numbers = all(value is None or value.isdigit() for value in present)
        order = sorted(
            present,
            key=lambda v: (v is None, int(v or 0) if numbers else 0, v or ""),
        )
        return Groups.of({"pay": counts}, order={"pay": order}), keys
    order = [value for value in ILLNESSES if value in present]
    order += sorted(present - set(order), key=str)
    levels = [[0 if v in TREE["stomach"] else 1 for v in order], [0] * len(order)]
    labels = [["stomach", "chest"], ["*"]]
    return (
        Groups.of(
            {"illness": counts}, order={"illness": order}, levels={"illness": levels},
            labels={"illness": labels},
        ),
        keys,
    )  # fmt: skip


def truth(model: PrivacyModel, rows: Sequence[Row]) -> tuple[Verdict | None, Any]:
    """What holds of the rows, and the worst group; None where it cannot be asked."""
    groups, keys = by_hand(model, rows)
    try:
        verdict = model.check(groups)
    except HedgerowError:
        return None, None
    if verdict.worst is None:
        return verdict, None
    group = {n: v or None for n, v in zip(QUASI, keys[verdict.worst], strict=True)}
    return verdict, {"group": group, "records": int(groups.n[verdict.worst])}


# Releases and what can be done to them


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "release"
    hedgerow.publish(pd.DataFrame(table()), columns=COLUMNS, protect=VERIFIABLE, to=folder)
    return folder


@pytest.fixture
def release(whole: Path, tmp_path: Path) -> Path:
    shutil.copytree(whole, tmp_path / "release")
    return tmp_path / "release"


def edit(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Somebody edits the certificate."""
    path = folder / "certificate.json"
    certificate = json.loads(path.read_text("utf-8"))
    change(certificate)
    path.write_text(as_text(certificate), "utf-8")


def put(folder: Path, rows: Sequence[Row]) -> None:
    """Somebody writes the file anew."""
    with (folder / "data.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else ["town"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def cover_up(folder: Path, rows: Sequence[Row]) -> None:
    """The tamperer makes the certificate fit the file, as far as the truth allows."""
    put(folder, sorted(rows, key=lambda row: [*row.values()]))
    (folder / "report.html").unlink(missing_ok=True)
    digest = hashlib.sha256((folder / "data.csv").read_bytes()).hexdigest()

    def change(certificate: dict[str, Any]) -> None:
        certificate["data"] |= {"sha256": digest, "rows": len(rows)}
        certificate["files"] = {"data.csv": digest}
        certificate["people"]["in_source"] = len(rows)
        for model, entry in zip(VERIFIABLE, certificate["claims"], strict=True):
            verdict, worst = truth(model, rows)
            if verdict is not None and verdict.holds:
                level = verdict.level
                entry |= {"level": level, "margin": abs(verdict.margin), "worst": worst}

    edit(folder, change)


def verdicts(found: Verification) -> list[str]:
    return [claim.verdict for claim in found.claims]


def test_the_whole_release_is_verified(whole: Path) -> None:
    found = verify(whole)
    assert found.refuted == ()
    assert verdicts(found) == ["verified"] * len(VERIFIABLE)
    for model, claim in zip(VERIFIABLE, found.claims, strict=True):
        verdict, _ = truth(model, rows_of(whole))
        assert verdict is not None
        ordered = "(ordered distance, by number, missing last)"
        assert claim.claim == str(model).replace("(ordered distance)", ordered)
        assert claim.level == pytest.approx(verdict.level)
        assert claim.level == pytest.approx(claim.stated)
    assert {c.what: c.verdict for c in found.checks} == {
        "certificate text": "verified",
        "form": "verified", "signature": "not verifiable", "file": "verified",
        "folder": "verified", "written form": "verified",
        "certificate": "verified", "words": "verified", "columns": "verified", "rows": "verified",
        "report": "verified",
    }  # fmt: skip


def test_every_kind_of_model_is_tested() -> None:
    from hedgerow.claims.serialisation import models

    unverifiable_ones = {"KMap", "DeltaPresence", "JournalistRisk", "Composition", "BeliefBound"}
    elsewhere = {"MarginalAnonymity", "KCandidates"}  # tests/properties: test_known_columns, _cells
    elsewhere |= {"PopulationUniqueness", "IndividualRisk", "WeightedRisk"}  # tests/claims
    tested = {type(model).__name__ for model in VERIFIABLE} | unverifiable_ones | elsewhere
    assert tested == set(models())


EDITS = st.tuples(
    st.sampled_from(["cell", "remove", "repeat"]),
    st.integers(0, 47),
    st.sampled_from(["town", "sex", "illness", "pay", "ward"]),
    st.sampled_from(["x", "z", "F", "flu", "ulcer", "asthma", "new", "9", "100", "7", ""]),
)


def edited(rows: list[Row], edits: Sequence[tuple[str, int, str, str]]) -> list[Row]:
    rows = [dict(row) for row in rows]
    for how, where, column, value in edits:
        if how == "cell" and rows:
            rows[where % len(rows)][column] = value
        elif how == "remove" and len(rows) > 1:
            del rows[where % len(rows)]
        elif rows:
            rows.append(dict(rows[where % len(rows)]))
    return rows


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(edits=st.lists(EDITS, min_size=1, max_size=2))
def test_any_edit_of_the_file_is_refuted(release: Path, edits: list[Any]) -> None:
    before = (release / "data.csv").read_bytes()
    rows = edited(rows_of(release), edits)
    try:
        put(release, rows)
        changed = (release / "data.csv").read_bytes() != before
        assert (
            any("data.csv is not the file" in text for text in verify(release).refuted) == changed
        )
    finally:
        (release / "data.csv").write_bytes(before)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(edits=st.lists(EDITS, min_size=1, max_size=4))
def test_with_everything_covered_up_claims_are_verified_iff_they_hold(
    release: Path, edits: list[Any]
) -> None:
    kept = {file.name: file.read_bytes() for file in release.iterdir()}
    rows = edited(rows_of(release), edits)
    try:
        cover_up(release, rows)
        found = verify(release)
        assert {c.what for c in found.checks if c.verdict == "refuted"} == set()
        for model, claim in zip(VERIFIABLE, found.claims, strict=True):
            verdict, _ = truth(model, rows)
            values = {row["illness"] for row in rows}
            about = getattr(model, "of", None)
            stated = json.loads((release / "certificate.json").read_text())["sensitive"]
            if about in stated and not values <= set(stated[about]["order"]):
                assert claim.verdict == "refuted"  # nobody said where such a value belongs
                continue
            holds = verdict is not None and verdict.holds
            assert (claim.verdict == "verified") == holds, (str(model), claim, verdict)
            if verdict is not None and claim.level is not None:
                assert claim.level == pytest.approx(verdict.level)
    finally:
        for name, content in kept.items():
            (release / name).write_bytes(content)


# One thing at a time


def refuted(folder: Path, **more: Any) -> str:
    return " | ".join(verify(folder, **more).refuted)


def test_one_changed_cell(release: Path) -> None:
    rows = rows_of(release)
    rows[0]["town"] = "elsewhere"
    put(release, rows)
    said = refuted(release)
    assert "file: data.csv is not the file" in said
    assert "4-anonymity: it reaches 1, required 4" in said


def test_one_removed_and_one_repeated_row(release: Path) -> None:
    rows = rows_of(release)
    put(release, rows[1:])
    assert "rows: the file has 47 rows, not 48" in refuted(release)
    put(release, [*rows, rows[0]])
    assert "rows: the file has 49 rows, not 48" in refuted(release)


@pytest.mark.parametrize("place", range(len(VERIFIABLE)), ids=map(str, VERIFIABLE))
def test_one_edited_level(release: Path, place: int) -> None:
    def change(certificate: dict[str, Any]) -> None:
        entry = certificate["claims"][place]
        better = 1 if VERIFIABLE[place].higher_is_safer else -1
        entry["level"] += better * 1e-6
        entry["margin"] += 1e-6

    edit(release, change)
    found = verify(release)
    assert verdicts(found).count("refuted") == 1
    assert found.claims[place].verdict == "refuted"
    assert "the level is" in found.claims[place].why


def test_an_edited_margin_worst_group_or_requirement(release: Path) -> None:
    for key, value, why in (
        ("margin", 9.0, "the margin stated, 9.0, is not that of the level"),
        ("required", 3.0, "it requires 4, not 3.0"),
        ("level", None, "not none as stated"),
        ("holds", False, "does not hold"),
        ("worst", None, "the worst group is not named"),
        ("worst", {"group": {"town": "x", "sex": "Q"}, "records": 8}, "has no group 'Q' and 'x'"),
        ("worst", {"group": {"town": "x", "sex": "F"}, "records": 7}, "has 8 records, not 7"),
        ("claim", "9-anonymity", "its parameters say '4-anonymity'"),
        ("adversary", "nobody", "the adversary of 4-anonymity is not the one stated"),
    ):
        before = (release / "certificate.json").read_bytes()
        edit(release, lambda c, k=key, v=value: c["claims"][0].update({k: v}))  # type: ignore[misc]
        assert why in refuted(release), (key, value)
        (release / "certificate.json").write_bytes(before)


def test_a_group_that_is_not_the_worst(release: Path) -> None:
    place = next(i for i, m in enumerate(VERIFIABLE) if isinstance(m, EntropyLDiversity))
    rows = rows_of(release)
    groups, keys = by_hand(VERIFIABLE[place], rows)
    levels = VERIFIABLE[place].level(groups)
    best = int(levels.argmax())
    assert levels[best] > levels.min()
    group = {"group": dict(zip(QUASI, keys[best], strict=True)), "records": int(groups.n[best])}
    edit(release, lambda c: c["claims"][place].update({"worst": group}))
    assert "is not the worst" in refuted(release)


def _spelled_everywhere(place: int, **changes: Any) -> Callable[[dict[str, Any]], None]:
    def change(certificate: dict[str, Any]) -> None:
        certificate["claims"][place]["model"] |= changes
        certificate["plan"]["protect"][place]["model"] |= changes

    return change


def test_edited_parameters(release: Path) -> None:
    edit(release, lambda c: c["claims"][0]["model"].update({"k": 3}))
    said = refuted(release)
    assert "certificate: the claims are not those of the plan in it" in said
    assert "its parameters say '3-anonymity', not '4-anonymity'" in said
    edit(release, _spelled_everywhere(0, k=3))
    assert "its parameters say '3-anonymity', not '4-anonymity'" in refuted(release)
    edit(release, _spelled_everywhere(0, k=4))
    assert refuted(release) == ""
    place = next(i for i, m in enumerate(VERIFIABLE) if "attackers" in str(m) and m.by == "theorem")  # type: ignore[attr-defined]
    edit(release, _spelled_everywhere(place, by="exact"))
    assert "its decided is" in refuted(release)
    edit(release, _spelled_everywhere(place, by="theorem"))
    # Another prior, of as many people: only the level tells.
    other = json.loads((release / "certificate.json").read_text())["claims"][place]["model"]
    other["adversary"]["prior"]["weights"] = [["flu", "20"], ["ulcer", "50"], ["croup", "22"]]
    edit(release, _spelled_everywhere(place, **other))
    assert "the level is" in refuted(release)


@pytest.mark.parametrize(
    ("changes", "why", "verdict"),
    [
        ({"k": "five"}, "is no number", "refuted"),
        ({"k": 0}, "k must be", "refuted"),
        ({"k": 1e400}, None, None),
        ({"extra": 1}, "no parameter 'extra'", "refuted"),
        ({"model": "MadeUp"}, "this version does not know 'MadeUp', and is said to", "refuted"),
        ({"model": "os.system"}, "this version does not know", "refuted"),
        ({"k": 10**290}, "k is too large", "refuted"),
        ({"k": "9" * 400}, "too large", "refuted"),
        ({"k": "9" * 5000}, "is no number", "refuted"),
    ],
)
def test_parameters_that_make_no_claim(
    release: Path, changes: Any, why: str | None, verdict: str
) -> None:
    if why is None:
        text = (release / "certificate.json").read_text().replace('"k": 4', '"k": Infinity')
        (release / "certificate.json").write_text(text)
        with pytest.raises(DataError, match="Infinity is no JSON"):
            verify(release)
        return
    edit(release, _spelled_everywhere(0, **changes))
    claim = verify(release).claims[0]
    assert claim.verdict == verdict
    assert why in claim.why


def _without_the_first(certificate: dict[str, Any]) -> None:
    taxonomy = certificate["sensitive"]["illness"]
    for listed in (taxonomy["order"], *taxonomy["levels"]):
        del listed[0]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda c: c.pop("people"), "form: the certificate has not the form.*people"),
        (lambda c: c.update(comment="trust me"), "form: .*comment"),
        (lambda c: c["data"].update(file="../secret.csv"), None),
        (lambda c: c["people"].update(left_out=3), "48 people of whom 3 were left out are not 48"),
        (lambda c: c["data"]["columns"].reverse(), "columns: the file has the columns"),
        (lambda c: c["plan"]["columns"].update(town="insensitive"), "the recoding is not one of"),
        (lambda c: c["plan"]["columns"].update(ward="identifier"), "not those the plan publishes"),
        (lambda c: c.update(protected="Everybody is safe."), "what it says is protected is not"),
        (lambda c: c["plan"].update(protect=[]), "the claims are not those of the plan"),
        (lambda c: c["claims"].pop(), "the claims are not those of the plan"),
        (lambda c: c["sensitive"]["illness"]["order"].pop(), "not one node for each value"),
        (lambda c: c["sensitive"]["illness"]["levels"][0].pop(), "not one node for each value"),
        (lambda c: c["sensitive"]["illness"]["order"].__setitem__(0, "flu"), "a value .* twice"),
        (_without_the_first, "has no place in the order"),
        (lambda c: c["people"].update(in_source=10**400), "form: .*too large"),
        (lambda c: c["software"]["configured"].update(escape_formulas=True), "said in two ways"),
        (lambda c: c["software"]["configured"].update(format="parquet"), "not of the format"),
        (lambda c: c.update(optimal=False), "whether nothing more useful exists is said in two"),
        (lambda c: c["search"].update(metric="precision"), "the search was for 'precision'"),
        (lambda c: c["plan"].update(utility="precision"), "the plan asks for 'precision'"),
        (lambda c: c["recoding"].update(kind="mondrian"), "'mondrian' is not written like that"),
        (lambda c: c["plan"]["method"].update(search="local"), "and the method is 'local'"),
        (lambda c: c.update(measured_on="the recoding that was applied"), "cannot have been"),
        (lambda c: c["plan"].update(person="who"), "a worst group is named, and people may"),
    ],
)
def test_an_edited_certificate(release: Path, change: Any, why: str | None) -> None:
    edit(release, change)
    if why is None:
        with pytest.raises(DataError, match="is not the certificate of a release"):
            verify(release)
        return
    found = verify(release)
    assert any(re.search(why, sentence) for sentence in found.refuted), found.refuted


def test_a_swapped_file(release: Path, tmp_path: Path) -> None:
    hedgerow.publish(
        pd.DataFrame(table(people=60)), columns=COLUMNS, protect=[KAnonymity(k=4)],
        to=tmp_path / "other",
    )  # fmt: skip
    shutil.copy(tmp_path / "other" / "data.csv", release / "data.csv")
    assert "file: data.csv is not the file" in refuted(release)
    (release / "data.csv").unlink()
    said = refuted(release)
    assert "file: data.csv cannot be read" in said
    assert "4-anonymity: the file cannot be read" in said


def test_a_file_that_is_none(release: Path) -> None:
    for content in (b"", b"\x00\xff\xfe", b'town,sex\n"open', b"town,sex,illness,pay,ward\n"):
        (release / "data.csv").write_bytes(content)
        assert "file: data.csv is not the file" in refuted(release)


def test_old_new_and_broken_certificates(release: Path) -> None:
    path = release / "certificate.json"
    whole = path.read_text()
    for text, why in (
        (whole.replace("certificate/2", "certificate/0"), "too old to be verified"),
        (whole.replace("certificate/2", "certificate/1"), "too old to be verified"),
        (whole.replace("certificate/2", "certificate/3"), "which this version does not know"),
        (whole.replace('"format"', '"form"'), "which this version does not know"),
        ("{", "cannot be read"),
        ('{"a": 1, "a": 2}', "'a' stands in it twice"),
        ("[]", "is not the certificate of a release"),
    ):
        path.write_text(text)
        with pytest.raises(DataError, match=why):
            verify(release)
    path.unlink()
    with pytest.raises(DataError, match="no certificate"):
        verify(release)


# Claims that do not follow from the file


def test_people_left_out(tmp_path: Path) -> None:
    rows = [*table(), table()[0] | {"name": "Rare", "town": "rare", "illness": "mumps"}]
    models: list[PrivacyModel] = [
        KAnonymity(k=4),
        TCloseness(t=0.6, of="illness"),
        eps(ClassI(prior=COUNTED)),
        eps(ClassIII(prior=Prior.of_table())),
        eps(ClassII(stubbornness=30)),
        eps(ClassII(stubbornness=30), predicates=Predicates(sets=["flu"])),
        eps(ClassIII(prior=Prior.shape(dict.fromkeys([*ILLNESSES, "mumps"], 1)))),
        DistinctLDiversity(l=3, of="illness"),
        AlphaKAnonymity(alpha=0.6, k=3, of="illness", value="mumps"),
    ]
    columns = COLUMNS | {"illness": "sensitive"}
    release = hedgerow.publish(
        pd.DataFrame(rows), columns=columns, protect=models, method={"suppress": "10%"},
        to=tmp_path / "release",
    )  # fmt: skip
    assert release.suppressed == 1
    found = verify(release)
    assert found.refuted == ()
    assert verdicts(found) == [
        "verified", "not verifiable", "not verifiable", "not verifiable", "verified",
        "not verifiable", "not verifiable", "verified", "verified",
    ]  # fmt: skip
    closeness = found.claims[1]
    assert "it compares with the whole table, and one person was left out" in closeness.why
    verdict = TCloseness(t=0.6, of="illness").check(
        by_hand(TCloseness(t=0.6, of="illness"), rows_of(tmp_path / "release"))[0]
    )
    assert f"compared with what is published alone, it reaches {verdict.level:.6g}" in closeness.why
    assert "what its predicates stand for is not published" in found.claims[5].why
    assert "prior is not published" in found.claims[6].why
    # Who has the plan can check what the certificate must not say.
    plan = Plan.of(columns=columns, protect=models, method={"suppress": "10%"})
    again = verify(release, plan=plan)
    assert again.refuted == ()
    assert verdicts(again)[6] == "verified"


def test_several_rows_a_person(tmp_path: Path) -> None:
    """Eight people of a group have 16 rows, which are judged as those of eight people at least."""
    rows = [row | {"who": row["name"]} for row in table()] * 2
    models: list[PrivacyModel] = [
        KAnonymity(k=4), ProsecutorRisk(risk=0.25), ProbabilisticLDiversity(l=1.1, of="illness"),
    ]  # fmt: skip
    release = hedgerow.publish(
        pd.DataFrame(rows), columns=COLUMNS, person="who", rows="at most 2", protect=models,
        to=tmp_path / "release",
    )  # fmt: skip
    assert release.people == 96
    found = verify(release)
    assert found.refuted == ()
    assert verdicts(found) == ["verified"] * 3
    level = release.claims[0].level
    edit(tmp_path / "release", lambda c: c["claims"][0].update(level=17.0, margin=13.0))
    assert f"the level is {level!r}, not 17.0 as stated" in refuted(tmp_path / "release")
    edit(tmp_path / "release", lambda c: c["claims"][1].update(level=0.05, margin=0.2))
    assert "not 0.05 as stated" in refuted(tmp_path / "release")
    # Seven rows may be those of four people, and one of them is found with 2/7.
    kept = [row for row in rows_of(tmp_path / "release") if row["town"] != "x"]
    few = [row for row in rows_of(tmp_path / "release") if row["town"] == "x"][:7]
    put(tmp_path / "release", [*kept, *(row | {"sex": "F"} for row in few)])
    said = refuted(tmp_path / "release")
    assert "4-anonymity: it reaches 3, required 4" in said
    assert "prosecutor risk at most 0.25: it reaches 0.285714, required 0.25" in said


def test_a_certificate_that_counted_people_elsewhere_is_not_verifiable(tmp_path: Path) -> None:
    """Without `rows`, people were counted in a table that a recipient does not have."""
    release = hedgerow.publish(
        pd.DataFrame(table()), columns=COLUMNS, protect=[KAnonymity(k=4)], to=tmp_path / "release"
    )
    assert verdicts(verify(release)) == ["verified"]

    def old(certificate: Any) -> None:
        certificate["plan"]["person"] = "who"
        certificate["measured_on"] = "the recoding that was applied"
        certificate["claims"][0].update(worst=None)
        certificate["software"]["version"] = "0"

    edit(tmp_path / "release", old)
    found = verify(tmp_path / "release")
    assert verdicts(found) == ["not verifiable"]
    assert "which rows belong to the same person" in found.claims[0].why


def test_an_outside_population(tmp_path: Path) -> None:
    models: list[PrivacyModel] = [
        KMap(k=5), DeltaPresence(minimum=0, maximum=0.9), JournalistRisk(risk=0.2), KAnonymity(k=2),
    ]  # fmt: skip
    population = pd.DataFrame([row for row in table() for _ in range(2)])[[*QUASI]]
    release = hedgerow.publish(
        pd.DataFrame(table()), columns=COLUMNS, protect=models, population_table=population,
        to=tmp_path / "release",
    )  # fmt: skip
    found = verify(release)
    assert found.refuted == ()
    assert verdicts(found) == ["not verifiable"] * 3 + ["verified"]
    assert found.claims[0].why == "it needs the outside population"
    # An edited level still has to go with its margin.
    edit(tmp_path / "release", lambda c: c["claims"][0].update(level=99.0))
    assert "is not that of the level 99" in refuted(tmp_path / "release")


def test_lists_and_wishes(tmp_path: Path) -> None:
    rows = [row | {"wish": "chest" if i % 2 else ""} for i, row in enumerate(table())]
    known = Known(by="name", people=("Canary-1", "Canary-2"))
    release = hedgerow.publish(
        pd.DataFrame(rows),
        columns=COLUMNS | {"wish": "identifier"},
        protect=[
            eps(ClassI(prior=COUNTED, knows=known)),
            eps(ClassI(prior=COUNTED), predicates=Predicates(wishes="wish")),
        ],
        to=tmp_path / "release",
    )
    found = verify(release)
    assert found.refuted == ()
    assert verdicts(found) == ["not verifiable"] * 2
    text = (tmp_path / "release/certificate.json").read_text()
    assert "Canary" not in text
    assert '"mumps"' not in text


def test_composition_needs_the_earlier_releases() -> None:
    model = Composition(confidence=0.5, of="illness")
    for person in (False, True):
        why = unverifiable(model, person=person, left_out=0)
        assert why == "it needs the earlier releases"


# How values are written


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("escape", [False, True])
def test_values_as_files_have_them(tmp_path: Path, form: str, escape: bool) -> None:
    odd = {"ulcer": "=1+1", "croup": "-x", "flu": '@"q",;', "asthma": "+5"}
    rows = [
        {"=town": row["town"], "illness": odd[row["illness"]], "pay": row["pay"]} for row in table()
    ]
    shape = Prior.shape({value: i + 1 for i, value in enumerate(odd.values())})
    if form == "parquet" and escape:
        return
    release = hedgerow.publish(
        pd.DataFrame(rows),
        columns={
            "=town": "quasi-identifier",
            "illness": {"role": "sensitive", "order": list(odd.values())},
            "pay": {"role": "sensitive", "order": {"by": "numbers", "missing": "last"}},
        },
        protect=[
            AlphaKAnonymity(alpha=0.9, k=2, of="illness", value="=1+1"),
            EpsilonPrivacy(epsilon=50, of="illness", adversary=ClassIII(prior=shape)),
            EpsilonPrivacy(epsilon=50, of="illness", adversary=ClassII(stubbornness=9),
                           predicates=Predicates(sets=["-x", ["=1+1", "+5"]])),
            TCloseness(t=0.9, of="illness", distance="ordered"),
            TCloseness(t=0.9, of="pay", distance="ordered"),
        ],
        publish={"to": str(tmp_path / "release"), "format": form, "escape_formulas": escape},
    )  # fmt: skip
    found = verify(release)
    assert found.refuted == ()
    assert verdicts(found) == ["verified"] * 5
    assert [c.level for c in found.claims] == pytest.approx([v.level for v in release.claims])


def test_a_column_that_is_alone(tmp_path: Path) -> None:
    frame = pd.DataFrame({"town": ["x"] * 5 + [None] * 5})
    release = hedgerow.publish(
        frame, columns={"town": {"role": "quasi-identifier", "levels": [0, 0]}},
        protect=[KAnonymity(k=5)], to=tmp_path / "release", one_row_per_person=True,
    )  # fmt: skip
    found = verify(release)
    assert found.refuted == ()
    assert verdicts(found) == ["verified"]


@pytest.mark.parametrize("search", ["mondrian", "local", "microaggregation", "lattice"])
def test_every_method(tmp_path: Path, search: str) -> None:
    rows = [{"age": str(20 + i * 7 % 31), "town": "xy"[i % 2], "illness": ILLNESSES[i % 4]}
            for i in range(60)]  # fmt: skip
    release = hedgerow.publish(
        pd.DataFrame(rows),
        columns={"age": {"role": "quasi-identifier", "hierarchy": {"ranges": [5, 10, 40]}},
                 "town": "quasi-identifier", "illness": "sensitive"},
        protect=[KAnonymity(k=5), DistinctLDiversity(l=2, of="illness")],
        method={"search": search},
        to=tmp_path / "release",
    )  # fmt: skip
    found = verify(release)
    assert found.refuted == ()
    assert verdicts(found) == ["verified"] * 2


def test_a_release_in_memory() -> None:
    release = hedgerow.publish(pd.DataFrame(table()), columns=COLUMNS, protect=[KAnonymity(k=4)])
    with pytest.raises(DataError, match="only in memory"):
        verify(release)


# With a plan


def test_the_plan_must_be_the_one(release: Path) -> None:
    assert verify(release, plan=Plan.of(columns=COLUMNS, protect=VERIFIABLE)).refuted == ()
    for protect, why in (
        ([KAnonymity(k=7), *VERIFIABLE[1:]], "the plan does not ask for 4-anonymity"),
        ([*VERIFIABLE, KAnonymity(k=7)], "the plan asks for 7-anonymity, which the certificate"),
    ):
        assert why in refuted(release, plan=Plan.of(columns=COLUMNS, protect=protect))
    roles = COLUMNS | {"ward": "sensitive"}
    said = refuted(release, plan=Plan.of(columns=roles, protect=VERIFIABLE))
    assert "the plan gives the columns other roles" in said
    place = next(i for i, m in enumerate(VERIFIABLE) if "prior of a given shape" in str(m))
    other = Prior.shape(dict(SHAPED.weights) | {"mumps": 2})
    changed = [*VERIFIABLE]
    changed[place] = eps(AtMost(prior=other, stubbornness=math.inf))
    assert str(changed[place]) == str(VERIFIABLE[place])
    said = refuted(release, plan=Plan.of(columns=COLUMNS, protect=changed))
    assert "with other parameters" in said


def test_a_file_of_another_tool(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    lines = ["age;town;illness;pay"] + [
        f"[{20 + i % 2 * 10}, {30 + i % 2 * 10}[;*;{ILLNESSES[i % 4]};{i % 3}" for i in range(40)
    ]
    path.write_text("\n".join(lines) + "\n")
    plan = Plan.of(
        source="is-not-here.csv",
        columns={"name": "identifier", "age": "quasi-identifier", "town": "quasi-identifier",
                 "sex": "quasi-identifier", "pay": "sensitive",
                 "illness": {"role": "sensitive", "hierarchy": {"taxonomy": TREE}}},
        protect=[KAnonymity(k=20), KAnonymity(k=21), DistinctLDiversity(l=2, of="illness"),
                 TCloseness(t=0.9, of="illness", distance="hierarchical"),
                 eps(ClassII(stubbornness=30), predicates=Predicates(sets=["stomach"])),
                 eps(ClassII(stubbornness=30), predicates=Predicates(sets=["nonsense"]))],
    )  # fmt: skip
    found = verify(path, plan=plan)
    assert verdicts(found) == [
        "verified", "refuted", "verified", "not verifiable", "verified", "not verifiable",
    ]  # fmt: skip
    assert found.refuted == ("21-anonymity: it reaches 20, required 21",)
    assert "nothing says whether people were left out; compared with" in found.claims[3].why
    assert "'nonsense' is no value" in found.claims[5].why
    assert [c.why for c in found.checks] == ["", "the file has no 'sex'"]


def test_a_file_of_another_tool_with_too_much_in_it(tmp_path: Path) -> None:
    path = tmp_path / "other.parquet"
    pq.write_table(pa.table({"name": ["a", "b"], "town": ["x", "x"], "born": [1, 2]}), path)
    plan = Plan.of(
        columns={"name": "identifier", "town": "quasi-identifier"}, protect=[KAnonymity(k=2)]
    )
    found = verify(path, plan=plan)
    assert found.refuted == (
        "identifiers: the file has 'name', which the plan says name people",
        "columns: the plan gives no role to 'born'",
    )
    assert verdicts(found) == ["verified"]
    with pytest.raises(DataError, match="only a plan says what should hold"):
        verify(path)
    with pytest.raises(DataError, match="no certificate that could be signed"):
        verify(path, plan=plan, key=tmp_path / "key")
    with pytest.raises(HedgerowError, match="none of the plan's columns"):
        verify(path, plan=Plan.of(columns={"q": "quasi-identifier"}, protect=[KAnonymity(k=2)]))


def test_values_that_may_be_read_as_one(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("town,grade\n" + "x,1\nx,1.0\n" * 5)
    plan = Plan.of(
        columns={"town": "quasi-identifier", "grade": "sensitive"},
        protect=[DistinctLDiversity(l=2, of="grade")],
    )
    (claim,) = verify(path, plan=plan).claims
    assert (claim.verdict, claim.level) == ("refuted", 1)
