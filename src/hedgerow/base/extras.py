"""Libraries that come with an extra of the package, and what is said where one is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hedgerow.base.errors import HedgerowError


@contextmanager
def extra(
    name: str,
    thing: str,
    *,
    where: str | None = None,
    also: str = "",
    raises: type[HedgerowError] = HedgerowError,
) -> Iterator[None]:
    """Import inside it: a library that is missing becomes a message that says how to get it.

    >>> with extra("charts", "a .png file"):
    ...     import no_such_library
    Traceback (most recent call last):
    hedgerow.base.errors.HedgerowError: a .png file needs no_such_library, which is not installed
      Install it: pip install 'hedgerow[charts]'.

    Args:
        name: The extra that brings the library.
        thing: What needs it.
        where: The place that asks for it, as in other errors.
        also: What else would help, as a sentence.
        raises: The kind of error.

    Raises:
        HedgerowError: A library is missing, or one that it needs itself.
    """
    try:
        yield
    except ImportError as error:
        library = (error.name or "").partition(".")[0]
        if library == "hedgerow":  # a fault of ours
            raise
        needs = f"{library}, which is not installed" if library else f"a library: {error}"
        fix = f"Install it: pip install 'hedgerow[{name}]'.{' ' * bool(also)}{also}"
        raise raises(f"{thing} needs {needs}", where=where, fix=fix) from None
