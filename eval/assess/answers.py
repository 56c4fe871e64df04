"""Conclusions about the runs of a study, from the judgements that `assess` collected."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boilersweep.errors import UsageError
from boilersweep.eval.assess.assessment import documents_to_judge
from boilersweep.eval.assess.family import (
    ALPHA,
    Conclusion,
    Family,
    Grades,
    parse_summed_measure,
)
from boilersweep.eval.assess.judgements import (
    TOPICS,
    Judgements,
    known_topics,
)
from boilersweep.eval.experiment.request import are_sequential
from boilersweep.outputs.identity import file_digest, some_of
from boilersweep.store.store import BlockStore

_DEFAULT = "P@10"


@dataclass(frozen=True, slots=True)
class JudgedFolder:
    """A folder of `assess`.

    Attributes:
        folder: The folder.
        left_out: The measures that were asked for and are not shown.
    """

    folder: Path
    left_out: tuple[str, ...] = ()

    @property
    def identity(self) -> dict[str, Any]:
        """Everything that the answers depend on."""
        files = [
            self.folder / TOPICS,
            *sorted((self.folder / "people").glob("*.jsonl")),
        ]
        return {"files": {path.name: file_digest(path) for path in files}}

    def answers(
        self,
        runs: Mapping[str, Mapping[str, Sequence[str]]],
        measure: str,
        store: BlockStore | None = None,
    ) -> tuple[list[str], list[Conclusion]]:
        """Describe the judgements, which comparisons they make certain, and what is unjudged.

        Args:
            runs: Cleaner -> topic -> docids, best first.
            measure: The measure, as `supported_measure` gives it.
            store: The block store, whose documents may have changed since they were judged.

        Returns:
            Sentences, and what the judgements say about each pair of cleaners that they compare.
        """
        judgements = Judgements(self.folder, complete=False)
        if store is not None:
            documents_to_judge(store, (), judgements)
        summed = parse_summed_measure(measure)
        topics = list(known_topics(self.folder))
        limits = judgements.limits()
        compared = _compared(Family(runs, topics, summed), limits)
        family = Family({name: runs[name] for name in compared}, topics, summed)
        conclusions = family.conclusions(limits)
        judged, names = (
            sum(map(len, limits.values())),
            sorted(judgements.records["people"]),
        )
        sentences = [
            f"These qrels are {judged:,} judgements by {', '.join(names)} of {len(limits):,} of "
            f"{len(topics):,} topics, collected by `boilersweep assess`. With {1 - ALPHA:.0%} "
            f"confidence for all comparisons together ({len(conclusions):,}), by {summed}:",
            *(
                f"{conclusion.text} ({conclusion.topics:,} topics)."
                for conclusion in conclusions
            ),
            f"Only differences in {summed}, with these intervals, are shown: the mean scores count "
            "unjudged documents as irrelevant. Left out are other measures "
            f"({', '.join(self.left_out) or 'none asked for'}), as they depend on documents that "
            "nobody judged; and the usual p-values and intervals, the choice by held-out topics "
            "and comparisons of all pairs, as judging stopped at a result.",
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
        if others := [name for name in runs if name not in compared]:
            sentences.append(
                f"No document that decides about {', '.join(others)} is judged yet."
            )
        return sentences, conclusions


def supported_measure(measures: Sequence[str]) -> str:
    """Return the first measure that judgements of `assess` can support, P@10 if none is."""
    return next(filter(_is_summed, measures), _DEFAULT)


def _is_summed(measure: str) -> bool:
    try:
        parse_summed_measure(measure)
    except UsageError:
        return False
    return True


def judged_folder(qrels: Path) -> JudgedFolder | None:
    """Return the folder of `assess` that a file of qrels is in; None for any other file."""
    return JudgedFolder(qrels.parent) if are_sequential(qrels) else None


def _compared(family: Family, limits: Mapping[str, Grades]) -> list[str]:
    """Return the cleaners with a judged topic that tells them from another one."""
    tests = {pair: family.test(pair, limits) for pair in family.pairs}
    judged = {
        name
        for pair, test in tests.items()
        if any(
            family.weights[pair][topic] for topic in family.topics[: len(test.values)]
        )
        for name in pair
    }
    return [name for name in family.runs if name in judged]
