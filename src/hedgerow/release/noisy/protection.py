"""What a randomised release protects and what it does not, for somebody who is no expert."""

from __future__ import annotations

from fractions import Fraction

from hedgerow.answers.design import distribution
from hedgerow.base.errors import PlanError
from hedgerow.noise.calibration import Additive
from hedgerow.noise.loss_sentences import told
from hedgerow.noise.measures import Approximate, Loss, Pure, ZeroConcentrated
from hedgerow.noise.neighbours import Neighbouring, Neighbours
from hedgerow.noise.rounding import exp_up
from hedgerow.noise.semantics import exceptions
from hedgerow.synthesis.request import SynthesisRequest
from hedgerow.table.schema import AS_WRITTEN, STATED, stated_no_keys

EXAMPLE_DELTA = Fraction(1, 10**6)
"""For which a zero-concentrated loss is told as epsilon."""
EMPTY = 20
"""An epsilon beyond which nothing is promised that anybody could use."""


def claim(loss: Loss, neighbours: Neighbours) -> str:
    """The promise in one line.

    >>> print(claim(Pure(epsilon=1), Neighbours(kind=Neighbouring.ADD_REMOVE)))
    1-differential privacy (add-remove: one person in the table or not, with one row)
    """
    return f"{loss} ({neighbours})"


def protected(request: SynthesisRequest, loss: Loss, mechanism: Additive, *, rows: bool) -> str:
    """One paragraph.

    Args:
        request: What was asked for.
        loss: What it costs.
        mechanism: The noise.
        rows: Whether made-up rows are published.
    """
    adding = request.neighbours.kind is Neighbouring.ADD_REMOVE
    many = request.neighbours.rows
    said = [
        f"Each count has {distribution(mechanism)} noise of scale {float(mechanism.scale):.6g}, "
        "drawn before anything else was done with it.",
        "Protected is each single person"
        + (
            f": whether the person is in the table at all. {_values(loss)}"
            if adding
            else ": every value of theirs. How many people there are is taken as public."
        ),
        _promise(loss, adding=adding),
        _odds(loss, adding=adding),
        "That holds whatever is done with the release.",
    ]
    if request.person is not None:
        said.append(
            f"A person has at most {many} row{'s' * (many > 1)} that count; further ones changed "
            "nothing."
        )
    else:
        said.append(
            "Each row is taken for a person: somebody with several rows is a group of so many."
        )
    if request.one_row_per_person:
        said.append(STATED)
    if request.ids_as_written:
        said.append(AS_WRITTEN)
    said += stated_no_keys(request.not_keys)
    said.append(
        "Not protected is what holds for people in general: a reader may learn from the release "
        "that an illness is frequent in a town, and believe it of somebody who lives there, "
        "whether or not that person is in the table."
    )
    said.append(_groups(loss))
    said.append(
        "Every further release or answer about the same people adds its loss to this one; the "
        "publisher's ledger keeps the sum. The columns, their values and bounds, and which tables "
        "there are come from the plan and are taken as public: if they were chosen by looking at "
        "the data, that is not protected. Neither is how long publishing took, nor anything from "
        "somebody who has the data, the ledger or the publisher's machine."
    )
    if rows:
        said.append(
            "The rows are made up from the published counts alone. A row may equal somebody's "
            "record; what that tells of the person is bounded by the loss above, and by nothing "
            "else. They say nothing that the tables do not: how columns go together that no table "
            "has together cannot be learned from them."
        )
    return " ".join(said)


def _values(loss: Loss) -> str:
    """Under add-remove, another value is one person less and one more."""
    return f"To tell one value of theirs from another may cost as much as two: {_group(loss, 2)}."


def _promise(loss: Loss, *, adding: bool) -> str:
    """The definition: of this release or, where there is a delta, of any event."""
    here, there = (
        ("with the person in the table", "without")
        if adding
        else ("with these values of the person", "with any others")
    )
    bound = _bound(loss)
    times = _times(bound.epsilon)
    if isinstance(bound, Pure):
        likely = f"this release was at most {times} times as likely {here} as {there}"
    else:
        likely = (
            f"whatever one looks for in the release, its probability {here} was at most {times} "
            f"times that {there}, plus {told(bound.delta)}"
        )
    same = f", for instance {bound}" if isinstance(loss, ZeroConcentrated) else ""
    return f"{loss}{same}: {likely}, and the other way round."


def _odds(loss: Loss, *, adding: bool) -> str:
    """What that means for a belief; with a delta it is no bound for every release."""
    odds = "the odds a reader gives to " + (
        "the person being in the table" if adding else "one set of the person's values over another"
    )
    bound = _bound(loss)
    factor, fails = bound.epsilon, Fraction(0)
    if isinstance(bound, Approximate):
        factor, fails = 2 * bound.epsilon, exceptions(bound)
    if fails == 1:
        return f"With this delta nothing can be said about how far {odds} change."
    but = f", but for a probability of {told(fails)}" if fails else ""
    empty = ", a number so large that it promises nothing" if factor > EMPTY else ""
    return (
        f"So {odds} change at most by a factor of {_times(factor)}{empty}{but}, if to this reader "
        "the person's data tell nothing about other people's. To a reader who knows that they do, "
        "these people are a group."
    )


def _bound(loss: Loss) -> Pure | Approximate:
    """The loss in the currencies that can be told."""
    if isinstance(loss, ZeroConcentrated):
        return loss.approximate(delta=EXAMPLE_DELTA)
    return loss if isinstance(loss, Pure) or loss.delta else Pure(epsilon=loss.epsilon)


def _times(epsilon: Fraction) -> str:
    """e^epsilon, never too small.

    >>> _times(Fraction(1)), _times(Fraction(8)), _times(Fraction(40))
    ('2.719', '2,981', 'e^40')
    """
    return told(exp_up(epsilon)) if epsilon <= EMPTY else f"e^{told(epsilon)}"


def _groups(loss: Loss) -> str:
    return (
        "Less protected are groups whose values go together, such as a family: ten people have "
        f"{_group(loss, 10)}."
    )


def _group(loss: Loss, people: int) -> str:
    """The loss of so many people together.

    >>> _group(Pure(epsilon=1), 10), _group(ZeroConcentrated(rho="0.5"), 2)
    ('10-differential privacy', '2-zCDP')
    >>> _group(Approximate(epsilon=3, delta="1e-9"), 10)
    'no promise at all, as the deltas add up to 1'
    """
    try:
        return str(loss.group(people))
    except PlanError:
        return "no promise at all, as the deltas add up to 1"
