"""`boilersweep check`: right folders pass, and whatever is bent in them is found."""

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from boilersweep.cli.main import main
from boilersweep.demo.collection import write_demo


@pytest.fixture(scope="module")
def swept(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("swept")
    demo = write_demo(folder / "demo", pages=60)
    arguments = ["--topics", str(demo.topics), "--qrels", str(demo.qrels), "--sweep", "words=1,11"]
    assert (
        main(["sweep", "--input", str(demo.trec), *arguments, "--output", str(folder / "o")]) == 0
    )
    return folder / "o"


@pytest.fixture
def copy(swept, tmp_path) -> Path:
    shutil.copytree(swept, tmp_path / "copy")
    return tmp_path / "copy"


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 0xFF
    path.write_bytes(data)


def checked(folder: Path, capsys) -> tuple[int, str]:
    capsys.readouterr()
    return main(["check", str(folder)]), capsys.readouterr().out


def test_a_sweep_is_right_as_a_whole_and_in_its_parts(swept, capsys):
    status, out = checked(swept, capsys)
    assert status == 0
    assert [line.split()[:2] for line in out.splitlines()] == [
        ["ok", "store"],
        ["ok", "index"],
        ["ok", "index"],
        ["ok", "run"],
        ["ok", "run"],
    ]
    assert checked(swept / "store", capsys)[0] == 0
    assert checked(swept / "indexes", capsys)[0] == 0
    assert checked(swept / "indexes" / "words-011", capsys)[0] == 0


def test_nothing_to_check_is_an_error(tmp_path, capsys):
    assert main(["check", str(tmp_path)]) == 1
    assert "holds no block store, index or sweep" in capsys.readouterr().err


def test_a_flipped_byte_in_any_column_of_a_shard(copy, capsys):
    shard = sorted((copy / "store").glob("shard-*.parquet"))[0]
    group = pq.read_metadata(shard).row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    places = [
        (c.dictionary_page_offset or c.data_page_offset) + c.total_compressed_size - 3
        for c in columns
    ]
    whole = shard.read_bytes()
    for place in places:
        flip(shard, place)
        status, out = checked(copy / "store", capsys)
        assert status == 1, place
        assert f"wrong  store {copy / 'store'}" in out
        shard.write_bytes(whole)
    assert checked(copy / "store", capsys)[0] == 0


def test_a_shard_too_few_and_one_too_many(copy, capsys):
    shards = sorted((copy / "store").glob("shard-*.parquet"))
    shards[0].rename(copy / "store" / "shard-00099.parquet")
    status, out = checked(copy / "store", capsys)
    assert status == 1
    assert "shard-00000.parquet is missing" in out
    assert "shard-00099.parquet is not in the manifest" in out


def test_counts_that_do_not_add_up(copy, capsys):
    path = copy / "store" / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["documents"] -= 1
    manifest["skipped"] = {}
    path.write_text(json.dumps(manifest))
    status, out = checked(copy / "store", capsys)
    assert status == 1
    assert "documents, the manifest says" in out
    assert "the manifest says {}" in out


def test_a_damaged_index_and_one_of_another_store(copy, capsys):
    for number, name in enumerate(["words-001", "words-011"]):
        path = copy / "indexes" / name / "boilersweep.json"
        manifest = json.loads(path.read_text())
        if number:
            manifest["tokens"] += 1
            manifest["recipe"]["store"] = "another"
            path.write_text(json.dumps(manifest))
        else:
            [postings] = (copy / "indexes" / name).glob("*.doc")
            flip(postings, 100)
    status, out = checked(copy, capsys)
    assert status == 1
    assert "checksum failed" in out
    assert "words-011 was built from another block store" in out
    assert "tokens, its manifest says" in out


def test_a_run_with_documents_from_elsewhere(copy, capsys):
    run = copy / "runs" / "words-001.trec"
    run.write_text("1 Q0 ELSEWHERE 1 2.5 x\n")
    status, out = checked(copy, capsys)
    assert status == 1
    assert "1 ranked documents are not in the store: ELSEWHERE" in out
