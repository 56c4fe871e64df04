"""What is found of topics, documents and blocks under two cleaners, a and b.

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

from typing import Any, Literal, TypeVar

from msgspec import Struct, to_builtins

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
