"""Other libraries' extractors: called as they are meant to be, or missing."""

import sys
from collections.abc import Callable

import pytest

from boilersweep.errors import UsageError
from boilersweep.extractors import libraries

SENTENCES = [
    f"This is the {number} part of the story that we have told you, and it is as long as they are "
    "in the papers that people read in the morning, with all of the words that have to be in it, "
    "so that nobody who sees it would take it for anything but a story, written at a caf\u00e9."
    for number in ("first", "second", "third", "fourth", "fifth", "last")
]
PAGE = (
    "<?xml version='1.0' encoding='iso-8859-1'?><html><head><title>A title</title></head><body>"
    "<ul>" + "<li><a href='x'>Menu</a></li>" * 8 + "</ul><div class='article'><h1>The Story</h1>"
    "<p>" + "</p><p>".join(SENTENCES) + "</p></div><b></i>"
    "<ul>" + "<li><a href='x'>Menu</a></li>" * 8 + "</ul></body></html>"
)

LIBRARIES = {
    libraries.justext: "justext",
    libraries.trafilatura: "trafilatura",
    libraries.trafilatura_fast: "trafilatura",
    libraries.resiliparse: "resiliparse",
    libraries.readability: "readability",
    libraries.boilerpy3_article: "boilerpy3",
    libraries.boilerpy3_default: "boilerpy3",
}
ALL = pytest.mark.parametrize("load", LIBRARIES, ids=lambda load: load.__name__)


@ALL
def test_the_story_stays_and_the_menu_goes(load: Callable[[], Callable[[str], str]]) -> None:
    pytest.importorskip(LIBRARIES[load], reason="the library is not installed")
    extract = load()
    text = extract(PAGE)
    folded = " ".join(text.split())
    assert [sentence for sentence in SENTENCES if sentence not in folded] == []
    assert text.count("Menu") <= 1
    assert "<" not in text
    assert extract(PAGE) == text


@ALL
def test_a_missing_library_says_what_to_install(
    load: Callable[[], Callable[[str], str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    library = LIBRARIES[load]
    for name in [n for n in sys.modules if n.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(UsageError, match=rf"{library}.*pip install 'boilersweep\[extractors\]'"):
        load()


def test_resiliparse_is_spared_deep_pages() -> None:
    pytest.importorskip("resiliparse", reason="the library is not installed")
    extract = libraries.resiliparse()
    with pytest.raises(ValueError, match="deeper than 4,000"):
        extract("<div>" * 100_000 + "deep words" + "</div>" * 100_000)
    assert "long words" in extract("<p>long words</p>" + "<div><br><p>x</div>" * 5000)
