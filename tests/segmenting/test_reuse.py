"""Whether what stands in a store's folder is what is asked for."""

import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from boilersweep.errors import StoreError
from boilersweep.outputs.manifest_file import write_manifest
from boilersweep.segmenting import input_file
from boilersweep.segmenting import tasks as tasks_module
from boilersweep.segmenting.reuse import Dependents, is_done
from boilersweep.segmenting.segment import segment_collection, segment_share
from boilersweep.segmenting.tasks import SegmentOptions, Task, segment_identity
from boilersweep.store.store import BlockStore, open_store
from boilersweep.work.shares import Share
from tests.segmenting.conftest import make, numbered


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    for name in "abc":
        numbered(tmp_path / "pages" / f"{name}.jsonl", f"<p>text of {name}")
    return tmp_path / "pages"


def segment(pages: Path, output: Path, **options: object) -> BlockStore:
    return segment_collection(pages, output, workers=1, **options)  # type: ignore[arg-type]


def texts(store: BlockStore) -> list[str]:
    return [text for columns in store.columns() for text in columns.texts]


def test_all_that_differs_is_named(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_done(task)
    make(task)
    assert is_done(task)
    options = SegmentOptions("jsonl", borders="paper")
    with task.files[0][0].open("a") as file:
        file.write("\n")
    monkeypatch.setattr(
        tasks_module, "code_identity", lambda stage: {stage.name: "f00d"}
    )
    message = (
        r"code segment was \w+, is f00d; options borders was block, is paper; "
        r"input file in\.jsonl has changed; choose another --output"
    )
    with pytest.raises(StoreError, match=message):
        is_done(Task(task.shard, task.files, options, segment_identity(options)))
    task.shard.write_bytes(b"garbage")
    with pytest.raises(StoreError, match="delete it and run"):
        is_done(task)


def test_an_edit_that_leaves_no_trace_is_seen_by_the_digest(
    pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = segment(pages, tmp_path / "out")
    state = input_file.file_state((pages / "b.jsonl").stat())
    numbered(pages / "b.jsonl", "<p>text of B")
    monkeypatch.setattr(input_file, "file_state", lambda _: state)
    assert segment(pages, tmp_path / "out").fingerprint == before.fingerprint
    with pytest.raises(StoreError, match=r"input file b\.jsonl has changed"):
        segment(pages, tmp_path / "out", verify_input=True)


def test_a_whole_store_may_be_told_not_to_grow(pages: Path, tmp_path: Path) -> None:
    segment(pages, tmp_path / "out")
    numbered(pages / "d.jsonl", "<p>text of d")
    with pytest.raises(StoreError, match=r"input file d\.jsonl is new"):
        segment(pages, tmp_path / "out", dependents=Dependents(may_grow=False))
    assert segment(pages, tmp_path / "out").documents == 4


def damage(shard: Path) -> None:
    """Change a byte of the texts, which nothing reads before they are indexed."""
    group = pq.read_metadata(shard).row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    [texts] = [one for one in columns if one.path_in_schema.startswith("texts.")]
    body = bytearray(shard.read_bytes())
    body[texts.data_page_offset + 20] ^= 1
    shard.write_bytes(body)
    os.utime(shard, ns=(1, 1))


def test_a_damaged_shard_is_made_anew(pages: Path, tmp_path: Path) -> None:
    store = segment(pages, tmp_path / "out")
    whole = (store.path / "shard-00001.parquet").read_bytes()
    damage(store.path / "shard-00001.parquet")
    with pytest.raises(
        StoreError, match=r"shard-00001\.parquet was changed .*--overwrite"
    ):
        texts(store)
    numbered(pages / "d.jsonl", "<p>text of d")
    with pytest.raises(
        StoreError, match=r"shard-00001\.parquet is damaged.*--overwrite"
    ):
        segment(pages, tmp_path / "out")  # the shard gets no new digest
    assert not (store.path / "shard-00003.parquet").exists()
    (pages / "d.jsonl").unlink()
    assert segment(pages, tmp_path / "out", overwrite=True).manifest == store.manifest
    assert (store.path / "shard-00001.parquet").read_bytes() == whole


@pytest.mark.parametrize("overwrite", [False, True])
def test_what_was_made_from_a_store_is_gone_before_it_changes(
    pages: Path, tmp_path: Path, overwrite: bool
) -> None:
    manifest = tmp_path / "out" / "manifest.json"
    there: list[bool] = []

    def make_way() -> None:
        there.append(manifest.exists())

    segment(pages, tmp_path / "out", dependents=Dependents(make_way))
    assert there == [False]
    segment(pages, tmp_path / "out", dependents=Dependents(make_way))
    assert there == [False]  # nothing changed
    if overwrite:
        numbered(pages / "b.jsonl", "<p>other text of b")
    else:
        numbered(pages / "d.jsonl", "<p>text of d")
    segment(
        pages, tmp_path / "out", dependents=Dependents(make_way), overwrite=overwrite
    )
    assert there[1] is True


def test_the_folder_of_something_else_is_refused(pages: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    output.mkdir()
    write_manifest(output / "manifest.json", {"identity": {"kind": "sweep"}})
    for overwrite in (False, True):
        with pytest.raises(
            StoreError, match=r"manifest\.json belongs to another output"
        ):
            segment(pages, output, overwrite=overwrite)
    with pytest.raises(StoreError, match=r"manifest\.json belongs to another output"):
        segment_share(pages, output, Share(1, 2), workers=1)
    assert [path.name for path in output.iterdir()] == ["manifest.json"]


def test_a_share_leaves_no_shard_of_a_file_that_is_gone(
    pages: Path, tmp_path: Path
) -> None:
    segment(pages, tmp_path / "out")
    (pages / "c.jsonl").unlink()
    message = r"shard-00002\.parquet is of input that is gone"
    with pytest.raises(StoreError, match=message):
        segment_share(pages, tmp_path / "out", Share(1, 1), workers=1)
    assert len(texts(open_store(tmp_path / "out"))) == 3
