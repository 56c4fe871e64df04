"""Decoding: byte order marks, labels from everywhere, and pages whose label is wrong."""

import codecs
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from webencodings import labels

from boilersweep.pages.encoding import (
    GUESSED,
    beyond_ascii,
    declared,
    lookup,
    to_utf8,
)
from tests.pages.old_web import OLD_WEB, page


def decoded(body: bytes, charset: str | None = None) -> tuple[str, str]:
    page = to_utf8(body, charset)
    return page.utf8.decode("utf-8"), page.encoding


@pytest.mark.parametrize(
    ("label", "encoding", "text"),
    [
        ("koi8-r", "koi8-r", "Привет"),
        ("KOI8-R", "koi8-r", "Привет"),
        (" windows-1251\n", "windows-1251", "Привет"),
        ("gb2312", "gb18030", "中文"),
        ("gbk", "gb18030", "中文"),
        ("gb18030", "gb18030", "中文𠀀"),
        ("big5", "big5", "中文"),
        ("shift_jis", "shift_jis", "日本①\uff5e"),
        ("x-sjis", "shift_jis", "日本"),
        ("euc-jp", "euc-jp", "日本"),
        ("iso-2022-jp", "iso-2022-jp", "日本"),
        ("euc-kr", "euc-kr", "한국똠"),
        ("windows-874", "windows-874", "ไทย €"),
        ("tis-620", "windows-874", "ไทย"),
        ("iso-8859-2", "iso-8859-2", "Łódź"),
        ("iso-8859-1", "windows-1252", "“é” €"),
        ("us-ascii", "windows-1252", "“é” €"),
        ("utf8", "utf-8", "é日"),
    ],
)
def test_the_label_of_the_header(label: str, encoding: str, text: str) -> None:
    python_names = {"shift_jis": "cp932", "euc-kr": "cp949", "windows-874": "cp874"}
    body = text.encode(python_names.get(encoding, encoding))
    assert decoded(body, label) == (text, encoding)


@pytest.mark.parametrize(
    "head",
    [
        b"<meta charset=koi8-r>",
        b'<META CharSet = "KOI8-R" />',
        b"<meta charset='koi8-r'>",
        b'<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">',
        b"<meta content='text/html;charset=koi8-r' http-equiv=content-type>",
        b'<?xml version="1.0" encoding="koi8-r"?>',
        b" \n<?xml version='1.0' encoding='KOI8-R' standalone='yes'?>",
    ],
)
def test_the_label_of_the_page(head: bytes) -> None:
    text, encoding = decoded(head + "Привет".encode("koi8-r"))
    assert text.endswith("Привет")
    assert encoding == "koi8-r"


def test_endless_white_space_behind_a_label_takes_no_time() -> None:
    body = b"<meta " * 200 + b"charset" * 100 + b"charset=" + b" " * 4000
    before = time.process_time()
    assert to_utf8(body).encoding == "utf-8"
    # 8 seconds when all ways to part it were tried
    assert time.process_time() - before < 1


META = "<meta charset=koi8-r>"


BOTH = '<?xml version="1.0" encoding="big5"?>'


@pytest.mark.parametrize(
    ("body", "label", "text", "encoding"),
    [
        # A byte order mark comes before every label, and is dropped.
        (
            codecs.BOM_UTF8 + f"{META}Größe".encode(),
            "shift_jis",
            f"{META}Größe",
            "utf-8",
        ),
        (codecs.BOM_UTF16_LE + "é".encode("utf-16-le"), "shift_jis", "é", "utf-16le"),
        (codecs.BOM_UTF16_BE + "é".encode("utf-16-be"), "shift_jis", "é", "utf-16be"),
        # The header comes before meta, and meta before the XML declaration; unknown labels do not.
        (f"{BOTH}{META}".encode(), "euc-kr", f"{BOTH}{META}", "euc-kr"),
        (f"{BOTH}{META}".encode(), None, f"{BOTH}{META}", "koi8-r"),
        (BOTH.encode(), None, BOTH, "big5"),
        (
            f"{META}Привет".encode("koi8-r"),
            "no-such-charset",
            f"{META}Привет",
            "koi8-r",
        ),
        (f"{META}Привет".encode("koi8-r"), "", f"{META}Привет", "koi8-r"),
        # Wrong labels.
        ("Größe “x”".encode("cp1252"), "utf-8", "Größe “x”", "windows-1252"),
        ("Größe “x”".encode("cp1252"), None, "Größe “x”", "windows-1252"),
        ("Größe".encode(), "iso-8859-1", "Größe", "utf-8"),
        ("Größe".encode(), "windows-1252", "Größe", "utf-8"),
        ("“é”".encode(), "shift_jis", "“é”", "utf-8"),
        (
            "Größe älter Übung ".encode() + b"\xff",
            "utf-8",
            "Größe älter Übung \ufffd",
            "utf-8",
        ),
        ("é".encode(), "iso-2022-kr", "é", "utf-8"),  # a label of no encoding
        (b"<p>plain", "utf-16", "<p>plain", "utf-8"),
        ("<p>Größe".encode(), "utf-16be", "<p>Größe", "utf-8"),
        # What Python lacks is read as browsers do.
        (b"5 \x80", "gb2312", "5 €", "gb18030"),
        (b"\xa4\xa2\xad\xa1\xfc\xe2\xa4", "euc-jp", "あ①髙\ufffd", "euc-jp"),
        (b"\xe9\x80", "x-user-defined", "é€", "windows-1252"),
        # ASCII keeps its label.
        (b"plain", "latin1", "plain", "windows-1252"),
        (b"plain", None, "plain", "utf-8"),
        (b"", None, "", "utf-8"),
        # UTF-16 without a byte order mark counts only if the header names it, or a tag shows it.
        ("Größe".encode("utf-16-le"), "utf-16", "Größe", "utf-16le"),
        ("Größe".encode("utf-16-be"), "utf-16be", "Größe", "utf-16be"),
        ("<meta charset=utf-16>ö".encode(), None, "<meta charset=utf-16>ö", "utf-8"),
        (b"<p>" + b"\0" * 20 + "ö".encode() + b" \0" * 3, None, "<p>ö   ", "utf-8"),
        (b"<\0p>", None, "<p>", "utf-8"),
        (codecs.BOM_UTF16_LE + b"a\0b", None, "a\ufffd", "utf-16le"),
        (codecs.BOM_UTF16_LE + b"a\0\x00\xd8", None, "a\ufffd", "utf-16le"),
    ],
)
def test_the_text_and_its_encoding(
    body: bytes, label: str | None, text: str, encoding: str
) -> None:
    assert decoded(body, label) == (text, encoding)


@pytest.mark.parametrize(
    "head",
    [
        b" " * 5000 + b"<meta charset=koi8-r>",
        b"<meta charset=no-such-charset>",
        b'<meta charset=?><?xml version="1.0" encoding="koi8-r"?>',
        b"<meta charset=iso-2022-kr>",
        b"<meta charset=hz-gb-2312>",
    ],
)
def test_pages_that_declare_no_encoding(head: bytes) -> None:
    assert declared(head) is None


@pytest.mark.parametrize(("label", "codec", "text"), OLD_WEB)
def test_the_old_web_rightly_labelled(label: str, codec: str, text: str) -> None:
    for head in ("", "<p>"):
        assert decoded((head + text).encode(codec), label)[0] == head + text
    assert text in decoded(page(text, label).encode(codec))[0]


@pytest.mark.parametrize(("label", "codec", "text"), OLD_WEB)
def test_utf_8_under_the_labels_of_the_old_web(
    label: str, codec: str, text: str
) -> None:
    assert decoded(text.encode(), label) == (text, "utf-8")
    assert decoded(page(text, label).encode()) == (page(text, label), "utf-8")


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("gb2312", "陇西"),
        ("euc-kr", "혀까"),
        ("tis-620", "ยธ"),
        ("koi8-r", "Привет"),
        ("big5", "癒"),
    ],
)
def test_few_characters_that_may_be_utf_8_go_by_their_label(
    label: str, text: str
) -> None:
    body = text.encode("gb18030" if label == "gb2312" else label)
    assert decoded(body, label)[0] == text


def test_many_bad_bytes_take_little_time() -> None:
    before = time.process_time()
    for label, bad in (
        ("euc-jp", b"\xad\xff"),
        ("gb2312", b"\x80\xff"),
        ("big5", b"\xff "),
    ):
        assert "\ufffd" in decoded(bad * 2**19, label)[0]
    # Each is 1 MB; a page may take ten seconds
    assert time.process_time() - before < 15


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("label", [None, "utf-8", "utf-16", "gb2312"])
@pytest.mark.parametrize("text", ["Größe", "视野无限广\u3000窗外有蓝天" * 60])
def test_utf_16_without_a_byte_order_mark_shows_in_its_first_tag(
    encoding: str, label: str | None, text: str
) -> None:
    page = f"\n<html><meta charset=utf-8><p>{text}"
    assert decoded(page.encode(encoding), label) == (
        page,
        encoding.replace("16-", "16"),
    )


LABELS = st.one_of(
    st.none(), st.sampled_from(sorted(labels.LABELS)), st.text(max_size=20)
)


@given(st.binary(), LABELS)
@example(b"\xef\xbb\xbf\xef\xbb\xbf\xff", None)
@example(b"\x1b$B\xff\x1b", "iso-2022-jp")
@example(b"\x81", "gb18030")
def test_never_raises_and_always_gives_utf_8_without_nuls(
    body: bytes, label: str | None
) -> None:
    text, encoding = decoded(body, label)
    assert "\0" not in text
    assert lookup(encoding.removesuffix(GUESSED)) == encoding.removesuffix(GUESSED)


@given(st.text(), st.sampled_from(["utf-8", None]))
def test_valid_utf_8_passes_unchanged(text: str, label: str | None) -> None:
    body = ("<p>" + text).replace("charset", "").replace("\0", "").encode()
    assert to_utf8(body, label).utf8 == body


def shown(browser: Any, path: Path, body: bytes) -> str:
    path.write_bytes(body)
    browser.get(path.as_uri())
    text: str = browser.execute_script("return document.querySelector('p').textContent")
    return text


@pytest.mark.parametrize(("label", "codec", "text"), OLD_WEB)
def test_a_page_with_its_label_is_what_a_browser_shows(
    browser: Any, tmp_path: Path, label: str, codec: str, text: str
) -> None:
    body = page(text, label).encode(codec)
    assert (
        f"<p>{shown(browser, tmp_path / 'page.html', body)}</p>"
        in to_utf8(body).utf8.decode()
    )


@pytest.mark.parametrize(("label", "codec", "text"), OLD_WEB)
def test_a_page_with_a_wrong_label_is_what_a_browser_shows_under_the_right_one(
    browser: Any, tmp_path: Path, label: str, codec: str, text: str
) -> None:
    body = page(text, label).encode()
    right = page(text, "utf-8").encode()
    assert shown(browser, tmp_path / "wrong.html", body) != text
    expected = shown(browser, tmp_path / "right.html", right)
    assert f"<p>{expected}</p>" in to_utf8(body).utf8.decode()


@pytest.mark.parametrize(
    "encoding", ["gb18030", "big5", "euc-jp", "shift_jis", "euc-kr"]
)
@example(b"\x810aa\x810")
@given(
    st.lists(
        st.sampled_from(
            [*b"01Aa@~ \\\n", 0x81, 0x8E, 0x8F, 0xA4, 0xB1, 0xD4, 0xE9, 0xFE]
        )
    ).map(bytes)
)
def test_ascii_that_is_left_out_decides_nothing(encoding: str, text: bytes) -> None:
    def characters(part: bytes) -> list[str]:
        return [one for one in part.decode(encoding, "replace") if not one.isascii()]

    assert characters(beyond_ascii(text)) == characters(text)
