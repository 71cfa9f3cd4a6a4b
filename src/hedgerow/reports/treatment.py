"""What was done to people and columns: the parts of the internal report that show raw values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from hedgerow.recode.recoding import SUPPRESSED
from hedgerow.reports.blocks import Block, Table, Text, facts, number, share
from hedgerow.reports.external import MISSING, changes
from hedgerow.reports.group_sizes import middle
from hedgerow.reports.publisher_view import Inside
from hedgerow.table.encoding import encoded
from hedgerow.table.schema import Role

AS_IT_IS = "none: published as it is"
EXAMPLES, OUT = 6, 8
"""People and values that are shown, at most."""


def risks(inside: Inside) -> Iterator[Block]:
    """How exposed people were, and are."""
    before, after = inside.sizes_before, inside.sizes
    unit, most = inside.unit, inside.most
    rows = []
    for name, sizes in (("before (initial risk)", before), ("after (residual risk)", after)):
        all_of = int(sizes.sum())
        smallest = int(sizes.min(initial=all_of))
        alone = int((sizes <= most).sum())
        rows.append(
            (
                name,
                number(all_of),
                number(len(sizes)),
                number(smallest),
                number(middle(sizes)),
                f"{min(1.0, most / max(1, smallest)):.4f}",
                f"{min(1.0, most * len(sizes) / max(1, all_of)):.4f}",
                f"{alone:,} ({share(alone, all_of if most == 1 else len(sizes))})",
            )
        )
    yield Table(
        head=("when", unit, "groups", "smallest", "median", "highest risk", "average risk",
              "alone in their group" if most == 1 else "groups that may be one person"),
        rows=tuple(rows),
        numbers=frozenset(range(1, 8)),
        caption=f"Groups are {unit} with the same quasi-identifiers; the risk is that of somebody "
        f"who knows these and picks a record{_several(most)}",
    )  # fmt: skip


def _several(most: int) -> str:
    """What a risk counted in rows is about; nothing where every row is another person."""
    if most == 1:
        return ""
    return (
        f". A person may have up to {most} rows: of R rows in a group, at least R / {most} are "
        f"different people, and the risk is at most {most} / R"
    )


def techniques(inside: Inside) -> Table:
    """What was done to each column."""
    levels = inside.chosen.levels or {}
    heights = {h.name: h for h in inside.cells.hierarchies}
    rows = []
    for name, role in inside.schema.roles.items():
        changed = changes(inside.certificate, name)
        if role == Role.QUASI_IDENTIFIER:
            place = inside.schema.quasi_identifiers.index(name)
            before = len(np.unique(inside.cells.q[inside.cells.n > 0, place]))
            after = len(set(inside.measured.contents.labels[place][inside.shown]))
            level = levels.get(name)
            if level is None:
                done = f"local generalisation ({inside.chosen.kind})"
            elif level == 0:
                done = AS_IT_IS
            elif level == heights[name].height and after == 1:
                done = f"suppression (level {level} of {level})"
            else:
                done = f"generalisation to level {level} of {heights[name].height}"
            done = "; ".join([*changed, *([] if changed and level == 0 else [done])])
            rows.append((name, str(role), done, number(before), number(after)))
        elif role in (Role.SENSITIVE, Role.INSENSITIVE):
            rows.append((name, str(role), "; ".join(changed) or AS_IT_IS, "", ""))
        else:
            rows.append((name, str(role), "removed", "", "0"))
    return Table(
        head=("column", "role", "technique", "values before", "after"),
        rows=tuple(rows),
        numbers=frozenset({3, 4}),
        caption="What was done to each column",
    )


def examples(inside: Inside) -> Iterator[Block]:
    """People of large groups, so that the report shows nobody who stands out."""
    names = inside.schema.quasi_identifiers
    parts = np.flatnonzero(inside.chosen.group != SUPPRESSED)
    if not names or not len(parts):
        yield Text(text="There are no quasi-identifiers to show.")
        return
    chosen, cells = inside.chosen, inside.cells
    first, seen = chosen.seen
    group = seen[chosen.group[parts]]
    people = np.bincount(group, weights=chosen.people[parts], minlength=len(first))
    large = np.flatnonzero(people >= np.median(people[people > 0]))
    ranks = [encoded(pa.array(column[first[large]], pa.string()))[1] for column in chosen.labels]
    ordered = large[np.lexsort(ranks[::-1])]
    rows = []
    for g in ordered[:: max(1, len(ordered) // EXAMPLES)][:EXAMPLES]:
        raw = cells.q[chosen.cell[parts[group == g]]]
        one = raw[np.lexsort(raw.T[::-1])[0]]
        values = [h.values[code] for h, code in zip(cells.hierarchies, one, strict=True)]
        pairs = zip(values, (column[first[g]] for column in chosen.labels), strict=True)
        rows.append(tuple(f"{shown(a)} → {shown(b)}" for a, b in pairs))
    yield Table(
        head=tuple(names),
        rows=tuple(rows),
        caption=f"Some {inside.unit} of large groups: as the source has them → as they are "
        "published. Direct and sensitive columns are not shown",
    )


def shown(value: str | None) -> str:
    """A value for people."""
    return MISSING if value is None else value


def left_out(inside: Inside) -> Iterator[Block]:
    """How many are not published, and whom that hits."""
    people, out = inside.cells.people, inside.left_out
    yield facts(
        (f"{inside.unit} suppressed", f"{number(out)} of {number(people)} ({share(out, people)})"),
        ("allowed by the plan", number(inside.plan.method.may_suppress(people))),
        (
            "because a value is missing",
            number(inside.cells.absent) if inside.cells.absent else None,
        ),
    )
    chosen, cells = inside.chosen, inside.cells
    gone = chosen.group == SUPPRESSED
    if not gone.any():
        return
    rows = []
    for j, hierarchy in enumerate(cells.hierarchies):
        level = (chosen.levels or {}).get(hierarchy.name, 0)
        codes = hierarchy.codes[level][cells.q[chosen.cell, j]]
        size = len(hierarchy.labels[level])
        all_of = np.bincount(codes, weights=chosen.people, minlength=size)
        lost = np.bincount(codes[gone], weights=chosen.people[gone], minlength=size)
        for code in np.flatnonzero(lost).tolist():
            label = shown(hierarchy.labels[level][code])
            hit, of = lost[code], all_of[code]
            rows.append((hit / of, hierarchy.name, label, hit, of))
    rows.sort(key=lambda row: (-row[0], row[1], row[2]))
    yield Table(
        head=("column", "value", "left out", "of", "share"),
        rows=tuple(
            (name, label, number(lost), number(whole), share(lost, whole))
            for _, name, label, lost, whole in rows[:OUT]
        ),
        numbers=frozenset({2, 3, 4}),
        caption="Whom that hits most. Analyses of these people will be off",
    )
