"""Pages that people marked block by block with `judge --annotate`: `html/` and `marks/`."""

import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import msgspec

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
from boilersweep.pages.compiled import make_segmenter
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
        """Return the blocks with their classes, under any borders.

        Raises:
            InputError: The page is cut into other texts than those that people marked.
        """
        utf8 = self.utf8
        page = segmenter.html(utf8)
        ends = [*accumulate(len(_letters(text)) for _, text in self.blocks)]
        starts = [*accumulate((len(_letters(text)) for text in page.texts), initial=0)]
        if "".join(map(_letters, page.texts)) != "".join(
            _letters(text) for _, text in self.blocks
        ):
            raise UnusableError("its text is not the one that was marked")
        labels = [self.blocks[bisect_right(ends, start)][0] for start in starts[:-1]]
        classes = [CLASSES.index(label) for label in labels]
        return AnnotatedPage(utf8, page, classes, [], is_annotated=True)


def _letters(text: str) -> str:
    """Return the letters and digits of a text, which no borders change."""
    return "".join(filter(str.isalnum, text))


def digest_of_page(body: bytes) -> str:
    """Return the SHA-256 of a page's file."""
    return hashlib.sha256(body).hexdigest()


def gold_text(blocks: Sequence[tuple[Label, str]]) -> str:
    """Return the text of headline, full text, supplemental text and comments."""
    return "\n".join(text for label, text in blocks if CLASSES.index(label) in CONTENT)


def _read(home: Path) -> Pages:
    """Read `html/NAME.html` and `marks/NAME.json`."""
    segmenter = make_segmenter()

    def page(name: str, path: Path, marks: Path) -> MarkedPage:
        try:
            found = decode_json(marks.read_bytes(), MarkedBlocks)
        except (OSError, ValueError) as error:
            raise UnusableError("the marks are not the JSON expected") from error
        if digest_of_page(readable_bytes(path)) != found.page:
            raise UnusableError("the page is another one than was marked")
        read = MarkedPage(
            name,
            path,
            found.charset,
            gold_text(found.blocks),
            host_of(found.url) or name,
            found.url,
            blocks=found.blocks,
        )
        read.marked(segmenter)
        return read

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
