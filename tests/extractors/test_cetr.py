"""CETR, by hand."""

from collections.abc import Callable

import numpy as np
import pytest

from boilersweep.extractors.cetr import (
    FOLDED,
    Profile,
    cetr,
    cetr_km,
    cetr_tm,
    derivative,
    k_means,
    lines_of,
    page_profile,
    profile,
    smooth,
    spread,
)
from boilersweep.extractors.markup import markup_of

ALL = pytest.mark.parametrize("extract", [cetr, cetr_km, cetr_tm])
TEXT = (
    "A sentence of the article, long enough to be one, and no tag within it anywhere."
)
ARTICLE = "\n".join(
    ["<li><a href=x>Menu</a></li>"] * 20 + [TEXT] * 15 + ["<p>Foot</p>"] * 20
)


def test_the_papers_own_lines() -> None:
    # The table on the authors' page: text 0 0 11 37 41 0, tags 1 1 2 0 2 2.
    page = """<div id="topnav">
<div id="storyPageContent2">
<div id="author">James Smith</div>
  OKLAHOMA CITY - Police were told that

The Oklahoman reported Sunday. <br><br> Jones had
</div></div>"""
    assert lines_of(markup_of(page)).ratios.tolist() == [0, 0, 5.5, 37, 20.5, 0]


def test_line_breaks_within_tags_are_none() -> None:
    lines = lines_of(markup_of("<p\nclass=x\n>ab\r\ncd\n \n"))
    assert lines.ratios.tolist() == [2, 2]
    assert (lines.starts.tolist(), lines.ends.tolist()) == ([0, 16], [14, 18])


def test_a_page_on_one_line_is_folded_behind_tags() -> None:
    # 1,200 characters and a tag that begins at 58: the first line is 60 characters and the rest
    # of the tag, 58 + 11 = 69; the second ends at 129; 1,211 - 69 = 1,142 are 19 lines and 2.
    page = "x" * 58 + "<p class=a>" + "y" * 1142
    lines = lines_of(markup_of(page))
    assert FOLDED == 60
    assert lines.starts[:3].tolist() == [0, 69, 129]
    assert len(lines.ratios) == 21
    assert lines.ratios[:2].tolist() == [58, 60]
    # Words are not cut where lines are.
    assert cetr_tm(page) == "x" * 58 + " " + "y" * 1142


def test_smoothing_by_hand() -> None:
    # Weights e^(-j^2/18): 1, .9460, .8007, .6065 to each side. A 1 in the middle of 7 lines:
    # the sum of all weights is 1 + 2 (.9460 + .8007 + .6065) = 5.7064; 1 / 5.7064 = .1752. In
    # the first line there are the weights 0 to 3, 3.3532, so .6065 / 3.3532 = .1809.
    blurred = smooth(np.array([0, 0, 0, 1.0, 0, 0, 0]))
    assert blurred[[0, 3]] == pytest.approx([0.1809, 0.1752], abs=5e-5)
    assert smooth(np.full(9, 4.0)) == pytest.approx(np.full(9, 4.0))
    assert smooth(np.array([5.0])).tolist() == [5]


def test_derivative_by_hand() -> None:
    # (1 + 4 + 10)/3 - 1, (4 + 10 + 4)/3 - 4, (10 + 4)/2 - 10, 4 - 4.
    assert derivative(np.array([1.0, 4, 10, 4])).tolist() == [4, 2, -3, 0]


@pytest.mark.parametrize(
    ("points", "pinned", "labels", "centres"),
    [
        # Centres begin at 0, 9 (nearest to 5: 1 and 9 are as far, the first is 1), 10: so 0, 1, 10.
        # Rounds: {0} {1} {9 10}; centres 0, 1, 9.5; nothing moves.
        ([0, 1, 9, 10], False, [0, 1, 2, 2], [0, 1, 9.5]),
        # Pinned at the origin the first centre has {2, 3} of 2, 3, 8, 20, 22 and stays; distances
        # nearest to 0, 11, 22 are 2, 8, 22. Rounds: {2 3} {8} {20 22}.
        ([2, 3, 8, 20, 22], True, [0, 0, 1, 2, 2], [0, 8, 21]),
        ([3, 3], True, [1, 1], [0, 3, 3]),
    ],
)
def test_k_means_by_hand(
    points: list[float], pinned: bool, labels: list[int], centres: list[float]
) -> None:
    values = np.array(points, dtype=float)[:, np.newaxis]
    found, moved = k_means(values, spread(values, pinned=pinned), pinned=pinned)
    assert (found.tolist(), moved[:, 0].tolist()) == (labels, centres)


def test_clusters_of_lines_by_hand() -> None:
    # One dimension, 1 1 10 20: centres 1, 10, 20 at once; the lines at 1 are no content.
    smoothed, zeros = np.array([1.0, 1, 10, 20]), np.zeros(4)
    lines = Profile(zeros, smoothed, zeros)
    assert lines.by_ratio().tolist() == [False, False, True, True]
    # Two clusters begin at 1 and 20; 10 is nearer to 1, and stays: centres 4, 20
    assert lines.by_ratio(2).tolist() == [False, False, False, True]
    # Two dimensions, no change anywhere: lines nearest to the origin are no content.
    low, high = np.zeros(20), np.full(20, 30.0)
    content = profile(np.concatenate([low, high, low])).by_ratio_and_change()
    assert content[22:38].all()
    assert not content[:15].any()
    assert not content[45:].any()


def test_the_profile_of_a_page() -> None:
    lines = page_profile(ARTICLE)
    assert len(lines.ratios) == 55
    # Four characters and two tags, or four; 80 characters without a tag
    assert lines.ratios[[0, 25, 54]].tolist() == [1, len(TEXT), 2]
    assert lines.smoothed == pytest.approx(smooth(lines.ratios))
    assert lines.changes == pytest.approx(np.abs(smooth(derivative(lines.smoothed))))
    # A wider Gaussian lowers the plateau
    assert page_profile(ARTICLE, 9).smoothed.max() < lines.smoothed.max()
    assert len(page_profile(" ").smoothed) == 0


@ALL
def test_an_article_between_menus(extract: Callable[[str], str]) -> None:
    text = extract(f"<html><script>var x;</script>\n<!-- no -->{ARTICLE}")
    # The middle lines are surely content, the outer ones surely none.
    assert text.count("A sentence of the article") >= 13
    assert text.count("Menu") <= 4
    assert text.count("Foot") <= 4


@ALL
@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("", ""),
        (" \n\r\n ", ""),
        ("<script>x</script>", ""),
        ("<p><br></p>\n" * 50, ""),
        ("one line", "one line"),
    ],
)
def test_pages_with_little(extract: Callable[[str], str], page: str, text: str) -> None:
    assert extract(page) == text


@ALL
@pytest.mark.parametrize(
    "page", ["<div>" * 100_000, "<a" * 100_000, "x\n" * 50_000, "\ud800<p>y"]
)
def test_hostile_pages(extract: Callable[[str], str], page: str) -> None:
    assert isinstance(extract(page), str)
