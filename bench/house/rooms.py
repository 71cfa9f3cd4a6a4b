"""The rooms of the house, and which of them each may import. The list is the law: see the test.

Imports that only the type checker sees are not counted.
"""

from __future__ import annotations

from bench.house.source import Import, Source

BASIS = "base engines table"
ROOMS: dict[str, str] = {
    "base": "",
    "charts": "base",
    "engines": "base",
    "table": "base engines",
    "claims": BASIS,
    "recode": f"{BASIS} claims",
    "analyses": f"{BASIS} recode",
    "noise": BASIS,
    "ledger": "base noise",
    "plan": f"{BASIS} claims recode analyses noise",
    "answers": f"{BASIS} noise ledger plan",
    "synthesis": f"{BASIS} noise plan answers",
    "release": f"{BASIS} claims recode analyses noise ledger plan answers synthesis",
    "attacks": f"{BASIS} charts claims recode noise plan",
    "learning": "base table noise ledger answers",
}
"""Room -> the rooms it may import, in the order in which they build on each other."""
for _room in ("explain", "explore", "reports", "api"):
    ROOMS[_room] = " ".join(ROOMS)
ROOMS["web"] = "api"
ROOMS["cli"] = "api web"
DOORS = {"hedgerow", "hedgerow.base.errors", "hedgerow.base.extras"}
"""What the faces, `web` and `cli`, may import besides: public names, errors and what to install."""


def allowed(one: Import, source: Source) -> bool:
    """Whether the law allows an import."""
    by, of = source.room(one.by), source.room(one.of)
    if one.types_only or not one.of.startswith("hedgerow") or by == of or by in ("", "__main__"):
        return True
    if by in ("web", "cli") and (
        one.of in DOORS or (one.of, one.name) == ("hedgerow", "__version__")
    ):
        return True
    return of in ROOMS[by].split()


def wrong(source: Source) -> list[tuple[str, str]]:
    """The imports between modules that the law does not allow: by whom, and of what."""
    return sorted({(one.by, one.of) for one in source.imports if not allowed(one, source)})


def edges(source: Source) -> set[tuple[str, str]]:
    """Which room imports which."""
    pairs = {
        (source.room(one.by), source.room(one.of))
        for one in source.imports
        if one.of.startswith("hedgerow.") and not one.types_only
    }
    return {(a, b) for a, b in pairs if a != b and a in ROOMS and b in ROOMS}
