"""The reproduction page, docs/composition_attacks.md: text around computed numbers."""
# ruff: noqa: E501  prose is not broken into lines, as in the other pages

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from examples.composition_attacks import paper
from examples.composition_attacks.experiment import (
    CONFIDENCES,
    NOTHING,
    Claims,
    Experiment,
    Laboratory,
    Score,
    Spread,
    Way,
)
from examples.composition_attacks.figures import SCENARIOS
from examples.composition_attacks.page_private import private_half
from examples.composition_attacks.paper import Reported
from examples.composition_attacks.private import Noisy
from examples.composition_attacks.releases import MICRO, RELAXED, STRICT, TAXONOMY
from examples.composition_attacks.telling import number, percent, share

BOTH = (STRICT, STRICT)
FIVE, TEN = Claims(k=5), Claims(k=10)


def page(e: Experiment, noisy: Sequence[Noisy], *, folder: str = "figures") -> str:
    """The page, in Markdown."""
    parts = [
        _head(),
        _short(e, noisy),
        _setup(e),
        _perfect(e, folder),
        _partial(e, folder),
        _anonymity(e, folder),
        _locating(e),
        _unknown(e),
        _diversity(e, folder),
        _variants(e),
        private_half(e, noisy, folder),
    ]
    return "\n".join(line for part in parts for line in part)


def _head() -> Iterator[str]:
    yield """# Composition attacks: the paper's experiments, done again

Ganta, Kasiviswanathan and Smith, *Composition attacks and auxiliary information in data privacy* (KDD 2008), asked what happens when two organisations publish anonymised tables about overlapping people without knowing of each other. An attacker who knows that somebody is in both finds the person's group in each and intersects the sensitive values of the groups. This page repeats the paper's experiments with Hedgerow's intersection attack, and then attacks differentially private tables in the same way.

Numbers of this page are computed, except what is quoted from the paper. To do it again, with figures as SVG and as interactive HTML (a few minutes; `--quick` for a small version):

```
HEDGEROW_DATA=/path/to/data python -m examples.composition_attacks --to out/
```

**How to read the tables.** Two random subsets are published independently. *k₁ = k₂ = k* throughout. *Perfect breach*: one possible value is left (EA<sup>c</sup> = 1). *Partial breach* at confidence C: at most 1 / C values are left (PVP<sub>C</sub>). *Effective anonymity* EA: how many different values the person's group has; *prior* in one release, *posterior* in both together. Numbers are means over the seeds, in parentheses the least and the largest.
"""


def _short(e: Experiment, noisy: Sequence[Noisy]) -> Iterator[str]:
    adult, ipums = e.both
    micro = (MICRO, MICRO)
    yield """## In short

The paper's digits are destroyed in the copy at hand. Its numbers are quoted from memory; the column *sure* says how sure that memory is. None could be looked up, so agreement is judged by size and direction, not by digits.

| | paper | sure | here | why it differs |
|---|---|--:|---|---|"""

    def row(told: Reported, here: str, why: str) -> str:
        return f"| {told.what} | {told.value} | {share(told.confidence)} | {here} | {why} |"

    yield row(
        paper.PERFECT_ADULT,
        f"microaggregation {_share(adult, 'perfect', micro, FIVE, way='cluster known')} if clusters "
        f"are told apart, {_share(adult, 'perfect', micro, FIVE)} as a recipient sees them; "
        f"Mondrian {_share(adult, 'perfect', BOTH, FIVE)} strict, "
        f"{_share(adult, 'perfect', (RELAXED, RELAXED), FIVE)} relaxed",
        "closest is microaggregation with its clusters told apart, one of five variants; which method the sentence is about is not known",
    )
    yield row(
        paper.PERFECT_IPUMS,
        f"microaggregation {_share(ipums, 'perfect', micro, FIVE, way='cluster known')} and "
        f"{_share(ipums, 'perfect', micro, FIVE)}, Mondrian "
        f"{_share(ipums, 'perfect', BOTH, FIVE)}; of those who have an occupation "
        f"{_share(ipums, 'perfect', micro, FIVE, way='cluster known', working=True)}, "
        f"{_share(ipums, 'perfect', micro, FIVE, working=True)} and "
        f"{_share(ipums, 'perfect', BOTH, FIVE, working=True)}",
        f"microaggregation comes close; but {share(_nothing(ipums))} of the people have no occupation, which their work "
        "class says as well: most of these breaches are of no consequence",
    )
    for told, lab in ((paper.PARTIAL_ADULT, adult), (paper.PARTIAL_IPUMS, ipums)):
        spread = Spread.of(s.pvp[CONFIDENCES.index(0.2)] for s in lab.scores(BOTH, FIVE))
        yield row(told, percent(spread), "more: the groups are smaller (below)")
    yield row(
        paper.PARTITION_IPUMS,
        number(ipums.measured(_partition, BOTH, FIVE)),
        "the paper blames its hierarchies, which “cannot be controlled at finer levels”; cuts here "
        "fall between any two values",
    )
    yield row(paper.PARTITION_K, number(ipums.measured(_partition, BOTH, TEN)), "likewise")
    for told, claims in ((paper.PARTITION_L, Claims(k=10, l=5)),
                         (paper.PARTITION_T, Claims(k=10, t=0.4))):  # fmt: skip
        here = number(ipums.measured(_partition, BOTH, claims))
        yield row(
            told,
            f"{here} of {ipums.census.subset:,}",
            "grows with the subsets, whose size is not known",
        )
    yield row(
        paper.LOCATED,
        f"{percent(adult.located(FIVE))} on Adult, {percent(ipums.located(FIVE))} on IPUMS, at "
        "k = 5",
        "the same on Adult, less on IPUMS",
    )
    ratio = max(_ratio(n) for n in noisy if n.epsilon is not None)
    worst = max(b.largest / b.bound for n in noisy for b in n.beliefs)
    yield f"""
What holds whatever the numbers are:

- Perfect breach falls with k for every method and both censuses, as in the paper: {_falls(e)} of {_steps(e)} steps from one k to the next, seed by seed.
- The true value is in the intersection for **{_truth(e):.4g} %** of the targets located by box or by group, over all the releases of this page.
- The drop in anonymity hits about every second person: at k = 5, {_share(adult, "vulnerable", BOTH, FIVE)} of the targets on Adult and {_share(ipums, "vulnerable", BOTH, FIVE)} on IPUMS have fewer possible values left than either release leaves them.
- l-diversity and t-closeness help only as far as they make the groups large.
- Against ε-differentially private tables the largest growth of a belief came to {share(worst)} of the factor e<sup>2ε</sup> that the theory allows, and intersection named the occupations of people who are in both releases at most {ratio:.2f} times as often as those of people who are in neither.
"""


def _setup(e: Experiment) -> Iterator[str]:
    yield """## Data and releases

| | people | in each release | in both (P) | sensitive | its values | quasi-identifiers (values) |
|---|--:|--:|--:|---|--:|---|"""
    for lab in e.both:
        c = lab.census
        sizes = ", ".join(f"{name} {len(c.table[name].unique())}" for name in c.quasi)
        yield (
            f"| {c.name} | {c.people:,} | {c.subset:,} | {c.overlap:,} | {c.sensitive} | "
            f"{len(c.table[c.sensitive].unique())} | {sizes} |"
        )
    yield f"""
The paper has P = 5,000 (85 % sure) and does not say how large the subsets are. Adult is its file, the 30,162 complete rows. Of its IPUMS file (1970, 70,187 people) only a tenth is at hand, too few for an overlap of 5,000 in subsets of a size that teaches something; {"so the samples of three censuses are treated as one population" if "1990" in e.ipums.census.name else "this run uses that tenth with a smaller overlap"}. [Other sizes](#other-sizes) are below. Who has no occupation has `{NOTHING}` in IPUMS, which counts as a value, as it must have done in the paper for all people of the file to be in it.

Releases are made with `hedgerow.publish` and read back as a recipient reads them. Mondrian publishes tight ranges and sets; Adult's categories have ARX's hierarchies, birthplaces regions, schooling two levels, the rest none. {len(e.setting.seeds)} random splits (seeds {", ".join(map(str, e.setting.seeds))}).
"""


def _perfect(e: Experiment, folder: str) -> Iterator[str]:
    micro, three = (MICRO, MICRO), Claims(k=3)
    heads = " | ".join(f"k = {k}" for k in e.setting.ks)
    yield f"""## Perfect breach

![Perfect breach against k]({folder}/composition_perfect.svg)

Per cent of the people in both releases for whom one value is left, their groups being known (“in our attacks, we always assume locatability”):

| | {heads} |
|---|{"--:|" * len(e.setting.ks)}"""
    for lab, working in ((e.adult, False), (e.ipums, False), (e.ipums, True)):
        name = _name(lab) + (", those with an occupation" if working else "")
        for who, (methods, way) in SCENARIOS.items():
            cells = [_share(lab, "perfect", methods, Claims(k=k), way=way, working=working)
                     for k in e.setting.ks]  # fmt: skip
            yield f"| {name}: {who} | {' | '.join(cells)} |"
        alone = [_share(lab, "alone", BOTH, Claims(k=k), working=working) for k in e.setting.ks]
        yield f"| {name}: one value already in one strict Mondrian release | {' | '.join(alone)} |"
    yield f"""
The last line of each block is what composition is *not* to blame for: groups of a single release in which everybody has the same value. On IPUMS these are most of the breaches, and mostly of people who have no occupation ({share(_nothing(e.ipums))} of all): whoever has no work class has none, and an attacker who knows the one knows the other without any release. Among people who have an occupation strict Mondrian is breached about as often as on Adult or somewhat more; there are {len(e.ipums.census.table[e.ipums.census.sensitive].unique())} occupations against {len(e.adult.census.table[e.adult.census.sensitive].unique())}, so two groups have fewer in common.

Microaggregation is broken more often than Mondrian at the same k because MDAV makes groups of hardly more than k people: at k = 5 the average partition on Adult is {number(e.adult.measured(_partition, micro, FIVE, way="cluster known"))} against {number(e.adult.measured(_partition, BOTH, FIVE))}. Strict Mondrian with k = 3, average {number(e.adult.measured(_partition, BOTH, three))}, is broken for {_share(e.adult, "perfect", BOTH, three)}. Clusters with the same centroid are one group to whoever holds the release, of {number(e.adult.measured(_partition, micro, FIVE))} people on average, and the intersection is then larger; told apart, as in a simulation on the partition itself, they come closest to the numbers the paper is remembered for. That is weak evidence of what the paper did: this variant was added after the others had been looked at, and the numbers it is compared with are from memory.
"""


def _partial(e: Experiment, folder: str) -> Iterator[str]:
    heads = " | ".join(f"{share(c)}" for c in CONFIDENCES)
    yield f"""## Partial breach

![Partial breach against confidence]({folder}/composition_partial.svg)

PVP<sub>C</sub> in per cent, Mondrian strict on both:

| confidence at least | {heads} |
|---|{"--:|" * len(CONFIDENCES)}"""
    for lab in e.both:
        for k in e.setting.ks:
            scores = lab.scores(BOTH, Claims(k=k))
            cells = [percent(Spread.of(s.pvp[i] for s in scores)) for i in range(len(CONFIDENCES))]
            yield f"| {_name(lab)}, k = {k} | {' | '.join(cells)} |"
    yield """
As the paper says, the severity grows “alarmingly for slight relaxation on the required confidence level”. A few possible values are no bound on what is learned: the likeliest of them is right more often than one in so many.
"""


def _anonymity(e: Experiment, folder: str) -> Iterator[str]:
    yield f"""## Presumed, actual and effective anonymity

![Presumed, actual and effective anonymity against k]({folder}/composition_anonymity.svg)

![Effective anonymity before and after the attack]({folder}/composition_drop.svg)

Mondrian strict on both; averages over the people in both releases. *Drop* is AnonDrop, from the smaller of the two priors; *vulnerable* are those with a positive drop (per cent).

| | presumed k | average partition | effective prior | effective posterior | drop | vulnerable |
|---|--:|--:|--:|--:|--:|--:|"""
    for lab in e.both:
        for k in e.setting.ks:
            measures: list[Callable[[Score], float]] = [
                lambda s: s.partition, lambda s: s.prior, lambda s: s.posterior, lambda s: s.drop,
            ]  # fmt: skip
            cells = [number(lab.measured(of, BOTH, Claims(k=k))) for of in measures]
            cells.append(_share(lab, "vulnerable", BOTH, Claims(k=k)))
            yield f"| {_name(lab)} | {k} | {' | '.join(cells)} |"
    yield """
Partitions are larger than k, effective anonymity is smaller than the partitions, and what is left after the attack is smaller again. Partitions here are closer to k than the paper's, which names generalisation along user-defined hierarchies as the culprit; with cuts between any two values it is mostly people with equal tuples who keep a group of 2k or more together.
"""


def _locating(e: Experiment) -> Iterator[str]:
    yield """## Finding somebody's group

The paper assumes that a target's group is known. By box it mostly is: strict Mondrian's boxes do not overlap. Relaxed Mondrian's may (people with equal tuples are in several), and if nodes of a taxonomy are published instead of sets they cover each other; then everybody in all groups that fit is possible, the truth still among them. Centroids of microaggregation say nothing for certain: the nearest may be somebody else's. k = 5 on both:

| | | records that fit | right group | truth is possible | one value left, groups told apart | group known | located | and it is right |
|---|---|--:|--:|--:|--:|--:|--:|--:|"""
    for lab in e.both:
        for method in (STRICT, RELAXED, TAXONOMY, MICRO):
            pair = (method, method)
            scores = lab.scores(pair, FIVE, way="values known")
            right = percent(lab.located(FIVE)) if method == MICRO else "among those that fit"
            cells = [
                number(Spread.of(s.partition for s in scores)),
                "always" if method == STRICT else right,
                percent(Spread.of(s.inside for s in scores)),
                _share(lab, "perfect", pair, FIVE, way="cluster known"),
                _share(lab, "perfect", pair, FIVE),
                percent(Spread.of(s.perfect for s in scores)),
                percent(Spread.of(s.right for s in scores)),
            ]
            yield f"| {_name(lab)} | {method} | {' | '.join(cells)} |"
    yield """
A wrong centroid makes the attacker *more* certain, not less: intersections of unrelated groups are small. What is left is then the truth less often, and an attacker who counts values left overrates the attack; the last column is what they really get.
"""


def _unknown(e: Experiment) -> Iterator[str]:
    yield """## Not knowing who is in both

The attack takes for granted that the target is in both releases. Here are people who are only in the first, and people who are in neither, attacked as though they were in both (k = 5, located by their values). *Ruled out*: they fit into no group of one release, or no value is left. *Trusted* is how often a single value that is left is the true one, if half of the people tried are in both (all people of the first release).

| | | ruled out: in both | only in the first | in neither | one value left: in both | only in the first | in neither | trusted |
|---|---|--:|--:|--:|--:|--:|--:|--:|"""
    for lab in e.both:
        for method in (STRICT, MICRO):
            groups = [
                lab.scores((method, method), FIVE, way="values known", who=who)
                for who in ("both", "only first", "neither")
            ]
            out = [percent(Spread.of(s.ruled_out for s in scores)) for scores in groups]
            left = [percent(Spread.of(s.perfect for s in scores)) for scores in groups]
            trusted = Spread.of(_trusted(lab, a, b) for a, b in zip(*groups[:2], strict=True))
            cells = [*out, *left, percent(trusted)]
            yield f"| {_name(lab)} | {method} | {' | '.join(cells)} |"
    told = []
    for lab in e.both:
        guess, truth = lab.estimated_overlap(STRICT, FIVE)
        told.append(f"{percent(guess)} on {_name(lab)} where it is {percent(truth)}")
    yield f"""
How many are in both can be estimated with nothing but the second release and a register of strangers: tight boxes do not fit everybody. If a share f of strangers fits into a box, and a share g of the people of the first release, then (g − f) / (1 − f) of them are in both: estimated {" and ".join(told)}. *Who* they are is another matter: contradictions unmask some of the people who are not, and the others dilute what a single remaining value is worth.
"""


def _diversity(e: Experiment, folder: str) -> Iterator[str]:
    heads = " | ".join(f"{share(c)}" for c in CONFIDENCES)
    yield f"""## l-diversity and t-closeness

![Partial breach with l-diversity and t-closeness]({folder}/composition_diversity.svg)

Mondrian strict with k = 10 on both, with entropy l-diversity or t-closeness (equal distance) as a further claim; PVP<sub>C</sub> in per cent:

| | claim | average partition | {heads} |
|---|---|--:|{"--:|" * len(CONFIDENCES)}"""
    every = [("k = 10", TEN)]
    every += [(f"k = 10, l = {l:g}", Claims(k=10, l=l)) for l in e.setting.ls]  # noqa: E741
    every += [(f"k = 10, t = {t:g}", Claims(k=10, t=t)) for t in e.setting.ts]
    for lab in e.both:
        for name, claims in every:
            scores = lab.scores(BOTH, claims)
            cells = [number(Spread.of(s.partition for s in scores))]
            cells += [percent(Spread.of(s.pvp[i] for s in scores))
                      for i in range(len(CONFIDENCES))]  # fmt: skip
            yield f"| {_name(lab)} | {name} | {' | '.join(cells)} |"
    alone = 1 - _nothing(e.ipums)
    yield f"""
“There is no guarantee that the intersection of two well diverse sets leads to a well diverse set.” Both definitions help here because they force large groups, at the price the paper names: heavy loss. On IPUMS a group of nobody but people without an occupation is {alone:.2f} away from the table, so a t above that does nothing for them.
"""


def _variants(e: Experiment) -> Iterator[str]:
    yield """## Other sizes

Perfect breach at k = 5, group known; what size, years and people do to it:

| | people | in each | in both | Mondrian strict | its average partition | Mondrian relaxed | microaggregation | one value already in one (strict) |
|---|--:|--:|--:|--:|--:|--:|--:|--:|"""
    for lab in (*e.both, *e.variants):
        c = lab.census
        cells = [
            _share(lab, "perfect", BOTH, FIVE),
            number(lab.measured(_partition, BOTH, FIVE)),
            _share(lab, "perfect", (RELAXED, RELAXED), FIVE),
            _share(lab, "perfect", (MICRO, MICRO), FIVE),
            _share(lab, "alone", BOTH, FIVE),
        ]
        yield (f"| {c.name} | {c.people:,} | {c.subset:,} | {c.overlap:,} | {' | '.join(cells)} |")
    yield """
The size of the subsets matters far less than k, the method, and whether people without an occupation are counted; it does not even have one direction. Relaxed and strict differ little, since with cuts between any two values strict groups are hardly larger.
"""


def _partition(score: Score) -> float:
    return score.partition


def _share(
    lab: Laboratory,
    what: str,
    methods: tuple[str, str],
    claims: Claims,
    *,
    way: Way = "group known",
    working: bool = False,
) -> str:
    """One of the shares of `Score`, in per cent."""

    def of(score: Score) -> float:
        return float(getattr(score, what))

    return percent(lab.measured(of, methods, claims, way=way, working=working))


def _name(lab: Laboratory) -> str:
    return lab.census.name.partition(" ")[0]


def _nothing(lab: Laboratory) -> float:
    """The share of people who have no occupation."""
    values: list[str] = lab.census.table[lab.census.sensitive].to_pylist()
    return values.count(NOTHING) / len(values)


def _trusted(lab: Laboratory, both: Score, only: Score) -> float:
    """How often one value that is left is right, if all people of the first release are tried."""
    x = lab.census.overlap / lab.census.subset
    claims = x * both.perfect + (1 - x) * only.perfect
    return (x * both.right + (1 - x) * only.right) / claims if claims else 0.0


def _ratio(n: Noisy) -> float:
    """How much more often people in both releases are named than people in neither."""
    assert n.named.control is not None
    return n.named.found.value / n.named.control.value


def _falls(e: Experiment) -> int:
    """Steps from one k to the next at which perfect breach does not grow."""
    return sum(a >= b for a, b in _pairs(e))


def _steps(e: Experiment) -> int:
    return len(list(_pairs(e)))


def _pairs(e: Experiment) -> Iterator[tuple[float, float]]:
    for lab in e.both:
        for methods, way in SCENARIOS.values():
            rows = [lab.scores(methods, Claims(k=k), way=way) for k in e.setting.ks]
            for smaller, larger in pairwise(rows):
                yield from ((a.perfect, b.perfect) for a, b in zip(smaller, larger, strict=True))


def _truth(e: Experiment) -> float:
    """Per cent of targets in both releases whose true value is left, but for nearest centroids."""
    scores = [
        s
        for lab in (*e.both, *e.variants)
        for attack, found in lab.attacked()
        if attack.who == "both" and (attack.way != "values known" or MICRO not in attack.methods)
        for s in found
    ]
    return 100 * sum(s.inside for s in scores) / len(scores)
