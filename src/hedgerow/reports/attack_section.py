"""The section of attacks in an internal report: what they find, next to guessing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hedgerow.attacks.base import AttackResult
from hedgerow.base.errors import HedgerowError
from hedgerow.charts.report_charts import Found, intervals
from hedgerow.reports.blocks import Chart, Table, Text, number
from hedgerow.reports.publisher_view import Inside
from hedgerow.reports.recipient_view import Handed

MOST_PEOPLE = 500_000
"""Beyond this many, attacks that look for everybody are left to `hedgerow attack`."""
MOST_COLUMNS = 4
"""Sensitive columns that are asked about."""


def quick_attacks(inside: Inside) -> tuple[AttackResult, ...]:
    """The attacks that take no time: on what the groups have in common."""
    if not inside.schema.sensitive or not inside.schema.quasi_identifiers:
        return ()
    from hedgerow.attacks.registry import release_attacks

    groups = inside.published().groups
    found = []
    for guess in [one.by_group for one in release_attacks() if one.by_group is not None]:
        for of in groups.histograms:
            if not guess.applies(groups, of):
                continue
            try:
                result = guess.guess(groups, of=of, unit=inside.unit)
            except HedgerowError:
                continue  # as where people have several values
            # Its sentences number the groups, and numbers say nothing to a reader here.
            found.append(replace(result, sentences=(), detail={"of": of}))
    return tuple(found)


def all_attacks(inside: Inside, handed: Handed) -> tuple[AttackResult, ...]:
    """The suite on the people of the source: the three of WP216 with it.

    Where there are too many people, only the quick ones.
    """
    plan = inside.plan
    many = inside.cells.people > MOST_PEOPLE or plan.source is None
    if many or not inside.schema.sensitive or not inside.schema.quasi_identifiers:
        return quick_attacks(inside)
    from hedgerow.attacks.gdpr_attack import GDPR
    from hedgerow.attacks.registry import outcome_of
    from hedgerow.attacks.suite import attack

    found: list[AttackResult] = []
    for place, of in enumerate(inside.schema.sensitive[:MOST_COLUMNS]):
        for methods in (None, [GDPR.name]):
            try:
                results = attack([handed.folder], plan=plan, of=of, methods=methods)
            except HedgerowError:
                continue  # what cannot be tried on this release is not shown as tried
            # Who can be singled out or linked does not depend on the column that is asked about.
            found += [
                replace(one, detail={"of": of} if outcome_of(one.attack).by_column else {})
                for one in results
                if place == 0 or outcome_of(one.attack).by_column
            ]
    return tuple(found) or quick_attacks(inside)


def beliefs_found(inside: Inside) -> tuple[AttackResult, ...]:
    """What is believed of everybody, where they are not too many; else nothing."""
    plan = inside.plan
    many = inside.cells.people > MOST_PEOPLE or plan.source is None
    if many or not inside.schema.sensitive or not inside.schema.quasi_identifiers:
        return ()
    from hedgerow.reports.losers_section import beliefs_of_people

    return beliefs_of_people(inside)[:MOST_COLUMNS]


def attacks_blocks(results: Sequence[AttackResult], *, more: str | None) -> list[Chart | Text]:
    """What attackers find, next to guessing.

    Args:
        results: What was tried.
        more: Said where not everything was.
    """
    if not results:
        return [Text(text="No attack was tried: none of them fits such a release.")]
    labels = _labels(results)
    rows = [
        Found(
            label=label,
            low=result.found.interval()[0],
            value=result.found.value,
            high=result.found.interval()[1],
            baseline=result.without.value,
        )
        for label, result in zip(labels, results, strict=True)
    ]
    better = sum(result.succeeded for result in results)
    name = (
        f"What {'1 attack finds' if len(results) == 1 else f'{len(results)} attacks find'}, next "
        f"to guessing; {better} {'does' if better == 1 else 'do'} better than chance explains"
    )
    table = Table(
        head=(
            "attack",
            "a right guess is",
            "found",
            "without",
            "of guesses",
            "gain",
            "worst person's gain",
            "known for certain",
        ),
        rows=tuple(
            (
                label,
                result.goal,
                f"{result.found.value:.2%}",
                f"{result.without.value:.2%}",
                number(result.found.guesses),
                f"{result.gain:.4f}",
                "–" if result.gains is None else f"{result.gains.worst:.4f}",
                "–"
                if result.gains is None
                else f"{result.gains.certain:,} of {result.gains.people:,} {result.unit}",
            )
            for label, result in zip(labels, results, strict=True)
        ),
        numbers=frozenset({2, 3, 4, 5, 6, 7}),
        caption="Attacks; the gain is how much the attacker's belief in a person's true value "
        "grew, on average over everybody: 0 is not at all, 1 is to certainty; where it fell, the "
        "gain counts as 0",
    )
    blocks: list[Chart | Text] = [
        Chart(name=name, svg=intervals(rows, name=name), table=table),
    ]
    known = [(label, r.gains, r.unit) for label, r in zip(labels, results, strict=True) if r.gains]
    blocks += [
        Text(text=f"{label}: {gains.certain:,} of {gains.people:,} {unit} are known for certain.",
             tone="warn")
        for label, gains, unit in known
        if gains.certain
    ]  # fmt: skip
    blocks += [Text(text=result.sentences[0]) for result in results if result.sentences][:12]
    if more is not None:
        blocks.append(Text(text=more, tone="quiet"))
    return blocks


def _labels(results: Sequence[AttackResult]) -> list[str]:
    """Names that differ: with the column, where it is named."""
    labels: list[str] = []
    for result in results:
        of = result.detail.get("of")
        label = f"{result.attack} ({of})" if of else result.attack
        same = sum(one == label or one.startswith(f"{label} #") for one in labels)
        labels.append(f"{label} #{same + 1}" if same else label)
    return labels
