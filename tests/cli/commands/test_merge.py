"""`boilersweep merge`, and --share of the commands before it."""

from pathlib import Path

import pytest

from tests.cli.conftest import Call, Inputs


def test_a_store_of_shares_needs_no_merge_but_takes_one(
    call: Call, inputs: Inputs, tmp_path: Path
) -> None:
    output = tmp_path / "store"
    segment = ("segment", "--input", inputs.pages, "--output", output, "--threads", 1)
    early = call(*segment, "--share", "1/2")
    assert (early.status, early.out) == (0, "")
    assert "share 1/2 is done; other shares are unfinished" in early.err
    call("merge", output).refused(1, "lacks 1 of 1 shards (shard-00000.parquet)")
    last = call(*segment, "--share", "2/2").ok()
    assert last.out == f"{output}/manifest.json\n"
    assert "30 documents" in last.err
    assert call("merge", output).ok().out == f"{output} is complete\n"
    export = (
        "export",
        "--store",
        output,
        "--keep",
        "words>=1",
        "--output",
        tmp_path / "texts",
    )
    call(*export, "--share", "1/2").ok().noted(
        "share 1/2 is done; other shares are unfinished"
    )


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
