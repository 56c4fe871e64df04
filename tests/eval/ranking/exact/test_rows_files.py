"""Rows as files."""

import io
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from boilersweep import BlockStore, StoreError, parse_cleaner
from boilersweep.cleaners.selection import AlignmentCounts
from boilersweep.eval import SearchOptions
from boilersweep.eval.ranking.exact.divided import read_rows, read_totals, write_rows
from boilersweep.eval.ranking.exact.plan import ExactPlan, plan_exact
from boilersweep.eval.ranking.exact.rows import Rows
from boilersweep.eval.ranking.exact.top_hits import Totals, totals_of

pytestmark = pytest.mark.java

CLEANERS = tuple(
    map(parse_cleaner, ["words>=1", "words>=11", "density>=4", "bte", "words>=999"])
)


@pytest.fixture(scope="module")
def plan(queries: Mapping[str, str]) -> ExactPlan:
    return plan_exact(CLEANERS, queries, SearchOptions())


@pytest.fixture(scope="module")
def rows(store: BlockStore, plan: ExactPlan) -> Rows:
    return plan.collect(store)


@pytest.fixture(scope="module")
def totals(rows: Rows, plan: ExactPlan) -> Totals:
    return totals_of(rows, plan.terms)


def assert_arrays_equal(one: object, other: object, *names: str) -> None:
    for name in names:
        found, expected = getattr(one, name), getattr(other, name)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def assert_same(found: Rows, rows: Rows) -> None:
    assert (found.docids, list(found.terms)) == (rows.docids, list(rows.terms))
    assert_arrays_equal(found, rows, "signatures", "codes", "documents", "tokens")
    for term, expected in rows.terms.items():
        assert_arrays_equal(
            found.terms[term], expected, "documents", "signatures", "tf"
        )


def test_rows_of_what_counts_several_times(
    rows: Rows, totals: Totals, tmp_path: Path
) -> None:
    weights = rows.signatures.astype(np.uint8) * 7
    placed = {"trafilatura": AlignmentCounts(10, 9)}
    given = replace(rows, signatures=weights, placed=placed)
    write_rows(tmp_path / "rows.npz", given, replace(totals, placed=placed), "a recipe")
    found = read_rows(tmp_path / "rows.npz", "a recipe")
    assert_arrays_equal(found, given, "signatures")
    assert (
        found.placed == read_totals(tmp_path / "rows.npz", "a recipe").placed == placed
    )
    twice = replace(totals, placed=placed) + replace(totals, placed=placed)
    assert twice.placed == {"trafilatura": AlignmentCounts(20, 18)}


def test_rows_as_a_file(rows: Rows, totals: Totals, tmp_path: Path) -> None:
    path = tmp_path / "rows.npz"
    write_rows(path, rows, totals, "a recipe")
    assert_same(read_rows(path, "a recipe"), rows)
    again = read_totals(path, "a recipe")
    assert again.terms == totals.terms
    assert_arrays_equal(again, totals, "documents", "tokens", "df", "occurrences")
    assert [path.name for path in tmp_path.iterdir()] == ["rows.npz"]


def test_files_of_another_recipe_are_not_taken(
    rows: Rows, totals: Totals, tmp_path: Path
) -> None:
    write_rows(tmp_path / "rows.npz", rows, totals, "a recipe")
    for read in (read_rows, read_totals):
        with pytest.raises(StoreError, match="is of another sweep; delete it"):
            read(tmp_path / "rows.npz", "another")


def archive(**arrays: NDArray[Any]) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"rows",
        archive(header=np.zeros(1)),
        archive(recipe=np.array(["a recipe"], dtype=object)),
    ],
    ids=["empty", "text", "no member", "pickle"],
)
def test_what_is_no_file_of_rows(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "rows.npz"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="is damaged or no part of a sweep"):
        read_rows(path, "a recipe")


def test_any_changed_byte_is_seen_or_changes_nothing(
    rows: Rows, totals: Totals, tmp_path: Path
) -> None:
    path = tmp_path / "rows.npz"
    write_rows(path, rows, totals, "a recipe")
    whole = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        starts = [info.header_offset for info in archive.infolist()]
    dice = np.random.default_rng(12)
    places = {start + offset for start in starts for offset in range(0, 190, 7)}
    places |= {
        *dice.integers(0, len(whole), 100).tolist(),
        *range(len(whole) - 90, len(whole), 3),
    }
    for place in sorted(place for place in places if place < len(whole)):
        body = bytearray(whole)
        body[place] ^= 1 << int(dice.integers(8))
        path.write_bytes(body)
        try:
            found = read_rows(path, "a recipe")
        except StoreError:
            continue
        assert_same(found, rows)
