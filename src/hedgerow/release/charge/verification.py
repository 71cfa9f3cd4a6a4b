"""What is checked of every release that spends: its files' form, its promise, its words."""

from __future__ import annotations

import filecmp
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from hedgerow.base.errors import some
from hedgerow.release.verdicts import REFUTED, UNVERIFIABLE, VERIFIED, Checked, CheckedClaim


def check_form(file: Path, write: Callable[[Path], object]) -> Checked:
    """Whether a CSV file is, byte for byte, what is written for what was read in it.

    Args:
        file: The file.
        write: Writes another of that name in a folder.
    """
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder) / file.name
        write(again)
        try:
            same = filecmp.cmp(file, again, shallow=False)
        except OSError:
            same = False
    return Checked.of(
        "written form",
        None if same else f"{file.name} has these values, and not in the form they are written in",
    )


def judged(what: str, wrong: str | None, right: str) -> Checked:
    """Refuted where something is wrong, and else verified, with what that means."""
    return Checked(what=what, verdict=REFUTED if wrong else VERIFIED, why=wrong or right)


def check_claim(certificate: Mapping[str, Any], wrong: str | None, *, unseen: str) -> CheckedClaim:
    """The promise: refuted, or not to be seen from outside."""
    return CheckedClaim(
        claim=certificate["claim"],
        verdict=REFUTED if wrong else UNVERIFIABLE,
        why=wrong or unseen,
    )


def other_words(certificate: Mapping[str, Any], expected: Mapping[str, Any]) -> str | None:
    """What a certificate says otherwise than this version would have written."""
    other = [name for name, value in expected.items() if certificate.get(name) != value]
    return f"the certificate says otherwise of {some(other)}" if other else None


def other_request(stated: Mapping[str, Any], asked: Mapping[str, Any]) -> str | None:
    """In what a release is not what a plan asks for."""
    names: Iterable[str] = dict.fromkeys([*asked, *stated])
    other = [name for name in names if asked.get(name) != stated.get(name)]
    return f"the plan has other {some(other)}" if other else None
