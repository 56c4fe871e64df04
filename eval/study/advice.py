"""The answer of a study in words: a cleaner, its certainty and cost, and how to deploy it."""

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from boilersweep.cleaners.rules import Weighted
from boilersweep.eval.stats.statistics import p_text
from boilersweep.eval.study.choice import Choice
from boilersweep.eval.study.results import (
    Advice,
    Study,
    StudyRow,
    best_cleaner,
    best_of,
)
from boilersweep.eval.study.tables import and_so_on, size_text
from boilersweep.indexer.analyzer import AnalyzerOptions

_MOST_NAMES = 5


def advise(
    study: Study,
    store: Path,
    output: Path,
    analyzer: AnalyzerOptions,
    *,
    docvectors: bool = False,
    languages: Sequence[str] = (),
) -> Advice | None:
    """Put the cross-validated choice of a study into words.

    Args:
        study: The study.
        store: The path of its block store.
        output: Its folder.
        analyzer: The analyzer of its indexes.
        docvectors: Whether the index to deploy needs document vectors.
        languages: The languages of the documents to index; none for all.

    Returns:
        The advice; None without a choice, or while judgements of `assess` decide nothing.
    """
    if study.choice:
        sentences = [
            _how_sure(study, study.choice),
            within_noise(study),
            why_not_weighted(study),
            _other_formulas(study, study.choice.measure),
        ]
    elif study.statistics.are_sequential and study.chosen is not study.baseline:
        sentences = [
            f"Index with {study.chosen.label}, certainly better than {study.baseline.label} by "
            "judgements of `boilersweep assess`; the notes say how much."
        ]
    else:
        return None
    command = [
        "boilersweep",
        "index",
        "--store",
        str(store),
        "--keep",
        study.chosen.label,
        "--storeContents",
    ]
    command += ["--output", str(output / f"index-{study.chosen.name}")]
    if docvectors:
        command.append("--storeDocvectors")
    if languages:
        command += ["--languages", ",".join(languages)]
    return Advice(
        cleaner=study.chosen.label,
        sentences=(
            *filter(None, sentences),
            _at_what_cost(study.chosen, study.baseline),
        ),
        command=shlex.join([*command, *_analyzer_options(analyzer)]),
    )


def within_noise(study: Study) -> str | None:
    """Tell which cleaners are as good as the chosen one by the first measure, for all one knows.

    The baseline is left out: the study's verdict, with another correction, is about it.

    Returns:
        A sentence; None if nothing else was compared.
    """
    pairs, measure = study.pairs, study.tested[0]
    chosen = study.rows.index(study.chosen)
    others = len({*pairs.rows} - {0, chosen}) if pairs else 0
    if pairs is None or not others:
        return None
    count = len(study.topics)
    topics = f"these {count:,} topics" if count > 1 else "this one topic"
    peers = [place for place in pairs.peers(measure, chosen) if place]
    if not peers:
        compared = (
            f"each of the {others:,} others" if others > 1 else "the other cleaner"
        )
        return f"On {topics} {compared} that it was compared with in pairs is told apart from it."
    peers.sort(key=lambda place: (-study.rows[place].results[measure].mean, place))
    names = [study.rows[place].label for place in peers]
    if len(names) > _MOST_NAMES:
        names[_MOST_NAMES - 1 :] = [f"{len(names) - _MOST_NAMES + 1:,} more"]
    are = "are" if len(peers) > 1 else "is"
    text = f"{and_so_on(names)} {are} within noise of it on {topics}."
    compared_pairs = [pairs.of(measure, chosen, place) for place in peers]
    alone = _range(pair.difference.detectable for pair in compared_pairs)
    corrected = _range(pair.detectable_corrected for pair in compared_pairs)
    if not alone or not corrected:
        return text
    return (
        f"{text} The smallest difference in {measure} that they would show is {corrected} among "
        f"the {pairs.comparisons:,} pairs and measures tested here, {alone} if it were tested "
        "alone."
    )


def _range(values: Iterable[float | None]) -> str:
    """Return the least and the largest value; nothing without values."""
    known = sorted(f"{value:.3f}" for value in values if value is not None)
    if not known:
        return ""
    return known[0] if known[0] == known[-1] else f"{known[0]} to {known[-1]}"


def why_not_weighted(study: Study) -> str | None:
    """Explain why a weighted cleaner with a better score was not chosen; None without one.

    Judgements of `assess` support no scores, and any cleaner may be certainly better by them.
    """
    if study.statistics.are_sequential:
        return None
    measure = study.tested[0]
    rows = [
        row
        for row in study.rows
        if row.role in ("cleaner", "swept")
        and isinstance(row.variant.cleaner, Weighted)
        and row.tuned is None
        and row.results[measure].mean > study.chosen.results[measure].mean
    ]
    if not rows:
        return None
    best = best_of(rows, measure)
    return (
        f"{best.label} has a better {measure} ({best.results[measure].mean:.3f}) and was not "
        "chosen: text that counts several times changes what the formula's parameters mean. Give "
        "several values of them (as --k1 0.18,0.45,0.9): then they are tuned for each cleaner, and "
        "weighted ones can be chosen."
    )


def _how_sure(study: Study, choice: Choice) -> str:
    """Return the choice and what it is worth."""
    kept, measure = study.baseline.label, choice.measure
    topics = len(study.topics)
    votes = dict(choice.votes).get(choice.chosen, 0)
    low, high = choice.gain_interval
    if study.formulas:
        measure += f" under {study.formulas[0].name}"
    if choice.chosen == 0:
        first = (
            f"Index with {kept}: no other has a better {measure} on the {topics} topics"
        )
    elif study.verdict == "significant":
        first = (
            f"Index with {study.chosen.label}, the best {measure} of {topics} topics"
        )
    else:
        first = (
            f"{study.chosen.label} is ahead, but not proved better: it has the best {measure} of "
            f"{topics} topics"
        )
    return (
        f"{first}; judged by topics that had no say in it, such a choice scores {choice.mean:.3f}, "
        f"{choice.gain:+.3f} [{low:+.3f}, {high:+.3f}] compared with {kept} ({votes} of "
        f"{len(choice.folds)} folds chose the same{_significance(study, choice.measure)})."
    )


def _other_formulas(study: Study, measure: str) -> str | None:
    """Return a sentence if other tested formulas name other cleaners."""
    others = []
    for formula in study.formulas[1:]:
        rows = study.by_formula[formula.name]
        best = best_cleaner(rows, measure)
        row = next(row for row in rows if row.name == study.chosen.name)
        means = best.results[measure].mean, row.results[measure].mean
        if formula.tested and means[0] > means[1]:
            others.append(
                f"{formula.name} {best.label} ({means[0]:.3f}, and {means[1]:.3f} with {row.label})"
            )
    if not others:
        return None
    return (
        f"Formulas name different cleaners: by {measure}, {study.formulas[0].name} names "
        f"{study.chosen.label}, {', '.join(others)}; put the one that you will rank by first."
    )


def _significance(study: Study, measure: str) -> str:
    """Return whether the choice is significantly better than the baseline."""
    difference = study.chosen.results[measure].difference
    if difference is None or difference.p is None:
        return ""
    text = p_text(difference.p)
    p = f"p {text if text.startswith('<') else f'= {text}'} after Holm's correction"
    if difference.near:
        p += ", within the error of its draws from the level"
    if study.verdict == "unconfirmed":
        return f"; {p}, but the interval of the held-out gain includes zero"
    negation = "" if study.verdict == "significant" else "not "
    return f"; {negation}statistically significant, {p}"


def _at_what_cost(row: StudyRow, baseline: StudyRow) -> str:
    """Return what a cleaner takes away, and the size of its index."""
    empty, documents = row.empty or 0, row.documents or 0
    parts = [f"it leaves {empty:,} of {empty + documents:,} documents empty"]
    if row.losses:
        parts[0] += f", {row.losses.relevant_empty:,} of them relevant"
        if row.losses.terms_lost is not None:
            parts.append(
                f"loses {row.losses.terms_lost:.1%} of the topics' terms in relevant documents"
            )
    if row.tokens_kept is not None:
        does = "counts" if isinstance(row.variant.cleaner, Weighted) else "keeps"
        parts.append(f"{does} {row.tokens_kept:.0%} of the tokens")
    cost = ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else parts[0]
    if row.index and baseline.index:
        cost += (
            f", an index of {size_text(row.index)} for {size_text(baseline.index)} "
            "(without positions)"
        )
    ranked = (
        f" Rank by {row.tuned.best}, to which all topics tune it." if row.tuned else ""
    )
    return f"The cost: {cost}.{ranked}"


def _analyzer_options(analyzer: AnalyzerOptions) -> list[str]:
    """Return the options of the command line that choose an analyzer."""
    default = AnalyzerOptions()
    words = []
    if analyzer.language != default.language:
        words += ["--language", analyzer.language]
    if analyzer.stemmer != default.stemmer:
        words += ["--stemmer", analyzer.stemmer]
    words += ["--keepStopwords"] * analyzer.keep_stopwords
    words += ["--pretokenized"] * analyzer.pretokenized
    words += ["--identifiers"] * analyzer.identifiers
    words += ["--no-title"] * (not analyzer.title)
    return words
