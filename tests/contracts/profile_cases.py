"""For each policy profile, by hand: a release that does not meet it, and one that does."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hedgerow
from hedgerow.ledger import Ledger
from hedgerow.noise.amounts import Amounts

TOWN: dict[str, Any] = {
    "population": "town",
    "ledger": "ledger.db",
    "source": "people.csv",
    "privacy": {"neighbours": "add-remove"},
    "publish": {"to": "out"},
}
NOISY: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi-identifier", "bounds": [0, 40], "step": 10},
        "sex": {"role": "quasi-identifier", "domain": ["F", "M"]},
    },
    "method": {"search": "marginals", "epsilon": 1, "tables": 1},
}
SAFE: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi-identifier", "bounds": [0, 99], "step": 1,
                "hierarchy": {"ranges": [10, 50]}, "levels": [2, 2]},
        "sex": {"role": "quasi-identifier", "domain": ["F", "M"], "levels": [0, 0]},
    },
    "method": {"search": "safe", "beta": 0.8, "epsilon": 1, "delta": 1e-6},
}  # fmt: skip


def recoded(folder: Path, *groups: tuple[str, int]) -> Path:
    """Groups of people as they are published: what each is called, and how many it has."""
    rows = [f"{name},{'abc'[i % 3]}" for name, size in groups for i in range(size)]
    (folder / "people.csv").write_text("\n".join(["a,ill", *rows, ""]), "utf-8")
    plan = {
        "source": "people.csv", "one_row_per_person": True,
        "columns": {"a": "quasi-identifier", "ill": "sensitive"},
        "protect": [{"k-anonymity": 2}], "publish": {"to": "out"},
    }  # fmt: skip
    return _published(folder, plan)


def singled(folder: Path, *, shown: bool) -> Path:
    """People who differ in two columns together, published as they are or not at all."""
    rows = [f"{i % 8},{(i // 8 + i) % 8},{'abcd'[i % 4]}" for i in range(24)]
    (folder / "people.csv").write_text("\n".join(["age,zip,ill", *rows, ""]), "utf-8")
    kept = {"role": "quasi-identifier", "levels": [0, 0] if shown else [1, 1]}
    plan = {
        "source": "people.csv", "columns": {"age": kept, "zip": kept, "ill": "sensitive"},
        "protect": [{"unique-share": 1} if shown else {"k-anonymity": 2}],
        "publish": {"to": "out"},
    }  # fmt: skip
    return _published(folder, plan)


def charged(folder: Path, *, safe: bool) -> Path:
    """A release with noise, or of a sample."""
    rows = [f"{i % 40},{'FM'[i % 2]}" for i in range(600)]
    (folder / "people.csv").write_text("\n".join(["age,sex", *rows, ""]), "utf-8")
    with Ledger.open(folder / "ledger.db") as ledger:
        ledger.set_budget("town", Amounts.of(epsilon=4, delta="1e-3"))
    return _published(folder, TOWN | (SAFE if safe else NOISY))


def _published(folder: Path, plan: dict[str, Any]) -> Path:
    (folder / "plan.yaml").write_text(json.dumps(plan), "utf-8")
    hedgerow.publish(folder / "plan.yaml", report=False)
    return folder / "out"


@dataclass(frozen=True)
class PolicyCase:
    """Releases next to a policy."""

    fails: Callable[[Path], Path]
    """Publishes one into a folder that does not meet it."""
    keeps: Callable[[Path], Path]
    """And one that meets the same requirement."""
    requirement: str
    """How that begins."""


KINDS: dict[str, Callable[[Path], Path]] = {
    "recoded": lambda folder: recoded(folder, ("x", 12), ("y", 20)),
    "noisy": lambda folder: charged(folder, safe=False),
    "safe": lambda folder: charged(folder, safe=True),
}
"""The kinds of releases."""
CASES: dict[str, PolicyCase] = {
    "ema-0070": PolicyCase(
        lambda folder: recoded(folder, ("x", 11), ("y", 20)),
        lambda folder: recoded(folder, ("x", 12), ("y", 20)),
        "the largest risk",
    ),
    "hipaa-safe-harbor": PolicyCase(
        lambda folder: recoded(folder, ("ann@example.org", 12), ("bob@example.org", 12)),
        lambda folder: recoded(folder, ("x", 12), ("y", 12)),
        "(F) no e-mail addresses",
    ),
    "cms-cell-size": PolicyCase(
        lambda folder: recoded(folder, ("x", 10), ("y", 20)),
        lambda folder: recoded(folder, ("x", 11), ("y", 20)),
        "no group of people",
    ),
    "uk-tre": PolicyCase(
        lambda folder: recoded(folder, ("x", 9), ("y", 20)),
        lambda folder: recoded(folder, ("x", 10), ("y", 20)),
        "each cell counts",
    ),
    "wp216": PolicyCase(
        lambda folder: singled(folder, shown=True),
        lambda folder: singled(folder, shown=False),
        "singling out",
    ),
    "nist-800-226": PolicyCase(KINDS["recoded"], KINDS["noisy"], "epsilon and delta"),
}
"""A new profile brings its own."""
