"""What a randomised release protects and what it does not, for somebody who is no expert."""

from __future__ import annotations

from fractions import Fraction
from math import exp

from hedgerow.dp.measures import Approximate, Loss, Pure, ZeroConcentrated
from hedgerow.dp.neighbours import Neighbouring, Neighbours
from hedgerow.dp.pricing import Additive
from hedgerow.query.design import distribution
from hedgerow.randomised.making import upwards
from hedgerow.randomised.request import Request

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


def protected(request: Request, loss: Loss, mechanism: Additive, *, rows: bool) -> str:
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
            ": whether the person is in the table at all, and every value of theirs."
            if adding
            else ": every value of theirs. How many people there are is taken as public."
        ),
        _promise(loss, adding=adding),
        "That holds whatever the reader knows already, and whatever is done with the release.",
    ]
    if request.person is not None:
        said.append(
            f"A person has at most {many} row{'s' * (many > 1)} that count; further ones changed "
            "nothing."
        )
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
            "The rows are made up from the published counts alone. None of them is anybody's; one "
            "that is like somebody's is so by chance. They say nothing that the tables do not: "
            "how columns go together that no table has together cannot be learned from them."
        )
    return " ".join(said)


def _promise(loss: Loss, *, adding: bool) -> str:
    sides = (
        "with the person in the table as without"
        if adding
        else "with these values of the person as with any others"
    )
    about = "the person being in it" if adding else "one set of the person's values over another"
    epsilon, told = (
        (loss.approximate(delta=EXAMPLE_DELTA).epsilon, f"{loss}: but for one case in a million,")
        if isinstance(loss, ZeroConcentrated)
        else (loss.epsilon, f"{loss}:")
    )
    if isinstance(loss, Approximate) and loss.delta:
        told = f"{loss}: but for a probability of {float(loss.delta):.3g},"
    if epsilon > EMPTY:
        return (
            f"{told} this release was at most e^{float(epsilon):.4g} times as likely {sides}: a "
            "number so large that it promises nothing."
        )
    return (
        f"{told} this release was at most {_times(epsilon)} times as likely {sides}, and the other "
        f"way round. So the odds a reader gives to {about} change at most by that factor."
    )


def _times(epsilon: Fraction) -> str:
    """e^epsilon to three digits, never too small.

    >>> _times(Fraction(1)), _times(Fraction(8))
    ('2.72', '2,990')
    """
    near = upwards(exp(float(epsilon)) * (1 + 1e-12), digits=3)
    return f"{near:,.3g}" if near < 1000 else f"{near:,.0f}"


def _groups(loss: Loss) -> str:
    ten = (
        f"100 times the rho for ten people ({loss.group(10)})"
        if isinstance(loss, ZeroConcentrated)
        else f"ten times the epsilon for ten people ({Pure(epsilon=loss.epsilon).group(10)}"
        + (", and more than ten times the delta)" if isinstance(loss, Approximate) else ")")
    )
    return (
        f"Less protected are groups whose values go together, such as a family: the loss is {ten}."
    )
