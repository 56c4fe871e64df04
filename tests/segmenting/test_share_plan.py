"""A block store made by several processes, each a share, is that of one."""

import random
import shutil
from pathlib import Path

import pytest

from boilersweep.errors import CollectionError, StoreError
from boilersweep.outputs.folder import MANIFEST
from boilersweep.segmenting.segment import (
    Segmentation,
    segment_collection,
    segment_share,
)
from boilersweep.segmenting.share_plan import PLAN, finish_store
from boilersweep.store.store import open_store
from boilersweep.work.shares import Share, all_shares
from tests.segmenting.conftest import jsonl
from tests.stores import contents


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five files, one without a document."""
    root = tmp_path_factory.mktemp("in")
    for number in range(4):
        jsonl(
            root / f"{number}.jsonl",
            *((f"d{number}{n}", f"<p>{n} words") for n in range(3)),
        )
    jsonl(root / "4.jsonl", ("", "<p>no docid"))
    return root


@pytest.fixture(scope="module")
def single(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    output = tmp_path_factory.mktemp("single") / "out"
    segment_collection(root, output, workers=1)
    return contents(output)


@pytest.mark.parametrize("of", [1, 2, 3, 5, 8])
def test_shares_in_any_order_are_the_single_store(
    root: Path, single: dict[str, bytes], tmp_path: Path, of: int
) -> None:
    shares = all_shares(of)
    random.Random(of).shuffle(shares)  # noqa: S311
    made = [segment_share(root, tmp_path, share, workers=1) for share in shares]
    assert contents(tmp_path) == single
    assert any(store is not None for store in made)
    assert open_store(tmp_path).documents == 12


def test_a_share_made_again_finishes_the_store(
    root: Path, single: dict[str, bytes], tmp_path: Path
) -> None:
    segment_share(root, tmp_path, Share(1, 2), workers=1)
    plan = (tmp_path / PLAN).read_bytes()
    segment_share(root, tmp_path, Share(2, 2), workers=1)
    (tmp_path / MANIFEST).unlink()  # as if each had been killed at its very end
    segment_share(root, tmp_path, Share(1, 2), workers=1)
    assert contents(tmp_path) == single
    (tmp_path / MANIFEST).unlink()
    (tmp_path / PLAN).write_bytes(plan)
    assert finish_store(tmp_path).documents == 12
    assert contents(tmp_path) == single


def test_shares_that_disagree_are_refused(root: Path, tmp_path: Path) -> None:
    segment_share(root, tmp_path, Share(1, 2), workers=1)
    with pytest.raises(StoreError, match="borders was block, is paper"):
        segment_share(
            root, tmp_path, Share(2, 2), Segmentation(borders="paper"), workers=1
        )


def test_a_shard_of_other_options_is_refused_and_both_values_named(
    root: Path, tmp_path: Path
) -> None:
    ours, other = tmp_path / "ours", tmp_path / "other"
    for share in all_shares(2):
        segment_share(root, ours, share, workers=1)
        segment_share(root, other, share, Segmentation(borders="paper"), workers=1)
    plan = tmp_path / "plan"
    segment_share(root, plan, Share(1, 2), workers=1)
    for shard in ours.glob("shard-*.parquet"):
        shutil.copy(shard, plan)
    shard = max(other.glob("shard-*.parquet"))
    shutil.copy(shard, plan)
    with pytest.raises(StoreError) as caught:
        finish_store(plan)
    assert f"{shard.name} is not what " in str(caught.value)
    assert "borders was paper, is block" in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", '{"root": 1}', "{"])
def test_a_plan_that_is_none(root: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / PLAN).write_text(text)
    with pytest.raises(StoreError, match="is not the plan of a block store"):
        segment_share(root, tmp_path, Share(1, 2), workers=1)


def test_duplicates_across_shares(tmp_path: Path) -> None:
    root = tmp_path / "in"
    jsonl(root / "a.jsonl", ("same", "<p>one"))
    jsonl(root / "b.jsonl", ("same", "<p>two"))
    output = tmp_path / "out"
    segment_share(root, output, Share(2, 2), workers=1)
    with pytest.raises(CollectionError, match=r"'same': a\.jsonl"):
        segment_share(root, output, Share(1, 2), workers=1)
    store = segment_share(
        root, output, Share(1, 2), Segmentation(on_duplicate="first"), workers=1
    )
    assert store is not None
    assert store.documents == 1
    parts = [store.part(share) for share in all_shares(2)]
    assert [list(part.docids()) for part in parts] == [["same"], []]
    assert (
        sum((part.skipped for part in parts), start=parts[0].skipped) == store.skipped
    )
