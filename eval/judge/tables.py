"""Judgements for people: CSV files and the table on the terminal."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import astuple, fields

from tabulate import tabulate

from boilersweep.eval.judge.block_scores import BlockScores
from boilersweep.eval.judge.comparison import (
    NAMES,
    Difference,
    StringSummary,
    Summary,
    TypeScore,
)
from boilersweep.eval.judge.datasets import JudgedPage
from boilersweep.eval.judge.judge import Judgement
from boilersweep.eval.judge.sources import GroupScore
from boilersweep.outputs.csvtext import csv_text

SIGNIFICANT = 0.05

Row = Summary | StringSummary | Difference | TypeScore | GroupScore

_PAGE_COLUMNS = (
    "cleaner page site page_type precision recall f1 word_precision word_recall word_f1 empty"
)
_STRING_COLUMNS = "cleaner page site language wanted kept unwanted dropped balanced empty"
_WORK = ("ms a page", "empty", "failed")
_CELL = 36  # characters of a cleaner's name in the table


def rows_csv(kind: type[Row], rows: Iterable[Row]) -> str:
    """One row per object, one column per field; only the header where there are none."""
    columns = [field.name for field in fields(kind)]
    return _csv(columns, (astuple(row) for row in rows))


def blocks_csv(judgements: Sequence[Judgement]) -> str:
    """`cleaner` and the fields of BlockScores, one row per cleaner that is a mask."""
    columns = [field.name for field in fields(BlockScores)]
    return _csv(
        ["cleaner", *columns],
        ((one.cleaner, *astuple(one.blocks)) for one in judgements if one.blocks),
    )


def pages_csv(judgements: Sequence[Judgement], pages: Sequence[JudgedPage]) -> str:
    """One row per page and cleaner; other columns where the pages have strings."""
    if any(page.wanted or page.unwanted for page in pages):
        return _csv(
            _STRING_COLUMNS.split(),
            (
                [
                    *(one.cleaner, page.name, page.site, page.language),
                    *(*astuple(score.strings), score.balanced, int(score.empty)),
                ]
                for one in judgements
                for page, score in zip(pages, one.scores, strict=True)
                if score.strings
            ),
        )
    return _csv(
        _PAGE_COLUMNS.split(),
        (
            [
                *(one.cleaner, page.name, page.site, page.page_type),
                *(*astuple(score.bag), *astuple(score.word), int(score.empty)),
            ]
            for one in judgements
            for page, score in zip(pages, one.scores, strict=True)
        ),
    )


def scores_table(
    summaries: Sequence[Summary], differences: Sequence[Difference], measure: str
) -> str:
    """The table for the terminal, the best cleaner by `measure` first."""
    behind = {row.cleaner: row for row in differences if row.measure == measure}
    lines = []
    for row in sorted(summaries, key=lambda row: -row.mean(measure)):
        low, high = row.interval(measure)
        difference = behind.get(row.cleaner)
        lines.append(
            [
                shortened(row.cleaner),
                *(f"{value:.3f}" for value in (row.precision, row.recall)),
                *(f"{value:.3f}" for value in (row.f1_mean, row.f1_median, row.word_f1)),
                interval(low, high),
                _p(difference.randomisation_p_holm) if difference else "",
                *_work(row),
            ]
        )
    heads = ["cleaner", "P", "R", "F1", "median", "word F1", f"95 % of {NAMES[measure]}"]
    heads += ["p", *_WORK]
    return f"{_table(lines, heads)}\n\n{_note(summaries, measure)}"


def strings_table(summaries: Sequence[StringSummary], differences: Sequence[Difference]) -> str:
    """The table for the terminal where pages have strings, the best cleaner first."""
    behind = {row.cleaner: row for row in differences}
    lines = []
    for row in sorted(summaries, key=lambda row: -row.balanced):
        difference = behind.get(row.cleaner)
        lines.append(
            [
                shortened(row.cleaner),
                *(f"{value:.3f}" for value in (row.kept, row.dropped, row.f1, row.balanced)),
                interval(row.balanced_low, row.balanced_high),
                _p(difference.randomisation_p_holm) if difference else "",
                *_work(row),
            ]
        )
    heads = ["cleaner", "kept", "dropped", "F1 of strings", "balanced", "95 % of balanced", "p"]
    return f"{_table(lines, [*heads, *_WORK])}\n\n{_note(summaries, 'balanced')}"


def _work(row: Summary | StringSummary) -> list[str]:
    return [f"{row.ms_per_page:.2f}", f"{row.empty:,}", f"{row.failed:,}"]


def _note(summaries: Sequence[Summary | StringSummary], measure: str) -> str:
    return (
        f"Means over {summaries[0].pages:,} pages. p: of no difference from the first row in "
        f"{NAMES[measure]}, by paired randomisation,\nHolm-corrected; above {SIGNIFICANT} these "
        "pages do not tell the two apart."
    )


def interval(low: float, high: float) -> str:
    """The bounds of an interval, or an empty text."""
    return "" if math.isnan(low) else f"{low:.3f} to {high:.3f}"


def _table(lines: Sequence[Sequence[str]], heads: Sequence[str]) -> str:
    return tabulate(
        lines,
        heads,
        tablefmt="simple",
        colalign=("left", *("right",) * (len(heads) - 1)),
        disable_numparse=True,
    )


def types_table(rows: Sequence[TypeScore], order: Sequence[str]) -> str:
    """word_f1 by page type. order: the cleaners in the order of the lines."""
    kinds = {row.page_type: row.pages for row in rows}
    value = {(row.cleaner, row.page_type): row.word_f1 for row in rows}
    return _table(
        [
            [shortened(cleaner), *(f"{value[cleaner, kind]:.3f}" for kind in kinds)]
            for cleaner in order
        ],
        ["word F1 by page type", *(f"{kind} ({pages:,})" for kind, pages in kinds.items())],
    )


def blocks_table(judgements: Sequence[Judgement], order: Sequence[str]) -> str:
    """Word-weighted scores of blocks in per cent. order: the cleaners in the order of the lines."""
    found = {one.cleaner: one.blocks for one in judgements if one.blocks}
    heads = ["blocks, weighted by words (%)", "P", "R", "F1", "FP rate", "AUC", "F1 of content"]
    lines = [
        [shortened(cleaner)]
        + [
            f"{100 * value:.1f}"
            for value in (
                *(one.precision, one.recall, one.f1, one.false_positive_rate),
                *(one.auc, one.content_f1),
            )
        ]
        for cleaner in order
        if (one := found.get(cleaner))
    ]
    return _table(lines, heads)


def _p(value: float) -> str:
    if math.isnan(value):
        return ""
    return f"{value:.3f}" if value >= 0.001 else "<.001"


def shortened(name: str) -> str:
    """A cleaner's name as cells of tables have it."""
    return name if len(name) <= _CELL else name[: _CELL - 3] + "..."


def _csv(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    return csv_text(columns, (map(_cell, row) for row in rows))


def _cell(value: object) -> object:
    """A number as it is written; a p-value keeps its digits where it is small."""
    if isinstance(value, bool):
        return int(value)
    if not isinstance(value, float):
        return value
    if math.isnan(value):
        return ""
    return f"{value:.4f}" if value == 0 or abs(value) >= 0.001 else f"{value:.3g}"
