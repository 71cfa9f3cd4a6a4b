"""Constraints: what a node of the lattice must keep, and who may be suppressed for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.claims.base import Needs, PrivacyModel
from hedgerow.table.groups import Groups, Ints


@dataclass(frozen=True, eq=False)
class SearchConstraints:
    """What a node must keep, and how many people may be left out for it."""

    models: tuple[PrivacyModel, ...]
    limit: int
    """People who may be left out."""
    keep_suppressed: bool = False
    """Publish them as one fully generalised group, which must keep every claim itself."""
    ladder: tuple[PrivacyModel, ...] = ()
    """Requirements of one kind from weakest to strictest, each asked for in turn."""
    unit: str = "people"
    """What groups count, for messages: people, or rows where a person may have several."""

    @cached_property
    def asked(self) -> tuple[PrivacyModel, ...]:
        """The models as they are asked of a node.

        Where those who would be left out are one more group, which looks like no other, claims
        across groups are asked of each group alone.
        """
        return each_alone(self.models) if self.keep_suppressed else self.models

    @cached_property
    def by_group(self) -> tuple[PrivacyModel, ...]:
        """Models that decide about each group: a group that fails is suppressed."""
        return tuple(m for m in self.asked if m.per_group)

    @cached_property
    def across(self) -> tuple[PrivacyModel, ...]:
        """Those among them that count people of several groups."""
        return tuple(m for m in self.by_group if m.across_groups)

    @cached_property
    def whole(self) -> tuple[PrivacyModel, ...]:
        """Models about what remains after suppressing groups.

        Those across groups are among them only beside others, for which more groups may go:
        whatever fails them is gone before.
        """
        found = [m for m in self.asked if not (m.one_by_one or m.across_groups)]
        return (*found, *self.across) if found else ()

    @cached_property
    def beyond(self) -> bool:
        """Whether a claim is about how groups go together, so that nothing says which should go."""
        return any(m.beyond_groups for m in self.asked)

    @cached_property
    def relief_decides(self) -> bool:
        """Whether no other choice of whom to suppress helps than the one that is tried."""
        return self.limit == 0 or all(m.relief_decides for m in self.whole)

    @cached_property
    def settled(self) -> bool:
        """Whether a person left out at some node is left out at every finer one."""
        return all(m.monotone_in_union for m in (*self.by_group, *self.ladder))

    @cached_property
    def closed_upwards(self) -> bool:
        """Whether every node above a solution is a solution.

        With suppression: at the coarser node suppress only groups in which nobody was published.
        Each of the others has a published group in it and perhaps more people.
        """
        if self.keep_suppressed:
            return False
        if self.beyond:
            return False
        if self.limit == 0:
            return all(m.monotone_in_generalisation for m in (*self.asked, *self.ladder))
        return self.settled and all(
            m.monotone_in_union and m.monotone_in_generalisation for m in self.whole
        )

    @cached_property
    def _sizes(self) -> Ints | None:
        """The ladder as group sizes, where it is one of k-anonymity."""
        sizes = [m.only_size for m in self.ladder if m.only_size is not None]
        return np.array(sizes) if len(sizes) == len(self.ladder) else None

    @property
    def requirements(self) -> int:
        return max(1, len(self.ladder))

    def rank(self, groups: Groups, held: Held | None = None) -> Ints:
        """How many of the requirements each group keeps, 0 if it fails one of the models."""
        held = held or Held(groups)
        passed = np.ones(len(groups), np.bool_)
        for model in self.by_group:
            if not model.across_groups:
                passed &= held.by(model)
        if not self.ladder:
            return standing(self.across, groups, passed).astype(np.int64)
        if self._sizes is not None and not self.across:
            return np.where(passed, np.searchsorted(self._sizes, groups.n, side="right"), 0)
        rank = np.zeros(len(groups), np.int64)
        for model in self.ladder:
            passed = standing(self.across, groups, passed & held.by(model))
            rank += passed
        return rank

    def must_leave(self, groups: Groups, requirement: int, held: Held) -> Ints:
        """At least how many people of each group are left out at every finer node."""
        must = np.zeros(len(groups), np.int64)
        for model in (*self.by_group, *self.ladder[requirement : requirement + 1]):
            failing = np.flatnonzero(~held.may(model))
            if len(failing):
                part = groups.take(failing)
                must[failing] = np.maximum(must[failing], part.n - model.could_stay(part))
        return must

    def remains(self, groups: Groups, kept: NDArray[np.bool_], requirement: int) -> bool:
        """Whether the claims about the whole hold once the others are suppressed."""
        out = ~kept & (groups.n > 0)
        if not self.keep_suppressed or not out.any():
            return all(self.kept_by(m, groups, kept) for m in self.whole)
        # Those suppressed are one more group, and it is part of what remains.
        into = np.where(out, len(groups), np.arange(len(groups)))
        published = groups.merge(into, len(groups) + 1)
        rest = published.take(np.array([len(groups)]))
        asked = (*self.by_group, *self.ladder[requirement : requirement + 1])
        everything = np.ones(len(published), np.bool_)
        return all(m.holds(rest).all() for m in asked) and all(
            self.kept_by(m, published, everything) for m in self.whole
        )

    def kept_by(self, model: PrivacyModel, groups: Groups, kept: NDArray[np.bool_]) -> bool:
        """Whether a claim holds once only these groups are published."""
        return model.keeps(_without(groups, kept, model))


def each_alone(models: Iterable[PrivacyModel]) -> tuple[PrivacyModel, ...]:
    """The models, with those across groups replaced by what implies them group by group."""
    return tuple(model.of_each_group or model for model in models)


def standing(
    models: Sequence[PrivacyModel], groups: Groups, kept: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """The groups that remain if those are suppressed that fail, until none fails.

    A group fails by which others remain. Two sets of groups that keep such claims keep them
    together, so there is a largest one, and this is it.

    Args:
        models: Claims across groups.
        groups: Of a release.
        kept: Those that other claims let remain.
    """
    if not models:
        return kept
    if not any(Needs.HISTOGRAM in model.needs for model in models):
        groups = Groups(groups.n, population=groups.population, shown=groups.shown)
    while True:
        remaining = np.flatnonzero(kept)
        among = groups.take(remaining)
        passed = np.logical_and.reduce([model.holds(among) for model in models])
        if passed.all():
            return kept
        kept = kept.copy()
        kept[remaining[~passed]] = False


class Held:
    """Which of some groups keep a claim; each claim is measured once."""

    def __init__(self, groups: Groups) -> None:
        """Nothing is measured yet."""
        self._groups = groups
        self._found: dict[int, NDArray[np.bool_]] = {}

    def by(self, model: PrivacyModel) -> NDArray[np.bool_]:
        """The groups that keep a claim."""
        found = self._found.get(id(model))
        if found is None:
            found = self._found[id(model)] = model.holds(self._groups)
        return found

    def may(self, model: PrivacyModel) -> NDArray[np.bool_]:
        """The groups that keep a claim at this node, or may keep it in part at a finer one."""
        if model.across_groups:
            return standing((model,), self._groups, np.ones(len(self._groups), np.bool_))
        return self.by(model)


def _without(groups: Groups, kept: NDArray[np.bool_], model: PrivacyModel) -> Groups:
    """What `model` sees of the release: to a population, a group left out is one of size 0."""
    if Needs.POPULATION in model.needs:
        return replace(groups, n=np.where(kept, groups.n, 0))
    published = groups.take(kept & (groups.n > 0))
    if not model.counts_left_out:
        return published
    return replace(published, left_out=groups.left_out + groups.people - published.people)
