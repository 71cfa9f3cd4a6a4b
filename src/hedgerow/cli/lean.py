"""A command goes without pandas.

Arrow loads pandas, where there is one, as soon as it makes an array, to see whether it was handed
a series. A command reads files and tables and is never handed one, and loading pandas takes longer
than publishing a small table. In a notebook, where hedgerow is imported, nothing of this is done.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType

NEEDS = "pyspark"
"""The one library a command may load that does not work without pandas."""


class _NoPandas(MetaPathFinder):
    """Says that there is no pandas."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> None:
        if fullname == "pandas" and NEEDS not in sys.modules:
            raise ModuleNotFoundError("a hedgerow command does without pandas", name="pandas")


def without_pandas() -> None:
    """For the rest of this process there is no pandas, unless Spark asks for it."""
    sys.meta_path.insert(0, _NoPandas())
