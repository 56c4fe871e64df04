"""How often `boilersweep.page` has a page's metadata, tables, lists and code right.

    python scripts/page_accuracy.py --input WCXB

Needs the development split of WCXB, whose gold has title, author and date of each page, and
trafilatura and resiliparse (the extra `extractors`) and markdown-it-py. Prints two tables.

Metadata: pages whose gold has the field; the share on which it is right; the share that is right
where it is given; the pages without a gold value on which it is given all the same. Names and
titles are compared word by word without case, dates by day, addresses by host and path: an address
is right if it is the one that the page was fetched from.

Elements: tables, lists and code of 200 pages of which at least .8 of the runs of three words are in
the gold text; the share of which a tool's output has an element of the same kind with at least .8
of the words.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import trafilatura
from lxml import etree
from markdown_it import MarkdownIt
from resiliparse.extract.html2text import extract_plain_text
from tabulate import tabulate

import boilersweep
from boilersweep.errors import PageError
from boilersweep.eval.judge.datasets import read_dataset
from boilersweep.eval.judge.datasets.page import JudgedPage

_KINDS = {"table": ("table",), "list": ("ul", "ol"), "code": ("pre",)}
_LEAST_SHARE = 0.8
_LEAST_WORDS = 6  # of an element
_PAGES = 200
_MARKDOWN = MarkdownIt("commonmark").enable("table")


class Field(NamedTuple):
    """A field of the metadata. gold: its name in WCXB. peer: in trafilatura's. key: compared."""

    gold: str
    peer: str
    key: Callable[[str], Any]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def people(text: str) -> set[str]:
    return {" ".join(words(one)) for one in re.split(r"[,;/&|]| and ", text)} - {""}


def address(text: str) -> tuple[str, str]:
    parts = urlsplit(text)
    return parts.netloc.lower().removeprefix("www."), parts.path.rstrip("/").lower()


FIELDS = {
    "headline": Field("title", "title", words),
    "author": Field("author", "author", people),
    "published": Field("publish_date", "date", lambda text: text[:10]),
    "url": Field("url", "url", address),
}


def metadata_rows(pages: Iterable[JudgedPage], truths: Mapping[str, Any]) -> list[list[Any]]:
    counts: Counter[tuple[str, str, str]] = Counter()
    for page in pages:
        utf8 = page.utf8
        try:
            found: Any = boilersweep.page(utf8, "words>=1")
        except PageError:
            found = None
        peer = trafilatura.extract_metadata(utf8)
        for name, field in FIELDS.items():
            gold = truths[page.name][field.gold]
            counts["", name, "gold"] += bool(gold)
            values = {"boilersweep": getattr(found, name, None)}
            values["trafilatura"] = getattr(peer, field.peer, None)
            for tool, value in values.items():
                if value and gold:
                    counts[tool, name, "given"] += 1
                    counts[tool, name, "right"] += field.key(value) == field.key(gold)
                counts[tool, name, "extra"] += bool(value) and not gold
    return [
        [
            *(name, tool, total := counts["", name, "gold"]),
            counts[tool, name, "right"] / total,
            counts[tool, name, "right"] / max(counts[tool, name, "given"], 1),
            counts[tool, name, "extra"],
        ]
        for name in FIELDS
        for tool in ("boilersweep", "trafilatura")
    ]


def elements(html: str | bytes) -> Iterator[tuple[str, list[str]]]:
    """The kind and the words of every table of two rows and columns, list and piece of code."""
    try:
        root = etree.fromstring(html, etree.HTMLParser(encoding="utf-8", huge_tree=True))
    except etree.ParseError:
        return
    for kind, names in _KINDS.items():
        for element in () if root is None else root.iter(*names):
            found = words(" ".join(map(str, element.itertext())))
            is_layout = kind == "table" and not _has_two_rows(element)
            within = next(element.iterancestors("table", "pre"), None)
            if not is_layout and within is None and len(found) >= _LEAST_WORDS:
                yield kind, found


def _has_two_rows(table: Any) -> bool:
    """Of two cells; other tables are layout, and so are those that contain another."""
    if next(table.iterdescendants("table"), None) is not None:
        return False
    return sum(len(list(row.iter("td", "th"))) >= 2 for row in table.iter("tr")) >= 2


def gold_elements(page: JudgedPage, gold: str) -> list[tuple[str, list[str]]]:
    known = set(runs(words(gold)))
    return [
        (kind, found)
        for kind, found in elements(page.utf8)
        if sum(run in known for run in runs(found)) >= _LEAST_SHARE * (len(found) - 2)
    ]


def runs(found: list[str]) -> Iterator[tuple[str, ...]]:
    return zip(found, found[1:], found[2:], strict=False)


def rendered(markdown: str) -> bytes:
    return str(_MARKDOWN.render(markdown)).encode()


TOOLS: dict[str, Callable[[bytes], bytes]] = {
    "boilersweep, learned": lambda page: rendered(boilersweep.clean(page, format="markdown")),
    "boilersweep, all blocks": lambda page: rendered(
        boilersweep.clean(page, "words>=1", format="markdown")
    ),
    "trafilatura": lambda page: rendered(
        trafilatura.extract(page, output_format="markdown", include_tables=True) or ""
    ),
    "resiliparse": lambda page: extract_plain_text(
        page.decode(), preserve_formatting="minimal_html", main_content=True
    ).encode(),
}


def element_rows(pages: Iterable[JudgedPage], truths: Mapping[str, Any]) -> list[list[Any]]:
    of_pages = ((page, gold_elements(page, truths[page.name]["main_content"])) for page in pages)
    some = list(islice(((page, gold) for page, gold in of_pages if gold), _PAGES))
    totals = Counter(kind for _, gold in some for kind, _ in gold)
    rows: list[list[Any]] = [["gold elements", *(totals[kind] for kind in _KINDS)]]
    for tool, extract in TOOLS.items():
        kept: Counter[str] = Counter()
        for page, gold in some:
            try:
                found = [(kind, Counter(one)) for kind, one in elements(extract(page.utf8))]
            except PageError:
                found = []
            for kind, one in gold:
                most = max(
                    ((other & Counter(one)).total() for k, other in found if k == kind), default=0
                )
                kept[kind] += most >= _LEAST_SHARE * len(one)
        rows.append([tool, *(kept[kind] / max(totals[kind], 1) for kind in _KINDS)])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--input", type=Path, required=True, help="the folder of WCXB")
    folder = parser.parse_args().input
    pages = read_dataset("wcxb", folder).pages
    truths = {}
    for path in folder.rglob("ground-truth/*.json"):
        truth = json.loads(path.read_text())
        truths[path.stem] = {**truth["ground_truth"], "url": truth.get("url")}
    heads = ["field", "", "gold", "right", "right if given", "given without gold"]
    print(tabulate(metadata_rows(pages, truths), heads, floatfmt=".3f"))
    step = list(pages[:: max(len(pages) // 700, 1)])
    print(tabulate(element_rows(step, truths), ["", *_KINDS], floatfmt=".3f"))


if __name__ == "__main__":
    main()
