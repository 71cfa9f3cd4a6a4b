"""The certificate of a safe release: nothing in it is from the data but what the file shows."""

from __future__ import annotations

from math import prod
from typing import Any

from hedgerow.release.charge.software import software
from hedgerow.release.safe.kind import SafeKind
from hedgerow.release.safe.protection import claim, protected
from hedgerow.release.safe.record import SafeRecord
from hedgerow.table.domain import decimal


def certify(
    kept: SafeRecord, *, file: str, sha256: str, form: str, escaped: bool
) -> dict[str, Any]:
    """The certificate of a file that was written, or of a table.

    Args:
        kept: What is published.
        file: The file's name, or that it is a table.
        sha256: Of the file, or of the table's rows.
        form: csv, parquet or table.
        escaped: Whether formulas were escaped.
    """
    asked, terms, loss = kept.asked, kept.terms, kept.loss
    columns = [
        one | {"level": level, "labels": list(labels)}
        for one, level, labels in zip(asked["columns"], kept.node, kept.labels, strict=True)
    ]
    among = prod(one["levels"][1] - one["levels"][0] + 1 for one in columns)
    return {
        "format": SafeKind().format,
        "software": software(form=form, escaped=escaped),
        "population": asked["population"],
        "claim": claim(terms),
        "k": kept.k,
        "loss": {"epsilon": decimal(loss.epsilon), "delta": decimal(loss.delta)},
        "price": asked["price"],
        "spent": loss.amounts().texts(),
        "neighbours": asked["neighbours"] | {"words": terms.protects},
        "sampling": asked["sampling"] | {"assumption": terms.sampled.assumption},
        "choice": None if asked["choice"] is None else asked["choice"] | {"among": among},
        **({"public": asked["public"]} if "public" in asked else {}),
        "columns": columns,
        "counting": {
            "person": asked["person"],
            **({"one_row_per_person": True} if asked.get("one_row_per_person") else {}),
            **({"ids_as_written": True} if asked.get("ids_as_written") else {}),
            **({"not_keys": asked["not_keys"]} if asked.get("not_keys") else {}),
            **({"ages": asked["ages"]} if asked.get("ages") else {}),
            "null": asked["null"],
            "rules": list(kept.rules),
        },
        "data": {
            "file": file,
            "rows": int(kept.counts.sum()),
            "columns": list(kept.names),
            "sha256": sha256,
        },
        "ledger": dict(kept.ledger),
        "protected": protected(
            terms,
            k=kept.k,
            person=asked["person"],
            stated=bool(asked.get("one_row_per_person")),
            ids_as_written=bool(asked.get("ids_as_written")),
            not_keys=asked.get("not_keys", ()),
            public=asked.get("public"),
        ),
    }
