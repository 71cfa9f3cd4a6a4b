"""Where local recoding starts: the optimum of full-domain recoding, which it never falls short of.

Levels that differ from group to group are found greedily. Usually they keep far more than one set
of levels for everybody; where they do not, or do not keep a claim about the table, or do not keep
the claims at all, the full-domain optimum is published instead. It is one way to choose levels
group by group: the same for all.

Claims about an outside population need groups that never overlap: people of the population who
fit several would be counted several times. Such groups are made from the optimum downwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from hedgerow.base.errors import ClaimError
from hedgerow.claims.anonymity import KAnonymity
from hedgerow.claims.base import Needs, PrivacyModel
from hedgerow.recode.constraints import SearchConstraints, each_alone
from hedgerow.recode.full_domain import full_domain
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.metrics import Granularity, Metric
from hedgerow.recode.recoding import Recoding
from hedgerow.recode.specialisation import specialised
from hedgerow.table.cells import Cells

SIZES = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100, 200, 500, 1000)
"""Of groups, for claims about the table; 1 asks for nothing."""


def as_kind(recoding: Recoding, kind: str) -> Recoding:
    """A full-domain recoding as one of another kind, that tells its levels all the same."""
    assert recoding.levels is not None, "full-domain recodings have levels"
    return replace(recoding, kind=kind, levels=None, detail={"levels": dict(recoding.levels)})


def with_large_groups(
    make: Callable[[tuple[PrivacyModel, ...]], Recoding | None],
    cells: Cells,
    models: Sequence[PrivacyModel],
) -> Recoding | None:
    """A recoding that keeps the claims about the table as well, which no group decides.

    Such claims, as an average risk, hold once groups are large enough. Groups of some sizes are
    tried, the smallest first.

    Args:
        make: Makes a recoding whose groups keep some claims; None where there is none.
        cells: What the engine counted.
        models: All claims.
    """
    groups = each_alone(model for model in models if model.per_group)
    whole = [model for model in models if not model.per_group]
    for size in SIZES if whole else SIZES[:1]:
        asked = groups if size == 1 else (*groups, KAnonymity(k=size))
        found = make(asked)
        if found is None:
            return None
        if not whole or all(model.keeps(found.groups(cells)) for model in whole):
            return found
    return None


def local_from_optimum(
    local: Callable[[tuple[PrivacyModel, ...]], Recoding],
    cells: Cells,
    models: Sequence[PrivacyModel],
    *,
    metric: Metric,
    bounds: Mapping[str, tuple[int, int]],
    limit: int,
    seconds: float | None,
    unit: str = "people",
) -> Recoding:
    """The better of what local recoding finds and the full-domain optimum.

    Args:
        local: Finds levels that differ from group to group, so that each group keeps some claims.
        cells: What the engine counted.
        models: The claims.
        metric: Says which is better.
        bounds: The lowest and highest level of the columns that have some.
        limit: People who may be left out, those barred included.
        seconds: For the search of the lattice; None: as long as it takes.
        unit: What groups count, for messages: people or rows.

    Raises:
        ClaimError: Neither keeps the claims; says why local recoding does not.
    """
    if any(Needs.POPULATION in model.needs for model in models):
        return _disjoint(cells, models, metric, bounds=bounds, limit=limit, seconds=seconds)
    error: ClaimError | None = None

    def tried(asked: tuple[PrivacyModel, ...]) -> Recoding | None:
        nonlocal error
        try:
            return local(asked)
        except ClaimError as failed:
            error = error or failed
            return None

    found = with_large_groups(tried, cells, models)
    try:
        constraints = SearchConstraints(tuple(models), limit, unit=unit)
        whole = full_domain(cells, constraints, metric, bounds=bounds, seconds=seconds)
    except ClaimError as failed:
        if found is None:
            raise error or failed from None
        return found
    if found is not None:
        original = Lattice.of(cells, bounds).original
        if metric.cost(found.outcome(original)) <= metric.cost(whole.outcome(original)):
            return found
    return as_kind(whole, "local")


def _disjoint(
    cells: Cells,
    models: Sequence[PrivacyModel],
    metric: Metric,
    *,
    bounds: Mapping[str, tuple[int, int]],
    limit: int,
    seconds: float | None,
) -> Recoding:
    """The full-domain optimum, with groups split as far as the claims allow."""
    whole = full_domain(
        cells, SearchConstraints(tuple(models), limit), metric, bounds=bounds, seconds=seconds
    )
    lattice = Lattice.of(cells, bounds)
    by_cell = metric.by_cell or Granularity().weighed(metric.weighting)
    before = metric.cost(whole.outcome(lattice.original))

    def split(asked: tuple[PrivacyModel, ...]) -> Recoding | None:
        found = specialised(whole, lattice, asked, by_cell)
        return found if metric.cost(found.outcome(lattice.original)) <= before else None

    found = with_large_groups(split, cells, models)
    return as_kind(whole, "local") if found is None else found
