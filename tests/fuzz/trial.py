"""One draw: publish it, verify it, and try to refute what was printed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from fuzz.refuter import refute
from fuzz.world import World, draw

import hedgerow
from hedgerow.base.errors import HedgerowError


@dataclass(frozen=True)
class Trial:
    """What came of a draw."""

    seed: int
    refusal: str | None = None
    """Why nothing was published; None where something was."""
    wrong: tuple[str, ...] = ()
    """What is false of what was published, a sentence each."""


def try_seed(seed: int, folder: Path) -> Trial:
    """Draw the world of a seed and try it."""
    return try_world(draw(seed), folder)


def try_world(world: World, folder: Path) -> Trial:
    """Publish a world in a new folder and hold what was printed against it."""
    folder.mkdir()
    plan = world.write(folder)
    try:
        release = hedgerow.publish(plan, report=False)
    except HedgerowError as error:
        if (folder / "release").exists():
            return Trial(world.seed, error.what, ("a refused release is at its place",))
        return Trial(world.seed, error.what)
    certificate = json.loads((folder / "release/certificate.json").read_text("utf-8"))
    wrong = refute(world, folder / "release", certificate)
    if [str(claim.claim) for claim in release.claims] != [
        c["claim"] for c in certificate["claims"]
    ]:
        wrong.append("the claims that are printed are not those of the certificate")
    wrong += [f"verify: {why}" for why in hedgerow.verify(folder / "release").refuted]
    return Trial(world.seed, None, tuple(wrong))
