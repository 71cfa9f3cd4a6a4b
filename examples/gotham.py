"""Gotham City Hospital: Table 3 of Machanavajjhala, Gehrke, Goetz (VLDB 2009), measured.

The table is published already; `check` says how well it protects the people in it.
"""

import math

import pandas as pd

from hedgerow import DistinctLDiversity, EntropyLDiversity, KAnonymity, TCloseness, check

TABLE_3 = pd.DataFrame(
    [
        ("<40", "M", "Flu", 200),
        ("<40", "M", "Cancer", 300),
        (">=40", "M", "Flu", 1_800),
        (">=40", "M", "Cancer", 2_700),
        (">=40", "F", "Flu", 18_000),
        (">=40", "F", "Cancer", 2_000),
    ],
    columns=["age", "gender", "disease", "count"],
)


def main() -> None:
    people = TABLE_3.loc[TABLE_3.index.repeat(TABLE_3["count"])].drop(columns="count")
    verdicts = check(
        people,
        columns={"age": "quasi-identifier", "gender": "quasi-identifier", "disease": "sensitive"},
        protect=[
            KAnonymity(k=500),
            DistinctLDiversity(l=2, of="disease"),
            EntropyLDiversity(l=1.5, of="disease"),
            TCloseness(t=0.4, distance="equal", of="disease"),
        ],
    )
    for verdict in verdicts:
        print(f"{verdict.claim}: {'holds' if verdict.holds else 'fails'}, level {verdict.level:g}")

    k, distinct, entropy, t = verdicts
    assert k.holds
    assert k.level == 500
    assert distinct.holds
    assert distinct.level == 2
    # Nine in ten of the women have flu, so two diagnoses are hardly more than one.
    assert not entropy.holds
    assert math.isclose(entropy.level, (10 / 9) ** 0.9 * 10**0.1)
    # Four in five have flu in the whole table, two in five among the men: exactly 0.4 apart.
    assert t.holds
    assert math.isclose(t.level, 0.4)


if __name__ == "__main__":
    main()
