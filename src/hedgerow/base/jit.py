"""One decorator for compiled code, so that the type checker sees through it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile to machine code on first use, cache it on disk, release the interpreter lock."""
    return cast(F, numba.njit(cache=True, nogil=True)(function))
