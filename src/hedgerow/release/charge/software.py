"""The software that made a release that spends: the same makes it again, byte for byte."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from typing import Any

from hedgerow.release import certificate_text

LIBRARIES = ("duckdb", "numba", "numpy", "opendp", "pyarrow")


def software(*, form: str, escaped: bool) -> dict[str, Any]:
    """What runs here."""
    told = certificate_text.software(LIBRARIES, form=form, escaped=escaped)
    return told | {"machine": platform.machine()}


def same_software(certificate: Mapping[str, Any]) -> bool:
    """Whether what made it runs here, and so would make it again."""
    told = certificate["software"]
    configured = told["configured"]
    here = software(form=configured["format"], escaped=configured["escape_formulas"])
    return bool(told == here)
