"""A chart as a file: SVG and PNG are drawn here, HTML carries the code that draws it.

Nothing is fetched from anywhere, neither now nor when somebody opens the file.
"""

from __future__ import annotations

import html
import json
import secrets
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.base.errors import TargetError

if TYPE_CHECKING:
    import altair as alt

FORMATS = (".svg", ".html", ".png", ".json")
"""What a chart can be saved as."""


def save(chart: alt.TopLevelMixin, path: str | Path) -> Path:
    """Write a chart as .svg, .png, .html (self-contained) or .json (Vega-Lite).

    The file appears whole or not at all.

    Raises:
        TargetError: The suffix is none of these, or the file cannot be written.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise TargetError(
            f"a chart cannot be saved as {path.name!r}",
            where=str(path),
            fix=f"Give it a name that ends in {', '.join(FORMATS[:-1])} or {FORMATS[-1]}.",
        )
    content = _drawn(chart.to_dict(), suffix)
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


def _drawn(spec: dict[str, Any], suffix: str) -> bytes:
    import vl_convert

    name = html.escape(str(spec.get("description", "chart")))
    if suffix == ".json":
        return (json.dumps(spec, indent=1, ensure_ascii=False) + "\n").encode()
    if suffix == ".png":
        return bytes(vl_convert.vegalite_to_png(spec, scale=2))
    if suffix == ".svg":
        drawn = vl_convert.vegalite_to_svg(spec)
        return drawn.replace("<svg ", f'<svg role="img" aria-label="{name}" ', 1).encode() + b"\n"
    script = _bundle()
    # A label may hold "</script>"; without "<" nothing in the data can end the script.
    data = json.dumps(spec).replace("<", "\\u003c")
    return _PAGE.format(name=name, script=script, data=data).encode()


@cache
def _bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script."""
    import vl_convert

    return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title>
<style>body {{ margin: 1.5rem; background: white; }}</style>
<script type="module">
{script}
</script>
</head>
<body>
<main id="chart" role="img" aria-label="{name}"></main>
<script type="module">
const spec = {data};
const actions = {{export: true, source: false, compiled: false, editor: false}};
vegaEmbed("#chart", spec, {{mode: "vega-lite", renderer: "svg", ast: true, actions}});
</script>
</body>
</html>
"""
