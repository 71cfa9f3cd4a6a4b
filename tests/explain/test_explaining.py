"""The study of a plan's adversaries: the paper's Table 3, and every kind of attacker."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

import hedgerow
from hedgerow import (
    AdversaryStudy,
    AtMost,
    ClassI,
    ClassII,
    ClassIII,
    ClassIV,
    EpsilonPrivacy,
    KAnonymity,
    Known,
    Plan,
    Predicates,
    Prior,
    explain_adversary,
)
from hedgerow.base.errors import DataError, PlanError, TargetError
from hedgerow.explain.belief_words import percents, rounded_up, times

METROPOLIS = Prior.counts({"flu": 11_999, "cancer": 17_999})
TABLE_3 = {("30", "M"): (200, 300), ("50", "M"): (1800, 2700), ("50", "F"): (18_000, 2000)}
COLUMNS: Mapping[str, Any] = {
    "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [20]}},
    "sex": "quasi-identifier",
    "disease": "sensitive",
}


def table(counts: Mapping[tuple[str, str], tuple[int, int]]) -> pa.Table:
    rows = [
        (age, sex, disease)
        for (age, sex), people in counts.items()
        for disease, n in zip(("flu", "cancer"), people, strict=True)
        for _ in range(n)
    ]
    return pa.table(dict(zip(("age", "sex", "disease"), map(list, zip(*rows, strict=True)),
                             strict=True)))  # fmt: skip


def study(adversary: Any, *more: Any, counts: Any = TABLE_3, **how: Any) -> AdversaryStudy:
    epsilon, nodes = how.pop("epsilon", 4.1), how.pop("nodes", None)
    claim = EpsilonPrivacy(epsilon=epsilon, of="disease", adversary=adversary, **how)
    plan = Plan.of(columns=COLUMNS, protect=[claim, *more])
    return explain_adversary(plan, data=table(counts), nodes=nodes)


def level(found: AdversaryStudy, sigma: float, node: int = 0) -> tuple[Any, Any, Any]:
    (row,) = [r for r in found.claims[0].nodes[node].rows if r.stubbornness == sigma]
    return row.class_i, row.class_ii, row.class_iii


# Table 3 of the paper; the numbers are recomputed, see FACTS


def test_table_3() -> None:
    found = study(ClassI(prior=METROPOLIS), nodes=["age=0,sex=0", {"age": 2}])
    claim = found.claims[0]
    assert [node.levels for node in claim.nodes] == [{"age": 0, "sex": 0}, {"age": 2, "sex": 0}]
    class_i, class_ii, _ = level(found, 30_000)
    # Equations 8 and 9: (1 - p_out) / (1 - p_in), p_out = 29999 / 49999.
    assert class_i == pytest.approx(float((1 - Fraction(29_999, 49_999)) * 10), abs=1e-10)
    assert round(class_i, 6) == 4.00008
    # The smallest group decides against class II: 300 of 500, sigma(cancer) = 1.
    assert class_ii == pytest.approx(float(Fraction(3, 5) / Fraction(300, 30_499)), abs=1e-9)
    assert level(found, math.inf) == (None, math.inf, 6.0)
    assert [row.own for row in claim.nodes[0].rows].count(True) == 1
    worst = claim.worst[0]
    assert (worst.labels, worst.people, worst.holders) == (
        {"age": "50", "sex": "F"},
        20_000,
        18_000,
    )
    assert worst.p_in == 0.9
    assert worst.p_out == pytest.approx(29_999 / 49_999)
    assert worst.sentence == (
        "Of the 20,000 people published as (age 50, sex F), 18,000 have flu as their disease. "
        "Whoever knows that somebody is among them believes it of them with 90.0%. Had that "
        "record been left out, they would believe it with 60.0%: they had expected 40.0%, and "
        "the 19,999 others moved them. So the record makes them 1.5001 times as sure that it is "
        "true; but it also leaves them only 10.0% of doubt instead of 40.0%, 4.0001 times less, "
        "and that decides: epsilon 4.0001."
    )


def test_table_3_by_the_theorems() -> None:
    found = study(ClassI(prior=METROPOLIS), by="theorem", nodes=["age=0"])
    class_i, class_ii, class_iii = level(found, 30_000)
    assert (round(class_i, 6), class_ii, class_iii) == (4.00028, 61.0, None)
    assert level(found, 1000)[1] == 3.0
    # The female group alone, Example 3: 4, 6.4 and 6.
    alone = study(ClassI(prior=METROPOLIS), counts={("50", "F"): (18_000, 2000)},
                  by="theorem", nodes=["age=0"])  # fmt: skip
    assert round(level(alone, 30_000)[1], 6) == 6.400128
    assert level(alone, math.inf)[2] == 6.0


def test_example_3() -> None:
    """By the beliefs themselves: 4.0001 (the paper 4), 6.4, 6."""
    only = {("50", "F"): (18_000, 2000)}
    found = study(ClassI(prior=METROPOLIS), counts=only, nodes=["age=0"])
    class_i, class_ii, _ = level(found, 30_000)
    assert (times(class_i), times(class_ii)) == ("4.0001", "6.4")
    # sigma(flu) = 1: p_out = 18000 / 49999.
    assert class_ii == pytest.approx(float((1 - Fraction(18_000, 49_999)) * 10), abs=1e-10)


def test_what_breaks_table_3() -> None:
    claim = study(ClassI(prior=METROPOLIS), nodes=["age=0"]).claims[0]
    # (1 - p_out) = 4.1 * 0.1 for flu in the female group: 0.6 s + 2000 = 0.41 (s + 19999).
    high = (Fraction(41, 100) * 19_999 - 2000) / (Fraction(6, 10) - Fraction(41, 100))
    assert claim.like_prior.holds_to == math.floor(high) == 32_629
    assert claim.like_prior.people == 32_627
    assert claim.like_prior.labels == {"age": "50", "sex": "F"}
    assert claim.like_prior.sentences == (
        "A data set of more than 32,627 people with the prior's shares breaks the claim, first "
        "because of flu among those published as (age 50, sex F).",
    )
    # 0.6 / (300 / (499 + s)) = 4.1 for cancer in the smallest group: s = 4.1 * 500 - 499.
    assert claim.any_prior.people == 1551 - 2
    assert claim.any_prior.labels == {"age": "30", "sex": "M"}
    assert "one in which nobody has cancer as their disease" in claim.any_prior.sentences[0]


@pytest.mark.parametrize("people", [32_627, 32_628])
def test_the_number_of_people_is_the_last_that_is_safe(people: int) -> None:
    """A prior counted from that many people, in the prior's proportions as near as can be."""
    shape = Prior.shape({"flu": 2, "cancer": 3})
    found = study(ClassI(prior=shape, stubbornness=people + 2), nodes=["age=0"])
    assert found.claims[0].nodes[0].holds == (people == 32_627)
    any_ = study(ClassII(stubbornness=people - 32_627 + 1549 + 2), nodes=["age=0"])
    assert any_.claims[0].nodes[0].holds == (people == 32_627)


def test_more_epsilon_than_anybody_needs() -> None:
    claim = study(ClassI(prior=METROPOLIS), epsilon=6.01, nodes=["age=0"]).claims[0]
    assert claim.like_prior.people == math.inf
    assert claim.like_prior.sentences == (
        "No data set with the prior's shares breaks the claim, however large.",
    )
    claim = study(ClassI(prior=METROPOLIS), epsilon=1e30, nodes=["age=0"]).claims[0]
    assert claim.any_prior.people == math.inf


def test_small_data_break_it_too() -> None:
    """One of five has flu: with p_in = 1/5 and p_out = s p / (s + 4), a small s makes p_out small.

    1/5 (s + 4) <= 2 * s * 4/10 holds from s = 4/3; 1/5 (s + 4) <= 1.1 * 0.21 s from 25.8.
    """
    prior = Prior.shape({"flu": 0.21, "cancer": 0.79})
    found = study(ClassI(prior=prior, stubbornness=100), counts={("50", "F"): (1, 4)},
                  epsilon=1.1, nodes=["age=0"])  # fmt: skip
    like = found.claims[0].like_prior
    assert like.holds_from == math.ceil(Fraction(8, 10) / (Fraction(11, 10) * Fraction(21, 100)
                                                           - Fraction(2, 10)))  # fmt: skip
    assert like.fewest == 26 - 2
    assert "a stubbornness below 26 break the claim, because of flu" in like.sentences[0]


def test_fewer_people_in_the_same_proportions_break_it_too() -> None:
    """Half of two have flu: 1/2 (m + 3) <= 1.05 (1 + m / 2) from m = 18."""
    prior = Prior.counts({"flu": 1000, "cancer": 1000})
    found = study(ClassI(prior=prior), counts={("50", "F"): (1, 1)}, epsilon=1.05,
                  nodes=["age=0"])  # fmt: skip
    like = found.claims[0].like_prior
    assert (like.people, like.fewest) == (math.inf, 18)
    assert "A data set with the prior's shares of fewer than 18 people breaks" in like.sentences[0]
    assert like.sentences[1].endswith("of at least that size breaks the claim, however large.")


def test_a_shape_is_no_data() -> None:
    """Which data lead to a shape nobody says: only how stubborn attackers may be.

    One of 100 has flu, and 1 % was expected.
    """
    prior = Prior.shape({"flu": 0.01, "cancer": 0.99})
    found = study(ClassI(prior=prior, stubbornness=1000), counts={("50", "F"): (1, 99)},
                  epsilon=2, nodes=["age=0"])  # fmt: skip
    like = found.claims[0].like_prior
    assert like.holds_from == 99, "0.01 (s + 99) <= 2 * 0.01 s"
    assert "and a stubbornness below 99 break the claim" in like.sentences[0]
    assert like.sentences[1].endswith("shares beyond that breaks the claim, however stubborn.")


# Which nodes


def test_what_publish_would_choose_comes_first() -> None:
    """Epsilon 4 is not kept by the table as it is; the release is at a node that keeps it."""
    found = study(ClassI(prior=METROPOLIS), epsilon=4)
    names = [node.name for node in found.claims[0].nodes]
    assert names == ["release", "coarsest", "as it is"]
    release, coarsest, raw = found.claims[0].nodes
    assert release.holds
    assert coarsest.holds
    assert not raw.holds
    assert release.levels not in (coarsest.levels, raw.levels)
    assert coarsest.levels == {"age": 2, "sex": 1}
    assert raw.levels == {"age": 0, "sex": 0}
    assert found.notes == ()


def test_a_node_is_shown_once() -> None:
    found = study(ClassI(prior=METROPOLIS))
    assert [node.name for node in found.claims[0].nodes] == ["release", "coarsest"]


def test_no_release_keeps_the_claims() -> None:
    found = study(ClassI(prior=METROPOLIS), KAnonymity(k=25_001))
    assert [node.name for node in found.claims[0].nodes] == ["coarsest", "as it is"]
    assert "25001-anonymity" in found.notes[0]
    assert found.claims[0].worst[0].people == 25_000
    assert found.claims[0].worst[0].sentence.startswith("Of the 25,000 people who are published, ")


def test_people_left_out_are_not_measured() -> None:
    claim = EpsilonPrivacy(epsilon=2, of="disease", adversary=ClassI(prior=METROPOLIS))
    plan = Plan.of(columns=COLUMNS, protect=[claim], method={"suppress": "80%"})
    release = explain_adversary(plan, data=table(TABLE_3)).claims[0].nodes[0]
    assert (release.people, release.left_out, release.groups) == (5000, 20_000, 2)
    assert release.holds
    assert release.level == pytest.approx(1.0000492, abs=1e-7)
    published = hedgerow.publish(table(TABLE_3), columns=COLUMNS, protect=[claim],
                                 method={"suppress": "80%"})  # fmt: skip
    assert published.levels == release.levels
    assert published.suppressed == release.left_out


@pytest.mark.parametrize("search", ["mondrian", "local", "microaggregation"])
def test_methods_without_levels(search: str) -> None:
    claim = EpsilonPrivacy(epsilon=4.1, of="disease", adversary=ClassI(prior=METROPOLIS))
    plan = Plan.of(columns=COLUMNS, protect=[claim, KAnonymity(k=5)], method={"search": search})
    nodes = explain_adversary(plan, data=table(TABLE_3)).claims[0].nodes
    assert [node.name for node in nodes][-2:] == ["coarsest", "as it is"]
    assert nodes[0].levels is None
    assert nodes[0].level <= 4.1


@pytest.mark.parametrize(
    ("node", "says"),
    [
        ("agee=1", "there is no quasi-identifier 'agee'"),
        ("disease=1", "there is no quasi-identifier 'disease'"),
        ("age=3", "there is no level 3 of 'age'"),
        ({"age": -1}, "there is no level -1 of 'age'"),
        ({"age": True}, "there is no level True of 'age'"),
        ({"age": 1.5}, "there is no level 1.5 of 'age'"),
        ("age", "this is not a node"),
        ("", "this is not a node"),
        ("age=1,age=2", "a node gives a column a level once"),
        ("age=x", "this is not a node"),
    ],
)
def test_nodes_that_do_not_exist(node: Any, says: str) -> None:
    with pytest.raises(PlanError, match=says):
        study(ClassI(prior=METROPOLIS), nodes=[node])


def test_people_without_a_value_count_in_the_table_as_it_is() -> None:
    """The plan bars who has no age; `check` counts them, and so does the third node."""
    columns = {**COLUMNS, "age": {"role": "quasi-identifier", "missing": "suppress"}}
    data = table({("50", "F"): (6, 6)}).to_pydict()
    data["age"][0] = None
    claim = EpsilonPrivacy(epsilon=20, of="disease", adversary=ClassII(stubbornness=10))
    plan = Plan.of(columns=columns, protect=[claim], method={"suppress": "20%"})
    nodes = explain_adversary(plan, data=pa.table(data)).claims[0].nodes
    assert [(node.name, node.people, node.left_out) for node in nodes] == [
        ("release", 11, 1), ("coarsest", 11, 1), ("as it is", 12, 0),
    ]  # fmt: skip
    assert nodes[2].level == math.inf


# Every kind of attacker


SMALL = {("30", "M"): (2, 5), ("50", "M"): (4, 8), ("50", "F"): (6, 9)}
SHAPE = Prior.shape({"flu": 2, "cancer": 3})


@pytest.mark.parametrize(
    ("adversary", "says"),
    [
        (ClassI(prior=METROPOLIS), "So have the plan's attackers."),
        (ClassI(prior=METROPOLIS, stubbornness=10), "more stubborn than the plan's attackers."),
        (ClassI(prior=METROPOLIS, stubbornness=10**6), "which takes data about 999,998 people."),
        (ClassI(prior=Prior.uniform()), "a stubbornness of 2, which takes data about nobody."),
        (ClassI(prior=SHAPE, stubbornness=10), "a shape given in the plan: cancer 60.0%, flu"),
        (ClassIII(prior=Prior.of_table()), "The prior is the table's own distribution"),
        (ClassIII(prior=SHAPE, knows=1), "infinitely stubborn: nothing they see"),
        (AtMost(prior=SHAPE, stubbornness=50), "any stubbornness from 2.5 to 50"),
        (AtMost(prior=SHAPE, stubbornness=math.inf, at_least=7), "stubbornness from 7 upwards."),
        (ClassII(stubbornness=12), "Their stubbornness is at most 12, which takes data about 10"),
        (ClassIV(), "Class IV is every attacker there can be."),
        (ClassI(prior=Prior.counts({"flu": 4, "pox": 9})), "has nobody with 'cancer'"),
        (ClassI(prior=Prior.counts({"flu": 4, "pox": 9})), "Nobody in the table has 'pox'"),
    ],
)  # fmt: skip
def test_priors_in_words(adversary: Any, says: str) -> None:
    found = study(adversary, counts=SMALL, epsilon=30)
    assert says in " ".join(found.claims[0].prior.sentences)


def test_values_unseen_in_one_or_the_other() -> None:
    prior = study(ClassI(prior=Prior.counts({"flu": 4, "pox": 9})), counts=SMALL).claims[0].prior
    assert (prior.unseen, prior.elsewhere, prior.values) == (("cancer",), ("pox",), 3)
    assert prior.stubbornness == prior.justified == 13 + 3


def test_the_level_is_that_of_the_claim() -> None:
    """Whatever the class, the node's level is what `check` measures on the table."""
    for adversary in (
        ClassI(prior=METROPOLIS), AtMost(prior=SHAPE, stubbornness=400), ClassII(stubbornness=9),
        ClassIII(prior=SHAPE), ClassIV(), ClassI(prior=SHAPE, stubbornness=9, knows=1),
    ):  # fmt: skip
        claim = EpsilonPrivacy(epsilon=1.5, of="disease", adversary=adversary)
        (verdict,) = hedgerow.check(table(SMALL), columns=COLUMNS, protect=[claim])
        (raw,) = study(adversary, counts=SMALL, epsilon=1.5, nodes=["age=0"]).claims[0].nodes
        assert raw.level == pytest.approx(verdict.level, rel=1e-9)
        assert raw.level >= verdict.level * (1 - 1e-15)
        assert raw.holds == verdict.holds


def test_the_rows_are_other_claims_at_that_stubbornness() -> None:
    found = study(AtMost(prior=SHAPE, stubbornness=400), counts=SMALL, nodes=["age=0"])
    for row in found.claims[0].nodes[0].rows[:3]:
        for given, adversary in (
            (row.class_i, ClassI(prior=SHAPE, stubbornness=row.stubbornness)),
            (row.class_ii, ClassII(stubbornness=row.stubbornness)),
        ):
            claim = EpsilonPrivacy(epsilon=2, of="disease", adversary=adversary)
            (verdict,) = hedgerow.check(table(SMALL), columns=COLUMNS, protect=[claim])
            assert given == pytest.approx(verdict.level, rel=1e-9)
    marked = [row.stubbornness for row in found.claims[0].nodes[0].rows if row.own]
    assert marked == [2.5, 400]


def test_nobody_is_less_stubborn_than_somebody_without_data() -> None:
    values = [f"v{i}" for i in range(150)]
    data = pa.table({"age": ["30"] * 300, "sex": ["F"] * 300, "disease": values * 2})
    claim = EpsilonPrivacy(epsilon=9, of="disease", adversary=ClassIII(prior=Prior.uniform()))
    plan = Plan.of(columns=COLUMNS, protect=[claim])
    rows = explain_adversary(plan, data=data).claims[0].nodes[0].rows
    assert [row.class_ii is None for row in rows[:2]] == [True, False]
    told = explain_adversary(plan, data=data).summary()["claims"][0]["nodes"][0]["rows"]
    assert "class_ii" not in told[0]
    assert "class_ii" in told[1]


def test_everybody_has_it() -> None:
    found = study(ClassI(prior=METROPOLIS), counts={("30", "M"): (2, 0), ("50", "M"): (3, 9)},
                  nodes=["age=0"])  # fmt: skip
    claim = found.claims[0]
    assert claim.worst[0].sentence == (
        "Of the 2 people published as (age 30, sex M), both have flu as their disease. Whoever "
        "knows that somebody is among them is sure of it: no epsilon covers that."
    )
    assert claim.worst[0].epsilon == math.inf
    assert claim.like_prior.holds_from is None
    assert claim.like_prior.people is None
    assert claim.like_prior.sentences[0] == "The claim does not hold against the plan's attackers."
    assert (
        "however much or little data they have, because of flu among"
        in (claim.like_prior.sentences[1])
    )
    assert claim.any_prior.sentences[0].startswith("Even somebody without any data")


def test_known_people() -> None:
    """Three of ten have flu and the attacker knows two others: 3/8."""
    found = study(ClassI(prior=METROPOLIS, knows=2), counts={("50", "F"): (3, 7)}, nodes=["age=0"])
    flu = next(g for g in found.claims[0].worst)
    assert flu.p_in == 7 / 8
    assert "holds the records of 2 others of whom it is not true, believes it" in flu.sentence
    found = study(ClassI(prior=METROPOLIS, knows=3), counts={("50", "F"): (3, 7)}, nodes=["age=0"])
    assert "can take these away and be sure of it" in found.claims[0].worst[0].sentence


def test_a_list_of_known_people_and_wishes() -> None:
    data = table({("50", "F"): (6, 6)}).to_pydict()
    data |= {"id": [str(i) for i in range(12)], "wish": ["flu", None] * 6}
    columns = {**COLUMNS, "id": "identifier", "wish": "identifier"}
    claims = [
        EpsilonPrivacy(epsilon=30, of="disease", adversary=ClassI(
            prior=METROPOLIS, knows=Known(by="id", people=("0", "7")))),
        EpsilonPrivacy(epsilon=30, of="disease", adversary=ClassI(prior=METROPOLIS),
                       predicates=Predicates(wishes="wish")),
    ]  # fmt: skip
    plan = Plan.of(columns=columns, protect=claims)
    listed, wished = explain_adversary(plan, data=pa.table(data)).claims
    assert "holds the records on the list" in listed.worst[0].sentence
    assert listed.worst[0].p_in == 0.5
    assert wished.nodes[0].holds
    for claim in (listed, wished):
        assert claim.like_prior.holds_from is not None
        assert claim.any_prior.people is not None


def test_negative_disclosure() -> None:
    """Of twenty two have flu: that the others have none is what is learned."""
    predicates = Predicates(sets=["flu"], negative=True)
    found = study(ClassII(stubbornness=300), counts={("50", "F"): (2, 18)}, epsilon=2,
                  predicates=predicates, nodes=["age=0"])  # fmt: skip
    claim = found.claims[0]
    assert claim.any_prior.predicate == "not flu"
    assert (
        "for instance one in which everybody has flu as their disease"
        in (claim.any_prior.sentences[0])
    )
    other = study(ClassII(stubbornness=300), counts={("50", "F"): (18, 2)}, epsilon=2,
                  predicates=predicates, nodes=["age=0"])  # fmt: skip
    assert "nobody has flu" in other.claims[0].any_prior.sentences[0]
    stubborn = study(ClassIII(prior=Prior.shape({"flu": 9, "cancer": 1})), predicates=predicates,
                     counts={("50", "F"): (2, 18)}, nodes=["age=0"])  # fmt: skip
    assert "18 do not have flu as their disease." in stubborn.claims[0].worst[0].sentence


def test_predicates_only_the_prior_knows() -> None:
    """Class II has no prior that knows them; nobody in the table has them."""
    prior = Prior.counts({"flu": 4, "cancer": 5, "pox": 9})
    found = study(ClassI(prior=prior), counts=SMALL, nodes=["age=0"], epsilon=30,
                  predicates=Predicates(sets=["pox", ["flu", "pox"]]))  # fmt: skip
    same = study(ClassI(prior=prior), counts=SMALL, nodes=["age=0"], epsilon=30,
                 predicates=Predicates(sets=["flu"]))  # fmt: skip
    assert level(found, 1000)[1] == level(same, 1000)[1]
    vacuous = study(ClassI(prior=prior), counts=SMALL, nodes=["age=0"],
                    predicates=Predicates(sets=["pox"]))  # fmt: skip
    assert vacuous.claims[0].worst == ()
    assert vacuous.claims[0].like_prior.people == math.inf
    assert vacuous.claims[0].any_prior.people == math.inf


def test_a_node_of_the_taxonomy_that_the_prior_has_as_a_value() -> None:
    """The prior's source is coarser in one place; the predicate is still about the table."""
    taxonomy = {"taxonomy": {"illness": ["flu", "pox"], "tumour": ["cancer"]}}
    columns = {**COLUMNS, "disease": {"role": "sensitive", "hierarchy": taxonomy}}
    data = table({("50", "F"): (6, 6)}).to_pydict()
    data["disease"][:2] = ["pox", "pox"]
    prior = Prior.counts({"flu": 4, "pox": 2, "cancer": 5, "illness": 9})
    claim = EpsilonPrivacy(epsilon=30, of="disease", adversary=ClassI(prior=prior),
                           predicates=Predicates(sets=["illness"]))  # fmt: skip
    plan = Plan.of(columns=columns, protect=[claim])
    found = explain_adversary(plan, data=pa.table(data), nodes=["age=0"])
    any_prior = replace(claim, adversary=ClassII(stubbornness=1000))
    (verdict,) = hedgerow.check(pa.table(data), columns=columns, protect=[any_prior])
    assert level(found, 1000)[1] == pytest.approx(verdict.level, rel=1e-9)


def test_several_claims() -> None:
    first = EpsilonPrivacy(epsilon=5, of="disease", adversary=ClassIII(prior=SHAPE))
    second = EpsilonPrivacy(epsilon=9, of="disease", adversary=ClassII(stubbornness=5))
    plan = Plan.of(columns=COLUMNS, protect=[first, KAnonymity(k=2), second])
    found = explain_adversary(plan, data=table(SMALL))
    assert [claim.epsilon for claim in found.claims] == [5, 9]


def test_the_same_every_time() -> None:
    """The rows in another order: the same study, ties and all."""
    counts = {(str(age), sex): (1, 3) for age in range(30, 60) for sex in "FM"}
    other = dict(reversed(counts.items()))
    a = study(ClassI(prior=METROPOLIS), counts=counts).summary()
    b = study(ClassI(prior=METROPOLIS), counts=other).summary()
    assert json.dumps(a) == json.dumps(b)


# Refused


def test_a_plan_without_the_claim() -> None:
    plan = Plan.of(columns=COLUMNS, protect=[KAnonymity(k=2)])
    with pytest.raises(PlanError, match="the plan has no epsilon-privacy claim to explain"):
        explain_adversary(plan, data=table(SMALL))


def test_an_attacker_of_unknown_stubbornness() -> None:
    with pytest.raises(PlanError, match="does not say how stubborn") as told:
        study(ClassI(prior=SHAPE), counts=SMALL)
    assert told.value.where == "plan.protect.0"
    with pytest.raises(DataError, match="the prior gives no chance to 'cancer'"):
        study(ClassIII(prior=Prior.shape({"flu": 1})), counts=SMALL)


# Numbers


def test_levels_are_never_rounded_down() -> None:
    for number in (Fraction(4, 3), Fraction(10**15 + 1, 10**15), Fraction(1), Fraction(64, 10)):
        assert Fraction(rounded_up(number)) >= number * (1 - Fraction(1, 10**16))
        assert float(times(number)) >= number
    assert rounded_up(Fraction(1) + Fraction(1, 10**30)) > 1
    assert times(Fraction(1) + Fraction(1, 10**30)) == "1.0001"
    assert times(2000.998) == "2,001"
    assert times(999_999.5) == "1,000,000"
    assert times(Fraction(10**9 + 1)) == "1.1e+9"
    assert max(len(times(10.0**power * 9.99999, fixed=True)) for power in range(6)) <= 9


def test_percents_can_be_told_apart() -> None:
    assert percents(Fraction(1, 2), Fraction(1, 2)) == ["50.0%", "50.0%"]
    assert percents(Fraction(0), Fraction(1, 10**6)) == ["0%", "0.0001%"]
    a, b = percents(Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**5))
    assert a != b


# As JSON and as a chart


def test_json_has_no_infinity() -> None:
    found = study(ClassIII(prior=SHAPE), counts={("30", "M"): (2, 0), ("50", "M"): (3, 9)})
    text = json.dumps(found.summary(), allow_nan=False)
    told = json.loads(text)["claims"][0]
    rows = told["nodes"][-1]["rows"]
    assert rows[-1] == {"stubbornness": "infinite", "own": True, "class_ii": None,
                        "class_iii": None}  # fmt: skip
    assert rows[0]["stubbornness"] == 100
    assert told["nodes"][-1]["level"] is None
    assert told["prior"]["stubbornness"] == "infinite"


def test_plots(tmp_path: Any) -> None:
    first = EpsilonPrivacy(epsilon=5, of="disease", adversary=ClassIII(prior=SHAPE))
    second = EpsilonPrivacy(epsilon=9, of="disease", adversary=ClassII(stubbornness=5))
    plan = Plan.of(columns=COLUMNS, protect=[first, second])
    found = explain_adversary(plan, data=table(SMALL))
    written = found.plot(tmp_path / "plot.svg")
    assert [path.name for path in written] == ["plot.svg", "plot-2.svg"]
    text = written[0].read_text("utf-8")
    assert "any prior (class II)" in text
    assert "the claim: ε = 5" in text
    for name, says in (
        ("plot.csv", "a plot cannot be saved as"),
        ("no/plot.svg", "no such folder"),
    ):
        with pytest.raises(TargetError, match=says):
            found.plot(tmp_path / name)
    sure = study(ClassIII(prior=SHAPE), counts={("30", "M"): (2, 0), ("50", "M"): (3, 9)},
                 nodes=["age=0"])  # fmt: skip
    with pytest.raises(TargetError, match="epsilon is infinite throughout"):
        sure.plot(tmp_path / "sure.svg")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plot-2.svg", "plot.svg"]


def test_of_sets_those_are_told_who_know_one_value_only() -> None:
    """Against class II a set counts once; a data set with all its values is no such attacker."""
    sets = Predicates(sets=[["flu"]])
    said = " ".join(
        study(ClassI(prior=METROPOLIS), epsilon=4.1, nodes=["age=0"], predicates=sets)
        .claims[0].any_prior.sentences
    )  # fmt: skip
    assert "heard of one such value only" in said
    plain = study(ClassI(prior=METROPOLIS), epsilon=4.1, nodes=["age=0"]).claims[0].any_prior
    assert "heard of" not in " ".join(plain.sentences)
