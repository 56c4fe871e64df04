"""The hits of a search and their documents, read from Java in a few calls.

To read hits one by one takes several times as long as the search itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

import numpy as np

from boilersweep.indexer.compiled import java_class
from boilersweep.indexer.lucene import CONTENTS, DOCID, RAW
from boilersweep.outputs.typed_files import parse_json

_QUERIES_AT_ONCE = 500  # Java has all that is read of them as text at once: some 50 MB


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it is stored, with the calls of pyserini's class.

    Attributes:
        lucene: Lucene's own document.
    """

    lucene: Any

    def docid(self) -> str:
        """Return the docid."""
        return str(self.lucene.get(DOCID))

    def contents(self) -> str | None:
        """Return the cleaned text; None where the index was built without --storeContents."""
        return self.get(CONTENTS)

    def raw(self) -> str | None:
        """Return JSON of the stored fields and the contents; None if built without --storeRaw."""
        return self.get(RAW)

    def get(self, field: str) -> str | None:
        """Return the stored value of a field, such as `title` or `url`; None if it has none."""
        value: str | None = self.lucene.get(field)
        return value

    def text(self) -> str | None:
        """Return the cleaned text, from contents or else from raw; None where neither is stored."""
        contents, raw = self.contents(), self.raw()
        if contents is None and raw is not None:
            try:
                contents = parse_json(raw)[CONTENTS]
            except (ValueError, KeyError, TypeError):  # another's raw may be anything
                return None
        return contents


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that a search returned.

    Attributes:
        docid: The docid.
        score: The score.
        scored: Anserini's ScoredDoc.
    """

    docid: str
    score: float
    scored: Any

    @property
    def lucene_docid(self) -> int:
        """Lucene's number of the document."""
        return int(self.scored.lucene_docid)

    @property
    def document(self) -> Document:
        """The document as it is stored."""
        return Document(self.scored.lucene_document)


def read_hits(answer: Any, qids: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
    """Read docids and scores of each query in a few calls, in the order of qids.

    Args:
        answer: Java's map of ids to arrays of hits; a query that it lacks has none.
        qids: The ids of the queries.
    """
    from jnius import autoclass, cast

    answer = cast("java.util.Map", answer)
    lists: dict[str, list[tuple[str, float]]] = {}
    for start in range(0, len(qids), _QUERIES_AT_ONCE):
        batch = qids[start : start + _QUERIES_AT_ONCE]
        queries = autoclass("java.util.ArrayList")()
        for qid in batch:
            queries.add(qid)
        raw = java_class("Hits").read(answer, queries).tostring()
        lists |= zip(batch, _lists(raw, len(batch)), strict=True)
    return lists


def _lists(raw: bytes, queries: int) -> Iterator[list[tuple[str, float]]]:
    """Yield the hits of each query from what `boilersweep.Hits` returns."""
    sizes = np.frombuffer(raw, "<i4", queries)
    numbers = np.frombuffer(raw, "<i4", 2 * sizes.sum(), sizes.nbytes).reshape(-1, 2)
    docids = raw[sizes.nbytes + numbers.nbytes :].decode()
    ends = [0, *np.cumsum(numbers[:, 0]).tolist()]
    scores = numbers[:, 1].copy().view("<f4").tolist()
    hits = (
        (docids[start:end], score)
        for (start, end), score in zip(pairwise(ends), scores, strict=True)
    )
    for size in sizes.tolist():
        yield list(islice(hits, size))
