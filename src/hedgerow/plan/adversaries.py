"""The adversary of a claim: what they believe, how stubbornly, and whose records they hold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, PlainValidator, PrivateAttr, WithJsonSchema, model_validator

from hedgerow.base.problems import problem, short
from hedgerow.plan.fields import File, FromOne, Level, PlanMapping, Stubbornness, finite

if TYPE_CHECKING:
    from hedgerow.claims.adversary import Adversary, Known
    from hedgerow.claims.priors import Prior


def _weights(whole: bool) -> Any:
    wanted = "a whole number of people" if whole else "a number above 0"

    def validate(value: Any) -> dict[str, float]:
        if not isinstance(value, dict) or not value:
            raise problem(f"{short(value)} does not give each value {wanted}")
        for name, number in value.items():
            right = not isinstance(number, bool) and isinstance(number, int | float)
            right = right and finite(number) and (number >= 0 if whole else number > 0)
            if not right or (whole and number != int(number)):
                raise problem(f"{name!r} needs {wanted}, not {short(number)}")
        return {str(name): int(n) if whole else n for name, n in value.items()}

    return validate


def _state(file: Path) -> tuple[int, int] | None:
    """Differs when the file has been written; None where there is none to look at."""
    try:
        found = file.stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


Counts = Annotated[
    dict[str, int],
    PlainValidator(_weights(whole=True)),
    WithJsonSchema({"type": "object", "minProperties": 1,
                    "additionalProperties": {"type": "integer", "minimum": 0}}),
]  # fmt: skip
Shares = Annotated[
    dict[str, float],
    PlainValidator(_weights(whole=False)),
    WithJsonSchema({"type": "object", "minProperties": 1,
                    "additionalProperties": {"type": "number", "exclusiveMinimum": 0}}),
]  # fmt: skip


class PriorPlan(PlanMapping):
    """What an attacker believes about the sensitive values before the release."""

    brief: ClassVar[str] = "file"

    file: File | None = Field(
        default=None,
        description="Data about other people: a file with the sensitive column, or with its "
        "values and a count. `uniform`: all values equally likely; `table`: as in the table.",
    )
    kind: Literal["uniform", "table"] | None = Field(
        default=None, description="uniform: all values equally likely; table: as in the table."
    )
    column: str | None = Field(
        default=None, description="Column of the file; named like the sensitive one if left out."
    )
    count: str | None = Field(
        default=None, description="Column of the file that says how many people have the value."
    )
    counts: Counts | None = Field(default=None, description="People counted elsewhere, by value.")
    shape: Shares | None = Field(
        default=None, description="Shares of people by value; only their proportions matter."
    )

    @model_validator(mode="before")
    @classmethod
    def _named(cls, data: Any) -> Any:
        return {"kind": data} if data in ("uniform", "table") else data

    @model_validator(mode="after")
    def _one_source(self) -> PriorPlan:
        given = self.model_fields_set & {"file", "kind", "counts", "shape"}
        if len(given) != 1:
            raise problem(
                "a prior comes from exactly one place",
                "Give a file, uniform, table, {counts: {flu: 12, ...}} or {shape: {flu: 2, ...}}.",
            )
        if self.file is None and self.model_fields_set & {"column", "count"}:
            raise problem("column and count are about a file", "Leave them out.")
        return self

    @property
    def files(self) -> tuple[Path, ...]:
        return () if self.file is None else (self.file,)

    def prior(self, of: str, null: Sequence[str]) -> Prior:
        """The prior itself; reads the file."""
        from hedgerow.claims.prior_files import read_prior
        from hedgerow.claims.priors import Prior

        if self.file is not None:
            return read_prior(self.file, column=self.column or of, count=self.count, null=null)
        if self.counts is not None:
            return Prior.counts(self.counts)
        if self.shape is not None:
            return Prior.shape(self.shape)
        return Prior.uniform() if self.kind == "uniform" else Prior.of_table()


class KnowsPlan(PlanMapping):
    """Whose exact records an attacker holds."""

    brief: ClassVar[str] = "people"

    people: Level | None = Field(default=None, description="How many, at most, whoever they are.")
    file: File | None = Field(default=None, description="Or who they are: a file, a line a person.")
    by: str | None = Field(
        default=None, description="Column of file and table that tells people apart."
    )

    @model_validator(mode="after")
    def _number_or_list(self) -> KnowsPlan:
        if (self.people is None) == (self.file is None) or (self.file is None) != (self.by is None):
            raise problem(
                "an attacker knows a number of people, or those on a list",
                "Write `knows: 3`, or `knows: {file: known.csv, by: patient_id}`.",
            )
        return self

    def known(self, null: Sequence[str]) -> int | Known:
        """The number or the list; reads the file."""
        from hedgerow.claims.prior_files import read_known

        if self.file is None or self.by is None:
            return self.people or 0
        return read_known(self.file, by=self.by, null=null)


class AdversaryPlan(PlanMapping):
    """Against whom: what they believe, how stubbornly, whose records they hold."""

    class_: Literal["I", "at-most", "II", "III", "IV"] = Field(
        alias="class",
        description="I: this prior, this stubborn. at-most: this prior's shape, at most this "
        "stubborn. II: any prior, at most this stubborn. III: this prior, whatever they see. "
        "IV: everybody; no release is private against them.",
    )
    prior: PriorPlan | None = Field(default=None, description="What they believe before.")
    stubbornness: Stubbornness | None = Field(
        default=None,
        description="How many people's data their belief is worth; what the prior's data justify "
        "(their people plus the number of values) if left out.",
    )
    at_least: FromOne | None = Field(
        default=None, description="Only for at-most: the least stubborn of them."
    )
    knows: KnowsPlan = Field(
        default=KnowsPlan(people=0), description="Whose exact records they hold."
    )

    _read: dict[tuple[Any, ...], Adversary] = PrivateAttr(default_factory=dict)

    @model_validator(mode="after")
    def _fits_class(self) -> AdversaryPlan:
        name = f"class {self.class_}" if self.class_ != "at-most" else self.class_
        if self.class_ in ("I", "at-most", "III") and self.prior is None:
            raise problem(
                f"{name} needs a prior",
                "Give the file the attacker may have seen, or uniform, or table.",
            )
        if self.class_ in ("II", "IV") and self.prior is not None:
            raise problem(f"{name} is every prior, so it has none of its own", "Leave it out.")
        infinite = self.stubbornness == math.inf
        if self.class_ == "II" and self.stubbornness is None:
            raise problem("class II needs a stubbornness", "Give the largest an attacker has.")
        if self.class_ == "II" and infinite:
            raise problem(
                "any prior with infinite stubbornness is class IV, against which nothing helps",
                "Give a finite stubbornness, or a prior and class III.",
            )
        if self.class_ == "I" and infinite:
            raise problem("infinite stubbornness is that of class III", "Write class: III.")
        if self.class_ in ("III", "IV") and self.stubbornness is not None and not infinite:
            raise problem(f"the stubbornness of {name} is infinite", "Leave it out.")
        if self.at_least is not None and self.class_ != "at-most":
            raise problem(f"at_least has no meaning for {name}", "Leave it out.")
        if self.at_least is not None and self.at_least > (self.stubbornness or math.inf):
            raise problem(f"at_least ({self.at_least}) is above {self.stubbornness}")
        return self

    @property
    def files(self) -> tuple[Path, ...]:
        """What has to be read for it."""
        prior = None if self.prior is None else self.prior.file
        return tuple(file for file in (prior, self.knows.file) if file is not None)

    def adversary(self, of: str, null: Sequence[str]) -> Adversary:
        """The adversary itself; files are read once, and again when they have changed."""
        key = of, tuple(null), *(_state(file) for file in self.files)
        if key not in self._read:
            self._read[key] = self._made(of, null)
        return self._read[key]

    def _made(self, of: str, null: Sequence[str]) -> Adversary:
        from hedgerow.claims import adversary as classes

        given: dict[str, Any] = {"knows": self.knows.known(null)}
        if self.prior is not None:
            given["prior"] = self.prior.prior(of, null)
        if self.class_ not in ("III", "IV"):
            given["stubbornness"] = self.stubbornness
        if self.class_ == "at-most":
            given["at_least"] = self.at_least
        named: Mapping[str, Any] = {
            "I": classes.ClassI,
            "at-most": classes.AtMost,
            "II": classes.ClassII,
            "III": classes.ClassIII,
            "IV": classes.ClassIV,
        }
        made: Adversary = named[self.class_](**given)
        return made
