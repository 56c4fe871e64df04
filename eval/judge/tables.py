"""Judgements for people: CSV files and the table on the terminal."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import astuple, fields

from tabulate import tabulate

from boilersweep.csvtext import csv_text
from boilersweep.eval.judge.block_scores import BlockScores
from boilersweep.eval.judge.comparison import Difference, Summary, TypeScore
from boilersweep.eval.judge.datasets import JudgedPage
from boilersweep.eval.judge.judge import Judgement

SIGNIFICANT = 0.05

Row = Summary | Difference | TypeScore

_PAGE_COLUMNS = (
    "cleaner page site page_type precision recall f1 word_precision word_recall word_f1 empty"
)
_NAMES = {"f1": "F1", "word_f1": "word F1"}
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
    """One row per page and cleaner."""
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
                _shortened(row.cleaner),
                *(f"{value:.3f}" for value in (row.precision, row.recall)),
                *(f"{value:.3f}" for value in (row.f1_mean, row.f1_median, row.word_f1)),
                "" if math.isnan(low) else f"{low:.3f} to {high:.3f}",
                _p(difference.randomisation_p_holm) if difference else "",
                f"{row.ms_per_page:.2f}",
                f"{row.empty:,}",
                f"{row.failed:,}",
            ]
        )
    heads = ["cleaner", "P", "R", "F1", "median", "word F1", f"95 % of {_NAMES[measure]}"]
    heads += ["p", "ms a page", "empty", "failed"]
    table = tabulate(
        lines,
        heads,
        tablefmt="simple",
        colalign=("left", *("right",) * (len(heads) - 1)),
        disable_numparse=True,
    )
    note = (
        f"Means over {summaries[0].pages:,} pages. p: of no difference from the first row in "
        f"{_NAMES[measure]}, by paired randomisation,\nHolm-corrected; above {SIGNIFICANT} these "
        "pages do not tell the two apart."
    )
    return f"{table}\n\n{note}"


def types_table(rows: Sequence[TypeScore], order: Sequence[str]) -> str:
    """word_f1 by page type. order: the cleaners as the lines shall stand."""
    kinds = {row.page_type: row.pages for row in rows}
    value = {(row.cleaner, row.page_type): row.word_f1 for row in rows}
    return tabulate(
        [
            [_shortened(cleaner), *(f"{value[cleaner, kind]:.3f}" for kind in kinds)]
            for cleaner in order
        ],
        ["word F1 by page type", *(f"{kind} ({pages:,})" for kind, pages in kinds.items())],
        tablefmt="simple",
        colalign=("left", *("right",) * len(kinds)),
        disable_numparse=True,
    )


def blocks_table(judgements: Sequence[Judgement], order: Sequence[str]) -> str:
    """Word-weighted scores of blocks in per cent. order: the cleaners as the lines shall stand."""
    found = {one.cleaner: one.blocks for one in judgements if one.blocks}
    heads = ["blocks, weighted by words (%)", "P", "R", "F1", "FP rate", "AUC", "F1 of content"]
    lines = [
        [_shortened(cleaner)]
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
    return tabulate(
        lines,
        heads,
        tablefmt="simple",
        colalign=("left", *("right",) * (len(heads) - 1)),
        disable_numparse=True,
    )


def _p(value: float) -> str:
    if math.isnan(value):
        return ""
    return f"{value:.3f}" if value >= 0.001 else "<.001"


def _shortened(name: str) -> str:
    return name if len(name) <= _CELL else name[: _CELL - 3] + "..."


def _csv(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    return csv_text(columns, (map(_cell, row) for row in rows))


def _cell(value: object) -> object:
    """A number as it is written; a p-value keeps its digits where it is small."""
    if not isinstance(value, float):
        return value
    if math.isnan(value):
        return ""
    return f"{value:.4f}" if value == 0 or abs(value) >= 0.001 else f"{value:.3g}"
