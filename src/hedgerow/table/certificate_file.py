"""Certificates and data of releases, read from where they are: a folder, or a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hedgerow.base.delivery import CERTIFICATE, DATA, TABLE
from hedgerow.base.errors import DataError
from hedgerow.engines.base import TablePlace

RANDOMISED = "hedgerow-randomised/"
"""How the formats of certificates of randomised releases begin."""
SAFE = "hedgerow-safe/"
"""How those of safe releases begin."""


def read_data(file: Path | TablePlace) -> Any:
    """The data of a release as a pyarrow.Table; Parquet with its types, others as text."""
    if file.suffix == ".parquet":
        import pyarrow.parquet as pq

        return pq.read_table(file)
    from hedgerow.engines import open_engine

    with open_engine(file, delimiter="," if isinstance(file, Path) else None) as engine:
        return engine.rows(engine.columns(), max(1, engine.rows_total()))


def certificate_bytes(path: Path | TablePlace) -> bytes:
    """The certificate as it is written: the file, or the text beside a table."""
    return path.read_bytes() if isinstance(path, Path) else _beside(path).encode("utf-8")


def read_certificate(folder: Path | TablePlace, *, randomised: bool = False) -> dict[str, Any]:
    """The certificate of a release.

    Args:
        folder: The release: a folder, or a table.
        randomised: Whether it may be one of tables with noise, which has no records of people, or
            of a sample, whose groups no claims are about.

    Raises:
        DataError: There is none, or it is not one.
    """
    path: Path | TablePlace = folder
    if isinstance(folder, Path) and folder.is_dir():
        path = folder / CERTIFICATE
    try:
        text = certificate_bytes(path).decode("utf-8")
        certificate = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse_constant)
    except FileNotFoundError:
        what = "there is no" if path is folder else f"there is no {CERTIFICATE} in"
        raise DataError(f"{what} {str(folder)!r}", fix="Name the folder of a release.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(
            f"cannot be read: {error}", where=str(path), fix="Name the folder of a release."
        ) from None
    told = certificate.get("format") if isinstance(certificate, dict) else None
    if isinstance(told, str) and told.startswith((RANDOMISED, SAFE)):
        if randomised:
            noisy: dict[str, Any] = certificate
            return noisy
        if told.startswith(SAFE):
            raise DataError(
                "this release is of a random sample, so that nobody can be said to be in it; it "
                "has no sensitive column and no recoding to apply again",
                where=str(path),
                fix="What it gives away is its loss: see `protected` in its certificate, and "
                "`hedgerow explain sampling`.",
            )
        raise DataError(
            "this release has tables of counts with noise and no records of people, so there is "
            "no recoding to apply again, nobody to look for, and nothing to intersect",
            where=str(path),
            fix="What it gives away is its loss: see `protected` in its certificate, and "
            "`hedgerow explain epsilon`.",
        )
    if not _is_certificate(certificate):
        raise DataError(
            "is not the certificate of a release",
            where=str(path),
            fix="Name the folder of a release.",
        )
    found: dict[str, Any] = certificate
    return found


def _beside(place: TablePlace) -> str:
    """The certificate that a database has beside a table."""
    from hedgerow.engines import open_table

    with open_table(place) as engine:
        text = engine.certificate()
    if text is None:
        raise DataError(
            "there is no certificate beside the table",
            where=str(place),
            fix="Name the table of a release; its certificate is in a table of its name with "
            "_certificate added (of a folder of Spark's, in certificate.json). Without one, "
            "`hedgerow verify` takes a plan: --plan.",
        )
    return text


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A mapping; a key that stands twice would mean one thing here and another elsewhere."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice!r} stands in it twice")
    return found


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _is_certificate(found: Any) -> bool:
    """Whether it has what applying it again relies on."""
    match found:
        case {"recoding": {"kind": str(), **rest}, "data": {"file": str(file), "sha256": str()}}:
            levels = rest.get("levels")
            return file in (*DATA.values(), TABLE) and (
                levels is None
                or (isinstance(levels, dict) and all(type(x) is int for x in levels.values()))
            )
    return False
