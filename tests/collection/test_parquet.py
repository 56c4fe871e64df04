"""Tables as pyarrow writes them: columns of any form, row groups, damage and hostile sizes."""
# ruff: noqa: S311

import io
import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from boilersweep.collection.format import Reading, Reason, Record, Skipped
from boilersweep.collection.formats import named_format
from tests.collection.conftest import Reader

ROWS = 300
COLUMNS: dict[str, list[Any]] = {
    "id": [f"d{number}" for number in range(ROWS)],
    "text": [f"x < {number}" for number in range(ROWS)],
    "page": [
        {"html": f"<p>{n}</p>", "metadata": {"url": f"http://x/{n}"}}
        for n in range(ROWS)
    ],
    "raw": [b"caf\xe9 %d" % number for number in range(ROWS)],
    "hits": [[{"html": "<p>a"}, {"html": ""}, {"html": "<p>c"}]] * ROWS,
    "url": [f"http://y/{number}" for number in range(ROWS)],
    "number": list(range(ROWS)),
}
TABLE = pa.table(COLUMNS)


def as_parquet(table: pa.Table) -> bytes:
    file = io.BytesIO()
    parquet.write_table(table, file, row_group_size=100)
    return file.getvalue()


def as_feather(table: pa.Table) -> bytes:
    file = io.BytesIO()
    feather.write_feather(table, file, chunksize=100)
    return file.getvalue()


def as_stream(table: pa.Table) -> bytes:
    file = io.BytesIO()
    with pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=100)
    return file.getvalue()


Write = Callable[[pa.Table], bytes]
kinds = pytest.mark.parametrize("write", [as_parquet, as_feather, as_stream])


@kinds
def test_rows_are_pages(items: Reader, write: Write) -> None:
    found = items(named_format("parquet"), write(TABLE), one_way=True)
    assert [item.docid for item in found] == COLUMNS["id"]
    assert [item.place.offset for item in found] == COLUMNS["number"]
    last = found[-1]
    assert (last.body, last.plain, last.url) == (b"x < 299", True, "http://y/299")


@kinds
def test_columns_as_users_name_them(items: Reader, write: Write) -> None:
    data = write(TABLE)

    def first(**names: str) -> Any:
        return items(named_format("parquet", Reading(**names)), data)[0]  # type: ignore[arg-type]

    nested = first(text_field="page.html", url_field="page.metadata.url")
    assert (nested.body, nested.url) == (b"<p>0</p>", "http://x/0")
    assert (nested.plain, nested.charset) == (False, "utf-8")
    raw = first(text_field="raw", id_field="number")
    assert (raw.docid, raw.body, raw.charset) == ("0", b"caf\xe9 0", None)
    lost = first(text_field="page.htm")
    assert (
        lost.detail
        == 'expected "page.htm" to be a string, found none among the keys html, metadata'
    )
    each = items(named_format("parquet", Reading(text_field="hits[].html")), data)
    assert [item.docid for item in each[:3]] == ["d0-1", "d0-2", "d0-3"]
    assert [type(item) for item in each[:3]] == [Record, Skipped, Record]
    assert len(each) == 3 * ROWS


@kinds
@pytest.mark.parametrize(
    ("names", "detail"),
    [
        (
            {"id_field": "nr"},
            "expected a column 'nr', found the columns id, text, page, raw, hits, url, number; "
            "name another with --id-field",
        ),
        ({"text_field": "nr.x"}, "expected a column 'nr.x', found the columns id, "),
    ],
)
def test_a_column_that_is_missing_is_one_line(
    items: Reader, write: Write, names: dict[str, str], detail: str
) -> None:
    reading = Reading(**names)  # type: ignore[arg-type]
    [skipped] = items(named_format("parquet", reading), write(TABLE))
    assert skipped.reason == Reason.MALFORMED
    assert skipped.detail.startswith(detail)


@kinds
def test_other_schemas(items: Reader, write: Write) -> None:
    twice = pa.Table.from_arrays(
        [pa.array(["a"]), pa.array(["x"]), pa.array(["y"])], ["id", "text", "text"]
    )
    [skipped] = items(named_format("parquet"), write(twice))
    assert skipped.detail == "expected one column 'text', found several"
    odd = pa.table({"id": [1.5, None, 2.0], "contents": [[1], [2], None]})
    assert {item.reason for item in items(named_format("parquet"), write(odd))} == {
        Reason.NO_DOCID
    }
    codes = pa.array(["<p>x", None]).dictionary_encode()
    first, second = items(
        named_format("parquet"), write(pa.table({"id": ["a", "b"], "html": codes}))
    )
    assert (first.body, second.reason) == (b"<p>x", Reason.MALFORMED)


def test_after_damage_the_next_row_group_is_read(items: Reader) -> None:
    data = bytearray(as_parquet(TABLE))
    column = parquet.read_metadata(io.BytesIO(data)).row_group(1).column(0)
    data[column.dictionary_page_offset : column.data_page_offset] = b"\xff" * (
        column.data_page_offset - column.dictionary_page_offset
    )
    found = items(named_format("parquet"), bytes(data))
    [lost] = [item for item in found if isinstance(item, Skipped)]
    assert lost.reason == Reason.TRUNCATED
    assert [item.docid for item in found if isinstance(item, Record)] == [
        *COLUMNS["id"][:100],
        *COLUMNS["id"][200:],
    ]
    assert [item.place.offset for item in found if isinstance(item, Record)][100] == 200


@kinds
def test_any_damage_ends_without_an_error(items: Reader, write: Write) -> None:
    whole = write(TABLE.select(["id", "text", "url"]))
    chance = random.Random(5)
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(chance.choice([1, 4, 20])):
            data[chance.randrange(len(data))] = chance.randrange(256)
        cut = bytes(data[: chance.choice([len(data), chance.randrange(len(data))])])
        for item in items(named_format("parquet"), cut):
            assert isinstance(item, Record | Skipped)
