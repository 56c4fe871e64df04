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

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boilersweep.cleaners.language.grammar import Cleaners, as_cleaners
from boilersweep.cleaners.language.variants import (
    Sweep,
    Sweeps,
    Variant,
    as_sweeps,
    collect_variants,
    curves_of,
)
from boilersweep.cleaners.selection import AlignmentCounts, Cleaner
from boilersweep.eval.experiment.folder import run_name
from boilersweep.eval.experiment.languages import (
    UNDECIDED,
    languages_csv,
    topics_by_language,
)
from boilersweep.eval.experiment.request import (
    ExperimentOptions,
    ExperimentRequest,
    OutputOptions,
)
from boilersweep.eval.experiment.verification import Verified, spread
from boilersweep.eval.figures.curves import curve_panels, dots
from boilersweep.eval.figures.drawing import figure_files
from boilersweep.eval.ranking.exact.divided import (
    DividedEngine,
    DividedSweep,
    divided_sweep,
)
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.search import Engine, IndexEngine
from boilersweep.eval.stats.scoring import DEFAULT_MEASURES
from boilersweep.eval.sweep.curve import draw_curve, mean_intervals
from boilersweep.eval.sweep.table import (
    SweepRow,
    baseline_of,
    best_of,
    keeps_everything,
    scores_csv,
    sweep_cells,
    sweep_row,
    sweep_table,
    topic_scores_csv,
    write_tables,
)
from boilersweep.outputs.atomic import write_text
from boilersweep.outputs.notebook import WrittenFrame
from boilersweep.store.store import BlockStore
from boilersweep.topics import Agreement, AnyQrels, AnyTopics

if TYPE_CHECKING:
    import pandas as pd

# Variant -> topic -> measure -> score.
ByTopic = dict[Variant, dict[str, dict[str, float]]]

# Languages that are drawn.
_MAX_LINES = 10

# How many measures the curves show: P@10 and nDCG@10 unless others are requested.
CURVE_MEASURES = 2


@dataclass(frozen=True, slots=True, repr=False)
class SweepResult(WrittenFrame):
    """The results of a sweep.

    Attributes:
        rows: The rows, in the order of the sweeps.
        agreement: Which topics are judged.
        table: The table for the terminal.
        files: The files that were written.
        verified: What was compared with real indexes; None if all runs come from real indexes.
        placed: By name of the texts that are matched to blocks, how much of them was matched.
    """

    rows: list[SweepRow]
    agreement: Agreement
    table: str
    files: list[Path]
    verified: Verified | None
    placed: Mapping[str, AlignmentCounts]

    def _draw(
        self, frame: "pd.DataFrame", measure: str, options: dict[str, Any]
    ) -> Any:
        """Draw a line for each sweep."""
        swept = frame.dropna(subset="threshold")
        lines = swept.pivot_table(
            measure, "threshold", "sweep", sort=False
        ).sort_index()
        return lines.interpolate(limit_area="inside").plot(
            **{"ylabel": measure, **options}
        )


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
    return _carry_out(request, as_sweeps(sweeps), as_cleaners(cleaners))


def _carry_out(
    request: ExperimentRequest, swept: Sequence[Sweep], cleaners: Sequence[Cleaner]
) -> SweepResult:
    """Run, score, verify and write."""
    variants = collect_variants(swept, cleaners)
    request.store.require_for([variant.cleaner for variant in variants])
    divided = _divided(request, variants)
    with request.folder("sweep", variants, more={"engine": request.engine}) as folder:
        engine = _engine(request, variants, folder.index_folder, divided)
        runs = {one: request.output / run_name(one.name) for one in variants}
        scored = request.score(engine, runs)
        rows = [sweep_row(scored_run) for scored_run in scored]
        by_topic = {
            scored_run.found.variant: scored_run.scores.by_topic
            for scored_run in scored
        }
        with ThreadPoolExecutor(1) as beside:  # while Java's threads verify
            drawing = beside.submit(_draw, request, rows, by_topic, swept)
            verified = _verify(request, engine, rows, folder.index_folder)
        folder.use_indexes(verified.indexes if verified else [v.name for v in variants])
        table = sweep_table(rows, len(request.grades), swept)
        files = drawing.result() + _write(request, rows, by_topic, swept, table)
        folder.files = [*files, *runs.values()]
        folder.manifest = {
            **request.provenance(verified, engine.placed),
            "sweeps": list(map(str, swept)),
            "cleaners": list(map(str, cleaners)),
            "measures": request.measure_names,
        }
    return SweepResult(
        rows, request.agreement, table, folder.files, verified, engine.placed
    )


def _divided(
    request: ExperimentRequest, variants: Sequence[Variant]
) -> DividedSweep | None:
    """Return a sweep whose rows are all in files, if the work is divided."""
    options = request.options
    if request.engine == "indexes" or not (options.divided or options.executor):
        return None
    request.require_free("sweep", variants, {"engine": request.engine})
    divided = divided_sweep(
        request.store, variants, request.queries, request.output, request.search
    )
    divided.collect(options.executor)
    return divided


def _engine(
    request: ExperimentRequest,
    variants: Sequence[Variant],
    indexes: Path,
    divided: DividedSweep | None,
) -> IndexEngine | DividedEngine | ExactEngine:
    """Return real indexes, or the exact engine on the rows of all shards or on the store."""
    store, queries, search = request.store, request.queries, request.search
    if divided:
        return DividedEngine(variants, divided)
    if request.engine == "indexes":
        executor = request.options.executor
        return IndexEngine(store, variants, queries, indexes, search, executor=executor)
    return ExactEngine(store, variants, queries, search)


def _draw(
    request: ExperimentRequest,
    rows: Sequence[SweepRow],
    by_topic: ByTopic,
    sweeps: Sequence[Sweep],
) -> list[Path]:
    measures = request.measure_names[:CURVE_MEASURES]
    title, stem = request.output_options.title, request.output / "curve"
    return draw_curve(
        rows, measures, title, stem, sweeps, mean_intervals(by_topic, measures)
    )


def _verify(
    request: ExperimentRequest, engine: Engine, rows: Sequence[SweepRow], indexes: Path
) -> Verified | None:
    """Verify evenly spread variants of the exact engine, or the baseline and the best one."""
    if request.engine == "indexes":
        return None
    if request.verification.variants is not None:
        chosen = spread([row.variant for row in rows], request.verification.variants)
    else:
        best = best_of(rows, next(iter(rows[0].scores)))
        chosen = list(
            dict.fromkeys([(baseline_of(rows) or rows[0]).variant, best.variant])
        )
    return request.verify(engine, chosen, indexes)


def _write(
    request: ExperimentRequest,
    rows: Sequence[SweepRow],
    by_topic: ByTopic,
    sweeps: Sequence[Sweep],
    table: str,
) -> list[Path]:
    texts = {
        "table.txt": table + "\n",
        "scores.csv": scores_csv(rows, sweeps),
        "topics.csv": topic_scores_csv(
            by_topic, ["sweep", "threshold"], sweep_cells(list(by_topic), sweeps)
        ),
    }
    languages = _write_languages(request, by_topic, sweeps)
    return [*languages, *write_tables(request.output, texts)]


def _write_languages(
    request: ExperimentRequest, by_topic: ByTopic, sweeps: Sequence[Sweep]
) -> list[Path]:
    """Write the scores by language of the topics, and draw the sweeps with a line per language.

    Returns:
        The files; none where all topics are of one language.
    """
    languages = request.topic_languages()
    groups = topics_by_language(list(languages.values()), request.store.languages)
    if not groups:
        return []
    variants = list(by_topic)
    scores = {
        measure: np.array(
            [[by_topic[v][topic][measure] for v in variants] for topic in languages]
        )
        for measure in request.measure_names
    }
    baseline = next(
        (place for place, one in enumerate(variants) if keeps_everything(one)), None
    )
    path = request.output / "languages.csv"
    write_text(path, languages_csv(groups, list(map(str, variants)), scores, baseline))
    curves = curves_of(variants, sweeps)
    if not curves:
        return [path]
    decided = [group for group in groups if group.language != UNDECIDED][:_MAX_LINES]
    measures = request.measure_names[:CURVE_MEASURES]
    title = "By language of the topics, which are counted in brackets"
    size = (1 + 5 * len(curves), 0.6 + 2.4 * len(measures))
    stem = request.output / "languages"
    with curve_panels(stem, list(curves), measures, title, size) as panels:
        for row, measure in zip(panels, measures, strict=True):
            for panel, curve in zip(row, curves.values(), strict=True):
                thresholds, places = [
                    list(values) for values in zip(*curve, strict=True)
                ]
                for number, group in enumerate(decided):
                    means = scores[measure][group.places][:, places].mean(axis=0)
                    style = {
                        "color": f"C{number}",
                        "label": group.head,
                        **dots(thresholds),
                    }
                    panel.plot(thresholds, means, **style)
        panels[0][-1].legend(
            loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False
        )
    return [path, *figure_files(stem)]
