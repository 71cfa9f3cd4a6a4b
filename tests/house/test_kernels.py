"""A kernel takes its arrays by position, so it says what each of them is."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench.house.source import Source  # noqa: E402

MANY = 4
"""From so many parameters on, each is explained."""


def kernels(text: str) -> Iterator[ast.FunctionDef]:
    """The functions that are compiled."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and any(
            isinstance(one, ast.Name) and one.id == "kernel" for one in node.decorator_list
        ):
            yield node


def parameters(function: ast.FunctionDef) -> list[str]:
    given = function.args
    return [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def comments(text: str, function: ast.FunctionDef) -> str:
    """What is written beside the parameters; not what tools are told."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return "\n".join(
        token.string
        for token in tokens
        if token.type == tokenize.COMMENT
        and function.lineno <= token.start[0] < function.body[0].lineno
        and not re.match(r"# (noqa|fmt|type)\b", token.string)
    )


def unexplained(text: str) -> dict[str, list[str]]:
    """By kernel, the parameters of which nothing is said.

    Something is said where the name begins a line (`name: what it is`), stands in backticks or
    has an index. A word of a sentence that happens to be the name says nothing.
    """
    found = {}
    for function in kernels(text):
        names = parameters(function)
        said, beside = ast.get_docstring(function) or "", comments(text, function)
        if len(names) >= MANY and (
            silent := [
                name
                for name in names
                if not re.search(rf"^ *{name}: \S|`{name}`|\b{name}\[", said, re.MULTILINE)
                and not re.search(rf"\b{name}\b", beside)
            ]
        ):
            found[function.name] = silent
    return found


TEXTS = {name: path.read_text("utf-8") for name, path in Source().modules.items()}
COMPILED = [name for name, text in TEXTS.items() if "@kernel" in text and any(kernels(text))]


def test_the_kernels_are_found() -> None:
    """Should none be found, all would be explained."""
    assert len(COMPILED) > 20
    many = [one for name in COMPILED for one in kernels(TEXTS[name])]
    assert sum(len(parameters(one)) >= MANY for one in many) > 40


def test_kernels_are_decorated_by_that_name() -> None:
    """`jit.kernel`, an alias or Numba itself would not be seen by the walk."""
    source = Source()
    jit = [one for one in source.imports if "hedgerow.base.jit" in (one.of, f"{one.of}.{one.name}")]
    assert {one.name for one in jit} == {"kernel"}
    assert not [one for one in jit if one.alias]
    assert {one.by for one in source.imports if one.of == "numba"} == {"hedgerow.base.jit"}


@pytest.mark.parametrize("module", COMPILED)
def test_every_parameter_is_explained(module: str) -> None:
    assert unexplained(TEXTS[module]) == {}


def test_what_is_unexplained_would_be_found() -> None:
    head = "@kernel\ndef add(n, start, codes, row):\n    "
    assert unexplained(f"{head}return n\n") == {"add": ["n", "start", "codes", "row"]}
    prose = '"""Each row of n codes, from the start."""\n'
    assert unexplained(head + prose) == {"add": ["n", "start", "codes", "row"]}
    half = '"""Add `row`.\n\n    Args:\n        n: People.\n        start:\n    """\n'
    assert unexplained(head + half) == {"add": ["start", "codes"]}
    whole = '"""Group g of `n` has `row` and codes[start[g]:start[g + 1]]."""\n'
    assert unexplained(head + whole) == {}
    beside = "@kernel\ndef add(\n    n,  # people\n    a, b, c,  # a to c: noise\n): # fmt: skip\n"
    assert unexplained(f"{beside}    return n  # b\n") == {"add": ["n", "b"]}
    assert unexplained("@kernel\ndef add(n, start, codes):\n    return n\n") == {}
    assert unexplained(head.removeprefix("@kernel\n") + "return n\n") == {}
