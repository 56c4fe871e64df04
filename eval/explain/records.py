"""What is found of topics, documents and blocks under two cleaners, a and b.

A pair has a value for either, a's first. Texts are those of the pages: whoever shows them makes
them harmless first.
"""

from dataclasses import dataclass
from typing import Literal, TypeVar

Value = TypeVar("Value")
Pair = tuple[Value, Value]
Counts = tuple[int, ...]

Change = Literal["left", "entered", "moved", "same"]
Verdict = Literal["gain", "loss"]


@dataclass(frozen=True, slots=True)
class Match:
    """A block that holds a term of the query.

    block: its number in the page. kept: whether a and b keep it. counts: how often it holds each
    term of the query. snippet: plain text and words that carry a term, by turns, plain text first
    and last.
    """

    block: int
    kept: Pair[bool]
    counts: Counts
    snippet: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentEvidence:
    """A document that is at the top of either run.

    grade: None where it is not judged. rank: from 1, None where it is not in the run. score: None
    as the rank. tokens: its length as the indexes have it. counts: how often either index has each
    term of the query in it. sentence: what happened. verdict: a relevant document that entered is
    a gain, one that left a loss, and the other way round where it is judged irrelevant; None for
    one that stayed or is not judged. matches: none for a document that stayed.
    """

    docid: str
    change: Change
    grade: int | None
    rank: Pair[int | None]
    score: Pair[float | None]
    tokens: Pair[int]
    counts: Pair[Counts]
    sentence: str
    verdict: Verdict | None
    matches: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class TopicEvidence:
    """What two cleaners do to a topic.

    terms: of the query as analysed, each once. judged, relevant: documents of the qrels, None
    where they do not name the topic. top_relevant, top_judged: documents at the top of either run.
    documents: those that left by their rank before, those that entered by their rank after, then
    those that stayed.
    """

    id: str
    query: str
    terms: tuple[str, ...]
    judged: int | None
    relevant: int | None
    top_relevant: Pair[int]
    top_judged: Pair[int]
    documents: tuple[DocumentEvidence, ...]


@dataclass(frozen=True, slots=True)
class PageView:
    """All b blocks of a page; the texts of extractors follow them as blocks more.

    texts: (b,) cut to some length. words: (b,) None for an extractor's text. kept: for a and b
    (b,). extractors: names of those whose texts are at the end.
    """

    title: str
    texts: tuple[str, ...]
    words: tuple[int | None, ...]
    kept: Pair[tuple[bool, ...]]
    extractors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What two cleaners do to some topics.

    cleaners: their texts. depth: documents that are the top of a run. pages: docid -> every
    document that left or entered the top of a topic.
    """

    cleaners: Pair[str]
    depth: int
    topics: tuple[TopicEvidence, ...]
    pages: dict[str, PageView]
