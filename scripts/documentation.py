"""Make a retrieval collection of a manual with an index, as printed books have one.

    python scripts/documentation.py --manual FOLDER --output OUT

FOLDER has the HTML of a manual that Sphinx, DocBook or Texinfo made. The index's terms become
queries, and the pages that the index names for a term are relevant: its authors judged them. OUT
receives pages/ (without the index, which has the answers), topics.tsv and qrels.txt.
"""

import argparse
import re
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from lxml import html

from boilersweep.errors import BoilersweepError, InputError, OutputError, UsageError
from boilersweep.outputs.atomic import output_errors, write_text
from boilersweep.pages.encoding import to_utf8

# A term of more pages is a word of the manual rather than something to look up.
MOST_PAGES = 10

# Words of so many letters count: a query needs two of them.
_LETTERS = re.compile(r"[^\W\d_]{3,}")

_SUFFIXES = {".html", ".htm", ".xhtml"}

# A page that only leads to another one.
_REDIRECT = re.compile(rb"<meta\b[^>]*http-equiv\s*=\s*[\"']?refresh", re.IGNORECASE)

# What Sphinx says of a name: open() (built-in function), join() (in module os.path).
_KIND = re.compile(
    r"\([^)]*(module|class|built-in|method|attribute|function|macro|type|member|var|property"
    r"|opcode|option)[^)]*\)"
)

# The classes of Texinfo's tables: index-cp, cp-entries-printindex.
_TEXINFO = re.compile(r"index-\w+|\w+-entries-printindex")


@dataclass(frozen=True, slots=True)
class Entry:
    """A term of an index, and the addresses to which it leads."""

    term: str
    links: list[str]


@dataclass(slots=True)
class Manual:
    """The files of a manual.

    Attributes:
        pages: Path below its folder -> file, of the pages that can be found.
        indexes: The same of the index's pages -> their entries.
        left_out: Reason -> how many pages, terms or links are left out for it.
    """

    pages: dict[str, Path] = field(default_factory=dict)
    indexes: dict[str, list[Entry]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)


def main(arguments: list[str] | None = None) -> int:
    """Write the collection; 1 or 2 with a message if that is impossible."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--manual", type=Path, required=True, help="the folder of its HTML files"
    )
    parser.add_argument(
        "--output", type=Path, required=True, help="an empty or new folder"
    )
    args = parser.parse_args(arguments)
    try:
        make_collection(args.manual, args.output)
    except BoilersweepError as error:
        print(f"documentation: {error}", file=sys.stderr)
        return error.exit_status
    return 0


def make_collection(folder: Path, output: Path) -> None:
    """Write pages, topics and qrels of a manual; raises BoilersweepError."""
    if output.resolve().is_relative_to(folder.resolve()):
        raise UsageError(f"expected --output outside of the manual, got {output}")
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise OutputError(f"expected an empty or new folder as --output, got {output}")
    manual = read_manual(folder)
    relevant = relevant_pages(manual)
    if not relevant:
        terms = sum(map(len, manual.indexes.values()))
        raise InputError(
            f"expected terms of at least two words that lead to other pages, found none among "
            f"{terms:,} in {_named(manual)}: a manual on a single page, or an index of "
            "names alone, makes no topics"
        )
    with output_errors(output):
        for name, page in manual.pages.items():
            copy = output / "pages" / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(page, copy)
    topics, qrels = [], []
    for number, (term, names) in enumerate(sorted(relevant.items()), 1):
        topics.append(f"{number}\t{term}\n")
        qrels += [f"{number} 0 {docid_of(name)} 1\n" for name in sorted(names)]
    write_text(output / "topics.tsv", "".join(topics))
    write_text(output / "qrels.txt", "".join(qrels))
    print(f"{len(manual.pages):,} pages, {len(topics):,} topics in {output}")
    print(f"index: {_named(manual)}")
    for reason, count in manual.left_out.most_common():
        print(f"left out: {count:,} {reason}")


def _named(manual: Manual) -> str:
    names = list(manual.indexes)
    more = [f"{len(names) - 5:,} more"] if len(names) > 5 else []
    return ", ".join([*names[:5], *more])


def docid_of(name: str) -> str:
    """Return the docid under which boilersweep reads a page of a folder."""
    return name.rpartition(".")[0]


def read_manual(folder: Path) -> Manual:
    """Read the pages of a folder and their index; raises InputError."""
    if not folder.is_dir():
        found = "a file" if folder.exists() else "nothing"
        raise InputError(f"expected a manual's folder at {folder}, found {found} there")
    manual = Manual()
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() not in _SUFFIXES or not path.is_file():
            continue
        name = path.relative_to(folder).as_posix()
        try:
            body = path.read_bytes()
        except OSError as error:
            raise InputError(f"cannot read the page {path}: {error}") from error
        if re.search(r"\s", name):
            manual.left_out["pages whose names have white space, as no qrels can"] += 1
        elif _REDIRECT.search(body):
            manual.left_out["pages that only lead to others"] += 1
        elif (entries := index_entries(body)) is not None:
            manual.indexes[name] = entries
        else:
            manual.pages[name] = path
    if not manual.indexes:
        raise InputError(
            f"expected an index of Sphinx (genindex.html), DocBook or Texinfo among the HTML files "
            f"of {folder}, found none in {len(manual.pages):,} pages"
        )
    return manual


def relevant_pages(manual: Manual) -> dict[str, set[str]]:
    """Return query -> the pages that the index names for it, at most MOST_PAGES."""
    found: dict[str, set[str | None]] = defaultdict(set)
    for index, entries in manual.indexes.items():
        for entry in entries:
            pages = {page_of(index, link, manual.pages) for link in entry.links}
            found[query_of(entry.term)] |= pages
    relevant: dict[str, set[str]] = {}
    for query, linked in found.items():
        leads_to = {page for page in linked if page}
        if len(_LETTERS.findall(query)) < 2:
            manual.left_out["terms without two words of three letters"] += 1
        elif not leads_to:
            manual.left_out["terms that lead to none of the pages"] += 1
        elif len(leads_to) > MOST_PAGES:
            manual.left_out[f"terms of more than {MOST_PAGES} pages"] += 1
        else:
            relevant[query] = leads_to
    return relevant


def query_of(term: str) -> str:
    """Return a term's words, in lower case."""
    return " ".join(re.sub(r"[^\w\s'-]", " ", term).lower().split())


def page_of(index: str, link: str, pages: Mapping[str, Path]) -> str | None:
    """Return the page to which a link of an index's page leads, None for no page."""
    try:
        parts = urlsplit(urljoin(index, link))
    except ValueError:  # no address
        return None
    path = unquote(parts.path)
    named = [path, f"{path.rstrip('/')}/index.html".lstrip("/")]
    outside = parts.scheme or parts.netloc
    return None if outside else next((one for one in named if one in pages), None)


def index_entries(body: bytes) -> list[Entry] | None:
    """Return a page's entries with links if it is an index; None if it is not."""
    if not re.search(rb"index", body, re.IGNORECASE):
        return None
    parser = html.HTMLParser(encoding="utf-8")
    document = html.document_fromstring(to_utf8(body).utf8, parser=parser)
    parts = [
        found
        for element in document.iter("table", "div", "section")
        if (found := _part(element)) is not None
    ]
    return list(chain.from_iterable(parts)) if parts else None


def _part(element: html.HtmlElement) -> Iterator[Entry] | None:
    """Return the entries of an element if it is a part of an index."""
    names = element.get("class", "").lower().split()
    lists = []
    if "indextable" in names:
        lists = element.xpath(".//td/ul | .//td/dl")
    elif any(map(_TEXINFO.fullmatch, names)):
        return _rows(element)
    elif not ({"indexdiv", "index"} & {*names}) or not (lists := element.xpath("./dl")):
        return None
    return chain.from_iterable(map(_items, lists))


def _rows(table: html.HtmlElement) -> Iterator[Entry]:
    """Yield the entries of a table of Texinfo, whose rows begin with the term."""
    for row in table.iter("tr"):
        for link in row.xpath("./td//a")[:1]:
            if links := _links([link]):
                yield Entry(_folded(link.text_content()), links)


def _items(items: html.HtmlElement, above: str = "") -> Iterator[Entry]:
    """Yield the entries of a list in an index, each with the terms around it."""
    for item in items.iterchildren("dt", "li"):
        own = _own_text(item)
        is_subterm = not (above and own.startswith(("(", "[")))
        own = _KIND.sub("", own).strip(" ;,:()") if is_subterm else ""
        term = f"{above} {own}".strip()
        if links := _links(item.iterchildren("a")):
            yield Entry(term, links)
        after = item.getnext()
        is_described = item.tag == "dt" and after is not None and after.tag == "dd"
        holder = after if is_described else item
        for deeper in holder.iterchildren("ul", "dl"):
            yield from _items(deeper, term)


def _links(links: Iterable[html.HtmlElement]) -> list[str]:
    """Return the addresses of links that leave the page."""
    found = [link.get("href", "").strip() for link in links]
    return [address for address in found if address and not address.startswith("#")]


def _own_text(item: html.HtmlElement) -> str:
    """Return an item's text before its first link, or that link's text."""
    own = item.text or ""
    for child in item.iterchildren():
        if child.tag == "a":
            return _folded(own) or _folded(child.text_content())
        if child.tag in ("ul", "dl"):
            break
        own += child.text_content() + (child.tail or "")
    return _folded(own)


def _folded(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    sys.exit(main())
