"""WCXB, the Web Content Extraction Benchmark: `html/`, `ground-truth/*.json`, `metadata.json`.

CC BY 4.0. A page's type is that of its ground truth, as in the benchmark's own evaluation, where
"category" is an old name of "collection" and what has no type is an "article".
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
    named_files,
    named_pages,
    printable,
    require_pages,
)
from boilersweep.pages.hosts import host_of

WHAT = "WCXB"


def read_wcxb(folder: Path) -> Dataset:
    """A split of WCXB, in `folder` or in its `dev`; the pages are `.html` or `.html.gz`.

    metadata.json is looked for beside the split and in the folder above; without it a page's
    site is the host of its address. Raises InputError.
    """
    home = home_of(folder, ("html", "ground-truth"), ("dev",), WHAT)
    metadata = _metadata(home)
    skipped: list[Skipped] = []
    inputs = named_pages(home / "html", skipped)
    truth_home = home / "ground-truth"
    truths = named_files(truth_home, truth_home.iterdir(), (".json",), skipped)
    pages: list[JudgedPage] = []
    for name in sorted(inputs | truths):
        if name not in inputs:
            skipped.append(Skipped(name, "no page"))
        elif name not in truths:
            skipped.append(Skipped(name, "no ground truth"))
        elif fault := fault_of(inputs[name]):
            skipped.append(Skipped(name, fault))
        elif page := _page(name, inputs[name], _json(truths[name]), metadata.get(name)):
            pages.append(page)
        else:
            skipped.append(Skipped(name, "the ground truth is not the JSON expected"))
    return require_pages(Dataset("wcxb", folder, pages, skipped), WHAT)


def _page(name: str, path: Path, truth: Any, known: Any) -> JudgedPage | None:
    """truth, known: what JSON files say of the page."""
    gold = truth.get("ground_truth") if isinstance(truth, dict) else None
    if not isinstance(gold, dict):
        return None
    url = _text(truth.get("url"))
    domain = _text(known.get("domain")) if isinstance(known, dict) else ""
    return JudgedPage(
        name,
        path,
        None,
        _text(gold.get("main_content")),
        domain or host_of(url) or name,
        url,
        page_type=_page_type(truth),
        title=_text(gold.get("title")),
    )


def _page_type(truth: dict[str, Any]) -> str:
    internal = truth.get("_internal")
    kind = internal.get("page_type") if isinstance(internal, dict) else None
    if isinstance(kind, dict):
        kind = kind.get("primary")
    kind = _text(kind) or "article"
    return "collection" if kind == "category" else kind


def _metadata(home: Path) -> dict[str, Any]:
    """Name -> a page's entry in metadata.json; empty without that file."""
    for path in (home / "metadata.json", home.parent / "metadata.json"):
        if path.exists():
            known = _json(path)
            files = known.get("files") if isinstance(known, dict) else None
            if not isinstance(files, dict):
                raise InputError(
                    f'expected WCXB\'s metadata in {path}, a JSON object with "files", but it is '
                    "broken; unpack it again, or remove it (sites are then hosts)"
                )
            return files
    return {}


def _text(value: Any) -> str:
    """A string of JSON, which may hold halves of characters; "" for what is no string."""
    return printable(value) if isinstance(value, str) else ""


def _json(path: Path) -> Any:
    """The content of a JSON file, None for a broken one."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
