"""Release: what was published, what was claimed about it, and what it cost."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.claims.base import Verdict
from hedgerow.engines.base import TablePlace
from hedgerow.table.certificate_file import read_data

if TYPE_CHECKING:
    from hedgerow.analyses import AnalysisComparison
    from hedgerow.release.partition.exposure import Exposure


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
    kept: tuple[AnalysisComparison, ...] = ()
    """The plan's analyses on the source and on the release. Not for handing out."""
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
            **({"kept": [one.summary() for one in self.kept]} if self.kept else {}),
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
