"""PROFILES: the policy profiles of the house; each module declares its own.

An installed package adds one through the entry point group `hedgerow.profiles`.
"""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.base.registry import Registry
from hedgerow.reports.profiles.base import Evidence, PolicyProfile, ProfileCheck
from hedgerow.reports.profiles.cms import CMS_CELL_SIZE
from hedgerow.reports.profiles.ema import EMA_0070
from hedgerow.reports.profiles.hipaa import HIPAA_SAFE_HARBOR
from hedgerow.reports.profiles.nist import NIST_800_226
from hedgerow.reports.profiles.uktre import UK_TRE
from hedgerow.reports.profiles.wp216 import WP216

PROFILES: Registry[PolicyProfile] = Registry("profile", group="hedgerow.profiles")
"""The profiles by name."""
for _profile in (EMA_0070, HIPAA_SAFE_HARBOR, CMS_CELL_SIZE, UK_TRE, WP216, NIST_800_226):
    PROFILES.register(_profile)


def require_known(names: Sequence[str]) -> tuple[str, ...]:
    """The names, each once.

    Raises:
        PlanError: There is no such profile.
    """
    return tuple(dict.fromkeys(PROFILES.find(name).name for name in names))


def checked(names: Sequence[str], evidence: Evidence) -> tuple[ProfileCheck, ...]:
    """What becomes of each profile."""
    return tuple(PROFILES.find(name).check(evidence) for name in require_known(names))
