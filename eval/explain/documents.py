"""What two cleaners do to one document for one topic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from boilersweep.eval.explain.account import Effect, account
from boilersweep.eval.explain.pages import AnalysedPage
from boilersweep.eval.explain.records import (
    Change,
    Counts,
    DocumentEvidence,
    Match,
    PageView,
    Pair,
    Verdict,
)
from boilersweep.eval.explain.words import TermFinder, cut, snippet

# Docid -> rank and score, best first, of documents at the top of either run.
Hits = Mapping[str, tuple[int, float]]

_NO_HIT = (None, None)
_DIGITS = 4  # of a score


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A topic to explain.

    Attributes:
        id: The topic.
        query: The query.
        terms: The query's analysed terms, each once.
        grades: Docid -> grade; None if the qrels lack the topic.
        hits: The hits of either run.
        changes: The documents at the top of either run, in the order to tell them.
    """

    id: str
    query: str
    terms: tuple[str, ...]
    grades: Mapping[str, int] | None
    hits: Pair[Hits]
    changes: Mapping[str, Change]


def explain_document(
    page: AnalysedPage, topic: Asked, cleaners: Pair[str], finder: TermFinder
) -> DocumentEvidence:
    """Explain why a document has its ranks; `cleaners` are their texts."""
    change = topic.changes[page.docid]
    grade = None if topic.grades is None else topic.grades.get(page.docid)
    before, after = (hits.get(page.docid, _NO_HIT) for hits in topic.hits)
    counts = [tuple(block[term] for term in topic.terms) for block in page.counts]
    terms = len(topic.terms)
    total = (_total(page, counts, terms, 0), _total(page, counts, terms, 1))
    rank = (before[0], after[0])
    effect = _effect(page, cleaners, topic.terms, counts, total, rank)
    is_told = change in ("left", "entered")
    return DocumentEvidence(
        docid=page.docid,
        change=change,
        grade=grade,
        rank=rank,
        score=(_rounded(before[1]), _rounded(after[1])),
        tokens=effect.tokens,
        counts=total,
        sentence=account(effect),
        verdict=_verdict(change, grade) if is_told else None,
        matches=_matches(page, counts, topic.terms, finder) if is_told else (),
    )


def view_page(page: AnalysedPage, characters: int) -> PageView:
    """Return all blocks of a page, their texts cut to so many characters."""
    first, second = ("".join(map(str, mask)) for mask in page.kept.astype(int).tolist())
    return PageView(
        title=cut(page.title, characters),
        texts=tuple(cut(text, characters) for text in page.texts),
        words=(*page.words, *(None for _ in page.extractors)),
        kept=(first, second),
        extractors=tuple(page.extractors),
    )


def _total(page: AnalysedPage, counts: Sequence[Counts], terms: int, side: int) -> Counts:
    weights = page.indexed[side]
    here = [(counts[block], int(weights[block])) for block in np.flatnonzero(weights).tolist()]
    return tuple(sum(block[term] * weight for block, weight in here) for term in range(terms))


def _effect(
    page: AnalysedPage,
    cleaners: Pair[str],
    terms: tuple[str, ...],
    counts: Sequence[Counts],
    total: Pair[Counts],
    rank: Pair[int | None],
) -> Effect:
    own = len(page.texts) - len(page.extractors)
    first, second = page.held[:, :own]
    here = np.array([sum(block) for block in counts[:own]], dtype=np.int64)
    lost, gained = here * (first & ~second), here * (second & ~first)
    tokens = page.indexed @ page.lengths
    pairs = zip(terms, *total, strict=True)
    return Effect(
        cleaners=cleaners,
        matches=(sum(total[0]), sum(total[1])),
        tokens=(int(tokens[0]), int(tokens[1])),
        lost=int(lost.sum()),
        lost_in=int((lost > 0).sum()),
        gained=int(gained.sum()),
        gained_in=int((gained > 0).sum()),
        gone=tuple(term for term, one, other in pairs if one and not other),
        rank=rank,
    )


def _matches(
    page: AnalysedPage, counts: Sequence[Counts], terms: tuple[str, ...], finder: TermFinder
) -> tuple[Match, ...]:
    blocks = [block for block, count in enumerate(counts) if any(count)]
    spans = finder.spans([page.texts[block] for block in blocks], terms)
    return tuple(
        Match(
            block=block,
            kept=(int(page.kept[0, block]), int(page.kept[1, block])),
            counts=counts[block],
            snippet=snippet(page.texts[block], found),
        )
        for block, found in zip(blocks, spans, strict=True)
    )


def _verdict(change: Change, grade: int | None) -> Verdict | None:
    if grade is None:
        return None
    return "gain" if (grade > 0) == (change == "entered") else "loss"


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, _DIGITS)
