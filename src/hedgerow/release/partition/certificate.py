"""The certificate of a release: what was claimed, measured and done, for anybody to re-check.

It goes wherever the release goes, so it says nothing that the release does not show: no value
that only people left out have, no level from which one could be computed, no place on the
publisher's machine.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.base.delivery import TABLE
from hedgerow.base.spelling_classes import classes, said_to_differ
from hedgerow.claims.base import Needs, PrivacyModel, Verdict
from hedgerow.claims.outside import judged_before, unverifiable, unwritten, withheld
from hedgerow.claims.priors import Prior
from hedgerow.claims.protection import protected
from hedgerow.claims.readings import judged
from hedgerow.claims.serialisation import UnknownModelError, foreign, spelled, unknown
from hedgerow.engines.base import Written
from hedgerow.plan.plan import Plan
from hedgerow.recode.optimality import rounded_down, rounded_up
from hedgerow.recode.recoding import Recoding
from hedgerow.release.certificate_text import software
from hedgerow.release.partition.kind import RecodedKind
from hedgerow.release.partition.recoding_choice import BY_KEEP
from hedgerow.release.partition.written_groups import Measured
from hedgerow.release.release import claim_summary, finite, rounded
from hedgerow.table.cells import Cells
from hedgerow.table.column_codings import BEFORE_CODING
from hedgerow.table.groups import Groups, Sensitive
from hedgerow.table.hierarchy_builders import Suppression
from hedgerow.table.schema import Schema
from hedgerow.table.written_form import WrittenForm

LIBRARIES = ("duckdb", "numpy", "pyarrow")
EFFORT = ("nodes_evaluated", "joined")
"""How long a search took depends on every value of the source, those left out included."""
OF_QUASI_IDENTIFIERS = ("cost", "lower_bound", "gap", "nodes")
"""What a search says of the quasi-identifiers of everybody in the source."""
SAME = 1e-12
"""Levels this close (relatively) differ by rounding only."""


def certify(
    plan: Plan,
    schema: Schema,
    models: Sequence[PrivacyModel],
    cells: Cells,
    chosen: Recoding,
    written: Written,
    claims: Sequence[Verdict],
    measured: Measured,
    *,
    utility: Mapping[str, float],
    ledger: Mapping[str, Any] | None = None,
    considered: Sequence[str] = (),
) -> dict[str, Any]:
    """The certificate of what was written.

    Args:
        plan: The plan.
        schema: Its columns, in the order of the source.
        models: Its claims, as `shown_orders` makes them.
        cells: The source, counted.
        chosen: The recoding that was applied.
        written: The file.
        claims: What became of each claim.
        measured: The groups they were measured on.
        utility: What was lost.
        ledger: Where the ledger stood: id, seq, hash, reservation.
        considered: Earlier releases this one was compared with, by name.
    """
    left_out = chosen.suppressed + cells.absent
    escaped = bool(plan.publish and plan.publish.escape_formulas)
    recoding: dict[str, Any] = {"kind": chosen.kind}
    if chosen.levels is not None:
        recoding["levels"] = chosen.levels
    told = [
        _claim(model, verdict, schema, measured, left_out)
        for model, verdict in zip(models, claims, strict=True)
    ]
    secret = [entry["claim"] for entry in told if "level_withheld" in entry]
    # Who is in the table is what these claims hide, and losses are measured on its people.
    members = any(Needs.POPULATION in model.needs for model in models)
    # The file does not show the groups that losses and the search were measured on.
    unshown = len(schema.shown_groups) < len(schema.quasi_identifiers)
    return {
        "format": RecodedKind().format,
        "software": software(
            LIBRARIES, form=written.path.suffix.removeprefix("."), escaped=escaped
        ),
        "population": plan.population,
        "data": {
            "file": written.path.name if isinstance(written.path, Path) else TABLE,
            "rows": written.rows,
            "columns": list(schema.published),
            "sha256": written.sha256,
        },
        "people": {
            "in_source": cells.people,
            "left_out": left_out,
            **({"unit": "rows"} if schema.linked else {}),
        },
        "plan": {
            "columns": {name: str(column.role) for name, column in plan.columns.items()},
            "person": plan.person,
            **({} if schema.rows is None else {"rows": schema.rows}),
            **_within(plan),
            **({"one_row_per_person": True} if plan.one_row_per_person else {}),
            **({"ids_as_written": True} if plan.ids_as_written else {}),
            **({"not_keys": list(plan.not_keys)} if plan.not_keys else {}),
            **({"from_data": list(plan.from_data)} if plan.from_data else {}),
            **({"ages": plan.ages_json} if plan.ages else {}),
            "null": list(plan.null),
            "protect": [{"claim": entry["claim"], "model": entry["model"]} for entry in told],
            "method": plan.method.model_dump(mode="json"),
            "utility": plan.utility.metric,
            **({"weighed": plan.utility.weighed} if plan.utility.weighed else {}),
            **({BY_KEEP: True} if plan.chosen_by_keep or chosen.detail.get(BY_KEEP) else {}),
            "escape_formulas": escaped,
        },
        "recoding": recoding,
        "search": _searched(chosen.detail, told, members=members or unshown),
        "optimal": bool(chosen.detail.get("optimal", False)),
        "sensitive": _taxonomies(models, schema, measured, left_out),
        **_spellings(plan, schema, measured),
        "claims": told,
        "utility": {} if members or unshown else rounded(dict(utility)),
        **({"codings": {n: dict(c) for n, c in schema.coded.items()}} if schema.coded else {}),
        "measured_on": measured.on + (BEFORE_CODING if schema.coded else ""),
        "ledger": None if ledger is None else dict(ledger),
        "with": list(considered),
        "protected": protected(models, schema, left_out=left_out, withheld=secret),
    }


def _within(plan: Plan) -> dict[str, Any]:
    """Which of a person's values were published, where rows of a person may have differed."""
    chosen = {n: one.within_person for n, one in plan.columns.items() if one.within_person}
    return {"within_person": chosen} if chosen else {}


def _searched(
    detail: Mapping[str, Any], claims: Sequence[Mapping[str, Any]], *, members: bool
) -> dict[str, Any]:
    """How the recoding was found, without what would say more than the release does."""
    found = searched(detail)
    unsaid = {BY_KEEP, *EFFORT} | (set(OF_QUASI_IDENTIFIERS) if members else set())
    if not found.get("optimal") and any("level_withheld" in claim for claim in claims):
        # How far the search came, which groups it could have suppressed instead.
        unsaid |= {"lower_bound", "gap"}
    return {key: value for key, value in found.items() if key not in unsaid}


def searched(detail: Mapping[str, Any]) -> dict[str, Any]:
    """How the recoding was found, to few digits; a bound is never rounded up, a gap never down."""
    told: dict[str, Any] = rounded(dict(detail))
    bound = told.get("lower_bound")
    if bound is not None and bound > detail["lower_bound"]:
        optimal = detail["optimal"]
        told["lower_bound"] = told["cost"] if optimal else rounded_down(detail["lower_bound"])
    if "gap" in told:
        told["gap"] = rounded_up(detail["gap"])
    return told


def default_order(name: str, values: Sequence[str | None]) -> list[str | None]:
    """The order values are in where nothing says otherwise: numbers by size, text by text."""
    return list(Suppression().bind(name, values).values)


def _claim(
    model: PrivacyModel, verdict: Verdict, schema: Schema, measured: Measured, left_out: int
) -> dict[str, Any]:
    """A claim with what was measured; its level only where the release itself shows as much."""
    coded = judged_before(model, schema)
    parameters, why = _parameters(model, measured.groups, left_out, coded=coded is not None)
    person = schema.person is not None
    outside = unverifiable(model, person=person, left_out=left_out, coded=coded)
    secret = withheld(model, left_out=left_out, hidden=parameters is None, coded=coded)
    # A level measured to many digits that depends on people left out lets anybody who knows who
    # they are try their sensitive values until it comes out right.
    return {
        **claim_summary(verdict),
        **({} if secret is None else {"level": None, "level_withheld": secret}),
        "model": parameters,
        "margin": finite(verdict.margin) if secret is None else None,
        "worst": _worst(model, verdict, schema, measured) if secret is None else None,
        "adversary": model.attacker,
        **model.spelled_out(),
        "not_verifiable": outside or why,
    }


def _parameters(
    model: PrivacyModel, groups: Groups, left_out: int, *, coded: bool
) -> tuple[dict[str, Any] | None, str | None]:
    """The claim's parameters, or why they are not written.

    What a coding hides is as unknown to recipients as the values of suppressed people.
    """
    domain = groups.domains.get(model.column or "")
    published: set[str | None] = set()
    own = None
    left_out = max(left_out, int(coded))
    if domain is not None and not coded:
        published = {
            domain.values[code] for code in np.unique(groups.histograms[domain.name].codes)
        }
    if domain is not None:
        own = Prior.shape(
            {v: int(n) for v, n in zip(domain.values, domain.reference, strict=True) if n}
        )
    why = unwritten(model, left_out=left_out, published=published, own=own)
    if why is not None:
        return None, why
    try:
        return spelled(model), None
    except UnknownModelError:
        named = foreign(model)
        return named, unknown(named["model"]).what


def shown_orders(
    models: Sequence[PrivacyModel], claims: Sequence[Verdict], groups: Groups
) -> tuple[tuple[PrivacyModel, ...], tuple[Verdict, ...]]:
    """The claims of a release that suppresses people, and what became of them.

    Terminal, certificate and reports name the values of an order that are published: the values
    on whose scale the claims were judged, too (`models.readings.on_shown_scale`).

    Args:
        models: The plan's claims.
        claims: What became of each in the release.
        groups: The release.
    """
    shown = tuple(_shown_order(model, groups) for model in models)
    return shown, tuple(
        verdict if model is one else replace(verdict, claim=str(one))
        for model, one, verdict in zip(models, shown, claims, strict=True)
    )


def _shown_order(model: PrivacyModel, groups: Groups) -> PrivacyModel:
    """The claim with the published values of its order only: it names no others."""
    if model.column is None or not isinstance(model.stated_order, tuple):
        return model
    domain, codes = groups.domains[model.column], np.unique(groups.histograms[model.column].codes)
    shown = {domain.values[code] for code in codes}
    return model.in_order(tuple(value for value in model.stated_order if value in shown))


def _worst(
    model: PrivacyModel, verdict: Verdict, schema: Schema, measured: Measured
) -> dict[str, Any] | None:
    """The group that decides, as it is published; none where the file does not show which it is."""
    if verdict.worst is None or schema.person is not None or Needs.POPULATION in model.needs:
        return None
    (judge,) = judged([model], measured.groups.domains.values())
    level = judge.level(measured.groups)
    # The engine's order differs from run to run, and a certificate must not.
    same = np.isclose(level, level[verdict.worst], rtol=SAME, atol=0)
    tied = np.flatnonzero(same & (measured.groups.n > 0))
    labels = list(zip(*(column[tied] for column in measured.contents.as_written), strict=True))
    least = min(range(len(tied)), key=lambda i: [(v is None, v or "") for v in labels[i]])
    return {
        "group": dict(zip(schema.quasi_identifiers, labels[least], strict=True)),
        "records": int(measured.groups.n[tied[least]]),
    }


def _taxonomies(
    models: Sequence[PrivacyModel], schema: Schema, measured: Measured, left_out: int
) -> dict[str, Any]:
    """Order and taxonomy of the columns for which a claim that can be re-checked needs them."""
    if left_out or schema.person is not None:
        return {}
    form = measured.contents.form
    found = {}
    for model in models:
        if model.column is not None and judged_before(model, schema) is None:
            domain = measured.groups.domains[model.column]
            if _needs_taxonomy(model, domain, form):
                found[model.column] = {
                    "order": [form.written(value) for value in domain.values],
                    "levels": [
                        [names[node] for node in nodes]
                        for nodes, names in zip(domain.levels[1:], domain.labels[1:], strict=True)
                    ]
                    if domain.levels
                    else [],
                }
    return found


def _spellings(plan: Plan, schema: Schema, measured: Measured) -> dict[str, Any]:
    """The published values that may be read as one; nothing where there are none."""
    found = {}
    for name in schema.sensitive:
        if name in schema.coded:
            continue
        codes = np.unique(measured.groups.histograms[name].codes)
        values = [measured.groups.domains[name].values[code] for code in codes]
        column = plan.columns[name]
        told = spelled_values(
            values, one=column.spelling is not None, distinct=column.distinct or ()
        )
        if told["one"] or told["distinct"] or told["both"]:
            found[name] = told
    return {"spellings": found} if found else {}


def spelled_values(
    values: Sequence[str | None], *, one: bool, distinct: Collection[str | None]
) -> dict[str, Any]:
    """What a certificate says of the spellings of these values."""
    differ = said_to_differ(values, distinct)
    return {
        "one": one,
        "distinct": [list(texts) for texts in differ],
        "both": [list(texts) for texts in classes(values) if texts not in differ],
    }


def _needs_taxonomy(model: PrivacyModel, domain: Sensitive, form: WrittenForm) -> bool:
    if model.by_order:
        texts = [form.written(value) for value in domain.values]
        return texts != default_order(domain.name, texts)
    return model.by_hierarchy or (model.names_nodes and bool(domain.levels))
