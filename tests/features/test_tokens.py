"""What counts as a date, an address, a hashtag."""

import pytest

from boilersweep.features.characters import (
    DATE_OR_TIME,
    EMAIL,
    HASHTAG,
    URL,
    count_matches,
)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("June 5, 2008", 2),
        ("Tue, 3 Jan 2012 10:30:15 GMT", 5),
        ("2008-01-02", 1),
        ("1/2/2008 or 1.2.08", 2),
        ("at 5pm and 5:30 p.m.", 2),
        ("MON TUESDAY", 2),
        ("may march on monday", 0),
        ("room 2100 of 1234", 0),
        ("version 1.2008.3", 0),
        ("Decide Sunny Marching", 0),
        ("12008 2008x", 0),
        ("Jam and D am", 0),
    ],
)
def test_dates_and_times(text: str, count: int) -> None:
    assert count_matches(DATE_OR_TIME, [text]).tolist() == [count]


def test_addresses_and_hashtags() -> None:
    texts = [
        "a.b@c-d.co.uk, x@y",
        "see https://a.b/c?d=e and www.f.org",
        "#one C# &#39; #2 a/#b",
    ]
    assert count_matches(EMAIL, texts).tolist() == [1, 0, 0]
    assert count_matches(URL, texts).tolist() == [0, 2, 0]
    assert count_matches(HASHTAG, texts).tolist() == [0, 0, 1]


def test_matches_belong_to_their_text() -> None:
    assert count_matches(DATE_OR_TIME, ["", "5", "pm", "2008", "May"]).tolist() == [
        0,
        0,
        0,
        1,
        1,
    ]
    assert count_matches(URL, []).tolist() == []
