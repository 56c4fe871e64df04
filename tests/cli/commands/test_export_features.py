"""`boilersweep export --features` and `boilersweep --list features`."""

import csv
from pathlib import Path

import pytest

from boilersweep import segment_collection
from boilersweep.cleaners.page_model import has_model
from tests.cli.conftest import Call

LEARNED = ("learned", 11)
FAMILIES = (("kohlschuetter", 67), ("schaefer", 37), LEARNED)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.html").write_text("<h1>One</h1><p>Two, three.")
    return segment_collection(tmp_path / "pages", tmp_path / "store", workers=1).path


@pytest.mark.parametrize(
    ("family", "count"),
    [
        *FAMILIES[:2],
        pytest.param(*LEARNED, marks=pytest.mark.application("learned")),
    ],
)
def test_a_table_of_features(
    call: Call, store: Path, tmp_path: Path, family: str, count: int
) -> None:
    path = tmp_path / "features.csv"
    arguments = ("export", "--store", store, "--features", family, "--output", path)
    assert call(*arguments).ok().out == f"{path}: 2 blocks\n"
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    assert len(header) == 2 + count
    assert [row[:2] for row in rows] == [["a", "0"], ["a", "1"]]


def test_the_list_of_features(call: Call) -> None:
    lines = call("--list", "features").ok().out.splitlines()
    families = [line for line in lines if not line.startswith("  ")]
    there = FAMILIES if has_model() else FAMILIES[:2]
    assert families == [f"--features {name}:" for name, _ in there]
    assert len(lines) == sum(1 + count for _, count in there)
    assert all(
        ": " in line and line.endswith(")") for line in lines if line not in families
    )
