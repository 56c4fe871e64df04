"""clean and clean_many: the same to the character as the same page through the store."""

import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from boilersweep import (
    Segmentation,
    UsageError,
    blocks,
    clean,
    clean_many,
    page,
    parse_cleaner,
    segment_collection,
)
from boilersweep.cleaners.selection import page_texts_of
from boilersweep.cleaners.stored import columns_for
from tests.indexer.conftest import kept_contents

PAGE = "<title>A page</title><nav>Home | News</nav><p>One two three four five six.</p>"

CLEANERS = ("words>=5", "density>=3 & link_density<=0.33", "bte", "cetr")


def test_a_page_is_cleaned() -> None:
    assert clean(PAGE, "words>=3") == "One two three four five six."
    assert (
        clean(PAGE.encode(), "words>=1") == "Home | News\nOne two three four five six."
    )


@pytest.mark.application("learned")
def test_learned_is_the_cleaner_unless_another_is_named() -> None:
    assert clean(PAGE) == clean(PAGE, parse_cleaner("learned"))
    assert "One two three four five six." in clean(PAGE).split("\n")


MADE = {
    "ascii": b"<p>one two three four five</p><p>six",
    "utf-8": "<p>é ü ö ñ ç</p><a href=x>ein Verweis mit fünf Wörtern</a>".encode(),
    "windows-1252": "<p>sm\u00f6rg\u00e5sbord \u2014 caf\u00e9 und noch vier W\u00f6rter".encode(
        "cp1252"
    ),
    "meta": '<meta charset="koi8-r"><p>раз два три четыре пять шесть'.encode("koi8-r"),
    "utf-16": "\ufeff<p>one two three four five \U0001f600".encode("utf-16-le"),
    "bom": "\ufeff<p>one two three four five".encode(),
    "nul": b"<p>one two\0three four five six",
    "xml": b'<?xml version="1.0" encoding="utf-8"?><p>one two three four five',
    "no-word": b"<p>... --- ...</p>",
    "no-text": b"<html><body><script>var x = 1</script></body></html>",
    "noscript": b"<noscript>" + b"<p>word " * 80 + b"</noscript>",
    "tables": b"<table><tr><td>a b c d e<td>f g h i j</table><ul><li>one<li>two",
}


def folder_of(pages: dict[str, bytes], folder: Path) -> Path:
    folder.mkdir()
    for name, body in pages.items():
        (folder / f"{name}.html").write_bytes(body)
    return folder


def through_the_store(pages: Path, output: Path, cleaner: str) -> dict[str, str]:
    """Docid -> what the indexer gives to Lucene of it, "" where that is nothing."""
    one = parse_cleaner(cleaner)
    options = Segmentation(extractors=page_texts_of([one]))
    store = segment_collection(pages, output, options, workers=1)
    return {
        **dict.fromkeys(store.docids(), ""),
        **{
            d: text
            for some in columns_for(store, [one])
            for d, text in kept_contents(some, one)
        },
    }


@pytest.mark.parametrize(
    "cleaner",
    [*CLEANERS, pytest.param("learned", marks=pytest.mark.application("learned"))],
)
def test_the_texts_are_those_of_the_store(tmp_path: Path, cleaner: str) -> None:
    stored = through_the_store(
        folder_of(MADE, tmp_path / "pages"), tmp_path / "store", cleaner
    )
    assert stored.keys() == MADE.keys()
    assert {name: clean(body, cleaner) for name, body in MADE.items()} == stored
    assert (
        dict(zip(MADE, clean_many(MADE.values(), cleaner=cleaner), strict=True))
        == stored
    )


def test_the_file_of_a_page(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<p>one")
    assert clean(path, "words>=1") == page(path, "words>=1").text == "one"
    assert blocks(path).texts == ["one"]
    found = list(clean_many([path, tmp_path / "missing", "<p>two"], "words>=1"))
    assert [found[0], found[2]] == ["one", "two"]
    assert "cannot read" in str(found[1])


def test_a_name_instead_of_a_page_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("page.html").write_text("<p>one")
    for name, expected in (
        ("page.html", "is the name of a file; give its content, or pathlib.Path of it"),
        ("https://example.org/page", "is an address; boilersweep fetches nothing"),
    ):
        with pytest.warns(UserWarning, match=expected):
            assert clean(name, "words>=1") == name
        with pytest.warns(UserWarning, match=expected):
            page(name, "words>=1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for text in (
            "other.html",
            "<p>page.html",
            "see https://example.org",
            "a\0b",
            "",
        ):
            clean(text, "words>=1")


def test_one_page_in_every_form() -> None:
    octets = b"<p>one two three</p>"
    for form in (bytearray(octets), memoryview(octets), pa.scalar(octets)):
        assert clean(form, "words>=3") == "one two three"
        assert blocks(form).texts == page(form, "words>=3").blocks.texts
    nones: tuple[Any, ...] = (None, 7, pa.scalar(None))
    for none in nones:
        with pytest.raises(UsageError, match="expected a page's HTML as bytes or text"):
            clean(none, "words>=3")


@pytest.mark.parametrize("pages", [b"<p>a", "<p>a", bytearray(b"<p>a"), Path("a"), 7])
def test_one_page_instead_of_many(pages: Any) -> None:
    with pytest.raises(UsageError, match="expected an iterable of pages"):
        clean_many(pages)


@pytest.mark.parametrize("url", [b"", b"https://example.org", 7, Path("a")])
def test_an_address_is_text(url: Any) -> None:
    with pytest.raises(UsageError, match="url: expected the page's address as text"):
        page("<p>a", url=url)
