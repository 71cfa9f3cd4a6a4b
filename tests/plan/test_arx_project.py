"""Projects of ARX become plans; damaged and hostile ones become messages."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

import hedgerow
from hedgerow.api import import_project
from hedgerow.base.errors import DataError, HedgerowError, HierarchyError, TargetError
from hedgerow.plan import arx_project
from hedgerow.plan.plan import Plan

CONFIG = """<config>
\t<suppressTuplesInNonAnonymousOutput>true</suppressTuplesInNonAnonymousOutput>
\t<relativeMaxOutliers>0.04</relativeMaxOutliers>
\t<metric>Loss</metric>
\t<criteria>{}</criteria>
</config>"""
AGES = "".join(f"{n};{n // 10 * 10}-{n // 10 * 10 + 9};*\n" for n in range(20, 40))
CRITERIA = (
    "3-anonymity",
    "distinct-2-diversity for attribute 'ill'",
    "recursive-(4.0,2)-diversity for attribute 'ill'",
    "0.9-closeness with equal ground-distance for attribute 'ill'",
    "(0.1)-map with nothing",
)


def column(name: str, kind: str, *, ref: str | None = None, low: str = "All") -> str:
    more = "" if ref is None else (
        f"<ref>{escape(ref)}</ref><min>{low}</min><max>All</max>"
    )  # fmt: skip
    return (
        f"<assigment><name>{escape(name)}</name><type>{kind}</type><datatype>String</datatype>"
        f"{more}</assigment>"
    )


def project(folder: Path, columns: str | None = None, criteria: tuple[str, ...] = CRITERIA,
            **members: str) -> Path:  # fmt: skip
    given = columns if columns is not None else (
        column("name", "IDENTIFYING_ATTRIBUTE")
        + column("age", "QUASI_IDENTIFYING_ATTRIBUTE", ref="hierarchies/age.csv", low="1")
        + column("ill", "SENSITIVE_ATTRIBUTE")
        + column("note", "INSENSITIVE_ATTRIBUTE")
    )  # fmt: skip
    shown = "".join(f"<criterion>{escape(one)}</criterion>" for one in criteria)
    files = {
        "metadata.xml": "<metadata><version>3.9.1</version></metadata>",
        "input/definition.xml": f"<!-- ARX XML Vocabulary Version 2.0 -->"
        f"<definition>{given}</definition>",
        "input/config.xml": CONFIG.format(shown),
        "input/hierarchies/age.csv": AGES,
        "data/input.csv": "never;read\n",
    } | members
    place = folder / "project.deid"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return place


def test_it_becomes_a_plan_that_publishes(tmp_path: Path) -> None:
    rows = "".join(f"p{n},{20 + n % 20},{'flu' if n % 2 else 'gout'},x\n" for n in range(80))
    (tmp_path / "data.csv").write_text("name,age,ill,note\n" + rows)
    plan, notes = import_project(project(tmp_path), tmp_path / "plan.yaml",
                                 data=tmp_path / "data.csv")  # fmt: skip
    assert any("(0.1)-map" in note for note in notes)
    read = Plan.read(plan)
    assert [str(model) for model in read.models()][:1] == ["3-anonymity"]
    assert len(read.models()) == 4
    assert read.method.suppress == 0.04
    assert read.columns["age"].levels == (1, 2)
    assert read.from_data == ("age",)
    assert [str(c.role) for c in read.columns.values()] == [
        "identifier", "quasi-identifier", "sensitive", "insensitive",
    ]  # fmt: skip
    release = hedgerow.publish(plan, to=tmp_path / "out")
    assert not hedgerow.verify(release, plan=plan).refuted


def test_nothing_is_overwritten_unless_said(tmp_path: Path) -> None:
    file = project(tmp_path)
    import_project(file, tmp_path / "plan.yaml")
    with pytest.raises(TargetError, match="exists already"):
        import_project(file, tmp_path / "plan.yaml")
    import_project(file, tmp_path / "plan.yaml", replace=True)


@pytest.mark.parametrize("name", ["../../evil", "/etc/evil", "a/b\\c", "x\ny", "日本", "." * 300])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "inner"
    folder.mkdir()
    ref = f"hierarchies/{name}.csv"
    file = project(tmp_path, column(name, "QUASI_IDENTIFYING_ATTRIBUTE", ref=ref), ("2-anonymity",),
                   **{f"input/{ref}": AGES})  # fmt: skip
    import_project(file, folder / "plan.yaml")
    outside = {path for path in tmp_path.rglob("*") if path.is_file()} - {file}
    assert all(path.is_relative_to(folder) for path in outside)
    assert Plan.read(folder / "plan.yaml").columns[name].from_data


def test_a_reference_to_no_file_is_noted(tmp_path: Path) -> None:
    gone = column("age", "QUASI_IDENTIFYING_ATTRIBUTE", ref="../../../etc/passwd")
    plan, notes = import_project(project(tmp_path, gone), tmp_path / "plan.yaml")
    assert any("hierarchy of age" in note for note in notes)
    assert Plan.read(plan).columns["age"].hierarchy is None


BOMB = '<!DOCTYPE a [<!ENTITY x "y">]><config>&x;</config>'


@pytest.mark.parametrize(
    ("members", "what"),
    [
        ({"input/config.xml": BOMB}, "document type"),
        ({"input/definition.xml": "<definition/>"}, "defines no columns"),
        ({"input/definition.xml": "<definition"}, "not well-formed"),
        ({"input/definition.xml": f"<definition>{column('x', 'OTHER')}</definition>"}, "'OTHER'"),
        ({"input/hierarchies/age.csv": "20;a;*\n21;a\n"}, "line 2 has 2 labels"),
        ({"input/hierarchies/age.csv": "20;a;b\n21;a;c\n"}, "more than one value"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, members: dict[str, str], what: str) -> None:
    with pytest.raises((DataError, HierarchyError), match=what):
        import_project(project(tmp_path, **members), tmp_path / "plan.yaml")
    assert not (tmp_path / "plan.yaml").exists()


def test_what_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text.deid").write_text("hello")
    with zipfile.ZipFile(tmp_path / "other.deid", "w") as archive:
        archive.writestr("a.txt", "a")
    for name, what in (("text.deid", "not a project"), ("other.deid", "no input/definition.xml"),
                       ("none.deid", "cannot be read")):  # fmt: skip
        with pytest.raises(DataError, match=what):
            import_project(tmp_path / name, tmp_path / "plan.yaml")
    # A small archive may hold much; its stated sizes are not believed.
    monkeypatch.setattr(arx_project, "LARGEST_HIERARCHY", 1000)
    with pytest.raises(DataError, match="more than 1,000 bytes"):
        import_project(project(tmp_path, **{"input/hierarchies/age.csv": AGES * 100}),
                       tmp_path / "plan.yaml")  # fmt: skip
    damaged = project(tmp_path)
    damaged.write_bytes(damaged.read_bytes()[:-200])
    with pytest.raises(DataError):
        import_project(damaged, tmp_path / "plan.yaml")


def test_claims_about_columns_that_are_not_there_are_noted(tmp_path: Path) -> None:
    file = project(tmp_path, criteria=("distinct-2-diversity for attribute 'gone'",))
    plan, notes = import_project(file, tmp_path / "plan.yaml")
    assert any("'gone'" in note for note in notes)
    assert any("5-anonymity is a start" in note for note in notes)
    try:
        Plan.read(plan)
    except HedgerowError as error:  # pragma: no cover
        pytest.fail(str(error))
