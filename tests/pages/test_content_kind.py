"""Bytes that are no page are told from pages in any encoding."""

import gzip

import pytest

from boilersweep.pages.content_kind import foreign_kind, is_marked_up


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"%PDF-1.4 text", "a PDF document"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF" + bytes(9), "a JPEG image"),
        (b"RIFF\0\0\0\0WEBPVP8 " + bytes(99), "a WebP image"),
        (b"\0\0\0\x20ftypavif" + bytes(99), "MP4, HEIC or AVIF"),
        (
            b"PK\x03\x04\x14\0\0\0" + bytes(99),
            "a ZIP archive, or a document of an office program",
        ),
        (gzip.compress(b"x" * 999), "gzip"),
        (bytes(range(256)) * 9, "binary data"),
        (bytes(999), "binary data"),
        (b"page.html" + bytes(248) + b"ustar\0" + bytes(250), "a tar archive"),
        (b"ARROW1\0\0" + bytes(99), "an Arrow file"),
    ],
)
def test_kinds(body: bytes, kind: str) -> None:
    assert foreign_kind(body) == kind


@pytest.mark.parametrize(
    "text",
    [
        "<p>one two",
        "<p>\u0440\u0430\u0437 \u0434\u0432\u0430",
        "<p>\u65e5\u672c",
        "caf\xe9 \xa3",
    ],
)
@pytest.mark.parametrize(
    "encoding",
    (
        "utf-8 utf-8-sig utf-16 utf-16-le utf-16-be windows-1252 koi8-r shift_jis euc_jp "
        "iso2022_jp gb18030 big5 utf-7"
    ).split(),
)
def test_text_in_any_encoding_is_none(text: str, encoding: str) -> None:
    body = (text * 50).encode(encoding, "ignore")
    assert foreign_kind(body, encoding) == ""


@pytest.mark.parametrize(
    "body", [b"", b"\0", b"a\0b", b"ID3 tags", b"GIF89a is a format", b"BZh"]
)
def test_short_pages_and_words_that_begin_as_files_do_are_none(body: bytes) -> None:
    assert foreign_kind(body) == ""


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        (b"<!doctype html><html><body>x", True),
        (b"<p>one</p><p>two", True),
        (b"use <b> and </b> in HTML", False),
        (b"if a<b and c>d: x<y", False),
        (b"", False),
    ],
)
def test_html_in_a_text(text: bytes, marked: bool) -> None:
    assert is_marked_up(text) == marked
