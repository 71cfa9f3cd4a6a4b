"""A release against its own certificate: whether they belong together, and say what is true."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hedgerow.base.delivery import CERTIFICATE, TABLE
from hedgerow.base.errors import DataError, HedgerowError, some
from hedgerow.base.spelling import reading
from hedgerow.claims.base import PrivacyModel
from hedgerow.claims.serialisation import CUSTOM, OF_PACKAGE, UnknownModelError, rebuilt
from hedgerow.engines import TablePlace, another_form, open_table
from hedgerow.plan.plan import Plan
from hedgerow.release.certificate import as_text, default_order, spelled_values
from hedgerow.release.certificate_consistency import (
    contradiction,
    own_words,
    stated_schema,
    unwritten_claim,
    words,
)
from hedgerow.release.certificate_schema import FORMAT, OLD, misfit
from hedgerow.release.claim_check import (
    REFUTED,
    UNVERIFIABLE,
    VERIFIED,
    Checked,
    CheckedClaim,
    Ground,
    recheck,
)
from hedgerow.release.manifest import other_files
from hedgerow.release.plan_requirements import (
    as_stated,
    matched,
    other_order,
    planned_order,
    unlike,
)
from hedgerow.table.certificate_file import (
    RANDOMISED,
    SAFE,
    certificate_bytes,
    read_certificate,
)
from hedgerow.table.contents import Contents, Order
from hedgerow.table.release_source import rows_of
from hedgerow.table.schema import Schema
from hedgerow.table.written_form import WrittenForm


def check_certified(
    folder: Path | TablePlace, *, plan: Plan | None, key: Path | None
) -> tuple[tuple[Checked, ...], tuple[CheckedClaim, ...]]:
    """Check a release with its certificate.

    Args:
        folder: The release: a folder, or a table.
        plan: The plan it must keep, where one is given.
        key: Public key that must have signed the certificate, where one is given.

    Raises:
        DataError: There is no certificate, or none of this version.
    """
    certificate = read_certificate(folder, randomised=True)
    stands = folder / CERTIFICATE if isinstance(folder, Path) else folder
    checks, claims = _checked(certificate, folder, stands, plan=plan, key=key)
    return (*checks, Checked.of("certificate text", _another_text(certificate, stands))), claims


def _another_text(certificate: Mapping[str, Any], stands: Path | TablePlace) -> str | None:
    """Why the certificate is not written as it was published; None where it is.

    What its hash and its signature are about are the values in it. Order, blanks and escapes
    could carry anything besides.
    """
    try:
        same = as_text(certificate).encode("utf-8") == certificate_bytes(stands)
    except ValueError:  # numbers and characters that no certificate of ours has
        same = False
    return None if same else "the certificate was rewritten: it is not the text that was published"


def _checked(
    certificate: dict[str, Any],
    folder: Path | TablePlace,
    stands: Path | TablePlace,
    *,
    plan: Plan | None,
    key: Path | None,
) -> tuple[tuple[Checked, ...], tuple[CheckedClaim, ...]]:
    form = str(certificate.get("format"))
    if isinstance(folder, Path) and form.startswith(RANDOMISED):
        from hedgerow.release.noisy.verification import check_randomised

        return check_randomised(certificate, folder, plan=plan, key=key)
    if form.startswith(SAFE):
        from hedgerow.release.safe.verification import check_safe

        return check_safe(certificate, folder, plan=plan, key=key)
    _refuse_other_versions(certificate, stands)
    if certificate.get("claims") == []:
        raise DataError(
            "claims nothing, so there is nothing to verify",
            where=str(stands),
            fix="Ask for the certificate as it was published.",
        )
    wrong = misfit(certificate)
    formed = Checked.of(
        "form", wrong and f"the certificate has not the form it should have: {wrong}"
    )
    if wrong:
        return (formed,), ()
    checks = [formed, signed_by(certificate, key)]
    file = rows_of(folder, certificate)
    checks.append(Checked.of("file", another_data(file, certificate["data"])))
    if isinstance(folder, Path):
        checks.append(Checked.of("folder", other_files(folder, certificate)))
    models = [_model(entry) for entry in certificate["claims"]]
    checks.append(Checked.of("certificate", contradiction(certificate)))
    if plan is not None:
        asked = plan.models()
        checks.append(Checked.of("plan", unlike(plan, asked, certificate)))
        models = [
            mine if place is None or _lost(mine) else as_stated(asked[place], entry)
            for mine, entry, place in zip(
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
    return tuple(checks), claims


def _refuse_other_versions(certificate: Mapping[str, Any], where: Path | TablePlace) -> None:
    found = certificate.get("format")
    if found == FORMAT:
        return
    if found in OLD:
        what = "is too old to be verified: it does not say enough, nor list the release's files"
        fix = "Publish the release anew; its recoding can be applied again with --recoding."
    else:
        what = f"has the format {found!r}, which this version does not know"
        fix = "Use a newer version of hedgerow."
    raise DataError(what, where=str(where), fix=fix)


def signed_by(certificate: Mapping[str, Any], key: Path | None) -> Checked:
    """Whose certificate it is."""
    from hedgerow.release import signature

    trusted = None if key is None else signature.read_public(key)
    if certificate.get("signature") is None:
        why = "nobody has signed the certificate, so anybody may have written it"
        if trusted is not None:
            return Checked.of("signature", why)
        return Checked(what="signature", verdict=UNVERIFIABLE, why=why)
    own = signature.embedded_key(certificate)
    if own is None or not signature.is_signed_by(certificate, own):
        return Checked.of("signature", "the signature is not that of this certificate")
    name = signature.fingerprint(own)
    if trusted is None:
        why = f"signed by {name}; whose key that is was not checked"
        return Checked(what="signature", verdict=VERIFIED, why=why)
    if signature.fingerprint(trusted) != name:
        return Checked.of("signature", f"signed by {name}, not by {signature.fingerprint(trusted)}")
    return Checked(what="signature", verdict=VERIFIED, why=f"signed by {name}, the key given")


def another_data(file: Path | TablePlace, stated: Mapping[str, Any]) -> str | None:
    """Why a file or a table is not the one a certificate was written for; None where it is."""
    if isinstance(file, Path):
        return another_file(file, stated["sha256"])
    if stated["file"] != TABLE:
        return f"the certificate was written for {stated['file']}, and this is a table"
    with open_table(file) as engine:
        same = engine.content_sha256() == stated["sha256"]
    return None if same else "the rows are not those the certificate was written for"


def another_file(file: Path, expected: str) -> str | None:
    """Why a file is not the one of a hash; None where it is."""
    try:
        with file.open("rb") as content:
            found = hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        return f"{file.name} cannot be read: {error.strerror or error}"
    if found != expected:
        return f"{file.name} is not the file the certificate was written for, or was changed"
    return None


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
        worded=own_words(certificate),
        distinct={
            column: frozenset(text for texts in told["distinct"] for text in texts)
            for column, told in certificate.get("spellings", {}).items()
        },
    )


def _spelled(
    certificate: Mapping[str, Any], schema: Schema, ground: Ground, plan: Plan | None
) -> Iterator[Checked]:
    """Whether the values that may be read as one are those stated; nothing where there are none."""
    stated = certificate.get("spellings", {})
    found = {}
    for column in schema.sensitive:
        if column in ground.contents.sets:
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
