"""An installed package that adds something through an entry point, for a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


class Installed:
    """A folder on the path of new processes that holds the module `far` and its metadata.

    Args:
        folder: Where; it is made.
        source: The module's text.
        points: Entry point group -> object of the module, or several.
    """

    def __init__(
        self, folder: Path, source: str, points: Mapping[str, str | Sequence[str]]
    ) -> None:
        folder.mkdir()
        (folder / "far.py").write_text(source)
        told = folder / "far-1.0.dist-info"
        told.mkdir()
        (told / "METADATA").write_text("Metadata-Version: 2.1\nName: far\nVersion: 1.0\n")
        lines = []
        for group, given in points.items():
            names = [given] if isinstance(given, str) else given
            keys = ["far", *(f"far{i}" for i in range(2, len(names) + 1))]
            lines += [f"[{group}]", *(f"{k} = far:{n}" for k, n in zip(keys, names, strict=True))]
        (told / "entry_points.txt").write_text("\n".join(lines))
        path = [folder, ROOT / "src", ROOT / "tests", ROOT]
        self.env = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, path))}

    def run(self, *command: str, cwd: Path = ROOT, code: int = 0) -> str:
        """What Python prints, run with these arguments; it has to end with this code."""
        done = subprocess.run(
            [sys.executable, *command],
            cwd=cwd, env=self.env, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout

    def passes(self, suite: str, about: str, *, least: int, plugins: Sequence[str] = ()) -> None:
        """Whether so many tests of a suite are about the new member, and pass."""
        plugged = [word for plugin in plugins for word in ("-p", plugin)]
        told = self.run("-m", "pytest", "-q", "-p", "no:randomly", *plugged, suite, "-k", about)
        passed = int(told.rpartition(" passed")[0].split()[-1])
        assert passed >= least, told[-3000:]
