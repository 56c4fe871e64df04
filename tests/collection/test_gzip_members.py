"""Gzip members, whole and damaged: the pieces that Python's own zlib gives."""
# ruff: noqa: S311

import gzip
import random
import zlib
from io import BytesIO
from typing import Any

import pytest

from boilersweep.collection import gzip_members
from boilersweep.collection.gzip_members import pieces

PAGES = random.Random(1).choices(["<p>words ", "of a page</p>", "\n", "é", "0123456789"], k=40_000)


def found(stored: bytes, *, salvage: bool) -> list[tuple[Any, ...]]:
    return [
        (piece.offset, piece.data, piece.end, bool(piece.damage), piece.is_foreign)
        for piece in pieces(BytesIO(stored), salvage=salvage)
    ]


@pytest.mark.parametrize("salvage", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_pieces_are_those_of_pythons_zlib(
    seed: int, salvage: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice = random.Random(seed)
    whole = "".join(PAGES).encode()
    size = dice.randrange(10_000, 100_000)
    members = [
        gzip.compress(whole[start : start + size], dice.choice([1, 6, 9]))
        for start in range(0, len(whole), size)
    ]
    assert b"".join(piece[1] for piece in found(b"".join(members), salvage=salvage)) == whole
    damaged = bytearray(b"".join(members))
    for _ in range(dice.choice([1, 1, 3])):
        damaged[dice.randrange(len(damaged))] ^= 1 << dice.randrange(8)
    del damaged[len(damaged) - dice.choice([0, 0, 0, 1, 9, 5000]) :]
    ours = found(bytes(damaged), salvage=salvage)
    monkeypatch.setattr(gzip_members, "zlib_ng", zlib)
    assert ours == found(bytes(damaged), salvage=salvage)
