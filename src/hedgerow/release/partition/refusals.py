"""What keeps a recoded table from being published, as it is read by its recipients."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace as changed

import numpy as np

from hedgerow.base.errors import ClaimError, DataError, some
from hedgerow.base.spelling import kinds
from hedgerow.claims.base import PrivacyModel, Verdict
from hedgerow.claims.readings import on_shown_scale
from hedgerow.release.partition.job import Job
from hedgerow.table.cells import Cells, Codes
from hedgerow.table.groups import Groups
from hedgerow.table.location import locate
from hedgerow.table.published_table import ANY, Published
from hedgerow.table.targets import Targets


def refuse_overlap(job: Job, cells: Cells, published: Published) -> None:
    """Refuse claims about single people where somebody fits several groups, as a reader sees them.

    However it was recoded: labels of a hierarchy may overlap within a level, too.
    """
    single = [model for model in job.models if model.about_single_people]
    if not single or not published.quasi:
        return
    _refuse_unclear(single[0], published.quasi, published.labels, published.codes)
    tuples, of_cell = cells.tuples
    names = tuple(h.name for h in cells.hierarchies)
    targets = Targets(names, tuple(h.values for h in cells.hierarchies), tuples)
    several = locate(published, targets).count > 1
    with contextlib.suppress(DataError):  # without the hierarchies labels may mean nothing
        several |= locate(changed(published, taxonomies={}), targets).count > 1
    people = int(cells.n[several[of_cell]].sum())
    if people:
        who = "1 person fits" if people == 1 else f"{people:,} people fit"
        raise ClaimError(
            f"{single[0]} cannot be claimed: {who} several groups of the release, and it says "
            "nothing of groups that are not theirs",
            fix="Give the columns hierarchies whose labels do not overlap, and search the lattice "
            "without keep_suppressed.",
        )


def _refuse_unclear(
    claim: PrivacyModel,
    quasi: Sequence[str],
    columns: Sequence[Sequence[str | None]],
    groups: Codes,
) -> None:
    """Refuse where a reader may take two groups for one, or a missing value for any other.

    Args:
        claim: A claim about single people.
        quasi: The quasi-identifiers.
        columns: What each of them is published as, by code.
        groups: The codes of each group.
    """
    read_as = []
    for name, labels, codes in zip(quasi, columns, groups.T, strict=True):
        alike = kinds(labels, (ANY,))  # a star is every value: whom it fits is looked up
        shown = {alike[code] for code in codes.tolist()}
        if len(shown) > 1 and None in shown:
            raise ClaimError(
                f"{claim} cannot be claimed: {name!r} is missing in some groups and not in "
                "others, so whoever knows a person's value cannot tell which group it is",
                fix=f"Fill in what is missing in {name!r}, or suppress these people: name the "
                "texts that mean missing in the plan's `null`, and say `missing: suppress`.",
            )
        place = {kind: i for i, kind in enumerate(dict.fromkeys(alike))}
        read_as.append(np.array([place[kind] for kind in alike], np.int64))
    met: dict[tuple[int, ...], int] = {}
    for group, row in enumerate(groups.tolist()):
        read = tuple(int(kind[code]) for kind, code in zip(read_as, row, strict=True))
        if (first := met.setdefault(read, group)) != group:
            one, two = sorted(
                ", ".join(repr(labels[c]) for labels, c in zip(columns, one, strict=True))
                for one in (groups[first], groups[group])
            )
            raise ClaimError(
                f"{claim} cannot be claimed: a reader may take the groups {one} and {two} of "
                f"{some(quasi)} for one",
                fix="Spell each value of the quasi-identifiers alike in the data.",
            )


def refuse_failed(
    claims: Sequence[Verdict], models: Sequence[PrivacyModel], groups: Groups
) -> None:
    """Refuse a release on which a claim does not hold.

    Raises:
        ClaimError: Says what the claim reaches.
    """
    failed = [v for v in claims if not v.holds]
    for verdict, model in zip(claims, models, strict=True):
        if not verdict.holds and on_shown_scale(model, groups) is not None:
            (column,) = model.attributes
            raise ClaimError(
                f"the release would not keep {verdict.claim}: on the scale of the values of "
                f"{column!r} that it publishes it reaches {verdict.told[0]}, required "
                f"{verdict.told[1]}. The search measured on a longer scale, since suppressed "
                "people have further values. Nothing was published",
                fix="Suppress fewer people, or weaken the claim.",
            )
    if failed:
        reached = "; ".join(f"{v.claim} reaches {v.told[0]}, required {v.told[1]}" for v in failed)
        raise ClaimError(
            f"the release would not keep its claims: {reached}. Nothing was published",
            fix="Weaken the claim, allow more suppression, or choose another method.",
        )
