"""A door: a package whose names are listed in the stub beside it and loaded on first use.

Type checkers read the stub (`__init__.pyi`), and so does this module, so there is one list. Nothing
is read before somebody asks for a name: `hedgerow --help` must start quickly.
"""

from __future__ import annotations

from collections.abc import Callable


def open_door(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package.

    Args:
        package: Its name.
        file: Its `__init__.py`; what the stub beside it imports is what the package offers.
    """
    homes: dict[str, str] = {}

    def names() -> dict[str, str]:
        if not homes:
            import ast
            from pathlib import Path

            for node in ast.parse(Path(file).with_suffix(".pyi").read_text("utf-8")).body:
                if isinstance(node, ast.ImportFrom):
                    homes.update({one.name: str(node.module) for one in node.names})
        return homes

    def load(name: str) -> object:
        from importlib import import_module

        if name == "__all__":
            return sorted(names())
        if name not in names():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found: object = getattr(import_module(names()[name]), name)
        return found

    return load, lambda: sorted(names())
