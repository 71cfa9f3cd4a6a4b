"""Load what the search needs while the engine still counts.

Compiled kernels are read from disk, and pyarrow looks for pandas, the first time they are
used; together that takes longer than searching a lattice. The engine counts without Python's
lock, so this can happen meanwhile. It changes nothing but when things are loaded.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from hedgerow.claims.anonymity import KAnonymity
from hedgerow.recode.constraints import SearchConstraints
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.metrics import GeneralisationLoss
from hedgerow.recode.search import Search
from hedgerow.table.cells import Cells
from hedgerow.table.hierarchy import ANY, Hierarchy


@contextlib.contextmanager
def warming() -> Iterator[None]:
    """Load in the background while the block runs; at its end, wait until all is loaded."""
    thread = threading.Thread(target=_touch, name="warming")
    thread.start()
    try:
        yield
    finally:
        thread.join()


def _touch() -> None:
    """Publish two people who are nobody."""
    pa.array([], pa.string())
    hierarchy = Hierarchy.of("", [("a", ANY), ("b", ANY)])
    one = np.ones(2, np.int64)
    cells = Cells((hierarchy,), np.array([[0], [1]], np.int32), one, one)
    Search(Lattice.of(cells), SearchConstraints((KAnonymity(k=2),), 0), GeneralisationLoss()).run()
