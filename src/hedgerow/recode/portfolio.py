"""Portfolio: several searches of one wide lattice, side by side, until the time is up.

- *Climbs* look for better nodes (`climb`), on a second processor too where there is one.
- *ColumnProjections* raise the bound (`projection`), where the metric adds up columns.
- *Boxes* (`search`) do both, and end with a proof where the lattice is smaller than it seemed.

Each does a little in turn, by how much work it has done. With a number of turns instead of a time
the result depends on nothing else.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hedgerow.recode.climb import Climb, Elite
from hedgerow.recode.lattice import Node
from hedgerow.recode.projection import CHUNK, ColumnProjections
from hedgerow.recode.search import SLACK, Search, Solution
from hedgerow.recode.search_state import EndsSoon, SearchState, TellState

SHARES = {"climb": 3, "bound": 6, "boxes": 1}
"""How the first processor's work is shared out."""

MOST_HELD = 16_000_000
"""Bytes that the snapshots of the whole lattice may take in memory, beside the other searches."""


class Portfolio:
    """Looks for a cheap node of a wide lattice, and for a bound on all of them."""

    def __init__(self, search: Search, *, seed: int = 0) -> None:
        """Nothing is looked at yet.

        Args:
            search: Of the whole lattice, under one requirement.
            seed: Of all choices.
        """
        assert search.constraints.requirements == 1, "a ladder is searched at once"
        self.search, self.seed = search, seed
        search.most_held = MOST_HELD
        self.elite = Elite()
        self.climbs = [Climb(search, self.elite, seed=(seed, 0))]
        self.projections: ColumnProjections | None = None
        if search.costs is not None:
            self.projections = ColumnProjections(search, seed=(seed, 2))
        self._more = self.projections is not None

    def run(
        self,
        *,
        seconds: float | None = None,
        turns: int | None = None,
        known: Sequence[Node] = (),
        tell: TellState | None = None,
        ends: EndsSoon = lambda: False,
    ) -> Solution | None:
        """The best node that is found, and a bound.

        Args:
            seconds: When to stop.
            turns: When to stop, where the same has to be found each time.
            known: Nodes to begin with.
            tell: Told now and then how far it is.
            ends: Whether somebody wants it to end with what it has.
        """
        begun = time.monotonic()
        self.search.start()
        for node in known:
            self.elite.add(node, self.search.take(node))
        helper = None
        if turns is None and len(os.sched_getaffinity(0)) > 1:
            helper = _Helper(Climb(self.search, self.elite, seed=(self.seed, 1)), self.projections)
            self.climbs.append(helper.climb)
            helper.start()
        try:
            turn = 0
            while self.search.settle() and (turns is None or turn < turns):
                passed = time.monotonic() - begun
                if (seconds is not None and passed >= seconds) or ends():
                    break
                self._turn()
                turn += 1
                if self.bound >= self.search.best * (1 - SLACK):
                    break
                if tell is not None:
                    tell(self.state(passed, seconds))
        finally:
            if helper is not None:
                helper.finish()
        self._take()
        (found,) = self.search.solutions()
        self.search.bound = np.maximum(self.search.bound, self._projected)
        if found is None:
            return None
        return replace(found, bound=min(found.cost, max(found.bound, self._projected)))

    @property
    def evaluated(self) -> int:
        """Nodes whose claims were measured, in the whole lattice or a part of it."""
        return (
            self.search.evaluated
            + sum(climb.evaluated for climb in self.climbs)
            + (0 if self.projections is None else self.projections.evaluated)
        )

    @property
    def bound(self) -> float:
        """No release costs less."""
        return max(self._projected, min(self.search.boxes.least, self.search.best))

    @property
    def _projected(self) -> float:
        return -np.inf if self.projections is None else self.projections.bound

    def state(self, passed: float, seconds: float | None) -> SearchState:
        """How far it is after so many seconds."""
        share = self.search.share
        if seconds:
            share = max(share, passed / seconds)
        left = None if seconds is None else max(0.0, seconds - passed)
        return SearchState(min(1.0, share), self.search.best, self.bound, left)

    def _turn(self) -> None:
        """Whoever has done least does a little."""
        (climb, *_), projections = self.climbs, self.projections
        done = {"climb": climb.work, "boxes": self.search.work}
        if projections is not None and self._more:
            done["bound"] = projections.work
        behind = min(done, key=lambda who: done[who] / SHARES[who])
        if behind == "climb":
            climb.move()
        elif behind == "boxes":
            self.search.advance()
        elif projections is not None:
            self._more = projections.advance()
        self._take()

    def _take(self) -> None:
        """The best that the climbs have found is what the boxes have to beat."""
        best = self.elite.ranked()
        if best and best[0][0] < self.search.best:
            self.search.take(best[0][1])


class _Helper:
    """A climb and projections in a thread: compiled code lets other threads run."""

    def __init__(self, climb: Climb, projections: ColumnProjections | None) -> None:
        self.climb, self._projections = climb, projections
        self._over = threading.Event()
        self._failed: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def finish(self) -> None:
        """Wait for what is being done.

        Raises:
            BaseException: What went wrong in the thread.
        """
        self._over.set()
        self._thread.join()
        if self._failed is not None:
            raise self._failed

    def _run(self) -> None:
        bounded, more = 0, self._projections is not None
        try:
            while not self._over.is_set():
                if more and bounded < self.climb.work:
                    assert self._projections is not None
                    more = self._projections.advance()
                    bounded += CHUNK
                else:
                    self.climb.move()
        except BaseException as error:  # told to whoever waits
            self._failed = error
