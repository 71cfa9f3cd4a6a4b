"""`init`, then `publish`, without an edit: how much detail is left."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

SECONDS = 60
"""A search of one table may take, at most."""


@dataclass(frozen=True)
class Published:
    """One release."""

    quasi_identifiers: int
    kept: int
    """Quasi-identifiers that are not published as `*` for everybody."""
    loss: float
    suppressed: float
    """Share of the people who were left out."""
    seconds: float
    problem: str = ""
    """Why nothing was published."""

    def __str__(self) -> str:
        if self.problem:
            return f"nothing published: {self.problem}"
        return (
            f"{self.kept} of {self.quasi_identifiers} quasi-identifiers keep detail, "
            f"loss {self.loss:.3f}, {self.suppressed:.1%} suppressed, {self.seconds:.0f} s"
        )


def publish_first_plan(data: Path, *, purpose: str | None = None) -> Published:
    """Publish what `init` proposes for a file.

    Args:
        data: The file.
        purpose: What the release is for.
    """
    import hedgerow
    from hedgerow.base.errors import HedgerowError
    from hedgerow.plan.guess import write_plan

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.yaml"
        begin = time.monotonic()
        try:
            write_plan(data, path, purpose=purpose)
            text = path.read_text("utf-8")
            path.write_text(
                text.replace("{search: lattice,", f"{{search: lattice, time: {SECONDS},"), "utf-8"
            )
            release = hedgerow.publish(path, to=Path(folder) / "release", report=False)
        except HedgerowError as error:
            return Published(0, 0, 1.0, 1.0, time.monotonic() - begin, str(error).split("\n")[0])
        plan = hedgerow.Plan.read(path)
        quasi = plan.schema().quasi_identifiers
        rows = release.to_arrow().select(list(quasi)).to_pydict()
        kept = sum(set(rows[name]) != {"*"} for name in quasi)
        told = release.summary()
    return Published(
        len(quasi), kept, told["utility"]["loss"], told["suppressed"] / max(1, release.people),
        time.monotonic() - begin,
    )  # fmt: skip
