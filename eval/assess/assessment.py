"""One assessment: topics on a block store, the runs of some cleaners, and the judgements so far."""

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaners.stored import require_for
from boilersweep.cleaners.syntax.variants import Variant
from boilersweep.errors import UsageError
from boilersweep.eval.assess.audit_record import audited
from boilersweep.eval.assess.judgements import (
    AssessorKind,
    Judgements,
    TopicDocument,
    known_topics,
)
from boilersweep.eval.assess.output import Judgement
from boilersweep.eval.people.assessors import ADJUDICATOR, Held, is_shared
from boilersweep.eval.people.documents import ShownDocument, shown_documents
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.search import SearchOptions
from boilersweep.eval.stats.families import Conclusion, Family, Grades, SummedMeasure
from boilersweep.store.store import BlockStore
from boilersweep.topics import Topic

# After so many judgements an assessor sees one of the earlier documents again.
_REPEAT_EVERY = 20


@dataclass(frozen=True, slots=True)
class Searched:
    """What an assessment searches: cleaners over a store, by the exact engine."""

    store: BlockStore
    cleaners: Sequence[Cleaner]
    options: SearchOptions
    measure: SummedMeasure

    def run(self, topics: Sequence[Topic]) -> dict[str, dict[str, list[str]]]:
        """Return the runs of some topics: cleaner -> topic -> docids, best first."""
        variants = [Variant(cleaner) for cleaner in self.cleaners]
        queries = {topic.id: topic.text(self.options.fields) for topic in topics}
        engine = ExactEngine(self.store, variants, queries, self.options)
        return {
            str(variant.cleaner): {
                topic: [docid for docid, _ in hits[: self.measure.k]]
                for topic, hits in engine.run(variant).run.items()
            }
            for variant in variants
        }


@dataclass(eq=False)
class Assessment:
    """The state of the page, the pool and a program. Many threads may call its methods.

    Attributes:
        topics: The topics by id.
        family: The runs of the cleaners, and the order of the topics.
        documents: The documents of the pool.
        judgements: All judgements.
        reserve: Topics to add when these cannot tell.
        seed: The seed of the order in which added topics are judged.
        searched: What added topics are searched in; None if none can be added.
        call: The words of the command, for the commands that the decision names.
        program: The program that people audit for the claim about these queries, "" for none; None
            if the claim is about queries like these.
    """

    topics: dict[str, Topic]
    family: Family
    documents: dict[str, ShownDocument]
    judgements: Judgements
    reserve: list[Topic] = field(default_factory=list)
    seed: int = 1
    searched: Searched | None = None
    call: Mapping[str, Sequence[str]] = field(default_factory=dict)
    program: str | None = None
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _held: Held[TopicDocument] = field(default_factory=Held)
    # The last conclusions, with the family and the grades that they are of.
    _concluded: tuple[Family | None, Mapping[str, Grades], list[Conclusion]] = (
        None,
        {},
        [],
    )

    def add_topics(self, count: int) -> None:
        """Search the next topics of the reserve, which are judged behind the present ones."""
        with self._lock:
            added, searched = self.reserve[:count], self.searched
            if not added or searched is None:
                return
            runs = searched.run(added)
            order = self.judgements.keep_topics(added, self.seed)
            self.topics.update({topic.id: topic for topic in added})
            of_added = Family(runs, order, self.family.measure)
            pool = {docid for topic in order for docid in of_added.pool(topic)}
            known = self.family.runs
            self.family = Family(
                {name: {**known.get(name, {}), **runs[name]} for name in runs},
                [*self.family.topics, *order],
                self.family.measure,
            )
            self.documents.update(
                documents_to_judge(
                    searched.store, pool, self.judgements, searched.cleaners
                )
            )
            del self.reserve[:count]
            if self.program is not None:
                self.audit(self.program)

    def audit(self, program: str) -> None:
        """Make the claim about these queries, and continue its audit or begin one.

        Args:
            program: The program whose grades people audit; "" for people alone.
        """
        with self._lock:
            self.program = program
            self.family = audited(self.family, self.judgements, program, self.seed)

    def to_predict(self, name: str) -> list[TopicDocument]:
        """List the documents that decide a pair and that a program has not judged."""
        family, known = self.family, self.judgements.grades_of("programs", name)
        return [
            (topic, docid)
            for topic in family.topics
            for docid in sorted(family.deciding(topic, family.pairs))
            if (topic, docid) not in known
        ]

    def conclusions(self, kind: AssessorKind = "people") -> list[Conclusion]:
        """Conclude what the judgements make certain about each pair of cleaners."""
        with self._lock:
            limits = self.judgements.limits(kind)
            if self._concluded[:2] != (self.family, limits):
                concluded = self.family.conclusions(limits)
                self._concluded = self.family, limits, concluded
            return self._concluded[2]

    def course(self) -> dict[int, float]:
        """Map numbers of people's judgements to how certain the answer was by then."""
        with self._lock:
            records = [
                one
                for judged in self.judgements.records["people"].values()
                for one in judged
                if not one.repeat
            ]
            records.sort(key=lambda one: one.time)
            judged = list(
                dict.fromkeys((record.topic, record.docid) for record in records)
            )
            return self.family.course(self.judgements.limits(), judged)

    def left(self, kind: AssessorKind = "people") -> int:
        """Count the documents that can still decide which cleaner is best."""
        with self._lock:
            limits = self.judgements.limits(kind)
            pairs = self.family.open_pairs(self.conclusions(kind))
            return sum(
                len(self.family.deciding(topic, pairs) - limits.get(topic, {}).keys())
                for topic in self.family.topics
            )

    def next_for(
        self,
        name: str,
        skipped: Sequence[TopicDocument] = (),
        kind: AssessorKind = "people",
        *,
        rest: bool = True,
    ) -> tuple[TopicDocument, bool] | None:
        """Choose the next topic and document of an assessor.

        The adjudicator sees what others judged differently.

        Args:
            name: The assessor.
            skipped: What the assessor put off; it comes last.
            kind: People or programs.
            rest: Whether documents that decide nothing are chosen, too.

        Returns:
            The topic and the document, and whether it is shown again; None if nothing is left.
        """
        with self._lock:
            own = self.judgements.grades_of(kind, name)
            if name == ADJUDICATOR:
                return next(
                    (
                        (pair, False)
                        for pair in self.judgements.differing()
                        if pair not in own
                    ),
                    None,
                )
            if not rest and not self.left(kind):
                return None
            if kind == "people" and (again := self._repeat(name)):
                return again, True
            left = [
                pair
                for pair in self.pending(kind, name, rest=rest)
                if self._held.is_free(pair, name)
            ]
            chosen = next((pair for pair in left if pair not in skipped), None) or (
                left[0] if left else None
            )
            if chosen:
                self._held.take(chosen, name)
                return chosen, False
            return None

    def pending(
        self, kind: AssessorKind = "people", name: str = "", *, rest: bool = True
    ) -> list[TopicDocument]:
        """List what is left to judge, in order, with some documents of others for this assessor."""
        with self._lock:
            limits = self.judgements.limits(kind)
            pairs = self.family.open_pairs(self.conclusions(kind))
            own = self.judgements.grades_of(kind, name)
            judges = self.judgements.grades(kind)
            shared = [
                pair
                for pair, grades in judges.items()
                if name and len(grades) == 1 and is_shared(" ".join(pair))
            ]
            left = [*shared, *self.family.next_documents(limits, pairs, rest=rest)]
            return [
                pair
                for pair in dict.fromkeys(left)
                if pair not in own and pair[0] in self.topics
            ]

    def put_off(self, pair: TopicDocument) -> None:
        """Move a topic behind all others, as people cannot judge a document of it yet.

        The answer goes on without the topic: it waits for no document that decides nothing else. In
        an audit the document alone counts, as what is worst for any claim, until it is judged.
        """
        with self._lock:
            topic, _ = pair
            if self.program is not None or pair not in self.family.next_documents(
                self.judgements.limits(),
                self.family.open_pairs(self.conclusions()),
                rest=False,
            ):
                return
            others = [one for one in self.family.topics if one != topic]
            self.family = replace(self.family, topics=[*others, topic])
            self.judgements.put_topic_last(topic)

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
            self.judgements.add(
                kind, name, msgspec.structs.replace(judgement, text=text)
            )
            self._held.release(pair)
            if kind == "people":
                self.judgements.write_merged()

    def _repeat(self, name: str) -> TopicDocument | None:
        records = self.judgements.records["people"].get(name, [])
        first = [
            (judgement.topic, judgement.docid)
            for judgement in records
            if not judgement.repeat
        ]
        again = sum(judgement.repeat for judgement in records)
        due = len(first) // _REPEAT_EVERY
        if again >= due:
            return None
        candidate = first[again * _REPEAT_EVERY]
        is_shown = candidate[0] in self.topics and candidate[1] in self.documents
        return candidate if is_shown else None


def open_assessment(
    searched: Searched,
    topics: Sequence[Topic],
    judgements: Judgements,
    seed: int,
    later: Sequence[Topic],
) -> Assessment:
    """Run the cleaners for an assessment.

    Args:
        searched: What is searched, with at least two cleaners.
        topics: The topics to judge.
        judgements: The judgements so far.
        seed: The seed of the order in which new topics are judged.
        later: Topics to add when these cannot tell; those that were added before are judged now.

    Raises:
        UsageError: Fewer than two cleaners are to be told apart.
    """
    if len(set(searched.cleaners)) < 2:
        raise UsageError("expected at least two `cleaners`, such as 'words>=1,learned'")
    require_for(searched.store, searched.cleaners)
    known = known_topics(judgements.folder)
    now = [*topics, *(topic for topic in later if topic.id in known)]
    reserve = [*now, *(topic for topic in later if topic.id not in known)]
    family = Family({}, [], searched.measure)
    assessment = Assessment({}, family, {}, judgements, reserve, seed, searched)
    assessment.add_topics(len(now))
    return assessment


def documents_to_judge(
    store: BlockStore,
    pool: Collection[str],
    judgements: Judgements,
    cleaners: Sequence[Cleaner] = (),
) -> dict[str, ShownDocument]:
    """Read the documents of a pool, and leave out judgements of documents that changed.

    Args:
        store: The block store.
        pool: The docids.
        judgements: All judgements of the folder; those of texts that changed no longer count.
        cleaners: The compared cleaners; what all drop is marked.

    Raises:
        StoreError: The store is damaged.
    """
    shown = shown_documents(store, judgements.docids.union(pool), cleaners)
    judgements.compare_texts(
        {docid: document.digest for docid, document in shown.items()}
    )
    return {docid: document for docid, document in shown.items() if docid in pool}
