"""Pages: their labels of encodings, and the difficult kinds."""

import re

import pytest

from boilersweep.demo.pages import ENCODINGS, SUBJECTS, Kind, Page, World, write_page

WORLD = World(pages=600, seed=2006)


@pytest.fixture(scope="module")
def pages() -> list[Page]:
    return [write_page(WORLD, number) for number in range(WORLD.pages)]


def of_kind(pages: list[Page], kind: Kind) -> list[Page]:
    found = [page for page in pages if page.post.kind is kind]
    assert found
    return found


def test_posts_decode_to_their_headline_as_browsers_decode_them(
    pages: list[Page],
) -> None:
    labels = set()
    for page in of_kind(pages, Kind.POST):
        named = re.search(rb"charset=([\w-]+)", page.body)
        label = page.charset or (named[1].decode() if named else None)
        labels.add((page.charset, named is not None))
        codec = "windows-1252" if (label or "").lower() == "iso-8859-1" else label
        text = page.body.decode(codec or "utf-8")
        assert page.post.headline in text
        assert "\ufffd" not in text
    assert len(labels) >= len({encoding.header for encoding in ENCODINGS})


def test_the_difficult_pages(pages: list[Page]) -> None:
    for page in of_kind(pages, Kind.EMPTY):
        assert (page.body, page.about) == (b"", ())
    for page in of_kind(pages, Kind.ONLY_NAVIGATION):
        assert page.about == ()
        assert b"<p" not in page.body.lower()
    for page in of_kind(pages, Kind.NO_CLOSING_TAGS):
        assert set(re.findall(rb"</(\w+)>", page.body)) == {
            b"title",
            b"style",
            b"script",
        }
    for page in of_kind(pages, Kind.UTF_16):
        assert page.post.headline in page.body.decode("utf-16")


def test_no_page_ends_its_own_record_or_is_relevant_to_what_it_mentions(
    pages: list[Page],
) -> None:
    for page in pages:
        assert b"</doc" not in page.body.lower()
        assert not set(page.mentioned) & set(page.about)


def test_there_are_fifty_subjects_and_their_words_differ() -> None:
    assert len(SUBJECTS) == len({subject.title for subject in SUBJECTS}) == 50
    for subject in SUBJECTS:
        shape = (len(subject.things), len(subject.parts), len(subject.deeds))
        assert shape == (5, 5, 3), subject.title
