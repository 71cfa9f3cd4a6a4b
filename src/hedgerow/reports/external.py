"""The external report: what anybody may read, made from certificate and published data alone.

It is a function of the folder's content: whoever has the folder can make the same report, byte
for byte, so it can say nothing that the folder does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hedgerow.base.delivery import CERTIFICATE
from hedgerow.recode.metrics import METRICS, metric_of
from hedgerow.recode.optimality import standing
from hedgerow.reports.blocks import (
    Chart,
    Commands,
    Section,
    Table,
    Text,
    facts,
    listed,
    number,
    section,
    share,
)
from hedgerow.reports.group_sizes import sizes_chart
from hedgerow.reports.noisy import randomised_sections, safe_sections
from hedgerow.reports.page import rendered
from hedgerow.reports.profiles.base import ProfileCheck, profile_section
from hedgerow.reports.recipient_view import Handed
from hedgerow.table.column_codings import done_to
from hedgerow.table.hierarchy import ANY
from hedgerow.table.schema import Role

LEAD = {
    "recoded": "A table about people, made coarser until every claim below held.",
    "randomised": "Counts of people with noise in each of them, so that nobody can be made out.",
    "safe": "A table of a random sample of people, in groups, so that nobody can be made out.",
}
KINDS = {
    "full-domain": "each column was brought to one level of its hierarchy, the same for all rows",
    "mondrian": "people were divided into boxes, column by column",
    "microaggregation": "people were put together with those nearest to them, and share an average",
    "local": "each group was brought to levels of its own",
    "cells": "each column was brought to one level, and single cells were suppressed",
    "anatomy": "quasi-identifiers and sensitive values were put into separate groups",
}
MISSING = "(missing)"


def external_report(handed: Handed, profiles: Sequence[ProfileCheck] = ()) -> str:
    """The report as HTML.

    Args:
        handed: The release.
        profiles: Policy profiles it was compared with, on this evidence alone.
    """
    told = handed.certificate
    about = told["population"] or "people"
    bodies = {
        "recoded": _recoded,
        "randomised": randomised_sections,
        "safe": safe_sections,
    }
    sections = [
        *bodies[handed.kind](handed),
        *(profile_section(profile) for profile in profiles),
        _protected(told),
        _verifying(handed),
    ]
    return rendered(
        kind="external",
        title=f"What was published about {about}",
        lead=LEAD[handed.kind] + " This report says nothing that data and certificate do not.",
        sections=sections,
    )


def _recoded(handed: Handed) -> Iterator[Section]:
    told = handed.certificate
    people, data = told["people"], told["data"]
    unit = people.get("unit", "people")
    kind = told["recoding"]["kind"]
    yield section(
        "What was published",
        facts(
            ("file", data["file"]),
            ("rows", number(data["rows"])),
            ("columns", listed(data["columns"], most=40)),
            (f"{unit} in the source", number(people["in_source"])),
            (
                f"{unit} left out",
                f"{number(people['left_out'])} ({share(people['left_out'], people['in_source'])})",
            ),
            ("how", f"{kind}: {KINDS[kind]}" if kind in KINDS else kind),
            ("population", told["population"]),
            (
                "compared with earlier releases",
                listed(told["with"]) if told["with"] else None,
            ),
        ),
        Text(
            text="Formulas that a spreadsheet would run have an apostrophe before them.",
            tone="quiet",
        )
        if handed.escaped
        else None,
    )
    yield section("Claims", *_claims(handed))
    yield section(
        "Columns",
        Table(
            head=("column", "role", "what was done", "different values", "for instance"),
            rows=tuple(_columns(handed)),
            numbers=frozenset({3}),
            caption="Every column of the source, and what became of it",
        ),
    )
    if handed.quasi:
        yield section("Group sizes", Text(text=_sizes_mean(handed)), _sizes(handed))
    yield section("Utility", *utility_blocks(told["utility"], told))


def _claims(handed: Handed) -> Iterator[Table | Text]:
    on = "its columns were coded" if handed.certificate.get("codings") else "it was published"
    yield Text(
        text=f"Each claim was measured on the file before {on}, and all of them hold."
        if all(entry["holds"] for entry in handed.certificate["claims"])
        else "Not all claims hold."
    )
    rows, meaning = [], []
    for entry, model in zip(handed.certificate["claims"], handed.models, strict=True):
        level = "withheld" if entry.get("level_withheld") else number(entry["level"])
        kept = model.promise if model is not None else "is bounded as the claim says"
        rows.append(
            (
                entry["claim"],
                "holds" if entry["holds"] else "fails",
                level or "infinite",
                number(entry["required"]),
                number(entry["margin"]),
            )
        )
        meaning.append(
            (
                entry["claim"],
                f"{_capital(entry['adversary'])}{',' * (', and' in entry['adversary'])} {kept}.",
                entry["not_verifiable"] or "anybody, from the file",
            )
        )
    yield Table(
        head=("claim", "verdict", "level", "required", "margin"),
        rows=tuple(rows),
        numbers=frozenset({2, 3, 4}),
        verdicts=1,
        caption="What is claimed, and what was measured",
    )
    yield Table(
        head=("claim", "what it means", "who can re-check it"),
        rows=tuple(meaning),
        caption="In plain words",
    )
    for entry in handed.certificate["claims"]:
        if entry.get("level_withheld"):
            why = entry["level_withheld"]
            yield Text(text=f"The level of {entry['claim']} is withheld: {why}.", tone="quiet")


def _columns(handed: Handed) -> Iterator[tuple[str, ...]]:
    told = handed.certificate
    levels: Mapping[str, int] = told["recoding"].get("levels") or {}
    roles: Mapping[str, str] = told["plan"]["columns"]
    order = [*handed.columns, *sorted(set(roles) - set(handed.columns))]
    for name in order:
        role = roles[name]
        if name in handed.quasi:
            values = handed.groups.values(name)
            often = sorted(values, key=lambda v: (-values[v], v is None, v or ""))[:3]
            yield (
                name,
                role,
                "suppressed: nothing is left of it"
                if set(values) == {ANY}
                else _done(levels.get(name), told["recoding"]["kind"], changes(told, name)),
                number(len(values)),
                listed([MISSING if v is None else v for v in often]),
            )
        else:
            published = role in (Role.SENSITIVE, Role.INSENSITIVE)
            done = "; ".join(changes(told, name)) or "published as it is"
            yield (name, role, done if published else "not published", "", "")


def _done(level: int | None, kind: str, before: Sequence[str]) -> str:
    if level is None:
        made = f"made coarser group by group ({kind})"
    elif level:
        made = f"brought to level {level}"
    else:
        made = "level 0" if before else "published as it is (level 0)"
    return "; ".join([*before, made])


def changes(told: Mapping[str, Any], name: str) -> list[str]:
    """What was done to the values of a column besides making them coarser.

    Args:
        told: The certificate.
        name: The column.

    >>> changes({"plan": {"within_person": {"ill": "largest"}}}, "ill")
    ['one value per person (the largest)']
    """
    found = []
    if told.get("spellings", {}).get(name, {}).get("one"):
        found.append("spellings merged")
    if chosen := told["plan"].get("within_person", {}).get(name):
        found.append(f"one value per person (the {chosen.replace('-', ' ')})")
    if coding := told.get("codings", {}).get(name):
        found.append(done_to(coding))
    return found


def _sizes_mean(handed: Handed) -> str:
    counted = "people" if handed.rows_are_people else "rows"
    if handed.coded_groups:
        return (
            f"Rows that agree on {listed(handed.quasi)} are counted as the file shows them. "
            f"{listed(handed.coded_groups)} {'is' if len(handed.coded_groups) == 1 else 'are'} "
            "coded, so these are not the groups that the claims were judged on."
        )
    return (
        f"Rows that agree on {listed(handed.quasi)} are a group; whoever knows these of a person "
        f"cannot tell the {counted} of the group apart."
        + ("" if handed.rows_are_people else " A person may have several rows.")
    )


def _sizes(handed: Handed) -> Chart:
    people = handed.rows_are_people
    return sizes_chart(
        handed.groups.rows,
        of="people" if people else "rows",
        least=handed.least if people and not handed.coded_groups else None,
    )


def utility_blocks(utility: Mapping[str, Any], told: Mapping[str, Any]) -> Iterator[Table | Text]:
    """What was lost, as far as the certificate says."""
    if not utility:
        coded = "it was measured on groups that a coding hides"
        members = "it would tell who is in the table, which a claim hides"
        yield Text(text=f"Not stated: {coded if told.get('codings') else members}.")
        return
    yield Table(
        head=("metric", "value", "best"),
        rows=tuple(
            (name, number(value), "1" if metric.best_is_one else "lower is better")
            for name, value in utility.items()
            if (metric := metric_of(name)) is not None
        ),
        numbers=frozenset({1}),
        caption=f"What was lost; the search made {told['plan']['utility']} as good as it could",
    )
    if told.get("codings"):
        names = listed(sorted(told["codings"]))
        yield Text(text=f"What the codings of {names} change is no part of these.", tone="quiet")
    if told["plan"].get("chosen_by_keep"):
        yield Text(
            text="Among recodings that keep every claim, the publisher chose this one by comparing "
            "analyses of the source with those of releases. What they were is not told.",
            tone="quiet",
        )
    search, levels = told["search"], told["recoding"].get("levels")
    if levels is not None or "lower_bound" in search:
        metric = METRICS.get(told["plan"]["utility"])
        if not search.get("stored") and metric is not None:
            cost, bound, gap = (search.get(key) for key in ("cost", "lower_bound", "gap"))
            found = standing(
                metric, cost=cost, bound=bound, gap=gap, optimal=told["optimal"],
                weighed="weighed" in told["plan"], by_groups=levels is None,
            )  # fmt: skip
            yield Text(text=found[0].upper() + found[1:] + ".", tone="quiet")


def _protected(told: Mapping[str, Any]) -> Section:
    whole = str(told["protected"])
    kept, mark, gaps = whole.partition("Not protected")
    blocks = [Text(text=kept.strip())] if mark and kept.strip() else []
    rest = mark + gaps if mark else whole
    return section("What is protected, and what is not", *blocks, Text(text=rest))


def _verifying(handed: Handed) -> Section:
    told = handed.certificate
    files = [one for one in (told["data"], told.get("counts")) if one]
    return section(
        "How to verify this",
        Text(
            text="Anybody who has the folder can compute again what follows from it, without the "
            f"raw data. {CERTIFICATE} says what was claimed. If the publisher has signed it, the "
            "second line sees whether that is so.",
        ),
        Commands(
            lines=(
                "hedgerow verify FOLDER",
                "hedgerow verify FOLDER --key publisher.pem",
                *(f"sha256sum {one['file']}" for one in files),
            )
        ),
        facts(
            *((f"SHA-256 of {one['file']}", one["sha256"]) for one in files),
            ("ledger", _ledger(told["ledger"])),
            ("made with", f"{told['software']['name']} {told['software']['version']}"),
        ),
    )


def _ledger(tip: Mapping[str, Any] | None) -> str:
    if tip is None:
        return "the release is in no ledger"
    return f"entry {tip['seq']} of ledger {tip['id']}, hash {tip['hash']}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
