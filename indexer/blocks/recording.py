"""Documents of an index that knows its blocks, noted while Lucene reads their contents."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from boilersweep.cleaners.rules import Rule
from boilersweep.indexer.blocks.codec import (
    COLUMNS,
    LINES,
    encode_columns,
    encode_lines,
)
from boilersweep.indexer.compiled import java_class
from boilersweep.indexer.contents import NONCHARACTER, KeptText
from boilersweep.indexer.layout import IndexLayout, PageFields
from boilersweep.indexer.lucene import CONTENTS, DocumentMaker, java_errors
from boilersweep.pages.columns import BlockColumns

_ATTRIBUTES = "org.apache.lucene.analysis.tokenattributes."


class BlockDocumentMaker(DocumentMaker):
    """Makes documents of all blocks of a page, which record where each begins."""

    def __init__(
        self,
        layout: IndexLayout,
        given: Callable[[str], str],
        analyzer: Any,
        *,
        titles: bool,
    ) -> None:
        """Prepare to make documents.

        Args:
            layout: The layout of the index.
            given: See `DocumentMaker`.
            analyzer: Java's analyzer of the index.
            titles: Whether the first line of contents is the title.
        """
        super().__init__(layout, given)
        self._analyzer, self._titles = analyzer, titles
        self._recording = java_class("BlockContents")
        self._contents: Any = None

    def document(
        self,
        docid: str,
        kept: KeptText,
        shard: str = "",
        page: PageFields | None = None,
    ) -> Any:
        """Return a document of all blocks, see `DocumentMaker.document`."""
        lines = [kept.title, kept.text] if self._titles else [kept.text]
        text = "\n".join(lines).replace(NONCHARACTER, " ")
        document = super().document(docid, KeptText(text), shard, page)
        if not self._recording:
            _, lines_field = self._taken[-1][1].blocks
            lines_field.setBytesValue(_read_lines(self._analyzer, self._given(text)))
        return document

    def set_columns(self, columns: bytes) -> None:
        """Give the document that was made last what rules read of it, see `encode_columns`."""
        columns_field, _ = self._taken[-1][1].blocks
        columns_field.setBytesValue(columns)

    def _make(self, names: Sequence[str], searched: Sequence[str], again: int) -> Any:
        made = super()._make(names, searched, again)
        empty = self._bytes(b"")
        lines = (
            self._contents.blocks(LINES)
            if self._recording
            else self._doc_values(LINES, empty)
        )
        blocks = (self._doc_values(COLUMNS, empty), lines)
        for field in blocks:
            made.document.add(field)
        return made._replace(blocks=blocks)

    def _searched_field(self, name: str) -> Any:
        if name != CONTENTS or not self._recording:
            return super()._searched_field(name)
        self._contents = self._recording(CONTENTS, self._empty, self._type)
        return self._contents


def _read_lines(analyzer: Any, contents: str) -> bytes:
    """Return what `boilersweep.BlockContents` notes of contents, token by token.

    It takes some ten microseconds for each token.
    """
    from jnius import autoclass, cast

    def attribute(stream: Any, name: str) -> Any:
        kind = autoclass("java.lang.Class").forName(_ATTRIBUTES + name)
        return cast(_ATTRIBUTES + name, stream.addAttribute(kind))

    steps, offsets = [], []
    with java_errors(f"analysing a text of {len(contents):,} characters"):
        stream = analyzer.tokenStream(CONTENTS, contents)
        try:
            step = attribute(stream, "PositionIncrementAttribute")
            offset = attribute(stream, "OffsetAttribute")
            stream.reset()
            while stream.incrementToken():
                steps.append(step.getPositionIncrement())
                offsets.append(offset.startOffset())
            stream.end()
        finally:
            stream.close()
    # Java counts units of UTF-16.
    units = np.frombuffer(contents.encode("utf-16-le"), dtype="<u2")
    ends = np.flatnonzero(units == ord("\n"))
    lines = np.searchsorted(ends, offsets)
    positions = np.cumsum([0, *steps])
    stacked = np.array(steps, dtype=np.int64) == 0
    # A line begins at its first token, or where the next line with a token does.
    firsts = np.searchsorted(lines, np.arange(1, len(ends) + 1))
    behind = np.append(positions[1:] - 1, positions[-1])
    begins = np.concatenate([[0], behind[firsts], behind[-1:]])
    count = len(ends) + 1
    return encode_lines(
        np.diff(begins),
        np.bincount(lines[~stacked], minlength=count),
        np.bincount(lines[stacked], minlength=count),
    )


def columns_of(columns: BlockColumns, rules: Sequence[Rule]) -> list[bytes]:
    """Return what rules read of each document's blocks, with the masks of the stored rules."""
    return encode_columns(columns, [rule.mask(columns) for rule in rules])
