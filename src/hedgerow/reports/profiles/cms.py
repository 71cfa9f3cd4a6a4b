"""CMS cell size: nothing shows, or lets anybody compute, a count of one to ten. Zero is allowed."""

from __future__ import annotations

from collections.abc import Iterator

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
from hedgerow.table.column_codings import drawn_by_lot

LOW, HIGH = 1, 10


def findings(evidence: Evidence) -> Iterator[RequirementCheck]:
    """Requirement by requirement."""
    handed = evidence.handed
    if handed.kind == "randomised":
        yield from _noisy(evidence)
        return
    anew = "Claim `k-anonymity: 11` (over all columns for the second), and publish anew."
    most, unseen = handed.most, unseen_groups(handed)
    groups = f"no group of people counts {LOW} to {HIGH}"
    cells = f"no combination of all columns counts {LOW} to {HIGH}, since anybody can count them"
    if most is None:
        yield RequirementCheck.left(groups, SEVERAL, ON_SOURCE)
        yield RequirementCheck.left(cells, SEVERAL, ON_SOURCE)
    if most is not None and unseen is not None:
        yield RequirementCheck.left(groups, unseen, ON_SOURCE)
    elif most is not None:
        rows = at_least(handed.groups.rows, most)
        few = between(rows, LOW, HIGH)
        yield RequirementCheck.of(
            groups, few == 0, f"{few:,} of {in_all(handed)}{may_be(most)}", anew
        )
    if most is not None and (drawn := drawn_by_lot(handed.codings)):
        why = f"the file does not show what people have as {', '.join(drawn)}"
        yield RequirementCheck.left(cells, why, ON_SOURCE)
    elif most is not None:
        counts = at_least(handed.whole.rows, most)
        few = between(counts, LOW, HIGH)
        yield RequirementCheck.of(
            cells, few == 0, f"{few:,} of {len(counts):,} different rows{may_be(most)}", anew
        )
    if handed.kind == "recoded":
        out = int(handed.certificate["people"]["left_out"])
        unit = handed.certificate["people"].get("unit", "people")
        one = "1 row was" if unit == "rows" else "1 person was"
        yield RequirementCheck.of(
            f"no count of {LOW} to {HIGH} follows from the totals",
            not LOW <= -(-out // (most or 1)) <= HIGH,
            f"{one if out == 1 else f'{out:,} {unit} were'} suppressed, as the certificate says",
            "Choose how many may be suppressed so that it is none, or more than ten people.",
        )
    yield _elsewhere(evidence)
    yield RequirementCheck.of(
        "a count of zero may be shown", True, "zero is allowed by this policy"
    )


def _elsewhere(evidence: Evidence) -> RequirementCheck:
    others = evidence.handed.certificate.get("with") or ()
    known = f"compared with {', '.join(others)}" if others else "compared with no other release"
    return RequirementCheck.left(
        "no such count can be computed with other publications",
        f"{known}; differences between releases were not searched for counts",
        "Look for publications about the same people whose totals differ by ten or fewer.",
    )


def _noisy(evidence: Evidence) -> Iterator[RequirementCheck]:
    noisy, counts = evidence.handed.noisy()
    few = max(between(noisy, LOW, HIGH), between(counts.round(), LOW, HIGH))
    yield RequirementCheck.left(
        f"no cell counts {LOW} to {HIGH}",
        f"{few:,} of {len(noisy):,} numbers are {LOW} to {HIGH}, but they have noise and are "
        "counts of nobody; the policy does not speak of noise",
        "Ask CMS whether counts with noise may be shown.",
    )
    yield RequirementCheck.left(
        "no such count can be computed from others",
        "differences of counts with noise have noise too; what they tell of one person is bounded "
        f"by the loss, {evidence.handed.certificate['claim']}",
        "Ask CMS whether counts with noise may be shown.",
    )
    yield RequirementCheck.of(
        "a count of zero may be shown", True, "zero is allowed by this policy"
    )


CMS_CELL_SIZE = PolicyProfile(
    name="cms-cell-size",
    title="CMS cell size suppression policy",
    checks="no group, no combination of all columns, and no total counts 1 to 10; zero is allowed",
    leaves="differences to other publications",
    requirements=findings,
)
