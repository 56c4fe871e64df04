"""A folder of one's own pages and gold texts.

`NAME.html` beside `NAME.txt`, at any depth, or the same in two folders `html` and `text`.
"""

from pathlib import Path

from boilersweep.errors import InputError
from boilersweep.eval.extraction.datasets.page import (
    PAGE_SUFFIXES,
    Dataset,
    JudgedPage,
    Skipped,
    fault_of,
    named_files,
    require_pages,
    text_of,
)

WHAT = "pages (.html, .htm, also with .gz) and gold texts (.txt) of the same names"


def read_folder(folder: Path) -> Dataset:
    """A folder's pages; every page is a site of its own. Raises InputError."""
    if not folder.is_dir():
        came = "a file" if folder.exists() else "nothing"
        raise InputError(f"expected a folder of {WHAT} at {folder}, found {came} there")
    html, text = folder / "html", folder / "text"
    if not (html.is_dir() and text.is_dir()):
        html = text = folder
    skipped: list[Skipped] = []
    inputs = named_files(html, html.rglob("*"), PAGE_SUFFIXES, skipped)
    golds = named_files(text, text.rglob("*"), (".txt",), skipped)
    pages: list[JudgedPage] = []
    for name in sorted(inputs | golds):
        if name not in inputs:
            skipped.append(Skipped(name, "no page"))
        elif name not in golds:
            skipped.append(Skipped(name, "no gold text"))
        elif fault := fault_of(inputs[name]):
            skipped.append(Skipped(name, fault))
        else:
            try:
                gold = text_of(golds[name])
            except InputError:
                skipped.append(Skipped(name, "unreadable gold text"))
                continue
            pages.append(JudgedPage(name, inputs[name], None, gold, name))
    return require_pages(Dataset("folder", folder, pages, skipped), WHAT)
