"""Cleaners beside the figures that their papers print for them."""

from collections.abc import Mapping

import numpy as np

from boilersweep.cleaners.rules import Rule
from boilersweep.eval.judge.scores import Score
from boilersweep.pages.columns import BlockColumns, BoolArray, FloatArray, IntArray
from papers.published import CETR_CLEANEVAL, DEPTHS, VIVEROS_CLEANEVAL

_MEASURES = ("precision", "recall", "f1")


def character_scores(
    columns: BlockColumns, content: BoolArray, keep: BoolArray
) -> Score:
    """Precision, recall and F1 of a mask by characters, over all pages together.

    Source: Viveros-Jiménez et al. 2018, section 5.

    Args:
        columns: the blocks.
        content: (m,) what is.
        keep: (b,) whether a cleaner keeps each block.
    """
    sizes: IntArray = np.fromiter(map(len, columns.texts), np.int64, len(columns.texts))
    right = float(sizes[keep & content].sum())
    kept, sought = float(sizes[keep].sum()), float(sizes[content].sum())
    return Score(
        right / kept if kept else 0.0,
        right / sought if sought else 0.0,
        2 * right / (kept + sought) if kept + sought else 0.0,
    )


def depth_table(
    columns: BlockColumns, content: BoolArray, rules: Mapping[int | str, Rule]
) -> list[dict[str, object]]:
    """Return the ancestor filter by depth, beside the paper's English news.

    Args:
        columns: the blocks.
        content: (m,) what is.
        rules: depth -> the filter of that depth, 0 for the cleaner without it; or the name of
            another cleaner.
    """
    rows = []
    for depth, rule in rules.items():
        scores = character_scores(columns, content, rule.mask(columns))
        row: dict[str, object] = {"depth": depth, "cleaner": str(rule)}
        for name, paper in zip(
            _MEASURES,
            DEPTHS.get(depth, (None, None, None)),
            strict=True,
        ):
            row |= {name: round(getattr(scores, name), 4), f"paper_{name}": paper}
        rows.append(row)
    return rows


def strategies_table(
    scores: Mapping[str, FloatArray], paper: Mapping[str, float]
) -> list[dict[str, object]]:
    """Figure 2: cleaner -> (n,) F1 by page in, mean and median of each, the best mean first.

    Args:
        scores: cleaner -> (n,) F1 by page.
        paper: cleaner -> mean F1 as printed.
    """
    rows: list[dict[str, object]] = [
        {
            "cleaner": name,
            "f1_mean": round(float(values.mean()), 4),
            "f1_median": round(float(np.median(values)), 4),
            "paper_f1_mean": paper.get(name),
        }
        for name, values in sorted(scores.items(), key=lambda item: -item[1].mean())
    ]
    return rows


def cleaneval_table(scores: Mapping[str, Score]) -> list[dict[str, object]]:
    """CETR's CleanEval column and the figures of Viveros-Jiménez, beside ours.

    Ours are None for a row that was not given, and a paper's for one that it does not print.

    Args:
        scores: cleaner -> mean precision and recall of words over pages, their harmonic mean.
    """
    rows = []
    for name in [
        *CETR_CLEANEVAL,
        *(name for name in scores if name not in CETR_CLEANEVAL),
    ]:
        one = scores.get(name)
        ours = (one.precision, one.recall, one.f1) if one else (None, None, None)
        row: dict[str, object] = {"cleaner": name}
        row |= zip(_MEASURES, ours, strict=True)
        viveros = VIVEROS_CLEANEVAL.get(name, (None, None, None))
        row |= {"cetr_f1": CETR_CLEANEVAL.get(name)}
        row |= zip(
            (f"viveros_{measure}" for measure in _MEASURES), viveros, strict=True
        )
        rows.append(row)
    return rows
