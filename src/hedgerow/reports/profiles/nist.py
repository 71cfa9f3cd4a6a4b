"""NIST SP 800-226: what has to be declared of differential privacy; there is no limit for epsilon.

None is made up here: a number is stated, and whether it is small enough is for people to say.
"""

from __future__ import annotations

from collections.abc import Iterator

from hedgerow.reports.noisy import NEIGHBOURS
from hedgerow.reports.profiles.base import Evidence, PolicyProfile, RequirementCheck

DECLARED = (
    "the unit of privacy is declared",
    "bounded or unbounded is declared",
    "epsilon and delta are declared",
    "the trust model is declared",
    "side channels are declared",
)


def findings(evidence: Evidence) -> Iterator[RequirementCheck]:
    """Requirement by requirement."""
    handed = evidence.handed
    told = handed.certificate
    if handed.kind == "recoded":
        for asked in DECLARED:
            yield RequirementCheck.of(
                asked,
                False,
                "the release does not claim differential privacy",
                "Use `search: marginals` or `search: safe`, or do not call it differentially "
                "private.",
            )
        return
    kind = told["neighbours"]["kind"]
    loss = ", ".join(f"{name} {value}" for name, value in told["loss"].items())
    yield RequirementCheck.of(DECLARED[0], True, told["neighbours"]["words"])
    yield RequirementCheck.of(DECLARED[1], True, f"{kind}, {NEIGHBOURS[kind]}")
    yield RequirementCheck.of(
        DECLARED[2], True, f"{loss}; there is no official limit to compare it with"
    )
    yield RequirementCheck.of(
        DECLARED[3],
        True,
        "central: the publisher holds the raw data and adds the noise; readers need not be trusted"
        if handed.kind == "randomised"
        else "central: the publisher holds the raw data and draws the people",
    )
    aware = "machine" in told["protected"]
    yield RequirementCheck.of(
        DECLARED[4],
        aware,
        "the certificate says that neither how long publishing took nor the publisher's machine "
        "and ledger are protected"
        if aware
        else "the certificate does not speak of them",
        "Publish anew with a version that says so.",
    )
    yield RequirementCheck.left(
        "epsilon is small enough for the purpose",
        f"{loss}; the standard names no limit, and neither does this report",
        "Decide, and write down why.",
    )
    yield RequirementCheck.left(
        "the guarantee holds for the whole population's releases together",
        "every release adds its loss; the publisher's ledger keeps the sum",
        "Ask the publisher for the sum of all losses about these people.",
    )


NIST_800_226 = PolicyProfile(
    name="nist-800-226",
    title="NIST SP 800-226, evaluating differential privacy guarantees",
    checks="unit of privacy, bounded or unbounded, epsilon and delta, trust model, side channels "
    "are declared",
    leaves="whether epsilon is small enough: the standard has no limit, and none is made up here; "
    "the sum over all releases",
    requirements=findings,
)
