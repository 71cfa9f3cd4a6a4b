"""Areas of three digits of a ZIP code, and how many people live in each."""

from __future__ import annotations

from pathlib import Path

from hedgerow.base.errors import DataError


def read_areas(file: Path) -> dict[str, int]:
    """How many people live in each area of three digits: a file with zip3 and people.

    Raises:
        DataError: It cannot be read, or is no such file.
    """
    from hedgerow.engines import open_engine

    with open_engine(file) as engine:
        if not {"zip3", "people"} <= set(engine.columns()):
            raise DataError(
                "the file has not the columns zip3 and people",
                where=str(file),
                fix="Name the columns zip3 and people.",
            )
        table = engine.rows(["zip3", "people"], max(1, engine.rows_total()))
    found: dict[str, int] = {}
    for area, people in zip(table["zip3"].to_pylist(), table["people"].to_pylist(), strict=True):
        try:
            if area is None or not (len(area) == 3 and area.isdigit()) or area in found:
                raise ValueError
            found[area] = int(str(people).replace(",", ""))
        except ValueError:
            raise DataError(
                f"{area!r} with {people!r} people is no area, or stands there twice",
                where=str(file),
                fix="Give each area of three digits once, with a whole number of people.",
            ) from None
    return found
