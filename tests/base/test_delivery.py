"""Where a release may go, and what may be replaced."""

from __future__ import annotations

import errno
import itertools
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from hedgerow.base import delivery
from hedgerow.base.delivery import check_target, deliver, staging
from hedgerow.base.errors import TargetError

OTHER = """\
import sys
from pathlib import Path
from hedgerow.base import delivery

target, way = Path(sys.argv[1]), sys.argv[2]
if way == "steps":
    delivery._exchange = lambda one, other: False
with delivery.staging(delivery.check_target(target, replace=True)) as folder:
    (folder / "data.csv").write_text("theirs")
    (folder / ".hedgerow-0123.part").write_text("half")
    print(folder, flush=True)
    sys.stdin.readline()
    (folder / ".hedgerow-0123.part").unlink()
    delivery.deliver(folder, target, "{}", replace=True)
"""
"""Another process: stages a release, waits to be told, and delivers it."""


def put(target: Path, content: str = "a,b\n", *, replace: bool = False) -> None:
    """Deliver a small release."""
    with staging(check_target(target, replace=replace)) as folder:
        (folder / "data.csv").write_text(content)
        deliver(folder, target, "{}\n", replace=replace)


@pytest.fixture(params=["exchange", "steps"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Systems that can exchange two folders at once, and systems that cannot."""
    if request.param == "steps":
        monkeypatch.setattr(delivery, "_exchange", lambda one, other: False)
    elif not sys.platform.startswith("linux"):
        pytest.skip("needs renameat2")
    return str(request.param)


def at(monkeypatch: pytest.MonkeyPatch, name: str, then: Callable[[], None]) -> list[str]:
    """Do something once, when a delivery comes past a point; says whether it did."""
    passed: list[str] = []

    def point(here: str) -> None:
        if here == name and not passed:
            passed.append(here)
            then()

    monkeypatch.setattr(delivery, "point", point)
    return passed


def other(target: Path, way: str, fault: str = "") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", OTHER, str(target), way],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "HEDGEROW_FAULT": fault},
    )  # fmt: skip


def hidden(folder: Path) -> list[Path]:
    return sorted(folder.glob(".hedgerow-*"))


def everything(folder: Path) -> dict[str, str]:
    """Every file below a folder with what it holds, and every folder and link."""
    return {
        str(path.relative_to(folder)): f"-> {path.readlink()}" if path.is_symlink()
        else path.read_text() if path.is_file() else "/"
        for path in folder.rglob("*")
    }  # fmt: skip


def test_a_release_appears_whole(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "down" / "release"
    put(target)
    assert {file.name: file.read_text() for file in target.iterdir()} == {
        "certificate.json": "{}\n",
        "data.csv": "a,b\n",
    }
    assert [entry.name for entry in tmp_path.iterdir()] == ["deep"]


def test_only_the_owner_can_look_before_it_is_measured(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        target = tmp_path / "release"
        with staging(check_target(target, replace=False)) as folder:
            assert folder.stat().st_mode & 0o777 == 0o700
            deliver(folder, target, "{}", replace=False)
        assert target.stat().st_mode & 0o777 == 0o755
    finally:
        os.umask(before)


def test_nothing_is_replaced_by_accident(tmp_path: Path, way: str) -> None:
    target = tmp_path / "release"
    put(target, "first")
    with pytest.raises(TargetError, match="exists already"):
        put(target, "second")
    assert (target / "data.csv").read_text() == "first"
    put(target, "second", replace=True)
    assert (target / "data.csv").read_text() == "second"
    assert [entry.name for entry in tmp_path.iterdir()] == ["release"]


@pytest.mark.parametrize("there", ["folder", "empty", "file", "notes", "part", "link"])
def test_what_is_never_replaced(tmp_path: Path, there: str) -> None:
    target = tmp_path / "release"
    match there:
        case "folder":
            target.mkdir()
            (target / "mine.txt").write_text("mine")
        case "empty":
            target.mkdir()
        case "file":
            target.write_text("mine")
        case "notes":
            put(target)
            (target / "mine.txt").write_text("mine")
        case "part":
            put(target)
            (target / "data.parquet").mkdir()
        case "link":
            (tmp_path / "mine").mkdir()
            target.symlink_to(tmp_path / "mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(
        TargetError, match=r"is not a release|holds '(mine.txt|data.parquet)' besides"
    ):
        put(target, replace=True)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_release_does_not_replace_what_it_is_made_from(tmp_path: Path) -> None:
    put(tmp_path / "release")
    with pytest.raises(TargetError, match="would be replaced by the release made from it"):
        check_target(tmp_path / "release", replace=True, inputs=[tmp_path / "release" / "data.csv"])


def test_a_link_stays_a_link(tmp_path: Path, way: str) -> None:
    put(tmp_path / "v1", "first")
    (tmp_path / "latest").symlink_to("v1")
    put(tmp_path / "latest", "second", replace=True)
    assert (tmp_path / "latest").is_symlink()
    assert (tmp_path / "v1" / "data.csv").read_text() == "second"


def test_somebody_else_was_quicker(tmp_path: Path) -> None:
    target = tmp_path / "release"
    with staging(check_target(target, replace=False)) as folder:
        (folder / "data.csv").write_text("ours")
        put(target, "theirs")
        with pytest.raises(TargetError, match="exists already"):
            deliver(folder, target, "{}", replace=False)
    assert (target / "data.csv").read_text() == "theirs"
    assert [entry.name for entry in tmp_path.iterdir()] == ["release"]


@pytest.mark.parametrize("replace", [False, True])
def test_somebody_else_was_quicker_after_the_last_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, replace: bool
) -> None:
    """Their release appears between the check and the move."""
    target = tmp_path / "release"
    chmod = Path.chmod

    def meanwhile(self: Path, mode: int) -> None:
        monkeypatch.setattr(Path, "chmod", chmod)
        put(target, "theirs")
        chmod(self, mode)

    with staging(check_target(target, replace=replace)) as folder:
        (folder / "data.csv").write_text("ours")
        monkeypatch.setattr(Path, "chmod", meanwhile)
        if replace:
            deliver(folder, target, "{}", replace=True)
        else:
            with pytest.raises(TargetError, match="exists already"):
                deliver(folder, target, "{}", replace=False)
    assert (target / "data.csv").read_text() == ("ours" if replace else "theirs")
    assert [entry.name for entry in tmp_path.iterdir()] == ["release"]


@pytest.mark.parametrize("name", ["a\0b", "x" * 300, "out.csv", "Out.PARQUET"])
def test_names_that_cannot_be(tmp_path: Path, name: str) -> None:
    with pytest.raises(TargetError):
        check_target(tmp_path / name, replace=False)


def test_links_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(TargetError):
        put(tmp_path / "a", replace=True)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a", "b"]


def test_this_machine_takes_the_way_it_should(tmp_path: Path) -> None:
    """Where tests run on Linux, what is tested as the exchange is one."""
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        (folder / "name").write_text(folder.name)
    done = delivery._exchange(one, two)
    assert done or not sys.platform.startswith("linux")
    assert (one / "name").read_text() == ("two" if done else "one")
    if done:
        with pytest.raises(FileNotFoundError):
            delivery._exchange(one, tmp_path / "three")


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.EINVAL])
def test_a_disk_that_cannot_exchange(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    import ctypes

    class Old:
        def __init__(self, *anything: object, **more: object) -> None: ...

        def renameat2(self, *anything: object) -> int:
            ctypes.set_errno(number)
            return -1

    put(tmp_path / "release", "first")
    monkeypatch.setattr(ctypes, "CDLL", Old)
    put(tmp_path / "release", "second", replace=True)
    assert everything(tmp_path)["release/data.csv"] == "second"
    monkeypatch.delattr(Old, "renameat2")
    put(tmp_path / "release", "third", replace=True)
    assert everything(tmp_path)["release/data.csv"] == "third"
    assert hidden(tmp_path) == []


def test_somebody_looks_while_a_release_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """They find a release, or none; they never put the old one in the way of the new one."""
    target = tmp_path / "release"
    put(target, "first")
    seen: list[str | None] = []

    def look() -> None:
        with staging(check_target(target, replace=True)):
            seen.append((target / "data.csv").read_text() if target.exists() else None)

    passed = at(monkeypatch, "moved-away", look)
    put(target, "second", replace=True)
    assert passed
    assert seen == ["second" if way == "exchange" else None]
    assert (target / "data.csv").read_text() == "second"
    assert hidden(tmp_path) == []


@pytest.mark.parametrize("replace", [False, True])
def test_somebody_publishes_while_a_release_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, replace: bool
) -> None:
    target = tmp_path / "release"
    put(target, "first")
    told: list[str] = []

    def publish() -> None:
        try:
            put(target, "theirs", replace=replace)
        except TargetError as error:
            told.append(error.what)

    assert not at(monkeypatch, "moved-away", publish)
    put(target, "ours", replace=True)
    # Whoever replaces last wins; where there is no moment without a release, that is them.
    theirs = way == "exchange" and replace
    assert (target / "data.csv").read_text() == ("theirs" if theirs else "ours")
    assert bool(told) == (way == "exchange" and not replace)
    assert hidden(tmp_path) == []


def test_replacers_in_a_crowd(tmp_path: Path, way: str) -> None:
    """Four processes replace one release at once: all succeed, one of them whole."""
    target = tmp_path / "release"
    put(target, "first")
    crowd = [other(target, way) for _ in range(4)]
    for process in crowd:
        assert process.stdout is not None
        assert process.stdout.readline()
    for process in crowd:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    told = [process.communicate(timeout=30)[1] for process in crowd]
    assert [process.returncode for process in crowd] == [0] * 4, told
    whole = {"release": "/", "release/certificate.json": "{}", "release/data.csv": "theirs"}
    assert everything(tmp_path) == whole


def test_what_is_no_release_any_more_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """Somebody puts their notes into the old release after the last look."""
    target = tmp_path / "release"
    put(target, "first")
    real = delivery._put

    def meanwhile(folder: Path, place: Path, *, replace: bool) -> None:
        monkeypatch.setattr(delivery, "_put", real)
        (place / "notes.txt").write_text("mine")
        real(folder, place, replace=replace)

    monkeypatch.setattr(delivery, "_put", meanwhile)
    with pytest.raises(TargetError, match=r"holds 'notes.txt' besides"):
        put(target, "second", replace=True)
    assert everything(target) == {
        "certificate.json": "{}\n", "data.csv": "first", "notes.txt": "mine"
    }  # fmt: skip
    assert hidden(tmp_path) == []


def test_interrupted_while_a_release_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """Between the two steps the first is undone; where there is but one, it is done."""
    target = tmp_path / "release"
    put(target, "first")

    def interrupt() -> None:
        assert target.exists() == (way == "exchange")
        raise KeyboardInterrupt

    assert not at(monkeypatch, "moved-away", interrupt)
    with pytest.raises(KeyboardInterrupt):
        put(target, "second", replace=True)
    assert (target / "data.csv").read_text() == ("second" if way == "exchange" else "first")
    assert hidden(tmp_path) == []


def test_the_new_release_is_moved_away_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else is replacing it already: the old one must not come back in their way."""
    target = tmp_path / "release"
    put(target, "first")
    monkeypatch.setattr(delivery, "_exchange", lambda one, other: False)
    rename = Path.rename

    def quick(self: Path, to: Path) -> Path:
        done = rename(self, to)
        if to == target:
            rename(to, tmp_path / "taken")
        return done

    monkeypatch.setattr(Path, "rename", quick)
    put(target, "second", replace=True)
    assert not target.exists()
    assert (tmp_path / "taken" / "data.csv").read_text() == "second"
    assert hidden(tmp_path) == []


def test_a_release_is_moved_away_during_the_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "release"
    put(target, "first")
    strange = delivery._strange

    def meanwhile(folder: Path) -> list[str]:
        monkeypatch.setattr(delivery, "_strange", strange)
        target.rename(tmp_path / "taken")
        return strange(folder)

    monkeypatch.setattr(delivery, "_strange", meanwhile)
    assert check_target(target, replace=True) == target
    assert not target.exists()


def test_killed_while_a_release_is_replaced(tmp_path: Path, way: str) -> None:
    target = tmp_path / "release"
    put(target, "first")
    process = other(target, way, fault="moved-away")
    _, told = process.communicate("go\n", timeout=30)
    assert process.returncode == -signal.SIGKILL, told
    if way == "exchange":
        assert (target / "data.csv").read_text() == "theirs"
        [left] = hidden(tmp_path)
        assert (left / "data.csv").read_text() == "first"
    else:
        assert not target.exists()
        with pytest.raises(TargetError, match="exists already"):
            put(target, "second")
        assert (target / "data.csv").read_text() == "first", "what was put aside is back"
    put(target, "second", replace=True)
    assert (target / "data.csv").read_text() == "second"
    assert hidden(tmp_path) == []


def test_put_aside_and_another_has_taken_the_place(tmp_path: Path) -> None:
    target = tmp_path / "release"
    put(target, "first")
    process = other(target, "steps", fault="moved-away")
    process.communicate("go\n", timeout=30)
    os.mkdir(target)  # noqa: PTH102
    (target / "mine.txt").write_text("mine")
    put(tmp_path / "another")
    assert hidden(tmp_path) == [], "what was put aside is of no use any more"
    assert everything(target) == {"mine.txt": "mine"}


def test_a_release_put_aside_waits_for_its_own_place(tmp_path: Path) -> None:
    put(tmp_path / "release", "first")
    process = other(tmp_path / "release", "steps", fault="moved-away")
    process.communicate("go\n", timeout=30)
    put(tmp_path / "another", "other")
    assert not (tmp_path / "release").exists()
    [left] = hidden(tmp_path)
    assert everything(left)["release/data.csv"] == "first"
    check_target(tmp_path / "release", replace=True)
    assert (tmp_path / "release" / "data.csv").read_text() == "first"
    assert hidden(tmp_path) == []


def test_what_a_living_process_stages_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """It may live in a container of the same name, where process numbers are others."""

    def nobody(number: int, how: int) -> None:
        raise ProcessLookupError

    process = other(tmp_path / "theirs", way)
    assert process.stdout is not None
    folder = Path(process.stdout.readline().strip())
    with monkeypatch.context() as patch:
        patch.setattr(os, "kill", nobody)
        put(tmp_path / "release", "ours")
        put(tmp_path / "release", "ours", replace=True)
    assert hidden(tmp_path) == [folder]
    _, told = process.communicate("go\n", timeout=30)
    assert process.returncode == 0, told
    assert (tmp_path / "theirs" / "data.csv").read_text() == "theirs"
    assert hidden(tmp_path) == []


def leftover(tmp_path: Path) -> Path:
    process = other(tmp_path / "theirs", "steps")
    assert process.stdout is not None
    folder = Path(process.stdout.readline().strip())
    process.kill()
    process.communicate(timeout=30)
    assert (folder / ".hedgerow-0123.part").exists()
    return folder


def test_what_a_dead_process_staged_is_removed(tmp_path: Path) -> None:
    leftover(tmp_path)
    put(tmp_path / "release")
    assert hidden(tmp_path) == []


@pytest.mark.parametrize("why", ["no fcntl", "network drive"])
def test_where_folders_cannot_be_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, why: str
) -> None:
    """Nobody can tell whether their owner lives: they stay, and nothing else changes."""

    def refuse(descriptor: int, how: int) -> None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    aside = tmp_path / ".hedgerow-old-abcdefgh"
    put(aside / "release", "old")
    folder = leftover(tmp_path)
    if why == "no fcntl":
        monkeypatch.setattr(delivery, "fcntl", None)
    else:
        monkeypatch.setattr(delivery.fcntl, "flock", refuse)
    put(tmp_path / "release", "first")
    put(tmp_path / "release", "second", replace=True)
    assert (tmp_path / "release" / "data.csv").read_text() == "second"
    assert hidden(tmp_path) == sorted([aside, folder])
    assert everything(aside)["release/data.csv"] == "old"
    assert everything(folder)["data.csv"] == "theirs"


@pytest.mark.parametrize("moment", ["before", "while", "after"])
def test_taken_for_a_leftover_before_it_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    import fcntl

    real, flock = tempfile.mkdtemp, fcntl.flock
    lost: list[str] = []
    kept: list[int] = []

    def late(descriptor: int, how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", flock)
        delivery._clear(tmp_path)
        assert hidden(tmp_path) == []
        flock(descriptor, how)

    def meanwhile(*, prefix: str, dir: Path) -> str:  # noqa: A002
        name = real(prefix=prefix, dir=dir)
        if not lost:
            lost.append(name)
            if moment == "before":
                delivery._clear(tmp_path)
                assert hidden(tmp_path) == []
            elif moment == "while":
                kept.append(os.open(name, os.O_RDONLY))
                flock(kept[0], fcntl.LOCK_EX)
            else:  # it is open by then
                monkeypatch.setattr(fcntl, "flock", late)
        return name

    monkeypatch.setattr(tempfile, "mkdtemp", meanwhile)
    with staging(tmp_path / "release") as folder:
        assert str(folder) not in lost
        delivery._clear(tmp_path)
        assert folder.exists()
    for descriptor in kept:
        os.close(descriptor)
    assert lost
    assert hidden(tmp_path) == []


def test_a_folder_that_is_never_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def taken(descriptor: int, how: int) -> None:
        raise BlockingIOError

    monkeypatch.setattr(delivery.fcntl, "flock", taken)
    with pytest.raises(TargetError, match="cannot write"):
        put(tmp_path / "release")
    assert everything(tmp_path) == {}


MINE = [
    ".hedgerow-old-release", ".hedgerow-old-abcdefgh", ".hedgerow-old-abcdefgh/release",
    ".hedgerow-release-abcdefgh", ".hedgerow-abcdefgh", ".hedgerow-ledger-abcdefgh",
]  # fmt: skip


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize(
    ("mine", "what"),
    [*itertools.product(MINE, ["notes", "besides", "folder", "linked"]), (MINE[2], "beside")],
)
def test_folders_of_the_user_are_left_alone(
    tmp_path: Path, way: str, mine: str, what: str, there: bool
) -> None:
    """Whatever they are called: only what holds nothing but a release is ever touched."""
    target, folder = tmp_path / "out" / "release", tmp_path / "out" / mine
    put(target, "first") if there else target.parent.mkdir()
    if what == "linked":
        put(tmp_path / "elsewhere" / "release", "mine")
        folder.parent.mkdir(exist_ok=True)
        folder.symlink_to(tmp_path / "elsewhere" / "release")
    else:
        put(folder, "mine")
    match what:
        case "notes":
            (folder / "certificate.json").unlink()
            (folder / "notes.txt").write_text("mine")
        case "besides":
            (folder / "notes.txt").write_text("mine")
        case "beside":
            folder.with_name("notes.txt").write_text("mine")
        case "folder":
            (folder / "data.parquet").mkdir()
    before = everything(tmp_path)
    put(target, "second", replace=True)
    after = {"out/release": "/", "out/release/data.csv": "second"}
    assert everything(tmp_path) == before | after | {"out/release/certificate.json": "{}\n"}
    target.joinpath("data.csv").unlink()
    target.joinpath("certificate.json").unlink()
    target.rmdir()
    check_target(target, replace=False)
    assert not target.exists(), "it was not taken for a release put aside"
