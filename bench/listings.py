"""`python -m bench.listings`: the tables of the manual that list the members of a registry,
and the JSON schemas of plans and certificates.

Each stands in its page between two marks. `--write` writes those that are out of date; without it
they are named, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hedgerow.attacks.declaration import Attack
from hedgerow.attacks.registry import ATTACKS
from hedgerow.plan.plan import plan_json_schema
from hedgerow.recode.metrics import METRICS
from hedgerow.release.certificate_schema import certificate_json_schema
from hedgerow.reports.profiles.registry import PROFILES
from hedgerow.table.codes import CODE_SYSTEMS

DOCS = Path(__file__).resolve().parents[1] / "docs"


def attacks(page: str) -> Iterator[str]:
    """A row an attack, with a link to its section where the page has one."""
    yield "| attack (`--method`) | what it is given | what a success is |"
    yield "|---|---|---|"
    headings = [
        re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-")
        for line in page.splitlines()
        if line.startswith("## ")
    ]
    for one in ATTACKS.values():
        section = next((place for place in headings if _about(one, place)), None)
        name = f"`{one.name}`" if section is None else f"[`{one.name}`](#{section})"
        yield f"| {name} | {one.given} | {one.success} |"


def _about(one: Attack, heading: str) -> bool:
    words = {one.name, one.outcomes[0].name}
    return any(heading == word or f"-{word}-" in f"-{heading}-" for word in words)


def profiles(page: str) -> Iterator[str]:
    """A row a policy profile."""
    yield "| profile | policy | what is checked | what is left to a person |"
    yield "|---|---|---|---|"
    for one in PROFILES.values():
        yield f"| `{one.name}` | {one.title} | {one.checks} | {one.leaves} |"


def metrics(page: str) -> Iterator[str]:
    """A row a utility metric."""
    yield "| metric | what it measures | | how a search bounds it |"
    yield "|---|---|---|---|"
    for one in METRICS.values():
        yield f"| `{one.name}` | {one.measures} | {one.best} | {one.bound} |"


def codes(page: str) -> Iterator[str]:
    """A row a code system."""
    yield "| system | what | levels | examples | edition; source | licence |"
    yield "|---|---|---|---|---|---|"
    for one in CODE_SYSTEMS.values():
        examples = ", ".join(f"`{text}`" for text in one.examples[:3])
        yield (
            f"| `{one.name}` | {one.title} | {', '.join(one.levels)} | {examples} | "
            f"{one.edition}; {one.source} | {one.licence} |"
        )


LISTINGS: dict[str, tuple[str, Callable[[str], Iterator[str]]]] = {
    "attacks": ("attacks.md", attacks),
    "profiles": ("reports.md", profiles),
    "metrics": ("plan.md", metrics),
    "codes": ("hierarchies.md", codes),
}
"""Mark -> page, and what writes the table."""
SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {
    "plan.schema.json": plan_json_schema,
    "certificate.schema.json": certificate_json_schema,
}
"""File -> the schema it holds."""


def listed(mark: str, page: str) -> str:
    """The page with the table as it should be."""
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    assert after, f"{begin} and {end} are not in the page"
    table = "\n".join(LISTINGS[mark][1](page))
    return f"{before}{begin}\n{table}\n{end}{after}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the tables")
    write = parser.parse_args().write
    stale = []
    for mark, (name, _) in LISTINGS.items():
        page = (DOCS / name).read_text("utf-8")
        if (wanted := listed(mark, page)) != page:
            stale.append(name)
            if write:
                (DOCS / name).write_text(wanted, "utf-8")
    for name, schema in SCHEMAS.items():
        text = json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
        if text != (DOCS / name).read_text("utf-8"):
            stale.append(name)
            if write:
                (DOCS / name).write_text(text, "utf-8")
    print(f"{'written' if write else 'out of date'}: {', '.join(stale) or 'none'}")
    sys.exit(1 if stale and not write else 0)


if __name__ == "__main__":
    main()
