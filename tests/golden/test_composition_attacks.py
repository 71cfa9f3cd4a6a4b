"""Ganta, Kasiviswanathan, Smith 2008: the experiments of examples/composition_attacks.

The oracles are sets and loops over people in plain Python, and Bayes' rule in fractions; they
share nothing with the attack.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))


from examples.composition_attacks import data, figures, page, private  # noqa: E402
from examples.composition_attacks.__main__ import attacked, main, scores  # noqa: E402
from examples.composition_attacks.data import Census, Split  # noqa: E402
from examples.composition_attacks.experiment import (  # noqa: E402
    CONFIDENCES,
    Claims,
    Experiment,
    Laboratory,
    Setting,
)
from examples.composition_attacks.figures import SCENARIOS  # noqa: E402
from examples.composition_attacks.releases import (  # noqa: E402
    MICRO,
    RELAXED,
    STRICT,
    TAXONOMY,
    assuming_locatability,
    in_order,
    make,
    together,
    told_apart,
)
from hedgerow import DataError, KAnonymity  # noqa: E402

BOTH = (STRICT, STRICT)
JOBS = ("baker", "cook", "driver", "farmer", "nurse", "potter", "?")
PLACES = {"north": ["a", "b"], "south": ["c", "d", "e"]}


def town(people: int = 600, seed: int = 5, oldest: int = 80) -> Census:
    """People whose occupations depend on where they live and on nothing else."""
    rng = np.random.default_rng(seed)
    place = rng.integers(0, 5, people)
    job = (place + rng.integers(0, 4, people)) % len(JOBS)
    table = pa.table(
        {
            "age": rng.integers(18, oldest, people).astype(str),
            "sex": rng.choice(["f", "m"], people),
            "place": np.array(list("abcde"))[place],
            "job": np.array(JOBS)[job],
            data.ROW: np.arange(people),
        }
    )
    columns: dict[str, Any] = {
        "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [10, 20, 40]}},
        "sex": "quasi-identifier",
        "place": {"role": "quasi-identifier", "hierarchy": {"taxonomy": PLACES}},
        "job": "sensitive",
        data.ROW: "insensitive",
    }
    return Census("Town", table, "job", columns, 200, 100)


@cache
def small() -> Laboratory:
    return Laboratory(town(), Setting(seeds=(1, 2), ks=(2, 5, 20)))


def test_the_halves_overlap_as_asked_for() -> None:
    census = town()
    for seed in (1, 2):
        split = Split.of(census, seed)
        first, second = set(split.first.tolist()), set(split.second.tolist())
        assert (len(first), len(second)) == (200, 200)
        assert set(split.both.tolist()) == first & second
        assert len(split.both) == 100
        assert set(split.only_first.tolist()) == first - second
        assert set(split.neither.tolist()) == set(range(600)) - first - second
    assert (Split.of(census, 1).both != Split.of(census, 2).both).any()
    with pytest.raises(DataError, match="do not fit into 600"):
        Split.of(census.sized(400, 100), 1)


def fits(census: Census, label: str, value: str) -> bool:
    """Whether a published label covers a value; the few kinds of labels this table gets."""
    if label in ("*", value):
        return True
    if label in PLACES:
        return value in PLACES[label]
    if label.startswith("{"):
        return any(fits(census, part.strip(), value) for part in label[1:-1].split(","))
    if match := re.fullmatch(r"(\d+)-(\d+)", label):
        return int(match[1]) <= int(value) <= int(match[2])
    return False


@pytest.mark.parametrize("method", [STRICT, RELAXED, TAXONOMY, MICRO])
def test_groups_and_intersections_against_sets(method: str) -> None:
    census = town()
    split = Split.of(census, 3)
    made = [make(census, rows, method, [KAnonymity(k=4)]) for rows in (split.first, split.second)]
    truth = census.truth(np.arange(census.people))
    left = []
    for release, rows in zip(made, (split.first, split.second), strict=True):
        assert sorted(np.flatnonzero(release.group >= 0).tolist()) == sorted(rows.tolist())
        sets = [{truth[i] for i in np.flatnonzero(release.group == g)}
                for g in range(len(release.published))]  # fmt: skip
        sizes = np.bincount(release.group[rows], minlength=len(sets))
        assert sizes.tolist() == release.published.groups.n.tolist()
        assert sizes.min() >= 4
        left.append([sets[release.group[i]] for i in split.both])
    found = assuming_locatability(made, split.both)
    for person, (a, b) in enumerate(zip(*left, strict=True)):
        assert set(found.possible(person)) == a & b
        assert found.prior[person].tolist() == [len(a), len(b)]
        assert truth[split.both[person]] in a & b
    if method == MICRO:
        return
    # By box: everybody in all groups that fit.
    by_box = together(made, census, split.both)
    for person, row in enumerate(split.both):
        known = {name: census.table[name][int(row)].as_py() for name in census.quasi}
        fitting = []
        for release in made:
            p = release.published
            groups = [
                g for g in range(len(p))
                if all(fits(census, str(p.labels[j][p.codes[g, j]]), known[name])
                       for j, name in enumerate(p.quasi))
            ]  # fmt: skip
            assert release.group[row] in groups
            fitting.append({truth[i] for i in np.flatnonzero(np.isin(release.group, groups))})
        assert set(by_box.possible(person)) == fitting[0] & fitting[1]


@pytest.mark.parametrize("method", [STRICT, RELAXED, MICRO])
def test_groups_told_apart(method: str) -> None:
    census = town(oldest=22)
    rows = Split.of(census, 3).first
    truth = census.truth(np.arange(census.people))
    merged = make(census, rows, method, [KAnonymity(k=4)])
    apart = told_apart(census, rows, method, [KAnonymity(k=4)])
    assert sorted(np.flatnonzero(apart.group >= 0).tolist()) == sorted(rows.tolist())
    groups = apart.published.groups
    values = groups.domains["job"].values
    held = groups.histograms["job"].dense(len(values))
    for g in range(len(groups)):
        jobs = Counter(truth[i] for i in np.flatnonzero(apart.group == g))
        assert jobs == {v: n for v, n in zip(values, held[g].tolist(), strict=True) if n}
    assert groups.n.min() >= 4
    if method == STRICT:
        assert len(apart.published) == len(merged.published)
        assert (apart.group[rows, None] == apart.group[rows]).tolist() == (
            merged.group[rows, None] == merged.group[rows]
        ).tolist()
    if method == MICRO:
        assert groups.n.max() < 8
        assert len(apart.published) > len(merged.published)


def test_groups_in_order_keep_their_values() -> None:
    census = town()
    wanted = make(census, Split.of(census, 3).first, MICRO, [KAnonymity(k=4)]).published
    mixed = np.random.default_rng(1).permutation(len(wanted))
    found = in_order(
        replace(wanted, codes=wanted.codes[mixed], groups=wanted.groups.take(mixed))
    )  # fmt: skip
    assert found.codes.tolist() == wanted.codes.tolist()
    assert found.groups.n.tolist() == wanted.groups.n.tolist()
    counts = [p.groups.histograms["job"].dense(len(JOBS)).tolist() for p in (found, wanted)]
    assert counts[0] == counts[1]


def test_scores_by_hand() -> None:
    lab, claims = small(), Claims(k=5)
    for seed, score in zip(lab.seeds, lab.scores(BOTH, claims), strict=True):
        split = lab.split(seed)
        truth = lab.census.truth(np.arange(lab.census.people))
        sets = []
        for release in lab.pair(seed, BOTH, claims):
            members = [np.flatnonzero(release.group == release.group[i]) for i in split.both]
            sets.append([({truth[i] for i in who}, len(who)) for who in members])
        left = [a & b for (a, _), (b, _) in zip(*sets, strict=True)]
        people = len(left)
        assert score.perfect == sum(len(x) == 1 for x in left) / people == score.right
        assert score.inside == 1
        assert score.ruled_out == 0
        alone = sum(min(len(a), len(b)) == 1 for (a, _), (b, _) in zip(*sets, strict=True))
        assert score.alone == alone / people
        drops = [min(len(a), len(b)) - len(a & b) for (a, _), (b, _) in zip(*sets, strict=True)]
        assert score.drop == pytest.approx(sum(drops) / people)
        assert score.vulnerable == sum(d > 0 for d in drops) / people
        every = [n for side in sets for _, n in side]
        assert score.partition == pytest.approx(sum(every) / len(every))
        for share, c in zip(score.pvp, CONFIDENCES, strict=True):
            assert share == sum(Fraction(1, len(x)) >= Fraction(c).limit_denominator(20)
                                for x in left) / people  # fmt: skip
        jobs = Counter(truth[i] for i in split.both)
        assert score.common == max(jobs.values()) / people


def test_nothing_is_learned_where_everybody_is_in_one_group() -> None:
    lab = Laboratory(town(), Setting(seeds=(1, 2)))
    everybody = Claims(k=lab.census.subset)
    for score in lab.scores(BOTH, everybody):
        assert (score.perfect, score.vulnerable, score.drop) == (0, 0, 0)
        assert score.posterior == len(JOBS)
        assert score.named <= score.common


def test_only_those_with_an_occupation() -> None:
    rows = small().people(1, "both", working=True)
    jobs = small().census.truth(rows)
    assert "?" not in jobs
    assert len(rows) == sum(job != "?" for job in small().census.truth(small().people(1, "both")))


def test_estimated_overlap() -> None:
    """With few people boxes are tight and strangers rarely fit."""
    lab = Laboratory(town(people=6000), Setting(seeds=(1, 2, 3)))
    lab = Laboratory(lab.census.sized(2000, 500), lab.setting)
    guess, truth = lab.estimated_overlap(STRICT, Claims(k=2))
    assert truth.mean == 0.25
    assert guess.mean == pytest.approx(0.25, abs=0.06)


def noise_fits(draws: np.ndarray[Any, Any], epsilon: float) -> bool:
    """Whether frequencies of -3..3 are those of exp(-epsilon |x|), within six deviations."""
    a, n = math.exp(-epsilon), len(draws)
    for x in range(-3, 4):
        p = (1 - a) / (1 + a) * a ** abs(x)
        if abs(int((draws == x).sum()) - n * p) > 6 * math.sqrt(n * p * (1 - p)):
            return False
    return True


def test_noise_has_the_scale_it_should() -> None:
    draws = private.discrete_laplace(np.random.default_rng(7), 0.5, 200_000)
    assert noise_fits(draws, 0.5)
    assert not noise_fits(draws, 0.5 * 1.3)
    assert not noise_fits(draws, 0.5 / 1.3)


def test_a_release_is_as_private_as_it_says() -> None:
    """The likeliest event to tell (1, 0) from (0, 1) is exp(ε) times as likely, not ±30 %."""
    epsilon, draws = 0.8, 400_000
    seen = []
    for seed, counts in enumerate(([1, 0], [0, 1])):
        tables = private.release(
            np.random.default_rng(seed), np.tile(np.array(counts), (draws, 1)), epsilon
        )
        seen.append(int(((tables[:, 0] >= 1) & (tables[:, 1] <= 0)).sum()))
    loss = math.log(seen[0] / seen[1])
    error = 6 * math.sqrt(1 / seen[0] + 1 / seen[1])
    assert abs(loss - epsilon) < error < 0.3 * epsilon / 2


def test_clearly_positive_is_what_noise_rarely_reaches() -> None:
    for epsilon in (0.05, 0.25, 0.5, 1.0, 2.0):
        a, least = math.exp(-epsilon), private.threshold(epsilon)
        tail = [sum((1 - a) / (1 + a) * a**x for x in range(start, start + 2000))
                for start in (least, least - 1)]  # fmt: skip
        assert tail[0] <= private.UNLIKELY
        assert least == 1 or tail[1] > private.UNLIKELY


def tiny() -> private.Grid:
    """One group, three values, of which the census has 3, 2 and 1."""
    table = pa.table({"sex": ["f"] * 6, "job": ["a", "a", "a", "b", "b", "c"],
                      data.ROW: np.arange(6)})  # fmt: skip
    columns = {"sex": "quasi-identifier", "job": "sensitive", data.ROW: "insensitive"}
    return private.Grid.of(Census("tiny", table, "job", columns, 4, 2), {"sex": 0})


def test_beliefs_by_bayes_rule_in_fractions() -> None:
    """exp(-ε / 2) = 1/2, every table of the pairs tried written out."""
    grid, half = tiny(), Fraction(1, 2)
    epsilon = 2 * math.log(2)
    true = [grid.counts(np.array([0, 1, 3, 5])), grid.counts(np.array([0, 3, 4, 5]))]
    prior = [half, Fraction(1, 3), Fraction(1, 6)]
    rng = np.random.default_rng(2)
    for _ in range(40):
        noisy = [counts + rng.integers(-3, 4, counts.shape) for counts in true]
        for person, own in ((0, 0), (3, 1), (5, 2)):
            weights = []
            for value in range(3):
                weight = prior[value]
                for counts, table in zip(true, noisy, strict=True):
                    supposed = counts[0].tolist()
                    supposed[own] -= 1
                    supposed[value] += 1
                    for s, shown in enumerate(table[0].tolist()):
                        weight *= half ** abs(shown - supposed[s])
                weights.append(weight)
            posterior = [w / sum(weights) for w in weights]
            factors = [b / p for b, p in zip(posterior, prior, strict=True)]
            found = private.beliefs(grid, np.array([person]), true, noisy, epsilon)
            assert found.largest == pytest.approx(float(max(factors)))
            assert found.smallest == pytest.approx(float(min(factors)))
            distance = sum(abs(b - p) for b, p in zip(posterior, prior, strict=True)) / 2
            assert found.distance == pytest.approx(float(distance))
            assert max(factors) <= Fraction(2) ** 4 == pytest.approx(found.bound)
            assert min(factors) >= Fraction(1, 16)
            assert found.distance <= found.distance_bound


def test_the_bound_is_reached_and_less_noise_breaks_it() -> None:
    """A value far too frequent for the others' records; half the noise, twice the evidence."""
    grid = tiny()
    counts = grid.counts(np.array([0, 1, 3, 5]))
    shown = counts + np.array([[-50, -50, 50]])
    epsilon = 0.5
    person = np.array([5])
    found = private.beliefs(grid, person, [counts] * 2, [shown] * 2, epsilon)
    # prior 1/6 and odds against every other value e^{2 ε}: the largest factor there can be.
    odds = math.exp(2 * epsilon)
    assert found.largest == pytest.approx(odds / (1 / 6 * odds + 5 / 6))
    assert found.largest <= found.bound
    twice = private.beliefs(grid, person, [counts] * 2, [shown] * 2, 4 * epsilon)
    assert twice.largest > found.bound


def test_without_data_it_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("HEDGEROW_DATA", str(tmp_path))
    assert main(["--quick"]) == 2
    assert "adult/adult.data is not at hand" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["--quick", "--write-docs"])


@pytest.mark.slow
def test_page_and_figures_of_a_small_town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private, "LEVELS", {"sex": 0, "place": 1})
    setting = Setting(seeds=(1,), ks=(2, 10), ls=(2,), ts=(0.5,), epsilons=(1.0,))
    lab = Laboratory(town(), setting)
    e = Experiment(lab, lab, (), setting)
    noisy = [private.attack(lab.census, setting.seeds, epsilon) for epsilon in (None, 1.0)]
    monkeypatch.setattr("examples.composition_attacks.page_private.LEVELS", private.LEVELS)
    written = page.page(e, noisy)
    assert "**100 %** of the targets" in written
    assert "nan" not in written
    for name, chart in figures.figures(e, noisy).items():
        assert f"figures/{name}.svg" in written
        assert chart.save(tmp_path / f"{name}.svg").stat().st_size < 100_000
    rows = list(csv.DictReader(io.StringIO(scores(e))))
    assert {row["seed"] for row in rows} == {"1"}
    assert {row["k"] for row in rows} == {"2", "3", "5", "10"}
    assert all(float(row["inside"]) == 1 for row in rows
               if row["located"] != "values known" and row["targets"] == "both")  # fmt: skip


@cache
def quick() -> Experiment:
    folder = os.environ.get("HEDGEROW_DATA")
    needed = (data.ADULT, *data.IPUMS.values())
    if not folder or not all((Path(folder) / file).is_file() for file in needed):
        pytest.skip("needs the real data: set HEDGEROW_DATA to its folder")
    return Experiment.quick()


@pytest.mark.data
def test_censuses() -> None:
    e = quick()
    assert e.adult.census.people == 30_162
    assert len(e.adult.census.quasi) == len(e.ipums.census.quasi) == 7
    assert e.ipums.census.people == 7_019
    assert data.ipums(tuple(data.IPUMS)).people == 7_019 + 7_485 + 8_844
    assert "?" not in data.ipums(working=True).truth(np.arange(100))
    assert len(set(e.adult.census.truth(np.arange(30_162)))) == 14


@pytest.mark.slow
@pytest.mark.data
def test_perfect_breach_falls_with_k() -> None:
    e = quick()
    for lab in e.both:
        for methods, way in SCENARIOS.values():
            for smaller, larger in pairwise(e.setting.ks):
                before = lab.scores(methods, Claims(k=smaller), way=way)
                after = lab.scores(methods, Claims(k=larger), way=way)
                assert all(a.perfect > b.perfect for a, b in zip(before, after, strict=True))
                assert all(a.posterior < b.posterior for a, b in zip(before, after, strict=True))


@pytest.mark.data
@pytest.mark.parametrize(
    ("which", "methods", "k", "working", "low", "high"),
    [
        ("adult", BOTH, 2, False, 0.25, 0.50),
        ("adult", BOTH, 5, False, 0.01, 0.08),
        ("adult", (RELAXED, RELAXED), 5, False, 0.01, 0.10),
        ("adult", (MICRO, MICRO), 5, False, 0.06, 0.16),
        ("ipums", BOTH, 5, False, 0.35, 0.60),
        ("ipums", (MICRO, MICRO), 5, False, 0.50, 0.70),
        ("ipums", BOTH, 5, True, 0.04, 0.16),
    ],
)
def test_perfect_breach_in_its_band(
    which: str, methods: tuple[str, str], k: int, working: bool, low: float, high: float
) -> None:
    lab: Laboratory = getattr(quick(), which)
    for score in lab.scores(methods, Claims(k=k), working=working):
        assert low < score.perfect < high
        assert score.right == score.perfect


@pytest.mark.data
def test_numbers_the_paper_is_remembered_for() -> None:
    """Around 12 % on Adult and 60 % on IPUMS at k = 5: clusters of microaggregation told apart."""
    e, micro = quick(), (MICRO, MICRO)
    for lab, paper in ((e.adult, 0.12), (e.ipums, 0.60)):
        (score,) = lab.scores(micro, Claims(k=5), way="cluster known")
        assert score.perfect == pytest.approx(paper, abs=0.06)
        assert score.partition == pytest.approx(5, abs=0.1)
        assert score.inside == 1


@pytest.mark.data
def test_truth_is_possible_and_anonymity_is_ordered() -> None:
    for lab in quick().both:
        for method in (STRICT, RELAXED, TAXONOMY):
            for score in lab.scores((method, method), Claims(k=5), way="values known"):
                assert score.inside == 1
                assert score.right == score.perfect
                assert score.named > score.common
        for k in (2, 5, 10):
            (score,) = lab.scores(BOTH, Claims(k=k))
            assert k < score.partition
            assert score.posterior < score.least < score.prior < score.partition
        strict = lab.scores(BOTH, Claims(k=5))
        assert strict == lab.scores(BOTH, Claims(k=5), way="values known")


@pytest.mark.data
def test_nearest_centroids_are_right_two_times_in_three() -> None:
    for lab in quick().both:
        assert 0.55 < lab.located(Claims(k=5)).mean < 0.75
        (score,) = lab.scores((MICRO, MICRO), Claims(k=5), way="values known")
        assert 0.5 < score.inside < 0.9
        assert score.right < score.perfect


@pytest.mark.data
def test_who_is_not_in_both_is_found_out_or_misjudged() -> None:
    lab = quick().adult
    (both,), (only,), (neither,) = (
        lab.scores(BOTH, Claims(k=5), way="values known", who=who)
        for who in ("both", "only first", "neither")
    )  # fmt: skip
    assert both.ruled_out == 0 < only.ruled_out < neither.ruled_out
    assert neither.right < only.right < only.perfect
    guess, truth = lab.estimated_overlap(STRICT, Claims(k=5))
    assert guess.mean == pytest.approx(truth.mean, abs=0.1)


@pytest.mark.data
def test_diversity_and_closeness_help_by_making_groups_larger() -> None:
    for lab in quick().both:
        (plain,) = lab.scores(BOTH, Claims(k=10))
        for claims in (Claims(k=10, l=5), Claims(k=10, t=0.4)):
            (score,) = lab.scores(BOTH, claims)
            assert score.inside == 1
            assert score.partition > 1.5 * plain.partition
            assert score.pvp[4] < plain.pvp[4]
            assert score.vulnerable > 0.2


@pytest.mark.data
def test_differential_privacy_keeps_its_bounds() -> None:
    plain, *noisy = attacked(quick())
    assert plain.right.value == 1
    assert plain.named.succeeded
    for n in noisy:
        for b in n.beliefs:
            assert 1 < b.largest <= b.bound
            assert 1 / b.bound <= b.smallest < 1
            assert 0 < b.distance <= b.distance_bound
            assert b.named.value <= b.bound * b.prior_named
        assert n.epsilon is not None
        assert n.named.control is not None
        assert n.named.found.value <= n.beliefs[0].bound * n.named.control.value
        # One value left is no more than a guess.
        assert n.right.value < 0.7
    least = noisy[-1]
    assert least.epsilon == 0.5
    assert not least.named.found.interval()[0] > 1.2 * least.named.control.value  # type: ignore[union-attr]
    assert least.right.interval()[0] <= least.control_right.interval()[1]


def texts(path: Path) -> list[str]:
    """What can be read on a figure, and what a screen reader says of its marks."""
    found = []
    for element in ElementTree.parse(path).iter():
        found += [element.text] if element.tag.endswith("}text") and element.text else []
        found += [str(element.get("aria-label"))] if element.get("aria-label") else []
    return found


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.skipif(
    "HEDGEROW_FULL" not in os.environ, reason="takes minutes; HEDGEROW_FULL=1 runs it"
)
def test_page_and_figures_are_what_the_script_writes(tmp_path: Path) -> None:
    quick()
    e = Experiment.full()
    noisy = attacked(e)
    again = "rewrite it: python -m examples.composition_attacks --write-docs"
    for name, chart in figures.figures(e, noisy).items():
        # Coordinates depend on the fonts of the machine, words and numbers do not.
        committed = ROOT / "docs" / "figures" / f"{name}.svg"
        assert texts(chart.save(tmp_path / f"{name}.svg")) == texts(committed), again
    written = (ROOT / "docs" / "composition_attacks.md").read_text("utf-8")
    assert written == page.page(e, noisy), again


def test_figures_of_the_page_are_there_and_small() -> None:
    written = (ROOT / "docs" / "composition_attacks.md").read_text("utf-8")
    named = re.findall(r"\]\((figures/[^)]+)\)", written)
    assert len(named) == len(set(named)) == 6
    for figure in named:
        assert 1_000 < (ROOT / "docs" / figure).stat().st_size < 100_000, figure
