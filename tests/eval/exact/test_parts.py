"""Rows of shares: joined they equal, array by array, those of one pass; and as files."""

import random
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from boilersweep.cleaners.parsing import parse_cleaner
from boilersweep.errors import StoreError
from boilersweep.eval.exact.engine import ExactSweep, RowsPlan, plan_rows
from boilersweep.eval.exact.joining import join_rows
from boilersweep.eval.exact.parts import joined_rows, merge_rows, read_rows, share_file, write_rows
from boilersweep.eval.exact.rows import Rows
from boilersweep.eval.models import BM25, Lucene29
from boilersweep.shares import Share, all_shares
from boilersweep.store.store import BlockStore

CLEANERS = tuple(map(parse_cleaner, ["words>=1", "words>=11", "density>=4", "bte", "words>=999"]))


@pytest.fixture(scope="module")
def plan(queries: Mapping[str, str]) -> RowsPlan:
    return plan_rows(CLEANERS, queries, BM25().formula)[1]


@pytest.fixture(scope="module")
def whole(store: BlockStore, plan: RowsPlan) -> Rows:
    return plan.collect(store)


def assert_equal(found: Rows, expected: Rows) -> None:
    assert found.docids == expected.docids
    assert list(found.terms) == list(expected.terms)
    for name in ("signatures", "codes", "documents", "tokens"):
        one, other = getattr(found, name), getattr(expected, name)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    for term, rows in expected.terms.items():
        for name in ("documents", "signatures", "tf"):
            one, other = getattr(found.terms[term], name), getattr(rows, name)
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("of", [1, 2, 3, 5])
def test_joined_rows_equal_those_of_one_pass(
    store: BlockStore, plan: RowsPlan, whole: Rows, of: int
) -> None:
    parts = [plan.collect(store.part(share)) for share in all_shares(of)]
    assert_equal(join_rows(parts, plan.terms), whole)


def test_rows_as_a_file(whole: Rows, tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.npz", whole, "a recipe")
    rows, recipe = read_rows(tmp_path / "rows.npz")
    assert recipe == "a recipe"
    assert_equal(rows, whole)
    assert [path.name for path in tmp_path.iterdir()] == ["rows.npz"]


def test_shares_in_any_order_and_merged(
    store: BlockStore, plan: RowsPlan, whole: Rows, tmp_path: Path
) -> None:
    shares = all_shares(4)
    random.Random(4).shuffle(shares)  # noqa: S311
    recipe = plan.recipe(store)
    for share in shares:
        assert joined_rows(tmp_path, recipe) is None
        file = plan.collect_share(store, share, tmp_path)
        assert file == share_file(tmp_path / recipe.name, share)
    joined = joined_rows(tmp_path, recipe)
    assert joined is not None
    assert_equal(joined, whole)
    (merged,) = merge_rows(tmp_path)
    assert (merged.documents, merged.path.name) == (store.documents, "1-of-1.npz")
    assert list(merged.path.parent.iterdir()) == [merged.path]
    joined = joined_rows(tmp_path, recipe)
    assert joined is not None
    assert_equal(joined, whole)
    assert merge_rows(tmp_path) == [merged]


def test_a_sweep_takes_rows_that_are_there(
    store: BlockStore, queries: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    formula = Lucene29().formula
    expected = ExactSweep(store, CLEANERS, queries, formula)
    _, plan = plan_rows(CLEANERS, queries, formula)
    before = {
        share: plan.collect_share(store, share, tmp_path).stat().st_mtime_ns
        for share in all_shares(3)
    }
    monkeypatch.setattr(RowsPlan, "collect", lambda *_: pytest.fail("the rows are there"))
    sweep = ExactSweep(store, CLEANERS, queries, formula, parts=tmp_path)
    for cleaner in range(len(CLEANERS)):
        assert sweep.run(cleaner, 1000) == expected.run(cleaner, 1000)
    for share, changed in before.items():
        assert plan.collect_share(store, share, tmp_path).stat().st_mtime_ns == changed


def test_rows_of_another_recipe_are_not_taken(
    store: BlockStore, plan: RowsPlan, queries: Mapping[str, str], tmp_path: Path
) -> None:
    plan.collect_share(store, Share(1, 1), tmp_path)
    others = [
        plan_rows(CLEANERS[:2], queries, BM25().formula)[1],
        plan_rows(CLEANERS, {"1": "ponies"}, BM25().formula)[1],
        plan_rows(CLEANERS, queries, Lucene29().formula)[1],
    ]
    for other in others:
        assert joined_rows(tmp_path, other.recipe(store)) is None
    assert joined_rows(tmp_path, plan.recipe(store.part(Share(1, 1)))) is None
    # A file that was moved there does not pass for one.
    other = others[0].recipe(store)
    (tmp_path / other.name).mkdir()
    file = share_file(tmp_path / plan.recipe(store).name, Share(1, 1))
    file.rename(tmp_path / other.name / file.name)
    with pytest.raises(StoreError, match="holds rows of another sweep"):
        joined_rows(tmp_path, other)


def test_missing_rows_are_named(store: BlockStore, plan: RowsPlan, tmp_path: Path) -> None:
    plan.collect_share(store, Share(2, 3), tmp_path)
    with pytest.raises(StoreError, match=r"rows of some shares: it has 2-of-3; run"):
        merge_rows(tmp_path)


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "text", "no member", "pickle"])
def test_damaged_rows(whole: Rows, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "rows.npz"
    write_rows(path, whole, "a recipe")
    content = bytearray(path.read_bytes())
    if damage == "flip":
        with zipfile.ZipFile(path) as archive:
            member = archive.getinfo("codes.npy")
        content[member.header_offset + 300] ^= 1
        path.write_bytes(content)
    elif damage == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "text":
        path.write_text("rows")
    elif damage == "no member":
        np.savez(path, header=np.zeros(1))
    else:
        np.savez(path, header=np.array([{"terms": []}], dtype=object), allow_pickle=True)
    with pytest.raises(StoreError, match="is damaged or holds no rows"):
        read_rows(path)


def test_more_shares_than_shards_leave_some_empty(
    store: BlockStore, plan: RowsPlan, whole: Rows, tmp_path: Path
) -> None:
    for share in all_shares(8):
        plan.collect_share(store, share, tmp_path)
    joined = joined_rows(tmp_path, plan.recipe(store))
    assert joined is not None
    assert_equal(joined, whole)
