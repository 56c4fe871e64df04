"""Pages that people marked block by block with `judge --annotate`: `html/` and `marks/`."""

import hashlib
from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import msgspec
import numpy as np

from boilersweep.eval.judge.datasets.judged_page import (
    CLASSES,
    CONTENT,
    PAGE_SUFFIXES,
    AnnotatedPage,
    DatasetFormat,
    JudgedPage,
    Label,
    Pages,
    UnusableError,
    named_files,
    paired,
    readable_bytes,
)
from boilersweep.outputs.typed_files import decode_json
from boilersweep.pages.alignment import align
from boilersweep.pages.metadata_values import host_of
from boilersweep.pages.segmenter import Segmenter


class MarkedBlocks(msgspec.Struct, frozen=True, kw_only=True):
    """A file of `marks/`.

    Attributes:
        page: The SHA-256 of the page's file.
        docid: The page's name in its collection.
        url: Its address, or "".
        charset: The label that came with the page, or None.
        people: Who marked it.
        proposed: Whether one of them saw a program's proposal.
        blocks: The class and the text of each block.
    """

    page: str
    docid: str
    url: str = ""
    charset: str | None = None
    people: tuple[str, ...] = ()
    proposed: bool = False
    blocks: tuple[tuple[Label, str], ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedPage(JudgedPage):
    """A page with the class and the text of each block."""

    blocks: tuple[tuple[Label, str], ...] = ()

    def marked(self, segmenter: Segmenter) -> AnnotatedPage:
        """Return the blocks with their classes, under any borders."""
        utf8 = self.utf8
        page = segmenter.html(utf8)
        classes = self._classes(page.texts)
        return AnnotatedPage(utf8, page, classes, [], is_annotated=True)

    def _classes(self, texts: Sequence[str]) -> list[int]:
        """Return the number of the class of each block of the page."""
        labels = [CLASSES.index(label) for label, _ in self.blocks]
        ends = [*accumulate(len(_letters(text)) for _, text in self.blocks)]
        starts = [*accumulate((len(_letters(text)) for text in texts), initial=0)]
        marked = "".join(_letters(text) for _, text in self.blocks)
        if "".join(map(_letters, texts)) == marked:
            return [labels[bisect_right(ends, start)] for start in starts[:-1]]
        # Other borders keep text that those of the marks left out
        known = sorted({0, *labels})
        shares = [align(texts, text_of(self.blocks, [n])).shares for n in known]
        return [known[number] for number in np.argmax(shares, axis=0).tolist()]


def _letters(text: str) -> str:
    """Return the letters and digits of a text, which no borders change."""
    return "".join(filter(str.isalnum, text))


def digest_of_page(body: bytes) -> str:
    """Return the SHA-256 of a page's file."""
    return hashlib.sha256(body).hexdigest()


def text_of(blocks: Sequence[tuple[Label, str]], classes: Collection[int]) -> str:
    """Return the text of the blocks of some classes, a line for each."""
    return "\n".join(text for label, text in blocks if CLASSES.index(label) in classes)


def _read(home: Path) -> Pages:
    """Read `html/NAME.html` and `marks/NAME.json`."""

    def page(name: str, path: Path, marks: Path) -> MarkedPage:
        try:
            marked = decode_json(marks.read_bytes(), MarkedBlocks)
        except (OSError, ValueError) as error:
            raise UnusableError("the marks are not the JSON expected") from error
        if digest_of_page(readable_bytes(path)) != marked.page:
            raise UnusableError("the page is another one than was marked")
        return MarkedPage(
            name,
            path,
            marked.charset,
            text_of(marked.blocks, CONTENT),
            host_of(marked.url) or name,
            marked.url,
            blocks=marked.blocks,
        )

    pages = named_files(home / "html", PAGE_SUFFIXES)
    marks = named_files(home / "marks", (".json",))
    return paired(pages, marks, page, missing=("no page", "no marks"))


MARKED = DatasetFormat(
    name="marked",
    title="pages that people marked with `boilersweep judge --annotate`",
    layout="html/, marks/",
    folders=("html", "marks"),
    read=_read,
)
