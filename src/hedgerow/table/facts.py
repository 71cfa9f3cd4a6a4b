"""Facts about people that a claim needs and a release does not show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hedgerow.claims.adversary import Known


@dataclass(frozen=True, kw_only=True)
class AskedFacts:
    """What a claim has to know of people that the release does not show."""

    of: str
    """The sensitive column."""
    known: Known | None
    """People whose records an attacker holds."""
    wishes: str | None
    """Column of what each person wants protected."""

    @property
    def name(self) -> str:
        """The attribute of the groups that holds it."""
        known = "" if self.known is None else f", known {self.known.digest}"
        wishes = "" if self.wishes is None else f", wishes {self.wishes}"
        return f"({self.of}{known}{wishes})"

    @property
    def records(self) -> str:
        """The attribute that says whose records a group has, where people fit several groups."""
        return f"{self.name} records"
