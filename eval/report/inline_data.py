"""Put data and scripts into an HTML page so that nothing of them can leave its place."""

import base64
import hashlib
import json
from collections.abc import Iterable
from typing import Any

_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def script_json(value: Any) -> str:
    """JSON for a `<script type="application/json">`.

    The signs that could end the element or begin another (`<`, `>`, `&`), and those that end a
    line in JavaScript, are written as escapes: they can only stand inside JSON's strings.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_ESCAPES)


def content_policy(scripts: Iterable[str]) -> str:
    """A Content-Security-Policy: these scripts by their hash, styles, pictures as data; no more.

    Bokeh writes the styles of its charts as it draws, so styles cannot be named by hash. There is
    no source but the page itself: nothing is fetched, sent or framed from elsewhere.
    """
    hashes = " ".join(f"'{_hash(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def data_address(text: str, media_type: str) -> str:
    """A `data:` address of a text, for a link that downloads it."""
    encoded = base64.b64encode(text.encode()).decode()
    return f"data:{media_type};charset=utf-8;base64,{encoded}"
