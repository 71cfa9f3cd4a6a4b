"""A release against its own certificate: whether they belong together, and say what is true."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hedgerow.base.delivery import CERTIFICATE, TABLE
from hedgerow.base.errors import HedgerowError
from hedgerow.engines import TablePlace, open_table
from hedgerow.plan.plan import Plan
from hedgerow.release.certificate_schema import misfit
from hedgerow.release.certificate_text import as_text
from hedgerow.release.kinds import RECODED, kind_of_certificate
from hedgerow.release.manifest import other_files
from hedgerow.release.verdicts import UNVERIFIABLE, VERIFIED, Checked, CheckedClaim
from hedgerow.table.certificate_file import certificate_bytes, read_certificate


def check_certified(
    place: Path | TablePlace, *, plan: Plan | None, key: Path | None
) -> tuple[tuple[Checked, ...], tuple[CheckedClaim, ...]]:
    """Check a release with its certificate.

    Args:
        place: The release: a folder, or a table.
        plan: The plan it must keep, where one is given.
        key: Public key that must have signed the certificate, where one is given.

    Raises:
        DataError: There is no certificate, or none of this version.
    """
    certificate = read_certificate(place, randomised=True)
    stands = place / CERTIFICATE if isinstance(place, Path) else place
    kind = kind_of_certificate(certificate)
    if isinstance(place, TablePlace) and not kind.may_be_table:
        kind = RECODED
    kind.refuse_unverifiable(certificate, str(stands))
    wrong, stated = misfit(certificate, kind.schema()), None
    if wrong is None:
        try:
            stated = kind.stated(certificate)
        except (HedgerowError, ZeroDivisionError) as error:
            wrong = error.what if isinstance(error, HedgerowError) else "it divides by zero"
    formed = wrong and f"the certificate has not the form it should have: {wrong}"
    checks: list[Checked] = [Checked.of("form", formed)]
    claims: tuple[CheckedClaim, ...] = ()
    if wrong is None:
        checks += [signed_by(certificate, key), *_files(certificate, place)]
        more, claims = kind.check(certificate, stated, place, plan)
        checks += more
    checks.append(Checked.of("certificate text", _another_text(certificate, stands)))
    return tuple(checks), claims


def _files(certificate: Mapping[str, Any], place: Path | TablePlace) -> Iterator[Checked]:
    """Whether files, or the table, are the ones that a certificate is about."""
    if isinstance(place, TablePlace):
        yield Checked.of("file", _another_table(place, certificate["data"]))
        if certificate["files"]:
            yield Checked.of("folder", "the certificate lists files, and this is a table")
        return
    for one in filter(None, (certificate.get("counts"), certificate["data"])):
        yield Checked.of("file", another_file(place / one["file"], one["sha256"]))
    yield Checked.of("folder", other_files(place, certificate))


def _another_text(certificate: Mapping[str, Any], stands: Path | TablePlace) -> str | None:
    """Why the certificate is not written as it was published; None where it is.

    What its hash and its signature are about are the values in it. Order, blanks and escapes
    could carry anything besides.
    """
    try:
        same = as_text(certificate).encode("utf-8") == certificate_bytes(stands)
    except ValueError:  # numbers and characters that no certificate of ours has
        same = False
    return None if same else "the certificate was rewritten: it is not the text that was published"


def signed_by(certificate: Mapping[str, Any], key: Path | None) -> Checked:
    """Whose certificate it is."""
    from hedgerow.release import signature

    trusted = None if key is None else signature.read_public(key)
    if certificate.get("signature") is None:
        why = "nobody has signed the certificate, so anybody may have written it"
        if trusted is not None:
            return Checked.of("signature", why)
        return Checked(what="signature", verdict=UNVERIFIABLE, why=why)
    own = signature.embedded_key(certificate)
    if own is None or not signature.is_signed_by(certificate, own):
        return Checked.of("signature", "the signature is not that of this certificate")
    name = signature.fingerprint(own)
    if trusted is None:
        why = f"signed by {name}; whose key that is was not checked"
        return Checked(what="signature", verdict=VERIFIED, why=why)
    if signature.fingerprint(trusted) != name:
        return Checked.of("signature", f"signed by {name}, not by {signature.fingerprint(trusted)}")
    return Checked(what="signature", verdict=VERIFIED, why=f"signed by {name}, the key given")


def _another_table(place: TablePlace, stated: Mapping[str, Any]) -> str | None:
    """Why a table is not the one a certificate was written for; None where it is."""
    if stated["file"] != TABLE:
        return f"the certificate was written for {stated['file']}, and this is a table"
    with open_table(place) as engine:
        same = engine.content_sha256() == stated["sha256"]
    return None if same else "the rows are not those the certificate was written for"


def another_file(file: Path, expected: str) -> str | None:
    """Why a file is not the one of a hash; None where it is."""
    try:
        with file.open("rb") as content:
            found = hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        return f"{file.name} cannot be read: {error.strerror or error}"
    if found != expected:
        return f"{file.name} is not the file the certificate was written for, or was changed"
    return None
