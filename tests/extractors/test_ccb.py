"""Content code blurring, by hand."""

import numpy as np
import pytest

from boilersweep.extractors.ccb import ROUNDS, blur, ccb

TEXT = "A long text without a tag in it. " * 30
MENU = "<li><a href='x'>Go</a></li>" * 60


def test_blurring_is_three_moving_averages_by_hand() -> None:
    # Four Gaussians of standard deviation 20 have the variance 1,600; three moving averages over
    # w values have (w^2 - 1) / 4, so w = sqrt(6,401) = 80, a value and 40 to each side: 81.
    # A single 1 gives 1/81 after the first, and 61 * 81 / 81^3 or so in the middle after three:
    # the number of ways to write 0 as a sum of three numbers from -40 to 40 is 3 * 40 * 41 + 1.
    assert ROUNDS == 4
    values = np.zeros(401)
    values[200] = 1
    blurred = blur(values)
    assert blurred[200] == pytest.approx((3 * 40 * 41 + 1) / 81**3)
    assert blurred.sum() == pytest.approx(1)
    assert blurred[200 - 120] == pytest.approx(1 / 81**3)
    assert blurred[200 - 121] == pytest.approx(0)


@pytest.mark.parametrize("values", [[1.0] * 50, [0.0], []])
def test_averages_at_the_ends_are_of_what_is_there(values: list[float]) -> None:
    assert blur(np.array(values)).tolist() == values


def test_a_text_stays_and_a_menu_goes() -> None:
    text = ccb(f"<style>a</style><ul>{MENU}</ul><p>{TEXT}</p><ul>{MENU}</ul>")
    assert "Go" not in text
    assert set(text.split()) == set(TEXT.split())
    assert len(text.split()) > 0.9 * len(TEXT.split())


def test_words_stay_whole() -> None:
    text = ccb(f"<ul>{MENU}</ul><p>{'abcdefghijklmnop ' * 60}</p>")
    assert set(text.split()) == {"abcdefghijklmnop"}


def test_of_a_script_without_spaces_every_character_is_decided_alone() -> None:
    text = "我们喜欢苹果" * 60
    page = f"<p>{text}" + "".join(
        "<li><a href='/a/long/address'>页</a></li>" for _ in range(60)
    )
    kept = ccb(page)
    assert 200 < len(kept.replace(" ", "")) < 400
    assert kept.startswith("我们喜欢苹果")


def test_white_space_counts_as_one_character() -> None:
    # 2 letters and a space by 7 of tags, with the white space as it is or folded: all code.
    assert ccb(f"<p>ab{' ' * 900}</p>" * 9) == ccb("<p>ab </p>" * 9) == ""


@pytest.mark.parametrize(
    ("page", "text"),
    [("", ""), ("one line", "one line"), ("<p><br></p>" * 99, ""), (" ", "")],
)
def test_pages_with_little(page: str, text: str) -> None:
    assert ccb(page) == text


@pytest.mark.parametrize(
    "page",
    [
        f"{'<div>' * 100_000}deep{'</div>' * 100_000}",
        "<a" * 100_000,
        "x\n" * 50_000,
        "\ud800<p>y",
    ],
    ids=lambda page: ascii(page[:8]),
)
def test_hostile_pages(page: str) -> None:
    assert isinstance(ccb(page), str)
