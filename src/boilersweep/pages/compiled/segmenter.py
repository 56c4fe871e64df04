"""The compiled segmenter; importing it fails where the extension modules are not built."""

from functools import lru_cache
from operator import attrgetter

from boilersweep.pages.compiled.parser import Parser, has_object
from boilersweep.pages.elements import Borders
from boilersweep.pages.page import PackedPage, Page, pack
from boilersweep.pages.repairs import close_unclosed
from boilersweep.pages.segmenter import Segmenter, read_without_scripts

# A parser that read a larger page is dropped, as it keeps the memory that the page took.
_KEPT_BYTES = 4 * 2**20

# Python 3.13 crashes where it makes a function and memory is short: none is made for each page.
_ALL_WORDS = attrgetter("all_words")


class CompiledSegmenter(Segmenter):
    """A Segmenter many times as fast, with the same pages; what its parser leaves goes to lxml."""

    def __init__(
        self,
        *,
        borders: Borders = "block",
        structure: bool = False,
        most_blocks: int | None = None,
    ) -> None:
        super().__init__(borders=borders, structure=structure, most_blocks=most_blocks)
        self._options = (borders, structure, self._most)

    def html(self, utf8: bytes) -> Page:
        """Cut a page; see `Segmenter.html`."""
        return self.packed_html(utf8).unpacked()

    def packed_html(self, utf8: bytes) -> PackedPage:
        """Cut a page; see `Segmenter.packed_html`."""
        page: PackedPage = read_without_scripts(utf8, self._packed, _ALL_WORDS)
        return page

    def _packed(self, utf8: bytes) -> PackedPage:
        idle = _idle_parsers(*self._options)
        try:
            parser = idle.pop()
        except IndexError:
            parser = Parser(*self._options)
        page = parser.page(close_unclosed(utf8, has_object))
        if len(utf8) <= _KEPT_BYTES:
            idle.append(parser)
        return pack(self._parsed(utf8)) if page is None else page


@lru_cache(maxsize=8)
def _idle_parsers(_borders: Borders, _structure: bool, _most: int) -> list[Parser]:
    """Parsers that no thread uses now: to make one takes as long as to read a small page."""
    return []
