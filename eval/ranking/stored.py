"""Read the stored fields of an index's documents."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boilersweep.errors import IndexingError
from boilersweep.indexer.lucene import DOCID, lucene_errors, open_directory
from boilersweep.indexer.searcher import Document


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """What can be shown of a document; "" for what its index does not hold.

    Attributes:
        title: The title.
        url: The URL.
        text: The searched text, if the index was built with --storeContents or --storeRaw.
        date: The date.
    """

    title: str = ""
    url: str = ""
    text: str = ""
    date: str = ""


def stored_documents(index: Path, docids: Sequence[str]) -> list[StoredDocument]:
    """Read the documents of some docids, which the index must have; the JVM must run.

    Raises:
        IndexingError: The index cannot be read.
    """
    from jnius import autoclass, cast

    term = autoclass("org.apache.lucene.index.Term")
    query = autoclass("org.apache.lucene.search.TermQuery")
    to_bytes = autoclass("org.apache.lucene.util.BytesRef")
    with lucene_errors(index):
        reader = autoclass("org.apache.lucene.index.DirectoryReader").open(open_directory(index))
        try:
            searcher = autoclass("org.apache.lucene.search.IndexSearcher")(
                cast("org.apache.lucene.index.IndexReader", reader)
            )
            fields = searcher.storedFields()
            documents = []
            for docid in docids:
                hits = searcher.search(query(term(DOCID, to_bytes(docid.encode()))), 1).scoreDocs
                if not hits:
                    raise IndexingError(f"{index} has changed meanwhile; search once more")
                documents.append(_stored(fields.document(hits[0].doc)))
            return documents
        finally:
            reader.close()


def _stored(document: Any) -> StoredDocument:
    """Return the fields to show of Lucene's document."""
    stored = Document(document)
    return StoredDocument(
        title=stored.get("title") or "",
        url=stored.get("url") or "",
        text=stored.text() or "",
        date=stored.get("date") or "",
    )
