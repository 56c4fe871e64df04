"""The runs of variants: written and scored some topics at a time, in several processes.

A run of 1,000 hits takes some 200 KB of memory a topic, with what scores it: of 10,000 topics it
would take 2 GB.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from boilersweep.cleaners.variants import Variant
from boilersweep.eval.engines import Engine, VariantRun
from boilersweep.eval.runs import run_file
from boilersweep.eval.scoring import Scorer, Scores, join_scores
from boilersweep.indexer.filling import made_in_background
from boilersweep.outputs.files import remove_leftovers
from boilersweep.work.tasks import run_tasks

TOPICS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """found: without the run itself, which is in its file."""

    found: VariantRun
    scores: Scores


def batches(topics: Sequence[str]) -> list[Sequence[str]]:
    """The topics in their order, some at a time; one batch at least."""
    starts = range(0, max(len(topics), 1), TOPICS_AT_ONCE)
    return [topics[start : start + TOPICS_AT_ONCE] for start in starts]


def write_scored_runs(
    engine: Engine,
    runs: Mapping[Variant, Path],
    topics: Sequence[str],
    grades: Mapping[str, Mapping[str, int]],
    measures: Sequence[Any],
    threads: int,
) -> list[ScoredRun]:
    """Run topics under variants, write their run files, and score them as these will be read.

    runs: the file of each variant, all in one folder, not synced: `experiment` does that before
    it lists them. What is found comes in their order.
    grades: topic -> docid -> grade, with those of the topics to score. threads: processes, where
    the engine can be in several. Raises OutputError and what the engine and `run_tasks` raise.
    """
    variants, paths = list(runs), list(runs.values())
    folder = paths[0].parent
    with ExitStack() as stack:
        stack.callback(remove_leftovers, folder)  # of workers that died or were ended
        if engine.needs_java:
            threads = 1
            wanted = [(variant, some) for variant in variants for some in batches(topics)]
            engine = stack.enter_context(_SearchingAhead(engine, wanted))
        found = run_tasks(
            _ScoredRuns(engine, variants, topics, grades, measures),
            list(enumerate(paths)),
            what="search",
            unit="variants",
            workers=threads,
            arrays=folder,
        )
    return [
        replace(one, found=replace(one.found, variant=variant))
        for variant, one in zip(variants, found, strict=True)
    ]


class _SearchingAhead:
    """Gives runs in a known order, and searches for the next one while the last is written."""

    needs_java = True

    def __init__(self, engine: Engine, wanted: Iterable[tuple[Variant, Sequence[str]]]) -> None:
        self._found = made_in_background(lambda one: engine.run(*one), wanted, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._found.close()

    def run(self, variant: Variant, topics: Sequence[str] | None = None) -> VariantRun:  # noqa: ARG002
        """The run that is next in order, which the arguments name."""
        return next(self._found)[1]


class _ScoredRuns:
    """Writes and scores the run of a variant, by its number."""

    def __init__(
        self,
        engine: Engine,
        variants: Sequence[Variant],
        topics: Sequence[str],
        grades: Mapping[str, Mapping[str, int]],
        measures: Sequence[Any],
    ) -> None:
        self._given = (engine, variants, topics, grades, measures)

    @cached_property
    def _parts(self) -> list[tuple[Sequence[str], Scorer | None]]:
        """Topics, and what scores those of them that are judged."""
        _, _, topics, grades, measures = self._given
        parts = []
        for some in batches(topics):
            judged = {topic: grades[topic] for topic in some if topic in grades}
            parts.append((some, Scorer(judged, measures) if judged else None))
        return parts

    def __call__(self, run: tuple[int, Path]) -> ScoredRun:
        number, path = run
        engine, variants, _, grades, measures = self._given
        variant = variants[number]
        scores = []
        with run_file(path, f"boilersweep-{variant.name}", synced=False) as add:
            for topics, scorer in self._parts:
                found = engine.run(variant, topics)
                written = add(found.run)
                if scorer:
                    scores.append(scorer.score(written))
        return ScoredRun(replace(found, run={}), join_scores(scores, grades, measures))
