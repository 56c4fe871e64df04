"""Stores of chosen documents, and of a sample of all others."""

from pathlib import Path

import pytest

from boilersweep import (
    BlockStore,
    CollectionError,
    Segmentation,
    StoreError,
    segment_collection,
)
from boilersweep.segmenting.segment import check_input
from boilersweep.segmenting.tasks import Chosen, read_docids
from tests.segmenting.conftest import jsonl


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    for file in range(2):
        documents = [(f"d{file}-{n}", f"<p>page {n}") for n in range(20)]
        jsonl(tmp_path / "pages" / f"{file}.jsonl", *documents)
    return tmp_path / "pages"


def store_of(pages: Path, output: Path, chosen: Chosen | None) -> BlockStore:
    return segment_collection(
        pages, output, Segmentation(chosen=chosen), workers=1, overwrite=True
    )


def test_all_others_are_skipped_and_counted(pages: Path, tmp_path: Path) -> None:
    chosen = Chosen(frozenset({"d0-3", "d1-19", "elsewhere"}))
    store = store_of(pages, tmp_path / "store", chosen)
    assert list(store.docids()) == ["d0-3", "d1-19"]
    assert store.skipped == {"not among the chosen documents": 38}


def test_a_sample_depends_on_its_seed_alone(pages: Path, tmp_path: Path) -> None:
    def drawn(seed: int) -> set[str]:
        chosen = Chosen(frozenset({"d0-3"}), sample=5, seed=seed)
        return set(store_of(pages, tmp_path / "store", chosen).docids())

    first = drawn(1)
    assert len(first) == 6
    assert "d0-3" in first
    assert drawn(1) == first
    assert drawn(2) != first
    (pages / "0.jsonl").rename(pages / "9.jsonl")
    assert drawn(1) == first


def test_another_choice_is_another_store(pages: Path, tmp_path: Path) -> None:
    store = store_of(pages, tmp_path / "store", Chosen(frozenset({"d0-3"})))
    other = Segmentation(chosen=Chosen(frozenset({"d0-4"})))
    with pytest.raises(StoreError, match="chosen"):
        segment_collection(pages, tmp_path / "store", other, workers=1)
    assert list(check_input(store, pages)) == []


def test_a_file_of_docids(tmp_path: Path) -> None:
    path = tmp_path / "docids.txt"
    path.write_text("d1\n\n d2 \n", "utf-8")
    assert read_docids(path) == {"d1", "d2"}
    path.write_text("\n", "utf-8")
    with pytest.raises(CollectionError, match="found none"):
        read_docids(path)
    with pytest.raises(CollectionError, match="expected a UTF-8 file"):
        read_docids(tmp_path / "nothing")
