"""Adversaries: what an attacker believes, how stubbornly, and whose records they hold.

Attackers come in classes (Machanavajjhala, Gehrke, Goetz 2009, Section 2.5). What a class
believes of a predicate is decided by a few extreme priors: a release that is private against
these is private against every attacker of the class.

What all of them have in common: they hold one prior for every group of the release and revise it
by that group alone; a value is as likely for a person as for anybody else of the group. They
do not reason about how the recoding was chosen.
"""

from __future__ import annotations

import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from hedgerow.base.errors import PlanError, some
from hedgerow.claims.predicates import Bound
from hedgerow.claims.priors import MOST_PEOPLE, Number, Prior, Shape, Value, exact_number
from hedgerow.table.groups import Sensitive

LARGEST = 10**300
"""The largest stubbornness that is not infinite."""


@dataclass(frozen=True)
class Extreme:
    """One prior at the edge of a class, as far as the predicates go."""

    stubbornness: Fraction | None
    """None: infinite."""
    weight: tuple[Fraction, ...]
    """sigma(phi) for each predicate; where the stubbornness is infinite, its share."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """People whose exact records the attacker holds, by name.

    The claim is then about this attacker only, not about one who knows fewer or others.
    """

    by: str
    """Column of the table that tells people apart."""
    people: tuple[str, ...]
    """What it holds for those the attacker knows."""

    def __post_init__(self) -> None:
        if not isinstance(self.by, str) or not self.by:
            raise PlanError(f"the column must be named, not {self.by!r}", fix="Name a column.")
        people = () if isinstance(self.people, str) else tuple(self.people)
        if not people or any(who is None for who in people):
            raise PlanError(
                "the list of known people is empty, or nobody stands somewhere in it",
                fix="Leave it out, or say who they are.",
            )
        object.__setattr__(self, "people", tuple(dict.fromkeys(map(str, people))))

    def __str__(self) -> str:
        if len(self.people) == 1:
            return "one person on a list"
        return f"{len(self.people):,} people on a list"

    @cached_property
    def digest(self) -> str:
        """Tells one list from another without naming anybody."""
        text = "\x1f".join([self.by, *sorted(self.people)])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, kw_only=True)
class Adversary(ABC):
    """A class of attackers."""

    name: ClassVar[str]

    knows: int | Known = 0
    """How many people's exact records they hold, at most, whoever these are; or which."""

    def __post_init__(self) -> None:
        if isinstance(self.knows, Known):
            return
        right = isinstance(self.knows, int) and not isinstance(self.knows, bool)
        if not right or not 0 <= self.knows <= MOST_PEOPLE:
            raise PlanError(
                f"an attacker knows a number of people or a list of them, not {self.knows!r}",
                fix="Give a whole number of at least 0, or Known(by=..., people=...).",
            )

    @abstractmethod
    def __str__(self) -> str: ...

    @property
    def listed(self) -> Known | None:
        """The people whose records the attacker holds, where they are given."""
        return self.knows if isinstance(self.knows, Known) else None

    @property
    def known(self) -> int:
        """How many people's records the attacker holds, whoever they are."""
        return self.knows if isinstance(self.knows, int) else 0

    @property
    def compares_with_table(self) -> bool:
        """Whether what they believe depends on more of the table than a release shows."""
        return self.listed is not None

    @property
    def believed(self) -> Prior | None:
        """Their prior, where it is a certain one."""
        return None

    def shape(self, domain: Sensitive) -> Shape | None:
        """What they expect of the values of a table, where that is certain."""
        return None if self.believed is None else self.believed.bind(domain)

    def stubborn(self, domain: Sensitive) -> tuple[float, float] | None:
        """The least stubbornness that makes sense, and theirs; None where that is no number."""
        return None

    @abstractmethod
    def extremes(self, domain: Sensitive, predicates: Bound) -> tuple[Extreme, ...]:
        """The priors that decide; none where no release is private.

        Args:
            domain: The sensitive column.
            predicates: What must not be learned.
        """

    def _knowing(self) -> str:
        if not self.knows:
            return ""
        anybody = "any one person" if self.knows == 1 else f"any {self.known:,} people"
        return f", knowing {self.listed or anybody}"


@dataclass(frozen=True, kw_only=True)
class _Shaped(Adversary):
    """Attackers whose prior has a given shape."""

    prior: Prior

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.prior, Prior):
            raise PlanError(
                f"{self.name} needs a prior, not {self.prior!r}",
                fix="Use Prior.counts, Prior.shape, Prior.uniform, Prior.of_table or read_prior.",
            )

    @property
    def compares_with_table(self) -> bool:
        return super().compares_with_table or not self.prior.fixed

    @property
    def believed(self) -> Prior:
        return self.prior


@dataclass(frozen=True, kw_only=True)
class ClassI(_Shaped):
    """One prior of known shape and stubbornness: a realistic attacker.

    This is Theorem 1 at exactly this stubbornness. Attackers who are less stubborn can learn
    more (the belief without the person also misses the person); for all of them use `AtMost`.

    >>> str(ClassI(prior=Prior.uniform(), stubbornness=1000))
    'a class I attacker (uniform prior, stubbornness 1,000)'
    """

    name: ClassVar[str] = "class I"

    stubbornness: Number | None = None
    """What the prior's source justifies, if left out."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stubbornness is not None:
            object.__setattr__(self, "stubbornness", _stubbornness(self.stubbornness))

    def __str__(self) -> str:
        how = "" if self.stubbornness is None else f", stubbornness {_shown(self.stubbornness)}"
        return f"a {self.name} attacker ({self.prior}{how}{self._knowing()})"

    def stubborn(self, domain: Sensitive) -> tuple[float, float] | None:
        return _finite(1, self.stubbornness or self.prior.bind(domain).stubbornness)

    def extremes(self, domain: Sensitive, predicates: Bound) -> tuple[Extreme, ...]:
        shape = self.prior.bind(domain)
        sigma = _justified(self.stubbornness, shape, self.prior)
        return (_scaled(shape, predicates, sigma),)


@dataclass(frozen=True, kw_only=True)
class AtMost(_Shaped):
    """Every stubbornness from `at_least` to `stubbornness`, at one shape.

    Where the prior is counted from data, also everybody who has seen fewer people, in the same
    proportions: D(..., 1 + m q(s), ...) for every m up to what the stubbornness leaves. In both
    families the belief without the person is a ratio of two linear functions of the stubbornness
    and so monotone in it, and the two ends decide.

    >>> str(AtMost(prior=Prior.uniform(), stubbornness=1000, at_least=2))
    'attackers (uniform prior, any stubbornness from 2 to 1,000)'
    """

    name: ClassVar[str] = "at most"

    stubbornness: Number | None = None
    """The most stubborn of them; what the prior's source justifies, if left out. Infinite: as
    stubborn as you like."""
    at_least: Number | None = None
    """The least stubborn; if left out, the least at which each value counts at least once, as
    it does for whoever formed the prior from data."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stubbornness is not None and self.stubbornness != math.inf:
            object.__setattr__(self, "stubbornness", _stubbornness(self.stubbornness))
        if self.at_least is None:
            return
        object.__setattr__(self, "at_least", _stubbornness(self.at_least))
        if self.stubbornness is not None:
            self._refuse_reversed(self.stubbornness)

    def __str__(self) -> str:
        high = "what it justifies" if self.stubbornness is None else _shown(self.stubbornness)
        if self.at_least is not None:
            words = f"any stubbornness from {_shown(self.at_least)} to {high}"
        else:
            words = f"any stubbornness up to {high} at which each value counts at least once"
            if self._smaller:
                words += ", or having seen fewer people in the same proportions"
        return f"attackers ({self.prior}, {words}{self._knowing()})"

    @property
    def _smaller(self) -> bool:
        """Whether those who have seen fewer people are among them."""
        return self.prior.kind == "counts" and self.stubbornness != math.inf

    def stubborn(self, domain: Sensitive) -> tuple[float, float] | None:
        shape = self.prior.bind(domain)
        least = shape.least if self.at_least is None else self.at_least
        return _finite(least, self.stubbornness or shape.stubbornness)

    def extremes(self, domain: Sensitive, predicates: Bound) -> tuple[Extreme, ...]:
        shape = self.prior.bind(domain)
        high = None
        if self.stubbornness != math.inf:
            high = _justified(self.stubbornness, shape, self.prior)
            self._refuse_reversed(high)
        low = shape.least if self.at_least is None else Fraction(self.at_least)
        if high is not None and low > high:
            raise PlanError(
                f"with a stubbornness of {_shown(high)} not every value of {domain.name!r} counts "
                f"once in the {self.prior}; that takes {_shown(low)}",
                fix="Give at_least, or a larger stubbornness.",
            )
        found = [_scaled(shape, predicates, end) for end in (low, high)]
        if self._smaller and high is not None:
            values = len(shape.shares) + len(shape.elsewhere)
            fewest = Fraction(0) if self.at_least is None else max(Fraction(0), low - values)
            for people in (fewest, high - values):
                if people >= 0:
                    smaller = self.prior.of_size(people).bind(domain)
                    found.append(_scaled(smaller, predicates, values + people))
        return tuple(dict.fromkeys(found))

    def _refuse_reversed(self, most: Number) -> None:
        if self.at_least is not None and self.at_least > most:  # type: ignore[operator]
            raise PlanError(
                f"the least stubbornness, {_shown(self.at_least)}, is above the largest, "
                f"{_shown(most)}",
                fix="Give them the other way round.",
            )


@dataclass(frozen=True, kw_only=True)
class ClassII(Adversary):
    """Any prior formed from data of limited size: stubbornness at most sigma, any shape.

    Every value they know of counts at least once, sigma(s) >= 1, as it does for whoever formed
    the prior from data. Someone who holds a value to be nearly impossible for other reasons is
    stronger.

    >>> str(ClassII(stubbornness=30_000))
    'class II attackers (any prior formed from data, of stubbornness at most 30,000)'
    """

    name: ClassVar[str] = "class II"

    stubbornness: Number

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "stubbornness", _stubbornness(self.stubbornness))

    def __str__(self) -> str:
        most = _shown(self.stubbornness)
        words = f"any prior formed from data, of stubbornness at most {most}"
        return f"class II attackers ({words}{self._knowing()})"

    def stubborn(self, domain: Sensitive) -> tuple[float, float] | None:
        return _finite(len(domain.values), self.stubbornness)

    def extremes(self, domain: Sensitive, predicates: Bound) -> tuple[Extreme, ...]:
        sigma = Fraction(self.stubbornness)
        if sigma < len(domain.values):
            raise PlanError(
                f"nobody has a stubbornness of {_shown(sigma)}: who has seen nothing at all "
                f"already has {len(domain.values)}, one for each value of {domain.name!r}",
                fix=f"Give at least {len(domain.values)}.",
            )
        # Of the priors of this stubbornness the one that expects phi least decides: it knows of
        # one value that makes phi true, and has never seen it.
        return (Extreme(sigma, (Fraction(1),) * len(predicates)),)


@dataclass(frozen=True, kw_only=True)
class ClassIII(_Shaped):
    """A prior of known shape that no evidence changes: infinite stubbornness.

    >>> str(ClassIII(prior=Prior.of_table(), knows=2))
    "a class III attacker (prior of the table's own shape, knowing any 2 people)"
    """

    name: ClassVar[str] = "class III"

    def __str__(self) -> str:
        return f"a {self.name} attacker ({self.prior}{self._knowing()})"

    def extremes(self, domain: Sensitive, predicates: Bound) -> tuple[Extreme, ...]:
        return (_scaled(self.prior.bind(domain), predicates, None),)


@dataclass(frozen=True, kw_only=True)
class ClassIV(Adversary):
    """Every attacker there can be. No generalisation is private against all of them."""

    name: ClassVar[str] = "class IV"

    def __str__(self) -> str:
        return "class IV attackers (any prior, however stubborn)"

    def extremes(self, domain: Sensitive, predicates: Bound) -> tuple[Extreme, ...]:
        return ()


def _scaled(shape: Shape, predicates: Bound, sigma: Fraction | None) -> Extreme:
    """The prior of this shape and stubbornness.

    Where nobody can say whether a value that only the prior's source has makes a predicate
    true, it is reckoned not to: then the attacker expects less, and learns more.
    """
    whole, elsewhere = sum(shape.shares, Fraction(0)), dict(shape.elsewhere)
    shares = []
    for p, (named, unsure) in enumerate(predicates.others):
        inside = predicates.codes[predicates.start[p] : predicates.start[p + 1]]
        share = sum((shape.shares[code] for code in inside), Fraction(0))
        more = sum((elsewhere.get(value, Fraction(0)) for value in named), Fraction(0))
        if predicates.negated[p]:
            share = whole - share if unsure else 1 - share - more
        else:
            share += more
        shares.append(share)
    return Extreme(sigma, tuple(share if sigma is None else share * sigma for share in shares))


def _justified(given: Number | None, shape: Shape, prior: Prior) -> Fraction:
    """The stubbornness that was given, or that the prior's source justifies."""
    if given is not None:
        return Fraction(given)
    if shape.stubbornness is None:
        raise PlanError(
            f"the {prior} does not say how stubborn the attacker is",
            fix="Give a stubbornness, or use class III for an infinite one.",
        )
    return shape.stubbornness


def _stubbornness(number: object) -> Fraction:
    if number in (math.inf, "infinite"):
        raise PlanError(
            "an infinite stubbornness is that of class III", fix="Use class III with the prior."
        )
    sigma = exact_number("the stubbornness", number)
    if sigma > LARGEST:
        raise PlanError("the stubbornness is beyond all bounds", fix="Use an infinite one.")
    if sigma < 1:
        raise PlanError(
            f"the stubbornness must be at least 1, not {number!r}",
            fix="A data set of s people justifies s plus the number of values.",
        )
    return sigma


def _shown(number: Number | None) -> str:
    if number == math.inf:
        return "infinity"
    sigma = exact_number("the stubbornness", number)
    return f"{sigma.numerator:,}" if sigma.denominator == 1 else f"{float(sigma):,}"


def unseen_in_words(shape: Shape, values: Sequence[Value]) -> list[str]:
    """What a reader should know about values the prior's source or the table lacks."""
    words = []
    if shape.unseen:
        words.append(
            f"the prior's source has nobody with {some(shape.unseen)}; an attacker who saw it "
            "counts each of these values once"
        )
    if absent := [value for value, _ in shape.elsewhere]:
        words.append(
            f"nobody in the table has {some(absent)}, which the prior's source has; they take "
            "their share of the attacker's belief"
        )
    return words


def _finite(least: Number, given: Number | None) -> tuple[float, float] | None:
    if given is None or not math.isfinite(float(given)):
        return None
    return float(least), float(given)
