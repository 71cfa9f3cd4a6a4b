"""Earlier releases without noise that the ledger remembers: counts that everybody knows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.answers.public_knowledge import Public
from hedgerow.base.errors import HierarchyError, PlanError, some
from hedgerow.ledger.choice import LEFT_OUT, PARTITION
from hedgerow.noise.blowfish.exact_release import ExactRelease
from hedgerow.noise.blowfish.filter_outcomes import size
from hedgerow.noise.blowfish.secret_graph import Ints
from hedgerow.table.domain import Bounds, Domain, Values, decimal
from hedgerow.table.hierarchy import ANY, Hierarchy
from hedgerow.table.hierarchy_builders import Ranges, Spec

if TYPE_CHECKING:
    from hedgerow.ledger import Entry, Ledger
    from hedgerow.plan.plan import Plan
    from hedgerow.table.published_table import Published

FULL_DOMAIN = "full-domain"
Value = str | None


def exact_entries(ledger: Ledger, population: str) -> list[Entry]:
    """Releases of a population that have no noise, oldest first."""
    return [entry for entry in ledger.releases(population) if entry.body.get("kind") == PARTITION]


def with_releases(public: Public, plan: Plan, ledger: Ledger, entries: Sequence[Entry]) -> Public:
    """What everybody may know, with what earlier releases without noise tell.

    Args:
        public: What the plan says.
        plan: The plan: columns and hierarchies of its policy.
        ledger: Where the releases are.
        entries: Which they are.

    Raises:
        PlanError: Nobody has worked out what noise must cover with them.
    """
    stated = public.stated
    if stated is None or not entries:
        return public
    one = len(entries) == 1
    tell = (
        "an earlier release without noise tells"
        if one
        else f"{len(entries):,} earlier releases without noise tell"
    )
    if ignored(plan):
        return replace(
            public,
            earlier=(
                f"Not protected: what {tell} of this population. The plan says "
                "`releases: ignored`: the policy takes into account what it lists as known, and "
                "nothing else.",
            ),
        )
    found: dict[str, ExactRelease] = {}
    for entry in entries:
        known = _released(plan, public, entry, ledger.content(entry))
        # The same release twice says nothing twice.
        found.setdefault(known.digest, known)
    stated = replace(stated, releases=tuple(found.values()))
    try:
        tied = stated.changed > 1
    except PlanError as error:
        raise PlanError(
            error.what, where="the ledger",
            fix="Write `known: {releases: ignored}` under `policy` to leave them out, which every "
            "answer then says; or ask without a policy.",
        ) from None  # fmt: skip
    told: tuple[str, ...] = (
        f"What {tell} is taken into account as far as it is counts; what the choice of "
        f"{'its levels' if one else 'their levels'}, and the figures in "
        f"{'its certificate' if one else 'their certificates'}, tell besides is not.",
    )
    if not tied:
        told = (
            f"Not protected: what {tell} of this population. No edge of the policy changes "
            f"{'its counts, so it costs' if one else 'their counts, so they cost'} nothing."
            f"{_inside(found.values(), public)}",
            *told,
        )
    return replace(public, stated=stated, earlier=told)


def ignored(plan: Plan) -> bool:
    """Whether the plan wants earlier releases left out."""
    known = None if plan.policy is None else plan.policy.known
    return known is not None and known.releases == "ignored"


def require_all_known(ledger: Ledger, population: str, known: Iterable[int]) -> None:
    """Refuse an answer whose noise does not take a release into account that came in between.

    Raises:
        PlanError: There is one.
    """
    missed = {entry.seq for entry in exact_entries(ledger, population)} - set(known)
    if missed:
        raise PlanError(
            f"a release without noise (entry {min(missed)}) came in between, and the noise of "
            "this answer was chosen without it",
            where="the ledger",
            fix="Ask again.",
        )


def _inside(releases: Iterable[ExactRelease], public: Public) -> str:
    """What is no longer protected, though an edge of the policy joins it."""
    known = frozenset() if public.stated is None else public.stated.known
    columns = {column for one in releases for column in one.inside} - known
    if not columns:
        return ""
    return (
        f" Of {some(sorted(columns))} this is said of values in the plan's domain or bounds only: "
        "to have one outside of them, which these counts may show, is not protected."
    )


def _released(plan: Plan, public: Public, entry: Entry, content: bytes | None) -> ExactRelease:
    name = f"release {entry.seq} in the ledger, of {entry.at[:10]}"
    certificate = entry.body.get("certificate")
    if content is None or not isinstance(certificate, dict):
        return ExactRelease(name, entry.hash, None, None, "what it told was not kept")
    from hedgerow.table.archive import remembered

    then, published = certificate["plan"], remembered(content, name=name)
    roles: dict[str, str] = then["columns"]
    as_they_are = [c for c, role in roles.items() if role == "insensitive"]
    # The ledger does not keep what such columns had, so each row may be a cell.
    cells: int | None
    cells, why = _cells(published, alone=bool(as_they_are)), ""
    if published.made != FULL_DOMAIN:
        cells, why = None, "its groups were fitted to the data, and tell more than counts"
    elif then["person"] is not None:
        cells, why = None, "its people had several rows each"
    classes: dict[str, Ints] = {}
    inside: list[str] = []
    left_out = entry.body.get(LEFT_OUT)
    # What was missing then may be a value now, and the other way round.
    alike = public.stated is not None and list(then["null"]) == list(plan.null)
    alike = alike and then.get("ages", {}) == plan.ages_json
    for column in (*published.quasi, *published.sensitive) if alike else ():
        domain = public.stated.domain(column) if public.stated is not None else None
        fitting = None
        if domain is not None and column in published.sensitive:
            fitting = _as_it_is(published, column, domain)
        elif left_out is None or column in left_out:
            # A row without a value was in no cell then, whatever its label would have been.
            continue
        elif domain is not None and published.made == FULL_DOMAIN:
            fitting, decided = _generalised(plan, published, column, domain)
            inside += [column] * (not decided)
        if fitting is not None:
            classes[column] = fitting
    columns = (*published.quasi, *published.sensitive, *as_they_are)
    told = hashlib.sha256(content)
    if as_they_are:
        # What the ledger did not keep may be another, though all it kept is the same.
        told.update(str(certificate["data"]["sha256"]).encode())
    return ExactRelease(name, told.hexdigest(), columns, cells, why, classes, tuple(inside))


def _cells(published: Published, *, alone: bool) -> int:
    """At most so many different rows were published."""
    groups = published.groups
    n = groups.n.astype(object)
    if alone:
        return int(n.sum())
    kinds = np.ones(len(n), object)
    for h in groups.histograms.values():
        kinds = kinds * np.diff(h.indptr).astype(object)
    return int(np.minimum(n, kinds).sum())


def _as_it_is(published: Published, column: str, domain: Domain) -> Ints | None:
    """A class for each value; of numbers, several of which have one code, there are none."""
    shown = published.groups.domains[column].values
    if not isinstance(domain, Values) or not set(shown) <= set(domain.values):
        return None
    return np.arange(size(domain), dtype=np.int64)


def _generalised(
    plan: Plan, published: Published, column: str, domain: Domain
) -> tuple[Ints | None, bool]:
    """Which codes fit the same published labels; None where codes do not decide that.

    And whether they decide it of values outside of the domain, too.
    """
    labels = published.labels[published.quasi.index(column)]
    left = [label for label in labels if label != ANY]
    if not left:
        return np.zeros(size(domain), np.int64), True
    nodes = published.taxonomies.get(column)
    if nodes is not None:
        known = {
            label: {label} if label is None or label not in nodes else set(nodes[label])
            for label in left
        }
        return _by_sets(domain, known) if isinstance(domain, Values) else None, True
    try:
        hierarchy = plan.hierarchy_spec(column).bind(column, _spelt(domain))
    except HierarchyError:
        return None, True
    for level in range(hierarchy.height + 1):
        if set(left) <= set(hierarchy.labels[level]):
            return _by_level(plan.hierarchy_spec(column), domain, hierarchy, level), False
    return None, True


def _by_sets(domain: Values, known: Mapping[Value, set[Value]]) -> Ints | None:
    """Of labels whose values are written out."""
    listed = set(domain.values)
    for label, below in known.items():
        # A label that is both a value and a node, or that stands for values without a code.
        if not below <= listed or (label in listed and below != {label}):
            return None
    fits = [tuple(value in below for below in known.values()) for value in domain.values]
    place: dict[tuple[bool, ...], int] = {}
    return np.array([place.setdefault(fit, len(place)) for fit in [*fits, ()]], np.int64)


def _by_level(spec: Spec, domain: Domain, hierarchy: Hierarchy, level: int) -> Ints | None:
    """Of labels that say themselves what they stand for: ranges, masks, spans of dates."""
    if isinstance(domain, Bounds):
        if level == 0 or not isinstance(spec, Ranges):
            return None
        assert domain.step is not None, "else it had no codes"
        # A step that a range cuts has numbers on both sides.
        ends = Fraction(str(spec.widths[level - 1])), Fraction(str(spec.origin)) - domain.low
        if any((end / domain.step).denominator != 1 for end in ends):
            return None
    codes, place = hierarchy.codes[level], hierarchy.place
    found = [int(codes[place[value]]) for value in _spelt(domain)]
    return np.array([*found, max(found) + 1], np.int64)


def _spelt(domain: Domain) -> list[Value]:
    if isinstance(domain, Values):
        return list(domain.values)
    assert domain.step is not None, "else it had no codes"
    return [decimal(domain.low + i * domain.step) for i in range(domain.cells)]
