"""What a page may cost, and that what costs more is counted and the rest goes on."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep import Segmentation, segment_collection
from boilersweep.collection.cutting import Cutter, UncutError
from boilersweep.collection.format import Reading
from boilersweep.pages.limits import (
    _LONG,
    _LONG_TAG,
    Limits,
    _long_tags,
    over_limit,
)
from boilersweep.pages.page import PackedPage
from tests.segmenting.conftest import make, numbered, planned

_STEP = _LONG // 2


def bomb(attributes: int) -> bytes:
    return (
        b"<p " + b" ".join(b"attribute%d='v'" % n for n in range(attributes)) + b">text"
    )


def test_pages_up_to_the_limit_pass_and_larger_ones_do_not() -> None:
    limits = Limits(page_bytes=100)
    assert over_limit(b"x" * 100, limits) is None
    assert over_limit(b"x" * 101, limits) == "101 bytes, at most 100"


def test_a_tag_of_too_many_attributes() -> None:
    detail = over_limit(bomb(20_000), Limits()) or ""
    assert detail.endswith("attributes, at most 10,000")
    assert over_limit(bomb(5_000), Limits()) is None
    limit = Limits(attributes=9_000)
    assert over_limit(bomb(9_000), limit) is None
    assert over_limit(bomb(9_001), limit) == "9,001 attributes, at most 9,000"


def test_a_long_tag_of_few_attributes_is_no_bomb() -> None:
    image = b"<img src='data:image/png;base64," + b"AbC+ " * 100_000 + b"'>text"
    assert over_limit(image, Limits()) is None
    assert (
        over_limit(b"<script>" + b"var a = 1; " * 50_000 + b"</script>", Limits())
        is None
    )


RUNS = st.sampled_from(
    [b"x" * n for n in (1, 20, _STEP - 2, _STEP, 2 * _STEP, 3 * _STEP + 7)]
)
ENDS = st.sampled_from([b"<a ", b"< ", b">", b"<", b"</b>", b"<A"])


@given(st.lists(st.tuples(ENDS, RUNS).map(b"".join), max_size=6).map(b"".join))
def test_long_tags_are_found_as_one_search_would(page: bytes) -> None:
    assert list(map(str, _long_tags(page))) == list(map(str, _LONG_TAG.finditer(page)))


@pytest.mark.parametrize("page", ["<p>a" * 101, "<div>" * 101 + "a"])
@pytest.mark.parametrize("pure", ["0", "1"])
def test_a_page_of_too_many_blocks_or_elements(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str, pure: str
) -> None:
    monkeypatch.setenv("BOILERSWEEP_PURE", pure)
    path = numbered(tmp_path / "in.jsonl", "<p>one two", page, "<p>three")
    options = Segmentation("jsonl", limits=Limits(page_blocks=100))
    [task] = planned(path, [path], tmp_path, options)
    facts = make(task)
    assert (facts.documents, facts.skipped) == (2, {"over the size cap": 1})
    assert facts.samples[0].docid == "in-1"
    assert facts.samples[0].detail.startswith("more than 100 ")
    assert facts.lost == []  # another run refuses it, too


def test_a_plain_text_of_too_many_lines(tmp_path: Path) -> None:
    path = numbered(tmp_path / "in.jsonl", "one\n\n\ntwo", "one\ntwo\nthree")
    limits = Limits(page_blocks=2)
    store = segment_collection(
        path,
        tmp_path / "out",
        Segmentation(reading=Reading(plain=True), limits=limits),
        workers=1,
    )
    assert list(store.docids()) == ["in-0"]
    assert store.manifest.skipped_samples["over the size cap"][0]["detail"] == (
        "more than 2 blocks"
    )


@pytest.mark.slow
def test_hostile_pages_of_few_bytes_are_named_and_the_run_goes_on(
    tmp_path: Path,
) -> None:
    """Six gzipped files of 4,194,303 blocks took a worker's 8 GiB at once."""
    pages = tmp_path / "pages"
    pages.mkdir()
    for number in range(3):
        (pages / f"{number}.html.gz").write_bytes(gzip.compress(b"<p>a" * 500_001))
    (pages / "good.html").write_text("<p>one two")
    limits = Limits(worker_bytes=2 * 2**30)
    store = segment_collection(
        pages, tmp_path / "out", Segmentation(limits=limits), workers=1
    )
    assert list(store.docids()) == ["good"]
    assert store.skipped == {"over the size cap": 3}
    samples = store.manifest.skipped_samples["over the size cap"]
    assert [sample["docid"] for sample in samples] == ["0", "1", "2"]
    assert store.lost == {}


class _ShortOfMemory:
    def packed_html(self, _utf8: bytes) -> PackedPage:
        raise MemoryError


def test_a_page_after_one_without_memory_has_its_own_blocks_only() -> None:
    cutter = Cutter(Limits())
    # Memory may run out when the parser's target is closed: it then still has the page's blocks.
    cutter._segmenter = _ShortOfMemory()  # type: ignore[assignment]
    with pytest.raises(UncutError, match="memory"):
        cutter.cut(b"<p>one")
    assert cutter.cut(b"<p>two").page().texts == ["two"]
