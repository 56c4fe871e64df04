"""A model's training data and its scores on unseen pages, as tables."""

from collections.abc import Mapping, Sequence

from tabulate import tabulate

from boilersweep.cleaners.learned.model import ModelProvenance

# The score in the tables: by gold texts, else by strings.
MEASURES = ("word_f1", "balanced")


def training_table(provenance: ModelProvenance) -> str:
    """Return a table of sources and one of languages with held-out scores, the lowest marked."""
    kinds = [kind for source in provenance.sources[:1] for kind in source.held_out]
    sources = [
        ([s.label, f"{s.pages:,}", f"{s.rows:,}", f"{s.share:.3f}"], s.held_out)
        for s in provenance.sources
    ]
    languages = [
        ([name, f"{language.pages:,}"], language.held_out)
        for name, language in provenance.languages.items()
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
    rows: Sequence[tuple[list[str], Mapping[str, Mapping[str, float]]]],
    heads: Sequence[str],
    kinds: Sequence[str],
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
