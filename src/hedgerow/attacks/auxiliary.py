"""Auxiliary information: what an attacker knows of each target's ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.attacks.ratings import Ratings
from hedgerow.base.errors import DataError, nearest
from hedgerow.table.groups import Floats, Ints


@dataclass(frozen=True, eq=False)
class Auxiliary:
    """What an attacker knows of each target (aux), compressed by target."""

    indptr: Ints
    item: Ints
    rating: Floats
    """Not a number: the rating is not known."""
    day: Floats
    """Not a number: the day is not known."""

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def split(self, targets: int) -> tuple[Auxiliary, Auxiliary]:
        """What is known of the first so many targets, and of the others."""
        at = self.indptr[targets]
        return (
            Auxiliary(self.indptr[: targets + 1], self.item[:at], self.rating[:at], self.day[:at]),
            Auxiliary(self.indptr[targets:] - at, self.item[at:], self.rating[at:], self.day[at:]),
        )

    @classmethod
    def of(
        cls,
        ratings: Ratings,
        targets: Sequence[Mapping[str, tuple[float | None, float | None]]],
    ) -> Auxiliary:
        """For each target: item -> rating and day, None where not known."""
        place = {str(item): code for code, item in enumerate(ratings.items)}
        for target in targets:
            for item in target:
                if item not in place:
                    near = nearest(item, place)
                    raise DataError(
                        f"nobody rated {item!r}", fix=f"Did you mean {near!r}?" if near else None
                    )
        indptr = np.concatenate(([0], np.cumsum([len(target) for target in targets])))
        told = [(place[i], rating, day) for t in targets for i, (rating, day) in t.items()]
        items, scores, days = zip(*told, strict=True) if told else ((), (), ())
        return cls(
            indptr.astype(np.int64),
            np.array(items, np.int64),
            np.array(scores, np.float64),
            np.array(days, np.float64),
        )
