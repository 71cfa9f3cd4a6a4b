"""The oracle itself: worlds written out by hand, and the paper's appendix at a small scale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations, product
from math import factorial, inf

import pytest
from worlds import (
    Prior,
    at_most,
    belief,
    class_two,
    disclosed,
    finite,
    infinite,
    smallest_epsilon,
    worlds,
)

PRIORS = [
    finite(1, 1, 1),
    finite(2, 5, 1),
    finite("1/2", "3/4", "7/3"),
    finite("1/10", "1/5", "1/3"),
    infinite(1, 2, 3),
]
FEW = [list(v) for n in range(1, 6) for v in combinations_with_replacement("abc", n)]
"""Every histogram of up to five people over three values."""


class TestWorlds:
    def test_two_people_and_no_information(self) -> None:
        """D(1, 1): the second agrees with the first two times out of three."""
        third, sixth = Fraction(1, 3), Fraction(1, 6)
        found = worlds(finite(1, 1), 2)
        assert found == {(0, 0): third, (0, 1): sixth, (1, 0): sixth, (1, 1): third}

    def test_two_people_and_a_sure_attacker(self) -> None:
        found = worlds(infinite(1, 3), 2)
        assert {world: 16 * p for world, p in found.items()} == {
            (0, 0): 1, (0, 1): 3, (1, 0): 3, (1, 1): 9,
        }  # fmt: skip

    def test_without_information_every_histogram_of_two_values_is_as_likely(self) -> None:
        """∫ pᵃ (1-p)ᵇ dp = a! b! / (a + b + 1)!."""
        for world, probability in worlds(finite(1, 1), 5).items():
            a, b = world.count(0), world.count(1)
            assert probability == Fraction(factorial(a) * factorial(b), factorial(a + b + 1))

    @pytest.mark.parametrize("prior", PRIORS)
    def test_worlds_sum_to_one_and_people_are_exchangeable(self, prior: Prior) -> None:
        found = worlds(prior, 4)
        assert len(found) == 3**4
        assert sum(found.values()) == 1
        for world, probability in found.items():
            assert all(found[other] == probability for other in permutations(world))

    def test_rising_factorials(self) -> None:
        """Equation 11 without its multinomial: prod of σₛ(σₛ+1)...(σₛ+cₛ-1), over that of σ."""

        def rising(x: Fraction, c: int) -> Fraction:
            found = Fraction(1)
            for i in range(c):
                found *= x + i
            return found

        for prior in PRIORS[:-1]:
            sigma = prior[1]
            for world, probability in worlds(prior, 4).items():
                above = Fraction(1)
                for s, balls in enumerate(sigma):
                    above *= rising(balls, world.count(s))
                assert probability == above / rising(sum(sigma, Fraction(0)), 4)


class TestBeliefs:
    def test_with_u_published_two_worlds_are_left(self) -> None:
        """One flu and one cancer: (f, c) and (c, f), equally likely whatever the prior."""
        for prior in (finite(1, 1), finite(7, "1/2"), infinite(1, 9)):
            p_in = belief(prior, (0, 1), 0, frozenset(), published=True)
            assert p_in == (Fraction(1, 2), Fraction(1, 2))

    def test_without_u_the_other_ones_value_counts(self) -> None:
        """Cancer is shown. Of (f, c) at 1/6 and (c, c) at 1/3 the first has probability 1/3."""
        p_out = belief(finite(1, 1), (0, 1), 0, frozenset(), published=False)
        assert p_out == (Fraction(1, 3), Fraction(2, 3))

    def test_whoever_is_alone_is_guessed_from_the_prior(self) -> None:
        assert belief(finite(3, 1), (1,), 0, frozenset(), published=True)[1] == 1
        assert belief(finite(3, 1), (1,), 0, frozenset(), published=False) == (
            Fraction(3, 4), Fraction(1, 4),
        )  # fmt: skip

    def test_knowing_somebody_leaves_the_rest(self) -> None:
        """Of f, f, c, knowing that the last has cancer: everybody else has flu."""
        f_f_c = (0, 0, 1)
        nobody = belief(finite(2, 2), f_f_c, 0, frozenset(), published=True)
        last = belief(finite(2, 2), f_f_c, 0, frozenset({2}), published=True)
        other = belief(finite(2, 2), f_f_c, 0, frozenset({1}), published=True)
        assert [nobody[0], last[0], other[0]] == [Fraction(2, 3), Fraction(1), Fraction(1, 2)]

    def test_knowing_somebody_adds_nothing_to_what_the_others_histogram_says(self) -> None:
        """p_out depends on the histogram of the n - 1 others, and they are shown anyway."""
        for prior, b in product(PRIORS, combinations(range(1, 4), 2)):
            without = belief(prior, (0, 0, 1, 2), 0, frozenset(), published=False)
            assert without == belief(prior, (0, 0, 1, 2), 0, frozenset(b), published=False)

    def test_the_impossible(self) -> None:
        with pytest.raises(ValueError, match="impossible"):
            belief(infinite(0, 1), (0, 1), 0, frozenset(), published=True)

    def test_nobody_wonders_about_the_known(self) -> None:
        with pytest.raises(ValueError, match="already"):
            belief(finite(1, 1), (0, 1), 0, frozenset({0}), published=True)


class TestAppendix:
    """Equations 8 and 9, and the same with known people, over every small group."""

    @pytest.mark.parametrize("prior", PRIORS)
    @pytest.mark.parametrize("b", [0, 1, 2])
    def test_equations_8_and_9(self, prior: Prior, b: int) -> None:
        """p_in = (n(q,s) - b(q,s)) / (n(q) - b).

        p_out = (n(q,s) + σ(s) - [u has s]) / (n(q) + σ - 1), or the prior's own where σ = ∞.
        """
        for table in FEW:
            truth, n = tuple("abc".index(v) for v in table), len(table)
            for u in range(n):
                others = [v for v in range(n) if v != u]
                for known in map(frozenset, combinations(others, b)):
                    p_in = belief(prior, truth, u, known, published=True)
                    p_out = belief(prior, truth, u, known, published=False)
                    for s in range(3):
                        alike = truth.count(s) - sum(truth[v] == s for v in known)
                        assert p_in[s] == Fraction(alike, n - b)
                        assert p_out[s] == equation_9(prior, truth, u, s)

    def test_example_3_full_scale(self) -> None:
        """Correction 1: 4.000080, for the women of Table 3, by the equations just confirmed."""
        p_in = Fraction(18000, 20000)
        p_out = equation_9(finite(12000, 18000), (0,) * 18000 + (1,) * 2000, 0, 0)
        assert p_out == Fraction(29999, 49999)
        assert round(float(disclosed(p_in, p_out)), 6) == 4.000080


def equation_9(prior: Prior, truth: Sequence[int], u: int, s: int) -> Fraction:
    kind, parameters = prior
    if kind == "infinite":
        return parameters[s]
    count = truth.count(s) - (truth[u] == s)
    return (count + parameters[s]) / (len(truth) - 1 + sum(parameters))


class TestDisclosed:
    def test_both_directions_count(self) -> None:
        assert disclosed(Fraction(1, 2), Fraction(1, 4)) == 2
        assert disclosed(Fraction(9, 10), Fraction(6, 10)) == 4
        assert disclosed(Fraction(1, 4), Fraction(1, 2)) == 1

    def test_nothing_and_everything(self) -> None:
        assert disclosed(Fraction(1), Fraction(1)) == 1
        assert disclosed(Fraction(0), Fraction(0)) == 1
        assert disclosed(Fraction(1), Fraction(1, 2)) == inf
        assert disclosed(Fraction(1, 2), Fraction(0)) == inf


class TestSmallestEpsilon:
    def test_one_flu_and_one_cancer(self) -> None:
        """Belief moves from 1/3 to 1/2: 3/2, against (2/3)/(1/2) = 4/3 the other way."""
        assert smallest_epsilon(["f", "c"], priors=[finite(1, 1)]) == Fraction(3, 2)

    def test_women_of_table_3_at_one_two_thousandth(self) -> None:
        """9 flu, 1 cancer, D(6, 9): p_in 9/10, p_out 14/24, and (10/24)/(1/10) = 25/6.

        Theorem 1 gives ((1 - 1/3)/(1/10) + 2/3) / (1 - 1/15 + 2/3) = 55/12, a tenth above.
        """
        women = ["1flu"] * 9 + ["2cancer"]
        assert smallest_epsilon(women, priors=[finite(6, 9)]) == Fraction(25, 6)

    def test_class_three_of_table_3(self) -> None:
        """FACTS D: 1, 1, 6. Against infinite stubbornness only the shares count."""
        sure = [infinite(4, 6)]
        men, women = ["1flu"] * 2 + ["2cancer"] * 3, ["1flu"] * 9 + ["2cancer"]
        assert smallest_epsilon(men, priors=sure) == 1
        assert smallest_epsilon(women, priors=sure) == 6

    def test_class_two_of_table_3_at_one_hundredth(self) -> None:
        """Young men, 2 flu, 3 cancer, σ = 10: (5 + 10 - 1)/5; Theorem 2 gives 1 + 10/5 = 3."""
        men = ["1flu"] * 2 + ["2cancer"] * 3
        assert smallest_epsilon(men, priors=class_two(10, 2)) == Fraction(14, 5)
        assert smallest_epsilon(men, priors=[finite(9, 1)]) == Fraction(14, 5)

    def test_a_homogeneous_group_hides_nothing(self) -> None:
        assert smallest_epsilon(["f"] * 3, priors=[finite(5, 5)], domain=["c", "f"]) == inf
        assert smallest_epsilon(["f"] * 3, priors=[finite(5)]) == 1

    def test_a_known_person(self) -> None:
        """f, f, c with D(2, 2), at most one known: with the one of cancer known, flu is certain."""
        table = ["f", "f", "c"]
        assert smallest_epsilon(table, priors=[finite(2, 2)], known=1) == inf
        assert smallest_epsilon(table, priors=[finite(2, 2)], known={2}) == inf
        # Knowing one flu: 1/2 each. p_out(f) = (1+2)/(2+4) for who has f, p_out(c) = 2/6 for c.
        assert smallest_epsilon(table, priors=[finite(2, 2)], known={0}) == Fraction(3, 2)

    def test_who_knows_all_others_knows_u(self) -> None:
        assert smallest_epsilon(["f", "c"], priors=[finite(9, 9)], known=1) == inf
        assert smallest_epsilon(["f", "c"], priors=[finite(9, 9)], known=7) == inf

    def test_nobody_left_to_protect(self) -> None:
        assert smallest_epsilon(["f", "c"], priors=[finite(1, 1)], known={0, 1}) == 1
        assert smallest_epsilon([], priors=[finite(1, 1)], domain=["c", "f"]) == 1

    def test_at_most_b_includes_fewer(self) -> None:
        """Knowing somebody may make a belief better or worse; at most takes the worst."""
        for table in FEW:
            each = [
                smallest_epsilon(table, priors=PRIORS[:1], known=b, domain="abc") for b in range(3)
            ]
            assert each == sorted(each)

    def test_sets(self) -> None:
        """a, b, c, c with D(1, 1, 1). {a, b}: p_in 1/2, p_out (1+2)/(3+3) = 1/2 for who has one.

        {c}: p_in 1/2, p_out (1+1)/(3+3) = 1/3 for who has it: 3/2.
        {a, c}: p_in 3/4, p_out (2+2)/6 = 2/3: (1/3)/(1/4) = 4/3.
        """
        table, priors = list("abcc"), [finite(1, 1, 1)]
        assert smallest_epsilon(table, priors=priors, predicates=[{"a", "b"}]) == 1
        assert smallest_epsilon(table, priors=priors, predicates=[{"c"}]) == Fraction(3, 2)
        assert smallest_epsilon(table, priors=priors, predicates=[{"a", "c"}]) == Fraction(4, 3)
        every = [{"a", "b"}, {"c"}, {"a", "c"}]
        assert smallest_epsilon(table, priors=priors, predicates=every) == Fraction(3, 2)

    def test_everything_and_nothing_are_not_secrets(self) -> None:
        table, priors = list("abc"), [finite(1, 2, 3)]
        assert smallest_epsilon(table, priors=priors, predicates=[{"a", "b", "c"}, set()]) == 1
        assert smallest_epsilon(table, priors=priors, predicates=[]) == 1

    def test_what_each_wishes(self) -> None:
        """a, b, b with D(1, 1); {b}: p_in 2/3, p_out (1+1)/(2+2) for a b, (2+1)/4 for the a.

        So it is 4/3 (or (1/2)/(1/3) = 3/2, the worse) if a b wishes it, and 1 if the a does.
        """
        table, priors = list("abb"), [finite(1, 1)]
        nothing: list[set[str]] = []
        assert smallest_epsilon(table, priors=priors, predicates=[nothing, [{"b"}], nothing]) == (
            Fraction(3, 2)
        )
        assert smallest_epsilon(table, priors=priors, predicates=[[{"b"}], nothing, nothing]) == 1

    def test_a_less_stubborn_attacker_can_be_worse(self) -> None:
        """One of each and shape (1/2, 1/2): 1 + 1/σ. So at most must mean at most."""
        for sigma, epsilon in [(1, Fraction(2)), (2, Fraction(3, 2)), (20, Fraction(21, 20))]:
            assert smallest_epsilon(["a", "b"], priors=at_most([1, 1], [sigma])) == epsilon
        assert smallest_epsilon(["a", "b"], priors=[infinite(1, 1)]) == 1
        assert smallest_epsilon(["a", "b"], priors=at_most([1, 1], [1, 2, 20])) == 2

    def test_class_two_is_every_composition(self) -> None:
        assert sorted(class_two(4, 2)) == sorted(
            [finite(1, 1), finite(1, 2), finite(2, 1), finite(1, 3), finite(2, 2), finite(3, 1)]
        )
        assert class_two(2, 3) == []

    def test_names_do_not_matter_but_their_order_is_the_priors(self) -> None:
        for table in FEW:
            turned = [{"a": "c", "b": "b", "c": "a"}[v] for v in table]
            assert smallest_epsilon(table, priors=[finite(1, 2, 4)], domain="abc") == (
                smallest_epsilon(turned, priors=[finite(4, 2, 1)], domain="abc")
            )

    def test_the_order_of_people_does_not_matter(self) -> None:
        for table in map(list, permutations("abbc")):
            assert Counter(table) == Counter("abbc")
            assert smallest_epsilon(table, priors=[finite(1, 2, 4)], known=1) == (
                smallest_epsilon(list("abbc"), priors=[finite(1, 2, 4)], known=1)
            )

    def test_belief_without_u_lies_between_the_ends_of_stubbornness(self) -> None:
        """So the ends decide for a whole range of stubbornness at one shape."""
        for table in FEW:
            ends = smallest_epsilon(table, priors=at_most([1, 2, 4], [1, 30]), domain="abc")
            for sigma in (Fraction(3, 2), 3, 7, 15, 29):
                inside = smallest_epsilon(table, priors=at_most([1, 2, 4], [sigma]), domain="abc")
                assert inside <= ends

    def test_refusals(self) -> None:
        with pytest.raises(ValueError, match="not a prior over"):
            smallest_epsilon(["a", "b"], priors=[finite(1, 1, 1)])
        with pytest.raises(ValueError, match="cannot be known"):
            smallest_epsilon(["a", "b"], priors=[finite(1, 1)], known={2})
        with pytest.raises(ValueError, match="wishes of"):
            smallest_epsilon(["a", "b"], priors=[finite(1, 1)], predicates=[[{"a"}]])


class TestMerging:
    """Whether two groups that pass make one that does."""

    @pytest.mark.parametrize("b", [0, 1])
    def test_the_same_predicates_for_all(self, b: int) -> None:
        few = [table for table in FEW if len(table) <= 2]
        for one, other in product(few, repeat=2):
            for predicates in (None, [{"a", "b"}, {"c"}]):
                parts = [
                    smallest_epsilon(t, priors=PRIORS[:3], known=b, predicates=predicates,
                                     domain="abc") for t in (one, other)
                ]  # fmt: skip
                merged = smallest_epsilon(
                    one + other, priors=PRIORS[:3], known=b, predicates=predicates, domain="abc"
                )
                assert merged <= max(parts)

    def test_wishes(self) -> None:
        """Three who do not mind, all b, join a, a, b who do: from 1/3 they become 2/3 b."""
        mind: list[set[str]] = [{"b"}]
        never: list[set[str]] = []
        prior = [finite(2, 2)]
        assert smallest_epsilon(list("aab"), priors=prior, predicates=[mind] * 3) == 1
        assert smallest_epsilon(list("bbb"), priors=prior, predicates=[never] * 3, domain="ab") == 1
        joined = [mind] * 3 + [never] * 3
        assert smallest_epsilon(list("aabbbb"), priors=prior, predicates=joined) == Fraction(4, 3)

    def test_known_people(self) -> None:
        """Three known to have a join a, b: the attacker expects a, and still believes 1/2."""
        prior = [finite(2, 2)]
        assert smallest_epsilon(list("ab"), priors=prior, known=set()) == Fraction(5, 4)
        assert smallest_epsilon(list("aaa"), priors=prior, known={0, 1, 2}, domain="ab") == 1
        assert smallest_epsilon(list("abaaa"), priors=prior, known={2, 3, 4}) == 2
