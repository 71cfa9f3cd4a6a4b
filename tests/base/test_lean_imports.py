"""A command does not import what only other libraries look for; whoever names it still gets it."""

import subprocess
import sys

import pytest

SCRIPT = """
import sys
from hedgerow.base.lean_imports import import_lean
if {lean}:
    import_lean()
from hedgerow.recode.warmup import warming
with warming():
    pass
print([name in sys.modules for name in ("pyarrow", "numba", "pandas", "scipy.linalg")])
import pandas, scipy.linalg, pyarrow
print(pyarrow.table({{"a": [1, 2]}}).to_pandas()["a"].tolist(), scipy.linalg.det([[2.0]]))
"""


@pytest.mark.parametrize("lean", [True, False])
def test_what_nobody_names_is_not_imported(lean: bool) -> None:
    pytest.importorskip("pandas")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(lean=lean)], capture_output=True, text=True, check=True
    )
    before, after = done.stdout.splitlines()
    assert before == str([True, True, not lean, not lean])
    assert after == "[1, 2] 2.0"
