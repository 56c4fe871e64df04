"""The compiled pieces beside a cut by regular expressions: the same numbers, whatever the text."""

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from fuzzing.cutting import ExpectedPieces
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.indexer import compiled
from boilersweep.indexer.pieces import STANDARD_BORDERS, Borders, PurePieces

if TYPE_CHECKING:
    from boilersweep.indexer.compiled.pieces import CompiledPieces

pytestmark = pytest.mark.skipif(not compiled.built, reason="the extension module is not built")

CHARACTERS = [*"abé本\U0001f600\U00020bb7  .,:;'\"-_(#*\0\n\x7f\x80\xff\u0301\u200d\uffff\ud800"]
TEXTS = st.lists(st.lists(st.sampled_from(CHARACTERS), max_size=12).map("".join), max_size=6)


def make() -> "CompiledPieces":
    from boilersweep.indexer.compiled.pieces import CompiledPieces

    return CompiledPieces(STANDARD_BORDERS.at, STANDARD_BORDERS.between)


@given(batches=st.lists(TEXTS, max_size=4))
def test_the_pieces_are_those_of_a_regular_expression(batches: list[list[str]]) -> None:
    pieces, reference = make(), ExpectedPieces()
    for texts in batches:
        cut = pieces.cut(texts)
        found = (cut.pieces.tolist(), cut.starts.tolist(), cut.new)
        assert found == reference.cut(texts)
        assert cut.pieces.dtype == np.dtype(np.int32)
        assert cut.starts.dtype == np.dtype(np.int64)
    assert len(pieces) == len(reference.numbers)
    assert pieces.characters == sum(map(len, reference.numbers))


def test_many_pieces() -> None:
    dice = random.Random(1)  # noqa: S311
    words = [
        "".join(dice.choices("abcdeéж本\U0001f600", k=dice.randint(1, 9))) for _ in range(9000)
    ]
    pieces, reference = make(), ExpectedPieces()
    for _ in range(8):
        texts = [" ".join(dice.choices(words, k=dice.randint(0, 40))) for _ in range(200)]
        cut = pieces.cut(texts)
        assert (cut.pieces.tolist(), cut.starts.tolist(), cut.new) == reference.cut(texts)
    assert len(pieces) > 5000


def test_a_piece_is_the_same_however_wide_the_text_is() -> None:
    cut = make().cut(["pony é", "pony é Ж", "pony é \U0001f600", "pony"])
    assert cut.pieces.tolist() == [0, 1, 0, 1, 2, 0, 1, 3, 0]
    assert cut.new == ["pony", "é", "Ж", "\U0001f600"]


def test_what_was_cut_stays_as_it_is() -> None:
    pieces = make()
    first = pieces.cut(["a b"])
    pieces.cut(["c d e f"])
    assert first.pieces.tolist() == [0, 1]


def test_without_borders_it_cuts_at_spaces() -> None:
    from boilersweep.indexer.compiled.pieces import CompiledPieces

    texts = ["a.b,\tc (d)", "x\uffffy"]
    assert CompiledPieces("", "").cut(texts).new == PurePieces().cut(texts).new


def test_which_pieces_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    assert type(compiled.make_pieces(Borders())).__name__ == "CompiledPieces"
    monkeypatch.setenv("BOILERSWEEP_PURE", "1")
    assert isinstance(compiled.make_pieces(Borders()), PurePieces)
