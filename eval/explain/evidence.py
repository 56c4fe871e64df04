"""Topics under two cleaners: what entered and left the top, and why; and that for a terminal."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boilersweep.cleaners.selection import Cleaner
from boilersweep.errors import UsageError
from boilersweep.eval.explain.documents import (
    CHARACTERS,
    Change,
    DocumentEvidence,
    Evidence,
    ExplainedTopic,
    Hits,
    Match,
    PageView,
    TopicEvidence,
    evidence_json,
    explain_document,
    view_page,
)
from boilersweep.eval.ranking.runs import Run
from boilersweep.eval.ranking.snippets import TermFinder
from boilersweep.eval.ranking.texts_of_pages import analysed_pages
from boilersweep.indexer.analyzer import AnalyzerOptions, BlockAnalyzer, split_tokens
from boilersweep.outputs.tables import text_table
from boilersweep.outputs.terminal import harmless, starred, wrapped
from boilersweep.store.store import BlockStore

DEPTH = 10

# The most shown blocks of a document.
BLOCKS = 6

_INDENT = "      "


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
    block_analyzer = BlockAnalyzer(analyzer)
    asked = _asked(queries, grades, before.run, after.run, block_analyzer, depth)
    topics_of = _by_docid(asked)
    cleaners = (before.cleaner, after.cleaner)
    names = (str(cleaners[0]), str(cleaners[1]))
    terms = {term for topic in asked for term in topic.terms}
    finder = TermFinder(block_analyzer, analyzer)
    explained: dict[tuple[str, str], DocumentEvidence] = {}
    pages: dict[str, PageView] = {}
    for page in analysed_pages(store, topics_of, cleaners, terms, block_analyzer):
        topics = topics_of.pop(page.docid)
        for topic in topics:
            document = explain_document(page, topic, names, finder)
            explained[topic.id, page.docid] = document
        if any(topic.changes[page.docid] in ("left", "entered") for topic in topics):
            pages[page.docid] = view_page(page, CHARACTERS)
    if topics_of:
        lacking = next(iter(topics_of))
        raise UsageError(
            f"expected runs on {store.path}, got document {lacking!r}, which it lacks; give "
            "the store that the runs come from"
        )
    topics_told = [
        _topic(topic, [explained[topic.id, docid] for docid in topic.changes], depth)
        for topic in asked
    ]
    return Evidence(names, depth, tuple(topics_told), pages)


def _by_docid(asked: Sequence[ExplainedTopic]) -> dict[str, list[ExplainedTopic]]:
    """Return the topics of each document at the top of a run."""
    topics_of = defaultdict[str, list[ExplainedTopic]](list)
    for topic in asked:
        for docid in topic.changes:
            topics_of[docid].append(topic)
    return topics_of


def _asked(
    queries: Mapping[str, str],
    grades: Mapping[str, Mapping[str, int]],
    before: Run,
    after: Run,
    analyzer: BlockAnalyzer,
    depth: int,
) -> list[ExplainedTopic]:
    analysed = analyzer.tokens(list(queries.values()))
    asked = []
    for (topic, query), tokens in zip(queries.items(), analysed, strict=True):
        tops = {
            docid for run in (before, after) for docid, _ in run.get(topic, ())[:depth]
        }
        hits = (_hits(before, topic, tops), _hits(after, topic, tops))
        asked.append(
            ExplainedTopic(
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
        [docid for docid, (rank, _) in hits.items() if rank <= depth]
        for hits in (before, after)
    ]
    first, second = map(frozenset, tops)
    changes: dict[str, Change] = {
        docid: "left" for docid in tops[0] if docid not in second
    }
    changes |= {docid: "entered" for docid in tops[1] if docid not in first}
    for docid in tops[1]:
        if docid in first:
            changes[docid] = "same" if before[docid][0] == after[docid][0] else "moved"
    return changes


def _topic(
    asked: ExplainedTopic, documents: Sequence[DocumentEvidence], depth: int
) -> TopicEvidence:
    tops = [
        [d for d in documents if (d.rank[side] or depth + 1) <= depth]
        for side in (0, 1)
    ]
    relevant = [sum((d.grade or 0) > 0 for d in top) for top in tops]
    judged = [sum(d.grade is not None for d in top) for top in tops]
    grades = asked.grades
    return TopicEvidence(
        id=asked.id,
        query=asked.query,
        terms=asked.terms,
        judged=None if grades is None else len(grades),
        relevant=None
        if grades is None
        else sum(grade > 0 for grade in grades.values()),
        top_relevant=(relevant[0], relevant[1]),
        top_judged=(judged[0], judged[1]),
        documents=tuple(documents),
    )


def explain_topic(
    store: BlockStore,
    queries: Mapping[str, str],
    grades: Mapping[str, Mapping[str, int]],
    runs: Sequence[tuple[Cleaner, Run]],
    analyzer: AnalyzerOptions,
    *,
    depth: int,
    width: int,
) -> tuple[str, Any]:
    """Tell what two cleaners do to a topic.

    Args:
        store: The block store.
        queries: The topic's id -> its query.
        grades: Topic id -> docid -> grade.
        runs: Both cleaners, each with its run.
        analyzer: The analyzer.
        depth: How many documents of each run count.
        width: The width of a line.

    Returns:
        The account for a terminal, and the evidence as JSON.
    """
    before, after = (Side(cleaner, run) for cleaner, run in runs)
    explained = evidence(store, queries, grades, before, after, analyzer, depth=depth)
    return topic_account(explained, explained.topics[0], width), evidence_json(
        explained
    )


def topic_account(evidence: Evidence, topic: TopicEvidence, width: int) -> str:
    """Tell what two cleaners do to a topic, in lines of about a width, harmless for terminals."""
    parts = [_head(evidence, topic)]
    if not topic.documents:
        return (
            f"{parts[0]}\n\nNeither cleaner leaves a document with a term of the query."
        )
    for change, verb in (("left", "left"), ("entered", "entered")):
        documents = [
            document for document in topic.documents if document.change == change
        ]
        parts.append(_section(f"{verb} the top {evidence.depth}", len(documents)))
        parts += (
            _document(document, topic, evidence.pages, width) for document in documents
        )
    stayed = [
        document for document in topic.documents if document.change in ("moved", "same")
    ]
    parts.append(_section("stayed", len(stayed)))
    if stayed:
        parts.append(_table(stayed))
    return "\n\n".join(parts)


def _head(evidence: Evidence, topic: TopicEvidence) -> str:
    rows = [
        (letter, harmless(evidence.cleaners[side]), topic.top_relevant[side],
         topic.top_judged[side])
        for side, letter in enumerate("ab")
    ]  # fmt: skip
    top = f"of the top {evidence.depth}"
    judged = (
        "no judgements"
        if topic.judged is None
        else f"{topic.judged:,} judged documents, {topic.relevant:,} of them relevant"
    )
    return "\n".join(
        [
            f"Topic {harmless(topic.id)}: {harmless(topic.query)}",
            f"Terms: {harmless(', '.join(topic.terms)) or 'none'}; {judged}",
            "",
            text_table(
                rows,
                ["", "cleaner", f"relevant {top}", f"judged {top}"],
                left=(0, 1),
            ),
            "",
            "Blocks with a term: a, b if that cleaner keeps it, - if not; *words* carry a term.",
        ]
    )


def _section(what: str, count: int) -> str:
    head = f"{count:,} document{'' if count == 1 else 's'} {what}"
    return f"{head}\n{'-' * len(head)}"


def _document(
    document: DocumentEvidence,
    topic: TopicEvidence,
    pages: Mapping[str, PageView],
    width: int,
) -> str:
    verdict = f": a {document.verdict}" if document.verdict else ""
    counts = ", ".join(
        f"{term} {before} -> {after}"
        for term, before, after in zip(topic.terms, *document.counts, strict=True)
        if before or after
    )
    shown = _shown(document.matches)
    lines = [
        f"{_rank(document)}  {harmless(document.docid)}  {_grade(document)}{verdict}",
        wrapped(harmless(pages[document.docid].title), _INDENT, width),
        wrapped(harmless(document.sentence), _INDENT, width),
        wrapped(harmless(counts), _INDENT, width),
        *(_block(match, pages[document.docid], width) for match in shown),
    ]
    more = len(document.matches) - len(shown)
    if more:
        lines.append(
            f"{_INDENT}and {more:,} more block{'' if more == 1 else 's'} with a term"
        )
    return "\n".join(line for line in lines if line)


def _shown(matches: Sequence[Match]) -> list[Match]:
    """Choose up to BLOCKS blocks, in page order; blocks kept by one cleaner only come first."""
    order = sorted(
        matches, key=lambda match: (match.kept[0] == match.kept[1], -sum(match.counts))
    )
    return sorted(order[:BLOCKS], key=lambda match: match.block)


def _block(match: Match, page: PageView, width: int) -> str:
    kept = "".join(
        letter if keeps else "-" for letter, keeps in zip("ab", match.kept, strict=True)
    )
    name = f"block {match.block}"
    if match.block >= page.own:
        name = f"text of {page.extractors[match.block - page.own]}"
    text = f"{kept} {harmless(name)}: {starred(match.snippet)}"
    return wrapped(text, _INDENT + "  ", width)


def _table(documents: Sequence[DocumentEvidence]) -> str:
    rows = [
        (_rank(document).strip(), harmless(document.docid), _grade(document),
         f"{sum(document.counts[0]):,} -> {sum(document.counts[1]):,}",
         f"{document.tokens[0]:,} -> {document.tokens[1]:,}")
        for document in documents
    ]  # fmt: skip
    headers = ["rank", "document", "judgement", "matches", "tokens"]
    return text_table(rows, headers, left=range(len(headers)))


def _rank(document: DocumentEvidence) -> str:
    before, after = ("none" if rank is None else str(rank) for rank in document.rank)
    return f"{before:>4} -> {after:<4}"


def _grade(document: DocumentEvidence) -> str:
    if document.grade is None:
        return "not judged"
    return f"relevant ({document.grade})" if document.grade > 0 else "not relevant"
