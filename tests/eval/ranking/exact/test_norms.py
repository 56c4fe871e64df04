"""One-byte codes of lengths against Lucene's SmallFloat."""
# ruff: noqa: S311

import random
from typing import Any

import numpy as np
import pytest

from boilersweep.eval.ranking.formulas import NORMS_2_9, encode_norms_2_9
from boilersweep.indexer.arithmetic import LENGTHS, encode_lengths

pytestmark = pytest.mark.java

CODES = range(256)


@pytest.fixture(scope="module")
def small_float(java: None) -> Any:
    from jnius import autoclass

    return autoclass("org.apache.lucene.util.SmallFloat")


def signed(code: int) -> int:
    return code - 256 if code > 127 else code


def some_lengths() -> list[int]:
    """All small lengths, the neighbours of every length with a code, and thousands of others."""
    dice = random.Random(1)
    edges = {length + step for length in LENGTHS.tolist() for step in (-1, 0, 1)}
    spread = {int(2 ** dice.uniform(0, 31)) for _ in range(5000)}
    lengths = {*range(3000), *edges, *spread, 10**6, 2**31 - 1}
    return sorted(length for length in lengths if 0 <= length < 2**31)


def test_lengths_are_those_of_lucene_for_all_codes(small_float: Any) -> None:
    assert LENGTHS.tolist() == [small_float.byte4ToInt(signed(code)) for code in CODES]


def test_lengths_are_encoded_as_by_lucene(small_float: Any) -> None:
    lengths = some_lengths()
    assert len(lengths) > 6000
    expected = [small_float.intToByte4(length) & 0xFF for length in lengths]
    assert encode_lengths(np.array(lengths)).tolist() == expected


def test_norms_of_2010_are_those_of_lucene_for_all_codes(small_float: Any) -> None:
    assert NORMS_2_9.dtype == np.float32
    assert NORMS_2_9.tolist() == [
        small_float.byte315ToFloat(signed(code)) for code in CODES
    ]


def test_norms_of_2010_are_encoded_as_by_lucene(small_float: Any) -> None:
    lengths = some_lengths()[1:]
    norms = [float(np.float32(1 / np.sqrt(np.float64(length)))) for length in lengths]
    expected = [small_float.floatToByte315(norm) & 0xFF for norm in norms]
    assert encode_norms_2_9(np.array(lengths)).tolist() == expected


def test_the_longest_document_of_2010_has_the_smallest_norm_that_is_not_zero() -> None:
    codes = encode_norms_2_9(np.array([2**31 - 1, 2**62]))
    assert (NORMS_2_9[codes] > 0).all()
    assert codes[1] == 1
