"""The suggestion without judgements."""

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from boilersweep.eval.study.suggestion import (
    DRAWN_WORDS,
    draw_mixture,
    mixture_chart,
    suggest,
    suggest_from,
)
from boilersweep.pages.columns import IntArray
from tests.conftest import known
from tests.eval.conftest import MakeStore


def histogram(short_share: float, short_stop: float, long_stop: float) -> IntArray:
    words = np.arange(1, 301)
    short = short_stop * (1 - short_stop) ** (words - 1)
    long = long_stop * (1 - long_stop) ** (words - 1)
    shares = short_share * short + (1 - short_share) * long
    counts: IntArray = np.r_[0, np.round(shares * 1e7)].astype(np.int64)
    return counts


def test_the_papers_parameters_cross_at_nine_words() -> None:
    # Section 5.2: P_N(S) = .7586, P_S(N) = .3968, P_L(N) = .04369. Short and long are equal at
    # x = 1 + ln(.7586 * .3968 / (.2414 * .04369)) / ln((1 - .04369) / (1 - .3968))
    #   = 1 + 3.351 / .4608 = 8.27: from nine words on long text is likelier.
    found = known(suggest_from(histogram(0.7586, 0.3968, 0.04369)))
    assert (found.cleaner, found.words) == ("words>=9", 9)
    assert found.short_share == pytest.approx(0.7586, abs=0.001)
    assert found.r2_adjusted == pytest.approx(1, abs=1e-4)
    assert "suggests words>=9" in str(found)
    assert "adjusted R2 1.000" in str(found)
    both = np.array(found.short) + np.array(found.long)
    assert both == pytest.approx(np.array(found.observed), abs=1e-4)
    assert len(found.observed) == DRAWN_WORDS
    assert found.short[7] > found.long[7]
    assert found.short[8] < found.long[8]


@pytest.mark.parametrize("counts", [[], [0, 0], [0]])
def test_without_a_block_there_is_nothing_to_suggest(counts: list[int]) -> None:
    assert suggest_from(np.array(counts, dtype=np.int64)) is None


def test_blocks_of_one_kind_and_one_size_are_told_as_they_are(tmp_path: Path) -> None:
    found = known(suggest_from(np.array([0, 0, 0, 500])))
    assert found.blocks == 500
    assert found.r2_adjusted is None
    assert str(found).startswith("Without judgements:")
    draw_mixture(found, tmp_path / "mixture")


@pytest.mark.parametrize(
    ("changes", "kinds"),
    [
        ({}, ["seen", "short text", "long text", "both"]),
        ({"long": (0.0,) * DRAWN_WORDS}, ["seen", "short text", "both"]),
        ({"short": (0.0,) * DRAWN_WORDS}, ["seen", "long text", "both"]),
        ({"observed": (0.0, 1.0)}, ["seen", "short text", "long text", "both"]),
    ],
)
def test_no_share_of_zero_is_drawn_on_a_scale_without_one(
    changes: dict[str, tuple[float, ...]], kinds: list[str]
) -> None:
    found = known(suggest_from(histogram(0.7586, 0.3968, 0.04369)))
    chart = mixture_chart(replace(found, **changes))
    rows = [row for one in chart["layer"][:2] for row in one["data"]["values"]]
    assert all(row["share"] > 0 for row in rows)
    legend = chart["layer"][0]["encoding"]["color"]["scale"]
    assert legend["domain"] == kinds
    assert len(legend["range"]) == len(kinds)


@pytest.mark.usefixtures("drawn_figures")
def test_of_a_store(make_store: MakeStore, tmp_path: Path) -> None:
    long = " ".join(f"word{number}" for number in range(70))
    store = make_store(
        {f"d{n}": "<p>one</p><p>one two</p>" * 5 + f"<p>{long}</p>" for n in range(9)}
    )
    found = known(suggest(store))
    assert found.blocks == 9 * 11
    assert found.observed[:3] == pytest.approx((45 / 99, 45 / 99, 0))
    draw_mixture(found, tmp_path / "mixture")
    assert (tmp_path / "mixture.svg").read_text().count("<svg") == 1
    assert (tmp_path / "mixture.png").read_bytes().startswith(b"\x89PNG")
    empty = suggest(make_store({"d": "<p></p>"}))
    assert empty is None
