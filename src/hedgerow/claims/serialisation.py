"""Claims as data: every privacy model as JSON, and back to an equal model.

Only classes that were declared in `CLAIMS` are ever made from a certificate, and only by their
constructors, which refuse parameters that make no sense.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from numbers import Rational
from typing import Any

from hedgerow.base.errors import PlanError
from hedgerow.claims.adversary import Adversary, AtMost, ClassI, ClassII, ClassIII, ClassIV
from hedgerow.claims.base import LARGEST, PrivacyModel
from hedgerow.claims.declaration import CLAIMS, types_of
from hedgerow.claims.predicates import Predicates
from hedgerow.claims.priors import Prior

ADVERSARIES: dict[str, type[Adversary]] = {
    kind.__name__: kind for kind in (AtMost, ClassI, ClassII, ClassIII, ClassIV)
}
INFINITE = "infinite"
NUMBERS = ("int", "float")
"""The types of fields that are numbers; all others are texts."""
OPTIONAL = ("order",)
"""Parameters that are written only where there is one."""
CUSTOM = "custom "
"""Before the name of a model that nobody declared."""
OF_PACKAGE = ":"
"""Between the name of another package and that of its class."""
LONGEST = 700
"""Characters of a number; nobody needs more to write one down exactly."""
LARGEST_NUMBER = 10**300
MOST_SHOWN = 50
"""Characters of what is no number that a message shows."""
_FRACTION = re.compile(r"-?[0-9]+(/[1-9][0-9]*)?")


def models() -> dict[str, type[PrivacyModel]]:
    """The classes that may be made, by the names that certificates have for them."""
    declared = (model for declaration in CLAIMS.values() for model in declaration.classes)
    return {name_of(model): model for model in declared}


def name_of(model: type[PrivacyModel]) -> str:
    """The name of a class in a certificate; of another package's, with the package."""
    package = model.__module__.partition(".")[0]
    own = package == __name__.partition(".")[0]
    return model.__name__ if own else f"{package}{OF_PACKAGE}{model.__name__}"


class UnknownModelError(PlanError):
    """A claim of a kind this version does not know."""


def unknown(name: object) -> UnknownModelError:
    """What is said of a kind of claim this version does not know."""
    return UnknownModelError(f"this version does not know {name!r}")


def spelled(model: PrivacyModel) -> dict[str, Any]:
    """The model as JSON can hold it.

    >>> from hedgerow.claims import KAnonymity
    >>> spelled(KAnonymity(k=5))
    {'model': 'KAnonymity', 'k': 5, 'over': 'quasi-identifiers'}

    Raises:
        UnknownModelError: It is no model that was declared, or knows people by name.
    """
    name = name_of(type(model))
    if models().get(name) is not type(model):
        raise unknown(name)
    return {"model": name} | {
        field.name: _spelled(getattr(model, field.name))
        for field in fields(model)  # type: ignore[arg-type]
        if field.name not in OPTIONAL or getattr(model, field.name) is not None
    }


def foreign(model: PrivacyModel) -> dict[str, Any]:
    """What stands for a model that nobody declared: only what its class is called."""
    return {"model": f"{CUSTOM}{type(model).__name__}"}


def rebuilt(data: Mapping[str, Any]) -> PrivacyModel:
    """The model that was spelled.

    >>> rebuilt({"model": "TCloseness", "of": "disease", "t": "1/3", "distance": "equal"}).t
    Fraction(1, 3)

    Raises:
        UnknownModelError: This version does not know the kind of claim.
        PlanError: The parameters make no such model.
    """
    given = dict(data)
    kind = given.pop("model", None)
    known = models()
    if not isinstance(kind, str) or kind not in known:
        raise unknown(kind)
    types = types_of(known[kind])
    parameters = {
        name: _read(name, value, types.get(name, "float")) for name, value in given.items()
    }
    model: PrivacyModel = _made(known[kind], kind, parameters)
    return model


def _made(kind: Any, name: str, given: dict[str, Any]) -> Any:
    known = {field.name for field in fields(kind)}
    if strange := sorted((set(given) ^ known) - (set(OPTIONAL) & known)):
        word = "no parameter" if strange[0] in given else "not the parameter"
        raise PlanError(f"{name} has {word} {strange[0]!r}")
    try:
        return kind(**given)
    except (TypeError, ValueError, OverflowError) as error:
        raise PlanError(f"{name} cannot be made of these parameters: {error}") from None


def _spelled(value: Any) -> Any:
    match value:
        case None | bool() | str():
            return value
        case tuple():
            return [list(item) if isinstance(item, tuple) else item for item in value]
        case Adversary():
            return _adversary(value)
        case Predicates():
            return _predicates(value)
        case Prior():
            weights = [[name, _spelled(weight)] for name, weight in value.weights]
            return {"kind": value.kind} | ({"weights": weights} if weights else {})
        case float():
            return INFINITE if value == math.inf else float(value)
        case Fraction():
            return str(value)
        case Rational() if value.denominator == 1:
            return int(value.numerator)
    raise UnknownModelError(f"this version cannot write down {value!r}")


def _adversary(value: Adversary) -> dict[str, Any]:
    name = type(value).__name__
    if ADVERSARIES.get(name) is not type(value):
        raise unknown(name)
    if value.listed is not None:
        raise UnknownModelError("the people an attacker knows are not written down")
    return {"class": name} | {
        field.name: _spelled(getattr(value, field.name)) for field in fields(value)
    }


def _predicates(value: Predicates) -> dict[str, Any]:
    sets = value.sets
    listed = sets and [list(entry) if isinstance(entry, tuple) else entry for entry in sets]
    return {"sets": listed, "negative": value.negative, "wishes": value.wishes}


def _read(name: str, value: Any, kind: str) -> Any:
    """A parameter of a model, of a field of that type."""
    if isinstance(value, Mapping):
        if name == "adversary":
            return _read_adversary(value)
        if name == "prior":
            return _read_prior(value)
        if name == "predicates" and set(value) == {"sets", "negative", "wishes"}:
            return Predicates(**value)
    if name == "order" and isinstance(value, list):
        if len(set(map(str, value))) < len(value) or not all(
            item is None or isinstance(item, str) for item in value
        ):
            raise PlanError("an order is a list of values, each once")
        return tuple(value)
    if name == "knows" and isinstance(value, list):
        return value  # sets of columns, which the claim itself refuses where they are none
    if name == "knows" and isinstance(value, int):
        return _whole(name, _number(value))
    if name == "prior" and value is None:
        return None
    if name in ("adversary", "predicates", "prior") or isinstance(value, Mapping | list):
        raise PlanError(f"{name} cannot be {value!r}")
    if kind in NUMBERS:
        return _whole(name, _number(value)) if kind == "int" else _number(value)
    if value is not None and not isinstance(value, str):
        raise PlanError(f"{name} is a text, not {value!r}")
    return value


def _whole(name: str, number: Any) -> Any:
    """A number of people or values, as kernels count them; anything else as it is."""
    if isinstance(number, int | Fraction) and number > LARGEST:
        raise PlanError(f"{name} is too large")
    whole = isinstance(number, Fraction) and number.denominator == 1
    return int(number) if whole else number


def _read_adversary(value: Mapping[str, Any]) -> Adversary:
    given = dict(value)
    kind = given.pop("class", None)
    if not isinstance(kind, str) or kind not in ADVERSARIES:
        raise UnknownModelError(f"this version does not know the adversary {kind!r}")
    for name in ("stubbornness", "at_least"):
        if name in given:
            given[name] = math.inf if given[name] == INFINITE else _number(given[name])
    if "prior" in given:
        given["prior"] = _read_prior(given["prior"])
    made: Adversary = _made(ADVERSARIES[kind], kind, given)
    return made


def _read_prior(value: Any) -> Prior:
    match value:
        case {"kind": "uniform", **rest} if not rest:
            return Prior.uniform()
        case {"kind": "table", **rest} if not rest:
            return Prior.of_table()
        case {"kind": "counts" | "shape" as kind, "weights": [*weights], **rest} if not rest:
            pairs: list[tuple[Any, Any]] = []
            for pair in weights:
                match pair:
                    case [str() | None as name, weight]:
                        pairs.append((name, _number(weight)))
                    case _:
                        raise PlanError(f"a prior has no entry {pair!r}")
            given = dict(pairs)
            if len(given) != len(pairs):
                raise PlanError("the prior has a value twice")
            return Prior.counts(given) if kind == "counts" else Prior.shape(given)
    raise PlanError(f"there is no prior {value!r}")


def _number(value: Any) -> Any:
    """A number as it was written: fractions are text."""
    if isinstance(value, str) and len(value) <= LONGEST and _FRACTION.fullmatch(value):
        value = Fraction(value)
    elif isinstance(value, str):
        raise PlanError(f"{value[:MOST_SHOWN]!r} is no number")
    elif isinstance(value, bool):
        raise PlanError(f"{value!r} is no number")
    if isinstance(value, int | Fraction) and not -LARGEST_NUMBER <= value <= LARGEST_NUMBER:
        raise PlanError("a number in it is too large")
    return value
