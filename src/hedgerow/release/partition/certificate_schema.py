"""The form of a recoded table's certificate, version 2: what stands in it.

A change of meaning is a new version; readers of version 2 refuse keys they do not know.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, model_validator

from hedgerow.release.certificate_parts import (
    Data,
    Files,
    Form,
    LedgerPlace,
    People,
    Signature,
    Software,
    Statements,
)
from hedgerow.table.schema import Role

Roles = dict[str, Annotated[Role, Field(strict=False)]]


class RecodingLibraries(Form):
    """Versions of what the software stands on."""

    duckdb: str
    numpy: str
    pyarrow: str


class RecodingSoftware(Software):
    """What made the release."""

    libraries: RecodingLibraries


class PeopleOfSource(Form):
    """People of the source."""

    in_source: People
    left_out: People
    unit: Literal["people", "rows"] = Field(
        default="people",
        description="What both count: rows, where a person may have several that are published.",
    )


class ClaimStated(Form):
    """A claim of the plan."""

    claim: str
    model: dict[str, Any] | None = Field(
        description="Its parameters; null where they must not be published, which only those of "
        "claims about beliefs must not."
    )


class Weighed(Form):
    """What matters more to the publisher."""

    weights: dict[str, Annotated[float, Field(gt=0)]] = Field(
        default={}, description="Of quasi-identifiers, where they do not matter alike."
    )
    suppression: Annotated[float, Field(ge=0, le=1)] = Field(
        default=0.5, description="What suppressing counts next to generalising; 0.5 is even."
    )


class PlanStated(Statements):
    """The plan, without places on the publisher's machine."""

    columns: Roles
    person: str | None
    rows: Annotated[int, Field(ge=1, le=2**63 - 1)] | None = Field(
        default=None,
        description="Where a person column is named: the most rows of a person that are published.",
    )
    within_person: dict[str, Literal["most-frequent", "smallest", "largest"]] = Field(
        default={},
        description="Which of a person's values were published, where their rows could differ.",
    )
    from_data: list[str] = Field(
        default=[],
        description="Columns whose hierarchy was made by looking at the data, so that its labels "
        "tell about them.",
    )
    null: list[str]
    protect: list[ClaimStated]
    method: dict[str, Any]
    utility: str
    weighed: Weighed | None = Field(
        default=None, description="What of it the publisher weighed; left out where nothing."
    )
    chosen_by_keep: Literal[True] | None = Field(
        default=None,
        description="Whether the recoding was chosen by comparing analyses of the source with "
        "those of releases; what they were is not told. Left out where it was not.",
    )
    escape_formulas: bool


class RecodingStated(Form):
    """How the quasi-identifiers were made coarser."""

    kind: str
    levels: dict[str, People] = Field(default={}, description="Only of full-domain recodings.")


class TaxonomyStated(Form):
    """What claims have to know of the values of a sensitive column; all of them are published."""

    order: list[str | None] = Field(
        description="The values in order, as the file has them.",
        json_schema_extra={"uniqueItems": True},
    )
    levels: list[list[str | None]] = Field(
        description="For each level above the values, the node each value belongs to."
    )

    @model_validator(mode="after")
    def _fits(self) -> TaxonomyStated:
        if len(set(self.order)) != len(self.order):
            raise ValueError("a value stands twice in the order")
        if any(len(nodes) != len(self.order) for nodes in self.levels):
            raise ValueError("a level has not one node for each value")
        return self


class SpellingsStated(Form):
    """Values of a sensitive column that a reader may take for one, and what became of them.

    Only values that are published are listed, as the source has them.
    """

    one: bool = Field(
        description="Whether each value was published in one spelling, but for those that differ."
    )
    distinct: list[list[str | None]] = Field(
        description="Spellings that the plan says are different values."
    )
    both: list[list[str | None]] = Field(
        description="Spellings of which nobody says whether they are one value: every claim about "
        "the column was judged both ways, and the worse level counts."
    )


class MicroaggregateStated(Form):
    """A column of which everybody of a group has the same value."""

    coding: Literal["microaggregate"]
    by: Literal["mean", "median", "mode"]
    groups: list[str] = Field(description="Columns in which people of a group agree.")
    least: Annotated[int, Field(ge=1, le=2**63 - 1)] = Field(
        description="Where fewer people of a group have a value, it is missing."
    )


class EarlierStated(Form):
    """Earlier releases of a column about the same people, in the publisher's ledger."""

    releases: Annotated[int, Field(ge=1, le=2**63 - 1)]
    epsilon: Annotated[float, Field(ge=0)] | None = Field(
        description="Of all of them and this one together; null where it is infinite."
    )


class PramStated(Form):
    """A column whose values were drawn anew by a matrix."""

    coding: Literal["pram"]
    kind: Literal["uniform", "invariant", "matrix"]
    stay: str | None = Field(
        default=None, description="Of uniform: the chance to stay; of invariant: not to be drawn."
    )
    values: list[str | None] = Field(min_length=1, json_schema_extra={"uniqueItems": True})
    counts: list[Annotated[int, Field(ge=1, le=2**63 - 1)]] | None = Field(
        default=None, description="Of invariant: in which proportions values are drawn."
    )
    matrix: list[list[str]] | None = Field(
        default=None,
        description="Of matrix: for each true value the chances of the published ones, exactly.",
    )
    epsilon: Annotated[float, Field(ge=0)] | None = Field(
        description="The logarithm of the largest ratio in a column of the matrix; null where it "
        "is infinite. It is about this column alone."
    )
    most_changed: str = Field(description="The largest chance of a value to be changed.")
    from_data: bool = Field(description="Whether the values, or their shares, are the data's.")
    earlier: EarlierStated | None = None


class SwapStated(Form):
    """A column of which pairs of people exchanged their values."""

    coding: Literal["swap"]
    rate: str = Field(description="The share of people in pairs.")
    within: list[str] = Field(description="Columns in which both of a pair agree.")


CodingStated = Annotated[
    MicroaggregateStated | PramStated | SwapStated, Field(discriminator="coding")
]


class WorstGroup(Form):
    """The group that decides the level."""

    group: dict[str, str | None] = Field(description="Its quasi-identifiers as published.")
    records: Annotated[int, Field(ge=1, le=2**63 - 1)]


class ClaimMeasured(Form):
    """A claim and what was measured."""

    claim: str
    model: dict[str, Any] | None
    holds: bool
    level: float | None = Field(description="Null where it is withheld or infinite.")
    level_withheld: str | None = Field(default=None, description="Why.")
    required: float | None
    margin: float | None = Field(description="Between level and required; null as the level is.")
    worst: WorstGroup | None
    adversary: str
    predicates: str | None = None
    decided: str | None = None
    not_verifiable: str | None = Field(
        description="Why nobody can re-check it without the raw data; null where one can."
    )


class RecodedCertificate(Form):
    """What was claimed of a release, measured, and done."""

    model_config = ConfigDict(title="Hedgerow certificate")

    format: Literal["hedgerow-certificate/2"]
    software: RecodingSoftware
    population: str | None
    data: Data
    files: Files
    people: PeopleOfSource
    plan: PlanStated
    recoding: RecodingStated
    search: dict[str, Any] = Field(description="How the recoding was found.")
    optimal: bool
    sensitive: dict[str, TaxonomyStated]
    spellings: dict[str, SpellingsStated] = Field(
        default={}, description="Columns whose values may be read as others of their values."
    )
    codings: dict[str, CodingStated] = Field(
        default={},
        description="Columns that are published otherwise than the claims judge them.",
    )
    claims: list[ClaimMeasured] = Field(min_length=1)
    utility: dict[str, float | None] = Field(
        description="Empty where who is in the table is what a claim hides."
    )
    measured_on: str
    ledger: LedgerPlace | None
    with_: list[str] = Field(alias="with", description="Earlier releases that were considered.")
    protected: str
    signature: Signature | None = None
