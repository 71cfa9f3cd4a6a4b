"""From what a plan says about a policy to its graphs; files and hierarchies are read here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from hedgerow.base.errors import PlanError, nearest, some
from hedgerow.base.filters import parse
from hedgerow.noise.blowfish.graphs import Full, Partition, Threshold
from hedgerow.noise.blowfish.listed_graphs import Explicit, Grid, Near
from hedgerow.noise.blowfish.plan_policy import Stated
from hedgerow.noise.blowfish.policy import Part, Policy
from hedgerow.noise.blowfish.secret_graph import Graph
from hedgerow.plan.domains import DomainFile, rows_in
from hedgerow.plan.fields import exactly
from hedgerow.plan.policies import Blocks, PolicyPlan, SecretPlan
from hedgerow.table.domain import Bounds, Domain, Values, decimal
from hedgerow.table.hierarchy import Hierarchy
from hedgerow.table.hierarchy_builders import Dates
from hedgerow.table.schema import Role

if TYPE_CHECKING:
    from hedgerow.plan.plan import Plan

MOST_PLACES = 250_000
"""Points of a public grid of places."""
KILOMETRES = {"km": Fraction(1), "m": Fraction(1, 1000)}


def stated(plan: Plan) -> Stated | None:
    """The policy of a plan, over the codes of its public domains.

    Raises:
        HedgerowError: A file or a hierarchy does not fit, or nothing at all would be protected.
    """
    policy = plan.policy
    if policy is None:
        return None
    parts: dict[Part, Graph] = {}
    domains: dict[str, Domain] = {}
    for name, secret in policy.secrets.items():
        columns, where = policy.columns(name), plan.where("policy", name, secret.kind)
        try:
            if len(columns) > 1:
                parts[columns] = _together(plan, secret, columns)
                continue
            (column,) = columns
            domain = coded(plan, column)
            if domain is not None:
                parts[column] = _graph(plan, secret, column, domain, where)
                domains[column] = domain
        except PlanError as error:
            if error.where is not None:
                raise
            raise PlanError(error.what, where=where, fix=error.fix) from None
    named = {column for name in policy.secrets for column in policy.columns(name)}
    for column in plan.columns:
        domain = coded(plan, column) if column not in named else None
        if domain is not None:
            parts[column] = Full(_size(domain) + 1)
            domains[column] = domain
    others = tuple(
        name
        for name, column in plan.columns.items()
        if name not in domains
        and column.role is not Role.IDENTIFIER
        and name not in {c for columns in parts for c in columns if isinstance(columns, tuple)}
    )
    known = frozenset(
        column
        for name, secret in policy.secrets.items()
        if secret.known
        for column in policy.columns(name)
    )
    if not parts:
        raise PlanError(
            "no column of the policy has public values", where=plan.where("policy"),
            fix="Give domains, or bounds and a step, under `columns`.",
        )  # fmt: skip
    told = policy.known
    found = Stated(
        policy=Policy(parts, at_once=policy.at_once),
        domains=domains,
        known=known,
        others=tuple(name for name in others if name not in known),
        marginals=() if told is None else told.marginals,
        counts=() if told is None else tuple(map(parse, told.counts)),
        at_once=policy.at_once,
        sides={
            column: side
            for columns in parts
            if isinstance(columns, tuple)
            for column in columns
            if (side := plan.domain(column)) is not None
        },
        coarser=tuple(_coarser(plan, policy)),
    )
    try:
        _ = found.changed
    except PlanError as error:
        raise PlanError(error.what, where=plan.where("policy", "known"), fix=error.fix) from None
    return found


def _coarser(plan: Plan, policy: PolicyPlan) -> Iterator[str]:
    """Where `within` is no whole number of steps, and fewer are protected."""
    for name, secret in policy.secrets.items():
        columns = policy.columns(name)
        side = plan.domain(columns[0])
        if secret.within is None or secret.within[1] or not isinstance(side, Bounds):
            continue
        theta, step = secret.within[0], side.step
        if step is not None and theta % step:
            kept, asked = decimal(theta - theta % step), decimal(theta)
            yield (
                f"{' and '.join(columns)} within {asked}, only within {kept}: {asked} protects "
                f"{kept}, as steps are {decimal(step)}."
            )


def coded(plan: Plan, column: str) -> Domain | None:
    """A domain whose values have codes."""
    domain = plan.domain(column)
    return None if isinstance(domain, Bounds) and domain.step is None else domain


def _size(domain: Domain) -> int:
    return len(domain.values) if isinstance(domain, Values) else domain.cells


def _graph(plan: Plan, secret: SecretPlan, column: str, domain: Domain, where: str) -> Graph:
    size = _size(domain)
    match secret.kind:
        case "full":
            return Full(size + 1)
        case "known":
            return Partition.known(size + 1)
        case "within":
            assert secret.within is not None, "the plan was checked"
            assert isinstance(domain, Bounds), "the plan was checked"
            return _apart(Threshold.on(domain, secret.within[0]))
        case "line":
            return _line(domain)
        case "graph":
            codes = _codes(domain)
            assert secret.graph is not None, "the plan was checked"
            pairs = tuple(
                (_code(codes, a, column, where), _code(codes, b, column, where))
                for a, b in secret.graph
            )
            return Explicit(size + 1, pairs)
    return Partition((*(blocks := _blocks(plan, secret, column, domain, where)), max(blocks) + 1))


def _apart(graph: Threshold) -> Threshold:
    """With one code more, which is joined to none: it lies farther off than any edge reaches."""
    last = graph.at[-1]
    return Threshold((*graph.at, last + graph.within + 1), graph.within)


def _line(domain: Domain) -> Graph:
    size = _size(domain)
    if isinstance(domain, Bounds) or None not in domain.values:
        return _apart(Threshold(range(size), 1))
    # Missing is before or after nothing.
    values = [code for code, value in enumerate(domain.values) if value is not None]
    return Explicit(size + 1, tuple(pairwise(values)))


def _codes(domain: Domain) -> Mapping[str | Fraction | None, int]:
    if isinstance(domain, Values):
        return {value: code for code, value in enumerate(domain.values)}
    assert domain.step is not None, "else it had no codes"
    return {domain.low + i * domain.step: i for i in range(domain.cells)}


def _code(
    codes: Mapping[str | Fraction | None, int], value: str | None, column: str, where: str
) -> int:
    number = any(isinstance(key, Fraction) for key in codes)
    found = codes.get(exactly(value) if number else value)
    if found is None:
        close = None if number else nearest(str(value), [str(v) for v in codes if v is not None])
        raise PlanError(
            f"{some([value])} is no value of {column!r}", where=where,
            fix=f"Did you mean {close!r}?" if close else "Name values of its domain.",
        )  # fmt: skip
    return found


def _blocks(
    plan: Plan, secret: SecretPlan, column: str, domain: Domain, where: str
) -> tuple[int, ...]:
    asked = secret.partition
    assert asked is not None, "the plan was checked"
    if isinstance(asked, int | str):
        return _level(plan, column, domain, asked, where)
    if isinstance(asked, DomainFile):
        named: Blocks = {}
        for value, name in rows_in(asked.csv, where=where):
            named[name] = (*named.get(name, ()), value)
        where = str(asked.csv)
    else:
        named = asked
    codes = _codes(domain)
    found: dict[int, int] = {}
    for block, values in enumerate(named.values()):
        for value in values:
            code = _code(codes, value, column, where)
            if found.setdefault(code, block) != block:
                raise PlanError(
                    f"{some([value])} is in two blocks", where=where, fix="Put it in one of them."
                )
    left = [value for value, code in codes.items() if code not in found]
    if left:
        spelt = [decimal(v) if isinstance(v, Fraction) else v for v in left]
        raise PlanError(
            f"{some(spelt)} of {column!r} is in no block", where=where,
            fix="Put every value of the domain into a block; one may be called other.",
        )  # fmt: skip
    return tuple(found[code] for code in range(len(codes)))


def _level(
    plan: Plan, column: str, domain: Domain, asked: int | str, where: str
) -> tuple[int, ...]:
    spec = plan.public_spec(column)
    values: Sequence[str | None] = (
        domain.values
        if isinstance(domain, Values)
        else [decimal(v) for v in _codes(domain) if isinstance(v, Fraction)]
    )
    hierarchy = spec.bind(column, values, where=where)
    if isinstance(asked, str):
        asked = _named_level(plan, column, asked, hierarchy, where)
    if asked > hierarchy.height:
        raise PlanError(
            f"the hierarchy of {column!r} has the levels 0 to {hierarchy.height}, and no {asked}",
            where=where,
        )
    codes, place = hierarchy.codes[asked], hierarchy.place
    return tuple(int(codes[place[value]]) for value in values)


def _named_level(plan: Plan, column: str, asked: str, hierarchy: Hierarchy, where: str) -> int:
    """Which level a name stands for.

    Raises:
        PlanError: None has it, or the plan names more or fewer levels than there are.
    """
    spec, height = plan.hierarchy_spec(column), hierarchy.height
    if isinstance(spec, Dates):
        # Counted from the top, *: where values have a time, the day is a level, else the value.
        named = ["day", *(name for name in spec.levels if name != "day")]
        levels = {name: height - len(named) + place for place, name in enumerate(named)}
    else:
        names = plan.columns[column].level_names
        # The last level may go without a name where it joins everything.
        enough = {height, height - 1} if hierarchy.size(height) == 1 else {height}
        if names and len(names) not in enough:
            raise PlanError(
                f"the hierarchy of {column!r} has {height} level{'s' * (height != 1)} above the "
                f"values, and {len(names)} name{'s' * (len(names) > 1)} for them",
                where=plan.where("columns", column, "hierarchy", "names"),
                fix="Name them all, from the finest to the coarsest; the last, where it joins all "
                "values, may be left out.",
            )
        levels = {name: level for level, name in enumerate(names, start=1)}
    if asked in levels:
        return levels[asked]
    close = nearest(asked, list(levels))
    raise PlanError(
        f"the hierarchy of {column!r} has no level called {asked!r}"
        + (f"; did you mean {close!r}?" if close else ""),
        where=where,
        fix=f"There are {', '.join(levels)}."
        if levels
        else f"Its levels have numbers, 0 to {height}; name them with `names` beside the "
        "hierarchy, or write {csv: file} for a file of blocks.",
    )


def _together(plan: Plan, secret: SecretPlan, columns: tuple[str, ...]) -> Graph:
    """Places on the Earth, or points of a box, over several columns with steps."""
    assert secret.within is not None, "the plan was checked"
    theta, unit = secret.within
    sides = [plan.domain(column) for column in columns]
    bounds = [side for side in sides if isinstance(side, Bounds) and side.step is not None]
    assert len(bounds) == len(columns), "the plan was checked"
    if unit is None:
        steps = {side.step for side in bounds}
        step = bounds[0].step
        assert step is not None, "the plan was checked"
        assert secret.distance is not None, "the plan was checked"
        if len(steps) > 1 or theta < step:
            raise PlanError(
                f"{', '.join(columns)} need one step, of at most {decimal(theta)}, to be within it",
                fix="Give the columns the same step.",
            )
        return Grid(tuple(side.cells for side in bounds), int(theta / step), secret.distance)
    many = bounds[0].cells * bounds[1].cells
    if many > MOST_PLACES:
        raise PlanError(
            f"the steps of {columns[0]} and {columns[1]} make {many:,} places, and at most "
            f"{MOST_PLACES:,} can be joined",
            fix="Choose larger steps: the grid is public, and places are told by its points.",
        )
    latitudes, longitudes = (
        [float(side.low + i * (side.step or 0)) for i in range(side.cells)] for side in bounds
    )
    points = tuple((a, b) for a in latitudes for b in longitudes)
    return Near(points, within=theta * KILOMETRES[unit], metric="great-circle")
