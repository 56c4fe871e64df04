"""HTML of the report: templates, colours, figures as people read them.

Data and scripts cannot leave their place in it.
"""

import base64
import hashlib
import json
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Any

from boilersweep.outputs.figures import figure
from boilersweep.outputs.pictures import ACCENT, GOLD, INK, LINE, MUTED
from boilersweep.outputs.tables import as_typeset

# Each colour has a contrast of at least 4.5 : 1 to its ground (lines and bands excepted).
PUBLISHED = "#93356a"

# The light colours, in which charts are made, and the dark ones.
DARK = {
    INK: "#eceae6",
    MUTED: "#a9a59d",
    LINE: "#363a40",
    ACCENT: "#62bbe0",
    GOLD: "#d9ba5c",
    PUBLISHED: "#e48fbd",
}

_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


@cache
def environment() -> Any:
    """Return Jinja's environment, which escapes every text and compiles a template once."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(
        loader=FunctionLoader(packaged),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {"typeset": as_typeset, "figure": figure}
    return made


def packaged(name: str) -> str:
    """Return the text of a file beside this module."""
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def style() -> str:
    """Return the style sheet, with the colours as CSS variables; paper has the light ones.

    What a chart draws in a light colour has its variable.
    """
    names = "ink muted line accent gold published".split()
    light = dict(zip(names, DARK, strict=True))
    dark = dict(zip(names, DARK.values(), strict=True))
    variables = _variables(light)
    darkened = (
        f"@media screen and (prefers-color-scheme: dark) {{ {_variables(dark)} }}"
    )
    drawn = [
        f'.drawing [{paint}="{colour}"] {{ {paint}: var(--{name}); }}'
        for name, colour in light.items()
        for paint in ("fill", "stroke")
    ]
    return "\n".join([variables, darkened, *drawn, packaged("report.css")])


def _variables(colours: dict[str, str]) -> str:
    inner = " ".join(f"--{name}: {colour};" for name, colour in colours.items())
    return f":root {{ {inner} }}"


def script_json(value: Any) -> str:
    """Return JSON for a `<script type="application/json">`.

    The signs that could end the element or begin another (`<`, `>`, `&`), and those that end a line
    in JavaScript, are escaped; they only occur inside JSON's strings.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_ESCAPES)


def content_policy(scripts: Iterable[str]) -> str:
    """Return a Content-Security-Policy: these scripts, all styles, and pictures as data.

    Vega writes styles into its charts while it draws, so hashes cannot name them. The page is its
    only source: it fetches, sends and frames nothing.
    """
    digests = [hashlib.sha256(script.encode()).digest() for script in scripts]
    hashes = " ".join(
        f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def data_address(text: str, media_type: str) -> str:
    """Return a `data:` address of a text, for a link that downloads it."""
    encoded = base64.b64encode(text.encode()).decode()
    return f"data:{media_type};charset=utf-8;base64,{encoded}"
