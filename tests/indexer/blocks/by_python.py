"""What our Java classes read and write, one document, position and pair of numbers at a time."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from boilersweep.indexer.arithmetic import (
    Codes,
    Documents,
    Floats,
    best,
    docid_ranks,
    separate_ties,
    sum_of_terms,
)
from boilersweep.indexer.blocks.codec import LINES, decode_lines, encoded
from boilersweep.indexer.blocks.kept import BlockIndex
from boilersweep.indexer.blocks.table import Occurrences
from boilersweep.indexer.lucene import CONTENTS
from boilersweep.pages.columns import IntArray

_LUCENE = "org.apache.lucene."
_ATTRIBUTES = f"{_LUCENE}analysis.tokenattributes."
_NO_MORE_DOCUMENTS = 2**31 - 1
_POSITIONS = 24  # Lucene's PostingsEnum.POSITIONS


def bytes_of(ref: Any) -> bytes:
    """Return the bytes of Lucene's BytesRef."""
    some = ref.bytes[ref.offset : ref.offset + ref.length]
    return bytes(byte & 255 for byte in some)


def encode_lines(spans: IntArray, steps: IntArray, stacked: IntArray) -> bytes:
    """Return the value that `boilersweep.BlockContents` writes.

    Args:
        spans: (l,) the positions of each line.
        steps: (l,) how many of these have a token.
        stacked: (l,) the tokens of each line at the position of the one before.
    """
    codes = spans * (spans + 1) // 2 + spans - steps
    some_stacked = stacked if stacked.any() else stacked[:0]
    numbers = np.concatenate([np.array([len(spans)]), codes, some_stacked])
    return encoded(numbers.astype(np.uint64))[0].tobytes()


def read_lines(analyzer: Any, contents: str) -> bytes:
    """Return what `boilersweep.BlockContents` notes of contents, token by token."""
    from jnius import autoclass, cast

    def attribute(stream: Any, name: str) -> Any:
        kind = autoclass("java.lang.Class").forName(_ATTRIBUTES + name)
        return cast(_ATTRIBUTES + name, stream.addAttribute(kind))

    steps, offsets = [], []
    stream = analyzer.tokenStream(CONTENTS, contents)
    step = attribute(stream, "PositionIncrementAttribute")
    offset = attribute(stream, "OffsetAttribute")
    stream.reset()
    while stream.incrementToken():
        steps.append(step.getPositionIncrement())
        offsets.append(offset.startOffset())
    stream.end()
    stream.close()
    # Java counts units of UTF-16.
    units = np.frombuffer(contents.encode("utf-16-le"), dtype="<u2")
    ends = np.flatnonzero(units == ord("\n"))
    lines = np.searchsorted(ends, offsets)
    positions = np.cumsum([0, *steps])
    stacked = np.array(steps, dtype=np.int64) == 0
    # A line begins at its first token, or where the next line with a token does.
    firsts = np.searchsorted(lines, np.arange(1, len(ends) + 1))
    behind = np.append(positions[1:] - 1, positions[-1])
    begins = np.concatenate([[0], behind[firsts], behind[-1:]])
    count = len(ends) + 1
    return encode_lines(
        np.diff(begins),
        np.bincount(lines[~stacked], minlength=count),
        np.bincount(lines[stacked], minlength=count),
    )


def leaves_of(reader: Any) -> list[Any]:
    """Return Java's readers of an index's segments."""
    from jnius import cast

    contexts = cast(f"{_LUCENE}index.IndexReader", reader).leaves()
    kind = f"{_LUCENE}index.LeafReader"
    return [cast(kind, contexts.get(n).reader()) for n in range(contexts.size())]


def read_values(leaf: Any, field: str) -> list[bytes]:
    """Return each document's value in a segment; b"" for a deleted one."""
    live, found = leaf.getLiveDocs(), leaf.getBinaryDocValues(field)
    values = []
    for document in range(leaf.maxDoc()):
        if live is not None and not live.get(document):
            values.append(b"")
        else:
            assert found.advanceExact(document)
            values.append(bytes_of(found.binaryValue()))
    return values


def occurrences(
    leaves: Sequence[Any], starts: IntArray, spans: IntArray, term: bytes
) -> Occurrences:
    """Read where a term occurs, position by position.

    Args:
        leaves: Java's readers of the segments.
        starts: (N + 1,) the lines of document i are starts[i] to starts[i + 1].
        spans: (l,) the positions of each line.
        term: The term.
    """
    begins = np.cumsum(np.concatenate([[0], spans]))
    parts, before = [np.empty((0, 2), dtype=np.int64)], 0
    for leaf in leaves:
        found = _positions(leaf, term)
        found[:, 0] += before
        parts.append(found)
        before += leaf.maxDoc()
    documents, positions = np.concatenate(parts).T
    lines = np.searchsorted(begins, begins[starts[documents]] + positions, "right") - 1
    return Occurrences(documents.astype(np.int32), lines.astype(np.int32))


def _positions(leaf: Any, term: bytes) -> IntArray:
    """Return (o, 2) a document and a position for every occurrence of a term in a segment."""
    from jnius import autoclass

    rows: list[tuple[int, int]] = []
    terms = leaf.terms(CONTENTS)
    found = terms.iterator() if terms is not None else None
    if found is not None and found.seekExact(
        autoclass(f"{_LUCENE}util.BytesRef")(term)
    ):
        postings = found.postings(None, _POSITIONS)
        while (document := postings.nextDoc()) != _NO_MORE_DOCUMENTS:
            rows += (
                (document, postings.nextPosition()) for _ in range(postings.freq())
            )
    return np.array(rows, dtype=np.int64).reshape(-1, 2)


def search(
    blocks: BlockIndex, leaves: Sequence[Any], query: str, rule: str, similarity: Any
) -> tuple[Documents, Floats]:
    """Return all documents under a rule with their scores, as `BlockIndex.search`."""
    values = [value for leaf in leaves for value in read_values(leaf, LINES)]
    lengths = np.array([*map(len, values)])
    lines = decode_lines(np.frombuffer(b"".join(values), np.uint8), lengths)
    kept = blocks.kept(rule)
    documents, scored = [np.empty(0, np.int64)], [np.empty(0, np.float32)]
    for term, count in Counter(blocks.terms(query)).items():
        found = occurrences(leaves, lines.starts, lines.spans, term.encode())
        tf = np.zeros(len(values), dtype=np.int64)
        np.add.at(tf, found.documents, kept.weights[found.lines])
        here = np.flatnonzero((tf > 0) & (kept.codes > 0))
        if len(here):
            collection = (kept.documents, kept.tokens)
            documents.append(here)
            scored.append(
                scores(similarity, count, collection, term, tf[here], kept.codes[here])
            )
    found_documents, total = sum_of_terms(documents, scored)
    ranks = docid_ranks(blocks.table.docids)
    ranked = best(found_documents, total.astype(np.float32), ranks, len(values))
    return ranked[0], separate_ties(ranked[1])


def scores(
    similarity: Any,
    count: int,
    collection: tuple[int, int],
    term: str,
    tf: IntArray,
    codes: Codes,
) -> Floats:
    """Return the scores that Lucene gives documents, each pair of frequency and length once.

    Args:
        similarity: Lucene's similarity.
        count: How often the query has the term.
        collection: The documents of the collection, and its tokens.
        term: The term.
        tf: (d,) how often each document has the term.
        codes: (d,) the codes of the documents' lengths.
    """
    from jnius import autoclass

    documents, tokens = collection
    # Documents have at least one term each.
    of_collection = autoclass(f"{_LUCENE}search.CollectionStatistics")(
        CONTENTS, documents, documents, tokens, documents
    )
    of_term = autoclass(f"{_LUCENE}search.TermStatistics")(
        autoclass(f"{_LUCENE}util.BytesRef")(term.encode()), len(tf), int(tf.sum())
    )
    scorer = similarity.scorer(float(count), of_collection, of_term)
    pairs, of = np.unique(tf << 8 | codes, return_inverse=True)
    found = [
        scorer.score(float(pair >> 8), (pair & 255) - 256 * (pair & 255 > 127))
        for pair in pairs.tolist()
    ]
    return np.array(found, dtype=np.float32)[of]
