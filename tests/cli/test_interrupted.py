"""Runs that end early: interrupted, killed, the disk full. Nothing half-written, ever."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import recipients
from typer.testing import CliRunner

from hedgerow import cli
from hedgerow.base import delivery, faults
from hedgerow.cli import app, show
from hedgerow.cli.jobs import CommandRun
from hedgerow.engines import file_writer
from hedgerow.engines.local_table import LocalTable
from hedgerow.ledger import Amounts, Ledger
from hedgerow.reports.companions import Accompanied

PLAN = """\
source: patients.csv
columns:
  name: identifier
  age: {role: quasi-identifier, hierarchy: {ranges: [5, 10, 20]}}
  zip: {role: quasi-identifier, hierarchy: {prefix: 3}}
  sex: quasi-identifier
  disease: sensitive
  salary: sensitive
protect:
  - k-anonymity: 3
method: {suppress: 10%}
publish: {to: release}
"""
NOISY = """\
population: ward
ledger: ledger.db
source: ward.csv
columns:
  sex: {role: quasi-identifier, domain: [F, M]}
privacy: add-remove
method: {search: marginals, epsilon: 1, tables: [[sex]]}
publish: {to: noisy}
"""
LISTENS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
"""A job in the background has Ctrl-C ignored, and its children inherit that."""
STOPS = f"""\
{LISTENS}
import sys, time
from hedgerow import cli
from hedgerow.release import destination
from hedgerow.release.partition import maker

def stop(*anything, **more):
    print("stopped", file=sys.stderr, flush=True)
    time.sleep(60)

{{where}} = stop
sys.argv = ["hedgerow", "publish", "plan.yaml", "--replace"]
cli.main()
"""
"""A run that stops at one step and waits to be ended there."""
SEARCHES = f"""\
{LISTENS}
import os, threading
from hedgerow.cli import main
from hedgerow.recode.search import Search

looked, real = [], Search.evaluate
middle = threading.Event()

def evaluate(*given, **named):
    looked.append(1)
    if len(looked) == 100:
        middle.set()
    return real(*given, **named)

def press():
    middle.wait()
    os.kill(os.getpid(), signal.SIGINT)

Search.evaluate = evaluate
threading.Thread(target=press, daemon=True).start()
main()
"""
"""A run that is interrupted from outside when it has looked at a hundred nodes."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    recipients.write_csv(tmp_path / "patients.csv", recipients.hospital(100))
    (tmp_path / "plan.yaml").write_text(PLAN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def release(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (folder / "release").iterdir()}


@pytest.mark.parametrize(
    ("how", "where"),
    [
        (signal.SIGINT, "maker.recoded"),
        (signal.SIGINT, "destination.deliver"),
        (signal.SIGTERM, "maker.measured_groups"),
        (signal.SIGKILL, "maker.measured_groups"),
        (signal.SIGKILL, "destination.deliver"),
    ],
)
def test_ended_at_a_step(folder: Path, how: signal.Signals, where: str) -> None:
    """While searching, after the data were written, and before the last move."""
    assert CliRunner().invoke(app, ["publish", "plan.yaml"]).exit_code == 0
    before = release(folder)
    process = subprocess.Popen(
        [sys.executable, "-c", STOPS.format(where=where)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    assert process.stderr.readline() == "stopped\n"
    process.send_signal(how)
    out, err = process.communicate(timeout=30)
    assert out == ""
    assert release(folder) == before, "what was there is there, whole"
    left = [entry.name for entry in folder.iterdir() if entry.name.startswith(".")]
    if how is signal.SIGKILL:
        assert process.returncode == -signal.SIGKILL
        assert all(name.startswith(".hedgerow-") for name in left)
    else:
        assert process.returncode == 130
        told = "interrupted; nothing was published"
        assert err == f"hedgerow publish: {told}\n"
        assert left == []
    # Nothing is in the way of the next run.
    done = CliRunner().invoke(app, ["publish", "plan.yaml", "--replace"])
    assert done.exit_code == 0, done.stderr


def test_ctrl_c_during_real_work(tmp_path: Path) -> None:
    """No step is singled out: the signal comes in the middle of a search of 16,000 nodes."""
    rows = recipients.hospital(3000)
    more = {f"{name}{i}": rows for name in ("age", "zip") for i in (2, 3)}
    wide = [
        row | {name: other[-1 - i][name[:3]] for name, other in more.items()}
        for i, row in enumerate(rows)
    ]
    recipients.write_csv(tmp_path / "patients.csv", wide)
    lines = PLAN.splitlines()
    again = [lines[3].replace("age:", f"age{i}:") for i in (2, 3)]
    again += [lines[4].replace("zip:", f"zip{i}:") for i in (2, 3)]
    lines[5:5] = again
    text = "\n".join(lines).replace("{suppress: 10%}", "{suppress: 90%}\nutility: query-error")
    (tmp_path / "plan.yaml").write_text(text)
    process = subprocess.Popen(
        [sys.executable, "-c", SEARCHES, "publish", "plan.yaml"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    out, err = process.communicate(timeout=300)
    assert (out, err) == ("", "hedgerow publish: interrupted; nothing was published\n")
    assert process.returncode == 130
    assert sorted(p.name for p in tmp_path.iterdir()) == ["patients.csv", "plan.yaml"]


def test_a_release_that_is_there_is_not_denied(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while the internal report is made, when the release has its place."""

    def stopped(*anything: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Accompanied, "recoded", stopped)
    done = CliRunner().invoke(app, ["publish", "plan.yaml"])
    assert done.exit_code == 130
    assert "nothing was published" not in done.stderr
    assert "after the release was published: it is at its place" in done.stderr
    assert (folder / "release" / "certificate.json").is_file()


SAMPLE = NOISY.replace(
    "marginals, epsilon: 1, tables: [[sex]]", "safe, epsilon: 1, delta: 1e-6, beta: 0.8"
)
FAMILIES = {
    "recoded": PLAN,
    "in a ledger": f"population: ward\nledger: ledger.db\n{PLAN}",
    "randomised": NOISY.replace("to: noisy", "to: release"),
    "safe": SAMPLE.replace("to: noisy", "to: release"),
}


def stop(*anything: object, **more: object) -> None:
    raise KeyboardInterrupt


def stopped_after(work: Any) -> Any:
    """The same, and then somebody presses Ctrl-C; once."""
    pressed: list[int] = []

    def both(*given: Any, **named: Any) -> Any:
        found = work(*given, **named)
        if not pressed:
            pressed.append(1)
            raise KeyboardInterrupt
        return found

    return both


def at_point(name: str) -> Callable[[pytest.MonkeyPatch], None]:
    def set_up(patch: pytest.MonkeyPatch) -> None:
        patch.setenv("HEDGEROW_FAULT", name)
        patch.setattr("hedgerow.base.faults.os.kill", stop)

    return set_up


def after(owner: object, name: str) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda patch: patch.setattr(owner, name, stopped_after(getattr(owner, name)))


MOMENTS = {name: at_point(name) for name in faults.POINTS} | {
    "the last move": after(Path, "rename"),
    "the exchange": after(delivery, "_exchange"),
    "hidden folders are removed": after(delivery.shutil, "rmtree"),
    "the table is closed": after(LocalTable, "close"),
    "the ledger is closed": after(Ledger, "close"),
    "people are told": after(show, "published"),
    "they have been told": after(cli, "tell_internal"),
}


def moments_and_families() -> Iterator[Any]:
    """All of them; with every second one of the two ways only in the slow suite."""
    for place, (family, moment, replace) in enumerate(product(FAMILIES, MOMENTS, (False, True))):
        later = (place // 2 + place // 2 // len(MOMENTS) + replace) % 2
        yield pytest.param(family, moment, replace, marks=[pytest.mark.slow] * later)


@pytest.mark.parametrize(("family", "moment", "replace"), [*moments_and_families()])
def test_the_message_is_what_is_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch, family: str, moment: str, replace: bool
) -> None:
    """Ctrl-C at every point: whoever is told that there is no release finds none."""
    Path("plan.yaml").write_text(FAMILIES[family], "utf-8")
    Path("ward.csv").write_text("sex\n" + "F\nM\n" * 200, "utf-8")
    with Ledger.open("ledger.db") as ledger:
        ledger.set_budget("ward", Amounts.of(epsilon=5, delta="1e-4"))
    before: object = None
    if replace:
        assert CliRunner().invoke(app, ["publish", "plan.yaml"]).exit_code == 0
        recipients.write_csv(folder / "patients.csv", recipients.hospital(90))
        before = (folder / "release").stat().st_ino
    MOMENTS[moment](monkeypatch)
    asked = ["publish", "plan.yaml", "--replace"] + ["--anew"] * (family in ("randomised", "safe"))
    done = CliRunner().invoke(app, asked)
    now = (folder / "release").stat().st_ino if (folder / "release").exists() else None
    if done.exit_code == 0:  # it never came past that point
        assert now not in (None, before)
        return
    assert done.exit_code == 130, done.stderr
    assert (now is not None and now != before) == (
        "it is at its place" in done.stderr
        or "and is at its place" in done.stderr
        or "the release is at its place" in done.stderr
        or "something was published: release" in done.stderr
    ), done.stderr
    assert "may be" not in done.stderr
    if now == before:
        says = ("nothing was published", "is not at its place", "stays charged")
        assert any(text in done.stderr for text in says), done.stderr


def loading(*anything: object, **more: object) -> None:
    """What comes of Ctrl-C while compiled code is loaded."""
    raise SystemError("a result with an exception set") from KeyboardInterrupt()


def test_ctrl_c_while_compiled_code_is_loaded(folder: Path) -> None:
    """The interpreter makes a SystemError of it, which is no fault of the software."""
    script = STOPS.replace('print("stopped", file=sys.stderr, flush=True)\n', "try:\n").replace(
        "    time.sleep(60)",
        "        raise KeyboardInterrupt\n    except BaseException as error:\n"
        "        raise SystemError('a result with an exception set') from error",
    )
    done = subprocess.run(
        [sys.executable, "-c", script.format(where="destination.deliver")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "hedgerow publish: interrupted; nothing was published\n"
    assert sorted(p.name for p in folder.iterdir()) == ["patients.csv", "plan.yaml"]


def test_a_system_error_of_its_own_is_not_taken_for_an_interrupt(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*anything: object, **more: object) -> None:
        raise SystemError("a fault") from ValueError()

    monkeypatch.setattr("hedgerow.release.destination.deliver", broken)
    done = CliRunner().invoke(app, ["publish", "plan.yaml"])
    assert isinstance(done.exception, SystemError)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("hedgerow.answers.charge._counted", "interrupted; epsilon 1 stays charged (entry 2)."),
        (
            "hedgerow.release.noisy.files.write_tables",
            "the noisy numbers are in the ledger (reserved as entry 2), and the release is not at",
        ),
    ],
)
def test_what_was_paid_is_said_then_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch, where: str, said: str
) -> None:
    Path("noisy.yaml").write_text(NOISY, "utf-8")
    Path("ward.csv").write_text("sex\nF\nM\n", "utf-8")
    with Ledger.open("ledger.db") as ledger:
        ledger.set_budget("ward", Amounts.of(epsilon=2))
    monkeypatch.setattr(where, loading)
    done = CliRunner().invoke(app, ["publish", "noisy.yaml"])
    assert done.exit_code == 130
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert not Path("noisy").exists()


EARLY = """\
import builtins, runpy, sys

real = builtins.__import__

def interrupted(name, *more, **named):
    if name == "typer":
        raise KeyboardInterrupt
    return real(name, *more, **named)

builtins.__import__ = interrupted
sys.argv = ["hedgerow", "publish", "plan.yaml"]
runpy.run_module("hedgerow", run_name="__main__")
"""


def test_ctrl_c_while_the_command_itself_is_loaded(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", EARLY], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "hedgerow: interrupted before anything was done\n"


def full_disk(*anything: object, **more: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("where", ["data", "certificate", "staging"])
def test_the_disk_is_full(folder: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    match where:
        case "data":
            monkeypatch.setattr(file_writer.csv_lines, "header", full_disk)
        case "certificate":
            monkeypatch.setattr(delivery.os, "fsync", full_disk)
        case "staging":
            monkeypatch.setattr(delivery.tempfile, "mkdtemp", full_disk)
    before = sorted(folder.rglob("*"))
    done = CliRunner().invoke(app, ["publish", "plan.yaml", "--json"])
    assert done.exit_code == 2
    assert "No space left on device" in done.stderr
    assert ".hedgerow-" not in done.stderr, "a folder the user has never heard of"
    assert json.loads(done.stdout)["error"]["kind"] == "TargetError"
    assert sorted(folder.rglob("*")) == before


@pytest.fixture
def tiny_disk(tmp_path: Path) -> object:
    """A disk of 64 kB, where the machine lets us have one."""
    place = tmp_path / "tiny"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs the right to mount a file system")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_disk_that_is_really_full(folder: Path, tiny_disk: Path) -> None:
    recipients.write_csv(folder / "patients.csv", recipients.hospital(5000))
    for form in ("csv", "parquet"):
        text = PLAN.replace("{to: release}", f"{{to: tiny/release, format: {form}}}")
        (folder / "plan.yaml").write_text(text.replace("3\n", "2\n"))
        if form == "parquet":  # compressed it would fit
            (tiny_disk / "ballast").write_bytes(bytes(60_000))
        done = CliRunner().invoke(app, ["publish", "plan.yaml"])
        assert done.exit_code == 2, done.stdout
        assert "tiny/release" in done.stderr
        assert "Traceback" not in done.stderr
        assert [entry.name for entry in tiny_disk.iterdir() if entry.name != "ballast"] == []


def test_the_old_release_comes_back_if_the_last_move_fails(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert CliRunner().invoke(app, ["publish", "plan.yaml"]).exit_code == 0
    before = release(folder)
    rename = Path.rename

    def second_fails(self: Path, target: Path) -> Path:
        if self.name.startswith(".hedgerow-") and "-old-" not in self.name:
            raise KeyboardInterrupt
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", second_fails)
    done = CliRunner().invoke(app, ["publish", "plan.yaml", "--replace"])
    assert done.exit_code == 130
    assert release(folder) == before
    assert not list(folder.glob(".*"))


def test_two_at_the_same_time(folder: Path) -> None:
    """Both start before either ends; one release results, whole."""
    command = [sys.executable, "-m", "hedgerow", "publish", "plan.yaml"]
    both = [
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    told = [process.communicate(timeout=60)[1] for process in both]
    codes = [process.returncode for process in both]
    assert 0 in codes, told
    assert set(codes) <= {0, 2}
    assert not any("Traceback" in text for text in told)
    assert set(release(folder)) == {"certificate.json", "data.csv", "report.html"}
    assert not list(folder.glob(".*"))


@pytest.fixture
def wide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lattice of 65,536 nodes."""
    random = np.random.default_rng(3)
    names = [f"q{j}" for j in range(8)]
    rows = [",".join(map(str, row)) for row in random.integers(0, 8, (300, 8))]
    (tmp_path / "people.csv").write_text("\n".join([",".join(names), *rows]) + "\n")
    ranges = "{role: quasi-identifier, hierarchy: {ranges: [2, 4]}}"
    columns = "\n".join(f"  {name}: {ranges}" for name in names)
    (tmp_path / "plan.yaml").write_text(
        f"source: people.csv\ncolumns:\n{columns}\nprotect:\n  - k-anonymity: 3\n"
        "method: {suppress: 10%}\npublish: {to: release}\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_long_search_ends_with_the_best_so_far(wide: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SEARCHES, "publish", "plan.yaml"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = "ending the search with the best so far; Ctrl-C again: nothing is published"
    assert done.stderr.strip() == told
    assert "best so far: loss" in done.stdout
    certificate = json.loads((wide / "release" / "certificate.json").read_text())
    assert not certificate["search"]["optimal"]
    assert 0 < certificate["search"]["lower_bound"] < certificate["search"]["cost"]


def test_to_interrupt_again_ends_everything() -> None:
    job = CommandRun(as_json=False, quiet=True)
    before = signal.getsignal(signal.SIGINT)
    with job.ending_soon() as stop:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)  # nobody listens
        with stop.heard():
            signal.raise_signal(signal.SIGINT)
            assert stop.asked()
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
