import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.collection.format import charset_of, decoded, iso_date, names_html
from boilersweep.pages.stray_characters import utf8, without_surrogates


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


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("2012-02-10T22:50:41Z", "2012-02-10T22:50:41Z"),
        (" 2005-12-06T23:34:40-0800\n", "2005-12-07T07:34:40Z"),
        ("2016-01-11T23:24:25.412030Z", "2016-01-11T23:24:25.412030Z"),
        ("2005-12-06 10:00", "2005-12-06T10:00:00"),
        ("2005-12-06", "2005-12-06"),
        ("20051206", "2005-12-06"),
        ("19970115093446", "1997-01-15T09:34:46Z"),
        ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ("Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"),
        ("Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z"),
        ("6 Nov 1994 08:49:37 EST", "1994-11-06T13:49:37Z"),
        ("", None),
        ("0", None),
        ("-1", None),
        ("yesterday", None),
        ("2009-03-65T08:43:19-0800", None),  # so ClueWeb09 has them
        ("2009-02-30", None),
        ("20051399093446", None),
        ("20051206243446", None),
        ("20051206093460", None),
        ("9999-12-31T23:59:59-0800", None),
        ("2005-12-06" + " " * 90 + "x", None),
    ],
)
def test_ways_to_write_a_date(written: str, date: str | None) -> None:
    assert iso_date(written) == date


@given(st.text(max_size=70))
def test_any_text_ends_without_an_error(text: str) -> None:
    found = iso_date(text)
    assert found is None or iso_date(found) == found
