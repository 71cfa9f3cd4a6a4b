"""Release: what was published, what was claimed about it, and what it cost."""

from __future__ import annotations

import html
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.base.delivery import CERTIFICATE, DATA, TABLE
from hedgerow.base.errors import DataError
from hedgerow.claims.base import Verdict
from hedgerow.engines.base import TablePlace

if TYPE_CHECKING:
    from hedgerow.release.exposure import Exposure

RANDOMISED = "hedgerow-randomised/"
"""How the formats of certificates of randomised releases begin."""
SAFE = "hedgerow-safe/"
"""How those of safe releases begin."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Release:
    """A published table with the claims measured on it.

    `data` is the file that was written, or the table itself where no place was given.
    """

    data: Path | Any
    rows: int
    suppressed: int
    """People left out."""
    people: int
    """People in the source."""
    recoding: dict[str, Any]
    optimal: bool
    """Whether no recoding of this kind can be more useful."""
    utility: dict[str, float]
    claims: tuple[Verdict, ...]
    words: dict[str, str] = field(default_factory=dict)
    """What became of each quasi-identifier, such as "level 4 of 5 (1920s)"."""
    certificate: dict[str, Any] = field(default_factory=dict)
    exposures: tuple[Exposure, ...] = ()
    """What it gives away together with earlier releases, where there are some."""
    notes: tuple[str, ...] = ()
    """What the steward should know besides."""
    again: bool = False
    """Whether it was there already: nothing was published anew."""

    @property
    def levels(self) -> dict[str, int]:
        """Full-domain recodings: the level of each quasi-identifier."""
        levels: dict[str, int] = self.recoding.get("levels") or {}
        return levels

    @property
    def folder(self) -> Path | None:
        """Where the release is; None if it is only in memory, or a table."""
        return self.data.parent if isinstance(self.data, Path) else None

    @property
    def place(self) -> str | None:
        """Folder or table of the release; None if it is only in memory."""
        return str(self.data) if isinstance(self.data, TablePlace) else _text_of(self.folder)

    def to_arrow(self) -> Any:
        """The published table as a pyarrow.Table; what comes from CSV is text."""
        in_place = isinstance(self.data, Path | TablePlace)
        return read_data(self.data) if in_place else self.data

    def to_pandas(self) -> Any:
        """The published table as a pandas.DataFrame."""
        return self.to_arrow().to_pandas()

    def summary(self) -> dict[str, Any]:
        """What `hedgerow publish --json` prints."""
        return {
            "release": self.place,
            "rows": self.rows,
            "suppressed": self.suppressed,
            "recoding": {"kind": self.recoding["kind"], "levels": self.levels},
            "optimal": self.optimal,
            "utility": finite(self.utility),
            "claims": [claim_summary(v) for v in self.claims],
            "with_earlier_releases": [exposure.summary() for exposure in self.exposures],
            "notes": list(self.notes),
            "again": self.again,
        }

    def __repr__(self) -> str:
        kept = "; ".join(f"{v.claim} {'holds' if v.holds else 'FAILS'}" for v in self.claims)
        place = f" in {self.place}" if self.place else ""
        loss = self.utility.get("loss", float("nan"))
        return (
            f"<Release of {self.rows:,} rows{place}: {kept}; "
            f"{self.suppressed:,} of {self.people:,} people left out; loss {loss:.4f}>"
        )

    def _repr_html_(self) -> str:
        place = f" in <code>{html.escape(self.place)}</code>" if self.place else ""
        claims = [(v.claim, "holds" if v.holds else "fails", *v.told) for v in self.claims]
        return (
            f"<p><b>Release</b>{place}: {self.rows:,} rows, {self.suppressed:,} of "
            f"{self.people:,} people left out</p>"
            + _html_table(("claim", "", "level", "required"), claims)
            + _html_table(("column", "published"), list(self.words.items()))
            + _html_table(("utility", ""), [(n, f"{v:.6g}") for n, v in self.utility.items()])
        )


def _html_table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    def line(cells: tuple[str, ...], tag: str) -> str:
        return "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells)

    body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    return f"<table><thead><tr>{line(head, 'th')}</tr></thead><tbody>{body}</tbody></table>"


def claim_summary(verdict: Verdict) -> dict[str, Any]:
    """A claim as the certificate and `--json` write it; infinite levels as null."""
    return {
        "claim": verdict.claim,
        "holds": verdict.holds,
        "level": finite(verdict.level),
        "required": finite(verdict.required),
    }


def level_in_words(verdict: Verdict) -> str:
    """The level for people, with as many digits as it takes to tell it from the required one.

    >>> level_in_words(Verdict("0.2-closeness", False, 0.2000000001, 0.2, None))
    '0.2000000001'
    """
    if math.isinf(verdict.level):
        return "infinite"
    short = f"{verdict.level:.6g}"
    if verdict.level != verdict.required and short == f"{verdict.required:.6g}":
        return repr(verdict.level)
    return short


def finite(value: Any) -> Any:
    """The value as JSON can hold it: infinities and NaN are null.

    >>> finite({"bound": float("-inf"), "cost": 0.5})
    {'bound': None, 'cost': 0.5}
    """
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def rounded(value: Any) -> Any:
    """The value for the certificate: floats to three significant digits.

    Utility is measured against the original table; every further digit would say more about
    it than a reader needs to judge the release.

    >>> rounded({"loss": 0.134408, "bound": float("-inf")})
    {'loss': 0.134, 'bound': None}
    """
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.3g}")
    return finite(value)


def _text_of(folder: Path | None) -> str | None:
    return None if folder is None else str(folder)


def read_data(file: Path | TablePlace) -> Any:
    """The data of a release as a pyarrow.Table; Parquet with its types, others as text."""
    if file.suffix == ".parquet":
        import pyarrow.parquet as pq

        return pq.read_table(file)
    from hedgerow.engines import open_engine

    with open_engine(file, delimiter=",") as engine:
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
