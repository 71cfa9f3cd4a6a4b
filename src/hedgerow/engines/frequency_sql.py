"""SQL about lines of codes, in what DuckDB, PostgreSQL and Spark share.

A line has the codes c0, c1, ... of quasi-identifiers and v0, v1, ... of sensitive values, none of
them NULL, and its people n.
"""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.engines.frequency_set import Box
from hedgerow.engines.splits import Split, Tree


def names(letter: str, count: int) -> list[str]:
    """Names by position: c0, c1, ...."""
    return [f"{letter}{i}" for i in range(count)]


def listed(*columns: str) -> str:
    """Columns, with commas between them."""
    return ", ".join(columns)


def total(sql: str, name: str) -> str:
    """A sum of people, which are never as many as a 64-bit number could not hold."""
    return f"CAST(coalesce(sum({sql}), 0) AS bigint) AS {name}"


def part_of(splits: Sequence[Split], *, placed: bool) -> str:
    """The part a line is in.

    Args:
        splits: Cuts, in order.
        placed: Whether lines have a column `part` that says where they were before these cuts;
            else all were in part 0.

    >>> part_of([Split(part=0, axis=1, behind=7, left=1, right=2)], placed=False)
    'CASE WHEN c1 <= 7 THEN 1 ELSE 2 END'
    >>> part_of([Split(part=4, axis=0, behind=3, left=5, right=6)], placed=True)
    'CASE part WHEN 4 THEN CASE WHEN c0 <= 3 THEN 5 ELSE 6 END ELSE part END'
    """
    below = {split.part: split for split in splits}
    made = {side for split in splits for side in (split.left, split.right)}

    def within(part: int) -> str:
        cut = below.get(part)
        if cut is None:
            return str(part)
        return (
            f"CASE WHEN c{cut.axis} <= {cut.behind} THEN {within(cut.left)} "
            f"ELSE {within(cut.right)} END"
        )

    if not placed:
        return within(0)
    cases = [f"WHEN {part} THEN {within(part)}" for part in below if part not in made]
    return f"CASE part {' '.join(cases)} ELSE part END" if cases else "part"


def at_once(tree: Tree, begun: int, *, deepest: int, most: int) -> int:
    """Up to which cut one CASE takes a tree from `begun` on, neither too deep nor too long.

    >>> chain = tuple(
    ...     Split(part=2 * i, axis=0, behind=i, left=2 * i + 1, right=2 * i + 2) for i in range(10)
    ... )
    >>> at_once(chain, 0, deepest=4, most=100), at_once(chain, 4, deepest=9, most=3)
    (4, 7)
    """
    depth: dict[int, int] = {}
    for place in range(begun, len(tree)):
        split = tree[place]
        deep = depth.get(split.part, 0) + 1
        if deep > deepest or place - begun >= most:
            return place
        depth[split.left] = depth[split.right] = deep
    return len(tree)


def margins(lines: str, axes: int, attributes: int) -> str:
    """People by part, axis, attribute, code and value: g0, ..., g4, and n.

    Args:
        lines: A subquery that has `part`.
        axes: How many quasi-identifiers.
        attributes: How many sensitive attributes; where none, people are counted alone.
    """
    codes, values = names("c", axes), names("v", attributes)
    sets = [f"{c}, {v}" for c in codes for v in values] or codes
    wanted = listed(*(f"(part, {chosen})" for chosen in sets))
    # No code is NULL, so one that is was not grouped by.
    found = (
        f"SELECT part, {listed(*codes, *values)}, {total('n', 'n')} FROM ({lines}) AS x "
        f"GROUP BY GROUPING SETS ({wanted})"
    )
    return (
        f"SELECT part AS g0, {_which(codes)} AS g1, {_which(values) if values else '-1'} AS g2, "
        f"{_first(codes)} AS g3, {_first(values) if values else '-1'} AS g4, n FROM ({found}) AS y"
    )


def _which(columns: Sequence[str]) -> str:
    cases = " ".join(f"WHEN {c} IS NOT NULL THEN {i}" for i, c in enumerate(columns))
    return f"CASE {cases} END"


def _first(columns: Sequence[str]) -> str:
    return f"coalesce({listed(*columns)})" if len(columns) > 1 else columns[0]


def within(lines: str, boxes: Sequence[Box]) -> str:
    """People in each box: b0, b1, ...."""
    sums = []
    for i, box in enumerate(boxes):
        inside = [f"c{axis} BETWEEN {int(a)} AND {int(b)}" for axis, (a, b) in sorted(box.items())]
        told = f"CASE WHEN {' AND '.join(inside)} THEN n ELSE 0 END" if inside else "n"
        sums.append(total(told, f"b{i}"))
    return f"SELECT {listed(*sums)} FROM {lines} AS x"


def tuple_sizes(lines: str, axes: int) -> str:
    """How many tuples of quasi-identifiers have so many people: size, tuples."""
    tuples = f"SELECT {total('n', 'size')} FROM {lines} AS x GROUP BY {listed(*names('c', axes))}"
    return f"SELECT size, count(*) AS tuples FROM ({tuples}) AS y GROUP BY size"


def condensed(lines: str, solved: str, axes: int, attributes: int, *, separated: bool) -> str:
    """Published tuples with their sensitive values: p, v, l, h, r and n.

    Args:
        lines: The table of all lines.
        solved: The table of what became of them.
        axes: How many quasi-identifiers.
        attributes: How many sensitive attributes.
        separated: Whether people of one tuple were separated.
    """
    labels = names("p", axes)
    spans = [f"min({c}) AS {c}" for c in names("l", axes)]
    spans += [f"max({c}) AS {c}" for letter in "hr" for c in names(letter, axes)]
    if separated:
        keys, relation, people = [*labels, *names("v", attributes)], f"{solved} AS m", "m.n"
    else:
        same = " AND ".join(f"m.{c} = x.{c}" for c in names("c", axes))
        keys = [*labels, *(f"x.{v}" for v in names("v", attributes))]
        relation, people = f"{solved} AS m JOIN {lines} AS x ON {same}", "x.n"
    return (
        f"SELECT {listed(*keys, *spans)}, {total(people, 'n')} FROM {relation} "
        f"GROUP BY {listed(*keys)}"
    )


def twice(solved: str, keys: Sequence[str], *, separated: bool) -> str:
    """How many lines of a solution are for people another line is for: n."""
    if not separated:
        again = (
            f"SELECT count(*) AS times FROM {solved} AS m GROUP BY {listed(*keys)} "
            "HAVING count(*) > 1"
        )
        return f"SELECT count(*) AS n FROM ({again}) AS y"
    again = (
        f"SELECT CASE WHEN lo < lag(hi) OVER (PARTITION BY {listed(*keys)} ORDER BY lo) THEN 1 "
        f"ELSE 0 END AS again FROM {solved} AS m"
    )
    return f"SELECT count(*) AS n FROM ({again}) AS y WHERE again = 1"


def of_nobody(lines: str, solved: str, keys: Sequence[str], *, separated: bool) -> str:
    """How many tuples of a solution have other people than there are: n.

    Only where nobody is in two lines of it.
    """
    cell = listed(*keys)
    told = "hi" if separated else "n"
    wrong = "told > known" if separated else "told <> known AND told > 0"
    both = (
        f"SELECT {cell}, {told} AS told, CAST(0 AS bigint) AS known FROM {solved} AS m UNION ALL "
        f"SELECT {cell}, CAST(0 AS bigint) AS told, n AS known FROM {lines} AS x"
    )
    found = (
        f"SELECT max(told) AS told, {total('known', 'known')} FROM ({both}) AS y GROUP BY {cell}"
    )
    return f"SELECT count(*) AS n FROM ({found}) AS z WHERE {wrong}"


def unsound(solved: str, *, separated: bool) -> str:
    """How many lines of a solution are for a number of people that cannot be: n."""
    sound = "0 <= lo AND lo < hi AND n = hi - lo" if separated else "n > 0"
    return f"SELECT count(*) AS n FROM {solved} AS m WHERE NOT ({sound})"
