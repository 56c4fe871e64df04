"""A folder of one's own pages and gold texts.

`NAME.html` beside `NAME.txt`, at any depth, or the same in two folders `html` and `text`.
"""

import re
from pathlib import Path

from boilersweep.eval.judge.datasets.page import (
    PAGE_SUFFIXES,
    DatasetFormat,
    JudgedPage,
    Pages,
    named_files,
    paired,
    text_of,
)

_HOST = re.compile(r"(?:^|[_/])((?:[a-z0-9-]+\.)+[a-z]{2,})(?=_|$)")


def _read(home: Path) -> Pages:
    html, text = home / "html", home / "text"
    if not (html.is_dir() and text.is_dir()):
        html = text = home
    pages = named_files(html, PAGE_SUFFIXES, deep=True)
    return paired(pages, named_files(text, (".txt",), deep=True), _page)


def _page(name: str, path: Path, gold: Path) -> JudgedPage:
    """Return a page, whose site is the host in its name if there is one.

    The host is between underscores, as in `20111215_www.bbc.co.uk_10ad28b1`.
    """
    host = _HOST.search(name)
    site = host[1].removeprefix("www.") if host else name
    return JudgedPage(name, path, None, text_of(gold), site)


FORMAT = DatasetFormat(
    name="folder",
    title="pages (.html, .htm, also with .gz) and gold texts (.txt) of the same names",
    layout="NAME.html beside NAME.txt, or in html/ and text/",
    read=_read,
)
