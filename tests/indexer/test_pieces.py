"""Pieces are numbered as they come; TermTable asks for each once, and has what was answered."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from boilersweep.indexer import pieces
from boilersweep.indexer.pieces import Analysed, PurePieces, TermTable, of_whole_texts


class Answers:
    """An analyzer of capitals: of `ABc` it gives a and b, and b stands where a does."""

    def __init__(self, *, stacks: bool = False) -> None:
        self.asked: list[str] = []
        self.stacks = stacks
        self.fails = False

    def tokens(self, texts: Sequence[str]) -> list[str]:
        self.asked += texts
        if self.fails:
            raise ValueError("no heap")
        return [" ".join(c.lower() for c in text if c.isupper()) for text in texts]

    def stacked(self, texts: Sequence[str]) -> list[int] | None:
        if not self.stacks:
            return None
        return [max(0, sum(map(str.isupper, text)) - 1) for text in texts]

    def table(self) -> TermTable:
        return TermTable(PurePieces, self.tokens, self.stacked)


def lists(analysed: Analysed) -> tuple[list[str], list[int]]:
    return analysed.tokens(), analysed.lengths.tolist()


def test_every_piece_is_asked_for_once() -> None:
    answers = Answers()
    table = answers.table()
    assert lists(table.analysed(["A b AB", "", "b", "AB C"])) == (
        ["a a b", "", "", "a b c"],
        [3, 0, 0, 3],
    )
    assert answers.asked == ["A", "b", "AB", "", "C"]
    assert lists(table.analysed(["C D", "AB"])) == (["c d", "a b"], [2, 2])
    assert answers.asked == ["A", "b", "AB", "", "C", "D"]
    assert lists(table.analysed([])) == ([], [])
    assert answers.asked[5:] == ["D"]


@pytest.mark.parametrize("whole", [False, True])
def test_stacked_terms_are_counted(whole: bool) -> None:
    texts = ["AB c", "C", "ABC AB", ""]
    answers = Answers(stacks=True)
    analysed = (
        of_whole_texts(["a b", "c", "a b c a b", ""], [1, 0, 3, 0])
        if whole
        else answers.table().analysed(texts)
    )
    assert lists(analysed) == (["a b", "c", "a b c a b", ""], [2, 1, 5, 0])
    assert analysed.stacked_lengths is not None
    assert analysed.stacked_lengths.tolist() == [1, 0, 3, 0]
    assert Answers().table().analysed(texts).stacked_lengths is None


@pytest.mark.parametrize(("name", "value"), [("MOST_PIECES", 3), ("MOST_CHARACTERS", 5)])
def test_a_full_table_begins_anew(monkeypatch: pytest.MonkeyPatch, name: str, value: int) -> None:
    monkeypatch.setattr(pieces, name, value)
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
        assert tokens == [" ".join(word[0].lower() for word in words[start : start + 90])]
    assert len(answers.asked) == len(set(answers.asked))


def test_pieces_are_numbered_as_they_come() -> None:
    pieces = PurePieces()
    cut = pieces.cut(["a b a", "c", "b (c)."])
    assert (cut.pieces.tolist(), cut.starts.tolist()) == ([0, 1, 0, 2, 1, 3], [0, 3, 4, 6])
    assert cut.new == ["a", "b", "c", "(c)."]
    cut = pieces.cut(["d c", "a"])
    assert (cut.pieces.tolist(), cut.starts.tolist(), cut.new) == ([4, 2, 0], [0, 2, 3], ["d"])
    assert (len(pieces), pieces.characters) == (5, 8)


def test_the_noncharacter_is_a_space() -> None:
    assert PurePieces().cut(["a\uffffb"]).new == ["a", "b"]


def test_nothing_to_cut() -> None:
    cut = PurePieces().cut([])
    assert (cut.pieces.tolist(), cut.starts.tolist(), cut.new) == ([], [0], [])
