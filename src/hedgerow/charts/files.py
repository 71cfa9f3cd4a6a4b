"""A chart as a file. Nothing is fetched from anywhere, neither now nor when somebody opens it."""

from __future__ import annotations

import secrets
from contextlib import suppress
from functools import cache
from pathlib import Path

from hedgerow.base.errors import TargetError
from hedgerow.base.extras import extra
from hedgerow.charts.elements import escaped
from hedgerow.charts.figure import Figure, json_text
from hedgerow.charts.looks import FONT, style_sheet

FORMATS = (".svg", ".html", ".png", ".json")
"""What a chart can be saved as."""
SHARPNESS = 2.0
"""Pixels of a PNG for each of the drawing's."""


def save(figure: Figure, path: str | Path) -> Path:
    """Write a chart as .svg, .png, .html (with its data as a table) or .json (its data).

    The file appears whole or not at all.

    Raises:
        TargetError: The suffix is none of these, or the file cannot be written.
        HedgerowError: A .png needs `hedgerow[charts]`.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise TargetError(
            f"a chart cannot be saved as {path.name!r}",
            where=str(path),
            fix=f"Give it a name that ends in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}.",
        )
    content = _content(figure, suffix, str(path))
    part = path.with_name(f".hedgerow-{secrets.token_hex(8)}.part")
    try:
        try:
            part.write_bytes(content)
            part.replace(path)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    except OSError as error:
        raise TargetError(
            f"cannot be written: {error.strerror or error}",
            where=str(path),
            fix="Check that the folder exists and that you may write there.",
        ) from None
    return path


def _content(figure: Figure, suffix: str, where: str) -> bytes:
    if suffix == ".json":
        return json_text(figure).encode()
    if suffix == ".svg":
        return f"{figure.svg()}\n".encode()
    if suffix == ".png":
        if not _has_font():
            raise TargetError(
                "there is no font on this machine to write a picture with",
                where=where,
                fix="Save it as .svg or .html, or install a font (Debian: fonts-dejavu-core).",
            )
        return _raster(figure.svg())
    # The picture is drawn for a page: the sheet's colours, in the light and in the dark.
    page = _PAGE.format(
        name=escaped(figure.description), title=escaped(figure.title), font=FONT,
        sheet=style_sheet(), picture=figure.svg(page=True), tables=figure.tables(),
    )  # fmt: skip
    return page.encode()


def _raster(svg: str) -> bytes:
    with extra("charts", "a .png file"):
        import resvg_py
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=SHARPNESS))


@cache
def _has_font() -> bool:
    """Whether letters leave a trace; without a font they are silently missing."""
    frame = f'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" font-family="{FONT}">'
    return _raster(f'{frame}<text y="15">M</text></svg>') != _raster(f"{frame}</svg>")


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title>
<style>
{sheet}:root {{ color-scheme: light dark; }}
body {{ margin: 1.5rem; background: var(--chart-paper); color: var(--chart-ink); }}
body {{ font-family: {font}; }}
h1 {{ font-size: 1.3rem; }}
details {{ margin-top: 1rem; overflow-x: auto; }}
table {{ border-collapse: collapse; margin: .6rem 0; font-variant-numeric: tabular-nums; }}
th, td {{ text-align: left; padding: .2rem .6rem; border-bottom: 1px solid var(--chart-faint); }}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
{picture}
<details><summary>The numbers as tables</summary>
{tables}
</details>
</main>
</body>
</html>
"""
