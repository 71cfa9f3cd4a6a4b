"""EMA policy 0070 and Health Canada: the risk to be found is at most 0.09, and is reported."""

from __future__ import annotations

from collections.abc import Iterator

from hedgerow.reports.profiles.base import Evidence, PolicyProfile, RequirementCheck
from hedgerow.reports.profiles.sizes import (
    NO_RECORDS,
    ON_SOURCE,
    SEVERAL,
    claimed_smallest,
    in_all,
    may_be,
    risk,
    smallest,
    unseen_groups,
)
from hedgerow.table.column_codings import done_to
from hedgerow.table.schema import Role

MOST = 0.09
"""A group of 11 gives 0.0909 and fails; 12 passes."""


def findings(evidence: Evidence) -> Iterator[RequirementCheck]:
    """Requirement by requirement."""
    yield _residual(evidence)
    yield _initial(evidence)
    yield from _of_population(evidence)
    yield _techniques(evidence)
    yield _identifiers(evidence)
    yield RequirementCheck.left(
        "documents and free text are anonymised as the data are",
        "only tables are looked at",
        "Redact what the study's documents say of single people.",
    )


def _residual(evidence: Evidence) -> RequirementCheck:
    handed = evidence.handed
    asked = f"the largest risk that somebody is found is at most {MOST} (residual risk)"
    if handed.kind == "randomised":
        return RequirementCheck.left(
            asked,
            f"{NO_RECORDS}: the risk to pick a record does not apply; the loss is "
            f"{handed.certificate['claim']}",
            "Argue with the loss instead, and let the authority decide.",
        )
    if (unseen := unseen_groups(handed)) is not None:
        return RequirementCheck.left(asked, unseen, ON_SOURCE)
    size = smallest(handed)
    seen = in_all(handed)
    if size is None:
        size = claimed_smallest(handed) if handed.kind == "recoded" else None
        if size is None:
            return RequirementCheck.left(
                asked, SEVERAL, "Claim k-anonymity: 12 in the plan, which counts people."
            )
        seen = f"{seen}, people as counted by the publisher"
    most = handed.most or 1
    return RequirementCheck.of(
        asked,
        risk(size, most) <= MOST,
        f"{risk(size, most):.4f} = {most}/{size:,}, in the smallest of {seen}{may_be(most)}",
        "Claim `prosecutor-risk: 0.09` or `k-anonymity: 12` and publish anew.",
    )


def _initial(evidence: Evidence) -> RequirementCheck:
    asked = "the initial risk, before anything was done, is in the report"
    if evidence.raw is None:
        return RequirementCheck.left(
            asked,
            "who has only the release cannot know it",
            "Make the report with the plan: hedgerow report RELEASE --plan plan.yaml.",
        )
    raw = evidence.raw
    return RequirementCheck.of(
        asked,
        True,
        f"{risk(raw.smallest):.4f} = 1/{raw.smallest:,}; {raw.unique:,} of {raw.people:,} people "
        f"are alone in one of {raw.groups:,} groups"
        if raw.most == 1
        else f"{risk(raw.smallest, raw.most):.4f}, in a group of {raw.smallest:,} rows; "
        f"{raw.unique:,} of {raw.groups:,} groups of {raw.people:,} rows may be one person"
        f"{may_be(raw.most)}",
    )


def _of_population(evidence: Evidence) -> Iterator[RequirementCheck]:
    """What is claimed of the population that the table may be a sample of: never met by itself.

    It is an estimate, and whether the table is such a sample is nothing that it shows.
    """
    for model in evidence.handed.models or ():
        if model is None or not model.about_population:
            continue
        yield RequirementCheck.left(
            f"the risk in the population is at most {MOST}, where the authority takes the table "
            "for a sample",
            f"estimated, not counted: {model.attacker} {model.promise}",
            "State the population, how the sample was drawn and the estimator, and let the "
            "authority decide. The risk by counted groups stands above, and this does not "
            "replace it.",
        )


def _techniques(evidence: Evidence) -> RequirementCheck:
    handed, asked = evidence.handed, "the technique is stated for each identifier"
    if handed.kind == "randomised":
        return RequirementCheck.of(asked, True, "noise on every count of every table; see Claims")
    if handed.kind == "safe":
        done = [f"{one['column']}: level {one['level']}" for one in handed.certificate["columns"]]
        return RequirementCheck.of(asked, True, f"sampling, then generalisation: {'; '.join(done)}")
    levels = handed.certificate["recoding"].get("levels") or {}
    kind = handed.certificate["recoding"]["kind"]
    done = [
        f"{name}: {f'level {levels[name]}' if name in levels else kind}" for name in handed.quasi
    ]
    coded = [f"{name}: {done_to(coding)}" for name, coding in handed.codings.items()]
    gone = [f"{name}: removed" for name in handed.with_role(Role.IDENTIFIER)]
    return RequirementCheck.of(asked, True, "; ".join([*done, *coded, *gone]))


def _identifiers(evidence: Evidence) -> RequirementCheck:
    asked = "direct identifiers are removed or replaced"
    if evidence.handed.kind != "recoded":
        return RequirementCheck.left(
            asked,
            f"published are {', '.join(evidence.handed.columns)}",
            "Confirm that none of these columns names a person outright.",
        )
    names = evidence.handed.with_role(Role.IDENTIFIER)
    return RequirementCheck.left(
        asked,
        f"not published, as the plan calls them identifiers: {', '.join(names) or 'none'}",
        "Confirm that no other column names a person outright: "
        f"{', '.join(evidence.handed.columns)}.",
    )


EMA_0070 = PolicyProfile(
    name="ema-0070",
    title="EMA policy 0070 and Health Canada, publication of clinical data",
    checks="highest risk at most 0.09 by the smallest published group (11 people give 0.0909 and "
    "fail, 12 pass); technique for each "
    "identifier; initial and residual risk (with `--plan`)",
    leaves="the risk in the population where a claim estimates it, with its model and what it "
    "assumes; direct identifiers in other columns; documents and free text",
    requirements=findings,
)
