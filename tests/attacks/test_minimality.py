"""Minimality: what follows from the fact that classes had to be merged."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from math import comb, prod

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow import ProbabilisticLDiversity, publish
from hedgerow.attacks.credibility import credibilities
from hedgerow.attacks.minimality import minimality
from hedgerow.base.errors import DataError, PlanError
from hedgerow.table.groups import Groups


def enumerated(sizes: list[int], count: int, l: Fraction) -> list[Fraction] | None:  # noqa: E741
    """FACTS, section E: all (j_1 .. j_u), weight prod C(N_i, j_i), some j_i / N_i > 1 / l."""
    total, held = 0, [Fraction(0)] * len(sizes)
    for js in product(*(range(n + 1) for n in sizes)):
        if sum(js) == count and any(j * l > n for j, n in zip(js, sizes, strict=True)):
            weight = prod(comb(n, j) for n, j in zip(sizes, js, strict=True))
            total += weight
            for i, (j, n) in enumerate(zip(js, sizes, strict=True)):
                held[i] += Fraction(weight * j, n)
    return [h / total for h in held] if total else None


class TestCredibilities:
    @pytest.mark.parametrize(
        ("sizes", "count", "expected"),
        [
            ([2, 5], 2, [Fraction(1), Fraction(0)]),
            ([3, 4], 3, [Fraction(9, 17), Fraction(6, 17)]),
        ],
    )
    def test_vectors(self, sizes: list[int], count: int, expected: list[Fraction]) -> None:
        found = credibilities(sizes, [count], l=2)
        assert found is not None
        assert [p for (p,) in found] == expected
        assert enumerated(sizes, count, Fraction(2)) == expected

    def test_naive_shares(self) -> None:
        """Without the knowledge both classes of (2, 5) with 2 are believed in with 2/7."""
        found = credibilities([2, 5], [2], l=2)
        assert found is not None
        mean = sum(n * p for n, (p,) in zip([2, 5], found, strict=True)) / 7
        assert mean == Fraction(2, 7), "people with the value are as many as before"

    @given(
        st.lists(st.integers(1, 5), min_size=1, max_size=4),
        st.integers(0, 6),
        st.sampled_from([1, 1.5, 2, 3, Fraction(7, 3)]),
    )
    def test_equals_enumeration(
        self,
        sizes: list[int],
        count: int,
        l: float | Fraction,  # noqa: E741
    ) -> None:
        count = min(count, sum(sizes))
        found = credibilities(sizes, [count], l=l)
        expected = enumerated(sizes, count, Fraction(str(l)))
        assert (None if found is None else [p for (p,) in found]) == expected

    @settings(max_examples=25, deadline=None)
    @given(
        st.lists(st.integers(1, 3), min_size=1, max_size=3),
        st.lists(st.integers(1, 3), min_size=2, max_size=2),
        st.sampled_from([Fraction(2), Fraction(3, 2)]),
    )
    def test_several_values_at_once(
        self,
        sizes: list[int],
        counts: list[int],
        l: Fraction,  # noqa: E741
    ) -> None:
        """Every order of the people's values is as likely as any other."""
        people = sum(sizes)
        if sum(counts) > people or people > 7:
            return
        values = [0] * counts[0] + [1] * counts[1] + [2] * (people - sum(counts))
        ends = np.cumsum([0, *sizes])
        kept = 0
        held = [[Fraction(0)] * 2 for _ in sizes]
        for order in set(permutations(values)):
            classes = [Counter(order[a:b]) for a, b in pairwise(ends)]
            if any(c[v] * l > n for c, n in zip(classes, sizes, strict=True) for v in (0, 1)):
                kept += 1
                for i, (c, n) in enumerate(zip(classes, sizes, strict=True)):
                    for v in (0, 1):
                        held[i][v] += Fraction(c[v], n)
        found = credibilities(sizes, counts, l=l)
        expected = [tuple(h / kept for h in row) for row in held] if kept else None
        assert found == expected

    def test_hundreds_of_classes(self) -> None:
        """Enumeration would take 6 ** 200 steps. The mean over all people is the naive share."""
        sizes = [5, 7] * 100
        found = credibilities(sizes, [150], l=2)
        assert found is not None
        people = sum(n * p for n, (p,) in zip(sizes, found, strict=True))
        assert people == 150
        assert len(set(found)) == 2, "classes of the same size are alike"

    def test_bad_input(self) -> None:
        with pytest.raises(DataError, match="8 people with protected values"):
            credibilities([3, 4], [8], l=2)
        with pytest.raises(DataError):
            credibilities([3, -4], [1], l=2)
        for wrong in (0.5, "two", True, float("nan")):
            with pytest.raises(PlanError, match="l must be a number"):
                credibilities([3, 4], [1], l=wrong)  # type: ignore[arg-type]


def classes(*values: list[str]) -> Groups:
    return Groups.of({"illness": [dict(Counter(v)) for v in values]})


OTHERS = [f"other {i}" for i in range(40)]


class TestAttack:
    def test_two_and_five(self) -> None:
        groups = classes(["HIV"] * 2, OTHERS[:5])
        result = minimality(groups, np.array([0, 0]), of="illness", l=2)
        assert (result.found.successes, result.found.guesses) == (2, 2)
        assert result.baseline.successes == pytest.approx(2 * 2 / 7)
        assert result.detail["highest_credibility"] == 1
        assert result.detail["m"] == 1
        assert result.detail["worst"] == [
            {"group": 0, "class": 0, "people": 2, "count": 2, "value": "HIV", "credibility": 1.0,
             "share": pytest.approx(2 / 7)}
        ]  # fmt: skip
        assert "credibility 1" in result.sentences[1]
        json.dumps(result.summary(), allow_nan=False)

    def test_three_and_four(self) -> None:
        """9/17 for the three, 6/17 for the four: only the first is more than 1/2."""
        groups = classes(["HIV", "HIV", *OTHERS[:1]], ["HIV", *OTHERS[1:4]])
        result = minimality(groups, np.array([0, 0]), of="illness", l=2)
        assert result.detail["worst"][0]["credibility"] == 9 / 17
        assert result.detail["m"] == 17 / 9
        assert (result.found.successes, result.found.guesses) == (2, 3)
        assert result.baseline.successes == pytest.approx(3 * 3 / 7)

    def test_the_attacker_uses_sizes_not_values(self) -> None:
        """With the cases where they cannot have been, the credibilities are the same."""
        one = classes(["HIV"] * 2, OTHERS[:5])
        two = classes(OTHERS[:2], ["HIV", "HIV", *OTHERS[2:5]])
        found = [minimality(g, np.array([0, 0]), of="illness", l=2) for g in (one, two)]
        assert found[0].detail["highest_credibility"] == found[1].detail["highest_credibility"]
        assert found[1].found.successes == 0

    def test_of_a_release_without_merging_nothing_follows(self) -> None:
        groups = classes(["HIV", *OTHERS[:2]], ["HIV", *OTHERS[2:6]])
        result = minimality(groups, np.array([0, 1]), of="illness", l=2)
        assert result.found.guesses == 0
        assert not result.succeeded
        assert result.detail["m"] == 2
        assert "nothing to learn" in result.sentences[0]

    def test_merging_that_nothing_explains(self) -> None:
        """One case in classes of four: neither could have broken 2-diversity."""
        groups = classes(["HIV", *OTHERS[:3]], OTHERS[3:7])
        result = minimality(groups, np.array([0, 0]), of="illness", l=2, values=["HIV"])
        assert result.detail["not_explained"] == 1
        assert result.found.guesses == 0

    @pytest.mark.parametrize("first", [2, 3])
    def test_global_recoding_spreads_the_suspicion(self, first: int) -> None:
        """Two merged groups, one of which made all of them necessary: worlds are pairs."""
        left, right = [first, 4], [2, 5]
        groups = classes(
            ["HIV", *OTHERS[: first - 1]], ["HIV", *OTHERS[10:13]],
            ["HIV"] * 2, OTHERS[20:25],
        )  # fmt: skip
        result = minimality(
            groups, np.array([0, 0, 1, 1]), of="illness", l=2, values=["HIV"], recoding="global"
        )
        worlds = 0
        held = [Fraction(0)] * 4
        sizes = [*left, *right]
        for js in product(*(range(n + 1) for n in sizes)):
            broken = any(2 * j > n for j, n in zip(js, sizes, strict=True))
            if js[0] + js[1] == 2 == js[2] + js[3] and broken:
                weight = prod(comb(n, j) for n, j in zip(sizes, js, strict=True))
                worlds += weight
                for i, (j, n) in enumerate(zip(js, sizes, strict=True)):
                    held[i] += Fraction(weight * j, n)
        assert result.detail["highest_credibility"] == float(max(held) / worlds)
        alone = minimality(groups, np.array([0, 0, 1, 1]), of="illness", l=2, values=["HIV"])
        assert alone.detail["highest_credibility"] == 1
        assert result.detail["highest_credibility"] < 1

    def test_a_group_that_certainly_breaks_it(self) -> None:
        """Of (1, 3) with 2 cases every way breaks 2-diversity, so the others are not suspected."""
        groups = classes(["HIV"], ["HIV", *OTHERS[:2]], ["HIV"] * 2, OTHERS[20:25])
        result = minimality(
            groups, np.array([0, 0, 1, 1]), of="illness", l=2, values=["HIV"], recoding="global"
        )
        assert result.detail["highest_credibility"] == 0.5
        assert result.found.guesses == 0

    def test_too_large_to_work_out(self) -> None:
        """Twelve values, each had by twelve people, in classes that each could break."""
        twelve = [str(v) for v in range(12)]
        groups = classes(twelve * 6, twelve * 6, ["0"])
        into = np.array([0, 0, 0])
        result = minimality(groups, into, of="illness", l=3)
        assert result.detail["too_large"] == 1
        assert result.found.guesses == 0
        with pytest.raises(DataError, match="too large"):
            minimality(groups, into, of="illness", l=3, recoding="global")
        named = minimality(groups, into, of="illness", l=3, values=["0"])
        assert named.detail["too_large"] == 0

    def test_bad_input(self) -> None:
        groups = classes(["HIV"] * 2, OTHERS[:5])
        with pytest.raises(DataError, match="does not keep the requirement: 2 of 2"):
            minimality(groups, np.array([0, 1]), of="illness", l=2)
        with pytest.raises(DataError, match="1 groups for 2 classes"):
            minimality(groups, np.array([0]), of="illness", l=2)
        with pytest.raises(PlanError, match="Did you mean 'HIV'"):
            minimality(groups, np.array([0, 0]), of="illness", l=2, values=["HVI"])
        with pytest.raises(PlanError, match="'regional' recoding"):
            minimality(groups, np.array([0, 0]), of="illness", l=2, recoding="regional")  # type: ignore[arg-type]
        several = Groups.of({"illness": [{"flu": 2, "gout": 2}]}, n=[2])
        with pytest.raises(DataError, match="which go together"):
            minimality(several, np.array([0]), of="illness", l=2)


# End to end: zip codes 13001 and 13002 have 3 and 4 people, three of the seven have HIV.
def merges(values: list[str]) -> bool:
    """Whether Hedgerow's search, asked for probabilistic 2-diversity, merges the zip codes."""
    table = pd.DataFrame({"zip": ["13001"] * 3 + ["13002"] * 4, "illness": values})
    release = publish(
        table,
        columns={
            "zip": {"role": "quasi-identifier", "hierarchy": {"prefix": 5}},
            "illness": "sensitive",
        },
        protect=[ProbabilisticLDiversity(l=2, of="illness")],
    )
    return len(set(release.to_arrow()["zip"].to_pylist())) == 1


def test_the_search_gives_away_what_made_it_generalise() -> None:
    """Over all 35 tables with three cases: 17 are merged, and of the three people named in each
    9/17 have HIV where the release shows 3/7. Whoever says the same of a recoding that does not
    depend on the values, merged in all 35, is right about 3/7: nothing is gained."""
    found, fixed = np.zeros(2, np.int64), np.zeros(2, np.int64)
    shown = 0.0
    for cases in combinations(range(7), 3):
        values = ["HIV" if person in cases else OTHERS[person] for person in range(7)]
        groups = classes(values[:3], values[3:])
        result = minimality(groups, np.array([0, 0]), of="illness", l=2)
        score = np.array([result.found.successes, result.found.guesses], np.int64)
        fixed += score
        if merges(values):
            found += score
            shown += result.baseline.successes
    assert found.tolist() == [27, 51]
    assert Fraction(27, 51) == Fraction(9, 17)
    assert shown / 51 == pytest.approx(3 / 7)
    assert fixed.tolist() == [45, 105]
    assert Fraction(45, 105) == Fraction(3, 7)
