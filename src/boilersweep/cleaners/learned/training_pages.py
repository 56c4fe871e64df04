"""Which pages a model was trained on: the beginnings of the digests of their decoded bytes.

Whoever judges a model by its own pages must know, and the name of a dataset does not say.
"""

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

DIGEST_BYTES = 6
"""Of SHA-256: among a million pages one is taken for one of 10,000 once in 28,000 times."""


def page_digest(utf8: bytes) -> bytes:
    """What a page is known by. utf8: the page, decoded and as UTF-8."""
    return hashlib.sha256(utf8).digest()[:DIGEST_BYTES]


def packed(digests: Iterable[bytes]) -> NDArray[np.uint8]:
    """(n, DIGEST_BYTES) the digests of a model's pages, each once, sorted."""
    joined = b"".join(sorted(set(digests)))
    return np.frombuffer(joined, dtype=np.uint8).reshape(-1, DIGEST_BYTES)


def unpacked(pages: NDArray[np.uint8]) -> frozenset[bytes]:
    """The digests of a model's pages."""
    body = pages.tobytes()
    return frozenset(body[at : at + DIGEST_BYTES] for at in range(0, len(body), DIGEST_BYTES))
