"""What a secret sample buys, and how large groups must be: the study behind `explain sampling`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.base.errors import PlanError
from hedgerow.noise.loss_sentences import rounded_down, rounded_up, told
from hedgerow.noise.rounding import Number, exact, exp_down, positive, share, whole
from hedgerow.noise.sampling.measure import Sampled
from hedgerow.noise.sampling.pipeline import smallest_k_after_choices
from hedgerow.noise.sampling.suppression import (
    MOST_PEOPLE,
    delta,
    largest_beta,
    rate_text,
    smallest_epsilon,
    smallest_k,
)
from hedgerow.noise.sampling.theorem import paper_delta, paper_smallest_k

if TYPE_CHECKING:
    from hedgerow.charts.figure import Figure

LARGEST = 100
"""An epsilon beyond which there is nothing to explain."""
TENTH = Fraction(1, 10)


@dataclass(frozen=True)
class OnSample:
    """What an algorithm has to keep on a sample, and what keeping it there is worth."""

    epsilon: float
    """What it may lose as differential privacy on the sample."""
    delta: float | None
    """Likewise; None where it would reach 1."""
    amplified: float
    """What an algorithm that loses the given epsilon loses on a sample; rounded up."""


@dataclass(frozen=True)
class GroupSizes:
    """How large groups must be; None where no k up to the largest is enough."""

    k: int | None
    after_choice: int | None
    """If the recoding is chosen at a tenth of epsilon."""
    theorem: int | None
    """By the published theorem; None where it is silent too."""


@dataclass(frozen=True)
class GivenK:
    """What holds for groups of a given size."""

    k: int
    delta: float
    """With the given epsilon; exact, rounded up."""
    theorem: float | None
    epsilon: float
    """With the given delta."""
    beta: float
    """The largest rate that keeps the given epsilon and delta."""


@dataclass(frozen=True)
class SamplingStudy:
    """A sampling rate and a loss, explained; made by `explain_sampling`. It looks at no data."""

    loss: Sampled
    on_sample: OnSample
    groups: GroupSizes
    given: GivenK | None
    sentences: tuple[str, ...]
    not_protected: tuple[str, ...]

    def summary(self) -> dict[str, Any]:
        """The study as JSON can hold it."""
        return {
            "beta": rounded_up(self.loss.beta),
            "epsilon": rounded_up(self.loss.epsilon),
            "delta": rounded_up(self.loss.delta),
            "on_sample": asdict(self.on_sample),
            "groups": asdict(self.groups),
            "given": None if self.given is None else asdict(self.given),
            "sentences": list(self.sentences),
            "not_protected": list(self.not_protected),
        }

    def chart(self) -> Figure:
        """The smallest k against epsilon at this rate and delta."""
        from hedgerow.explain.sampling_curves import EPSILONS, k_chart

        rows: list[dict[str, Any]] = []
        for name, least in (("exact", smallest_k), ("theorem", paper_smallest_k)):
            for e in EPSILONS:
                k = _or_none(least, beta=self.loss.beta, epsilon=e, delta=self.loss.delta)
                if k is not None:
                    rows.append({"x": float(e), "k": k, "line": name})
        return k_chart(
            rows,
            across="ε",
            title="How large groups must be, against ε",
            subtitle=f"β = {rate_text(self.loss.beta)}, δ = {told(self.loss.delta)}.",
        )

    def plot(self, path: str | Path) -> Path:
        """Draw it to a file that ends in .svg, .html or .png.

        Raises:
            TargetError: It is another kind of file, or cannot be written.
        """
        from hedgerow.explain.adversary_study import refuse_plot

        refuse_plot(Path(path))
        return self.chart().save(path)


def explain_sampling(
    *, beta: Number, epsilon: Number, delta: Number = "1e-6", k: int | None = None
) -> SamplingStudy:
    """What it means to publish from a secret sample only.

    Args:
        beta: The chance of everybody to be drawn.
        epsilon: Of the release.
        delta: Of the release.
        k: Groups of fewer drawn people are left out; if given, what holds for it.

    Raises:
        PlanError: A number is out of its range, or no epsilon has this delta with this k.

    >>> study = explain_sampling(beta="0.01", epsilon="0.1")
    >>> round(study.on_sample.epsilon, 4), study.groups.k
    (2.4438, 6)
    """
    e, b, d = positive("epsilon", epsilon), share("beta", beta), share("delta", delta)
    if e > LARGEST:
        raise PlanError(
            f"epsilon must be at most {LARGEST}, and is {epsilon}",
            fix="There is nothing to explain beyond.",
        )
    loss = Sampled(beta=b, epsilon=e, delta=d)
    on_sample = _on_sample(loss)
    groups = GroupSizes(
        k=_or_none(smallest_k, beta=b, epsilon=e, delta=d),
        after_choice=_or_none(
            smallest_k_after_choices, beta=b, epsilon=e, delta=d, choice=e * TENTH
        ),
        theorem=_or_none(paper_smallest_k, beta=b, epsilon=e, delta=d),
    )
    given = None if k is None else _given(loss, whole("k", k))
    return SamplingStudy(
        loss=loss,
        on_sample=on_sample,
        groups=groups,
        given=given,
        sentences=tuple(_sentences(loss, on_sample, groups, given)),
        not_protected=NOT_PROTECTED,
    )


NOT_PROTECTED = (
    "Somebody who knows who was drawn: the coins are part of the protection.",
    "A second release from the same sample: two that each tell nothing can tell together who was "
    "drawn. With a fresh sample for each, losses add up.",
    "How many people were drawn, or left out: no such number may be published beside the table.",
    "People with several rows, and values rather than presence: both are groups of two or more.",
)


def _on_sample(loss: Sampled) -> OnSample:
    pure = Sampled(beta=loss.beta, epsilon=loss.epsilon, delta=0)
    room = exact("delta", loss.delta) / loss.beta
    whole_table = Sampled(beta=1, epsilon=loss.epsilon, delta=0)
    return OnSample(
        epsilon=rounded_down(pure.needed_at(beta=1).epsilon),
        delta=rounded_down(room) if room < 1 else None,
        amplified=rounded_up(whole_table.at(beta=loss.beta).epsilon),
    )


def _given(loss: Sampled, k: int) -> GivenK:
    b, e, d = loss.beta, loss.epsilon, loss.delta
    ours = delta(k=k, beta=b, epsilon=e)  # first, as it refuses a k that is too large
    paper = _or_none(paper_delta, k=k, beta=b, epsilon=e)
    return GivenK(
        k=k,
        delta=rounded_up(ours),
        theorem=None if paper is None else rounded_up(paper),
        epsilon=rounded_up(smallest_epsilon(k=k, beta=b, delta=d)),
        beta=rounded_down(largest_beta(k=k, epsilon=e, delta=d)),
    )


def _sentences(
    loss: Sampled, on_sample: OnSample, groups: GroupSizes, given: GivenK | None
) -> Iterator[str]:
    b, e, d = rate_text(loss.beta), told(loss.epsilon), told(loss.delta)
    yield (
        f"Everybody is drawn with probability {b}, each by a coin of their own, and only the "
        f"sample is looked at. To keep epsilon {e} for the people of the table, what is done with "
        f"the sample may lose epsilon {told(on_sample.epsilon, up=False)}; what loses {e} there "
        f"loses {told(on_sample.amplified)} for the people of the table."
    )
    if groups.k is None:
        yield f"No k up to {MOST_PEOPLE:,} makes a k-anonymous table keep ({e}, {d})."
    else:
        yield (
            f"A table whose recoding was fixed beforehand keeps ({e}, {d}) if groups of fewer than "
            f"{groups.k:,} drawn people are left out"
            + (
                "."
                if groups.after_choice is None
                else ", and one whose recoding is chosen privately on the whole table, before "
                "anybody is drawn, at a tenth of epsilon, if groups "
                f"of fewer than {groups.after_choice:,} are."
            )
        )
    if groups.theorem is not None:
        yield f"By the published theorem it would be {groups.theorem:,}."
    elif loss.beta > 1 - exp_down(-loss.epsilon):
        yield "The published theorem is silent there: it needs a rate of at most 1 - e^-epsilon."
    else:
        yield "What the published theorem says there takes too long to compute."
    if given is None:
        return
    yield f"With k = {given.k:,} and delta {d}, epsilon is {told(given.epsilon)}."
    yield (
        f"With k = {given.k:,} and epsilon {e}, delta is {told(given.delta)}; to keep ({e}, {d}) "
        f"draw at most {told(given.beta, up=False)} of the people."
    )


def _or_none(find: Callable[..., Any], **given: Any) -> Any:
    """What is found; None where there is nothing to find."""
    try:
        return find(**given)
    except PlanError:
        return None
