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

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from boilersweep.cleaners.rules import number_text
from boilersweep.cleaners.syntax.grammar import Cleaners, as_cleaners
from boilersweep.cleaners.syntax.variants import (
    Sweep,
    Sweeps,
    as_sweeps,
    collect_variants,
    curves_of,
)
from boilersweep.eval.experiment.folder import run_name
from boilersweep.eval.experiment.languages import (
    UNDECIDED,
    ByLanguage,
    languages_sheet,
    results_by_language,
    topics_by_language,
)
from boilersweep.eval.experiment.request import (
    ExperimentOptions,
    ExperimentRequest,
    OutputOptions,
)
from boilersweep.eval.experiment.run import Experiment, ExperimentResult, experiment
from boilersweep.eval.experiment.scored import Scores
from boilersweep.eval.figures.drawing import (
    COLOURS,
    DASHED,
    axis_of,
    curve,
    flat,
    panels,
    ring,
)
from boilersweep.eval.stats.frames import Row, baseline_of, best_of, sweeps_of
from boilersweep.eval.stats.scoring import DEFAULT_MEASURES
from boilersweep.eval.stats.sheets import scores_sheet, sweep_sheet, topics_sheet
from boilersweep.eval.stats.statistics import place_of_best
from boilersweep.eval.sweep.table import sweep_table, write_tables
from boilersweep.outputs.atomic import write_text
from boilersweep.outputs.figures import figure
from boilersweep.outputs.notebook import points
from boilersweep.outputs.pictures import Picture, Spec, heading, lines, shortened
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
        scores: The scores by topic, in the order of the sweeps.
        agreement: Which topics are judged.
    """

    scores: Scores
    agreement: Agreement

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
    parsed, beside = as_sweeps(sweeps), as_cleaners(cleaners)
    variants = collect_variants(parsed, beside)
    identity = request.identity("sweep", variants, {"engine": request.engine})
    with experiment(request, variants, identity) as running:
        scores = running.run()
        rows = scores.frame(has_intervals=False)
        best = best_of(rows, scores.measures[0])
        verified = dict.fromkeys([(baseline_of(rows) or rows[0]).variant, best.variant])
        running.verify(list(verified), [request.search.model])
        running.record(
            {
                "sweeps": list(map(str, parsed)),
                "cleaners": list(map(str, beside)),
                "measures": scores.measures,
            }
        )
        return _show(running, scores, parsed)


def _show(running: Experiment, scores: Scores, sweeps: Sequence[Sweep]) -> SweepResult:
    """Write the views of a sweep's scores."""
    request = running.request
    output, rows = request.output, scores.frame(sweeps)
    table = sweep_table(rows, len(scores.topics), sweeps)
    measures, title = scores.measures[:CURVE_MEASURES], request.output_options.title
    sheet = scores_sheet(rows, sweep_sheet(rows))
    texts = {
        "table.txt": table + "\n",
        "scores.csv": sheet.csv,
        "topics.csv": topics_sheet(rows, sweep_sheet(rows), scores.topics).csv,
    }
    running.files = [
        *draw_curve(rows, measures, title, output / "curve", sweeps),
        *_write_languages(request, scores, rows, sweeps),
        *write_tables(output, texts),
        *(output / run_name(variant.name) for variant in scores.variants),
    ]
    return SweepResult(
        scores=scores,
        agreement=request.agreement,
        rows=rows,
        sheet=sheet,
        table=table,
        files=running.files,
        verified=running.verified,
        placed=running.placed,
    )


def _write_languages(
    request: ExperimentRequest,
    scores: Scores,
    rows: Sequence[Row],
    sweeps: Sequence[Sweep],
) -> list[Path]:
    """Write the scores by language of the topics, and draw the sweeps with a line per language.

    Returns:
        The files; none where all topics are of one language.
    """
    languages = request.topic_languages()
    groups = topics_by_language(list(languages.values()), request.store.languages)
    if not groups:
        return []
    results = results_by_language(
        groups,
        {measure: scores.values(measure) for measure in scores.measures},
        next((n for n, row in enumerate(rows) if row.keeps_all), None),
    )
    path = request.output / "languages.csv"
    write_text(path, languages_sheet(results, [row.label for row in rows]).csv)
    curves = curves_of(scores.variants, sweeps)
    if not curves:
        return [path]
    decided = [language for language in results if language[0].language != UNDECIDED][
        :_MAX_LINES
    ]
    drawn = [
        [
            _by_language(decided, curve, label, measure)
            for label, curve in curves.items()
        ]
        for measure in scores.measures[:CURVE_MEASURES]
    ]
    title = heading("By language of the topics, which are counted in brackets")
    return [path, *Picture(panels(drawn, title)).write(request.output / "languages")]


def _by_language(
    languages: Sequence[ByLanguage],
    curve: Sequence[tuple[float, int]],
    sweep: str,
    measure: str,
) -> Spec:
    """Draw a line over a sweep for each language.

    Args:
        languages: The languages and their results.
        curve: Threshold and place of its variant.
        sweep: The sweep's label.
        measure: The measure.
    """
    rows = [
        {"x": threshold, "y": results[place][measure].mean, "name": group.head}
        for group, results in languages
        for threshold, place in curve
    ]
    return lines(rows, axis_of(sweep), measure, dots=True)


def draw_curve(
    rows: Sequence[Row],
    measures: Sequence[str],
    title: str,
    stem: Path,
    sweeps: Sequence[Sweep] = (),
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
            _curve(curve, label, measure, colour, baseline)
            for label, curve in curves.items()
        ]
        for measure, colour in zip(measures, COLOURS, strict=False)
    ]
    return Picture(panels(drawn, heading(shortened(title)))).write(stem)


def _curve(
    swept: Sequence[tuple[float, Row]],
    label: str,
    measure: str,
    colour: str,
    baseline: Row | None,
) -> Spec:
    """Draw a sweep by a measure, with a ring around the best threshold.

    Args:
        swept: Values with their rows.
        label: The label of the sweep.
        measure: The measure.
        colour: The colour of the curve.
        baseline: The row with every block kept, which is a dashed line.
    """
    rows: list[Spec] = []
    for value, row in swept:
        result = row.results[measure]
        place = {"threshold": value, "mean": result.mean, "what": row.label}
        rows.append({**place, "low": result.low, "high": result.high})
    best = rows[place_of_best([row["mean"] for row in rows])]
    title = f"best: {figure(best['mean'])} at {number_text(best['threshold'])}"
    x, shown, beside = axis_of(label), {"what": "kept", "mean": measure}, []
    if baseline:
        mean = baseline.results[measure].mean
        kept = {"what": baseline.label, "mean": mean}
        beside.append(flat(kept, measure, DASHED, shown))
        title += f"; every block kept: {figure(mean)}"
    beside.append(ring([best], x, measure, colour))
    drawn = curve(rows, x, measure, shown, colour=colour, beside=beside)
    return {"title": title, **drawn}
