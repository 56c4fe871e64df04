"""A copy of a collected page to look at, made anew from the text of its blocks and some elements.

Nothing of the page's own markup is passed on: the copy has no script, style sheet, frame, form or
link, however a browser reads the page. The policy of the answer forbids the same once more.
`Originals` reads the page again from the store's input, where that is a folder or file here.
"""

from collections.abc import Mapping
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.responses import HTMLResponse

from boilersweep.collection.format import Record, SourceLocation, as_token
from boilersweep.collection.formats import named_format
from boilersweep.errors import CollectionError
from boilersweep.eval.people.documents import ShownDocument
from boilersweep.eval.serve.serving import render
from boilersweep.pages.elements import FOREIGN, Role
from boilersweep.pages.encoding import to_utf8
from boilersweep.pages.inert import ROLES, end_tag, start_tag
from boilersweep.pages.segmenter import Segmenter
from boilersweep.segmenting.input_file import InputDigests, input_errors, listed_input
from boilersweep.segmenting.tasks import reading_in
from boilersweep.store.manifest import STORE
from boilersweep.store.store import BlockStore

_HEADERS = {
    "content-security-policy": (
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-dns-prefetch-control": "off",
}


def copy_of_page(record: Record, shown: ShownDocument) -> HTMLResponse:
    """Answer with a copy of a page that runs nothing, loads nothing and leads nowhere."""
    utf8 = to_utf8(record.body, record.charset).utf8
    if record.plain:
        body = f"<pre>{escape(utf8.decode('utf-8', 'replace'))}</pre>"
    else:
        copy = _Copy()
        read = Segmenter(observers=[copy]).html(utf8)
        body = next(html for page, html in copy.pages if page is read)
    answer = render("copy", {"shown": shown, "body": Markup(body)})  # noqa: S704
    answer.headers.update(_HEADERS)
    return answer


class _Copy:
    """Observes a segmenter, and writes what it takes for text within harmless elements.

    Attributes:
        pages: Each reading of a page, which may be read twice, and its copy.
    """

    def __init__(self) -> None:
        self.pages: list[tuple[Any, str]] = []
        self._begin_page()

    def _begin_page(self) -> None:
        self._parts: list[str] = []
        self._dropped = 0  # elements open within the outermost one that is left out
        self._around: list[int] = []  # `_dropped` around each FOREIGN that is open

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Write a start tag."""
        if name == FOREIGN:
            self._around.append(self._dropped)
            self._dropped = 0
        if self._dropped:
            self._dropped += 1
        # Browsers without scripts show what is in noscript
        elif Role.HIDDEN <= ROLES[name] <= Role.TITLE and name != "noscript":
            self._dropped = 1
            self._parts.append(" ")
        else:
            self._parts.append(start_tag(name, attributes))

    def end(self, name: str) -> None:
        """Write an end tag."""
        if self._dropped:
            self._dropped -= 1
            return
        self._parts.append(end_tag(name))
        if name == FOREIGN:
            self._dropped = self._around.pop()

    def data(self, text: str) -> None:
        """Write text."""
        if not self._dropped:
            self._parts.append(escape(text))

    def block(self, kept: bool) -> None:
        """Write nothing at the end of a block."""

    def switch(self, is_off: bool) -> None:
        """Write nothing where search engines are switched off or on."""

    def doctype(
        self, name: str | None, public_id: str | None, system: str | None
    ) -> None:
        """Write no document type."""

    def finish(self, page: Any) -> None:
        """Keep the copy of a page."""
        self.pages.append((page, "".join(self._parts)))
        self._begin_page()


class Originals:
    """Reads pages of a store's input again, from files that did not change.

    Args:
        store: The store.
    """

    def __init__(self, store: BlockStore) -> None:
        self._store = store
        root = Path(store.manifest.input)
        # A manifest has absolute paths; URLs, datasets and pipes are none
        self._is_here = root.is_absolute()
        self._base = root if root.is_dir() else root.parent
        self._digests_then = {
            one["path"]: one["sha256"]
            for shard in store.manifest.shards
            for one in shard["input"]
        }

    def has(self, place: SourceLocation) -> bool:
        """Return whether the file of a page exists; `read` says whether it is as it was."""
        is_known = self._is_here and place.source in self._digests_then
        return is_known and (self._base / place.source).is_file()

    def read(self, docid: str, place: SourceLocation) -> Record:
        """Return a page in its original bytes.

        Args:
            docid: The docid, as the store has it.
            place: Where the store says it is.

        Raises:
            CollectionError: The file is gone, has changed or cannot be read.
            StoreError: The store's manifest has an unknown option.
        """
        if not self.has(place):
            raise CollectionError(
                f"{place.source} is not in {self._store.manifest.input} any more"
            )
        path = self._base / place.source
        if self._digests_now.of(path, place.source) != self._digests_then[place.source]:
            raise CollectionError(
                f"{path} was changed after it was read; run `boilersweep segment` again"
            )
        format_ = named_format(
            self._store.manifest.options["collection"], reading_in(self._store)
        )
        # A WARC file is read from the record on, if it is not compressed as a whole
        for start in (place.offset, 0) if format_.name == "warc" else (0,):
            with input_errors(path), path.open("rb") as raw:
                raw.seek(start)
                for item in format_.read(raw, place.source):
                    is_there = item.place.offset + start == place.offset
                    if (
                        is_there
                        and isinstance(item, Record)
                        and as_token(item.docid) == docid
                    ):
                        return item
                    if start and not is_there:
                        break
        raise CollectionError(f"{path} has no page {docid[:80]!r}")

    @cached_property
    def _digests_now(self) -> InputDigests:
        return InputDigests(listed_input(STORE.require(self._store.path)))
