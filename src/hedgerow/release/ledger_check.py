"""A release against the entry that the ledger has of it: every field, and every number drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hedgerow.base.delivery import TABLE
from hedgerow.base.errors import some
from hedgerow.ledger.choice import PARTITION
from hedgerow.release.companions import MakeCompanions
from hedgerow.release.kinds import kind_of_certificate
from hedgerow.release.manifest import listed, other_files, untouched
from hedgerow.table.certificate_file import read_certificate

if TYPE_CHECKING:
    from hedgerow.ledger import Ledger

SIGNED = ("signature",)
"""Whoever signs a release says nothing else of it."""
DRAWN = ("population", "price", "loss", "spent", "ledger", "k", "sampling", "noise")
"""What is drawn, or follows from the price, whatever the version."""


def other_than_recorded(
    release: Path, book: Ledger, *, companions: MakeCompanions
) -> Iterator[str]:
    """In what a release is not the one that the ledger says was published.

    Args:
        release: Its folder, or a copy of its certificate.
        book: The ledger that its certificate names.
        companions: Makes the report that goes with a release.

    That there is such an entry, and where, is for `Ledger.verify` to say.

    Raises:
        HedgerowError: The release cannot be read, or what the ledger keeps of it.
    """
    certificate = read_certificate(release, randomised=True)
    tip = certificate.get("ledger")
    name = str(tip.get("reservation")) if isinstance(tip, dict) else ""
    entry = book.of_reservation(name) if name else None
    if entry is None:
        return
    if certificate.get("population") != entry.population:
        yield f"{release} is about {certificate.get('population')!r}, not {entry.population!r}"
    if entry.body.get("kind") == PARTITION:
        wrong = _other(certificate, entry.body["certificate"], but=SIGNED)
    else:
        content = book.content(entry)
        wrong = None if content is None else _unlike_kept(certificate, content, release, companions)
    if wrong:
        yield f"{release} is not what entry {entry.seq} says was published: it has other {wrong}"
    if release.is_dir() and "files" in certificate:
        strange = other_files(release, certificate)
        if strange is None and not untouched(release, certificate):
            strange = "a file is not the one that the certificate lists"
        if strange:
            yield f"{release}: {strange}"


def _other(
    certificate: Mapping[str, Any], recorded: Mapping[str, Any], *, but: tuple[str, ...]
) -> str | None:
    """The fields in which two certificates differ."""
    names = dict.fromkeys([*recorded, *certificate])
    other = [n for n in names if n not in but and certificate.get(n) != recorded.get(n)]
    return some(other) if other else None


def _unlike_kept(
    certificate: Mapping[str, Any], content: bytes, release: Path, companions: MakeCompanions
) -> str | None:
    """In what a release with a price is not made from what the ledger keeps.

    Where the software is the same, it is made again, and all is compared; elsewhere what was
    drawn is.
    """
    from hedgerow.release.charge.software import same_software

    kind = kind_of_certificate(certificate)
    try:
        same = same_software(certificate)
        with TemporaryDirectory() as place:
            made = kind.made_again(content, certificate, Path(place))
            if made is None:
                return "format"
            if same:
                return _other(certificate, _whole(made, Path(place), companions), but=SIGNED)
            other = [n for n in DRAWN if certificate.get(n) != made.get(n)]
            if other or not release.is_dir():
                return some(other) if other else None
            return kind.other_drawn(made, Path(place), release)
    except (LookupError, TypeError, ValueError) as error:
        return f"form ({error})"


def _whole(made: Mapping[str, Any], place: Path, companions: MakeCompanions) -> dict[str, Any]:
    """The certificate with the list of its files, the report among them."""
    if (made["data"] or {}).get("file") == TABLE:
        return listed(made, None)
    reports = companions(target=place, internal=False)
    return reports.add(place, listed(made, place))
