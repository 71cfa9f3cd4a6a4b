"""What is reached: the modules, classes and functions that somebody can come to.

Everything begins at an entrance: the command, the pages and workers of the app, the public names,
the names of the documented libraries. For names, `examples/` is one more: pages of the
documentation are made by it. Modules are reached by imports, those inside functions and
in stubs too. A class or function is reached where reached code of its module, or of one that
imports it, mentions its name; a method where any reached code mentions the name after a dot. So a
dead method is not found if another has its name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass

from bench.house.source import HOME, Source

COMMANDS = ("hedgerow.__main__",)
"""What `pyproject.toml` installs."""
STARTED = ("hedgerow.web.worker", "hedgerow.web.work")
"""A program of its own, which the app starts; and what it is told to run, by name."""
FOUND = ("hedgerow.web.steps.",)
"""Modules that are found by being in their folder."""
LIBRARIES = {
    "hedgerow.learning": "docs/learning.md",
    "hedgerow.noise.blowfish": "docs/blowfish.md",
    "hedgerow.noise.pufferfish": "docs/pufferfish.md",
}
"""Packages whose names are public, each with the page that documents them."""
DOORS = ("hedgerow", *LIBRARIES)
EXAMPLES = HOME.parents[1] / "examples"
PLAIN = {
    "abstractmethod",
    "cache",
    "cached_property",
    "classmethod",
    "contextmanager",
    "dataclass",
    "final",
    "jit",
    "lru_cache",
    "njit",
    "overload",
    "override",
    "property",
    "runtime_checkable",
    "setter",
    "staticmethod",
    "total_ordering",
    "wraps",
}
"""Decorators that give a function to nobody; any other does, and so reaches it."""
CALLED_BY_LIBRARIES = {
    "_repr_html_",  # notebooks
    "_repr_svg_",
    "default_schema",  # pydantic
    "find_spec",  # Python's import
    "format_help",  # click
    "get_source",  # Jinja
    "nullable_schema",  # pydantic
    "startup",  # uvicorn
}
WORD = re.compile(r"[A-Za-z_]\w*")
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def reached_modules(source: Source) -> set[str]:
    """The modules that an entrance imports, directly or not."""
    after: dict[str, set[str]] = {}
    for one in source.imports:
        if not one.types_only and one.of in source.modules:
            after.setdefault(one.by, set()).add(one.of)
    todo = [*COMMANDS, *STARTED, *DOORS]
    todo += [module for module in source.modules if module.startswith(FOUND)]
    seen: set[str] = set()
    while todo:
        module = todo.pop()
        if module in source.modules and module not in seen:
            seen.add(module)
            todo += after.get(module, ())
            todo.append(module.rpartition(".")[0])  # a package is loaded before what is in it
    return seen


def unreached_modules(source: Source) -> list[str]:
    """Those that no entrance leads to."""
    return sorted(source.modules.keys() - reached_modules(source))


@dataclass(frozen=True)
class Mentions:
    """The names in a piece of code."""

    names: frozenset[str] = frozenset()
    """Alone, as in `publish(plan)`."""
    members: frozenset[str] = frozenset()
    """After a dot, or in a text without blanks, as `getattr` takes it."""

    @classmethod
    def of(cls, nodes: Iterable[ast.AST]) -> Mentions:
        names, members = set(), set()
        for one in (inner for node in nodes for inner in ast.walk(node)):
            if isinstance(one, ast.Name):
                names.add(one.id)
            elif isinstance(one, ast.Attribute):
                members.add(one.attr)
            elif isinstance(one, ast.Constant) and isinstance(one.value, str):
                members |= set(() if " " in one.value else WORD.findall(one.value))
        return cls(frozenset(names), frozenset(members))


@dataclass(frozen=True)
class Defined:
    """A class, function or method."""

    module: str
    path: str
    """As in `Policy.graph`."""
    mentions: Mentions
    """In its text; of a class, without its methods."""
    given: bool
    """Whether something calls it that mentions no name: an operator, a decorator, a library."""

    @property
    def name(self) -> str:
        return self.path.rpartition(".")[2]

    @property
    def owner(self) -> str:
        """The class it is a method of; else empty."""
        return self.path.rpartition(".")[0]


class Names:
    """The definitions of the reached modules, and who mentions them."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.modules = reached_modules(source)
        self.defined: list[Defined] = []
        self.names: dict[str, set[str]] = {module: set() for module in self.modules}
        """By module, what its reached code mentions alone."""
        self.members: set[str] = set()
        """What any reached code mentions after a dot."""
        for module in sorted(self.modules):
            self._read(module, ast.parse(source.modules[module].read_text("utf-8")).body)
        for file in source.home.rglob("*.html"):
            self.members |= set(WORD.findall(file.read_text("utf-8")))
        for file in EXAMPLES.rglob("*.py"):
            found = Mentions.of([ast.parse(file.read_text("utf-8"))])
            self.members |= found.names | found.members
        self.importers: dict[tuple[str, str], set[tuple[str, str]]] = {}
        """Who imports a name of a module, and as what."""
        for one in source.imports:
            if one.by in self.modules and one.name is not None and not one.types_only:
                user = (one.by, one.alias or one.name)
                self.importers.setdefault((one.of, one.name), set()).add(user)
        self.public = {one for one in self.importers if self._by_door(one)}

    def _by_door(self, one: tuple[str, str]) -> bool:
        return any(by in DOORS for by, _ in self.importers[one])

    def _read(self, module: str, body: list[ast.stmt]) -> None:
        self._mention(module, Mentions.of(n for n in body if not isinstance(n, Definition)))
        for node in body:
            if not isinstance(node, Definition):
                continue
            methods = [n for n in node.body if isinstance(node, ast.ClassDef)
                       and isinstance(n, Definition)]  # fmt: skip
            own = Mentions.of(n for n in ast.iter_child_nodes(node) if n not in methods)
            self.defined.append(Defined(module, node.name, own, _given(node)))
            self.defined += [
                Defined(module, f"{node.name}.{n.name}", Mentions.of([n]), _given(n))
                for n in methods
            ]

    def _mention(self, module: str, found: Mentions) -> None:
        self.names[module] |= found.names
        self.members |= found.members

    def unreached(self) -> list[str]:
        """Classes and functions that no reached code mentions; methods of reached classes too."""
        living: set[tuple[str, str]] = set()
        todo, before = list(self.defined), -1
        while len(todo) != before:
            before = len(todo)
            for one in [one for one in todo if self._lives(one, living)]:
                todo.remove(one)
                living.add((one.module, one.path))
                self._mention(one.module, one.mentions)
        return sorted(
            f"{one.module}.{one.path}"
            for one in todo
            if not one.owner or (one.module, one.owner) in living
        )

    def _lives(self, one: Defined, living: set[tuple[str, str]]) -> bool:
        if not one.owner:
            return one.given or self._used(one.module, one.name, set())
        if (one.module, one.owner) not in living:
            return False
        open_to_all = (one.module, one.owner) in self.public and one.name[0] != "_"
        return one.given or open_to_all or one.name in self.members

    def _used(self, module: str, name: str, seen: set[tuple[str, str]]) -> bool:
        """Whether a module's name is mentioned there, or in a module that imports it."""
        if (module, name) in seen:
            return False
        seen.add((module, name))
        return (
            (module, name) in self.public
            or name in self.names.get(module, ())
            or name in self.members
            or any(self._used(*user, seen) for user in self.importers.get((module, name), ()))
        )


def _given(node: Definition) -> bool:
    operator = node.name.startswith("__") and node.name.endswith("__")
    names = {_last(one.func if isinstance(one, ast.Call) else one) for one in node.decorator_list}
    return operator or bool(names - PLAIN) or node.name in CALLED_BY_LIBRARIES


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
