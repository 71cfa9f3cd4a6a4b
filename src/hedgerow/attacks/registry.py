"""ATTACKS: the attacks of the house, in the order they are tried; each module declares its own.

An installed package adds one through the entry point group `hedgerow.attacks`.
"""

from __future__ import annotations

from hedgerow.attacks.averaging import AVERAGING
from hedgerow.attacks.background_knowledge import BACKGROUND_KNOWLEDGE
from hedgerow.attacks.belief_attack import BELIEF
from hedgerow.attacks.declaration import Attack, AttackOutcome, FileAttack, ReleaseAttack
from hedgerow.attacks.definetti import DE_FINETTI
from hedgerow.attacks.floating_point import FLOATING_POINT
from hedgerow.attacks.gdpr_attack import GDPR
from hedgerow.attacks.homogeneity import HOMOGENEITY
from hedgerow.attacks.intersection_attack import INTERSECTION
from hedgerow.attacks.linkage import LINKAGE
from hedgerow.attacks.membership import MEMBERSHIP
from hedgerow.attacks.minimality import MINIMALITY
from hedgerow.attacks.presence import PRESENCE
from hedgerow.attacks.reconstruction import RECONSTRUCTION
from hedgerow.attacks.same_sample import SAME_SAMPLE
from hedgerow.attacks.sequential import SEQUENTIAL
from hedgerow.attacks.similarity import SIMILARITY
from hedgerow.attacks.skewness import SKEWNESS
from hedgerow.attacks.sparse import SPARSE
from hedgerow.base.registry import Registry

ATTACKS: Registry[Attack] = Registry("attack", group="hedgerow.attacks")
"""The attacks by name, in the order they are tried."""
for _attack in (
    HOMOGENEITY,
    BACKGROUND_KNOWLEDGE,
    SIMILARITY,
    SKEWNESS,
    LINKAGE,
    GDPR,
    INTERSECTION,
    SEQUENTIAL,
    BELIEF,
    MINIMALITY,
    AVERAGING,
    RECONSTRUCTION,
    FLOATING_POINT,
    SAME_SAMPLE,
    SPARSE,
    MEMBERSHIP,
    DE_FINETTI,
    PRESENCE,
):
    ATTACKS.register(_attack)


def release_attacks() -> tuple[ReleaseAttack, ...]:
    """Those on releases."""
    return tuple(one for one in ATTACKS.values() if isinstance(one, ReleaseAttack))


def file_attacks() -> tuple[FileAttack, ...]:
    """Those on files of their own kind."""
    return tuple(one for one in ATTACKS.values() if isinstance(one, FileAttack))


def outcome_of(result: str) -> AttackOutcome:
    """What is declared of a result by its name; of one that no attack declares, the usual.

    >>> outcome_of("linkability").of_column, outcome_of("minimality").silent
    (False, True)
    """
    declared = (one for attack in ATTACKS.values() for one in attack.outcomes)
    return next((one for one in declared if one.name == result), AttackOutcome(name=result))
