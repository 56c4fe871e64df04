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

    text: what is searched, where the index was built with --storeContents or --storeRaw.
    """

    title: str = ""
    url: str = ""
    text: str = ""
    date: str = ""


def stored_documents(index: Path, docids: Sequence[str]) -> list[StoredDocument]:
    """The documents of some docids, which the index must have. The JVM must run.

    Raises IndexingError where the index cannot be read.
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
            found = []
            for docid in docids:
                hits = searcher.search(query(term(DOCID, to_bytes(docid.encode()))), 1).scoreDocs
                if not hits:
                    raise IndexingError(f"{index} has changed meanwhile; search once more")
                found.append(_stored(fields.document(hits[0].doc)))
            return found
        finally:
            reader.close()


def _stored(document: Any) -> StoredDocument:
    """document: Lucene's, with its stored fields."""
    stored = Document(document)
    return StoredDocument(
        title=stored.get("title") or "",
        url=stored.get("url") or "",
        text=stored.text() or "",
        date=stored.get("date") or "",
    )
