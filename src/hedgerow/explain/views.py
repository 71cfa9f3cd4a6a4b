"""Views: the table as somebody would see it under one recoding or another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedgerow.base.errors import ClaimError, PlanError, nearest, some
from hedgerow.plan.recoding import bounds
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.full_domain import at_node
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.recoding import SUPPRESSED, Recoding
from hedgerow.release.partition.job import Job
from hedgerow.release.partition.recoding_choice import Progress, choose
from hedgerow.release.partition.words import in_words
from hedgerow.table.cells import Cells
from hedgerow.table.groups import Groups, Ints

Node = Mapping[str, int] | str
"""Levels by column, or these as they are written on the command line: age=2,zip=1."""
LEVEL = re.compile(r"\s*([^=]+?)\s*=\s*(\d{1,4})\s*(?:,|$)", re.ASCII)
EVERYONE = SearchConstraints((), 0)
"""Asks for nothing, so that nobody is left out."""


@dataclass(frozen=True, eq=False)
class View:
    """The table under one recoding."""

    name: str
    cells: Cells
    recoding: Recoding

    @cached_property
    def _order(self) -> Ints:
        """The groups sorted by what they are published as, so that ties always fall alike."""
        first = self.recoding.seen[0]
        keys = [
            np.array(["" if label is None else label for label in column[first]])
            for column in self.recoding.labels
        ]
        return np.lexsort(keys[::-1]) if keys else np.arange(len(first))

    @cached_property
    def groups(self) -> Groups:
        """Those a recipient sees; none of them is empty."""
        return self.recoding.groups(self.cells).take(self._order)

    @property
    def left_out(self) -> int:
        return self.recoding.suppressed + self.cells.absent

    @property
    def words(self) -> dict[str, str]:
        """What becomes of each column."""
        return in_words(self.recoding, self.cells)

    def labels(self, group: int) -> dict[str, str | None]:
        """What a group is published as."""
        first = int(self.recoding.seen[0][self._order[group]])
        names = [h.name for h in self.cells.hierarchies]
        return {n: column[first] for n, column in zip(names, self.recoding.labels, strict=True)}

    def shows_the_same(self, other: View) -> bool:
        """Whether everybody is published in the same way."""
        levels = self.recoding.levels
        return levels == other.recoding.levels is not None and not self.left_out + other.left_out


def views(
    job: Job, cells: Cells, nodes: Sequence[Node] | None, say: Progress
) -> tuple[list[View], list[str]]:
    """The nodes that were asked for; or what `publish` would choose, the coarsest, the table.

    Returns:
        The views, most important first, and what there is to say about them.

    Raises:
        PlanError: There is no such node.
    """
    if nodes:
        named = [(f"node {i}", levels(node, cells)) for i, node in enumerate(nodes, 1)]
        return [View(name, cells, everybody_at(cells, at)) for name, at in named], []
    found, notes = [], []
    try:
        chosen = choose(job.plan, cells, job.models, say)
        if (chosen.group != SUPPRESSED).any():
            found.append(View("release", cells, chosen))
        else:
            notes.append("Nothing can be published under this plan: everybody would be left out.")
    except ClaimError as error:
        notes.append(f"Nothing can be published under this plan: {error.what}.")
    names = [h.name for h in cells.hierarchies]
    top = dict(zip(names, Lattice.of(cells, bounds(job.plan)).top, strict=True))
    found.append(View("coarsest", cells, everybody_at(cells, top)))
    everybody = job.cells(as_it_is=True) if cells.absent else cells
    bottom = dict.fromkeys(names, 0)
    found.append(View("as it is", everybody, everybody_at(everybody, bottom)))
    return list(_different(found)), notes


def _different(found: Sequence[View]) -> Iterator[View]:
    for place, view in enumerate(found):
        if not any(view.shows_the_same(earlier) for earlier in found[:place]):
            yield view


def everybody_at(cells: Cells, at: Mapping[str, int]) -> Recoding:
    """Nobody is left out, whatever the claims."""
    lattice = Lattice.of(cells, {name: (level, level) for name, level in at.items()})
    return at_node(lattice, lattice.bottom, EVERYONE, {})


def levels(node: Node, cells: Cells) -> dict[str, int]:
    """A level for every quasi-identifier: 0 where the node says nothing.

    Raises:
        PlanError: There is no such column or level.
    """
    given = parsed(node) if isinstance(node, str) else dict(node)
    heights = {h.name: h.height for h in cells.hierarchies}
    for name, level in given.items():
        if name not in heights:
            near = nearest(str(name), list(heights))
            raise PlanError(
                f"there is no quasi-identifier {name!r}",
                where=f"node {node!r}",
                fix=f"Did you mean {near!r}?" if near else f"There are {some(heights)}.",
            )
        whole = isinstance(level, int | np.integer) and not isinstance(level, bool)
        if not (whole and 0 <= level <= heights[name]):
            raise PlanError(
                f"there is no level {level!r} of {name!r}",
                where=f"node {node!r}",
                fix=f"Its hierarchy has levels 0 to {heights[name]}.",
            )
    return {name: int(given.get(name, 0)) for name in heights}


def parsed(text: str) -> dict[str, int]:
    """Levels as they are written on the command line.

    Raises:
        PlanError: They are not.

    >>> parsed("age=2,zip=1")
    {'age': 2, 'zip': 1}
    """
    found: dict[str, int] = {}
    place = 0
    while place < len(text) or not text:
        part = LEVEL.match(text, place)
        if part is None or part[1] in found:
            raise PlanError(
                "a node gives a column a level once" if part else "this is not a node",
                where=f"node {text!r}",
                fix="Write age=2,zip=1; columns left out are at level 0.",
            )
        found[part[1]] = int(part[2])
        place = part.end()
    return found
