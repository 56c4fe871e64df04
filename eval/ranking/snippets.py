"""For a terminal: words of a text that carry terms of a query, snippets around them, and hits."""

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from boilersweep.eval.ranking.search import StoredDocument
from boilersweep.indexer.analyzer import AnalyzerOptions, BlockAnalyzer, split_tokens
from boilersweep.outputs.terminal import ELLIPSIS, harmless, starred, wrapped
from boilersweep.pages.stray_characters import as_shown
from boilersweep.pages.words import has_unspaced

# The most characters of a snippet, without ellipses.
SNIPPET = 300


_LEAD = 60  # characters before the first word of a snippet that is cut
# Vowel signs and accents that come after a letter, and joiners, which are parts of words.
_MARKS = "\u200c\u200d" + "".join(
    sign
    for sign in map(chr, range(0x300, 0xD800))
    if unicodedata.category(sign) in ("Mn", "Mc")
)

_LETTERS = rf"\w[\w{_MARKS}]*"
_WORD = re.compile(
    rf"{_LETTERS}(?:['\u2019\uff07.]{_LETTERS})*"
)  # about what Lucene's standard tokenizer takes for a word
_RUN = re.compile(r"\S+")

Span = tuple[int, int]


class TermFinder:
    """Finds the words that carry a term, analysing each word once and by itself.

    A word that the analyzer reads differently within its text is not found.
    """

    def __init__(self, analyzer: BlockAnalyzer, options: AnalyzerOptions) -> None:
        self._analyzer = analyzer
        self._word = _RUN if options.pretokenized else _WORD
        self._terms: dict[str, frozenset[str]] = {}

    def spans(self, texts: Sequence[str], terms: Collection[str]) -> list[list[Span]]:
        """Return each text's places, start and end, of the words that carry one of the terms."""
        in_texts = [list(self._word.finditer(text)) for text in texts]
        new = {
            match[0] for matches in in_texts for match in matches
        } - self._terms.keys()
        words = list(new)
        for word, tokens in zip(words, self._analyzer.tokens(words), strict=True):
            self._terms[word] = frozenset(split_tokens(tokens))
        wanted = frozenset(terms)
        return [
            [
                span
                for match in matches
                if (carried := wanted & self._terms[match[0]])
                for span in _carriers(match, carried)
            ]
            for matches in in_texts
        ]


def _carriers(match: re.Match[str], terms: frozenset[str]) -> list[Span]:
    """Return where a word carries some terms: the whole word, or the terms within it.

    In scripts without spaces, a "word" is all text between two spaces, and only the terms count.
    """
    word, start = match[0], match.start()
    held = [False] * len(word)
    for term in terms if has_unspaced(word) else ():
        for index in range(len(word)):
            if word.startswith(term, index):
                held[index : index + len(term)] = [True] * len(term)
    if not any(held):
        return [match.span()]
    edges = [
        index for index, (a, b) in enumerate(pairwise([False, *held, False])) if a != b
    ]
    return [
        (start + a, start + b) for a, b in zip(edges[::2], edges[1::2], strict=True)
    ]


def snippet(text: str, spans: Sequence[Span], most: int = SNIPPET) -> tuple[str, ...]:
    """Return the stretch of a text with most of the marked words.

    Args:
        text: The text.
        spans: The words' places, ascending.
        most: The most characters of the stretch.

    Returns:
        Plain text and marked words in turn.
    """
    first, end = _stretch(text, spans, most)
    pieces: list[str] = []
    at = first
    for start, stop in spans:
        if first <= start and stop <= end:
            pieces += (text[at:start], text[start:stop])
            at = stop
    pieces.append(text[at:end])
    pieces[0] = (ELLIPSIS if first else "") + pieces[0]
    pieces[-1] += ELLIPSIS if end < len(text) else ""
    return tuple(pieces)


def _stretch(text: str, spans: Sequence[Span], most: int) -> Span:
    """Return the start and end of the first stretch with most of the words."""
    if len(text) <= most:
        return 0, len(text)
    best, most_words, after = 0, 0, 0
    for index, (start, _) in enumerate(spans):
        while after < len(spans) and spans[after][1] <= start + most - _LEAD:
            after += 1
        if after - index > most_words:
            best, most_words = start, after - index
    first = max(0, min(best - _LEAD, len(text) - most))
    if first:  # not within a word
        space = text.find(" ", first, best)
        first = space + 1 if space >= 0 else first
    return first, min(first + most, len(text))


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
    texts = [
        document.text.removeprefix(f"{document.title}\n") for document in documents
    ]
    spans = TermFinder(block_analyzer, analyzer).spans(texts, terms)
    rank_width = len(str(len(hits)))
    indent = " " * rank_width + _GAP
    lines = []
    for rank, (docid, score) in enumerate(hits, start=1):
        hit = documents[rank - 1]
        address = [harmless(part) for part in (hit.url, hit.date) if part]
        lines += [
            f"{rank:>{rank_width}}{_GAP}{score:.4f}{_GAP}{harmless(docid)}",
            wrapped(harmless(hit.title), indent, width),
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
    entered = [
        Move(docid, rank, ranks.get(docid)) for rank, docid in enumerate(after, start=1)
    ]
    return entered + [
        Move(docid, None, ranks[docid]) for docid in before if docid not in after
    ]


def move_lines(
    moved: Sequence[Move], titles: Mapping[str, str], width: int
) -> list[str]:
    """Return a line for each document, with its title of docid -> title."""
    return [
        f"{move.rank or '':>3}  {move.change:<8} {harmless(move.docid)}  "
        f"{harmless(titles.get(move.docid, ''))}"[:width].rstrip()
        for move in moved
    ]
