"""Packed pages: what is packed comes back, and is what the compiled segmenter packs."""

import pytest

from boilersweep.pages import compiled
from boilersweep.pages.page import PackedPage, Page, pack
from boilersweep.pages.segmenter import Segmenter

PAGES = [
    b"",
    b"<title>T</title><div class=x><p>one <b>two</b> <a>three</a>",
    "<!DOCTYPE html><p>größe \U0001f600<p id=ü>我们喜欢 <a>中</a> ไทย<p>x".encode(),
]


@pytest.mark.parametrize("structure", [False, True])
@pytest.mark.parametrize("html", PAGES)
def test_what_is_packed_comes_back(html: bytes, structure: bool) -> None:
    page = Segmenter(structure=structure).html(html)
    assert pack(page).unpacked() == page


@pytest.mark.skipif(not compiled.built, reason="the extension modules are not there")
@pytest.mark.parametrize("structure", [False, True])
@pytest.mark.parametrize("html", PAGES)
def test_the_compiled_segmenter_packs_the_same(html: bytes, structure: bool) -> None:
    from boilersweep.pages.compiled.segmenter import CompiledSegmenter

    packed = CompiledSegmenter(structure=structure).packed_html(html)
    assert packed == Segmenter(structure=structure).packed_html(html)


def test_what_is_counted() -> None:
    packed = pack(Page("T", ["ä b", "我们"], [2, 5], [2.0, 5.0], [1, 0], ["p", "body"]))
    assert (packed.count, packed.all_words, packed.unspaced_words) == (2, 7, 5)
    assert packed.all_characters == 5
    assert packed.columns["texts"] == "ä b我们".encode()


@pytest.mark.parametrize(
    ("texts", "longest"),
    [
        ([], ""),
        (["a"], "a"),
        (["ä b", "acd", "我们"], "ä b"),
        (["a", "", "我们"], "我们"),
    ],
)
def test_the_longest_text_is_the_one_of_most_characters(
    texts: list[str], longest: str
) -> None:
    count = len(texts)
    page: PackedPage = pack(
        Page("", texts, [1] * count, [1.0] * count, [0] * count, ["p"] * count)
    )
    assert page.longest_text() == longest
    assert page.all_texts() == texts
