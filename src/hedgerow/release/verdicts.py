"""What becomes of each thing that is verified: verified, refuted, or not verifiable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Word = Literal["verified", "refuted", "not verifiable"]
VERIFIED: Word = "verified"
REFUTED: Word = "refuted"
UNVERIFIABLE: Word = "not verifiable"


@dataclass(frozen=True, kw_only=True)
class Checked:
    """Something a release is besides its claims, and what was found."""

    what: str
    verdict: Word
    why: str = ""

    @classmethod
    def of(cls, what: str, wrong: str | None) -> Checked:
        """Refuted where something is wrong."""
        return cls(what=what, verdict=REFUTED if wrong else VERIFIED, why=wrong or "")


@dataclass(frozen=True, kw_only=True)
class CheckedClaim:
    """A claim, and what the published file says of it."""

    claim: str
    verdict: Word
    level: float | None = None
    """As measured on the file; None where it does not follow from it."""
    required: float | None = None
    stated: float | None = None
    """The level the certificate states."""
    why: str = ""
    """Why it is refuted or not verifiable."""


Verdicts = tuple[list[Checked], tuple[CheckedClaim, ...]]
"""What was checked of a release, and its claims."""
