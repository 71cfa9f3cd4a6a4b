"""The files of a release: a certificate lists each with its hash, and nothing else may be there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hedgerow.base.delivery import CERTIFICATE, REPORT, sha256
from hedgerow.base.errors import some


def listed(certificate: Mapping[str, Any], folder: Path | None) -> dict[str, Any]:
    """A certificate that lists what is in a folder besides itself.

    Args:
        certificate: Not signed yet.
        folder: The folder; None where the release is a table.
    """
    known = dict(_described(certificate))
    names = [] if folder is None else sorted(os.listdir(folder))  # noqa: PTH208 (names alone)
    files = {
        name: known.get(name) or sha256(folder / name)
        for name in names
        if folder is not None and name != CERTIFICATE
    }
    return {**certificate, "files": files}


def other_files(folder: Path, certificate: Mapping[str, Any]) -> str | None:
    """In what a folder does not hold what its certificate lists; None where it holds just that.

    Files that the certificate describes besides have checks of their own.
    """
    stated = certificate["files"]
    described = dict(_described(certificate))
    if wrong := [name for name, digest in described.items() if stated.get(name) != digest]:
        return f"the certificate says two things of {some(wrong)}"
    try:
        with os.scandir(folder) as entries:
            there = {one.name: one.is_file(follow_symlinks=False) for one in entries}
    except OSError as error:
        return f"the folder cannot be read: {error.strerror or error}"
    if foreign := sorted(there.keys() - stated.keys() - {CERTIFICATE}):
        return f"the folder holds {some(foreign)}, which the certificate does not list"
    if odd := sorted(name for name, plain in there.items() if not plain):
        return f"{some(odd)} in the folder is a link, or no file"
    if absent := sorted(stated.keys() - there.keys()):
        return f"the folder lacks {some(absent)}, which the certificate lists"
    others = [name for name in stated if name not in described]
    changed = [name for name in others if _digest(folder / name) != stated[name]]
    return f"{some(changed)} is not the file that the certificate lists" if changed else None


def untouched(folder: Path, certificate: Mapping[str, Any]) -> bool:
    """Whether the files that a certificate lists are there, as it lists them.

    The report may be lost: it can be made again from the others. A certificate of an earlier
    version lists none.
    """
    return "files" in certificate and all(
        (name == REPORT and not (folder / name).exists()) or _digest(folder / name) == digest
        for name, digest in certificate["files"].items()
    )


def _digest(path: Path) -> str | None:
    try:
        return sha256(path)
    except OSError:
        return None


def _described(certificate: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The files that a certificate says more of, with their hashes."""
    for name in ("counts", "data"):
        one = certificate.get(name)
        if one is not None and "." in one["file"]:
            yield str(one["file"]), str(one["sha256"])
