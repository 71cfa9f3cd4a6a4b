"""One decorator for compiled code: Numba is loaded when the first kernel runs, not before.

Reading a plan or explaining a claim runs none, and need not wait for a compiler.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from threading import RLock
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])
_LOCK = RLock()


def kernel(function: F) -> F:
    """Compile to machine code on first use, cache it on disk, release the interpreter lock."""
    return cast(F, _Kernel(function))


class _Kernel:
    """A function that is compiled when it is first called, with the kernels that it calls."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._compiled: Any = None
        update_wrapper(self, function)

    def __call__(self, *given: Any) -> Any:
        return self._ready()(*given)

    def _ready(self) -> Any:
        if self._compiled is None:
            with _LOCK:
                self._load()
        return self._compiled

    def _load(self) -> None:
        if self._compiled is not None:
            return
        import numba

        function, home = self._function, self._function.__globals__
        self._compiled = numba.njit(cache=True, nogil=True)(function)
        if home.get(function.__name__) is self:
            home[function.__name__] = self._compiled  # so that the next call is direct
        # Compiled code calls compiled code: Numba looks the others up in the module.
        for name in function.__code__.co_names:
            called = home.get(name)
            if isinstance(called, _Kernel):
                home[name] = called._ready()
