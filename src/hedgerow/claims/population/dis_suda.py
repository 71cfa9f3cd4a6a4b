"""DIS-SUDA: the risk of each record that is alone in a sample, by its SUDA score."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.claims.population.overview import right_match
from hedgerow.claims.population.size_counts import SizeCounts
from hedgerow.table.groups import Floats, Ints
from hedgerow.table.profile.special_uniques import IntrusionRisk, SpecialUniques

MOST_COLUMNS = 27
"""With more columns a higher score would mean a smaller risk."""


def dis_suda(scores: Ints | Floats, *, columns: int, right: float) -> Floats:
    """The chance that a match with each of these records is right.

    The odds of a record are a power of its score. They are scaled so that their harmonic mean is
    the odds of the file, which data intrusion simulation estimates. The power is 1 + (8 - c) / 20
    of c columns: the authors fitted it to samples of censuses.

    Reference: Elliot, Manning 2003, "Using DIS to modify the classification of special uniques";
    the power and the scale as in sdcMicro's `suda2`. It looks at sets of all sizes, so that every
    record that is alone has a score. Here the risk is spread over those that have one.

    >>> dis_suda(np.array([6, 12, 6, 10]), columns=4, right=0.04 / 5.98).round(4).tolist()
    [0.005, 0.0114, 0.005, 0.0092]

    Args:
        scores: SUDA scores of records that are alone, above 0.
        columns: How many columns the scores are about.
        right: The chance for the whole file.
    """
    if right >= 1 or not len(scores):
        return np.ones(len(scores))
    power = 1 + (8 - columns) / 20
    weight = scores.astype(np.float64) ** power
    odds = right / (1 - right) * weight * float(np.mean(1 / weight))
    found: Floats = odds / (1 + odds)
    return found


def intrusion_risk(special: SpecialUniques, *, fraction: float) -> IntrusionRisk | None:
    """The risk of each row of a table; None where nobody is alone, or the columns are too many.

    Args:
        special: The scores of the rows, each of another person.
        fraction: Share of the population that these rows are.
    """
    alone = int(np.count_nonzero(special.alone))
    if not alone or len(special.columns) > MOST_COLUMNS:
        return None
    sizes = np.repeat(np.array([1, 2], np.int64), [alone, special.twos])
    right = right_match(SizeCounts.of(sizes, fraction=fraction))
    assert right is not None, "somebody is alone"
    scored: NDArray[np.bool_] = special.scores > 0
    found = np.where(special.alone, np.nan, 0.0)
    found[scored] = dis_suda(special.scores[scored], columns=len(special.columns), right=right)
    unscored = int(np.count_nonzero(special.alone & ~scored))
    return IntrusionRisk(fraction=fraction, right=right, scores=found, unscored=unscored)
