"""XML from somebody else: no entities, no external files, no bombs."""

from __future__ import annotations

from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from hedgerow.base.errors import DataError

LARGEST = 200_000_000
"""Bytes."""
DEEPEST = 200
"""Elements inside each other."""
MOST = 5_000_000
"""Elements."""


def read_xml(content: bytes, *, where: str, largest: int = LARGEST) -> Element:
    """The root of a document; names are without their namespace.

    >>> [child.tag for child in read_xml(b'<a xmlns="x"><b/><c/></a>', where="a.xml")]
    ['b', 'c']

    Args:
        content: The bytes.
        where: What messages call it.
        largest: The most bytes.

    Raises:
        DataError: It is no well-formed XML, declares a document type, or is too large or deep.
    """
    if len(content) > largest:
        raise DataError(
            f"{len(content):,} bytes of XML, and at most {largest:,} are read", where=where,
            fix="Take out what is not needed.",
        )  # fmt: skip
    builder = TreeBuilder()
    parser = expat.ParserCreate()
    depth = seen = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, seen
        depth, seen = depth + 1, seen + 1
        if depth > DEEPEST or seen > MOST:
            raise DataError(
                f"more than {DEEPEST} elements inside each other, or {MOST:,} in all",
                where=f"{where}:{parser.CurrentLineNumber}",
            )
        builder.start(name.rpartition(":")[2], attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name.rpartition(":")[2])

    def refuse(*_: object) -> None:
        raise DataError(
            "it declares a document type, whose entities could read files or fill the memory",
            where=f"{where}:{parser.CurrentLineNumber}",
            fix="Take the <!DOCTYPE ...> out.",
        )

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = parser.ExternalEntityRefHandler = refuse  # type: ignore[assignment]
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise DataError(
            f"not well-formed XML ({expat.errors.messages[error.code]})",
            where=f"{where}:{error.lineno}",
        ) from None
    except (LookupError, ValueError) as error:
        raise DataError(f"not readable XML ({error})", where=where) from None
    root: Element = builder.close()
    return root
