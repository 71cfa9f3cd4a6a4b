"""One population, one way to be neighbours: losses under different ones do not add up.

Removing a person and changing one are different promises: an answer that hides the one at epsilon
hides the other at twice that, or not at all. So are hiding a row and hiding all rows of a person.

Under two policies an edge of one need not be an edge of the other, and answers under the other may
tell its ends apart for certain. So a population's spends are all under one policy. Plain answers
whose neighbours are change-one may stand among them if the policy's neighbours differ in one row:
each is then as good under the policy. Where known counts tie rows together, neighbours differ in
several, and such an answer would cost its epsilon for each of them: it may not. Nor may plain
answers whose neighbours are add-remove: a changed row is two of theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hedgerow.answers.exact_releases import require_all_known
from hedgerow.base.errors import PlanError
from hedgerow.ledger.choice import PARTITION, POLICY
from hedgerow.ledger.entry import CLOSING, Entry, EntryKind
from hedgerow.noise.neighbours import Neighbouring, Neighbours

if TYPE_CHECKING:
    from hedgerow.answers.design import NoiseDescription
    from hedgerow.answers.public_knowledge import Public
    from hedgerow.ledger import Ledger
    from hedgerow.noise.blowfish.plan_policy import Stated

NEIGHBOURS, PERSON, SAMPLE, EXACT = "neighbours", "person", "sample", "exact"
"""Keys of what the ledger is told of an answer."""
CHANGE_ONE = Neighbouring.CHANGE_ONE.value


@dataclass(frozen=True, kw_only=True)
class Unit:
    """Whom a loss is about: which two tables it bounds the difference of."""

    neighbours: Neighbours
    person: str | None
    """The column that says whose row it is; None: each row is taken for a person.

    How many rows of a person count is no part of it: an answer that drops the others is as good
    for somebody who has more.
    """
    stated: Stated | None = None
    """The policy; None: plain differential privacy."""
    words: str = ""
    """Who is protected, for people who read the ledger."""
    sample: str | None = None
    """What a release is known by that is safe because its table is a random sample already.

    Its loss holds for somebody to whom nothing else is told of that sample, so nothing else is.
    """

    exact: tuple[int, ...] = ()
    """Earlier releases without noise that were taken into account, or left out on purpose."""

    @classmethod
    def of(cls, public: Public, person: str | None) -> Unit:
        """That of answers about a plan's people."""
        return cls(
            neighbours=public.neighbours,
            person=person,
            stated=public.stated,
            words=public.protects,
        )

    @property
    def told(self) -> dict[str, Any]:
        """What the ledger is told of it."""
        policy = {} if self.stated is None else {POLICY: self.stated.digest}
        sample = {} if self.sample is None else {SAMPLE: self.sample}
        who = self.words or str(self.neighbours)
        return {NEIGHBOURS: who, PERSON: self.person, **policy, **sample}


def exactly(noise: Iterable[NoiseDescription]) -> dict[str, list[str]]:
    """What the ledger is told of numbers without noise: which they are."""
    exact = [told.of for told in noise if not told.scale]
    return {EXACT: exact} if exact else {}


def require_one_unit(ledger: Ledger, population: str, unit: Unit, *, several: int = 1) -> None:
    """Refuse an answer whose loss would not add up with what was spent.

    Args:
        ledger: Where it would be charged.
        population: Whose budget it is.
        unit: Of the answer.
        several: How many answers are charged at once.

    Raises:
        PlanError: Something was answered under another policy, under other neighbours, or where
            something else was taken for a person; or there is a release without noise that the
            policy's answer does not take into account.
    """
    if unit.stated is not None:
        require_all_known(ledger, population, unit.exact)
    # The last who was answered asked for as many at once, mostly.
    reach, sampled = several + 1, unit.sample is not None
    for entry in _spending(ledger, population, reach=reach, partitions=sampled):
        _require_one_sample(entry, population, unit.sample)
        _require_one_policy(ledger, entry, population, unit)
        _require_one_person(entry, population, unit.person)


def require_no_sample(ledger: Ledger, population: str, *, before: int | None = None) -> None:
    """Refuse a release without a price from a table that is safe as a sample only.

    Args:
        ledger: Where it would be remembered.
        population: Of whom it would be.
        before: Look only at entries before this one.

    Raises:
        PlanError: Something was released that is safe because its table is a random sample.
    """
    for entry in _spending(ledger, population, before=before, partitions=True):
        _require_one_sample(entry, population, None)


def _require_one_policy(ledger: Ledger, entry: Entry, population: str, unit: Unit) -> None:
    stated, kind = unit.stated, unit.neighbours.kind.value
    other = entry.body.get(POLICY)
    told = str(entry.body.get(NEIGHBOURS, ""))
    if stated is None and other is not None:
        raise _refused(
            entry, population, f"was answered under the policy {str(other)[:8]}",
            "Ask with the plan that has the policy: without one, the sum of what was "
            "spent would be taken for differential privacy, which it is not. Or use "
            "another population, and account for the two apart.",
        )  # fmt: skip
    if stated is not None and other is not None and other != stated.digest:
        raise _refused(
            entry, population,
            f"was answered under the policy {str(other)[:8]}, and this plan has {stated.name}",
            f"{_since(stated)}Losses under two policies do not add up. Ask under the first, or "
            "decide anew under another population.",
        )  # fmt: skip
    if stated is not None and other is None and not told.startswith(CHANGE_ONE):
        raise _refused(
            entry, population, "was paid for under other neighbours than change-one",
            "A changed row is one removed and one added: its loss would count twice. Use "
            "another population for the policy.",
        )  # fmt: skip
    if stated is not None and other is None and stated.changed > 1:
        raise _refused(
            entry, population, "was paid for where neighbours differ in one row, and under this "
            f"policy they differ in up to {stated.changed}, by what is known",
            f"Its loss would count {stated.changed} times. Use another population for the "
            "policy, or ask everything under it from the beginning.",
        )  # fmt: skip
    if stated is None and not told.startswith(kind):
        for told_exactly in ledger.releases(population):
            if exact := told_exactly.body.get(EXACT):
                raise _refused(
                    told_exactly, population, f"told {' and '.join(map(str, exact))} exactly, "
                    "which change-one neighbours do not differ in",
                    "Whether somebody is in the table is no secret any more: one row more or less "
                    "would show. Ask under change-one.",
                )  # fmt: skip
        raise _refused(
            entry, population, f"was paid for under other neighbours than {kind}",
            "To remove a person and to change one are different promises, and their losses "
            "do not add up. Ask under the first, or use another population.",
        )  # fmt: skip


def _require_one_sample(entry: Entry, population: str, sample: str | None) -> None:
    """What is safe only because a table is a sample stays the only thing told of that sample."""
    other = entry.body.get(SAMPLE)
    if other == sample:
        return
    if other is not None:
        raise _refused(
            entry, population, "was safe because its table is a random sample",
            "Two releases from one sample can tell together who was drawn, though each by itself "
            "tells nothing. Publish nothing more from that sample; of other people, or of a fresh "
            "sample, publish under another population.",
        )  # fmt: skip
    raise _refused(
        entry, population, "may have told of this sample already",
        "A table that is a random sample protects people only if nothing else is told of it. Use "
        "another population if that was about another table; else leave `drawn` out, and a "
        "sample is drawn from the table.",
    )  # fmt: skip


def _require_one_person(entry: Entry, population: str, person: str | None) -> None:
    if PERSON not in entry.body:
        raise _refused(
            entry, population, "does not say whose row it took for whose",
            "Nobody can tell whether its loss and this one add up. Use another population, and "
            "account for the two apart.",
        )  # fmt: skip
    other = entry.body[PERSON]
    if other != person:
        first = "without `person`" if other is None else f"with `person: {other}`"
        raise _refused(
            entry, population, f"took {_taken(other)} for a person, and this plan {_taken(person)}",
            "What hides one row hides somebody with ten rows at ten times the loss, so the two "
            f"do not add up. Ask {first}, or use another population, and account for the two "
            "apart.",
        )  # fmt: skip


def _since(stated: Stated) -> str:
    """Why the policy is another one, though the plan may be the same."""
    if not stated.releases or stated.changed == 1:
        return ""
    return (
        "A release without noise is part of what is known: with it, neighbours differ in up to "
        f"{stated.changed:,} rows. "
    )


def _taken(person: str | None) -> str:
    return "each row" if person is None else f"all rows with one {person!r}"


def _spending(
    ledger: Ledger,
    population: str,
    *,
    before: int | None = None,
    reach: int = 4,
    partitions: bool = False,
) -> Iterator[Entry]:
    """What was reserved for answers, as far back as has to be looked at.

    What failed told nobody anything. The newest that was released was checked against all before
    it, and what goes with that one goes with them: it takes the same for a person and has the
    same neighbours or policy, or is under a policy whose neighbours differ in one row and goes
    with a plain answer, which went with plain ones only.
    """
    for limit in (reach, 8 * reach, 4096, None):  # the newest release is mostly within reach
        closed: dict[str, EntryKind] = {}
        found: list[Entry] = []
        entries = list(ledger.entries(population=population, limit=limit))
        for entry in reversed(entries):
            if entry.kind in CLOSING:
                closed[entry.reservation] = entry.kind
            elif entry.kind is EntryKind.RESERVE and (before is None or entry.seq < before):
                state = closed.get(entry.reservation)
                partition = entry.body.get("kind") == PARTITION
                if state is EntryKind.FAILED or (partition and not partitions):
                    continue
                found.append(entry)
                if state is EntryKind.RELEASED:
                    yield from found
                    return
        if limit is None or len(entries) < limit:
            yield from found
            return


def _refused(entry: Entry, population: str, why: str, fix: str) -> PlanError:
    return PlanError(f"entry {entry.seq} of {population!r} {why}", where="the ledger", fix=fix)
