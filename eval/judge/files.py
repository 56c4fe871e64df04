"""The files of a judgement, and its figures.

OUT/scores.csv              one row per cleaner
OUT/pages.csv               one row per page and cleaner
OUT/comparisons.csv         every cleaner against the best, by each measure
OUT/types.csv               one row per cleaner and page type, if the dataset has types
OUT/agreement.csv           how far the measures rank at least three cleaners alike
OUT/blocks.csv              word-weighted scores of blocks, if the dataset has classes of them
OUT/ranked.svg, ranked.png  F1 by rank
OUT/table.txt               the tables of the terminal
OUT/manifest.json           what was judged on what, and every file's digest; written last

Of several datasets:

OUT/sources.csv               one row per cleaner and dataset, language, or both
OUT/sources.svg, sources.png  the same with intervals
OUT/table.txt                 the tables of the terminal
OUT/sources/LABEL/...         the files above of each dataset
OUT/manifest.json             as above, written last
"""

import platform
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

from boilersweep.cleaners import CLEAN_CODE
from boilersweep.cleaners.selection import identity_of
from boilersweep.eval.judge import JUDGE_CODE
from boilersweep.eval.judge.comparison import (
    Agreement,
    Difference,
    GroupScore,
    JudgedSource,
    StringSummary,
    Summary,
    TypeScore,
    agreements,
    by_language,
    by_source,
    by_type,
    compare,
    mean_of,
    measure_of,
    summarise,
    summarise_strings,
    values,
)
from boilersweep.eval.judge.datasets import Dataset
from boilersweep.eval.judge.judge import Judged, Judgement, Judgements, content_digest
from boilersweep.eval.judge.tables import (
    agreement_table,
    blocks_csv,
    blocks_table,
    pages_csv,
    ranked,
    rows_csv,
    scores_table,
    source_table,
    types_table,
)
from boilersweep.eval.judge.texts import GivenTexts
from boilersweep.eval.stats import STATISTICS_CODE
from boilersweep.extractors.registry import Extractor, extractor_identity
from boilersweep.outputs.figures import figure
from boilersweep.outputs.identity import __version__, code_identity
from boilersweep.outputs.parts import MANIFEST, Output, view
from boilersweep.outputs.pictures import (
    INK,
    Picture,
    Spec,
    axis,
    heading,
    layer,
    lines,
    shortened,
    tooltip,
)
from boilersweep.outputs.writer import Writer, writing
from boilersweep.pages.compiled import parser_identity
from boilersweep.pages.elements import Borders
from boilersweep.pages.language import detector
from boilersweep.pages.words import dictionary
from boilersweep.store.shard_columns import VERSION

# The most cleaners in the picture of ranks: those with the highest means.
MAX_CURVES = 10

_AXES = {
    "f1": "F1 of bags of words",
    "word_f1": "word F1",
    "balanced": "strings kept and dropped, balanced",
}


def draw_ranked(
    judgements: Sequence[Judgement], measure: str, title: str, stem: Path
) -> list[Path]:
    """Draw F1 by rank of page, and return the files; raises OutputError."""
    table = np.sort(values(judgements, measure), axis=0)[::-1]
    curves = {
        judged.cleaner: curve for judged, curve in zip(judgements, table.T, strict=True)
    }
    chosen = sorted(curves, key=lambda cleaner: -curves[cleaner].mean())[:MAX_CURVES]
    rows = [
        {
            "x": rank,
            "y": value,
            "name": f"{shortened(cleaner)}: {figure(curves[cleaner].mean())}",
        }
        for cleaner in chosen
        for rank, value in enumerate(curves[cleaner].tolist(), start=1)
    ]
    drawn = lines(rows, "page, by rank", _AXES[measure], title="mean")
    drawn["encoding"]["y"]["scale"] = {"domain": [0, 1]}
    left_out = len(curves) - len(chosen)
    best = f" (the best {MAX_CURVES} of {len(curves)})" if left_out else ""
    size = {"width": 480, "height": 300}
    return Picture({"title": heading(shortened(title) + best), **size, **drawn}).write(
        stem
    )


# The most cleaners in the picture of sources: those whose worst source is the best.
MAX_CLEANERS = 8

_PIXELS = 8  # of height for a point


def draw_sources(
    sources: Sequence[GroupScore], languages: Sequence[GroupScore], stem: Path
) -> list[Path]:
    """Draw means by source and language, and return the files; raises OutputError."""
    order = list(ranked(sources))
    chosen = order[:MAX_CLEANERS]
    rows = [row for row in (*sources, *languages) if row.cleaner in chosen]
    height = max(len(chosen) * _PIXELS, 24)
    offsets: Spec = {"field": "cleaner", "sort": chosen}
    colour = {
        **offsets,
        "type": "nominal",
        "title": "best worst source first",
        "scale": {"domain": chosen, "scheme": "category10"},
    }
    group = {"field": "group", "type": "nominal", "sort": None, "title": None}
    across = {**group, "axis": {"grid": True, "tickBand": "extent", "labelColor": INK}}
    drawn: Spec = {"y": across, "yOffset": offsets, "color": colour}
    x = "mean of the source's measure, with its 95 % interval"
    shown = tooltip(
        {"cleaner": "cleaner", "group": "of", "mean": "mean", "interval": "95 %"}
    )
    left_out = len(order) - len(chosen)
    counted = f" ({MAX_CLEANERS} of {len(order)})" if left_out else ""
    points = [
        {
            "group": shortened(f"{row.group} ({row.pages:,})"),
            "cleaner": row.cleaner,
            "mean": row.mean,
            "low": row.low,
            "high": row.high,
            "interval": f"{figure(row.low)} to {figure(row.high)}",
        }
        for row in rows
    ]
    picture = {
        "title": heading("Cleaners by source and language" + counted),
        "data": {"values": points},
        "width": 440,
        "height": {"step": height, "for": "position"},
        "layer": [
            layer({"type": "rule"}, x=axis("low", x), x2={"field": "high"}, **drawn),
            layer(
                {"type": "point", "filled": True, "size": 30, "opacity": 1},
                x=axis("mean", x),
                tooltip=shown,
                **drawn,
            ),
        ],
    }
    return Picture(picture).write(stem)


SOURCES = "sources"

_FILES = (
    "scores.csv",
    "table.txt",
    "pages.csv",
    "comparisons.csv",
    "agreement.csv",
    "types.csv",
    "blocks.csv",
    "ranked.svg",
    "ranked.png",
    "sources.csv",
    "sources.svg",
    "sources.png",
)


JUDGEMENT = Output(name="judgement", command="judge", facts=dict[str, Any])


def judging(
    output: Path,
    datasets: Sequence[Dataset],
    recipe: Mapping[str, Any],
    *,
    texts: Sequence[GivenTexts] = (),
    overwrite: bool = False,
) -> AbstractContextManager[Writer[dict[str, Any]]]:
    """Hold the folder of a judgement as its one writer.

    Args:
        output: The folder.
        datasets: What is judged; of several, each has a folder.
        recipe: Everything that the judgement depends on.
        texts: Texts that are judged beside the cleaners.
        overwrite: Replace another judgement.

    Raises:
        OutputError: The folder has something else.
        UsageError: A result would replace a page or a text.
    """
    of_each = [f"{SOURCES}/{d.label}/{name}" for d in datasets for name in _FILES]
    names = [*_FILES, *of_each]
    views = [view(name, recipe) for name in names]
    inputs = [dataset.folder for dataset in datasets] + [text.path for text in texts]
    return writing(JUDGEMENT, output, recipe, views, inputs=inputs, overwrite=overwrite)


@dataclass(frozen=True, slots=True)
class Report:
    """The written scores of a dataset or several: the tables of the terminal, and all files."""

    table: str
    files: list[Path]


def write_report(
    writer: Writer[dict[str, Any]],
    dataset: Dataset,
    judgements: Judgements,
    notes: Sequence[str] = (),
) -> Report:
    """Write the files above, and the manifest.

    Args:
        writer: The folder, see `judging`.
        dataset: The dataset.
        judgements: The judgements of at least one cleaner.
        notes: Notes below the table.

    Raises:
        OutputError: A file cannot be written.
    """
    report = _write_scores(writer, "", dataset, judgements, notes)
    writer.finish(_facts(dataset, judgements))
    return _with_manifest(report, writer)


def _with_manifest(report: Report, writer: Writer[Any]) -> Report:
    return replace(report, files=[*report.files, writer.folder / MANIFEST])


def _write_scores(
    writer: Writer[Any],
    folder: str,
    dataset: Dataset,
    judgements: Judgements,
    notes: Sequence[str],
) -> Report:
    """Write the files of one dataset into a folder of the output, given with its slash."""
    texts, tables = _scored(dataset, judgements)
    table = "\n\n".join([*tables, *notes])
    texts["table.txt"] = table + "\n"
    files = [writer.text(folder + name, text) for name, text in texts.items()]
    measure = measure_of(dataset.name)
    title = f"Cleaners on {dataset.name}"
    stem = writer.folder / folder / "ranked"
    drawn = draw_ranked(judgements.judgements, measure, title, stem)
    for path in drawn:
        writer.add(folder + path.name)
    return Report(table, [*files, *drawn])


def write_sources(
    writer: Writer[dict[str, Any]],
    sources: Sequence[JudgedSource],
    notes: Sequence[Sequence[str]],
) -> Report:
    """Write the files of several datasets, and the manifest.

    Args:
        writer: The folder, see `judging`.
        sources: The judged datasets.
        notes: (s,) The notes of each dataset, as in `write_report`.

    Raises:
        OutputError: A file cannot be written.
    """
    of_sources, of_languages = by_source(sources), by_language(sources)
    tables = [source_table(of_sources, "source")]
    if of_languages:
        tables.append(source_table(of_languages, "language"))
    table = "\n\n".join([*tables, *chain.from_iterable(notes)])
    rows = rows_csv(GroupScore, [*of_sources, *of_languages])
    files = [writer.text("sources.csv", rows), writer.text("table.txt", table + "\n")]
    for path in draw_sources(of_sources, of_languages, writer.folder / "sources"):
        writer.add(path.name)
        files.append(path)
    for source, own_notes in zip(sources, notes, strict=True):
        below = f"{SOURCES}/{source.dataset.label}/"
        files += _write_scores(
            writer, below, source.dataset, source.found, own_notes
        ).files
    writer.finish(
        {
            "dataset": ", ".join(source.dataset.label for source in sources),
            "input": {
                source.dataset.label: str(source.dataset.folder.resolve())
                for source in sources
            },
            "versions": _versions(),
        }
    )
    return _with_manifest(Report(table, files), writer)


def _scored(dataset: Dataset, whole: Judgements) -> tuple[dict[str, str], list[str]]:
    """Return CSV files by their names, and the tables, of one dataset."""
    judgements, pages = whole.judgements, dataset.pages
    measure = measure_of(dataset.name)
    measures = ("f1", "word_f1") if dataset.has_gold else ("balanced",)
    differences = [row for each in measures for row in compare(judgements, each)]
    summaries: list[Summary | StringSummary] = [
        *(summarise(judgements) if dataset.has_gold else summarise_strings(judgements))
    ]
    texts = {
        "pages.csv": pages_csv(judgements, pages),
        "comparisons.csv": rows_csv(Difference, differences),
        "scores.csv": rows_csv(type(summaries[0]), summaries),
    }
    tables = [scores_table(summaries, differences, measure)]
    order = [
        row.cleaner for row in sorted(summaries, key=lambda row: -mean_of(row, measure))
    ]
    page_types = [page.page_type for page in pages]
    if any(page_types):
        types = [
            row for judgement in judgements for row in by_type(judgement, page_types)
        ]
        texts["types.csv"] = rows_csv(TypeScore, types)
        tables.append(types_table(types, order))
    if any(judgement.blocks for judgement in judgements):
        texts["blocks.csv"] = blocks_csv(judgements)
        tables.append(blocks_table(judgements, order))
    if alike := agreements(judgements):
        texts["agreement.csv"] = rows_csv(Agreement, alike)
        tables.append(agreement_table(alike))
    return texts, tables


def judgement_identity(
    dataset: Dataset, cleaners: Sequence[Judged], borders: Borders = "block"
) -> dict[str, Any]:
    """Return everything that a judgement depends on, as nested JSON.

    Raises:
        InputError: A page cannot be read.
    """
    depends = {str(cleaner): _identity(cleaner) for cleaner in cleaners}
    return {
        "dataset": dataset.name,
        "pages": content_digest(dataset),
        "left_out": [page.name for page in dataset.skipped],
        "cleaners": depends,
        "borders": borders,
        "code": {
            "blocks": str(VERSION),
            **code_identity(CLEAN_CODE, JUDGE_CODE, STATISTICS_CODE),
        },
    }


def _identity(cleaner: Judged) -> Any:
    if isinstance(cleaner, GivenTexts):
        return cleaner.identity
    if isinstance(cleaner, Extractor):
        return extractor_identity(cleaner.name)
    return identity_of(cleaner)


def identity_of_sources(
    datasets: Sequence[Dataset], cleaners: Sequence[Judged], borders: Borders = "block"
) -> dict[str, Any]:
    """Return everything that several judgements depend on; raises as `judgement_identity`."""
    each = {d.label: judgement_identity(d, cleaners, borders) for d in datasets}
    shared = {
        key: value
        for key, value in next(iter(each.values())).items()
        if key in ("cleaners", "borders", "code")
    }
    own = {
        label: {key: value for key, value in identity.items() if key not in shared}
        for label, identity in each.items()
    }
    return {
        "dataset": ", ".join(own),
        "sources": own,
        "languages": detector(),
        **shared,
    }


def _facts(dataset: Dataset, judgements: Judgements) -> dict[str, Any]:
    return {
        "dataset": dataset.name,
        "input": str(dataset.folder.resolve()),
        "pages": len(dataset.pages),
        "sha256": judgements.digest,
        "left_out": _names(dataset.left_out()),
        "cleaners": [judgement.cleaner for judgement in judgements.judgements],
        "failures": {
            judgement.cleaner: _names(judgement.failures)
            for judgement in judgements.judgements
            if judgement.failures
        },
        "versions": _versions(),
    }


def _versions() -> dict[str, str]:
    return {
        "boilersweep": __version__,
        "python": platform.python_version(),
        "lxml": ".".join(map(str, etree.LXML_VERSION)),
        "parser": parser_identity(),
        "words": dictionary(),
    }


def _names(by_reason: Mapping[str, list[str]]) -> dict[str, Any]:
    return {
        reason: {"pages": len(names), "names": names}
        for reason, names in by_reason.items()
    }
