"""The hits of a query with what their index holds of them, for a terminal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boilersweep.eval.explain.snippets import (
    TermFinder,
    harmless,
    snippet,
    starred,
    wrapped,
)
from boilersweep.eval.ranking.search import StoredDocument
from boilersweep.indexer.analyzer import AnalyzerOptions, BlockAnalyzer, split_tokens
from boilersweep.pages.stray_characters import as_shown

_GAP = "  "


def hit_list(
    query: str,
    hits: Sequence[tuple[str, float]],
    documents: Sequence[StoredDocument],
    analyzer: AnalyzerOptions,
    width: int,
) -> str:
    """Return a line per hit with rank, score and docid, then title, URL, date and a snippet.

    Asterisks mark the snippet's words that carry a term of the query. The JVM must run.

    Args:
        query: The query.
        hits: Docid and score, the best first.
        documents: Their documents.
        analyzer: The index's analyzer.
        width: The width of the lines.
    """
    block_analyzer = BlockAnalyzer(analyzer)
    terms = split_tokens(block_analyzer.tokens([as_shown(query)])[0])
    # An index's contents begin with the title, which has a line of its own here.
    texts = [one.text.removeprefix(f"{one.title}\n") for one in documents]
    spans = TermFinder(block_analyzer, analyzer).spans(texts, terms)
    rank_width = len(str(len(hits)))
    indent = " " * rank_width + _GAP
    lines = []
    for rank, (docid, score) in enumerate(hits, start=1):
        one = documents[rank - 1]
        address = [harmless(part) for part in (one.url, one.date) if part]
        lines += [
            f"{rank:>{rank_width}}{_GAP}{score:.4f}{_GAP}{harmless(docid)}",
            wrapped(harmless(one.title), indent, width),
            indent + _GAP.join(address) if address else "",
            wrapped(starred(snippet(texts[rank - 1], spans[rank - 1])), indent, width),
        ]
    return "\n".join(line for line in lines if line)


@dataclass(frozen=True, slots=True)
class Move:
    """A document in two lists.

    Attributes:
        docid: The document.
        rank: Its rank in the second list; None if it left.
        before: Its rank in the first list; None if it entered.
    """

    docid: str
    rank: int | None
    before: int | None

    @property
    def change(self) -> str:
        """What happened to the document; "" if its rank is the same."""
        if self.rank is None:
            return f"left {self.before}"
        if self.before is None:
            return "entered"
        return "" if self.before == self.rank else f"was {self.before}"


def moves(before: Sequence[str], after: Sequence[str]) -> list[Move]:
    """Return the second list with each document's rank in the first, then those that left."""
    ranks = {docid: rank for rank, docid in enumerate(before, start=1)}
    found = [
        Move(docid, rank, ranks.get(docid)) for rank, docid in enumerate(after, start=1)
    ]
    return found + [
        Move(docid, None, ranks[docid]) for docid in before if docid not in after
    ]


def move_lines(
    found: Sequence[Move], titles: Mapping[str, str], width: int
) -> list[str]:
    """Return a line for each document, with its title of docid -> title."""
    return [
        f"{one.rank or '':>3}  {one.change:<8} {harmless(one.docid)}  "
        f"{harmless(titles.get(one.docid, ''))}"[:width].rstrip()
        for one in found
    ]
