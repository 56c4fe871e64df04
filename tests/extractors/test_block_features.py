"""FE and KFE, by hand."""

from collections.abc import Callable

import numpy as np
import pytest

from boilersweep.extractors.partitions import fe, in_highest_cluster, kfe

# Blocks of 1, 1, 3, 6, 4 and 2 words, and one without a word. The shares of text: 1, 1/3 with an A
# and an LI, 3/5 with two As, 1, 4/5 with an IMG, and 1.
PAGE = (
    "<title>x</title><ul><li><a href=x>Home</a></ul><p>Read <a href=y>more</a> <a>now</a></p>"
    "<P class=a>One two three four five six</P><table><tr><td>See <img src=z> it<td>right here"
    "</table><hr>&nbsp;<p>Last words</p>"
)
BLOCKS = [
    "x",
    "Home",
    "Read more now",
    "One two three four five six",
    "See it right here",
    "Last words",
]


def test_tags_of_the_set_cut_a_page_and_the_first_block_of_text_alone_wins() -> None:
    assert fe(PAGE) == "x"
    assert fe(PAGE.replace("x</title>", "</title>")) == "One two three four five six"
    assert fe(PAGE.replace("six", "<input>").replace("x</title>", "</title>")) == (
        "Last words"
    )


def test_the_higher_cluster_stays() -> None:
    # Sorted 1/3, 3/5, 4/5, 1, 1, 1: centres begin at 1/3 and 1, and move to 7/15 and 19/20.
    assert kfe(PAGE).split("\n") == BLOCKS[:1] + BLOCKS[3:]


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ([0.1, 0.2, 0.9], [False, False, True]),
        # Centres begin at 0 and 1; .4 goes to 0, then to the mean of 0, 0, .4.
        ([0.4, 0.0, 1.0, 0.0, 0.9], [False, False, True, False, True]),
        # .6 goes to 1 first: centres .02 and .8; .02 is nearest to .3 then, and all stays.
        ([0.02, 0.6, 1.0], [False, True, True]),
        ([0.5, 0.5], [True, True]),
        ([0.3], [True]),
    ],
)
def test_two_clusters_by_hand(values: list[float], kept: list[bool]) -> None:
    assert in_highest_cluster(np.array(values)).tolist() == kept


@pytest.mark.parametrize("extract", [fe, kfe])
@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("", ""),
        ("<p></p><!-- a --><script>b</script>", ""),
        ("<p>&amp; &nbsp; ...</p>", ""),
        ("only <b>t</b>ext &amp; more", "only text & more"),
        ("<div>a<br>b</div>", "a b"),
        ("<p", "<p"),
    ],
)
def test_odd_pages(extract: Callable[[str], str], page: str, text: str) -> None:
    assert extract(page) == text


@pytest.mark.parametrize("tag", ["table", "tr", "p", "hr", "ul"])
def test_each_tag_cuts_and_no_tag_that_only_begins_like_it(tag: str) -> None:
    assert fe(f"one<{tag.upper()}\n x=1>two") == "one"
    assert fe(f"one</{tag}>two") == "one"
    assert fe(f"one <{tag}x>two") == "one two"
