"""What there is to say about a column, in a few words: the terminal, pages and notebooks agree."""

from __future__ import annotations

from hedgerow.table.profile.column_facts import ColumnFacts, MissingToken

LONGEST = 20
"""Characters of a value that is named."""
MOST_NAMED = 3
"""Columns or forms that are named."""


def in_percent(share: float) -> str:
    """A share in words, never rounded to nobody or to everybody.

    >>> in_percent(0.6312), in_percent(0.00001), in_percent(0.9999), in_percent(0), in_percent(1)
    ('63 %', 'less than 0.1 %', 'more than 99.9 %', '0 %', '100 %')
    """
    if 0 < share < 0.001:
        return "less than 0.1 %"
    if 0.999 < share < 1:
        return "more than 99.9 %"
    percent = share * 100
    if percent >= 99 and share < 1:
        return f"{percent:.1f} %"
    return f"{percent:.0f} %" if percent >= 10 or percent == 0 else f"{percent:.1f} %"


def listed(names: tuple[str, ...] | list[str], most: int | None = None) -> str:
    """Names as part of a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b", "c", "d"], most=2)
    ('a', 'a, b and c', 'a, b and 2 more')
    """
    shown = [str(name) for name in names]
    if most is not None and len(shown) > most + 1:
        shown = [*shown[:most], f"{len(shown) - most:,} more"]
    *first, last = shown
    return f"{', '.join(first)} and {last}" if first else last


def column_notes(look: ColumnFacts) -> list[str]:
    """What a steward should know of a column, the most important first."""
    found = [
        ("" if form.share == 1 else f"{in_percent(form.share)} are ") + several(form.kind)
        for form in look.recognised[:1] or ()
    ]
    if look.sequence:
        found.append("numbers the rows")
    if look.free_text:
        found.append("free text, which may name somebody")
    if look.constant and look.rows > 1:
        found.append("the same in all rows")
    elif look.near_constant:
        value = look.values[0].value if look.values and look.values[0].rows > look.missing else ""
        are = f"are {value}" if 0 < len(value) <= LONGEST else "are alike"
        are = are if look.missing * 2 < look.rows else "are missing"
        found.append(f"nearly constant: {in_percent(look.commonest_share)} {are}")
    found += [_token(one) for one in look.missing_tokens[:MOST_NAMED]]
    if look.determined_by:
        found.append(f"follows from {listed(look.determined_by, MOST_NAMED)}")
    if look.date_form:
        found.append(look.date_form)
    return found


def several(kind: str) -> str:
    """The plural of what identifies people.

    >>> [several(kind) for kind in ("e-mail address", "name of a person", "coordinates", "hash")]
    ['e-mail addresses', 'names of people', 'coordinates', 'hashes']
    """
    if kind.startswith("name of"):
        return "names of people"
    if kind.endswith(("ss", "sh")):
        return f"{kind}es"
    return kind if kind.endswith("s") else f"{kind}s"


def _token(one: MissingToken) -> str:
    text = repr(one.text) if not one.text.strip() else one.text
    return f"{text} means missing" if one.sure else f"does {text} mean missing?"
