"""t-closeness: a group's sensitive values are distributed like the whole table's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import DataError, PlanError, some
from hedgerow.base.ranges import UNIT
from hedgerow.claims.base import (
    LARGEST,
    ColumnModel,
    Ratio,
    RatioModel,
    exact,
    histogram_of,
    require_number,
    shown,
)
from hedgerow.claims.declaration import (
    CLAIMS,
    OF,
    ChoiceParameter,
    Declaration,
    NumberParameter,
    Parameter,
    Said,
    column_of,
)
from hedgerow.claims.reductions import equal_distance, furthest, ordered_distance, tree_distance
from hedgerow.claims.removal_bounds import could_stay
from hedgerow.claims.traits import TABLE_KNOWN, WHOLE_TABLE, Gap, Slider
from hedgerow.table.groups import Groups, Histogram, Ints, Sensitive
from hedgerow.table.value_order import WORDS, Stated, named

DISTANCES = ("equal", "ordered", "hierarchical")


@dataclass(frozen=True, kw_only=True)
class TCloseness(ColumnModel, RatioModel):
    """In every group the sensitive values are at most t away from the whole table's.

    Guarantee: Whoever knows how the values are distributed in the table (suppressed people
        included) and finds someone's group learns a distribution at most t away, by the
        earth mover's distance: the share of people times how far they would have to move.
        Between values it is 1 (equal), steps in the order the claim names over the number of
        steps from first to last (ordered), or the height of the lowest common ancestor over
        the height of the taxonomy (hierarchical).
    Assumes: The table's distribution is no secret. Bounds a distance, not a ratio: a rare
        value may become many times more likely within t.
    Reference: Li, Li, Venkatasubramanian 2007 (ICDE), the t-closeness principle, Section 4.

    Where people have several values, distances are between distributions of pairs (person,
    value); then the level is also at least the largest |n(q, s) / n(q) - n(s) / n|, since a
    value everybody has need not show among the pairs.

    >>> salary = [{"3": 1, "4": 1, "5": 1}, {"6": 1, "8": 1, "11": 1}, {"7": 1, "9": 1, "10": 1}]
    >>> groups = Groups.of({"salary": salary}, order={"salary": [str(v) for v in range(3, 12)]})
    >>> TCloseness(t=0.4, of="salary", distance="ordered").level(groups)[:1].tolist()
    [0.375]
    """

    compares_with_table: ClassVar[bool] = True
    is_distance: ClassVar[bool] = True
    higher_is_safer: ClassVar[bool] = False
    monotone_in_generalisation: ClassVar[bool] = True
    monotone_in_suppression: ClassVar[bool] = True
    attacker: ClassVar[str] = TABLE_KNOWN
    gaps: ClassVar[tuple[Gap, ...]] = (WHOLE_TABLE,)
    sliders: ClassVar[tuple[Slider, ...]] = (
        Slider("t", "t", "distance to the whole table, at most (t)", 0, 1),
    )

    t: float
    """Largest distance, 0 to 1."""
    distance: Literal["equal", "ordered", "hierarchical"] = "equal"
    """How far values are from each other."""
    order: Stated | None = None
    """Of the ordered distance: in which order the values stand. A plan fills it in from the column;
    None means the order that the groups have, whoever made them."""

    def __post_init__(self) -> None:
        require_number("t", self.t, UNIT)
        super().__post_init__()
        if self.distance not in DISTANCES:
            raise PlanError(
                f"there is no distance {self.distance!r}", fix=f"Use {', '.join(DISTANCES)}."
            )
        if self.order is None:
            return
        if self.distance != "ordered":
            raise PlanError(
                f"the {self.distance} distance goes by no order", fix="Leave the order out."
            )
        if isinstance(self.order, str) and self.order not in WORDS:
            raise PlanError(
                f"there is no order {self.order!r}", fix=f"Use {some(WORDS)}, or list the values."
            )
        object.__setattr__(
            self, "order", self.order if isinstance(self.order, str) else tuple(self.order)
        )

    def __str__(self) -> str:
        return f"{shown(self.t)}-closeness of {self.of} ({self.measure})"

    @property
    def measure(self) -> str:
        """How distances are measured, in words."""
        by = "" if self.order is None else f", {named(self.order)}"
        return f"{self.distance} distance{by}"

    @property
    def required(self) -> Fraction:
        return exact(self.t)

    @property
    def promise(self) -> str:
        return (
            f"finds {self.of!r} distributed at most {shown(self.t)} away from the whole table "
            f"({self.measure})"
        )

    def keeps_apart(self, *, several: bool) -> bool:
        return self.t == 0

    @property
    def by_hierarchy(self) -> bool:
        return self.distance == "hierarchical"

    @property
    def by_order(self) -> bool:
        return self.distance == "ordered"

    @property
    def on_a_scale(self) -> bool:
        return self.distance != "equal"

    @property
    def stated_order(self) -> Stated | None:
        return self.order

    def in_order(self, order: Stated) -> TCloseness:
        return replace(self, order=order)

    def could_stay(self, groups: Groups) -> Ints:
        domain, histogram = histogram_of(groups, self.of)
        stay = super().could_stay(groups)
        if self.distance != "equal" or domain.several:
            return stay
        shape = domain.reference / max(1, int(domain.reference.sum()))
        bound = could_stay(groups, histogram, most=shape + float(self.t), shape=shape,
                           far=float(self.t))  # fmt: skip
        return np.minimum(stay, bound)

    def ratios(self, groups: Groups) -> list[Ratio]:
        domain, histogram = histogram_of(groups, self.of)
        ratios = [self._distances(domain, histogram)]
        if domain.several:
            far = furthest(
                histogram.indptr, histogram.codes, histogram.counts,
                groups.n, domain.reference, domain.people,
            )  # fmt: skip
            ratios.append((far, groups.n * domain.people))
        return ratios

    def _distances(self, domain: Sensitive, histogram: Histogram) -> Ratio:
        """Distance of each group as numerator and denominator; see `reductions`."""
        reference, whole = domain.reference, int(domain.reference.sum())
        arrays = histogram.indptr, histogram.codes, histogram.counts, reference
        present = int(np.count_nonzero(reference))
        if self.distance == "hierarchical":
            sizes, parents = taxonomy(domain)
            steps = len(sizes) - 1
        else:
            steps = 1 if self.distance == "equal" else max(1, present - 1)
        if steps * max(whole, domain.people) ** 2 > LARGEST:
            raise DataError(
                f"{domain.people:,} people are too many for exact {self.distance} distances",
                fix="Split the table, or use the equal distance.",
            )
        if self.distance == "equal":
            above, total = equal_distance(*arrays)
        elif self.distance == "ordered":
            above, total = ordered_distance(*arrays)
        else:
            above, total = tree_distance(*arrays, sizes, parents)
        return above, total * (steps * whole)


def taxonomy(domain: Sensitive) -> tuple[Ints, NDArray[np.int32]]:
    """How many nodes each level of the taxonomy has, and the parent of each node.

    Where the highest level still has several nodes, a root is put above it: they are as far
    apart as can be.

    Raises:
        PlanError: The attribute has no taxonomy.
    """
    if not domain.levels:
        raise PlanError(
            f"column {domain.name!r} has no hierarchy to measure distances in",
            fix="Give the sensitive column a hierarchy, or use the equal or ordered distance.",
        )
    levels = [np.arange(len(domain.values))]
    levels += [np.unique(level, return_inverse=True)[1] for level in domain.levels[1:]]
    if len(levels) == 1 or levels[-1].max(initial=0) > 0:
        levels.append(np.zeros(len(domain.values), np.int64))
    sizes, parents = [len(domain.values)], []
    for low, high in pairwise(levels):
        parent = np.zeros(int(low.max(initial=-1)) + 1, np.int32)
        parent[low] = high
        parents.append(parent)
        sizes.append(int(high.max(initial=-1)) + 1)
    return np.array(sizes, np.int64), np.concatenate(parents)


_NEAR = {
    "ordered": ", values near each other counting as near",
    "hierarchical": ", values alike in the hierarchy counting as near",
}


def _sentence(said: Said) -> str:
    return (
        f"In every group {column_of(said)} is distributed as in the whole table, up to a distance "
        f"of {said['t']}{_NEAR.get(said.get('distance', ''), '')}."
    )


CLAIMS.register(
    Declaration(
        name="t-closeness",
        classes=(TCloseness,),
        summary="In every group the sensitive values are distributed much as in the whole table.",
        headline="every group is much like the whole table",
        promises="Someone who knows how the sensitive values are distributed in the whole table "
        "and has found a person's group sees a distribution at most t away from it, so the group "
        "tells little more than the table does.",
        does_not_protect="What the table as a whole says about everybody; rare values, which may "
        "become many times more likely within t; and identity: groups may be as small as one "
        "person where t allows it.",
        reference="Li, Li, Venkatasubramanian 2007 (ICDE).",
        parameters=(
            Parameter(
                name="t",
                kind=NumberParameter(UNIT),
                meaning="Earth mover's distance, at most.",
                words="distance, at most (0 to 1)",
            ),
            Parameter(
                name="distance",
                kind=ChoiceParameter(
                    DISTANCES, by_hierarchy=("hierarchical",), by_order=("ordered",)
                ),
                default="equal",
                meaning="How far two values are from each other. Ordered goes by numbers, or by "
                "the column's order; hierarchical needs a hierarchy.",
                words="Distance",
            ),
            OF,
        ),
        brief="t",
        example="- t-closeness: {t: 0.2, distance: ordered, of: salary}",
        sentence=_sentence,
    )
)
