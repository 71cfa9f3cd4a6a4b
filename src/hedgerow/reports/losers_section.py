"""The section on the people who lose most in an internal report, by the groups they are in.

Nobody is named, and no value of theirs: the report has no direct identifiers, and no raw values of
sensitive columns. `hedgerow attack` names them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hedgerow.attacks.base import AttackResult
from hedgerow.base.errors import HedgerowError
from hedgerow.reports.blocks import Block, Commands, Table, Text, number
from hedgerow.reports.publisher_view import Inside

NAMES = Commands(lines=("hedgerow attack RELEASE … --plan plan.yaml --method belief",))


def beliefs_of_people(inside: Inside) -> tuple[AttackResult, ...]:
    """What somebody believes of each person of the source who has this release and all others.

    Others are those that the ledger has about these people, and those that claims name.
    """
    from hedgerow.attacks.annotation import with_untried
    from hedgerow.attacks.attack_input import AttackInput
    from hedgerow.attacks.belief_attack import BELIEF
    from hedgerow.attacks.row_owners import UnclearRowsError
    from hedgerow.plan.person_rows import people_of
    from hedgerow.table.location import locate
    from hedgerow.table.published_table import Published

    people = people_of(inside.plan)

    def tried(read: Sequence[Published], of: str) -> Iterator[AttackResult]:
        given = AttackInput(
            releases=tuple(read), targets=people, truth=people, of=(of,), unit=inside.unit,
            located=tuple(locate(one, people) for one in read), everybody=True,
            person=inside.plan.person,
        )  # fmt: skip
        return BELIEF.run(given)

    found: list[AttackResult] = []
    for of in inside.schema.sensitive:
        releases = [inside.published(records=True)]
        releases += [
            one.published
            for one in inside.beside
            if not one.linked and of in one.published.sensitive
        ]
        read = [one for one in releases if {*one.quasi} & {*people.columns}]
        try:
            try:
                found += tried(read, of)
            except UnclearRowsError as error:
                # Of rows that are somebody's together, other releases may show others.
                found += [with_untried(one, [error.what]) for one in tried(read[:1], of)]
        except HedgerowError:
            continue  # what cannot be tried is not shown as tried
    return tuple(found)


def losers_blocks(results: Sequence[AttackResult]) -> Iterator[Block]:
    """Who loses most, by the groups they fit, and which release does it."""
    for result in results:
        of, detail = str(result.detail["of"]), result.detail
        said = result.sentences[: 2 if "rows" in detail else 1]
        yield Text(text=f"{of}: {' '.join(said)}")
        for missed in detail.get("not_tried", ()):
            yield Text(text=f"Not tried: {missed}.", tone="quiet")
        if detail["bounded"]:
            yield Text(
                text=f"Of {detail['bounded']:,} the belief of whoever has the list is only known "
                "between bounds. Below it is at least what is shown.",
                tone="quiet",
            )
        if detail["list_contradicted"]:
            yield Text(
                text=f"For {detail['list_contradicted']:,} the list contradicts the releases: not "
                "everybody who fits is in them. Shown is what somebody believes who knows one "
                "person.",
                tone="quiet",
            )
        losers = detail["losers"]
        if not losers:
            yield Text(text="No belief in anybody's value grows.")
            continue
        yield _table(of, losers)
    if any(result.detail["losers"] for result in results):
        yield Text(text="Nobody is named here. To see who they are:", tone="quiet")
        yield NAMES


def _table(of: str, losers: Sequence[Mapping[str, Any]]) -> Table:
    each = [one["release"] for one in losers[0]["each"]]
    alone = [f"{name} alone" for name in each] if len(each) > 1 else []
    last = 3 + len(alone)
    return Table(
        head=("people", "their groups", "before", *alone,
              "the release" if not alone else "all together", "what does it"),
        rows=tuple(
            (
                number(one["alike"]),
                "; ".join(_where(group, named=len(each) > 1) for group in one["groups"]),
                f"{one['before']:.1%}",
                *([f"{step['alone']:.1%}" for step in one["each"]] if alone else []),
                f"{'at least ' if one['at_least'] else ''}{one['together']:.1%}",
                _doer(one, several=len(each) > 1),
            )
            for one in losers
        ),
        numbers=frozenset({0, *range(2, last + 1)}),
        caption=f"Who loses most: what an attacker believes of their true {of}, before, and with "
        "each release",
    )  # fmt: skip


def _where(group: Mapping[str, Any], *, named: bool) -> str:
    rows = "1 row" if group["rows"] == 1 else f"{group['rows']:,} rows"
    more = f" and {group['groups'] - 1:,} more groups" if group["groups"] > 1 else ""
    text = f"{group['group']}{more}, {rows}"
    return f"{group['release']}: {text}" if named else text


def _doer(one: Mapping[str, Any], *, several: bool) -> str:
    if not several:
        return "their group"
    if one["by_itself"]:
        return f"{one['release']} by itself"
    why = str(one["why"])
    return why if why.endswith("together") else f"{one['release']} most"
