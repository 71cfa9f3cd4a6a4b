"""Four patients, a neighbouring table, and what an answer about them may tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from hedgerow.noise.measures import Pure
from hedgerow.noise.mechanisms import DiscreteLaplace
from hedgerow.noise.neighbours import Neighbouring, Neighbours
from hedgerow.noise.rounding import exp_up


@dataclass(frozen=True)
class Patient:
    name: str
    gender: str
    age: int
    diabetes: bool


PATIENTS = (
    Patient("Alice", "F", 28, True),
    Patient("Bob", "M", 19, True),
    Patient("Chris", "M", 25, False),
    Patient("Doug", "M", 30, False),
)
CHANGED = Patient("Chris", "M", 23, True)
NEIGHBOURS = tuple(CHANGED if patient.name == "Chris" else patient for patient in PATIENTS)
"""The slides' second table: one patient with other values."""

UNIT = Neighbours(kind=Neighbouring.CHANGE_ONE)
"""The slides change one patient's values; how many there are is public."""


def diabetics(patients: Sequence[Patient]) -> int:
    return sum(patient.diabetes for patient in patients)


def histogram(patients: Sequence[Patient]) -> tuple[int, int]:
    """With diabetes and without."""
    return diabetics(patients), len(patients) - diabetics(patients)


def changed(patients: Sequence[Patient]) -> Iterator[tuple[Patient, ...]]:
    """The neighbouring tables, as far as a count of diabetics can tell them apart."""
    for i, patient in enumerate(patients):
        for gender in "FM":
            for has in (True, False):
                other = Patient(patient.name, gender, patient.age, has)
                yield (*patients[:i], other, *patients[i + 1 :])


def counting(epsilon: Fraction) -> DiscreteLaplace:
    """Noise for one count."""
    loss = Pure(epsilon=epsilon)
    return DiscreteLaplace(scale=DiscreteLaplace.scale_for(loss, d_in=UNIT.count))


def binning(epsilon: Fraction) -> DiscreteLaplace:
    """Noise for each bin of a histogram: a changed patient leaves one bin and enters another."""
    loss = Pure(epsilon=epsilon)
    return DiscreteLaplace(scale=DiscreteLaplace.scale_for(loss, d_in=UNIT.histogram))


def chances(count: int, noise: DiscreteLaplace, outputs: Sequence[int]) -> list[float]:
    """How likely each noisy count is."""
    a = float(exp_up(-1 / noise.scale))
    return [(1 - a) / (1 + a) * a ** abs(output - count) for output in outputs]
