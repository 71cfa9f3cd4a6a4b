"""A release that somebody sent: a certificate with its data, or a table of any tool."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from hedgerow.base.delivery import CERTIFICATE, DATA
from hedgerow.base.errors import PlanError
from hedgerow.release.partition.fingerprint import is_file_of
from hedgerow.table.certificate_file import read_certificate


def keep_release(files: Sequence[tuple[str, Path]], folder: Path) -> tuple[Path, list[str]]:
    """Make a release of uploaded files: a certificate with its data, or a table of any tool.

    Nothing of the client's names is used for a place: a certificate, and one data file.

    Args:
        files: The name each was sent by, and where it lies now.
        folder: What is to hold them; made here.

    Returns:
        What `attack` takes for a release, and what to say of it.

    Raises:
        PlanError: They are no release.
    """
    kinds = {".json": CERTIFICATE, ".csv": DATA["csv"], ".parquet": DATA["parquet"]}
    named: dict[str, Path] = {}
    for name, path in files:
        kind = kinds.get(os.path.splitext(name)[1].lower())  # noqa: PTH122 - a client's name, no path
        if kind is None or kind in named:
            raise PlanError(
                f"{name!r} is {'one file too many' if kind else 'no file of a release'}",
                fix="Choose certificate.json and data.csv (or data.parquet) of one release "
                "together, or one CSV or Parquet file of any tool.",
            )
        named[kind] = path
    data = [kind for kind in named if kind != CERTIFICATE]
    if len(data) != 1:
        raise PlanError(
            "there is no data file among them" if not data else "there are two data files",
            fix="Choose certificate.json and data.csv (or data.parquet) of one release together, "
            "or one CSV or Parquet file of any tool.",
        )
    place = folder / "release"
    place.mkdir(parents=True, mode=0o700)
    try:
        for kind, path in named.items():
            shutil.move(path, place / kind)
        if CERTIFICATE not in named:
            return place / data[0], [
                "It has no certificate: its quasi-identifiers and sensitive columns are taken to "
                "be those of the plan."
            ]
        certificate = read_certificate(place)
        if certificate["data"]["file"] != data[0]:
            raise PlanError(
                f"the certificate is about {str(certificate['data']['file'])[:80]!r}, and "
                f"{data[0]} was chosen",
                fix="Choose the files of one release.",
            )
        if not is_file_of(place / data[0], str(certificate["data"]["sha256"])):
            raise PlanError(
                "the data are not those the certificate is about: their SHA-256 is another",
                fix="Choose the files of one release, unchanged; or the data alone.",
            )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return place, []
