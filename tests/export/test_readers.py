"""What is exported, read by Anserini, pyserini, Hugging Face datasets, polars and datatrove.

Those that are not installed here are skipped; `pip install datatrove` adds the last.
"""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from boilersweep import BlockStore, ExportOptions, collect_variants
from boilersweep.cleaners.syntax.grammar import parse_cleaners
from boilersweep.export.export import export_store
from boilersweep.export.options import Format, Passages
from boilersweep.export.record_formats import Record
from boilersweep.indexer import start_jvm
from tests.export.conftest import Lines, exported_files

Exported = Callable[..., Path]
PASSAGES = Passages(8, 2)
SHAPES = [{}, {"blocks": True}, {"passages": PASSAGES}]
in_every_shape = pytest.mark.parametrize(
    "shape", SHAPES, ids=["documents", "blocks", "passages"]
)


@pytest.fixture
def exported(store: BlockStore, tmp_path: Path) -> Exported:
    """Export what has five words or more, and return the folder."""

    def export(options: ExportOptions) -> Path:
        output = tmp_path / f"{options.format}-out"
        export_store(
            store, collect_variants((), parse_cleaners("words>=5")), output, options
        )
        return output / "words-005"

    return export


def expected(exported: Exported, lines: Lines, **shape: Any) -> list[Record]:
    return lines(exported(ExportOptions("jsonl", **shape)))


def anserini_documents(collection: str, folder: Path) -> dict[str, str]:
    start_jvm()
    from jnius import autoclass

    path = autoclass("java.nio.file.Paths").get(str(folder))
    found = {}
    segments = autoclass(f"io.anserini.collection.{collection}")(path).iterator()
    while segments.hasNext():
        documents = segments.next().iterator()
        while documents.hasNext():
            document = documents.next()
            found[str(document.id())] = str(document.contents())
    return found


@pytest.mark.java
@in_every_shape
def test_anserini_reads_json_lines_to_the_character(
    exported: Exported, lines: Lines, shape: dict[str, Any]
) -> None:
    folder = exported(ExportOptions(**shape))
    texts = {one["id"]: one["contents"] for one in lines(folder)}
    assert anserini_documents("JsonCollection", folder) == texts


@pytest.mark.java
def test_anserini_reads_trec_web(exported: Exported, lines: Lines) -> None:
    found = anserini_documents("TrecwebCollection", exported(ExportOptions("trecweb")))
    texts = {
        one["id"]: f"{one['title']} {one['contents']}".split()
        for one in expected(exported, lines)
    }
    assert {docid: text.split() for docid, text in found.items()} == texts


def bulk_requests(body: str) -> list[tuple[str, Record]]:
    """Return the documents of a request's body, with ids, by the rules of OpenSearch's bulk API.

    https://docs.opensearch.org/latest/api-reference/document-apis/bulk
    """
    assert body.endswith("\n")
    lines = body.split("\n")[:-1]
    assert len(lines) % 2 == 0
    found = []
    for action, source in zip(lines[::2], lines[1::2], strict=True):
        ((kind, about),) = json.loads(action).items()
        assert kind == "index"
        assert set(about) == {"_id"}
        assert 0 < len(about["_id"].encode()) <= 512
        found.append((about["_id"], json.loads(source)))
        assert isinstance(found[-1][1], dict)
        # Those are OpenSearch's own
        assert not any(name.startswith("_") for name in found[-1][1])
    return found


@in_every_shape
def test_bulk_follows_the_rules_of_the_api(
    exported: Exported, lines: Lines, shape: dict[str, Any]
) -> None:
    folder = exported(ExportOptions("bulk", **shape))
    bodies = [
        gzip.decompress(path.read_bytes()).decode() for path in exported_files(folder)
    ]
    found = [document for body in bodies for document in bulk_requests(body)]
    assert found == [(one["id"], one) for one in expected(exported, lines, **shape)]


def test_hugging_face_reads_texts_as_paragraphs(
    exported: Exported, lines: Lines, tmp_path: Path
) -> None:
    datasets = pytest.importorskip(
        "datasets", reason="Hugging Face datasets is not installed"
    )
    found = datasets.load_dataset(
        "text",
        data_files=[*map(str, exported_files(exported(ExportOptions("text"))))],
        split="train",
        sample_by="paragraph",
        cache_dir=str(tmp_path / "cache"),
    )
    texts = [one["contents"] for one in expected(exported, lines)]
    assert found.to_dict()["text"] == texts


def by_hugging_face(name: str, folder: Path) -> list[Record]:
    datasets = pytest.importorskip(
        "datasets", reason="Hugging Face datasets is not installed"
    )
    found = datasets.load_dataset(
        {"jsonl": "json", "parquet": "parquet"}[name],
        data_files=[*map(str, exported_files(folder))],
        split="train",
        cache_dir=str(folder.parent / "cache"),
    )
    rows: list[Record] = found.to_list()
    return rows


def by_polars(name: str, folder: Path) -> list[Record]:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    scan = polars.scan_ndjson if name == "jsonl" else polars.scan_parquet
    found: list[Record] = scan(exported_files(folder)).collect().to_dicts()
    return found


def by_datatrove(name: str, folder: Path) -> list[Record]:
    readers = pytest.importorskip(
        "datatrove.pipeline.readers", reason="datatrove is not installed"
    )
    if name == "jsonl":
        pytest.importorskip(
            "orjson", reason="orjson, which datatrove reads JSON with, is not here"
        )
    kind = {"jsonl": readers.JsonlReader, "parquet": readers.ParquetReader}[name]
    found = [
        {"id": one.id, "contents": one.text, **one.metadata}
        for one in kind(str(folder), text_key="contents")()
    ]
    for one in found:
        del one["file_path"]
    return found


@in_every_shape
@pytest.mark.parametrize("name", ["jsonl", "parquet"])
@pytest.mark.parametrize("read", [by_hugging_face, by_polars, by_datatrove])
def test_others_read_what_was_written(
    exported: Exported,
    lines: Lines,
    shape: dict[str, Any],
    name: Format,
    read: Callable[[str, Path], list[Record]],
) -> None:
    folder = exported(ExportOptions(name, **shape))
    found = read(name, folder)
    if name == "parquet":  # has a column of dates, be it empty
        assert [one.pop("date") for one in found] == [None] * len(found)
    assert found == expected(exported, lines, **shape)
