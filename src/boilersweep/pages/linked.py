"""Pages with their blocks as they were written: white space as it came, links with addresses."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from boilersweep.pages.elements import PARAGRAPH, SKIPPED
from boilersweep.pages.page import Page
from boilersweep.pages.segmenter import BlockTarget, Segmenter
from boilersweep.pages.structure import Recorder


@dataclass(frozen=True, slots=True)
class Piece:
    """Some characters as they were written, and the address of the link they stand in, or ""."""

    text: str
    address: str


@dataclass(slots=True)
class LinkedPage(Page):
    """A page. pieces: of each block, with the white space before it in its paragraph."""

    pieces: list[list[Piece]] = field(default_factory=list)


class LinkedSegmenter(Segmenter):
    """A Segmenter in pure Python, with the same blocks, whose pages are `LinkedPage`."""

    def html(self, utf8: bytes) -> LinkedPage:
        return cast(LinkedPage, super().html(utf8))

    def _new_target(self, transparent: frozenset[str]) -> "_LinkedTarget":
        return _LinkedTarget(transparent, self._most)


class _LinkedTarget:
    """The target, the recorder of the structure and that of the pieces, told of the same tags."""

    def __init__(self, transparent: frozenset[str], most: int) -> None:
        recorder = Recorder(transparent, SKIPPED, PARAGRAPH, most)
        pieces: list[Piece] = []  # since the block before
        of_blocks: list[list[Piece]] = []
        addresses: list[str] = []  # of the links that are open
        skipping = 0  # elements open within the outermost skipped one, itself included

        def block(kept: bool) -> None:
            recorder.block(kept)
            if kept:
                of_blocks.append(pieces.copy())
                pieces.clear()
            else:  # a mark without a word is left out, as it is of the text
                pieces[:] = [Piece(" ", "")]

        target = BlockTarget(transparent, most, block)

        def start(name: str, attributes: Mapping[str, str]) -> None:
            nonlocal skipping
            target.start(name, attributes)
            recorder.start(name, attributes)
            if skipping or name in SKIPPED or name == "title":
                skipping += 1
            elif name == "a":
                addresses.append(attributes.get("href", "").strip())
            elif name not in PARAGRAPH:
                pieces.clear()  # white space between paragraphs

        def end(name: str) -> None:
            nonlocal skipping
            target.end(name)
            recorder.end(name)
            if skipping:
                skipping -= 1
            elif name == "a":
                addresses.pop()
            elif name not in PARAGRAPH:
                pieces.clear()

        def data(text: str) -> None:
            target.data(text)
            recorder.data(text)
            if not skipping:
                pieces.append(Piece(text, addresses[-1] if addresses else ""))

        def close() -> None:
            nonlocal skipping, of_blocks
            try:
                target.close()
            finally:
                page = target.page
                self.page = LinkedPage(
                    *(page.title, page.texts, page.words, page.density, page.link_words, page.tags),
                    structure=recorder.close(),
                    pieces=of_blocks,
                )
                of_blocks = []
                pieces.clear()
                addresses.clear()
                skipping = 0

        self.page = LinkedPage()
        self.start = start
        self.end = end
        self.data = data
        self.doctype = recorder.doctype
        self.close = close
