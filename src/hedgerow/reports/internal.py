"""The internal report: everything a steward has to know to defend a release. It stays inside.

Direct identifiers are in none of it. Raw values are, of quasi-identifiers only and of people who
stand in large groups; whoever holds this report still holds something about people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.attacks.base import AttackResult
from hedgerow.charts.report_charts import gauge
from hedgerow.claims.base import PrivacyModel, Verdict
from hedgerow.claims.readings import judged
from hedgerow.claims.row_bound import level_of_people
from hedgerow.reports.attack_section import attacks_blocks
from hedgerow.reports.blocks import (
    Block,
    Chart,
    Commands,
    Section,
    Table,
    Text,
    facts,
    listed,
    number,
    section,
)
from hedgerow.reports.external import MISSING, utility_blocks
from hedgerow.reports.frontier_section import frontier_blocks
from hedgerow.reports.group_sizes import sizes_chart
from hedgerow.reports.kept_section import kept_blocks
from hedgerow.reports.losers_section import losers_blocks
from hedgerow.reports.noisy import randomised_sections, safe_sections
from hedgerow.reports.page import rendered
from hedgerow.reports.population_section import population_sections
from hedgerow.reports.profiles.base import ProfileCheck, profile_section
from hedgerow.reports.publisher_view import Books, Inside, order_of
from hedgerow.reports.quality_section import quality_blocks, survey_weights
from hedgerow.reports.recipient_view import Handed, least_of
from hedgerow.reports.treatment import examples, left_out, risks, techniques
from hedgerow.table.column_codings import told_codings

if TYPE_CHECKING:
    from hedgerow.explore.tradeoff import Frontier

WORST = 5
"""Groups that are shown for each claim, at most."""
WARNING = "Internal. Do not hand this out: it says more than the release does."


def internal_report(
    inside: Inside,
    *,
    attacks: Sequence[AttackResult],
    beliefs: Sequence[AttackResult] = (),
    frontier: Frontier | str | None,
    profiles: Sequence[ProfileCheck] = (),
    complete: bool,
) -> str:
    """The report of a recoded release as HTML.

    Args:
        inside: The release, and what it was made from.
        attacks: What was tried.
        beliefs: What is believed of everybody, by this release and all others about them.
        frontier: What other strictness would have cost; why there is none; None: not looked for.
        profiles: Policy profiles it was compared with.
        complete: Whether everything was tried that can be.
    """
    sections = [
        section("Claims", *_claims(inside)),
        *_coded(inside),
        section("Adversaries", *_adversaries(inside.models)),
        section("Risk before and after", *risks(inside)),
        *([section("Group sizes", _sizes(inside))] if inside.schema.quasi_identifiers else []),
        *population_sections(inside),
        section("Worst groups", *_worst(inside)),
        section("Technique for each column", techniques(inside)),
        section("Before and after", *examples(inside)),
        section("Left out", *left_out(inside)),
        section(
            "Attacks",
            *attacks_blocks(attacks, more=None if complete else HOW_MORE),
            None if complete else LATER,
        ),
        *([section("Who loses most", *losers_blocks(beliefs))] if beliefs else []),
        section("Risk and utility", *_frontier(inside, frontier)),
        section("Utility", *utility_blocks(inside.utility, inside.certificate)),
        *(
            [section("Analyses that the plan keeps", *kept_blocks(inside.kept))]
            if inside.kept
            else []
        ),
        *(
            [
                section(
                    "Quality before and after",
                    *quality_blocks(inside.quality, survey_weights(inside.plan)),
                )
            ]
            if inside.quality
            else []
        ),
        section("Ledger", *ledger_blocks(inside.books, inside.certificate, inside.sentences)),
        *(profile_section(profile) for profile in profiles),
        _found(inside.certificate, inside.plan.where()),
    ]
    return _page(inside.certificate, sections)


def internal_noisy(
    handed: Handed, books: Books | None, plan: str, profiles: Sequence[ProfileCheck] = ()
) -> str:
    """The report of a release with noise, or of a sample; the raw data are not looked at."""
    body = randomised_sections if handed.kind == "randomised" else safe_sections
    told = handed.certificate
    sections = [
        *body(handed),
        section("What is protected, and what is not", Text(text=told["protected"])),
        section(
            "What is not in this report",
            Text(
                text="How far the release is from the source: to look would cost more than was "
                "charged, since this report may get out too. How far noise moves a number is "
                "under Claims, and is all that a reader can know."
            ),
        ),
        section("Ledger", *ledger_blocks(books, told, ())),
        *(profile_section(profile) for profile in profiles),
        _found(told, plan),
    ]
    return _page(told, sections)


HOW_MORE = "Not everything was tried, so that publishing stays quick. The rest, with the frontier:"
LATER = Commands(lines=("hedgerow report RELEASE --plan plan.yaml",))


def _page(told: Mapping[str, Any], sections: Sequence[Section]) -> str:
    file = told["data"] or told["counts"]
    return rendered(
        kind="internal",
        title=f"Internal report: {told['population'] or 'a release'}",
        lead="How the release keeps its claims, how exposed people were, and what was left out.",
        sections=sections,
        warning=WARNING,
        marks={"hedgerow-data": file["sha256"]},
    )


def _claims(inside: Inside) -> Iterator[Block]:
    withheld = {
        entry["claim"] for entry in inside.certificate["claims"] if entry.get("level_withheld")
    }
    yield Table(
        head=("claim", "verdict", "level", "required", "margin", "in the certificate"),
        rows=tuple(
            (
                verdict.claim,
                "holds" if verdict.holds else "fails",
                verdict.told[0],
                verdict.told[1],
                number(verdict.margin),
                "level withheld" if verdict.claim in withheld else "level stated",
            )
            for verdict in inside.claims
        ),
        numbers=frozenset({2, 3, 4}),
        verdicts=1,
        caption=f"Measured on {inside.measured.on}",
    )


def _coded(inside: Inside) -> Iterator[Section]:
    """What was done to coded columns; nothing where there are none."""
    told = inside.certificate.get("codings", {})
    if not told:
        return
    here = (
        "Claims, groups and risks in this report are about the values before coding; so are "
        "attacks, unless more was tried than publishing does. Recipients have the coded values, "
        "and analyses and quality are about these."
    )
    texts = (here, *told_codings(told))
    yield section("Coded columns", *(Text(text=text) for text in texts))


def _adversaries(models: Sequence[PrivacyModel]) -> Iterator[Block]:
    promises: dict[str, list[str]] = {}
    for model in models:
        said = promises.setdefault(model.attacker, [])
        said += [text for text in [model.promise] if text not in said]
    for who, texts in promises.items():
        comma = "," if ", and" in who else ""
        yield Text(text=f"{who[0].upper()}{who[1:]}{comma} {'; and '.join(texts)}.")


def _sizes(inside: Inside) -> Chart:
    least = least_of(inside.models)
    least = None if least is None else least * inside.most
    return sizes_chart(inside.sizes, of=inside.unit, least=least)


def _worst(inside: Inside) -> Iterator[Block]:
    if not inside.schema.quasi_identifiers:
        yield Text(text="There are no quasi-identifiers, and so no groups.")
        return
    names = inside.schema.quasi_identifiers
    for model, verdict in zip(inside.models, inside.claims, strict=True):
        if verdict.worst is None:
            yield Text(text=f"{verdict.claim} is about all groups together.", tone="quiet")
            continue
        yield Table(
            head=(*names, inside.unit, "level"),
            rows=tuple(_worst_rows(inside, model, verdict)),
            numbers=frozenset({len(names), len(names) + 1}),
            caption=f"{verdict.claim}: the groups that decide, as they are published",
        )


def _worst_rows(inside: Inside, model: PrivacyModel, verdict: Verdict) -> Iterator[tuple[str, ...]]:
    groups, shown = inside.measured.groups, inside.shown
    (judge,) = judged([model], groups.domains.values())
    level = judge.level(groups)[shown]
    vacuous = model.vacuous(groups)[shown]
    near = np.where(vacuous, np.inf, level if model.higher_is_safer else -level)
    last = min(WORST, len(near)) - 1
    few = np.flatnonzero(near <= np.partition(near, last)[last])
    written = inside.measured.contents.as_written
    labels = {int(g): [column[shown[g]] for column in written] for g in few}
    for g in sorted(labels, key=lambda g: (near[g], order_of(labels[g])))[:WORST]:
        cells = (MISSING if label is None else str(label) for label in labels[g])
        of_people = level_of_people(model, float(level[g]), inside.most)
        yield (*cells, number(int(groups.n[shown[g]])), number(of_people))


def _frontier(inside: Inside, frontier: Frontier | str | None) -> Iterator[Block]:
    if frontier is None:
        yield Text(
            text="What other strictness would cost takes another search. To have it here:",
            tone="quiet",
        )
        yield LATER
        return
    yield from frontier_blocks(frontier, inside)


def ledger_blocks(
    books: Books | None, told: Mapping[str, Any], sentences: Sequence[str]
) -> Iterator[Block]:
    """Where the population stands."""
    for sentence in sentences:
        yield Text(text=f"{sentence[0].upper()}{sentence[1:]}")
    if books is None:
        yield Text(text="No ledger remembers this release, or other releases about these people.")
        return
    position = books.position
    yield facts(
        ("population", position.population),
        ("releases and answers", number(position.releases)),
        ("spent", str(position.spent)),
        ("budget", "none is set" if position.budget is None else str(position.budget)),
        ("left", None if position.left is None else str(position.left)),
        (
            "begun and not finished",
            number(position.reserved_open) if position.reserved_open else None,
        ),
        ("this release", f"reserved as entry {told['ledger']['seq']}" if told["ledger"] else None),
    )
    if position.budget is not None:
        for currency, whole in position.budget.units.items():
            if whole:
                spent = position.spent.units[currency]
                of = f"{position.budget.texts()[currency]}"
                used = position.spent.texts().get(currency, "0")
                name = f"{currency}: {used} of {of} spent"
                yield Chart(
                    name=name,
                    svg=gauge(spent / whole, name=name, label=name),
                    table=facts((f"{currency} spent", used), ("of", of)),
                )
    rows = tuple(
        (
            str(entry.seq),
            entry.at[:10],
            str(entry.body.get("kind", "")),
            str(entry.body.get("name") or ""),
            str(entry.spend),
        )
        for entry in books.releases[-20:]
    )
    if rows:
        yield Table(
            head=("entry", "day", "kind", "name", "spent"),
            rows=rows,
            caption=f"The last {len(rows)} of {len(books.releases)} about these people",
        )


def _found(told: Mapping[str, Any], plan: str) -> Section:
    search = told.get("search") or {}
    software = told["software"]
    file = told["data"] or told["counts"]
    return section(
        "How it was made",
        facts(
            ("plan", plan),
            ("software", f"{software['name']} {software['version']}, Python {software['python']}"),
            ("libraries", listed([f"{n} {v}" for n, v in software["libraries"].items()])),
            *((f"search: {name}", str(value)) for name, value in sorted(search.items())),
            (f"SHA-256 of {file['file']}", file["sha256"]),
        ),
    )
