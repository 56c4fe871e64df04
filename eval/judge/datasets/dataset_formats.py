"""The layouts of datasets, each a `DatasetFormat` below the functions that read it.

`FORMATS` lists them; pages that are annotated block by block are in `l3s` and `marked`.
"""

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar

import msgspec

from boilersweep.errors import InputError
from boilersweep.eval.judge.datasets.judged_page import (
    PAGE_SUFFIXES,
    DatasetFormat,
    JudgedPage,
    Pages,
    Skipped,
    UnusableError,
    named_files,
    page_bytes,
    paired,
    printable,
    text_of,
)
from boilersweep.eval.judge.datasets.l3s import L3S_GN1
from boilersweep.eval.judge.datasets.marked import MARKED
from boilersweep.outputs.typed_files import decode_json, parse_json
from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.language import primary_tag
from boilersweep.pages.metadata_values import host_of

# Elements that begin and end in a gold text in HTML; as a page's text, their signs are escaped.
_NAMES = (
    "a|b|blockquote|body|center|div|em|font|h[1-6]|html|i|li|ol|p|pre|span|strong|table|td|tr"
    "|ul"
)
_START_TAG = re.compile(rf"<(?:{_NAMES})(?:\s[^<>]*)?>", re.IGNORECASE)
_END_TAG = re.compile(rf"</(?:{_NAMES})\s*>", re.IGNORECASE)
_SHOWN_TAG = re.compile(rb"&(?:lt|#60|#x3c);?/", re.IGNORECASE)

_HOST = re.compile(r"(?:^|[_/])((?:[a-z0-9-]+\.)+[a-z]{2,})(?=_|$)")


def _read_folder(home: Path) -> Pages:
    """Read one's own pages and gold texts.

    `NAME.html` beside `NAME.txt`, at any depth, or the same in two folders `html` and `text`.
    """
    html, text = home / "html", home / "text"
    if not (html.is_dir() and text.is_dir()):
        html = text = home
    pages = named_files(html, PAGE_SUFFIXES, deep=True)
    return paired(pages, named_files(text, (".txt",), deep=True), _own_page)


def _own_page(name: str, path: Path, gold: Path) -> JudgedPage:
    """Return a page, whose site is the host in its name if there is one.

    The host is between underscores, as in `20111215_www.bbc.co.uk_10ad28b1`.
    """
    host = _HOST.search(name)
    site = host[1].removeprefix("www.") if host else name
    text = text_of(gold)
    is_html = _is_html(text, path)
    if is_html:
        text = "\n".join(make_segmenter().html(text.encode()).texts)
    return JudgedPage(name, path, None, text, site, is_read_as_html=is_html)


def _is_html(text: str, path: Path) -> bool:
    """Return whether a gold text has tags that are markup; a page about HTML shows such tags."""
    if not (_START_TAG.search(text) and _END_TAG.search(text)):
        return False
    return not _SHOWN_TAG.search(page_bytes(path))


FOLDER = DatasetFormat(
    name="folder",
    title="pages (.html, .htm, also with .gz) and gold texts (.txt) of the same names",
    layout="NAME.html beside NAME.txt, or in html/ and text/",
    read=_read_folder,
)


_URL_LINE = re.compile(r"\s*URL:\s*(\S*)[^\n]*(?:\n|$)")
_PLAIN_MARK = re.compile(r"</?[hlp]>", re.IGNORECASE)
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


def _read_cleaneval(home: Path) -> Pages:
    """Read `input/*.html` and `GoldStandard/*.txt` of CleanEval.

    Source: Baroni, Chantree, Kilgarriff and Sharoff, CleanEval: a competition for cleaning web
    pages, LREC 2008. The pages are in a `<text id="URL" title="..." encoding="...">` element, which
    is removed as it is no part of them.
    """
    pages = named_files(home / "input", PAGE_SUFFIXES)
    return paired(
        pages,
        named_files(home / "GoldStandard", (".txt",)),
        _wrapped_page,
        order=_number,
    )


def without_address(text: str) -> tuple[str, str]:
    """Return a gold text without its first line's address, and the address or ""."""
    first = _URL_LINE.match(text)
    return (text[first.end() :], first[1]) if first else (text, "")


def plain_gold(text: str) -> tuple[str, str]:
    """Return a gold text without its marks <h>, <p> and <l>, and its first line's address or ""."""
    body, url = without_address(text)
    return _PLAIN_MARK.sub(" ", body), url


def _wrapped_page(name: str, path: Path, gold_path: Path) -> WrappedPage:
    text = text_of(gold_path)
    labelled, gold_url = without_address(text)
    _, attributes = _unwrapped(page_bytes(path))
    url = attributes.get("id") or gold_url
    return WrappedPage(
        name,
        path,
        attributes.get("encoding"),
        plain_gold(text)[0],
        host_of(url) or name,
        url=url,
        labelled=labelled,
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


CLEANEVAL = DatasetFormat(
    name="cleaneval",
    title="CleanEval",
    layout="input/, GoldStandard/",
    folders=("input", "GoldStandard"),
    inside="cleaneval-final",
    licence="CleanEval, Baroni et al., 2008: its pages are not to be passed on",
    read=_read_cleaneval,
)


LINES = "snippets.jsonl"


def _read_snippets(home: Path) -> Pages:
    """Read pages with some strings known to be content and some not: `html/`, `snippets.jsonl`.

    A line of the file is for a page: the `name` of its file without suffix, the strings `with` and
    `without`, and perhaps `url` and `language`. trafilatura is evaluated in this way, see
    `boilersweep.eval.judge.scores`.
    """
    try:
        lines = (home / LINES).read_bytes().splitlines()
    except OSError as error:
        raise InputError(
            f"expected snippets at {home}, with {LINES}: {error}"
        ) from error
    skipped = []
    snippets: dict[str, _Snippets] = {}
    for number, line in enumerate(lines, start=1):
        try:
            page = decode_json(line, _Snippets)
        except ValueError:
            page = _Snippets("")
        if not (page.wanted or page.unwanted):
            skipped.append(Skipped(f"line {number}", f"no line of {LINES} as expected"))
        elif snippets.setdefault(page.name, page) is not page:
            skipped.append(Skipped(page.name, "another line has the same name"))
    pages = named_files(home / "html", PAGE_SUFFIXES)
    return paired(
        pages, (snippets, skipped), _page_of_snippets, missing=("no page", "no strings")
    )


class _Snippets(msgspec.Struct):
    """A line of `snippets.jsonl`."""

    name: str
    url: str = ""
    language: str = ""
    wanted: list[str] = msgspec.field(name="with", default_factory=list)
    unwanted: list[str] = msgspec.field(name="without", default_factory=list)

    def __post_init__(self) -> None:
        self.wanted = [text for text in self.wanted if text.strip()]
        self.unwanted = [text for text in self.unwanted if text.strip()]


def _page_of_snippets(name: str, path: Path, snippets: _Snippets) -> JudgedPage:
    return JudgedPage(
        name,
        path,
        None,
        "",
        host_of(snippets.url) or name,
        snippets.url,
        language=primary_tag(snippets.language),
        wanted=tuple(snippets.wanted),
        unwanted=tuple(snippets.unwanted),
    )


SNIPPETS = DatasetFormat(
    name="snippets",
    title="snippets",
    layout="html/, snippets.jsonl",
    folders=("html",),
    inside="snippets",
    measure="balanced",
    read=_read_snippets,
)


def _read_wcxb(home: Path) -> Pages:
    """Read a split of the Web Content Extraction Benchmark, CC BY 4.0.

    A page's type is that of its ground truth, as in the benchmark's own evaluation: there
    "category" is an old name of "collection", and a page without a type is an "article".
    metadata.json is beside the split or in the folder above; without it a page's site is the host
    of its address.
    """
    pages = named_files(home / "html", PAGE_SUFFIXES)
    truths = named_files(home / "ground-truth", (".json",))
    missing = ("no page", "no ground truth")
    return paired(pages, truths, partial(_typed_page, _metadata(home)), missing=missing)


def _typed_page(
    metadata: dict[str, Any], name: str, path: Path, truth_path: Path
) -> JudgedPage:
    truth, known = _json(truth_path), metadata.get(name)
    gold = truth.get("ground_truth") if isinstance(truth, dict) else None
    if not isinstance(gold, dict):
        raise UnusableError("the ground truth is not the JSON expected")
    url = _string(truth.get("url"))
    domain = _string(known.get("domain")) if isinstance(known, dict) else ""
    return JudgedPage(
        name,
        path,
        None,
        _string(gold.get("main_content")),
        domain or host_of(url) or name,
        url,
        page_type=_page_type(truth),
        title=_string(gold.get("title")),
    )


def _page_type(truth: dict[str, Any]) -> str:
    internal = truth.get("_internal")
    kind = internal.get("page_type") if isinstance(internal, dict) else None
    if isinstance(kind, dict):
        kind = kind.get("primary")
    kind = _string(kind) or "article"
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


def _string(value: Any) -> str:
    """Return a string of JSON, which may contain halves of characters; "" for other values."""
    return printable(value) if isinstance(value, str) else ""


def _json(path: Path) -> Any:
    """Return the content of a JSON file, None for a broken one."""
    try:
        return parse_json(path.read_bytes())
    except (OSError, ValueError):
        return None


WCXB = DatasetFormat(
    name="wcxb",
    title="WCXB",
    layout="html/, ground-truth/",
    folders=("html", "ground-truth"),
    inside="dev",
    measure="word_f1",
    licence="Web Content Extraction Benchmark (WCXB), development split, Murrough Foley, 2026, "
    "https://github.com/murroughfoley/wcxb, CC BY 4.0 "
    "(https://creativecommons.org/licenses/by/4.0/); the pages were reduced to numbers",
    read=_read_wcxb,
)


_SELECTED = re.compile(
    r"""\scc-select\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]*)""", re.IGNORECASE
)


class _Line(msgspec.Struct):
    track_id: Annotated[str, msgspec.Meta(min_length=1)]
    html: str
    convert_main_content: str = ""
    groundtruth_content: str = ""
    url: str | None = None
    meta: dict[str, Any] = {}


@dataclass(frozen=True, slots=True)
class LinePage(JudgedPage):
    """A page of the line that begins at `offset` of its file."""

    offset: int = 0
    markdown: ClassVar[bool] = True

    @property
    def html(self) -> bytes:
        """The line's HTML as UTF-8, read at each call; raises InputError."""
        try:
            with self.path.open("rb") as file:
                file.seek(self.offset)
                line = decode_json(file.readline(), _Line)
        except (OSError, ValueError) as error:
            raise InputError(
                f"cannot read {self.name} of {self.path}: {error}"
            ) from error
        return _SELECTED.sub("", line.html).encode()


def _read_lines(home: Path) -> Pages:
    """Read WebMainBench: a page per line with its HTML and its main content in Markdown.

    Apache 2.0. Source: Liu et al., Dripper: Token-Efficient Main HTML Extraction with a Lightweight
    LM, arXiv 2511.23119, 2025. The gold text is `convert_main_content`, by which its board is
    computed, or `groundtruth_content`. What its annotators left in the HTML is removed.
    """
    pages: dict[str, JudgedPage] = {}
    skipped = []
    for path in sorted(home.glob("*.jsonl")):
        with path.open("rb") as file:
            for line in iter(file.readline, b""):
                offset = file.tell() - len(line)
                try:
                    page = _line_page(path, offset, decode_json(line, _Line))
                except ValueError:
                    skipped.append(
                        Skipped(
                            f"{path.name} at byte {offset:,}",
                            "no line with track_id and html",
                        )
                    )
                    continue
                if pages.setdefault(page.name, page) is not page:
                    skipped.append(
                        Skipped(page.name, "another line has the same track_id")
                    )
    return [pages[name] for name in sorted(pages)], skipped


def _line_page(path: Path, offset: int, line: _Line) -> JudgedPage:
    url = line.url or ""
    return LinePage(
        line.track_id,
        path,
        "utf-8",
        line.convert_main_content or line.groundtruth_content,
        host_of(url) or line.track_id,
        url,
        page_type=str(line.meta.get("level") or ""),
        language=primary_tag(str(line.meta.get("language") or "")),
        offset=offset,
    )


WEBMAINBENCH = DatasetFormat(
    name="webmainbench",
    title="WebMainBench",
    layout="*.jsonl",
    licence="WebMainBench, OpenDataLab, 2025, https://github.com/opendatalab/WebMainBench, "
    "Apache 2.0; the pages were reduced to numbers",
    read=_read_lines,
)

# The datasets that can be read, by name.
FORMATS = {
    one.name: one
    for one in (L3S_GN1, CLEANEVAL, WCXB, SNIPPETS, FOLDER, MARKED, WEBMAINBENCH)
}
