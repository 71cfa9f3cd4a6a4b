"""Declaration: what a plan writes of a claim, and what is said of it; it stands beside its classes.

Everything else is derived from the declarations in `CLAIMS`: the plan's parts and its JSON Schema,
the JSON form of models, what `explain model` prints, and the forms and sentences of the app.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any, NamedTuple

from hedgerow.base.ranges import Range
from hedgerow.base.registry import Registry
from hedgerow.claims.base import PrivacyModel

Said = Mapping[str, Any]
"""The parameters of a claim as a plan writes them."""


class ParameterKind(Enum):
    """What a parameter may be, where it is neither a number nor a choice; as `explain` says it."""

    COLUMN = "name of a sensitive column"
    WISHES = "name of a column with the role identifier"
    WEIGHTS = "name of a column of survey weights"
    VALUE = "a value of the column"
    POPULATION = "file"
    RELEASES = "folders or files"
    FLAG = "true or false"
    ADVERSARY = "an adversary"
    PRIOR = "file, uniform, table, {counts: ...} or {shape: ...}"
    COLUMN_SETS = "number of quasi-identifiers, or lists of them"
    PREDICATES = "list of values, nodes of the hierarchy, or lists of these"

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True)
class NumberParameter:
    """A parameter that is a number."""

    range: Range
    percent: bool = False
    """Whether it may be written in per cent."""

    def __str__(self) -> str:
        return str(self.range)


@dataclass(frozen=True)
class ChoiceParameter:
    """A parameter that is one of a few words; the first is the default.

    >>> str(ChoiceParameter(("equal", "ordered", "hierarchical")))
    'equal, ordered or hierarchical'
    """

    words: tuple[str, ...]
    by_hierarchy: tuple[str, ...] = ()
    """Those for which the column needs a hierarchy."""
    by_order: tuple[str, ...] = ()
    """Those for which the order of the column's values matters."""

    def __str__(self) -> str:
        return f"{', '.join(self.words[:-1])} or {self.words[-1]}"


class Explained(NamedTuple):
    """A parameter as `explain` prints it."""

    name: str
    range: str
    meaning: str


class Conflict(NamedTuple):
    """Why parameters do not go together."""

    what: str
    fix: str | None = None


REQUIRED: Any = object()
"""The default of a parameter that has none."""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter of a claim."""

    name: str
    """As in the plan."""
    kind: NumberParameter | ChoiceParameter | ParameterKind
    meaning: str
    """A sentence, for `explain` and for whoever writes a plan."""
    default: Any = REQUIRED
    field: str = ""
    """Of the model, where that has another name."""
    words: str = ""
    """The label in a form; the meaning, if left out."""
    only_with: tuple[str, str] | None = None
    """The choice, and the word of it, without which the parameter has no meaning."""
    parts: tuple[Explained, ...] = ()
    """What `explain` says of it, where it has several parts."""

    @property
    def label(self) -> str:
        return self.words or self.meaning[0].lower() + self.meaning[1:].removesuffix(".")

    def explained(self) -> tuple[Explained, ...]:
        return self.parts or (Explained(self.name, str(self.kind), self.meaning),)


OF = Parameter(
    name="of",
    kind=ParameterKind.COLUMN,
    default=None,
    meaning="The sensitive column it is about; every one of them if left out.",
)
POPULATION = Parameter(
    name="population",
    kind=ParameterKind.POPULATION,
    meaning="File with the outside population: the same columns, a row a person.",
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Declaration:
    """A claim, or a family of claims that a plan writes under one name."""

    name: str
    """As in the plan."""
    classes: tuple[type[PrivacyModel], ...]
    """Its models; where there are several, one for each word of the choice `chosen_by`."""
    chosen_by: str | None = None
    summary: str
    """What holds, in a sentence."""
    headline: str
    """What it is about, in a few words, for whoever chooses among claims."""
    promises: str
    """What an attacker cannot do."""
    does_not_protect: str
    reference: str
    parameters: tuple[Parameter, ...]
    brief: str | None = None
    """The parameter meant where a plan writes a single value."""
    example: str
    """A line under `protect` in a plan."""
    sentence: Callable[[Said], str]
    """The claim with its parameters as a sentence for everybody; raises what it lacks."""
    conflict: Callable[[Said], Conflict | None] = lambda said: None
    """Why parameters that are right one by one do not go together, if they do not."""
    build: Callable[[str | None, Said], PrivacyModel] | None = None
    """Makes the model for a sensitive column, where its fields are not simply the parameters."""

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of that name, if it has one."""
        return next((one for one in self.parameters if one.name == name), None)

    def of_kind(self, kind: ParameterKind) -> Parameter | None:
        """The first parameter of a kind, if it has one."""
        return next((one for one in self.parameters if one.kind is kind), None)

    @property
    def about_column(self) -> bool:
        """Whether it is about a sensitive column."""
        return self.parameter(OF.name) is not None

    def model(self, of: str | None, said: Said) -> PrivacyModel:
        """The privacy model for one sensitive column.

        Args:
            of: The column; None where the claim is about none.
            said: All parameters, defaults included, as their types.
        """
        if self.build is not None:
            return self.build(of, said)
        chosen = self.classes[0]
        if self.chosen_by is not None:
            by = self.parameter(self.chosen_by)
            assert by is not None and isinstance(by.kind, ChoiceParameter), "a choice chooses"  # noqa: PT018
            chosen = self.classes[by.kind.words.index(said[by.name])]
        types = types_of(chosen)
        given = {p.field or p.name: said[p.name] for p in self.parameters} | {"of": of}
        return chosen(**{
            name: int(value) if types[name] == "int" else value
            for name, value in given.items()
            if name in types and value is not None
        })  # fmt: skip

    def explained(self) -> tuple[Explained, ...]:
        """Its parameters as `explain` lists them."""
        return tuple(line for one in self.parameters for line in one.explained())

    def sections(self) -> Iterator[tuple[str, str]]:
        """Titles and texts of the explanation, in reading order."""
        yield "What an attacker cannot do", self.promises
        yield "What it does not protect", self.does_not_protect
        listed = [f"{name} ({what}): {meaning}" for name, what, meaning in self.explained()]
        yield "Parameters", "\n".join(listed)
        yield "In a plan", self.example
        yield "Reference", self.reference

    def as_json(self) -> dict[str, Any]:
        """The explanation as data."""
        return {
            "name": self.name,
            "classes": [model.__name__ for model in self.classes],
            "promises": self.promises,
            "does_not_protect": self.does_not_protect,
            "reference": self.reference,
            "parameters": [line._asdict() for line in self.explained()],
            "example": self.example,
        }


CLAIMS: Registry[Declaration] = Registry("claim", group="hedgerow.claims")
"""The claims by plan name, in the order in which they are best learned."""


def types_of(model: type[PrivacyModel]) -> dict[str, str]:
    """The fields of a model, and the names of their types."""
    found = fields(model)  # type: ignore[arg-type]
    return {one.name: getattr(one.type, "__name__", str(one.type)) for one in found}


def declared(model: PrivacyModel | type[PrivacyModel]) -> Declaration | None:
    """The declaration a model belongs to; None of a model that nobody registered."""
    kind = model if isinstance(model, type) else type(model)
    return next((one for one in CLAIMS.values() if kind in one.classes), None)


def describe(name: str) -> Declaration:
    """What a claim promises and what it does not.

    Raises:
        PlanError: There is no claim of that name; names the nearest.

    >>> describe("k-map").headline
    'nobody is alone in the population'
    """
    return CLAIMS.find(name)


def column_of(said: Said) -> str:
    """The column a claim is about, as its sentence says it."""
    return said.get("of") or "each sensitive column"
