"""What a privacy loss means to a person: how often a guess is right, how far a belief moves.

Everything is exact or rounded against us: up, where it is somebody's risk. The statements are
about two neighbouring tables. Which tables these are the neighbouring says: one person in the
table or not, or one person with these values or others.
"""

from __future__ import annotations

from fractions import Fraction

from hedgerow.noise.measures import Approximate, Pure
from hedgerow.noise.rounding import (
    FARTHEST,
    Number,
    exp_down,
    exp_up,
    positive,
    share,
    sqrt_up,
    whole,
)

CERTAIN = Fraction(1)


def truth(loss: Pure | Approximate) -> Fraction:
    """How often the best guess is right between two neighbours that are equally likely.

    Guarantee: at most (e^epsilon + delta) / (1 + e^epsilon), whatever the guess is made from. The
    most revealing answer, randomised response, attains it.
    Assumes: nothing but these two tables is possible; who guesses knows everybody else.
    Reference: Machanavajjhala and Kifer, Designing statistical privacy for your data (2015), on
    how to choose epsilon; Kairouz, Oh and Viswanath, The composition theorem (2015), for delta.

    >>> round(float(truth(Pure(epsilon="0.1"))), 3), round(float(truth(Pure(epsilon="0.01"))), 4)
    (0.525, 0.5025)
    """
    epsilon, delta = _parameters(loss)
    guessed = (1 + delta * exp_up(-epsilon)) / (1 + exp_down(-epsilon))
    return min(guessed, CERTAIN)


def believed(loss: Pure, *, prior: Number) -> tuple[Fraction, Fraction]:
    """The least and the most that somebody believes afterwards who believed `prior` before.

    Guarantee: odds move by a factor of e^epsilon at most: from p to no more than
    p e^epsilon / (1 - p + p e^epsilon). The least is rounded down, the most up.
    Assumes: the belief is about what neighbours differ in, and, to who holds it, this person's
    data tell nothing about other people's. Where they do, take the loss of the group.
    Reference: Bayes' rule.

    >>> [round(float(b), 4) for b in believed(Pure(epsilon="0.1"), prior="0.5")]
    [0.475, 0.525]
    """
    p = share("prior", prior)
    odds = exp_down(-loss.epsilon)
    return p * odds / (p * odds + 1 - p), p / (p + (1 - p) * odds)


def exceptions(loss: Approximate) -> Fraction:
    """How often a belief moves by more than a pure loss of twice the epsilon allows.

    Guarantee: at most delta (1 + e^(-2 epsilon)) / (1 - e^-epsilon), whichever neighbour is true;
    1 stands for all that is more. Where the answer is e^(2 epsilon) times likelier, with
    probability P here and Q there, P <= e^epsilon Q + delta <= e^-epsilon P + delta.
    Assumes: as `believed`.
    Reference: Kasiviswanathan and Smith, On the semantics of differential privacy (2014), on
    point-wise indistinguishability.

    >>> float(exceptions(Approximate(epsilon=1, delta="1e-6"))) < 1.8e-6
    True
    """
    if not loss.delta:
        return Fraction(0)
    kept = 1 - exp_up(-loss.epsilon)
    if kept <= 0:
        return CERTAIN
    return min(loss.delta * (1 + exp_up(-2 * loss.epsilon)) / kept, CERTAIN)


def shift(loss: Pure | Approximate, *, slack: Fraction | None = None) -> Fraction:
    """How far one person's record moves what an answer makes people believe of anything.

    Compared is the belief after the answer with what the same answer would have made of it had
    it been given without the record (left out, or a fixed one in its place): the statistical
    difference of the two, over all events about the whole table.

    Guarantee: at most tanh(epsilon / 2) for every answer, if delta is 0; two people are enough to
    attain it. With a delta at most s / r for s = e^(2 epsilon) - 1 + (1 + e^epsilon) slack and
    r = e^(2 epsilon) + e^epsilon slack, but for a probability of `shift_fails`.
    Assumes: nothing about the belief before: people's data may go together in any way.
    Reference: Ganta, Kasiviswanathan and Smith, Composition attacks (2008), Def. of semantic
    privacy. tanh: the two beliefs differ by weights between e^-epsilon and e^epsilon. With a
    delta, but for that probability the belief p in an event is at most r q + slack, where q is
    the belief without the record, and it is at most 1; p - q is largest where these meet.

    Args:
        loss: What is promised.
        slack: What is given up so that it fails more rarely; the root of delta if left out.

    >>> round(float(shift(Pure(epsilon="0.1"))), 5), round(float(shift(Pure(epsilon=1))), 5)
    (0.04996, 0.46212)
    """
    epsilon, delta = _parameters(loss)
    if not delta:
        odds = exp_down(-epsilon)
        return (1 - odds) / (1 + odds)
    if 2 * epsilon > FARTHEST:
        return CERTAIN
    tau = _slack(delta, slack)
    return min(1 - (1 - tau) / (exp_up(2 * epsilon) + exp_up(epsilon) * tau), CERTAIN)


def simple_shift(loss: Approximate) -> Fraction | None:
    """The same as `shift`, by a formula that is better known and weaker.

    e^(2 epsilon) - 1 + (1 + e^epsilon) sqrt(delta). From 1 on it says nothing. None: too large to
    hold.

    >>> round(float(simple_shift(Approximate(epsilon="0.1", delta="1e-6"))), 4)
    0.2235
    """
    if 2 * loss.epsilon > FARTHEST:
        return None
    return exp_up(2 * loss.epsilon) - 1 + (1 + exp_up(loss.epsilon)) * sqrt_up(loss.delta)


def shift_fails(
    loss: Pure | Approximate, *, people: int = 1, slack: Fraction | None = None
) -> Fraction:
    """How often `shift` does not hold for one of so many people, over data and answers.

    Guarantee: at most 2 people delta / slack, which is 2 people sqrt(delta) if slack is left out;
    1 stands for all that is more. For one named person, `people` is 1.
    Assumes: the data are drawn as the person who holds the belief thinks they are.
    Reference: as `shift`; Markov's inequality, twice, and the sum over the people.

    >>> shift_fails(Approximate(epsilon=1, delta="1e-6"), people=100)
    Fraction(1, 5)
    """
    n, delta = whole("people", people), _parameters(loss)[1]
    if not delta:
        return Fraction(0)
    rare = sqrt_up(delta) if slack is None else delta / _slack(delta, slack)
    return min(2 * n * rare, CERTAIN)


def _slack(delta: Fraction, slack: Fraction | None) -> Fraction:
    return sqrt_up(delta) if slack is None else positive("slack", slack)


def _parameters(loss: Pure | Approximate) -> tuple[Fraction, Fraction]:
    return loss.epsilon, loss.delta if isinstance(loss, Approximate) else Fraction(0)
