"""Beliefs of attackers who have a prior, against plain enumeration that shares no code.

Everybody is there in the enumeration, those who are not on the list as well: each draws a value
from the prior, one after another. What an attacker believes is the share of all that fits.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from hedgerow import ClassI, ClassIII, Prior, attack
from hedgerow.attacks.attacker_prior import ColumnPrior
from hedgerow.attacks.crowd_belief import crowd_belief
from hedgerow.attacks.person_belief import PersonBelief, belief_about
from hedgerow.attacks.person_scene import SeenColumn
from hedgerow.attacks.suite import read_releases
from hedgerow.base.errors import HedgerowError, PlanError
from hedgerow.cli import app
from hedgerow.table.location import locate
from hedgerow.table.targets import Targets

VALUES = "abcd"
STORIES = 24


@dataclass(frozen=True)
class Story:
    """People of a list, and releases with one record a person, grouped by one column each."""

    where: tuple[tuple[int, ...], ...]
    """Of each person on the list, a number for each release."""
    releases: tuple[tuple[tuple[int, int, str], ...], ...]
    """Records: from which number on, up to which, and the value."""
    shape: dict[str, int]
    stubbornness: Fraction | None

    def fits(self, person: int, release: int) -> list[int]:
        here = self.where[person][release]
        found = enumerate(self.releases[release])
        return [i for i, (low, high, _) in found if low <= here <= high]

    def likely(self, values: Sequence[str]) -> Fraction:
        """How likely people have these values, drawn one after another."""
        total, found = sum(self.shape.values()), Fraction(1)
        for i, value in enumerate(values):
            share = Fraction(self.shape[value], total)
            if self.stubbornness is not None:
                seen = sum(1 for before in values[:i] if before == value)
                share = (share * self.stubbornness + seen) / (self.stubbornness + i)
            found *= share
        return found

    def owners(self, release: int, listed: Sequence[int], sure: set[int]) -> Iterator[list[int]]:
        """Whose each record may be; -1: of somebody who is not on the list."""
        records = self.releases[release]
        fitting = [i for i in listed if self.fits(i, release)]
        strangers = max(0, len(records) - len(fitting))
        needed = {i for i in fitting if i in sure or len(fitting) <= len(records)}

        def go(so_far: list[int]) -> Iterator[list[int]]:
            if len(so_far) == len(records):
                if needed <= set(so_far) and so_far.count(-1) == strangers:
                    yield so_far
                return
            for owner in (-1, *fitting):
                if owner == -1 or (
                    owner not in so_far and len(so_far) in self.fits(owner, release)
                ):
                    yield from go([*so_far, owner])

        yield from go([])

    def belief(self, person: int, listed: Sequence[int]) -> dict[str, Fraction]:
        """Of somebody on the list, to whoever knows the people on it."""
        found = dict.fromkeys(self.shape, Fraction(0))

        def go(release: int, has: dict[int, str], others: list[str]) -> None:
            if release < len(self.releases):
                for owners in self.owners(release, listed, {person}):
                    now, strangers = dict(has), list(others)
                    for owner, (_, _, value) in zip(owners, self.releases[release], strict=True):
                        if owner == -1:
                            strangers.append(value)
                        elif now.setdefault(owner, value) != value:
                            break
                    else:
                        go(release + 1, now, strangers)
                return
            # Whoever has no record says nothing: all values they may have add up to 1.
            found[has[person]] += self.likely([*has.values(), *others])

        go(0, {}, [])
        total = sum(found.values())
        return {value: share / total for value, share in found.items()} if total else {}


def drawn(seed: int) -> Story:
    random = Random(seed)
    many, values = random.randint(2, 5), VALUES[: random.randint(2, 3)]
    truth = [random.choice(values) for _ in range(many)]
    where, releases = [[0, 0] for _ in range(many)], []
    for r in range(random.choice([1, 2, 2])):
        spans = random.choice([[(0, 4), (5, 9)], [(0, 9)], [(0, 6), (4, 9)]])
        low = random.choice([1.0, 1.0, 0.7])
        rows = []
        for i in range(many):
            span = random.choice(spans)
            where[i][r] = random.randint(*span)
            if i == 0 or random.random() < low:
                rows.append((*span, truth[i]))
        rows += [(*random.choice(spans), random.choice(values))
                 for _ in range(random.choice([0, 0, 1, 2]))]  # fmt: skip
        releases.append(tuple(rows))
    list_of = many - random.choice([0, 0, 1]) if many > 2 else many
    shape = {value: random.randint(1, 6) for value in VALUES[: len(values) + random.randint(0, 1)]}
    sigma = random.choice([None, Fraction(1), Fraction(3), Fraction(7, 2), Fraction(40)])
    return Story(tuple(map(tuple, where[:list_of])), tuple(releases), shape, sigma)


def written(story: Story, folder: Path) -> tuple[list[str], str]:
    folder.mkdir(exist_ok=True)
    paths = []
    for r, rows in enumerate(story.releases):
        text = "".join(f"{low}-{high},{value}\n" for low, high, value in rows)
        paths.append(str(folder / f"r{r}.csv"))
        Path(paths[-1]).write_text(f"q{r},ill\n{text}", "utf-8")
    people = "".join(f"p{i},{a},{b}\n" for i, (a, b) in enumerate(story.where))
    (folder / "people.csv").write_text(f"name,q0,q1\n{people}", "utf-8")
    return paths, str(folder / "people.csv")


def told(story: Story, folder: Path, *, listed: bool = True) -> PersonBelief:
    paths, people = written(story, folder)
    who = {"name": "p0"}
    if not listed:
        who = {f"q{r}": str(story.where[0][r]) for r in range(len(story.releases))}
    return belief_about(
        paths, who, register=people if listed else None, sensitive=["ill"],
        prior={"shape": story.shape}, stubbornness=story.stubbornness,
    )  # fmt: skip


def wrong(story: Story, folder: Path) -> int:
    """How many beliefs in values are not those of the enumeration; -1 where some are bounds."""
    found = told(story, folder)
    alone, everybody = story.belief(0, [0]), story.belief(0, range(len(story.where)))
    total = sum(story.shape.values())
    missed, bounded = 0, False
    for one in found.beliefs:
        assert isinstance(one.value, str)
        missed += one.before != pytest.approx(story.shape[one.value] / total)
        missed += one.alone != pytest.approx(float(alone[one.value]), abs=1e-12)
        if len(story.where) == 1 or not everybody:
            missed += one.listed is not None
            continue
        assert one.listed is not None
        low, high = one.listed
        bounded |= low != high
        missed += not low - 1e-12 <= float(everybody[one.value]) <= high + 1e-12
    return missed or (-1 if bounded else 0)


def test_beliefs_are_those_of_all_worlds(tmp_path: Path) -> None:
    said = [wrong(drawn(seed), tmp_path / str(seed)) for seed in range(STORIES)]
    assert all(one <= 0 for one in said), said
    assert said.count(0) > STORIES * 2 / 3


@pytest.mark.parametrize("mistake", ["twice", "urn"])
def test_a_mistake_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mistake: str) -> None:
    factor, weighed = ColumnPrior.factor, ColumnPrior.weighed
    if mistake == "twice":  # each release brings the prior along
        monkeypatch.setattr(ColumnPrior, "factor", lambda self, many: factor(self, 0))
    else:  # nobody says anything of others
        monkeypatch.setattr(
            ColumnPrior, "weighed", lambda self, one: replace(weighed(self, one) or one, urn=None)
        )
    assert any(wrong(drawn(seed), tmp_path / str(seed)) > 0 for seed in range(STORIES))


def test_everybody_at_once(tmp_path: Path) -> None:
    """`--method belief` says of each what `--person` says."""
    counted = 0
    for seed in range(STORIES):
        story = drawn(seed)
        paths, people = written(story, tmp_path / str(seed))
        releases = read_releases(paths, sensitive=["ill"])
        prior = Prior.shape(story.shape)
        held: Any = ClassIII(prior=prior)
        if story.stubbornness is not None:
            held = ClassI(prior=prior, stubbornness=story.stubbornness)
        rows = Targets.read(people)
        seen = SeenColumn.read(releases, "ill").expected(held)
        found = crowd_belief(seen, [locate(one, rows) for one in releases])
        for i in range(len(story.where)):
            k = int(found.kind[i])
            if not found.present[k]:
                continue
            alone, everybody = story.belief(i, [i]), story.belief(i, range(len(story.where)))
            for v, value in enumerate(seen.values):
                assert isinstance(value, str)
                assert found.alone[k, v] == pytest.approx(float(alone.get(value, 0)), abs=1e-12)
                if everybody:
                    belief = float(everybody[value])
                    assert found.low[k, v] - 1e-12 <= belief <= found.high[k, v] + 1e-12
            counted += bool(found.exact[k])
    assert counted > STORIES


def test_without_a_list(tmp_path: Path) -> None:
    for seed in range(20):
        story = drawn(seed)
        found = told(story, tmp_path / str(seed), listed=False)
        expected = story.belief(0, [0])
        for one in found.beliefs:
            assert isinstance(one.value, str)
            assert one.alone == pytest.approx(float(expected[one.value]), abs=1e-12)


def hospitals(folder: Path) -> list[str]:
    """Two groups of three, and the person is in both."""
    paths = [str(folder / "first.csv"), str(folder / "second.csv")]
    Path(paths[0]).write_text("age,ill\n20-29,flu\n20-29,flu\n20-29,HIV\n", "utf-8")
    Path(paths[1]).write_text("zip,ill\n13*,flu\n13*,HIV\n13*,HIV\n", "utf-8")
    return paths


def test_two_releases_count_the_prior_once(tmp_path: Path) -> None:
    """2/3 · 1/3 : 1/3 · 2/3 without a prior. With shares of 9 to 1 it is 1/9 : 1.

    With a stubbornness of 10 the six records count, too: of 9 + 3 and 1 + 3 less the person's own.
    """
    releases, known = hospitals(tmp_path), {"age": "25", "zip": "130"}
    shape = {"shape": {"flu": 9, "HIV": 1}}

    def alone(**more: Any) -> dict[Any, float]:
        found = belief_about(releases, known, sensitive=["ill"], **more)
        return {one.value: one.alone for one in found.beliefs}

    assert alone()["HIV"] == 0.5
    assert alone(prior=shape)["HIV"] == pytest.approx(0.9)
    assert alone(prior=shape, stubbornness=10)["HIV"] == pytest.approx(11 / 14)
    assert alone(prior=shape, stubbornness="infinite") == alone(prior=shape)
    assert alone(prior="uniform")["HIV"] == 0.5


def test_one_release_says_the_same_to_every_prior(tmp_path: Path) -> None:
    releases = hospitals(tmp_path)[:1]
    none: dict[str, Any] = {}
    for more in (none, {"stubbornness": 3}):
        found = belief_about(
            releases, {"age": "25"}, sensitive=["ill"],
            prior={"shape": {"flu": 1, "HIV": 3}}, **more,
        )  # fmt: skip
        assert [(one.value, one.before) for one in found.beliefs] == [("flu", 0.25), ("HIV", 0.75)]
        assert [one.alone for one in found.beliefs] == pytest.approx([2 / 3, 1 / 3])


def test_forms_are_those_of_a_plan(tmp_path: Path) -> None:
    """A file of other people counts each value once more, as in epsilon-privacy."""
    releases, file = hospitals(tmp_path), tmp_path / "others.csv"
    file.write_text("ill,count\nflu,8\nHIV,0\nacne,9\n", "utf-8")
    known = {"age": "25", "zip": "130"}
    for prior in (
        str(file), file, {"file": str(file)}, {"counts": {"flu": 8, "HIV": 0, "acne": 9}},
        Prior.counts({"flu": 8, "acne": 9}), "{shape: {flu: 9, HIV: 1, acne: 10}}",
    ):  # fmt: skip
        found = belief_about(releases, known, sensitive=["ill"], prior=prior)
        assert {one.value: (one.before, pytest.approx(one.alone)) for one in found.beliefs} == {
            "flu": (0.45, 0.1), "HIV": (0.05, 0.9), "acne": (0.5, 0.0)
        }  # fmt: skip


@pytest.mark.parametrize(
    ("prior", "stubbornness", "words"),
    [
        (None, 3, "there is none"),
        ("uniform", 0.5, "must be at least 1"),
        ("uniform", "much", "must be a number"),
        ({"shape": {"flu": 1}}, None, "no chance to 'HIV'"),
        ({"shape": {"flu": 1, "hiv": 1}}, None, "spells values otherwise"),
        ({"shape": {"flu": 0}}, None, "a number above 0"),
        ({"shap": {"flu": 1}}, None, "shap"),
        ("nowhere.csv", None, "nowhere.csv"),
        ("{shape", None, "not a readable"),
    ],
)
def test_mistakes_are_told(tmp_path: Path, prior: Any, stubbornness: Any, words: str) -> None:
    releases = hospitals(tmp_path)
    with pytest.raises(HedgerowError, match=words):
        belief_about(
            releases, {"age": "25", "zip": "130"}, sensitive=["ill"], prior=prior,
            stubbornness=stubbornness,
        )  # fmt: skip


def test_other_attacks_have_no_prior(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="those of the attack belief"):
        attack(hospitals(tmp_path), sensitive=["ill"], prior="uniform")


def test_the_commands(tmp_path: Path) -> None:
    releases, people = hospitals(tmp_path), tmp_path / "people.csv"
    people.write_text(
        "name,age,zip\nAnn,21,130\nBob,22,130\nCem,23,130\nDora,24,150\n", "utf-8"
    )  # fmt: skip
    more = ["--sensitive", "ill", "--register", str(people), "--json"]
    more += ["--prior", "{shape: {flu: 9, HIV: 1}}", "--stubbornness", "10"]
    runner = CliRunner()
    one = runner.invoke(app, ["attack", *releases, *more, "--person", "name=Ann"])
    assert one.exit_code == 0, one.output
    said = json.loads(one.stdout)
    assert [b["before"] for b in said["beliefs"]] in ([0.9, 0.1], [0.1, 0.9])
    assert "Before stands what the attacker expects" in said["sentences"][0]
    everybody = runner.invoke(app, ["attack", *releases, *more, "--method", "belief"])
    assert everybody.exit_code in (0, 1), everybody.output
    (told_,) = json.loads(everybody.stdout)["attacks"]
    assert any("stubbornness 10" in line for line in told_["sentences"])
    mine = {b["value"]: b for b in said["beliefs"]}
    loser = told_["detail"]["losers"][0]
    assert loser["before"] == mine[loser["value"]]["before"]
