"""Charts: what is drawn where, and files that are whole, self-contained and safe to open."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hedgerow.base.errors import HedgerowError, TargetError
from hedgerow.charts import files as drawing
from hedgerow.charts.figures import Line, Mark, lattice_chart, save, stubbornness_chart

ALICE = Line(who="Alice", points={100: 1.5, 1e4: 20.0, 1e9: 60.0, math.inf: 61.0})
BOB = Line(who="Bob", points={100: 2.0, 1e4: 300.0, math.inf: math.inf})
NODES = [(1, 1), (1, 0), (0, 1), (0, 0)]
EDGES = [((0, 0), (1, 0)), ((0, 0), (0, 1)), ((1, 0), (1, 1)), ((0, 1), (1, 1))]


def texts(path: Path) -> list[str]:
    tree = ElementTree.parse(path)
    return [e.text for e in tree.iter("{http://www.w3.org/2000/svg}text") if e.text]


def data(spec: dict[str, object]) -> list[dict[str, object]]:
    """The rows of every layer."""
    found = spec.get("datasets", {})
    assert isinstance(found, dict)
    inline = [layer["data"]["values"] for layer in spec["layer"] if "data" in layer]  # type: ignore[attr-defined,index]
    return [row for rows in [*found.values(), *inline] for row in rows]


@pytest.fixture(scope="module")
def chart() -> object:
    return stubbornness_chart([ALICE, BOB], title="Gotham", subtitle="20,000 people", required=30)


def test_stubbornness_is_logarithmic_and_infinity_stands_apart(chart: object) -> None:
    rows = data(chart.to_dict())  # type: ignore[attr-defined]
    places = {row["stubbornness"]: row["x"] for row in rows if row.get("who") == "Alice"}
    assert places == {"100": 2, "10,000": 4, "1,000,000,000": 9, "∞": 10.5}
    assert {row["value"] for row in rows if row.get("who") == "Alice"} == {1.5, 20, 60, 61}


def test_what_is_written_on_it(chart: object, tmp_path: Path) -> None:
    found = texts(save(chart, tmp_path / "a.svg"))  # type: ignore[arg-type]
    for wanted in ("Gotham", "20,000 people", "Alice", "Bob", "10²", "10⁹", "∞", "smallest ε",
                   "required: ε = 30", "↑ ∞"):  # fmt: skip
        assert wanted in found, wanted
    assert found.count("↑ ∞") == 1, "Bob's, at infinite stubbornness"


def test_infinite_values_do_not_cover_each_other(tmp_path: Path) -> None:
    carol = Line(who="Carol", points={100: 3.0, math.inf: math.inf})
    path = save(stubbornness_chart([BOB, carol], title="both"), tmp_path / "a.svg")
    spots = re.findall(r'transform="([^"]+)"[^>]*>↑ ∞<', path.read_text("utf-8"))
    assert len(spots) == len(set(spots)) == 2


def test_lines_at_several_nodes_get_a_legend(tmp_path: Path) -> None:
    lines = [Line(who="Alice", node=node, points={10: 2, 100: 3}) for node in ("[1,0]", "[0,1]")]
    found = texts(save(stubbornness_chart(lines, title="two"), tmp_path / "a.svg"))
    assert {"[1,0]", "[0,1]", "node"} <= set(found)
    assert "∞" not in found, "nobody is infinitely stubborn here"


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [Line(who="Alice", points={100: math.inf})],
        [Line(who="Alice", points={0: 1.0})],
        [Line(who="Alice", points={100: 0.0})],
        [Line(who="Alice", points={100: math.nan})],
        [Line(who=str(i), points={100: 2.0}) for i in range(9)],
    ],
)
def test_what_cannot_be_drawn(lines: list[Line]) -> None:
    with pytest.raises(HedgerowError):
        stubbornness_chart(lines, title="none")


def test_the_lattice_by_level(tmp_path: Path) -> None:
    marks = [
        Mark(name="diversity", nodes=frozenset({(1, 1), (1, 0)})),
        Mark(name="closeness", nodes=frozenset({(1, 1), (9, 9)})),
    ]
    chart = lattice_chart(NODES, EDGES, marks, title="the lattice")
    rows = data(chart.to_dict())
    spots = {row["node"]: (row["x"], row["level"]) for row in rows if "admitted" in row}
    assert {node: level for node, (_, level) in spots.items()} == {
        "[1,1]": 2, "[1,0]": 1, "[0,1]": 1, "[0,0]": 0,
    }  # fmt: skip
    assert len(set(spots.values())) == 4
    stamps = {(row["node"], row["definition"]) for row in rows if "definition" in row}
    assert stamps == {("[1,1]", "diversity"), ("[1,0]", "diversity"), ("[1,1]", "closeness")}
    found = texts(save(chart, tmp_path / "a.svg"))
    assert {"[1,1]", "[1,0]", "[0,1]", "[0,0]", "diversity", "closeness"} <= set(found)


def test_the_lattice_of_nothing_and_of_too_much() -> None:
    with pytest.raises(HedgerowError, match="no nodes"):
        lattice_chart([], [], [], title="empty")
    many = [Mark(name=str(i), nodes=frozenset()) for i in range(6)]
    with pytest.raises(HedgerowError, match="told apart"):
        lattice_chart(NODES, EDGES, many, title="many")
    assert lattice_chart(NODES, [], [], title="bare").to_dict()["layer"]


def test_formats(chart: object, tmp_path: Path) -> None:
    assert save(chart, tmp_path / "a.png").read_bytes().startswith(b"\x89PNG\r\n")  # type: ignore[arg-type]
    assert "vega-lite" in json.loads(save(chart, tmp_path / "a.json").read_text())["$schema"]  # type: ignore[arg-type]
    root = ElementTree.parse(save(chart, str(tmp_path / "A.SVG"))).getroot()  # type: ignore[arg-type]
    assert root.get("role") == "img"
    assert "Gotham" in str(root.get("aria-label"))
    for other in ("a.pdf", "a", "a.svg.exe"):
        with pytest.raises(TargetError, match="cannot be saved"):
            save(chart, tmp_path / other)  # type: ignore[arg-type]
        assert not (tmp_path / other).exists()


def test_html_fetches_nothing_and_a_label_cannot_run(tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script>"
    lines = [Line(who=evil, points={100: 2.0, 1000: 3.0})]
    page = save(stubbornness_chart(lines, title=evil), tmp_path / "a.html").read_text("utf-8")
    assert "alert(1)</script>" not in page
    assert page.count("<script") == page.count("</script>") == 2
    markup = re.sub(
        r"<script[^>]*>.*?</script>", lambda m: m[0].partition(">")[0], page, flags=re.S
    )
    assert len(markup) < 1500
    assert not re.search(r"\b(src|href|url)\b", markup)
    assert not re.search(r"jsdelivr|unpkg|cdnjs|googleapis|cdn\.", page)
    # Namespaces, schema names and documentation are addresses that nobody opens.
    known = ("http://www.w3.org/", "https://vega.github.io/", "https://github.com/vega/")
    for address in re.findall(r"https?://[\w.-]+/[\w./-]*", page):
        assert address.startswith(known), address
    assert '"$schema"' in page
    assert "vegaEmbed(" in page


def test_a_file_appears_whole_or_not_at_all(
    chart: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.json"
    target.write_text("before")

    def full(self: Path, content: bytes) -> int:
        with self.open("wb") as part:
            part.write(content[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(TargetError, match="No space left"):
        save(chart, target)  # type: ignore[arg-type]
    assert target.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_a_folder_that_is_not_there(chart: object, tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="cannot be written"):
        save(chart, tmp_path / "nowhere" / "a.json")  # type: ignore[arg-type]
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(TargetError, match="cannot be written"):
        save(chart, tmp_path / "folder.svg")  # type: ignore[arg-type]
    assert [path.name for path in tmp_path.iterdir()] == ["folder.svg"]


def test_altair_waits_until_it_is_needed() -> None:
    code = (
        "import sys, hedgerow, hedgerow.cli, hedgerow.charts.figures, hedgerow.charts.files\n"
        "sys.argv = ['hedgerow', '--help']\n"
        "try:\n    hedgerow.cli.main()\nexcept SystemExit:\n    pass\n"
        "assert not {'altair', 'vl_convert'} & set(sys.modules), 'imported too early'"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_formats_are_named_in_the_message() -> None:
    with pytest.raises(TargetError) as caught:
        save(stubbornness_chart([ALICE], title="x"), "x.gif")
    assert all(form in str(caught.value) for form in drawing.FORMATS)
