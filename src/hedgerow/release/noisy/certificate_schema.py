"""The form of the certificate of a randomised release, version 2.

A change of meaning is a new version.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, model_validator

from hedgerow.release.certificate_parts import Data, Files, Form, LedgerPlace, Sha256, Signature
from hedgerow.release.charge.certificate_parts import (
    ChargedSoftware,
    DomainStated,
    Exact,
    Name,
    NeighboursStated,
    Positive,
    RowsCounted,
    Whole,
)


class LossStated(Form):
    """Epsilon, epsilon and delta, or rho; exact."""

    epsilon: Exact | None = None
    delta: Exact | None = None
    rho: Exact | None = None

    @model_validator(mode="after")
    def _is_one(self) -> LossStated:
        if set(self.model_fields_set) not in ({"epsilon"}, {"epsilon", "delta"}, {"rho"}):
            raise ValueError("a loss is an epsilon, an epsilon with a delta, or a rho")
        if None in (getattr(self, name) for name in self.model_fields_set):
            raise ValueError("a loss has numbers")
        return self


class NoiseStated(Form):
    """What was added to each count of each table."""

    distribution: Literal["discrete Laplace", "discrete Gaussian"]
    scale: Exact
    half_width_95: Whole = Field(description="How far it moves a number at most in 95 % of cases.")


class SensitivityStated(Form):
    """What one person changes in all tables together."""

    l1: Positive = Field(description="The sum of the absolute changes.")
    l2_squared: Positive = Field(description="The sum of the squared changes.")


class TableStated(Form):
    """One table, by its number in the file, from 1 on."""

    columns: list[Name] = Field(min_length=1)
    cells: Positive


class PeopleCounted(RowsCounted):
    """What a count is, before noise."""

    of: Literal["people"]


class TablesFile(Form):
    """The file of tables, a line a cell."""

    file: Literal["tables.csv"]
    lines: Whole
    columns: list[str] = Field(
        description="In order: the table's number, the columns of all tables (* where a table is "
        "not about one), the noisy number, the count made from it."
    )
    sha256: Sha256


class Consistency(Form):
    """How the counts were made from the noisy numbers."""

    method: str
    total: Whole = Field(description="What the counts of each table add up to, but for rounding.")
    digits: Whole = Field(description="Of a count, after the point.")
    disagreement: Annotated[float, Field(ge=0)] = Field(
        description="Two tables differ about one number by at most this."
    )
    mixed: Annotated[float, Field(ge=0, le=1)] = Field(
        description="The share of an even table that was mixed in, so that no count is negative."
    )


class Synthetic(Form):
    """Rows of nobody, made from the counts."""

    method: str
    rows: Whole
    distances: list[Annotated[float, Field(ge=0, le=2.000001)]] = Field(
        description="For each table the L1 distance between its shares and those of the rows."
    )


class RandomisedCertificate(Form):
    """What was published with noise, how much noise, and what that means."""

    model_config = ConfigDict(title="Hedgerow certificate of a randomised release")

    format: Literal["hedgerow-randomised/2"]
    software: ChargedSoftware
    population: Name
    claim: str
    loss: LossStated
    price: LossStated = Field(description="What the plan allowed; the loss is never more.")
    spent: dict[Literal["epsilon", "delta", "rho"], str] = Field(
        description="What the ledger was charged."
    )
    neighbours: NeighboursStated
    noise: NoiseStated
    sensitivity: SensitivityStated
    domains: list[DomainStated] = Field(min_length=1, description="Public; not from the data.")
    tables: list[TableStated] = Field(min_length=1)
    counting: PeopleCounted
    counts: TablesFile
    consistency: Consistency
    data: Data | None = Field(description="The file of made-up rows; null where there are none.")
    files: Files
    synthetic: Synthetic | None
    ledger: LedgerPlace
    protected: str
    signature: Signature | None = None
