"""What several answers cost together under a policy; refused where nothing sound is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from hedgerow.base.errors import PlanError
from hedgerow.noise.blowfish.policy import Part, Policy
from hedgerow.noise.composition import sequential as added
from hedgerow.noise.measures import Approximate, Loss, Pure, ZeroConcentrated
from hedgerow.noise.neighbours import Neighbouring, Neighbours
from hedgerow.noise.rounding import whole

Spent = tuple[Policy, Loss]


def sequential(spent: Iterable[Spent]) -> Spent:
    """Answers about the same people under one policy: losses add up, adaptively too.

    Guarantee: on each pair of neighbours the distributions are those of differential privacy,
    so its composition holds pair by pair.
    Assumes: one policy, with the same constraints. Under two policies an edge of one need not
    be an edge of the other, and answers under the other may tell its ends apart for certain.
    Reference: He, Machanavajjhala and Ding (2014), Thm 4.1.

    Raises:
        PlanError: The policies differ, or there is nothing to add.
    """
    policy, losses = _same(spent)
    return policy, added(losses)


def parallel_rows(spent: Iterable[Spent], *, changed: int = 1) -> Spent:
    """Answers about disjoint sets of rows, chosen by who they are and never by what is protected.

    Guarantee: the largest loss, as neighbours differ in one row, which is in one set.
    Assumes: nobody's set depends on a value of the policy's columns; the size of each set is
    public. Nothing here can check that.
    Reference: He, Machanavajjhala and Ding (2014), Thm 4.2 (cardinality constraint only).

    Args:
        spent: One policy and loss for each set.
        changed: The most rows in which neighbours differ; more than 1 under constraints.

    Raises:
        PlanError: Constraints tie rows of different sets together.
    """
    policy, losses = _same(spent)
    _alone(changed)
    return policy, _largest(losses)


def parallel_cells(
    spent: Iterable[Spent], *, by: Mapping[Part, ArrayLike], changed: int = 1
) -> Spent:
    """Answers about disjoint cells, in which rows are by their values.

    Guarantee: the largest loss, if no edge joins two cells, or a cell and none: then a row's
    change stays in its cell.
    Assumes: each answer sees its cell only; how many rows a cell has may be published exactly,
    as it is for components.

    Args:
        spent: One policy and loss for each cell.
        by: For each column that decides, the cell of each value, -1 being none.
        changed: The most rows in which neighbours differ.

    Raises:
        PlanError: An edge crosses, so that one row would change two cells.

    >>> from hedgerow.noise.blowfish.graphs import Partition
    >>> from hedgerow.noise.measures import Pure
    >>> policy = Policy({"disease": Partition((0, 0, 1, 1))})
    >>> spent = [(policy, Pure(epsilon=1)), (policy, Pure(epsilon=2))]
    >>> print(parallel_cells(spent, by={"disease": [0, 0, 1, 1]})[1])
    2-differential privacy
    """
    policy, losses = _same(spent)
    _alone(changed)
    for column, cells in by.items():
        if any(policy.graph(column).crossing(np.asarray(cells))):
            raise PlanError(
                f"an edge of the policy on {column!r} crosses from one group to another: a row "
                "that moves changes both answers, and their losses add up",
                fix="Add the losses up, or choose groups that no edge leaves.",
            )
    return policy, _largest(losses)


def from_differential_privacy(loss: Loss, *, neighbours: Neighbours, changed: int = 1) -> Loss:
    """What an ordinary loss is under any policy whatever.

    Neighbours under a policy differ in one row, or under constraints in several: for each, one
    person is changed, or one removed and one added, which is twice as far.

    >>> from hedgerow.noise.measures import Pure
    >>> add = Neighbours(kind=Neighbouring.ADD_REMOVE)
    >>> print(from_differential_privacy(Pure(epsilon=1), neighbours=add))
    2-differential privacy
    """
    people = 2 if neighbours.kind is Neighbouring.ADD_REMOVE else 1
    return loss.group(people * whole("changed", changed))


def _same(spent: Iterable[Spent]) -> tuple[Policy, list[Loss]]:
    given = list(spent)
    if not given:
        raise PlanError("there are no losses to put together")
    policy = given[0][0]
    if any(other != policy for other, _ in given):
        raise PlanError(
            "losses under different policies do not add up",
            fix="Answer all questions under one policy, or account for them apart.",
        )
    return policy, [loss for _, loss in given]


def _alone(changed: int) -> None:
    if changed != 1:
        raise PlanError(
            f"under these constraints neighbours differ in up to {changed} rows, which may be "
            "in different groups: the losses add up",
            fix="Add the losses up.",
        )


def _largest(losses: list[Loss]) -> Loss:
    kinds = {type(loss) for loss in losses}
    if kinds == {Approximate}:
        pairs = [loss for loss in losses if isinstance(loss, Approximate)]
        return Approximate(
            epsilon=max(loss.epsilon for loss in pairs), delta=max(loss.delta for loss in pairs)
        )
    if kinds == {Pure}:
        return Pure(epsilon=max(loss.epsilon for loss in losses if isinstance(loss, Pure)))
    if kinds == {ZeroConcentrated}:
        return ZeroConcentrated(
            rho=max(loss.rho for loss in losses if isinstance(loss, ZeroConcentrated))
        )
    raise PlanError("losses of different kinds cannot be compared", fix="Convert them first.")
