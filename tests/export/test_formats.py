"""What stands in the files of each format."""

import gzip
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from boilersweep import ExportOptions
from boilersweep.collection.format import USUAL
from boilersweep.collection.format import Record as Page
from boilersweep.collection.trec_web import read_trec_web
from boilersweep.export.options import FORMATS, Format, Passages
from boilersweep.export.record_formats import Record, suffix_of, writing
from boilersweep.pages.language import declared_language
from boilersweep.pages.segmenter import Segmenter

TEXT = 'one <b> & "two"\nthree 😀 four\u2028five'
RECORD: Record = {
    "id": "a b",
    "url": "http://site.example/a b<c",
    "title": "A & B",
    "date": "2005-12-06T00:22:11Z",
    "language": "de",
    "contents": TEXT,
}
BARE: Record = {
    "id": "c",
    "url": "",
    "title": "",
    "language": "und",
    "contents": "six\n \nseven",
}


def written(folder: Path, *records: Record, format: Format) -> Path:  # noqa: A002
    options = ExportOptions(format)
    path = folder / f"{0:024}{suffix_of(options)}"
    with writing(path, options) as write:
        write(records[:1])
        write(records[1:])
    return path


def text_of(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode()


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_records_give_the_same_bytes(name: Format, tmp_path: Path) -> None:
    once, again = tmp_path / "once", tmp_path / "again"
    once.mkdir()
    again.mkdir()
    one, other = (
        written(folder, RECORD, BARE, format=name) for folder in (once, again)
    )
    assert one.read_bytes() == other.read_bytes()


def test_lines_of_json_and_of_bulk_with_an_action_before_each_source(
    tmp_path: Path,
) -> None:
    lines = text_of(written(tmp_path, RECORD, BARE, format="jsonl")).split("\n")
    assert [json.loads(line) for line in lines[:-1]] == [RECORD, BARE]
    assert lines[-1] == ""
    lines = text_of(written(tmp_path, RECORD, BARE, format="bulk")).split("\n")
    assert json.loads(lines[0]) == {"index": {"_id": "a b"}}
    assert [json.loads(line) for line in lines[1:4:2]] == [RECORD, BARE]
    assert lines[4:] == [""]  # the API wants a line break at the end


def test_a_long_docid_is_shortened_where_bulk_has_no_place_for_it(
    tmp_path: Path,
) -> None:
    ids = ["ü" * 300 + end for end in ("x", "y")]
    path = written(tmp_path, *({**BARE, "id": docid} for docid in ids), format="bulk")
    lines = list(map(json.loads, text_of(path).splitlines()))
    short = [line["index"]["_id"] for line in lines[::2]]
    assert [line["id"] for line in lines[1::2]] == ids
    assert len(set(short)) == 2
    assert all(len(one.encode()) <= 512 for one in short)


def test_trec_web_is_read_again(tmp_path: Path) -> None:
    path = written(tmp_path, RECORD, BARE, format="trecweb")
    with path.open("rb") as file:
        one, other = read_trec_web(file, path.name, USUAL)
    assert isinstance(one, Page)
    assert isinstance(other, Page)
    page = Segmenter().html(one.body)
    assert (one.docid, one.url, one.charset) == (
        "a b",
        "http://site.example/a%20b%3Cc",
        "utf-8",
    )
    assert (page.title, page.texts) == (
        "A & B",
        ['one <b> & "two"', "three 😀 four five"],
    )
    assert (other.docid, other.url) == ("c", None)
    assert Segmenter().html(other.body).texts == ["six", "seven"]
    assert (declared_language(one.body), declared_language(other.body)) == ("de", "")


def test_texts_stand_between_empty_lines(tmp_path: Path) -> None:
    path = written(tmp_path, RECORD, BARE, format="text")
    assert text_of(path) == f"{TEXT}\n\nsix\nseven\n\n"


def test_parquet_also_of_nothing(tmp_path: Path) -> None:
    table = pq.read_table(written(tmp_path, RECORD, BARE, format="parquet"))
    assert table.to_pylist() == [RECORD, {**BARE, "date": None}]
    options = ExportOptions(
        "parquet", blocks=True, passages=Passages(5), fields=("author",)
    )
    with writing(tmp_path / "a.parquet", options) as write:
        write([])
    names = "id docid start end url title date language author contents blocks".split()
    assert pq.read_schema(tmp_path / "a.parquet").names == names
