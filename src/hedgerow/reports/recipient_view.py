"""A release as whoever was handed it has it: certificate and data, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.delivery import CERTIFICATE, TABLES
from hedgerow.base.errors import DataError, HedgerowError
from hedgerow.claims.base import PrivacyModel
from hedgerow.claims.serialisation import rebuilt
from hedgerow.release.certificate_check import another_file
from hedgerow.release.certificate_schema import misfit
from hedgerow.release.kind import KindName
from hedgerow.release.kinds import kind_of_certificate
from hedgerow.table.certificate_file import read_certificate
from hedgerow.table.column_codings import Codings
from hedgerow.table.contents import Contents
from hedgerow.table.groups import Ints
from hedgerow.table.schema import Role
from hedgerow.table.written_form import Value, WrittenForm


@dataclass(frozen=True, eq=False, kw_only=True)
class Combinations:
    """Distinct combinations of some columns of the published file, in order, with their rows."""

    columns: tuple[str, ...]
    texts: tuple[tuple[Value, ...], ...]
    """For each column its different values, in order, missing last."""
    codes: NDArray[np.int32]
    """For each combination and column, which of them."""
    rows: Ints

    def values(self, column: str) -> dict[Value, int]:
        """What stands in a column, with how many rows; in order."""
        place = self.columns.index(column)
        texts = self.texts[place]
        rows = np.bincount(self.codes[:, place], weights=self.rows, minlength=len(texts))
        return dict(zip(texts, rows.astype(np.int64).tolist(), strict=True))

    @classmethod
    def of(cls, contents: Contents, columns: Sequence[str]) -> Combinations:
        """The groups of what was read, each value as it stands in the file.

        Args:
            contents: What was read.
            columns: Its quasi-identifiers, in the order wanted.
        """
        rows = contents.sizes().n
        places = [contents.quasi.index(column) for column in columns]
        ranked = [
            _ranked([contents.form.written(v) for v in contents.texts[j]], contents.codes[:, j])
            for j in places
        ]
        codes = np.zeros((contents.size, 0), np.int32)
        order = np.arange(contents.size)
        if ranked:
            codes = np.stack([ranks for _, ranks in ranked], axis=1)
            order = np.lexsort(codes.T[::-1])
        return cls(
            columns=tuple(columns),
            texts=tuple(values for values, _ in ranked),
            codes=codes[order],
            rows=rows[order],
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Handed:
    """What somebody has who was given the folder."""

    folder: Path
    certificate: Mapping[str, Any]
    kind: KindName
    known: Combinations | None = None
    """The groups, where they have just been counted in the file."""

    @classmethod
    def read(cls, folder: Path, *, own: bool = False, known: Combinations | None = None) -> Handed:
        """Read a folder, and see that certificate and files belong together.

        Args:
            folder: The release.
            own: Whether it was just written here, so that there is nothing to doubt.
            known: The groups, where they have just been counted in the file.

        Raises:
            DataError: It is no release, or not as it was published.
        """
        certificate = read_certificate(folder, randomised=True)
        kind = kind_of_certificate(certificate)
        if wrong := misfit(certificate, kind.schema()):
            raise DataError(
                f"the certificate has not the form it should have: {wrong}",
                where=str(folder / CERTIFICATE),
                fix="Ask for the release as it was published, or publish it anew.",
            )
        files = [] if own else [certificate["data"], certificate.get("counts")]
        for file in filter(None, files):
            if wrong := another_file(folder / file["file"], file["sha256"]):
                raise DataError(
                    wrong, where=str(folder), fix="Ask for the release as it was published."
                )
        return cls(folder=folder, certificate=certificate, kind=kind.name, known=known)

    @property
    def file(self) -> Path | None:
        """The rows; None where a release has only tables."""
        data = self.certificate["data"]
        return None if data is None else self.folder / str(data["file"])

    @property
    def columns(self) -> tuple[str, ...]:
        """The published columns, in order."""
        if self.kind == "randomised":
            return tuple(one["column"] for one in self.certificate["domains"])
        return tuple(self.certificate["data"]["columns"])

    def with_role(self, role: Role) -> tuple[str, ...]:
        """Columns of one role, as the certificate says; a recoded release has roles."""
        roles = self.certificate["plan"]["columns"]
        first = [name for name in self.columns if roles.get(name) == role]
        return (*first, *sorted(n for n, r in roles.items() if r == role and n not in first))

    @property
    def quasi(self) -> tuple[str, ...]:
        """The columns that make groups: the quasi-identifiers; of a safe release, all."""
        if self.kind == "safe":
            return self.columns
        return self.with_role(Role.QUASI_IDENTIFIER) if self.kind == "recoded" else ()

    @property
    def coded_groups(self) -> tuple[str, ...]:
        """Quasi-identifiers that are coded, so that the file does not show the groups."""
        return tuple(n for n in self.quasi if n in self.codings)

    @property
    def codings(self) -> Codings:
        """Columns that the file shows otherwise than people have them."""
        found: Codings = self.certificate.get("codings", {})
        return found

    @property
    def rows_are_people(self) -> bool:
        """Whether a row of the file is one person, so that rows can be counted for people."""
        if self.kind != "recoded":
            return self.kind == "safe"
        plan = self.certificate["plan"]
        return plan["person"] is None or plan.get("rows") == 1

    @property
    def most(self) -> int | None:
        """The most rows of a person; None where rows cannot be counted for people at all."""
        if self.rows_are_people:
            return 1
        return self.certificate["plan"].get("rows") if self.kind == "recoded" else None

    @property
    def escaped(self) -> bool:
        """Whether values that spreadsheets would run have an apostrophe before them."""
        return bool(self.certificate["software"]["configured"]["escape_formulas"])

    @cached_property
    def groups(self) -> Combinations:
        """The groups a reader of the file can tell apart by its quasi-identifiers."""
        if self.known is not None and self.known.columns == self.quasi:
            return self.known
        return self.counted(self.quasi)

    @cached_property
    def whole(self) -> Combinations:
        """The different rows of the file."""
        return self.counted(self.columns)

    def counted(self, columns: Sequence[str]) -> Combinations:
        """Count the published rows by some columns."""
        file = self.file
        assert file is not None, "only where there are rows"
        form = WrittenForm.of(file, self.columns, escaped=self.escaped)
        contents = Contents.read(file, quasi=columns, form=form)
        if absent := [name for name in columns if name not in contents.quasi]:
            raise DataError(
                f"the file has no column {form.header(absent[0])!r}",
                where=str(file),
                fix="Ask for the release as it was published.",
            )
        return Combinations.of(contents, columns)

    @cached_property
    def models(self) -> tuple[PrivacyModel | None, ...]:
        """The claims of a recoded release; None where the certificate does not spell one out."""
        if self.kind != "recoded":
            return ()
        return tuple(_model(entry) for entry in self.certificate["claims"])

    @property
    def least(self) -> int | None:
        """The smallest group that the claims allow; None where none speaks of sizes."""
        if self.kind == "safe":
            return int(self.certificate["k"])
        return least_of([model for model in self.models if model is not None])

    def noisy(self) -> tuple[Ints, NDArray[np.float64]]:
        """The noisy numbers and the counts of a randomised release, cell by cell."""
        from hedgerow.synthesis.tables_file import lines_of

        names = self.certificate["counts"]["columns"]
        lines = lines_of(self.folder / TABLES, names, escaped=self.escaped)
        return lines[names[-2]].to_numpy(), lines[names[-1]].to_numpy()


def least_of(models: Sequence[PrivacyModel]) -> int | None:
    """The smallest group that claims allow; None where none speaks of sizes.

    >>> from hedgerow.claims import KAnonymity, ProsecutorRisk
    >>> least_of([KAnonymity(k=5), ProsecutorRisk(risk=0.09)])
    12
    """
    return max((m.least_people for m in models if m.least_people is not None), default=None)


def _ranked(
    values: Sequence[Value], codes: NDArray[np.int32]
) -> tuple[tuple[Value, ...], NDArray[np.int32]]:
    """Values in the order of their text, missing last; the engine's order differs every time."""
    order = sorted(range(len(values)), key=lambda i: (values[i] is None, values[i] or ""))
    rank = np.empty(max(1, len(values)), np.int32)
    rank[order] = np.arange(len(values), dtype=np.int32)
    return tuple(values[i] for i in order), rank[codes]


def _model(entry: Mapping[str, Any]) -> PrivacyModel | None:
    if entry["model"] is None:
        return None
    try:
        return rebuilt(entry["model"])
    except HedgerowError:
        return None
