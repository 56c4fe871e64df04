"""The files of a judgement, and its figures.

OUT/scores.csv              one row per cleaner
OUT/pages.csv               one row per page and cleaner
OUT/comparisons.csv         every cleaner against the best, by each measure
OUT/types.csv               one row per cleaner and page type, if the dataset has types
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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from lxml import etree

from boilersweep.cleaners import CLEAN_CODE
from boilersweep.cleaners.selection import identity_of
from boilersweep.eval.figures.drawing import (
    figure_files,
    label,
    open_frame,
    saved_figure,
)
from boilersweep.eval.judge.comparison import (
    Difference,
    GroupScore,
    JudgedSource,
    StringSummary,
    Summary,
    TypeScore,
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
    blocks_csv,
    blocks_table,
    pages_csv,
    ranked,
    rows_csv,
    scores_table,
    source_table,
    types_table,
)
from boilersweep.eval.stats import STATISTICS_CODE
from boilersweep.extractors.registry import Extractor, extractor_identity
from boilersweep.outputs.atomic import make_folder, remove_leftovers, write_text
from boilersweep.outputs.folder import (
    MANIFEST,
    Checked,
    CheckRequest,
    OutputCheck,
    OutputFolder,
    OutputKind,
)
from boilersweep.outputs.identity import __version__, code_identity
from boilersweep.outputs.manifest_file import OutputManifest
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
        one.cleaner: curve for one, curve in zip(judgements, table.T, strict=True)
    }
    chosen = sorted(curves, key=lambda cleaner: -curves[cleaner].mean())[:MAX_CURVES]
    with saved_figure(stem, 7.5, 4.5) as figure:
        panel = figure.subplots()
        for number, cleaner in enumerate(chosen):
            curve = curves[cleaner]
            panel.plot(
                range(1, len(curve) + 1),
                curve,
                color=f"C{number}",
                linewidth=1.2,
                label=f"{label(cleaner)}: {curve.mean():.3f}",
            )
        panel.set_xlabel("page, by rank")
        panel.set_ylabel(_AXES[measure])
        panel.set_ylim(0, 1.02)
        open_frame(panel)
        panel.legend(title="mean", frameon=False, loc="lower left", fontsize=8)
        left_out = len(curves) - len(chosen)
        panel.set_title(
            label(title)
            + (f" (the best {MAX_CURVES} of {len(curves)})" if left_out else "")
        )
        figure.tight_layout()
    return figure_files(stem)


# The most cleaners in the picture of sources: those whose worst source is the best.
MAX_CLEANERS = 8

_INCHES = 0.11  # of height for a point
_SPREAD = 0.8  # of the room between two groups


def draw_sources(
    sources: Sequence[GroupScore], languages: Sequence[GroupScore], stem: Path
) -> list[Path]:
    """Draw means by source and language, and return the files; raises OutputError."""
    order = list(ranked(sources))
    chosen = order[:MAX_CLEANERS]
    rows = [row for row in (*sources, *languages) if row.cleaner in chosen]
    groups = list(dict.fromkeys((row.group, row.pages) for row in rows))
    places = {group: place for place, (group, _) in enumerate(groups)}
    height = 1.6 + len(groups) * max(len(chosen) * _INCHES, 0.35)
    with saved_figure(stem, 7.5, height) as figure:
        panel = figure.subplots()
        for number, cleaner in enumerate(chosen):
            shift = _SPREAD * ((number + 0.5) / len(chosen) - 0.5)
            own = [row for row in rows if row.cleaner == cleaner]
            heights = [places[row.group] + shift for row in own]
            color = f"C{number}"
            panel.hlines(
                heights, [r.low for r in own], [r.high for r in own], color, linewidth=1
            )
            means = [row.mean for row in own]
            panel.plot(
                means, heights, "o", color=color, markersize=3.5, label=label(cleaner)
            )
        panel.set_yticks(range(len(groups)), [label(f"{g} ({n:,})") for g, n in groups])
        panel.set_ylim(len(groups) - 0.5, -0.5)
        for place in range(1, len(groups)):
            panel.axhline(place - 0.5, color="0.85", linewidth=0.6)
        panel.set_xlabel("mean of the source's measure, with its 95 % interval")
        panel.set_xlim(right=1.0)
        open_frame(panel, grid="x")
        panel.legend(
            frameon=False,
            loc="upper left",
            bbox_to_anchor=(1.0, 1.0),
            fontsize=8,
            title="best worst source first",
        )
        left_out = len(order) - len(chosen)
        panel.set_title(
            "Cleaners by source and language"
            + (f" ({MAX_CLEANERS} of {len(order)})" if left_out else "")
        )
        figure.tight_layout()
    return figure_files(stem)


SOURCES = "sources"

_FILES = (
    "scores.csv",
    "table.txt",
    "pages.csv",
    "comparisons.csv",
    "types.csv",
    "blocks.csv",
    "ranked.svg",
    "ranked.png",
    "sources.csv",
    "sources.svg",
    "sources.png",
)


class JudgementManifest(OutputManifest, kw_only=True):
    """What readers of a judgement know of its manifest; dataset: the name, or several names."""

    dataset: str


JUDGEMENT = OutputKind(
    name="judgement",
    command="judge",
    manifest_type=JudgementManifest,
    own=(
        *_FILES,
        *(f"{SOURCES}/*/{name}" for name in (MANIFEST, *_FILES)),
    ),
    strict=lambda _: (SOURCES,),
)


def _check(path: Path, _: CheckRequest) -> Iterator[Checked]:
    yield OutputFolder(path, JUDGEMENT).check()


CHECK = OutputCheck(
    check=_check,
    manifest=JUDGEMENT.name,
    marks=(
        "pages.csv",
        "types.csv",
        "blocks.csv",
        "ranked.*",
        "sources.csv",
        "sources.svg",
    ),
    parts=(SOURCES,),
)


@dataclass(frozen=True, slots=True)
class Report:
    """The written scores of a dataset or several: the tables of the terminal, and all files."""

    table: str
    files: list[Path]


def write_report(
    dataset: Dataset,
    found: Judgements,
    output: Path,
    notes: Sequence[str] = (),
    identity: Mapping[str, Any] = MappingProxyType({}),
) -> Report:
    """Write the files above into a folder that exists.

    Args:
        dataset: The dataset.
        found: The judgements of at least one cleaner.
        output: The folder.
        notes: Notes below the table.
        identity: Everything that the judgement depends on.

    Raises:
        OutputError: A file cannot be written.
    """
    texts, tables = _scored(dataset, found)
    table = "\n\n".join([*tables, *notes])
    texts["table.txt"] = table + "\n"
    folder = OutputFolder(output, JUDGEMENT)
    remove_leftovers(output)
    folder.clear()
    for name, text in texts.items():
        write_text(output / name, text)
    measure = measure_of(dataset.name)
    title = f"Cleaners on {dataset.name}"
    drawn = draw_ranked(found.judgements, measure, title, output / "ranked")
    files = [*(output / name for name in texts), *drawn]
    folder.seal(
        _facts(dataset, found), {**identity, "pages": found.digest}, folder.names(files)
    )
    return Report(table, [*files, folder.manifest])


def write_sources(
    sources: Sequence[JudgedSource],
    output: Path,
    notes: Sequence[Sequence[str]],
    identity: Mapping[str, Any] = MappingProxyType({}),
) -> Report:
    """Write the files of several datasets into a folder that exists.

    Args:
        sources: The judged datasets.
        output: The folder.
        notes: (s,) The notes of each dataset, as in `write_report`.
        identity: Everything that the judgements depend on.

    Raises:
        OutputError: A file cannot be written.
    """
    folder = OutputFolder(output, JUDGEMENT)
    folder.clear()
    of_sources, of_languages = by_source(sources), by_language(sources)
    tables = [source_table(of_sources, "source")]
    if of_languages:
        tables.append(source_table(of_languages, "language"))
    table = "\n\n".join([*tables, *chain.from_iterable(notes)])
    write_text(
        output / "sources.csv", rows_csv(GroupScore, [*of_sources, *of_languages])
    )
    write_text(output / "table.txt", table + "\n")
    drawn = draw_sources(of_sources, of_languages, output / "sources")
    files = [output / "sources.csv", output / "table.txt", *drawn]
    for source, own_notes in zip(sources, notes, strict=True):
        below = output / SOURCES / source.dataset.label
        make_folder(below)
        files += write_report(source.dataset, source.found, below, own_notes).files
    manifest = {
        "dataset": ", ".join(source.dataset.label for source in sources),
        "input": {
            source.dataset.label: str(source.dataset.folder.resolve())
            for source in sources
        },
        "versions": _versions(),
    }
    folder.seal(manifest, identity, folder.names(files))
    return Report(table, [*files, folder.manifest])


def _scored(dataset: Dataset, found: Judgements) -> tuple[dict[str, str], list[str]]:
    """Return CSV files by their names, and the tables, of one dataset."""
    judgements, pages = found.judgements, dataset.pages
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
    return texts, tables


def judgement_identity(
    dataset: Dataset, cleaners: Sequence[Judged], borders: Borders = "block"
) -> dict[str, Any]:
    """Return everything that a judgement depends on, as nested JSON.

    Raises:
        InputError: A page cannot be read.
    """
    depends = {
        str(cleaner): extractor_identity(cleaner.name)
        if isinstance(cleaner, Extractor)
        else identity_of(cleaner)
        for cleaner in cleaners
    }
    return {
        "dataset": dataset.name,
        "pages": content_digest(dataset),
        "left_out": [page.name for page in dataset.skipped],
        "cleaners": depends,
        "borders": borders,
        "code": {
            "blocks": str(VERSION),
            **code_identity(CLEAN_CODE, STATISTICS_CODE),
        },
    }


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


def _facts(dataset: Dataset, found: Judgements) -> dict[str, Any]:
    return {
        "dataset": dataset.name,
        "input": str(dataset.folder.resolve()),
        "pages": len(dataset.pages),
        "sha256": found.digest,
        "left_out": _names(dataset.left_out()),
        "cleaners": [judgement.cleaner for judgement in found.judgements],
        "failures": {
            judgement.cleaner: _names(judgement.failures)
            for judgement in found.judgements
            if judgement.failures
        },
        "versions": _versions(),
    }


def _versions() -> dict[str, str]:
    return {
        "boilersweep": __version__,
        "python": platform.python_version(),
        "lxml": ".".join(map(str, etree.LXML_VERSION)),
        "libxml2": ".".join(map(str, etree.LIBXML_VERSION)),
        "words": dictionary(),
    }


def _names(by_reason: Mapping[str, list[str]]) -> dict[str, Any]:
    return {
        reason: {"pages": len(names), "names": names}
        for reason, names in by_reason.items()
    }
