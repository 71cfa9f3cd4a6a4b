"""The analyses that a plan keeps, on the source beside the release. For inside only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hedgerow.analyses import AnalysisComparison
from hedgerow.reports.blocks import Block, Table, Text, number

MOST = 15
"""Numbers of an analysis that are shown, the worst first."""
VERDICTS = {None: "", True: "holds", False: "fails"}


def kept_blocks(kept: Sequence[AnalysisComparison]) -> Iterator[Block]:
    """Each analysis at its worst, then its numbers side by side."""
    yield Text(
        text="Computed on the source and on the release as it is read back. A generalised value "
        "counts as every value that it covers, alike; suppressed people are missing. The numbers "
        "of the source tell about suppressed people, so they are in no report that is handed out."
    )
    yield Table(
        head=("analysis", "kept", "largest error", "within", "how errors are measured"),
        rows=tuple(
            (str(one.analysis), VERDICTS[one.kept], number(one.error),
             number(one.analysis.within), one.analysis.errors)
            for one in kept
        ),
        numbers=frozenset({2, 3}),
        verdicts=1,
    )  # fmt: skip
    for one in kept:
        worst = sorted(one.figures, key=lambda figure: -figure.error)[:MOST]
        if one.problem is not None:
            yield Text(
                text=f"{one.analysis} cannot be computed on the release: {one.problem}.",
                tone="warning",
            )
            continue
        more = len(one.figures) - len(worst)
        yield Table(
            head=("number", "source", "release", "error"),
            rows=tuple(
                (f.name, number(f.original), number(f.release), number(f.error)) for f in worst
            ),
            numbers=frozenset({1, 2, 3}),
            caption=f"{one.analysis}{f', the worst {MOST} of {len(one.figures):,}' * (more > 0)}",
        )
