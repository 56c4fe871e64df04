"""clean_batch: any engine's Arrow batches, with the texts of clean_many."""

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from boilersweep import PageError, UsageError, clean_batch, clean_many, page

WORDS = "Fünf Wörter und noch eins."
PAGES = [f"<nav>Home</nav><p>{WORDS}</p>", None, "", "<nav>Home</nav>"]
FAILING = "<p " + "".join(f"a{n}=v " for n in range(20_000)) + ">"
TEXTS = [WORDS, None, "", ""]

TYPES = (
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.binary(),
    pa.large_binary(),
    pa.binary_view(),
    pa.dictionary(pa.int32(), pa.string()),
    pa.dictionary(pa.int8(), pa.large_binary()),
)


def column(of: pa.DataType, pages: list[str | None]) -> pa.Array:
    if pa.types.is_dictionary(of):
        values = column(of.value_type, pages).dictionary_encode()
        return values.cast(of)
    return pa.array(pages, pa.string()).cast(of)


def cleaned(batch: Any, **how: Any) -> Any:
    return clean_batch(batch, cleaner="words>=3", **how)


@pytest.mark.parametrize("of", TYPES, ids=str)
@pytest.mark.parametrize("kind", [pa.RecordBatch, pa.Table])
def test_every_type_of_pages(of: pa.DataType, kind: Any) -> None:
    pages = column(of, [*PAGES, FAILING])
    batch = kind.from_arrays([pages, pa.array(range(5))], ["html", "id"])
    found = cleaned(batch)
    assert isinstance(found, kind)
    assert found.schema.names == ["html", "id", "text", "text_error"]
    assert found.select(["html", "id"]).equals(batch)
    assert found.column("text").to_pylist() == [*TEXTS, None]
    *none, error = found.column("text_error").to_pylist()
    assert none == [None] * 4
    (expected,) = clean_many([FAILING], "words>=3")
    assert error == str(expected)
    large = str(of).startswith("large") or "values=large" in str(of)
    assert found.schema.field("text").type == (
        pa.large_string() if large else pa.string()
    )


@pytest.mark.parametrize("pages", [[], [None, None], [FAILING], ["<p>a b c"]])
@pytest.mark.parametrize("metadata", [False, True])
def test_the_schema_depends_on_no_page(pages: list[str | None], metadata: bool) -> None:
    for of in TYPES:
        some = pa.record_batch({"html": column(of, pages)})
        full = pa.record_batch({"html": column(of, PAGES)})
        found = cleaned(some, metadata=metadata)
        assert found.schema == cleaned(full, metadata=metadata).schema
        assert found.num_rows == len(pages)


def test_a_column_without_a_type() -> None:
    found = cleaned(pa.record_batch({"html": pa.nulls(2)}))
    assert found.column("text").to_pylist() == [None, None]


def test_chunks_and_slices() -> None:
    pages = pa.chunked_array([PAGES[:1], [], PAGES[1:], PAGES])
    table = pa.table({"html": pages}).slice(1, 5)
    assert cleaned(table).column("text").to_pylist() == [*TEXTS, *TEXTS][1:6]


def test_fixed_size_bytes() -> None:
    of = pa.binary(12)
    batch = pa.record_batch({"html": pa.array([b"<p>a b c d e", None], of)})
    assert cleaned(batch).column("text").to_pylist() == ["a b c d e", None]


def test_bytes_in_their_own_charset() -> None:
    page = f"<meta charset=windows-1252><p>{WORDS}".encode("cp1252")
    assert cleaned(pa.record_batch({"html": [page]})).column("text").to_pylist() == [
        WORDS
    ]


def test_text_that_is_no_utf8_is_read_nevertheless() -> None:
    octets = b"<p>a b\xff c d"
    offsets = pa.py_buffer(pa.array([0, len(octets)], pa.int32()).buffers()[1])
    pages = pa.Array.from_buffers(pa.string(), 1, [None, offsets, pa.py_buffer(octets)])
    assert cleaned(pa.record_batch({"html": pages})).column("text").to_pylist() == [
        "a b\ufffd c d"
    ]


def test_other_names_and_columns_that_exist() -> None:
    batch = pa.record_batch({"id": [1], "body": ["<p>a b c"], "text": ["old"]})
    found = cleaned(batch, html="body")
    assert found.schema.names == ["id", "body", "text", "text_error"]
    assert found.column("text").to_pylist() == ["a b c"]
    found = cleaned(batch, html="body", into="body")
    assert found.to_pylist() == [
        {"id": 1, "body": "a b c", "text": "old", "body_error": None}
    ]


def test_metadata_are_those_of_a_page() -> None:
    html = (
        "<title>T</title><html lang=nl><meta name=author content=A><link rel=canonical "
        "href=/b><meta property=og:image content=/i.png><h1>T</h1><p>een twee drie"
    )
    address = "https://example.org/a"
    batch = pa.record_batch(
        {"html": [html, None, "<p>a b c", FAILING], "at": [address, "", None, ""]}
    )
    found = cleaned(batch, metadata=True, url="at").column("metadata").to_pylist()
    one = page(html, "words>=3", address)
    assert found[0] == {name: getattr(one, name) for name in found[0]}
    assert found[0]["url"] == "https://example.org/b"
    assert found[0]["title"] == "T"
    assert [found[1], found[3]] == [None, None]
    assert set(found[2].values()) == {None}
    alone = cleaned(batch, metadata=True).column("metadata").to_pylist()[0]
    assert alone["image"] is None or not alone["image"].startswith("https:")


def test_metadata_that_take_too_long_are_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def late(*_: object) -> None:
        raise PageError("too late")

    monkeypatch.setattr("boilersweep.cleaning.batch.read_metadata", late)
    (row,) = cleaned(pa.record_batch({"html": ["<p>a b c"]}), metadata=True).to_pylist()
    assert (row["text"], row["metadata"], row["text_error"]) == (
        "a b c",
        None,
        "too late",
    )


def test_frames() -> None:
    frame = pd.DataFrame({"html": [one or None for one in PAGES]})
    assert cleaned(frame).column("text").to_pylist() == [WORDS, None, None, ""]
    polars = pytest.importorskip("polars")
    assert (
        cleaned(polars.DataFrame({"html": PAGES})).column("text").to_pylist() == TEXTS
    )


@pytest.mark.parametrize(
    ("batch", "how", "message"),
    [
        ({"body": ["<p>a"]}, {}, "expected one column 'html', got 0 of it among body"),
        ({"html": [1]}, {}, "column 'html': expected text or bytes, got int64"),
        ({"html": [["<p>a"]]}, {}, "column 'html': expected text or bytes, got list"),
        ({"html": ["a"]}, {"cleaner": "lerned"}, "lerned"),
        (
            {"html": ["a"]},
            {"cleaner": "bte", "metadata": True, "url": "u"},
            "expected one column 'u'",
        ),
        (
            {"html": ["a"], "u": [b"a"]},
            {"cleaner": "bte", "metadata": True, "url": "u"},
            "column 'u': expected text, got binary",
        ),
        (["<p>a"], {}, "expected a pyarrow.RecordBatch or Table, got list"),
        (7, {}, "expected a pyarrow.RecordBatch or Table, got int"),
    ],
)
def test_mistakes(batch: Any, how: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        clean_batch(batch, **how)


def test_a_column_twice() -> None:
    twice = pa.RecordBatch.from_arrays([pa.array(["a"]), pa.array(["b"])], ["html"] * 2)
    with pytest.raises(UsageError, match="expected one column 'html', got 2"):
        clean_batch(twice)
