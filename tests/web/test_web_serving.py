"""The real command: it serves this machine, ends politely, and ships what it needs."""

from __future__ import annotations

import hashlib
import json
import re
import signal
import socket
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import httpx
import pytest
from webbing import hospital, served, visiting

from hedgerow.charts.looks import TINTS

STATIC = Path(str(files("hedgerow.web") / "static"))


def command(*more: str) -> list[str]:
    return [sys.executable, "-m", "hedgerow", "explore", "--no-browser", *more]


def test_the_link_opens_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    plan = hospital(tmp_path / "demo", patients=100)
    child = subprocess.Popen(
        [*command("--json", "--workspace", str(tmp_path / "w")), str(plan)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdout is not None
    link = json.loads(child.stdout.readline())["link"]
    with httpx.Client(follow_redirects=True) as client:
        assert client.get(link.partition("?")[0]).status_code == 403
        answer = client.get(link)
        assert answer.status_code == 200
        assert "token" not in str(answer.url)
        assert "server" not in answer.headers
    child.send_signal(signal.SIGINT)
    rest, errors = child.communicate(timeout=30)
    assert (child.returncode, rest, errors) == (0, "", "")


def test_it_listens_on_loopback_only(tmp_path: Path) -> None:
    with served(tmp_path / "w") as link:
        port = int(re.search(r":(\d+)/", link).group(1))  # type: ignore[union-attr]
        listening = Path("/proc/net/tcp").read_text().splitlines()[1:]
        places = {line.split()[1] for line in listening if line.split()[3] == "0A"}
        assert [place for place in places if place.endswith(f":{port:04X}")] == [
            f"0100007F:{port:04X}"
        ]


@pytest.mark.parametrize("what", ["absent.csv", "absent.yaml", "empty.csv"])
def test_what_cannot_be_opened_is_told(tmp_path: Path, what: str) -> None:
    (tmp_path / "empty.csv").write_text("a,b\n")
    done = subprocess.run(
        [*command("--workspace", str(tmp_path / "w")), str(tmp_path / what)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("hedgerow explore: ")
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_port_in_use_is_told(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            command("--workspace", str(tmp_path / "w"), "--port", port),
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert f"port {port} cannot be used" in done.stderr


def test_other_commands_do_not_load_the_app() -> None:
    script = (
        "import sys; import hedgerow.cli; import hedgerow.release.publication; "
        "print([m for m in sys.modules if m.split('.')[0] in "
        "('fastapi', 'starlette', 'uvicorn', 'jinja2', 'sqlite3')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_libraries_are_those_their_list_says() -> None:
    listed = dict(
        re.findall(r"^\| `([\w.-]+)` .*`([0-9a-f]{64})` \|$", (STATIC / "vendor" / "README.md")
                   .read_text("utf-8"), re.M)
    )  # fmt: skip
    there = {path.name: path for path in (STATIC / "vendor").glob("*.js")}
    assert set(listed) == set(there)
    for name, path in there.items():
        assert hashlib.sha256(path.read_bytes()).hexdigest() == listed[name], name
    assert {p.stem for p in (STATIC / "vendor").glob("*.LICENSE")} == {
        name.partition(".")[0] for name in there
    }


def test_pages_have_the_colours_of_charts(tmp_path: Path) -> None:
    with visiting(tmp_path / "w") as visitor:
        assert '<link rel="stylesheet" href="/charts.css">' in visitor.get("/start").text
        sheet = visitor.get("/charts.css")
    assert sheet.headers["content-type"].startswith("text/css")
    for name, (light, dark) in TINTS.items():
        assert f"--chart-{name}: {light};" in sheet.text
        assert f"--chart-{name}: {dark};" in sheet.text
        assert f".fill-{name} {{ fill: var(--chart-{name}); }}" in sheet.text


def test_the_made_up_hospital_is_a_click_away(tmp_path: Path) -> None:
    with visiting(tmp_path / "w") as visitor:
        assert visitor.post("/start/demo").status_code == 200
        assert visitor.web.draft.problem() is None
        visitor.web.draft.edit(("protect", 0), {"k-anonymity": 9})
        visitor.post("/start/demo")
        assert "k-anonymity: 9" in visitor.web.draft.text, "what was done is kept"
    assert (tmp_path / "w").stat().st_mode & 0o077 == 0
