"""Pages without a right label: by their text or language, and windows-1252 where in doubt."""

import pytest

# ruff: noqa: RUF001
from boilersweep.pages.encoding import GUESSED, lookup, to_utf8

RUSSIAN = (
    "Во вторник утром старые ворота шлюза подняли из воды, и камера стояла сухой. "
)
GREEK = "Την Τρίτη το πρωί σηκώθηκαν οι παλιές πύλες του υδατοφράκτη από το νερό. "
POLISH = "W środę rano wyjęto stare wrota śluzy, a światło dzienne ujrzało dno, mówią żeglarze. "
CHINESE = "周二上午，老水闸的闸门被吊出水面，九十年来这是第一次，村里的人都来了。"
TRADITIONAL = "週二上午，老水閘的閘門被吊出水面，九十年來這是第一次，村裡的人都來了。"
JAPANESE = (
    "火曜日の朝、古い水門の扉が水から引き上げられ、村の人たちはそれを見ていました。"
)
KOREAN = "화요일 아침에 오래된 수문의 문이 물에서 들어 올려지고 마을 사람들은 그것을 보고 있었다. "
HEBREW = "ביום שלישי בבוקר הורמו השערים הישנים של הסכר מן המים והתא היה יבש. "
ENGLISH = "“It’s the café’s first day,” said Zoë — and the naïve crowd cheered. "


def page(text: str, lang: str = "") -> str:
    attribute = f" lang={lang}" if lang else ""
    return f"<html{attribute}><title>x</title><p class=text>{text * 5}</p></html>"


@pytest.mark.parametrize(
    ("text", "lang", "codec"),
    [
        (RUSSIAN, "", "cp1251"),
        (RUSSIAN, "en", "koi8-r"),
        (RUSSIAN, "ru", "iso8859-5"),
        (RUSSIAN, "", "cp866"),
        (GREEK, "", "cp1253"),
        (POLISH, "pl", "cp1250"),
        (POLISH, "pl-PL", "iso8859-2"),
        (CHINESE, "", "gbk"),
        (CHINESE, "zh", "gb18030"),
        (TRADITIONAL, "", "big5"),
        (JAPANESE, "", "shift_jis"),
        (JAPANESE, "ja", "euc-jp"),
        (KOREAN, "", "euc-kr"),
        (HEBREW, "", "cp1255"),
    ],
)
@pytest.mark.parametrize("label", [None, "utf-8", "none"])
def test_decided(text: str, lang: str, codec: str, label: str | None) -> None:
    html = page(text, lang)
    decoded = to_utf8(html.encode(codec), label)
    assert decoded.utf8.decode() == html
    assert decoded.encoding.endswith(GUESSED)


@pytest.mark.parametrize("lang", ["", "en", "de", "pl", "ru", "zh"])
def test_in_doubt_it_is_windows_1252(lang: str) -> None:
    html = page(ENGLISH, lang)
    decoded = to_utf8(html.encode("cp1252"))
    assert (decoded.utf8.decode(), decoded.encoding) == (html, "windows-1252")


def test_central_european_text_needs_its_language() -> None:
    assert to_utf8(page(POLISH).encode("cp1250")).encoding == "windows-1252"


@pytest.mark.parametrize(
    "before", ["<script>var a;</script>", "<!-- <meta charset=big5> -->"]
)
@pytest.mark.parametrize("http", [None, "utf-8"])
def test_a_label_far_from_the_beginning(before: str, http: str | None) -> None:
    html = f"{' ' * 5000}{before}<meta charset=iso-8859-2><p>{POLISH}"
    decoded = to_utf8(html.encode("iso8859-2"), http)
    assert (decoded.utf8.decode(), decoded.encoding) == (html, "iso-8859-2")


@pytest.mark.parametrize(
    ("label", "encoding"),
    [
        ("utf8", "utf-8"),
        ("UTF_8", "utf-8"),
        ("1251", "windows-1251"),
        ("CP-1251", "windows-1251"),
        ("win1250", "windows-1250"),
        ("932", "shift_jis"),
        ("cp936", "gb18030"),
        ("none", None),
        ("9999", None),
    ],
)
def test_labels_that_pages_have(label: str, encoding: str | None) -> None:
    assert lookup(label) == encoding
