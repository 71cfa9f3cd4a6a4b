"""Composition as a claim: against plain sets, node by node; and what publish says and refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import hedgerow
from hedgerow.attacks.intersection import intersect
from hedgerow.base.errors import ClaimError, DataError, PlanError
from hedgerow.claims import Composition
from hedgerow.claims.composition import with_earlier
from hedgerow.claims.history import follow
from hedgerow.table.groups import Groups
from hedgerow.table.location import locate
from hedgerow.table.published_table import Published
from hedgerow.table.targets import Targets

WIDTHS = (2, 4, 8)
COLUMNS = {
    "age": {"role": "quasi-identifier", "hierarchy": {"ranges": list(WIDTHS)}},
    "ill": "sensitive",
}
Person = tuple[int, str | None]


def earlier_release(people: list[Person], cuts: list[int], folder: Path, name: str) -> Path:
    """Ages in ranges between the cuts, as any tool writes them."""
    ends = [0, *sorted(set(cuts)), 16]
    rows = []
    for age, ill in people:
        low = max(end for end in ends if end <= age)
        high = min(end for end in ends if end > age)
        rows.append((f"{low}-{high - 1}", ill))
    path = folder / name
    pd.DataFrame(rows, columns=["age", "ill"]).to_csv(path, index=False)
    return path


def drawn(rng: np.random.Generator, count: int, values: str) -> list[Person]:
    ages, found = rng.integers(0, 16, count), rng.choice(list(values), count)
    return [(int(age), str(value)) for age, value in zip(ages, found, strict=True)]


Rows = list[tuple[str, str | None]]


def in_common(age: int, own: str, group: set[str], releases: list[Rows]) -> int:
    """By hand: values of the group that every fitting group of a release with `own` has too."""
    values = set(group)
    for rows in releases:
        fits: dict[str, set[str | None]] = {}
        for label, ill in rows:
            low, high = map(int, label.split("-"))
            if low <= age <= high:
                fits.setdefault(label, set()).add(ill)
        for held in fits.values():
            if own in held:
                values &= {value for value in held if value is not None}
    return len(values)


def left(person: Person, group: set[str], releases: list[Rows]) -> int:
    """The most values m that are left, and that m values of the group would have left."""
    age, own = person
    assert own is not None
    each = {value: in_common(age, value, group, releases) for value in group}
    held = max(m for m in range(len(group) + 1) if sum(e >= m for e in each.values()) >= m)
    return min(each[own], held)


people_in = st.lists(
    st.tuples(st.integers(0, 15), st.sampled_from(["a", "b", "c", "d"])), min_size=6, max_size=24
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    people_in,
    st.lists(st.tuples(st.lists(st.integers(1, 15), max_size=4), st.integers(0, 5)), min_size=1,
             max_size=3),
    st.sampled_from([0.5, 0.34]),
    st.sampled_from([0, 0.2]),
)  # fmt: skip
@example(
    [(0, "a"), (0, "c"), (2, "a"), (2, "b"), (6, "c"), (7, "a")], [([], 2)], 0.5, 0
)  # Who came later is the same however the groups are numbered.
def test_the_release_is_the_most_useful_that_keeps_it(
    tmp_path_factory: pytest.TempPathFactory,
    people: list[Person],
    earlier: list[tuple[list[int], int]],
    confidence: float,
    suppress: float,
) -> None:
    folder = tmp_path_factory.mktemp("past")
    files, rows = [], []
    for i, (cuts, skip) in enumerate(earlier):
        # Some people joined later: the first of the list were not there yet.
        path = earlier_release(people[skip:], cuts, folder, f"{i}.csv") if people[skip:] else None
        if path is not None:
            files.append(str(path))
            rows.append(list(pd.read_csv(path, dtype=str).itertuples(index=False, name=None)))
    least = 2 if confidence == 0.5 else 3
    feasible = []
    for level, width in enumerate((1, *WIDTHS, 1000)):
        groups: dict[int, list[Person]] = {}
        for person in people:
            groups.setdefault(person[0] // width, []).append(person)
        out = 0
        for members in groups.values():
            values = {ill for _, ill in members if ill is not None}
            if any(left(person, values, rows) < least for person in members):
                out += len(members)
        if out <= int(suppress * len(people)) and out < len(people):
            feasible.append((level, out))
    table = pd.DataFrame(people, columns=["age", "ill"])
    claim = {"composition": {"confidence": confidence, "with": files}}

    def published(*levels: int) -> hedgerow.Release | None:
        age = {**COLUMNS["age"], "levels": levels} if levels else COLUMNS["age"]  # type: ignore[dict-item]
        try:
            return hedgerow.publish(
                table, columns={**COLUMNS, "age": age}, protect=[claim],
                method={"suppress": suppress},
            )  # type: ignore[return-value]  # fmt: skip
        except ClaimError:
            return None

    release = published()
    if release is None:
        # Sets are not enough: joining and counting refuses each of them by itself, too.
        assert not any(published(level, level) for level, _ in feasible)
        return
    assert (release.levels["age"], release.suppressed) in feasible
    if suppress == 0:
        finer = [level for level, _ in feasible if level < release.levels["age"]]
        assert not any(published(level, level) for level in finer)
    (exposed,) = release.exposures
    assert exposed.together[0] == 0
    assert exposed.together[least - 2] == 0
    # As the attack on sequential releases has it, too.
    releases = [Published.read(release.data, sensitive=["ill"], quasi=["age"])]
    releases += [Published.read(file, sensitive=["ill"]) for file in files]
    targets = Targets.of({"age": [str(age) for age, _ in people]})
    history = follow(
        [one.groups for one in releases], [locate(one, targets) for one in releases], of="ill"
    )
    named = [history.of(person) == (ill,) for person, (_, ill) in enumerate(people)]
    assert not any(named)


def test_the_numbers_are_those_of_the_intersection_attack(tmp_path: Path) -> None:
    """The attacks on what was written find as many people with few values left as were told."""
    rng = np.random.default_rng(5)
    people = drawn(rng, 60, "abcde")
    path = earlier_release(people, [3, 6, 9, 12], tmp_path, "one.csv")
    table = pd.DataFrame(people, columns=["age", "ill"])
    release = hedgerow.publish(
        table, columns=COLUMNS, to=tmp_path / "two",
        protect=[{"k-anonymity": 3}, {"composition": {"confidence": 0.9, "with": [str(path)]}}],
    )  # fmt: skip
    (exposed,) = release.exposures
    releases = [Published.read(tmp_path / "two"), Published.read(path, sensitive=["ill"])]
    found = intersect(releases, Targets.of({"age": [str(a) for a, _ in people]}))
    assert exposed.people == 60
    counted = follow([one.groups for one in releases], found.located, of="ill").left
    for few, many in zip((1, 2, 3), exposed.together, strict=True):
        assert many == int((counted <= few).sum())
        assert many >= round(found.pvp(1 / few) * 60 / 100)


def test_missing_values_protect_nobody_and_need_no_protection() -> None:
    groups = Groups.of({"ill": [{"flu": 1, None: 1}]}, order={"ill": ["flu", None]})
    model = Composition(confidence=0.5, of="ill")
    known = with_earlier(groups, "ill", sets=[], profiles=[[]], people=[[(0, 0), (0, -1)]])
    assert model.level(known).tolist() == [1.0]
    nothing = with_earlier(groups, "ill", sets=[], profiles=[[]], people=[[(0, -1), (0, -1)]])
    assert model.level(nothing).tolist() == [0.0]


def test_a_release_nobody_fits_into_is_refused(tmp_path: Path) -> None:
    """Values nobody here has: other people, or another spelling."""
    path = tmp_path / "other.csv"
    path.write_text("age,ill\n0-15,c\n0-15,d\n", "utf-8")
    table = pd.DataFrame({"age": [1, 1, 2, 2], "ill": ["a", "b", "a", "b"]})
    claim = {"composition": {"confidence": 0.5, "with": [str(path)]}}
    with pytest.raises(DataError, match=r"nobody of the table fits into other\.csv"):
        hedgerow.publish(table, columns=COLUMNS, protect=[claim])


def test_mondrian_and_local_recoding_keep_it_too(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    people = drawn(rng, 80, "abcd")
    path = earlier_release(people, [2, 5, 7, 11], tmp_path, "one.csv")
    table = pd.DataFrame(people, columns=["age", "ill"])
    protect = [{"k-anonymity": 2}, {"composition": {"confidence": 0.5, "with": [str(path)]}}]
    for method in ("mondrian", "local"):
        release = hedgerow.publish(table, columns=COLUMNS, protect=protect, method=method)
        assert release.exposures[0].together[0] == 0
        free = hedgerow.publish(table, columns=COLUMNS, protect=protect[:1], method=method)
        assert free.rows == release.rows
    with pytest.raises(PlanError, match="separates people with equal"):
        hedgerow.publish(table, columns=COLUMNS, protect=protect, method="microaggregation")


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("age,zip,ill\n0-15,1*,a\n0-15,1*,b\n", "utf-8")
    table = pd.DataFrame({"age": [1, 1, 2, 2], "ill": ["a", "b", "a", "b"]})
    claim = {"composition": {"confidence": 0.5, "with": [str(path)]}}
    with pytest.raises(PlanError, match="its quasi-identifier 'zip' is no quasi-identifier here"):
        hedgerow.publish(table, columns=COLUMNS, protect=[claim])
    other = tmp_path / "two.csv"
    other.write_text("age,crime\n0-15,a\n", "utf-8")
    with pytest.raises(DataError, match="none of the sensitive columns 'ill'"):
        hedgerow.publish(
            table, columns=COLUMNS,
            protect=[{"composition": {"confidence": 0.5, "with": [str(other)]}}],
        )  # fmt: skip
    with pytest.raises(PlanError, match="nothing says which"):
        hedgerow.publish(table, columns=COLUMNS, protect=[{"composition": 0.5}])
    with pytest.raises(PlanError, match="nothing says which"):
        hedgerow.check(table, columns=COLUMNS, protect=[Composition(confidence=0.5, of="ill")])


def test_people_with_several_values_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("age,ill\n0-15,a\n0-15,b\n", "utf-8")
    table = pd.DataFrame({"who": [1, 1, 2, 2], "age": [1, 1, 2, 2], "ill": ["a", "b", "a", "b"]})
    with pytest.raises(DataError, match="2 people have rows with different values of 'ill'"):
        hedgerow.publish(
            table, columns=COLUMNS, person="who", rows="one",
            protect=[{"composition": {"confidence": 0.5, "with": [str(path)]}}],
        )  # fmt: skip


@pytest.mark.parametrize("bad", [0, 1, 1.5, -0.1, float("nan"), "x"])
def test_bad_confidences(bad: object) -> None:
    with pytest.raises(PlanError):
        Composition(confidence=bad, of="ill")  # type: ignore[arg-type]


def test_a_release_without_quasi_identifiers_is_one_group(tmp_path: Path) -> None:
    path = tmp_path / "whole.csv"
    path.write_text("ill\na\nb\n", "utf-8")
    table = pd.DataFrame({"age": [1, 1, 9, 9], "ill": ["a", "b", "a", "c"]})
    claim = {"composition": {"confidence": 0.5, "with": [str(path)]}}
    release = hedgerow.publish(table, columns=COLUMNS, protect=[claim])
    assert release.levels["age"] == 4, "with c in their group, those of 9 would be known: a"


def random_groups(rng: np.random.Generator, many: int) -> Groups:
    """Groups of people over three values, with earlier groups that fit them."""
    sets = [[v for v in range(3) if s >> v & 1] for s in range(1, 8)]
    profiles = [[int(s) for s in rng.choice(7, rng.integers(0, 3), replace=False)] for _ in "abcd"]
    counts, people = [], []
    for _ in range(many):
        values = rng.integers(0, 3, 3).tolist()
        counts.append({str(v): values.count(v) for v in sorted(set(values))})
        people.append([(int(rng.integers(4)), v) for v in values])
    made = Groups.of({"ill": counts}, order={"ill": ["0", "1", "2"]})
    return with_earlier(made, "ill", sets=sets, profiles=profiles, people=people)


def test_merging_groups_that_pass_passes() -> None:
    """What the search relies on."""
    rng = np.random.default_rng(0)
    held = failed = 0
    for _ in range(400):
        model = Composition(confidence=[0.5, 0.34][int(rng.integers(2))], of="ill")
        apart = random_groups(rng, 2)
        merged = apart.merge(np.zeros(2, np.int64), 1)
        if model.holds(apart).all():
            held += 1
            assert model.holds(merged).all()
        if not model.holds(merged).all():
            failed += 1
            stay = int(apart.n[model.holds(apart)].sum())
            assert stay <= int(model.could_stay(merged)[0])
    assert min(held, failed) > 20


def test_that_it_holds_tells_nothing(tmp_path: Path) -> None:
    """Who is 1 has acne, and was not in the earlier release; had they flu, the claim would fail.

    So that it holds would say that they have acne. It is not enough that it holds.
    """
    path = tmp_path / "one.csv"
    path.write_text("age,ill\n1,flu\n1,gout\n2,flu\n2,acne\n", "utf-8")
    claim = {"composition": {"confidence": 0.5, "with": [str(path)]}}
    for values in (["acne", "flu"], ["flu", "acne"]):
        table = pd.DataFrame({"age": [1, 2], "ill": values})
        with pytest.raises(ClaimError):
            hedgerow.publish(table, columns=COLUMNS, protect=[claim])


def test_each_group_that_fits_counts(tmp_path: Path) -> None:
    """Whoever knows how a release was made may know that nobody of age 1 is among the rest."""
    path = tmp_path / "one.csv"
    path.write_text("age,ill\n1,flu\n1,gout\n*,acne\n*,cold\n*,hiv\n*,flu\n", "utf-8")
    table = pd.DataFrame({"age": [1, 1, 1], "ill": ["flu", "acne", "hiv"]})
    claim = {"composition": {"confidence": 0.5, "with": [str(path)]}}
    with pytest.raises(ClaimError, match="one possible ill"):
        hedgerow.publish(table, columns=COLUMNS, protect=[{"k-anonymity": 2}, claim])


def test_labels_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("age,ill\nyoung,a\nyoung,b\n", "utf-8")
    table = pd.DataFrame({"age": [1, 1, 2, 2], "ill": ["a", "b", "a", "b"]})
    claim = {"composition": {"confidence": 0.5, "with": [str(path)]}}
    with pytest.raises(DataError, match="'young' as 'age' cannot be read"):
        hedgerow.publish(table, columns=COLUMNS, protect=[claim])


def test_the_warning_does_not_count_missing_values(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("age,ill\n1,flu\n1,gout\n", "utf-8")
    table = pd.DataFrame({"age": [1, 1, 1], "ill": ["flu", None, "gout"]})
    claim = {"composition": {"confidence": 0.5, "with": [str(path)]}}
    (exposed,) = hedgerow.publish(table, columns=COLUMNS, protect=[claim]).exposures
    assert exposed.together == exposed.alone == (0, 2, 2)
