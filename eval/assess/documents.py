"""The documents that people judge: what a page shows a reader, without its HTML."""

from collections.abc import Collection
from dataclasses import dataclass

from boilersweep.cleaners.rules import TEXTS
from boilersweep.store.store import BlockStore
from boilersweep.work.progress import steps

_LONGEST = 100_000  # characters of a text


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """texts: of all blocks in their order, none marked as kept or dropped."""

    docid: str
    title: str
    url: str
    date: str
    texts: tuple[str, ...]


def shown_documents(store: BlockStore, docids: Collection[str]) -> dict[str, ShownDocument]:
    """Docid -> document, from one pass over the store; raises StoreError."""
    wanted = frozenset(docids)
    found: dict[str, ShownDocument] = {}
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
                    found[docid] = ShownDocument(
                        docid, columns.titles[number], url or "", date or "", tuple(texts)
                    )
            bar.update(len(columns))
    return found
