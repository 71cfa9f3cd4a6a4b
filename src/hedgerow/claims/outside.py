"""What can be said from outside: of a claim, by somebody who has the release and nothing else."""

from __future__ import annotations

from collections.abc import Collection

from hedgerow.claims.base import Needs, PrivacyModel
from hedgerow.claims.priors import Prior
from hedgerow.table.column_codings import hidden_by
from hedgerow.table.schema import Schema

LISTED = "it depends on what people want protected, or on who is known"
EARLIER = "it needs the earlier releases"
ORIGINALS = "it depends on what people's values were before"
SEVERAL_ROWS = "the file does not say which rows belong to the same person"
WEIGHTED = "it depends on survey weights"
UNSAID = "it is about a sample, and nothing says whether people were left out"
OWN_PRIOR = "its prior is not published where people were left out"


def judged_before(model: PrivacyModel, schema: Schema) -> str | None:
    """Why the file does not show what a claim was judged on: some of it was coded afterwards.

    Every claim is about groups of people with the same quasi-identifiers.

    Args:
        model: The claim.
        schema: The columns, with their codings.
    """
    columns = {*schema.quasi_identifiers, *model.attributes}
    columns |= set() if model.column is None else {model.column}
    columns |= set(schema.published) if model.joint else set()
    return hidden_by(schema.coded, columns)


def unverifiable(
    model: PrivacyModel, *, person: bool, left_out: int | None, coded: str | None = None
) -> str | None:
    """Why the claim does not follow from the published file; None where it does.

    Args:
        model: The claim.
        person: Whether a person may have several rows.
        left_out: People of the source who are not in the file; None where nobody says.
        coded: What `judged_before` says of it.
    """
    if coded is not None:
        return coded
    if model.composes:
        return EARLIER
    if model.looks_behind:
        return LISTED
    if model.of_originals:
        return ORIGINALS
    if Needs.POPULATION in model.needs:
        return "it needs the outside population"
    if model.weighted_by is not None:
        return WEIGHTED
    if person:
        return SEVERAL_ROWS
    if model.counts_left_out and left_out is None:
        return UNSAID
    if model.compares_with_table and left_out is None:
        return "it compares with the whole table, and nothing says whether people were left out"
    if model.compares_with_table and left_out:
        return _whole_table(left_out)
    if model.names_nodes and left_out:
        return _unknown_sets(left_out)
    return None


def unwritten(
    model: PrivacyModel, *, left_out: int, published: Collection[str | None], own: Prior | None
) -> str | None:
    """Why the claim's parameters must not stand in the certificate; None where they may.

    A prior that was counted in the table itself, or that has exactly its values, would tell
    what those have who were left out.

    Args:
        model: The claim.
        left_out: People of the source who are not in the file.
        published: The sensitive values that are.
        own: The whole table's distribution as a shape.
    """
    if model.about_single_people:
        return "who is known, and what people want protected, is not published"
    prior = model.believed
    if not left_out or prior is None or prior.kind in ("uniform", "table"):
        return None
    hidden = any(value not in published for value, _ in prior.weights)
    if prior.kind == "counts" or hidden or _same(prior, own):
        return OWN_PRIOR
    return None


def withheld(
    model: PrivacyModel, *, left_out: int, hidden: bool, coded: str | None = None
) -> str | None:
    """Why the certificate does not state the claim's level; None where it does.

    Whoever guesses what is not published could try the guess on the level until it comes out.

    Args:
        model: The claim.
        left_out: People of the source who are not in the file.
        hidden: Whether the claim's parameters are not written.
        coded: What `judged_before` says of it.
    """
    if coded is not None:
        return coded
    if model.composes:
        return "it depends on what earlier releases say of the people in this one"
    if model.looks_behind:
        return LISTED
    if model.weighted_by is not None:
        return WEIGHTED
    if model.of_originals:
        return ORIGINALS
    if left_out and model.compares_with_table:
        return "it compares with the whole table, people left out included"
    return "it depends on a prior that is not published" if hidden else None


def reasons_for_unwritten(*, person: bool, left_out: int) -> frozenset[str]:
    """Every reason there can be for a claim whose parameters are not written.

    Args:
        person: Whether a person may have several rows.
        left_out: People of the source who are not in the file.
    """
    if not left_out:
        return frozenset({LISTED})
    if person:
        return frozenset({LISTED, SEVERAL_ROWS})
    return frozenset({LISTED, OWN_PRIOR, _unknown_sets(left_out), _whole_table(left_out)})


def _same(prior: Prior, own: Prior | None) -> bool:
    """Whether two shapes are in the same proportions."""
    if own is None:
        return False
    mine, theirs = dict(prior.weights), dict(own.weights)
    if mine.keys() != theirs.keys():
        return False
    return len({mine[value] / theirs[value] for value in mine}) == 1


def _whole_table(left_out: int) -> str:
    return f"it compares with the whole table, and {_people(left_out)} left out"


def _unknown_sets(left_out: int) -> str:
    return f"what its predicates stand for is not published, as {_people(left_out)} left out"


def _people(number: int) -> str:
    return "one person was" if number == 1 else f"{number:,} people were"
