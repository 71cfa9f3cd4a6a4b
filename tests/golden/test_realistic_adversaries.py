"""Machanavajjhala, Gehrke, Goetz 2009: Example 3, Table 3 and the experiment of section 4.

The formulas below are the paper's theorems solved for epsilon, in exact fractions or plain
numpy, and share nothing with the models.
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))


from examples.realistic_adversaries import census, claims, figures, hospital, page, paper  # noqa: E402
from examples.realistic_adversaries.__main__ import main, table_5  # noqa: E402
from hedgerow import ClassI, Prior  # noqa: E402
from hedgerow.claims.worlds.belief import believed  # noqa: E402
from hedgerow.claims.worlds.knowledge import Knowledge  # noqa: E402

Counts = tuple[tuple[int, ...], ...]

GOTHAM: Counts = ((200, 300), (1_800, 2_700), (18_000, 2_000))


def solved(counts: Counts, by: str, prior: tuple[Fraction, ...] | None, sigma: int | None) -> list[
    Fraction | None
]:  # fmt: skip
    """The smallest epsilon of each group; `prior` is sigma(s), or the shape if sigma is None."""
    levels: list[Fraction | None] = []
    for group in counts:
        n, worst = sum(group), Fraction(1)
        broken = False
        for s, held in enumerate(group):
            if not held:
                continue
            f = Fraction(held, n)
            own = prior[s] if prior is not None else Fraction(1)
            if f == 1:
                broken = True
            elif sigma is None:
                worst = max(worst, f / own, (1 - own) / (1 - f))
            elif by == "exact":
                p_out = (held + own - 1) / (n + sigma - 1)
                worst = max(worst, f / p_out, (1 - p_out) / (1 - f))
            else:
                x, a = Fraction(n, sigma), (own - 1) / sigma
                worst = max(worst, f * (1 + x) / (a + f * x))
                worst = max(worst, ((1 - a) / (1 - f) + x) / (1 - Fraction(1, sigma) + x))
        levels.append(None if broken else worst)
    return levels


METROPOLIS = (Fraction(12_000), Fraction(18_000))
SHAPE = (Fraction(2, 5), Fraction(3, 5))


@pytest.mark.parametrize(
    ("case", "prior", "sigma", "groups", "table"),
    [
        (0, METROPOLIS, 30_000, (1.000115, 1.000101, 4.000280), 4.000280),
        (1, None, 1_000, (3, 1.272959, 1.428639), 3),
        (2, None, 30_000, (61, 7.666667, 6.400128), 61),
        (3, SHAPE, None, (1, 1, 6), 6),
    ],
)
def test_table_3_to_all_digits(
    case: int,
    prior: tuple[Fraction, ...] | None,
    sigma: int | None,
    groups: tuple[float, ...],
    table: float,
) -> None:
    adversary = hospital.CASES[case].adversary
    theorem = hospital.levels(adversary, "theorem")
    assert theorem == pytest.approx(groups, abs=5e-7)
    assert max(theorem) == pytest.approx(table, abs=5e-7)
    for by in ("theorem", "exact"):
        ours = hospital.levels(adversary, by)  # type: ignore[arg-type]
        assert ours == pytest.approx([float(e or 0) for e in solved(GOTHAM, by, prior, sigma)],
                                     rel=1e-12)  # fmt: skip


def test_example_3_is_right_and_the_text_after_theorem_1_is_not() -> None:
    alice = hospital.CASES[0].adversary
    assert max(hospital.levels(alice, "exact")) == pytest.approx(4.000080, abs=5e-7)
    for epsilon, holds in ((2.5, False), (4, False), (4.0003, True)):
        verdict = hospital.model(alice, "theorem", epsilon).check(hospital.TABLE_3)
        assert verdict.holds is holds
    # R1 (a) holds with equality, R2 does not.
    assert Fraction(30_000) / (Fraction(5, 2) - 1) == 20_000
    share, allowed = hospital.second_rule(Fraction(5, 2))
    assert (share, round(float(allowed), 6)) == (Fraction(9, 10), 0.828558)


def test_beliefs_about_rachel() -> None:
    believed = [hospital.rachel(hospital.CASES[i].adversary) for i in (0, 2, 3)]
    nine = Fraction(9, 10)
    assert believed == [
        (nine, Fraction(29_999, 49_999)), (nine, Fraction(18_000, 49_999)), (nine, Fraction(2, 5)),
    ]  # fmt: skip


@pytest.mark.parametrize("group", range(3))
@pytest.mark.parametrize("value", ["flu", "cancer"])
def test_beliefs_of_table_3_are_those_of_all_worlds(group: int, value: str) -> None:
    """Appendix A: p_in is the share of the group whatever the attacker believed before.

    p_out: class III keeps the prior; class I and II draw the person from the others of the group
    and from those of their data, to which every value adds one (Equation 9).
    """
    counts, people = GOTHAM[group], sum(GOTHAM[group])
    code = ["flu", "cancer"].index(value)
    share = Fraction(counts[code], people)
    for case, prior in ((0, METROPOLIS), (2, None), (3, SHAPE)):
        said = next(
            belief
            for belief in hospital.model(hospital.CASES[case].adversary, "exact").beliefs(
                hospital.TABLE_3, group
            )
            if belief.predicate == value and (prior is not None or belief.expected < 0.1)
        )
        alone = Knowledge.of_groups([[counts]], [[[0]]], listed=False)
        found = believed(alone)
        assert found.between(0, code) == (said.p_in, said.p_in) == (share, share)
        others = list(counts)
        others[code] -= 1
        if case == 3:  # in no release, and sure of the shape
            without = replace(Knowledge.of_groups([[others]], [[[]]], listed=False),
                              weights=(SHAPE,))  # fmt: skip
        else:
            least = [Fraction(29_999)] * 2
            least[code] = Fraction(1)
            drawn = [n + int(m) for n, m in zip(others, prior or least, strict=True)]
            without = Knowledge.of_groups([[drawn]], [[[0]]], listed=False)
        assert believed(without).between(0, code) == (said.p_out, said.p_out)


def test_a_prior_that_all_share_changes_no_belief_in_who_is_listed() -> None:
    """All 500 men under 40, with a prior of (2/5, 3/5) for each: still 200 of 500 have flu."""
    listed = replace(Knowledge.of_groups([[GOTHAM[0]]], [[[0]]], people=[500]), weights=(SHAPE,))
    assert believed(listed).between(0, 0) == (Fraction(2, 5), Fraction(2, 5))


def test_class_i_becomes_class_iii_as_stubbornness_grows() -> None:
    """The same shape, ever more stubborn: p_out goes to the prior that the engine takes."""
    far = []
    for power in (6, 8, 10):
        adversary = ClassI(prior=Prior.shape({"flu": 0.4, "cancer": 0.6}), stubbornness=10**power)
        far.append(abs(hospital.rachel(adversary)[1] - SHAPE[0]))
    kept = replace(Knowledge.of_groups([[[0, 0]]], [[[]]], listed=False), weights=(SHAPE,))
    assert believed(kept).between(0, 0)[0] == SHAPE[0]
    assert far[0] > 50 * far[1] > 50 * 50 * far[2] > 0


def test_nothing_helps_against_class_iv() -> None:
    assert hospital.levels(hospital.CASES[4].adversary, "exact") == (math.inf,) * 3


def test_misprints_of_table_5() -> None:
    assert paper.table_breaks() == [(5, 0, 0, 1)]
    assert paper.implied_size((5, 1, 0, 1)) == pytest.approx(59_000, rel=0.01)
    assert paper.implied_as_table((5, 1, 0, 1)) == pytest.approx(3.16, abs=0.005)
    assert paper.implied_any_shape((5, 0, 0, 1)) == pytest.approx(208, abs=0.5)
    # In all rows but these two R2 decides both columns, for the rarer value.
    first_rule = {(5, 2, 0, 1), (5, 2, 0, 0)}
    for node, (*_, d, c) in paper.TABLE_5.items():
        assert (abs(d / c - 0.5 / paper.HIGH) < 0.01) is (node not in first_rule), node


def test_without_data_it_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for folder in ("", str(tmp_path)):
        monkeypatch.setenv("HEDGEROW_DATA", folder)
        assert main(["--to", str(tmp_path / "out")]) == 2
        told = capsys.readouterr()
        assert "4.000280" in told.out, "the example needs no data"
        assert "census_income_5.csv.gz is not at hand" in told.err
        assert "Set HEDGEROW_DATA" in told.err
    assert not (tmp_path / "out").exists()


def test_rounding_never_promises_more() -> None:
    assert [page.up(x) for x in (1.0, 1.001, 2.5, 6.4001, 1234.2, math.inf)] == [
        "1.00", "1.01", "2.50", "6.41", "1,235", "∞",
    ]  # fmt: skip
    for level in np.random.default_rng(1).uniform(1, 3000, 500):
        assert float(page.up(level).replace(",", "")) >= level - 1e-6


def people(seed: int, rows: int) -> pd.DataFrame:
    """A small table with the columns of census-income."""
    rng = np.random.default_rng(seed)
    pick = {
        "age": [str(a) for a in rng.integers(0, 91, rows)],
        "marital_status": rng.choice(["Never married", *census.MARRIED], rows),
        "race": rng.choice(["White", "Black", "Other"], rows, p=[0.8, 0.15, 0.05]),
        "sex": rng.choice(["Female", "Male"], rows),
        "salary_class": rng.choice(["<=50K", ">50K"], rows, p=[0.7, 0.3]),
        "part": ["train"] * rows,
        "year": ["94"] * rows,
    }
    return pd.DataFrame(pick)


def generalised(frame: pd.DataFrame, node: tuple[int, ...]) -> Counts:
    """The groups of a node, by pandas: (low, high) salaries of each."""
    age, marital, race, sex = node
    width = (1, 5, 10, 20, 40, 1000)[age]
    keys = [
        frame["age"].astype(int) // width,
        frame["marital_status"] if marital == 0
        else frame["marital_status"].eq("Never married") if marital == 1
        else pd.Series(0, frame.index),
        frame["race"] if race == 0 else pd.Series(0, frame.index),
        frame["sex"] if sex == 0 else pd.Series(0, frame.index),
    ]  # fmt: skip
    high = frame["salary_class"].eq(">50K").to_numpy()
    weight = frame["n"].to_numpy() if "n" in frame else np.ones(len(frame), np.int64)
    found: Counter[tuple[object, bool]] = Counter()
    for key, is_high, n in zip(zip(*keys, strict=True), high, weight, strict=True):
        found[key, bool(is_high)] += int(n)
    return tuple(
        (found[key, False], found[key, True]) for key in dict.fromkeys(k for k, _ in found)
    )


ADVERSARIES = {
    "A_d": (census.uniform, lambda p, s: (s / 2, s / 2)),
    "A_c": (census.as_table, lambda p, s: ((1 - p) * s, p * s)),
    "A_-": (census.any_shape, None),
}


def compare(e: census.Experiment, frame: pd.DataFrame, nodes: list[tuple[int, ...]]) -> None:
    """Levels, sizes, distances and ratios of the experiment against pandas and fractions."""
    for node in nodes:
        counts = generalised(frame, node)
        n = [sum(group) for group in counts]
        total = sum(n)
        p = Fraction(sum(high for _, high in counts), total)
        assert sorted(e.groups[node].n.tolist()) == sorted(n)
        assert e.discernibility[node] == sum(size**2 for size in n)
        assert e.average_size[node] == pytest.approx(total / len(n))
        far = max(abs(Fraction(high, low + high) - p) for low, high in counts)
        assert e.distance[node] == pytest.approx(float(far), abs=1e-12)
        mixed = all(low and high for low, high in counts)
        assert (node in e.homogeneous) is not mixed
        worst = max((Fraction(max(g), min(g)) for g in counts), default=None) if mixed else None
        assert e.ratio[node] == worst
        for family, prior in ADVERSARIES.values():
            for sigma in (10**3, 10**6, None):
                if sigma is None and prior is None:
                    continue
                scale = Fraction(1) if sigma is None else Fraction(sigma)
                given = prior(p, scale) if prior else None
                for by in ("theorem", "exact"):
                    levels = solved(counts, by, given, sigma)
                    wanted = math.inf if None in levels else float(max(x for x in levels if x))
                    adversary = family(math.inf if sigma is None else sigma)
                    found = e.levels(adversary, by)[node]  # type: ignore[arg-type]
                    assert found == pytest.approx(wanted, rel=1e-9)


def test_the_experiment_on_a_small_table() -> None:
    frame = people(seed=3, rows=3000)
    e = census.Experiment.of(frame)
    assert e.people == 3000
    assert len(e.nodes) == 72
    assert len(e.edges) == 180
    assert set(e.nodes) == set(product(range(6), range(3), range(2), range(2)))
    compare(e, frame, [(5, 2, 1, 1), (5, 1, 1, 0), (4, 2, 1, 1), (5, 0, 1, 1), (3, 1, 1, 1),
                       (2, 1, 0, 1)])  # fmt: skip
    for finding in claims.findings(e):
        assert 0 <= finding.holds <= finding.of, finding.name


def texts(path: Path) -> list[str]:
    """What can be read on a figure, and what a screen reader says of its marks."""
    found = []
    for element in ElementTree.parse(path).iter():
        found += [element.text] if element.tag.endswith("}text") and element.text else []
        found += [str(element.get("aria-label"))] if element.get("aria-label") else []
    return found


@cache
def experiment() -> census.Experiment:
    folder = os.environ.get("HEDGEROW_DATA")
    if not folder or not (Path(folder) / census.FILE).is_file():
        pytest.skip("needs the real data: set HEDGEROW_DATA to its folder")
    return census.Experiment.from_environment()


@pytest.mark.data
def test_census_against_pandas_and_fractions() -> None:
    e = experiment()
    columns = ["age", "marital_status", "race", "sex", "salary_class"]
    frame = pd.read_csv(Path(os.environ["HEDGEROW_DATA"]) / census.FILE, usecols=columns)
    frame = frame.groupby(columns).size().rename("n").reset_index()
    assert e.people == int(frame["n"].sum()) == 299_285
    compare(e, frame, [node for node, _ in e.table_5()] + [(3, 2, 1, 1), (4, 2, 0, 1)])


@pytest.mark.data
def test_census_table_5() -> None:
    rows = dict(experiment().table_5())
    assert len(rows) == 14
    assert rows[5, 2, 1, 1] == pytest.approx([6.433, 1.000, 1.050, 12.636, 8.059, 1],
                                             abs=5e-4)  # fmt: skip
    assert rows[5, 1, 1, 0] == pytest.approx([51.570, 6.451, 2.699, 103.081, 54.748, 6.793],
                                             abs=5e-4)  # fmt: skip
    assert table_5(experiment()).count("\n") == 1 + 2 * 72


@pytest.mark.data
def test_census_claims() -> None:
    found = {f.name: f for f in claims.findings(experiment())}
    kept = {
        "class I ≤ III, uniform shape": 576,
        "class I ≤ II, uniform shape": 576,
        "class I ≤ II, table's shape": 576,
        "ε grows with σ, class I, uniform": 504,
        "ε grows with σ, class II": 504,
        "monotone in the lattice": 1080,
        "(c,2)-diversity is A_d^∞((c+1)/2)": 1008,
        "the same, exactly at the boundary": 17,
        "t-close nodes are A_c^∞(ε_t)-private": 37,
        "the theorems are safe": 1728,
    }
    for name, of in kept.items():
        assert (found[name].holds, found[name].of) == (of, of), name
    broken = {
        "class I ≤ III, table's shape": (568, 576),
        "ε grows with σ, class I, table's shape": (497, 504),
        "“at most σ” is decided at σ, table's shape": (71, 72),
        "A_c^∞(ε_t)-private nodes are t-close": (8, 14),
        "class II at 10³ below class III": (6, 17),
        "no t is equivalent to A_c^∞(2.5)": (0, 1),
        "no t is equivalent to A_c^∞(30)": (1, 1),
        "class II against (4,2)-diversity": (3, 3),
        "class II against (59,2)-diversity": (2, 3),
    }
    for name, counts in broken.items():
        assert (found[name].holds, found[name].of) == counts, name
    # The exceptions are where the groups are just like the prior, and of no consequence.
    worst = claims.against(experiment(), census.as_table,
                           lambda _: census.as_table(math.inf), "theorem")  # fmt: skip
    assert worst.broken == {"[5,2,1,1]"}
    assert 1 < worst.worst < 1.0001


@pytest.mark.data
def test_the_page_is_what_the_script_writes() -> None:
    written = (ROOT / "docs" / "realistic_adversaries.md").read_text("utf-8")
    assert written == page.page(experiment()), (
        "rewrite it: python -m examples.realistic_adversaries --write-docs"
    )


@pytest.mark.data
def test_the_figures_are_what_the_script_draws(tmp_path: Path) -> None:
    folder = ROOT / "docs" / "figures"
    drawn = figures.figures(experiment())
    for name, chart in drawn.items():
        # Coordinates depend on the fonts of the machine, words and numbers do not.
        assert texts(chart.save(tmp_path / f"{name}.svg")) == texts(folder / f"{name}.svg"), name


def test_figures_of_the_page_are_there_and_small() -> None:
    written = (ROOT / "docs" / "realistic_adversaries.md").read_text("utf-8")
    named = re.findall(r"\]\((figures/[^)]+)\)", written)
    assert len(named) == len(set(named)) == 7
    for figure in named:
        size = (ROOT / "docs" / figure).stat().st_size
        assert 1_000 < size < 200_000, figure
