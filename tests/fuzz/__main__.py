"""`python -m fuzz SEED`, from `tests/`: the world of a seed, and what came of it."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from fuzz.trial import try_world
from fuzz.world import draw


def main(seed: int) -> None:
    """Show plan, source and release of a seed, and what is wrong with them."""
    with tempfile.TemporaryDirectory() as folder:
        trial = try_world(draw(seed), Path(folder) / "world")
        for name in ("plan.yaml", "source.csv", "release/data.csv"):
            file = Path(folder) / "world" / name
            print(f"--- {name}\n{file.read_text('utf-8') if file.exists() else '(none)'}")
    print(f"--- refused: {trial.refusal}" if trial.refusal else "--- published")
    print(*trial.wrong, sep="\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
