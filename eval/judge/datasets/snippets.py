"""Pages with some strings known to be content and some not: `html/`, `snippets.jsonl`.

A line of `snippets.jsonl` is one page: the `name` of its file without suffix, the strings `with`
and `without`, and perhaps `url` and `language`. trafilatura is evaluated in this way, see
`boilersweep.eval.judge.scores`.
"""

from pathlib import Path

import msgspec

from boilersweep.errors import InputError
from boilersweep.eval.judge.datasets.page import (
    PAGE_SUFFIXES,
    DatasetFormat,
    JudgedPage,
    Pages,
    Skipped,
    named_files,
    paired,
)
from boilersweep.outputs.typed_files import decode_json
from boilersweep.pages.hosts import host_of
from boilersweep.pages.language import primary_tag

LINES = "snippets.jsonl"


def _read(home: Path) -> Pages:
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
    return paired(pages, (snippets, skipped), _page, missing=("no page", "no strings"))


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


def _page(name: str, path: Path, snippets: _Snippets) -> JudgedPage:
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


FORMAT = DatasetFormat(
    name="snippets",
    title="snippets",
    layout="html/, snippets.jsonl",
    folders=("html",),
    inside="snippets",
    measure="balanced",
    read=_read,
)
