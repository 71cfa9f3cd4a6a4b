"""UK trusted research environments (as ACRO has it): counts of ten, dominance, and no zeros."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.decimals import numeric
from hedgerow.reports.profiles.base import Evidence, PolicyProfile, RequirementCheck
from hedgerow.reports.profiles.sizes import (
    ON_SOURCE,
    SEVERAL,
    at_least,
    between,
    in_all,
    may_be,
    unseen_groups,
)
from hedgerow.reports.recipient_view import Combinations, Handed
from hedgerow.table.groups import Ints
from hedgerow.table.schema import Role

THRESHOLD, CONTRIBUTORS, DOMINANCE, P = 10, 2, 0.9, 0.1
FEWER = "Claim `k-anonymity: 10` and publish anew."


def findings(evidence: Evidence) -> Iterator[RequirementCheck]:
    """Requirement by requirement."""
    handed = evidence.handed
    asked = f"each cell counts at least {THRESHOLD}"
    if handed.kind == "randomised":
        noisy, counts = handed.noisy()
        few = between(counts.round(), 0, THRESHOLD - 1)
        yield RequirementCheck.left(
            f"{asked}, and none is zero",
            f"{few:,} of {len(noisy):,} counts are under {THRESHOLD}, but they have noise; the "
            f"loss is {handed.certificate['claim']}",
            "Ask the environment whether it checks outputs that are differentially private.",
        )
        yield RequirementCheck.of("no sum is dominated", True, "there are counts only, and no sums")
        return
    if (unseen := unseen_groups(handed)) is not None or handed.most is None:
        yield RequirementCheck.left(asked, unseen or SEVERAL, ON_SOURCE)
    else:
        few = between(at_least(handed.groups.rows, handed.most), 1, THRESHOLD - 1)
        told = f"{few:,} of {in_all(handed)} count fewer{may_be(handed.most)}"
        yield RequirementCheck.of(asked, few == 0, told, FEWER)
    yield _zeros(handed)
    yield from _dominance(handed)
    yield RequirementCheck.left(
        "the output is safe together with the environment's other outputs",
        "only this release was looked at",
        "Compare with what was let out before.",
    )


def _zeros(handed: Handed) -> RequirementCheck:
    """A combination nobody has tells that nobody has it."""
    asked = "no cell is zero (here a zero is disclosive)"
    if (unseen := unseen_groups(handed)) is not None:
        return RequirementCheck.left(asked, unseen, ON_SOURCE)
    places = 1
    for name in handed.quasi:
        places *= max(1, len(handed.groups.values(name)))
    empty = places - len(handed.groups.rows)
    return RequirementCheck.of(
        asked,
        empty == 0,
        f"{empty:,} of {places:,} combinations of published values are nobody's",
        "Make the columns coarser until every combination is somebody's, or explain why an empty "
        "one tells nothing.",
    )


def _dominance(handed: Handed) -> Iterator[RequirementCheck]:
    asked = (
        f"in no cell do the {CONTRIBUTORS} largest have more than {DOMINANCE:.0%} of an amount, "
        f"and the others have at least {P:.0%} of the largest"
    )
    names = handed.with_role(Role.SENSITIVE) if handed.kind == "recoded" else ()
    coded = [name for name in names if name in handed.codings and _has_numbers(handed, name)]
    if coded or unseen_groups(handed):
        why = f"the file does not show what people have as {', '.join(sorted(handed.codings))}"
        yield RequirementCheck.left(asked, why, "Check it on the source.")
        if unseen_groups(handed):
            return
    amounts = [
        (name, found)
        for name in names
        if name not in handed.codings and (found := _amounts(handed, name)) is not None
    ]
    if not amounts and not coded:
        yield RequirementCheck.of(asked, True, "no published sensitive column holds amounts")
    for name, (size, dominated, close) in amounts:
        if not handed.rows_are_people:
            yield RequirementCheck.left(f"{asked}: {name}", SEVERAL, "Check it on the source.")
            continue
        yield RequirementCheck.of(
            f"{asked}: {name}",
            not dominated and not close,
            f"{dominated:,} of {size:,} cells are dominated (n = {CONTRIBUTORS}, k = "
            f"{DOMINANCE:.0%}), {close:,} fail the p = {P:.0%} rule",
            "Make the columns coarser, or leave the amounts out.",
        )


def _has_numbers(handed: Handed, column: str) -> bool:
    """Whether a coded column may have been amounts: means of amounts may be few or equal."""
    texts = [text for text in handed.counted((column,)).texts[0] if text is not None]
    return not texts or numeric(texts)


def _amounts(handed: Handed, column: str) -> tuple[int, int, int] | None:
    """Cells, those that are dominated, those that fail the p per cent rule; None: no amounts."""
    counted = handed.counted((*handed.quasi, column))
    values = _numbers(counted)
    if values is None:
        return None
    group = _group(counted, len(handed.quasi))
    return dominance(group, values, counted.rows)


def dominance(group: Ints, values: NDArray[np.float64], rows: Ints) -> tuple[int, int, int]:
    """How many cells there are, are dominated by two, and fail the p per cent rule.

    Args:
        group: The cell of each amount.
        values: The amounts, none negative.
        rows: How many people have each of them there.

    >>> dominance(np.zeros(3, int), np.array([90., 5., 5.]), np.array([1, 1, 1]))
    (1, 1, 1)
    >>> dominance(np.zeros(1, int), np.array([7.]), np.array([3]))
    (1, 0, 0)
    """
    size = int(group.max(initial=-1)) + 1
    # Of people with the same amount two are enough to know the first and the second.
    total = np.bincount(group, weights=values * rows, minlength=size)
    order = np.lexsort((-values, group))
    repeat = np.repeat(order, np.minimum(rows[order], CONTRIBUTORS))
    start = np.searchsorted(group[repeat], np.arange(size))
    first = values[repeat[start]]
    has_two = np.append(start[1:], len(repeat)) - start > 1
    second = np.where(has_two, values[repeat[np.minimum(start + 1, len(repeat) - 1)]], 0.0)
    positive = total > 0
    dominated = positive & (first + second > DOMINANCE * total)
    close = positive & (total - first - second < P * first)
    return size, int(dominated.sum()), int(close.sum())


def _numbers(counted: Combinations) -> NDArray[np.float64] | None:
    """The last column as amounts; None where it holds something else."""
    texts = counted.texts[-1]
    try:
        found = np.array([0.0 if text is None else float(text) for text in texts])
    except ValueError:
        return None
    few = len(texts) < 3  # 0 and 1 are a yes and a no
    if few or not np.isfinite(found).all() or (found < 0).any():
        return None
    return found[counted.codes[:, -1]]


def _group(counted: Combinations, quasi: int) -> Ints:
    """The cell of each line; lines stand in the order of their cells."""
    changed = np.zeros(len(counted.rows), np.bool_)
    changed[1:] = (counted.codes[1:, :quasi] != counted.codes[:-1, :quasi]).any(axis=1)
    return np.cumsum(changed).astype(np.int64)


UK_TRE = PolicyProfile(
    name="uk-tre",
    title="UK trusted research environments, output checks as in ACRO",
    checks="counts of at least 10; no empty combination, as a zero is disclosive here; of amounts, "
    "the two largest have at most 90 % and the others at least 10 % of the largest",
    leaves="other outputs of the environment",
    requirements=findings,
)
