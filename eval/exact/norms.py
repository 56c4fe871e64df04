"""Lucene's one-byte codes of document lengths, of today and of 2010.

Sources: org.apache.lucene.util.SmallFloat (intToByte4, byte4ToInt, floatToByte315,
byte315ToFloat), Lucene 9.9 and 2.9.
"""

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint8]
Lengths = NDArray[np.int64]


def _byte4_to_int(code: int) -> int:
    """SmallFloat.byte4ToInt: 24 lengths exactly, then 4 significant bits."""
    exact = 24
    if code < exact:
        return code
    bits = code - exact
    shift = (bits >> 3) - 1
    mantissa = bits & 7
    decoded = mantissa if shift < 0 else (mantissa | 8) << shift
    return exact + decoded


LENGTHS: Lengths = np.array([_byte4_to_int(code) for code in range(256)], dtype=np.int64)
"""(256,) the length that Lucene 7 to 9 reads for each code."""


def encode_lengths(lengths: Lengths) -> Codes:
    """The code of each length: that of the largest length in the table which is not above it."""
    return (np.searchsorted(LENGTHS, lengths, side="right") - 1).astype(np.uint8)


_BIAS = (63 - 15) << 3


def _byte315_to_float() -> NDArray[np.float32]:
    """SmallFloat.byte315ToFloat for all codes: 3 bits of mantissa, exponents from 2^-15 on."""
    codes = np.arange(256, dtype=np.uint32)
    values = ((codes << 21) + np.uint32((63 - 15) << 24)).view(np.float32).copy()
    values[0] = 0.0
    return values


NORMS_2_9: NDArray[np.float32] = _byte315_to_float()
"""(256,) the norm that Lucene 2.9 reads for each code."""


def encode_norms_2_9(lengths: Lengths) -> Codes:
    """SmallFloat.floatToByte315 of Lucene 2.9's DefaultSimilarity.lengthNorm, 1 / sqrt(length)."""
    with np.errstate(divide="ignore"):
        norms = (1.0 / np.sqrt(lengths.astype(np.float64))).astype(np.float32)
    small = (norms.view(np.int32) >> 21) - _BIAS
    codes = np.clip(small, 1, 255)
    return np.where(lengths > 0, codes, 0).astype(np.uint8)
