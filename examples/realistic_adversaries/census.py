"""The experiment of section 4 on census-income: 72 generalisations, any adversary."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from hedgerow import (
    ClassI,
    ClassII,
    ClassIII,
    DataError,
    EpsilonPrivacy,
    KAnonymity,
    Plan,
    Prior,
    TCloseness,
)
from hedgerow.claims.adversary import Adversary
from hedgerow.recode.lattice import Lattice
from hedgerow.recode.metrics import AverageClassSize, Discernibility
from hedgerow.release.partition.job import opened
from hedgerow.table.groups import Groups

Node = tuple[int, ...]
Way = Literal["exact", "theorem"]
Levels = Mapping[Node, float]

FILE = Path("census-income") / "census_income_5.csv.gz"
SALARY = "salary_class"
STUBBORN = tuple(10**power for power in range(2, 10))
"""The finite stubbornnesses of the figures."""

MARRIED = [
    "Married-civilian spouse present", "Married-A F spouse present", "Married-spouse absent",
    "Separated", "Divorced", "Widowed",
]  # fmt: skip
COLUMNS: dict[str, Any] = {
    "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [5, 10, 20, 40]}},
    "marital_status": {
        "role": "quasi-identifier",
        "hierarchy": {"taxonomy": {"never married": ["Never married"], "married": MARRIED}},
    },
    "race": "quasi-identifier",
    "sex": "quasi-identifier",
    SALARY: "sensitive",
    "part": "identifier",
    "year": "identifier",
}


@dataclass(frozen=True)
class Parameters:
    """What is compared: (c, 2)-diversity, the epsilon it amounts to, and a t to go with it."""

    c: Fraction
    t: Fraction
    sigma: int
    """Stubbornness of the class II adversary."""

    @property
    def epsilon(self) -> Fraction:
        return (self.c + 1) / 2


PAPER = Parameters(Fraction(4), Fraction(1, 5), 10**6)


def uniform(sigma: float) -> Adversary:
    """A_d: every salary class as likely as another."""
    if math.isinf(sigma):
        return ClassIII(prior=Prior.uniform())
    return ClassI(prior=Prior.uniform(), stubbornness=int(sigma))


def as_table(sigma: float) -> Adversary:
    """A_c: the prior has the shape of the whole table."""
    if math.isinf(sigma):
        return ClassIII(prior=Prior.of_table())
    return ClassI(prior=Prior.of_table(), stubbornness=int(sigma))


def any_shape(sigma: float) -> Adversary:
    """A_-: whatever the shape."""
    return ClassII(stubbornness=int(sigma))


SIX = (uniform(10**6), as_table(10**6), any_shape(10**3), any_shape(10**6),
       uniform(math.inf), as_table(math.inf))  # fmt: skip
"""The columns of Table 5."""


@dataclass(frozen=True, eq=False)
class Experiment:
    """The lattice, and how private and how useful each of its nodes is."""

    lattice: Lattice

    @classmethod
    def of(cls, source: object) -> Experiment:
        """Count the table: a file, or a data frame with the same columns."""
        plan = Plan.of(columns=COLUMNS, protect=[KAnonymity(k=1)])
        with opened(plan, source) as job:
            return cls(Lattice.of(job.cells()))

    @classmethod
    def from_environment(cls) -> Experiment:
        """Count census-income, which lies in the folder that HEDGEROW_DATA names.

        Raises:
            DataError: It does not.
        """
        folder = os.environ.get("HEDGEROW_DATA")
        if not folder or not (Path(folder) / FILE).is_file():
            raise DataError(
                f"the data set {FILE.as_posix()} is not at hand",
                where=f"HEDGEROW_DATA={folder or ''}",
                fix="Set HEDGEROW_DATA to a folder that holds it: UCI Census-Income (KDD) with "
                "the columns age, marital_status, race, sex, salary_class, part, year.",
            )
        return cls.of(Path(folder) / FILE)

    @cached_property
    def groups(self) -> dict[Node, Groups]:
        """Every node's groups, the most general first."""
        nodes = sorted(self.lattice.nodes(), key=lambda node: (-sum(node), [-x for x in node]))
        found = {f.node: f.groups for f in self.lattice.frequencies()}
        return {node: found[node] for node in nodes}

    @property
    def nodes(self) -> list[Node]:
        return list(self.groups)

    @cached_property
    def edges(self) -> list[tuple[Node, Node]]:
        """Immediate generalisations: (finer, coarser)."""
        every = set(self.nodes)
        steps = [
            (a, (*a[:j], a[j] + 1, *a[j + 1 :])) for a in self.nodes for j in range(len(a))
        ]  # fmt: skip
        return [(a, b) for a, b in steps if b in every]

    @property
    def people(self) -> int:
        return self.lattice.cells.people

    @cached_property
    def high(self) -> Fraction:
        """The share of people with a high salary."""
        domain = self.lattice.base.groups.domains[SALARY]
        place = domain.values.index(">50K")
        return Fraction(int(domain.reference[place]), domain.people)

    @cached_property
    def here(self) -> Parameters:
        """The paper's construction with numbers that fit this table.

        epsilon = 30 was chosen after looking at Table 5, so that each definition admits some
        of the tables and not all; t is the largest with
        four digits for which Lemma 1 gives an epsilon of at most 30. The stubbornness is to
        this table what a million is to the 2.8 million people of the paper's.
        """
        c = Fraction(59)
        t = Fraction(math.floor(self.high * (1 - 2 / (c + 1)) * 10_000), 10_000)
        return Parameters(c, t, 10**5)

    def epsilon_of_closeness(self, t: Fraction) -> Fraction | None:
        """The epsilon of Lemma 1; None where it gives none (t not below every share)."""
        shares = (self.high, 1 - self.high)
        if t >= min(shares):
            return None
        return max(max((p + t) / p, p / (p - t)) for p in shares)

    def model(
        self, adversary: Adversary, *, epsilon: float | Fraction = 1, by: Way = "theorem"
    ) -> EpsilonPrivacy:
        return EpsilonPrivacy(epsilon=epsilon, of=SALARY, adversary=adversary, by=by)  # type: ignore[arg-type]

    @lru_cache(maxsize=256)  # noqa: B019
    def levels(self, adversary: Adversary, by: Way = "theorem") -> Levels:
        """The smallest epsilon at which each node is private."""
        model = self.model(adversary, by=by)
        return {node: float(model.level(g).max()) for node, g in self.groups.items()}

    def private(self, adversary: Adversary, epsilon: Fraction) -> frozenset[Node]:
        """The nodes that are epsilon-private."""
        model = self.model(adversary, epsilon=epsilon)
        return frozenset(node for node, g in self.groups.items() if model.check(g).holds)

    @cached_property
    def homogeneous(self) -> frozenset[Node]:
        """Nodes with a group in which all have the same salary class."""
        return frozenset(n for n, g in self.groups.items() if (self._counts(g) == 0).any())

    @cached_property
    def ratio(self) -> dict[Node, Fraction | None]:
        """The smallest c for which a node is (c, 2)-diverse, r_1 <= c r_2; None where none is."""
        found: dict[Node, Fraction | None] = {}
        for node, g in self.groups.items():
            pairs = np.sort(self._counts(g), axis=1).tolist()
            ratios = [Fraction(most, least) if least else None for least, most in pairs]
            found[node] = max((r for r in ratios if r is not None), default=None)
            if None in ratios:
                found[node] = None
        return found

    def diverse(self, c: Fraction, *, strict: bool = False) -> frozenset[Node]:
        """(c, 2)-diverse nodes; strictly as in ICDE 2006, or "at most" as in this paper."""
        return frozenset(
            n for n, r in self.ratio.items() if r is not None and (r < c if strict else r <= c)
        )

    def close(self, t: Fraction) -> frozenset[Node]:
        """t-close nodes; with two values every ground distance is the equal one."""
        model = TCloseness(t=t, of=SALARY)  # type: ignore[arg-type]
        return frozenset(node for node, g in self.groups.items() if model.check(g).holds)

    @cached_property
    def distance(self) -> dict[Node, float]:
        """The smallest t for which each node is t-close."""
        model = TCloseness(t=1, of=SALARY)
        return {node: float(model.level(g).max()) for node, g in self.groups.items()}

    @cached_property
    def discernibility(self) -> dict[Node, float]:
        return {f.node: Discernibility().cost(self.lattice.outcome(f))
                for f in self.lattice.frequencies()}  # fmt: skip

    @cached_property
    def average_size(self) -> dict[Node, float]:
        return {f.node: AverageClassSize().cost(self.lattice.outcome(f))
                for f in self.lattice.frequencies()}  # fmt: skip

    def table_5(self) -> Iterator[tuple[Node, list[float]]]:
        """The nodes that are private against some of the six adversaries at an epsilon below 20."""
        columns = [self.levels(adversary) for adversary in SIX]
        for node in self.nodes:
            row = [column[node] for column in columns]
            if min(row) < 20:
                yield node, row

    def _counts(self, groups: Groups) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        return groups.histograms[SALARY].dense(len(groups.domains[SALARY].values))
