"""Shards: what is written comes back, also to others; what is damaged is refused."""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boilersweep import OutputError, StoreError
from boilersweep.collection.format import Record, SourceLocation
from boilersweep.pages.columns import STRUCTURE, TEXTS, BlockColumns, columns_of
from boilersweep.pages.page import Page
from boilersweep.pages.segmenter import Segmenter
from boilersweep.store import shard as shard_module
from boilersweep.store import shard_columns
from boilersweep.store.shard import (
    ShardFacts,
    ShardWriter,
    SkippedSample,
    TextFacts,
    read_columns,
    read_docids,
    read_facts,
    read_fields,
    write_page_texts,
)
from tests.running import python
from tests.store.conftest import add

PAGES = [
    Page("One", ["a b", "c"], [2, 1], [2.0, 1.0], [1, 0], ["p", "body"]),
    Page(),
    Page("Größe", ["日本 \U0001f600"], [1], [1.0], [1], ["h1"]),
]


def record(number: int) -> Record:
    return Record(
        f"doc-{number}",
        b"",
        SourceLocation("folder/f.gz", 1000 * number),
        url=f"http://{number}",
        date="2005-12-06",
        title="Given",
    )


def write(path: Path, pages: Sequence[Page], facts: ShardFacts | None = None) -> Path:
    with ShardWriter(path, facts or ShardFacts(recipe={})) as writer:
        for number, page in enumerate(pages):
            add(writer, record(number), page)
    return path


def test_lists_have_no_missing_values_and_no_statistics(tmp_path: Path) -> None:
    file = pq.ParquetFile(write(tmp_path / "shard.parquet", PAGES))
    lists = [f for f in file.schema_arrow if pa.types.is_list(f.type)]
    assert lists
    assert not any(f.nullable or f.type.value_field.nullable for f in lists)
    group = file.metadata.row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    with_statistics = {one.path_in_schema for one in columns if one.is_stats_set}
    assert with_statistics == {
        f.name for f in file.schema_arrow if not pa.types.is_list(f.type)
    }


def untitled(number: int) -> Record:
    return replace(record(number), title=None)


def rows(
    columns: BlockColumns,
) -> list[tuple[str, list[str], list[int], list[float], list[int]]]:
    parts = map(slice, columns.starts[:-1], columns.starts[1:])
    return [
        (
            docid,
            columns.texts[part],
            columns.words[part].tolist(),
            columns.density[part].tolist(),
            columns.link_words[part].tolist(),
        )
        for docid, part in zip(columns.docids, parts, strict=True)
    ]


def test_pages_come_back(tmp_path: Path) -> None:
    [columns] = read_columns(write(tmp_path / "s.parquet", PAGES))
    assert rows(columns) == [
        ("doc-0", ["a b", "c"], [2, 1], [2.0, 1.0], [1, 0]),
        ("doc-1", [], [], [], []),
        ("doc-2", ["日本 \U0001f600"], [1], [1.0], [1]),
    ]
    assert columns.link_density.tolist() == [0.5, 0.0, 1.0]
    kinds = [
        a.dtype
        for a in (columns.starts, columns.words, columns.density, columns.link_words)
    ]
    assert kinds == [np.int64, np.int64, np.float64, np.int64]
    [numbers] = read_columns(tmp_path / "s.parquet", frozenset())
    assert (numbers.texts, numbers.words.tolist()) == ([], [2, 1, 1])


def test_structure_and_texts_of_extractors_come_back(tmp_path: Path) -> None:
    segmenter = Segmenter(structure=True)
    html = [
        b"<title>t</title><div class=x><p>one <b>two</b>",
        b"",
        b"<!DOCTYPE html><p>three",
    ]
    pages = [segmenter.html(page) for page in html]
    path = tmp_path / "s.parquet"
    with ShardWriter(path, ShardFacts(recipe={})) as writer:
        for number, page in enumerate(pages):
            add(writer, untitled(number), page)
    texts, facts = (
        tmp_path / "t.parquet",
        TextFacts("x", "s", 1, allowed={"seconds": 1.0}),
    )
    write_page_texts(texts, ((f"doc-{n}", f"X{n}") for n in range(3)), facts)
    written = pq.read_metadata(texts).metadata[b"boilersweep"]
    assert json.loads(written)["allowed"] == {"seconds": 1.0}
    assert read_docids(texts) == read_docids(path)
    [found] = read_columns(path, TEXTS | STRUCTURE, {"x": texts})
    expected = columns_of(["doc-0", "doc-1", "doc-2"], pages)
    assert found.titles == expected.titles
    assert found.page_texts == {"x": ["X0", "X1", "X2"]}
    assert found.structure is not None
    assert expected.structure is not None
    for field in fields(found.structure):
        ours, theirs = (
            getattr(s, field.name) for s in (found.structure, expected.structure)
        )
        assert np.array_equal(ours, theirs), field.name
    assert next(read_columns(path)).structure is None


@pytest.mark.parametrize(
    ("limit", "most", "pages", "sizes"),
    [
        # 2 blocks and 4 elements, 1 block and 9 elements
        ("_BLOCKS_AT_A_TIME", 6, ["a<br>b", "<i>" * 5 + "c"] * 2, [2, 2]),
        # 500 pages of 5 MB of classes or titles are more than a column holds
        (
            "_ASIDE_AT_A_TIME",
            10,
            ["<title>f</title>g"] * 2 + ["<p class=abcd>e"] * 5,
            [4, 3],
        ),
    ],
)
def test_batches_count_blocks_elements_titles_and_marks(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    most: int,
    pages: list[str],
    sizes: list[int],
) -> None:
    monkeypatch.setattr(shard_module, limit, most)
    segmenter = Segmenter(structure=True)
    path = write(
        tmp_path / "s.parquet", [segmenter.html(page.encode()) for page in pages]
    )
    with pq.ParquetFile(path) as file:
        groups = [
            file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)
        ]
    assert groups == sizes


@pytest.mark.parametrize(("most", "sizes"), [(1, [1, 3, 1]), (3, [4, 1]), (4, [5])])
def test_documents_of_many_blocks_are_read_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, sizes: list[int]
) -> None:
    """Also those of a store whose batches were larger; a document is never divided."""
    pages = [PAGES[0], PAGES[1], PAGES[2], PAGES[1], PAGES[2]]
    path = write(tmp_path / "s.parquet", pages)
    [whole] = read_columns(path, TEXTS | STRUCTURE)
    monkeypatch.setattr(shard_module, "_BLOCKS_AT_A_TIME", most)
    parts = list(read_columns(path, TEXTS | STRUCTURE))
    assert [len(part) for part in parts] == sizes
    assert [row for part in parts for row in rows(part)] == rows(whole)
    for part in parts:
        assert part.structure is not None
        assert part.structure.starts[-1] == len(part.structure.names)


def test_writing_a_shard_does_not_import_pandas(tmp_path: Path) -> None:
    """It takes as long as to cut 400 pages, in every worker."""
    code = (
        "import sys; from pathlib import Path; from tests.store.test_shard import PAGES, write; "
        "write(Path(sys.argv[1]), PAGES); assert 'pandas' not in sys.modules"
    )
    python("-c", code, tmp_path / "s.parquet")


def test_documents_that_cannot_be_written_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class NoMemory:
        def __getattr__(self, name: str) -> Any:
            return getattr(pa, name)

        def py_buffer(self, _: object) -> None:
            raise pa.ArrowMemoryError("malloc of size 2684354560 failed")

    monkeypatch.setattr(shard_columns, "pa", NoMemory())
    with pytest.raises(OutputError) as caught:
        write(tmp_path / "s.parquet", PAGES)
    assert str(caught.value) == (
        "cannot write the documents from doc-0 of folder/f.gz to doc-2 of folder/f.gz "
        "(not enough memory); raise `boilersweep segment --max-worker-memory`, or the limit "
        "(ulimit -v)"
    )


TEXTS_OF_BLOCKS = st.text(st.characters(codec="utf-8"), max_size=8)
BLOCK = st.tuples(
    TEXTS_OF_BLOCKS, st.integers(1, 2**31 - 1), st.floats(1, 40), st.integers(0, 99)
)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(BLOCK, max_size=4), max_size=7),
    st.integers(1, 4),
    st.integers(1, 30),
)
def test_any_pages_come_back_in_order(
    blocks: list[list[tuple[str, int, float, int]]], at_a_time: int, characters: int
) -> None:
    pages = [
        Page(
            "",
            [text for text, _, _, _ in page],
            [words for _, words, _, _ in page],
            [density for _, _, density, _ in page],
            [link_words for _, _, _, link_words in page],
            ["p"] * len(page),
        )
        for page in blocks
    ]
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(shard_module, "_ROWS_AT_A_TIME", at_a_time)
        patch.setattr(shard_module, "_CHARACTERS_AT_A_TIME", characters)
        path = write(Path(folder) / "s.parquet", pages)
        parts = list(read_columns(path))
    assert all(0 < len(part) <= at_a_time for part in parts)
    assert [row for part in parts for row in rows(part)] == [
        (f"doc-{i}", page.texts, page.words, page.density, page.link_words)
        for i, page in enumerate(pages)
    ]


@pytest.mark.parametrize("pages", [[], [Page(), Page()]])
def test_a_shard_without_documents_or_blocks(tmp_path: Path, pages: list[Page]) -> None:
    path = write(tmp_path / "s.parquet", pages)
    assert [columns.starts.tolist() for columns in read_columns(path)] == [[0, 0, 0]][
        : len(pages)
    ]
    facts = read_facts(path)
    assert (
        facts.documents == facts.without_blocks == len(read_docids(path)) == len(pages)
    )


def test_the_footer_says_what_was_read_counted_and_skipped(tmp_path: Path) -> None:
    facts = ShardFacts(recipe={"options": {"plain": False}, "files": [["f", 3]]})
    facts.files.append({"path": "f", "bytes": 3, "sha256": "00"})
    facts.skipped["no docid"] = 2
    facts.samples.append(SkippedSample("no docid", "f at byte 0", None, "é"))
    path = write(tmp_path / "s.parquet", PAGES, facts)
    read = read_facts(path)
    assert read == facts
    assert (read.documents, read.without_blocks, read.blocks, read.words) == (
        3,
        1,
        3,
        4,
    )
    assert read.skipped["no docid"] == 2


def test_others_can_read_a_shard(tmp_path: Path) -> None:
    table = pq.read_table(write(tmp_path / "s.parquet", PAGES))
    # A title of the collection stands where the page has none.
    assert table.column("title").to_pylist() == ["One", "Given", "Größe"]
    assert table.to_pylist()[0] == {
        "docid": "doc-0",
        "source": "folder/f.gz",
        "offset": 0,
        "url": "http://0",
        "date": "2005-12-06",
        "encoding": "utf-8",
        "title": "One",
        "texts": ["a b", "c"],
        "words": [2, 1],
        "density": [2.0, 1.0],
        "link_words": [1, 0],
        "tags": ["p", "body"],
        "doctype": "",
        "language": "und",
        "language_certainty": None,
        "declared_language": "",
        "elements": [0, 0],
        "tags_before": [0, 0],
        "tags_within": [0, 0],
        "links": [0, 0],
        "markup": [0, 0],
        "joined": [False, False],
        "unindexed": [False, False],
        "names": ["#document"],
        "marks": [""],
        "classes": [0],
        "ids": [0],
        "attributes": [""],
        "parents": [0],
        "first": [0],
        "end": [2],
    }


def test_a_writer_that_fails_leaves_no_shard_that_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "s.parquet"
    writer = ShardWriter(path, ShardFacts(recipe={}))
    add(writer, record(0), PAGES[0])
    writer.__exit__(ValueError, ValueError("stop"), None)
    with pytest.raises(StoreError):
        read_facts(path)


def all_reads(path: Path) -> list[object]:
    """Return what every reader of a shard gives, or "refused" for a StoreError that names it."""
    results: list[object] = []
    for read in (read_facts, lambda p: list(map(rows, read_columns(p))), read_docids):
        try:
            results.append(read(path))
        except StoreError as error:
            advised = str(path) in str(
                error
            ) and "run `boilersweep segment` again" in str(error)
            results.append(StoreError if advised else error)
    return results


def test_what_is_no_whole_parquet_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.parquet"
    assert all_reads(path) == all_reads(tmp_path) == [StoreError] * 3
    whole = write(path, PAGES * 50).read_bytes()
    cut = [whole[:size] for size in (len(whole) - 1, len(whole) // 2, 10, 0)]
    for content in (*cut, b"PAR1", b"garbage" * 100, b"PAR1" + bytes(50) + b"PAR1"):
        path.write_bytes(content)
        assert all_reads(path) == [StoreError] * 3
    pq.write_table(pa.table({"x": [1]}), path)
    assert all_reads(path) == [StoreError] * 3


@pytest.mark.parametrize(
    "value", ["{", "[]", '"x"', "{}", '{"samples": [{}]}', '{"samples": 3}']
)
def test_a_footer_that_says_something_else_is_refused(
    tmp_path: Path, value: str
) -> None:
    path = tmp_path / "s.parquet"
    schema = pa.schema([("docid", pa.string())], metadata={"boilersweep": value})
    pq.write_table(pa.table({"docid": ["a"]}, schema), path)
    with pytest.raises(StoreError, match="damaged or no shard"):
        read_facts(path)


def test_flipped_bytes_are_refused_or_make_no_difference(tmp_path: Path) -> None:
    path = write(tmp_path / "s.parquet", PAGES * 3, ShardFacts(recipe={"x": 1}))
    good, data = all_reads(path), path.read_bytes()
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    refused = 0
    for at in range(0, footer, 7):
        damaged = bytearray(data)
        damaged[at] ^= 0xFF
        path.write_bytes(damaged)
        results = all_reads(path)
        refused += results != good
        assert all(
            found in (right, StoreError)
            for found, right in zip(results, good, strict=True)
        )
    assert refused > 20


def test_fields_that_a_shard_has_in_part_or_not_at_all(tmp_path: Path) -> None:
    table = pa.table({"docid": ["a", "b"], "date": ["2005-12-06", None]})
    pq.write_table(table, tmp_path / "shard.parquet")
    found = read_fields(tmp_path / "shard.parquet", ("date", "url", "docid"))
    assert found == [("2005-12-06", "", "a"), ("", "", "b")]
    (tmp_path / "shard.parquet").write_bytes(b"x")
    with pytest.raises(StoreError, match="is damaged or no shard"):
        read_fields(tmp_path / "shard.parquet", ("docid",))
