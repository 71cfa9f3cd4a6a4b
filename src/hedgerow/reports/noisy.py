"""What both reports say of releases with noise, or of a sample: all of it is in the certificate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hedgerow.reports.blocks import Section, Table, Text, facts, listed, number, section
from hedgerow.reports.group_sizes import sizes_chart
from hedgerow.reports.recipient_view import Handed

NEIGHBOURS = {
    "add-remove": "unbounded: a table with the person and one without look nearly alike",
    "change-one": "bounded: a table and one in which the person has other values look nearly alike",
}


def randomised_sections(handed: Handed) -> Iterator[Section]:
    """Of tables of counts with noise."""
    told = handed.certificate
    made, agreed = told["synthetic"], told["consistency"]
    yield section(
        "What was published",
        facts(
            ("tables", f"{len(told['tables']):,} in {told['counts']['file']}"),
            ("counts", number(told["counts"]["lines"])),
            (
                "made-up rows",
                "none" if made is None else f"{number(made['rows'])} in {told['data']['file']}",
            ),
            ("columns", listed(handed.columns, most=40)),
            ("population", told["population"]),
            ("what is counted", told["counting"]["of"]),
        ),
        *(Text(text=rule, tone="quiet") for rule in told["counting"]["rules"]),
    )
    yield section("Claims", loss_table(told), noise_table(told["noise"], told["sensitivity"]))
    yield section(
        "Tables",
        Table(
            head=("table", "columns", "counts", "made-up rows off by"),
            rows=tuple(
                (
                    str(place),
                    " × ".join(table["columns"]),
                    number(table["cells"]),
                    "" if made is None else f"{100 * distance / 2:.2g} % of them",
                )
                for place, (table, distance) in enumerate(
                    zip(told["tables"], _distances(told), strict=True), 1
                )
            ),
            numbers=frozenset({2}),
            caption="What was counted",
        ),
        Text(text=f"How the counts agree: {agreed['method']}.", tone="quiet"),
        None if made is None else Text(text=f"How rows were made up: {made['method']}."),
    )
    yield section("Columns", domains_table(told["domains"]))


def _distances(told: Mapping[str, Any]) -> list[float]:
    made = told["synthetic"]
    return [0.0] * len(told["tables"]) if made is None else made["distances"]


def safe_sections(handed: Handed) -> Iterator[Section]:
    """Of a table of a random sample."""
    from hedgerow.release.safe.emptiness import emptiness

    told = handed.certificate
    drawn, people = told["sampling"], int(handed.groups.rows.sum())
    empty = () if people else emptiness(told)
    yield section(
        "What was published",
        *(Text(text=text, tone="" if place else "warning") for place, text in enumerate(empty)),
        facts(
            ("file", told["data"]["file"]),
            ("rows", number(told["data"]["rows"])),
            ("columns", listed(handed.columns, most=40)),
            ("population", told["population"]),
            ("chance of each person to be drawn", str(drawn["beta"])),
            ("what that rests on", drawn["assumption"]),
        ),
        *(Text(text=rule, tone="quiet") for rule in told["counting"]["rules"]),
    )
    yield section("Claims", loss_table(told))
    yield section(
        "Columns",
        Table(
            head=("column", "published at level", "might have been", "different labels"),
            rows=tuple(
                (
                    one["column"],
                    number(one["level"]),
                    f"{one['levels'][0]} to {one['levels'][1]}",
                    number(len(one["labels"])),
                )
                for one in told["columns"]
            ),
            numbers=frozenset({1, 3}),
            caption="Every column that is published",
        ),
    )
    if people:
        yield section(
            "Group sizes",
            Text(
                text="Rows that agree on all columns are a group. Groups of fewer than "
                f"{told['k']:,} people who were drawn were left out."
            ),
            sizes_chart(handed.groups.rows, of="people", least=handed.least),
        )


def loss_table(told: Mapping[str, Any]) -> Table:
    """The promise, and the numbers it is made of."""
    loss = {name: str(value) for name, value in told["loss"].items()}
    price = {name: str(value) for name, value in told["price"].items()}
    return facts(
        ("claim", told["claim"]),
        ("loss", _amounts(loss)),
        ("the plan allowed", _amounts(price)),
        ("charged to the ledger", _amounts(told["spent"])),
        ("smallest group", f"{told['k']:,} people who were drawn" if "k" in told else None),
        ("unit of privacy", told["neighbours"]["words"]),
        ("neighbours", NEIGHBOURS[told["neighbours"]["kind"]]),
        caption="What is claimed; nobody can see from a result that chance was used as stated",
    )


def noise_table(noise: Mapping[str, Any], sensitivity: Mapping[str, Any]) -> Table:
    """What was added to each count."""
    return facts(
        ("noise on each count", f"{noise['distribution']}, scale {noise['scale']}"),
        ("moves a count, with 95 %, by at most", number(noise["half_width_95"])),
        ("one person changes all counts together by", number(sensitivity["l1"])),
        caption="Noise",
    )


def domains_table(domains: list[Mapping[str, Any]]) -> Table:
    """Which values a column may have: public, not from the data."""
    return Table(
        head=("column", "values that count"),
        rows=tuple((one["column"], _domain(one)) for one in domains),
        caption="What everybody may know of each column, from the plan and not from the data",
    )


def _domain(one: Mapping[str, Any]) -> str:
    if one.get("values") is not None:
        return listed(["(missing)" if v is None else v for v in one["values"]], most=20)
    return f"{one['bounds'][0]} to {one['bounds'][1]} in steps of {one['step']}"


def _amounts(texts: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {text}" for name, text in texts.items()) or "nothing"
