"""`boilersweep merge`, and --share of the commands before it."""

from pathlib import Path

import pytest

from tests.cli.conftest import Call


@pytest.mark.java
def test_indexes_of_shares(call: Call, store: Path, tmp_path: Path) -> None:
    output = tmp_path / "indexes"
    index = (
        "index",
        "--store",
        store,
        "--output",
        output,
        "--sweep",
        "words=1,3",
        "--threads",
        1,
    )
    for share in ("2/2", "1/2"):
        call(*index, "--share", share).ok().noted(f"boilersweep merge {output}` joins")
    merged = call("merge", output).ok(
        f"{output}/words-003: 30 documents, 270 tokens, 0 left empty\n"
    )
    assert call("merge", output).out == f"{output} is complete\n"
    assert call(*index).out == merged.out
