"""PurePieces: numbers of pieces in the order in which they come."""

from boilersweep.indexer.pieces import PurePieces


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
