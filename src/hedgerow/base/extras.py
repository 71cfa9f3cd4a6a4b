"""Libraries that may not be installed, and what is said where one is missing."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager

from hedgerow.base.errors import HedgerowError


@contextmanager
def needing(
    thing: str,
    *,
    fix: str,
    where: str | None = None,
    only: Collection[str] = (),
    raises: type[HedgerowError] = HedgerowError,
) -> Iterator[None]:
    """Import inside it: a library that is missing becomes a message that says how to get it.

    Args:
        thing: What needs the library.
        fix: What to do.
        where: The place that asks for it, as in other errors.
        only: The libraries this is about; all but our own if empty.
        raises: The kind of error.

    Raises:
        HedgerowError: A library is missing, or one that it needs itself.
    """
    try:
        yield
    except ImportError as error:
        library = (error.name or "").partition(".")[0]
        if library == "hedgerow" or (only and library not in only):  # a fault of another kind
            raise
        needs = f"{library}, which is not installed" if library else f"a library: {error}"
        raise raises(f"{thing} needs {needs}", where=where, fix=fix) from None


def extra(
    name: str,
    thing: str,
    *,
    where: str | None = None,
    also: str = "",
    raises: type[HedgerowError] = HedgerowError,
) -> AbstractContextManager[None]:
    """The same of libraries that an extra of this package brings.

    >>> with extra("charts", "a .png file"):
    ...     import no_such_library
    Traceback (most recent call last):
    hedgerow.base.errors.HedgerowError: a .png file needs no_such_library, which is not installed
      Install it: pip install 'hedgerow[charts]'.

    Args:
        name: The extra.
        thing: What needs the library.
        where: The place that asks for it, as in other errors.
        also: What else would help, as a sentence.
        raises: The kind of error.
    """
    fix = f"Install it: pip install 'hedgerow[{name}]'.{' ' * bool(also)}{also}"
    return needing(thing, fix=fix, where=where, raises=raises)
