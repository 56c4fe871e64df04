"""What differs between versions of Anserini and Lucene, as the installed ones have it."""

from pathlib import Path

import pytest

from boilersweep.indexer import AnalyzerOptions
from boilersweep.indexer.analyzer import make_analyzer
from boilersweep.indexer.jvm import (
    compound_reader,
    known_names,
    may_be_name,
)
from boilersweep.indexer.lucene import IndexWriter, open_directory


@pytest.mark.java
def test_a_compound_file_is_opened(java: None, tmp_path: Path) -> None:
    from jnius import autoclass

    english = make_analyzer(AnalyzerOptions())
    writer = IndexWriter(tmp_path, english, 4.0, compound=True)
    documents = autoclass("java.util.ArrayList")()
    documents.add(autoclass("org.apache.lucene.document.Document")())
    writer.add(documents)
    writer.commit()
    directory = open_directory(tmp_path)
    infos = autoclass("org.apache.lucene.index.SegmentInfos")
    segment = infos.readLatestCommit(directory).info(0).info
    assert segment.getUseCompoundFile()
    names = compound_reader(directory, segment).listAll()
    assert {Path(name).suffix for name in names} >= {".fnm", ".fdt"}


@pytest.mark.parametrize("what", ["topics", "qrels"])
def test_names(what: str) -> None:
    for name in ("robust04", "wt10g", "trec2004-terabyte", "core17"):
        assert may_be_name(name, what)
    if names := known_names(what):  # pyserini 1 lists them
        assert names["trec2004-terabyte"] == "TREC2004_TERABYTE"
        assert len(names) > 100


@pytest.mark.parametrize(
    "text",
    ["topics", "topics-1.txt", "trec2004.tsv", "q1.qrels", "t1.jsonl", "a b-1", "x-1/"],
)
def test_a_missing_file_is_not_taken_for_a_name(text: str) -> None:
    assert not may_be_name(text, "topics")
