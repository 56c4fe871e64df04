"""Invisible characters: gone within words, kept where a script needs them."""

from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.pages.compiled import make_segmenter
from boilersweep.pages.segmenter import Segmenter
from boilersweep.pages.stray_characters import Visible, as_shown
from boilersweep.topics import Topic

THAI = "\u0e44\u0e17\u0e22"
PERSIAN = "\u0645\u06cc"
SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"

# Letters, emoji, and what is shown beside some of them alone.
MIXED = (
    "a \u00ad\u200b\u200c\u200d\u200e\u2060\u0645\u0e01\u2764\ufe0f\ufe00\u20e3\u17b4"
    "\U0001f3f4\U000e0067\U000e007f\U000e0001"
)

CASES = [
    ("under\u00adtakings", "undertakings"),
    ("under\u2060takings", "undertakings"),
    ("under\ufefftakings", "undertakings"),
    ("under\u200btakings", "undertakings"),
    ("under\u200ctakings", "undertakings"),
    ("under\u200dtakings", "undertakings"),
    ("u\u00adn\u200b\u2060der\u00ad", "under"),
    (
        "\u043f\u0440\u0438\u00ad\u0432\u0435\u0442",
        "\u043f\u0440\u0438\u0432\u0435\u0442",
    ),
    (f"{THAI}\u200b{THAI}", f"{THAI}\u200b{THAI}"),
    (f"{THAI}\u00ad\u200b{THAI}", f"{THAI}\u200b{THAI}"),
    ("\u1780\u200b\u1781", "\u1780\u200b\u1781"),
    (f"{PERSIAN}\u200c{PERSIAN}", f"{PERSIAN}\u200c{PERSIAN}"),
    (f"PDF\u200c{PERSIAN}", f"PDF\u200c{PERSIAN}"),
    (f"{PERSIAN}\u200b{PERSIAN}", f"{PERSIAN}{PERSIAN}"),
    ("\u0915\u094d\u200d\u0937", "\u0915\u094d\u200d\u0937"),
    ("\U0001f469\u200d\U0001f4bb", "\U0001f469\u200d\U0001f4bb"),
    ("\u2764\ufe0f\u200d\U0001f525", "\u2764\ufe0f\u200d\U0001f525"),
    ("cafe\u0301s", "caf\u00e9s"),
    ("or\u200erery", "orrery"),
    ("\u200f\u05d4\u05de\u200f", "\u05d4\u05de"),
    ("44\u20681\u2069", "441"),
    ("a\u034f\u061c\u180e\u2061\u2064\u3164\uffa0b", "ab"),
    ("\u845b\ufe00\u98fe\U000e0100", "\u845b\u98fe"),
    ("a\ufe0fb", "ab"),
    ("\u2764\ufe0f", "\u2764\ufe0f"),
    ("1\ufe0f\u20e3", "1\ufe0f\u20e3"),
    ("a\U000e0068\U000e0069b", "ab"),
    (f"{SCOTLAND}x\U000e0067", f"{SCOTLAND}x"),
    ("\U0001f3f4\u00ad\U000e0067", "\U0001f3f4\U000e0067"),
]


@pytest.mark.parametrize(("text", "shown"), CASES)
def test_pages_and_queries_alike(text: str, shown: str) -> None:
    assert as_shown(text) == shown
    assert Topic("1", text).text(["title"]) == shown
    references = "".join(f"&#{ord(one)};" for one in text)
    for body in (text, references):
        page = f"<title>{body}</title><p>x {body}</p>".encode()
        for segmenter in (Segmenter(), make_segmenter()):
            found = segmenter.html(page)
            assert (found.title, found.texts) == (shown, [f"x {shown}"])


@pytest.mark.parametrize("new", [Segmenter, make_segmenter])
def test_the_papers_borders_leave_them(new: type[Segmenter]) -> None:
    text = "under\u00adtakings e\u0301"
    assert new(borders="paper").html(f"<p>{text}".encode()).texts == [text]


@pytest.mark.parametrize(
    "html",
    [
        "<nav><a>Home.&shy;</a><a>&shy;About</a></nav>",
        "<a>a&zwnj;</a><b>\u0645</b>",
        "&shy;<a>&shy;x</a>&#8203;",
        "<p>\u0645</p><p>&zwnj;a</p>",
        "e<a>\u0301x</a>",
        "<p>&shy;</p><p>a</p>",
        "\u0645\u200b\u200cX\u200c\u200c\u0645",
    ],
)
def test_both_segmenters_alike(html: str) -> None:
    pure, compiled = Segmenter(structure=True), make_segmenter(structure=True)
    assert pure.html(html.encode()) == compiled.html(html.encode())


@given(st.lists(st.text(MIXED, min_size=1)))
def test_parts_are_shown_as_the_whole(parts: list[str]) -> None:
    visible = Visible()
    assert "".join(map(visible.part, parts)) == Visible().part("".join(parts))


@given(st.lists(st.tuples(st.sampled_from("a b i p".split()), st.text(MIXED))))
def test_both_segmenters_alike_in_parts(parts: list[tuple[str, str]]) -> None:
    html = "".join(f"<{name}>x{text}</{name}>{text}" for name, text in parts).encode()
    pure, compiled = Segmenter(structure=True), make_segmenter(structure=True)
    assert pure.html(html) == compiled.html(html)


def test_the_table_is_unicodes() -> None:
    """Format characters within words go, but for signs over numbers."""
    shown = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2"
    formats = {
        chr(code)
        for code in range(0x10000)
        if category(chr(code)) == "Cf" and not 0xFFF9 <= code <= 0xFFFB
    }
    kept = {one for one in formats if one in as_shown(f"a{one}b")}
    assert kept == set(shown)
