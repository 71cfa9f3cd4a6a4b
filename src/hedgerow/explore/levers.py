"""What of a plan's claims can be moved while one looks at the lattice: k, l, t, epsilon, ..."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hedgerow.base.errors import PlanError
from hedgerow.claims.base import PrivacyModel
from hedgerow.claims.declaration import declared
from hedgerow.plan.claims import Claim
from hedgerow.plan.plan import Plan
from hedgerow.table.groups import Sensitive

Place = tuple[str | int, ...]


@dataclass(frozen=True)
class Lever:
    """A parameter of a claim, and how far it can be moved."""

    name: str
    """Tells it from others, such as "0.k" for the k of the first claim."""
    place: Place
    """Where it is in the plan."""
    of: str
    """What a plan calls the claim."""
    claim: str
    """The claim as it stands."""
    words: str
    value: float
    low: float
    high: float
    whole: bool
    wide: bool
    higher_is_safer: bool
    models: tuple[int, ...]
    """Which of the plan's models it moves."""
    field: str

    @property
    def key(self) -> str:
        """The parameter in a plan, such as "k"."""
        return self.name.partition(".")[2]

    @property
    def names(self) -> tuple[str, ...]:
        """What it may be called: with its claim, by its key alone, or with the claim's place."""
        return f"{self.of}.{self.key}", self.key, self.name

    def moved(self, models: Sequence[PrivacyModel], value: float) -> tuple[PrivacyModel, ...]:
        """The models with another value.

        Raises:
            PlanError: The value is beyond the ends, or not a whole number where only those are.
        """
        if not (isinstance(value, int | float) and math.isfinite(value)):
            raise PlanError(f"{value!r} is not a number", fix=f"Give {self.words} a number.")
        least, most = min(self.low, self.value), max(self.high, self.value)
        if not least <= value <= most or (self.whole and value != int(value)):
            kind = "a whole number" if self.whole else "a number"
            raise PlanError(
                f"{self.words} cannot be {value:g} here",
                fix=f"Give {kind} from {least:g} to {most:g}, or write it into the plan.",
            )
        given: Any = int(value) if self.whole else value
        found = list(models)
        for place in self.models:
            found[place] = found[place].moved(self.field, given)
        return tuple(found)


def levers(plan: Plan, *, domains: Mapping[str, Sensitive], people: int) -> tuple[Lever, ...]:
    """Everything that can be moved in the plan's claims, in the plan's order.

    Args:
        plan: The plan.
        domains: Sensitive columns by name.
        people: How many are in the table.
    """
    sensitive = plan.schema().sensitive
    found: list[Lever] = []
    first = 0
    for i, claim in enumerate(plan.protect):
        if isinstance(claim, Claim):
            models = [plan.in_order(m) for m in claim.models(sensitive, null=plan.null)]
            place: Place = ("protect", i, claim.name)
        else:
            models, place = [plan.in_order(claim)], ("protect", i)
        moves = tuple(range(first, first + len(models)))
        first += len(models)
        told = " and ".join(dict.fromkeys(str(model) for model in models))
        for slider, value in models[0].moves(domains.get(models[0].column or "")):
            high = slider.high
            if slider.of_people:
                high = min(high, max(slider.low + 1, people))
            found.append(
                Lever(
                    f"{i}.{slider.key}", (*place, *slider.inside, slider.key), _called(models[0]),
                    told, slider.words, value, slider.low, max(high, value), slider.whole,
                    slider.wide, slider.higher_is_safer, moves, slider.field,
                )
            )  # fmt: skip
    return tuple(found)


def _called(model: PrivacyModel) -> str:
    """What a plan calls a claim; of one that no plan can name, its class."""
    declaration = declared(model)
    return type(model).__name__ if declaration is None else declaration.name
