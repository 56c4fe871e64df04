"""Rows of one pass over a store, under any rules, against a naive count."""

import tracemalloc
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep import parse_cleaner
from boilersweep.cleaners.syntax.grammar import parse_rule
from boilersweep.eval.ranking.exact.rows import Rows, TermRows, collect_rows
from boilersweep.indexer import AnalyzerOptions
from boilersweep.indexer.analyzer import BlockAnalyzer
from boilersweep.indexer.arithmetic import encode_lengths
from boilersweep.indexer.contents import Analysed, of_whole_texts
from boilersweep.pages.columns import BlockColumns
from tests.eval.conftest import MakeStore

pytestmark = pytest.mark.java


@pytest.fixture(scope="module")
def analyzer(java: None) -> BlockAnalyzer:
    return BlockAnalyzer(AnalyzerOptions())


def counted(rows: Rows, term: str, rule: int) -> dict[str, int]:
    documents, tf, codes = rows.postings(term, rule)
    assert codes.tolist() == rows.codes[rule, documents].tolist()
    assert documents.tolist() == sorted(set(documents.tolist()))
    assert documents.dtype == tf.dtype == np.int64
    return {rows.docids[d]: int(n) for d, n in zip(documents, tf, strict=True)}


def test_documents_without_a_block(
    make_store: MakeStore, analyzer: BlockAnalyzer
) -> None:
    page = "<p>ponies</p><p>running ponies ponies</p>"
    none = "<p> </p>"
    pages = {
        "a": none,
        "b": page,
        "c": none,
        "d": "<p>...</p>",
        "e": "<p>ponies</p>",
        "f": none,
    }
    rules = [parse_rule("words>=1"), parse_rule("words>=2"), parse_rule("words>=9")]
    rows = collect_rows(make_store(pages), rules, ["poni"], analyzer, encode_lengths)
    assert rows.docids == list("abcdef")
    assert rows.codes.tolist() == [[0, 4, 0, 0, 1, 0], [0, 3, 0, 0, 0, 0], [0] * 6]
    assert rows.documents.tolist() == [2, 1, 0]
    assert rows.tokens.tolist() == [5, 3, 0]
    assert counted(rows, "poni", 0) == {"b": 3, "e": 1}
    assert counted(rows, "poni", 1) == {"b": 2}
    assert counted(rows, "poni", 2) == {}


def test_a_title_counts_where_another_token_is_kept(
    make_store: MakeStore, java: None
) -> None:
    pages = {
        "a": "<title>A pony</title><p>the</p><p>ponies run far</p>",
        "b": "<title>ponies</title><p>the</p>",
        "c": "<title>ponies</title><p> </p>",
        "d": "<title>the</title><p>ponies</p>",
        "e": "<p>ponies</p>",
    }
    texts = ["words>=1", "words>=2", "weighted(words>=2, 3)"]
    rules = [parse_cleaner(text) for text in texts]
    with_titles, without = (
        collect_rows(
            make_store(pages),
            rules,
            ["poni"],
            BlockAnalyzer(AnalyzerOptions(title=title)),
            encode_lengths,
        )
        for title in (True, False)
    )
    assert with_titles.codes.tolist() == [
        [4, 0, 0, 1, 1],
        [4, 0, 0, 0, 0],
        [10, 0, 0, 1, 1],
    ]
    assert without.codes.tolist() == [[3, 0, 0, 1, 1], [3, 0, 0, 0, 0], [9, 0, 0, 1, 1]]
    assert with_titles.documents.tolist() == without.documents.tolist() == [3, 1, 3]
    assert with_titles.tokens.tolist() == [6, 4, 12]
    assert counted(with_titles, "poni", 0) == {"a": 2, "d": 1, "e": 1}
    assert counted(with_titles, "poni", 1) == {"a": 2}
    assert counted(with_titles, "poni", 2) == {"a": 4, "d": 1, "e": 1}
    assert counted(without, "poni", 2) == {"a": 3, "d": 1, "e": 1}


@dataclass(frozen=True, slots=True)
class OneLongPage:
    blocks: int
    documents: int = 1

    def require_texts(self, names: Sequence[str]) -> None:
        assert not names

    def columns(self, *_: object) -> Iterator[BlockColumns]:
        ones = np.ones(self.blocks, dtype=np.int64)
        starts = np.array([0, self.blocks])
        yield BlockColumns(
            ["long"], starts, ones, ones.astype(float), ones, ["pony"] * self.blocks
        )


class SplitsAtSpaces:
    has_titles = False

    def analysed(self, texts: list[str]) -> Analysed:
        return of_whole_texts(texts, None)


def test_memory_does_not_grow_with_rules_times_blocks() -> None:
    """Masks of a byte would be 80 MB, sums of 8 bytes 640 MB."""
    blocks, rules = 200_000, [parse_rule(f"words>={n}") for n in range(1, 401)]
    store, analyzer = OneLongPage(blocks), SplitsAtSpaces()
    tracemalloc.start()
    rows = collect_rows(store, rules, ["pony"], analyzer, encode_lengths)  # type: ignore[arg-type]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert rows.tokens.tolist() == [blocks] + [0] * 399
    assert counted(rows, "pony", 0) == {"long": blocks}
    assert peak < 60 * 10**6


class AnotherThreadIsAhead:
    """Analyses each text as a piece; the table's terms are there before its texts are asked for."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.terms = list(texts)
        self.asked = 0
        self.has_titles = False

    def analysed(self, texts: list[str]) -> Analysed:
        start, self.asked = self.asked, self.asked + len(texts)
        counts = [len(terms.split(" ")) for terms in self.terms[: self.asked]]
        return Analysed(
            np.arange(start, self.asked, dtype=np.int32),
            np.arange(len(texts) + 1),
            self.terms,
            np.array(counts, dtype=np.int32),
            None,
        )


class TwoBatches(OneLongPage):
    def columns(self, *_: object) -> Iterator[BlockColumns]:
        for _number in range(2):
            yield from super().columns()


def test_pieces_that_another_thread_finds_are_looked_at_when_they_are_there() -> None:
    store: Any = TwoBatches(1, documents=2)
    analyzer: Any = AnotherThreadIsAhead(["pony", "the pony"])
    rows = collect_rows(
        store, [parse_rule("words>=1")], ["pony"], analyzer, encode_lengths
    )
    assert rows.terms["pony"].documents.tolist() == [0, 1]


term_rows = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 6), st.integers(1, 9)),
    unique_by=lambda row: row[:2],
    max_size=30,
).map(sorted)


@given(rows=term_rows, kept=st.lists(st.booleans(), min_size=7, max_size=7))
def test_under_adds_up_what_is_kept(
    rows: list[tuple[int, int, int]], kept: list[bool]
) -> None:
    expected: Counter[int] = Counter()
    for document, signature, tf in rows:
        if kept[signature]:
            expected[document] += tf
    columns = np.array(rows, dtype=np.int32).reshape(-1, 3).T
    documents, frequencies = TermRows(*columns).under(np.array(kept))
    assert documents.tolist() == sorted(expected)
    assert frequencies.tolist() == [expected[document] for document in sorted(expected)]
