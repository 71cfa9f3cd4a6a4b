"""The papers' small examples of beliefs, asked of the engine that counts worlds.

Paper 000: the two hospitals of Table 1. Paper 001: Example 3 on Table 3. Paper 002: Figure 1, and
the averaging example of "Composition with other mechanisms". Every expected number is worked out by
hand beside it.

What the lecture (004) says of updates is in `test_paper_004.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from math import factorial

import numpy as np
import pytest
from asked_beliefs import Groups, asked, one

from hedgerow.attacks.averaging import neighbouring_sums
from hedgerow.claims.worlds.belief import believed
from hedgerow.claims.worlds.exact import beliefs
from hedgerow.claims.worlds.knowledge import Knowledge

THIRD, QUARTER, HALF = Fraction(1, 3), Fraction(1, 4), Fraction(1, 2)


# Paper 000, Table 1: 130** and < 30, >= 40, 30-39 (a); < 35, >= 35 (b). The digits and diseases
# of (a) are from memory, those of (b) are the paper's (FACTS A.1).
YOUNG, OLD, THIRTIES = 0, 1, 2
FIRST: Groups = (
    {"AIDS": 1, "heart": 1, "viral": 2},
    {"cancer": 1, "heart": 1, "viral": 2},
    {"cancer": 4},
)
BELOW, ABOVE = 0, 1
SECOND: Groups = (
    {"AIDS": 1, "TB": 2, "flu": 1, "cancer": 2},
    {"cancer": 3, "TB": 1, "viral": 2},
)
HOSPITALS = (FIRST, SECOND)


class TestTwoHospitals:
    """Paper 000, Section 1, Table 1."""

    def test_alice_in_each_of_them(self) -> None:
        """Alice "matches four potential records in H1's data, and six" in H2's."""
        assert one([FIRST], YOUNG) == {"AIDS": QUARTER, "heart": QUARTER, "viral": HALF}
        sixth = Fraction(1, 6)
        assert one([SECOND], BELOW) == {
            "AIDS": sixth, "flu": sixth, "TB": THIRD, "cancer": THIRD,
        }  # fmt: skip

    @pytest.mark.parametrize(
        ("where", "expected"),
        [
            ((YOUNG, BELOW), {"AIDS": Fraction(1)}),  # Alice, 28
            ((THIRTIES, BELOW), {"cancer": Fraction(1)}),
            ((THIRTIES, ABOVE), {"cancer": Fraction(1)}),
            # 1 x 3 ways to have cancer, and 2 x 2 ways to have a viral infection.
            ((OLD, ABOVE), {"cancer": Fraction(3, 7), "viral": Fraction(4, 7)}),
        ],
    )
    def test_everybody_who_was_in_both(
        self, where: tuple[int, int], expected: dict[str, Fraction]
    ) -> None:
        assert one(HOSPITALS, *where) == expected

    def test_nobody_can_be_young_and_above_35(self) -> None:
        """Of the young only a viral infection is above 35, too: whoever fits both would have it."""
        assert one(HOSPITALS, YOUNG, ABOVE) == {"viral": Fraction(1)}

    def test_what_alice_does_to_the_other_three(self) -> None:
        """All who are in her group are listed: AIDS is hers, so it is nobody else's."""
        alice, others = asked(
            [FIRST[:1], SECOND[:1]], [[[0], [0]], [[0], []]], people=[1, 3], listed=False
        )
        assert alice == {"AIDS": Fraction(1)}
        assert others == {"heart": THIRD, "viral": 2 * THIRD}

    def test_they_do_not_have_the_same_twelve_patients(self) -> None:
        """Heart disease is only in the first: twelve people cannot own the records of both."""
        both = Knowledge.of_groups(
            [[[1, 0, 0, 1, 0, 2], [0, 1, 0, 1, 0, 2], [0, 4, 0, 0, 0, 0]],
             [[1, 2, 1, 0, 2, 0], [0, 3, 0, 0, 1, 2]]],
            [[[YOUNG], [OLD], [THIRTIES], [THIRTIES]], [[BELOW], [ABOVE], [BELOW], [ABOVE]]],
            people=[4, 4, 2, 2],
        )  # fmt: skip
        found = beliefs(both)
        assert found is not None
        assert found.worlds == 0
        assert believed(both).contradicted.all()


class TestTable3:
    """Paper 001, Example 3: women of 40 and more in Gotham, 18,000 with flu and 2,000 with cancer.

    Metropolis had 11,999 patients with flu and 17,999 with cancer: the prior D(12000, 18000).
    """

    WOMEN = (18_000, 2_000)

    def about_rachel(self, *, inside: bool, urn: tuple[int, int] | None = None,
                     prior: tuple[Fraction, Fraction] | None = None) -> Fraction:  # fmt: skip
        """The belief that she has flu; she is one of the women, or in no release."""
        fits, people = ([[0]], [20_000]) if inside else ([[0], []], [20_000, 1])
        known = Knowledge.of_groups([[self.WOMEN]], [fits], people=people)
        if urn is not None:
            known = replace(known, urn=tuple(map(Fraction, urn)))
        if prior is not None:
            known = replace(known, weights=(prior,) * len(people))
        found = believed(known)
        low, high = found.between(len(people) - 1, 0)
        assert low == high
        return low

    def test_with_her_record_nine_in_ten_whatever_is_expected(self) -> None:
        """p_in is the share of the group: "p_in only depends on the published data"."""
        shares = Fraction(2, 5), Fraction(3, 5)
        assert {
            self.about_rachel(inside=True),
            self.about_rachel(inside=True, urn=(12_000, 18_000)),
            self.about_rachel(inside=True, prior=shares),
        } == {Fraction(9, 10)}

    def test_without_it_the_prior_counts(self) -> None:
        """Class I: (18000 + 12000) / (20000 + 30000). Class II: as little as 18001 / 50000.
        Class III does not revise 0.4. Her record makes 9/10 of it."""
        out = [
            self.about_rachel(inside=False, urn=(12_000, 18_000)),
            self.about_rachel(inside=False, urn=(1, 29_999)),
            self.about_rachel(inside=False, prior=(Fraction(2, 5), Fraction(3, 5))),
        ]
        assert out == [Fraction(3, 5), Fraction(18_001, 50_000), Fraction(2, 5)]
        # "4-, 6.4-, 6-privacy": by how much the odds of cancer, or of flu, grow at most.
        cancer = [(1 - one) / (1 - Fraction(9, 10)) for one in out]
        assert [round(float(one), 1) for one in cancer] == [4.0, 6.4, 6.0]


# Paper 002, Figure 1: (a) 130** 25-30, 902** 60-70; (b) 130** < 40, 1485* >= 40.
HOSPITAL_A: Groups = (
    {"none": 1, "stroke": 1, "flu": 1, "cancer": 1},
    {"flu": 2, "stroke": 1, "cancer": 1},
)
HOSPITAL_B: Groups = ({"cold": 1, "stroke": 1, "rash": 1}, {"cancer": 2, "flu": 1})


class TestFigure1:
    """Paper 002, "Composition": Alice knows that her neighbour Bob was in both hospitals."""

    def test_bob_must_have_had_a_stroke(self) -> None:
        assert one([HOSPITAL_A], 0) == dict.fromkeys(["none", "stroke", "flu", "cancer"], QUARTER)
        assert one([HOSPITAL_B], 0) == dict.fromkeys(["cold", "stroke", "rash"], THIRD)
        assert one([HOSPITAL_A, HOSPITAL_B], 0, 0) == {"stroke": Fraction(1)}

    def test_everybody_else_is_in_one_of_them(self) -> None:
        """902** and 1485* share nobody, so each hospital says what it says alone."""
        assert one([HOSPITAL_A], 1) == {"flu": HALF, "stroke": QUARTER, "cancer": QUARTER}
        assert one([HOSPITAL_B], 1) == {"cancer": 2 * THIRD, "flu": THIRD}

    def test_what_bob_does_to_those_beside_him(self) -> None:
        """The stroke is his in both: three of (a) and two of (b) share what is left."""
        bob, of_a, of_b, old_a, old_b = asked(
            [HOSPITAL_A, HOSPITAL_B],
            [[[0], [0], [], [1], []], [[0], [], [0], [], [1]]],
            people=[1, 3, 2, 4, 3],
            listed=True,
        )
        assert bob == {"stroke": Fraction(1)}
        assert of_a == dict.fromkeys(["none", "flu", "cancer"], THIRD)
        assert of_b == dict.fromkeys(["cold", "rash"], HALF)
        assert old_a == one([HOSPITAL_A], 1)
        assert old_b == one([HOSPITAL_B], 1)


def sums(counts: Sequence[int], known: Sequence[int] = ()) -> Knowledge:
    """The table of x_1, ..., x_k as somebody knows it who has the sums of neighbours.

    Each sum is a release of its own: of everybody it shows whether they are among these two values.

    Args:
        counts: x_1, ..., x_k.
        known: Values whose own count is known, too.
    """
    k, n = len(counts), sum(counts)
    looks = [row.astype(int).tolist() for row in neighbouring_sums(k)]
    looks += [[int(v == value) for v in range(k)] for value in known]
    tables = [[[n - inside, inside]] for inside in (int(np.dot(row, counts)) for row in looks)]
    blank = Knowledge.of_groups(tables, [[[0]]] * len(tables), people=[n])
    shown = tuple(
        replace(release, looks=np.array(row))
        for release, row in zip(blank.shown, looks, strict=True)
    )
    return replace(blank, values=k, shown=shown)


def tables(counts: Sequence[int], known: Sequence[int] = ()) -> dict[tuple[int, ...], int]:
    """Every table with these sums, and of how many databases it is the histogram."""
    n = sum(counts)
    found = {}
    for table in product(range(n + 1), repeat=len(counts)):
        if sum(table) == n and all(table[v] == counts[v] for v in known):
            pairs = zip(pairwise(table), pairwise(counts), strict=True)
            if all(sum(a) == sum(b) for a, b in pairs):
                found[table] = factorial(n)
                for count in table:
                    found[table] //= factorial(count)
    return found


class TestAveraging:
    """Paper 002, "Composition with other mechanisms": x_1 + x_2, x_2 + x_3, ... are published."""

    @pytest.mark.parametrize("value", range(4))
    def test_any_one_count_reveals_all(self, value: int) -> None:
        """With the sums, "the knowledge of any one count x_i [...] would reveal all the original
        counts": a belief is then x_i / n of everybody."""
        counts = (2, 1, 3, 1)
        assert list(tables(counts, [value])) == [counts]
        found = beliefs(sums(counts, [value]))
        assert found is not None
        assert found.shares == (tuple(Fraction(x, 7) for x in counts),)

    @pytest.mark.parametrize("counts", [(2, 1, 3, 1), (1, 1, 1, 1), (0, 2, 1, 2), (1, 2, 2, 1)])
    def test_without_it_the_tables_are_a_line(self, counts: tuple[int, ...]) -> None:
        """With an even k, x_1 may be anything that leaves no count negative, and a table is as
        likely as there are databases with it."""
        weights = tables(counts)
        assert len(weights) > 1
        total = sum(weights.values())
        n = sum(counts)
        expected = tuple(
            sum((Fraction(table[v] * ways, n * total) for table, ways in weights.items()),
                Fraction(0)) for v in range(4)
        )  # fmt: skip
        found = beliefs(sums(counts))
        assert found is not None
        assert found.shares == (expected,)

    def test_of_an_odd_number_of_counts_the_sums_give_all_away(self) -> None:
        """As `examples.blowfish.averaging` says: how many rows there are decides x_1."""
        counts = (1, 2, 0, 1, 1)
        assert list(tables(counts)) == [counts]
        found = beliefs(sums(counts))
        assert found is not None
        assert found.shares == (tuple(Fraction(x, 5) for x in counts),)
