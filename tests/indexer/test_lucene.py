"""IndexWriter and DocumentMaker: what is written is read back, and failures raise."""
# ruff: noqa: RUF001

from pathlib import Path
from typing import Any

import pytest

from boilersweep.errors import IndexingError
from boilersweep.indexer.analyzer import AnalyzerOptions, make_analyzer
from boilersweep.indexer.contents import KeptText
from boilersweep.indexer.layout import IndexLayout, parallel_layout
from boilersweep.indexer.lucene import (
    DocumentMaker,
    IndexWriter,
    count_index,
    counting_analyzer,
    file_sizes,
    lucene_errors,
)
from boilersweep.indexer.pieces import NONCHARACTER
from tests.indexer.conftest import Terms

pytestmark = pytest.mark.usefixtures("java")


def write(
    path: Path,
    contents: dict[str, str],
    analyzer: Any = None,
    layout: IndexLayout | None = None,
    **how: bool,
) -> None:
    from jnius import autoclass

    maker = DocumentMaker(layout or parallel_layout())
    writer = IndexWriter(path, analyzer or counting_analyzer(NONCHARACTER), 4.0, **how)
    documents = autoclass("java.util.ArrayList")()
    for docid, text in contents.items():
        documents.add(maker.document(docid, KeptText(text)))
    writer.add(documents)
    writer.commit()


def test_frequencies_stand_behind_the_separator(tmp_path: Path, vocabulary: Terms) -> None:
    long = "w" * 255
    write(tmp_path, {"a": f"x\uffff3 y a|7 {long}\uffff12", "b": "x 𝒳𝓎\uffff2"})
    assert list(vocabulary(tmp_path)) == [
        ("a|7", 1, 1),
        (long, 1, 12),
        ("x", 2, 4),
        ("y", 1, 1),
        ("𝒳𝓎", 1, 2),
    ]
    assert count_index(tmp_path) == (2, 20)


def test_docids_and_stored_contents_keep_every_character(tmp_path: Path) -> None:
    from jnius import autoclass

    contents = {"ünï-😀": "text 𝒳𝓎𝓏 with 😀 \u0000 and 日本", "b": "plain"}
    write(tmp_path, contents, make_analyzer(AnalyzerOptions()), IndexLayout(contents=True))
    searcher = autoclass("io.anserini.search.SimpleSearcher")(str(tmp_path))
    hits = searcher.search("text plain", 10)
    assert {hit.docid for hit in hits} == set(contents)
    assert [searcher.doc_contents(docid) for docid in contents] == list(contents.values())
    searcher.close()


def test_files_in_a_compound_file_have_the_sizes_of_files_beside_each_other(tmp_path: Path) -> None:
    sizes = {}
    for name in ("beside", "within"):
        layout = parallel_layout(docvectors=True)
        write(tmp_path / name, {"a": "x y", "b": "y"}, layout=layout, compound=name == "within")
        sizes[name] = file_sizes(tmp_path / name)
    assert not any(path.suffix == ".tvd" for path in (tmp_path / "within").iterdir())
    vectors = {name: size for name, size in sizes["beside"].items() if ".tv" in name}
    assert vectors == {name: size for name, size in sizes["within"].items() if ".tv" in name} != {}


def test_no_index_is_an_indexing_error(tmp_path: Path) -> None:
    with pytest.raises(IndexingError, match=str(tmp_path)):
        count_index(tmp_path)


def test_a_malformed_frequency_is_an_indexing_error(tmp_path: Path) -> None:
    with pytest.raises(IndexingError, match=str(tmp_path)):
        write(tmp_path, {"a": "x\uffffmany"})


def test_an_abandoned_index_is_none(tmp_path: Path) -> None:
    writer = IndexWriter(tmp_path, counting_analyzer(NONCHARACTER), 4.0)
    writer.abandon()
    writer.abandon()
    with pytest.raises(IndexingError):
        count_index(tmp_path)


@pytest.mark.parametrize(
    ("message", "thrown", "advice"),
    [
        ("thrown", "java.lang.OutOfMemoryError", "--heap 4g"),
        ("thrown", "java.io.IOException", "full nor read-only"),
        ("JVM exception: Too many open files", "java.io.IOException", "ulimit -n"),
    ],
)
def test_java_exceptions_become_errors_with_advice(message: str, thrown: str, advice: str) -> None:
    from jnius import JavaException

    with pytest.raises(IndexingError, match=advice), lucene_errors(Path("some/index")):
        raise JavaException(message, thrown, "what happened", [])
