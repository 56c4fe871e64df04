"""What two cleaners, a and b, do to one document for one topic, and what is found of it.

A pair has a value for either, a's first. Texts are those of the pages, unescaped: whoever shows
them must make them harmless.

As JSON, for programs and for the report:

    explain_version  1
    cleaners         [a, b]
    depth            documents that are the top of a run
    topics           a list: id, query, terms, judged and relevant (null where the qrels have no
                     such topic), top_relevant and top_judged (pairs), and
      documents      those that left the top, that entered it, that stayed: docid, title, change
                     ("left", "entered", "moved", "same"), grade (null: not judged), rank and
                     score (pairs, null where not in the run), tokens and counts (pairs), sentence,
                     verdict ("gain", "loss", null), and
        matches      blocks with a term, the first of documents that stayed: block, kept (a pair of
                     0 and 1), counts, snippet (plain text and marked words by turns)
    pages            docid -> title, texts (of all blocks, cut), words (null for an extractor's
                     text), kept (a pair of strings, a 0 or 1 for each block), extractors (names
                     of those whose texts follow the blocks)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Literal, TypeVar

import numpy as np
from msgspec import Struct, to_builtins

from boilersweep.eval.ranking.snippets import TermFinder, snippet
from boilersweep.eval.ranking.texts_of_pages import AnalysedPage
from boilersweep.outputs.terminal import cut, isolated

# The version of the JSON.
VERSION = 1

Value = TypeVar("Value")
Pair = tuple[Value, Value]
Counts = tuple[int, ...]

Change = Literal["left", "entered", "moved", "same"]
Verdict = Literal["gain", "loss"]


class Match(Struct, frozen=True):
    """A block that holds a term of the query.

    Attributes:
        block: Its number in the page.
        kept: 1 for a cleaner that keeps it, else 0.
        counts: How often it holds each term of the query.
        snippet: Plain text and words that carry a term in turn, plain text first and last.
    """

    block: int
    kept: Pair[int]
    counts: Counts
    snippet: tuple[str, ...]


class DocumentEvidence(Struct, frozen=True):
    """A document at the top of either run.

    Attributes:
        docid: The document.
        title: Its title.
        change: What happened to it.
        grade: Its grade; None if it is not judged.
        rank: Its ranks from 1; None if it is not in the run.
        score: Its scores; None as the rank.
        tokens: Its length in either index.
        counts: How often either index has each term of the query in it.
        sentence: What happened to it, in words.
        verdict: `gain` for a relevant document that entered or an irrelevant one that left, `loss`
            for the reverse; None if it stayed or is not judged.
        matches: Its blocks with a term; the first if it stayed.
    """

    docid: str
    title: str
    change: Change
    grade: int | None
    rank: Pair[int | None]
    score: Pair[float | None]
    tokens: Pair[int]
    counts: Pair[Counts]
    sentence: str
    verdict: Verdict | None
    matches: tuple[Match, ...]


class TopicEvidence(Struct, frozen=True):
    """What two cleaners do to a topic.

    Attributes:
        id: The topic.
        query: Its query.
        terms: The query's analysed terms, each once.
        judged: Judged documents of the qrels; None if they lack the topic.
        relevant: Relevant documents of the qrels; None if they lack the topic.
        top_relevant: Relevant documents at the top of either run.
        top_judged: Judged documents at the top of either run.
        documents: Those that left, by their rank before; those that entered, by their rank after;
            then those that stayed.
    """

    id: str
    query: str
    terms: tuple[str, ...]
    judged: int | None
    relevant: int | None
    top_relevant: Pair[int]
    top_judged: Pair[int]
    documents: tuple[DocumentEvidence, ...]


class PageView(Struct, frozen=True):
    """All b blocks of a page; the texts of extractors follow as further blocks.

    Attributes:
        title: The page's title.
        texts: (b,) texts, cut to some length.
        words: (b,) words; None for an extractor's text.
        kept: For a and b, a 0 or 1 for each block.
        extractors: Names of the extractors.
    """

    title: str
    texts: tuple[str, ...]
    words: tuple[int | None, ...]
    kept: Pair[str]
    extractors: tuple[str, ...]

    @property
    def own(self) -> int:
        """The number of the page's own blocks, before the texts of extractors."""
        return len(self.texts) - len(self.extractors)


class Evidence(Struct, frozen=True):
    """What two cleaners do to some topics.

    Attributes:
        cleaners: Their texts.
        depth: The documents that are the top of a run.
        topics: The topics.
        pages: Docid -> each document that entered or left the top of a topic.
    """

    cleaners: Pair[str]
    depth: int
    topics: tuple[TopicEvidence, ...]
    pages: dict[str, PageView]


def evidence_json(evidence: Evidence) -> dict[str, Any]:
    """Return the evidence as JSON values, ten kilobytes per document that left or entered."""
    return {"explain_version": VERSION, **to_builtins(evidence)}


# The most of a title or of a page's block.
CHARACTERS = 160


@dataclass(frozen=True, slots=True)
class Effect:
    """What a second cleaner does to a document in place of the first.

    Attributes:
        cleaners: Their texts.
        matches: Occurrences of the query's terms in either index.
        tokens: All tokens in either index.
        lost: Occurrences in blocks that only the first keeps.
        lost_in: The number of these blocks.
        gained: Occurrences in blocks that only the second keeps.
        gained_in: The number of these blocks.
        gone: Terms that only the first has.
        rank: The ranks; None if the document is not in the run.
    """

    cleaners: Pair[str]
    matches: Pair[int]
    tokens: Pair[int]
    lost: int
    lost_in: int
    gained: int
    gained_in: int
    gone: tuple[str, ...]
    rank: Pair[int | None]

    @property
    def rise(self) -> int:
        """1 if its rank is better after, -1 if it was better before, else 0."""
        before, after = (inf if rank is None else rank for rank in self.rank)
        return (after < before) - (before < after)


def account(effect: Effect) -> str:
    """Tell what happened to the document's matches and length, and so why it moved."""
    before, after = effect.matches
    if not before:
        return _found(effect)
    if not effect.tokens[1]:
        gone = "its only match is" if before == 1 else f"all its {before:,} matches are"
        return f"Nothing of it is left: {gone} gone."
    if not after:
        stood = (
            f" stood in {_blocks(effect.lost_in, 'dropped')}"
            if effect.lost_in
            else " are gone"
        )
        return f"{_all_of(before)}{stood}: it is not found any more."
    same_length = effect.tokens[0] == effect.tokens[1]
    if not (effect.lost or effect.gained) and before == after and same_length:
        moved = "; other documents moved" if effect.rise else ""
        return f"{_keeps_all(before)} and its length{moved}."
    gone = f" ({', '.join(map(isolated, effect.gone))} gone)" if effect.gone else ""
    return f"{_of_matches(effect)}{gone}; {_of_length(effect)}{_despite(effect)}."


def _found(effect: Effect) -> str:
    first = effect.cleaners[0]
    if effect.gained_in:
        where = f"{_blocks(effect.gained_in, '')} that {first} drops"
        return f"Found now: {_match_count(effect.matches[1])} in {where}."
    return f"Found now: {_match_count(effect.matches[1])}, none under {first}."


def _of_matches(effect: Effect) -> str:
    before, after = effect.matches
    lost, gained = effect.lost, effect.gained
    if lost - gained != before - after:
        # An extractor's text holds a block's words only roughly, so blocks do not add up.
        without = f", without {_blocks(effect.lost_in, '')} that held some"
        told = f"Has {_match_count(after)} in place of {before:,}"
        return told + (without if effect.lost_in else "")
    told = _keeps_all(before)
    if lost:
        blocks = _blocks(effect.lost_in, "dropped")
        told = f"{lost:,} of its {_match_count(before)} stood in {blocks}"
    if gained:
        where = _blocks(effect.gained_in, "")
        told += (
            f", and it has {gained:,} more in {where} that {effect.cleaners[0]} drops"
        )
    return told


def _of_length(effect: Effect) -> str:
    before, after = effect.tokens
    if before == after:
        return f"its length stays at {before:,} tokens"
    changes = "shrinks" if after < before else "grows"
    return f"its text {changes} from {before:,} to {after:,} tokens"


def _despite(effect: Effect) -> str:
    """Explain why a document rose although it lost matches, or fell although it lost none."""
    before, after = effect.matches
    # The densities, times both lengths
    density = after * effect.tokens[0], before * effect.tokens[1]
    if effect.rise > 0 and after < before:
        return (
            ", where they are denser"
            if density[0] > density[1]
            else ", yet others lose more"
        )
    if effect.rise > 0 and after == before and density[0] < density[1]:
        return ", yet others lose more"
    if effect.rise < 0 and after >= before:
        return (
            ", where they are sparser"
            if density[0] < density[1]
            else ", yet others gain more"
        )
    return ""


def _keeps_all(matches: int) -> str:
    return (
        "Keeps its only match" if matches == 1 else f"Keeps all its {matches:,} matches"
    )


def _all_of(matches: int) -> str:
    return "Its only match" if matches == 1 else f"All its {matches:,} matches"


def _match_count(count: int) -> str:
    return "1 match" if count == 1 else f"{count:,} matches"


def _blocks(count: int, kind: str) -> str:
    return f"{count:,} {kind + ' ' if kind else ''}block{'' if count == 1 else 's'}"


# Docid -> rank and score, best first, of documents at the top of either run.
Hits = Mapping[str, tuple[int, float]]

_NO_HIT = (None, None)
_DIGITS = 4  # of a score


@dataclass(frozen=True, slots=True, eq=False)
class ExplainedTopic:
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
    page: AnalysedPage, topic: ExplainedTopic, cleaners: Pair[str], finder: TermFinder
) -> DocumentEvidence:
    """Explain why a document has its ranks; `cleaners` are their texts."""
    change = topic.changes[page.docid]
    grade = None if topic.grades is None else topic.grades.get(page.docid)
    before, after = (hits.get(page.docid, _NO_HIT) for hits in topic.hits)
    counts = [tuple(block[term] for term in topic.terms) for block in page.counts]
    of_title = tuple(page.title_counts[term] for term in topic.terms)
    total = (_total(page, counts, of_title, 0), _total(page, counts, of_title, 1))
    rank = (before[0], after[0])
    effect = _effect(page, cleaners, topic.terms, counts, total, rank)
    is_told = change in ("left", "entered")
    return DocumentEvidence(
        docid=page.docid,
        title=cut(page.title, CHARACTERS),
        change=change,
        grade=grade,
        rank=rank,
        score=(_rounded(before[1]), _rounded(after[1])),
        tokens=effect.tokens,
        counts=total,
        sentence=account(effect),
        verdict=_verdict(change, grade) if is_told else None,
        matches=_matches(page, counts, topic.terms, finder)[: None if is_told else 1],
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


def _total(
    page: AnalysedPage, counts: Sequence[Counts], of_title: Counts, side: int
) -> Counts:
    weights = page.indexed[side]
    here = [
        (counts[block], int(weights[block]))
        for block in np.flatnonzero(weights).tolist()
    ]
    if page.tokens[side]:
        here.append((of_title, 1))
    return tuple(
        sum(block[term] * weight for block, weight in here)
        for term in range(len(of_title))
    )


def _effect(
    page: AnalysedPage,
    cleaners: Pair[str],
    terms: tuple[str, ...],
    counts: Sequence[Counts],
    total: Pair[Counts],
    rank: Pair[int | None],
) -> Effect:
    first, second = page.held[:, : page.own]
    here = np.array([sum(block) for block in counts[: page.own]], dtype=np.int64)
    lost, gained = here * (first & ~second), here * (second & ~first)
    tokens = page.tokens
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
    page: AnalysedPage,
    counts: Sequence[Counts],
    terms: tuple[str, ...],
    finder: TermFinder,
) -> tuple[Match, ...]:
    blocks = [block for block, count in enumerate(counts) if any(count)]
    spans = finder.spans([page.texts[block] for block in blocks], terms)
    return tuple(
        Match(
            block=block,
            kept=(int(page.kept[0, block]), int(page.kept[1, block])),
            counts=counts[block],
            snippet=snippet(page.texts[block], matches),
        )
        for block, matches in zip(blocks, spans, strict=True)
    )


def _verdict(change: Change, grade: int | None) -> Verdict | None:
    if grade is None:
        return None
    return "gain" if (grade > 0) == (change == "entered") else "loss"


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, _DIGITS)
