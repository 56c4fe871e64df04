"""Packed docids are a sequence of the docids."""

import pytest

from boilersweep.eval.hits import PackedDocids


@pytest.mark.parametrize("docids", [[], ["d1"], ["a", "", "zürich", "\ufeffx", "😀"]])
def test_packed_docids_are_the_docids(docids: list[str]) -> None:
    packed = PackedDocids(docids)
    assert len(packed) == len(docids)
    assert list(packed) == docids == packed[:]
    assert [packed[n] for n in range(len(docids))] == docids
    for beyond in (-1, len(docids)):
        with pytest.raises(IndexError):
            packed[beyond]
