"""The words that the names of columns are made of."""

from __future__ import annotations

import re


def words(text: str) -> frozenset[str]:
    """The words of a list of words."""
    return frozenset(text.split())


def words_in(name: str) -> frozenset[str]:
    """The words a name is made of: patientId, patient_id and Patient-ID have the same."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return frozenset(re.findall(r"[^\W\d_]+", parted.casefold()))
