"""The gate: every route refuses foreign hosts, foreign origins and whoever lacks the cookie."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from starlette.routing import Mount, Route
from webbing import HOST, ORIGIN, Visitor, hospital, make_app, visiting

from hedgerow.web.security import POLICY, Gate

NOWHERE = "/no/such/page"


def walked(routes: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Every method and path there is, whichever way it was added."""
    for route in routes:
        if isinstance(route, APIRoute | Route):
            for method in sorted(route.methods or ()):
                yield method, prefix + re.sub(r"\{[^}]*\}", "0", route.path)
        elif isinstance(route, Mount):
            yield "GET", f"{prefix}{route.path}/hedgerow.css"
            yield from walked(getattr(route.app, "routes", []) or [], prefix + route.path)
        elif (inner := getattr(route, "original_router", None)) is not None:
            yield from walked(inner.routes, prefix)
        else:
            raise AssertionError(f"{route!r} is a kind of route the test does not know")


@pytest.fixture(scope="module")
def app_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gate")
    hospital(folder / "demo", patients=200)
    return folder


@pytest.fixture(scope="module")
def inside(app_folder: Path) -> Iterator[Visitor]:
    with visiting(app_folder / "workspace", app_folder / "demo" / "plan.yaml") as found:
        yield found


def every(app: Any) -> list[tuple[str, str]]:
    return sorted({*walked(app.routes), ("GET", NOWHERE), ("DELETE", "/data")})


def test_the_walk_sees_every_route(inside: Visitor) -> None:
    """Should it find nothing, the tests below would pass for anything."""
    found = every(inside.app)
    described = inside.get("/openapi.json").json()["paths"]
    listed = {
        (method.upper(), re.sub(r"\{[^}]*\}", "0", path))
        for path, how in described.items()
        for method in how
    }
    assert listed <= set(found)
    for path in ("/openapi.json", "/static/hedgerow.css", "/data", "/publish/start", "/start"):
        assert any(path == there for _, there in found), path
    assert len(found) > 40


def _refused(answer: Any) -> None:
    assert answer.status_code == 403, answer.url
    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["cache-control"] == "no-store"
    assert "patients" not in answer.text
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8123", "127.0.0.1", "127.0.0.1:8124", "localhost.evil:8123",
     "127.0.0.1:8123.evil.example", "", "0.0.0.0:8123"],
)  # fmt: skip
def test_another_host_is_refused_everywhere(inside: Visitor, host: str) -> None:
    for method, path in every(inside.app):
        headers = {"Host": host, "Origin": ORIGIN}
        _refused(inside.client.request(method, path, headers=headers, follow_redirects=False))


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "https://127.0.0.1:8123", "http://127.0.0.1:8124",
     "http://127.0.0.1", "http://127.0.0.1:8123.evil.example", "file://"],
)  # fmt: skip
def test_another_origin_is_refused_everywhere(inside: Visitor, origin: str) -> None:
    for method, path in every(inside.app):
        headers = {"Origin": origin}
        _refused(inside.client.request(method, path, headers=headers, follow_redirects=False))


@pytest.mark.parametrize("site", ["cross-site", "same-site", "nonsense"])
def test_another_site_is_refused_everywhere(inside: Visitor, site: str) -> None:
    """Also same-site: every program on this machine's other ports is."""
    for method, path in every(inside.app):
        headers = {"Sec-Fetch-Site": site, "Origin": ORIGIN}
        _refused(inside.client.request(method, path, headers=headers, follow_redirects=False))


def test_an_unsafe_request_says_where_it_comes_from(inside: Visitor) -> None:
    for method, path in every(inside.app):
        if method not in ("GET", "HEAD"):
            _refused(inside.client.request(method, path, follow_redirects=False))
            headers = {"Sec-Fetch-Site": "none", "Origin": ORIGIN}
            _refused(inside.client.request(method, path, headers=headers, follow_redirects=False))


def test_without_the_cookie_every_route_is_closed(inside: Visitor) -> None:
    gate = inside.web.gate
    wrong = [
        {},
        {"Cookie": f"{gate.cookie}=wrong"},
        {"Cookie": f"{gate.cookie}={gate.session}x"},
        {"Cookie": f"{gate.cookie}={gate.token}"},
        {"Cookie": f"other={gate.session}"},
        {"Cookie": f"{gate.cookie}={gate.session}; {gate.cookie}=planted"},
    ]
    jar = dict(inside.client.cookies)
    inside.client.cookies.clear()
    try:
        for method, path in every(inside.app):
            for cookies in wrong:
                headers = {"Origin": ORIGIN, **cookies}
                answer = inside.client.request(
                    method, path, headers=headers, follow_redirects=False
                )
                _refused(answer)
    finally:
        inside.client.cookies.update(jar)
    assert inside.get("/data").status_code == 200


def test_the_link_hands_out_a_cookie_and_goes_on_without_the_token(app_folder: Path) -> None:
    from starlette.testclient import TestClient

    app = make_app(app_folder / "workspace", app_folder / "demo" / "plan.yaml")
    gate = app.state.web.gate
    with TestClient(app, base_url=ORIGIN) as client:
        assert client.get("/?token=wrong", follow_redirects=False).status_code == 403
        assert client.get("/?token=", follow_redirects=False).status_code == 403
        assert client.post(f"/start/open?token={gate.token}", headers={"Origin": ORIGIN},
                           follow_redirects=False).status_code == 403  # fmt: skip
        answer = client.get(f"/data?a=1&token={gate.token}", follow_redirects=False)
        assert answer.status_code == 303
        assert answer.headers["location"] == "/data?a=1"
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert gate.token.lower() not in cookie
        assert client.get("/data").status_code == 200


def test_two_apps_on_one_host_do_not_take_each_others_cookie(app_folder: Path) -> None:
    """A browser sends the cookies of one port of 127.0.0.1 to all of them."""
    from starlette.testclient import TestClient

    from hedgerow.web.app import create_app
    from hedgerow.web.security import Gate
    from hedgerow.web.workspace import Workspace

    jar: dict[str, str] = {}
    apps = {}
    for port in (8123, 8124):
        kept = Workspace(app_folder / f"workspace-{port}")
        apps[port] = create_app(kept, gate=Gate.at(port=port))
        with TestClient(apps[port], base_url=f"http://127.0.0.1:{port}") as client:
            token = apps[port].state.web.gate.token
            answer = client.get(f"/?token={token}", follow_redirects=False)
            name, _, rest = answer.headers["set-cookie"].partition("=")
            # As a jar of one host has it: the same name again takes the other's place.
            jar[name] = rest.partition(";")[0]
    assert len(jar) == 2
    for port, app in apps.items():
        with TestClient(app, base_url=f"http://127.0.0.1:{port}", cookies=jar) as client:
            assert client.get("/start").status_code == 200
        with TestClient(app, base_url=f"http://127.0.0.1:{port}") as client:
            wrong = {name: value for name, value in jar.items() if not name.endswith(str(port))}
            client.cookies.update(wrong)
            assert client.get("/start").status_code == 403


def test_a_ticket_is_good_once(app_folder: Path) -> None:
    from starlette.testclient import TestClient

    app = make_app(app_folder / "workspace", app_folder / "demo" / "plan.yaml")
    ticket = app.state.web.gate.ticket()
    with TestClient(app, base_url=ORIGIN) as client:
        assert client.get(f"/?token={ticket}", follow_redirects=False).status_code == 303
        client.cookies.clear()
        assert client.get(f"/?token={ticket}", follow_redirects=False).status_code == 403


@pytest.mark.parametrize("path", ["//evil.example/x", "/\\evil.example", "///evil.example"])
def test_the_link_leads_nowhere_else(app_folder: Path, path: str) -> None:
    from starlette.testclient import TestClient

    app = make_app(app_folder / "workspace", app_folder / "demo" / "plan.yaml")
    token = app.state.web.gate.token
    with TestClient(app, base_url=ORIGIN) as client:
        answer = client.get(f"{ORIGIN}{path}?token={token}", follow_redirects=False)
        place = answer.headers.get("location", "/")
        assert not place.startswith(("//", "/\\", "http")), place


def test_every_answer_says_what_browsers_must_not_do(inside: Visitor) -> None:
    paths = (
        "/data",
        "/start",
        "/static/vendor/htmx.min.js",
        NOWHERE,
        "/openapi.json",
        "/plan.yaml",
    )
    for path in paths:
        headers = inside.get(path).headers
        policy = headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "same-origin"
        assert "access-control-allow-origin" not in headers


def test_pages_have_nothing_inline(inside: Visitor) -> None:
    """What the policy would block anyway, and what leads off the machine."""
    for step in inside.web.steps:
        text = inside.get(step.path).text
        assert not re.search(r"<script(?![^>]*\bsrc=)", text), step
        assert not re.search(r"\son[a-z]+\s*=|\sstyle\s*=|hx-on|javascript:", text), step
        assert not re.search(r"(?:src|href|action)=[\"'](?:https?:)?//", text), step


def test_a_body_that_is_too_large_is_refused(app_folder: Path) -> None:
    with visiting(app_folder / "workspace", app_folder / "demo" / "plan.yaml",
                  upload_limit=50_000) as visitor:  # fmt: skip
        assert visitor.post("/publish/plan", {"text": "x" * 4_000_001}).status_code == 413
        files = {"file": ("a.csv", b"x" * 60_000)}
        assert visitor.post("/start/upload", files=files).status_code == 413

        def stream() -> Iterator[bytes]:  # no length is declared
            for _ in range(50):
                yield b"x" * 100_000

        for path in ("/publish/plan", "/start/upload"):
            answer = visitor.client.post(
                path, content=stream(),
                headers={"Origin": ORIGIN, "Content-Type": "application/x-www-form-urlencoded"
                         if path == "/publish/plan" else "multipart/form-data; boundary=b"},
            )  # fmt: skip
            assert answer.status_code in (413, 422), path
        assert not list((app_folder / "workspace").rglob("*.upload"))


def test_sockets_are_refused(inside: Visitor) -> None:
    from starlette.websockets import WebSocketDisconnect

    with pytest.raises(WebSocketDisconnect), inside.client.websocket_connect("/data"):
        pass


def test_only_the_loopback_interface_is_listened_on() -> None:
    from hedgerow.web.server import LOOPBACK

    assert LOOPBACK == "127.0.0.1"
    assert {host.rpartition(":")[0] for host in Gate.at(port=1).hosts} == {
        "127.0.0.1", "localhost", "[::1]",
    }  # fmt: skip
    assert HOST.startswith(LOOPBACK)
