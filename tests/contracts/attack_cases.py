"""For each attack, by hand: a table it should break, and one on which it does no better."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from hedgerow import Plan

Given = Mapping[str, Any]
"""The arguments of `hedgerow.attack`, but for the name of the attack."""


@dataclass(frozen=True)
class Case:
    """What an attack is tried on."""

    breaks: Callable[[], Given]
    """Where it should find more than its baseline."""
    keeps: Callable[[], Given]
    """Where it should not."""


def release(ill: str, zips: str, **more: Any) -> Given:
    """A release of one letter a person: illness, and area."""
    table = pd.DataFrame({"zip": list(zips), "ill": list(ill)})
    return {"releases": [table], "sensitive": ["ill"], **more}


def mixed(**more: Any) -> Given:
    """Two areas with the same four illnesses, each as often."""
    return release("fgahfgah", "11112222", **more)


def salaries(*groups: str) -> Given:
    pay = [number for group in groups for number in group.split()]
    zips = [str(i) for i, group in enumerate(groups) for _ in group.split()]
    return {"releases": [pd.DataFrame({"zip": zips, "pay": pay})], "sensitive": ["pay"]}


def people(count: int, *, shown: bool) -> Given:
    """People who differ in two columns together, and a release that shows it or not."""
    ages = [str(20 + i % 8) for i in range(count)]
    areas = [str(100 + (i // 8 + i) % 8) for i in range(count)]
    ill = ["flu", "gout", "acne", "mumps"] * (count // 4)
    truth = pd.DataFrame({"age": ages, "zip": areas, "ill": ill})
    table = truth if shown else truth.assign(age="*", zip="*")
    return {"releases": [table], "truth": truth, "sensitive": ["ill"]}


def registered(*, shown: bool) -> Given:
    given = people(20, shown=shown)
    names = [f"p{i}" for i in range(20)]
    register = given["truth"].drop(columns="ill").assign(name=names)
    return {"releases": given["releases"], "register": register, "sensitive": ["ill"]}


def hospitals(second: str) -> Given:
    """Two releases of six people; the first has two groups of three illnesses."""
    ill = list("fgafga")
    truth = pd.DataFrame({"age": list("123456"), "ill": ill})
    one = pd.DataFrame({"age": ["<4"] * 3 + [">=4"] * 3, "ill": ill})
    labels = ["<3"] * 2 + ["3-4"] * 2 + [">4"] * 2 if second == "other" else one["age"]
    two = pd.DataFrame({"age": labels, "ill": ill})
    return {"releases": [one, two], "truth": truth, "sensitive": ["ill"]}


def merged(label: str) -> Given:
    """Two of the young share a value; joined with the old they hide it, but not from who asks."""
    truth = pd.DataFrame({"age": ["20"] * 2 + ["60"] * 6, "ill": list("HHfgamuv")})
    if label == "apart":
        truth = truth.assign(ill=list("Hffgamuv"))
    table = truth.assign(age="*") if label == "together" else truth
    return {"releases": [table], "truth": truth, "sensitive": ["ill"], "know": {"l": "2"}}


def counts(*, exact: bool) -> Given:
    rng = np.random.default_rng(1)
    truth = rng.integers(5, 50, 60)
    noisy = truth + rng.laplace(0, 3, 60)
    known = truth if exact else noisy
    sums = [*(known[:-1] + known[1:]), None]
    return {"releases": [pd.DataFrame({"noisy": noisy, "sum": sums, "truth": truth})]}


def subsets(*, answered: bool) -> Given:
    rng = np.random.default_rng(2)
    bits = np.arange(30) % 2
    inside = rng.random((150, 30)) < 0.5
    query, person = np.nonzero(inside)
    answers = inside @ bits if answered else np.zeros(150)
    tables = [
        pd.DataFrame({"query": query, "person": person}),
        pd.DataFrame({"query": range(150), "answer": answers}),
    ]
    return {"releases": tables, "truth": pd.DataFrame({"person": range(30), "value": bits})}


def outputs(*, careless: bool) -> Given:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 200)
    noise = rng.choice([-1.0, 1.0], 200) * np.log(rng.random(200))
    shown = truth + noise if careless else truth + rng.integers(-9, 9, 200)
    table = pd.DataFrame({"output": [repr(float(x)) for x in shown], "truth": truth})
    return {"releases": [table], "know": {"noise": "signed" if careless else "lattice"}}


def parities(*, same: bool) -> Given:
    rng = np.random.default_rng(4)
    first, sampled = rng.integers(0, 2, 300), (rng.random(300) < 0.1).astype(int)
    second = first ^ sampled if same else first
    table = pd.DataFrame({"first": first, "second": second, "sampled": sampled})
    return {"releases": [table], "know": {"rate": "0.1"}}


def ratings(*, rare: bool) -> Given:
    rng = np.random.default_rng(5)
    person = np.repeat(np.arange(200), 10)
    item = rng.zipf(1.5, len(person)) % 300 if rare else np.tile(np.arange(10), 200)
    rating = rng.integers(1, 6, len(person)) if rare else np.full(len(person), 3)
    table = pd.DataFrame({"person": person, "item": item, "rating": rating}).drop_duplicates(
        ["person", "item"]
    )
    return {"releases": [table], "know": {"targets": "30", "outsiders": "20"}}


def study(*, published: bool) -> Given:
    rng = np.random.default_rng(6)
    frequency = rng.uniform(0.1, 0.9, 1500)
    genomes = (rng.random((40, 2, 1500)) < frequency).mean(axis=1)
    shown = genomes[:20].mean(axis=0) if published else frequency
    return {
        "releases": [pd.DataFrame({"study": shown, "population": frequency})],
        "truth": pd.DataFrame({f"p{i}": genomes[i] for i in range(20)}),
        "control": pd.DataFrame({f"p{i}": genomes[i] for i in range(20, 40)}),
    }


def trades(*, telling: bool) -> Given:
    """Bakers, millers and tanners with each their own illness; or all of one trade."""
    ill = np.repeat(["flour", "lung", "skin"], [100, 80, 60])
    trade = ill if telling else np.full(240, "any")
    table = pd.DataFrame({"trade": trade, "ill": ill})
    return {"releases": [table], "sensitive": ["ill"], "know": {"l": "2"}}


def town(method: str) -> Given:
    ages = [str(20 + i // 2) for i in range(40)] + ["97"]
    plan = Plan.of(
        columns={"age": {"role": "quasi-identifier", "hierarchy": {"ranges": [10, 50]}}},
        protect=[{"k-anonymity": 5}],
    )
    know = {"method": method, "targets": "10"}
    return {"releases": [pd.DataFrame({"age": ages})], "plan": plan, "know": know}


CASES: dict[str, Case] = {
    "homogeneity": Case(lambda: release("HHHHffffffga", "111122222222"), mixed),
    "background-knowledge": Case(lambda: release("HfHfgaga", "11112222"), mixed),
    "similarity": Case(
        lambda: salaries("20 30 40", "60 100 62 64", "61 63 65 90"),
        lambda: salaries("20 50 90", "30 60 100", "40 70 85"),
    ),
    "skewness": Case(
        lambda: release("H" * 20 + "f" * 20 + "H" + "f" * 199, "1" * 40 + "2" * 200), mixed
    ),
    "linkage": Case(lambda: registered(shown=True), lambda: registered(shown=False)),
    "gdpr": Case(lambda: people(24, shown=True), lambda: people(24, shown=False)),
    "intersection": Case(lambda: hospitals("other"), lambda: people(24, shown=False)),
    "sequential": Case(lambda: hospitals("other"), lambda: hospitals("same")),
    "belief": Case(lambda: hospitals("other"), lambda: hospitals("same")),
    "minimality": Case(lambda: merged("together"), lambda: merged("apart")),
    "averaging": Case(lambda: counts(exact=True), lambda: counts(exact=False)),
    "reconstruction": Case(lambda: subsets(answered=True), lambda: subsets(answered=False)),
    "floating-point": Case(lambda: outputs(careless=True), lambda: outputs(careless=False)),
    "same-sample": Case(lambda: parities(same=True), lambda: parities(same=False)),
    "sparse": Case(lambda: ratings(rare=True), lambda: ratings(rare=False)),
    "membership": Case(lambda: study(published=True), lambda: study(published=False)),
    "de-finetti": Case(lambda: trades(telling=True), lambda: trades(telling=False)),
    "presence": Case(lambda: town("mondrian"), lambda: town("safe")),
}
"""A new attack brings its own."""
