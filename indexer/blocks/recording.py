"""Documents of an index that knows its blocks, noted while Lucene reads their contents."""

from collections.abc import Callable, Sequence
from typing import Any

from boilersweep.cleaners.rules import Rule
from boilersweep.indexer.blocks.codec import COLUMNS, LINES, encode_columns
from boilersweep.indexer.compiled import java_class
from boilersweep.indexer.contents import NONCHARACTER, KeptText
from boilersweep.indexer.layout import IndexLayout, PageFields
from boilersweep.indexer.lucene import CONTENTS, DocumentMaker
from boilersweep.pages.columns import BlockColumns


class BlockDocumentMaker(DocumentMaker):
    """Makes documents of all blocks of a page, which record where each begins."""

    def __init__(
        self, layout: IndexLayout, given: Callable[[str], str], *, titles: bool
    ) -> None:
        """Prepare to make documents.

        Args:
            layout: The layout of the index.
            given: See `DocumentMaker`.
            titles: Whether the first line of contents is the title.
        """
        super().__init__(layout, given)
        self._titles = titles
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
        return super().document(docid, KeptText(text), shard, page)

    def set_columns(self, columns: bytes) -> None:
        """Give the document that was made last what rules read of it, see `encode_columns`."""
        self._taken[-1][1].columns.setBytesValue(columns)

    def _make(self, names: Sequence[str], searched: Sequence[str], again: int) -> Any:
        made = super()._make(names, searched, again)
        columns = self._doc_values(COLUMNS, self._bytes(b""))
        made.document.add(columns)
        made.document.add(self._contents.blocks(LINES))
        return made._replace(columns=columns)

    def _searched_field(self, name: str) -> Any:
        if name != CONTENTS:
            return super()._searched_field(name)
        recording = java_class("BlockContents")
        self._contents = recording(CONTENTS, self._empty, self._type)
        return self._contents


def columns_of(columns: BlockColumns, rules: Sequence[Rule]) -> list[bytes]:
    """Return what rules read of each document's blocks, with the masks of the stored rules."""
    return encode_columns(columns, [rule.mask(columns) for rule in rules])
