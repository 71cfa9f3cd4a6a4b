"""Plan: whose privacy, which columns, which claims, how, and where to. One YAML document."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import (
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationInfo,
    WrapValidator,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import PydanticCustomError

from hedgerow.base.errors import PlanError
from hedgerow.base.problems import Place, PlanErrors, Problem, raise_all, short
from hedgerow.engines.formats import COMPRESSED, format_of
from hedgerow.engines.source_form import SourceForm
from hedgerow.plan.claims import Claim
from hedgerow.plan.column_sets import ColumnSet
from hedgerow.plan.columns import ColumnPlan
from hedgerow.plan.contradictions import contradictions
from hedgerow.plan.domains import refuse_from_data
from hedgerow.plan.fields import Destination, PlanMapping, PublishedRows, Source, TableSource
from hedgerow.plan.json_schema import json_schema
from hedgerow.plan.keep import KeptAnalysis
from hedgerow.plan.methods import PRICED, Method
from hedgerow.plan.policies import PolicyPlan
from hedgerow.plan.privacy import PrivacyPlan, domain_of, needed, tables_of
from hedgerow.plan.registry_keys import EngineName
from hedgerow.plan.source_form import ReadPlan, joined
from hedgerow.plan.table_fit import misfits
from hedgerow.plan.text_places import is_domain as _is_domain
from hedgerow.plan.text_places import is_text as _is_text
from hedgerow.plan.utility import Utility
from hedgerow.plan.validation import validated
from hedgerow.plan.yaml_document import Document, parse_document, read_document
from hedgerow.table.column_codings import Codings
from hedgerow.table.hierarchy_builders import FromCsv, Spec
from hedgerow.table.rules import Rules
from hedgerow.table.schema import Role, Schema
from hedgerow.table.value_order import named

if TYPE_CHECKING:
    from hedgerow.claims.base import PrivacyModel
    from hedgerow.noise.blowfish.plan_policy import Stated
    from hedgerow.noise.neighbours import Neighbours
    from hedgerow.table.domain import Domain

__all__ = ["Method", "Plan", "PlanErrors", "plan_json_schema"]


class Publish(PlanMapping):
    """Where the release goes."""

    brief: ClassVar[str] = "to"

    to: Destination = Field(
        description="Folder of the release; or a table: postgresql://…::schema.table or "
        "spark://…::table."
    )
    format: Literal["csv", "parquet"] = Field(default="csv", description="Of the data file.")
    escape_formulas: bool = Field(
        default=False,
        description="Put ' before values that a spreadsheet would run as a formula; recorded in "
        "the certificate because it alters data.",
    )


def _or_model(value: Any, validate: Any) -> Any:
    """A privacy model made in Python is taken as it is."""
    # Whoever has such an object has loaded its module; whoever has not must not wait for it.
    base = sys.modules.get("hedgerow.claims.base")
    return value if base and isinstance(value, base.PrivacyModel) else validate(value)


if TYPE_CHECKING:
    ClaimOrModel = Claim | PrivacyModel
else:
    ClaimOrModel = Annotated[Claim, WrapValidator(_or_model)]


class Plan(PlanMapping):
    """Everything `publish` needs to know.

    >>> plan = Plan.of(columns={"age": "quasi-identifier", "disease": "sensitive"},
    ...                protect=[{"k-anonymity": 5}], method={"suppress": "5%"})
    >>> plan.schema().quasi_identifiers, plan.method.suppress
    (('age',), 0.05)
    """

    model_config = ConfigDict(
        title="Hedgerow plan",
        json_schema_extra={
            "required": ["columns"],
            "anyOf": [{"required": ["protect"]}, {"required": ["privacy"]}],
        },
    )

    population: str | None = Field(
        default=None, description="Whose privacy the ledger accounts for: a name of your choice."
    )
    other_people_than: Annotated[tuple[str, ...], Field(strict=False)] = Field(
        default=(),
        description="Populations in the ledger that were published from the same source and are "
        "other people. It is your statement, which the ledger and the certificate repeat.",
    )
    ledger: Source | None = Field(
        default=None,
        description="The record of all releases: a file, or postgresql://… for a database.",
    )
    engine: EngineName | None = Field(
        default=None,
        description="What holds the data, where `source` is only the name of a table.",
    )
    source: TableSource | None = Field(
        default=None,
        description="The data: a file or a pattern of files, postgresql://…::schema.table or "
        "spark://…::table; with `engine`, the name of a table. Never with a password.",
    )
    source_form: ReadPlan | None = Field(
        default=None,
        alias="read",
        description="How the source is written, where it is not UTF-8 with double quotes, decimal "
        "points and ISO dates; `hedgerow init` detects it and writes it down.",
    )
    person: str | None = Field(
        default=None, description="Column that says whose row it is, where people have several."
    )
    rows: PublishedRows | None = Field(
        default=None,
        description="With `person`, where somebody has several rows: `one` row a person is "
        "published, or rows without a person number, `at most 3` of a person.",
    )
    one_row_per_person: bool = Field(
        default=False,
        description="Your statement that every row is another person, where a column that numbers "
        "people repeats. The certificate repeats it.",
    )
    columns: dict[str, ColumnPlan] = Field(
        default={},
        description="Every column of the source, with its role.",
        json_schema_extra={"minProperties": 1},
    )
    null: Annotated[tuple[str, ...], Field(strict=False)] = Field(
        default=(), description="Texts that are read as missing values."
    )
    protect: Annotated[tuple[ClaimOrModel, ...], Field(strict=False)] = Field(
        default=(),
        description="The claims the release must keep, each a line.",
        json_schema_extra={"minItems": 1},
    )
    privacy: PrivacyPlan | None = Field(
        default=None, description="What answers with noise hide; a plan for these needs no claims."
    )
    policy: PolicyPlan | None = Field(
        default=None,
        description="Which values answers with noise must not tell apart; all if left out.",
    )
    method: Method = Field(default=Method(), description="How the release is made.")
    utility: Utility = Field(
        default=Utility(), description="What makes one recoding better than another."
    )
    keep: Annotated[tuple[KeptAnalysis, ...], Field(strict=False)] = Field(
        default=(),
        description="Analyses of the source that a release must not spoil. They are compared "
        "inside; no report or certificate that is handed out shows them.",
        json_schema_extra={"minItems": 1},
    )
    publish: Publish | None = Field(default=None, description="Where the release goes.")

    _document: Document | None = PrivateAttr(default=None)

    @classmethod
    def read(
        cls, path: str | os.PathLike[str], *, source_form: Mapping[str, Any] | None = None
    ) -> Plan:
        """Read a plan file; relative paths in it are seen from its folder.

        Args:
            path: The file.
            source_form: What is said under `read` beside it, key by key in place of what it says.

        Raises:
            PlanErrors: Everything that is wrong with it, sorted by line.
        """
        if not isinstance(path, str | os.PathLike):
            raise PlanError(
                f"a plan is a file, not {short(path)}", fix="Give its path, or a `Plan`."
            )
        path = Path(path)
        table = path.suffix.lower() == COMPRESSED or format_of(path) is not None
        if table and path.exists():
            raise PlanError(
                "this is a table, not a plan",
                where=str(path),
                fix="Name a plan; `hedgerow init` writes a first one for a table.",
            )
        document = read_document(path, as_text=_is_text, or_null=_is_domain)
        if source_form and isinstance(document.data, dict):
            there = document.data.get("read")
            document.data["read"] = joined(there if isinstance(there, dict) else {}, source_form)
        return cls._checked(document, path.parent)

    @classmethod
    def parse(cls, text: str, *, name: str, folder: Path) -> Plan:
        """A plan from its text, as `read` has it from a file.

        Args:
            text: The YAML.
            name: What messages call it, such as "plan.yaml".
            folder: Where relative paths are seen from.

        Raises:
            PlanErrors: Everything that is wrong with it, sorted by line.
        """
        document = parse_document(text, name=name, as_text=_is_text, or_null=_is_domain)
        return cls._checked(document, folder)

    @classmethod
    def _checked(cls, document: Document, folder: Path) -> Plan:
        def where(found: Problem) -> tuple[int, str]:
            line = found.line or document.line(found.place)
            return line, f"{document.name}:{line}"

        if not isinstance(document.data, dict):
            raise PlanError(
                "the plan is empty" if document.data is None else "the plan is not a mapping",
                where=f"{document.name}:1",
                fix="Begin with `columns:` and `protect:`, or let `hedgerow init` write one.",
            )
        plan, problems = validated(cls, document.data, {"folder": folder})
        raise_all([*document.problems, *problems], where)
        assert plan is not None, "no problem means a plan"
        plan._document = document
        return plan

    @classmethod
    def of(
        cls,
        *,
        columns: Mapping[str, Mapping[str, Any] | str],
        protect: Sequence[Mapping[str, Any] | PrivacyModel]
        | Mapping[str, Any]
        | PrivacyModel
        | None = None,
        privacy: Mapping[str, Any] | str | None = None,
        policy: Mapping[str, Any] | None = None,
        method: Mapping[str, Any] | str | None = None,
        utility: Mapping[str, Any] | str | None = None,
        keep: Sequence[Any] | None = None,
        source: str | Path | None = None,
        engine: str | None = None,
        person: str | None = None,
        rows: str | int | None = None,
        one_row_per_person: bool | None = None,
        population: str | None = None,
        other_people_than: Sequence[str] | None = None,
        ledger: str | Path | None = None,
        null: Sequence[str] | None = None,
        publish: Mapping[str, Any] | str | Path | None = None,
        read: Mapping[str, Any] | None = None,
    ) -> Plan:
        """A plan made in Python: as in YAML, but claims may be privacy models too.

        Raises:
            PlanErrors: Everything that is wrong with it.
        """
        if not isinstance(columns, Mapping):
            raise PlanError(
                f"`columns` must say the role of each column, not {short(columns)}",
                fix="For instance columns={'age': 'quasi-identifier', 'illness': 'sensitive'}.",
            )
        from hedgerow.claims.base import PrivacyModel as Model

        if isinstance(protect, Model | Mapping):
            protect = [protect]
        if protect is not None and (isinstance(protect, str) or not isinstance(protect, Sequence)):
            raise PlanError(
                f"`protect` must be a list of claims, not {short(protect)}",
                fix="For instance protect=[KAnonymity(k=5)], or protect=[{'k-anonymity': 5}].",
            )
        given = {
            "columns": {n: dict(c) if isinstance(c, Mapping) else c for n, c in columns.items()},
            "protect": None
            if protect is None
            else [dict(c) if isinstance(c, Mapping) else c for c in protect],
            "privacy": dict(privacy) if isinstance(privacy, Mapping) else privacy,
            "policy": None if policy is None else dict(policy),
            "method": dict(method) if isinstance(method, Mapping) else method,
            "utility": dict(utility) if isinstance(utility, Mapping) else utility,
            "keep": keep,
            "source": source,
            "read": None if read is None else dict(read),
            "engine": engine,
            "person": person,
            "rows": rows,
            "one_row_per_person": one_row_per_person,
            "population": population,
            "other_people_than": other_people_than,
            "ledger": ledger,
            "null": null,
            "publish": dict(publish) if isinstance(publish, Mapping) else publish,
        }
        plan, problems = validated(cls, {k: v for k, v in given.items() if v is not None}, {})
        raise_all(problems, lambda found: (0, _spot(found.place)))
        assert plan is not None, "no problem means a plan"
        return plan

    @model_validator(mode="after")
    def _fits_together(self, info: ValidationInfo) -> Plan:
        broken = (info.context or {}).get("broken", frozenset())
        found = list(contradictions(self, broken))
        if found:
            raise PydanticCustomError("contradictions", "{problems}", {"problems": found})
        return self

    @property
    def form(self) -> SourceForm | None:
        """How the source is written; None where nothing is said of it."""
        return None if self.source_form is None else self.source_form.form

    @property
    def ages(self) -> dict[str, tuple[str, str]]:
        """The ages that are added, and the columns of the two dates of each."""
        return {} if self.source_form is None else self.source_form.ages or {}

    @property
    def ages_json(self) -> dict[str, list[str]]:
        """The same, as requests and certificates have it."""
        return {name: list(both) for name, both in self.ages.items()}

    def form_for(self, source: object) -> SourceForm | None:
        """The same, where this is the plan's own source."""
        if self.source is None or not isinstance(source, str | Path):
            return None
        one, other = (os.path.realpath(str(place)) for place in (source, self.source))
        return self.form if one == other else None

    def models(self) -> tuple[PrivacyModel, ...]:
        """The claims as privacy models, one for each sensitive column a claim is about.

        Raises:
            PlanError: There are no claims, as in a plan that is for answers with noise only.
        """
        if self.method.search in PRICED:
            raise PlanError(
                "a release with noise, or of a sample, makes no claims about groups of people; its "
                "promise is its epsilon (or rho), which no table has by itself",
                where=self.where("method", "search"),
                fix="To measure or keep claims, list them under `protect` and use another search.",
            )
        if not self.protect:
            raise PlanError(
                "nothing is protected: the plan makes no claims that a release could keep",
                where=self.where(),
                fix="List claims under `protect`, such as `- k-anonymity: 5`; or ask for a release "
                "with noise: `method: {search: marginals, epsilon: 1, tables: 2}`.",
            )
        sensitive = self.schema().sensitive
        models: list[PrivacyModel] = []
        for place, claim in enumerate(self.protect):
            if not isinstance(claim, Claim):
                models.append(self.in_order(claim))
                continue
            try:
                made = claim.models(sensitive, null=self.null)
                models.extend(self.in_order(model) for model in made)
            except PlanError as error:
                if error.where is not None:
                    raise
                where = self.where("protect", place, claim.name)
                raise PlanError(error.what, where=where, fix=error.fix) from None
        return tuple(models)

    def in_order(self, model: PrivacyModel) -> PrivacyModel:
        """The claim with the order of its column's values, where it goes by one."""
        if not model.by_order or model.column not in self.columns:
            return model
        stated = self.columns[model.column].stated_order
        if model.stated_order not in (None, stated):
            raise PlanError(
                f"{model} goes by another order than the column's, {named(stated)}",
                where=self.where("columns", model.column),
                fix="Say the order once, in the column.",
            )
        return model.in_order(stated)

    def neighbours(self) -> Neighbours:
        """Who is protected where there is noise: which two tables must look nearly alike.

        Raises:
            PlanError: The plan does not say; there is no default.
        """
        from hedgerow.noise.neighbours import Neighbouring, Neighbours

        if self.privacy is None:
            raise PlanError(
                "the plan does not say who is protected by noise",
                where=self.where(),
                fix=needed(self.person),
            )
        kind = Neighbouring.read(self.privacy.neighbours)
        return Neighbours(kind=kind, rows=self.privacy.rows or 1)

    def domain(self, column: str) -> Domain | None:
        """What everybody may know of a column's values; None where the plan does not say.

        Never taken from the data. A file that the plan names is read.

        Raises:
            PlanError: There is no such column, or a text it lists is read as missing.
            HedgerowError: A file cannot be read or used.
        """
        return domain_of(self, column)

    def stated(self) -> Stated | None:
        """The policy over the plan's public values; None where all values are protected alike.

        Its `policy` has the graphs, its `marginals` and `counts` what everybody knows.

        Raises:
            HedgerowError: A file or a hierarchy of the policy cannot be read or used.
        """
        if self.policy is None:
            return None
        from hedgerow.plan.graphs import stated

        return stated(self)

    def tables(self) -> tuple[ColumnSet, ...]:
        """The tables of a randomised release, each as its columns; none of another release."""
        return tables_of(self)

    @property
    def chosen_by_keep(self) -> bool:
        """Whether analyses of the source have a say in which recoding is published."""
        return self.utility.keep or any(one.within is not None for one in self.keep)

    @property
    def claim_files(self) -> tuple[Path, ...]:
        """Files that claims refer to: what attackers may have seen."""
        claims = (claim for claim in self.protect if isinstance(claim, Claim))
        return tuple(file for claim in claims for file in claim.parameters.files)

    @property
    def hierarchy_files(self) -> tuple[Path, ...]:
        """Files that say how columns become coarser."""
        specs = (column.spec() for column in self.columns.values())
        return tuple(spec.path for spec in specs if isinstance(spec, FromCsv))

    @property
    def not_keys(self) -> tuple[str, ...]:
        """Columns of which the steward states that they do not identify people."""
        return tuple(name for name, column in self.columns.items() if column.key is False)

    @property
    def codings(self) -> Codings:
        """Columns that are published otherwise than claims judge them, as the plan says it."""
        columns = self.columns.items()
        return {name: one.coding.told for name, one in columns if one.coding is not None}

    @property
    def coding_files(self) -> tuple[Path, ...]:
        """Files that say how columns are randomised."""
        codings = (one.coding for one in self.columns.values() if one.coding is not None)
        drawn = (coding.pram for coding in codings if coding.pram is not None)
        return tuple(pram.matrix for pram in drawn if pram.matrix is not None)

    @property
    def ids_as_written(self) -> bool:
        """Whether the steward states that IDs in several spellings are of different people."""
        column = None if self.person is None else self.columns.get(self.person)
        return column is not None and column.key is True

    def schema(  # type: ignore[override]
        self, columns: Sequence[str] | None = None
    ) -> Schema:
        """The roles, in the order of `columns` (those of the source) or of the plan."""
        roles = {name: column.role for name, column in self.columns.items()}
        if self.person is not None:
            roles.setdefault(self.person, Role.IDENTIFIER)
        if columns is not None:
            roles = {name: roles[name] for name in columns if name in roles}
        return Schema(
            roles, self.person, stated=self.one_row_per_person, not_keys=self.not_keys,
            ids_as_written=self.ids_as_written, from_data=self.from_data, coded=self.codings,
            ages=tuple((name, *both) for name, both in self.ages.items()),
        )  # fmt: skip

    def hierarchy_spec(self, column: str) -> Spec:
        """How the column's values become coarser; suppression where the plan does not say."""
        return self.columns[column].spec()

    def public_spec(self, column: str) -> Spec:
        """The same, for what must tell nothing of the data that is not paid for.

        Raises:
            PlanError: It was made by looking at the data.
        """
        where = self.where("columns", column, "hierarchy")
        refuse_from_data(self.columns[column].from_data, column, where=where)
        return self.hierarchy_spec(column)

    @property
    def from_data(self) -> tuple[str, ...]:
        """Columns whose hierarchy was made by looking at the data."""
        return tuple(name for name, column in self.columns.items() if column.from_data)

    @property
    def specs(self) -> dict[str, Spec]:
        """How quasi-identifiers and sensitive values become coarser; suppression if unsaid."""
        known = (Role.QUASI_IDENTIFIER, Role.SENSITIVE)
        return {
            name: column.spec() for name, column in self.columns.items() if column.role in known
        }

    def rules(self) -> Rules:
        """How the values of the table's columns are taken, and which of them claims are about.

        Raises:
            PlanError: There are no claims.
        """
        models = self.models()
        claimed = {name for model in models for name in model.attributes}
        by_order = {model.column for model in models if model.by_order}
        columns = {
            name: column.rules(claimed=name in claimed, by_order=name in by_order)
            for name, column in self.columns.items()
        }
        population = self.population_file
        return Rules(
            columns=columns,
            where=self.where,
            source=None if self.source is None else str(self.source),
            population=None if population is None else str(population),
        )

    @property
    def population_file(self) -> Path | None:
        """The file of the outside population some claim needs, if any does."""
        files = (claim.population for claim in self.protect if isinstance(claim, Claim))
        return next((file for file in files if file is not None), None)

    def where(self, *place: str | int) -> str:
        """File and line of a place, for messages: `plan.where("columns", "age")`."""
        if self._document is None:
            return _spot(place)
        return f"{self._document.name}:{self._document.line(place)}"

    def fit(self, columns: Sequence[str]) -> None:
        """Check that plan and data are about the same columns.

        Raises:
            PlanErrors: A column has no role, or does not exist.
        """
        errors = list(misfits(self, columns))
        if errors:
            raise PlanErrors(errors)


def plan_json_schema() -> JsonSchemaValue:
    """The plan as JSON Schema, for editors to complete and check it."""
    return json_schema(Plan)


def _spot(place: Place) -> str:
    return ".".join(["plan", *map(str, place)])
