"""Statistics of a store, counted by hand."""

from pathlib import Path

import pytest

from boilersweep import BlockStore, segment_collection
from boilersweep.store import statistics
from boilersweep.store.statistics import describe_statistics, store_statistics

LONG = "a text of eleven words is long and no phrase of boilerplate"
PAGES = {
    "http://a.example/1": "<!DOCTYPE html><p>Home<p>News<p>Home",
    "http://a.example/2": f"<!DOCTYPE html><p>Home<p>{LONG}<p>{LONG}",
    "http://b.example/": f"<p>News<p>Contact<p>{LONG}",
    "x": f"<p>{LONG}",
}


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for number, (url, html) in enumerate(PAGES.items()):
        (folder / f"{number}.trec").write_text(
            f"<DOC><DOCNO>{number}</DOCNO><DOCHDR>\n{url}\n</DOCHDR>{html}</DOC>\n"
        )
    return folder


@pytest.fixture
def store(pages: Path, tmp_path: Path) -> BlockStore:
    return segment_collection(pages, tmp_path / "store", workers=1)


def test_hosts_doctypes_and_phrases(store: BlockStore) -> None:
    found = store_statistics(store)
    assert list(found.hosts.items()) == [("a.example", 2), ("b.example", 1)]
    assert found.doctypes == {"html5": 2, "": 2}
    assert list(found.phrases.items()) == [("Home", 3), ("News", 2), ("Contact", 1)]
    assert found.short == 6
    text = describe_statistics(found)
    assert "3 of 2 hosts; a host has 2 at most, 1.50 on average, median 1.5" in text
    assert "most frequent hosts: a.example 2, b.example 1" in text
    assert "doctypes: none 2, html5 2" in text


def test_the_largest_buckets_have_the_most_frequent_texts(
    store: BlockStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few buckets, of which one is looked at, with whatever text is beside the frequent one."""
    monkeypatch.setattr(statistics, "_BUCKETS", 64)
    monkeypatch.setattr(statistics, "_CANDIDATES", 1)
    found = store_statistics(store)
    assert next(iter(found.phrases.items())) == ("Home", 3)
    assert len(found.phrases) < 3
