"""What a safe release protects and what it does not, for somebody who is no expert."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from hedgerow.base.errors import PlanError
from hedgerow.noise.loss_sentences import told
from hedgerow.noise.measures import Approximate
from hedgerow.noise.rounding import exp_up
from hedgerow.noise.sampling.measure import SampleOrigin
from hedgerow.noise.semantics import truth
from hedgerow.release.safe.terms import SafeTerms
from hedgerow.table.schema import AS_WRITTEN, STATED, stated_no_keys

EMPTY = 20
"""An epsilon beyond which nothing is promised that anybody could use."""
POPULATION = "of a population of which the table is taken to be a random sample"


def claim(terms: SafeTerms) -> str:
    """The promise in one line."""
    of = f", {POPULATION}" if terms.drawn is SampleOrigin.BEFORE else ""
    return f"{terms.loss} ({terms.protects}{of})"


def protected(
    terms: SafeTerms,
    *,
    k: int,
    person: str | None,
    stated: bool = False,
    ids_as_written: bool = False,
    not_keys: Sequence[str] = (),
    public: Mapping[str, Any] | None = None,
) -> str:
    """One paragraph.

    Args:
        terms: What was asked for.
        k: Groups of fewer drawn people were left out.
        person: The column that says whose row it is.
        stated: Whether the steward states that every row is another person.
        ids_as_written: Whether the steward states that spellings of IDs are different people.
        not_keys: Columns of which the steward states that they do not identify people.
        public: The file on which levels were chosen, as the certificate has it.
    """
    before, loss = terms.drawn is SampleOrigin.BEFORE, terms.loss
    table = "the population" if before else "the table"
    said = [
        terms.sampled.assumption,
        "Every published column was brought to one level of its hierarchy (level 0 being its "
        f"values as they are), {_levels(terms, public)}.",
        f"People with the same published values are a group, and groups of fewer than {k:,} people "
        f"{'of the sample' if before else 'who were drawn'} were left out altogether.",
        "Each row of the file is one such person; rows of a group do not differ, and the order of "
        "the rows follows from what is in them.",
        _unsaid(before=before, pair=terms.pair),
        _promise(loss, table=table, pair=terms.pair),
        _guess(loss, table=table, pair=terms.pair),
        "That holds whatever else a reader knows about other people, and whatever is done with "
        "the release"
        + (
            ", but not for somebody who knows of anybody, themselves included, whether they came "
            "into the table: for each such person of a group it holds as if k were one less."
            if before
            else "."
        ),
    ]
    if before:
        said.append(_came_in(terms))
    if not terms.pair:
        said.append(
            "To tell one value of a person from another may cost as much as two people: "
            f"{_group(loss, 2)}."
        )
    said.append(
        "Each row of the source is taken for a person: somebody with several rows is a group of so "
        "many."
        if person is None
        else "Of a person with several rows only one counted."
    )
    if stated:
        said.append(STATED)
    if ids_as_written:
        said.append(AS_WRITTEN)
    said += stated_no_keys(not_keys)
    said.append(
        "Less protected are groups whose values go together, such as a family: ten people have "
        f"{_group(loss, 10)}."
    )
    said.append(
        "Not protected is what holds for people in general: a reader may learn from the release "
        "that something is frequent among people of some age, and believe it of somebody of that "
        "age, whether or not that person is in it."
    )
    said.append(
        "Nothing else may be published from the same table: two releases from one sample can tell "
        "together who was drawn."
        if before
        else "Every further release or answer about the same people adds its loss to this one; the "
        "publisher's ledger keeps the sum."
    )
    said.append(
        "The columns, their values, bounds, hierarchies and levels, how levels are chosen, the "
        "rate, epsilon and delta come from the plan and are taken as public: if they were chosen "
        "by looking at the data, that is not protected. Neither is how long publishing took, nor "
        "anything from somebody who has the data, the ledger or the publisher's machine."
    )
    return " ".join(said)


def _unsaid(*, before: bool, pair: bool) -> str:
    where = "the population" if before else "the table"
    numbers = [
        "how many people came into the table" if before else "how many were drawn",
        "how many were left out",
    ]
    start = f"How many people {where} has is taken as public. "
    if not pair:
        start = ""
        numbers.insert(0, f"how many people {where} has")
    listed = " and ".join(filter(None, [", ".join(numbers[:-1]), numbers[-1]]))
    return (
        f"{start}{listed[0].upper()}{listed[1:]} is not published, and must not be: these numbers "
        "would tell about people."
    )


def _came_in(terms: SafeTerms) -> str:
    """Whether somebody came into the table, rather than: is of the population.

    With P for the law of the release, P(with) = beta P(came in) + (1 - beta) P(did not), and
    P(did not) = P(without). From P(with) <= e^epsilon P(without) + delta follows P(came in) <= (1 +
    (e^epsilon - 1) / beta) P(did not) + delta / beta. Others may have smaller rates, and so may
    the person: neither law on the right depends on the person's own. The other direction has no
    such bound where e^epsilon (1 - beta) >= 1.
    """
    one = terms.sampled
    extra = one.delta / one.beta
    if one.epsilon > EMPTY or extra >= 1:
        return "Whether somebody came into the table is not protected."
    times = 1 + (exp_up(one.epsilon) - 1) / one.beta
    return (
        "That somebody of the population came into the table is less protected: whatever one looks "
        f"for in the release, its probability if they did is at most {told(times)} times that if "
        f"they did not, plus {told(extra)}. That they did not come into it is not protected."
    )


def _levels(terms: SafeTerms, public: Mapping[str, Any] | None) -> str:
    if public is not None:
        return (
            f"to the levels that are best for another table, {public['file']} (the certificate has "
            "its SHA-256); the publisher states that this table is public and has none of these "
            "people, which is not checked"
        )
    if not terms.choice:
        return (
            "to levels that the plan fixed; that they were not chosen by looking at the data is "
            "taken for granted, not checked"
        )
    if terms.steps is None:
        return (
            "to levels that were chosen by lot on the whole table, better ones being likelier; "
            f"that choice costs epsilon {told(terms.choice)} by itself, and is in the loss below"
        )
    return (
        f"to levels that were found on the whole table by {terms.choices:,} choices by lot, better "
        f"ones being likelier, each at epsilon {told(terms.choice)}; the loss below has all of them"
    )


def _promise(loss: Approximate, *, table: str, pair: bool) -> str:
    here, there = (
        ("with these values of the person", "with any others")
        if pair
        else (f"with the person in {table}", "without")
    )
    who = "every value of theirs" if pair else f"whether the person is in {table} at all"
    return (
        f"Protected is each single person: {who}. {loss}: whatever one looks for in the release, "
        f"its probability {here} was at most {_times(loss.epsilon)} times that {there}, plus "
        f"{told(loss.delta)}, and the other way round."
    )


def _guess(loss: Approximate, *, table: str, pair: bool) -> str:
    if loss.epsilon > EMPTY:
        return "With so large an epsilon that promises nothing."
    what = (
        "which of two sets of values a person has"
        if pair
        else f"whether a person is in {table}, both being as likely"
    )
    return (
        f"So somebody who knows everybody else, and has to guess {what}, is right with probability "
        f"{told(truth(loss))} at most; a coin is right with 0.5."
    )


def _times(epsilon: Fraction) -> str:
    return told(exp_up(epsilon)) if epsilon <= EMPTY else f"e^{told(epsilon)}"


def _group(loss: Approximate, people: int) -> str:
    try:
        return str(loss.group(people))
    except PlanError:
        return "no promise at all, as the deltas add up to 1"
