"""The answer of a study: one cleaner, how sure it is, what it costs, and how to deploy it."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from boilersweep.eval.study.choice import Choice
from boilersweep.eval.study.results import StudyRow
from boilersweep.eval.study.tables import SIGNIFICANT, p_text, size_text
from boilersweep.indexer.analyzer import AnalyzerOptions


@dataclass(frozen=True, slots=True)
class Advice:
    """cleaner: to index with. sentences: how sure that is, and at what cost.

    command: builds the index to deploy.
    """

    cleaner: str
    sentences: tuple[str, str]
    command: str


def advise(
    choice: Choice,
    rows: Sequence[StudyRow],
    store: Path,
    output: Path,
    analyzer: AnalyzerOptions,
) -> Advice:
    """Put a cross-validated choice into words. rows: the baseline first."""
    row = rows[choice.chosen]
    return Advice(
        cleaner=str(row.variant),
        sentences=(_how_sure(choice, rows), _at_what_cost(row, rows[0])),
        command=_command(row, store, output, analyzer),
    )


def _how_sure(choice: Choice, rows: Sequence[StudyRow]) -> str:
    row, kept = rows[choice.chosen], rows[0].variant
    topics = len(row.topic_scores[choice.measure])
    votes = dict(choice.votes).get(choice.chosen, 0)
    low, high = choice.gain_interval
    if choice.chosen == 0:
        first = f"Index with {kept}: no other has a better {choice.measure} on the {topics} topics"
    else:
        first = f"Index with {row.variant}, the best {choice.measure} of {topics} topics"
    return (
        f"{first}; judged by topics that had no say in it, such a choice scores {choice.mean:.3f}, "
        f"{choice.gain:+.3f} [{low:+.3f}, {high:+.3f}] to {kept} ({votes} of {len(choice.folds)} "
        f"folds chose the same{_verdict(choice, row)})."
    )


def _verdict(choice: Choice, row: StudyRow) -> str:
    """Sure only where the held-out topics and the corrected test of the chosen one agree."""
    difference = row.results[choice.measure].difference
    if difference is None or difference.tests is None:
        return ""
    p = difference.tests.randomisation_holm
    sure = p < SIGNIFICANT and choice.gain_interval[0] > 0
    word = "hardly chance" if sure else "may be chance"
    return f"; corrected p {_equals(p)}: {word}"


def _at_what_cost(row: StudyRow, baseline: StudyRow) -> str:
    parts = [f"it leaves {row.empty:,} of {row.empty + row.documents:,} documents empty"]
    if row.losses:
        parts[0] += f", {row.losses.relevant_empty:,} of them relevant"
        if row.losses.terms_lost is not None:
            parts.append(
                f"loses {row.losses.terms_lost:.1%} of the topics' terms in relevant documents"
            )
    if row.tokens_kept is not None:
        parts.append(f"keeps {row.tokens_kept:.0%} of the tokens")
    cost = ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else parts[0]
    return (
        f"The cost: {cost}, an index of {size_text(row.index)} "
        f"for {size_text(baseline.index)} (without positions)."
    )


def _equals(p: float) -> str:
    text = p_text(p)
    return text if text.startswith("<") else f"= {text}"


def _command(row: StudyRow, store: Path, output: Path, analyzer: AnalyzerOptions) -> str:
    words = ["boilersweep", "index", "--store", str(store), "--keep", str(row.variant)]
    words += ["--output", str(output / f"index-{row.variant.name}")]
    default = AnalyzerOptions()
    if analyzer.language != default.language:
        words += ["--language", analyzer.language]
    if analyzer.stemmer != default.stemmer:
        words += ["--stemmer", analyzer.stemmer]
    if analyzer.keep_stopwords:
        words.append("--keepStopwords")
    if analyzer.pretokenized:
        words.append("--pretokenized")
    return shlex.join(words)
