"""The reproduction page, docs/realistic_adversaries.md: text around computed numbers."""
# ruff: noqa: E501  prose is not broken into lines, as in the other pages

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

from examples.realistic_adversaries import hospital, paper
from examples.realistic_adversaries.census import (
    PAPER,
    SIX,
    STUBBORN,
    Experiment,
    Node,
    Parameters,
    any_shape,
    as_table,
    uniform,
)
from examples.realistic_adversaries.claims import Finding, findings, label, listed, power
from examples.realistic_adversaries.figures import FAMILIES, SHOWN, best

HEADS = ("A<sub>d</sub><sup>10⁶</sup>", "A<sub>c</sub><sup>10⁶</sup>",
         "A<sub>–</sub><sup>10³</sup>", "A<sub>–</sub><sup>10⁶</sup>",
         "A<sub>d</sub><sup>∞</sup>", "A<sub>c</sub><sup>∞</sup>")  # fmt: skip
PLACES = ("age", "marital status", "race", "sex")


def page(e: Experiment, folder: str = "figures") -> str:
    """The whole page; `folder` is where the figures lie, seen from it."""
    counted = list(findings(e))
    parts = [_intro(), _short(e, counted), _example(), _data(e), _table_5(e),
             _stubbornness(e, folder), _utility(e, folder), _lattice(e, folder),
             _claims(e, counted), _misprints()]  # fmt: skip
    return "\n".join(line for part in parts for line in part).rstrip() + "\n"


def up(level: float) -> str:
    """Two digits behind the point, never less than what is needed."""
    if math.isinf(level):
        return "∞"
    digits = 2 if level < 1000 else 0
    scaled = math.ceil(level * 10**digits - 1e-6) / 10**digits
    return f"{scaled:,.{digits}f}"


def _intro() -> Iterator[str]:
    yield """# Realistic adversaries: the paper's experiments, done again

Machanavajjhala, Gehrke and Götz, *Data publishing against realistic adversaries* (VLDB 2009), introduced ε-privacy: because of a person's record, an attacker's belief in something sensitive about that person may grow by a factor of at most ε, and their doubt shrink by no more. Attackers come in four classes: they have a prior of known or unknown *shape*, and a finite or infinite *stubbornness* σ, the number of people they have seen elsewhere.

This page repeats the paper's worked example and its experiment with Hedgerow and says where the results agree, where they do not, and why. Numbers of this page are computed, except what is quoted from the paper. To do it again, with figures as SVG and as interactive HTML:

```
HEDGEROW_DATA=/path/to/data python -m examples.realistic_adversaries --to out/
```

Smallest values of ε are rounded up in tables: a smaller one would promise too much.
"""


def _short(e: Experiment, counted: list[Finding]) -> Iterator[str]:
    found = {finding.name: finding for finding in counted}
    third, second = found["class I ≤ III, table's shape"], found["class II at 10³ below class III"]
    few = [n for n in e.nodes if e.levels(any_shape(10**6))[n] <= 20]
    many = [n for n in e.nodes if e.levels(any_shape(10**3))[n] <= 20]
    one, one_exact = (
        max(hospital.levels(hospital.CASES[0].adversary, by)) for by in ("theorem", "exact")
    )
    thousand, thirty, shape = (
        hospital.levels(hospital.CASES[i].adversary, "theorem") for i in (1, 2, 3)
    )
    two, three = thirty[hospital.RACHEL], shape[hospital.RACHEL]
    most = max(e.levels(as_table(s))[e.nodes[0]] for s in STUBBORN)
    share, allowed = hospital.second_rule(Fraction(5, 2))
    close = e.close(PAPER.t)
    diverse = found["(c,2)-diversity is A_d^∞((c+1)/2)"]
    lemma = found["t-close nodes are A_c^∞(ε_t)-private"]
    reverse = found["A_c^∞(ε_t)-private nodes are t-close"]
    ratio, of = _ratio(e)
    same = {p: _same_utility(e, p) for p in (PAPER, e.here)}
    yield f"""## In short

| the paper | here | agrees |
|---|---|---|
| Example 3: Rachel has 4-, 6.4-, 6- and no privacy against classes I to IV | {one:.4f} by the theorem, {one_exact:.4f} by the beliefs themselves, 4 with the example's rounded p_out; {two:.4f}; {three:g}; none | yes |
| after Theorem 1: Table 3 is 2.5-private against D(12000, 18000) | rule R2 asks {float(share):g} ≤ {float(allowed):.6f} for (women, flu); the smallest ε is {one:.4f} | **no**, the paper errs |
| after Theorem 2: 3-private against σ = 1,000, ε ≥ 61 for men under 40 against σ = 30,000 | {max(thousand):g} and {thirty[0]:g} | yes |
| class I is weaker than class II and class III | at all nodes and stubbornnesses against II and against III with a uniform prior; against III with the table's own shape in {third.holds} of {third.of} cases | yes, but for the most general table, where ε is {e.levels(as_table(math.inf))[e.nodes[0]]:g} against III and up to {most:.6f} against I |
| (c, 2)-diversity is A<sub>d</sub><sup>∞</sup>((c + 1) / 2) | in {diverse.holds:,} of {diverse.of:,} cases | yes, if diversity means “at most c / (c + 1)”, not “less than” |
| t-closeness without homogeneous groups implies A<sub>c</sub><sup>∞</sup>(ε<sub>t</sub>) (Lemma 1) | {lemma.holds} of {lemma.of} cases | yes |
| “every table that satisfies A<sub>c</sub><sup>∞</sup>(ε<sub>t</sub>) also satisfies t-closeness” (section 4.2) | {reverse.holds} of {reverse.of} nodes | **no**, the sentence is the wrong way round |
| (4, 2)-diversity, 0.2-closeness and ε = 2.5 admit some tables each | diversity admits {len(e.diverse(PAPER.c))}, A<sub>c</sub><sup>∞</sup>(2.5) {len(e.private(as_table(math.inf), PAPER.epsilon))}; 0.2-closeness {len(close)}, {len(close & e.homogeneous)} of them with groups in which nobody has a high salary | no: the parameters do not fit this table (below) |
| 4 tables are private against A<sub>–</sub><sup>10⁶</sup>(20), 16 against A<sub>–</sub><sup>10³</sup>(20) | {len(few)} and {len(many)} | no: a tenth of the people, fewer high salaries |
| class II with σ = 10³ needs a smaller ε than class III at almost all tables | than both shapes at {second.holds} of {second.of}; than the uniform shape at {_below_uniform(e)} of {second.of} | only for the uniform shape |
| class II is as useful as class I for σ ≤ 10⁵ (ε = 2.5, Figure 2 (b)) | for {same[PAPER] or "no σ"} at ε = 2.5, for {same[e.here] or "no σ"} at ε = 30 | no: groups are ten times smaller |
| A<sub>d</sub><sup>∞</sup> is .5 / .334 = 1.497 times A<sub>c</sub><sup>∞</sup> wherever R2 decides | .5 / {float(e.high):.4f} = {float(Fraction(1, 2) / e.high):.3f} times, at {ratio} of {of} nodes | yes |
"""


def _example() -> Iterator[str]:
    yield """## Example 3 and Table 3

Table 3 of the paper has 500 men under 40 and 4,500 men above, two in five of them with flu, and 20,000 women, nine in ten with flu. Rachel is one of the women. A nearby hospital has published that of 29,998 patients 11,999 had flu and 17,999 cancer, which justifies the prior D(12000, 18000).

The smallest ε of each group, by the conditions of the theorems; for the table also by the beliefs p_in and p_out themselves (Equations 8 and 9), which ask a little less:
"""
    yield from hospital.report()
    yield """
How sure each of them is that Rachel has flu, with her record and without it:
"""
    yield from hospital.beliefs()
    yield """
The example leaves out the “−1” of Equation 9, hence .6 and .36002. It also says that 0.9 of Rachel's group “have cancer”; they have flu.
"""


def _data(e: Experiment) -> Iterator[str]:
    young = _all_low_below(e)
    here = e.here
    epsilon_t = e.epsilon_of_closeness(here.t)
    assert epsilon_t is not None
    yield f"""## The experiment of section 4

The paper's American Community Survey comes from IPUMS and may not be passed on. Census-Income (UCI; Current Population Surveys of 1994 and 1995) has the same attributes:

| | paper | here |
|---|--:|--:|
| people | nearly 3 million | {e.people:,} |
| high salary | 33.4 % | {100 * float(e.high):.1f} % |
| age | 73 values; 5, 10, 20, 40, * | {len(e.lattice.cells.hierarchies[0].values)} values; 5, 10, 20, 40, * |
| marital status | 6 values; taxonomy | {len(e.lattice.cells.hierarchies[1].values)} values; never married or married, now or before; * |
| race | 9 values; * | {len(e.lattice.cells.hierarchies[2].values)} values; * |
| sex | 2 values; * | 2 values; * |
| generalisations | 72 | {len(e.nodes)} |

A node [x₁, x₂, x₃, x₄] says how many levels {", ".join(PLACES[:-1])} and {PLACES[-1]} have been generalised; [5, 2, 1, 1] hides them all.

Three differences decide what follows. High salaries are five times rarer, so a uniform prior is far from every group and the pointwise ratios are large. There is a tenth of the people, so an attacker of the same stubbornness is ten times as hard to convince. And children are in the table: nobody under {young} has a high salary, so every node that publishes ages in ranges of 10 or less has a group in which all have the same salary class, and no ε. That leaves {len(e.nodes) - len(e.homogeneous)} of {len(e.nodes)} nodes without a homogeneous group.

**Parameters.** The paper compares (4, 2)-diversity, ε = (c + 1) / 2 = 2.5 and t = 0.2, for which Lemma 1 gives ε<sub>t</sub> = {0.334 / (0.334 - 0.2):.4f}. Here (4, 2)-diversity admits {len(e.diverse(PAPER.c)) or "no"} table at all: the most general one has {up(float(_top_ratio(e)))} people with a low salary to each with a high one. And t = 0.2 is above the share of high salaries, so Lemma 1 gives no ε<sub>t</sub>, and a group in which nobody has a high salary is only {float(e.high):.3f} away from the table. The same construction with other numbers, chosen after looking at Table 5 so that each definition admits some of the tables and not all: c = {here.c}, ε = (c + 1) / 2 = {float(here.epsilon):g}, and t = {float(here.t):g}, the largest with four digits for which ε<sub>t</sub> ({float(epsilon_t):.2f}) is at most ε. The class II attacker of the figures has σ = {power(here.sigma)}, which is to this table what a million is to the paper's.
"""


def _table_5(e: Experiment) -> Iterator[str]:
    rows = list(e.table_5())
    yield f"""### Table 5

The smallest ε at which each table is private against six attackers, for all {len(rows)} nodes where one of them is below 20; in parentheses what the paper prints for its table. A<sub>d</sub> has a uniform prior, A<sub>c</sub> one of the table's shape, A<sub>–</sub> one of any shape; the superscript is the stubbornness.

| level | node | {" | ".join(HEADS)} |
|--:|---|{"--:|" * len(SIX)}"""
    last = None
    for node, row in rows:
        level = "" if sum(node) == last else str(sum(node))
        last = sum(node)
        printed = paper.TABLE_5.get(node)
        cells = [
            up(value) if printed is None else f"{up(value)} ({printed[i]:g})"
            for i, value in enumerate(row)
        ]
        yield f"| {level} | {label(node)} | {' | '.join(cells)} |"
    lacking = [node for node in paper.TABLE_5 if node not in dict(rows)]
    empty = [node for node in lacking if node in e.homogeneous]
    least = min(e.levels(a)[n] for a in SIX for n in lacking if n not in e.homogeneous)
    hardest = sum(row[3] == max(row) for _, row in rows)
    yield f"""
The paper's table also has {listed(lacking)}. Here {listed(empty)} {"has a homogeneous group" if len(empty) == 1 else "have homogeneous groups"}, and the others need at least {up(least)} against each of the six.

Both tables agree in the order that the theory asks for: class I needs no more than class III with the same shape (but for the most general table, by less than a hundredth of a per cent), nor than class II with the same stubbornness; the table's own shape needs no more than the uniform one; and class II with a million needs the most ({hardest} of {len(rows)} rows here). What differs is the size: against a uniform prior that nothing changes, a group in which a share q has a high salary needs .5 / q, and already in the whole table q is {float(e.high):.3f}.
"""


def _stubbornness(e: Experiment, folder: str) -> Iterator[str]:
    head = " | ".join(map(power, STUBBORN))
    yield f"""### Figure 2 (a): ε against stubbornness

![Smallest ε of {label(SHOWN)} against stubbornness]({folder}/figure_2a.svg)

| {label(SHOWN)} | {head} | ∞ |
|---|{"--:|" * (len(STUBBORN) + 1)}"""
    for who, family in FAMILIES.items():
        values = [e.levels(family(s))[SHOWN] for s in STUBBORN]
        end = math.inf if family is any_shape else e.levels(family(math.inf))[SHOWN]
        yield f"| {who} | {' | '.join(map(up, [*values, end]))} |"
    yield f"""
As in the paper, ε grows with the stubbornness and levels off at class III once the attacker has seen far more people than the groups hold (at least {_smallest(e, SHOWN):,} here). Against class II it never levels off: an attacker of any shape and without limit is class IV.
"""


def _utility(e: Experiment, folder: str) -> Iterator[str]:
    yield f"""### Figures 2 (b) and (c): utility against stubbornness

The best discernibility (sum of squared group sizes) and the smallest average group among the tables that are private, at the paper's ε = 2.5 and at ε = {float(e.here.epsilon):g}.

![Best discernibility at ε = 2.5]({folder}/figure_2b.svg)

![Best discernibility at ε = 30]({folder}/figure_2b_here.svg)

![Smallest average group at ε = 2.5]({folder}/figure_2c.svg)

![Smallest average group at ε = 30]({folder}/figure_2c_here.svg)

Utility grows as less stubborn attackers are considered, as in the paper. The number of private tables, of {len(e.nodes)}:

| | ε | {" | ".join(map(power, STUBBORN))} | ∞ |
|---|--:|{"--:|" * (len(STUBBORN) + 1)}"""
    for parameters in (PAPER, e.here):
        for who, family in FAMILIES.items():
            counts = [len(e.private(family(s), parameters.epsilon)) for s in STUBBORN]
            end = 0 if family is any_shape else len(e.private(family(math.inf), parameters.epsilon))
            numbers = " | ".join(map(str, [*counts, end]))
            yield f"| {who} | {float(parameters.epsilon):g} | {numbers} |"
    yield ""


def _lattice(e: Experiment, folder: str) -> Iterator[str]:
    yield f"""### Figure 3: the lattice

Each node is marked by the definitions that admit it; lines join immediate generalisations. First the paper's parameters, then those that fit this table.

![The lattice, parameters of the paper]({folder}/figure_3.svg)

![The lattice, parameters that fit this table]({folder}/figure_3_here.svg)

Squares always come in pairs: (c, 2)-diversity is ε-privacy against a uniform prior that nothing changes. With the second set of parameters every circle has its dashed circle around it, which is Lemma 1, but not the other way round. With the first there are circles without one: 0.2-closeness admits groups in which nobody has a high salary.
"""


def _claims(e: Experiment, counted: list[Finding]) -> Iterator[str]:
    yield f"""## Every claim of section 4, counted

Where a node has a homogeneous group every ε is infinite ({len(e.homogeneous)} of {len(e.nodes)} nodes); two infinite values count as equal.

| claim | where | holds | of | counted | |
|---|---|--:|--:|---|---|"""
    for f in counted:
        cells = [f.claim, f.place, f"{f.holds:,}", f"{f.of:,}", f.cases, f.note]
        yield f"| {' | '.join(map(_typeset, cells))} |"
    yield ""


def _typeset(text: str) -> str:
    """The paper's symbols as HTML has them."""
    text = re.sub(r"A_([dc])\^∞", r"A<sub>\1</sub><sup>∞</sup>", text)
    return text.replace("ε_t", "ε<sub>t</sub>")


def _misprints() -> Iterator[str]:
    row, other = (5, 1, 0, 1), (5, 0, 0, 1)
    yield f"""## Misprints in the paper's Table 5

- Row {label(row)}: A<sub>c</sub><sup>10⁶</sup> = 1.25 is the value of row [5,1,1,1]. The two A<sub>d</sub> columns imply a group of about {paper.implied_size(row):,.0f} people, and with it {paper.implied_as_table(row):.2f}.
- Row {label(other)}: A<sub>–</sub><sup>10⁶</sup> = 14.6 is below A<sub>–</sub><sup>10³</sup> = 21.8 and below A<sub>d</sub><sup>10⁶</sup> = 21.7, which cannot be. The group of about {paper.implied_size(other):,.0f} people needs at least {paper.implied_any_shape(other):.0f}. With that the text's “4 tables” and “16 tables” are right.
- The class II columns are rounded up to one digit behind the point, the others are not.
- Equation 6 must read max, not min: with two values min would give 2c / (c + 1), not (c + 1) / 2.
"""


def _below_uniform(e: Experiment) -> int:
    second, third = e.levels(any_shape(10**3)), e.levels(uniform(math.inf))
    return sum(second[n] < third[n] for n in e.nodes if n not in e.homogeneous)


def _ratio(e: Experiment) -> tuple[int, int]:
    """At how many nodes the two class III levels stand in the ratio of the rare value's priors."""
    d, c = e.levels(uniform(math.inf)), e.levels(as_table(math.inf))
    fit = [n for n in e.nodes if n not in e.homogeneous]
    wanted = 0.5 / float(e.high)
    return sum(math.isclose(d[n] / c[n], wanted, rel_tol=1e-9) for n in fit), len(fit)


def _same_utility(e: Experiment, parameters: Parameters) -> str:
    """The stubbornnesses at which class II is as useful as both class I attackers."""
    lines = best(e, e.discernibility, parameters)
    values: list[Mapping[float, float]] = [line.points for line in lines]
    equal = [s for s in STUBBORN if len({v.get(float(s)) for v in values}) == 1]
    return ", ".join(f"σ = {power(s)}" for s in equal)


def _smallest(e: Experiment, node: Node) -> int:
    return int(e.groups[node].n.min())


def _top_ratio(e: Experiment) -> Fraction:
    ratio = e.ratio[e.nodes[0]]
    assert ratio is not None
    return ratio


def _all_low_below(e: Experiment) -> int:
    """The youngest age at which somebody has a high salary."""
    base = e.lattice.base
    codes = e.lattice.layout.unpack(base.words)[:, 0]
    place = base.groups.domains["salary_class"].values.index(">50K")
    counts = base.groups.histograms["salary_class"].dense(2)[:, place]
    ages = e.lattice.cells.hierarchies[0].values
    return min(int(ages[code] or 0) for code, n in zip(codes, counts, strict=True) if n)
