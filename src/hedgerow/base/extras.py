"""Libraries that come with an extra of the package, and what is said where one is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hedgerow.base.errors import MissingLibraryError


@contextmanager
def extra(name: str, purpose: str, *, where: str | None = None) -> Iterator[None]:
    """Import inside it: a library that is missing becomes a message that says how to get it.

    >>> with extra("charts", "for a .png"):
    ...     import no_such_library
    Traceback (most recent call last):
    hedgerow.base.errors.MissingLibraryError: the library no_such_library is needed for a .png
      Install it: pip install 'hedgerow[charts]'.

    Args:
        name: The extra of `pip install 'hedgerow[name]'` that brings the library.
        purpose: What it is needed for.
        where: The place that asks for it, as in other errors.

    Raises:
        MissingLibraryError: It is missing, or one that it needs itself.
    """
    try:
        yield
    except ImportError as error:
        library = (error.name or str(error)).partition(".")[0]
        if library == "hedgerow":
            raise
        raise MissingLibraryError(
            f"the library {library} is needed {purpose}",
            where=where,
            fix=f"Install it: pip install 'hedgerow[{name}]'.",
        ) from None
