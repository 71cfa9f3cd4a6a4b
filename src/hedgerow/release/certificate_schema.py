"""The form of a certificate, version 2: what stands in it, and of which kind it is.

`docs/certificate.schema.json` is made from this. A change of meaning is a new version; readers
of version 2 refuse keys they do not know.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic.json_schema import GenerateJsonSchema

from hedgerow.table.schema import Role

FORMAT = "hedgerow-certificate/2"
OLD = ("hedgerow-certificate/0", "hedgerow-certificate/1")
"""Formats whose recoding can be applied again, and which say too little to be verified."""

DEEPEST = 20
"""How many mappings and lists are in each other, at most; ten would do."""
LARGEST = 10**300
"""No number is larger, and none is not finite."""

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Base64 = Annotated[str, Field(pattern=r"^[A-Za-z0-9+/]+={0,2}$")]
People = Annotated[int, Field(ge=0, le=2**63 - 1)]
Roles = dict[str, Annotated[Role, Field(strict=False)]]


class Form(BaseModel):
    """A mapping of the certificate: these keys, no others."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Libraries(Form):
    """Versions of what the software stands on."""

    duckdb: str
    numpy: str
    pyarrow: str


class Configured(Form):
    """How the software was told to write; how to search is in the plan."""

    format: Literal["csv", "parquet", "table"]
    escape_formulas: bool


class Software(Form):
    """What made the release."""

    name: str
    version: str
    python: str
    libraries: Libraries
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


class Counted(Form):
    """People of the source."""

    in_source: People
    left_out: People
    unit: Literal["people", "rows"] = Field(
        default="people",
        description="What both count: rows, where a person may have several that are published.",
    )


class Promised(Form):
    """A claim of the plan."""

    claim: str
    model: dict[str, Any] | None = Field(
        description="Its parameters; null where they must not be published, which only those of "
        "epsilon-privacy must not."
    )


class Planned(Form):
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
    null: list[str]
    protect: list[Promised]
    method: dict[str, Any]
    utility: str
    escape_formulas: bool


class Recoded(Form):
    """How the quasi-identifiers were made coarser."""

    kind: str
    levels: dict[str, People] = Field(default={}, description="Only of full-domain recodings.")


class Taxonomy(Form):
    """What claims have to know of the values of a sensitive column; all of them are published."""

    order: list[str | None] = Field(
        description="The values in order, as the file has them.",
        json_schema_extra={"uniqueItems": True},
    )
    levels: list[list[str | None]] = Field(
        description="For each level above the values, the node each value belongs to."
    )

    @model_validator(mode="after")
    def _fits(self) -> Taxonomy:
        if len(set(self.order)) != len(self.order):
            raise ValueError("a value stands twice in the order")
        if any(len(nodes) != len(self.order) for nodes in self.levels):
            raise ValueError("a level has not one node for each value")
        return self


class Spelled(Form):
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


class Worst(Form):
    """The group that decides the level."""

    group: dict[str, str | None] = Field(description="Its quasi-identifiers as published.")
    records: Annotated[int, Field(ge=1, le=2**63 - 1)]


class Claimed(Form):
    """A claim and what was measured."""

    claim: str
    model: dict[str, Any] | None
    holds: bool
    level: float | None = Field(description="Null where it is withheld or infinite.")
    level_withheld: str | None = Field(default=None, description="Why.")
    required: float | None
    margin: float | None = Field(description="Between level and required; null as the level is.")
    worst: Worst | None
    adversary: str
    predicates: str | None = None
    decided: str | None = None
    not_verifiable: str | None = Field(
        description="Why nobody can re-check it without the raw data; null where one can."
    )


class Tip(Form):
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


class Certificate(Form):
    """What was claimed of a release, measured, and done."""

    model_config = ConfigDict(title="Hedgerow certificate")

    format: Literal["hedgerow-certificate/2"]
    software: Software
    population: str | None
    data: Data
    files: Files
    people: Counted
    plan: Planned
    recoding: Recoded
    search: dict[str, Any] = Field(description="How the recoding was found.")
    optimal: bool
    sensitive: dict[str, Taxonomy]
    spellings: dict[str, Spelled] = Field(
        default={}, description="Columns whose values may be read as others of their values."
    )
    claims: list[Claimed] = Field(min_length=1)
    utility: dict[str, float | None] = Field(
        description="Empty where who is in the table is what a claim hides."
    )
    measured_on: str
    ledger: Tip | None
    with_: list[str] = Field(alias="with", description="Earlier releases that were considered.")
    protected: str
    signature: Signature | None = None


def certificate_json_schema() -> dict[str, Any]:
    """The forms as JSON Schema, for everybody's own tools."""
    from hedgerow.release.noisy.certificate_schema import Randomised
    from hedgerow.release.safe.certificate_schema import Safe

    either: TypeAdapter[Any] = TypeAdapter(
        Annotated[Certificate | Randomised | Safe, Field(discriminator="format")]
    )
    return {"$schema": GenerateJsonSchema.schema_dialect, **either.json_schema(by_alias=True)}


def misfit(certificate: dict[str, Any], form: type[Form] | None = None) -> str | None:
    """What about the certificate does not have the form, in words; None where all of it has.

    Args:
        certificate: The certificate.
        form: That of a table of people's records if left out.
    """
    if (strange := _unwritable(certificate)) is not None:
        return strange
    try:
        (form or Certificate).model_validate(certificate)
    except ValidationError as error:
        first, *more = error.errors(include_url=False, include_input=False)
        place = ".".join(map(str, first["loc"])) or "the certificate"
        others = f" (and {len(more)} more)" if more else ""
        return f"{place}: {first['msg'].lower()}{others}"
    return None


def _unwritable(value: Any) -> str | None:
    """What is in it anywhere that no certificate holds, whatever stands around it."""
    left: list[tuple[Any, int]] = [(value, 0)]
    while left:
        item, depth = left.pop()
        if isinstance(item, dict | list):
            if depth == DEEPEST:
                return "it is nested too deeply"
            parts = [*item, *item.values()] if isinstance(item, dict) else item
            left += [(part, depth + 1) for part in parts]
        elif isinstance(item, str):
            if not _is_unicode(item):
                return "it holds text that is not Unicode"
        elif isinstance(item, int | float) and not -LARGEST <= item <= LARGEST:
            return "it holds a number that is too large, or none"
    return None


def _is_unicode(text: str) -> bool:
    """Halves of characters, which JSON can spell, are not."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
