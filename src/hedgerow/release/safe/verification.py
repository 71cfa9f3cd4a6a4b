"""A safe release against its certificate: what anybody can compute again, and what not.

k and delta follow from the rate and epsilon, groups from the file. That people were drawn as stated
follows from nothing that is published.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.answers.public_knowledge import Public
from hedgerow.base.delivery import DATA, TABLE
from hedgerow.base.errors import HedgerowError
from hedgerow.engines import TablePlace
from hedgerow.noise.sampling.measure import SampleOrigin
from hedgerow.noise.sampling.suppression import rate_text
from hedgerow.plan.plan import Plan
from hedgerow.release.charge.software import same_software
from hedgerow.release.charge.verification import (
    check_claim,
    check_form,
    judged,
    other_request,
    other_words,
)
from hedgerow.release.safe.certificate import certify
from hedgerow.release.safe.counts import rules_of
from hedgerow.release.safe.record import SafeRecord
from hedgerow.release.safe.request import SafeRequest
from hedgerow.release.safe.table_groups import read_groups
from hedgerow.release.verdicts import REFUTED, UNVERIFIABLE, Checked, Verdicts
from hedgerow.synthesis.request import read_domain
from hedgerow.synthesis.rows_file import read_rows, write_rows
from hedgerow.table.domain import decimal
from hedgerow.table.hierarchy import Codes
from hedgerow.table.release_source import rows_of

UNSEEN = "nobody can see from a result that people were drawn as stated"
ASKED = ("population", "columns", "neighbours", "price", "sampling", "choice")
OWN = {"columns": ("level", "labels"), "neighbours": ("words",), "sampling": ("assumption",),
       "choice": ("among",)}  # fmt: skip
"""What a certificate adds to what was asked for."""


def check_safe(
    certificate: Mapping[str, Any],
    stated: SafeRecord,
    place: Path | TablePlace,
    plan: Plan | None,
) -> Verdicts:
    """Compute k and the loss again, and count the groups.

    Args:
        certificate: The certificate, which has its form.
        stated: What it says.
        place: The release: a folder, or a table.
        plan: The plan it must keep, where one is given.
    """
    wrong = _wrong_loss(certificate, stated)
    checks = [judged("loss", wrong, _right_loss(stated))]
    if plan is not None:
        checks.append(Checked.of("plan", _unlike(plan, stated)))
    file = rows_of(place, certificate)
    content = list(_content(certificate, stated, file, sound=wrong is None))
    checks += content
    wrong = wrong or next((one.why for one in content if one.verdict == REFUTED), None)
    return checks, (check_claim(certificate, wrong, unseen=UNSEEN),)


def stated(certificate: Mapping[str, Any]) -> SafeRecord:
    """What the certificate says, with no rows yet.

    Raises:
        HedgerowError: It is not about a sample at any price.
    """
    columns = certificate["columns"]
    found = SafeRecord(
        asked=_asked(certificate),
        rules=tuple(certificate["counting"]["rules"]),
        node=tuple(one["level"] for one in columns),
        labels=tuple(tuple(one["labels"]) for one in columns),
        codes=np.zeros((0, len(columns)), np.int32),
        counts=np.zeros(0, np.int64),
        k=certificate["k"],
        ledger=certificate["ledger"],
    )
    _ = found.loss
    return found


def _asked(certificate: Mapping[str, Any]) -> dict[str, Any]:
    """The request, as the certificate tells it."""
    asked: dict[str, Any] = {
        "person": certificate["counting"]["person"],
        "null": certificate["counting"]["null"],
        **(
            {"one_row_per_person": True}
            if certificate["counting"].get("one_row_per_person")
            else {}
        ),
        **({"ids_as_written": True} if certificate["counting"].get("ids_as_written") else {}),
        **(
            {"not_keys": certificate["counting"]["not_keys"]}
            if certificate["counting"].get("not_keys")
            else {}
        ),
        **(
            {"ages": certificate["counting"]["ages"]} if certificate["counting"].get("ages") else {}
        ),
    }
    for name in ASKED:
        told, more = certificate[name], OWN.get(name, ())
        if isinstance(told, dict):
            told = {key: value for key, value in told.items() if key not in more}
        elif isinstance(told, list):
            told = [{key: one[key] for key in one if key not in more} for one in told]
        asked[name] = told
    if certificate.get("public") is not None:
        asked["public"] = certificate["public"]
    return asked


def _rules(certificate: Mapping[str, Any], stated: SafeRecord) -> tuple[str, ...]:
    """Which rows count, by the columns' public values."""
    neighbours = stated.terms.neighbours
    domains = {one["column"]: read_domain(one) for one in certificate["columns"]}
    public = Public(tuple(domains), domains, neighbours, {})
    return rules_of([public.cells(name) for name in domains], stated.asked["person"])


def _wrong_loss(certificate: Mapping[str, Any], stated: SafeRecord) -> str | None:
    """What is wrong about k, loss, price and what was charged."""
    terms = stated.terms
    if terms.drawn is SampleOrigin.BEFORE and terms.choice:
        return "levels were chosen on the sample itself, and what that costs is not known"
    if terms.neighbours.rows != 1:
        return "a safe release is about people with one row"
    public = "public" in stated.asked
    if (bool(terms.choice) or public) == (_nodes(certificate) == 1) or (public and terms.choice):
        return "it is said in two ways whether levels were chosen"
    if terms.k not in (None, stated.k):
        return f"k is {stated.k:,}, and {terms.k:,} was asked for"
    try:
        terms.with_k(stated.k)
        loss = terms.loss
    except HedgerowError as error:
        return error.what
    told = certificate["loss"]
    if (told["epsilon"], told["delta"]) != (decimal(loss.epsilon), decimal(loss.delta)):
        return "rate, epsilon and delta give another loss than the one stated"
    if certificate["spent"] != loss.amounts().texts():
        return "what was charged is not the loss, rounded up"
    return None


def _nodes(certificate: Mapping[str, Any]) -> int:
    return int(np.prod([one["levels"][1] - one["levels"][0] + 1 for one in certificate["columns"]]))


def _right_loss(stated: SafeRecord) -> str:
    terms = stated.terms
    return (
        f"if {rate_text(terms.beta)} of the people were drawn, k = {stated.k:,} keeps {terms.loss}"
    )


def _unlike(plan: Plan, stated: SafeRecord) -> str | None:
    """In what the release is not what a plan asks for."""
    if plan.method.search != "safe":
        return "the plan asks for no safe release"
    try:
        request = SafeRequest.of(plan)
    except HedgerowError as error:
        return f"the plan cannot be used: {error.what}"
    if (other := other_request(stated.asked, request.as_json())) is not None:
        return other
    if request.public is not None and stated.node != request.public.node:
        return f"the levels are not those that are best for {request.public.file}"
    labels = [
        column.hierarchy.labels[level]
        for column, level in zip(request.columns, stated.node, strict=True)
    ]
    if labels != list(stated.labels):
        return "the labels are not those of the plan's hierarchies at these levels"
    return None


def _content(
    certificate: Mapping[str, Any], stated: SafeRecord, file: Path | TablePlace, *, sound: bool
) -> Iterator[Checked]:
    """What is in the file or table, and if the loss is sound, whether all words follow."""
    configured = certificate["software"]["configured"]
    escaped = configured["escape_formulas"]
    try:
        if isinstance(file, TablePlace):
            codes, counts = read_groups(file, stated.shown)
            wrong = _wrong_number(certificate, stated, int(counts.sum()))
        else:
            records = read_rows(file, stated.shown, escaped=escaped)
            wrong = _wrong_rows(certificate, stated, records)
            codes, counts = np.unique(records, axis=0, return_counts=True)
    except HedgerowError as error:
        yield Checked.of("rows", error.what)
        return
    yield Checked.of("rows", wrong)
    if isinstance(file, Path) and file.suffix == ".csv":
        rows = records
        yield check_form(file, lambda again: write_rows(again, stated.shown, rows, escaped=escaped))
    small = int((counts < stated.k).sum())
    yield judged(
        "groups",
        f"{small:,} of {len(counts):,} groups have fewer than {stated.k:,} rows" if small else None,
        f"each of {len(counts):,} groups has at least {stated.k:,} rows"
        if len(counts) > 1
        else f"there is {'one group' if len(counts) else 'no group'}, and none under {stated.k:,} "
        "rows",
    )
    if not sound:
        return
    if not same_software(certificate):
        yield Checked(
            what="words",
            verdict=UNVERIFIABLE,
            why="made by other versions or on another kind of machine; not checked",
        )
        return
    again = SafeRecord(
        asked=stated.asked,
        rules=_rules(certificate, stated),
        node=stated.node,
        labels=stated.labels,
        codes=codes.astype(np.int32),
        counts=counts.astype(np.int64),
        k=stated.terms.safe.k,
        ledger=stated.ledger,
    )
    told = certificate["data"]  # whether the hash is right was checked before
    expected = certify(
        again, file=told["file"], sha256=told["sha256"], form=configured["format"], escaped=escaped
    )
    yield judged(
        "words",
        other_words(certificate, expected),
        "k, the loss and every sentence are what this software writes for the rate, the price, the "
        "columns and the file that are stated",
    )


def _wrong_number(certificate: Mapping[str, Any], stated: SafeRecord, rows: int) -> str | None:
    told = certificate["data"]
    if rows != told["rows"]:
        return f"there are {rows:,} rows, stated {told['rows']:,}"
    if told["columns"] != list(stated.names):
        return "the columns of the file are not those stated"
    form = certificate["software"]["configured"]["format"]
    if told["file"] != DATA.get(form, TABLE):
        return f"the file {told['file']} is not of the format {form}"
    return None


def _wrong_rows(certificate: Mapping[str, Any], stated: SafeRecord, records: Codes) -> str | None:
    if (wrong := _wrong_number(certificate, stated, len(records))) is not None:
        return wrong
    if len(records) > 1 and not _sorted(records):
        return "the rows are not in sorted order, and another order may tell about people"
    return None


def _sorted(records: Codes) -> bool:
    """Whether rows are in the order of their columns, the first one slowest."""
    changed = np.diff(records, axis=0)
    first = np.argmax(changed != 0, axis=1)
    return bool((changed[np.arange(len(changed)), first] >= 0).all())
