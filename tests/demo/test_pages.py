"""Pages: sizes, charsets and their labels, templates, the difficult ones."""

import re
from collections import Counter

import pytest

from boilersweep.demo.blogs import Kind, World
from boilersweep.demo.pages import ENCODINGS, Page, encoding_of, write_page
from boilersweep.demo.prose import Dice, teaser
from boilersweep.demo.vocabulary import SUBJECTS

WORLD = World(pages=600, seed=2006)
CURLY = re.compile("[\u201c\u201d\u2019]")


@pytest.fixture(scope="module")
def pages() -> list[Page]:
    return [write_page(WORLD, number) for number in range(WORLD.pages)]


def of_kind(pages: list[Page], kind: Kind) -> list[Page]:
    return [page for page in pages if page.post.kind is kind]


def label(page: Page) -> str | None:
    """The charset that the header names, else the page."""
    named = re.search(rb"charset=([\w-]+)", page.body)
    return page.charset or (named[1].decode() if named else None)


def decoded(page: Page) -> str:
    """The text as browsers decode it: Latin-1 is read as windows-1252."""
    name = label(page) or "utf-8"
    return page.body.decode("windows-1252" if name.lower() == "iso-8859-1" else name)


def test_sizes(pages: list[Page]) -> None:
    sizes = [len(page.body) for page in of_kind(pages, Kind.POST)]
    assert 4_000 < sum(sizes) / len(sizes) < 8_000
    assert min(sizes) > 3_000
    assert max(sizes) < 12_000


def test_charsets_decode_to_the_headline(pages: list[Page]) -> None:
    for page in of_kind(pages, Kind.POST):
        text = decoded(page)
        assert page.post.headline in text
        assert "\ufffd" not in text


def test_every_encoding_is_used_and_shows(pages: list[Page]) -> None:
    for encoding in ENCODINGS:
        own = [
            page for page in of_kind(pages, Kind.POST) if encoding_of(page.post.blog) == encoding
        ]
        assert any(not page.body.isascii() for page in own)
        assert any(CURLY.search(decoded(page)) for page in own) == encoding.curly


def test_some_blogs_are_labelled_nowhere_and_some_only_in_the_page(pages: list[Page]) -> None:
    posts = of_kind(pages, Kind.POST)
    assert any(label(page) is None for page in posts)
    assert any(page.charset is None and label(page) == "windows-1252" for page in posts)


def test_a_page_in_utf_16_starts_with_its_mark(pages: list[Page]) -> None:
    found = of_kind(pages, Kind.UTF_16)
    assert found
    for page in found:
        assert page.body.startswith(b"\xff\xfe")
        assert page.post.headline in page.body.decode("utf-16")


def test_empty_pages_are_relevant_to_nothing(pages: list[Page]) -> None:
    found = of_kind(pages, Kind.EMPTY)
    assert {page.body for page in found} == {b""}
    assert {page.about for page in found} == {()}


def test_pages_of_only_navigation_have_no_paragraph(pages: list[Page]) -> None:
    found = of_kind(pages, Kind.ONLY_NAVIGATION)
    assert found
    for page in found:
        assert page.about == ()
        assert b"<li>" in page.body
        assert b"<p" not in page.body.lower()


def test_pages_without_closing_tags_close_only_the_head(pages: list[Page]) -> None:
    found = of_kind(pages, Kind.NO_CLOSING_TAGS)
    assert found
    for page in found:
        assert set(re.findall(rb"</(\w+)>", page.body)) == {b"title", b"style", b"script"}
        assert page.about


def test_no_page_ends_its_own_record(pages: list[Page]) -> None:
    assert not any(b"</doc" in page.body.lower() for page in pages)


@pytest.mark.slow
def test_mentioned_subjects_stand_on_the_page(pages: list[Page]) -> None:
    for page in of_kind(pages, Kind.POST):
        assert not set(page.mentioned) & set(page.about)
        text = decoded(page)
        for subject in page.mentioned:
            words = {subject.title, *subject.things, *subject.parts, *subject.deeds}
            assert any(word.lower() in text.lower() for word in words)


def test_a_teaser_has_five_to_nine_words_of_its_subject() -> None:
    dice = Dice("teasers")
    for subject in SUBJECTS:
        text = teaser(dice, subject, naming=0.5)
        assert 5 <= len(text.split()) <= 9
        known = " ".join([subject.title, *subject.things, *subject.parts]).lower()
        assert all(word in known for word in re.findall(r"[^\s,.]+", text.lower()))


def test_there_are_fifty_subjects_and_their_words_differ() -> None:
    assert len(SUBJECTS) == len({subject.title for subject in SUBJECTS}) == 50
    for subject in SUBJECTS:
        shape = (len(subject.things), len(subject.parts), len(subject.deeds))
        assert shape == (5, 5, 3), subject.title


def test_dice_are_fair_enough() -> None:
    dice = Dice("fair", 1)
    counts = Counter(dice.number(1, 6) for _ in range(6000))
    assert sorted(counts) == [1, 2, 3, 4, 5, 6]
    assert min(counts.values()) > 850
    assert sorted(dice.some("abc", 9)) == ["a", "b", "c"]
