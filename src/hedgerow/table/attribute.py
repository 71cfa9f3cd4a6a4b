"""One sensitive column of groups, as claims and attacks take it."""

from __future__ import annotations

from hedgerow.base.errors import DataError, PlanError, some
from hedgerow.table.groups import Groups, Histogram, Sensitive


def attribute(groups: Groups, of: str) -> tuple[Sensitive, Histogram]:
    """The domain and the counts of one sensitive column.

    Raises:
        PlanError: The groups carry no such column.
        DataError: There is nobody in them, or they have values the table lacks.
    """
    if of not in groups.histograms or of not in groups.domains:
        raise PlanError(
            f"there is no sensitive column {of!r}",
            fix=f"The sensitive columns are {some(groups.histograms)}.",
        )
    if not groups.people:
        raise DataError("there is nobody in the release", fix="Attack a release with records.")
    domain, histogram = groups.domains[of], groups.histograms[of]
    if (domain.reference[histogram.codes] <= 0).any():
        raise DataError(
            "the release has values that nobody in the table has",
            where=f"column {of!r}",
            fix="Compare the release with the table it was made from.",
        )
    return domain, histogram


def alone(domain: Sensitive) -> None:
    """Refuse a column of which people may have several values, or none.

    Raises:
        DataError: Counts do not say which values go together in a person.
    """
    if domain.several:
        raise DataError(
            "people have several values (or none), and counts do not say which go together",
            where=f"column {domain.name!r}",
            fix="Attack a column of which everybody has exactly one value.",
        )
