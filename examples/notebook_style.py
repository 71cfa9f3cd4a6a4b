"""From a data frame to a release in a few lines, as one would in a notebook."""

import pandas as pd

from hedgerow import KAnonymity, publish

PATIENTS = pd.DataFrame(
    [
        ("Hannah Price", "13053", 28, "Gastritis"),
        ("Omar Haddad", "13068", 29, "Influenza"),
        ("Mei Zhou", "13068", 21, "Asthma"),
        ("José Rivera", "13053", 23, "Influenza"),
        ("Zofia Nowak", "14853", 50, "Heart failure"),
        ("Walter Marsh", "14853", 55, "Stroke"),
        ("Priya Nair", "14850", 47, "Gastritis"),
        ("Luca Conti", "14850", 49, "Stroke"),
    ],
    columns=["name", "zip", "age", "diagnosis"],
)


def main() -> None:
    release = publish(
        PATIENTS,
        columns={
            "name": "identifier",
            "zip": {"role": "quasi-identifier", "hierarchy": {"prefix": 5}},
            "age": {"role": "quasi-identifier", "hierarchy": {"ranges": [5, 10, 20]}},
            "diagnosis": "sensitive",
        },
        protect=[KAnonymity(k=2)],
    )
    print(release)
    print(release.to_pandas().to_string(index=False))

    assert release.suppressed == 0
    published = release.to_pandas()
    assert list(published.columns) == ["zip", "age", "diagnosis"]
    assert published.groupby(["zip", "age"]).size().min() >= 2


if __name__ == "__main__":
    main()
