"""Other libraries' extractors: called as they are meant to be, or missing."""

import sys

import pytest

from boilersweep import UsageError
from boilersweep.extractors import BuiltIn, libraries
from boilersweep.extractors.libraries import STOP_LISTS
from boilersweep.pages.language import primary_tag
from tests.pages.test_words import ARTICLES

SENTENCES = [
    f"This is the {number} part of the story that we have told you, and it is as long as they are "
    "in the papers that people read in the morning, with all of the words that have to be in it, "
    "so that nobody who sees it would take it for anything but a story, written at a caf\u00e9."
    for number in ("first", "second", "third", "fourth", "fifth", "last")
]
PAGE = (
    "<?xml version='1.0' encoding='iso-8859-1'?><html><head><title>A title</title></head><body>"
    "<ul>"
    + "<li><a href='x'>Menu</a></li>"
    * 8
    + "</ul><div class='article'><h1>The Story</h1>"
    "<p>" + "</p><p>".join(SENTENCES) + "</p></div><b></i>"
    "<ul>" + "<li><a href='x'>Menu</a></li>" * 8 + "</ul></body></html>"
)

MENUS = {
    "English": "Home",
    "Chinese": "首页",
    "Japanese": "ホーム",
    "Thai": "หน้าแรก",
    "Lao": "ໜ້າຫຼັກ",
    "Khmer": "ទំព័រដើម",
    "Burmese": "ပင်မစာမျက်နှာ",
    "Korean": "홈",
}
TAGS = {
    "English": "en",
    "Chinese": "zh-CN",
    "Japanese": "ja",
    "Thai": "th",
    "Lao": "lo",
    "Khmer": "km",
    "Burmese": "my",
    "Korean": "ko-KR",
}
# Paragraphs that are a little too short where lengths are taken for those of Han.
ENGLISH = "<p lang='en'>" + "<p>".join(sentence[:150] for sentence in SENTENCES)
NO_LANGUAGE_OF_THE_DETECTOR = {"Aromanian", "Belarusian_Taraskievica", "Samogitian"}

MODULES = {"readability-lxml": "readability"}  # of distributions, if the names differ
ALL = pytest.mark.parametrize(
    "extractor", libraries.EXTRACTORS, ids=lambda one: one.name
)


@ALL
def test_the_story_stays_and_the_menu_goes(extractor: BuiltIn) -> None:
    library = MODULES.get(extractor.distribution, extractor.distribution)
    pytest.importorskip(library, reason="the library is not installed")
    extract = extractor.load()
    text = extract(PAGE)
    folded = " ".join(text.split())
    assert [sentence for sentence in SENTENCES if sentence not in folded] == []
    assert text.count("Menu") <= 1
    assert "<" not in text
    assert extract(PAGE) == text


@ALL
def test_a_missing_library_says_what_to_install(
    extractor: BuiltIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = MODULES.get(extractor.distribution, extractor.distribution)
    for name in [n for n in sys.modules if n.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(
        UsageError, match=rf"{library}.*pip install 'resiliparse>=.*trafilatura"
    ):
        extractor.load()


@pytest.mark.parametrize("language", ARTICLES)
def test_justext_reads_every_language_by_its_own_words(language: str) -> None:
    pytest.importorskip("justext", reason="the library is not installed")
    menu = "<ul>" + f"<li><a href='x'>{MENUS[language]}</a></li>" * 8 + "</ul>"
    article = f"<p>{ARTICLES[language]} {ARTICLES[language]}</p>" * 4
    page = f"<html lang='{TAGS[language]}'><body>{menu}<div>{article}</div>{menu}</body></html>"
    lines = libraries.justext()(page).split("\n")
    assert [" ".join(line.split()) for line in lines] == [
        " ".join([ARTICLES[language]] * 2)
    ] * 4


def test_justext_is_as_it_was_on_english_pages_and_where_no_language_is_known() -> None:
    justext = pytest.importorskip("justext", reason="the library is not installed")
    english = justext.get_stoplist("English")
    for page in (
        PAGE.partition("?>")[2],
        "<p>12345 67890 " * 20,
        "<p>日本語" + ENGLISH,
    ):
        paragraphs = justext.justext(page, english)
        kept = "\n".join(one.text for one in paragraphs if not one.is_boilerplate)
        assert libraries.justext()(page) == kept


def test_justext_reads_a_page_in_another_language_than_its_longest_paragraph() -> None:
    pytest.importorskip("justext", reason="the library is not installed")
    notice = (
        "<p><a href='x'>"
        + "Wir verwenden Cookies und bitten um Ihre Zustimmung. " * 9
        + "</a>"
    )
    page = PAGE.partition("?>")[2].replace("<body>", f"<body>{notice}")
    assert SENTENCES[0] in libraries.justext()(
        page.replace("<html>", "<html lang='en'>")
    )


def test_every_stop_list_of_justext_is_a_languages_and_the_other_way_round() -> None:
    justext = pytest.importorskip("justext", reason="the library is not installed")
    lists = justext.get_stoplists() - {"Simple_English", *NO_LANGUAGE_OF_THE_DETECTOR}
    assert sorted(STOP_LISTS.values()) == sorted(lists)
    assert all(primary_tag(tag) == tag for tag in STOP_LISTS)


def test_resiliparse_is_spared_deep_pages() -> None:
    pytest.importorskip("resiliparse", reason="the library is not installed")
    extract = libraries.resiliparse()
    with pytest.raises(ValueError, match="deeper than 4,000"):
        extract("<div>" * 100_000 + "deep words" + "</div>" * 100_000)
    assert "long words" in extract("<p>long words</p>" + "<div><br><p>x</div>" * 5000)
