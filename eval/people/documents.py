"""A document as people read it who judge or mark it: what a page shows, without its HTML."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from boilersweep.cleaners.rules import Weighted
from boilersweep.cleaners.selection import Cleaner, ExtractorBlocks, PageText
from boilersweep.cleaners.stored import columns_for
from boilersweep.collection.format import SourceLocation
from boilersweep.eval.people.log import digest_of_text
from boilersweep.pages.columns import BlockColumns, BoolArray, documents_of
from boilersweep.store.store import BlockStore
from boilersweep.work.progress import steps

LONGEST = 100_000  # characters of a text that is read to be judged


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """A document as its assessor reads it.

    Attributes:
        docid: The document.
        title: Its title.
        url: Its address, or "".
        date: When it was fetched or published, or "".
        texts: The texts of all blocks in their order.
        kept: Whether any of the compared cleaners keeps each block.
        place: Where the collection has the page.
        words: The words of each block.
    """

    docid: str
    title: str
    url: str
    date: str
    texts: tuple[str, ...]
    kept: tuple[bool, ...]
    place: SourceLocation
    words: tuple[int, ...] = ()

    @property
    def digest(self) -> str:
        """The digest of the text that is judged."""
        return digest_of_text(self.title, *self.texts)


def shown_documents(
    store: BlockStore,
    docids: Collection[str],
    cleaners: Sequence[Cleaner],
    longest: int = LONGEST,
) -> dict[str, ShownDocument]:
    """Read some documents in one pass over the store.

    Args:
        store: The store.
        docids: The documents.
        cleaners: The cleaners of which `ShownDocument.kept` tells.
        longest: How many characters of a document are read.

    Returns:
        Docid -> document, in the order of the store.

    Raises:
        StoreError: The store is damaged.
    """
    wanted = frozenset(docids)
    documents: dict[str, ShownDocument] = {}
    fields = store.fields(("url", "date", "source", "offset"))
    with steps("read", store.documents, "documents") as bar:
        for every in columns_for(store, cleaners):
            here = np.fromiter((docid in wanted for docid in every.docids), np.bool_)
            known = [row for _, row in zip(here, fields, strict=False)]
            columns = documents_of(every, here)
            kept = _kept_by_any(columns, cleaners).tolist()
            places = zip(np.flatnonzero(here).tolist(), columns.docids, strict=True)
            for index, (place, docid) in enumerate(places):
                start, end = columns.starts[index], columns.starts[index + 1]
                texts = _cut(columns.texts[start:end], longest)
                marks = tuple(kept[start : start + len(texts)])
                url, date, source, offset = known[place]
                documents[docid] = ShownDocument(
                    docid,
                    columns.titles[index],
                    url or "",
                    date or "",
                    texts,
                    marks,
                    SourceLocation(source, int(offset)),
                    tuple(columns.words[start : start + len(texts)].tolist()),
                )
            bar.update(len(every))
    return documents


def _cut(blocks: Sequence[str], longest: int) -> tuple[str, ...]:
    texts, left = [], longest
    for text in blocks:
        texts.append(text[:left])
        left -= len(text)
        if left <= 0:
            break
    return tuple(texts)


def _kept_by_any(columns: BlockColumns, cleaners: Sequence[Cleaner]) -> BoolArray:
    """Return (b,) True for each block that a cleaner keeps, or has words of in its text."""
    kept = np.zeros(len(columns.words), dtype=np.bool_)
    for cleaner in cleaners:
        if isinstance(cleaner, PageText):
            kept |= ExtractorBlocks(cleaner.name).mask(columns)
        else:
            kept |= True if isinstance(cleaner, Weighted) else cleaner.mask(columns)
    return kept
