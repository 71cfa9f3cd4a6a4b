"""The claims a plan can make, in plain words: what each promises and what it does not."""

from __future__ import annotations

from types import MappingProxyType

from hedgerow.base.errors import PlanError, nearest, some
from hedgerow.base.ranges import (
    ABOVE_ONE,
    FROM_ONE,
    LEVEL,
    OPEN_UNIT,
    POSITIVE,
    RISK,
    SEVERAL,
    UNIT,
    WHOLE,
)
from hedgerow.claims.explanation import Explanation, Parameter

_OF = Parameter(
    name="of",
    range="name of a sensitive column",
    meaning="The column it is about; every sensitive column if left out.",
)
_POPULATION = Parameter(
    name="population",
    range="file",
    meaning="The outside population: the same columns, a row a person.",
)

_EXPLANATIONS = (
    Explanation(
        name="k-anonymity",
        classes=("KAnonymity",),
        promises="Someone who knows a person's quasi-identifiers, and that the person is in the "
        "table, cannot narrow the person's record down to fewer than k records: at least k people "
        "share every published combination of quasi-identifiers. With over: all this holds for "
        "combinations of all published columns.",
        does_not_protect="The sensitive value, where the people of a group share it; anyone about "
        "whom the attacker knows a column that is not a quasi-identifier (unless over: all); "
        "anyone in two releases, whose two groups can be intersected.",
        reference="Samarati 2001; Sweeney 2002.",
        parameters=(
            Parameter(name="k", range=str(SEVERAL), meaning="People per group."),
            Parameter(
                name="over",
                range="quasi-identifiers or all",
                meaning="The columns an attacker may know.",
            ),
        ),
        example="- k-anonymity: 5",
    ),
    Explanation(
        name="l-diversity",
        classes=(
            "DistinctLDiversity",
            "ProbabilisticLDiversity",
            "EntropyLDiversity",
            "RecursiveLDiversity",
        ),
        promises="Someone who has found a person's group cannot name the person's sensitive value "
        "with certainty. Distinct: l values remain possible. Probabilistic: no value is had by "
        "more than one person in l. Entropy: the values are as uncertain as l equally likely "
        "ones. Recursive: the most frequent value stays less than c times as frequent as the "
        "others even after l - 2 values have been ruled out.",
        does_not_protect="Values that mean much the same (three stomach diseases are three "
        "values; three spellings of one disease count as one); changes against the table as a "
        "whole (half of a group having what one person in a hundred has is diverse); attackers "
        "who can rule out more values. Distinct and entropy diversity allow one value to be much "
        "more likely than the others. A missing value counts as a value of its own.",
        reference="Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam 2006 (ICDE).",
        parameters=(
            Parameter(
                name="l",
                range=f"{ABOVE_ONE}; whole for distinct and recursive",
                meaning="How many values are well represented.",
            ),
            Parameter(
                name="kind",
                range="distinct, probabilistic, entropy or recursive",
                meaning="What well represented means.",
            ),
            Parameter(
                name="c",
                range=f"{POSITIVE}; only for recursive",
                meaning="How many times as frequent as the others the first may not be.",
            ),
            _OF,
        ),
        example="- l-diversity: {kind: entropy, l: 3, of: disease}",
    ),
    Explanation(
        name="t-closeness",
        classes=("TCloseness",),
        promises="Someone who knows how the sensitive values are distributed in the whole table "
        "and has found a person's group sees a distribution at most t away from it, so the group "
        "tells little more than the table does.",
        does_not_protect="What the table as a whole says about everybody; rare values, which may "
        "become many times more likely within t; and identity: groups may be as small as one "
        "person where t allows it.",
        reference="Li, Li, Venkatasubramanian 2007 (ICDE).",
        parameters=(
            Parameter(name="t", range=str(UNIT), meaning="Earth mover's distance, at most."),
            Parameter(
                name="distance",
                range="equal, ordered or hierarchical",
                meaning="How far two values are from each other. Ordered goes by numbers, or by "
                "the column's order; hierarchical needs a hierarchy.",
            ),
            _OF,
        ),
        example="- t-closeness: {t: 0.2, distance: ordered, of: salary}",
    ),
    Explanation(
        name="alpha-k-anonymity",
        classes=("AlphaKAnonymity",),
        promises="Someone who knows a person's quasi-identifiers finds at least k records, and "
        "believes in the protected sensitive value (in any value, where none is named) with a "
        "confidence of at most alpha.",
        does_not_protect="Other values than the named one; attackers who can rule out some "
        "values or who know further columns.",
        reference="Wong, Li, Fu, Wang 2006 (KDD).",
        parameters=(
            Parameter(name="alpha", range=str(OPEN_UNIT), meaning="Share of a value in a group."),
            Parameter(name="k", range=str(WHOLE), meaning="People per group."),
            Parameter(
                name="value", range="a value of the column", meaning="Every one if left out."
            ),
            _OF,
        ),
        example="- alpha-k-anonymity: {alpha: 0.5, k: 5, of: disease, value: HIV}",
    ),
    Explanation(
        name="delta-disclosure",
        classes=("DeltaDisclosure",),
        promises="Someone who has found a person's group finds no sensitive value more than "
        "e^delta times as likely as in the whole table, nor less likely by that factor: no value "
        "of the table is ruled out either.",
        does_not_protect="What the table as a whole says about everybody; identity. It is "
        "demanding: every group must have every value of the table.",
        reference="Brickell, Shmatikov 2008 (KDD).",
        parameters=(
            Parameter(name="delta", range=str(POSITIVE), meaning="Logarithm of the factor."),
            _OF,
        ),
        example="- delta-disclosure: {delta: 1.5, of: disease}",
    ),
    Explanation(
        name="beta-likeness",
        classes=("BetaLikeness",),
        promises="Someone who has found a person's group finds no sensitive value more than "
        "1 + beta times as likely as in the whole table; enhanced: nor more than 1 - ln p times, "
        "p being its share in the table, which keeps frequent values from becoming certain.",
        does_not_protect="Learning that a value is less likely, or impossible; what the table as "
        "a whole says about everybody; identity.",
        reference="Cao, Karras 2012 (PVLDB 5).",
        parameters=(
            Parameter(name="beta", range=str(POSITIVE), meaning="Relative gain, at most."),
            Parameter(
                name="kind",
                range="basic or enhanced",
                meaning="Whether frequent values have a bound of their own.",
            ),
            _OF,
        ),
        example="- beta-likeness: {beta: 2, kind: enhanced, of: disease}",
    ),
    Explanation(
        name="epsilon-privacy",
        classes=("EpsilonPrivacy",),
        promises="An attacker of the class you name, who knows a person's quasi-identifiers and "
        "that the person is in the table, becomes at most epsilon times as sure of what must not "
        "be learned as if the person's record had been left out: nobody has to regret being in "
        "the release. Also the doubt that remains is at least 1/epsilon of what it would be.\n"
        "Class I: attackers who formed their belief from a data set you name, and who change "
        "their mind when a group of the release says otherwise, the later the larger that data "
        "set. At-most: the same, and those who have seen fewer people in the same proportions. "
        "Class II: from any data set of limited size. Class III: attackers who hold the belief "
        "you name and never change their mind. Class IV: everybody, against whom no generalised "
        "table is private.",
        does_not_protect="Becoming less sure: that somebody does not have a value may be learned, "
        "unless negative: true. What the group as a whole says: if nearly everybody in a large "
        "group has flu, an attacker without your record would think so too. Attackers stronger "
        "than the class: with more data, with beliefs that differ from one group to another, who "
        "hold more records, or who reason from how the recoding was chosen. Other sensitive "
        "columns, identity, and the combination of two releases.",
        reference="Machanavajjhala, Gehrke, Goetz 2009 (VLDB); the corrections are in "
        "docs/realistic_adversaries.md.",
        parameters=(
            Parameter(
                name="epsilon",
                range=str(FROM_ONE),
                meaning="How many times as sure an attacker may become.",
            ),
            Parameter(
                name="adversary.class",
                range="I, at-most, II, III or IV",
                meaning="How much of the attacker's belief is known.",
            ),
            Parameter(
                name="adversary.prior",
                range="file, uniform, table, {counts: ...} or {shape: ...}",
                meaning="What the attacker has seen elsewhere. A file has the sensitive column, a "
                "row a person, or values with a count.",
            ),
            Parameter(
                name="adversary.stubbornness",
                range=f"{FROM_ONE}, or infinite",
                meaning="How many people's data the belief is worth. What the prior's data "
                "justify, if left out: their people plus the number of values.",
            ),
            Parameter(
                name="adversary.at_least",
                range=f"{FROM_ONE}; only for at-most",
                meaning="The least stubborn; if left out, that at which each value counts once "
                "and, where the prior is counted from data, whoever has seen fewer of these.",
            ),
            Parameter(
                name="adversary.knows",
                range=f"{LEVEL}, or {{file: ..., by: ...}}",
                meaning="People whose exact records the attacker holds: how many, whoever they "
                "are, or which.",
            ),
            Parameter(
                name="predicates",
                range="list of values, nodes of the hierarchy, or lists of these",
                meaning="What must not be learned; each single value if left out.",
            ),
            Parameter(
                name="negative",
                range="true or false",
                meaning="Whether the opposite must not be learned either.",
            ),
            Parameter(
                name="wishes",
                range="name of a column with the role identifier",
                meaning="What each person wants protected: a value or a node of the hierarchy.",
            ),
            Parameter(
                name="by",
                range="exact or theorem",
                meaning="Decided by the attacker's beliefs themselves, or by the paper's "
                "conditions, which ask a little more.",
            ),
            _OF,
        ),
        example="- epsilon-privacy: {epsilon: 2.5, of: disease, "
        "adversary: {class: I, prior: metropolis.csv}}",
    ),
    Explanation(
        name="composition",
        classes=("Composition",),
        promises="Someone who intersects this release with all earlier ones of the population, "
        "joins their records on the columns that both show as they are, and subtracts groups from "
        "each other where everybody in them is known, is left with several sensitive values for "
        "everybody in the table: at least one over the confidence.",
        does_not_protect="Against weighing how frequent values are, and other ways of counting; "
        "against releases that are neither in the ledger nor named; people whose value changed. "
        "Whoever is only in earlier releases keeps as many values, or as many as these leave.",
        reference="Ganta, Kasiviswanathan, Smith 2008 (KDD), Algorithm 1; Xiao, Tao 2007 (SIGMOD).",
        parameters=(
            Parameter(
                name="confidence",
                range=str(OPEN_UNIT),
                meaning="One over the number of values left, at most.",
            ),
            Parameter(
                name="with",
                range="folders or files",
                meaning="Releases that are not in the ledger.",
            ),
            _OF,
        ),
        example="- composition: {confidence: 0.5, with: [county-release/]}",
    ),
    Explanation(
        name="delta-presence",
        classes=("DeltaPresence",),
        promises="Someone who has a list of the population and knows a person's quasi-identifiers "
        "cannot be surer than max that the person is in the table, nor less sure than min.",
        does_not_protect="The sensitive value of someone known to be in the table; anyone against "
        "an attacker who knows more about membership than the population list.",
        reference="Nergiz, Atzori, Clifton 2007 (SIGMOD).",
        parameters=(
            Parameter(
                name="min",
                range=f"{UNIT}, not above max",
                meaning="Share of the population, at least.",
            ),
            Parameter(name="max", range=str(UNIT), meaning="Share of the population, at most."),
            _POPULATION,
        ),
        example="- delta-presence: {max: 0.2, population: census.csv}",
    ),
    Explanation(
        name="k-map",
        classes=("KMap",),
        promises="Someone who has a list of the population, and does not know who of it is in the "
        "table, finds at least k people who could be the one behind a published record.",
        does_not_protect="Anyone known to be in the table: their group there may hold one person.",
        reference="Sweeney 2001 (thesis).",
        parameters=(
            Parameter(
                name="k",
                range=str(SEVERAL),
                meaning="People of the population per group.",
            ),
            _POPULATION,
        ),
        example="- k-map: {k: 5, population: census.csv}",
    ),
    Explanation(
        name="prosecutor-risk",
        classes=("ProsecutorRisk",),
        promises="Someone who knows that a person is in the table, and their quasi-identifiers, "
        "picks the person's record with at most this probability, whoever the person is.",
        does_not_protect="What k-anonymity does not protect: it is k-anonymity with k = 1 / risk, "
        "rounded up.",
        reference="El Emam, Dankar 2008; EMA policy 0070 and Health Canada ask for 0.09.",
        parameters=(Parameter(name="risk", range=str(RISK), meaning="Probability, at most."),),
        example="- prosecutor-risk: 0.09",
    ),
    Explanation(
        name="journalist-risk",
        classes=("JournalistRisk",),
        promises="Someone who has a list of the population, and does not know who of it is in the "
        "table, re-identifies a record with at most this probability.",
        does_not_protect="Anyone known to be in the table.",
        reference="El Emam, Dankar 2008.",
        parameters=(
            Parameter(name="risk", range=str(RISK), meaning="Probability, at most."),
            _POPULATION,
        ),
        example="- journalist-risk: {risk: 0.09, population: census.csv}",
    ),
    Explanation(
        name="marketer-risk",
        classes=("MarketerRisk",),
        promises="Someone who links the whole table to a list of the same people gets at most "
        "this share of the links right on average.",
        does_not_protect="Single people: some may be unique as long as the average is low.",
        reference="Dankar, El Emam 2010.",
        parameters=(Parameter(name="risk", range=str(RISK), meaning="Average, at most."),),
        example="- marketer-risk: 0.05",
    ),
    Explanation(
        name="unique-share",
        classes=("UniqueShare",),
        promises="Nobody can single out more than this share of the published people by their "
        "quasi-identifiers.",
        does_not_protect="Those who are unique: they can be singled out with certainty. Groups "
        "of two count as safe.",
        reference="Dalenius 1986; Skinner, Elliot 2002.",
        parameters=(
            Parameter(name="share", range=str(UNIT), meaning="Share of the people, at most."),
        ),
        example="- unique-share: 0.01",
    ),
)

CLAIMS = MappingProxyType({entry.name: entry for entry in _EXPLANATIONS})
"""Plan name -> explanation, in the order they are best learned."""


def describe(name: str) -> Explanation:
    """What a claim promises and what it does not.

    Raises:
        PlanError: There is no claim of that name; names the nearest.

    >>> describe("k-map").classes
    ('KMap',)
    """
    if name in CLAIMS:
        return CLAIMS[name]
    near = nearest(name, list(CLAIMS))
    fix = f"Did you mean {near!r}? " if near else ""
    raise PlanError(f"there is no claim {name!r}", fix=f"{fix}There are {some(CLAIMS, most=99)}.")
