"""Evidence as the page holds it: for a few cleaners, compressed, and cut to a size.

Text of documents comes only here. Compressed and written in base64 it is nothing but letters and
digits to whoever reads the page as HTML.
"""

import base64
import gzip
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from boilersweep.eval.report.selection import StudyDocument, chosen_place, ordered, shown_places

EXPLAINED = 3
"""Cleaners to explain."""

Evidence = Mapping[str, Any]
"""Of two cleaners, as boilersweep.eval.explain.evidence_json writes it, version 1."""


def places_to_explain(study: StudyDocument) -> list[int]:
    """The cleaners whose wins and losses to the baseline the report is to explain.

    What was chosen first, then the best by the first measure, the gold text apart.
    """
    variants = study["variants"]
    places = [n for n in ordered(study, shown_places(study)) if variants[n]["role"] != "gold"]
    best = [n for n in dict.fromkeys([chosen_place(study), *places]) if n != 0]
    return best[:EXPLAINED]


def pack(study: StudyDocument, evidence: Sequence[Evidence], *, most: int) -> str:
    """The evidence, compressed and in base64; at most so many characters, but for a hundred.

    A list of {"place", "topics": {topic id: terms, documents, ...}}, and {docid: page}, a page
    with `kept` by place. Where that is too little, first pages are left out, then topics: those
    of the last cleaners first, of these the topics that differ least. Pairs of cleaners
    whose second one is not in the study are left out.
    """
    pairs = [(place, found) for found in evidence if (place := _place(study, found)) is not None]
    room = _Room(most * 3 // 4)  # base64 writes three bytes as four characters
    explained: dict[int, dict[str, Any]] = {place: {} for place, _ in pairs}
    for place, found in pairs:
        for topic in _by_difference(study, place, found["topics"]):
            if not room.takes(topic):
                break
            explained[place][topic["id"]] = topic
    pages: dict[str, dict[str, Any]] = {}
    for place, found in pairs:
        for topic in _by_difference(study, place, found["topics"]):
            for docid in _moved(topic):
                page = found["pages"].get(docid)
                if page is None or not room.takes(page["kept"] if docid in pages else page):
                    continue
                kept = pages.setdefault(docid, {**page, "kept": {}})["kept"]
                kept |= {"0": page["kept"][0], str(place): page["kept"][1]}
    packed = {
        "cleaners": [{"place": place, "topics": explained[place]} for place, _ in pairs],
        "pages": pages,
    }
    text = json.dumps(packed, ensure_ascii=True, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _place(study: StudyDocument, found: Evidence) -> int | None:
    first, second = found["cleaners"]
    if first != study["variants"][0]["cleaner"]:
        return None
    names = [variant["cleaner"] for variant in study["variants"]]
    return names.index(second) if second in names else None


def _by_difference(
    study: StudyDocument, place: int, topics: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The topics that differ most first; equal ones as they come."""
    measure, variants = study["measures"]["tested"][0], study["variants"]
    scores = variants[0]["scores"][measure], variants[place]["scores"][measure]
    ids = [topic["id"] for topic in study["topics"]]
    differences = dict(zip(ids, (b - a for a, b in zip(*scores, strict=True)), strict=True))
    return sorted(topics, key=lambda topic: -abs(differences.get(topic["id"], 0.0)))


def _moved(topic: Mapping[str, Any]) -> list[str]:
    return [d["docid"] for d in topic["documents"] if d["change"] in ("entered", "left")]


class _Room:
    """Bytes that are left for values compressed one after another."""

    def __init__(self, left: int) -> None:
        self._left = left
        self._stream = zlib.compressobj()

    def takes(self, value: Any) -> bool:
        """Whether a value fits; if so it takes its room."""
        text = json.dumps(value, separators=(",", ":")).encode()
        size = len(self._stream.compress(text) + self._stream.flush(zlib.Z_SYNC_FLUSH))
        if size > self._left:
            return False
        self._left -= size
        return True
