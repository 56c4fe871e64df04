"""Rows of one pass over a store, under any rules, against a naive count."""

import tracemalloc
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boilersweep.cleaners.language.grammar import parse_rule
from boilersweep.cleaners.learned.cleaner import Learned
from boilersweep.cleaners.rules import NOTHING, TEXTS, Need
from boilersweep.eval.ranking.exact.rows import Rows, TermRows, collect_rows
from boilersweep.eval.ranking.formula import encode_lengths
from boilersweep.indexer.analyzer import AnalyzerOptions, BlockAnalyzer
from boilersweep.indexer.pieces import Analysed, of_whole_texts
from boilersweep.pages.columns import BlockColumns, BoolArray
from boilersweep.store.store import BlockStore
from tests.eval.ranking.exact.conftest import MakeShards

pytestmark = pytest.mark.java

# docid -> tokens of each block.
Tokens = dict[str, list[list[str]]]


@dataclass(frozen=True, slots=True)
class Lottery:
    """Keeps about every third block, by number, docid and block number alone."""

    number: int

    @property
    def needs(self) -> frozenset[Need]:
        return NOTHING

    def keeps(self, docid: str, block: int) -> bool:
        return zlib.crc32(f"{self.number} {block} {docid}".encode()) % 3 == 0

    def mask(self, columns: BlockColumns) -> BoolArray:
        bounds = zip(columns.docids, np.diff(columns.starts).tolist(), strict=True)
        kept = [self.keeps(docid, block) for docid, blocks in bounds for block in range(blocks)]
        return np.array(kept, dtype=bool)

    def __str__(self) -> str:
        return f"lottery {self.number}"


@pytest.fixture(scope="module")
def analyzer(java: None) -> BlockAnalyzer:
    return BlockAnalyzer(AnalyzerOptions())


@pytest.fixture(scope="module")
def tokens(store: BlockStore, analyzer: BlockAnalyzer) -> Tokens:
    """Every block analysed alone."""
    found: Tokens = {}
    for columns in store.columns():
        for number, docid in enumerate(columns.docids):
            texts = columns.texts[columns.starts[number] : columns.starts[number + 1]]
            found[docid] = [analyzer.tokens([text])[0].split() for text in texts]
    return found


def counted(rows: Rows, term: str, rule: int) -> dict[str, int]:
    documents, tf = rows.terms[term].under(rows.signatures[:, rule])
    assert documents.tolist() == sorted(set(documents.tolist()))
    assert documents.dtype == tf.dtype == np.int64
    return {rows.docids[d]: int(n) for d, n in zip(documents, tf, strict=True)}


def kept_tokens(tokens: Tokens, rule: Lottery) -> Iterator[tuple[str, list[str]]]:
    for docid, blocks in tokens.items():
        yield docid, [t for n, block in enumerate(blocks) if rule.keeps(docid, n) for t in block]


def assert_counts(rows: Rows, tokens: Tokens, rules: Sequence[Lottery]) -> None:
    """Every number in the rows is that of a count from the beginning."""
    assert rows.docids == list(tokens)
    assert rows.codes.shape == (len(rules), len(tokens))
    assert rows.signatures.shape[1] == len(rules)
    assert len(np.unique(rows.signatures, axis=0)) == len(rows.signatures)
    for number, rule in enumerate(rules):
        kept = dict(kept_tokens(tokens, rule))
        lengths = np.array([len(found) for found in kept.values()])
        assert rows.codes[number].tolist() == encode_lengths(lengths).tolist()
        assert rows.documents[number] == (lengths > 0).sum()
        assert rows.tokens[number] == lengths.sum()
        for term in rows.terms:
            expected = {d: found.count(term) for d, found in kept.items() if term in found}
            assert counted(rows, term, number) == expected, (term, rule)


@pytest.fixture(scope="module")
def terms(tokens: Tokens) -> list[str]:
    """Frequent and rare terms of the collection, one twice."""
    counts = Counter(t for blocks in tokens.values() for block in blocks for t in block)
    ordered = [term for term, _ in counts.most_common()]
    return ordered[:12] + ordered[20::25] + ["poni", "😀", ordered[0]]


@pytest.mark.parametrize("rules", [1, 7, 8, 9, 64, 70])
def test_rules_of_any_number_that_keep_any_blocks(
    store: BlockStore, tokens: Tokens, terms: list[str], analyzer: BlockAnalyzer, rules: int
) -> None:
    lotteries = [Lottery(number) for number in range(rules)]
    rows = collect_rows(store, lotteries, terms, analyzer, encode_lengths)
    assert set(rows.terms) == set(terms)
    assert_counts(rows, tokens, lotteries)


@dataclass(frozen=True)
class InBatches(BlockStore):
    """A store that gives so many documents at a time."""

    at_a_time: int = 1

    def columns(
        self,
        needs: frozenset[Need] = TEXTS,
        page_texts: Sequence[str] = (),
        models: Sequence[Learned] = (),
    ) -> Iterator[BlockColumns]:
        for whole in BlockStore.columns(self, needs, page_texts, models):
            for start in range(0, len(whole), self.at_a_time):
                starts = whole.starts[start : start + self.at_a_time + 1]
                here = slice(starts[0], starts[-1])
                yield BlockColumns(
                    docids=whole.docids[start : start + self.at_a_time],
                    starts=starts - starts[0],
                    words=whole.words[here],
                    density=whole.density[here],
                    link_words=whole.link_words[here],
                    texts=whole.texts[here],
                )


@pytest.mark.parametrize(("shards", "at_a_time"), [(1, 500), (5, 500), (1, 1), (4, 11)])
def test_the_same_from_few_batches_and_from_many(
    pages: Mapping[str, str],
    make_shards: MakeShards,
    tokens: Tokens,
    terms: list[str],
    analyzer: BlockAnalyzer,
    shards: int,
    at_a_time: int,
) -> None:
    made = make_shards(pages, shards=shards)
    store = InBatches(made.path, made.manifest, at_a_time)
    batches = len(list(store.columns()))
    assert batches >= max(shards, len(pages) / at_a_time)
    rules = [Lottery(number) for number in range(10)]
    assert_counts(collect_rows(store, rules, terms, analyzer, encode_lengths), tokens, rules)


def test_documents_without_a_block(make_shards: MakeShards, analyzer: BlockAnalyzer) -> None:
    page = "<p>ponies</p><p>running ponies ponies</p>"
    none = "<p> </p>"
    pages = {"a": none, "b": page, "c": none, "d": "<p>...</p>", "e": "<p>ponies</p>", "f": none}
    rules = [parse_rule("words>=1"), parse_rule("words>=2"), parse_rule("words>=9")]
    rows = collect_rows(make_shards(pages), rules, ["poni"], analyzer, encode_lengths)
    assert rows.docids == list("abcdef")
    assert rows.codes.tolist() == [[0, 4, 0, 0, 1, 0], [0, 3, 0, 0, 0, 0], [0] * 6]
    assert rows.documents.tolist() == [2, 1, 0]
    assert rows.tokens.tolist() == [5, 3, 0]
    assert counted(rows, "poni", 0) == {"b": 3, "e": 1}
    assert counted(rows, "poni", 1) == {"b": 2}
    assert counted(rows, "poni", 2) == {}


@pytest.mark.parametrize(
    "wanted", [[], ["nowhereatall"], ["nowhereatall", "gone", "gone"]], ids=len
)
def test_without_a_term_that_occurs_lengths_are_counted_all_the_same(
    store: BlockStore, tokens: Tokens, analyzer: BlockAnalyzer, wanted: list[str]
) -> None:
    rules = [Lottery(number) for number in range(12)]
    rows = collect_rows(store, rules, wanted, analyzer, encode_lengths)
    assert rows.terms == {}
    assert rows.signatures.shape == (0, 12)
    assert_counts(rows, tokens, rules)


@dataclass(frozen=True, slots=True)
class OneLongPage:
    """A store of a page of so many blocks of a word each."""

    blocks: int
    documents: int = 1

    def columns_for(self, _: Sequence[object], __: object = None) -> Iterator[BlockColumns]:
        ones = np.ones(self.blocks, dtype=np.int64)
        starts = np.array([0, self.blocks])
        yield BlockColumns(["long"], starts, ones, ones.astype(float), ones, ["pony"] * self.blocks)


class SplitsAtSpaces:
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
    """A store that gives the page twice, each time by itself."""

    def columns_for(self, needed: Sequence[object], __: object = None) -> Iterator[BlockColumns]:
        for _ in range(2):
            yield from OneLongPage.columns_for(self, needed)


def test_pieces_that_another_thread_finds_are_looked_at_when_they_are_there() -> None:
    store: Any = TwoBatches(1, documents=2)
    analyzer: Any = AnotherThreadIsAhead(["pony", "the pony"])
    rows = collect_rows(store, [parse_rule("words>=1")], ["pony"], analyzer, encode_lengths)
    assert rows.terms["pony"].documents.tolist() == [0, 1]


term_rows = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 6), st.integers(1, 9)),
    unique_by=lambda row: row[:2],
    max_size=30,
).map(sorted)


@given(rows=term_rows, kept=st.lists(st.booleans(), min_size=7, max_size=7))
def test_under_adds_up_what_is_kept(rows: list[tuple[int, int, int]], kept: list[bool]) -> None:
    expected: Counter[int] = Counter()
    for document, signature, tf in rows:
        if kept[signature]:
            expected[document] += tf
    columns = np.array(rows, dtype=np.int32).reshape(-1, 3).T
    documents, frequencies = TermRows(*columns).under(np.array(kept))
    assert documents.tolist() == sorted(expected)
    assert frequencies.tolist() == [expected[document] for document in sorted(expected)]
