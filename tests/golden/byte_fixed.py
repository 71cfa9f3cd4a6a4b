"""The only place of the golden set that knows inner modules of Hedgerow.

A release is the same on every machine but for the time, the identifiers of the ledger, the
versions of the software, the folder it is made in, the noise and the terminal. `fixed` holds
these still. If modules move, update the imports under INNER MODULES and nothing else.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, chdir, contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import typer.main
import typer.rich_utils
import typer.testing

import hedgerow

# INNER MODULES: what is imported here is all that the golden set needs beside the public names.
from hedgerow.api.demo import write_hospital, write_neighbour  # synthetic patients
from hedgerow.base import canonical_json as hashing  # `digest` hashes JSON by `hashlib.sha256`
from hedgerow.cli import app  # the Typer application
from hedgerow.cli.terminal import console  # the Rich console that all commands print to
from hedgerow.ledger import address as clock  # reads the time by `datetime.now`
from hedgerow.noise import samplers as noise  # `_add`, `_choose` and `_flip` draw all noise
from hedgerow.table import archive as keeping  # `kept` hands `canonical` what a ledger stores

# END OF INNER MODULES. Patch only what nobody imports by name: a module that is loaded meanwhile
# would hold on to it.

WIDTH = 100
"""Of the terminal."""
PLACE = "/golden"
"""Stands for the folder in all that is hashed."""
LONG = re.compile(r"(?<![\w.])-?\d+\.\d{10,}(?:e[-+]?\d+)?(?!\w)")
"""A number of more than ten digits."""
VERSION = "0.0.0+golden"
"""Stands for Hedgerow's version."""
PATIENTS, EVERYBODY = 800, 1200
TERMINAL = {
    "COLUMNS": str(WIDTH), "LINES": "50", "TERM": "dumb", "NO_COLOR": "1", "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
}  # fmt: skip
UNSET = (
    "FORCE_COLOR", "PY_COLORS", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "HEDGEROW_LEDGER",
    "HEDGEROW_KEY_PASSPHRASE", "HEDGEROW_WORKSPACE",
)  # fmt: skip


@contextmanager
def fixed(folder: Path) -> Iterator[None]:
    """Work in a folder, where time, identifiers, versions, noise and the terminal are fixed."""
    environment = {name: value for name, value in os.environ.items() if name not in UNSET}
    tape, moments, identifiers = Tape(), _moments(), _identifiers()

    def sha256(content: bytes) -> Any:
        return hashlib.sha256(steady(content.decode(), folder).encode())

    with ExitStack() as held:
        held.enter_context(chdir(folder))
        held.enter_context(patch.dict(os.environ, environment | TERMINAL, clear=True))
        for owner, name, value in (
            (hashing, "hashlib", SimpleNamespace(sha256=sha256)),
            (keeping, "canonical", lambda value: hashing.canonical(_sorted(value))),
            (noise, "_add", tape.add),
            (noise, "_choose", tape.choose),
            (noise, "_flip", tape.flip),
            (clock, "datetime", SimpleNamespace(now=lambda zone: next(moments))),
            (uuid, "uuid4", _ours(identifiers, uuid.uuid4)),
            (platform, "python_version", lambda: "3.0"),
            (platform, "machine", lambda: "golden"),
            (metadata, "distribution", _distribution(metadata.distribution)),
            (console, "_width", WIDTH),
            (console, "_color_system", None),
            (console, "_force_terminal", False),
            (typer.testing, "_get_command", lambda app: _built()),
            (typer.rich_utils, "MAX_WIDTH", WIDTH),
            (typer.rich_utils, "FORCE_TERMINAL", False),
        ):
            held.enter_context(patch.object(owner, name, value))
        held.enter_context(_version(VERSION))
        yield


def command(*words: str) -> tuple[int, str, str]:
    """Run `hedgerow` with these words: exit code, standard output, standard error."""
    done = typer.testing.CliRunner().invoke(app, list(words))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def steady(text: str, folder: Path) -> str:
    """A text without the folder's name and without the last digits of long numbers.

    What a command prints and what the ledger hashes have all digits, and the last ones depend on
    the processor. Files of a release are not changed: their numbers are rounded.
    """
    shorter = LONG.sub(lambda found: f"{float(found[0]):.10g}", text)
    return shorter.replace(str(folder), PLACE)


def commands() -> dict[str, list[str]]:
    """Each command with its arguments and options, as the command line takes them."""
    found: dict[str, list[str]] = {}

    def walk(name: str, one: Any) -> None:
        for below, more in sorted(getattr(one, "commands", {}).items()):
            walk(f"{name} {below}", more)
        found[name] = sorted(
            " ".join([*(one.opts if one.param_type_name == "option" else [one.name.upper()])])
            for one in one.params
        )

    walk("hedgerow", _built())
    return dict(sorted(found.items()))


@cache
def _built() -> Any:
    """The commands, made once: it takes longer than most of them run."""
    return typer.main.get_command(app)


@cache
def inputs() -> dict[str, bytes]:
    """The demo's files, smaller; and everybody in town, of whom the patients are some."""
    with TemporaryDirectory() as place:
        here, town = Path(place, "here"), Path(place, "town")
        write_hospital(here, patients=PATIENTS)
        write_neighbour(here, patients=PATIENTS, shared=PATIENTS // 4)
        write_hospital(town, patients=EVERYBODY)
        (town / "patients.csv").rename(here / "everybody.csv")
        files = [file for file in here.rglob("*") if file.is_file()]
        return {str(file.relative_to(here)): file.read_bytes() for file in sorted(files)}


class Tape:
    """Noise that is the same in every run: it protects nobody."""

    def __init__(self) -> None:
        self._stream = np.random.PCG64(2009)

    def _raw(self, size: int) -> Any:
        return np.atleast_1d(self._stream.random_raw(size)) if size else np.zeros(0, np.uint64)

    def add(self, kind: str, values: Any, scale: float) -> Any:
        """The numbers with noise up to twice the scale, a little more for Gaussian noise."""
        far = int(2 * scale) + 1 + (kind != "laplace")
        drawn = (self._raw(len(values)) % np.uint64(2 * far + 1)).astype(np.int64) - far
        return np.asarray(values, np.int64) + drawn

    def choose(self, kind: str, scores: Any, scale: float, top: int) -> tuple[int, ...]:
        """The best, as if there were no noise."""
        return tuple(int(i) for i in np.argsort(-np.asarray(scores), kind="stable")[:top])

    def flip(self, size: int, probability: float) -> Any:
        return (self._raw(size) >> np.uint64(11)).astype(np.float64) < probability * 2.0**53


def _sorted(stored: dict[str, Any]) -> dict[str, Any]:
    """What the ledger stores of a release, its records in order.

    Hedgerow stores them in the order in which DuckDB's threads return them. So the hash of what
    is stored, and of all entries and certificates after it, differs from run to run.
    """
    found = stored.get("records")
    if found is None:
        return stored
    lines = sorted(zip(found["group"], found["codes"], found["n"], strict=True))
    group, codes, n = (list(column) for column in zip(*lines, strict=True))
    return stored | {"records": found | {"group": group, "codes": codes, "n": n}}


def _moments() -> Iterator[datetime]:
    moment = datetime(2025, 1, 1, 12, 0, 0, 123456, UTC)
    while True:
        yield moment
        moment += timedelta(seconds=1)


def _ours(identifiers: Iterator[uuid.UUID], real: Callable[[], uuid.UUID]) -> Any:
    """The identifiers of a case. Others ask for some, too: Numba does to fill a cold cache."""

    def uuid4() -> uuid.UUID:
        name = str(sys._getframe(1).f_globals.get("__name__", ""))
        return next(identifiers) if name.startswith("hedgerow") else real()

    return uuid4


def _identifiers() -> Iterator[uuid.UUID]:
    number = 0
    while True:
        number += 1
        # The number comes first, so that a reservation can be named by how it begins.
        yield uuid.UUID(int=number << 96 | 0x4000 << 64 | 0x8000 << 48, version=4)


class _Library:
    """A library whose version alone is another."""

    version = "1.0"

    def __init__(self, real: metadata.Distribution) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


def _distribution(real: Any) -> Any:
    """Libraries that certificates name with their version; the others are as they are."""
    named = ("duckdb", "numba", "numpy", "opendp", "pyarrow")
    return lambda name: _Library(real(name)) if name in named else real(name)


@contextmanager
def _version(wanted: str) -> Iterator[None]:
    """Another version, in all modules of Hedgerow that hold it, also those loaded meanwhile."""
    real = hedgerow.__version__
    try:
        _replace(real, wanted)
        yield
    finally:
        _replace(wanted, real)


def _replace(old: str, new: str) -> None:
    inside = [m for name, m in sys.modules.items() if name.partition(".")[0] == "hedgerow"]
    for module in inside:
        for name, value in list(vars(module).items()):
            if isinstance(value, str) and value in (old, f"hedgerow {old}"):
                setattr(module, name, value.replace(old, new))
