"""Whether the report in a release's folder is the one that data and certificate give."""

from __future__ import annotations

from pathlib import Path

from hedgerow.base.delivery import REPORT
from hedgerow.base.errors import HedgerowError
from hedgerow.base.version import __version__
from hedgerow.release.verdicts import REFUTED, UNVERIFIABLE, VERIFIED, Checked
from hedgerow.reports.files import LARGEST, read_by_anybody
from hedgerow.reports.page import GENERATOR, made_by
from hedgerow.reports.recipient_view import Handed


def check_report(folder: Path) -> Checked:
    """Make the report of a folder again and compare.

    A report of another version may have other words, and is not compared: that it is the one
    the certificate lists is seen elsewhere.
    """
    place = folder / REPORT
    try:
        if place.stat().st_size > LARGEST:
            return Checked(what="report", verdict=REFUTED, why=f"{REPORT} is no such report")
        text = place.read_bytes().decode()
    except (OSError, ValueError):
        return Checked(what="report", verdict=REFUTED, why=f"{REPORT} cannot be read")
    maker = made_by(text)
    try:
        handed = Handed.read(folder)
        other = str(handed.certificate["software"]["version"])
        if other != __version__:
            why = f"the release was made by version {other}, and {REPORT} was not compared"
            return Checked(what="report", verdict=UNVERIFIABLE, why=why)
        if maker != GENERATOR:
            why = f"{REPORT} was made by {maker or 'something else'}, and not with the release"
            return Checked(what="report", verdict=REFUTED, why=why)
        same = text == read_by_anybody(handed)
    except HedgerowError as error:
        why = f"{REPORT} cannot be made again: {error.what}"
        return Checked(what="report", verdict=UNVERIFIABLE, why=why)
    if not same:
        why = f"{REPORT} is not the one that data and certificate give"
        return Checked(what="report", verdict=REFUTED, why=why)
    return Checked(what="report", verdict=VERIFIED, why="")
