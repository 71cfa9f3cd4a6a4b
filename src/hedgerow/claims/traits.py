"""Traits: what the house asks a claim about itself, so that it never has to ask which one it is.

A trait that a claim does not state has the value that promises least: no attacker but the usual
one, no smallest group, nothing proved for rows. Only monotonicity has no default (see `base`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from hedgerow.table.facts import AskedFacts
from hedgerow.table.groups import AskedBelief, Sensitive
from hedgerow.table.value_order import Stated, Value

if TYPE_CHECKING:
    from hedgerow.claims.base import PrivacyModel
    from hedgerow.claims.priors import Prior

FINDER = "somebody who knows a person's quasi-identifiers and that the person is in the table"
OUTSIDER = "somebody who has a list of the population and does not know who of it is in the table"
TABLE_KNOWN = f"{FINDER}, and how the sensitive values are distributed in the whole table"

T = TypeVar("T", bound="Traits")


class Gap(NamedTuple):
    """Something that a claim does not protect, as the certificate says it."""

    place: int
    """Where it stands among the gaps of other claims."""
    words: str


LIKELIER = Gap(1, "a value that is much likelier than the others of its group")
WHOLE_TABLE = Gap(2, "what the whole table says of everybody in it")
STRONGER = Gap(3, "anybody against attackers who are stronger than those named")
OTHERS_KNOWN = Gap(4, "anybody against attackers who know fewer or other people than those listed")
NOT_WISHED = Gap(5, "what a person did not ask to have protected")
SINGLE_PEOPLE = Gap(6, "single people, as long as the average or the share is kept")
WEIGHED = Gap(
    7,
    "anybody against those who weigh how frequent values are in the releases that were compared, "
    "know who came and left between them, or count otherwise",
)
ESTIMATED = Gap(
    8,
    "what an estimate misses: nobody has counted the population, and the table has to be a random "
    "sample of it",
)

MORE_KNOWN = Gap(9, "anybody against those who know other quasi-identifiers than the claim says")

WEIGHED_RECORDS = Gap(10, "anybody against those who weigh which of several candidates is likelier")
MANY_KNOWN = Gap(
    11, "anybody against those who match several people, and rule out records that must be others'"
)


@dataclass(frozen=True)
class Slider:
    """A parameter that can be moved while one looks at the lattice."""

    field: str
    """Of the model."""
    key: str
    """Of the plan."""
    words: str
    low: float
    high: float
    whole: bool = False
    wide: bool = False
    """Whether steps should be relative, since it spans orders of magnitude."""
    higher_is_safer: bool = False
    inside: tuple[str, ...] = ()
    """The keys of the plan's claim that lead to the parameter's."""
    of_people: bool = False
    """Whether it counts people, so that more than there are make no sense."""
    of_values: bool = False
    """Whether it counts values of the column."""


PEOPLE_SLIDER = Slider(
    "k", "k", "people in every group, at least (k)", 2, 1000, True, True, True, of_people=True
)


class Traits:
    """What a claim says of itself; `PrivacyModel` is one."""

    about_beliefs: ClassVar[bool] = False
    """Whether it is about what a named attacker believes."""
    about_presence: ClassVar[bool] = False
    """Whether it is about who of a population is in the table, those who are not included."""
    is_distance: ClassVar[bool] = False
    """Whether its level is a distance, at most 1, between the distributions of a group and of the
    whole table: people who join move it by their share of the table at most."""
    composes: ClassVar[bool] = False
    """Whether it is about this release together with earlier ones; see `values_left` and
    `beliefs_left`."""
    bounds_beliefs: ClassVar[bool] = False
    """Whether it bounds what is believed by all of them together; see `beliefs_left`."""
    about_population: ClassVar[bool] = False
    """Whether it takes the table for a sample, and estimates what its groups are in the population.
    """
    counts_left_out: ClassVar[bool] = False
    """Whether it depends on how many people of the table are in none of the groups."""
    across_groups: ClassVar[bool] = False
    """Whether it counts people of several groups who look alike in some columns: a group then
    passes or fails by which other groups are published."""
    of_originals: ClassVar[bool] = False
    """Whether it depends on which records fit whom, so on quasi-identifiers as they were."""
    candidates_of_people: int = 1
    """Of a claim that is `of_originals`: how many records fit everybody where it holds,"""
    candidates_of_records: int = 1
    """and how many people every record fits;"""
    matches_everybody: bool = False
    """whether its attacker matches all people with all records."""
    rows_words: ClassVar[str | None] = None
    """What it is called where it is listed as proved for several rows a person."""
    sliders: ClassVar[tuple[Slider, ...]] = ()

    @property
    def column(self) -> str | None:
        """The sensitive column it is about, if it is about one."""
        return None

    # Words of the certificate.

    @property
    def attacker(self) -> str:
        """The attacker it is about, spelled out."""
        return FINDER

    @property
    def promise(self) -> str:
        """What that attacker cannot do, in one clause."""
        return f"is bounded as the claim {str(self)!r} says"

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """What nobody should take for protected, besides what the house says of every claim."""
        return ()

    # What it implies for groups.

    @property
    def least_people(self) -> int | None:
        """How many people every group has where it holds; None where it does not say."""
        return None

    def people_at(self, level: float) -> float | None:
        """How many people every group has where it has this level; None where it does not say."""
        return None

    @property
    def only_size(self) -> int | None:
        """How many people every group has, where the claim says that and nothing else."""
        return None

    def with_size(self: T, people: int) -> T | None:
        """The same claim of groups of at least so many, where it is a claim about their size."""
        return None

    @property
    def least_values(self) -> int | Fraction | None:
        """How many sensitive values every group has where it holds; None if it does not say."""
        return None

    @property
    def bounds_size(self) -> bool:
        """Whether no group that keeps it is a single person's."""
        return (self.least_people or 0) > 1

    def keeps_apart(self, *, several: bool) -> bool:
        """Whether in no group that keeps it everybody has a certain value of its column.

        However the table looks; unless everybody in it has that value, which is said elsewhere.

        Args:
            several: Whether people may have several values.
        """
        return False

    @property
    def values_left(self) -> int | None:
        """How many values stay possible beside earlier releases, of a claim that `composes`."""
        return None

    def beliefs_left(self, domain: Sensitive) -> AskedBelief | None:
        """How likely a value may become beside earlier releases, of a claim that `composes`.

        Args:
            domain: The values of its column.
        """
        return None

    # What it looks at.

    @property
    def joint(self) -> bool:
        """Whether it counts every published column as a quasi-identifier."""
        return False

    @property
    def facts(self) -> AskedFacts | None:
        """What it has to know of people that the release does not show."""
        return None

    @property
    def weighted_by(self) -> str | None:
        """The column of survey weights it is judged with."""
        return None

    @property
    def sampled(self) -> float | None:
        """The share of the population that it says the table is."""
        return None

    @property
    def about_single_people(self) -> bool:
        """Whether it depends on what certain people want protected, or on who is known."""
        return self.facts is not None

    @property
    def of_each_group(self) -> PrivacyModel | None:
        """The claim about each group alone that implies it, of one that is `across_groups`."""
        return None

    @property
    def named_columns(self) -> tuple[str, ...]:
        """Quasi-identifiers that its parameters name."""
        return ()

    def for_anybody(self: T, domains: Mapping[str, Sensitive]) -> T | None:
        """The claim that asks the same of every group, whoever may be in it, and implies this one.

        Only of a claim about single people; None where there is none.

        Args:
            domains: The sensitive columns, and what is known of people, by attribute.
        """
        return None

    def stricter(self: T, share: Fraction) -> T | None:
        """The claim with this share of what it lets somebody believe; it implies this one.

        Only of a claim that bounds beliefs; None where there is none.
        """
        return None

    @property
    def believed(self) -> Prior | None:
        """What its attacker believes before seeing the release, where it names that."""
        return None

    @property
    def named_value(self) -> Value:
        """The one value of its column that it is about; None where it is about all of them."""
        return None

    @property
    def protected_value(self) -> Value:
        """That value, where not everybody in a group may have it."""
        return None

    @property
    def names_nodes(self) -> bool:
        """Whether it names sets of values by nodes of the column's hierarchy."""
        return False

    def named_values(self) -> Iterator[Value]:
        """The values and nodes that its parameters name."""
        if self.named_value is not None:
            yield self.named_value

    def secrets(self) -> Iterator[Value]:
        """Those of them that stand for what its attacker must not learn."""
        yield from ()

    def renamed(self: T, names: Mapping[Value, Value]) -> T:
        """The claim about values by other names; several may get one name."""
        return self

    @property
    def by_hierarchy(self) -> bool:
        """Whether the hierarchy of its column decides its level."""
        return False

    @property
    def by_order(self) -> bool:
        """Whether the order of its column's values decides its level."""
        return False

    @property
    def on_a_scale(self) -> bool:
        """Whether its level is in shares of the length of an order or a taxonomy."""
        return False

    @property
    def stated_order(self) -> Stated | None:
        """That order, where the claim states it."""
        return None

    def in_order(self: T, order: Stated) -> T:
        """The claim with that order stated."""
        return self

    # People with several rows that do not say whose they are; `row_bound` has the argument.

    def of_rows(self: T, rows: int) -> T | None:
        """The claim about rows that implies it for people with at most so many each.

        None where nothing is proved.
        """
        return None

    def level_of_people(self, level: float, rows: int) -> float:
        """The level for people with at most so many rows each, of a level counted in rows."""
        raise NotImplementedError(f"{type(self).__name__} is not proved for rows")

    # Sliders.

    def moves(self, domain: Sensitive | None) -> Iterator[tuple[Slider, float]]:
        """What can be moved, and where it stands.

        Args:
            domain: The values of its column, where it is about one.
        """
        for slider in self.sliders:
            high = slider.high
            if slider.of_values and domain is not None:
                high = max(2, min(high, len(domain.values)))
            yield replace(slider, high=high), float(getattr(self, slider.field))

    def moved(self, field: str, value: Any) -> PrivacyModel:
        """The claim with another value of a parameter that can be moved."""
        return replace(self, **{field: value})  # type: ignore
