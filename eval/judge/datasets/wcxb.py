"""WCXB, the Web Content Extraction Benchmark: `html/`, `ground-truth/*.json`, `metadata.json`.

CC BY 4.0. A page's type is that of its ground truth, as in the benchmark's own evaluation: there
"category" is an old name of "collection", and a page without a type is an "article".
"""

from functools import partial
from pathlib import Path
from typing import Any

from boilersweep.errors import InputError
from boilersweep.eval.judge.datasets.page import (
    PAGE_SUFFIXES,
    DatasetFormat,
    JudgedPage,
    Pages,
    UnusableError,
    named_files,
    paired,
    printable,
)
from boilersweep.outputs.typed_files import parse_json
from boilersweep.pages.hosts import host_of


def _read(home: Path) -> Pages:
    """Read a split of WCXB.

    metadata.json is beside the split or in the folder above; without it a page's site is the host
    of its address.
    """
    pages = named_files(home / "html", PAGE_SUFFIXES)
    truths = named_files(home / "ground-truth", (".json",))
    missing = ("no page", "no ground truth")
    return paired(pages, truths, partial(_page, _metadata(home)), missing=missing)


def _page(
    metadata: dict[str, Any], name: str, path: Path, truth_path: Path
) -> JudgedPage:
    truth, known = _json(truth_path), metadata.get(name)
    gold = truth.get("ground_truth") if isinstance(truth, dict) else None
    if not isinstance(gold, dict):
        raise UnusableError("the ground truth is not the JSON expected")
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
    """Return name -> a page's entry in metadata.json; empty without that file."""
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
    """Return a string of JSON, which may contain halves of characters; "" for other values."""
    return printable(value) if isinstance(value, str) else ""


def _json(path: Path) -> Any:
    """Return the content of a JSON file, None for a broken one."""
    try:
        return parse_json(path.read_bytes())
    except (OSError, ValueError):
        return None


FORMAT = DatasetFormat(
    name="wcxb",
    title="WCXB",
    layout="html/, ground-truth/",
    folders=("html", "ground-truth"),
    inside="dev",
    measure="word_f1",
    licence="Web Content Extraction Benchmark (WCXB), development split, Murrough Foley, 2026, "
    "https://github.com/murroughfoley/wcxb, CC BY 4.0 "
    "(https://creativecommons.org/licenses/by/4.0/); the pages were reduced to numbers",
    read=_read,
)
