"""Kernels: compiled when they are first called, and not before."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from hedgerow.base.jit import kernel


@kernel
def _double(x: int) -> int:
    return 2 * x


@kernel
def _rising(n: int) -> int:
    return 0 if n == 0 else n + _rising(n - 1)


@kernel
def _total(values):
    total = 0
    for value in values:
        total += _double(value) + _rising(value)
    return total


def test_kernels_call_each_other_and_themselves() -> None:
    assert _total(np.arange(4)) == 2 * 6 + (0 + 1 + 3 + 6)
    assert _double(21) == 42


def test_claims_are_loaded_without_a_compiler() -> None:
    code = "import sys, hedgerow.claims; print({'numba', 'duckdb', 'pyarrow'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
