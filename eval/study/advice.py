"""The answer of a study: one cleaner, how sure it is, what it costs, and how to deploy it."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from boilersweep.cleaners.weighted import Weighted
from boilersweep.eval.study.choice import Choice
from boilersweep.eval.study.noise import within_noise
from boilersweep.eval.study.results import Advice, Study, StudyRow
from boilersweep.eval.study.tables import p_text, size_text
from boilersweep.indexer.analyzer import AnalyzerOptions


def advise(
    study: Study,
    store: Path,
    output: Path,
    analyzer: AnalyzerOptions,
    *,
    docvectors: bool = False,
    languages: Sequence[str] = (),
) -> Advice | None:
    """Put the cross-validated choice of a study into words; None where nothing was chosen.

    docvectors: whether the index to deploy needs document vectors. languages: of its documents;
    none for all.
    """
    if study.choice is None:
        return None
    beside = (
        within_noise(study),
        why_not_weighted(study),
        _other_formulas(study, study.choice.measure),
    )
    return Advice(
        cleaner=str(study.chosen.variant),
        sentences=(
            _how_sure(study, study.choice),
            *filter(None, beside),
            _at_what_cost(study.chosen, study.baseline),
        ),
        command=_command(study.chosen, store, output, analyzer, docvectors, languages),
    )


def why_not_weighted(study: Study) -> str | None:
    """Why a weighted cleaner with a better score was not chosen; None where there is none."""
    measure = study.tested[0]
    rows = [
        row
        for row in study.rows
        if row.role in ("cleaner", "swept")
        and isinstance(row.cleaner, Weighted)
        and row.tuned is None
        and row.results[measure].mean > study.chosen.results[measure].mean
    ]
    if not rows:
        return None
    best = max(rows, key=lambda row: row.results[measure].mean)
    return (
        f"{best.variant} has a better {measure} ({best.results[measure].mean:.3f}) and was not "
        "chosen: text that counts several times changes what the formula's parameters mean. Give "
        "several values of them (as --k1 0.18,0.45,0.9): then they are tuned for each cleaner, and "
        "weighted ones can be chosen."
    )


def _how_sure(study: Study, choice: Choice) -> str:
    kept, measure = study.baseline.variant, choice.measure
    topics = len(study.topics)
    votes = dict(choice.votes).get(choice.chosen, 0)
    low, high = choice.gain_interval
    if study.formulas:
        measure += f" under {study.formulas[0].name}"
    if choice.chosen == 0:
        first = f"Index with {kept}: no other has a better {measure} on the {topics} topics"
    else:
        first = f"Index with {study.chosen.variant}, the best {measure} of {topics} topics"
    return (
        f"{first}; judged by topics that had no say in it, such a choice scores {choice.mean:.3f}, "
        f"{choice.gain:+.3f} [{low:+.3f}, {high:+.3f}] compared with {kept} ({votes} of "
        f"{len(choice.folds)} folds chose the same{_significance(study, choice.measure)})."
    )


def _other_formulas(study: Study, measure: str) -> str | None:
    """A sentence where other tested formulas name other cleaners; else none."""
    others = []
    for formula in study.formulas[1:]:
        best, row = formula.best(measure), formula.row_of(study.chosen.variant)
        mean = best.results[measure].mean
        if formula.tested and row and mean > row.results[measure].mean:
            others.append(
                f"{formula.name} {best.variant} ({mean:.3f}, and {row.results[measure].mean:.3f} "
                f"with {row.variant})"
            )
    if not others:
        return None
    return (
        f"Formulas name different cleaners: by {measure}, {study.formulas[0].name} names "
        f"{study.chosen.variant}, {', '.join(others)}; put the one that you will rank by first."
    )


def _significance(study: Study, measure: str) -> str:
    difference = study.chosen.results[measure].difference
    if difference is None or difference.tests is None:
        return ""
    p = f"p {_equals(difference.tests.decisive)} after Holm's correction"
    if difference.tests.is_near:
        p += ", within the error of its draws from the level"
    if study.verdict == "unconfirmed":
        return f"; {p}, but the interval of the held-out gain includes zero"
    negation = "" if study.verdict == "significant" else "not "
    return f"; {negation}statistically significant, {p}"


def _at_what_cost(row: StudyRow, baseline: StudyRow) -> str:
    empty, documents = row.empty or 0, row.documents or 0
    parts = [f"it leaves {empty:,} of {empty + documents:,} documents empty"]
    if row.losses:
        parts[0] += f", {row.losses.relevant_empty:,} of them relevant"
        if row.losses.terms_lost is not None:
            parts.append(
                f"loses {row.losses.terms_lost:.1%} of the topics' terms in relevant documents"
            )
    if row.tokens_kept is not None:
        does = "counts" if isinstance(row.cleaner, Weighted) else "keeps"
        parts.append(f"{does} {row.tokens_kept:.0%} of the tokens")
    cost = ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else parts[0]
    if row.index and baseline.index:
        cost += (
            f", an index of {size_text(row.index)} for {size_text(baseline.index)} "
            "(without positions)"
        )
    ranked = f" Rank by {row.tuned.best}, to which all topics tune it." if row.tuned else ""
    return f"The cost: {cost}.{ranked}"


def _equals(p: float) -> str:
    text = p_text(p)
    return text if text.startswith("<") else f"= {text}"


def _command(
    row: StudyRow,
    store: Path,
    output: Path,
    analyzer: AnalyzerOptions,
    docvectors: bool,
    languages: Sequence[str],
) -> str:
    words = ["boilersweep", "index", "--store", str(store), "--keep", str(row.variant)]
    words += ["--output", str(output / f"index-{row.variant.name}")]
    if docvectors:
        words.append("--storeDocvectors")
    if languages:
        words += ["--languages", ",".join(languages)]
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
