import pytest

from boilersweep.collection.fields import (
    charset_of,
    decoded,
    names_html,
)
from boilersweep.pages.surrogates import utf8, without_surrogates


@pytest.mark.parametrize(
    ("content_type", "charset"),
    [
        (None, None),
        ("", None),
        ("text/html", None),
        ("text/html; charset=utf-8", "utf-8"),
        ('text/html;CHARSET = "ISO-8859-1" ; x=y', "ISO-8859-1"),
        ("text/html; charset='Shift_JIS'", "Shift_JIS"),
        ("text/html charset=koi8-r", "koi8-r"),
        ("text/html; charset=;", None),
        ("text/html; accept-charset=x", None),
    ],
)
def test_charset_of(content_type: str | None, charset: str | None) -> None:
    assert charset_of(content_type) == charset


@pytest.mark.parametrize(
    ("content_type", "html"),
    [
        (None, True),
        ("  ", True),
        ("text/html; charset=x", True),
        ("TEXT/HTML", True),
        ('"text/html"', True),
        ("text/html,text/html", True),
        ("application/xhtml+xml", True),
        ("html", True),
        ("*/*", True),
        ("text/plain", False),
        ("application/pdf;x", False),
    ],
)
def test_names_html(content_type: str | None, html: bool) -> None:
    assert names_html(content_type) is html


def test_decoded_falls_back_to_latin_1() -> None:
    assert decoded(b" \xc3\xa9 ") == "\xe9"
    assert decoded(b"\xe9\r\n") == "\xe9"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("", ""),
        ("ascii", "ascii"),
        ("naïve 😀 \uffff\ud7ff\ue000", "naïve 😀 \uffff\ud7ff\ue000"),
        ("\ud800é\udfff", "\ufffdé\ufffd"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
    ],
)
def test_lone_surrogates_are_replaced(text: str, whole: str) -> None:
    assert without_surrogates(text) == whole
    assert utf8(text) == whole.encode()
