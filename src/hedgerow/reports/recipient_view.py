"""A release as whoever was handed it has it: certificate and data, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.delivery import CERTIFICATE, TABLES
from hedgerow.base.errors import DataError, HedgerowError
from hedgerow.claims.base import PrivacyModel
from hedgerow.claims.serialisation import rebuilt
from hedgerow.engines import open_engine
from hedgerow.release.certificate_check import another_file
from hedgerow.release.certificate_schema import misfit
from hedgerow.release.data_file import written_text
from hedgerow.table.certificate_file import RANDOMISED, SAFE, read_certificate
from hedgerow.table.encoding import encoded
from hedgerow.table.groups import Ints
from hedgerow.table.pack import distinct
from hedgerow.table.schema import Role

Kind = Literal["recoded", "randomised", "safe"]
Value = str | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Counted:
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
    def of(cls, columns: Sequence[str], texts: Sequence[Any], n: Ints) -> Counted:
        """Put together what was counted.

        Args:
            columns: The columns.
            texts: For each column an Arrow array: its value in each entry.
            n: The rows of each entry.
        """
        if not texts:
            none = np.zeros((1, 0), np.int32)
            return cls(columns=(), texts=(), codes=none, rows=n.sum(keepdims=True))
        ranked = [_ranked(*encoded(text)) for text in texts]
        codes = np.stack([ranks for _, ranks in ranked], axis=1)
        first, into = distinct(codes, [len(values) for values, _ in ranked])
        rows = np.bincount(into, weights=n, minlength=len(first)).astype(np.int64)
        order = np.lexsort(codes[first].T[::-1])
        return cls(
            columns=tuple(columns),
            texts=tuple(values for values, _ in ranked),
            codes=codes[first][order],
            rows=rows[order],
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Handed:
    """What somebody has who was given the folder."""

    folder: Path
    certificate: Mapping[str, Any]
    kind: Kind
    known: Counted | None = None
    """The groups, where they have just been counted in the file."""

    @classmethod
    def read(cls, folder: Path, *, own: bool = False, known: Counted | None = None) -> Handed:
        """Read a folder, and see that certificate and files belong together.

        Args:
            folder: The release.
            own: Whether it was just written here, so that there is nothing to doubt.
            known: The groups, where they have just been counted in the file.

        Raises:
            DataError: It is no release, or not as it was published.
        """
        certificate = read_certificate(folder, randomised=True)
        told = str(certificate.get("format"))
        kind: Kind = "recoded"
        form: Any = None
        if told.startswith(RANDOMISED):
            from hedgerow.release.noisy.certificate_schema import Randomised

            kind, form = "randomised", Randomised
        elif told.startswith(SAFE):
            from hedgerow.release.safe.certificate_schema import Safe

            kind, form = "safe", Safe
        if wrong := misfit(certificate, form):
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
        return cls(folder=folder, certificate=certificate, kind=kind, known=known)

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
    def groups(self) -> Counted:
        """The groups a reader of the file can tell apart by its quasi-identifiers."""
        if self.known is not None and self.known.columns == self.quasi:
            return self.known
        return self.counted(self.quasi)

    @cached_property
    def whole(self) -> Counted:
        """The different rows of the file."""
        return self.counted(self.columns)

    def counted(self, columns: Sequence[str]) -> Counted:
        """Count the published rows by some columns."""
        file = self.file
        assert file is not None, "only where there are rows"
        alone = file.suffix == ".csv" and len(self.columns) == 1
        text = written_text(escaped=self.escaped, alone=alone)
        with open_engine(file, delimiter="," if file.suffix == ".csv" else None) as engine:
            headers = [str(text(name)) for name in columns]
            if absent := [name for name in headers if name not in engine.columns()]:
                raise DataError(
                    f"the file has no column {absent[0]!r}",
                    where=str(file),
                    fix="Ask for the release as it was published.",
                )
            found = engine.counts(headers)
        n = np.asarray(found["n"].to_numpy(), np.int64)
        return Counted.of(columns, [found[f"q{j}"] for j in range(len(headers))], n)

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
