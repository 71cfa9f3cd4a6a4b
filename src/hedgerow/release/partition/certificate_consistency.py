"""Whether a certificate agrees with itself: what it says in two places, and in words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hedgerow.base.delivery import DATA, TABLE
from hedgerow.base.version import __version__
from hedgerow.claims.base import PrivacyModel
from hedgerow.claims.outside import LISTED, reasons_for_unwritten
from hedgerow.claims.protection import protected
from hedgerow.recode.optimality import gap_of
from hedgerow.release.codings.verification import misstated
from hedgerow.release.verdicts import UNVERIFIABLE, Checked
from hedgerow.table.column_codings import BEFORE_CODING, hidden_by
from hedgerow.table.schema import Role, Schema

KINDS = {"lattice": "full-domain"}
"""What a method's recodings are called, where it is not the method's name."""
ROUNDED = 0.02
"""How far stated costs, bounds and gaps may be from each other because they are rounded."""
NOTHING = 1e-9
"""A cost under this is that of a table published as it is, but for how doubles add up."""
_EPSILON = re.compile(r"([0-9.]+(?:e\+[0-9]+|/[0-9]+)?)-privacy of ")

_BELIEF = re.compile(
    r"belief in any value of .* at most ([0-9.]+(?:e-?[0-9]+|/[0-9]+)?) with earlier releases"
    r"(?:, who knows one person)?, (?=prior )"
)


def own_words(certificate: Mapping[str, Any]) -> bool:
    """Whether this version wrote it, and so would have written it in the same words."""
    software = certificate["software"]
    return (software["name"], software["version"]) == ("hedgerow", __version__)


def stated_schema(certificate: Mapping[str, Any]) -> Schema:
    """The columns in the order of the file, then those that are not in it."""
    plan = certificate["plan"]
    given = {name: Role(role) for name, role in plan["columns"].items()}
    if plan["person"] is not None:
        given.setdefault(plan["person"], Role.IDENTIFIER)
    first = {name: given[name] for name in certificate["data"]["columns"] if name in given}
    rows = plan.get("rows")
    # A certificate that does not say how many rows counted people in a table nobody else has.
    person = plan["person"] if rows is None else None
    stated = plan.get("one_row_per_person", False)
    written = plan.get("ids_as_written", False)
    return Schema(
        first | given, person, rows, stated, tuple(plan.get("not_keys", ())), written,
        tuple(plan.get("from_data", ())),
        tuple((name, born, at) for name, (born, at) in plan.get("ages", {}).items()),
        coded=certificate.get("codings", {}),
    )  # fmt: skip


def contradiction(certificate: Mapping[str, Any]) -> str | None:
    """What the certificate says in two places and not alike."""
    planned = certificate["plan"]["protect"]
    claimed = [{"claim": c["claim"], "model": c["model"]} for c in certificate["claims"]]
    if planned != claimed:
        return "the claims are not those of the plan in it"
    found = (_of_people(certificate), _of_making(certificate), misstated(certificate))
    return next((wrong for kind in found for wrong in kind), None)


def _of_people(certificate: Mapping[str, Any]) -> Iterator[str]:
    people, rows = certificate["people"], certificate["data"]["rows"]
    left = people["in_source"] - people["left_out"]
    count = f"{people['in_source']:,} people of whom {people['left_out']:,} were left out"
    linked = stated_schema(certificate).linked
    if linked != (people.get("unit") == "rows"):
        yield "whether people or rows were counted is said in two ways"
    if certificate["plan"].get("rows") is not None and certificate["plan"]["person"] is None:
        yield "it says how many rows a person has, and names no column that tells people apart"
    if stated_schema(certificate).person is None:
        if left != rows:
            yield f"{count} are not {rows:,} rows"
    else:
        if left > rows or left < min(rows, 1):
            yield f"{count} do not have {rows:,} rows"
        if any(claim["worst"] is not None for claim in certificate["claims"]):
            yield "a worst group is named, and people may have several rows"
    if certificate["plan"]["person"] is not None and certificate["plan"].get("one_row_per_person"):
        yield "people are told apart by a column, and every row is stated to be another person"
    if certificate["sensitive"] and (
        stated_schema(certificate).person is not None or people["left_out"]
    ):
        yield "it orders sensitive values that are not all published"


def _of_bound(kind: str, search: Mapping[str, Any]) -> Iterator[str]:
    """What is said of how far from the best a release is; numbers are rounded."""
    if search.get("optimal") and kind != "full-domain":
        yield f"a recoding of the kind {kind!r} is never proven optimal"
    cost, bound, gap = (search.get(name) for name in ("cost", "lower_bound", "gap"))
    if not isinstance(cost, int | float) or not isinstance(bound, int | float):
        return  # it is of another form, which is said elsewhere
    if bound > cost:
        yield "nothing is said to cost less than a bound, and this release does"
    elif search.get("optimal") and bound < cost * (1 - ROUNDED) - NOTHING:
        yield "the release is said to be optimal, and the bound is below what it costs"
    elif isinstance(gap, int | float) and gap < gap_of(cost, bound * (1 + ROUNDED)) - ROUNDED:
        yield "the gap stated is smaller than that between the bound and what the release costs"


def _of_making(certificate: Mapping[str, Any]) -> Iterator[str]:
    schema, data = stated_schema(certificate), certificate["data"]
    plan, search = certificate["plan"], certificate["search"]
    if sorted(schema.published) != sorted(data["columns"]):
        yield "the columns of the data are not those the plan publishes"
    configured = certificate["software"]["configured"]
    if configured["escape_formulas"] != plan["escape_formulas"]:
        yield "whether formulas were escaped is said in two ways"
    if data["file"] != DATA.get(configured["format"], TABLE):
        yield f"the file {data['file']} is not of the format {configured['format']}"
    if search.get("optimal", False) != certificate["optimal"]:
        yield "whether nothing more useful exists is said in two ways"
    if search.get("optimal") and search.get("gap"):
        yield "the release is said to be optimal, with a gap to what may be better"
    if search.get("metric", plan["utility"]) != plan["utility"]:
        yield f"the search was for {search['metric']!r}, and the plan asks for {plan['utility']!r}"
    recoding, method = certificate["recoding"], str(plan["method"].get("search"))
    levels = recoding.get("levels")
    if levels is not None and set(levels) != set(schema.quasi_identifiers):
        yield "the recoding is not one of the plan's quasi-identifiers"
    if (levels is None) == (recoding["kind"] == "full-domain"):
        yield f"a recoding of the kind {recoding['kind']!r} is not written like that"
    if search.get("stored") is not True and recoding["kind"] != KINDS.get(method, method):
        yield f"the recoding is of the kind {recoding['kind']!r}, and the method is {method!r}"
    yield from _of_bound(certificate["recoding"]["kind"], search)


def words(
    certificate: Mapping[str, Any], schema: Schema, models: Sequence[PrivacyModel | object]
) -> Checked:
    """Whether what it says in words is what the claims say.

    Args:
        certificate: The certificate.
        schema: Its columns.
        models: Its claims; anything else for those that are not known.
    """
    if not own_words(certificate):
        why = (
            f"they are of version {certificate['software']['version']}, and this is "
            f"{__version__}: not checked"
        )
        return Checked(what="words", verdict=UNVERIFIABLE, why=why)
    wrong = _other_words(certificate, schema, models)
    if wrong is None and not all(isinstance(model, PrivacyModel) for model in models):
        why = "not all claims are written out, so what is said to be protected was not checked"
        return Checked(what="words", verdict=UNVERIFIABLE, why=why)
    return Checked.of("words", wrong)


def _other_words(
    certificate: Mapping[str, Any], schema: Schema, models: Sequence[PrivacyModel | object]
) -> str | None:
    known = [model for model in models if isinstance(model, PrivacyModel)]
    for model, entry in zip(models, certificate["claims"], strict=True):
        if isinstance(model, PrivacyModel) and entry["adversary"] != model.attacker:
            return f"the adversary of {entry['claim']} is not the one stated"
    written = "the written table" if certificate["data"]["file"] == TABLE else "the written file"
    if certificate["measured_on"].startswith(written) == (schema.person is not None):
        return "the claims cannot have been measured on what is stated"
    if certificate["measured_on"].endswith(BEFORE_CODING) != bool(schema.coded):
        return "whether the claims were measured before a coding is said in two ways"
    if len(known) < len(models):
        return None
    withheld = [c["claim"] for c in certificate["claims"] if c.get("level_withheld") is not None]
    text = protected(known, schema, left_out=certificate["people"]["left_out"], withheld=withheld)
    if text != certificate["protected"]:
        return "what it says is protected is not what the claims protect"
    return None


def unwritten_claim(certificate: Mapping[str, Any], entry: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with a claim whose parameters are not in the certificate.

    Only a claim about what attackers believe has parameters that must not be published, and
    then neither is its level. So nobody hides a false claim by leaving its parameters out.
    """
    named, belief = _EPSILON.match(entry["claim"]), False
    if named is not None and not entry["claim"].endswith(f" against {entry['adversary']}"):
        named = None
    if named is None and certificate["people"]["left_out"]:  # of whom a prior would tell
        named = _BELIEF.match(entry["claim"])
        belief = named is not None and entry["adversary"].endswith(
            f" (each holds the {entry['claim'][named.end() :]})"
        )
        named = named if belief else None
    if named is None:
        yield "its parameters are left out, which only those of claims about beliefs may be"
        return
    if entry["required"] is None or not math.isclose(_number(named[1]), entry["required"]):
        yield f"it requires {named[1]}, not {entry['required']!r}"
    if not entry["holds"]:
        yield "the certificate itself says that it does not hold"
    if any(entry[key] is not None for key in ("level", "margin", "worst")):
        yield "its parameters are left out, and not its level"
    if entry.get("level_withheld") is None:
        yield "its level is left out without a reason"
    if not own_words(certificate):
        return
    if belief:
        if not entry["not_verifiable"]:
            yield "it is said to be verifiable, and its parameters are left out"
        return
    left_out = certificate["people"]["left_out"]
    schema = stated_schema(certificate)
    person = schema.person is not None
    # Its words name the column it is about: "3-privacy of diagnosis (...)".
    columns = [n for n in schema.sensitive if entry["claim"][named.end() :].startswith(n)]
    codings = [hidden_by(schema.coded, {*schema.quasi_identifiers, name}) for name in columns]
    if entry["not_verifiable"] in filter(None, codings):
        return
    if None not in codings or entry["not_verifiable"] not in reasons_for_unwritten(
        person=person, left_out=left_out
    ):
        yield "its parameters are left out, and there is no reason to"
        return
    about = f"{entry['adversary']} {entry.get('predicates')}"
    if (entry["not_verifiable"] == LISTED) != (
        " on a list" in about or "what each person wants protected" in about
    ):
        yield "its parameters are left out for a reason that is not in its words"


def _number(text: str) -> float:
    """A number as a claim has it: 2.5, or 7/3; NaN where it is none."""
    above, _, below = text.partition("/")
    try:
        return float(above) / float(below or 1)
    except (ValueError, ZeroDivisionError):
        return math.nan
