"""What was detected in a file as lines of a first plan, with what a person should look at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hedgerow.engines.file_look import FileLook
from hedgerow.engines.source_form import ASK, SourceForm

_QUOTES = {'"': "double", "'": "single", "": "none"}
_SIGNS = {"\t": "tab", " ": "blank"}


def questions_first(look: FileLook) -> list[str]:
    """What `publish` will not go on without, for the top of the plan."""
    if not look.questions:
        return []
    asked = [f"#   {line}" for question in look.questions for line in str(question).splitlines()]
    return ["# Please decide first; until then the plan is refused:", *asked]


def read_lines(form: SourceForm, look: FileLook | None, scalar: Any) -> list[str]:
    """`read:` and the reasons; nothing where the file is as files usually are.

    Args:
        form: How the source is written.
        look: What was detected, where it is a file.
        scalar: Writes a text as YAML.
    """
    lines = [] if look is None else _reasons(look)
    said = form.said
    if not said:
        return lines
    body = ", ".join(f"{key}: {_value(key, value, scalar)}" for key, value in said.items())
    if len(body) < 90:
        return [*lines, f"read: {{{body}}}"]
    lines.append("read:")
    return [*lines, *(f"  {key}: {_value(key, value, scalar)}" for key, value in said.items())]


def _reasons(look: FileLook) -> list[str]:
    lines = []
    if look.assumed:
        shown = f": {', '.join(look.accented)}" if look.accented else ""
        lines.append(
            f"# guessed, not sure: the file is not UTF-8, and {look.encoding} is assumed. Check "
            f"these words{shown}"
        )
    lines += [f"# {note}" for note in look.notes]
    lines += [f"# not read otherwise than as text: {wrong}" for wrong in look.unreadable]
    return lines


def _value(key: str, value: Any, scalar: Any) -> str:
    if isinstance(value, Mapping):
        each = (f"{scalar(name)}: {_value(key, one, scalar)}" for name, one in value.items())
        return "{" + ", ".join(each) + "}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(scalar, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if key == "quote":
        return _QUOTES[value]
    return ASK if value == ASK else scalar(_SIGNS.get(value, value))
