"""What is checked of every release with a price: form, signature, files, words."""

from __future__ import annotations

import filecmp
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from hedgerow.base.delivery import CERTIFICATE
from hedgerow.base.errors import DataError, HedgerowError, some
from hedgerow.engines import TablePlace
from hedgerow.release.certificate_check import another_data, another_file, signed_by
from hedgerow.release.certificate_schema import Form, misfit
from hedgerow.release.charged.publication import files_of
from hedgerow.release.claim_check import REFUTED, UNVERIFIABLE, VERIFIED, Checked, CheckedClaim
from hedgerow.release.manifest import other_files
from hedgerow.release.noisy.certificate import software

Stated = TypeVar("Stated")


def read_stated(
    certificate: dict[str, Any],
    folder: Path | TablePlace,
    *,
    version: str,
    schema: type[Form],
    read: Callable[[Mapping[str, Any]], Stated],
) -> tuple[Checked, Stated | None]:
    """Whether a certificate has its form, and if so what it says.

    Args:
        certificate: As it was read.
        folder: The release: a folder, or a table.
        version: The format that is known here.
        schema: Its form.
        read: What it says; whatever is wrong with it is raised.

    Raises:
        DataError: The certificate is of another version.
    """
    if certificate.get("format") != version:
        found = certificate.get("format")
        family, _, number = version.rpartition("/")
        older = [f"{family}/{earlier}" for earlier in range(1, int(number))]
        what = f"has the format {found!r}, which this version does not know"
        fix = "Use a newer version of hedgerow."
        if found in older:
            what = "is too old to be verified: it does not list the release's files"
            fix = "Publish the release anew with its ledger: it costs nothing more."
        where = str(folder / CERTIFICATE if isinstance(folder, Path) else folder)
        raise DataError(what, where=where, fix=fix)
    wrong, stated = misfit(certificate, schema), None
    if wrong is None:
        try:
            stated = read(certificate)
        except (HedgerowError, ZeroDivisionError) as error:
            wrong = error.what if isinstance(error, HedgerowError) else "it divides by zero"
    why = wrong and f"the certificate has not the form it should have: {wrong}"
    return Checked.of("form", why), stated


def check_files(
    certificate: dict[str, Any], folder: Path | TablePlace, *, key: Path | None
) -> Iterator[Checked]:
    """Who signed it, and whether its files, or the table, are the ones it is about."""
    yield signed_by(certificate, key)
    if isinstance(folder, TablePlace):
        yield Checked.of("file", another_data(folder, certificate["data"]))
        return
    for file, digest in files_of(certificate, folder):
        yield Checked.of("file", another_file(file, digest))
    yield Checked.of("folder", other_files(folder, certificate))


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


def same_software(certificate: Mapping[str, Any]) -> bool:
    """Whether what made it runs here, and so would make it again."""
    told = certificate["software"]
    configured = told["configured"]
    here = software(form=configured["format"], escaped=configured["escape_formulas"])
    return bool(told == here)


def other_words(certificate: Mapping[str, Any], expected: Mapping[str, Any]) -> str | None:
    """What a certificate says otherwise than this version would have written."""
    other = [name for name, value in expected.items() if certificate.get(name) != value]
    return f"the certificate says otherwise of {some(other)}" if other else None


def other_request(stated: Mapping[str, Any], asked: Mapping[str, Any]) -> str | None:
    """In what a release is not what a plan asks for."""
    names: Iterable[str] = dict.fromkeys([*asked, *stated])
    other = [name for name in names if asked.get(name) != stated.get(name)]
    return f"the plan has other {some(other)}" if other else None
