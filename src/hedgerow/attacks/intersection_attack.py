"""The intersection of releases as an attack: on the targets that were located in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hedgerow.attacks.annotation import with_untried
from hedgerow.attacks.attack_input import AttackInput
from hedgerow.attacks.base import AttackResult
from hedgerow.attacks.control_group import Flags, control_rate
from hedgerow.attacks.declaration import GROUPS, PEOPLE, SECRET, ReleaseAttack
from hedgerow.attacks.intersection import Intersection, intersect
from hedgerow.attacks.release_joins import unjoined
from hedgerow.table.groups import Ints


def _attempt(read: AttackInput) -> Iterator[AttackResult]:
    assert read.targets is not None, "it needs them"
    for of in read.of:
        found = intersect(read.releases, read.located, of=of)
        scored = read.truth is not None and of in read.targets.columns
        true = read.targets.column(of) if scored else None
        result = found.result(true, overlaps=read.overlaps, unit=read.unit)
        # Where nobody is scored, a success is that one value is left; of strangers it is wrong.
        control = control_rate(_right, read.releases, read.control, of=of) if scored else None
        missed = () if read.joining or len(read.releases) < 2 else unjoined(read.releases, of)
        yield with_untried(replace(result, control=control), missed)


def _right(found: Intersection, true: Ints) -> tuple[Flags, Flags]:
    return found.found, np.asarray((true >= 0) & (found.guesses == true))


INTERSECTION = ReleaseAttack(
    name="intersection",
    asks="What is left of a person's possible values in all releases together?",
    success="the value left by all releases is the person's",
    needs=(GROUPS, SECRET, PEOPLE),
    attempt=_attempt,
    raw="what outsiders may know of each person (the quasi-identifiers), and the truth to "
    "score the guesses",
    reference="Ganta, Kasiviswanathan, Smith 2008 (KDD), Algorithm 1.",
)
