"""`boilersweep.page`: text, Markdown, metadata and blocks of a page."""

from dataclasses import FrozenInstanceError

import pytest

import boilersweep

HTML = """<html lang=en><title>Rain | E</title><link rel=canonical href=/rain>
<meta name=author content='Ann Lee'><nav><a href=/>Home</a></nav>
<h1>Rain</h1><p>Five six <a href=b>seven</a> eight</p>"""


def test_a_page() -> None:
    page = boilersweep.page(HTML, "words>=4 | density>=40", "http://e.example/a/")
    assert page.text == boilersweep.clean(HTML, "words>=4 | density>=40")
    assert page.markdown == "Five six [seven](http://e.example/a/b) eight"
    assert (
        page.title,
        page.headline,
        page.author,
        page.published,
        page.url,
        page.language,
    ) == (
        "Rain | E",
        "Rain",
        "Ann Lee",
        None,
        "http://e.example/rain",
        "en",
    )
    assert page.blocks.as_dict()["kept"].tolist() == [False, False, True]
    with pytest.raises(FrozenInstanceError):
        page.text = ""  # type: ignore[misc]
    assert repr(page) == "CleanedPage('Rain', 20 characters of text, 3 blocks)"


@pytest.mark.application("learned")
def test_learned_is_the_cleaner_unless_another_is_named() -> None:
    assert boilersweep.page(HTML).text == boilersweep.clean(HTML)


def test_the_given_address_is_the_pages_if_it_states_none() -> None:
    assert (
        boilersweep.page("<p>x", "words>=1", "http://e.example/").url
        == "http://e.example/"
    )
    assert boilersweep.page("<p>x", "words>=1").url is None


def test_an_extractor_gives_its_text_and_the_blocks_in_it() -> None:
    page = boilersweep.page(HTML, "cetr")
    assert page.text == boilersweep.clean(HTML, "cetr")
    assert page.markdown == boilersweep.clean(HTML, "cetr", format="markdown")


def test_a_blank_page_states_nothing() -> None:
    page = boilersweep.page(b"", "words>=1")
    assert (page.text, page.markdown, page.title, len(page.blocks)) == ("", "", None, 0)


def test_batches_are_written_as_single_pages() -> None:
    pages = [HTML, "", "<ul><li>one two three<li>four", HTML]
    for workers in (1, 2):
        texts = boilersweep.clean_many(
            pages, "words>=2", format="markdown", workers=workers
        )
        assert list(texts) == [
            boilersweep.clean(page, "words>=2", format="markdown") for page in pages
        ]


def test_another_format_is_refused() -> None:
    with pytest.raises(
        boilersweep.UsageError,
        match="format: expected text, markdown or html, got 'pdf'",
    ):
        boilersweep.clean(HTML, format="pdf")  # type: ignore[arg-type]
