"""One assessment: topics on a block store, the runs of some cleaners, and the judgements so far."""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaners.variants import Variant
from boilersweep.errors import UsageError
from boilersweep.eval.assess.differences import SummedMeasure
from boilersweep.eval.assess.documents import ShownDocument, shown_documents
from boilersweep.eval.assess.family import Conclusion, Family, draw_topics
from boilersweep.eval.assess.judgements import (
    ADJUDICATOR,
    Judgement,
    Judgements,
    Kind,
    keep_topics,
)
from boilersweep.eval.engines import ExactEngine, SearchOptions
from boilersweep.store.store import BlockStore
from boilersweep.topics import Topic

_SHARED_EVERY = 10
"""A document of so many is judged by a second assessor, too."""

_REPEAT_EVERY = 20
"""After so many judgements an assessor sees one of the earlier documents again."""

_HELD_SECONDS = 600
"""So long a document that an assessor has on the screen is not shown to another."""

Pair = tuple[str, str]


def run_cleaners(
    store: BlockStore,
    topics: Sequence[Topic],
    cleaners: Sequence[Cleaner],
    options: SearchOptions,
    measure: SummedMeasure,
    seed: int,
) -> Family:
    """The cleaners' runs by the exact engine; raises UsageError for fewer than two cleaners."""
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
    """What the page, the pool and a program work on. All methods may be called by many threads."""

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

    def conclusions(self, kind: Kind = "people") -> list[Conclusion]:
        """What is known about each pair of cleaners."""
        with self._lock:
            return self.family.conclusions(self.judgements.limits(self.most, kind))

    def next_for(
        self, name: str, skipped: Sequence[Pair] = (), kind: Kind = "people"
    ) -> tuple[Pair, bool] | None:
        """The next topic and document of an assessor, and whether it is shown again; None: done.

        The adjudicator sees what others judged differently.
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

    def pending(self, kind: Kind = "people", name: str = "") -> list[Pair]:
        """What is left to judge, in order; some documents of others come to this assessor, too."""
        with self._lock:
            limits = self.judgements.limits(self.most, kind)
            certain = [(one.a, one.b) for one in self.family.conclusions(limits) if one.certain]
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

    def add(self, kind: Kind, name: str, judgement: Judgement) -> None:
        """Keep a judgement on disk; raises UsageError for a document outside the pool."""
        with self._lock:
            pair = (judgement.topic, judgement.docid)
            if pair[0] not in self.topics or pair[1] not in self.family.pool(pair[0]):
                raise UsageError(
                    f"topic {pair[0][:80]!r} has no document {pair[1][:80]!r} to judge"
                )
            self.judgements.add(kind, name, judgement)
            self._held.pop(pair, None)
            if kind == "people":
                self.judgements.write_merged()

    def certain_after(self, kind: Kind = "people") -> int:
        """Documents that still decide a comparison."""
        with self._lock:
            limits = self.judgements.limits(self.most, kind)
            open_pairs = [
                (one.a, one.b) for one in self.family.conclusions(limits) if not one.certain
            ]
            return sum(
                len(self.family.deciding(topic, open_pairs) - limits.get(topic, {}).keys())
                for topic in self.family.topics
            )

    def _repeat(self, name: str) -> Pair | None:
        records = self.judgements.records["people"].get(name, [])
        first = [(one.topic, one.docid) for one in records if not one.repeat]
        again = sum(one.repeat for one in records)
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
    documents = shown_documents(store, pool)
    by_id = {topic.id: topic for topic in topics}
    return Assessment(by_id, family, documents, Judgements(output), seed)
