"""Pages whose end tags would keep libxml2 busy are told from those that only have many."""

import time
from pathlib import Path

import pytest

from boilersweep import Segmentation, segment_collection
from boilersweep.collection.format import Reading
from boilersweep.pages.limits import (
    Limits,
    TooDeepError,
    closing_steps,
    require_shallow,
)
from boilersweep.pages.segmenter import Segmenter
from tests.segmenting.conftest import jsonl

MOST = Limits().nesting
MANY = 10**12


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (b"<div><div></i></i>", 4),
        (b"<div><p></i>", 2),
        (b"<i><b></i></b>", 1),
        (b"<i><div></i></i>", 2),  # a div keeps it open
        (b"<b><p>one</b>", 1),  # p ends b
        (b"<b><font><p>one</b>", 2),
        (b"<div><BODY>", 1),
        (b"<br><img><li></ul>", 1),
        (b"<p>one</p><p>two</p></p>", 0),
        (b"<font><p></p></p>", 1),
        (b"<ul><li><ul><li></ol>", 4),
        (b"<div><p>one<p>two<div></i>", 2),
        (b"<tr><td>one<tr><td>two</b>", 2),
        (b"<a name=1><a name=2></i>", 1),
        (b"<table><tr><td><font>one</table>", 3),
        (b"<div/><x-y></div>", 1),
        (b"no tags < at / all >", 0),
    ],
)
def test_steps_by_hand(page: bytes, expected: int) -> None:
    assert closing_steps(page, MANY) == expected


def test_the_count_ends_beyond_the_most() -> None:
    assert 10 < closing_steps(b"<i>" * 9 + b"</b>" * 1_000_000, 10) < 20


N = 60_000
HOSTILE = [
    b"<div>" * N + b"</i>" * N,
    b"<i>" * N + b"<div>" * N + b"</i>" * N,
    b"<div>" * N + b"</p>" * N,
    b"<font>" * N + b"<body>" * N,
    b"<body><div>" * N,
    b"<div></i>" * N,
    b"<table><tr><td>" * N + b"</font>" * N,
    b"<a name=x><p><b>one</b></i><br>" * N,
    b"<TABLE><P>one" * N + b"</B x=y>" * N,
]
HONEST = [
    b"<div>" * N + b"</div>" * N,
    b"<ul>" + b"<li><a href=x>one</a> <b>two</b>" * N + b"</ul>",
    b"<table>" + b"<tr><td><font>one</font></b><td>two" * N + b"</table>",
    b"<div><b>one<p>two</i></div>" * N,
    b"1 < 2 && " * 3 * N,
]


@pytest.mark.parametrize("page", HOSTILE)
def test_hostile_pages_are_refused_at_once(page: bytes) -> None:
    before = time.process_time()
    with pytest.raises(
        TooDeepError, match="more than 1,000,000,000 comparisons of end tags"
    ):
        require_shallow(page, MOST)
    assert time.process_time() - before < 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        HONEST[0],
        b"<div>" * 31_000 + b"</i>" * 31_000,
        *(pytest.param(page, marks=pytest.mark.exhaustive) for page in HONEST[1:]),
    ],
)
def test_honest_pages_and_those_at_the_limit_pass_and_are_parsed_in_seconds(
    page: bytes,
) -> None:
    require_shallow(page, MOST)
    before = time.process_time()
    Segmenter(structure=True).html(page)
    assert time.process_time() - before < 10


@pytest.mark.slow
def test_such_a_page_is_skipped_and_named_and_plain_text_is_not(tmp_path: Path) -> None:
    page = HOSTILE[0].decode() + "\nend"
    jsonl(tmp_path / "in.jsonl", ("a", page), ("b", page), ("c", "<p>one"))
    store = segment_collection(tmp_path / "in.jsonl", tmp_path / "html", workers=1)
    assert store.skipped == {"over the size cap": 2}
    sample = store.manifest.skipped_samples["over the size cap"][0]
    assert (sample["docid"], sample["place"]) == ("a", "in.jsonl at byte 0")
    assert "comparisons of end tags with the elements that are open" in sample["detail"]
    store = segment_collection(
        tmp_path / "in.jsonl",
        tmp_path / "text",
        Segmentation(reading=Reading(plain=True)),
        workers=1,
    )
    assert list(store.docids()) == ["a", "b", "c"]
