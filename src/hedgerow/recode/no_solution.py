"""Why no node of a lattice will do, and what a steward can do about it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hedgerow.base.errors import ClaimError
from hedgerow.recode.search import Search

PATIENCE = 5.0
"""Seconds to find out what would help where nothing was found."""


def no_solution(search: Search) -> ClaimError:
    """Why no node will do: the claim that fails, and how close the coarsest node came."""
    lattice, limits = search.lattice, search.constraints
    top = lattice.roll_up(lattice.base, lattice.top)
    failing = [model.check(top.groups) for model in limits.models]
    failing = [verdict for verdict in failing if not verdict.holds]
    people = lattice.original.people
    left_out = int(search.evaluate(top).left_out[0])
    reasons = [f"{v.claim} reaches {v.told[0]}, required {v.told[1]}" for v in failing]
    if not reasons:
        reasons = ["the claims hold group by group, but not for what remains of the table"]
    remain = "" if left_out < people else ", and somebody has to remain"
    proven = not len(search.bound) or bool(np.isinf(search.bound[0]))
    none = "no generalisation keeps" if proven else "no generalisation was found that keeps"
    return ClaimError(
        f"{none} every claim. At the coarsest levels "
        f"{'; '.join(reasons)}; {left_out:,} of {people:,} {limits.unit} would have to be "
        f"suppressed where the plan allows {limits.limit:,}{remain}",
        fix=_what_helps(search, groups=len(top.groups)),
    )


def _what_helps(search: Search, *, groups: int) -> str:
    """What a steward can do about it; not what is proven to be of no use.

    Args:
        search: That found nothing.
        groups: Groups at the coarsest levels.
    """
    lattice, limits = search.lattice, search.constraints
    people = lattice.original.people
    suppress = limits.beyond or limits.keep_suppressed or limits.limit < people
    if suppress and not (limits.beyond or limits.keep_suppressed):
        # With all suppression that leaves somebody: only a search to the end proves it useless.
        wide = Search(lattice, replace(limits, limit=people), search.metric)
        (found,) = wide.run(seconds=PATIENCE)
        suppress = found is not None or not np.isinf(wide.bound[0])
    ways = ["weaken that claim"]
    ways += ["allow more suppression"] * suppress
    ways += ["give the columns coarser levels"] * (groups > 1)
    if len(ways) == 1:
        return "Weaken that claim. Neither coarser levels nor more suppression can help."
    told = f"{', '.join(ways[:-1])}{',' * (len(ways) > 2)} or {ways[-1]}."
    return told[0].upper() + told[1:]
