"""Cleaners of the whole grammar, drawn at random, in both engines."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from compare_engines import random_variants

from boilersweep import BlockStore
from boilersweep.cleaners.rules import Weighted
from boilersweep.eval import SearchOptions
from boilersweep.eval.experiment.engines import parallel_engine
from boilersweep.eval.ranking.exact.engine import ExactEngine


@pytest.mark.application("learned")
def test_they_are_the_same_for_a_seed_and_half_count_blocks_several_times() -> None:
    drawn = random_variants(200, 1, ["x", "y"])
    assert (
        drawn
        == random_variants(200, 1, ["x", "y"])
        != random_variants(200, 2, ["x", "y"])
    )
    assert len({variant.name for variant in drawn}) == 200
    assert 70 < sum(isinstance(variant.cleaner, Weighted) for variant in drawn) < 130
    texts = " ".join(map(str, drawn))
    assert all(
        one in texts for one in ("x |", "ancestor(", "& !", "learned", "density", "!y")
    )


@pytest.mark.java
@pytest.mark.application("learned")
def test_engines_agree(
    store: BlockStore, queries: Mapping[str, str], tmp_path: Path
) -> None:
    """`scripts/compare_engines.py --random 200` compares more, under three formulas."""
    variants = random_variants(30, 3, [])
    exact = ExactEngine(store, variants, queries, SearchOptions())
    real = parallel_engine(store, variants, queries, tmp_path, SearchOptions(threads=2))
    for variant in variants:
        assert exact.run(variant) == real.run(variant), variant
