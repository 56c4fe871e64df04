"""Comparison of cleaners without a single judgement: how the top ten changes between them."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

from boilersweep.cleaners import CLEAN_CODE
from boilersweep.cleaners.selection import Cleaner, identity_of
from boilersweep.cleaners.stored import require_for
from boilersweep.cleaners.syntax.variants import (
    Sweep,
    Variant,
    collect_variants,
    curves_of,
)
from boilersweep.errors import UsageError
from boilersweep.eval.experiment.request import ranking_identity
from boilersweep.eval.experiment.scored import swept_row
from boilersweep.eval.figures.drawing import axis_of, panels
from boilersweep.eval.ranking.exact.engine import ExactEngine
from boilersweep.eval.ranking.exact.plan import RANK_CODE
from boilersweep.eval.ranking.search import SearchOptions, VariantRun
from boilersweep.eval.stats.frames import Point, Result, Row, points_of
from boilersweep.eval.stats.sheets import scores_sheet, sweep_sheet
from boilersweep.eval.sweep.table import MAX_ROWS
from boilersweep.indexer.jvm import anserini_identity
from boilersweep.indexer.manifest import INDEX_CODE
from boilersweep.indexer.parallel_indexes import BYTES_PER_TOKEN
from boilersweep.outputs.csvtext import csv_text
from boilersweep.outputs.figures import figure
from boilersweep.outputs.identity import code_identity, digest_of
from boilersweep.outputs.parts import Output, view
from boilersweep.outputs.pictures import (
    Picture,
    heading,
    lines,
    picture_names,
    shortened,
)
from boilersweep.outputs.tables import text_table
from boilersweep.outputs.writer import writing
from boilersweep.store.store import BlockStore
from boilersweep.topics import Topic

K = 10
# The persistence of rank-biased overlap; the first ten ranks have 86 % of the weight.
P = 0.9

# The most topics in the list of those that change most.
_CHANGED = 10

# Cleaner -> topic -> docids of the first ten.
Tops = dict[Variant, dict[str, list[str]]]
_STEM = "overlap"
_TEXTS = (f"{_STEM}.txt", f"{_STEM}.csv", "changed-topics.csv")

OVERLAP = Output(name="overlap", command="sweep` or `compare", facts=dict[str, Any])

MEASURES = ("overlap", "RBO", "overlap with previous", "entered and left")


def overlap(a: Sequence[str], b: Sequence[str]) -> float:
    """Return the share of the longer list that both have; 1 for two empty lists."""
    longest = max(len(a), len(b))
    return len({*a} & {*b}) / longest if longest else 1.0


def rank_biased_overlap(a: Sequence[str], b: Sequence[str]) -> float:
    """Return the RBO extrapolated from the depth of the longer list; 1 for two empty lists.

    Source: Webber et al., TOIS 2010, equation 30.
    """
    depth = max(len(a), len(b))
    if not depth:
        return 1.0
    shares = [len({*a[:d]} & {*b[:d]}) / d for d in range(1, depth + 1)]
    summed = sum(share * P**d for d, share in enumerate(shares, start=1))
    return shares[-1] * P**depth + (1 - P) / P * summed


def compare_unjudged(
    store: BlockStore,
    topics: Sequence[Topic],
    baseline: Cleaner,
    cleaners: Sequence[Cleaner],
    sweeps: Sequence[Sweep],
    output: Path,
    *,
    options: SearchOptions,
    title: str,
    inputs: Sequence[Path] = (),
    overwrite: bool = False,
) -> tuple[str, list[Path]]:
    """Run cleaners and thresholds by the exact engine, and write how their top tens differ.

    Args:
        store: The block store.
        topics: The topics.
        baseline: The cleaner to compare with.
        cleaners: The other cleaners.
        sweeps: The thresholds.
        output: The folder for the results.
        options: How the topics are run.
        title: The title of the figure.
        inputs: The files of the topics.
        overwrite: Replace another comparison.

    Returns:
        The table for the terminal, and the files that were written.

    Raises:
        UsageError: Nothing is to be compared, or a result would replace an input.
        OutputError: The folder has another output, or a file cannot be written.
    """
    variants = list(
        dict.fromkeys([Variant(baseline), *collect_variants(sweeps, cleaners)])
    )
    if len(variants) < 2:
        raise UsageError(
            "expected `cleaners` or a `sweep` to compare with every block kept"
        )
    require_for(store, [variant.cleaner for variant in variants])
    queries = {topic.id: topic.text(options.fields) for topic in topics}
    recipe = {
        **_recipe(store, variants, sweeps, options),
        "topics": {topic.id: topic.title for topic in topics},
        "queries": digest_of(queries),
    }
    views = [view(name, [recipe, title]) for name in (*_TEXTS, *picture_names(_STEM))]
    with writing(
        OVERLAP,
        output,
        recipe,
        views,
        inputs=inputs,
        closed=[store.path],
        overwrite=overwrite,
    ) as writer:
        engine = ExactEngine(store, variants, queries, options)
        runs = {variant: engine.run(variant) for variant in variants}
        tops = {variant: _top(run) for variant, run in runs.items()}
        previous = _previous(variants, sweeps)
        points = points_of(variants, sweeps)
        rows = [
            _row(run, tops, variants[0], previous, point)
            for run, point in zip(runs.values(), points, strict=True)
        ]
        table = _table(rows, topics, tops)
        texts = (
            table + "\n",
            scores_sheet(rows, sweep_sheet(rows)).csv,
            _topics_csv(topics, tops),
        )
        files = [
            writer.text(name, text) for name, text in zip(_TEXTS, texts, strict=True)
        ]
        for path in _draw(rows, sweeps, title, output / _STEM):
            writer.add(path.name)
            files.append(path)
        writer.finish({"store": str(store.path), "documents": store.documents})
        return table, files


def _recipe(
    store: BlockStore,
    variants: Sequence[Variant],
    sweeps: Sequence[Sweep],
    options: SearchOptions,
) -> dict[str, Any]:
    """Return all that the results depend on beside the topics."""
    return {
        "store": store.fingerprint,
        "languages": list(store.chosen_languages),
        "variants": {
            variant.name: identity_of(variant.cleaner) for variant in variants
        },
        "sweeps": list(map(str, sweeps)),
        "ranking": ranking_identity(options.model),
        "analyzer": asdict(options.analyzer),
        "anserini": anserini_identity(),
        "code": code_identity(CLEAN_CODE, INDEX_CODE, RANK_CODE),
    }


def _previous(
    variants: Sequence[Variant], sweeps: Sequence[Sweep]
) -> dict[Variant, Variant]:
    """Return the threshold before each threshold of a sweep."""
    return {
        variants[after]: variants[before]
        for curve in curves_of(variants, sweeps).values()
        for (_, before), (_, after) in pairwise(curve)
    }


def _top(run: VariantRun) -> dict[str, list[str]]:
    return {topic: [docid for docid, _ in hits[:K]] for topic, hits in run.run.items()}


def _row(
    run: VariantRun,
    tops: Tops,
    baseline: Variant,
    previous: dict[Variant, Variant],
    point: Point,
) -> Row:
    own, of_all = tops[run.variant], tops[baseline]
    before = tops[previous[run.variant]] if run.variant in previous else own
    pairs = [(of_all[topic], own[topic]) for topic in own]
    values: tuple[list[float], ...] = (
        [overlap(a, b) for a, b in pairs],
        [rank_biased_overlap(a, b) for a, b in pairs],
        [overlap(before[topic], own[topic]) for topic in own],
        [float(len({*a} ^ {*b})) for a, b in pairs],
    )
    results = {
        name: Result(mean=sum(measured) / len(pairs))
        for name, measured in zip(MEASURES, values, strict=True)
    }
    return swept_row(run, point, results)


def _topics_csv(topics: Sequence[Topic], tops: Tops) -> str:
    baseline, *others = tops.values()
    lines = []
    for topic in topics:
        before = baseline[topic.id]
        for other, of_other in zip(list(tops)[1:], others, strict=True):
            after = of_other[topic.id]
            entered = [docid for docid in after if docid not in before]
            left = [docid for docid in before if docid not in after]
            shown = (overlap(before, after), rank_biased_overlap(before, after))
            moved = [" ".join(entered), " ".join(left)]
            lines.append([topic.id, topic.title, str(other.cleaner), *shown, *moved])
    heads = ("topic", "query", "cleaner", "overlap", "RBO", "entered", "left")
    return csv_text(heads, lines)


def _table(rows: Sequence[Row], topics: Sequence[Topic], tops: Tops) -> str:
    first, *others = tops.values()
    changed = {
        topic: fmean(overlap(first[topic.id], other[topic.id]) for other in others)
        for topic in topics
    }
    step = max(1, -(-len(rows) // MAX_ROWS))
    shown = [
        (
            row.label,
            figure(row.results["overlap"].mean),
            figure(row.results["RBO"].mean),
            f"{row.results['entered and left'].mean:.1f}",
            figure(tokens / max(rows[0].tokens or 0, 1), ".0%"),
            figure(row.empty, ","),
            f"{tokens * BYTES_PER_TOKEN / 1e6:,.1f} MB",
        )
        for index, (row, tokens) in enumerate((row, row.tokens or 0) for row in rows)
        if index % step == 0 or index == len(rows) - 1
    ]
    heads = [
        "cleaner",
        "overlap",
        "RBO",
        "enter+leave",
        "tokens",
        "left empty",
        "index",
    ]
    lines = [
        text_table(shown, heads),
        "",
        f"The top {K} of {len(topics):,} topics, against {rows[0].label}; without "
        "judgements nobody knows which is better: `boilersweep assess` finds out. Index: about, "
        "without positions.",
        "Topics that change most (mean overlap):",
        *(
            f"  {figure(changed[topic], '.2f')}  {topic.id}  {topic.title[:60]}"
            for topic in sorted(changed, key=changed.__getitem__)[:_CHANGED]
        ),
    ]
    return "\n".join(lines)


def _draw(
    rows: Sequence[Row], sweeps: Sequence[Sweep], title: str, stem: Path
) -> list[Path]:
    """Draw overlap against thresholds, a panel for each sweep; nothing without a sweep."""
    curves = curves_of([row.variant for row in rows], sweeps)
    if not curves:
        return []
    drawn = []
    for sweep, curve in curves.items():
        points = [
            {"x": value, "y": rows[place].results[name].mean, "name": name}
            for name in MEASURES[:3]
            for value, place in curve
        ]
        drawn.append(lines(points, axis_of(sweep), f"of the top {K}"))
    return Picture(panels([drawn], heading(shortened(title)))).write(stem)
