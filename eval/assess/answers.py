"""Conclusions about the runs of a study, from the judgements that `assess` collected."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boilersweep.errors import UsageError
from boilersweep.eval.assess.assessment import documents_to_judge
from boilersweep.eval.assess.differences import Grades, SummedMeasure, parse_summed_measure
from boilersweep.eval.assess.family import ALPHA, Family
from boilersweep.eval.assess.judgements import Judgements, known_topics
from boilersweep.outputs.identity import file_digest, some_of
from boilersweep.store.store import BlockStore

_DEFAULT = "P@10"


@dataclass(frozen=True, slots=True)
class JudgedFolder:
    """A folder of `assess`.

    Attributes:
        folder: The folder.
    """

    folder: Path

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that the answers depend on."""
        files = [self.folder / "topics.tsv", *sorted((self.folder / "people").glob("*.jsonl"))]
        return {"files": {path.name: file_digest(path) for path in files}}

    def answers(
        self,
        runs: Mapping[str, Mapping[str, Sequence[str]]],
        measure: str,
        store: BlockStore | None = None,
    ) -> list[str]:
        """Describe the judgements, which comparisons they make certain, and what is unjudged.

        Args:
            runs: Cleaner -> topic -> docids, best first.
            measure: The measure; others than P@k and DCG@k give way to P@10.
            store: The block store, whose documents may have changed since they were judged.

        Returns:
            Sentences.
        """
        judgements = Judgements(self.folder, complete=False)
        if store is not None:
            documents_to_judge(store, (), judgements)
        summed = _summed(measure)
        topics = list(known_topics(self.folder))
        limits = judgements.limits(summed.most)
        compared = _compared(Family(runs, topics, summed), limits)
        family = Family({name: runs[name] for name in compared}, topics, summed)
        conclusions = family.conclusions(limits)
        judged, names = sum(map(len, limits.values())), sorted(judgements.records["people"])
        sentences = [
            f"These qrels are {judged:,} judgements by {', '.join(names)} of {len(limits):,} of "
            f"{len(topics):,} topics, collected by `boilersweep assess`. With {1 - ALPHA:.0%} "
            f"confidence for all comparisons together ({len(conclusions):,}), by {summed}:",
            *(f"{conclusion.text} ({conclusion.topics:,} topics)." for conclusion in conclusions),
        ]
        if changed := judgements.changed:
            sentences.append(
                f"{len(changed):,} documents changed since they were judged "
                f"({some_of([docid for _, docid in changed])}): these conclusions leave their "
                "grades out, the scores still count them. `boilersweep assess` asks for them again."
            )
        if differing := judgements.differing():
            sentences.append(
                f"{len(differing):,} documents were graded differently and not yet adjudicated; "
                "the intervals allow for every grade given."
            )
        if compared:
            sentences.append(_judged_share(family, limits))
        if others := [name for name in runs if name not in compared]:
            sentences.append(f"No document that decides about {', '.join(others)} is judged yet.")
        return sentences


def judged_folder(qrels: Path) -> JudgedFolder | None:
    """Return the folder of `assess` that a file of qrels is in; None for any other file."""
    folder = qrels.parent
    is_one = qrels.name == "qrels.txt" and (folder / "people").is_dir()
    return JudgedFolder(folder) if is_one and (folder / "topics.tsv").is_file() else None


def _compared(family: Family, limits: Mapping[str, Grades]) -> list[str]:
    """Return the cleaners with a judged topic that tells them from another one."""
    tests = {pair: family.test(pair, limits) for pair in family.pairs}
    judged = {
        name
        for pair, test in tests.items()
        if any(family.weights[pair][topic] for topic in family.topics[: len(test.values)])
        for name in pair
    }
    return [name for name in family.runs if name in judged]


def _judged_share(family: Family, limits: Mapping[str, Grades]) -> str:
    k = family.measure.k
    tops = [
        (topic, docid)
        for topic in limits
        for run in family.runs.values()
        for docid in run.get(topic, ())[:k]
    ]
    unjudged = {(topic, docid) for topic, docid in tops if docid not in limits[topic]}
    share = sum(docid in limits[topic] for topic, docid in tops) / max(len(tops), 1)
    if not unjudged:
        return f"Judged@{k} of these cleaners is 1 on the topics with judgements."
    deciding = {
        (topic, docid)
        for of_topics in family.weights.values()
        for topic in limits
        for docid in of_topics.get(topic, ())
    }
    effect = (
        f"{len(unjudged & deciding):,} of them are in one list but not the other, so that "
        "differences in the tables may be wrong, too"
        if unjudged & deciding
        else "all of them are in every list, so that the differences are right"
    )
    return (
        f"Judged@{k} of these cleaners is {share:.2f} on the topics with judgements: "
        f"{len(unjudged):,} documents are unjudged and count as irrelevant, which makes every "
        f"score too low; {effect}. `boilersweep assess` asks for them next."
    )


def _summed(measure: str) -> SummedMeasure:
    try:
        return parse_summed_measure(measure)
    except UsageError:
        return parse_summed_measure(_DEFAULT)
