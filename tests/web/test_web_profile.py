"""The first page says what the values say: what is missing, who is named, whose rows they are."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

from webbing import visiting


def text_of(answer: Any) -> str:
    shown = re.sub(r"<[^>]+>", " ", answer.text.partition("<main")[2])
    return re.sub(r"\s+", " ", html.unescape(shown))


def table(folder: Path) -> Path:
    rows = []
    for patient in range(120):
        for visit in range(1 + patient % 3):
            days = -9 if patient % 17 == 0 else patient % 23
            payer = "?" if patient % 9 == 0 else ("public", "private")[patient % 2]
            zips = 10000 + 37 * (patient % 20)
            rows.append(
                f"{7000 + 3 * patient},p{patient}@x.example,{'mf'[patient % 2]},"
                f"{1930 + patient % 70},{zips},town {zips % 4},{visit},{days},{payer}"
            )
    place = folder / "visits.csv"
    head = "patient_nbr,email,sex,birth_year,zip,town,visit,days,payer\n"
    place.write_text(head + "\n".join(rows), "utf-8")
    return place


def test_what_the_values_say_is_shown_and_can_be_taken(tmp_path: Path) -> None:
    with visiting(tmp_path / "w", table(tmp_path)) as visitor:
        draft = visitor.web.draft
        assert set(draft.said("null")) == {"?", "-9"}, "the first plan reads them as missing"
        assert "Read as missing" not in text_of(visitor.settled("/data"))
        draft.write(re.sub(r"(?m)^null: .*\n", "", draft.text))
        answer = visitor.settled("/data")
        shown = text_of(answer)
        assert "patient_nbr says whose row it is" in shown
        assert "120 people would have 2 rows on average, 3 at most: it is called an ID" in shown
        assert "? in payer" in shown
        assert "-9 in days" in shown
        assert "email (e-mail addresses)" in shown
        assert "town from zip" in shown
        assert "a neighbour" in shown
        assert "p7@x.example" not in answer.text, "what names people is not shown here"
        visitor.post("/data/missing", {})
        assert set(visitor.web.draft.said("null")) == {"?", "-9"}
        again = text_of(visitor.settled("/data"))
        assert "Read as missing" not in again
        visitor.post("/data/people", {"answer": "person", "column": "patient_nbr"})
        told = text_of(visitor.settled("/data"))
        assert "120 people" in told
        assert "says whose row it is. 120 people have" in told


def test_a_text_that_is_a_value_elsewhere_is_not_offered(tmp_path: Path) -> None:
    place = tmp_path / "t.csv"
    lines = [f"{-9 if i % 20 == 0 else 10 + i % 50},{i % 21 - 10}" for i in range(400)]
    place.write_text("days,celsius\n" + "\n".join(lines), "utf-8")
    with visiting(tmp_path / "w", place) as visitor:
        shown = text_of(visitor.settled("/data"))
        assert "mean missing in one column: days: '-9'" in shown
        assert "Read as missing" not in shown
        assert visitor.web.draft.said("read") == {"missing": {"days": ["-9"]}}
        visitor.post("/data/missing", {})
        assert not visitor.web.draft.said("null")
