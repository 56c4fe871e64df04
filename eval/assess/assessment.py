"""One assessment: topics on a block store, the runs of some cleaners, and the judgements so far."""

import threading
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

import msgspec

from boilersweep.cleaners.language.variants import Variant
from boilersweep.cleaners.selection import Cleaner
from boilersweep.errors import UsageError
from boilersweep.eval.assess.differences import SummedMeasure
from boilersweep.eval.assess.documents import ShownDocument, shown_documents
from boilersweep.eval.assess.family import Conclusion, Family, draw_topics
from boilersweep.eval.assess.judgements import (
    ADJUDICATOR,
    AssessorKind,
    Judgements,
    Pair,
    keep_topics,
)
from boilersweep.eval.assess.log import Judgement
from boilersweep.eval.ranking.engines import SearchOptions
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.store.store import BlockStore
from boilersweep.topics import Topic

# One document of so many is also judged by a second assessor.
_SHARED_EVERY = 10

# After so many judgements an assessor sees one of the earlier documents again.
_REPEAT_EVERY = 20

# How long a document on the screen of one assessor is not shown to another.
_HELD_SECONDS = 600


def run_cleaners(
    store: BlockStore,
    topics: Sequence[Topic],
    cleaners: Sequence[Cleaner],
    options: SearchOptions,
    measure: SummedMeasure,
    seed: int,
) -> Family:
    """Run the cleaners by the exact engine; raise UsageError for fewer than two cleaners."""
    variants = [Variant(cleaner) for cleaner in dict.fromkeys(cleaners)]
    if len(variants) < 2:
        raise UsageError("--cleaners: expected at least two, such as 'words>=1,learned'")
    store.require_for([variant.cleaner for variant in variants])
    queries = {topic.id: topic.text(options.fields) for topic in topics}
    engine = ExactEngine(store, variants, queries, options)
    runs = {
        str(variant.cleaner): {
            topic: [docid for docid, _ in hits[: measure.k]]
            for topic, hits in engine.run(variant).run.items()
        }
        for variant in variants
    }
    return Family(runs, draw_topics(list(queries), seed), measure)


@dataclass(eq=False)
class Assessment:
    """The state of the page, the pool and a program. Many threads may call its methods."""

    topics: Mapping[str, Topic]
    family: Family
    documents: Mapping[str, ShownDocument]
    judgements: Judgements
    seed: int
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _held: dict[Pair, tuple[str, float]] = field(default_factory=dict)

    @property
    def most(self) -> int:
        """The highest grade."""
        return self.family.measure.most

    def conclusions(self, kind: AssessorKind = "people") -> list[Conclusion]:
        """Conclude what the judgements make certain about each pair of cleaners."""
        with self._lock:
            return self.family.conclusions(self.judgements.limits(self.most, kind))

    def next_for(
        self, name: str, skipped: Sequence[Pair] = (), kind: AssessorKind = "people"
    ) -> tuple[Pair, bool] | None:
        """Choose the next topic and document of an assessor.

        The adjudicator sees what others judged differently.

        Args:
            name: The assessor.
            skipped: What the assessor put off; it comes last.
            kind: People or programs.

        Returns:
            The topic and the document, and whether it is shown again; None if nothing is left.
        """
        with self._lock:
            own = self.judgements.grades_of(kind, name)
            if name == ADJUDICATOR:
                return next(
                    ((pair, False) for pair in self.judgements.differing() if pair not in own), None
                )
            if kind == "people" and (again := self._repeat(name)):
                return again, True
            left = [pair for pair in self.pending(kind, name) if self._is_free(pair, name)]
            chosen = next((pair for pair in left if pair not in skipped), None) or (
                left[0] if left else None
            )
            if chosen:
                self._held[chosen] = (name, time.monotonic())
                return chosen, False
            return None

    def pending(self, kind: AssessorKind = "people", name: str = "") -> list[Pair]:
        """List what is left to judge, in order, with some documents of others for this assessor."""
        with self._lock:
            limits = self.judgements.limits(self.most, kind)
            certain = [
                (conclusion.a, conclusion.b)
                for conclusion in self.family.conclusions(limits)
                if conclusion.certain
            ]
            own = self.judgements.grades_of(kind, name)
            judges = self.judgements.grades(kind)
            shared = [
                pair
                for pair, grades in judges.items()
                if name and len(grades) == 1 and not crc32(" ".join(pair).encode()) % _SHARED_EVERY
            ]
            left = [*shared, *self.family.next_documents(limits, certain, self.seed)]
            known = self.topics
            return [pair for pair in dict.fromkeys(left) if pair not in own and pair[0] in known]

    def add(self, kind: AssessorKind, name: str, judgement: Judgement) -> None:
        """Save a judgement; raise UsageError for a document outside the pool."""
        with self._lock:
            pair = (judgement.topic, judgement.docid)
            document = self.documents.get(judgement.docid)
            is_known = pair[0] in self.topics and pair[1] in self.family.pool(pair[0])
            if document is None or not is_known:
                raise UsageError(
                    f"topic {pair[0][:80]!r} has no document {pair[1][:80]!r} to judge"
                )
            text = document.digest
            self.judgements.add(kind, name, msgspec.structs.replace(judgement, text=text))
            self._held.pop(pair, None)
            if kind == "people":
                self.judgements.write_merged()

    def certain_after(self, kind: AssessorKind = "people") -> int:
        """Count the documents that still decide a comparison."""
        with self._lock:
            limits = self.judgements.limits(self.most, kind)
            open_pairs = [
                (conclusion.a, conclusion.b)
                for conclusion in self.family.conclusions(limits)
                if not conclusion.certain
            ]
            return sum(
                len(self.family.deciding(topic, open_pairs) - limits.get(topic, {}).keys())
                for topic in self.family.topics
            )

    def _repeat(self, name: str) -> Pair | None:
        records = self.judgements.records["people"].get(name, [])
        first = [
            (judgement.topic, judgement.docid) for judgement in records if not judgement.repeat
        ]
        again = sum(judgement.repeat for judgement in records)
        due = len(first) // _REPEAT_EVERY
        if again >= due:
            return None
        candidate = first[again * _REPEAT_EVERY]
        is_shown = candidate[0] in self.topics and candidate[1] in self.documents
        return candidate if is_shown else None

    def _is_free(self, pair: Pair, name: str) -> bool:
        holder, since = self._held.get(pair, (name, 0.0))
        return holder == name or time.monotonic() - since > _HELD_SECONDS


def open_assessment(
    store: BlockStore,
    topics: Sequence[Topic],
    cleaners: Sequence[Cleaner],
    output: Path,
    *,
    options: SearchOptions,
    measure: SummedMeasure,
    seed: int,
) -> Assessment:
    """Run the cleaners and read the judgements of `output`, which the caller holds as writer."""
    family = run_cleaners(store, topics, cleaners, options, measure, seed)
    keep_topics(output, topics)
    pool = {docid for topic in family.topics for docid in family.pool(topic)}
    judgements = Judgements(output)
    documents = documents_to_judge(store, pool, judgements)
    by_id = {topic.id: topic for topic in topics}
    return Assessment(by_id, family, documents, judgements, seed)


def documents_to_judge(
    store: BlockStore, pool: Collection[str], judgements: Judgements
) -> dict[str, ShownDocument]:
    """Read the documents of a pool, and leave out judgements of documents that changed.

    Args:
        store: The block store.
        pool: The docids.
        judgements: All judgements of the folder; those of texts that changed no longer count.

    Raises:
        StoreError: The store is damaged.
    """
    shown = shown_documents(store, judgements.docids.union(pool))
    judgements.compare_texts({docid: document.digest for docid, document in shown.items()})
    return {docid: document for docid, document in shown.items() if docid in pool}
