"""A release against its own certificate: whether they belong together, and say what is true."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hedgerow import __version__
from hedgerow.certificate import default_order
from hedgerow.certificate_schema import FORMAT, OLD, misfit
from hedgerow.delivery import CERTIFICATE
from hedgerow.errors import DataError, HedgerowError, some
from hedgerow.models.anonymity import KAnonymity
from hedgerow.models.base import PrivacyModel
from hedgerow.plan import Plan
from hedgerow.protected import against, protected
from hedgerow.rechecking import (
    REFUTED,
    UNVERIFIABLE,
    VERIFIED,
    Checked,
    CheckedClaim,
    Ground,
    recheck,
)
from hedgerow.recipient import Order, Seen
from hedgerow.release import read_certificate
from hedgerow.schema import Role, Schema
from hedgerow.spelled import UnknownModelError, rebuilt, spelled
from hedgerow.writing import written_text


def check_certified(
    folder: Path, *, plan: Plan | None, key: Path | None
) -> tuple[tuple[Checked, ...], tuple[CheckedClaim, ...]]:
    """Check a release with its certificate.

    Args:
        folder: The release.
        plan: The plan it must keep, where one is given.
        key: Public key that must have signed the certificate, where one is given.

    Raises:
        DataError: There is no certificate, or none of this version.
    """
    certificate = read_certificate(folder)
    _refuse_other_versions(certificate, folder / CERTIFICATE)
    wrong = misfit(certificate)
    form = Checked.of("form", wrong and f"the certificate has not the form it should have: {wrong}")
    if wrong:
        return (form,), ()
    checks = [form, _signed(certificate, key)]
    file = folder / certificate["data"]["file"]
    checks.append(Checked.of("file", _another_file(file, certificate["data"]["sha256"])))
    models = [_model(entry) for entry in certificate["claims"]]
    checks.append(Checked.of("certificate", _contradiction(certificate, models)))
    if plan is not None:
        asked = plan.models()
        checks.append(Checked.of("plan", _unlike(plan, asked, certificate)))
        if len(asked) == len(models):
            models = [
                theirs if str(theirs) == entry["claim"] and not _lost(mine) else mine
                for mine, theirs, entry in zip(models, asked, certificate["claims"], strict=True)
            ]
    schema = _schema(certificate)
    ground: Ground | None = None
    try:
        ground = _ground(certificate, schema, file, models)
        checks.append(Checked.of("columns", _other_columns(certificate, schema, ground.seen)))
        checks.append(Checked.of("rows", _other_rows(certificate, ground.seen)))
    except HedgerowError as error:
        checks.append(Checked.of("columns", f"the file cannot be read: {error.what}"))
    claims = tuple(
        _claim(entry, model, ground)
        for entry, model in zip(certificate["claims"], models, strict=True)
    )
    return tuple(checks), claims


def _refuse_other_versions(certificate: Mapping[str, Any], where: Path) -> None:
    found = certificate.get("format")
    if found == FORMAT:
        return
    if found in OLD:
        what, fix = "is too old to be verified: it does not say enough", "Publish the release anew."
    else:
        what = f"has the format {found!r}, which this version does not know"
        fix = "Use a newer version of hedgerow."
    raise DataError(what, where=str(where), fix=fix)


def _signed(certificate: Mapping[str, Any], key: Path | None) -> Checked:
    """Whose certificate it is."""
    from hedgerow import signing

    trusted = None if key is None else signing.read_public(key)
    if certificate.get("signature") is None:
        why = "nobody has signed the certificate"
        if trusted is not None:
            return Checked.of("signature", why)
        return Checked(what="signature", verdict=UNVERIFIABLE, why=why)
    own = signing.embedded_key(certificate)
    if own is None or not signing.is_signed_by(certificate, own):
        return Checked.of("signature", "the signature is not that of this certificate")
    name = signing.fingerprint(own)
    if trusted is None:
        why = f"signed by {name}; whose key that is was not checked"
        return Checked(what="signature", verdict=VERIFIED, why=why)
    if signing.fingerprint(trusted) != name:
        return Checked.of("signature", f"signed by {name}, not by {signing.fingerprint(trusted)}")
    return Checked(what="signature", verdict=VERIFIED, why=f"signed by {name}, the key given")


def _another_file(file: Path, expected: str) -> str | None:
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


def _contradiction(certificate: Mapping[str, Any], models: Sequence[Rebuilt]) -> str | None:
    """What the certificate says in two places and not alike."""
    planned = certificate["plan"]["protect"]
    claimed = [{"claim": c["claim"], "model": c["model"]} for c in certificate["claims"]]
    if planned != claimed:
        return "the claims are not those of the plan in it"
    people, data = certificate["people"], certificate["data"]
    if (
        certificate["plan"]["person"] is None
        and people["in_source"] - people["left_out"] != data["rows"]
    ):
        return (
            f"{people['in_source']:,} people of whom {people['left_out']:,} were left out are not "
            f"{data['rows']:,} rows"
        )
    schema = _schema(certificate)
    if set(schema.published) != set(data["columns"]):
        return "the columns of the data are not those the plan publishes"
    levels = certificate["recoding"].get("levels")
    if levels is not None and set(levels) != set(schema.quasi_identifiers):
        return "the recoding is not one of the plan's quasi-identifiers"
    if certificate["software"]["version"] == __version__:
        # Another version may word it otherwise.
        return _other_words(certificate, schema, models)
    return None


def _other_words(
    certificate: Mapping[str, Any], schema: Schema, models: Sequence[Rebuilt]
) -> str | None:
    """Where the words are not those for the claims."""
    known = [model for model in models if isinstance(model, PrivacyModel)]
    for model, entry in zip(models, certificate["claims"], strict=True):
        if isinstance(model, PrivacyModel) and entry["adversary"] != against(model):
            return f"the adversary of {entry['claim']} is not the one stated"
    if len(known) < len(models):
        return None
    withheld = [c["claim"] for c in certificate["claims"] if c.get("level_withheld") is not None]
    words = protected(known, schema, left_out=certificate["people"]["left_out"], withheld=withheld)
    if words != certificate["protected"]:
        return "what it says is protected is not what the claims protect"
    return None


def _schema(certificate: Mapping[str, Any]) -> Schema:
    """The columns in the order of the file, then those that are not in it."""
    plan = certificate["plan"]
    given = {name: Role(role) for name, role in plan["columns"].items()}
    if plan["person"] is not None:
        given.setdefault(plan["person"], Role.IDENTIFIER)
    first = {name: given[name] for name in certificate["data"]["columns"] if name in given}
    return Schema(first | given, plan["person"])


def _unlike(
    plan: Plan, asked: Sequence[PrivacyModel], certificate: Mapping[str, Any]
) -> str | None:
    """Where the plan given is not the one the release was made with."""
    stated = certificate["plan"]
    roles = {name: str(column.role) for name, column in plan.columns.items()}
    if roles != stated["columns"] or plan.person != stated["person"]:
        return "the plan gives the columns other roles than the certificate"
    missing = [str(model) for model in asked]
    for entry in stated["protect"]:
        if entry["claim"] in missing:
            missing.remove(entry["claim"])
        else:
            return f"the plan does not ask for {entry['claim']}"
    if missing:
        return f"the plan asks for {missing[0]}, which the certificate does not claim"
    for model, entry in zip(asked, stated["protect"], strict=True):
        if entry["model"] is not None and str(model) == entry["claim"]:
            try:
                same = spelled(model) == entry["model"]
            except UnknownModelError:
                same = False
            if not same:
                return f"the plan asks for {entry['claim']} with other parameters"
    return None


def _ground(
    certificate: Mapping[str, Any], schema: Schema, file: Path, models: Sequence[Rebuilt]
) -> Ground:
    escaped = certificate["plan"]["escape_formulas"]
    alone = file.suffix == ".csv" and len(certificate["data"]["columns"]) == 1
    text = written_text(escaped=escaped, alone=alone)
    joint = any(isinstance(model, KAnonymity) and model.over == "all" for model in models)
    others = (*schema.sensitive, *schema.insensitive) if joint else schema.sensitive
    heading = {str(text(name)): name for name in schema.published}
    seen = Seen.read(
        file,
        quasi=[str(text(name)) for name in schema.quasi_identifiers],
        sets=[str(text(name)) for name in others],
        delimiter="," if file.suffix == ".csv" else None,
    ).renamed(heading)

    def order(column: str) -> Order:
        stated = certificate["sensitive"].get(column)
        if stated is None:
            return Order(values=tuple(default_order(column, seen.sets[column][0])))
        return Order(
            values=tuple(stated["order"]), levels=tuple(tuple(nodes) for nodes in stated["levels"])
        )

    return Ground(
        seen=seen,
        person=schema.person is not None,
        left_out=certificate["people"]["left_out"],
        orders=order,
        text=text,
        others=others,
    )


def _other_columns(certificate: Mapping[str, Any], schema: Schema, seen: Seen) -> str | None:
    expected = tuple(certificate["data"]["columns"])
    if seen.columns != expected:
        return f"the file has the columns {some(seen.columns)}, and not {some(expected)}"
    return None


def _other_rows(certificate: Mapping[str, Any], seen: Seen) -> str | None:
    expected = certificate["data"]["rows"]
    return None if seen.rows == expected else f"the file has {seen.rows:,} rows, not {expected:,}"


def _claim(entry: Mapping[str, Any], model: Rebuilt, ground: Ground | None) -> CheckedClaim:
    told = {"claim": entry["claim"], "required": entry["required"], "stated": entry["level"]}
    if model is None:
        why = entry["not_verifiable"] or "the certificate does not say what exactly is claimed"
        return CheckedClaim(**told, verdict=UNVERIFIABLE, why=why)
    if isinstance(model, UnknownModelError):
        return CheckedClaim(**told, verdict=UNVERIFIABLE, why=model.what)
    if isinstance(model, HedgerowError):
        return CheckedClaim(**told, verdict=REFUTED, why=f"its parameters are wrong: {model.what}")
    if ground is None:
        return CheckedClaim(**told, verdict=REFUTED, why="the file cannot be read")
    return recheck(model, ground, entry)
