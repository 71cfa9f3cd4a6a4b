"""Where a release may go, and what may be replaced."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hedgerow.delivery import check_target, deliver, staging
from hedgerow.errors import TargetError


def put(target: Path, content: str = "a,b\n", *, replace: bool = False) -> None:
    """Deliver a small release."""
    with staging(check_target(target, replace=replace)) as folder:
        (folder / "data.csv").write_text(content)
        deliver(folder, target, "{}\n", replace=replace)


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


def test_nothing_is_replaced_by_accident(tmp_path: Path) -> None:
    target = tmp_path / "release"
    put(target, "first")
    with pytest.raises(TargetError, match="exists already"):
        put(target, "second")
    assert (target / "data.csv").read_text() == "first"
    put(target, "second", replace=True)
    assert (target / "data.csv").read_text() == "second"
    assert [entry.name for entry in tmp_path.iterdir()] == ["release"]


@pytest.mark.parametrize("there", ["folder", "empty", "file", "notes", "link"])
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
        case "link":
            (tmp_path / "mine").mkdir()
            target.symlink_to(tmp_path / "mine")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(TargetError, match=r"is not a release|holds 'mine.txt' besides"):
        put(target, replace=True)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_release_does_not_replace_what_it_is_made_from(tmp_path: Path) -> None:
    put(tmp_path / "release")
    with pytest.raises(TargetError, match="would be replaced by the release made from it"):
        check_target(tmp_path / "release", replace=True, inputs=[tmp_path / "release" / "data.csv"])


def test_a_link_stays_a_link(tmp_path: Path) -> None:
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
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replace: bool
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
