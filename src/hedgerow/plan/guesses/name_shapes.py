"""Names of people in any language, by their shape: no list of names is needed.

People are called by two to four words, each with a capital or in a script without case. Many
people share a given name or a surname, and few share both: so words come back, in other company.
Chinese and Korean names are written without blanks; their first character comes back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

LIKE_NAMES = (
    "its values are shaped as names of people are: two to four words with capitals, which come "
    "back beside other words"
)
FEWEST = 20
"""Different values, at least, that show a shape."""
FITTING = 0.9
"""Share of the values that have the shape."""
SHARED = 0.75
"""How many different first (or last) words there are for each value, at most."""
UNSPACED = re.compile(r"[\u4e00-\u9fff]{2,4}|[\uac00-\ud7a3]{2,4}")
"""A name in Han characters or Hangul."""
WORD = re.compile(r"[^\W\d_]+(?:[.'’ʼ-][^\W\d_]*)*")


def are_shaped_as_names(texts: Sequence[str]) -> bool:
    """Whether different texts are shaped as names of people are.

    >>> given, family = "Ngozi Chidi Amara Obinna Uche", "Okafor Eze Obi Udo Ike"
    >>> are_shaped_as_names([f"{a} {b}" for a in given.split() for b in family.split()])
    True
    >>> are_shaped_as_names([f"{a} {b}" for a in ["Left", "Right"] for b in "abcdefghijkl"])
    False
    """
    if len(texts) < FEWEST:
        return False
    shaped = [parts for text in texts if (parts := _parts(text))]
    if len(shaped) < FITTING * len(texts):
        return False
    ends = [{parts[place] for parts in shaped} for place in (0, -1)]
    fewer = min(map(len, ends))
    # A handful of words that stand before everything, such as Senior, are no names.
    return 5 <= fewer <= SHARED * len(shaped)


def _parts(text: str) -> tuple[str, ...]:
    """The words of what may be a name; none where it is none."""
    bare = text.strip()
    if UNSPACED.fullmatch(bare):
        return bare[0], bare[1:]
    words = [word for word in re.split(r"[\s,]+", bare) if word]
    if not 2 <= len(words) <= 4:
        return ()
    right = all(WORD.fullmatch(word) and word[0] == word[0].title() for word in words)
    long = sum(len(word) > 1 for word in words) >= 2
    return tuple(words) if right and long else ()
