"""Sentences on what happened to a document."""

from typing import Any

import pytest

from boilersweep.eval.explain.documents import Effect, account

SOME = Effect(
    cleaners=("words>=1", "bte"),
    matches=(9, 2),
    tokens=(800, 100),
    lost=7,
    lost_in=3,
    gained=0,
    gained_in=0,
    gone=(),
    rank=(3, 12),
)

LOST = "7 of its 9 matches stood in 3 dropped blocks"


def told(**changes: Any) -> str:
    values = {name: getattr(SOME, name) for name in Effect.__slots__}
    return account(Effect(**{**values, **changes}))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {},
            f"{LOST}; its text shrinks from 800 to 100 tokens.",
        ),
        (
            {"gone": ("otter",), "tokens": (1000, 1000)},
            f"{LOST} (otter gone); its length stays at 1,000 tokens.",
        ),
        # Of 9 matches in 800 tokens 2 in 100 are left: 1.1% become 2%.
        (
            {"rank": (12, 3)},
            f"{LOST}; its text shrinks from 800 to 100 tokens, "
            "where they are denser.",
        ),
        # 2 in 400 are .5%.
        (
            {"rank": (None, 3), "tokens": (800, 400)},
            f"{LOST}; its text shrinks from 800 to 400 tokens, "
            "yet others lose more.",
        ),
        (
            {"matches": (9, 9), "lost": 0, "lost_in": 0},
            "Keeps all its 9 matches; its text shrinks from 800 to 100 tokens, "
            "yet others gain more.",
        ),
        (
            {"matches": (9, 9), "lost": 0, "lost_in": 0, "tokens": (100, 800)},
            "Keeps all its 9 matches; its text grows from 100 to 800 tokens, "
            "where they are sparser.",
        ),
        (
            {
                "matches": (9, 9),
                "lost": 0,
                "lost_in": 0,
                "tokens": (100, 800),
                "rank": (12, 3),
            },
            "Keeps all its 9 matches; its text grows from 100 to 800 tokens, "
            "yet others lose more.",
        ),
        (
            {"matches": (1, 1), "lost": 0, "lost_in": 0, "tokens": (100, 100)},
            "Keeps its only match and its length; other documents moved.",
        ),
        (
            {"matches": (1, 0), "lost": 1, "lost_in": 1},
            "Its only match stood in 1 dropped block: it is not found any more.",
        ),
        (
            {"matches": (4, 0), "lost": 0, "lost_in": 0},
            "All its 4 matches are gone: it is not found any more.",
        ),
        (
            {"tokens": (800, 0), "matches": (9, 0)},
            "Nothing of it is left: all its 9 matches are gone.",
        ),
        (
            {"matches": (0, 2), "gained": 2, "gained_in": 1, "lost": 0, "lost_in": 0},
            "Found now: 2 matches in 1 block that words>=1 drops.",
        ),
        (
            {"matches": (0, 2), "lost": 0, "lost_in": 0},
            "Found now: 2 matches, none under words>=1.",
        ),
        # An extractor's text has one match that no kept block accounts for.
        (
            {"matches": (9, 3)},
            "Has 3 matches in place of 9, without 3 blocks that held some; "
            "its text shrinks from 800 to 100 tokens.",
        ),
    ],
)  # fmt: skip
def test_sentences(changes: dict[str, Any], sentence: str) -> None:
    assert told(**changes) == sentence


def test_a_term_that_is_written_from_right_to_left_turns_nothing_around_it() -> None:
    said = told(gone=("خبز", "otter", "לחם"))
    assert f"{LOST} (\u2068خبز\u2069, otter, \u2068לחם\u2069 gone)" in said
