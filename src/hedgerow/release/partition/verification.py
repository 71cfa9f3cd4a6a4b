"""A recoded table against its certificate: what it says in itself, and its claims on the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hedgerow.base.errors import DataError, HedgerowError, some
from hedgerow.base.spelling import reading
from hedgerow.claims.base import PrivacyModel
from hedgerow.claims.serialisation import CUSTOM, OF_PACKAGE, UnknownModelError, rebuilt
from hedgerow.engines import TablePlace, another_form
from hedgerow.plan.plan import Plan
from hedgerow.release.codings.verification import coding_checks
from hedgerow.release.partition.certificate import default_order, spelled_values
from hedgerow.release.partition.certificate_consistency import (
    contradiction,
    own_words,
    stated_schema,
    unwritten_claim,
    words,
)
from hedgerow.release.partition.claim_check import Ground, recheck
from hedgerow.release.partition.plan_requirements import (
    as_stated,
    matched,
    other_order,
    planned_order,
    unlike,
)
from hedgerow.release.partition.record_candidates import ONE_LEVEL
from hedgerow.release.verdicts import REFUTED, UNVERIFIABLE, Checked, CheckedClaim, Verdicts
from hedgerow.table.contents import Contents, Order
from hedgerow.table.release_source import rows_of
from hedgerow.table.schema import Schema
from hedgerow.table.written_form import WrittenForm


def check_recoded(
    certificate: Mapping[str, Any], place: Path | TablePlace, plan: Plan | None
) -> Verdicts:
    """Judge the claims again on the published table.

    Args:
        certificate: Has its form.
        place: The release: a folder, or a table.
        plan: The plan it must keep, where one is given.
    """
    file = rows_of(place, certificate)
    models = [_model(entry) for entry in certificate["claims"]]
    checks = [Checked.of("certificate", contradiction(certificate))]
    if plan is not None:
        asked = plan.models()
        checks.append(Checked.of("plan", unlike(plan, asked, certificate)))
        models = [
            mine if number is None or _lost(mine) else as_stated(asked[number], entry)
            for mine, entry, number in zip(
                models, certificate["claims"], matched(asked, certificate["claims"]), strict=True
            )
        ]
    schema = stated_schema(certificate)
    checks.append(words(certificate, schema, models))
    ground: Ground | None = None
    try:
        contents = _read(certificate, schema, file, models)
        ground = _ground(certificate, schema, contents, plan)
        checks.append(Checked.of("columns", None))
        checks.append(Checked.of("rows", _other_rows(certificate, contents)))
        checks += _spelled(certificate, schema, ground, plan)
        if checks[0].verdict != REFUTED:
            checks += coding_checks(certificate, file, plan)
        if isinstance(file, Path):
            checks.append(Checked.of("written form", another_form(file)))
    except HedgerowError as error:
        checks.append(Checked.of("columns", error.what))
    if plan is not None and ground is not None:
        checks.append(Checked.of("order", other_order(plan, certificate, ground.contents)))
    claims = tuple(
        _claim(certificate, entry, model, ground)
        for entry, model in zip(certificate["claims"], models, strict=True)
    )
    return checks, claims


Rebuilt = PrivacyModel | HedgerowError | None
"""A claim's model; what is wrong with its parameters; None where the certificate withholds it."""


def _model(entry: Mapping[str, Any]) -> Rebuilt:
    if entry["model"] is None:
        return None
    try:
        return rebuilt(entry["model"])
    except HedgerowError as error:
        return error


def _lost(model: Rebuilt) -> bool:
    """Whether the certificate's own parameters are wrong, which a plan does not mend."""
    return isinstance(model, HedgerowError) and not isinstance(model, UnknownModelError)


def _read(
    certificate: Mapping[str, Any],
    schema: Schema,
    file: Path | TablePlace,
    models: Sequence[Rebuilt],
) -> Contents:
    """The file, counted.

    Raises:
        HedgerowError: It cannot be read, or has other columns than the certificate says.
    """
    expected = certificate["data"]["columns"]
    form = WrittenForm.of(file, expected, escaped=certificate["plan"]["escape_formulas"])
    joint = any(isinstance(model, PrivacyModel) and model.joint for model in models)
    others = (*schema.sensitive, *schema.insensitive) if joint else schema.sensitive
    try:
        contents = Contents.read(file, quasi=schema.quasi_identifiers, sets=others, form=form)
    except HedgerowError as error:
        raise DataError(f"the file cannot be read: {error.what}") from None
    if not contents.rows:
        raise DataError("there is nobody in the file")
    # As they stand in the file: whoever takes an unescaped header for an escaped one would
    # overlook a column, and measure the claims without it.
    headers = [form.header(name) for name in expected]
    if list(contents.headers) != headers:
        raise DataError(
            f"the file has the columns {some(contents.headers)}, and not {some(headers)}"
        )
    if len(set(headers)) != len(headers) or set(expected) != set(schema.published):
        raise DataError("the columns of the file are not those of the plan in the certificate")
    return contents


def _ground(
    certificate: Mapping[str, Any], schema: Schema, contents: Contents, plan: Plan | None
) -> Ground:
    def order(column: str) -> Order:
        if plan is not None and column in plan.columns:
            return planned_order(plan, column, contents.values(column))
        stated = certificate["sensitive"].get(column)
        if stated is None:
            texts = [contents.form.written(value) for value in contents.values(column)]
            usual = default_order(column, texts)
            return Order(values=tuple(map(contents.form.meant, usual)), said=False)
        return Order(
            values=tuple(contents.form.meant(text) for text in stated["order"]),
            levels=tuple(tuple(nodes) for nodes in stated["levels"]),
        )

    people = certificate["people"]
    return Ground(
        contents=contents,
        person=schema.person is not None,
        rows=schema.rows or 1,
        left_out=people["left_out"],
        people=people["in_source"] - people["left_out"],
        orders=order,
        others=tuple(
            name for name in (*schema.sensitive, *schema.insensitive) if name in contents.sets
        ),
        schema=schema,
        one_level=(
            certificate["recoding"]["kind"] in ONE_LEVEL
            and certificate["search"].get("stored") is not True
        ),
        other_groups=_other_groups(certificate),
        uncounted=_uncounted(certificate),
        worded=own_words(certificate),
        distinct={
            column: frozenset(text for texts in told["distinct"] for text in texts)
            for column, told in certificate.get("spellings", {}).items()
        },
    )


def _other_groups(certificate: Mapping[str, Any]) -> str | None:
    """Why the groups are none of the population; None where they may be.

    Only full-domain generalisation maps the population as it maps the table.
    """
    kind = certificate["recoding"]["kind"]
    if kind != "full-domain":
        return f"groups of a {kind} recoding are no groups of the population"
    if certificate["plan"]["method"].get("keep_suppressed"):
        return "suppressed people are published in a group that is none of the population"
    return None


def _uncounted(certificate: Mapping[str, Any]) -> str | None:
    """Why nobody can count the population in the groups; None where somebody may.

    Whoever is in no other group is in that of suppressed people. Local recoding makes groups of
    which nobody fits two, where a claim counts the population.
    """
    kind, method = certificate["recoding"]["kind"], certificate["plan"]["method"]
    if kind == "full-domain" or (kind == "local" and method.get("parts") is None):
        return None
    return f"groups of a {kind} recoding are no groups of the population"


def _spelled(
    certificate: Mapping[str, Any], schema: Schema, ground: Ground, plan: Plan | None
) -> Iterator[Checked]:
    """Whether the values that may be read as one are those stated; nothing where there are none."""
    stated = certificate.get("spellings", {})
    found = {}
    for column in schema.sensitive:
        if column in ground.contents.sets and column not in schema.coded:
            values = ground.contents.values(column)
            one = bool(stated.get(column, {}).get("one"))
            told = spelled_values(values, one=one, distinct=ground.distinct.get(column, ()))
            if any(told.values()):
                found[column] = told
    if not stated and not found:
        return
    wrong = None
    if stated != found:
        differ = [name for name in {**stated, **found} if stated.get(name) != found.get(name)]
        wrong = f"the spellings of {some(differ)} in the file are not those stated"
    elif broken := [name for name, told in found.items() if told["one"] and told["both"]]:
        wrong = f"{some(broken)} is not in one spelling, as stated"
    elif plan is not None:
        wrong = next(_other_spellings(stated, plan), None)
    yield Checked.of("spellings", wrong)


def _other_spellings(stated: Mapping[str, Any], plan: Plan) -> Iterator[str]:
    """Where the plan says otherwise what becomes of spellings."""
    for name, told in stated.items():
        column = plan.columns.get(name)
        if column is not None and told["one"] != (column.spelling is not None):
            yield f"the plan says otherwise whether {name!r} is published in one spelling"
        differ = {t for texts in told["distinct"] for t in texts if reading(t) is not None}
        if column is not None and differ - set(column.distinct or ()):
            yield f"the plan does not say that {some(sorted(differ))} in {name!r} differ"


def _other_rows(certificate: Mapping[str, Any], contents: Contents) -> str | None:
    expected = certificate["data"]["rows"]
    found = contents.rows
    return None if found == expected else f"the file has {found:,} rows, not {expected:,}"


def _claim(
    certificate: Mapping[str, Any], entry: Mapping[str, Any], model: Rebuilt, ground: Ground | None
) -> CheckedClaim:
    told = {"claim": entry["claim"], "required": entry["required"], "stated": entry["level"]}
    if entry["model"] is None and (wrong := list(unwritten_claim(certificate, entry))):
        return CheckedClaim(**told, verdict=REFUTED, why="; ".join(wrong))
    if isinstance(model, UnknownModelError):
        wrong = list(_unknown_claim(certificate, entry, model))
        verdict = REFUTED if wrong else UNVERIFIABLE
        return CheckedClaim(**told, verdict=verdict, why="; ".join(wrong) or model.what)
    if isinstance(model, HedgerowError):
        return CheckedClaim(**told, verdict=REFUTED, why=f"its parameters are wrong: {model.what}")
    if ground is None:
        return CheckedClaim(**told, verdict=REFUTED, why="the file cannot be read as it should be")
    if model is None:
        why = entry["not_verifiable"] if ground.worded else "its parameters are not published"
        return CheckedClaim(**told, verdict=UNVERIFIABLE, why=why)
    return recheck(model, ground, entry)


def _unknown_claim(
    certificate: Mapping[str, Any], entry: Mapping[str, Any], error: UnknownModelError
) -> Iterator[str]:
    """What is wrong with a claim of a kind that is not known here."""
    if not entry["holds"]:
        yield "the certificate itself says that it does not hold"
    if own_words(certificate):
        # This version knows its own models, and has a name for those of others; those that a
        # package declared could be checked where the release was made.
        name = str(entry["model"].get("model"))
        if not name.startswith(CUSTOM) and OF_PACKAGE not in name:
            yield f"{error.what}, and is said to have made the certificate"
        elif name.startswith(CUSTOM) and entry["not_verifiable"] != error.what:
            yield f"{error.what}, and the certificate says otherwise"
