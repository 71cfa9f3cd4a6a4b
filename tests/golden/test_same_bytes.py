"""Same plans, same names, same commands, same bytes.

`same_bytes.json` has the SHA-256 of every file that the cases publish, and of every text that
they print; the public names of `hedgerow`; and the commands with their options. A change of the
code that is not meant to change any of this leaves the file as it is.

**Change the file only together with an entry in CHANGELOG.md, or a decision in docs/decisions,
that says what has changed and why.** To write it anew, in the repository's folder:

    PYTHONPATH=tests python -m golden.test_same_bytes --write

It says which files have changed. To see how, keep the files of both versions, and compare them:

    PYTHONPATH=tests python -m golden.test_same_bytes --to /tmp/before       # before the change
    PYTHONPATH=tests python -m golden.test_same_bytes --to /tmp/after        # after it
    diff -r /tmp/before /tmp/after

Both take names of cases, if not all are wanted. `byte_fixed.py` is the one place that holds time,
identifiers, versions and noise still, and the only one that knows inner modules. What is printed,
drawn as HTML or written as Parquet also depends on libraries: `libraries` in the file are those
it was written with.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import inspect
import json
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from golden.byte_cases import CASES, Work
from golden.byte_fixed import commands, fixed

import hedgerow

for more in ("byte_claims", "byte_noise", "byte_commands"):
    importlib.import_module(f"golden.{more}")

FILE = Path(__file__).with_name("same_bytes.json")
LIBRARIES = ("duckdb", "numpy", "pyarrow", "rich", "scipy", "typer")
FIX = (
    "If this was meant, write the file anew (see the top of tests/golden/test_same_bytes.py) and "
    "say why in CHANGELOG.md or a decision."
)


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return found


@pytest.mark.parametrize("name", CASES)
def test_a_case_has_the_same_bytes(name: str, golden: dict[str, Any], tmp_path: Path) -> None:
    before, now = golden["cases"].get(name, {}), made(name, tmp_path)
    wrong = differences(before, now)
    said = "\n".join(f"  {file}: {what}" for file, what in wrong.items())
    assert not wrong, (
        f"the case {name!r} has other bytes than before:\n{said}\n"
        f"The new files are in {tmp_path / 'out'}. {FIX}{other_libraries(golden)}"
    )


def test_every_recorded_case_is_still_there(golden: dict[str, Any]) -> None:
    assert sorted(golden["cases"]) == sorted(CASES), FIX


def test_public_names(golden: dict[str, Any]) -> None:
    assert names() == golden["names"], FIX
    assert sorted(hedgerow.__all__) == sorted(golden["names"]), FIX


def test_commands_and_options(golden: dict[str, Any]) -> None:
    assert commands() == golden["commands"], FIX


def test_a_difference_names_the_file() -> None:
    before, now = {"a": "1", "b": "2"}, {"b": "3", "c": "4"}
    assert differences(before, now) == {"a": "missing", "b": "other bytes", "c": "new"}


def made(name: str, folder: Path) -> dict[str, str]:
    """Run a case in a folder; the hash of each file it leaves in `out`."""
    folder = folder.resolve()
    with fixed(folder):
        CASES[name](Work(folder))
    files = sorted(file for file in (folder / "out").rglob("*") if file.is_file())
    return {
        file.relative_to(folder / "out").as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
    }


def names() -> dict[str, list[str]]:
    """The public names: of a function its parameters, of a class also what it has."""
    return {name: told(getattr(hedgerow, name)) for name in sorted(hedgerow.__all__)}


def told(thing: Any) -> list[str]:
    if not callable(thing):
        return [type(thing).__name__]
    if not inspect.isclass(thing):
        return [call(thing)]
    own = [one for one in thing.__mro__ if one.__module__.partition(".")[0] == "hedgerow"]
    public = {name for one in own for name in vars(one) if not name.startswith("_")}
    public |= {name for one in own for name in vars(one).get("__annotations__", {})}
    return [call(thing), *sorted(name for name in public if not name.startswith("_"))]


def call(thing: Any) -> str:
    """The parameters and their defaults, without types."""
    signature = inspect.signature(thing)
    empty = inspect.Parameter.empty
    plain = [one.replace(annotation=empty) for one in signature.parameters.values()]
    return str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))


def differences(before: dict[str, str], now: dict[str, str]) -> dict[str, str]:
    """What is wrong with each file that is not the same."""
    return {
        file: "missing" if file not in now else "new" if file not in before else "other bytes"
        for file in sorted(before.keys() | now.keys())
        if before.get(file) != now.get(file)
    }


def libraries() -> dict[str, str]:
    return {name: version(name) for name in LIBRARIES}


def other_libraries(golden: dict[str, Any]) -> str:
    """Whether other libraries may be the reason."""
    here = libraries()
    other = [
        f"{name} {before} (here {here[name]})"
        for name, before in golden["libraries"].items()
        if here[name] != before
    ]
    return f" It was written with other libraries: {', '.join(other)}." if other else ""


def main() -> None:
    """Write the file anew, or keep the published files."""
    known = argparse.ArgumentParser(description="The golden set: write it anew, or keep its files.")
    known.add_argument("cases", nargs="*", help="names of cases; all if left out")
    known.add_argument("--write", action="store_true", help=f"write {FILE.name} anew")
    known.add_argument("--to", type=Path, help="keep the published files in this new folder")
    given = known.parse_args()
    if unknown := sorted(set(given.cases) - set(CASES)):
        known.error(f"no such case: {', '.join(unknown)}. There are: {', '.join(CASES)}")
    before = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {"cases": {}}
    # Some cases may be written anew alone; those that are gone are dropped.
    found = {name: files for name, files in before["cases"].items() if name in CASES}
    for name in given.cases or CASES:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) if given.to is None else given.to / name.replace(" ", "-")
            folder.mkdir(parents=True, exist_ok=True)
            found[name] = made(name, folder)
        wrong = differences(before["cases"].get(name, {}), found[name])
        print(f"{name}: {len(found[name])} files, {len(wrong)} not as before")
        for file, what in wrong.items():
            print(f"  {file}: {what}")
    if given.write:
        written = {
            "libraries": libraries(),
            "names": names(),
            "commands": commands(),
            "cases": dict(sorted(found.items())),
        }
        FILE.write_text(json.dumps(written, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
