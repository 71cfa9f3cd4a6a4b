"""The parts that certificates of all releases that spend have in common."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from hedgerow.release.certificate_parts import Form, Software, Statements

Exact = Annotated[
    str, Field(pattern=r"^-?([0-9]{1,400}(\.[0-9]{1,1100})?|[0-9]{1,400}/[1-9][0-9]{0,400})$")
]
"""A number as a decimal, or as a fraction where no decimal is equal to it."""
Whole = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Name = Annotated[str, Field(min_length=1)]


class ChargedLibraries(Form):
    """Versions of what the software stands on."""

    duckdb: str
    numba: str
    numpy: str
    opendp: str
    pyarrow: str


class ChargedSoftware(Software):
    """What made the release; the same software on such a machine makes the same files again."""

    machine: str
    libraries: ChargedLibraries


class NeighboursStated(Form):
    """Which two tables the release does not tell apart."""

    kind: Literal["add-remove", "change-one"]
    rows: Positive = Field(description="The most rows of one person that count.")
    words: str


class DomainStated(Form):
    """The public values of a column: listed, or numbers between bounds."""

    column: Name
    values: list[str | None] | None = Field(
        default=None, min_length=1, description="Null stands for missing values."
    )
    bounds: Annotated[list[Exact], Field(min_length=2, max_length=2)] | None = None
    step: Exact | None = None

    @model_validator(mode="after")
    def _is_one(self) -> DomainStated:
        listed = self.values is not None
        if listed == (self.bounds is not None) or listed == (self.step is not None):
            raise ValueError("a domain has values, or bounds and a step")
        return self


class RowsCounted(Statements):
    """Which rows count."""

    person: str | None = Field(description="The column that says whose row it is.")
    null: list[str] = Field(description="Texts that were read as missing.")
    rules: list[str]
