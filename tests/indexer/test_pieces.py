"""TermTable when it is full, after a failure, and in several threads."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from boilersweep.indexer import contents
from boilersweep.indexer.contents import Analysed, PurePieces, TermTable


class Answers:
    """An analyzer of capitals: of `ABc` it gives a and b."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.fails = False

    def tokens(self, texts: Sequence[str]) -> list[str]:
        self.asked += texts
        if self.fails:
            raise ValueError("no heap")
        return [" ".join(c.lower() for c in text if c.isupper()) for text in texts]

    def table(self) -> TermTable:
        return TermTable(PurePieces, self.tokens, lambda _: None)


def lists(analysed: Analysed) -> tuple[list[str], list[int]]:
    return analysed.tokens(), analysed.lengths.tolist()


@pytest.mark.parametrize(
    ("name", "value"), [("MOST_PIECES", 3), ("MOST_CHARACTERS", 5)]
)
def test_a_full_table_begins_anew(
    monkeypatch: pytest.MonkeyPatch, name: str, value: int
) -> None:
    monkeypatch.setattr(contents, name, value)
    answers = Answers()
    table = answers.table()
    first = table.analysed(["AA BB CC DD"])
    second = table.analysed(["EE", "AA"])
    assert lists(first) == (["a a b b c c d d"], [8])
    assert lists(second) == (["e e", "a a"], [2, 2])
    assert second.terms is not first.terms
    assert answers.asked == ["AA", "BB", "CC", "DD", "EE", "AA"]
    assert table.analysed(["AA"]).terms is second.terms


def test_after_a_failure_pieces_are_asked_for_again() -> None:
    answers = Answers()
    table = answers.table()
    table.analysed(["A"])
    answers.fails = True
    with pytest.raises(ValueError, match="no heap"):
        table.analysed(["A B"])
    answers.fails = False
    assert lists(table.analysed(["A B"])) == (["a b"], [2])


def test_threads_share_a_table() -> None:
    answers = Answers()
    table = answers.table()
    words = [f"{'ABCDEFGH'[n % 8]}{n}" for n in range(2000)]

    def look_up(start: int) -> tuple[list[str], list[int]]:
        return lists(table.analysed([" ".join(words[start : start + 90])]))

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(look_up, range(0, 1900, 10)))
    for start, (tokens, _) in zip(range(0, 1900, 10), found, strict=True):
        assert tokens == [
            " ".join(word[0].lower() for word in words[start : start + 90])
        ]
    assert len(answers.asked) == len(set(answers.asked))
