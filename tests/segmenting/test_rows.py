"""Shards whose blocks are taken over from a shard before: each is the one made at once."""

import gzip
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from boilersweep.collection.format import Format, Reading
from boilersweep.collection.formats import named_format
from boilersweep.collection.record import Reason
from boilersweep.errors import StoreError
from boilersweep.pages.language import Clue, clue_of_page
from boilersweep.pages.metadata import Metadata
from boilersweep.pages.packed import PackedPage
from boilersweep.segmenting import rows as rows_module
from boilersweep.segmenting.limits import Limits
from boilersweep.segmenting.shards import make_shard
from boilersweep.segmenting.tasks import Loss, SegmentOptions, Task, segment_identity
from boilersweep.store import shard as shard_module
from boilersweep.store.shard import read_facts, read_rows
from tests.segmenting.conftest import new_watch, numbered


class Maker:
    """Makes shards of some files, and the same by adding an extractor to one."""

    def __init__(
        self, folder: Path, files: Sequence[Path], options: SegmentOptions
    ) -> None:
        self._folder = folder
        self._files = tuple((path, path.name) for path in files)
        self._options = options
        self._format: Format = named_format(options.collection, options.reading)

    def make(self, name: str, extractors: str, losses: Sequence[Loss] = ()) -> Path:
        task = self._task(name, extractors)
        make_shard(task, self._format, new_watch(), losses)
        return task.shard

    def add(self, before: Path, extractors: str, losses: Sequence[Loss] = ()) -> Path:
        task = replace(self._task("added", extractors), before=before)
        make_shard(task, self._format, new_watch(), losses)
        return task.shard

    def _task(self, name: str, extractors: str) -> Task:
        options = replace(self._options, extractors=tuple(extractors.split()))
        return Task(
            self._folder / name, self._files, options, segment_identity(options)
        )


def maker(folder: Path, *files: Path, **options: object) -> Maker:
    return Maker(folder, files, SegmentOptions(**{"collection": "jsonl", **options}))  # type: ignore[arg-type]


def test_documents_come_as_many_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Texts count among the characters that are written at a time."""
    monkeypatch.setattr(shard_module, "_CHARACTERS_AT_A_TIME", 100)
    monkeypatch.setattr(shard_module, "_ROWS_AT_A_TIME", 4)
    pages = [f"<p>{'word ' * (number % 7)}ß" for number in range(40)]
    making = maker(tmp_path, numbered(tmp_path / "a.jsonl", *pages))
    before, at_once = (
        making.make("before", "cetr-tm"),
        making.make("at-once", "cetr-tm ccb"),
    )
    assert making.add(before, "cetr-tm ccb").read_bytes() == at_once.read_bytes()


def test_a_page_whose_texts_find_no_memory_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_memory(page: PackedPage, declared: str) -> Clue:
        if b"big" in page.columns["texts"]:
            raise MemoryError
        return clue_of_page(page, declared)

    monkeypatch.setattr(rows_module, "clue_of_page", without_memory)
    making = maker(
        tmp_path, numbered(tmp_path / "a.jsonl", "<p>one", "<p>big", "<p>two")
    )
    facts = read_facts(making.make("shard", ""))
    assert facts.documents == 2
    assert facts.skipped == {Reason.OVER_MEMORY: 1}


def test_metadata_that_fails_costs_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(utf8: bytes, *_: object) -> Metadata:
        if b"bad" in utf8:
            raise RecursionError
        return Metadata(author="Ann")

    monkeypatch.setattr(rows_module, "metadata", failing)
    path = numbered(tmp_path / "a.jsonl", "<p>good", "<p>bad", "<p>fine")
    making = maker(tmp_path, path, metadata=True)
    shard, at_once = making.make("before", ""), making.make("at-once", "ccb")
    assert [row["author"] for row in read_rows(shard)] == ["Ann", None, "Ann"]
    assert read_facts(shard).failed_extractions == {"metadata (RecursionError)": 1}
    assert making.add(shard, "ccb").read_bytes() == at_once.read_bytes()


def test_plain_text(tmp_path: Path) -> None:
    path = numbered(tmp_path / "a.jsonl", "one <two>\nthree", "", "four")
    making = maker(tmp_path, path, reading=Reading(plain=True))
    before, at_once = making.make("before", ""), making.make("at-once", "ccb")
    assert making.add(before, "ccb").read_bytes() == at_once.read_bytes()


def test_records_whose_places_are_alike(tmp_path: Path) -> None:
    """Of a WARC that is compressed as a whole all records stand at its beginning."""
    records = b"".join(
        f"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <r{number % 3}>\r\nContent-Type: "
        f"text/html\r\nContent-Length: 6\r\n\r\n<p>n {number}\r\n\r\n".encode()
        for number in range(6)
    )
    (tmp_path / "a.warc.gz").write_bytes(gzip.compress(records, mtime=0))
    making = maker(tmp_path, tmp_path / "a.warc.gz", collection="warc")
    before, at_once = making.make("before", ""), making.make("at-once", "ccb")
    assert making.add(before, "ccb").read_bytes() == at_once.read_bytes()
    assert len(list(read_rows(before))) == 6


LOST = Loss(0, 1, Reason.CRASHED, "signal SIGSEGV")
ASIDE = Loss(0, None, Reason.SET_ASIDE, "60 s", 2)


@pytest.fixture
def making(tmp_path: Path) -> Maker:
    first = numbered(
        tmp_path / "a.jsonl", "<p>one", "<p>two", " ", "<p>x" * 9, "<p>three"
    )
    second = numbered(tmp_path / "b.jsonl", "<p>four", "<p>five")
    return maker(tmp_path, first, second, limits=Limits(page_blocks=5))


@pytest.mark.parametrize("loss", [LOST, ASIDE, replace(LOST, record=2)])
def test_what_was_lost_before_stays_lost(making: Maker, loss: Loss) -> None:
    before, at_once = (
        making.make("before", "", [loss]),
        making.make("at-once", "ccb", [loss]),
    )
    assert making.add(before, "ccb").read_bytes() == at_once.read_bytes()
    assert loss.reason in read_facts(before).skipped


@pytest.mark.parametrize("loss", [LOST, ASIDE, replace(LOST, file=1, record=0)])
def test_what_is_lost_now_is_left_out(making: Maker, loss: Loss) -> None:
    before, at_once = making.make("before", ""), making.make("at-once", "ccb", [loss])
    added = making.add(before, "ccb", [loss])
    assert added.read_bytes() == at_once.read_bytes()
    assert len(list(read_rows(added))) < len(list(read_rows(before)))


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (("<p>one", "<p>two", "<p>new"), r"a-2 \(a\.jsonl at byte \d+\) has no row"),
        (("<p>one",), r"a\.jsonl has changed"),
        (("<p>one", "<p>too"), r"a\.jsonl has changed"),
    ],
)
def test_other_input_is_an_error(
    tmp_path: Path, texts: Sequence[str], said: str
) -> None:
    path = numbered(tmp_path / "a.jsonl", "<p>one", "<p>two")
    before = maker(tmp_path, path).make("before", "")
    numbered(path, *texts)
    with pytest.raises(StoreError, match=f"not what .*before was made of: {said}"):
        maker(tmp_path, path).add(before, "ccb")
    assert not (tmp_path / "added").exists()
