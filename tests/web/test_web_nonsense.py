"""Nonsense at every route of the OpenAPI description: an answer, never a crash."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from webbing import ORIGIN, Visitor, hospital, visiting

EXAMPLES = 8


@pytest.fixture(scope="module")
def somebody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    folder = tmp_path_factory.mktemp("nonsense")
    with visiting(folder / "w", hospital(folder / "demo", patients=60)) as visitor:
        yield visitor


def _schema() -> Any:
    """The description does not depend on what is open."""
    import tempfile

    from webbing import make_app

    with tempfile.TemporaryDirectory() as folder:
        return make_app(Path(folder)).openapi()


schema = schemathesis.openapi.from_dict(_schema())


def test_the_description_has_every_form() -> None:
    described = json.dumps(_schema())
    for path in ("/publish/plan", "/data/columns/{number}/role", "/start/upload"):
        assert f'"{path}"' in described


def _file(entry: Any) -> tuple[str, tuple[str, bytes]]:
    """A part of a form as the client can send it."""
    name, value = entry
    content = value[1] if isinstance(value, tuple) else value
    return str(name), ("x.csv", content if isinstance(content, bytes) else str(content).encode())


@pytest.mark.slow
@schema.parametrize()
@settings(
    max_examples=EXAMPLES, deadline=None, phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
def test_nonsense_gets_an_answer(case: Any, somebody: Visitor) -> None:
    request = case.as_transport_kwargs(base_url=ORIGIN)
    request["headers"] = {
        **{k: v for k, v in (request.get("headers") or {}).items() if k.lower() != "cookie"},
        "Origin": ORIGIN,
        "Host": ORIGIN.removeprefix("http://"),
    }
    request.pop("cookies", None)
    data = request.pop("data", None)
    if isinstance(data, bytes | str):
        request["content"] = data
    elif data is not None:
        request["data"] = data
    if request.get("files"):
        request["files"] = [_file(entry) for entry in request["files"]]
    answer = somebody.client.request(**request, follow_redirects=False)
    assert answer.status_code < 500, (answer.status_code, request["url"], answer.text[:2000])
    assert answer.headers["content-security-policy"]
    page = somebody.get("/publish")
    assert page.status_code == 200, "whatever was kept, the plan can be seen and mended"
