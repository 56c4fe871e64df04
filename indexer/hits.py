"""The hits of a search and their documents, read from Java in a few calls.

To read hits one by one takes several times as long as the search itself.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from boilersweep.indexer.contents import NONCHARACTER
from boilersweep.indexer.lucene import CONTENTS, DOCID, RAW
from boilersweep.outputs.typed_files import parse_json

_HIT = "io.anserini.search.ScoredDoc"
# Between strings that are read as one, the first that none of them has.
_SEPARATORS = ("\n", NONCHARACTER, "\0")
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
    keys = _strings(lambda: answer.keySet().stream(), None, answer.size())
    arrays = autoclass("java.util.ArrayList")()
    arrays.addAll(answer.values())
    lists: list[list[tuple[str, float]]] = []
    for start in range(0, len(keys), _QUERIES_AT_ONCE):
        lists += _read(arrays.subList(start, min(start + _QUERIES_AT_ONCE, len(keys))))
    read = dict(zip(keys, lists, strict=True))
    return {qid: read.get(qid, []) for qid in qids}


def _read(arrays: Any) -> list[list[tuple[str, float]]]:
    """Read the hits of a Java list of arrays."""
    readers = _readers()
    lengths = list(
        map(int, _strings(lambda: arrays.stream(), readers.length, arrays.size()))
    )

    def hits() -> Any:
        return arrays.stream().flatMap(readers.hits)

    docids = _strings(hits, readers.docid, sum(lengths))
    bits = _strings(hits, readers.score_bits, sum(lengths))
    scores = np.array(list(map(int, bits)), dtype=np.int32).view(np.float32).tolist()
    pairs = iter(zip(docids, scores, strict=True))
    return [list(islice(pairs, length)) for length in lengths]


def _strings(stream: Callable[[], Any], reader: Any, count: int) -> list[str]:
    """Return the strings that a function of Java's reads of so many elements.

    Args:
        stream: Begins a Java stream of the elements.
        reader: The function; None if the elements are strings.
        count: The number of elements.
    """
    from jnius import autoclass, cast

    strings: list[str] = []
    for separator in _SEPARATORS:
        if len(strings) == count:
            break
        # A space comes first: pyjnius takes a byte order mark away that does.
        between, first, last = (
            cast("java.lang.CharSequence", autoclass("java.lang.String")(part.encode()))
            for part in (separator, " ", "")
        )
        joining = autoclass("java.util.stream.Collectors").joining(between, first, last)
        elements = stream().map(reader) if reader else stream()
        strings = str(elements.collect(joining))[1:].split(separator)
    return strings


class _Readers(NamedTuple):
    """Java's functions that read hits.

    Attributes:
        hits: From an array to the stream of its hits.
        docid: From a hit to its docid.
        score_bits: From a hit to the bits of its score, as text.
        length: From an array to its length, as text.
    """

    hits: Any
    docid: Any
    score_bits: Any
    length: Any


@cache
def _readers() -> _Readers:
    from jnius import autoclass

    handles = autoclass("java.lang.invoke.MethodHandles")
    lookup = handles.publicLookup()
    method_type = autoclass("java.lang.invoke.MethodType")
    proxies = autoclass("java.lang.invoke.MethodHandleProxies")
    text, hit = _class("java.lang.String"), _class(_HIT)
    whole, real = autoclass("java.lang.Integer").TYPE, autoclass("java.lang.Float").TYPE
    streams = method_type.methodType(
        _class("java.util.stream.Stream"), _class("[Ljava.lang.Object;")
    )

    def function(handle: Any) -> Any:
        return proxies.asInterfaceInstance(
            _class("java.util.function.Function"), handle
        )

    def as_text(handle: Any) -> Any:
        value_of = lookup.findStatic(
            text, "valueOf", method_type.methodType(text, whole)
        )
        return function(handles.filterReturnValue(handle, value_of))

    bits = lookup.findStatic(
        _class("java.lang.Float"),
        "floatToRawIntBits",
        method_type.methodType(whole, real),
    )
    return _Readers(
        hits=function(lookup.findStatic(_class("java.util.Arrays"), "stream", streams)),
        docid=function(lookup.findGetter(hit, "docid", text)),
        score_bits=as_text(
            handles.filterReturnValue(lookup.findGetter(hit, "score", real), bits)
        ),
        length=as_text(handles.arrayLength(_class(f"[L{_HIT};"))),
    )


def _class(name: str) -> Any:
    from jnius import autoclass

    return autoclass("java.lang.Class").forName(name)
