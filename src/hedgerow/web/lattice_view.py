"""What the page of the lattice shows: levers as sliders, nodes as marks, a node in words."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.api import OPEN, YES, fixed, levers, standing
from hedgerow.base.errors import PlanError, some

if TYPE_CHECKING:
    from hedgerow import Exploration
    from hedgerow.claims.base import PrivacyModel
    from hedgerow.explore.levers import Lever
    from hedgerow.explore.survey import Survey

MARKS = (
    "square", "triangle", "diamond", "star", "plus",
    "open-square", "open-triangle", "open-diamond", "open-star",
)  # fmt: skip
"""For nodes that keep some of the claims."""
QUICK = 0.12
"""Seconds that claims about the whole table may take before a slider gets its answer."""
CHEAPEST = 40
"""Nodes in the table beside the picture."""
MOST_CLAIMS = 12
"""Claims of which every combination that occurs gets a mark of its own."""


@dataclass(frozen=True)
class Setting:
    """Levers as they were moved, and the share of people who may be left out."""

    exploration: Exploration
    moves: Mapping[str, float]
    suppress: float

    @classmethod
    def read(
        cls, exploration: Exploration, moved: Sequence[str], suppress: float | None
    ) -> Setting:
        """From what the page sends, such as "0.k=7".

        Raises:
            PlanError: There is no such lever, or it cannot be moved there.
        """
        moves: dict[str, float] = {}
        for one in moved:
            name, _, text = one.rpartition("=")
            try:
                moves[name] = float(text)
            except ValueError:
                raise PlanError(
                    f"{one[:60]!r} moves nothing", fix="Write the name of a lever and a number."
                ) from None
        share = exploration.plan.method.suppress if suppress is None else suppress
        setting = cls(exploration, moves, float(share))
        if unknown := set(moves) - {lever.name for lever in setting.levers}:
            raise PlanError(
                f"there is nothing to move called {some(sorted(unknown))}",
                fix="Load the page anew: the plan may have changed.",
            )
        exploration.limit(setting.suppress)
        assert setting.models is not None, "every move is possible"
        return setting

    @cached_property
    def levers(self) -> tuple[Lever, ...]:
        """What can be moved."""
        cells = self.exploration.cells
        domains = {domain.name: domain for domain in cells.sensitive}
        return levers(self.exploration.plan, domains=domains, people=cells.people)

    @cached_property
    def models(self) -> tuple[PrivacyModel, ...]:
        """The claims as they were moved."""
        found = self.exploration.models
        for lever in self.levers:
            if lever.name in self.moves:
                found = lever.moved(found, self.moves[lever.name])
        return found

    def value(self, lever: Lever) -> float:
        """Where a lever stands."""
        found = self.moves.get(lever.name, lever.value)
        return int(found) if lever.whole else found

    @property
    def changed(self) -> bool:
        """Whether anything is not as the plan says."""
        plan = self.exploration.plan
        return self.suppress != float(plan.method.suppress) or any(
            self.value(lever) != lever.value for lever in self.levers
        )

    def survey(self, *, first: Sequence[int] = (), patient: bool = True) -> Survey:
        """All nodes under these claims."""
        return self.exploration.survey(
            self.models, suppress=self.suppress, first=first, seconds=None if patient else QUICK
        )


def levels_of(exploration: Exploration, text: str) -> dict[str, int]:
    """A node as the page sends it, such as "2,0,1".

    Raises:
        PlanError: There is no such node.
    """
    parts = text.split(",")
    if len(parts) != len(exploration.names) or not all(
        part.isascii() and part.isdigit() and len(part) < 4 for part in parts
    ):
        raise PlanError(
            f"{text[:60]!r} is not a node of this lattice",
            fix=f"Give {len(exploration.names)} levels, with commas between them.",
        )
    levels = dict(zip(exploration.names, map(int, parts), strict=True))
    exploration.node(levels)
    return levels


def start_of(exploration: Exploration, seen: Survey) -> dict[str, int]:
    """The node that is shown at first: the plan's own choice, or the best so far.

    Its columns stand as in the lattice: a plan may list them in another order.
    """
    chosen = fixed(exploration.plan)
    if chosen is not None:
        return {name: chosen[name] for name in exploration.names}
    if seen.best:
        return exploration.levels(seen.best[0])
    return dict(zip(exploration.names, exploration.lattice.top, strict=True))


def columns(exploration: Exploration) -> list[dict[str, Any]]:
    """The columns with an example of each level: what became of the most frequent value."""
    found = []
    original = exploration.lattice.original
    for j, h in enumerate(exploration.cells.hierarchies):
        common = int(original.leaf_counts[j].argmax())
        labels = [h.labels[level][h.codes[level][common]] for level in range(h.height + 1)]
        found.append(
            {
                "name": h.name,
                "low": exploration.lattice.bottom[j],
                "high": exploration.lattice.top[j],
                "labels": ["missing" if label is None else label for label in labels],
            }
        )
    return found


def states(seen: Survey, claims: Sequence[str]) -> tuple[list[dict[str, Any]], np.ndarray]:
    """The ways nodes keep the claims, in words and with a mark each; and that of every node."""
    holds = seen.holds == YES
    several, names = len(claims) > 1, in_short(claims)
    if len(claims) <= MOST_CLAIMS:
        code = holds @ (1 << np.arange(len(claims), dtype=np.int64))
    else:
        code = holds.sum(axis=1).astype(np.int64)
    everything = int((1 << np.arange(len(claims))).sum()) if len(claims) <= MOST_CLAIMS else -1
    code = np.where(seen.feasible == YES, -1, np.where(seen.feasible == OPEN, -2, code))
    order = sorted(
        np.unique(code).tolist(), key=lambda c: (c != -1, c == 0, -int((code == c).sum()))
    )
    found, marks = [], cycle(MARKS)
    for one in order:
        if one == -1:
            words, mark = "all claims hold" if several else "the claim holds", "circle"
        elif one == -2:
            words, mark = "not decided yet", "ring"
        elif one == 0:
            words = "no claim holds" if several else "the claim fails"
            mark = "cross"
        elif one == everything:
            words, mark = "each claim holds alone, but not all together", next(marks)
        elif len(claims) <= MOST_CLAIMS:
            kept = [name for m, name in enumerate(names) if one >> m & 1]
            words, mark = f"only {' and '.join(kept)}", next(marks)
        else:
            words, mark = f"{one} of {len(claims)} claims", next(marks)
        found.append({"words": words, "mark": mark, "nodes": int((code == one).sum())})
    place = {one: i for i, one in enumerate(order)}
    return found, np.array([place[c] for c in code.tolist()], np.int64)


def in_short(claims: Sequence[str]) -> list[str]:
    """Claims without what only their attackers tell apart, as long as they stay different.

    >>> in_short(["3-privacy of illness (flu; gout) against a class I attacker", "5-anonymity"])
    ['3-privacy of illness', '5-anonymity']
    """
    for shorter in (_without_brackets, _without_attacker):
        found = [shorter(claim) for claim in claims]
        if len(set(found)) == len(set(claims)):
            return found
    return list(claims)


def _without_attacker(claim: str) -> str:
    return claim.partition(" against ")[0]


def _without_brackets(claim: str) -> str:
    # Of (0.5, 3)-anonymity they are the name.
    return re.sub(r" \([^()]*\)$", "", _without_attacker(claim))


def answer(setting: Setting, seen: Survey) -> dict[str, Any]:
    """The survey as the page's script takes it."""
    exploration = setting.exploration
    told, state = states(seen, seen.claims)
    cost = [None if math.isnan(c) else round(c, 6) for c in seen.cost.tolist()]
    found: dict[str, Any] = {
        "claims": list(seen.claims),
        "states": told,
        "state": state.tolist(),
        "cost": cost,
        "left_out": seen.left_out.tolist(),
        "best": list(seen.best),
        "limit": seen.limit,
        "people": seen.people,
        "decided": seen.decided,
        "summary": summary(exploration, seen),
        "standing": standing_of(exploration, seen),
        "proven": seen.proven,
        "metric": exploration.metric.name,
        "from_one": exploration.metric.best_is_one,
        "changed": setting.changed,
    }
    if not exploration.complete:
        found["nodes"] = seen.nodes.tolist()
    return found


def summary(exploration: Exploration, seen: Survey) -> str:
    """How many nodes would do, in one sentence."""
    enough = int((seen.feasible == YES).sum())
    every = len(seen.nodes)
    where = "" if exploration.complete else " of those near this one"
    if not seen.decided:
        return f"{enough:,} of {every:,} combinations keep all claims so far; still deciding."
    if not enough:
        return f"None of {every:,} combinations{where} keeps all claims."
    verb = "keeps" if enough == 1 else "keep"
    return f"{enough:,} of {every:,} combinations{where} {verb} all claims."


def standing_of(exploration: Exploration, seen: Survey) -> str:
    """What can be said of the best node: proven optimal, or the best so far of how many."""
    if not seen.best:
        return ""
    cost = float(seen.cost[seen.best[0]])
    found = standing(exploration.metric, cost=cost, bound=seen.bound, optimal=seen.proven)
    decided, every = int((seen.feasible != OPEN).sum()), exploration.lattice.size
    looked = "" if decided == every else f" Looked at {decided:,} of {every:,} combinations."
    return f"{found[0].upper()}{found[1:]}.{looked}"


def cheapest(exploration: Exploration, seen: Survey) -> list[dict[str, Any]]:
    """The best nodes, and where none will do those that leave out fewest: the picture's table."""
    fine = seen.feasible == YES
    by_cost = np.where(np.isnan(seen.cost), np.inf, seen.cost)
    order = np.lexsort((seen.left_out, by_cost, ~fine))
    if not fine.any():
        order = np.lexsort((by_cost, seen.left_out))
    return [
        {
            "levels": [int(level) for level in seen.nodes[place]],
            "keeps": bool(fine[place]),
            "cost": exploration.metric.reported(float(seen.cost[place])),
            "left_out": int(seen.left_out[place]),
            "claims": [bool(h == YES) for h in seen.holds[place]],
        }
        for place in order[:CHEAPEST].tolist()
    ]
