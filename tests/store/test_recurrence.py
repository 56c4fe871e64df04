"""What recurs on the hosts of a store: the same in all its parts, whatever its shards."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from boilersweep import (
    BlockStore,
    Segmentation,
    StoreError,
    UsageError,
    open_store,
    parse_cleaner,
    segment_collection,
)
from boilersweep.cleaners.selection import select
from boilersweep.cleaners.stored import columns_for, fingerprint_for
from boilersweep.pages.columns import NOTHING, RECURRENCE

SITE = parse_cleaner("site(words>=1)")
PAGES = [
    (
        f"d{n}",
        f"http://{'www.' * (n % 2)}a.org/{n}",
        f"<title>{n}</title><p>Home<p>own {n}",
    )
    for n in range(6)
]
PAGES += [
    (f"e{n}", f"http://b.org/{n}", "<title>b</title><p>Home<p>all") for n in range(6)
]
# d2 stands twice
PAGES[2:2] = [("d2", "http://a.org/2", "<title>7</title><p>own 1<p>own 3")]
OPTIONS = Segmentation(on_duplicate="latest")

Make = Callable[..., BlockStore]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def write(
        folder: Path, sizes: Sequence[int], pages: Sequence[tuple[str, str, str]]
    ) -> None:
        folder.mkdir(exist_ok=True)
        rest = list(pages)
        for number, size in enumerate(sizes):
            lines = [
                json.dumps({"id": i, "url": u, "contents": c})
                for i, u, c in rest[:size]
            ]
            file, content = folder / f"{number}.jsonl", "\n".join(lines)
            if not file.exists() or file.read_text() != content:
                file.write_text(content)
            rest = rest[size:]

    def store(
        name: str,
        *sizes: int,
        pages: Sequence[tuple[str, str, str]] = PAGES,
    ) -> BlockStore:
        write(tmp_path / f"{name}-pages", sizes, pages)
        given = (tmp_path / f"{name}-pages", tmp_path / name, OPTIONS)
        return segment_collection(*given, workers=1)

    return store


def kept(store: BlockStore) -> dict[str, str]:
    return {
        columns.docids[one.document]: one.text
        for columns in columns_for(store, [SITE])
        for one in select(columns, [SITE]).kept(0)
    }


EXPECTED = {f"d{n}": f"own {n}" for n in range(6)} | {
    f"e{n}": "Home\nall" for n in range(6)
}


@pytest.mark.parametrize("sizes", [(13,), (3, 4, 6), (1, 2, 3, 4, 3)])
def test_whatever_the_shards_and_their_order(make: Make, sizes: Sequence[int]) -> None:
    # b.org has one title, so that its pages count once; what stood twice does not count.
    assert kept(make("one", *sizes)) == EXPECTED
    assert kept(make("other", *sizes, pages=sorted(PAGES, reverse=True))) == EXPECTED


def test_parts_count_over_the_whole(make: Make) -> None:
    store = make("store", 3, 4, 6)
    parts = [*store.in_parts(1)]
    assert len(parts) == 3
    assert {d: t for part in parts for d, t in kept(part).items()} == EXPECTED
    alone = [part for _, part in parts[1].by_shard()]
    assert kept(alone[0]) == kept(parts[1])
    name = store.manifest.shards[0]["file"]
    assert kept(store.without({name: [0]})) == {
        d: t for d, t in EXPECTED.items() if d != "d0"
    }


def test_numbers_alone_with_their_recurrence(make: Make) -> None:
    store = make("store", 13)
    found = [
        c.recurrence.tolist()
        for c in store.columns(RECURRENCE)
        if c.recurrence is not None
    ]
    assert found == [[6, 0] * 6 + [0] * 12]
    assert [c.recurrence for c in store.columns(NOTHING)] == [None]


def test_a_store_without_addresses_is_refused(make: Make) -> None:
    store = make("store", 2, pages=[("a", "", "<p>one"), ("b", "", "<p>one")])
    with pytest.raises(
        UsageError, match=r"no document with an address.*as `url` in JSONL"
    ):
        kept(store)


def test_a_store_that_has_changed_is_refused(make: Make) -> None:
    store = make("store", 13)
    make("store", 13, 1, pages=[*PAGES, ("f", "http://c.org", "<p>new")])
    with pytest.raises(StoreError, match="has changed since it was opened"):
        kept(store)
    assert kept(open_store(store.path)) == EXPECTED | {"f": "new"}


def test_after_an_update_nothing_is_as_it_was_counted(make: Make) -> None:
    few = [page for page in PAGES[:6] if page[0] != "d2"]
    store = make("store", 4, pages=few)
    before = dict(store.by_shard())
    assert kept(store) == {
        d: f"Home\n{t}" for d, t in EXPECTED.items() if d in kept(store)
    }
    updated = make("store", 4, 2, pages=few + PAGES[3:4] + PAGES[6:7])
    after = dict(updated.by_shard())
    assert all(text.startswith("own") for text in kept(updated).values())
    (shard,) = before
    rule = parse_cleaner("words>=1")
    for cleaner, same in ((rule, True), (SITE, False)):
        prints = [fingerprint_for(one[shard], [cleaner]) for one in (before, after)]
        assert (prints[0] == prints[1]) is same
    assert fingerprint_for(store, [SITE]) == store.fingerprint
