"""Release: what was published, what was claimed about it, and what it cost."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hedgerow.errors import DataError
from hedgerow.models.base import Verdict

CERTIFICATE = "certificate.json"


@dataclass(frozen=True, kw_only=True)
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
    certificate: dict[str, Any] = field(repr=False, default_factory=dict)

    @property
    def levels(self) -> dict[str, int]:
        """Full-domain recodings: the level of each quasi-identifier."""
        levels: dict[str, int] = self.recoding.get("levels") or {}
        return levels

    @property
    def folder(self) -> Path | None:
        """Where the release is; None if it is only in memory."""
        return self.data.parent if isinstance(self.data, Path) else None

    def to_arrow(self) -> Any:
        """The published table as a pyarrow.Table."""
        if not isinstance(self.data, Path):
            return self.data
        from hedgerow.engines import open_engine

        with open_engine(self.data) as engine:
            return engine.rows(engine.columns(), self.rows)

    def to_pandas(self) -> Any:
        """The published table as a pandas.DataFrame."""
        return self.to_arrow().to_pandas()

    def summary(self) -> dict[str, Any]:
        """What `hedgerow publish --json` prints."""
        return {
            "release": str(self.folder) if self.folder else None,
            "rows": self.rows,
            "suppressed": self.suppressed,
            "recoding": self.recoding,
            "optimal": self.optimal,
            "utility": self.utility,
            "claims": [claim_summary(v) for v in self.claims],
        }

    def __repr__(self) -> str:
        kept = "; ".join(f"{v.claim} {'holds' if v.holds else 'FAILS'}" for v in self.claims)
        place = f" in {self.folder}" if self.folder else ""
        loss = self.utility.get("loss", float("nan"))
        return (
            f"<Release of {self.rows:,} rows{place}: {kept}; "
            f"{self.suppressed:,} of {self.people:,} people left out; loss {loss:.4f}>"
        )

    def _repr_html_(self) -> str:
        claims = "".join(
            f"<tr><td>{html.escape(v.claim)}</td><td>{'holds' if v.holds else '<b>fails</b>'}</td>"
            f"<td>{v.level:.6g}</td><td>{v.required:.6g}</td></tr>"
            for v in self.claims
        )
        utility = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{value:.6g}</td></tr>"
            for name, value in self.utility.items()
        )
        return (
            f"<p><b>Release</b>: {self.rows:,} rows, {self.suppressed:,} of {self.people:,} people "
            "left out</p><table><thead><tr><th>claim</th><th></th><th>level</th><th>required</th>"
            f"</tr></thead><tbody>{claims}</tbody></table>"
            f"<table><thead><tr><th>utility</th><th></th></tr></thead><tbody>{utility}</tbody></table>"
        )


def claim_summary(verdict: Verdict) -> dict[str, Any]:
    """A claim as the certificate and `--json` write it; infinite levels as null."""
    finite = verdict.level == verdict.level and abs(verdict.level) != float("inf")
    return {
        "claim": verdict.claim,
        "holds": verdict.holds,
        "level": verdict.level if finite else None,
        "required": verdict.required,
    }


def read_certificate(folder: Path) -> dict[str, Any]:
    """The certificate of a release."""
    path = folder / CERTIFICATE if folder.is_dir() else folder
    try:
        certificate = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise DataError(
            f"there is no {CERTIFICATE} in {str(folder)!r}", fix="Name the folder of a release."
        ) from None
    except (OSError, ValueError) as error:
        raise DataError(f"cannot be read: {error}", where=str(path)) from None
    if not isinstance(certificate, dict) or "recoding" not in certificate:
        raise DataError("is not the certificate of a release", where=str(path))
    return certificate
