"""Pages with some strings known to be content and some not: `html/`, `snippets.jsonl`.

A line of `snippets.jsonl` is one page: `name` of its file without suffix, `with` and `without`, the
strings, and perhaps `url` and `language`. So trafilatura is evaluated; see `strings.py` of the
judge.
"""

import json
from pathlib import Path
from typing import Any

from boilersweep.errors import InputError
from boilersweep.eval.judge.datasets.page import (
    Dataset,
    JudgedPage,
    Skipped,
    fault_of,
    home_of,
    named_pages,
    printable,
    require_pages,
)
from boilersweep.pages.hosts import host_of
from boilersweep.pages.language import primary_tag

WHAT = "snippets"
LINES = "snippets.jsonl"


def read_snippets(folder: Path) -> Dataset:
    """Pages with strings in place of gold texts. Raises InputError."""
    home = home_of(folder, ("html",), ("snippets",), WHAT)
    path = home / LINES
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InputError(f"expected {WHAT} at {folder}, with {LINES}: {error}") from error
    skipped: list[Skipped] = []
    inputs = named_pages(home / "html", skipped)
    found: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(lines, start=1):
        row = _row(line)
        if row is None:
            skipped.append(Skipped(f"line {number}", f"no line of {LINES} as expected"))
        elif found.setdefault(row["name"], row) is not row:
            skipped.append(Skipped(row["name"], "another line has the same name"))
    pages: list[JudgedPage] = []
    for name in sorted(inputs | found):
        if name not in inputs:
            skipped.append(Skipped(name, "no page"))
        elif name not in found:
            skipped.append(Skipped(name, "no strings"))
        elif fault := fault_of(inputs[name]):
            skipped.append(Skipped(name, fault))
        else:
            pages.append(_page(inputs[name], found[name]))
    return require_pages(Dataset("snippets", folder, pages, skipped), WHAT)


def _page(path: Path, row: dict[str, Any]) -> JudgedPage:
    name, url = row["name"], row["url"]
    return JudgedPage(
        name,
        path,
        None,
        "",
        host_of(url) or name,
        url,
        language=primary_tag(row["language"]),
        wanted=row["with"],
        unwanted=row["without"],
    )


def _row(line: bytes) -> dict[str, Any] | None:
    """The page of a line, None for a malformed line."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or not isinstance(said.get("name"), str):
        return None
    row: dict[str, Any] = {"name": printable(said["name"])}
    for key in ("url", "language"):
        value = said.get(key, "")
        row[key] = printable(value) if isinstance(value, str) else ""
    for key in ("with", "without"):
        value = said.get(key, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            return None
        row[key] = tuple(printable(one) for one in value if one.strip())
    return row if row["with"] or row["without"] else None
