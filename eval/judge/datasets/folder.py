"""A folder of one's own pages and gold texts.

`NAME.html` beside `NAME.txt`, at any depth, or the same in two folders `html` and `text`.
"""

import re
from pathlib import Path

from boilersweep.errors import InputError
from boilersweep.eval.judge.datasets.page import (
    PAGE_SUFFIXES,
    Dataset,
    JudgedPage,
    Skipped,
    named_files,
    paired,
    require_pages,
    text_of,
)

_HOST = re.compile(r"(?:^|[_/])((?:[a-z0-9-]+\.)+[a-z]{2,})(?=_|$)")

WHAT = "pages (.html, .htm, also with .gz) and gold texts (.txt) of the same names"


def read_folder(folder: Path) -> Dataset:
    """A folder's pages. Raises InputError.

    A page's site is the host in its name, between underscores as in
    `20111215_www.bbc.co.uk_10ad28b1`; without one the page is a site of its own.
    """
    if not folder.is_dir():
        came = "a file" if folder.exists() else "nothing"
        raise InputError(f"expected a folder of {WHAT} at {folder}, found {came} there")
    html, text = folder / "html", folder / "text"
    if not (html.is_dir() and text.is_dir()):
        html = text = folder
    skipped: list[Skipped] = []
    inputs = named_files(html, html.rglob("*"), PAGE_SUFFIXES, skipped)
    golds = named_files(text, text.rglob("*"), (".txt",), skipped)
    pages = paired(sorted(inputs | golds), inputs, golds, _page, skipped)
    return require_pages(Dataset("folder", folder, pages, skipped), WHAT)


def _page(name: str, path: Path, gold: Path) -> JudgedPage:
    host = _HOST.search(name)
    site = host[1].removeprefix("www.") if host else name
    return JudgedPage(name, path, None, text_of(gold), site)
