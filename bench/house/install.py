"""What each installed library costs, in megabytes, with what it brings along.

    python -m bench.house.install            # of the environment that runs it

Run it where `pip install 'hedgerow[all]'` and nothing else was done.
"""

from __future__ import annotations

import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution

EXTRA = re.compile(r"extra\s*==\s*['\"]([\w-]+)['\"]")
NAME = re.compile(r"([\w.-]+)(?:\[([\w,-]+)\])?")


def size(one: Distribution) -> int:
    """Bytes of its files, without the bytecode that Python adds."""
    found = [one.locate_file(file) for file in one.files or () if file.suffix != ".pyc"]
    return sum(path.stat().st_size for path in found if path.is_file())  # type: ignore[attr-defined]


def wanted(one: Distribution, extras: frozenset[str]) -> set[tuple[str, frozenset[str]]]:
    """What it requires here, with these extras."""
    found = set()
    for line in one.requires or ():
        words, _, condition = line.partition(";")
        extra = EXTRA.search(condition)
        if extra is not None and extra[1] not in extras:
            continue
        name = NAME.match(words.strip())
        assert name is not None, line
        found.add((name[1].lower().replace("_", "-"), frozenset((name[2] or "").split(",")) - {""}))
    return found


def closure(name: str, extras: frozenset[str] = frozenset()) -> dict[str, int]:
    """A library and all it brings, by name, with their sizes."""
    sizes: dict[str, int] = {}
    todo = [(name, extras)]
    seen = set()
    while todo:
        here = todo.pop()
        if here in seen:
            continue
        seen.add(here)
        try:
            one = distribution(here[0])
        except PackageNotFoundError:  # for another system or Python
            continue
        sizes[here[0]] = size(one)
        todo += wanted(one, here[1])
    return sizes


def main() -> None:
    hedgerow = distribution("hedgerow")
    core = closure("hedgerow")
    print(f"core: {sum(core.values()) / 1e6:,.0f} MB")
    direct = sorted(wanted(hedgerow, frozenset()))
    named = {name for name, _ in direct}
    own = {}
    for name, extras in direct:
        others = {key for other in direct if other[0] != name for key in closure(*other)}
        found = closure(name, extras)
        own[name] = {key: one for key, one in found.items()
                     if key == name or key not in named | others}  # fmt: skip
    for name, sizes in sorted(own.items(), key=lambda pair: -sum(pair[1].values())):
        print(f"  {name}: {sum(sizes.values()) / 1e6:,.0f} MB ({', '.join(sorted(sizes))})")
    for extra in sorted(hedgerow.metadata.get_all("Provides-Extra") or ()):
        more = {key: one for key, one in closure("hedgerow", frozenset({extra})).items()
                if key not in core}  # fmt: skip
        if more and extra not in ("all", "test"):
            print(f"[{extra}]: {sum(more.values()) / 1e6:,.0f} MB ({', '.join(sorted(more))})")


if __name__ == "__main__":
    main()
