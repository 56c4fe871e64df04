"""The runs of variants: written and scored some topics at a time, in several processes.

A run of 1,000 hits takes some 200 KB of memory a topic, with what scores it: of 10,000 topics it
would take 2 GB.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from boilersweep.cleaners.syntax.variants import Sweep, Variant
from boilersweep.eval.ranking.runs import Run, as_written, read_run, run_file
from boilersweep.eval.ranking.search import Counts, Engine, VariantRun
from boilersweep.eval.stats.frames import Point, Result, Row, points_of, results_of
from boilersweep.eval.stats.scoring import RunScores, Scorer, join_scores
from boilersweep.indexer.jvm import map_ahead
from boilersweep.outputs.atomic import remove_leftovers
from boilersweep.outputs.notebook import Framed
from boilersweep.pages.columns import FloatArray
from boilersweep.work.tasks import Work, make_all

if TYPE_CHECKING:
    import pandas as pd

TOPICS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ScoredRun(Counts):
    """The counts and scores of a variant's run, which is in its file.

    Attributes:
        scores: The scores of the evaluated topics.
    """

    scores: RunScores


def swept_row(
    run: Counts, point: Point, results: Mapping[str, Result], **more: Any
) -> Row:
    """Return the row of a variant of a sweep.

    Args:
        run: Its counts.
        point: The sweep that names its place, and its threshold.
        results: Measure -> its result.
        **more: Further fields of the row.
    """
    feature, threshold = point
    return Row(
        name=run.variant.name,
        cleaner=str(run.variant),
        role="cleaner" if feature is None else "swept",
        feature=feature,
        threshold=threshold,
        documents=run.documents,
        empty=run.empty,
        tokens=run.tokens,
        results=dict(results),
        **more,
    )


def values_of(scored: Sequence[RunScores], measure: str) -> FloatArray:
    """Return the (t, k) scores of topics and runs by a measure."""
    columns = [[by[measure] for by in one.by_topic.values()] for one in scored]
    return np.array(columns).T


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scores(Framed):
    """The scores of an experiment: variant x topic x measure, in a notebook as one table.

    Attributes:
        runs: The run of each variant.
    """

    runs: list[ScoredRun]

    @property
    def topics(self) -> list[str]:
        """The evaluated topics."""
        return list(self.runs[0].scores.by_topic)

    @property
    def measures(self) -> list[str]:
        """The measures."""
        return list(self.runs[0].scores.mean)

    @property
    def variants(self) -> list[Variant]:
        """The variants."""
        return [run.variant for run in self.runs]

    def values(self, measure: str) -> FloatArray:
        """Return the (t, v) scores of topics and variants by a measure."""
        return values_of([run.scores for run in self.runs], measure)

    def means(self, measure: str) -> list[float]:
        """Return the (v,) means by a measure."""
        return [run.scores.mean[measure] for run in self.runs]

    def frame(
        self, sweeps: Sequence[Sweep] = (), *, has_intervals: bool = True
    ) -> list[Row]:
        """Return the rows of the variants, without differences.

        Args:
            sweeps: The sweeps that name the variants' places.
            has_intervals: Whether to compute the intervals of the means.
        """
        points = points_of(self.variants, sweeps)
        results = results_of(
            {measure: self.values(measure) for measure in self.measures},
            {measure: self.means(measure) for measure in self.measures},
            baseline=None,
            has_intervals=has_intervals,
        )
        return [
            swept_row(run, point, result, scores=run.scores.by_measure)
            for run, result, point in zip(self.runs, results, points, strict=True)
        ]

    def to_pandas(self) -> "pd.DataFrame":
        """Return a row for each variant and topic, with a column for each measure."""
        import pandas as pd

        return pd.DataFrame(
            [
                {"cleaner": str(run.variant), "topic": topic, **scores}
                for run in self.runs
                for topic, scores in run.scores.by_topic.items()
            ]
        )

    def __repr__(self) -> str:
        counts = f"{len(self.runs)} variants, {len(self.topics)} topics"
        return f"<Scores: {counts}, {', '.join(self.measures)}>"


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


@dataclass(frozen=True, slots=True)
class ScoringJob:
    """A run to score.

    Attributes:
        engine: Gives the run.
        variant: The variant.
        path: The file for the run, which is not synced: `experiment` does that before it lists it;
            None to write no file.
    """

    engine: Engine
    variant: Variant
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class WrittenRun:
    """A run that exists.

    Attributes:
        path: Its file.
        counts: Documents with a token, documents without one, and tokens.
    """

    path: Path
    counts: Sequence[int]


@dataclass(frozen=True, slots=True)
class WrittenRuns:
    """Gives runs that exist.

    Attributes:
        runs: Text of a variant -> its run.
    """

    needs_java: ClassVar[bool] = False
    runs: Mapping[str, WrittenRun]

    def run(self, variant: Variant, topics: Sequence[str] | None = None) -> VariantRun:
        """Return the run of a variant, see `Engine.run`."""
        written = self.runs[str(variant)]
        run = read_run(written.path, topics)
        wanted = run if topics is None else topics
        lists = {topic: run.get(topic, ()) for topic in wanted}
        documents, empty, tokens = written.counts
        return VariantRun(variant, documents, empty, tokens, lists)


def score_runs(
    runs: Sequence[ScoringJob],
    scored: ScoredTopics,
    folder: Path,
    threads: int,
    work: tuple[str, str] = ("search", "variants"),
) -> list[ScoredRun]:
    """Run topics under variants, write their run files, and score them as these will be read.

    Args:
        runs: The runs.
        scored: The topics.
        folder: The folder of the files, and of the arrays that the processes share.
        threads: How many processes, if the engines can be in several.
        work: What the progress line calls this work, and the runs.

    Returns:
        The scored runs, in the order of `runs`.

    Raises:
        OutputError: A run cannot be written.
    """
    with ExitStack() as stack:
        stack.callback(remove_leftovers, folder)  # of workers that died or were ended
        todo = runs
        if any(run.engine.needs_java for run in runs):
            threads = 1
            ahead = stack.enter_context(_SearchingAhead(runs, batches(scored.topics)))
            todo = [replace(run, engine=ahead) for run in runs]
        # Tasks are numbers, so that processes get the engines once, and not with every task.
        do, tasks = _ScoredRuns(todo, scored), range(len(runs))
        scored_runs = make_all(tasks, do, Work(*work, arrays=folder), threads)
    return [
        replace(one, variant=run.variant)
        for run, one in zip(runs, scored_runs, strict=True)
    ]


class _SearchingAhead:
    """Gives runs in a known order, and searches for the next one while the last is written."""

    needs_java = True

    def __init__(
        self, runs: Sequence[ScoringJob], parts: Sequence[Sequence[str]]
    ) -> None:
        def search(wanted: tuple[ScoringJob, Sequence[str]]) -> VariantRun:
            run, topics = wanted
            return run.engine.run(run.variant, topics)

        self._found = map_ahead(search, product(runs, parts), 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._found.close()

    def run(self, variant: Variant, topics: Sequence[str] | None = None) -> VariantRun:  # noqa: ARG002
        """Return the next run in order, which the arguments name."""
        return next(self._found)[1]


@dataclass(frozen=True, eq=False)
class _ScoredRuns:
    """Scores a run, by its number, and writes it if it has a file."""

    runs: Sequence[ScoringJob]
    scored: ScoredTopics

    @cached_property
    def _parts(self) -> list[tuple[Sequence[str], Scorer | None]]:
        """The batches of topics, and what scores their judged topics."""
        parts = []
        grades = self.scored.grades
        for batch in batches(self.scored.topics):
            judged = {topic: grades[topic] for topic in batch if topic in grades}
            scorer = Scorer(judged, self.scored.measures) if judged else None
            parts.append((batch, scorer))
        return parts

    def __call__(self, number: int) -> ScoredRun:
        job = self.runs[number]
        scores = []
        with ExitStack() as stack:
            add: Callable[[Run], Run] = as_written
            if job.path:
                tag = f"boilersweep-{job.variant.name}"
                add = stack.enter_context(run_file(job.path, tag))
            for topics, scorer in self._parts:
                ranked = job.engine.run(job.variant, topics)
                written = add(ranked.run)
                if scorer:
                    scores.append(scorer.score(written))
        joined = join_scores(scores, self.scored.grades, self.scored.measures)
        counts = ranked.documents, ranked.empty, ranked.tokens
        return ScoredRun(job.variant, *counts, joined)
