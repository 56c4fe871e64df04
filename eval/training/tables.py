"""A model's training data and its scores on unseen pages, as tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from tabulate import tabulate

MEASURES = ("word_f1", "balanced")
"""The score in the tables: by gold texts, else by strings."""


def training_table(provenance: Mapping[str, Any]) -> str:
    """Sources and languages with their scores on what was left out, the worst of each marked."""
    kinds = [kind for one in provenance["sources"][:1] for kind in one["held_out"]]
    sources = [
        (
            [one["label"], f"{one['pages']:,}", f"{one['rows']:,}", f"{one['share']:.3f}"],
            one["held_out"],
        )
        for one in provenance["sources"]
    ]
    languages = [
        ([name, f"{one['pages']:,}"], one["held_out"])
        for name, one in provenance["languages"].items()
    ]
    tables = [_table(sources, ["source", "pages", "rows", "share"], kinds)]
    if len(languages) > 1:
        tables.append(_table(languages, ["language", "pages"], kinds))
    tables.append(
        "Mean word F1 of pages that the model had not seen, with their site, source or language "
        "left out;\nof pages with strings (s) the balanced share; * the lowest of the word F1."
    )
    return "\n\n".join(tables)


def _table(
    rows: Sequence[tuple[list[str], Mapping[str, Any]]], heads: Sequence[str], kinds: Sequence[str]
) -> str:
    lowest = {
        kind: min((of[kind]["word_f1"] for _, of in rows if "word_f1" in of[kind]), default=None)
        for kind in kinds
    }
    return tabulate(
        [[*cells, *(_cell(of[kind], lowest[kind]) for kind in kinds)] for cells, of in rows],
        [*heads, *(f"by {kind}" for kind in kinds)],
        tablefmt="simple",
        colalign=("left", *("right",) * (len(heads) - 1 + len(kinds))),
        disable_numparse=True,
    )


def _cell(scores: Mapping[str, float], lowest: float | None) -> str:
    if "word_f1" in scores:
        return f"{scores['word_f1']:.3f}" + ("*" if scores["word_f1"] == lowest else " ")
    return f"{scores['balanced']:.3f}s" if "balanced" in scores else ""
