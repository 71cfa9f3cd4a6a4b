"""Nobody outside the room of claims asks which claim one is: what is true of it stands on it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.house.source import Source  # noqa: E402
from hedgerow.claims import CLAIMS  # noqa: E402

SOURCE = Source()
CLASSES = {model.__name__ for declared in CLAIMS.values() for model in declared.classes}


def dispatches(text: str) -> Iterator[int]:
    """The lines that ask whether something is of the class of a claim."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "type"):
            names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
            names |= {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
            if names & CLASSES:
                yield node.lineno
        elif isinstance(node, ast.MatchClass) and getattr(node.cls, "id", "") in CLASSES:
            yield node.cls.lineno


def test_no_type_dispatch_on_claims_outside_their_room() -> None:
    assert len(CLASSES) > 15
    found = [
        f"{module}:{line}"
        for module, path in SOURCE.modules.items()
        if SOURCE.room(module) != "claims"
        for line in dispatches(path.read_text("utf-8"))
    ]
    assert not found, "a trait on the class says it"


def test_a_dispatch_is_found() -> None:
    text = "isinstance(model, (int, KAnonymity))\nisinstance(model, hedgerow.KMap)\nint(KMap)\n"
    text += "match model:\n    case TCloseness(): ...\n"
    assert [*dispatches(text)] == [1, 2, 5]
