"""SafeRecord: what the ledger has of a safe release. All that is published follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow.answers.charge import read_kept
from hedgerow.base.canonical_json import canonical
from hedgerow.noise.measures import Approximate
from hedgerow.release.safe.design import SampledGroups, Sampling
from hedgerow.release.safe.request import PublishedColumns, SafeRequest, labelled
from hedgerow.release.safe.terms import SafeTerms
from hedgerow.table.groups import Ints
from hedgerow.table.hierarchy import Codes

FORMAT = "hedgerow-safe-kept/1"


@dataclass(frozen=True, eq=False, kw_only=True)
class SafeRecord:
    """The request, the levels, and the published groups: never who was drawn, nor of how many."""

    asked: Mapping[str, Any]
    """The request's JSON."""
    rules: tuple[str, ...]
    """Which rows count."""
    node: tuple[int, ...]
    labels: tuple[tuple[str | None, ...], ...]
    """For each column, what may be published at its level."""
    codes: Codes
    """SampledGroups tuples, sorted; places in `labels`."""
    counts: Ints
    """Rows of each."""
    k: int
    """Groups with fewer drawn people were left out."""
    ledger: Mapping[str, Any]
    """Where in the ledger it was reserved."""

    @classmethod
    def of(
        cls, request: SafeRequest, found: SampledGroups, ledger: Mapping[str, Any]
    ) -> SafeRecord:
        """What was made as the request says."""
        return cls(
            asked=request.as_json(),
            rules=Sampling(request).notes,
            node=tuple(map(int, found.node)),
            labels=tuple(
                column.hierarchy.labels[level]
                for column, level in zip(request.columns, found.node, strict=True)
            ),
            codes=found.codes,
            counts=found.counts,
            k=request.terms.safe.k,
            ledger=ledger,
        )

    @cached_property
    def terms(self) -> SafeTerms:
        """What is promised."""
        return SafeTerms.read(self.asked)

    @property
    def loss(self) -> Approximate:
        """What it costs."""
        return self.terms.loss

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(one["column"] for one in self.asked["columns"])

    @property
    def shown(self) -> PublishedColumns:
        """The columns with what a file may have of them."""
        pairs = zip(self.names, self.labels, strict=True)
        return PublishedColumns([labelled(name, labels) for name, labels in pairs])

    @property
    def records(self) -> Codes:
        """A row a person, in sorted order."""
        return np.repeat(self.codes, self.counts, axis=0)

    def to_bytes(self) -> bytes:
        """What the ledger keeps."""
        return canonical(
            {
                "format": FORMAT,
                "asked": dict(self.asked),
                "rules": list(self.rules),
                "node": list(self.node),
                "labels": [list(labels) for labels in self.labels],
                "codes": self.codes.tolist(),
                "counts": self.counts.tolist(),
                "k": self.k,
                "ledger": dict(self.ledger),
            }
        )

    @classmethod
    def read(cls, content: bytes) -> SafeRecord:
        """From the bytes in the ledger.

        Raises:
            DataError: They are of a version that is not known here.
        """
        told = read_kept(content, FORMAT)
        return cls(
            asked=told["asked"],
            rules=tuple(told["rules"]),
            node=tuple(told["node"]),
            labels=tuple(tuple(labels) for labels in told["labels"]),
            codes=np.array(told["codes"], np.int32).reshape(-1, len(told["node"])),
            counts=np.array(told["counts"], np.int64),
            k=told["k"],
            ledger=told["ledger"],
        )
