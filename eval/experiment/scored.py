"""The runs of variants: written and scored some topics at a time, in several processes.

A run of 1,000 hits takes some 200 KB of memory a topic, with what scores it: of 10,000 topics it
would take 2 GB.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from boilersweep.cleaners.language.variants import Variant
from boilersweep.eval.ranking.engines import Engine, VariantRun
from boilersweep.eval.ranking.runs import Run, as_written, run_file
from boilersweep.eval.stats.scoring import Scorer, Scores, join_scores
from boilersweep.indexer.jvm import map_ahead
from boilersweep.outputs.atomic import remove_leftovers
from boilersweep.work.tasks import run_tasks

TOPICS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """A variant's counts and scores.

    Attributes:
        found: The variant's counts, with `run` empty; read the run from its file.
        scores: The scores.
    """

    found: VariantRun
    scores: Scores


@dataclass(frozen=True, slots=True)
class ScoredTopics:
    """The topics to run, and how they are scored.

    Attributes:
        topics: The topics to run.
        grades: Topic -> docid -> grade, of the topics to score.
        measures: The measures.
    """

    topics: Sequence[str]
    grades: Mapping[str, Mapping[str, int]]
    measures: Sequence[Any]


def batches(topics: Sequence[str]) -> list[Sequence[str]]:
    """Divide the topics into batches in their order, at least one."""
    starts = range(0, max(len(topics), 1), TOPICS_AT_ONCE)
    return [topics[start : start + TOPICS_AT_ONCE] for start in starts]


def score_runs(
    engine: Engine,
    runs: Sequence[tuple[Variant, Path | None]],
    scored: ScoredTopics,
    folder: Path,
    threads: int,
) -> list[ScoredRun]:
    """Run topics under variants, write their run files, and score them as these will be read.

    Args:
        engine: Gives the runs.
        runs: The variants with their files; None for a run that is not written. The files are not
            synced: `experiment` does that before it lists them.
        scored: The topics.
        folder: The folder of the files, and of the arrays that the processes share.
        threads: How many processes, if the engine can be in several.

    Returns:
        The scored runs, in the order of `runs`.

    Raises:
        OutputError: A run cannot be written.
    """
    with ExitStack() as stack:
        stack.callback(remove_leftovers, folder)  # of workers that died or were ended
        if engine.needs_java:
            threads = 1
            wanted = [
                (variant, some)
                for variant, _ in runs
                for some in batches(scored.topics)
            ]
            engine = stack.enter_context(_SearchingAhead(engine, wanted))
        scored_runs = run_tasks(
            _ScoredRuns(engine, runs, scored),
            range(len(runs)),
            "search",
            "variants",
            workers=threads,
            arrays=folder,
        )
    return [
        replace(scored_run, found=replace(scored_run.found, variant=variant))
        for (variant, _), scored_run in zip(runs, scored_runs, strict=True)
    ]


class _SearchingAhead:
    """Gives runs in a known order, and searches for the next one while the last is written."""

    needs_java = True

    def __init__(
        self, engine: Engine, wanted: Iterable[tuple[Variant, Sequence[str]]]
    ) -> None:
        self._found = map_ahead(lambda one: engine.run(*one), wanted, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._found.close()

    def run(self, variant: Variant, topics: Sequence[str] | None = None) -> VariantRun:  # noqa: ARG002
        """Return the next run in order, which the arguments name."""
        return next(self._found)[1]


class _ScoredRuns:
    """Scores the run of a variant, by its number, and writes it if it has a file."""

    def __init__(
        self,
        engine: Engine,
        runs: Sequence[tuple[Variant, Path | None]],
        scored: ScoredTopics,
    ) -> None:
        self._engine, self._runs, self._scored = engine, runs, scored

    @cached_property
    def _parts(self) -> list[tuple[Sequence[str], Scorer | None]]:
        """The batches of topics, and what scores their judged topics."""
        parts = []
        grades = self._scored.grades
        for some in batches(self._scored.topics):
            judged = {topic: grades[topic] for topic in some if topic in grades}
            parts.append(
                (some, Scorer(judged, self._scored.measures) if judged else None)
            )
        return parts

    def __call__(self, number: int) -> ScoredRun:
        variant, path = self._runs[number]
        scores = []
        with ExitStack() as stack:
            add: Callable[[Run], Run] | None = None
            if path:
                add = stack.enter_context(run_file(path, f"boilersweep-{variant.name}"))
            for topics, scorer in self._parts:
                run = self._engine.run(variant, topics)
                written = add(run.run) if add else as_written(run.run)
                if scorer:
                    scores.append(scorer.score(written))
        joined = join_scores(scores, self._scored.grades, self._scored.measures)
        return ScoredRun(replace(run, run={}), joined)
