"""CleanEval: `input/*.html` and `GoldStandard/*.txt`.

Source: Baroni, Chantree, Kilgarriff and Sharoff, CleanEval: a competition for cleaning web pages,
LREC 2008. The pages are in a `<text id="URL" title="..." encoding="...">` element, which is no
part of them and is taken off.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from boilersweep.eval.judge.datasets.page import (
    Dataset,
    JudgedPage,
    Skipped,
    home_of,
    named_files,
    named_pages,
    page_bytes,
    paired,
    require_pages,
    text_of,
)
from boilersweep.pages.hosts import host_of

WHAT = "CleanEval"
_URL_LINE = re.compile(r"\s*URL:\s*(\S*)[^\n]*(?:\n|$)")
_MARK = re.compile(r"</?[hlp]>", re.IGNORECASE)
_WRAPPER = re.compile(rb"\s*<text\b([^>]*)>")
_WRAPPER_END = re.compile(rb"</text>\s*\Z")
_ATTRIBUTE = re.compile(rb"""\b(id|encoding)\s*=\s*"([^"]*)\"""")


@dataclass(frozen=True, slots=True)
class WrappedPage(JudgedPage):
    """A page of CleanEval; `html` is what the `<text>` element holds."""

    @property
    def html(self) -> bytes:
        return _unwrapped(page_bytes(self.path))[0]


def read_cleaneval(folder: Path) -> Dataset:
    """CleanEval's development or final pages, in `folder` or in its `cleaneval-final`.

    The gold texts' `URL:` line and their marks <h>, <p> and <l> are removed. Raises InputError.
    """
    home = home_of(folder, ("input", "GoldStandard"), ("cleaneval-final",), WHAT)
    skipped: list[Skipped] = []
    inputs = named_pages(home / "input", skipped)
    gold_home = home / "GoldStandard"
    golds = named_files(gold_home, gold_home.iterdir(), (".txt",), skipped)
    names = sorted(inputs | golds, key=_number)
    pages = paired(names, inputs, golds, _page, skipped)
    return require_pages(Dataset("cleaneval", folder, pages, skipped), WHAT)


def plain_gold(text: str) -> tuple[str, str]:
    """A gold text without its marks, and the address its first line names ("" for none)."""
    first = _URL_LINE.match(text)
    body = text[first.end() :] if first else text
    return _MARK.sub(" ", body), first[1] if first else ""


def _page(name: str, path: Path, gold_path: Path) -> WrappedPage:
    gold, gold_url = plain_gold(text_of(gold_path))
    _, attributes = _unwrapped(page_bytes(path))
    url = attributes.get("id") or gold_url
    return WrappedPage(name, path, attributes.get("encoding"), gold, host_of(url) or name, url=url)


def _unwrapped(body: bytes) -> tuple[bytes, dict[str, str]]:
    """The content of the `<text>` element, and the element's id and encoding."""
    start = _WRAPPER.match(body)
    if start is None:
        return body, {}
    found = _ATTRIBUTE.findall(start[1])
    inner = _WRAPPER_END.sub(b"", body[start.end() :])
    return inner, {key.decode(): value.decode("latin-1") for key, value in found if value}


def _number(name: str) -> tuple[int, str]:
    return (int(name) if name.isdecimal() else 0, name)
