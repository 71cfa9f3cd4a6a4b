"""The similarity attack of the lecture slides: three diverse values that are much alike.

Bob, 27, zip 47678, is in the first group: his salary is low and his stomach hurts. 3-diversity
holds all the same; t-closeness sees it, if told how far apart the values are.
"""

import math

import pandas as pd

from hedgerow import DistinctLDiversity, TCloseness, check

PATIENTS = pd.DataFrame(
    [
        ("476**", "2*", 20_000, "Gastric ulcer"),
        ("476**", "2*", 30_000, "Gastritis"),
        ("476**", "2*", 40_000, "Stomach cancer"),
        ("4790*", ">=40", 50_000, "Gastritis"),
        ("4790*", ">=40", 100_000, "Flu"),
        ("4790*", ">=40", 70_000, "Bronchitis"),
        ("476**", "3*", 60_000, "Bronchitis"),
        ("476**", "3*", 80_000, "Pneumonia"),
        ("476**", "3*", 90_000, "Stomach cancer"),
    ],
    columns=["zip", "age", "salary", "disease"],
)
DISEASES = {
    "Respiratory": {
        "Infection": ["Flu", "Pneumonia", "Bronchitis"],
        "Vascular": ["Pulmonary edema", "Pulmonary embolism"],
    },
    "Digestive": {
        "Stomach": ["Gastric ulcer", "Stomach cancer", "Gastritis"],
        "Colon": ["Colitis", "Colon cancer"],
    },
}


def main() -> None:
    verdicts = check(
        PATIENTS,
        columns={
            "zip": "quasi-identifier",
            "age": "quasi-identifier",
            "salary": "sensitive",
            "disease": {"role": "sensitive", "hierarchy": {"taxonomy": DISEASES}},
        },
        protect=[
            DistinctLDiversity(l=3, of="salary"),
            DistinctLDiversity(l=3, of="disease"),
            TCloseness(t=0.3, distance="ordered", of="salary"),
            TCloseness(t=0.3, distance="hierarchical", of="disease"),
        ],
    )
    for verdict in verdicts:
        print(f"{verdict.claim}: {'holds' if verdict.holds else 'fails'}, level {verdict.level:g}")

    assert [verdict.holds for verdict in verdicts] == [True, True, False, False]
    assert math.isclose(verdicts[2].level, 3 / 8)
    assert math.isclose(verdicts[3].level, 4 / 9)


if __name__ == "__main__":
    main()
