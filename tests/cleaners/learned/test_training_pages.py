"""The pages that a model was trained on."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.learned.model import (
    Model,
    ModelError,
    load_model,
    packed,
    page_digest,
    save_model,
    unpacked,
)


def test_digests_are_kept_once_and_sorted() -> None:
    one, two = page_digest(b"one"), page_digest(b"two")
    assert one.hex() == "7692c3ad3540"  # sha256sum of "one", the first 12 digits
    pages = packed([two, one, two])
    assert pages.shape == (2, 6)
    assert [row.tobytes() for row in pages] == sorted([one, two])
    assert unpacked(pages) == {one, two}
    assert unpacked(packed([])) == frozenset()


def test_a_model_file_has_them(at_least_five_words: Model, tmp_path: Path) -> None:
    pages = packed(map(page_digest, (b"one", b"two")))
    save_model(replace(at_least_five_words, pages=pages), tmp_path / "model.npz")
    assert np.array_equal(load_model(tmp_path / "model.npz").pages, pages)
    rule = Learned.made_of(str(tmp_path / "model.npz"))
    assert rule.training_pages == unpacked(pages)


def test_other_digests_are_refused(at_least_five_words: Model, tmp_path: Path) -> None:
    save_model(
        replace(at_least_five_words, pages=np.zeros((3, 5), dtype=np.uint8)), tmp_path / "model.npz"
    )
    with pytest.raises(ModelError, match="digests of 6 bytes"):
        load_model(tmp_path / "model.npz")
