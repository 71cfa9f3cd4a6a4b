"""Classes of spellings: which values of a column may be taken for one, and what is said of them.

`spelling` says when two texts may be one value. This module puts the values of a column into
classes by that, with those that the plan says differ kept apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from hedgerow.base.spelling import kinds, likeness, means_missing, reading, visible

MOST_TOLD = 5
"""Values with several spellings that a note names."""


def classes(values: Iterable[str | None]) -> list[tuple[str | None, ...]]:
    """The values that have several spellings, each with all of them, in order of their texts.

    A missing value is one beside texts that say that nothing is known; it comes last.

    >>> classes(["flu", "gout", "FLU", "1.0", "Flu", "1", None])
    [('1', '1.0'), ('FLU', 'Flu', 'flu')]
    >>> classes(["?", None, "flu", "unknown"])
    [('?', 'unknown', None)]
    """
    found: dict[object, list[str | None]] = {}
    listed = list(dict.fromkeys(values))
    for value, kind in zip(listed, kinds(listed), strict=True):
        found.setdefault(kind, []).append(value)
    several = (sorted(texts, key=_by_text) for texts in found.values() if len(texts) > 1)
    return sorted(map(tuple, several), key=lambda texts: [_by_text(text) for text in texts])


def _by_text(value: str | None) -> tuple[bool, str]:
    return value is None, value or ""


def first_spellings(
    values: Sequence[str | None], distinct: Collection[str | None] = ()
) -> list[int] | None:
    """For each value the place of the first that may be taken for it; None where all differ.

    Args:
        values: Each once.
        distinct: Those that differ from all others, whatever they look like.

    >>> first_spellings(["flu", "gout", "FLU"]), first_spellings(["flu", "FLU"], ["flu", "FLU"])
    ([0, 1, 0], None)
    """
    first: dict[object, int] = {}
    found = [first.setdefault(kind, place) for place, kind in enumerate(kinds(values, distinct))]
    return found if len(first) < len(found) else None


def taken_for(
    text: str | None, values: Sequence[str | None], distinct: Collection[str | None] = ()
) -> list[str | None]:
    """The values of a column that another text may be taken for.

    Args:
        text: None of the values.
        values: Those of the column, each once.
        distinct: Those said to differ. It counts for values that several of them look like only:
            nobody can see in a release what was said of values that it does not have.

    >>> taken_for("flu.", ["FLU", "gout"]), taken_for("flu.", ["FLU", "flu"], ["FLU", "flu"])
    (['FLU'], [])
    """
    apart = {v for texts in said_to_differ(values, distinct) for v in texts}
    *kinds_of, kind = kinds([*values, text], apart)
    return [value for value, other in zip(values, kinds_of, strict=True) if other == kind]


def said_to_differ(
    values: Iterable[str | None], distinct: Collection[str | None]
) -> list[tuple[str | None, ...]]:
    """The classes of values that may be taken for one of which somebody says that they differ.

    Of what programs read as missing nobody has to say so: texts may differ from it.
    """
    return [
        texts
        for texts in classes(values)
        if any(text in distinct for text in texts)
        and all(text in distinct for text in texts if reading(text) is not None)
    ]


def half_decided(
    values: Sequence[str | None], distinct: Collection[str | None]
) -> tuple[list[str], list[str]] | None:
    """Spellings of one value of which some are said to differ, and some are not, if there are.

    What programs read as missing is not said to be anything: texts may differ from it.
    """
    for texts in classes(values):
        said = [text for text in texts if text is not None and text in distinct]
        unsaid = [text for text in texts if reading(text) is not None and text not in distinct]
        if said and unsaid:
            return said, [text for text in unsaid if text is not None]
    return None


def usual_spellings(
    values: Sequence[str | None], people: Sequence[int], distinct: Collection[str] = ()
) -> dict[str, str]:
    """For each text of a value that is to be spelled otherwise, the one most people have.

    What programs read as missing stays missing.

    >>> usual_spellings(["flu", "gout", "FLU", "Flu"], [2, 5, 1, 2])
    {'FLU': 'Flu', 'flu': 'Flu'}
    """
    many = dict(zip(values, people, strict=True))
    found: dict[str, str] = {}
    for spellings in classes(values):
        texts = [text for text in spellings if text is not None and reading(text) is not None]
        if not texts or texts[0] in distinct:
            continue
        usual = min(texts, key=lambda text: (-many[text], text))
        found.update({text: usual for text in texts if text != usual})
    return found


def told_both_ways(name: str, listed: Sequence[Sequence[str | None]]) -> str:
    """What a steward reads of values with several spellings.

    >>> print(told_both_ways("illness", [("FLU ", "flu")]))  # doctest: +NORMALIZE_WHITESPACE
    'illness' has 2 spellings of one value: 'FLU ', flu. Claims about it are judged both ways.
    Say `spelling: one` to publish each value in one spelling, or `distinct: [...]` if they differ.
    """
    shown = "; ".join(", ".join(map(quoted, texts)) for texts in listed[:MOST_TOLD])
    more = f"; and {len(listed) - MOST_TOLD:,} more" if len(listed) > MOST_TOLD else ""
    many = f"{len(listed[0])} spellings of one value"
    if len(listed) > 1:
        many = f"{len(listed):,} values with several spellings"
    blank = any(map(means_missing, (text for texts in listed for text in texts)))
    null = "`null: [...]` with the texts that mean missing, " if blank else ""
    return (
        f"{name!r} has {many}: {shown}{more}. Claims about it are judged both ways. "
        f"Say {null}`spelling: one` to publish each value in one spelling, or `distinct: [...]` if "
        "they differ."
    )


def quoted(text: str | None) -> str:
    """The text, in quotes where a blank or a character without a form would not be seen."""
    if text is None:
        return "missing"
    return text if text and text == text.strip() and text.isprintable() else repr(text)


def told_in_one(name: str, usual: Mapping[str, str]) -> str:
    """What a steward reads of values that are published in one spelling.

    >>> told_in_one("illness", {"FLU": "flu", "Flu": "flu"})
    "In 'illness' FLU, Flu are published as flu."
    """
    into: dict[str, list[str]] = {}
    for text, one in usual.items():
        into.setdefault(one, []).append(text)
    shown = "; ".join(
        f"{', '.join(map(quoted, texts))} {'is' if len(texts) == 1 else 'are'} published as "
        f"{quoted(one)}"
        for one, texts in list(into.items())[:MOST_TOLD]
    )
    more = f"; and {len(into) - MOST_TOLD:,} more" if len(into) > MOST_TOLD else ""
    return f"In {name!r} {shown}{more}."


def alike(values: Iterable[str | None]) -> list[tuple[str | None, str | None]]:
    """Pairs of different texts that may be read as one value, each with the first of its kind.

    >>> alike(["flu", "1", "", "1.0", None])
    [('1', '1.0'), ('', None)]
    """
    first: dict[str | None, str | None] = {}
    pairs = []
    for value in values:
        met = first.setdefault(reading(value), value)
        if met != value:
            pairs.append((met, value))
    return pairs


def folded(
    values: Sequence[str | None], distinct: Collection[str] = ()
) -> tuple[list[str | None], list[int]]:
    """Each value once, however it is spelled; and which of these each of the values is.

    It is spelled as it is read, where it occurs so; and missing where it is missing anywhere.

    Args:
        values: The values.
        distinct: Those that differ from all others, whatever they look like.

    >>> folded(["HIV", "HIV ", "50.0", "flu", "50", "", None, "Flu."])
    (['HIV', '50', 'flu', None], [0, 0, 1, 2, 1, 3, 3, 2])
    """
    place: dict[object, int] = {}
    named: list[str | None] = []
    into = []
    for value, kind in zip(values, kinds(values, distinct), strict=True):
        text = value if value and visible(value) else None
        code = place.setdefault(kind, len(place))
        if code == len(named):
            named.append(text)
        elif text is None or text == reading(value) == reading(named[code]):
            named[code] = text
        into.append(code)
    return named, into


def told_apart(*lists: Iterable[str | None]) -> Callable[[str | None], object]:
    """Equal for texts that are one value, given lists of values each of which is one of its own.

    Where a list has two texts that may be taken for one, somebody says that they differ.

    >>> kind = told_apart(["flu", "Gout", "GOUT"], ["Flu"])
    >>> kind("FLU") == kind("flu"), kind("Gout") == kind("GOUT")
    (True, False)
    """
    apart = {
        kind
        for values in lists
        for kind, many in Counter(map(likeness, set(values))).items()
        if many > 1 and kind is not None
    }

    def kind_of(value: str | None) -> object:
        kind = likeness(value)
        return (value,) if kind in apart else kind

    return kind_of
