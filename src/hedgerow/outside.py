"""What can be said from outside: of a claim, by somebody who has the release and nothing else."""

from __future__ import annotations

from collections.abc import Collection

from hedgerow.models.base import Needs, PrivacyModel
from hedgerow.models.composition import Composition
from hedgerow.models.epsilon import EpsilonPrivacy
from hedgerow.priors import Prior


def unverifiable(model: PrivacyModel, *, person: bool, left_out: int | None) -> str | None:
    """Why the claim does not follow from the published file; None where it does.

    Args:
        model: The claim.
        person: Whether a person may have several rows.
        left_out: People of the source who are not in the file; None where nobody says.
    """
    if isinstance(model, Composition):
        return "it needs the earlier releases"
    if model.looks_behind:
        return "it depends on what people want protected, or on who is known"
    if Needs.POPULATION in model.needs:
        return "it needs the outside population"
    if person:
        return "the file does not say which rows belong to the same person"
    if model.compares_with_table and left_out is None:
        return "it compares with the whole table, and nothing says whether people were left out"
    if model.compares_with_table and left_out:
        return f"it compares with the whole table, and {_people(left_out)} left out"
    if isinstance(model, EpsilonPrivacy) and model.predicates.sets is not None and left_out:
        return f"what its predicates stand for is not published, as {_people(left_out)} left out"
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
    if not isinstance(model, EpsilonPrivacy):
        return None
    if model.looks_behind:
        return "who is known, and what people want protected, is not published"
    prior = model.adversary.believed
    if not left_out or prior is None or prior.kind in ("uniform", "table"):
        return None
    hidden = any(value not in published for value, _ in prior.weights)
    if prior.kind == "counts" or hidden or _same(prior, own):
        return "its prior is not published where people were left out"
    return None


def _same(prior: Prior, own: Prior | None) -> bool:
    """Whether two shapes are in the same proportions."""
    if own is None:
        return False
    mine, theirs = dict(prior.weights), dict(own.weights)
    if mine.keys() != theirs.keys():
        return False
    return len({mine[value] / theirs[value] for value in mine}) == 1


def _people(number: int) -> str:
    return "one person was" if number == 1 else f"{number:,} people were"
