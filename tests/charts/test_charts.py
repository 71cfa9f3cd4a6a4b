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
from hedgerow.charts.axes import ChartAxis
from hedgerow.charts.figure import Figure
from hedgerow.charts.files import save
from hedgerow.charts.looks import SERIES, TINTS, text_width
from hedgerow.charts.marks import Points
from hedgerow.charts.panel import Panel
from hedgerow.charts.scales import Linear
from hedgerow.charts.series import Legend, Series
from hedgerow.charts.stubbornness import Line, stubbornness_chart

ALICE = Line(who="Alice", points={100: 1.5, 1e4: 20.0, 1e9: 60.0, math.inf: 61.0})
BOB = Line(who="Bob", points={100: 2.0, 1e4: 300.0, math.inf: math.inf})


def texts(path: Path) -> list[str]:
    tree = ElementTree.parse(path)
    return [e.text for e in tree.iter(f"{SVG}text") if e.text]


SVG = "{http://www.w3.org/2000/svg}"


def circles(path: Path) -> list[tuple[float, float]]:
    """Where round marks are, without those of the legend."""
    tree = ElementTree.parse(path)
    found = [(float(e.attrib["cx"]), float(e.attrib["cy"])) for e in tree.iter(f"{SVG}circle")]
    return found[1:]


@pytest.fixture(scope="module")
def chart() -> Figure:
    return stubbornness_chart([ALICE, BOB], title="Gotham", subtitle="20,000 people", required=30)


def test_stubbornness_is_logarithmic_and_infinity_stands_apart(
    chart: Figure, tmp_path: Path
) -> None:
    (spots,) = [mark.rows for mark in chart.panels[0].marks if isinstance(mark, Points)]
    alice = [row for row in spots if row["who"] == "Alice"]
    assert {row["stubbornness"]: row["_x"] for row in alice} == {
        "100": 2, "10,000": 4, "1,000,000,000": 9, "∞": 10.5,
    }  # fmt: skip
    assert {row["value"] for row in alice} == {1.5, 20, 60, 61}
    # What is drawn: equal factors are equally far apart, to the right and upwards.
    (two, four, nine, endless) = circles(save(chart, tmp_path / "a.svg"))
    assert (nine[0] - four[0]) / (four[0] - two[0]) == pytest.approx(5 / 2, abs=0.02)
    assert (endless[0] - nine[0]) / (four[0] - two[0]) == pytest.approx(1.5 / 2, abs=0.02)
    up = [math.log(20 / 1.5), math.log(60 / 20)]
    assert (two[1] - four[1]) / (four[1] - nine[1]) == pytest.approx(up[0] / up[1], abs=0.02)


def test_what_is_written_on_it(chart: Figure, tmp_path: Path) -> None:
    found = texts(save(chart, tmp_path / "a.svg"))
    for wanted in ("Gotham", "20,000 people", "Alice", "Bob", "10²", "10⁹", "∞", "smallest ε",
                   "required: ε = 30", "↑ ∞"):  # fmt: skip
        assert wanted in found, wanted
    assert found.count("↑ ∞") == 1, "Bob's, at infinite stubbornness"


def test_infinite_values_do_not_cover_each_other(tmp_path: Path) -> None:
    carol = Line(who="Carol", points={100: 3.0, math.inf: math.inf})
    path = save(stubbornness_chart([BOB, carol], title="both"), tmp_path / "a.svg")
    spots = re.findall(r'x="([^"]+)" y="([^"]+)"[^>]*>↑ ∞<', path.read_text("utf-8"))
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


def test_formats(chart: Figure, tmp_path: Path) -> None:
    assert save(chart, tmp_path / "a.png").read_bytes().startswith(b"\x89PNG\r\n")
    told = json.loads(save(chart, tmp_path / "a.json").read_text("utf-8"))
    assert told["what"] == "the data of a Hedgerow chart"
    assert told["description"] == chart.description
    rows = [row for entry in told["plots"][0]["data"] for row in entry["rows"]]
    assert {"who": "Alice", "node": "", "stubbornness": "100", "value": 1.5} in rows
    assert {"who": "Bob", "node": "", "stubbornness": "∞", "value": "∞"} in rows
    root = ElementTree.parse(save(chart, str(tmp_path / "A.SVG"))).getroot()
    assert root.get("role") == "img"
    assert "Gotham" in str(root.get("aria-label"))
    for other in ("a.pdf", "a", "a.svg.exe"):
        with pytest.raises(TargetError, match="cannot be saved"):
            save(chart, tmp_path / other)
        assert not (tmp_path / other).exists()


EVIL = '</title></svg><script>alert(1)</script>"'


@pytest.mark.parametrize("suffix", [".html", ".svg"])
def test_a_file_fetches_nothing_and_a_label_cannot_run(suffix: str, tmp_path: Path) -> None:
    lines = [Line(who=EVIL, node=EVIL + node, points={100: 2.0, 1000: 3.0}) for node in "ab"]
    chart = stubbornness_chart(lines, title=EVIL, subtitle=EVIL, value=EVIL, required=2)
    page = save(chart, tmp_path / f"a{suffix}").read_text("utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert page.count("<svg") == page.count("</svg>") == 1
    assert not re.search(r"\b(src|href)=|url\(|@import|\bon\w+=", page)
    assert set(re.findall(r"https?://[^\s\"']+", page)) == {"http://www.w3.org/2000/svg"}
    ElementTree.fromstring(page[page.index("<svg") : page.index("</svg>") + 6])


def test_a_page_has_the_numbers_and_both_kinds_of_colours(chart: Figure, tmp_path: Path) -> None:
    page = save(chart, tmp_path / "a.html").read_text("utf-8")
    assert "<td>Alice</td><td></td><td>100</td><td>1.5</td>" in page
    assert "prefers-color-scheme: dark" in page
    drawn = page[page.index("<svg") : page.index("</svg>")]
    assert not re.search(r"#[0-9a-fA-F]{6}", drawn), "colours are named by classes"
    used = set(re.findall(r"\b(?:fill|stroke)-(?!width|dash|line|opacity)\w+", drawn))
    assert used, "some are used"
    assert all(f".{name} {{" in page for name in used)


def test_a_picture_has_its_colours_in_it(chart: Figure) -> None:
    drawn = chart.svg()
    assert "class=" not in drawn
    assert "style=" not in drawn
    assert f'fill="{TINTS["s0"][0]}"' in drawn


def test_a_notebook_shows_it(chart: Figure) -> None:
    assert chart._repr_svg_() == chart.svg()
    shown = chart._repr_html_()
    assert chart.svg() in shown
    assert "<td>Alice</td>" in shown


def test_a_picture_needs_a_font(
    chart: Figure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "_has_font", lambda: False)
    with pytest.raises(TargetError, match="no font"):
        save(chart, tmp_path / "a.png")
    assert not list(tmp_path.iterdir())


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("mode", [0, 1])
def test_colours_are_seen_on_paper_of_either_kind(mode: int) -> None:
    paper = TINTS["paper"][mode]
    for name in ("ink", "quiet"):
        assert contrast(TINTS[name][mode], paper) >= 4.5, name
    for name in ("line", "empty", *(f"s{i}" for i in range(SERIES))):
        # The fifth is light; it is never the only one, and its symbol is its own.
        assert contrast(TINTS[name][mode], paper) >= (2.2 if name == "s4" else 3), name


def test_a_file_appears_whole_or_not_at_all(
    chart: Figure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.json"
    target.write_text("before")

    def full(self: Path, content: bytes) -> int:
        with self.open("wb") as part:
            part.write(content[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(TargetError, match="No space left"):
        save(chart, target)
    assert target.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_a_folder_that_is_not_there(chart: Figure, tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="cannot be written"):
        save(chart, tmp_path / "nowhere" / "a.json")
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(TargetError, match="cannot be written"):
        save(chart, tmp_path / "folder.svg")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.svg"]


def test_drawing_waits_until_it_is_needed() -> None:
    code = (
        "import sys, hedgerow, hedgerow.cli\n"
        "sys.argv = ['hedgerow', '--help']\n"
        "try:\n    hedgerow.cli.main()\nexcept SystemExit:\n    pass\n"
        "assert not [m for m in sys.modules if m == 'resvg_py' or m.startswith('hedgerow.charts')]"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_formats_are_named_in_the_message() -> None:
    with pytest.raises(TargetError) as caught:
        save(stubbornness_chart([ALICE], title="x"), "x.gif")
    assert all(form in str(caught.value) for form in drawing.FORMATS)


@pytest.mark.parametrize("length", [1, 4, 6, 8, 10, 12, 16, 30])
def test_plots_beside_each_other_keep_their_legends_inside(length: int) -> None:
    def panel(names: tuple[str, ...]) -> Panel:
        by = Series(field="who", names=names)
        rows = [{"who": name, "x": i, "y": 1e6 * i} for i, name in enumerate(names)]
        return Panel(
            marks=[Points(rows=rows, x="x", y="y", by=by)],
            x=ChartAxis(scale=Linear(0, 4), title="x"),
            y=ChartAxis(scale=Linear(0, 4e6), title="y"),
            width=300,
            height=100,
            title="A title",
            legends=[Legend(keys=by.keys())],
        )

    names = tuple(f"{name}{length * 'n'}" for name in "abcd")
    figure = Figure(title="Two", told="two", across=True, panels=[panel(names), panel(names)])
    tree = ElementTree.fromstring(figure.svg())
    legends = [e for e in tree.iter(f"{SVG}text") if e.text in names]
    begins = [float(e.attrib["x"]) for e in legends]
    ends = [x + text_width(names[0], 12) for x in begins]
    assert len(ends) == 8
    assert max(ends) <= float(tree.attrib["width"])
    assert max(ends[:4]) < min(begins[4:]), "one legend does not run into the other"
