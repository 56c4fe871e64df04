"""What an index holds of its documents, read back."""

from pathlib import Path
from typing import Any

import pytest

from boilersweep.errors import IndexingError
from boilersweep.eval.ranking.search import StoredDocument, stored_documents
from boilersweep.indexer.analyzer import AnalyzerOptions, make_analyzer
from boilersweep.indexer.contents import KeptText
from boilersweep.indexer.layout import IndexLayout
from boilersweep.indexer.lucene import DocumentMaker, IndexWriter

pytestmark = [pytest.mark.java, pytest.mark.usefixtures("java")]

MARKED = "\ufeffb"  # pyjnius drops the first character of such a docid


def make_index(path: Path, *, stored: bool, **fields: str) -> Path:
    """Build an index of two documents, with some stored fields."""
    from jnius import autoclass

    maker = DocumentMaker(IndexLayout(contents=stored))
    writer = IndexWriter(path, make_analyzer(AnalyzerOptions()), 16.0)
    documents: Any = autoclass("java.util.ArrayList")()
    for docid in ("a", MARKED):
        document = maker.document(docid, KeptText(f"text of {docid[-1]} 😀"))
        for name, value in fields.items():
            document.add(autoclass("org.apache.lucene.document.StoredField")(name, value))
        documents.add(document)
    writer.add(documents)
    writer.commit()
    return path


def test_stored_fields_are_read(tmp_path: Path) -> None:
    index = make_index(tmp_path / "index", stored=True, title="A title", url="http://x/")
    assert stored_documents(index, [MARKED, "a", MARKED]) == [
        StoredDocument("A title", "http://x/", f"text of {name} 😀") for name in "bab"
    ]


def test_the_text_of_raw_is_read(tmp_path: Path) -> None:
    raw = '{"id": "a", "contents": "of raw"}'
    index = make_index(tmp_path / "index", stored=False, date="2006-01-31", raw=raw)
    assert stored_documents(index, ["a"]) == [StoredDocument(text="of raw", date="2006-01-31")]


def test_what_is_not_stored_is_empty(tmp_path: Path) -> None:
    index = make_index(tmp_path / "index", stored=False)
    assert stored_documents(index, ["a"]) == [StoredDocument()]
    assert stored_documents(index, []) == []


def test_a_folder_without_an_index(tmp_path: Path) -> None:
    with pytest.raises(IndexingError, match="no index in"):
        stored_documents(tmp_path, ["a"])
