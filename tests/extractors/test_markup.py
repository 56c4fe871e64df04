"""Pages as text and tags, without a parser."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.extractors.markup import covered, markup_of, without_code


def all_text(page: str) -> str:
    markup = markup_of(page)
    return markup.text(np.ones(len(markup.codes), dtype=bool))


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("", ""),
        ("no tags", "no tags"),
        ("<p>", ""),
        ("<td>a</td><td>b</td>", "a b"),
        ("half<b>bold</b> <A href=x>li</A>nk", "halfbold link"),
        ("a &lt;b&gt; &amp; c&nbsp;d\n\n e", "a <b> & c d e"),
        ("1 < 2 and 3 <4>", "1 < 2 and 3 <4>"),
        ("<!DOCTYPE html><?xml ?></p >x", "x"),
        ("<p\nclass='a\nb'>x", "x"),
        ("a <p unclosed <b>b</b>", "a <p unclosed b"),
        ("caf\u00e9 \U0001f600 \ud800", "caf\u00e9 \U0001f600 \ud800"),
    ],
)
def test_text(page: str, text: str) -> None:
    assert all_text(page) == text


def test_dropped_characters_end_words() -> None:
    markup = markup_of("ab<i>cd</i>")
    assert markup.text(np.array([True, False, *[True] * 9])) == "a cd"
    assert markup.in_tag.tolist() == [False] * 2 + [True] * 3 + [False] * 2 + [True] * 4
    assert (markup.starts.tolist(), markup.ends.tolist()) == ([2, 7], [5, 11])
    assert markup.inline.tolist() == [True, True]


@pytest.mark.parametrize(
    ("page", "rest"),
    [
        (
            "a<script>b</script>c<STYLE x>d</Style >e<!-- f --><scripture>g",
            "ace<scripture>g",
        ),
        ("a<script>b<!-- </script>c -->d", "ac -->d"),
        ("a<!-- <script> -->b</script>", "ab</script>"),
        ("a<script>never closed <p>b", "a"),
        ("a<!-- never closed <p>b", "a"),
        ("a<style/>b</style>c", "ac"),
    ],
)
def test_code_goes(page: str, rest: str) -> None:
    assert without_code(page) == rest


def test_stretches_that_touch() -> None:
    starts, ends = np.array([0, 2, 5]), np.array([2, 3, 6])
    assert covered(starts, ends, 6).tolist() == [True, True, True, False, False, True]


@given(st.text(alphabet="<>/!ab \n-", max_size=40))
def test_tags_do_not_overlap_and_text_is_the_rest(page: str) -> None:
    markup = markup_of(page)
    assert (markup.starts[1:] >= markup.ends[:-1]).all()
    rest = [
        c for c, inside in zip(page, markup.in_tag.tolist(), strict=True) if not inside
    ]
    assert "".join(all_text(page).split()) == "".join("".join(rest).split())


def test_unclosed_tags_take_linear_time() -> None:
    assert all_text("<a" * 300_000).startswith("<a<a")
    assert without_code("<!-- -->" * 100_000 + "<script>" * 100_000) == ""
