"""What an epsilon means to a person: the study behind `explain epsilon`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.base.errors import PlanError
from hedgerow.noise import loss_sentences
from hedgerow.noise.composition import amplified
from hedgerow.noise.loss_sentences import rounded_down, rounded_up
from hedgerow.noise.measures import Approximate, Pure, ZeroConcentrated
from hedgerow.noise.neighbours import Neighbouring, Neighbours
from hedgerow.noise.rounding import Number, exact, positive, whole
from hedgerow.noise.semantics import believed, exceptions, shift, shift_fails, simple_shift, truth

if TYPE_CHECKING:
    from hedgerow.charts.figure import Figure

PRIORS = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))
"""Beliefs that are followed."""
LEAST, LEAST_DELTA = Fraction(1, 10**9), Fraction(1, 10**18)
"""Less than this no ledger counts."""
MOST, MOST_PEOPLE = 1000, 10**10
"""Beyond such an epsilon, and beyond so many people or answers, there is nothing to explain."""
READ_AT = Fraction(1, 10**6)
"""The delta at which the joint loss of pure answers is read; less where there are many people."""
SLACK = Fraction(1, 10)
"""What a shift may give up to fail more rarely."""


@dataclass(frozen=True)
class RevealingQuestion:
    """The most revealing yes/no question about one person."""

    truth: float
    """How often its answer is true, at most."""
    values: float
    """The same for one value or another, where neighbours are add-remove."""
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Moved:
    """What somebody believes afterwards who believed `prior` before."""

    prior: float
    least: float
    most: float


@dataclass(frozen=True)
class BeliefShift:
    """How far beliefs move."""

    moved: tuple[Moved, ...]
    epsilon: float
    """By which the odds move; twice the promised one, where there is a delta."""
    fails: float
    """How often they move farther; 1 says nothing."""
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Shifted:
    """How far a record moves beliefs, and how often that does not hold."""

    shift: float
    fails_for_one: float
    fails_for_any: float | None
    """None where nobody said how many people there are."""


@dataclass(frozen=True)
class SemanticPrivacy:
    """What one person's record changes: semantic privacy."""

    shifted: tuple[Shifted, ...]
    """With a delta also one that holds for less, but fails more rarely."""
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Joint:
    """A loss of several answers, or of several people; None where nothing is promised."""

    name: str
    epsilon: float | None
    delta: float | None
    truth: float | None


@dataclass(frozen=True)
class Answers:
    """What several such answers amount to."""

    count: int
    joint: tuple[Joint, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Group:
    """What it means for people whose data go together."""

    size: int
    joint: Joint
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Sample:
    """What it buys to ask a secret sample."""

    rate: float
    joint: Joint
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class EpsilonStudy:
    """What a loss means to a person; made by `explain_epsilon`.

    Every probability and every loss is rounded up, the least beliefs are rounded down.
    """

    loss: Pure | Approximate
    people: int | None
    question: RevealingQuestion
    beliefs: BeliefShift
    record: SemanticPrivacy
    answers: Answers
    group: Group
    sample: Sample
    delta: tuple[str, ...]
    """What the delta allows; nothing where there is none."""

    def summary(self) -> dict[str, Any]:
        """The study as JSON can hold it."""
        parts = ("question", "beliefs", "record", "answers", "group", "sample")
        return {
            "epsilon": rounded_up(self.loss.epsilon),
            "delta": {"delta": rounded_up(_delta(self.loss)), "sentences": list(self.delta)},
            "people": self.people,
        } | {part: asdict(getattr(self, part)) for part in parts}

    def chart(self) -> Figure:
        """Truth and shift against epsilon, with this one marked."""
        from hedgerow.explain.epsilon_charts import meaning_chart

        return meaning_chart(self.loss)

    def plot(self, path: str | Path) -> Path:
        """Draw it: .svg, .html or .png.

        Raises:
            TargetError: It is another kind of file, or cannot be written.
        """
        from hedgerow.explain.adversary_study import refuse_plot

        refuse_plot(Path(path))
        return self.chart().save(path)


def explain_epsilon(
    epsilon: Number,
    *,
    delta: Number | None = None,
    n: int | None = None,
    answers: int = 10,
    group: int = 10,
    sample: Number = "0.1",
) -> EpsilonStudy:
    """What an epsilon means to a person in the data.

    Args:
        epsilon: Of one answer; 0.1 is one tenth.
        delta: Of one answer; without it the loss is pure.
        n: How many people there are. Public, as it is used to judge the delta.
        answers: How many such answers are put together.
        group: How many people's data go together.
        sample: The chance of everybody to be in a secret sample.

    Raises:
        PlanError: A number is out of its range, or the delta allows to publish somebody.

    >>> study = explain_epsilon(0.1)
    >>> study.question.truth, study.record.shifted[0].shift, study.group.joint.epsilon
    (0.524979187479, 0.0499583749579, 1.0)
    """
    people = None if n is None else _counted("n", n)
    loss = _asked(epsilon, delta, people)
    read_at = _delta(loss) or min(READ_AT, Fraction(1, (people or 1) ** 2))
    return EpsilonStudy(
        loss=loss,
        people=people,
        question=_question(loss),
        beliefs=_beliefs(loss),
        record=_record(loss, people),
        answers=_answers(loss, _counted("answers", answers), read_at, people),
        group=_group(loss, _counted("group", group, least=2)),
        sample=_sample(loss, _within("sample", sample, LEAST, 1)),
        delta=tuple(loss_sentences.of_delta(loss, people)) if isinstance(loss, Approximate) else (),
    )


def _asked(epsilon: Number, delta: Number | None, people: int | None) -> Pure | Approximate:
    e = _within("epsilon", epsilon, LEAST, MOST)
    if delta is None or not exact("delta", delta):
        return Pure(epsilon=e)
    loss = Approximate(epsilon=e, delta=delta)
    _within("delta", delta, LEAST_DELTA, 1)
    if people is not None:
        loss.require_small_delta(people=people)
    return loss


def _within(name: str, value: Number, least: Fraction, most: int) -> Fraction:
    number = positive(name, value)
    if not least <= number <= most:
        raise PlanError(
            f"{name} must be between {float(least):.0e} and {most:,}, and is {value}",
            fix="There is nothing to explain beyond.",
        )
    return number


def _counted(name: str, value: int, *, least: int = 1) -> int:
    number = whole(name, value, least=least)
    if number > MOST_PEOPLE:
        raise PlanError(f"{name} must be at most {MOST_PEOPLE:,}, and is {number:,}")
    return number


def _together(loss: Pure | Approximate, size: int) -> Pure | Approximate | None:
    """The loss of so many people; None where the deltas of the chain add up to 1 or more."""
    try:
        return loss.group(size)
    except PlanError:
        return None


def _question(loss: Pure | Approximate) -> RevealingQuestion:
    twice = _together(loss, 2)
    return RevealingQuestion(
        truth=rounded_up(truth(loss)),
        values=1.0 if twice is None else rounded_up(truth(twice)),
        sentences=tuple(loss_sentences.of_question(loss, twice)),
    )


def _beliefs(loss: Pure | Approximate) -> BeliefShift:
    pure, fails = loss, Fraction(0)
    if isinstance(loss, Approximate):
        pure, fails = Pure(epsilon=2 * loss.epsilon), exceptions(loss)
    assert isinstance(pure, Pure)
    ends = {prior: believed(pure, prior=prior) for prior in PRIORS}
    return BeliefShift(
        moved=tuple(
            Moved(rounded_up(prior), rounded_down(least), rounded_up(most))
            for prior, (least, most) in ends.items()
        ),
        epsilon=rounded_up(pure.epsilon),
        fails=rounded_up(fails),
        sentences=tuple(loss_sentences.of_beliefs(ends[Fraction(1, 2)][1], fails)),
    )


def _record(loss: Pure | Approximate, n: int | None) -> SemanticPrivacy:
    slacks: tuple[Fraction | None, ...] = (None,)
    if isinstance(loss, Approximate):
        slacks = (None, SLACK)
    rows = [
        loss_sentences.Shift(
            shift(loss, slack=slack),
            shift_fails(loss, slack=slack),
            None if n is None else shift_fails(loss, people=n, slack=slack),
        )
        for slack in slacks
    ]
    simple = simple_shift(loss) if isinstance(loss, Approximate) else None
    return SemanticPrivacy(
        shifted=tuple(
            Shifted(
                rounded_up(r.far), rounded_up(r.one), None if r.any is None else rounded_up(r.any)
            )
            for r in rows
        ),
        sentences=tuple(loss_sentences.of_record(loss, rows, simple, n)),
    )


def _answers(loss: Pure | Approximate, count: int, read_at: Fraction, n: int | None) -> Answers:
    delta = count * _delta(loss)
    joint = [_joint("added up", loss.epsilon * count, delta)]
    rho = ZeroConcentrated(rho=count * loss.epsilon**2 / 2)
    # An answer with a delta is a pure one but for this probability, each time.
    joint.append(_joint("by zCDP", rho.approximate(delta=read_at).epsilon, delta + read_at))
    missing: PlanError | None = None
    try:
        joint.append(_joint("Laplace", _accounted(loss, count, read_at), read_at))
    except PlanError as error:
        missing = error
    return Answers(
        count=count,
        joint=tuple(joint),
        sentences=tuple(loss_sentences.of_answers(loss, count, n, missing)),
    )


def _accounted(loss: Pure | Approximate, count: int, delta: Fraction) -> Fraction:
    from hedgerow.noise.accounting import many
    from hedgerow.noise.mechanisms import DiscreteLaplace

    scale = DiscreteLaplace.scale_for(Pure(epsilon=loss.epsilon), d_in=1)
    return many(DiscreteLaplace(scale=scale), count=count, d_in=1, delta=delta).epsilon


def _group(loss: Pure | Approximate, size: int) -> Group:
    together = _together(loss, size)
    joint = Joint("group", None, None, None)
    if together is not None:
        joint = _joint("group", together.epsilon, _delta(together))
    return Group(size, joint, tuple(loss_sentences.of_group(loss, size, together)))


def _sample(loss: Pure | Approximate, rate: Fraction) -> Sample:
    one = Neighbours(kind=Neighbouring.ADD_REMOVE)
    lower = amplified(loss, rate=rate, sampling="poisson", neighbours=one)
    return Sample(
        rate=rounded_up(rate),
        joint=_joint("sample", lower.epsilon, _delta(lower)),
        sentences=tuple(loss_sentences.of_sample(rate, lower)),
    )


def _joint(name: str, epsilon: Fraction, delta: Fraction) -> Joint:
    if delta >= 1:
        return Joint(name, None, None, None)
    loss = Approximate(epsilon=epsilon, delta=delta)
    return Joint(name, rounded_up(epsilon), rounded_up(delta), rounded_up(truth(loss)))


def _delta(loss: Pure | Approximate) -> Fraction:
    return loss.delta if isinstance(loss, Approximate) else Fraction(0)
