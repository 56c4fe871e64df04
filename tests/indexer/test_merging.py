"""Indexes of shares, joined, are the index that was built at once."""

import json
import random
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from boilersweep.cleaners.language.variants import collect_variants, parse_sweep
from boilersweep.errors import IndexingError
from boilersweep.eval.ranking.formulas import BM25, RM3, QueryLikelihood, Rocchio
from boilersweep.eval.ranking.search import search_index
from boilersweep.indexer.layout import IndexLayout
from boilersweep.indexer.manifest import MANIFEST, read_manifest
from boilersweep.indexer.options import ALL_TEXTS, IndexOptions
from boilersweep.indexer.parallel_indexes import build_parallel_indexes
from boilersweep.indexer.shares import (
    build_index_share,
    build_parallel_share,
    merge_indexes,
)
from boilersweep.indexer.single import build_index
from boilersweep.segmenting.segment import Segmentation, segment_collection
from boilersweep.store.store import BlockStore
from boilersweep.work.shares import Share, all_shares, parts_folder

pytestmark = pytest.mark.java

VARIANTS = collect_variants((parse_sweep("words=1,5,31"), parse_sweep("density=4")))
RULE = VARIANTS[1].cleaner
EVERYTHING = IndexLayout(
    contents=True, raw=True, docvectors=True, fields=("title",), optimize=True
)


@pytest.fixture(scope="session")
def shards(
    pages: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory
) -> BlockStore:
    """Return the difficult pages as five shards, with a duplicate and a skipped record."""
    folder = tmp_path_factory.mktemp("shards")
    (folder / "in").mkdir()
    lines = [
        json.dumps({"id": docid, "contents": page}) for docid, page in pages.items()
    ]
    lines += [lines[0], json.dumps({"id": "", "contents": "<p>no docid"})]
    for number in range(5):
        (folder / "in" / f"{number}.jsonl").write_text(
            "\n".join(lines[number::5]), "utf-8"
        )
    return segment_collection(
        folder / "in", folder / "store", Segmentation(on_duplicate="first"), workers=1
    )


@pytest.fixture(scope="session")
def single(
    shards: BlockStore, java: None, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("single")
    build_parallel_indexes(shards, VARIANTS, folder)
    return folder


def postings(index: Path) -> list[tuple[str, list[tuple[str, int]]]]:
    """Every term with docids and frequencies, documents in the order of the index."""
    from tests.pyserini_lucene import LuceneIndexReader

    reader = LuceneIndexReader(str(index))
    docid = reader.convert_internal_docid_to_collection_docid
    return [
        (
            term.term,
            [(docid(p.docid), p.tf) for p in reader.get_postings_list(term.term, None)],
        )
        for term in reader.terms()
    ]


def test_what_lucene_alone_made_in_shares_is_so_when_joined(
    shards: BlockStore,
    single: Path,
    java: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for pure, label in (("0", ""), ("1", ALL_TEXTS)):
        output = tmp_path / f"out{pure}"
        monkeypatch.setenv("BOILERSWEEP_PURE", "1")
        build_parallel_share(shards, Share(2, 2), VARIANTS[:2], output)
        monkeypatch.setenv("BOILERSWEEP_PURE", pure)
        build_parallel_share(shards, Share(1, 2), VARIANTS[:2], output)
        for path, manifest in merge_indexes(output).items():
            assert manifest.by_lucene == label
            assert postings(path) == postings(single / path.name)


@pytest.mark.parametrize("of", [1, 3, 7])
def test_joined_indexes_are_those_built_at_once(
    shards: BlockStore, single: Path, queries: dict[str, str], tmp_path: Path, of: int
) -> None:
    output = tmp_path / "out"
    shares = all_shares(of)
    random.Random(of).shuffle(shares)  # noqa: S311
    for share in shares:
        build_parallel_share(shards, share, VARIANTS, output)
    merged = merge_indexes(output)
    assert [path.name for path in merged] == sorted(v.name for v in VARIANTS)
    assert not parts_folder(output).exists()
    assert {path.name for path in output.iterdir()} == {v.name for v in VARIANTS}
    for path, manifest in merged.items():
        expected = single / path.name
        assert read_manifest(path) == read_manifest(expected) == manifest
        assert postings(path) == postings(expected)
        for model in (BM25(), QueryLikelihood()):
            assert search_index(path, queries, model) == search_index(
                expected, queries, model
            )
    before = {path: path.stat().st_mtime_ns for path in output.rglob("*")}
    assert merge_indexes(output) == merged
    assert build_parallel_share(shards, Share(1, of), VARIANTS, output) == []
    assert len(build_parallel_indexes(shards, VARIANTS, output)) == len(VARIANTS)
    assert {path: path.stat().st_mtime_ns for path in output.rglob("*")} == before


def test_the_one_index_to_deploy(
    shards: BlockStore, queries: dict[str, str], tmp_path: Path, java: None
) -> None:
    single, output = tmp_path / "single", tmp_path / "out"
    build_index(shards, RULE, single, IndexOptions(layout=EVERYTHING))
    for share in all_shares(3):
        build_index_share(shards, share, RULE, output, IndexOptions(layout=EVERYTHING))
    merged = merge_indexes(output)
    assert list(merged) == [output]
    assert read_manifest(output) == read_manifest(single)
    # Threads add documents in any order.
    assert [(t, sorted(p)) for t, p in postings(output)] == [
        (t, sorted(p)) for t, p in postings(single)
    ]
    assert not parts_folder(output).exists()
    again = build_index_share(
        shards, Share(2, 3), RULE, output, IndexOptions(layout=EVERYTHING)
    )
    assert again == merged[output]
    assert build_index(shards, RULE, output, IndexOptions(layout=EVERYTHING)) == again
    for path in (output, single):
        assert len({name.stem for name in path.glob("_*.fdt")}) == 1
    for model in (BM25(), RM3(), Rocchio()):
        assert search_index(output, queries, model) == search_index(
            single, queries, model
        )


def test_what_is_missing_is_named(
    shards: BlockStore, tmp_path: Path, java: None
) -> None:
    output = tmp_path / "out"
    with pytest.raises(IndexingError, match=r"one division, got none; build them"):
        merge_indexes(output)
    build_parallel_share(shards, Share(2, 3), VARIANTS, output)
    with pytest.raises(IndexingError, match=r"2 of 3 shares are missing \(1/3, 3/3\)"):
        merge_indexes(output)
    build_parallel_share(shards, Share(1, 2), VARIANTS, output)
    with pytest.raises(IndexingError, match=r"shares of 2 and shares of 3"):
        merge_indexes(output)


def test_a_merge_that_was_killed_goes_on(
    shards: BlockStore, single: Path, tmp_path: Path, java: None
) -> None:
    output = tmp_path / "out"
    for share in all_shares(2):
        build_parallel_share(shards, share, VARIANTS, output)
    kept = tmp_path / "kept"
    shutil.copytree(parts_folder(output), kept)
    merge_indexes(output)
    shutil.rmtree(output / VARIANTS[2].name)
    shutil.copytree(kept, parts_folder(output))
    # That one is whole
    shutil.rmtree(parts_folder(output) / "1-of-2" / VARIANTS[0].name)
    done = (output / VARIANTS[0].name / MANIFEST).stat().st_mtime_ns
    merged = merge_indexes(output)
    assert len(merged) == len(VARIANTS)
    assert (output / VARIANTS[0].name / MANIFEST).stat().st_mtime_ns == done
    name = VARIANTS[2].name
    assert postings(output / name) == postings(single / name)


def test_indexes_of_other_stores_are_not_joined(
    shards: BlockStore, store: BlockStore, tmp_path: Path, java: None
) -> None:
    output = tmp_path / "out"
    build_parallel_share(shards, Share(1, 2), VARIANTS[:1], output)
    build_parallel_share(store, Share(2, 2), VARIANTS[:1], output)
    with pytest.raises(
        IndexingError,
        match=r"not of the same work as .*1-of-2.*: store was \w{12}:2/2, is \w{12}:2/2;",
    ):
        merge_indexes(output)
    assert not (output / VARIANTS[0].name).exists()
