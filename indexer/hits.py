"""Docids and scores of all hits of a search, read from Java in a few calls.

To read them hit by hit takes several times as long as the search itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from boilersweep.indexer.pieces import NONCHARACTER

_HIT = "io.anserini.search.ScoredDoc"
# Between docids, the first that none has.
_SEPARATORS = ("\n", NONCHARACTER, "\0")
_QUERIES_AT_ONCE = 500  # Java has all that is read of them as text at once: some 50 MB


def read_hits(found: Any, qids: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
    """Read docids and scores of each query, in the order of qids.

    Args:
        found: Java's map of ids to arrays of hits; a query that it lacks has none.
        qids: The ids of the queries.
    """
    read: dict[str, list[tuple[str, float]]] = {}
    for start in range(0, len(qids), _QUERIES_AT_ONCE):
        read |= _read(found, qids[start : start + _QUERIES_AT_ONCE])
    return read


def _read(found: Any, qids: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
    from jnius import autoclass

    readers = _readers()
    there = [qid for qid in qids if found.containsKey(qid)]
    ids = autoclass("java.util.ArrayList")()
    for qid in there:
        ids.add(qid)
    lists = ids.stream().map(readers.list_of(found)).toList()
    lengths = [int(length) for length in readers.joined(lists.stream(), readers.length)]
    for separator in _SEPARATORS:
        hits_of_lists = lists.stream().flatMap(readers.hits)
        docids = readers.joined(hits_of_lists, readers.docid, separator)
        if len(docids) == sum(lengths):
            break
    bits = readers.joined(lists.stream().flatMap(readers.hits), readers.score_bits)
    scores = np.array(list(map(int, bits)), dtype=np.int32).view(np.float32).tolist()
    hits = iter(zip(docids, scores, strict=True))
    read = {
        qid: [next(hits) for _ in range(size)] for qid, size in zip(there, lengths, strict=True)
    }
    return {qid: read.get(qid, []) for qid in qids}


@dataclass(frozen=True, slots=True)
class _Readers:
    """Java's functions that read hits.

    Attributes:
        hits: From a list to the stream of its hits.
        docid: From a hit to its docid.
        score_bits: From a hit to the bits of its score, as text.
        length: From a list to its length, as text.
    """

    hits: Any
    docid: Any
    score_bits: Any
    length: Any

    def list_of(self, found: Any) -> Any:
        """Return a Java function from an id to the array that a map has for it."""
        from jnius import autoclass, cast

        lookup, method_type = _lookup()
        any_object = _class("java.lang.Object")
        kind = method_type.methodType(any_object, any_object)
        function = autoclass("java.lang.invoke.MethodHandleProxies").asInterfaceInstance
        return function(
            _class("java.util.function.Function"),
            lookup.bind(cast("java.util.Map", found), "get", kind),
        )

    def joined(self, stream: Any, reader: Any, separator: str = "\n") -> list[str]:
        """Return what a function reads of all elements."""
        from jnius import autoclass, cast

        # A space comes first: pyjnius takes a byte order mark away that does.
        between, first, last = (
            cast("java.lang.CharSequence", autoclass("java.lang.String")(part.encode()))
            for part in (separator, " ", "")
        )
        collectors = autoclass("java.util.stream.Collectors")
        text = str(stream.map(reader).collect(collectors.joining(between, first, last)))
        return text[1:].split(separator) if len(text) > 1 else []


@cache
def _readers() -> _Readers:
    from jnius import autoclass

    lookup, method_type = _lookup()
    handles = autoclass("java.lang.invoke.MethodHandles")
    proxies = autoclass("java.lang.invoke.MethodHandleProxies")
    text, hit = _class("java.lang.String"), _class(_HIT)
    whole, real = autoclass("java.lang.Integer").TYPE, autoclass("java.lang.Float").TYPE
    streams = method_type.methodType(
        _class("java.util.stream.Stream"), _class("[Ljava.lang.Object;")
    )

    def function(handle: Any) -> Any:
        return proxies.asInterfaceInstance(_class("java.util.function.Function"), handle)

    def as_text(handle: Any) -> Any:
        value_of = lookup.findStatic(text, "valueOf", method_type.methodType(text, whole))
        return function(handles.filterReturnValue(handle, value_of))

    bits = lookup.findStatic(
        _class("java.lang.Float"), "floatToRawIntBits", method_type.methodType(whole, real)
    )
    return _Readers(
        hits=function(lookup.findStatic(_class("java.util.Arrays"), "stream", streams)),
        docid=function(lookup.findGetter(hit, "docid", text)),
        score_bits=as_text(handles.filterReturnValue(lookup.findGetter(hit, "score", real), bits)),
        length=as_text(handles.arrayLength(_class(f"[L{_HIT};"))),
    )


def _lookup() -> tuple[Any, Any]:
    from jnius import autoclass

    lookup = autoclass("java.lang.invoke.MethodHandles").publicLookup()
    return lookup, autoclass("java.lang.invoke.MethodType")


def _class(name: str) -> Any:
    from jnius import autoclass

    return autoclass("java.lang.Class").forName(name)
