"""Sizes of indexes, measured or from tokens."""

from pathlib import Path

import pytest

from boilersweep.cleaners.language.grammar import parse_cleaner
from boilersweep.cleaners.language.variants import Variant
from boilersweep.eval.study import preparation
from boilersweep.eval.study.preparation import index_sizes
from boilersweep.eval.study.results import IndexSize
from boilersweep.indexer.parallel_indexes import BYTES_PER_TOKEN

EVERYTHING, LONG, WEIGHTED = (
    Variant(parse_cleaner(text)) for text in ("words>=1", "words>=5", "weighted(words>=5, 9)")
)


def test_what_counts_several_times_takes_as_much_as_everything(tmp_path: Path) -> None:
    sizes = index_sizes({EVERYTHING: 1000, LONG: 600, WEIGHTED: 5800}, tmp_path)
    assert {variant: one.bytes for variant, one in sizes.items()} == {
        EVERYTHING: 1000 * BYTES_PER_TOKEN,
        LONG: 600 * BYTES_PER_TOKEN,
        WEIGHTED: 1000 * BYTES_PER_TOKEN,
    }


def test_its_real_index_says_nothing_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {EVERYTHING.name: 500, WEIGHTED.name: 530}
    monkeypatch.setattr(preparation, "read_manifest", lambda path: path.name in names)
    monkeypatch.setattr(preparation, "_size", lambda path, **_: names[path.name])
    sizes = index_sizes({EVERYTHING: 1000, LONG: 600, WEIGHTED: 5800}, tmp_path)
    assert sizes[WEIGHTED] == IndexSize(530, measured=True)
    assert sizes[LONG] == IndexSize(300, measured=False)
