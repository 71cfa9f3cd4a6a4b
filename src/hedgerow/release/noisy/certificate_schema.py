"""The form of the certificate of a randomised release, version 2.

`docs/certificate.schema.json` is made from this too. A change of meaning is a new version.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field, model_validator

from hedgerow.release.certificate_schema import (
    Configured,
    Data,
    Files,
    Form,
    Sha256,
    Signature,
    Tip,
)

FORMAT = "hedgerow-randomised/2"

Exact = Annotated[
    str, Field(pattern=r"^-?([0-9]{1,400}(\.[0-9]{1,1100})?|[0-9]{1,400}/[1-9][0-9]{0,400})$")
]
"""A number as a decimal, or as a fraction where no decimal is equal to it."""
Whole = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Name = Annotated[str, Field(min_length=1)]


class Libraries(Form):
    """Versions of what the software stands on."""

    duckdb: str
    numba: str
    numpy: str
    opendp: str
    pyarrow: str


class Software(Form):
    """What made the release; the same software on such a machine makes the same files again."""

    name: str
    version: str
    python: str
    machine: str
    libraries: Libraries
    configured: Configured


class Loss(Form):
    """Epsilon, epsilon and delta, or rho; exact."""

    epsilon: Exact | None = None
    delta: Exact | None = None
    rho: Exact | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Loss:
        if set(self.model_fields_set) not in ({"epsilon"}, {"epsilon", "delta"}, {"rho"}):
            raise ValueError("a loss is an epsilon, an epsilon with a delta, or a rho")
        if None in (getattr(self, name) for name in self.model_fields_set):
            raise ValueError("a loss has numbers")
        return self


class Neighbours(Form):
    """Which two tables the release does not tell apart."""

    kind: Literal["add-remove", "change-one"]
    rows: Positive = Field(description="The most rows of one person that count.")
    words: str


class Noise(Form):
    """What was added to each count of each table."""

    distribution: Literal["discrete Laplace", "discrete Gaussian"]
    scale: Exact
    half_width_95: Whole = Field(description="How far it moves a number at most in 95 % of cases.")


class Sensitivity(Form):
    """What one person changes in all tables together."""

    l1: Positive = Field(description="The sum of the absolute changes.")
    l2_squared: Positive = Field(description="The sum of the squared changes.")


class Domain(Form):
    """The public values of a column: listed, or numbers between bounds."""

    column: Name
    values: list[str | None] | None = Field(
        default=None, min_length=1, description="Null stands for missing values."
    )
    bounds: Annotated[list[Exact], Field(min_length=2, max_length=2)] | None = None
    step: Exact | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Domain:
        listed = self.values is not None
        if listed == (self.bounds is not None) or listed == (self.step is not None):
            raise ValueError("a domain has values, or bounds and a step")
        return self


class Tabulated(Form):
    """One table, by its number in the file, from 1 on."""

    columns: list[Name] = Field(min_length=1)
    cells: Positive


class Counting(Form):
    """What a count is, before noise."""

    of: Literal["people"]
    person: str | None = Field(description="The column that says whose row it is.")
    one_row_per_person: bool = Field(
        default=False,
        description="The publisher's statement that every row is another person; not checked.",
    )
    ids_as_written: bool = Field(
        default=False,
        description="The publisher's statement that person IDs that differ only in spelling belong "
        "to different people; not checked.",
    )
    not_keys: list[str] = Field(
        default=[],
        description="Columns of which the publisher states that they do not identify people; not "
        "checked.",
    )
    null: list[str] = Field(description="Texts that were read as missing.")
    rules: list[str]


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


class Randomised(Form):
    """What was published with noise, how much noise, and what that means."""

    model_config = ConfigDict(title="Hedgerow certificate of a randomised release")

    format: Literal["hedgerow-randomised/2"]
    software: Software
    population: Name
    claim: str
    loss: Loss
    price: Loss = Field(description="What the plan allowed; the loss is never more.")
    spent: dict[Literal["epsilon", "delta", "rho"], str] = Field(
        description="What the ledger was charged."
    )
    neighbours: Neighbours
    noise: Noise
    sensitivity: Sensitivity
    domains: list[Domain] = Field(min_length=1, description="Public; not from the data.")
    tables: list[Tabulated] = Field(min_length=1)
    counting: Counting
    counts: TablesFile
    consistency: Consistency
    data: Data | None = Field(description="The file of made-up rows; null where there are none.")
    files: Files
    synthetic: Synthetic | None
    ledger: Tip
    protected: str
    signature: Signature | None = None
