"""Drugs: ATC codes."""

from __future__ import annotations

from hedgerow.table.codes.system import CODE_SYSTEMS, CodeSystem, beginnings, begun, shaped

CODE_SYSTEMS.register(
    CodeSystem(
        name="atc",
        title="drugs: ATC codes",
        edition="no table: by the structure of the code",
        source="structure of the code",
        licence="none needed; names of drugs are the WHO's and not used",
        levels=("chemical subgroup", "pharmacological subgroup", "therapeutic subgroup",
                "anatomical group"),
        read=shaped(r"[ABCDGHJLMNPRSV](?:\d\d(?:[A-Z](?:[A-Z](?:\d\d)?)?)?)?"),
        above=beginnings("ATC", 5, 4, 3, 1),
        owns=begun("ATC"),
        words=frozenset({"atc", "drug", "medication", "substance"}),
        examples=("J01CA04", "j01ca04", "J01CA", "J01", "N"),
        weak=lambda text: len(text.strip()) < 4,
    )
)  # fmt: skip
