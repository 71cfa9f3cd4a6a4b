"""The picture of a lattice that an example draws: nodes by level, and who admits them."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hedgerow.base.errors import HedgerowError

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from examples.realistic_adversaries.lattice import Mark, Wires, lattice_chart

NODES = [(1, 1), (1, 0), (0, 1), (0, 0)]
EDGES = [((0, 0), (1, 0)), ((0, 0), (0, 1)), ((1, 0), (1, 1)), ((0, 1), (1, 1))]


def texts(path: Path) -> list[str]:
    tree = ElementTree.parse(path)
    return [e.text for e in tree.iter("{http://www.w3.org/2000/svg}text") if e.text]


def test_the_lattice_by_level(tmp_path: Path) -> None:
    marks = [
        Mark(name="diversity", nodes=frozenset({(1, 1), (1, 0)})),
        Mark(name="closeness", nodes=frozenset({(1, 1), (9, 9)})),
    ]
    chart = lattice_chart(NODES, EDGES, marks, title="the lattice")
    rows = [row for mark in chart.panels[0].marks for row in mark.rows]
    spots = {row["node"]: (row["_x"], row["level"]) for row in rows if "admitted" in row}
    assert {node: level for node, (_, level) in spots.items()} == {
        "[1,1]": 2, "[1,0]": 1, "[0,1]": 1, "[0,0]": 0,
    }  # fmt: skip
    assert len(set(spots.values())) == 4
    stamps = {(row["node"], row["definition"]) for row in rows if "definition" in row}
    assert stamps == {("[1,1]", "diversity"), ("[1,0]", "diversity"), ("[1,1]", "closeness")}
    found = texts(chart.save(tmp_path / "a.svg"))
    assert {"[1,1]", "[1,0]", "[0,1]", "[0,0]", "diversity", "closeness"} <= set(found)


def test_the_lattice_of_nothing_and_of_too_much() -> None:
    with pytest.raises(HedgerowError, match="no nodes"):
        lattice_chart([], [], [], title="empty")
    many = [Mark(name=str(i), nodes=frozenset()) for i in range(6)]
    with pytest.raises(HedgerowError, match="told apart"):
        lattice_chart(NODES, EDGES, many, title="many")
    bare = lattice_chart(NODES, [], [], title="bare")
    assert [len(mark.rows) for mark in bare.panels[0].marks if isinstance(mark, Wires)] == [0]
    assert {"[1,1]", "[0,0]"} <= set(re.findall(r">(\[\d,\d\])<", bare.svg()))
