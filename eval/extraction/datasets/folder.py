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
    require_pages,
    stem_of,
    text_of,
    visible,
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
    inputs = _files(html, PAGE_SUFFIXES, skipped)
    golds = _files(text, (".txt",), skipped)
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


def _files(root: Path, suffixes: tuple[str, ...], skipped: list[Skipped]) -> dict[str, Path]:
    """Path below the root without suffix -> file."""
    files: dict[str, Path] = {}
    for path in visible(root.rglob("*")):
        if path.name.endswith(suffixes):
            relative = path.relative_to(root).as_posix()
            name = relative.removesuffix(".txt") if ".txt" in suffixes else stem_of(relative)
            if files.setdefault(name, path) is not path:
                skipped.append(Skipped(relative, "another page has the same name"))
    return files
