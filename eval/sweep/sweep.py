"""A whole sweep: parallel indexes, runs, scores, table and curve, in one folder.

OUT/indexes/words-011/...   one Lucene index per variant, a threshold or a cleaner
OUT/runs/words-011.trec     the run on it
OUT/scores.csv              one row per variant
OUT/topics.csv              one row per variant and topic
OUT/curve.svg, curve.png    scores against thresholds
OUT/languages.csv           one row per language of the topics, variant and measure, where these
OUT/languages.svg, .png     are of several: the curve of each language
OUT/table.txt               what the terminal shows
OUT/manifest.json           what was run on what; written last
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boilersweep.cleaners.language.grammar import Cleaners, as_cleaners
from boilersweep.cleaners.language.variants import (
    Sweep,
    Sweeps,
    Variant,
    as_sweeps,
    collect_variants,
    curves_of,
)
from boilersweep.cleaners.rules import number_text
from boilersweep.cleaners.selection import Cleaner
from boilersweep.eval.experiment.folder import run_name
from boilersweep.eval.experiment.languages import (
    UNDECIDED,
    LanguageTopics,
    languages_csv,
    topics_by_language,
)
from boilersweep.eval.experiment.request import (
    ExperimentOptions,
    ExperimentRequest,
    OutputOptions,
)
from boilersweep.eval.experiment.run import Done, ExperimentResult, Plan, Prepared, run
from boilersweep.eval.experiment.scored import ScoreRow, Scores
from boilersweep.eval.figures.drawing import (
    COLOURS,
    DASHED,
    axis_of,
    curve,
    flat,
    panels,
    ring,
)
from boilersweep.eval.ranking.exact.divided import (
    MOST_IN_MEMORY,
    DividedEngine,
    DividedSweep,
    divided_sweep,
)
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.formulas import RankingModel
from boilersweep.eval.ranking.search import IndexEngine
from boilersweep.eval.stats.scoring import DEFAULT_MEASURES
from boilersweep.eval.stats.statistics import (
    Interval,
    bootstrap_intervals,
    place_of_best,
)
from boilersweep.eval.sweep.table import (
    baseline_of,
    best_of,
    scores_csv,
    sweep_cells,
    sweep_table,
    sweeps_of,
    topic_scores_csv,
    write_tables,
)
from boilersweep.outputs.atomic import write_text
from boilersweep.outputs.figures import figure
from boilersweep.outputs.notebook import points
from boilersweep.outputs.pictures import Picture, Spec, heading, lines, shortened
from boilersweep.pages.columns import FloatArray
from boilersweep.store.store import BlockStore
from boilersweep.topics import Agreement, AnyQrels, AnyTopics

if TYPE_CHECKING:
    import pandas as pd

# Languages that are drawn.
_MAX_LINES = 10

# How many measures the curves show: P@10 and nDCG@10 unless others are requested.
CURVE_MEASURES = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SweepResult(ExperimentResult):
    """The results of a sweep.

    Attributes:
        scores: The scores, in the order of the sweeps.
        agreement: Which topics are judged.
    """

    scores: Scores
    agreement: Agreement

    @property
    def rows(self) -> list[ScoreRow]:
        """The counts and means of every variant."""
        return self.scores.rows

    def _draw(self, frame: "pd.DataFrame", measure: str) -> Spec:
        """Draw a line for each sweep."""
        rows = points(frame, "threshold", measure, "sweep")
        return lines(rows, "threshold", measure, dots=True)


def run_sweep(
    store: BlockStore | Path | str,
    sweeps: Sweeps,
    topics: AnyTopics,
    qrels: AnyQrels,
    output: Path | str,
    *,
    cleaners: Cleaners = (),
    options: ExperimentOptions | None = None,
    output_options: OutputOptions | None = None,
) -> SweepResult:
    """Run and score every threshold of some sweeps, reusing the indexes in the folder.

    Args:
        store: The block store, or its folder.
        sweeps: One sweep or several, such as `words=1:100`, as text or parsed.
        topics: The topics to run: a file, `irds:ID`, a dictionary of topic id -> query, a frame, or
            a list, as `boilersweep.topics.read_topics` takes them.
        qrels: Their judgements: likewise, as `boilersweep.topics.read_qrels` takes them.
        output: The folder for all results.
        cleaners: One cleaner or several to run and score besides the thresholds, likewise.
        options: How topics are run, scored and verified. The default engine is `indexes`; with
            `exact` the baseline and the best variant are verified unless a number is given.
        output_options: The title, the sources to record, and whether to replace another experiment.

    Returns:
        The scores, and the files that were written.

    Raises:
        QrelsError: No topic or no document is judged.
        UsageError: A measure is unknown, or the store lacks a text that a cleaner reads.
        VerificationError: A run differs from that of a real index.
        OutputError: The folder has another experiment, or cannot be written.
        IndexingError: An index has another recipe, is damaged, or cannot be built.
    """
    options = (options or ExperimentOptions()).with_defaults(
        DEFAULT_MEASURES, "indexes"
    )
    request = ExperimentRequest.of(
        store, topics, qrels, output, options, output_options
    )
    return run(_Sweep(request, as_sweeps(sweeps), as_cleaners(cleaners)))


class _Sweep(Plan[Scores, SweepResult]):
    """Every threshold and cleaner under one formula."""

    kind = "sweep"

    def __init__(
        self,
        request: ExperimentRequest,
        sweeps: Sequence[Sweep],
        swept_beside: Sequence[Cleaner],
    ) -> None:
        self.request = request
        self.sweeps = sweeps
        self.beside = swept_beside
        self.variants = collect_variants(sweeps, swept_beside)
        self.divided: DividedSweep | None = None

    def depends_on(self) -> dict[str, Any]:
        return {"engine": self.request.engine}

    def collect(self) -> None:
        """Collect the rows part by part into files, on an executor and of a large store."""
        request, executor = self.request, self.request.options.executor
        is_large = request.store.documents > MOST_IN_MEMORY
        if request.engine == "exact" and (executor or is_large):
            self.require_free()
            self.divided = divided_sweep(
                request.store,
                self.variants,
                request.queries,
                request.output,
                request.search,
            )
            self.divided.collect(executor)

    def prepare(self, indexes: Path) -> Prepared:
        """Take real indexes, or the exact engine on the rows of all shards or on the store."""
        request, variants = self.request, self.variants
        store, queries, search = request.store, request.queries, request.search
        engine: IndexEngine | DividedEngine | ExactEngine
        if self.divided:
            engine = DividedEngine(variants, self.divided)
        elif request.engine == "indexes":
            engine = IndexEngine(
                store,
                variants,
                queries,
                indexes,
                search,
                executor=request.options.executor,
            )
        else:
            engine = ExactEngine(store, variants, queries, search)
        return Prepared({search.model: engine}, engine.placed)

    def score(self, prepared: Prepared) -> Scores:
        output, [engine] = self.request.output, prepared.engines.values()
        paths = [output / run_name(variant.name) for variant in self.variants]
        return self.scores(engine, self.variants, paths)

    def to_verify(self, found: Scores) -> tuple[list[Variant], list[RankingModel]]:
        """Return the baseline and the best variant."""
        rows = found.rows
        both = [baseline_of(rows) or rows[0], best_of(rows, found.measures[0])]
        chosen = list(dict.fromkeys(row.variant for row in both))
        return chosen, [self.request.search.model]

    def facts(self, found: Scores) -> dict[str, Any]:
        return {
            "sweeps": list(map(str, self.sweeps)),
            "cleaners": list(map(str, self.beside)),
            "measures": found.measures,
        }

    def show(self, done: Done[Scores]) -> SweepResult:
        request, scores, sweeps = self.request, done.found, self.sweeps
        output, rows = request.output, scores.rows
        table = sweep_table(rows, len(scores.topics), sweeps)
        measures = scores.measures[:CURVE_MEASURES]
        title, intervals = (
            request.output_options.title,
            mean_intervals(scores, measures),
        )
        curves = draw_curve(rows, measures, title, output / "curve", sweeps, intervals)
        texts = {
            "table.txt": table + "\n",
            "scores.csv": scores_csv(rows, sweeps),
            "topics.csv": topic_scores_csv(
                scores, ["sweep", "threshold"], sweep_cells(scores.variants, sweeps)
            ),
        }
        files = [
            *curves,
            *_write_languages(request, scores, sweeps),
            *write_tables(output, texts),
            *(output / run_name(variant.name) for variant in self.variants),
        ]
        return SweepResult(
            scores=scores,
            agreement=request.agreement,
            table=table,
            files=files,
            **done.beside,
        )


def _write_languages(
    request: ExperimentRequest, scores: Scores, sweeps: Sequence[Sweep]
) -> list[Path]:
    """Write the scores by language of the topics, and draw the sweeps with a line per language.

    Returns:
        The files; none where all topics are of one language.
    """
    languages = request.topic_languages()
    groups = topics_by_language(list(languages.values()), request.store.languages)
    if not groups:
        return []
    variants = scores.variants
    values = {measure: scores.values(measure) for measure in scores.measures}
    baseline = next(
        (place for place, row in enumerate(scores.rows) if row.is_baseline), None
    )
    path = request.output / "languages.csv"
    write_text(path, languages_csv(groups, list(map(str, variants)), values, baseline))
    curves = curves_of(variants, sweeps)
    if not curves:
        return [path]
    decided = [group for group in groups if group.language != UNDECIDED][:_MAX_LINES]
    drawn = [
        [
            _by_language(values[measure], curve, decided, label, measure)
            for label, curve in curves.items()
        ]
        for measure in scores.measures[:CURVE_MEASURES]
    ]
    title = heading("By language of the topics, which are counted in brackets")
    return [path, *Picture(panels(drawn, title)).write(request.output / "languages")]


def _by_language(
    values: FloatArray,
    curve: Sequence[tuple[float, int]],
    groups: Sequence[LanguageTopics],
    sweep: str,
    measure: str,
) -> Spec:
    """Draw a line over a sweep for each language.

    Args:
        values: (topics, variants), the scores.
        curve: Threshold and place of its variant.
        groups: The languages.
        sweep: The sweep's label.
        measure: The measure.
    """
    rows = [
        {
            "x": threshold,
            "y": float(values[group.places, place].mean()),
            "name": group.head,
        }
        for group in groups
        for threshold, place in curve
    ]
    return lines(rows, axis_of(sweep), measure, dots=True)


# Measure -> variant -> the interval of the variant's mean.
Intervals = Mapping[str, Mapping[Variant, Interval | None]]


def draw_curve(
    rows: Sequence[ScoreRow],
    measures: Sequence[str],
    title: str,
    stem: Path,
    sweeps: Sequence[Sweep] = (),
    intervals: Intervals | None = None,
) -> list[Path]:
    """Draw a row of panels per measure and a column per sweep.

    Everything, with every block kept, is a dashed line. Cleaners that are no thresholds are not
    drawn. The scales of scores need not begin at zero.

    Args:
        rows: The rows.
        measures: The measures to draw.
        title: The title of the figure.
        stem: The path of the files without its suffix.
        sweeps: The requested sweeps.
        intervals: The intervals to draw as bands.

    Returns:
        The files; none without a sweep.

    Raises:
        OutputError: A file cannot be written.
    """
    curves = sweeps_of(rows, sweeps)
    if not curves:
        return []
    baseline = baseline_of(rows)
    drawn = [
        [
            _curve(curve, label, measure, colour, baseline, intervals)
            for label, curve in curves.items()
        ]
        for measure, colour in zip(measures, COLOURS, strict=False)
    ]
    return Picture(panels(drawn, heading(shortened(title)))).write(stem)


def _curve(
    swept: Sequence[tuple[float, ScoreRow]],
    label: str,
    measure: str,
    colour: str,
    baseline: ScoreRow | None,
    intervals: Intervals | None,
) -> Spec:
    """Draw a sweep by a measure, with a ring around the best threshold.

    Args:
        swept: Values with their rows.
        label: The label of the sweep.
        measure: The measure.
        colour: The colour of the curve.
        baseline: The row with every block kept, which is a dashed line.
        intervals: The intervals to draw as a band.
    """
    rows: list[Spec] = []
    for value, row in swept:
        found = intervals[measure].get(row.variant) if intervals else None
        # Of one topic it is unknown
        low, high = found if found and not math.isnan(found[0]) else (None, None)
        point = {"threshold": value, "what": str(row.variant)}
        rows.append({**point, "mean": row.scores[measure], "low": low, "high": high})
    best = rows[place_of_best([row["mean"] for row in rows])]
    title = f"best: {figure(best['mean'])} at {number_text(best['threshold'])}"
    x, shown, beside = axis_of(label), {"what": "kept", "mean": measure}, []
    if baseline:
        mean = baseline.scores[measure]
        kept = {"what": str(baseline.variant), "mean": mean}
        beside.append(flat(kept, measure, DASHED, shown))
        title += f"; every block kept: {figure(mean)}"
    beside.append(ring([best], x, measure, colour))
    drawn = curve(rows, x, measure, shown, colour=colour, beside=beside)
    return {"title": title, **drawn}


def mean_intervals(scores: Scores, measures: Sequence[str]) -> Intervals:
    """Compute the 95 % bootstrap intervals of means over topics.

    Args:
        scores: The scores.
        measures: The measures.
    """
    intervals = {}
    for measure in measures:
        found = bootstrap_intervals(scores.values(measure)).tolist()
        intervals[measure] = dict(zip(scores.variants, map(tuple, found), strict=True))
    return intervals
