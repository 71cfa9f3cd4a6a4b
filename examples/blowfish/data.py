"""Skin segmentation and Adult, from HEDGEROW_DATA."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np

from hedgerow.base.errors import DataError
from hedgerow.noise.blowfish.secret_graph import Ints

SKIN = Path("skin-segmentation") / "Skin_NonSkin.txt.gz"
ADULT = Path("adult") / "adult.data"
AGE, LOSS = 0, 11
"""Columns of Adult."""
SIZES = {"age": 121, "capital loss": 4357}
"""Public: ages 0 to 120, and losses as in the experiments of Blowfish."""


def path(name: Path) -> Path:
    """Where a file is.

    Raises:
        DataError: It is not there.
    """
    found = Path(os.environ.get("HEDGEROW_DATA", "")) / name
    if "HEDGEROW_DATA" not in os.environ or not found.is_file():
        raise DataError(f"{name} is not there", fix="Set HEDGEROW_DATA to the folder it is in.")
    return found


def colours() -> Ints:
    """Blue, green and red of every pixel, 0 to 255."""
    with gzip.open(path(SKIN)) as file:
        return np.loadtxt(file, dtype=np.int64)[:, :3]


def histograms() -> dict[str, Ints]:
    """How many people of Adult have each age, and each capital loss."""
    columns = np.genfromtxt(path(ADULT), delimiter=",", usecols=(AGE, LOSS), dtype=np.int64)
    return {
        name: np.bincount(column, minlength=SIZES[name])
        for name, column in zip(SIZES, columns.T, strict=True)
    }
