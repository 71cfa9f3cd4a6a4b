"""The certificate as text, and what it says of the software that made it."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any

from hedgerow.base.version import __version__


def as_text(certificate: Mapping[str, Any]) -> str:
    """The certificate as the file holds it."""
    text = json.dumps(certificate, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return text + "\n"


def software(libraries: Iterable[str], *, form: str, escaped: bool) -> dict[str, Any]:
    """What made a release.

    Args:
        libraries: What it stands on.
        form: Of the data: csv, parquet or table.
        escaped: Whether formulas were escaped.
    """
    return {
        "name": "hedgerow",
        "version": __version__,
        "python": platform.python_version(),
        "libraries": {name: version(name) for name in libraries},
        "configured": {"format": form, "escape_formulas": escaped},
    }
