"""CleanEval: `input/*.html` and `GoldStandard/*.txt`.

Source: Baroni, Chantree, Kilgarriff and Sharoff, CleanEval: a competition for cleaning web pages,
LREC 2008. The pages are in a `<text id="URL" title="..." encoding="...">` element, which is removed
as it is no part of them.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from boilersweep.eval.judge.datasets.page import (
    PAGE_SUFFIXES,
    DatasetFormat,
    JudgedPage,
    Pages,
    named_files,
    page_bytes,
    paired,
    text_of,
)
from boilersweep.pages.hosts import host_of

_URL_LINE = re.compile(r"\s*URL:\s*(\S*)[^\n]*(?:\n|$)")
_MARK = re.compile(r"</?[hlp]>", re.IGNORECASE)
_WRAPPER = re.compile(rb"\s*<text\b([^>]*)>")
_WRAPPER_END = re.compile(rb"</text>\s*\Z")
_ATTRIBUTE = re.compile(rb"""\b(id|encoding)\s*=\s*"([^"]*)\"""")


@dataclass(frozen=True, slots=True)
class WrappedPage(JudgedPage):
    """A page of CleanEval."""

    @property
    def html(self) -> bytes:
        """The content of the `<text>` element, read at each call; raises InputError."""
        return _unwrapped(page_bytes(self.path))[0]


def _read(home: Path) -> Pages:
    pages = named_files(home / "input", PAGE_SUFFIXES)
    return paired(
        pages, named_files(home / "GoldStandard", (".txt",)), _page, order=_number
    )


def plain_gold(text: str) -> tuple[str, str]:
    """Return a gold text without its marks <h>, <p> and <l>, and its first line's address or ""."""
    first = _URL_LINE.match(text)
    body = text[first.end() :] if first else text
    return _MARK.sub(" ", body), first[1] if first else ""


def _page(name: str, path: Path, gold_path: Path) -> WrappedPage:
    gold, gold_url = plain_gold(text_of(gold_path))
    _, attributes = _unwrapped(page_bytes(path))
    url = attributes.get("id") or gold_url
    return WrappedPage(
        name, path, attributes.get("encoding"), gold, host_of(url) or name, url=url
    )


def _unwrapped(body: bytes) -> tuple[bytes, dict[str, str]]:
    """Return the content of the `<text>` element, and the element's id and encoding."""
    start = _WRAPPER.match(body)
    if start is None:
        return body, {}
    attributes = _ATTRIBUTE.findall(start[1])
    inner = _WRAPPER_END.sub(b"", body[start.end() :])
    return inner, {
        key.decode(): value.decode("latin-1") for key, value in attributes if value
    }


def _number(name: str) -> tuple[int, str]:
    return (int(name) if name.isdecimal() else 0, name)


FORMAT = DatasetFormat(
    name="cleaneval",
    title="CleanEval",
    layout="input/, GoldStandard/",
    folders=("input", "GoldStandard"),
    inside="cleaneval-final",
    licence="CleanEval, Baroni et al., 2008: its pages are not to be passed on",
    read=_read,
)
