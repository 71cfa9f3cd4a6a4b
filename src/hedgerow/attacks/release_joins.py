"""Attack joins: what several releases say of people once their records are joined.

Whoever holds two releases that both show the bill as it is joins them on it. `joins` does so for
whoever publishes; here the attacker does, who has the releases and a list of people.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import permutations

from hedgerow.attacks.sequential import Joined
from hedgerow.claims.joins import Shows, joined_on, narrowed
from hedgerow.claims.worlds.table_world import UncheckedError
from hedgerow.table.location import Located
from hedgerow.table.published_table import ANY, Published


def join(
    releases: Sequence[Published], located: Sequence[Located], of: str
) -> tuple[Joined | None, tuple[str, ...]]:
    """What joining leaves possible, and what was not tried.

    Args:
        releases: Two or more, read with their records.
        located: In each, the groups each person may be in.
        of: The sensitive column that is asked about.

    Returns:
        None where there is nothing to join on, or too much; and what was not tried, in words.
    """
    shows = _shows(releases)
    crossed = tuple(_told([column]) for column in _crossing(releases, of))
    columns = joined_on(shows, of)
    if not columns:
        return None, crossed
    try:
        values, possible = narrowed(shows, located, of=of)
    except UncheckedError as error:
        return None, (f"{_told(columns)}: {error.what}", *crossed)
    return Joined(columns, values, possible), crossed


def unjoined(
    releases: Sequence[Published], of: str, *, joined: Collection[str] = ()
) -> tuple[str, ...]:
    """What an attack that joins records on these columns alone did not try, in words."""
    columns = (*joined_on(_shows(releases), of), *_crossing(releases, of))
    rest = [column for column in dict.fromkeys(columns) if column not in joined]
    return (_told(rest),) if rest else ()


def _shows(releases: Sequence[Published]) -> tuple[Shows, ...]:
    return tuple(Shows(one.groups, one.records) for one in releases)


def _crossing(releases: Sequence[Published], of: str) -> tuple[str, ...]:
    """Columns that one release shows as they are, and another as a quasi-identifier."""
    found = {
        column
        for one, other in permutations(releases, 2)
        for column in Shows(one.groups, one.records).columns(of) & {*other.quasi}
        if any(label != ANY for label in other.labels[other.quasi.index(column)])
    }
    return tuple(sorted(found))


def _told(columns: Sequence[str] | dict[str, None]) -> str:
    return f"joining records on {', '.join(map(repr, columns))}, which several releases show"
