"""A warning: an estimator was fitted, and no ledger knows of it."""

from __future__ import annotations

import warnings
from typing import Any


class NothingCharged(UserWarning):
    """Fitting cost epsilon, and no budget was charged for it.

    Whoever has charged it switches the warning off:
    `warnings.simplefilter("ignore", NothingCharged)`.
    """


def warn_uncharged(estimator: Any, *, depth: int = 1) -> None:
    """Say that a fit is not charged, before it looks at the data.

    Args:
        estimator: What is fitted.
        depth: How many calls are between the user's and this one.
    """
    warnings.warn(
        f"{type(estimator).__name__}.fit spends epsilon {estimator.epsilon}, and charges no "
        "budget: the ledger does not know of it. Charge it before you fit (docs/learning.md).",
        NothingCharged,
        stacklevel=depth + 2,
    )
