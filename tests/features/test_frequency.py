"""Block frequencies over a collection."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from boilersweep.features import frequency
from boilersweep.features.frequency import block_frequencies
from boilersweep.pages.columns import BlockColumns, columns_of
from boilersweep.pages.segmenter import Segmenter


def columns(*texts: str) -> BlockColumns:
    page = Segmenter().html("".join(f"<p>{text}</p>" for text in texts).encode())
    return columns_of(["d"], [page])


def test_counts_over_the_collection() -> None:
    counted = block_frequencies([columns("Home", "News"), columns("Home"), columns()])
    assert counted.of(["Home", "News", "home", ""]).tolist() == [2, 1, 0, 0]
    assert len(counted.hashes) == 2


def test_an_empty_collection() -> None:
    assert block_frequencies([]).of(["a", "b"]).tolist() == [0, 0]
    assert block_frequencies([columns()]).of([]).tolist() == []


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), max_size=6))
def test_merging_now_and_then_changes_nothing(shards: list[list[str]]) -> None:
    expected = Counter(text for shard in shards for text in shard)
    before = frequency._PENDING
    try:
        for pending in (1, before):
            frequency._PENDING = pending
            counted = block_frequencies(columns(*shard) for shard in shards)
            assert counted.of(list("abcdef")).tolist() == [expected[text] for text in "abcdef"]
            assert counted.counts.sum() == expected.total()
    finally:
        frequency._PENDING = before
