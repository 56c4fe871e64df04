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


def features(columns: MakeColumns, page: str) -> dict[str, list[float]]:
    _, values = paragraph_features(columns(page), "test")
    return dict(zip(names(), values.T.tolist(), strict=True))


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


def test_text(columns: MakeColumns) -> None:
    found = features(columns, "<p>One two, THREE. <a>four</a></p>")
    # Four words, 20 characters besides the spaces, one sentence end, one linked word.
    assert found["words"] == pytest.approx([np.log(5) / 4])
    assert found["word_length"] == pytest.approx([17 / 4 / 8])
    assert found["capitalised"] == [0.5]
    assert found["all_caps"] == [0.25]
    assert found["commas"] == [0.25 * 8]
    assert found["link_density"] == [0.25]
    assert found["starts_uppercase"] == [1]
    assert found["ends_sentence"] == [0]


def test_bold_words_do_not_part_a_paragraph(columns: MakeColumns) -> None:
    plain = features(columns, "<p>one two three</p>")
    bold = features(columns, "<p>one <b>two</b> three</p>")
    assert bold["words"] == plain["words"]
    assert bold["p^0"] == plain["p^0"] == [1]


def test_neighbours_end_at_the_page(columns: MakeColumns) -> None:
    _, values = paragraph_features(columns("<p>one two", "<p>three"), "test")
    before = values[:, names().index("there[-1]")]
    after = values[:, names().index("there[+1]")]
    assert before.tolist() == after.tolist() == [0, 0]


def test_names_around_a_paragraph(columns: MakeColumns) -> None:
    found = features(columns, "<article><ul><li>one</ul></article>")
    assert found["li^0"] == found["ul^1"] == found["article^2"] == [1]
    assert found["in:article"] == found["in:li"] == [1]
    assert found["in:nav"] == [0]


def test_marks_around_a_paragraph(columns: MakeColumns) -> None:
    found = features(columns, '<div class="comments"><div><div><p id="date">one</div></div></div>')
    assert found["own:meta"] == found["near:meta"] == found["all:meta"] == [1]
    assert found["own:comment"] == found["near:comment"] == [0]
    assert found["all:comment"] == [1]


def test_the_interval_of_words_and_tags(columns: MakeColumns) -> None:
    # Words minus tags before: 1 - 2 (body and p), 5 - 2 (</p><p>), 1 - 2, 4 - 2, 1 - 2. The best
    # interval is the second to the fourth: 3 - 1 + 2 = 4.
    found = features(
        columns,
        "<body><p>a</p><p>a b c d e</p><p>a</p><p>a b c d</p><p>a</p></body>",
    )
    assert found["interval_words_inside"] == [0, 1, 1, 1, 0]
    away = np.log(2) / 4
    assert found["interval_words_away"] == pytest.approx([-away, 0, 0, 0, away])


def test_the_element_that_holds_most_prose(columns: MakeColumns) -> None:
    prose = "one two three four five six seven eight nine ten"
    page = f"<p>menu</p><div><p>{prose}</p><p>{prose} eleven</p></div><p>foot</p>"
    found = features(columns, page)
    assert found["nearly_all_inside"] == [0, 1, 1, 0]
    assert found["nearly_all_side"] == [-1, 0, 0, 1]
    assert found["half_share"] == pytest.approx([11 / 23] * 4)  # the later paragraph alone


def test_headings_and_doubles(columns: MakeColumns) -> None:
    found = features(columns, "<p>one</p><h1>Title</h1><p>one</p>")
    assert found["before_h1"] == [1, 0, 0]
    assert found["after_h1"] == [0, 1, 1]
    assert found["repeated"] == [1, 0, 0]
    assert found["repeats"] == [0, 0, 1]


def test_look_alikes_are_those_of_the_same_page(columns: MakeColumns) -> None:
    _, values = paragraph_features(columns("<ul><li>a<li>b</ul><p>c", "<ul><li>d</ul>"), "test")
    count = values[:, names().index("alike_two_paragraphs")]
    assert count == pytest.approx([np.log(3) / 5, np.log(3) / 5, np.log(2) / 5, np.log(2) / 5])


def test_the_container_is_the_element_with_most_text(columns: MakeColumns) -> None:
    # The paragraphs of div score 1 + 1 comma + 6 / 17 each, 2.71 in all; the text of ul is linked.
    found = features(
        columns,
        "<body><ul><li><a>one, two, three, four, five, six</a><li><a>a, b, c, d, e, f</a></ul>"
        "<div><p>one two, three four five six</p><p>one two, three four five six</p></div>"
        "<p>a b c d e</p></body>",
    )
    assert found["container_inside"] == [0, 0, 1, 1, 0]
    assert found["container_holds0"] == [0, 0, 1, 1, 0]
    assert found["container_place"] == [0, 0, 0, 0.5, 0]
    assert found["container_away"] == pytest.approx(
        [-np.log(3) / 4, -np.log(2) / 4, 0, 0, np.log(2) / 4]
    )
    assert found["container_beside0"] == [0, 0, 0, 0, 1]
    assert found["container_share"] == pytest.approx([12 / 29] * 5)


def test_scripts_without_case_have_a_container(columns: MakeColumns) -> None:
    text = "小马今天又过了河，下雨了，可是它一点也不在乎。"  # noqa: RUF001
    found = features(columns, f"<ul><li><a>新闻</a></ul><div><p>{text}</p><p>{text}</p></div>")
    assert found["container_inside"] == [0, 1, 1]


def test_a_page_without_scored_text_has_a_container(columns: MakeColumns) -> None:
    found = features(columns, "<div><p>a<p>b</div>")
    assert found["container_inside"] == [1, 1]
