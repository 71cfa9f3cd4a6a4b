"""A release before its rows are read: where they are, and what its certificate says of them."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hedgerow.engines import TablePlace, open_engine, open_table, table_place
from hedgerow.table.certificate_file import RANDOMISED, SAFE, read_certificate
from hedgerow.table.column_codings import Codings
from hedgerow.table.groups import PEOPLE
from hedgerow.table.written_form import FOREIGN, WrittenForm

SYNTHETIC = "synthetic"
"""How rows are made that are nobody's: from counts with noise."""
SAMPLE = "safe"
"""How rows of a random sample are made."""


def has_certificate(source: Any) -> bool:
    """Whether it is a folder, or a table with a certificate: it says of itself how it was made."""
    if (place := table_place(source)) is not None:
        with open_table(place) as engine:
            return engine.certificate() is not None
    return isinstance(source, str | os.PathLike) and Path(source).is_dir()


@dataclass(frozen=True, kw_only=True)
class ReleaseSource:
    """The rows of a release, and how they are to be read."""

    rows: Any
    """What `open_engine` reads."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """Column -> role, where the certificate says."""
    kind: str | None = None
    """How it was made: full-domain, mondrian, ...; None where there is no certificate."""
    form: WrittenForm = FOREIGN
    distinct: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Sensitive column -> values that differ from all others, whatever they look like."""
    unit: str = PEOPLE
    """What its records are: people, or rows where the certificate says that some have several."""
    codings: Codings = field(default_factory=dict)
    """Columns whose values are not people's own, where the certificate says so."""

    @classmethod
    def of(cls, source: Any, *, every_kind: bool = False) -> ReleaseSource:
        """Look at a release.

        Args:
            source: Folder of a release with its certificate, a table of a database or a cluster,
                a file made by any tool, or a table in memory.
            every_kind: Whether it may be a sample, or made-up rows.

        Raises:
            DataError: Its certificate cannot be read, or it has no records.
        """
        place = table_place(source)
        path = Path(source) if place is None and isinstance(source, str | os.PathLike) else None
        if not has_certificate(source):
            return cls(rows=place or path or source)
        release = place or path
        assert release is not None, "it has a certificate"
        certificate = read_certificate(release, randomised=every_kind)
        if certificate["format"].startswith((RANDOMISED, SAFE)):
            if certificate["data"] is None:
                read_certificate(release)  # which says that there are no records
            safe = certificate["format"].startswith(SAFE)
            known = certificate["data"]["columns"] if safe else ()
            escaped = certificate["software"]["configured"]["escape_formulas"]
            return cls(
                **_rows(release, certificate, escaped=bool(escaped)),
                roles=dict.fromkeys(known, "quasi-identifier"),
                kind=SAMPLE if safe else SYNTHETIC,
            )
        plan = certificate.get("plan", {})
        return cls(
            **_rows(release, certificate, escaped=bool(plan.get("escape_formulas"))),
            roles=dict(plan.get("columns", {})),
            kind=certificate["recoding"]["kind"],
            distinct={
                column: {text for texts in told["distinct"] for text in texts if text is not None}
                for column, told in certificate.get("spellings", {}).items()
            },
            unit=str(certificate.get("people", {}).get("unit", PEOPLE)),
            codings=dict(certificate.get("codings", {})),
        )

    def columns(self) -> list[str]:
        """The columns of the release."""
        with open_engine(self.rows, delimiter=self.form.delimiter) as engine:
            return self.form.all_columns(engine.columns())


def rows_of(release: Path | TablePlace, certificate: Mapping[str, Any]) -> Path | TablePlace:
    """Where the rows are that a certificate is about."""
    if isinstance(release, Path):
        return release / str(certificate["data"]["file"])
    return release


def _rows(
    release: Path | TablePlace, certificate: Mapping[str, Any], *, escaped: bool
) -> dict[str, Any]:
    rows = rows_of(release, certificate)
    columns = certificate["data"].get("columns", ())
    return {"rows": rows, "form": WrittenForm.of(rows, columns, escaped=escaped)}
