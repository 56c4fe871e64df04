"""Evidence as plain JSON values, for programs and for the report.

Version 1. A pair has a value for either cleaner; counts are in the order of `terms`. All texts are
those of the pages, unescaped.

    explain_version  1
    cleaners         [a, b]
    depth            documents that are the top of a run
    topics           a list: id, query, terms, judged and relevant (null where the qrels have no
                     such topic), top_relevant and top_judged (pairs), and
      documents      those that left the top, that entered it, that stayed: docid, change ("left",
                     "entered", "moved", "same"), grade (null: not judged), rank and score (pairs,
                     null where not in the run), tokens and counts (pairs), sentence, verdict
                     ("gain", "loss", null), and
        matches      blocks with a term, none for documents that stayed: block, kept (a pair of 0
                     and 1), counts, snippet (plain text and marked words by turns)
    pages            docid -> title, texts (of all blocks, cut), words (null for an extractor's
                     text), kept (a pair of strings, a 0 or 1 for each block), extractors (names
                     of those whose texts follow the blocks)
"""

from typing import Any

from boilersweep.eval.explain.records import (
    DocumentEvidence,
    Evidence,
    Match,
    PageView,
    TopicEvidence,
)

VERSION = 1

_DIGITS = 4


def evidence_json(evidence: Evidence) -> dict[str, Any]:
    """The evidence as above; some ten kilobytes per document that left or entered."""
    return {
        "explain_version": VERSION,
        "cleaners": list(evidence.cleaners),
        "depth": evidence.depth,
        "topics": [_topic(topic) for topic in evidence.topics],
        "pages": {docid: _page(page) for docid, page in evidence.pages.items()},
    }


def _topic(topic: TopicEvidence) -> dict[str, Any]:
    return {
        "id": topic.id,
        "query": topic.query,
        "terms": list(topic.terms),
        "judged": topic.judged,
        "relevant": topic.relevant,
        "top_relevant": list(topic.top_relevant),
        "top_judged": list(topic.top_judged),
        "documents": [_document(document) for document in topic.documents],
    }


def _document(document: DocumentEvidence) -> dict[str, Any]:
    scores = [None if score is None else round(score, _DIGITS) for score in document.score]
    return {
        "docid": document.docid,
        "change": document.change,
        "grade": document.grade,
        "rank": list(document.rank),
        "score": scores,
        "tokens": list(document.tokens),
        "counts": [list(counts) for counts in document.counts],
        "sentence": document.sentence,
        "verdict": document.verdict,
        "matches": [_match(match) for match in document.matches],
    }


def _match(match: Match) -> dict[str, Any]:
    return {
        "block": match.block,
        "kept": [int(kept) for kept in match.kept],
        "counts": list(match.counts),
        "snippet": list(match.snippet),
    }


def _page(page: PageView) -> dict[str, Any]:
    return {
        "title": page.title,
        "texts": list(page.texts),
        "words": list(page.words),
        "kept": ["".join("1" if kept else "0" for kept in mask) for mask in page.kept],
        "extractors": list(page.extractors),
    }
