"""Example 3 and Table 3: Rachel in Gotham City Hospital. Needs no data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from hedgerow import ClassI, ClassII, ClassIII, ClassIV, EpsilonPrivacy, Prior
from hedgerow.claims.adversary import Adversary
from hedgerow.table.groups import Groups

GROUPS = ("< 40, male", "≥ 40, male", "≥ 40, female")
TABLE_3 = Groups.of(
    {
        "disease": [
            {"flu": 200, "cancer": 300},
            {"flu": 1_800, "cancer": 2_700},
            {"flu": 18_000, "cancer": 2_000},
        ]
    }
)
RACHEL = 2
"""Her group."""
METROPOLIS = Prior.counts({"flu": 11_999, "cancer": 17_999})
"""What the nearby hospital had published: the prior D(12000, 18000)."""


@dataclass(frozen=True)
class Case:
    """One adversary of the paper and what the paper says of them."""

    who: str
    adversary: Adversary
    paper: str
    verdict: str


CASES = (
    Case(
        "class I, D(12000, 18000)",
        ClassI(prior=METROPOLIS),
        "4 (Example 3); 2.5 (after Theorem 1)",
        "4 is right up to its rounding; 2.5 is wrong: R2 fails for flu among the women",
    ),
    Case("class II, σ = 1,000", ClassII(stubbornness=1_000), "3", "right"),
    Case(
        "class II, σ = 30,000",
        ClassII(stubbornness=30_000),
        "6.4 for Rachel, 61 for men under 40",
        "both right",
    ),
    Case(
        "class III, shape (.4, .6)",
        ClassIII(prior=Prior.shape({"flu": 0.4, "cancer": 0.6})),
        "6",
        "right",
    ),
    Case("class IV", ClassIV(), "none", "right"),
)


def model(
    adversary: Adversary, by: Literal["exact", "theorem"], epsilon: float = 4
) -> EpsilonPrivacy:
    return EpsilonPrivacy(epsilon=epsilon, of="disease", adversary=adversary, by=by)


def levels(adversary: Adversary, by: Literal["exact", "theorem"]) -> tuple[float, ...]:
    """The smallest epsilon of each group."""
    return tuple(model(adversary, by).level(TABLE_3).tolist())


def rachel(adversary: Adversary) -> tuple[Fraction, Fraction]:
    """How sure the adversary is that Rachel has flu, with and without her record."""
    beliefs = model(adversary, "exact").beliefs(TABLE_3, RACHEL)
    flu = next(belief for belief in beliefs if belief.predicate == "flu")
    return flu.p_in, flu.p_out


def second_rule(epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """R2 of Theorem 1 for (women, flu) under D(12000, 18000): the share, and what it allows."""
    n, sigma, prior = 20_000, 30_000, 12_000
    revised = epsilon * (1 - Fraction(1, sigma)) + (epsilon - 1) * Fraction(n, sigma)
    return Fraction(18_000, n), 1 - 1 / revised + Fraction(prior - 1, sigma) / revised


def report() -> Iterator[str]:
    """The two tables of the page, as lines of Markdown."""
    yield f"| adversary | {' | '.join(GROUPS)} | table, theorem | table, exact | paper | |"
    yield "|---|--:|--:|--:|--:|--:|---|---|"
    for case in CASES:
        theorem, exact = levels(case.adversary, "theorem"), levels(case.adversary, "exact")
        cells = [*map(_six, theorem), _six(max(theorem)), _six(max(exact))]
        yield f"| {case.who} | {' | '.join(cells)} | {case.paper} | {case.verdict} |"


def beliefs() -> Iterator[str]:
    """How sure each adversary is that Rachel has flu."""
    yield "| adversary | p_in(flu) | p_out(flu) | as a fraction | the paper prints |"
    yield "|---|--:|--:|--:|--:|"
    printed = {"class I, D(12000, 18000)": ".6", "class II, σ = 30,000": ".36002"}
    printed["class III, shape (.4, .6)"] = ".4"
    for case in CASES:
        if case.who in printed:
            p_in, p_out = rachel(case.adversary)
            yield (
                f"| {case.who} | {float(p_in):.6f} | {float(p_out):.6f} | {p_out} | "
                f"{printed[case.who]} |"
            )


def _six(level: float) -> str:
    """Six digits behind the point; infinite in words."""
    return "none" if math.isinf(level) else f"{level:.6f}"
