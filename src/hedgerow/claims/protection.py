"""What a release protects, against whom, and what it does not: one paragraph for everybody."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.base.errors import some
from hedgerow.claims.base import PrivacyModel
from hedgerow.claims.traits import TABLE_KNOWN
from hedgerow.table.column_codings import told_codings
from hedgerow.table.schema import (
    AS_WRITTEN,
    STATED,
    Schema,
    counted_ages,
    stated_no_keys,
    told_by_hierarchies,
)


def protected(
    models: Sequence[PrivacyModel], schema: Schema, *, left_out: int, withheld: Sequence[str]
) -> str:
    """The paragraph of the certificate.

    Args:
        models: The claims, all of which hold.
        schema: Which columns are what.
        left_out: People of the source who are not in the release.
        withheld: Claims whose level is not shown.
    """
    promises: dict[str, list[str]] = {}
    for model in models:
        known = promises.setdefault(model.attacker, [])
        known += [text for text in [model.promise] if text not in known]
    sentences = [
        f"{attacker[0].upper()}{attacker[1:]}{',' * (', and' in attacker)} {'; and '.join(texts)}."
        for attacker, texts in promises.items()
    ]
    sentences.append(f"Not protected: {'; '.join(_gaps(models, schema))}.")
    if schema.stated:
        sentences.append(STATED)
    if schema.ids_as_written:
        sentences.append(AS_WRITTEN)
    sentences += stated_no_keys(schema.not_keys)
    sentences += told_by_hierarchies(schema.from_data)
    sentences += told_codings(schema.coded)
    sentences += counted_ages(schema.ages)
    if schema.rows == 1:
        sentences.append("Everybody has one row in the release.")
    if schema.linked:
        sentences.append(
            f"A person may have up to {schema.rows:,} rows, and the release does not say whose "
            "they are. The claims are judged for an attacker who may assign rows to people in any "
            f"way in which nobody has more than {schema.rows:,}. People known to have more than "
            f"{schema.rows:,} rows are not protected."
        )
    if left_out and schema.linked:
        rows = "1 row was" if left_out == 1 else f"{left_out:,} rows were"
        sentences.append(f"{rows} left out; the claims are about those that are published.")
    elif left_out:
        people = "1 person was" if left_out == 1 else f"{left_out:,} people were"
        sentences.append(f"{people} left out; the claims are about those who are published.")
    if left_out and any(model.attacker == TABLE_KNOWN for model in models):
        sentences.append("The whole table is the source, suppressed people included.")
    if left_out and any(model.on_a_scale for model in models):
        sentences.append(
            "Distances are measured on the scale of the source's values and on that of the "
            "published values, and the larger counts."
        )
    if withheld:
        sentences.append(
            f"The levels of {some(withheld, most=3)} are withheld, because they would say "
            "something the data do not show."
        )
    return " ".join(sentences)


def _gaps(models: Sequence[PrivacyModel], schema: Schema) -> list[str]:
    """What nobody should take for protected."""
    gaps = []
    several = schema.person is not None or schema.linked
    apart = {n for m in models if m.keeps_apart(several=several) for n in m.attributes}
    about = [m for m in models if m.protected_value is not None]
    open_to = {
        name: [m.protected_value for m in about if m.column == name]
        for name in sorted(schema.sensitive)
        if name not in apart
    }
    if bare := [name for name, values in open_to.items() if not values]:
        gaps.append(f"what the people of a group have in common as {some(bare)}")
    gaps += [
        f"what the people of a group have in common as {name!r}, other than {some(values)}"
        for name, values in open_to.items()
        if values
    ]
    if plain := [name for name in schema.insensitive if name not in schema.coded]:
        listed = some(sorted(plain))
        gaps.append(f"the columns {listed}, which are published as they are")
    if not any(model.bounds_size for model in models):
        gaps.append("identity: a group may hold a single person")
    gaps += [gap.words for gap in sorted({gap for model in models for gap in model.gaps})]
    gaps.append(
        "people in other releases of the same data, which can be put together with this one"
        + (" unless they were compared" if any(m.composes for m in models) else "")
    )
    gaps.append(
        "anybody against those who know more than the claims say, or have the raw data, the ledger "
        "or the machine the release was made on"
    )
    return gaps
