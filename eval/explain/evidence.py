"""Topics under two cleaners: the documents that entered and left the top, and because of what."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from boilersweep.cleaners.selection import Cleaner
from boilersweep.errors import UsageError
from boilersweep.eval.explain.documents import Asked, Hits, explain_document, view_page
from boilersweep.eval.explain.pages import analysed_pages
from boilersweep.eval.explain.records import (
    Change,
    DocumentEvidence,
    Evidence,
    PageView,
    TopicEvidence,
)
from boilersweep.eval.explain.words import TermFinder
from boilersweep.eval.ranking.runs import Run
from boilersweep.indexer.analyzer import AnalyzerOptions, BlockAnalyzer, split_tokens
from boilersweep.indexer.jvm import start_jvm
from boilersweep.store.store import BlockStore

DEPTH = 10
CHARACTERS = 160


@dataclass(frozen=True, slots=True)
class Side:
    """A cleaner and its run; topics missing from the run have no hits."""

    cleaner: Cleaner
    run: Run


def evidence(
    store: BlockStore,
    queries: Mapping[str, str],
    grades: Mapping[str, Mapping[str, int]],
    before: Side,
    after: Side,
    analyzer: AnalyzerOptions,
    *,
    depth: int = DEPTH,
) -> Evidence:
    """Explain any number of topics from one pass over a store.

    Args:
        store: The block store.
        queries: Topic -> text.
        grades: Topic -> docid -> grade.
        before: The first cleaner with its run.
        after: The second cleaner with its run.
        analyzer: The analyzer of the runs.
        depth: The documents that are the top of a run.

    Returns:
        The evidence.

    Raises:
        UsageError: The depth is below 1, or the store lacks a text, or a document of a run.
        StoreError: The store is damaged.
        JavaError: Java does not start.
    """
    if depth < 1:
        raise UsageError(f"depth: expected at least 1, got {depth}")
    start_jvm()
    block_analyzer = BlockAnalyzer(analyzer)
    asked = _asked(queries, grades, before.run, after.run, block_analyzer, depth)
    topics_of = defaultdict[str, list[Asked]](list)  # by the docids at the top of a run
    for topic in asked:
        for docid in topic.changes:
            topics_of[docid].append(topic)
    cleaners = (before.cleaner, after.cleaner)
    names = (str(cleaners[0]), str(cleaners[1]))
    terms = {term for topic in asked for term in topic.terms}
    finder = TermFinder(block_analyzer, analyzer)
    explained: dict[tuple[str, str], DocumentEvidence] = {}
    pages: dict[str, PageView] = {}
    for page in analysed_pages(store, topics_of, cleaners, terms, block_analyzer):
        topics = topics_of.pop(page.docid)
        for topic in topics:
            explained[topic.id, page.docid] = explain_document(page, topic, names, finder)
        if any(topic.changes[page.docid] in ("left", "entered") for topic in topics):
            pages[page.docid] = view_page(page, CHARACTERS)
    if topics_of:
        raise UsageError(
            f"expected runs on {store.path}, got document {next(iter(topics_of))!r}, which it "
            "lacks; give the store that the runs come from"
        )
    topics_told = [
        _topic(topic, [explained[topic.id, docid] for docid in topic.changes], depth)
        for topic in asked
    ]
    return Evidence(names, depth, tuple(topics_told), pages)


def _asked(
    queries: Mapping[str, str],
    grades: Mapping[str, Mapping[str, int]],
    before: Run,
    after: Run,
    analyzer: BlockAnalyzer,
    depth: int,
) -> list[Asked]:
    analysed = analyzer.tokens(list(queries.values()))
    asked = []
    for (topic, query), tokens in zip(queries.items(), analysed, strict=True):
        tops = {docid for run in (before, after) for docid, _ in run.get(topic, ())[:depth]}
        hits = (_hits(before, topic, tops), _hits(after, topic, tops))
        asked.append(
            Asked(
                id=topic,
                query=query,
                terms=tuple(dict.fromkeys(split_tokens(tokens))),
                grades=grades.get(topic),
                hits=hits,
                changes=_changes(*hits, depth),
            )
        )
    return asked


def _hits(run: Run, topic: str, docids: Collection[str]) -> Hits:
    hits = enumerate(run.get(topic, ()), start=1)
    return {docid: (rank, score) for rank, (docid, score) in hits if docid in docids}


def _changes(before: Hits, after: Hits, depth: int) -> dict[str, Change]:
    """Return the change of each document at either top, in the order to tell them."""
    tops = [
        [docid for docid, (rank, _) in hits.items() if rank <= depth] for hits in (before, after)
    ]
    first, second = map(frozenset, tops)
    changes: dict[str, Change] = {docid: "left" for docid in tops[0] if docid not in second}
    changes |= {docid: "entered" for docid in tops[1] if docid not in first}
    for docid in tops[1]:
        if docid in first:
            changes[docid] = "same" if before[docid][0] == after[docid][0] else "moved"
    return changes


def _topic(asked: Asked, documents: Sequence[DocumentEvidence], depth: int) -> TopicEvidence:
    tops = [[d for d in documents if (d.rank[side] or depth + 1) <= depth] for side in (0, 1)]
    relevant = [sum((d.grade or 0) > 0 for d in top) for top in tops]
    judged = [sum(d.grade is not None for d in top) for top in tops]
    grades = asked.grades
    return TopicEvidence(
        id=asked.id,
        query=asked.query,
        terms=asked.terms,
        judged=None if grades is None else len(grades),
        relevant=None if grades is None else sum(grade > 0 for grade in grades.values()),
        top_relevant=(relevant[0], relevant[1]),
        top_judged=(judged[0], judged[1]),
        documents=tuple(documents),
    )
