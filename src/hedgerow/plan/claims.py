"""The lines under `protect`: each is one claim, named as in the papers, with its parameters."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, PlainValidator, PrivateAttr, WithJsonSchema, model_validator

from hedgerow.base.problems import problem, short
from hedgerow.plan.adversaries import AdversaryPlan
from hedgerow.plan.fields import (
    AboveOne,
    File,
    FromOne,
    OneOf,
    OpenUnit,
    Part,
    Positive,
    Risk,
    Several,
    Share,
    Unit,
    Whole,
)

if TYPE_CHECKING:
    from hedgerow.claims.base import PrivacyModel

Of = Annotated[
    str | None,
    Field(description="The sensitive column it is about; every one of them if left out."),
]


def _predicates(value: Any) -> tuple[str | tuple[str, ...], ...]:
    if not isinstance(value, list | tuple) or not value:
        raise problem(f"{short(value)} is not a list of what must not be learned")
    found: list[str | tuple[str, ...]] = []
    for entry in value:
        parts = list(entry) if isinstance(entry, list | tuple) else [entry]
        if not parts or any(
            isinstance(part, list | tuple | dict) or part is None for part in parts
        ):
            raise problem(f"{short(entry)} is neither a value nor a list of values")
        found.append(tuple(map(str, parts)) if isinstance(entry, list | tuple) else str(entry))
    return tuple(found)


_LABEL = {"type": ["string", "number", "boolean"]}
Predicates = Annotated[
    tuple[str | tuple[str, ...], ...],
    PlainValidator(_predicates),
    WithJsonSchema({"type": "array", "minItems": 1,
                    "items": {"anyOf": [_LABEL, {"type": "array", "minItems": 1,
                                                 "items": _LABEL}]}}),
]  # fmt: skip
Population = Annotated[
    File, Field(description="File with the outside population: the same columns, a row a person.")
]


class Parameters(Part):
    """The parameters of one claim."""

    @abstractmethod
    def model(self, of: str | None) -> tuple[str, dict[str, Any]]:
        """The class in `hedgerow.claims` and its arguments, for one sensitive column."""

    @property
    def files(self) -> tuple[Path, ...]:
        """What has to be read to know what the claim says."""
        return ()


class About(Parameters):
    """A claim about what can be learned of a sensitive column."""

    of: Of = None


class KAnonymity(Parameters):
    """Everyone shares their quasi-identifiers with at least k - 1 others."""

    brief: ClassVar[str] = "k"
    k: Several = Field(description="People in every group, at least.")
    over: Literal["quasi-identifiers", "all"] = Field(
        default="quasi-identifiers",
        description="What an attacker may know; all: every published column, sensitive ones too.",
    )

    def model(self, of: str | None) -> tuple[str, dict[str, Any]]:
        return "KAnonymity", {"k": self.k, "over": self.over}


class LDiversity(About):
    """Every group has l well-represented sensitive values."""

    brief: ClassVar[str] = "l"
    l: AboveOne = Field(description="How many values, at least.")  # noqa: E741 - the paper's name
    kind: Literal["distinct", "probabilistic", "entropy", "recursive"] = Field(
        default="distinct", description="What well-represented means."
    )
    c: Positive | None = Field(default=None, description="Only for recursive (c, l)-diversity.")

    @model_validator(mode="after")
    def _fits_kind(self) -> LDiversity:
        if (self.kind == "recursive") != (self.c is not None):
            raise problem(
                "recursive l-diversity needs c" if self.c is None
                else f"c has no meaning for {self.kind} l-diversity",
                "Write {kind: recursive, c: 4, l: 3}, or leave c out.",
            )  # fmt: skip
        if self.kind in {"distinct", "recursive"} and self.l != int(self.l):
            raise problem(
                f"{self.kind} l-diversity counts values, so l cannot be {self.l}",
                f"Use {int(self.l) + 1}, or kind: entropy.",
            )
        return self

    def model(self, of: str | None) -> tuple[str, dict[str, Any]]:
        counted = self.kind in {"distinct", "recursive"}
        given: dict[str, Any] = {"l": int(self.l) if counted else self.l, "of": of}
        if self.c is not None:
            given["c"] = self.c
        return f"{self.kind.capitalize()}LDiversity", given


class TCloseness(About):
    """In every group the sensitive values are distributed much as in the whole table."""

    brief: ClassVar[str] = "t"
    t: Unit = Field(description="Earth mover's distance, at most.")
    distance: Literal["equal", "ordered", "hierarchical"] = Field(
        default="equal", description="How far apart two values are; hierarchical needs a hierarchy."
    )

    def model(self, of: str | None) -> tuple[str, dict[str, Any]]:
        return "TCloseness", {"t": self.t, "distance": self.distance, "of": of}


class AlphaKAnonymity(About):
    """k-anonymity, and no sensitive value is more frequent than alpha in a group."""

    alpha: OpenUnit = Field(description="Share of one value in a group, at most.")
    k: Whole = Field(description="People in every group, at least.")
    value: str | None = Field(
        default=None, description="The one value that is protected; all of them if left out."
    )

    def model(self, of: str | None) -> tuple[str, dict[str, Any]]:
        given = {"alpha": self.alpha, "k": self.k, "of": of}
        return "AlphaKAnonymity", given | ({} if self.value is None else {"value": self.value})


class DeltaDisclosure(About):
    """No value's share in a group differs from the table's by a factor of e^delta or more."""

    brief: ClassVar[str] = "delta"
    delta: Positive = Field(description="Logarithm of the factor.")

    def model(self, of: str | None) -> tuple[str, dict[str, Any]]:
        return "DeltaDisclosure", {"delta": self.delta, "of": of}


class BetaLikeness(About):
    """No value is relatively more frequent in a group than in the table by more than beta."""

    brief: ClassVar[str] = "beta"
    beta: Positive = Field(description="Relative gain, at most.")
    kind: Literal["basic", "enhanced"] = Field(
        default="basic", description="enhanced also protects frequent values."
    )

    def model(self, of: str | None) -> tuple[str, dict[str, Any]]:
        return "BetaLikeness", {"beta": self.beta, "of": of, "kind": self.kind}


class EpsilonPrivacy(About):
    """An attacker gets hardly surer of a person by the person's record being there."""

    epsilon: FromOne = Field(description="How many times as sure, at most.")
    adversary: AdversaryPlan = Field(description="Against whom.")
    predicates: Predicates | None = Field(
        default=None,
        description="What must not be learned: values, nodes of the column's hierarchy, or lists "
        "of these (any of them); each single value if left out.",
    )
    negative: bool = Field(
        default=False, description="Whether the opposite must not be learned either."
    )
    wishes: str | None = Field(
        default=None,
        description="Column that says what each person wants protected: a value or a node of the "
        "hierarchy. Its role must be identifier.",
    )
    by: Literal["exact", "theorem"] = Field(
        default="exact",
        description="exact: decided by the attacker's beliefs themselves; theorem: by the "
        "conditions of the paper, which ask a little more.",
    )

    _null: tuple[str, ...] = PrivateAttr(default=())

    @model_validator(mode="after")
    def _one_kind(self) -> EpsilonPrivacy:
        if self.predicates is not None and self.wishes is not None:
            raise problem(
                "predicates are the same for everybody, or each person's own",
                "Give predicates or wishes, not both.",
            )
        return self

    @property
    def files(self) -> tuple[Path, ...]:
        return self.adversary.files

    def model(self, of: str | None) -> tuple[str, dict[str, Any]]:
        from hedgerow.claims.predicates import Predicates

        assert of is not None, "it is about a column"
        return "EpsilonPrivacy", {
            "epsilon": self.epsilon,
            "of": of,
            "adversary": self.adversary.adversary(of, self._null),
            "predicates": Predicates(
                sets=self.predicates, negative=self.negative, wishes=self.wishes
            ),
            "by": self.by,
        }


class Composition(About):
    """Together with all earlier releases, several values stay possible for everybody."""

    brief: ClassVar[str] = "confidence"
    confidence: OpenUnit = Field(
        description="One over the number of values left possible, at most: 0.5 leaves two."
    )
    earlier: Annotated[tuple[File, ...], Field(strict=False)] = Field(
        default=(),
        alias="with",
        description="Releases that are not in the ledger: folders, or files of any tool.",
    )

    @property
    def files(self) -> tuple[Path, ...]:
        return self.earlier

    def model(self, of: str | None) -> tuple[str, dict[str, Any]]:
        return "Composition", {"confidence": self.confidence, "of": of}


class DeltaPresence(Parameters):
    """How sure one can be that somebody of the population is in the table."""

    min: Unit = Field(
        default=0, description="Share of a group's population in the table, at least."
    )
    max: Unit = Field(description="Share of a group's population in the table, at most.")
    population: Population

    @model_validator(mode="after")
    def _in_order(self) -> DeltaPresence:
        if self.min > self.max:
            raise problem(f"min ({self.min}) is above max ({self.max})")
        return self

    def model(self, of: str | None) -> tuple[str, dict[str, Any]]:
        return "DeltaPresence", {"minimum": self.min, "maximum": self.max}


class KMap(Parameters):
    """Everyone shares their quasi-identifiers with at least k people of the population."""

    k: Several = Field(description="People of the population in every group, at least.")
    population: Population

    def model(self, of: str | None) -> tuple[str, dict[str, Any]]:
        return "KMap", {"k": self.k}


class ProsecutorRisk(Parameters):
    """The chance to find the row of somebody known to be in the table, for everyone."""

    brief: ClassVar[str] = "risk"
    risk: Risk = Field(description="At most.")

    def model(self, of: str | None) -> tuple[str, dict[str, Any]]:
        return "ProsecutorRisk", {"risk": self.risk}


class JournalistRisk(Parameters):
    """The chance to find somebody of the population, for everyone in the table."""

    risk: Risk = Field(description="At most.")
    population: Population

    def model(self, of: str | None) -> tuple[str, dict[str, Any]]:
        return "JournalistRisk", {"risk": self.risk}


class MarketerRisk(Parameters):
    """The share of people whose row is found, on average."""

    brief: ClassVar[str] = "risk"
    risk: Risk = Field(description="At most.")

    def model(self, of: str | None) -> tuple[str, dict[str, Any]]:
        return "MarketerRisk", {"risk": self.risk}


class UniqueShare(Parameters):
    """The share of people who are alone in their group."""

    brief: ClassVar[str] = "share"
    share: Share = Field(description="At most.")

    def model(self, of: str | None) -> tuple[str, dict[str, Any]]:
        return "UniqueShare", {"share": self.share}


class Claim(OneOf):
    """What must hold for everybody in the release."""

    what: ClassVar[str] = "a claim"

    k_anonymity: KAnonymity | None = Field(default=None, alias="k-anonymity")
    l_diversity: LDiversity | None = Field(default=None, alias="l-diversity")
    t_closeness: TCloseness | None = Field(default=None, alias="t-closeness")
    alpha_k_anonymity: AlphaKAnonymity | None = Field(default=None, alias="alpha-k-anonymity")
    delta_disclosure: DeltaDisclosure | None = Field(default=None, alias="delta-disclosure")
    beta_likeness: BetaLikeness | None = Field(default=None, alias="beta-likeness")
    epsilon_privacy: EpsilonPrivacy | None = Field(default=None, alias="epsilon-privacy")
    composition: Composition | None = None
    delta_presence: DeltaPresence | None = Field(default=None, alias="delta-presence")
    k_map: KMap | None = Field(default=None, alias="k-map")
    prosecutor_risk: ProsecutorRisk | None = Field(default=None, alias="prosecutor-risk")
    journalist_risk: JournalistRisk | None = Field(default=None, alias="journalist-risk")
    marketer_risk: MarketerRisk | None = Field(default=None, alias="marketer-risk")
    unique_share: UniqueShare | None = Field(default=None, alias="unique-share")

    @property
    def name(self) -> str:
        """As it is written in the plan."""
        field = next(iter(self.model_fields_set))
        return type(self).model_fields[field].alias or field

    @property
    def parameters(self) -> Parameters:
        found = self.chosen
        assert isinstance(found, Parameters), "every field holds parameters"
        return found

    @property
    def population(self) -> Path | None:
        """The file of the outside population, where the claim needs one."""
        return getattr(self.parameters, "population", None)

    def models(self, sensitive: Sequence[str], *, null: Sequence[str] = ()) -> list[PrivacyModel]:
        """The privacy models the claim stands for: one for each column it is about.

        Args:
            sensitive: The sensitive columns.
            null: Texts that mean missing, in files the claim refers to.
        """
        # Here, not above: the models compile kernels, and reading a plan must not wait for that.
        from hedgerow import claims as models

        about: Sequence[str | None] = [None]
        if isinstance(self.parameters, About):
            about = [self.parameters.of] if self.parameters.of is not None else sensitive
        if isinstance(self.parameters, EpsilonPrivacy):
            self.parameters._null = tuple(null)
        built = []
        for of in about:
            name, arguments = self.parameters.model(of)
            built.append(getattr(models, name)(**arguments))
        return built
