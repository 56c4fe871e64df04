"""Evidence as the page holds it: for a few cleaners, compressed, and cut to a size.

Text of documents comes only here. Compressed and written in base64 it is nothing but letters and
digits to whoever reads the page as HTML.
"""

import base64
import gzip
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from boilersweep.eval.explain.documents import evidence_json
from boilersweep.eval.explain.evidence import Side, evidence
from boilersweep.eval.ranking.runs import read_run
from boilersweep.eval.stats.frames import Row
from boilersweep.eval.study.results import Study
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.store.store import BlockStore
from boilersweep.topics import Qrels
from boilersweep.work.progress import steps

# Cleaners to explain.
EXPLAINED = 3

# Verdicts on documents, in the order in which readers want their pages.
_IMPORTANCE = ("loss", "gain", None)

# Of two cleaners, as boilersweep.eval.explain.documents writes it, version 1.
Evidence = Mapping[str, Any]


def gather_evidence(
    study: Study,
    output: Path,
    store: BlockStore,
    qrels: Qrels,
    analyzer: AnalyzerOptions,
) -> list[Evidence]:
    """Compare the baseline with each cleaner to explain, in a pass over the store each.

    Args:
        study: The study; the evidence is on the topics that its page lists.
        output: The study's folder with its runs.
        store: Its block store.
        qrels: Its judgements.
        analyzer: Its analyzer.

    Returns:
        The evidence for each cleaner.

    Raises:
        InputError: A run is damaged.
        StoreError: The store is damaged.
        JavaError: Java does not start.
    """
    topics = [study.topics[place] for place in study.listed_topics]
    queries = {topic.id: topic.query for topic in topics}

    def side(row: Row) -> Side:
        return Side(row.variant.cleaner, read_run(output / row.run, queries))

    before = side(study.baseline)
    rows = rows_to_explain(study)
    gathered: list[Evidence] = []
    with steps("explaining", len(rows), "cleaners") as bar:
        for row in rows:
            explained = evidence(
                store, queries, qrels.grades, before, side(row), analyzer
            )
            gathered.append(evidence_json(explained))
            bar.update()
    return gathered


def rows_to_explain(study: Study) -> list[Row]:
    """Return the cleaners whose wins and losses to the baseline the report explains.

    The chosen one first, then the best by the first measure; neither the gold text nor external
    runs, whose blocks are unknown.
    """
    rows = [
        row for row in study.ordered(study.shown) if row.role not in ("run", "gold")
    ]
    best = [
        row for row in dict.fromkeys([study.chosen, *rows]) if row is not study.baseline
    ]
    return best[:EXPLAINED]


def pack(study: Study, evidence: Sequence[Evidence], *, most: int) -> str:
    """Compress the evidence to base64.

    If the room is too small, pages are left out first, then topics: the last cleaners' topics
    first, beginning with those that differ least. Cleaners outside of the study are left out.

    Args:
        study: The study.
        evidence: The evidence.
        most: The most characters, give or take a hundred.

    Returns:
        A list of {"place", "topics": {topic id: terms, documents, ...}}, and {docid: page}, a page
        with `kept` by place.
    """
    pairs = [
        (place, found)
        for found in evidence
        if (place := _place(study, found)) is not None
    ]
    room = _Room(most)
    explained: dict[int, dict[str, Any]] = {place: {} for place, _ in pairs}
    for place, found in pairs:
        for one in _by_difference(study, place, found["topics"]):
            if not room.takes(one):
                break
            explained[place][one["id"]] = one
    pages: dict[str, dict[str, Any]] = {}
    for place, found, docid in moved_pages(study, evidence):
        page = found["pages"].get(docid)
        if page is None or not room.takes(page["kept"] if docid in pages else page):
            continue
        kept = pages.setdefault(docid, {**page, "kept": {}})["kept"]
        kept |= {"0": page["kept"][0], str(place): page["kept"][1]}
    packed = {
        "cleaners": [
            {"place": place, "topics": explained[place]} for place, _ in pairs
        ],
        "pages": pages,
    }
    text = json.dumps(packed, ensure_ascii=True, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def moved_pages(
    study: Study, evidence: Sequence[Evidence]
) -> Iterator[tuple[int, Evidence, str]]:
    """Yield each document that left or entered, in the order in which pages are packed.

    Losses come first, then gains; within each, the topics that differ most.

    Yields:
        The cleaner's place, the evidence, and the docid; a docid once for each of its topics.
    """
    found_ones = []
    for found in evidence:
        if (place := _place(study, found)) is not None:
            for topic in _by_difference(study, place, found["topics"]):
                for document in topic["documents"]:
                    if document["change"] in ("entered", "left"):
                        importance = _IMPORTANCE.index(document["verdict"])
                        found_ones.append((importance, place, found, document["docid"]))
    for _, *one in sorted(found_ones, key=lambda one: one[0]):
        yield tuple(one)


def _place(study: Study, explained: Evidence) -> int | None:
    first, second = explained["cleaners"]
    if first != study.baseline.label:
        return None
    names = [row.label for row in study.rows]
    return names.index(second) if second in names else None


def _by_difference(
    study: Study, place: int, topics: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Sort topics by their difference to the baseline, the largest first."""
    before, after = (study.rows[n].scores[study.tested[0]] for n in (0, place))
    ids = [topic.id for topic in study.topics]
    differences = dict(
        zip(ids, (b - a for a, b in zip(before, after, strict=True)), strict=True)
    )
    return sorted(topics, key=lambda topic: -abs(differences.get(topic["id"], 0.0)))


class _Room:
    """The room left for values that are compressed one after another."""

    def __init__(self, most: int) -> None:
        """Start with room for so many characters of base64."""
        self._left = most * 3 // 4  # base64 writes three bytes as four characters
        self._stream = zlib.compressobj()

    def takes(self, value: Any) -> bool:
        """Return whether a value fits; if it does, it takes its room."""
        text = json.dumps(value, separators=(",", ":")).encode()
        size = len(self._stream.compress(text) + self._stream.flush(zlib.Z_SYNC_FLUSH))
        if size > self._left:
            return False
        self._left -= size
        return True
