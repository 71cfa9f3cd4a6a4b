"""What every privacy model is: a predicate on groups that knows its own level."""

from __future__ import annotations

import math
from abc import ABCMeta, abstractmethod
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Flag, auto
from fractions import Fraction
from functools import lru_cache
from numbers import Rational
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.base.errors import PlanError, some
from hedgerow.base.ranges import Range
from hedgerow.claims.traits import Traits
from hedgerow.table.groups import ALL, Floats, Groups, Histogram, Ints, Sensitive, Weights

NEAR = 1e-9
"""Levels this close to the threshold (relatively) are decided in exact arithmetic."""

LARGEST = 2**63 - 1
"""The largest whole number a counter holds."""

Ratio = tuple[Ints, Ints]
"""Numerators and denominators, one of each for every group; denominator 0 is the worst level."""


class Relief(NamedTuple):
    """What suppressing whole groups does for a claim about the table that fails.

    The claim holds as soon as the groups that are suppressed are worth `needed` together (and
    somebody remains). A larger group is never worth more, so that of all sets of as many groups
    the smallest ones do most, and cost fewest people.
    """

    needed: int
    worth: Callable[[int], int]
    """Of a group, by how many people it has."""


class Needs(Flag):
    """What a model looks at."""

    SIZES = auto()
    HISTOGRAM = auto()
    POPULATION = auto()
    WEIGHTS = auto()


COMPOSITION = "composition with earlier releases"
"""How the claim about several releases begins."""
LEEWAY = 1e-9
"""What rounding may add to one over a confidence."""


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds, and by how much."""

    claim: str
    holds: bool
    level: float
    """The strictest parameter for which the claim would still hold."""
    required: float
    """The parameter the plan asks for."""
    worst: int | None
    """The group that decides the level; None where no single group does."""

    @property
    def told(self) -> tuple[str, str]:
        """Level and requirement for people; of composition, how many values remain.

        >>> Verdict("0.2-closeness", False, 0.2000000001, 0.2, None).told
        ('0.2000000001', '0.2')
        >>> Verdict(f"{COMPOSITION} (at least 2 values ...)", True, 1 / 3, 0.5, None).told
        ('3', '2')
        """
        if self.claim.startswith(COMPOSITION):
            least = math.ceil(1 / self.required - LEEWAY)
            return (f"{1 / self.level:.0f}" if self.level else "all"), f"{least}"
        required = f"{self.required:.6g}"
        if math.isinf(self.level):
            return "infinite", required
        short = f"{self.level:.6g}"
        same = self.level != self.required and short == required
        return (repr(self.level) if same else short), required

    @property
    def margin(self) -> float:
        """Distance between level and requirement, positive where the claim holds."""
        gap = abs(self.level - self.required)
        return gap if self.holds else -gap


class ByName(ABCMeta):
    """Makes claims from parameters that are named, and says which where they are not."""

    def __call__(cls, *unnamed: Any, **said: Any) -> Any:
        """Make one.

        Raises:
            PlanError: A parameter is not named, unknown, or missing.
        """
        known = {one.name: one for one in fields(cls) if one.init} if is_dataclass(cls) else {}
        if not all(one.kw_only for one in known.values()):
            return super().__call__(*unnamed, **said)  # one that nobody writes in a plan
        needed = [
            name
            for name, one in known.items()
            if one.default is MISSING and one.default_factory is MISSING
        ]
        example = f"{cls.__name__}({', '.join(f'{name}=...' for name in needed)})"
        wrong = None
        if unnamed:
            wrong = f"{cls.__name__} needs its parameters by name"
        elif strange := [name for name in said if name not in known]:
            wrong = f"{cls.__name__} has no parameter {strange[0]!r}"
        elif missing := [name for name in needed if name not in said]:
            wrong = f"{cls.__name__} needs the parameter {missing[0]!r}"
        if wrong is not None:
            raise PlanError(wrong, fix=f"Write {example}.")
        return super().__call__(**said)


class PrivacyModel(Traits, metaclass=ByName):
    """A claim about every group (or, for table models, about all groups together).

    Subclasses are frozen dataclasses with keyword-only parameters. `level` gives each group's
    smallest parameter in floating point; `holds` decides, and where the two are within
    rounding of each other, decides by exact arithmetic (`exactly`). What else the house must know
    about a claim are its `Traits`; what a plan writes of it is in its `Declaration`.
    """

    higher_is_safer: ClassVar[bool]
    """True for k and l (at least), False for t, delta, beta, risks (at most)."""
    strict: ClassVar[bool] = False
    """Whether a level equal to the parameter fails."""
    per_group: ClassVar[bool] = True
    """False for claims about the table as a whole, such as an average risk; these have a `relief`.
    """

    @property
    @abstractmethod
    def needs(self) -> Needs:
        """What the model looks at."""

    @property
    @abstractmethod
    def monotone_in_generalisation(self) -> bool:
        """Merging groups that pass gives a group that passes."""

    @property
    @abstractmethod
    def monotone_in_suppression(self) -> bool:
        """Leaving out a group's people never makes a claim fail that held."""

    @property
    def beyond_groups(self) -> bool:
        """Whether that every group passes is not enough: see `keeps`."""
        return False

    @property
    def one_by_one(self) -> bool:
        """Whether the claim holds of a release exactly if each of its groups passes."""
        return self.per_group and self.monotone_in_suppression and not self.beyond_groups

    def keeps(self, groups: Groups) -> bool:
        """Whether a release of exactly these groups keeps the claim."""
        return bool(self.holds(groups).all())

    def exposed(self, groups: Groups) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The groups that should be coarser for a release of exactly these to keep the claim.

        Args:
            groups: All groups of the release.

        Returns:
            The groups of people of whom it is not kept; and these with the groups of others, on
            whom that depends. There are some of the latter exactly if the claim is not kept.
        """
        wrong = ~self.holds(groups)
        return wrong, wrong

    @property
    def monotone_in_union(self) -> bool:
        """Adding any people at all to a group that passes gives a group that passes.

        Of a claim about the table: it still holds when people are added to published groups.
        """
        return False

    @property
    def closed_under_mixtures(self) -> bool:
        """Whether what every group keeps is kept by every mixture of groups, whatever the weights.

        Then it holds of people who fit several groups, too: see decision 036. A mixture of groups
        is a union of copies of them, so a claim about shares is closed if it is monotone. Claims
        about single people and about several releases are judged over all groups a person fits.
        """
        judged_so = self.about_single_people or self.composes
        return self.monotone_in_generalisation or self.column is None or judged_so

    @property
    def compares_with_table(self) -> bool:
        """Whether the level depends on more than a release need show.

        Such as the whole table's distribution: where people were left out, the level would say
        something about their sensitive values.
        """
        return False

    @property
    def looks_behind(self) -> bool:
        """Whether it depends on what a release does not show of the people in it."""
        return False

    @property
    def hopeless(self) -> str | None:
        """Why no release at all can keep the claim, where none can."""
        return None

    def spelled_out(self) -> dict[str, Any]:
        """What the certificate should say of the claim besides its name."""
        return {}

    def could_stay(self, groups: Groups) -> Ints:
        """At most how many people of each group can be in parts of it that pass.

        Asked about groups that fail: it bounds what finer groups could keep. Were every part
        to pass, so would the group (if the model is monotone); so at least one person goes.
        """
        if self.monotone_in_union:
            return np.zeros(len(groups), np.int64)
        return np.maximum(groups.n - self.monotone_in_generalisation, 0)

    @property
    def relief_decides(self) -> bool:
        """Whether suppression helps in one way only.

        Of a claim about groups: if those that fail go. Of one about the table: if its relief is
        enough. Where other choices may help, no search for the best one is proven.
        """
        return True

    def relief(self, groups: Groups) -> Relief:
        """What suppressing groups does for a claim about the table."""
        raise NotImplementedError(f"{type(self).__name__} does not say what suppression does")

    @property
    def attributes(self) -> tuple[str, ...]:
        """The histograms the model reads."""
        return ()

    @property
    @abstractmethod
    def required(self) -> Fraction:
        """The parameter, exactly as written."""

    @abstractmethod
    def level(self, groups: Groups) -> Floats:
        """For each group, the strictest parameter for which it passes."""

    @abstractmethod
    def exactly(self, groups: Groups, group: int) -> bool:
        """Whether one group passes, in exact arithmetic."""

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        """For each group, whether it passes. Empty groups pass."""
        held: NDArray[np.bool_] = self.decide(groups, self.level(groups))
        return held | self.vacuous(groups)

    def decide(self, groups: Groups, level: Floats) -> NDArray[np.bool_]:
        """Compare levels with the parameter, in exact arithmetic where they are close."""
        required = float(self.required)
        if self.higher_is_safer:
            passed = level > required if self.strict else level >= required
        else:
            passed = level < required if self.strict else level <= required
        near = np.abs(level - required) <= NEAR * max(1.0, abs(required))
        for group in np.flatnonzero(near):
            passed[group] = self.exactly(groups, int(group))
        return passed

    def vacuous(self, groups: Groups) -> NDArray[np.bool_]:
        """Groups about which the model says nothing: those without people."""
        nobody: NDArray[np.bool_] = groups.n == 0
        return nobody

    def check(self, groups: Groups) -> Verdict:
        """The claim on a whole table: holds in every group, and the worst group's level."""
        level = self.level(groups)
        counted = np.flatnonzero(~self.vacuous(groups))
        if not len(counted):
            ideal = np.inf if self.higher_is_safer else 0.0
            return Verdict(str(self), True, ideal, float(self.required), None)
        worst = counted[np.argmin(level[counted]) if self.higher_is_safer
                        else np.argmax(level[counted])]  # fmt: skip
        required, holds = float(self.required), bool(self.holds(groups).all())
        reached = float(level[worst])
        if holds and reached != required and (reached < required) == self.higher_is_safer:
            reached = required  # exact arithmetic says it is reached; only the float is not
        return Verdict(str(self), holds, reached, required, int(worst) if self.per_group else None)


@dataclass(frozen=True, kw_only=True)
class ColumnModel(PrivacyModel):
    """A claim about what a group's histogram says of one sensitive column."""

    needs: ClassVar[Needs] = Needs.HISTOGRAM

    of: str
    """The sensitive column."""

    def __post_init__(self) -> None:
        require_column(self.of)

    @property
    def column(self) -> str:
        return self.of

    @property
    def attributes(self) -> tuple[str, ...]:
        return (self.of,)


class RatioModel(PrivacyModel):
    """A model whose level is a ratio of whole numbers, and which therefore decides exactly.

    Where it has several ratios, all of them must pass.
    """

    @abstractmethod
    def ratios(self, groups: Groups) -> list[Ratio]:
        """What is compared with the parameter, for each group."""

    def level(self, groups: Groups) -> Floats:
        worst = 0.0 if self.higher_is_safer else np.inf
        levels = []
        for above, below in self.ratios(groups):
            level = np.full(len(groups), worst)
            levels.append(np.divide(above, below, out=level, where=below != 0))
        joined: Floats = (np.minimum if self.higher_is_safer else np.maximum).reduce(levels)
        return joined

    def holds(self, groups: Groups) -> NDArray[np.bool_]:
        p, q = self.required.as_integer_ratio()
        ratios = self.ratios(groups)
        passed = self.vacuous(groups)
        if any(
            int(above.max(initial=0)) * q > LARGEST or int(below.max(initial=0)) * p > LARGEST
            for above, below in ratios
        ):
            return self.decide(groups, self.level(groups)) | passed
        held = np.ones(len(groups), np.bool_)
        for above, below in ratios:
            held &= (below != 0) & self._compare(above * q, below * p)
        return held | passed

    def exactly(self, groups: Groups, group: int) -> bool:
        p, q = self.required.as_integer_ratio()
        only = groups if not self.per_group else groups.take(np.array([group]))
        place = group if not self.per_group else 0
        return all(
            bool(below[place] != 0)
            and bool(self._compare(int(above[place]) * q, int(below[place]) * p))
            for above, below in self.ratios(only)
        )

    def _compare(self, level: Ints | int, required: Ints | int) -> NDArray[np.bool_] | bool:
        if self.higher_is_safer:
            return level > required if self.strict else level >= required
        return level < required if self.strict else level <= required


def exact(parameter: float | int | str | Fraction) -> Fraction:
    """A parameter as the number the user wrote: 0.2 is one fifth, not the nearest double.

    >>> exact(0.2)
    Fraction(1, 5)
    """
    return _exact(parameter)


@lru_cache(typed=True)
def _exact(parameter: float | int | str | Fraction) -> Fraction:
    """The same; claims ask for their parameter at every node of a search.

    >>> exact(0.2) == exact(Fraction(0.2))  # equal numbers, written differently
    False
    """
    if isinstance(parameter, float):
        return Fraction(repr(float(parameter)))
    return Fraction(parameter)


def require_number(name: str, value: object, within: Range) -> None:
    """Refuse a parameter that is not a number in its range.

    Raises:
        PlanError: Says what the parameter may be.
    """
    right = isinstance(value, Rational | float) and not isinstance(value, bool)
    if right and isinstance(value, float):
        right = bool(np.isfinite(value)) and not within.whole
    if right:
        assert isinstance(value, Rational | float)
        right = (exact(value) if isinstance(value, float) else Fraction(value)) in within
    if not right:
        wanted = within.words
        raise PlanError(f"{name} must be {wanted}, not {value!r}", fix=f"Give {name} {wanted}.")


def require_column(of: object) -> None:
    """Refuse anything but a column name."""
    if not isinstance(of, str) or not of:
        raise PlanError(
            f"the sensitive column must be named, not {of!r}",
            fix="Give the name of a column whose role is sensitive.",
        )


def shown(parameter: float | int | Fraction) -> str:
    """A parameter as it reads in a claim; never rounded.

    >>> shown(5.0), shown(0.2), shown(Fraction(1, 3))
    ('5', '0.2', '1/3')
    """
    number = exact(parameter)
    if number.denominator == 1 or isinstance(parameter, Fraction):
        return str(number)
    return repr(float(parameter))


def histogram_of(groups: Groups, name: str) -> tuple[Sensitive, Histogram]:
    """The domain and the counts of one sensitive attribute.

    Raises:
        PlanError: The groups carry no such attribute.
    """
    if name not in groups.histograms or name not in groups.domains:
        if name == ALL:
            raise PlanError(
                "a claim over all columns needs the joint values of the other columns",
                fix="Count every published column, or claim k-anonymity over quasi-identifiers.",
            )
        raise PlanError(
            f"there is no sensitive column {name!r}",
            fix=f"The sensitive columns are {some(n for n in groups.histograms if n != ALL)}.",
        )
    return groups.domains[name], groups.histograms[name]


def weights_of(groups: Groups, column: str, claim: str) -> Ints:
    """How many people of the population each group stands for, in millionths.

    Raises:
        PlanError: The groups carry no weights.
    """
    name = Weights.name_of(column)
    domain = groups.domains.get(name)
    if not isinstance(domain, Weights):
        raise PlanError(
            f"{claim} needs survey weights, and there are none",
            fix="Name their column under `weights` in the claim.",
        )
    histogram = groups.histograms[name]
    each = histogram.counts * domain.millionths[histogram.codes]
    total = np.concatenate(([0], np.cumsum(each)))
    found: Ints = total[histogram.indptr[1:]] - total[histogram.indptr[:-1]]
    return found


def population_of(groups: Groups, claim: str) -> Ints:
    """How many people of the outside population each group has.

    Raises:
        PlanError: The plan names no population.
    """
    if groups.population is None:
        raise PlanError(
            f"{claim} needs the outside population, and there is none",
            fix="Name a table of the population in the plan.",
        )
    return groups.population
