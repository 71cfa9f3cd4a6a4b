"""The form of the certificate of a safe release, version 2.

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


class SafeLoss(Form):
    """Epsilon and delta, exactly."""

    epsilon: Exact
    delta: Exact


class Drawing(Form):
    """Who is in the sample."""

    beta: Exact = Field(description="The chance of each person to be drawn.")
    drawn: Literal["here", "before"] = Field(
        description="here: from the table, by the software. before: the table is a sample "
        "itself, which was stated and not checked."
    )
    assumption: str
    k: Positive | None = Field(
        default=None,
        description="That was asked for; left out where it is the smallest that keeps the price.",
    )


class PublicTable(Form):
    """The public data on which levels were chosen; stated, not checked, to be about others."""

    file: Name = Field(description="Its name, without folders.")
    sha256: Sha256
    row: Exact = Field(description="What a row was worth by itself, next to 1 for one unrecoded.")


class ChosenLevels(Form):
    """How the levels were chosen by looking at the data, at a price that is in the loss."""

    epsilon: Exact = Field(description="Of each choice.")
    steps: Positive | None = Field(description="Null: one choice among all.")
    row: Exact = Field(description="What a row is worth by itself, next to 1 for one unrecoded.")
    among: Positive = Field(description="How many combinations of levels there are.")


class PublishedColumn(DomainStated):
    """A column: what may be in the data, and what is published of it."""

    levels: Annotated[list[Whole], Field(min_length=2, max_length=2)] = Field(
        description="The lowest and the highest that might have been published."
    )
    level: Whole = Field(description="That is published.")
    labels: list[str | None] = Field(
        min_length=1, description="All that may stand in the file at this level."
    )
    hierarchy: Sha256 = Field(description="Digest of all labels of all levels.")

    @model_validator(mode="after")
    def _within(self) -> PublishedColumn:
        if not self.levels[0] <= self.level <= self.levels[1]:
            raise ValueError("the published level is not one of the levels")
        if len(set(self.labels)) < len(self.labels):
            raise ValueError("a label stands twice")
        return self


class SafeCertificate(Form):
    """What was published of a sample, how people were drawn, and what that means."""

    model_config = ConfigDict(title="Hedgerow certificate of a safe release")

    format: Literal["hedgerow-safe/2"]
    software: ChargedSoftware
    population: Name
    claim: str
    k: Positive = Field(description="Groups of fewer drawn people were left out.")
    loss: SafeLoss
    price: SafeLoss = Field(description="What the plan allowed; the loss is never more.")
    spent: dict[Literal["epsilon", "delta"], str] = Field(
        description="What the ledger was charged."
    )
    neighbours: NeighboursStated
    sampling: Drawing
    choice: ChosenLevels | None = Field(
        description="Null where the plan fixed all levels, or they are from public data."
    )
    public: PublicTable | None = Field(
        default=None, description="Left out where levels are not from public data."
    )
    columns: list[PublishedColumn] = Field(min_length=1)
    counting: RowsCounted
    data: Data
    files: Files
    ledger: LedgerPlace
    protected: str
    signature: Signature | None = None
