"""What a page may cost, and that what costs more is counted and the rest goes on."""

import json
import multiprocessing

from boilersweep.collection.jsonl import jsonl_format
from boilersweep.collection.record import Reason
from boilersweep.segmentation import Segmenter
from boilersweep.segmenting.collection import segment_collection
from boilersweep.segmenting.limits import Limits, over_limit
from boilersweep.segmenting.shards import make_shard
from boilersweep.segmenting.tasks import SegmentOptions, Task
from boilersweep.segmenting.watch import Watch
from boilersweep.store.shard import read_facts


def bomb(attributes: int) -> bytes:
    return b"<p " + b" ".join(b"attribute%d='v'" % n for n in range(attributes)) + b">text"


def test_pages_up_to_the_limit_pass_and_larger_ones_do_not():
    limits = Limits(page_bytes=100)
    assert over_limit(b"x" * 100, limits) is None
    assert over_limit(b"x" * 101, limits) == (Reason.TOO_LARGE, "101 bytes, at most 100")


def test_a_tag_of_too_many_attributes():
    reason, detail = over_limit(bomb(20_000), Limits()) or (None, "")
    assert reason is Reason.TOO_LARGE
    assert detail.endswith("attributes, at most 10,000")
    assert over_limit(bomb(5_000), Limits()) is None


def test_a_long_tag_of_few_attributes_is_no_bomb():
    image = b"<img src='data:image/png;base64," + b"AbC+ " * 100_000 + b"'>text"
    assert over_limit(image, Limits()) is None
    assert over_limit(b"<script>" + b"var a = 1; " * 50_000 + b"</script>", Limits()) is None


def test_a_page_over_the_memory_of_its_worker_is_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(Segmenter, "html", _html_of_small_memory)
    path = tmp_path / "in.jsonl"
    pages = {"a": "one two", "b": "big", "c": "three"}
    path.write_text("\n".join(json.dumps({"id": k, "contents": v}) for k, v in pages.items()))
    task = Task(tmp_path / "s.parquet", ((path, "in.jsonl"),), SegmentOptions("jsonl"), {})
    make_shard(task, jsonl_format(plain=False), Watch(multiprocessing.get_context("spawn")))
    facts = read_facts(task.shard)
    assert (facts.records, facts.documents) == (3, 2)
    assert facts.skipped == {"over the memory cap": 1}


_html = Segmenter.html


def _html_of_small_memory(self: Segmenter, utf8: bytes) -> object:
    if b"big" in utf8:
        raise MemoryError
    return _html(self, utf8)


def test_the_limits_hold_in_workers(tmp_path):
    pages = {"a": "<p>one two", "b": bomb(20_000).decode(), "c": "<p>" + "long " * 1000}
    lines = [json.dumps({"id": docid, "contents": page}) for docid, page in pages.items()]
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    limits = Limits(page_bytes=400_000, attributes=1_000)
    store = segment_collection(tmp_path / "in.jsonl", tmp_path / "out", limits=limits, workers=1)
    assert list(store.docids()) == ["a", "c"]
    assert store.skipped == {"over the size cap": 1}
