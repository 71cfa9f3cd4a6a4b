"""The half of the page about differential privacy."""
# ruff: noqa: E501  prose is not broken into lines, as in the other pages

from __future__ import annotations

from collections.abc import Iterator, Sequence

from examples.composition_attacks.experiment import Experiment
from examples.composition_attacks.private import LEVELS, UNLIKELY, Grid, Noisy
from examples.composition_attacks.telling import rated, share
from hedgerow.attacks.base import Rate


def private_half(e: Experiment, noisy: Sequence[Noisy], folder: str) -> Iterator[str]:
    """The same attack, and the strongest one, on noisy histograms."""
    grid = Grid.of(e.adult.census, LEVELS)
    yield f"""## Differential privacy

![The same attack on differentially private histograms]({folder}/composition_private.svg)

The paper's other half: ε-differential privacy composes, whatever else an attacker knows. Both publishers release a histogram of Adult: for each of {len(grid.codes)} groups that are laid down without looking at the data ({", ".join(LEVELS)}; ages in tens, with or without a spouse present) and each of {len(grid.values)} occupations the number of people plus discrete Laplace noise. Changing one person's occupation changes two counts by one, so noise P(x) ∝ e<sup>−ε|x|/2</sup> makes each release ε-differentially private (one person's value changed, as in the paper), and both together 2ε.

**The intersection attack** takes a value for present where its count is clearly positive: where noise alone is so large at most {share(UNLIKELY)} of the time. It is run on the people in both releases, and on people in neither, of whom no release can know anything: what is found about *them* is what the tables say about everybody like them, which is what tables are for. Intervals are Wilson's, 95 %; all seeds together.

| ε of each | count from | truth is possible | one value left: in both | in neither | of these right: in both | in neither | named: in both | in neither | ratio | bound e<sup>2ε</sup> |
|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"""
    for n in noisy:
        control = n.named.control
        assert control is not None
        bound = "none" if n.epsilon is None else f"{n.beliefs[0].bound:,.4g}"
        cells = [
            "no noise" if n.epsilon is None else f"{n.epsilon:g}",
            str(n.least),
            share(n.inside.value, 1),
            share(n.perfect.value, 1),
            share(n.control_perfect.value, 1),
            rated(n.right),
            rated(n.control_right),
            rated(n.named.found),
            rated(control),
            f"{n.named.found.value / control.value:.3f}",
            bound,
        ]
        yield f"| {' | '.join(cells)} |"
    common = noisy[0].named.baseline.value
    yield f"""
Without noise a single value left is certainly right. With noise it is a guess; the smaller ε is, the smaller is its lead over the same guess about people who are in neither. Naming the most frequent occupation is right for {share(common, 1)}: what an attacker gains beyond that is nearly all statistics about groups, and works on people who are in neither release too.

**The strongest attacker** knows everybody else's record exactly and only not the target's occupation, for which the census as a whole is the prior. Their posterior is computed by Bayes' rule from both releases for every target. *Factor*: posterior over prior, of any value of any target. *Distance*: statistical difference between posterior and prior (the paper's semantic privacy); for one unknown record and 2ε in all it is at most tanh(2ε / 4). *Named*: the likeliest value is right; no attacker can be right more often than e<sup>2ε</sup> times the share of the most frequent value.

| ε of each | largest factor | bound | smallest factor | bound | largest distance | bound | named | bound |
|--:|--:|--:|--:|--:|--:|--:|--:|--:|"""
    for n in noisy:
        if n.epsilon is None:
            continue
        b = n.beliefs
        limit, away = b[0].bound, b[0].distance_bound
        right = Rate(
            successes=sum(x.named.successes for x in b), guesses=sum(x.named.guesses for x in b)
        )
        cells = [
            f"{n.epsilon:g}",
            f"{max(x.largest for x in b):,.4g}",
            f"{limit:,.4g}",
            f"{min(x.smallest for x in b):.4f}",
            f"{1 / limit:.4f}",
            f"{max(x.distance for x in b):.4f}",
            f"{away:.4f}",
            share(right.value, 1),
            share(min(1.0, limit * b[0].prior_named), 1),
        ]
        yield f"| {' | '.join(cells)} |"
    exceeded = sum(x.largest > x.bound or x.smallest < 1 / x.bound or x.distance > x.distance_bound
                   for n in noisy for x in n.beliefs)  # fmt: skip
    yield f"""
No bound was exceeded ({exceeded} of {sum(len(n.beliefs) for n in noisy)} pairs of releases). For these beliefs that is arithmetic: whatever tables are published, noise of this scale cannot move them further. What could go wrong is the scale, which a test measures. What is seen comes close to the bounds, and a large ε promises next to nothing against this attacker.

The noise of this example is numpy's, which protects nobody: it is repeatable by design.
"""
