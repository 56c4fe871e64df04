"""DocumentAdder: every index gets its documents, and a failure is heard."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from boilersweep import IndexingError
from boilersweep.indexer import AnalyzerOptions, adders
from boilersweep.indexer.adders import DocumentAdder
from boilersweep.indexer.analyzer import make_analyzer
from boilersweep.indexer.contents import KeptText
from boilersweep.indexer.jvm import map_ahead
from boilersweep.indexer.layout import parallel_layout
from boilersweep.indexer.lucene import DocumentMaker, IndexWriter, count_index

pytestmark = pytest.mark.usefixtures("java")


@pytest.fixture
def maker() -> DocumentMaker:
    return DocumentMaker(parallel_layout(), str)


def writers(folder: Path, count: int) -> list[IndexWriter]:
    analyzer = make_analyzer(AnalyzerOptions(pretokenized=True))
    return [
        IndexWriter(folder / str(n), analyzer, 4.0, compound=True) for n in range(count)
    ]


def made(maker: DocumentMaker, number: int, terms: str) -> Any:
    return maker.document(f"d{number:02}", KeptText(terms))


def docids(path: Path) -> list[str]:
    from tests.pyserini_lucene import LuceneIndexReader

    reader = LuceneIndexReader(str(path))
    count = count_index(path)[0]
    return [reader.convert_internal_docid_to_collection_docid(n) for n in range(count)]


@pytest.mark.parametrize("count", [1, 2, 12])
@pytest.mark.parametrize("characters", [1, 1000, 2**20])
@pytest.mark.parametrize("in_order", [True, False])
def test_every_index_gets_its_documents(
    maker: DocumentMaker,
    count: int,
    characters: int,
    in_order: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(adders, "_CHARACTERS_AT_LEAST", characters)
    monkeypatch.setattr(adders, "_CHARACTERS_OF_A_WRITER", 0)
    opened = writers(tmp_path, count)
    with DocumentAdder(opened, maker, 3, in_order=in_order) as filled:
        for number in range(50):
            indexes = [index for index in range(count) if (number + index) % 3]
            filled.add(
                indexes, made(maker, number, f"{'a ' * number}a b c{number}"), 10
            )
    for index, writer in enumerate(opened):
        writer.commit()
        numbers = [number for number in range(50) if (number + index) % 3]
        tokens = sum(numbers) + 3 * len(numbers)
        assert count_index(writer.path) == (len(numbers), tokens)
        found = docids(writer.path)
        assert sorted(found) == [f"d{number:02}" for number in numbers]
        assert not in_order or found == sorted(found)
        assert len(list(writer.path.glob("*.doc"))) == 0  # in one file with the others


@pytest.mark.parametrize("characters", [1, 2**20])
def test_a_failure_is_heard(
    maker: DocumentMaker,
    characters: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(adders, "_CHARACTERS_AT_LEAST", characters)
    monkeypatch.setattr(adders, "_CHARACTERS_OF_A_WRITER", 0)
    opened = writers(tmp_path, 2)
    opened[0].abandon()

    def fill() -> None:
        with DocumentAdder(opened, maker, 2) as filled:
            filled.add([0], made(maker, 0, "a"), 1)
            for number in range(1, 3):
                filled.add([0, 1], made(maker, number, "a"), 1)

    with pytest.raises(IndexingError):
        fill()
    for writer in opened:
        writer.abandon()


def test_another_failure_is_not_hidden(maker: DocumentMaker, tmp_path: Path) -> None:
    [writer] = writers(tmp_path, 1)
    writer.abandon()

    def fill() -> None:
        with DocumentAdder([writer], maker, 2) as filled:
            filled.add([0], made(maker, 0, "a"), 1)
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fill()


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_what_is_made_ahead_comes_in_order_and_no_more_than_wanted_waits(
    threads: int,
) -> None:
    read = []

    def numbers() -> Iterator[int]:
        for number in range(20):
            read.append(number)
            yield number

    made = map_ahead(lambda number: number * number, numbers(), threads - 1)
    assert next(made) == (0, 0)
    assert len(read) <= threads
    assert list(made) == [(number, number * number) for number in range(1, 20)]


@pytest.mark.parametrize("threads", [1, 3])
def test_what_fails_ahead_is_heard_in_its_turn(threads: int) -> None:
    made = map_ahead(lambda number: 6 // (2 - number), range(5), threads - 1)
    assert [next(made), next(made)] == [(0, 3), (1, 6)]
    with pytest.raises(ZeroDivisionError):
        next(made)
