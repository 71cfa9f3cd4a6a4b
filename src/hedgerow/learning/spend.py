"""What an estimator spent, on what, and for whom."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hedgerow.base.errors import PlanError
from hedgerow.noise.measures import Pure
from hedgerow.noise.neighbours import Neighbouring, Neighbours
from hedgerow.noise.rounding import Number, positive


@dataclass(frozen=True)
class Spent:
    """One part of what fitting costs everybody."""

    what: str
    loss: Pure


@dataclass(frozen=True)
class Purse:
    """Epsilon in terms of one row added or removed.

    Estimators are proved for one row more or less. A changed person is a row removed and one
    added, and a person with several rows is as many steps: the loss is that many times larger
    (group privacy), so each step gets that much less.

    >>> Purse.of(epsilon=1, neighbours="change-one").row
    Fraction(1, 2)
    """

    neighbours: Neighbours
    row: Fraction
    """The epsilon there is for one row more or less."""

    @classmethod
    def of(
        cls, *, epsilon: Number | None, neighbours: str | Neighbouring | Neighbours | None
    ) -> Purse:
        """From the parameters of an estimator.

        Raises:
            PlanError: One of them is left out or wrong.
        """
        if epsilon is None:
            raise PlanError("epsilon must be given", fix="Say something like epsilon=1.")
        if neighbours is None:
            raise PlanError(
                "who is protected must be said",
                fix='neighbours="add-remove": the number of people is private too; '
                'neighbours="change-one": it is public.',
            )
        if not isinstance(neighbours, Neighbours):
            neighbours = Neighbours(kind=Neighbouring.read(neighbours))
        return cls(neighbours, positive("epsilon", epsilon) / neighbours.d_in)

    def spent(self, what: str, loss: Pure) -> Spent:
        """A loss for one row, as the people lose it."""
        return Spent(what, loss.group(self.neighbours.d_in))


def together(parts: Iterable[Spent]) -> Pure:
    """All parts are about the same people, so they add up."""
    return Pure(epsilon=sum((part.loss.epsilon for part in parts), Fraction(0)))


class NothingCharged(UserWarning):
    """Fitting cost epsilon, and no budget was charged for it.

    Whoever has charged it switches the warning off:
    `warnings.simplefilter("ignore", NothingCharged)`.
    """


def warn_uncharged(estimator: Any, *, depth: int = 1) -> None:
    """Say that a fit is not charged, before it looks at the data.

    Args:
        estimator: What is fitted.
        depth: How many calls are between the user's and this one.
    """
    warnings.warn(
        f"{type(estimator).__name__}.fit spends epsilon {estimator.epsilon}, and charges no "
        "budget: the ledger does not know of it. Charge it before you fit (docs/learning.md).",
        NothingCharged,
        stacklevel=depth + 2,
    )
