"""The features of paragraphs on small pages, by hand; `paragraph_features` says what they mean."""

from collections.abc import Mapping, Sequence
from math import log

import pytest

from boilersweep.cleaners.learned.features import (
    ENCLOSING,
    FEATURE_SETS,
    MARKS,
    MEANINGS,
    NAMES,
)
from tests.cleaners.conftest import MakeColumns


def features_of(columns: MakeColumns, *pages: str) -> dict[str, list[float]]:
    """Return name -> the values of all paragraphs."""
    values = FEATURE_SETS["paragraphs"].rows(columns(*pages), "test").values
    return dict(zip(NAMES, values.T.tolist(), strict=True))


def test_every_feature_has_a_meaning() -> None:
    assert len(NAMES) == 563
    assert all(MEANINGS.values())


_PROSE = "one two three four five six seven eight nine ten"
_CHINESE = "小马今天又过了河，下雨了，可是它一点也不在乎。"  # noqa: RUF001

# Pages, and what features have for all of their paragraphs.
EXAMPLES: dict[str, tuple[tuple[str, ...], Mapping[str, Sequence[float]]]] = {
    # Four words, 17 characters besides the spaces, a full stop, one linked word.
    "text": (
        ("<p>One two, THREE. <a>four</a></p>",),
        {
            "words": [log(5) / 4],
            "characters": [log(18) / 6],
            "word_length": [17 / 4 / 8],
            "sentence_length": [4 / 2 / 20],
            "sentences": [log(2)],
            "capitalised": [0.5],
            "all_caps": [0.25],
            "punctuation": [2 / 17 * 4],
            "letters": [15 / 17],
            "uppercase": [6 / 17 * 2],
            "sentence_ends": [0.25 * 4],
            "commas": [0.25 * 8],
            "starts_uppercase": [1],
            "ends_sentence": [0],
            "link_density": [0.25],
            "links": [log(2) / 2],
            "links_per_word": [0.25],
        },
    ),
    # Signs are counted up to a limit.
    "signs": (
        ("<p>© | • → a</p>", "<p>7 € 8 € 9 €: a@b?</p>", "<p>Jo:</p>"),
        {
            "words": [log(2) / 4, log(5) / 4, log(2) / 4],
            "separators": [3 / 5, 0, 0],
            "copyright": [1, 0, 0],
            "currency": [0, 2 / 2, 0],
            "questions": [0, 1 / 2, 0],
            "at_signs": [0, 1, 0],
            "colons": [0, 1 / 3, 1 / 3],
            "digits": [0, 3 / 11 * 2, 0],
            "starts_with_digit": [0, 1, 0],
            "ends_sentence": [0, 1, 0],
            "ends_in_punctuation": [0, 1, 1],
            "ends_in_colon": [0, 0, 1],
            "one_word": [1, 0, 1],
        },
    ),
    "bold words do not part a paragraph": (
        ("<p>one <b>two</b> three</p>",),
        {"words": [log(4) / 4], "p^0": [1], "blocks": [0]},
    ),
    # The page has 1, 3 and 2 words. Depths: html, body and p; the second has two more.
    "place": (
        (
            "<html><body><p>a</p><div><div><p>a b c</p></div></div><p>a b</p></body></html>",
        ),
        {
            "place": [0, 0.5, 1],
            "word_place": [0.5 / 6, 2.5 / 6, 5 / 6],
            "from_middle": [1, 0, 1],
            "words_from_middle": [5 / 6, 1 / 6, 4 / 6],
            "paragraphs_before": [0, log(2) / 5, log(3) / 5],
            "paragraphs_after": [log(3) / 5, log(2) / 5, 0],
            "share_of_words": [1 / 6, 3 / 6, 2 / 6],
            "share_of_longest": [1 / 3, 1, 2 / 3],
            "tags_before": [log(4) / 2, log(5) / 2, log(5) / 2],
            "tags_after": [log(5) / 2, log(5) / 2, 0],
            "depth_from_mean": [-2 / 3 / 5, 4 / 3 / 5, -2 / 3 / 5],
        },
    ),
    "names around a paragraph": (
        ("<article><ul><li>one</ul></article>", "<dl><menu>two</menu></dl>"),
        {
            "li^0": [1, 0],
            "ul^1": [1, 0],
            "article^2": [1, 0],
            "other^0": [0, 1],
            "dl^1": [0, 1],
            "in:article": [1, 0],
            "in:li": [1, 0],
            "in:definition": [0, 1],
            "in:nav": [0, 0],
        },
    ),
    "marks around a paragraph": (
        ('<div class="comments"><div><div><p id="date">one</div></div></div>',),
        {
            "own:meta": [1],
            "near:meta": [1],
            "all:meta": [1],
            "own:comment": [0],
            "near:comment": [0],
            "all:comment": [1],
        },
    ),
    "neighbours end at the page": (
        ("<p>one two", "<p>three"),
        {"there[-1]": [0, 0], "there[+1]": [0, 0]},
    ),
    "neighbours": (
        ("<ul><li>one <a>two</a><li>Three.</ul><h2>four</h2>",),
        {
            "words[-2]": [0, 0, log(3) / 4],
            "link_density[-1]": [0, 0.5, 0],
            "in_li[-1]": [0, 1, 1],
            "alike[-1]": [0, 1, 0],
            "sibling[-1]": [0, 1, 0],
            "ends_sentence[+1]": [1, 0, 0],
            "capitalised[+1]": [1, 0, 0],
            "in_heading[+1]": [0, 1, 0],
            "in_heading[+2]": [1, 0, 0],
        },
    ),
    # Ten words of prose in an article's p, one in a menu.
    "document": (
        (
            f"<nav><ul><li><a>Menu</a></ul></nav><article><h1>A €?</h1><p>{_PROSE}</article>",
        ),
        {
            "document_paragraphs": [log(4) / 8] * 3,
            "document_words": [log(13) / 8] * 3,
            "document_linked": [1 / 12] * 3,
            "document_prose_share": [10 / 12] * 3,
            "document_p_share": [10 / 12] * 3,
            "document_prose": [log(11) / 8] * 3,
            "document_article_share": [11 / 12] * 3,
            "document_framing_share": [1 / 12] * 3,
            "document_articles": [1 / 20] * 3,
            "document_li_elements": [log(2) / 6] * 3,
            "document_h1_elements": [log(2)] * 3,
            "document_currency": [1 / 50] * 3,
            "document_questions": [1 / 20] * 3,
            "document_longest_share": [10 / 12] * 3,
            "document_longest": [log(11) / 6] * 3,
        },
    ),
    # Ten of the eleven words near the prose are its own.
    "context": (
        (f"<p>one</p><h1>Title</h1><p>{_PROSE}</p><p>one</p>",),
        {
            "before_h1": [1, 0, 0, 0],
            "after_h1": [0, 1, 1, 1],
            "from_h1": [-log(2) / 5, 0, log(2) / 5, log(3) / 5],
            "from_heading": [log(51) / 4, 0, log(2) / 4, log(3) / 4],
            "to_heading": [log(2) / 4, 0, log(51) / 4, log(51) / 4],
            "heading_level": [1, 0, 0, 0],
            "to_prose": [log(3) / 4, log(2) / 4, 0, log(51) / 4],
            "repeated": [1, 0, 0, 0],
            "repeats": [0, 0, 0, 1],
            "prose_within_3": [10 / 13] * 4,
            "prose_before": [0, 0, 0, 1],
            "prose_until": [0, 0, 1, 1],
        },
    ),
    # Around the first: li of 1 word, ul of 3 words in two paragraphs, then the whole page.
    "elements of growing extent": (
        ("<div><ul><li>a<li>b <a>c</a></ul></div><p>d, e. f",),
        {
            "outer0_words": [log(2) / 6, log(3) / 6, log(4) / 6],
            "outer1_words": [log(4) / 6, log(4) / 6, log(7) / 6],
            "outer1_share": [3 / 6, 3 / 6, 1],
            "outer1_links": [1 / 3, 1 / 3, 1 / 6],
            "outer1_paragraphs": [log(3) / 5, log(3) / 5, log(4) / 5],
            "outer1_place": [0, 0.5, 2 / 3],
            "outer1_mean_words": [1.5 / 30, 1.5 / 30, 2 / 30],
            "outer2_sentences": [1 / 6 * 4] * 3,
            "outer2_commas": [1 / 6 * 8] * 3,
            "outer2_p": [3 / 6] * 3,
        },
    ),
    "look-alikes are those of the same page": (
        ("<ul><li>a<li>b c</ul><p>d", "<ul><li>e</ul>"),
        {
            "alike_two_paragraphs": [log(3) / 5, log(3) / 5, log(2) / 5, log(2) / 5],
            "alike_two_share": [3 / 4, 3 / 4, 1 / 4, 1],
            "alike_two_mean_words": [1.5 / 30, 1.5 / 30, 1 / 30, 1 / 30],
        },
    ),
    "digits of any script do not tell look-alikes apart": (
        ("<p class=c-1>a<p class=c-2>b<p class=c>d<p class=é٣>e<p class=é٤>f",),
        {"alike_two_paragraphs": [log(n) / 5 for n in (3, 3, 2, 3, 3)]},
    ),
    # Words minus tags before: 1 - 2 (body and p), 5 - 2 (</p><p>), 1 - 2, 4 - 2, 1 - 2. The best
    # interval is the second to the fourth: 3 - 1 + 2 = 4.
    "the interval of words and tags": (
        ("<body><p>a</p><p>a b c d e</p><p>a</p><p>a b c d</p><p>a</p></body>",),
        {
            "interval_words_inside": [0, 1, 1, 1, 0],
            "interval_words_away": [-log(2) / 4, 0, 0, 0, log(2) / 4],
        },
    ),
    # Unlinked: 9 - 2 without the list, -1 - 2 - ... for each link, so that it is left out.
    "the interval of unlinked words": (
        ("<p>a b c d e f g h i</p><ul><li><a>a b</a><li><a>a b</a></ul>",),
        {
            "interval_unlinked_inside": [1, 0, 0],
            "interval_unlinked_away": [0, log(2) / 4, log(3) / 4],
        },
    ),
    # The later paragraph alone has half of the prose.
    "the element that holds most prose": (
        (f"<p>menu</p><div><p>{_PROSE}</p><p>{_PROSE} eleven</p></div><p>foot</p>",),
        {
            "nearly_all_inside": [0, 1, 1, 0],
            "nearly_all_side": [-1, 0, 0, 1],
            "nearly_all_place": [0, 0, 0.5, 0],
            "nearly_all_prose": [1, 1, 1, 1],
            "half_share": [11 / 23] * 4,
        },
    ),
    # Algorithm 2 keeps blocks of more than 16 words and those before a block of more than 15.
    "algorithm 2": (
        (f"<p>a<p>{_PROSE} {_PROSE}<p><a>b c d</a>",),
        {"algorithm2": [1, 1, 0], "document_algorithm2_share": [21 / 24] * 3},
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
            "container_away": [-log(3) / 4, -log(2) / 4, 0, 0, log(2) / 4],
            "container_beside0": [0, 0, 0, 0, 1],
            "container_share": [12 / 29] * 5,
            "container_start": [12 / 29] * 5,
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


@pytest.mark.application("learned")
@pytest.mark.parametrize("name", EXAMPLES)
def test_features_of_pages(columns: MakeColumns, name: str) -> None:
    pages, expected = EXAMPLES[name]
    found = features_of(columns, *pages)
    for feature, of_paragraphs in expected.items():
        assert found[feature] == pytest.approx(of_paragraphs, rel=1e-5, abs=1e-6), (
            feature
        )


@pytest.mark.application("learned")
@pytest.mark.parametrize(
    ("attributes", "groups", "kinds"),
    [
        ("class=mainNav", {"main", "navigation"}, set()),
        ("id=post-comments_12", {"article", "comment"}, set()),
        ("class=SIDEBAR", {"side"}, set()),
        ("class=NAVBar", set(), set()),  # NAVB and ar
        ("class=widgets", {"container"}, set()),  # the plural of a word that is there
        ("class=xyz", set(), set()),
        ("class=énav٣ad", {"navigation", "promotion"}, set()),
        ("role=navigation", set(), {"nav"}),
        ("class=menu hidden", {"menu"}, {"hidden"}),
        ("role=none", set(), set()),
    ],
)
def test_marks_are_cut_where_their_words_end(
    columns: MakeColumns, attributes: str, groups: set[str], kinds: set[str]
) -> None:
    found = features_of(columns, f"<div {attributes}>one</div>")
    assert {group for group in MARKS if found[f"own:{group}"] == [1]} == groups
    assert {kind for kind in ENCLOSING if found[f"in:{kind}"] == [1]} == kinds
