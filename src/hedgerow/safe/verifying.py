"""A safe release against its certificate: what anybody can compute again, and what not.

k and delta follow from the rate and epsilon, groups from the file. That people were drawn as stated
follows from nothing that is published.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.certificate_schema import misfit
from hedgerow.certified import another_file, signed_by
from hedgerow.delivery import CERTIFICATE
from hedgerow.domain import decimal
from hedgerow.errors import DataError, HedgerowError, some
from hedgerow.hierarchy import Codes
from hedgerow.plan import Plan
from hedgerow.randomised.certificate import software
from hedgerow.randomised.rows_file import read_rows
from hedgerow.rechecking import REFUTED, UNVERIFIABLE, VERIFIED, Checked, CheckedClaim
from hedgerow.safe.certificate import certify
from hedgerow.safe.kept import Kept
from hedgerow.safe.request import Request
from hedgerow.safe.schema import FORMAT, Safe
from hedgerow.sampling.measure import Drawn

UNSEEN = "nobody can see from a result that people were drawn as stated"
ASKED = ("population", "columns", "neighbours", "price", "sampling", "choice")
OWN = {"columns": ("level", "labels"), "neighbours": ("words",), "sampling": ("assumption",),
       "choice": ("among",)}  # fmt: skip
"""What a certificate adds to what was asked for."""


def check_safe(
    certificate: dict[str, Any], folder: Path, *, plan: Plan | None, key: Path | None
) -> tuple[tuple[Checked, ...], tuple[CheckedClaim, ...]]:
    """Check a safe release with its certificate.

    Args:
        certificate: Its certificate.
        folder: The release.
        plan: The plan it must keep, where one is given.
        key: Public key that must have signed the certificate, where one is given.

    Raises:
        DataError: The certificate is of another version.
    """
    if certificate.get("format") != FORMAT:
        raise DataError(
            f"has the format {certificate.get('format')!r}, which this version does not know",
            where=str(folder / CERTIFICATE),
            fix="Use a newer version of hedgerow.",
        )
    wrong = misfit(certificate, Safe)
    if wrong is None:
        try:
            stated = _stated(certificate)
            _ = stated.loss
        except (HedgerowError, ZeroDivisionError) as error:
            wrong = error.what if isinstance(error, HedgerowError) else "it divides by zero"
    form = Checked.of("form", wrong and f"the certificate has not the form it should have: {wrong}")
    if wrong is not None:
        return (form,), ()
    checks = [form, signed_by(certificate, key)]
    file = folder / certificate["data"]["file"]
    checks.append(Checked.of("file", another_file(file, certificate["data"]["sha256"])))
    wrong = _wrong_loss(certificate, stated)
    checks.append(_checked("loss", wrong, _right_loss(stated)))
    if plan is not None:
        checks.append(Checked.of("plan", _unlike(plan, stated)))
    content = list(_content(certificate, stated, file, sound=wrong is None))
    checks += content
    wrong = wrong or next((one.why for one in content if one.verdict == REFUTED), None)
    claim = CheckedClaim(
        claim=certificate["claim"],
        verdict=REFUTED if wrong else UNVERIFIABLE,
        why=wrong or UNSEEN,
    )
    return tuple(checks), (claim,)


def _checked(what: str, wrong: str | None, right: str) -> Checked:
    return Checked(what=what, verdict=REFUTED if wrong else VERIFIED, why=wrong or right)


def _stated(certificate: Mapping[str, Any]) -> Kept:
    """What the certificate says, with no rows yet."""
    columns = certificate["columns"]
    return Kept(
        asked=_asked(certificate),
        rules=tuple(certificate["counting"]["rules"]),
        node=tuple(one["level"] for one in columns),
        labels=tuple(tuple(one["labels"]) for one in columns),
        codes=np.zeros((0, len(columns)), np.int32),
        counts=np.zeros(0, np.int64),
        k=certificate["k"],
        ledger=certificate["ledger"],
    )


def _asked(certificate: Mapping[str, Any]) -> dict[str, Any]:
    """The request, as the certificate tells it."""
    found: dict[str, Any] = {
        "person": certificate["counting"]["person"],
        "null": certificate["counting"]["null"],
    }
    for name in ASKED:
        told, more = certificate[name], OWN.get(name, ())
        if isinstance(told, dict):
            told = {key: value for key, value in told.items() if key not in more}
        elif isinstance(told, list):
            told = [{key: one[key] for key in one if key not in more} for one in told]
        found[name] = told
    return found


def _wrong_loss(certificate: Mapping[str, Any], stated: Kept) -> str | None:
    """What is wrong about k, loss, price and what was charged."""
    terms = stated.terms
    if terms.drawn is Drawn.BEFORE and terms.choice:
        return "levels were chosen on the sample itself, and what that costs is not known"
    if terms.neighbours.rows != 1:
        return "a safe release is about people with one row"
    if bool(terms.choice) == (_nodes(certificate) == 1):
        return "it is said in two ways whether levels were chosen"
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


def _right_loss(stated: Kept) -> str:
    terms = stated.terms
    return (
        f"if {float(terms.beta):.6g} of the people were drawn, k = {stated.k:,} keeps {terms.loss}"
    )


def _unlike(plan: Plan, stated: Kept) -> str | None:
    """In what the release is not what a plan asks for."""
    if plan.method.search != "safe":
        return "the plan asks for no safe release"
    try:
        request = Request.of(plan)
    except HedgerowError as error:
        return f"the plan cannot be used: {error.what}"
    asked = request.as_json()
    other = [name for name in asked if asked[name] != stated.asked[name]]
    if other:
        return f"the plan has other {some(other)}"
    labels = [
        column.hierarchy.labels[level]
        for column, level in zip(request.columns, stated.node, strict=True)
    ]
    if labels != list(stated.labels):
        return "the labels are not those of the plan's hierarchies at these levels"
    return None


def _content(
    certificate: Mapping[str, Any], stated: Kept, file: Path, *, sound: bool
) -> Iterator[Checked]:
    """What is in the file, and if the loss is sound, whether all words follow."""
    configured = certificate["software"]["configured"]
    escaped = configured["escape_formulas"]
    try:
        records = read_rows(file, stated.shown, escaped=escaped)
    except HedgerowError as error:
        yield Checked.of("rows", error.what)
        return
    yield Checked.of("rows", _wrong_rows(certificate, stated, records))
    codes, counts = np.unique(records, axis=0, return_counts=True)
    small = int((counts < stated.k).sum())
    yield _checked(
        "groups",
        f"{small:,} of {len(counts):,} groups have fewer than {stated.k:,} rows" if small else None,
        f"each of {len(counts):,} groups has at least {stated.k:,} rows",
    )
    if not sound:
        return
    if certificate["software"] != software(form=configured["format"], escaped=escaped):
        yield Checked(
            what="words",
            verdict=UNVERIFIABLE,
            why="made by other versions or on another kind of machine; not checked",
        )
        return
    again = Kept(
        asked=stated.asked,
        rules=stated.rules,
        node=stated.node,
        labels=stated.labels,
        codes=codes.astype(np.int32),
        counts=counts.astype(np.int64),
        k=stated.terms.safe.k,
        ledger=stated.ledger,
    )
    expected = certify(again, file=file, form=configured["format"], escaped=escaped)
    other = [name for name, value in expected.items() if certificate[name] != value]
    yield _checked(
        "words",
        f"the certificate says otherwise of {some(other)}" if other else None,
        "k, loss and all words follow from the rate, epsilon and delta",
    )


def _wrong_rows(certificate: Mapping[str, Any], stated: Kept, records: Codes) -> str | None:
    told = certificate["data"]
    if len(records) != told["rows"]:
        return f"there are {len(records):,} rows, stated {told['rows']:,}"
    if told["columns"] != list(stated.names):
        return "the columns of the file are not those stated"
    if len(records) > 1 and not _sorted(records):
        return "the rows are not in sorted order, and another order may tell about people"
    return None


def _sorted(records: Codes) -> bool:
    """Whether rows are in the order of their columns, the first one slowest."""
    changed = np.diff(records, axis=0)
    first = np.argmax(changed != 0, axis=1)
    return bool((changed[np.arange(len(changed)), first] >= 0).all())
