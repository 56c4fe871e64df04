"""The picture of a page."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.cleaning.drawing import page_chart
from boilersweep.cleaning.verdicts import explain_page
from boilersweep.extractors.cetr import Profile, page_profile
from boilersweep.outputs.block_chart import DrawnBlocks, blocks_chart
from boilersweep.outputs.pictures import Picture

PAGE = b"<title>A page</title><p>Home<p><a>News</a><p>One two three four.<p>Five six."
KEPT = {"bte": [False, True, True, False, True], "all": [True] * 5}


def test_the_data_of_blocks_and_strips() -> None:
    drawn = DrawnBlocks({"words": [1, 2, 9, 1, 4]}, KEPT)
    data = blocks_chart(drawn)["datasets"]
    assert data["blocks"][2] == {"start": 2, "end": 3, "words": 9}
    assert [(row["cleaner"], row["start"], row["end"]) for row in data["strips"]] == [
        ("bte", 1, 3),
        ("bte", 4, 5),
        ("all", 0, 5),
    ]


@given(st.lists(st.booleans()))
def test_strips_cover_what_is_kept(kept: list[bool]) -> None:
    drawn = DrawnBlocks({"words": [1] * len(kept)}, {"c": kept})
    strips = blocks_chart(drawn)["datasets"]["strips"]
    covered = [n for row in strips for n in range(row["start"], row["end"])]
    assert covered == np.flatnonzero(kept).tolist()
    # Neighbours are one
    assert all(a["end"] < b["start"] for a, b in pairwise(strips))


@pytest.mark.usefixtures("drawn_figures")
def test_a_page_with_its_lines_is_drawn() -> None:
    found = explain_page(PAGE)
    chart = page_chart("A page", found.drawn(), page_profile(PAGE.decode()))
    rows = chart["datasets"]["lines"]
    assert set(rows[0]) == {"line", "ratio", "smoothed", "change", "is content"}
    svg = Picture(chart).svg()
    for text in ("words", "text density", "link density", "characters per tag"):
        assert f">{text}</text>" in svg
    for verdict in found.verdicts:
        assert f">{verdict.cleaner}</text>" in svg


def test_chosen_cleaners_alone_are_drawn() -> None:
    found = explain_page(PAGE)
    names = [one.cleaner for one in found.verdicts]
    assert list(found.drawn().kept) == names
    assert list(found.drawn(["bte"]).kept) == ["bte"]  # type: ignore[list-item]


def test_a_page_without_lines_has_its_blocks() -> None:
    nothing = Profile(np.zeros(0), np.zeros(0), np.zeros(0))
    chart = page_chart("A page", DrawnBlocks({"words": [1]}), nothing)
    assert "characters per tag" not in Picture(chart).svg()
