"""Judgements for people: CSV files, and the tables on the terminal."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import astuple, fields

from boilersweep.eval.judge.comparison import (
    NAMES,
    Agreement,
    Difference,
    GroupScore,
    StringSummary,
    Summary,
    TypeScore,
    interval_of,
    mean_of,
)
from boilersweep.eval.judge.datasets import JudgedPage
from boilersweep.eval.judge.judge import Judgement
from boilersweep.eval.judge.scores import BlockScores, PageScore
from boilersweep.eval.stats.statistics import SIGNIFICANT, p_text
from boilersweep.outputs.csvtext import csv_text
from boilersweep.outputs.figures import figure
from boilersweep.outputs.tables import text_table

Row = Summary | StringSummary | Difference | Agreement | TypeScore | GroupScore

_PAGE_COLUMNS = (
    "cleaner page site page_type precision recall f1 word_precision word_recall word_f1 "
    "character_precision character_recall character_f1 block_accuracy text_only "
    "text_and_markup empty"
).split()
_STRING_COLUMNS = (
    "cleaner page site language wanted kept unwanted dropped balanced empty".split()
)
_GOLD_HEADS = {
    "P": "precision",
    "R": "recall",
    "F1": "f1_mean",
    "median": "f1_median",
    "word F1": "word_f1",
    "char F1": "character_f1",
    "blocks": "block_accuracy",
    "TO": "text_only",
    "TM": "text_and_markup",
}
_STRING_HEADS = {
    "kept": "kept",
    "dropped": "dropped",
    "F1 of strings": "f1",
    "balanced": "balanced",
}
_BLOCK_HEADS = {
    "P": "precision",
    "R": "recall",
    "F1": "f1",
    "FP rate": "false_positive_rate",
    "AUC": "auc",
    "F1 of content": "content_f1",
}
_WORK = ("ms a page", "empty", "failed")
_CELL = 36  # characters of a cleaner's name in the table


def rows_csv(kind: type[Row], rows: Iterable[Row]) -> str:
    """Write one row per object, one column per field; only the header without objects."""
    columns = [field.name for field in fields(kind)]
    return _csv(columns, (astuple(row) for row in rows))


def blocks_csv(judgements: Sequence[Judgement]) -> str:
    """Write `cleaner` and the fields of BlockScores, one row per cleaner that is a mask."""
    columns = [field.name for field in fields(BlockScores)]
    return _csv(
        ["cleaner", *columns],
        ((j.cleaner, *astuple(j.blocks)) for j in judgements if j.blocks),
    )


def pages_csv(judgements: Sequence[Judgement], pages: Sequence[JudgedPage]) -> str:
    """Write one row per page and cleaner; other columns if the pages have strings."""
    has_strings = any(page.wanted or page.unwanted for page in pages)
    return _csv(
        _STRING_COLUMNS if has_strings else _PAGE_COLUMNS,
        (
            [
                judgement.cleaner,
                page.name,
                page.site,
                *_page_cells(page, score),
                int(score.empty),
            ]
            for judgement in judgements
            for page, score in zip(pages, judgement.scores, strict=True)
        ),
    )


def _page_cells(page: JudgedPage, score: PageScore) -> list[object]:
    if score.strings:
        return [page.language, *astuple(score.strings), score.balanced]
    return [
        page.page_type,
        *astuple(score.bag),
        *astuple(score.word),
        *astuple(score.characters),
        score.block_accuracy,
        score.text_only.f1,
        score.text_and_markup.f1,
    ]


def scores_table(
    summaries: Sequence[Summary | StringSummary],
    differences: Sequence[Difference],
    measure: str,
) -> str:
    """Write the table of scores for the terminal, the best cleaner by a measure first."""
    columns = {
        head: name
        for head, name in (
            _STRING_HEADS if measure == "balanced" else _GOLD_HEADS
        ).items()
        if not math.isnan(getattr(summaries[0], name))
    }
    behind = {row.cleaner: row for row in differences if row.measure == measure}
    lines = []
    for row in sorted(summaries, key=lambda row: -mean_of(row, measure)):
        difference = behind.get(row.cleaner)
        lines.append(
            [
                shortened(row.cleaner),
                *(figure(getattr(row, name)) for name in columns.values()),
                interval(*interval_of(row, measure)),
                p_text(difference.randomisation_p_holm) if difference else "",
                "" if math.isnan(row.ms_per_page) else f"{row.ms_per_page:.2f}",
                f"{row.empty:,}",
                f"{row.failed:,}",
            ]
        )
    heads = ["cleaner", *columns, f"95 % of {NAMES[measure]}", "p", *_WORK]
    return (
        f"{text_table(lines, heads)}\n\nMeans over {summaries[0].pages:,} pages. p: of no "
        f"difference from the first row in {NAMES[measure]}, by paired randomisation,\n"
        f"Holm-corrected; above {SIGNIFICANT} these pages do not tell the two apart."
    )


def agreement_table(rows: Sequence[Agreement]) -> str:
    """Write how far each measure ranks the cleaners as each other one does."""
    taus = {(row.measure, row.other): row.tau for row in rows}
    names = list(dict.fromkeys(name for pair in taus for name in pair))
    lines = [
        [
            NAMES[one],
            *(
                figure(taus.get((one, other), taus.get((other, one))), ".2f")
                for other in names
            ),
        ]
        for one in names
    ]
    heads = [
        f"Kendall's tau, {rows[0].cleaners:,} cleaners",
        *(NAMES[name] for name in names),
    ]
    return text_table(lines, heads)


def interval(low: float, high: float) -> str:
    """Write the bounds of an interval; "" if there is none."""
    return "" if math.isnan(low) else f"{figure(low)} to {figure(high)}"


def types_table(rows: Sequence[TypeScore], order: Sequence[str]) -> str:
    """Write word_f1 by page type, the cleaners in the given order."""
    kinds = {row.page_type: row.pages for row in rows}
    value = {(row.cleaner, row.page_type): row.word_f1 for row in rows}
    lines = [
        [shortened(cleaner), *(figure(value[cleaner, kind]) for kind in kinds)]
        for cleaner in order
    ]
    heads = [f"{kind} ({pages:,})" for kind, pages in kinds.items()]
    return text_table(lines, ["word F1 by page type", *heads])


def blocks_table(judgements: Sequence[Judgement], order: Sequence[str]) -> str:
    """Write word-weighted scores of blocks in per cent, the cleaners in the given order."""
    scores = {
        judgement.cleaner: judgement.blocks
        for judgement in judgements
        if judgement.blocks
    }
    lines = [
        [
            shortened(cleaner),
            *(
                figure(100 * getattr(scores[cleaner], name), ".1f")
                for name in _BLOCK_HEADS.values()
            ),
        ]
        for cleaner in order
        if cleaner in scores
    ]
    return text_table(lines, ["blocks, weighted by words (%)", *_BLOCK_HEADS])


def shortened(name: str) -> str:
    """Return a cleaner's name as cells of tables have it."""
    return name if len(name) <= _CELL else name[: _CELL - 3] + "..."


def _csv(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    return csv_text(columns, (map(_cell, row) for row in rows))


def _cell(value: object) -> object:
    """Return a value as it is written; a small p-value keeps its digits."""
    if isinstance(value, bool):
        return int(value)
    if not isinstance(value, float):
        return value
    if math.isnan(value):
        return ""
    return f"{value:.4f}" if value == 0 or abs(value) >= 0.001 else f"{value:.3g}"


Ranked = dict[str, list[GroupScore]]


def ranked(rows: Sequence[GroupScore]) -> Ranked:
    """Return cleaner -> its groups in their order, first the cleaner with the best worst group."""
    cleaners: Ranked = {}
    for row in rows:
        cleaners.setdefault(row.cleaner, []).append(row)
    return dict(sorted(cleaners.items(), key=lambda item: -worst_of(item[1]).mean))


def worst_of(rows: Sequence[GroupScore]) -> GroupScore:
    """Return a cleaner's worst group."""
    return next(row for row in rows if row.worst)


def source_table(rows: Sequence[GroupScore], group: str) -> str:
    """Write two lines per cleaner, means and below them their intervals.

    Args:
        rows: Every cleaner's scores.
        group: `source` or `language`.
    """
    lines = []
    cleaners = ranked(rows)
    for cleaner, groups in cleaners.items():
        worst = worst_of(groups)
        marked = [f"{figure(row.mean)}{'*' if row.worst else ' '}" for row in groups]
        lines.append([shortened(cleaner), figure(worst.mean), worst.group, *marked])
        lines.append(["", "", "", *map(_bounds, groups)])
    heads = [
        "cleaner",
        "worst",
        f"worst {group}",
        *map(_head, next(iter(cleaners.values()))),
    ]
    table = text_table(lines, heads, left=(0, 2))
    return (
        f"{table}\n\nMeans by {group}, with 95 % intervals below them; * where the cleaner is "
        "worst. First comes the cleaner\nwhose worst mean is the highest."
    )


def _head(row: GroupScore) -> str:
    measure = NAMES.get(row.measure, "")
    return "\n".join(filter(None, (row.group, f"({row.pages:,})", measure)))


def _bounds(row: GroupScore) -> str:
    if math.isnan(row.low):
        return ""
    low, high = (figure(bound).removeprefix("0") for bound in (row.low, row.high))
    return f"{low}-{high} "
