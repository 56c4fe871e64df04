from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boilersweep.cleaners.learned.features import names, paragraph_features
from boilersweep.pages.columns import columns_of
from boilersweep.pages.segmenter import Segmenter
from tests.cleaners.conftest import MakeColumns

PAGES = (
    "<!DOCTYPE html><nav class=menu><a>Home</a> <a>News</a></nav><main><h1>A pony</h1>"
    "<p>The pony, which nobody had seen since <b>May</b>, crossed the river again today.</p>"
    "<p>It rained. It rained on, and the pony did not care at all about that, they said.</p>"
    "</main><footer>© Pony Press</footer>",
    "<table><tr><td>one two<td>one two<tr><td><a>three</a></table>",
    "",
    "word",
    "<ul><li>a<li>b<li>c</ul><p>Nothing <i>but</i> a text of eleven words, all of them without "
    "any link.</p>",
)


def test_names_are_as_many_as_columns_and_unlike_each_other(columns: MakeColumns) -> None:
    _, values = paragraph_features(columns(PAGES[0]), "test")
    assert values.shape == (5, len(names()))
    assert len(set(names())) == len(names())


def test_a_page_in_a_shard_has_the_features_it_has_alone(columns: MakeColumns) -> None:
    _, together = paragraph_features(columns(*PAGES), "test")
    alone = [paragraph_features(columns(page), "test")[1] for page in PAGES]
    np.testing.assert_allclose(together, np.concatenate(alone), rtol=1e-5, atol=1e-6)


def test_no_paragraph(columns: MakeColumns) -> None:
    _, values = paragraph_features(columns("", ""), "test")
    assert values.shape == (0, len(names()))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(
            st.sampled_from(
                "<p>|<div>|</div>|<td>|<table>|<a>|</a>|<b>|<h2>|a|Two, more.| |©|12|é".split("|")
            ),
            max_size=12,
        ).map("".join),
        min_size=1,
        max_size=4,
    )
)
def test_features_are_finite_numbers_near_one(pages: list[str]) -> None:
    segmenter = Segmenter(structure=True)
    shard = columns_of(
        [str(n) for n, _ in enumerate(pages)], [segmenter.html(p.encode()) for p in pages]
    )
    _, values = paragraph_features(shard, "test")
    assert np.isfinite(values).all()
    assert (np.abs(values) < 100).all()


_PROSE = "one two three four five six seven eight nine ten"
_CHINESE = "小马今天又过了河，下雨了，可是它一点也不在乎。"  # noqa: RUF001

# Pages, and what features have for all of their paragraphs.
EXAMPLES: dict[str, tuple[tuple[str, ...], Mapping[str, Sequence[float]]]] = {
    # Four words, 17 characters besides the spaces, one sentence end, one linked word.
    "text": (
        ("<p>One two, THREE. <a>four</a></p>",),
        {
            "words": [np.log(5) / 4],
            "word_length": [17 / 4 / 8],
            "capitalised": [0.5],
            "all_caps": [0.25],
            "commas": [0.25 * 8],
            "link_density": [0.25],
            "starts_uppercase": [1],
            "ends_sentence": [0],
        },
    ),
    "bold words do not part a paragraph": (
        ("<p>one <b>two</b> three</p>",),
        {"words": [np.log(4) / 4], "p^0": [1]},
    ),
    "neighbours end at the page": (
        ("<p>one two", "<p>three"),
        {"there[-1]": [0, 0], "there[+1]": [0, 0]},
    ),
    "names around a paragraph": (
        ("<article><ul><li>one</ul></article>",),
        {"li^0": [1], "ul^1": [1], "article^2": [1]}
        | {"in:article": [1], "in:li": [1], "in:nav": [0]},
    ),
    "marks around a paragraph": (
        ('<div class="comments"><div><div><p id="date">one</div></div></div>',),
        {"own:meta": [1], "near:meta": [1], "all:meta": [1]}
        | {"own:comment": [0], "near:comment": [0], "all:comment": [1]},
    ),
    # Words minus tags before: 1 - 2 (body and p), 5 - 2 (</p><p>), 1 - 2, 4 - 2, 1 - 2. The best
    # interval is the second to the fourth: 3 - 1 + 2 = 4.
    "the interval of words and tags": (
        ("<body><p>a</p><p>a b c d e</p><p>a</p><p>a b c d</p><p>a</p></body>",),
        {
            "interval_words_inside": [0, 1, 1, 1, 0],
            "interval_words_away": [-np.log(2) / 4, 0, 0, 0, np.log(2) / 4],
        },
    ),
    # The later paragraph alone has half of the prose.
    "the element that holds most prose": (
        (f"<p>menu</p><div><p>{_PROSE}</p><p>{_PROSE} eleven</p></div><p>foot</p>",),
        {
            "nearly_all_inside": [0, 1, 1, 0],
            "nearly_all_side": [-1, 0, 0, 1],
            "half_share": [11 / 23] * 4,
        },
    ),
    "headings and doubles": (
        ("<p>one</p><h1>Title</h1><p>one</p>",),
        {"before_h1": [1, 0, 0], "after_h1": [0, 1, 1]}
        | {"repeated": [1, 0, 0], "repeats": [0, 0, 1]},
    ),
    "look-alikes are those of the same page": (
        ("<ul><li>a<li>b</ul><p>c", "<ul><li>d</ul>"),
        {"alike_two_paragraphs": [np.log(n) / 5 for n in (3, 3, 2, 2)]},
    ),
    # The paragraphs of div score 1 + 1 comma + 6 / 17 each, 2.71 in all; the text of ul is linked.
    "the container is the element with most text": (
        (
            "<body><ul><li><a>one, two, three, four, five, six</a><li><a>a, b, c, d, e, f</a></ul>"
            "<div><p>one two, three four five six</p><p>one two, three four five six</p></div>"
            "<p>a b c d e</p></body>",
        ),
        {
            "container_inside": [0, 0, 1, 1, 0],
            "container_holds0": [0, 0, 1, 1, 0],
            "container_place": [0, 0, 0, 0.5, 0],
            "container_away": [-np.log(3) / 4, -np.log(2) / 4, 0, 0, np.log(2) / 4],
            "container_beside0": [0, 0, 0, 0, 1],
            "container_share": [12 / 29] * 5,
        },
    ),
    "scripts without case have a container": (
        (f"<ul><li><a>新闻</a></ul><div><p>{_CHINESE}</p><p>{_CHINESE}</p></div>",),
        {"container_inside": [0, 1, 1]},
    ),
    "a page without scored text has a container": (
        ("<div><p>a<p>b</div>",),
        {"container_inside": [1, 1]},
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_features_of_pages(columns: MakeColumns, name: str) -> None:
    pages, expected = EXAMPLES[name]
    _, values = paragraph_features(columns(*pages), "test")
    found = dict(zip(names(), values.T.tolist(), strict=True))
    for feature, of_paragraphs in expected.items():
        assert found[feature] == pytest.approx(of_paragraphs), feature
