"""Distinct texts to be encoded, and kept blocks with their vectors."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from boilersweep.cleaners.language.grammar import parse_cleaners
from boilersweep.cleaners.language.variants import collect_variants
from boilersweep.errors import OutputError, StoreError, UsageError
from boilersweep.export.export import export_store
from boilersweep.export.options import ExportOptions, Passages
from boilersweep.export.shards import Counts
from boilersweep.indexer.jvm import start_jvm
from boilersweep.store.store import BlockStore
from boilersweep.store.vectors import open_vectors
from boilersweep.work.shares import all_shares
from tests.export.conftest import Lines, small_store
from tests.store.vectors import write_vectors

PAGES = {
    "a": "<title>Ponies</title><p>menu<h2><a>On</a> <i>hay</i></h2><p>they eat it all day long",
    "b": "<p>menu<p>they eat it all day long<p>...",
    "c": "<title>More</title><p>menu<p>short<h1>of more</h1><p>they eat it all day long",
}
EVERYTHING = collect_variants((), parse_cleaners("words>=1"))
LONG = collect_variants((), parse_cleaners("words>=3"))


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> BlockStore:
    """Two shards: pages a and b, and c."""
    folder = tmp_path_factory.mktemp("blocks")
    return small_store(folder, PAGES, "ab", "c")


def name_of(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


WHOLE = ["menu", "On hay", "they eat it all day long", "short", "of more"]


def test_each_text_is_written_once_in_whatever_shares(
    pages: BlockStore, tmp_path: Path, lines: Lines
) -> None:
    options = ExportOptions(distinct=True)
    manifest = export_store(pages, EVERYTHING, tmp_path / "out", options)
    assert lines(tmp_path / "out" / "words-001") == [
        {"id": name_of(text), "contents": text} for text in WHOLE
    ]
    assert manifest is not None
    assert manifest.counts == {"words-001": Counts(3, records=5)}
    for share in all_shares(2):
        export_store(pages, EVERYTHING, tmp_path / "shares", options, share=share)
    assert lines(tmp_path / "shares" / "words-001") == lines(tmp_path / "out" / "words-001")


def test_windows_and_context(pages: BlockStore, tmp_path: Path, lines: Lines) -> None:
    options = ExportOptions(distinct=True, context=True, passages=Passages(4, 1))
    export_store(pages, LONG, tmp_path, options)
    long = "they eat it all day long"
    contexts = ["Ponies\nOn hay\n", "", "More\nof more\n"]
    assert lines(tmp_path / "words-003") == [
        {"id": f"{name_of(context + long)}#{number}/2", "contents": context + window}
        for context in contexts
        for number, window in ((1, "they eat it all"), (2, "all day long"))
    ]


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    """Make a folder where the long block has two windows."""
    blocks = {name_of(text): [number, 0.5] for number, text in enumerate(WHOLE)}
    del blocks[name_of(WHOLE[2])]
    blocks |= {f"{name_of(WHOLE[2])}#{n}/2": [n, 0.25] for n in (1, 2)}
    values = np.array(list(blocks.values()), dtype=np.float16)
    write_vectors(tmp_path / "vectors", "m", (blocks, values), (["1"], values[:1]))
    return tmp_path / "vectors"


DEPLOYED = {"a#2#1/2": [1, 0.25], "a#2#2/2": [2, 0.25], "b#1#1/2": [1, 0.25]}
DEPLOYED |= {"b#1#2/2": [2, 0.25], "c#3#1/2": [1, 0.25], "c#3#2/2": [2, 0.25]}


@pytest.fixture
def deployed(pages: BlockStore, vectors: Path, tmp_path: Path) -> Path:
    """Make the folder with the vectors of blocks of three words."""
    options = ExportOptions("parquet", vectors=open_vectors(vectors))
    export_store(pages, LONG, tmp_path / "out", options)
    return tmp_path / "out" / "words-003"


def test_the_kept_blocks_with_their_vectors(
    deployed: Path, pages: BlockStore, vectors: Path, lines: Lines
) -> None:
    rows = pq.read_table(deployed).to_pylist()
    assert {row["id"]: row["vector"] for row in rows} == DEPLOYED
    assert [(row["docid"], row["block"]) for row in rows[::2]] == [("a", 2), ("b", 1), ("c", 3)]
    assert {row["contents"] for row in rows} == {WHOLE[2]}
    output = deployed.parent.parent / "lines"
    export_store(pages, LONG, output, ExportOptions(vectors=open_vectors(vectors)))
    assert lines(output / "words-003") == rows
    about = {"model": "another", "dimension": 2}
    (vectors / "vectors.json").write_text(json.dumps(about))
    with pytest.raises(OutputError, match="vectors"):
        export_store(pages, LONG, output, ExportOptions(vectors=open_vectors(vectors)))


@pytest.mark.java
@pytest.mark.parametrize("field", ["id", "docid"])
def test_anserini_reads_the_vectors(deployed: Path, field: str) -> None:
    start_jvm()
    from jnius import autoclass

    path = autoclass("java.nio.file.Paths").get(str(deployed))
    reader = autoclass("io.anserini.collection.ParquetDenseVectorCollection")
    segments = reader(path, field, "vector", False).iterator()
    found = []
    while segments.hasNext():
        documents = segments.next().iterator()
        while documents.hasNext():
            document = documents.next()
            found.append((str(document.id()), list(document.vector())))
    expected = [(name if field == "id" else name[0], vector) for name, vector in DEPLOYED.items()]
    assert sorted(found) == sorted(expected)


def test_lancedb_finds_the_nearest_block(deployed: Path, tmp_path: Path) -> None:
    lancedb = pytest.importorskip("lancedb", reason="lancedb (290 MB) is no requirement of tests")
    table = lancedb.connect(tmp_path / "lance").create_table("t", pq.read_table(deployed))
    nearest = table.search([2.0, 0.25]).limit(1).to_list()
    assert nearest[0]["id"].endswith("#2/2")


def test_what_has_no_vectors(pages: BlockStore, vectors: Path, tmp_path: Path) -> None:
    trafilatura = collect_variants((), parse_cleaners("trafilatura"))
    with pytest.raises(UsageError, match="not divided into blocks"):
        export_store(pages, trafilatura, tmp_path / "1", ExportOptions(distinct=True))
    (vectors / "blocks" / "0.txt").write_text("".join(f"{n}\n" for n in range(6)))
    options = ExportOptions(vectors=open_vectors(vectors))
    with pytest.raises(StoreError, match="have no vector"):
        export_store(pages, LONG, tmp_path / "2", options)
