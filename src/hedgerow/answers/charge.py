"""Charging: nothing is looked at before it is paid for, and what comes of it is written down.

Answers and randomised releases go one way: was it told before? does its loss add up with what was
spent? Then charge, count, add noise, keep. Once it is charged, nothing gives the price back.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from hedgerow.answers.design import Design
from hedgerow.answers.unit_of_privacy import Unit, require_one_unit
from hedgerow.base.canonical_json import digest
from hedgerow.base.errors import DataError, HedgerowError
from hedgerow.base.faults import point
from hedgerow.engines.tally import Tally, merged
from hedgerow.ledger.reservation import Intent, reserved
from hedgerow.ledger.sources import SourceIdentity, require_other_people
from hedgerow.noise.amounts import NOTHING
from hedgerow.plan.plan import Plan

if TYPE_CHECKING:
    from hedgerow.engines.base import Engine, Table
    from hedgerow.ledger import Entry, Ledger
    from hedgerow.release.partition.recoding_choice import Progress


NOISE = "noise"
"""Key of what the ledger is told of a spend: how it is made random."""


class KeptResult(Protocol):
    """What the ledger keeps, to tell it again for nothing."""

    @property
    def loss(self) -> Any: ...

    def to_bytes(self) -> bytes: ...


Found = TypeVar("Found", bound=KeptResult)


@dataclass(frozen=True, kw_only=True)
class Charge:
    """What is asked for, before anybody has looked at the data."""

    population: str
    """Who pays."""
    asked: Mapping[str, Any]
    """Everything that makes two requests the same one; none of it is from the data."""
    what: Mapping[str, Any]
    """What the ledger is told of it."""
    unit: Unit
    """Whom the loss is about."""
    design: Design
    source: str | None = None
    """Where the table is; None where nobody would know it again."""
    others: tuple[str, ...] = ()
    """Populations that the plan says are other people than these."""
    doing: str = "adding noise"
    """What is told of the step that draws."""

    @cached_property
    def key(self) -> str:
        """The same for the same request."""
        return digest(dict(self.asked))

    @property
    def event(self) -> dict[str, Any]:
        """What is done for the loss: each mechanism, its scale, and what one person changes.

        A loss alone could not be counted again by a better theorem.
        """
        return {NOISE: [told.as_json() for told in self.design.noise]}


def source_of(plan: Plan, data: Any, *, name: str | None = None) -> str:
    """What a table is known by again, and how it is read: read otherwise, it has other values.

    Args:
        plan: Names the source.
        data: The table, where it is in memory.
        name: Of the table, if it was given one. Without it one in memory is not known again.
    """
    place = _place_of(plan, data, name=name)
    return place if plan.form is None else f"{place} read as {digest(plan.form.said)}"


def _place_of(plan: Plan, data: Any, *, name: str | None) -> str:
    """What a table is known by again, from any folder: two files of one name are two tables."""
    if name:
        return name
    if data is not None:
        return f"memory {uuid.uuid4()}"
    text = str(plan.source)
    return text if "://" in text else os.path.abspath(text)  # noqa: PTH100 (patterns, and file::table)


def address_of(plan: Plan, data: Any, *, name: str | None = None) -> str | None:
    """What a table is known by again; None for one in memory without a name."""
    return _place_of(plan, data, name=name) if name or data is None else None


def read_kept(content: bytes, form: str) -> dict[str, Any]:
    """What the ledger kept of a release, as JSON.

    Raises:
        DataError: It is of a version that is not known here.
    """
    told: dict[str, Any] = json.loads(content)
    if told.get("format") != form:
        raise DataError(
            f"this release was kept in a form not known here ({told.get('format')!r})",
            fix="Was it published by a newer version?",
        )
    return told


def told_before(ledger: Ledger, charge: Charge) -> bytes | None:
    """What was kept of the same request, whether or not the data have changed since."""
    entry = ledger.find(charge.population, charge.key)
    if entry is None:
        return None
    content = ledger.content(entry)
    assert content is not None, "what was charged for is kept with its bytes"
    return content


Made = Callable[[Any, Mapping[str, Any]], Found]
"""From noisy numbers, and the place in the ledger, what is kept."""


def charged(
    ledger: Ledger,
    charge: Charge,
    engine: Engine,
    *,
    made: Made[Found],
    say: Progress = lambda what, share: None,
) -> Found:
    """Charge, count, add noise, and keep it. From then on it counts as published.

    Args:
        ledger: What is charged.
        charge: For what.
        engine: The source, open; nothing but the names of its columns was looked at.
        made: From noisy numbers, and the place in the ledger, what is kept.
        say: Called as work goes on.

    Raises:
        BudgetError: It does not fit into the budget; nothing was looked at.
        PlanError: Its loss does not add up with what was spent.
    """
    return charged_together(ledger, [(charge, made)], engine, say=say)[0]


def charged_together(
    ledger: Ledger,
    wanted: Sequence[tuple[Charge, Made[Found]]],
    engine: Engine,
    *,
    say: Progress = lambda what, share: None,
) -> list[Found]:
    """The same for several, about one population and one unit: all are charged, or none is.

    Each has entries of its own in the ledger; they are recorded together, and what two of them
    have to count is counted once.
    """
    population, unit = wanted[0][0].population, wanted[0][0].unit
    assert all((charge.population, charge.unit) == (population, unit) for charge, _ in wanted)
    first = wanted[0][0]
    source = SourceIdentity(first.source, tuple(engine.files), first.others)
    statements = source.told(ledger)
    told = [{**charge.what, **charge.event, **unit.told, **statements} for charge, _ in wanted]
    tallies = [tally for charge, _ in wanted for tally in charge.design.tallies]
    engine.ready(tallies)

    def admit() -> None:
        # Nobody else writes until this is reserved: what adds up now adds up then.
        require_other_people(ledger, population, source)
        require_one_unit(ledger, population, unit, several=len(wanted))

    intents = [
        Intent(key=charge.key, what=what, spend=charge.design.loss.amounts())
        for (charge, _), what in zip(wanted, told, strict=True)
    ]
    with reserved(
        ledger, population, intents, admit=admit, explain=_say_what_it_cost
    ) as reservation:
        say("counting", None)
        counted = _counted(engine, tallies)
        point("counted")
        say(first.doing, None)
        found = []
        for (charge, made), entry in zip(wanted, reservation.entries, strict=True):
            exact = charge.design.read([counted[tally] for tally in charge.design.tallies])
            tip = reservation.tip(entry, source.statements)
            found.append(made(charge.design.noisy(exact), tip))
        outcomes = zip(told, found, strict=True)
        reservation.record(
            [(what | {"loss": str(one.loss)}, one.to_bytes()) for what, one in outcomes]
        )
    point("released")
    return found


def _counted(engine: Engine, tallies: Sequence[Tally]) -> dict[Tally, Table]:
    """What the engine finds for each; what several have to look at is looked at once."""
    if engine.person is not None or len(tallies) == 1:
        alone = list(dict.fromkeys(tallies))
        return dict(zip(alone, engine.tallies(alone), strict=True))
    asked = merged(tallies)
    together = list(dict.fromkeys(whole for whole, _ in asked.values()))
    found = dict(zip(together, engine.tallies(together), strict=True))
    counted = {}
    for tally, (whole, places) in asked.items():
        keys = [f"k{i}" for i in range(len(tally.by))]
        sums = [f"s{i}" for i in range(len(places))]
        own = found[whole].select([*keys, "n", *(f"s{place}" for place in places)])
        counted[tally] = own.rename_columns([*keys, "n", *sums])
    return counted


def _say_what_it_cost(error: BaseException, reservations: Sequence[Entry]) -> None:
    """Whoever hears of the failure hears that it was not for nothing."""
    spent = sum((reservation.spend for reservation in reservations), NOTHING)
    if not spent:
        return
    numbers = [reservation.seq for reservation in reservations]
    entries = (
        f"entry {numbers[0]}" if len(numbers) == 1 else f"entries {numbers[0]} to {numbers[-1]}"
    )
    told = f"{spent} stays charged ({entries})."
    if isinstance(error, DataError):
        told += " `hedgerow init FILE --to NEW` reads a file for nothing, and says what is wrong."
    if isinstance(error, HedgerowError):
        error.fix = f"{error.fix} {told}" if error.fix else told
    elif isinstance(error, KeyboardInterrupt):
        error.args = (f"interrupted; {told}",)
    else:
        error.add_note(told)
