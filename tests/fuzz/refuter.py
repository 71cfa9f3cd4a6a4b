"""Tries to refute every printed claim of a release: plain Python, nothing of hedgerow.

It holds the sentences of the certificate against the published file and the truth about the
people in the source, for the attacker each sentence is about. Where a reader may take several
texts for one value, both readings count; where a person fits several groups, all of them do.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any

from fuzz.reader import Group, Row, careless, covers, groups, read
from fuzz.world import GRADES, Person, World

SLACK = 1e-9
"""Logarithms are doubles here; nothing else is."""
Shares = dict[str, Fraction]


@dataclass
class Reading:
    """A release, as its recipient reads it, beside what is true."""

    world: World
    rows: list[Row]
    found: dict[Group, list[Row]]
    most: int
    """The most rows of one person in the file, as far as anybody says."""

    def readings(self, column: str) -> list[Callable[[str], str]]:
        """How the values of a column may be read: as they are spelled, and carelessly."""
        said = self.world.columns[column]
        if said.get("spelling") == "one":
            return [careless]
        differ = said.get("distinct", [])
        return [str, lambda value: value if value in differ else careless(value)]

    def fitting(self, person: Person) -> list[Group]:
        """The published groups a person may be in, by what tells them apart."""
        return [
            labels
            for labels in self.found
            if all(
                covers(label, person.quasi[name], self.world.kinds[name])
                for name, label in zip(self.world.quasi, labels, strict=True)
            )
        ]

    def may_be(self, person: Person) -> list[Group]:
        """The same for somebody to whom a missing value may be any value."""
        return [
            labels
            for labels in self.found
            if all(
                "" in (label, person.quasi[name])
                or covers(label, person.quasi[name], self.world.kinds[name])
                for name, label in zip(self.world.quasi, labels, strict=True)
            )
        ]

    def fewest_people(self, labels: Group, rows: list[Row]) -> int:
        """The fewest people whom the rows of a group can be about."""
        left, people = len(rows), 0
        counts = sorted(
            (min(self.most, len(p.rows)) for p in self.world.people if labels in self.fitting(p)),
            reverse=True,
        )
        if self.world.plan["method"]["search"] == "microaggregation":  # labels are centres
            counts = [self.most] * len(rows)
        for count in counts:
            if left <= 0:
                break
            left, people = left - count, people + 1
        return people + max(0, left)

    def whole(self, column: str, read_as: Callable[[str], str]) -> Counter[str]:
        """The values of everybody in the source, suppressed people included."""
        return Counter(read_as(value) for value in source_values(self.world, column))


def source_values(world: World, column: str) -> list[str]:
    """The value of each person that counts; of each row where rows are published."""
    said = world.columns[column]
    rule = said.get("within_person")
    spelt = _usual(world, column) if said.get("spelling") == "one" else {}
    if world.plan.get("rows") == "one" and rule is not None:
        pick = {"smallest": min, "largest": max}[rule]
        key = Fraction if column == "score" else str
        texts = [[spelt.get(row[column], row[column]) for row in p.rows] for p in world.people]
        return [pick(of_person, key=key) for of_person in texts]
    return [row[column] for person in world.people for row in person.rows]


def _usual(world: World, column: str) -> dict[str, str]:
    """How each text is published in one spelling: as most rows have it, then by the text."""
    counts = Counter(row[column] for _, row in world.records())
    best: dict[str, str] = {}
    for text in sorted(counts, key=lambda text: (-counts[text], text)):
        best.setdefault(careless(text), text)
    return {text: best[careless(text)] for text in counts}


def refute(world: World, folder: Path, certificate: dict[str, Any]) -> list[str]:
    """What is wrong with a release, a sentence each; nothing where every claim stands."""
    header, rows = read(folder / "data.csv")
    said = world.plan.get("rows")
    most = int(said.removeprefix("at most ")) if said and said != "one" else 1
    if all(len(person.rows) == 1 for person in world.people):
        most = 1  # whatever is allowed
    reading = Reading(world, rows, groups(rows, world.quasi), most)
    wrong = list(_people(world, header, rows, certificate))
    for claim in certificate["claims"]:
        assert claim["holds"], "a claim that does not hold was published"
        wrong += [f"{claim['claim']}: {why}" for why in _refuted(claim, reading)]
    return wrong


def _people(
    world: World, header: list[str], rows: list[Row], certificate: dict[str, Any]
) -> Iterator[str]:
    """Whether everybody is accounted for, and nobody is named."""
    counted = certificate["people"]
    unit = counted.get("unit", "people")
    there = {"people": len(world.people), "rows": len(world.records())}[unit]
    if counted["in_source"] != there:
        yield f"{counted['in_source']} {unit} in the source, and there are {there}"
    left = counted["in_source"] - counted["left_out"]
    if left != len(rows):
        yield f"{left} {unit} are said to be published in {len(rows)} rows"
    if certificate["data"]["rows"] != len(rows):
        yield f"{certificate['data']['rows']} rows are stated, and the file has {len(rows)}"
    secret = [n for n, said in world.columns.items() if said["role"] == "identifier"]
    if set(header) & set(secret):
        yield "the file has an identifier"
    for column in world.sensitive:
        said = world.columns[column]
        texts = {row[column] for row in rows}
        if said.get("spelling") == "one" and len({careless(t) for t in texts}) != len(texts):
            yield f"{column} still has several spellings of one value: {sorted(texts)}"


def _refuted(claim: dict[str, Any], reading: Reading) -> Iterator[str]:
    for pattern, check in CLAIMS:
        if found := re.fullmatch(pattern, claim["claim"]):
            yield from check(reading, *found.groups())
            return
    yield "nobody can tell what this claim says"


def _number(text: str) -> Fraction:
    return Fraction(text.removesuffix("%")) / (100 if text.endswith("%") else 1)


def _sizes(reading: Reading) -> Iterator[tuple[Group, int]]:
    for labels, rows in reading.found.items():
        yield labels, reading.fewest_people(labels, rows)


def _anonymity(reading: Reading, k: str, everything: str | None) -> Iterator[str]:
    if everything:
        for labels, rows in groups(reading.rows, reading.rows[0]).items():
            if math.ceil(Fraction(len(rows), reading.most)) < int(k):
                yield f"{len(rows)} rows are {labels}"
        return
    for labels, people in _sizes(reading):
        if people < int(k):
            yield f"the group {labels} may be {people} people"


def _any_columns(reading: Reading, k: str, many: str | None) -> Iterator[str]:
    for known in combinations(reading.world.quasi, int(many or 1)):
        yield from _alike(reading, int(k), known)


def _some_columns(reading: Reading, k: str, sets: str) -> Iterator[str]:
    for known in sets.removeprefix("(").removesuffix(")").split(") or ("):
        yield from _alike(reading, int(k), tuple(known.split(", ")))


def _alike(reading: Reading, k: int, known: tuple[str, ...]) -> Iterator[str]:
    for labels, rows in groups(reading.rows, list(known)).items():
        if math.ceil(Fraction(len(rows), reading.most)) < k:
            yield f"{len(rows)} rows are {labels} in {known}"


def _candidates(reading: Reading, matched: str | None, one: str, other: str) -> Iterator[str]:
    """Counted for those who are in the release, so only where nobody was left out."""
    if len(reading.rows) < len(reading.world.people):
        return
    fitting = dict.fromkeys(reading.found, 0)
    for person in reading.world.people:
        found = reading.fitting(person)
        for labels in found:
            fitting[labels] += 1
        records = sum(len(reading.found[labels]) for labels in found)
        if records < int(other):
            yield f"somebody fits {records} records"
    if not matched and min(fitting.values()) < int(one):
        yield f"a record fits {min(fitting.values())} people"


def _per_group(reading: Reading, column: str) -> Iterator[tuple[str, Counter[str], Counter[str]]]:
    """Each group's values and the whole table's, under each reading."""
    for read_as in reading.readings(column):
        whole = reading.whole(column, read_as)
        for labels, rows in reading.found.items():
            how = "as spelled" if read_as is str else "carelessly"
            where = f"the group {labels}, values read {how}"
            yield where, Counter(read_as(row[column]) for row in rows), whole


def _highest(reading: Reading, here: Counter[str], value: str) -> Fraction:
    """The largest share of people with the value, however rows are given to people."""
    with_it, rest = here[value], here.total() - here[value] * reading.most
    others = max(0, math.ceil(Fraction(rest, reading.most)))
    return Fraction(with_it, with_it + others)


def _diversity(reading: Reading, kind: str, least: str, column: str) -> Iterator[str]:
    required = _number(least)
    for where, here, _ in _per_group(reading, column):
        share = max(_highest(reading, here, value) for value in here)
        if kind == "distinct":
            broken = len(here) < required
        elif kind == "probabilistic":
            broken = share * required > 1
        else:
            entropy = -sum(n / here.total() * math.log(n / here.total()) for n in here.values())
            broken = entropy < math.log(required) - SLACK
        if broken or (required > 1 and share == 1):
            yield f"{where} has {dict(here)}"


def _recursive(reading: Reading, c: str, least: str, column: str) -> Iterator[str]:
    for where, here, _ in _per_group(reading, column):
        counts = sorted(here.values(), reverse=True)
        if not counts[0] < _number(c) * sum(counts[int(least) - 1 :]):
            yield f"{where} has {dict(here)}"


def _shares(counts: Counter[str]) -> Shares:
    return {value: Fraction(n, counts.total()) for value, n in counts.items()}


def _closeness(
    reading: Reading, most: str, column: str, distance: str, order: str
) -> Iterator[str]:
    for where, here, whole in _per_group(reading, column):
        p, q = _shares(here), _shares(whole)
        if distance == "equal":
            far = sum(abs(p.get(v, Fraction(0)) - q[v]) for v in q) / 2
        elif distance == "ordered":
            if column == "illness" or (
                column == "grade" and "order" not in reading.world.columns[column]
            ):
                yield f"nobody chose an order of {column}"
                return
            far = max(
                _ordered(p, q, column), _ordered(p, _as_shown(reading, whole, column), column)
            )
        else:
            far = _hierarchical(p, q)
        if far > _number(most):
            yield f"{where} is {float(far):.4f} from the table"
    if distance == "ordered" and not order:
        yield "it does not say in which order"


def _as_shown(reading: Reading, whole: Counter[str], column: str) -> Shares:
    """Of everybody who has one of the values that are published: the order that is printed."""
    texts = {row[column] for row in reading.rows}
    shown = {read_as(text) for read_as in reading.readings(column) for text in texts}
    return _shares(Counter({value: n for value, n in whole.items() if value in shown}))


def _ordered(p: Shares, q: Shares, column: str) -> Fraction:
    values = sorted(q, key=Fraction) if column == "score" else [g for g in GRADES if g in q]
    ahead = total = Fraction(0)
    for value in values:
        ahead += p.get(value, Fraction(0)) - q[value]
        total += abs(ahead)
    return total / max(1, len(values) - 1)


def _hierarchical(p: Shares, q: Shares) -> Fraction:
    """The tree of scores has two levels: small and large, and everything."""
    sides: dict[bool, list[Fraction]] = {}
    for value in q:
        sides.setdefault(int(value) < 10, []).append(p.get(value, Fraction(0)) - q[value])
    total = Fraction(0)
    for extras in sides.values():
        up = sum((e for e in extras if e > 0), Fraction(0))
        down = -sum((e for e in extras if e < 0), Fraction(0))
        total += Fraction(1, 2) * min(up, down)
    nets = [sum(extras, Fraction(0)) for extras in sides.values()]
    up = sum((e for e in nets if e > 0), Fraction(0))
    down = -sum((e for e in nets if e < 0), Fraction(0))
    return total + min(up, down)


def _alpha(reading: Reading, alpha: str, k: str, column: str) -> Iterator[str]:
    yield from _anonymity(reading, k, None)
    for where, here, _ in _per_group(reading, column):
        if max(_highest(reading, here, value) for value in here) > _number(alpha):
            yield f"{where} has {dict(here)}"


def _disclosure(reading: Reading, delta: str, column: str) -> Iterator[str]:
    for where, here, whole in _per_group(reading, column):
        p, q = _shares(here), _shares(whole)
        for value in q:
            if value not in p or abs(math.log(p[value] / q[value])) > _number(delta) + SLACK:
                yield f"{where} has {dict(here)}, the table {dict(whole)}"
                break


def _likeness(reading: Reading, kind: str, beta: str, column: str) -> Iterator[str]:
    for where, here, whole in _per_group(reading, column):
        p, q = _shares(here), _shares(whole)
        for value in p:
            most = float(_number(beta))
            if kind == "enhanced":
                most = min(most, -math.log(q[value]))
            if float(p[value] / q[value]) - 1 > most + SLACK:
                yield f"{where} has {dict(here)}, the table {dict(whole)}"


def _belief(
    reading: Reading, epsilon: str, column: str, about: str | None, who: str
) -> Iterator[str]:
    """Beliefs with and without the person's record, by the attacker's own arithmetic."""
    adversary = next(
        one["epsilon-privacy"]["adversary"] for one in reading.world.plan["protect"]
        if "epsilon-privacy" in one and one["epsilon-privacy"]["of"] == column
        and str(one["epsilon-privacy"]["epsilon"]) == epsilon
        and ("knows" in one["epsilon-privacy"]["adversary"]) == ("on a list" in who)
    )  # fmt: skip
    wishes = about is not None and "wants" in about
    known = reading.world.known if "knows" in adversary else frozenset[str]()
    values = _by_key(reading, column) if wishes else {}
    for read_as in reading.readings(column):
        domain = sorted(reading.whole(column, read_as))
        for labels, rows in reading.found.items():
            here = Counter(read_as(row[column]) for row in rows)
            minding = [
                p for p in reading.world.people
                if p.key not in known and labels in reading.may_be(p)
            ]  # fmt: skip
            for removed in _removals(reading, labels, known, column, read_as):
                left = here - removed
                if not left or not minding:
                    continue
                asked = set(left)
                if wishes:
                    plain = any(not p.wish for p in minding)
                    asked = {v for v in left if plain or any(read_as(p.wish) == v for p in minding)}
                for value in asked:
                    own = not wishes or any(
                        len(reading.may_be(p)) > 1 or value == read_as(values[p.key])
                        for p in minding
                        if not p.wish or read_as(p.wish) == value
                    )
                    before = _before(adversary, value, here, domain, read_as, own=own)
                    after = Fraction(left[value], left.total())
                    if _surer(before, after) > float(_number(epsilon)) * (1 + SLACK):
                        yield (
                            f"{labels}: the belief in {value} goes from {float(before):.4f} to "
                            f"{float(after):.4f} ({who})"
                        )


def _by_key(reading: Reading, column: str) -> dict[str, str]:
    """Each person's value, where everybody has one."""
    keys = [person.key for person in reading.world.people]
    return dict(zip(keys, source_values(reading.world, column), strict=True))


def _removals(
    reading: Reading, labels: Group, known: frozenset[str], column: str,
    read_as: Callable[[str], str],
) -> list[Counter[str]]:  # fmt: skip
    """What an attacker may take out of a group as the records of the people they know.

    Every way to put these into groups that they fit, or nowhere where people were left out, that
    the counts of all groups allow. Where as many people fit each group as it has records, nobody
    who fits one was left out.
    """
    listed = [p for p in reading.world.people if p.key in known]
    values = _by_key(reading, column) if known else {}
    counts = {
        place: Counter(read_as(row[column]) for row in rows)
        for place, rows in reading.found.items()
    }
    fits = Counter(place for p in reading.world.people for place in reading.may_be(p))
    whole = all(fits[place] == counts[place].total() for place in counts)
    left_out = 0 if whole else len(reading.world.people) - len(reading.rows)
    found: dict[frozenset[tuple[str, int]], Counter[str]] = {}
    nowhere: list[Group | None] = [None] if left_out else []
    for places in product(*([*reading.may_be(p), *nowhere] or [None] for p in listed)):
        theirs: dict[Group, Counter[str]] = {}
        for one, place in zip(listed, places, strict=True):
            if place is not None:
                theirs.setdefault(place, Counter())[read_as(values[one.key])] += 1
        if all(taken <= counts[place] for place, taken in theirs.items()):
            mine = theirs.get(labels, Counter())
            found[frozenset(mine.items())] = mine
    return list(found.values())


def _surer(before: Fraction, after: Fraction) -> float:
    if before == 0:
        return math.inf
    doubt = (
        math.inf
        if after == 1 and before < 1
        else (1.0 if after == 1 else float((1 - before) / (1 - after)))
    )
    return max(float(after / before), doubt)


def _before(
    adversary: dict[str, Any], value: str, here: Counter[str], domain: list[str],
    read_as: Callable[[str], str], *, own: bool,
) -> Fraction:  # fmt: skip
    """What the attacker believes where the person's own record is not in the release.

    Whether that record has the value makes a difference: `own`.
    """
    n, with_it = here.total(), here[value] + (not own)
    if adversary["class"] == "II":
        return Fraction(with_it, n - 1 + adversary["stubbornness"])
    prior = adversary["prior"]
    if prior == "uniform":
        return Fraction(1, len(domain))
    kind, given = next(iter(prior.items()))
    weights: Counter[str] = Counter()
    for name, weight in given.items():
        # Everybody counts each value once who has seen nothing.
        weights[read_as(name)] += weight + (1 if kind == "counts" else 0)
    if kind == "shape":
        return Fraction(weights[value], weights.total())
    return Fraction(with_it - 1 + weights[value], n - 1 + weights.total())


def _prosecutor(reading: Reading, risk: str) -> Iterator[str]:
    for labels, people in _sizes(reading):
        if Fraction(1, people) > _number(risk):
            yield f"the group {labels} may be {people} people"


def _marketer(reading: Reading, risk: str) -> Iterator[str]:
    people = math.ceil(Fraction(len(reading.rows), reading.most))
    if Fraction(len(reading.found), people) > _number(risk):
        yield f"{len(reading.found)} groups hold {len(reading.rows)} rows"


def _unique(reading: Reading, share: str) -> Iterator[str]:
    alone = sum(people == 1 for _, people in _sizes(reading))
    if Fraction(alone, math.ceil(Fraction(len(reading.rows), reading.most))) > _number(share):
        yield f"{alone} people are alone in their group"


def _fitting_others(reading: Reading, labels: Group) -> int:
    return sum(
        all(
            covers(label, other[name], reading.world.kinds[name])
            for name, label in zip(reading.world.quasi, labels, strict=True)
        )
        for other in reading.world.others
    )


def _map(reading: Reading, k: str) -> Iterator[str]:
    for labels in reading.found:
        if _fitting_others(reading, labels) < int(k):
            yield f"only {_fitting_others(reading, labels)} people of the population are {labels}"


def _journalist(reading: Reading, risk: str) -> Iterator[str]:
    for labels in reading.found:
        if Fraction(1, _fitting_others(reading, labels)) > _number(risk):
            yield f"{_fitting_others(reading, labels)} people of the population are {labels}"


def _presence(reading: Reading, least: str, most: str) -> Iterator[str]:
    for labels, rows in reading.found.items():
        share = Fraction(len(rows), _fitting_others(reading, labels))
        if share > _number(most):
            yield f"{len(rows)} of {_fitting_others(reading, labels)} who are {labels} are in it"


N = r"([\d./%]+)"
CLAIMS: tuple[tuple[str, Callable[..., Iterator[str]]], ...] = (
    (r"(\d+)-anonymity( over all columns)?", _anonymity),
    (r"(\d+)-anonymity in any(?: (\d+))? quasi-identifiers?", _any_columns),
    (r"(\d+)-anonymity in (\(.*\))", _some_columns),
    (r"(global )?\((\d+),(\d+)\)-anonymity", _candidates),
    (rf"(distinct|probabilistic|entropy) {N}-diversity of (\w+)", _diversity),
    (rf"recursive \({N}, (\d+)\)-diversity of (\w+)", _recursive),
    (rf"{N}-closeness of (\w+) \((equal|ordered|hierarchical) distance(.*)\)", _closeness),
    (rf"\({N}, (\d+)\)-anonymity of (\w+)", _alpha),
    (rf"{N}-disclosure privacy of (\w+)", _disclosure),
    (rf"(basic|enhanced) {N}-likeness of (\w+)", _likeness),
    (rf"{N}-privacy of (\w+)(?: \((.*?)\))? against (.*)", _belief),
    (rf"prosecutor risk at most {N}", _prosecutor),
    (rf"marketer risk at most {N}", _marketer),
    (rf"share of unique people at most {N}", _unique),
    (r"(\d+)-map", _map),
    (rf"journalist risk at most {N}", _journalist),
    (rf"\({N}, {N}\)-presence", _presence),
)  # fmt: skip
