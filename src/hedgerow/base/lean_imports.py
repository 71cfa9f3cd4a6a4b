"""Libraries that other libraries look for, though a command has no use for them.

PyArrow looks for pandas when it makes its first array, and Numba for SciPy's BLAS before its first
kernel. Where they are installed both are imported, which takes longer than most of what a command
does. So in the process of a command the first look finds nothing. Whoever imports one of them by
its name gets it. In somebody else's process nothing of this happens: there both may be wanted.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import FrameType, ModuleType

LOOKED_FOR = {"pandas": "pyarrow", "scipy.linalg": "numba"}
"""Libraries, and who looks for each without need."""


class LeanImports:
    """Finds nothing, the first time that one of them is looked for."""

    def __init__(self) -> None:
        """Nobody has looked yet."""
        self._left = dict(LOOKED_FOR)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """As Python asks each finder in turn: None means that the next one is asked.

        Raises:
            ModuleNotFoundError: As if it were not installed.
        """
        if name in self._left and self._only_looked_for(name):
            del self._left[name]
            raise ModuleNotFoundError(f"no {name} where nobody needs it", name=name)
        return None

    def _only_looked_for(self, name: str) -> bool:
        """Whether the library of the table asks, and not somebody who names it in their source.

        A compiled library has no frame: then the one that is found is ours, and does not name it.
        """
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and "importlib._bootstrap" in frame.f_code.co_filename:
            frame = frame.f_back
        if frame is None or self._left[name] not in sys.modules:
            return False
        asks = str(frame.f_globals.get("__name__", "")).partition(".")[0]
        named = name in frame.f_code.co_names
        return asks == self._left[name] or (asks == "hedgerow" and not named)


def import_lean() -> None:
    """From now on, in this process."""
    sys.meta_path.insert(0, LeanImports())
