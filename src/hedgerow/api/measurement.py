"""How a plan's claims stand on its table as it is: what `hedgerow check` and its page show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedgerow.claims import Verdict
from hedgerow.plan.plan import Plan
from hedgerow.release.partition.check import checked
from hedgerow.release.release import claim_summary


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """The claims on the table as it is, and what to know of it besides."""

    claims: tuple[Verdict, ...]
    notes: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether every claim does."""
        return all(verdict.holds for verdict in self.claims)

    def summary(self) -> dict[str, Any]:
        """For `--json`."""
        claims = [claim_summary(verdict) for verdict in self.claims]
        return {"claims": claims, "notes": list(self.notes)}


def measure(plan: Plan | Path, *, read: Mapping[str, Any] | None = None) -> Measurement:
    """Measure the plan's claims on the table as it is; publish nothing.

    Args:
        plan: The plan.
        read: How the source is written, in place of what the plan says under the same keys.
    """
    known = plan if isinstance(plan, Plan) else Plan.read(plan, source_form=read)
    claims, notes = checked(known)
    return Measurement(claims=claims, notes=notes)
