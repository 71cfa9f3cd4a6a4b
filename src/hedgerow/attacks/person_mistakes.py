"""Why the description of a person fits nobody: a column or a value that is not there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hedgerow.base.errors import DataError, nearest, some
from hedgerow.base.spelling import likeness
from hedgerow.table.labels import Value
from hedgerow.table.location import locate
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets


def nobody_listed(people: Targets, person: Mapping[str, str]) -> DataError:
    """Nobody on a list is so: which column has no such value, and what its values look like."""
    said = ", ".join(f"{column}={value}" for column, value in person.items())
    for column, value in person.items():
        known = people.values[people.columns.index(column)]
        if any(one is not None and likeness(one) == likeness(value) for one in known):
            continue
        return DataError(
            f"nobody on the list: {said}",
            fix=f"No {column} is {value!r}. {_such_as(column, value, known)}",
        )
    return DataError(f"nobody on the list: {said}", fix="Each is on the list, but not together.")


def require_columns(releases: Sequence[Published], person: Mapping[str, str]) -> None:
    """Refuse a person who is described by a column that no release has.

    Without a list nothing else could use it, so what is shown would not be about that person.

    Raises:
        DataError: There is such a column.
    """
    quasi = dict.fromkeys(c for release in releases for c in release.quasi)
    shown = {*quasi, *(c for release in releases for c in release.sensitive)}
    for release in releases:
        shown.update(() if release.records is None else release.records.columns)
    for column in person:
        if column not in shown:
            near = nearest(column, list(quasi))
            raise DataError(
                f"--person {column}: no release has such a column",
                fix=f"Did you mean {near!r}?" if near
                else f"Known may be {some(quasi)}. A name needs a list: --register, --truth or "
                "--plan.",
            )  # fmt: skip


def nobody_fits(releases: Sequence[Published], people: Targets, one: int) -> DataError:
    """A person fits no group: which value no published label covers."""
    names = some(release.name for release in releases)
    for column in dict.fromkeys(c for release in releases for c in release.quasi):
        if column not in people.columns:
            continue
        value = people.value(column, one)
        alone = Targets.of({column: [value]})
        having = [release for release in releases if column in release.quasi]
        if value is None or any(locate(release, alone).count[0] for release in having):
            continue
        labels = having[0].labels[having[0].quasi.index(column)]
        return DataError(
            f"no published {column} covers {value!r}, so the person fits no group of {names}",
            fix=_such_as(column, value, labels),
        )
    return DataError(
        f"{people.described(one)} fits no group of {names}",
        fix="Is somebody else meant? Suppressed people are in no release.",
    )


def _such_as(column: str, value: str, known: Sequence[Value]) -> str:
    """What would be right: the nearest value, or how values are written."""
    texts = [text for text in known if text is not None]
    near = nearest(value, texts)
    if near is not None:
        return f"Did you mean {near!r}?"
    if not texts:
        return f"All {column} are missing."
    return f"Write it as the table does, such as {min(texts)!r}."
