"""Scores of texts and masks, worked out by hand."""

import tempfile
from collections.abc import Callable
from dataclasses import asdict, astuple
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from boilersweep import UsageError
from boilersweep.eval.judge import scores
from boilersweep.eval.judge.scores import (
    BlockScores,
    Score,
    StringScore,
    bag_of_words,
    block_scores,
    character_score,
    order_score,
    rouge_5,
    string_score,
    string_shares,
    weighted_auc,
    word_score,
)


def test_a_bag_of_words_by_hand() -> None:
    # Of four tokens found, "a" once and "b" are gold: 2 of 4. Of three gold tokens 2 are found.
    assert bag_of_words("a a b x", "b a  c") == Score(2 / 4, 2 / 3, 2 * 2 / (4 + 3))


@pytest.mark.parametrize(
    ("measure", "found", "gold", "f1"),
    [
        (bag_of_words, "One, two", "one, two", 0.5),  # "two" alone
        (bag_of_words, "don't stop", "don t stop", 2 / 5),
        (bag_of_words, "a\xa0b\nc", "a b c", 1),
        (bag_of_words, "- | -", "", 0),
        (word_score, "- | -", "", 1),
        (word_score, "One, TWO-three!", "one two three", 1),
        (word_score, "don't stop", "don t (stop)", 1),  # don, t, stop of both
        (word_score, "snake_case x1", "snake case x1", 2 / 5),
        # Three found (the, the, pony), two gold (the, pony): common the, pony.
        (word_score, "The the pony", "the pony", 4 / 5),
    ],
)
def test_tokens_stand_between_white_space_and_words_are_runs_of_letters_and_digits(
    measure: Callable[[str, str], Score], found: str, gold: str, f1: float
) -> None:
    assert measure(found, gold).f1 == pytest.approx(f1)


@pytest.mark.parametrize(
    ("measure", "found", "gold", "score"),
    [
        # "abde" is the longest subsequence of both.
        (character_score, "ab\nxde", "a b c d e", Score(4 / 5, 4 / 5, 4 / 5)),
        (character_score, "cba", "abc", Score(1 / 3, 1 / 3, 1 / 3)),
        (character_score, " \n", "", Score(1, 1, 1)),
        # "a c", one replacement, which costs 2 of the 6 words.
        (order_score, "a x c", "a b c", Score(2 / 3, 2 / 3, 2 / 3)),
        (order_score, "c a", "a - c", Score(1 / 2, 1 / 3, 2 / 5)),
        # The labels <h> and <p> against <p> and <p>; </p> counts nowhere.
        (order_score, "<h>a\n<P>b</p>", "<p> a <p> b", Score(3 / 4, 3 / 4, 3 / 4)),
        (order_score, "a b", "<l>a<l>b", Score(1, 1 / 2, 2 / 3)),
        (order_score, "", "<p>", Score(0, 0, 0)),
    ],
)
def test_what_is_in_the_order_of_the_gold_text(
    measure: Callable[[str, str], Score], found: str, gold: str, score: Score
) -> None:
    assert astuple(measure(found, gold)) == pytest.approx(astuple(score))


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abcd")))
def test_f1_in_order_is_the_weighted_edit_distance(
    found: list[str], gold: list[str]
) -> None:
    distance = Levenshtein.distance(found, gold, weights=(1, 1, 2))
    expected = 1 - distance / max(len(found) + len(gold), 1)
    assert order_score(" ".join(found), " ".join(gold)).f1 == pytest.approx(expected)


def test_words_of_scripts_without_spaces_count_in_both() -> None:
    found, gold = "首页 我们喜欢苹果。", "我们喜欢苹果。Apple"
    for score in (bag_of_words(found, gold), word_score(found, gold)):
        assert (score.precision, score.recall) == (3 / 4, 3 / 4)


@pytest.mark.parametrize("measure", [bag_of_words, word_score])
@pytest.mark.parametrize(
    ("found", "gold", "value"),
    [("", "", 1.0), (" \n", "", 1.0), ("a", "", 0.0), ("", "a", 0.0), ("a", "b", 0.0)],
)
def test_empty_texts(
    measure: Callable[[str, str], Score], found: str, gold: str, value: float
) -> None:
    assert measure(found, gold) == Score(value, value, value)


def test_strings_are_counted_by_hand() -> None:
    found = string_score(
        "One two\nthree", ["one two", "two three", "four"], ["Home", "One"]
    )
    # Case counts, white space does not: "two three" stands over a line's end.
    assert found == StringScore(wanted=3, kept=1, unwanted=2, dropped=1)
    assert found.balanced == pytest.approx((1 / 3 + 1 / 2) / 2)


def test_a_page_with_one_kind_of_strings() -> None:
    assert string_score("one", ["one"], []).balanced == 1
    assert string_score("one", [], ["one", "two"]).balanced == 0.5


def test_shares_are_of_all_strings_and_balanced_is_of_pages() -> None:
    shares = string_shares([StringScore(3, 3, 1, 0), StringScore(1, 0, 2, 2)])
    assert (shares.kept, shares.dropped) == (3 / 4, 2 / 3)
    assert shares.balanced == pytest.approx((0.5 + 0.5) / 2)
    # Trafilatura's evaluation: 3 true positives, 1 false positive, 1 false negative.
    assert shares.f1 == pytest.approx(2 * 0.75 * 0.75 / 1.5)
    none = string_shares([StringScore(0, 0, 1, 1)])
    assert (none.kept, none.dropped, none.f1) == (1, 1, 1)


CONTENT = np.array([True, True, False, False])
KEEP = np.array([True, False, True, False])
WORDS = np.array([60, 20, 10, 10])


def test_scores_by_hand() -> None:
    # Content has 80 words, boilerplate 20. Kept are 70, of these 60 content.
    # Content: P 60/70, R 60/80, F1 120/150, FPR 10/20.
    # Boilerplate: dropped are 30, of these 10 boilerplate: P 10/30, R 10/20, F1 20/50, FPR 20/80.
    found = block_scores(CONTENT, KEEP, WORDS)
    expected = BlockScores(
        content_precision=60 / 70,
        content_recall=0.75,
        content_f1=0.8,
        content_false_positive_rate=0.5,
        precision=0.8 * 60 / 70 + 0.2 / 3,
        recall=0.8 * 0.75 + 0.2 * 0.5,
        f1=0.8 * 0.8 + 0.2 * 0.4,
        false_positive_rate=0.8 * 0.5 + 0.2 * 0.25,
        auc=(0.75 + 0.5) / 2,
    )
    assert asdict(found) == pytest.approx(asdict(expected))


def test_a_perfect_mask_and_its_opposite() -> None:
    right, wrong = (
        astuple(block_scores(CONTENT, keep, WORDS)) for keep in (CONTENT, ~CONTENT)
    )
    assert right == (1, 1, 1, 0, 1, 1, 1, 1, 0)
    assert wrong == (0, 0, 0, 1, 0, 0, 0, 0, 1)


def test_nothing_and_one_class_alone() -> None:
    none = np.zeros(0, dtype=bool)
    assert block_scores(none, none, np.zeros(0, dtype=np.int64)).f1 == 0
    every = np.ones(4, dtype=bool)
    assert block_scores(every, every, WORDS).f1 == 1
    assert weighted_auc(every, np.arange(4.0), WORDS) == 0.5


def test_auc_by_hand() -> None:
    # Pairs of a content and a boilerplate word: 60 * 20 + 20 * 20 = 1600. The block of 60 is above
    # both others (1200), that of 20 level with one of 10 words (half of 200), above none.
    scores = np.array([0.9, 0.5, 0.5, 0.7])
    assert weighted_auc(CONTENT, scores, WORDS) == pytest.approx((1200 + 100) / 1600)


@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 3), st.integers(1, 5)), max_size=12
    )
)
def test_auc_counts_pairs_of_words(rows: list[tuple[bool, int, int]]) -> None:
    content = np.array([row[0] for row in rows], dtype=bool)
    scores = np.array([row[1] for row in rows], dtype=float)
    words = np.array([row[2] for row in rows], dtype=np.int64)
    won = total = 0.0
    for mine, score, weight in rows:
        for theirs, other, count in rows:
            if mine and not theirs:
                total += weight * count
                won += weight * count * ((score > other) + (score == other) / 2)
    assert weighted_auc(content, scores, words) == pytest.approx(
        won / total if total else 0.5
    )


jieba = pytest.mark.skipif(
    find_spec("jieba") is None, reason="the extra boards is not installed"
)


@jieba
@pytest.mark.parametrize(
    ("found", "gold", "f1"),
    [
        ("", " \n", 1),
        ("a b c d e", "", 0),
        ("", "a b c d e", 0),
        ("a b", "a b", 0),  # three tokens
        ("a b c", "a b c", 1),  # five: blanks count
        ("a b c x", "a b c", 2 / 4),  # 3 runs and 1 run, one in common
        ("a b c\nd", "a b c d", 2 / 6),
        ("A B C", "a b c", 0),
        ("a b c a b c", "a b c", 2 / 8),
        ("我们在食品工厂里吃了午饭", "我们在食品工厂里吃了午饭", 1),
    ],
)
def test_runs_of_five_by_hand(found: str, gold: str, f1: float) -> None:
    score = rouge_5(found, gold)
    assert score.f1 == pytest.approx(f1)
    assert rouge_5(gold, found).precision == pytest.approx(score.recall)


@jieba
def test_no_dictionary_that_lies_about_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "jieba.cache").write_bytes(b"no dictionary")
    scores._jieba.cache_clear()
    assert rouge_5("我们在食品工厂里吃", "我们在食品工厂里吃").f1 == 1
    assert [path.name for path in tmp_path.iterdir()] == ["jieba.cache"]


MARKDOWN = st.lists(
    st.sampled_from(
        ["the ", "pony", "\n\n", "# ", "**b** ", "1.5% ", "é", "我们在食品", "AT&T "]
    ),
    max_size=30,
).map("".join)


@jieba
@given(MARKDOWN, MARKDOWN)
def test_the_published_definition(found: str, gold: str) -> None:
    if not (found.strip() or gold.strip()):
        return
    grams = []
    for text in (found, gold):
        words = scores._jieba()(text)
        assert "".join(words) == text
        grams.append([tuple(words[at : at + 5]) for at in range(len(words) - 4)])
    common = sum(min(grams[0].count(one), grams[1].count(one)) for one in set(grams[1]))
    precision, recall = (common / max(len(some), 1) for some in grams)
    f1 = 2 * precision * recall / (precision + recall) if common else 0.0
    assert astuple(rouge_5(found, gold)) == pytest.approx((precision, recall, f1))


def test_a_missing_jieba_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boilersweep.extras.find_spec", lambda _name: None)
    scores._jieba.cache_clear()
    with pytest.raises(
        UsageError, match="this needs jieba, which is not installed; run: "
    ):
        rouge_5("a", "b")
