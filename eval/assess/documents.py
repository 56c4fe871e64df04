"""The documents that people judge: what a page shows a reader, without its HTML."""

from collections.abc import Collection
from dataclasses import dataclass

from boilersweep.cleaners.rules import TEXTS
from boilersweep.eval.assess.log import digest_of_text
from boilersweep.store.store import BlockStore
from boilersweep.work.progress import steps

_LONGEST = 100_000  # characters of a text


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """A document as its assessor reads it.

    Attributes:
        docid: The document.
        title: Its title.
        url: Its address, or "".
        date: When it was fetched or published, or "".
        texts: The texts of all blocks in their order, none marked as kept or dropped.
    """

    docid: str
    title: str
    url: str
    date: str
    texts: tuple[str, ...]

    @property
    def digest(self) -> str:
        """The digest of the text that is judged."""
        return digest_of_text(self.title, *self.texts)


def shown_documents(store: BlockStore, docids: Collection[str]) -> dict[str, ShownDocument]:
    """Read some documents in one pass over the store, by docid; raise StoreError."""
    wanted = frozenset(docids)
    documents: dict[str, ShownDocument] = {}
    fields = store.fields(("url", "date"))
    with steps("read", store.documents, "documents") as bar:
        for columns in store.columns(TEXTS):
            for number, docid in enumerate(columns.docids):
                url, date = next(fields)
                if docid in wanted:
                    start, end = columns.starts[number], columns.starts[number + 1]
                    texts, left = [], _LONGEST
                    for text in columns.texts[start:end]:
                        texts.append(text[:left])
                        left -= len(text)
                        if left <= 0:
                            break
                    documents[docid] = ShownDocument(
                        docid, columns.titles[number], url or "", date or "", tuple(texts)
                    )
            bar.update(len(columns))
    return documents
