"""WP216: singling out, linkability and inference, each tried, next to guessing."""

from __future__ import annotations

from collections.abc import Iterator

from hedgerow.attacks.base import AttackResult
from hedgerow.reports.profiles.base import Evidence, PolicyProfile, RequirementCheck

ATTACKS = {
    "singling-out": "singling out does no better than guessing",
    "linkability": "linking records does no better than guessing",
    "inference": "inference does no better than guessing",
}
HOW = "Make the report with the plan, whose source the attacks are scored on: --plan plan.yaml."


def findings(evidence: Evidence) -> Iterator[RequirementCheck]:
    """Requirement by requirement."""
    for name, asked in ATTACKS.items():
        tried = [result for result in evidence.attacks if result.attack == name]
        if evidence.handed.kind != "recoded":
            yield RequirementCheck.left(
                asked,
                "not tried: what any attack gains is bounded by the loss, "
                f"{evidence.handed.certificate['claim']}",
                "Judge whether the bound is small enough.",
            )
        elif not tried:
            yield RequirementCheck.left(asked, "not tried: it needs the original people", HOW)
        for result in tried:
            if evidence.handed.codings and not result.succeeded:
                coded = ", ".join(sorted(evidence.handed.codings))
                yield RequirementCheck.left(
                    f"{asked}: {result.goal}",
                    f"{_told(result)}; but the attack took the file for the truth, or left "
                    f"columns out, and the file does not show what people have as {coded}",
                    "Judge what an attacker gains who makes use of the coding.",
                )
                continue
            yield RequirementCheck.of(
                f"{asked}: {result.goal}",
                not result.succeeded,
                _told(result),
                "Strengthen the claims, or argue why the gain is acceptable.",
            )
    yield RequirementCheck.left(
        "the attacks were those that are reasonably likely to be used",
        "three attacks were specified; others are in `hedgerow attack`",
        "Consider who would attack, with what; record it, and when to look again.",
    )


def _told(result: AttackResult) -> str:
    low, high = result.found.interval()
    other = "people who are not in it" if result.control is not None else "guessing"
    known = ""
    if result.gains is not None and result.gains.certain:
        known = f"; {result.gains.certain:,} of {result.gains.people:,} people known for certain"
    return (
        f"{result.found.value:.1%} of {result.found.guesses:,} guesses right ({low:.1%} to "
        f"{high:.1%}), {result.without.value:.1%} by {other}; gain {result.gain:.3f}{known}"
    )


WP216 = PolicyProfile(
    name="wp216",
    title="Article 29 Working Party, opinion 05/2014 (WP216)",
    checks="singling out, linkability and inference, each tried and next to guessing (with "
    "`--plan`); met if the attack does no better than chance explains",
    leaves="whether other attacks are likely",
    requirements=findings,
)
