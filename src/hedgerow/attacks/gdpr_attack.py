"""Singling out, linkability and inference as one attack: tried on every release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hedgerow.attacks.annotation import understood, with_release
from hedgerow.attacks.attack_input import AttackInput
from hedgerow.attacks.base import AttackResult
from hedgerow.attacks.declaration import ORIGINAL, AttackOutcome, ReleaseAttack
from hedgerow.attacks.gdpr import gdpr
from hedgerow.attacks.record_descriptions import secret_codes
from hedgerow.table.published_table import Published
from hedgerow.table.release_source import SYNTHETIC
from hedgerow.table.targets import Targets


def _attempt(read: AttackInput) -> Iterator[AttackResult]:
    assert read.truth is not None, "it needs them"
    for published in read.releases:
        for of in read.of or (None,):
            if of is None or of in read.truth.columns:
                labels = understood(published, read.truth)
                for result in gdpr(published, read.truth, read.control, secret=of, seed=read.seed):
                    if result.attack == "inference" and of is not None:
                        result = _with_unknown(published, result, read.truth, of)
                    if published.made == SYNTHETIC:
                        result = _of_noise(result)
                    yield with_release(published, replace(result, unit=read.unit), labels)


def _of_noise(result: AttackResult) -> AttackResult:
    """The result for rows that are nobody's: a right guess is no knowledge of a person."""
    note = "The rows are made up from counts with noise: what they say of a person is a guess."
    return replace(result, gains=None, sentences=(*result.sentences, note))


def _with_unknown(
    published: Published, result: AttackResult, people: Targets, of: str
) -> AttackResult:
    """The result, with how many of the guesses could not be right: no record has the value."""
    known = secret_codes(published.groups.domains[of].values, people, of) >= 0
    share = 1 - float(known.mean())
    detail = {**result.detail, "true_value_unknown": round(share * result.found.guesses)}
    if known.all():
        return replace(result, detail=detail)
    return replace(
        result,
        sentences=(
            *result.sentences,
            f"The true {of} of {int((~known).sum()):,} people is not in the release; it may be "
            "spelled otherwise.",
        ),
        detail=detail,
    )


def _nothing_else(read: AttackInput) -> bool:
    """Whether it is what there is to find: no column is sensitive, or no row is a person's."""
    return read.made_up or any(not one.sensitive for one in read.releases)


GDPR = ReleaseAttack(
    name="gdpr",
    asks="Can people be singled out, linked, inferred about?",
    success="a description fits one person, one record joins two halves of what is known of a "
    "person, or a person's value is named",
    needs=(ORIGINAL,),
    outcomes=(
        AttackOutcome(name="singling-out", by_column=False),
        AttackOutcome(name="linkability", by_column=False, of_column=False),
        AttackOutcome(name="inference"),
    ),
    attempt=_attempt,
    raw="the people themselves: guesses are checked against them",
    by_default=False,
    also=_nothing_else,
    also_words="where no column is sensitive or the rows are synthetic",
    reference="Article 29 Working Party, opinion 05/2014 (WP216); Giomi et al. 2023.",
)
