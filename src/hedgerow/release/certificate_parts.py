"""The parts that certificates of all kinds have in common."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Base64 = Annotated[str, Field(pattern=r"^[A-Za-z0-9+/]+={0,2}$")]
People = Annotated[int, Field(ge=0, le=2**63 - 1)]


class Form(BaseModel):
    """A mapping of the certificate: these keys, no others."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Configured(Form):
    """How the software was told to write; how to search is in the plan."""

    format: Literal["csv", "parquet", "table"]
    escape_formulas: bool


class Software(Form):
    """What made the release."""

    name: str
    version: str
    python: str
    configured: Configured


class Data(Form):
    """The published file or table."""

    file: Literal["data.csv", "data.parquet", "table"] = Field(
        description="Its name; `table` where the release is a table of a database or a cluster."
    )
    rows: People
    columns: list[str] = Field(description="Published columns in order, as the source names them.")
    sha256: Sha256 = Field(
        description="Of the file's bytes; of a table, of its rows in whatever order."
    )


Files = Annotated[
    dict[Literal["data.csv", "data.parquet", "tables.csv", "report.html"], Sha256],
    Field(
        description="Every file of the folder but the certificate, with the SHA-256 of its bytes; "
        "nothing else may be in it. Empty where the release is a table."
    ),
]


class LedgerPlace(Form):
    """Where the ledger stood when the release was made."""

    id: str
    seq: People
    hash: str
    reservation: str
    stated: list[str] | None = Field(
        default=None, description="What the publisher states about the people, unchecked."
    )


class Signature(Form):
    """Over the canonical JSON of everything else."""

    algorithm: Literal["ed25519"]
    public_key: Base64
    value: Base64


class Statements(Form):
    """What the publisher states about rows and people; nobody checks it."""

    one_row_per_person: bool = Field(
        default=False,
        description="The publisher's statement that every row is another person; not checked.",
    )
    ids_as_written: bool = Field(
        default=False,
        description="The publisher's statement that person IDs that differ only in spelling belong "
        "to different people; not checked.",
    )
    ages: dict[str, Annotated[list[str], Field(min_length=2, max_length=2)]] = Field(
        default={},
        description="Columns that were added to the source: the age in whole years, between the "
        "date of birth and the date of an event, each a column of the source.",
    )
    not_keys: list[str] = Field(
        default=[],
        description="Columns of which the publisher states that they do not identify people; not "
        "checked.",
    )
