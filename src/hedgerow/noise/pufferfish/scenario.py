"""Pufferfish: secrets, pairs of them that must not be told apart, and how data may come about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from hedgerow.base.errors import PlanError
from hedgerow.noise.amounts import Amounts
from hedgerow.noise.pufferfish.finite import Label, Weights
from hedgerow.noise.pufferfish.template import Comparison, Indistinguishability
from hedgerow.noise.rounding import Number, exact

Distribution = Mapping[Label, Number]


@dataclass(frozen=True, init=False)
class PufferfishLoss:
    """Pufferfish privacy: seeing an output moves nobody's odds between two secrets by e^epsilon.

    Guarantee: for every distribution theta of the scenario, every pair of secrets s, t possible
    under it, every output w: P[M = w | s, theta] <= e^epsilon P[M = w | t, theta].
    Assumes: who attacks believes one of the distributions, or the truth is one of them. Against
    other beliefs nothing is said. Losses do not add up in general, which is why they cannot be
    added here; see `Scenario.composes` and `MarkovQuilt`.
    Reference: Kifer and Machanavajjhala, Pufferfish (2014), Def. 3.1.

    >>> print(PufferfishLoss(epsilon="0.5"))
    0.5-Pufferfish privacy
    """

    epsilon: Fraction

    def __init__(self, *, epsilon: Number) -> None:
        object.__setattr__(self, "epsilon", exact("epsilon", epsilon))

    def __str__(self) -> str:
        size = Amounts.of(epsilon=self.epsilon).texts()["epsilon"] if self.epsilon else "0"
        return f"{size}-Pufferfish privacy"


@dataclass(frozen=True, kw_only=True)
class Conditional:
    """What a scenario compares: the worlds under one secret and under another."""

    name: str
    left: dict[Label, Fraction]
    right: dict[Label, Fraction]


@dataclass(frozen=True, init=False)
class Scenario:
    """A Pufferfish scenario with finitely many worlds, all probabilities exact.

    Guarantee: none by itself. It says what a loss is about.
    Assumes: the distributions are fixed without looking at the private data. Only the secrets
    named are protected, only the pairs named are kept indistinguishable, and only for those who
    reason with one of the distributions.
    Reference: Kifer and Machanavajjhala (2014), section 3.

    Bob and his sister, who catch it from each other; that Bob is ill must not show:

    >>> worlds = {(b, s): Fraction(2 if b == s else 1, 6) for b in (0, 1) for s in (0, 1)}
    >>> family = Scenario(
    ...     priors={"contagion": worlds},
    ...     secrets={"Bob ill": lambda w: w[0] == 1, "Bob well": lambda w: w[0] == 0},
    ...     pairs=[("Bob ill", "Bob well")],
    ... )
    >>> [c.name for c in family.conditionals()]
    ['Bob ill against Bob well under contagion']

    Args:
        priors: Name to distribution over worlds; each must add up to 1.
        secrets: Name to the worlds in which it is true.
        pairs: Names of secrets that must not be told apart; both ways round.

    Raises:
        PlanError: A distribution does not add up, a pair names no secret, both secrets of a pair
            can be true at once, or no pair is possible under any distribution.
    """

    priors: tuple[tuple[str, tuple[tuple[Label, Fraction], ...]], ...]
    secrets: tuple[tuple[str, frozenset[Label]], ...]
    pairs: tuple[tuple[str, str], ...]

    def __init__(
        self,
        *,
        priors: Mapping[str, Distribution],
        secrets: Mapping[str, Callable[..., bool]],
        pairs: Iterable[tuple[str, str]],
    ) -> None:
        given = {name: _distribution(name, prior) for name, prior in priors.items()}
        worlds = dict.fromkeys(w for prior in given.values() for w in prior)
        held = {name: frozenset(w for w in worlds if true(w)) for name, true in secrets.items()}
        chosen = tuple(dict.fromkeys((s, t) for s, t in pairs))
        for s, t in chosen:
            unknown = [name for name in (s, t) if name not in held]
            if unknown:
                raise PlanError(f"a pair names {unknown[0]!r}, which is no secret")
            if held[s] & held[t]:
                raise PlanError(
                    f"{s!r} and {t!r} can both be true, so nothing can keep them apart or alike",
                    fix="Pairs are of secrets that exclude each other.",
                )
        object.__setattr__(
            self, "priors", tuple((name, tuple(prior.items())) for name, prior in given.items())
        )
        object.__setattr__(self, "secrets", tuple(held.items()))
        object.__setattr__(self, "pairs", chosen)
        if next(self.conditionals(), None) is None:
            raise PlanError(
                "no pair of secrets is possible under any distribution: nothing is protected"
            )

    def conditionals(self) -> Iterator[Conditional]:
        """Each pair under each distribution that allows for both of its secrets."""
        held = dict(self.secrets)
        for name, prior in self.priors:
            given = dict(prior)
            for s, t in self.pairs:
                left, right = _given(given, held[s]), _given(given, held[t])
                if left and right:
                    yield Conditional(name=f"{s} against {t} under {name}", left=left, right=right)

    def indistinguishability(self) -> Indistinguishability:
        """The scenario as linear constraints, for the exact checker; inputs are the worlds.

        Reference: Machanavajjhala and Kifer (2015), on privacy via counterfactuals.
        """
        return Indistinguishability(
            tuple(
                Comparison(name, tuple(one.items()), tuple(other.items()))
                for c in self.conditionals()
                for name, one, other in (
                    (c.name, c.left, c.right),
                    (f"{c.name}, the other way round", c.right, c.left),
                )
            )
        )

    @property
    def composes(self) -> bool:
        """Whether losses are known to add up: each secret leaves one world under each prior.

        Then a loss compares two fixed worlds, as differential privacy does, and for independent
        releases on these the ratios multiply. False does not say that they never do.

        Reference: Kifer and Machanavajjhala (2014), section 6 (universally composable
        evolution scenarios).
        """
        return all(len(c.left) == len(c.right) == 1 for c in self.conditionals())


def _distribution(name: str, prior: Distribution) -> dict[Label, Fraction]:
    given = {w: exact(f"the probability of {w!r}", p) for w, p in prior.items()}
    if sum(given.values()) != 1:
        raise PlanError(
            f"probabilities add up to {sum(given.values())}, not to 1",
            where=f"the distribution {name!r}",
            fix="Give fractions where decimals do not add up: Fraction(1, 3).",
        )
    return {w: p for w, p in given.items() if p}


def _given(prior: Weights, secret: frozenset[Label]) -> dict[Label, Fraction]:
    """The distribution over worlds once the secret is known; empty where it cannot be."""
    total = sum((p for w, p in prior.items() if w in secret), Fraction(0))
    return {w: p / total for w, p in prior.items() if w in secret} if total else {}
