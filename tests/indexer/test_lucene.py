"""IndexWriter and DocumentMaker: what is written is read back, and failures raise."""
# ruff: noqa: RUF001

from pathlib import Path

import pytest

from boilersweep import IndexingError
from boilersweep.indexer import AnalyzerOptions, IndexLayout, as_typed
from boilersweep.indexer.analyzer import make_analyzer
from boilersweep.indexer.contents import KeptText
from boilersweep.indexer.jvm import anserini_version
from boilersweep.indexer.layout import parallel_layout
from boilersweep.indexer.lucene import (
    DocumentMaker,
    IndexWriter,
    count_index,
    file_sizes,
    lucene_errors,
)

pytestmark = pytest.mark.usefixtures("java")


def write(
    path: Path,
    contents: dict[str, str],
    layout: IndexLayout | None = None,
    **how: bool,
) -> None:
    from jnius import autoclass

    maker = DocumentMaker(layout or parallel_layout(), as_typed)
    writer = IndexWriter(path, make_analyzer(AnalyzerOptions()), 4.0, **how)
    documents = autoclass("java.util.ArrayList")()
    for docid, text in contents.items():
        documents.add(maker.document(docid, KeptText(text)))
    writer.add(documents)
    writer.commit()


def test_docids_and_stored_contents_keep_every_character(tmp_path: Path) -> None:
    from jnius import autoclass

    contents = {
        "ünï-😀": "text o\u2019 o\u2019clock 𝒳𝓎𝓏 with 😀 \u0000 and 日本",
        "b": "plain",
    }
    write(tmp_path, contents, IndexLayout(contents=True))
    searcher = autoclass("io.anserini.search.SimpleSearcher")(str(tmp_path))
    assert len(searcher.search("o'clock", 10)) == 1
    hits = searcher.search("text plain", 10)
    assert {hit.docid for hit in hits} == set(contents)
    assert [searcher.doc_contents(docid) for docid in contents] == list(
        contents.values()
    )
    searcher.close()


def test_files_in_a_compound_file_have_the_sizes_of_files_beside_each_other(
    tmp_path: Path,
) -> None:
    sizes = {}
    for name in ("beside", "within"):
        layout = parallel_layout(docvectors=True)
        write(
            tmp_path / name,
            {"a": "x y", "b": "y"},
            layout=layout,
            compound=name == "within",
        )
        sizes[name] = file_sizes(tmp_path / name)
    assert not any(path.suffix == ".tvd" for path in (tmp_path / "within").iterdir())
    vectors = {name: size for name, size in sizes["beside"].items() if ".tv" in name}
    assert (
        vectors
        == {name: size for name, size in sizes["within"].items() if ".tv" in name}
        != {}
    )


def test_no_index_is_an_indexing_error(tmp_path: Path) -> None:
    with pytest.raises(IndexingError, match=str(tmp_path)):
        count_index(tmp_path)


def test_an_abandoned_index_is_none(tmp_path: Path) -> None:
    writer = IndexWriter(tmp_path, make_analyzer(AnalyzerOptions()), 4.0)
    writer.abandon()
    writer.abandon()
    with pytest.raises(IndexingError):
        count_index(tmp_path)


@pytest.mark.parametrize(
    ("message", "thrown", "cause", "advice"),
    [
        ("thrown", "java.lang.OutOfMemoryError", [], "Java heap space.*`heap` 4g"),
        ("thrown", "java.io.IOException", [], "full nor read-only"),
        ("JVM exception: Too many open files", "java.io.IOException", [], "ulimit -n"),
        (
            "thrown",
            "org.apache.lucene.store.AlreadyClosedException",
            ["Caused by:", "java.lang.OutOfMemoryError: Java heap space"],
            "Java heap space.*`heap` 4g",
        ),
        *(
            ("thrown", f"java.lang.{name}", [], "do not fit together: .*pyserini>=1.6")
            for name in (
                "NoSuchMethodError",
                "NoSuchFieldError",
                "AbstractMethodError",
                "IncompatibleClassChangeError",
                "NoClassDefFoundError",
            )
        ),
    ],
)
def test_java_exceptions_become_errors_with_advice(
    message: str, thrown: str, cause: list[str], advice: str
) -> None:
    from jnius import JavaException

    with pytest.raises(IndexingError, match=advice), lucene_errors(Path("some/index")):
        raise JavaException(message, thrown, "what happened", cause)


def test_a_call_that_this_lucene_lacks_is_one_clear_line() -> None:
    from jnius import autoclass

    paths = autoclass("java.nio.file.Paths")
    with pytest.raises(IndexingError) as raised, lucene_errors(Path("some/index")):
        paths.get(1, 2, 3)
    message = str(raised.value)
    assert message.startswith(
        "index some/index: No static methods called get in java/nio/file/Paths"
    )
    assert (
        f"boilersweep and Anserini {anserini_version()} do not fit together" in message
    )
    assert "disk" not in message
    assert "requested" not in message
