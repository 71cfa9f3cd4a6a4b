"""Work on the parts of a table where Spark has it, slowly, and write it; a program of its own.

python held_release.py SOURCE FILE NOTES
"""

import sys
from pathlib import Path

from hedgerow.engines import open_engine
from hedgerow.engines.splits import Split

TREE = (
    Split(part=0, axis=0, behind=3, left=1, right=2),
    Split(part=1, axis=0, behind=1, left=3, right=4),
    Split(part=2, axis=0, behind=5, left=5, right=6),
)
PARTS = [3, 4, 5, 6]
CODES = [{str(a): a for a in range(8)}]


def slow(notes, seconds):
    """Publishes each value as it is; says in a folder when it begins."""

    def work(part):
        import time
        import uuid

        import pyarrow as pa

        (notes / uuid.uuid4().hex).touch()
        time.sleep(seconds)
        codes = part["c0"].to_pylist()
        return pa.table({
            "c0": codes, "n": part["n"], "p0": [f"<{c}>" for c in codes], "l0": codes,
            "h0": codes, "r0": [0.0] * len(codes),
        })  # fmt: skip

    return work


def release(source, file, notes, seconds):
    """Write the table to a file; its hash."""
    with open_engine(source) as engine:
        held = engine.hold(["a"], codes=CODES)
        held.solve(TREE, PARTS, slow(notes, seconds), separated=False)
        return engine.write(
            held, file, columns=["a", "number"], quasi_identifiers=["a"], expect_people=held.people
        ).sha256


if __name__ == "__main__":
    release(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), 2)
