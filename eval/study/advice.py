"""The answer of a study: which cleaner, how sure, at what cost, and how to deploy it."""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from boilersweep.cleaners.rules import Weighted
from boilersweep.command_lines import command_line
from boilersweep.eval.stats.frames import Row, best_of, size_text
from boilersweep.eval.stats.statistics import SIGNIFICANT, detectable_effect, p_text
from boilersweep.eval.study.choice import Choice
from boilersweep.eval.study.results import Advice, Study, Verdict, best_cleaner
from boilersweep.eval.study.tables import and_so_on, count
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.outputs.figures import figure
from boilersweep.redaction import without_secrets

_MOST_NAMES = 5

_GAINS: dict[Verdict | None, str] = {
    "significant": "a statistically significant gain",
    "unconfirmed": "a gain that held-out topics do not confirm",
    "not significant": "a gain that is not statistically significant",
    None: "a gain that was not tested",
}


# The standard deviation over topics of the difference in P@10, where no run tells it yet.
_USUAL_SPREAD = 0.12


def prospect_of_study(topics: int) -> str:
    """Say before a study which difference so many topics can show, by a prior."""
    if topics < 2:
        return "one topic can show no difference: give more"
    least = _USUAL_SPREAD * detectable_effect(topics, alpha=SIGNIFICANT)
    return (
        f"{topics:,} topics can show a difference of about {least:.2g} in P@10, in four of five "
        f"cases, tested alone and if it varies by {_USUAL_SPREAD:g} over topics, as for learned on "
        "newsmix; more comparisons need more topics"
    )


@dataclass(frozen=True, slots=True)
class Fact:
    """A question with its answer.

    Attributes:
        question: The question.
        answer: The answer.
        notes: What else to know.
    """

    question: str
    answer: str
    notes: Sequence[str]

    def __str__(self) -> str:
        return f"{self.question}: {'; '.join([self.answer, *self.notes])}."


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer, as the terminal, study.json and the page's first screen show it.

    Attributes:
        verb: The first words of the headline.
        cleaner: Its other words.
        lede: What the cleaner does to the scores.
        notes: Sentences on cleaners that are as good, or would be, and on formulas.
        facts: How much better, how sure, at what cost.
    """

    verb: str
    cleaner: str
    lede: str
    notes: Sequence[str]
    facts: Sequence[Fact]

    @property
    def sentences(self) -> tuple[str, ...]:
        """All of it, line by line."""
        headline = f"{self.verb} {self.cleaner}. {self.lede}"
        return (headline, *map(str, self.facts), *self.notes)


def answer_of(study: Study) -> Answer:
    """Put the choice into words; without a choice the best cleaner, and why that says less."""
    notes = [within_noise(study), why_not_weighted(study), _other_formulas(study)]
    if tuned := study.chosen.tuned:
        notes.append(f"Rank by {tuned}, to which all topics tune it.")
    if study.undecided:
        return Answer(
            verb="Not decided yet between",
            cleaner=and_so_on(_some([row.label for row in study.undecided])),
            lede=_lede(study),
            notes=(),
            facts=(),
        )
    return Answer(
        verb=_verb(study),
        cleaner=study.chosen.label,
        lede=_lede(study),
        notes=[*filter(None, notes)],
        facts=[_gain(study), _certainty(study), _cost(study.chosen, study.baseline)],
    )


def advise(
    study: Study,
    store: Path,
    output: Path,
    analyzer: AnalyzerOptions,
    *,
    docvectors: bool = False,
    languages: Sequence[str] = (),
) -> Advice | None:
    """Return the answer of a study with the command that deploys it.

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
    decided = study.statistics.are_sequential and not study.undecided
    if not study.choice and not decided:
        return None
    command = command_line(
        "index",
        store=without_secrets(store),
        keep=study.chosen.label,
        storeContents=True,
        output=output / f"index-{study.chosen.name}",
        storeDocvectors=docvectors,
        languages=",".join(languages),
        **_of_analyzer(analyzer),
    )
    return Advice(
        cleaner=study.chosen.label,
        sentences=answer_of(study).sentences,
        command=command,
    )


def export_command(study: Study) -> str | None:
    """Return the command that exports what the index to deploy has; None if nothing can."""
    if study.advice is None or isinstance(study.chosen.variant.cleaner, Weighted):
        return None
    words = shlex.split(study.advice.command)
    at = words.index("--output") + 1
    languages = (
        words[words.index("--languages") :][:2] if "--languages" in words else []
    )
    output = Path(words[at]).with_name(f"export-{study.chosen.name}")
    command = [
        "boilersweep",
        "export",
        *(word for word in words[2:at] if word != "--storeContents"),
        str(output),
        "--format",
        "bulk",
        *languages,
    ]
    return shlex.join(command)


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
    names = _some([study.rows[place].label for place in peers])
    are = "are" if len(peers) > 1 else "is"
    text = f"{and_so_on(names)} {are} within noise of it on {topics}."
    compared_pairs = [pairs.of(measure, chosen, place) for place in peers]
    alone = _range(pair.detectable for pair in compared_pairs)
    corrected = _range(pair.detectable_corrected for pair in compared_pairs)
    if not alone or not corrected:
        return text
    return (
        f"{text} The smallest difference in {measure} that they would show is {corrected} among "
        f"the {pairs.comparisons:,} pairs and measures tested here, {alone} if it were tested "
        "alone."
    )


def _some(names: list[str]) -> list[str]:
    """Return the first names, and how many more there are."""
    if len(names) <= _MOST_NAMES:
        return names
    return [
        *names[: _MOST_NAMES - 1],
        f"{len(names) - _MOST_NAMES + 1:,} more",
    ]


def _range(values: Iterable[float | None]) -> str:
    """Return the least and the largest value; nothing without values."""
    known = sorted(figure(value) for value in values if value is not None)
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
        f"{best.label} has a better {measure} ({figure(best.results[measure].mean)}) and was not "
        "chosen: text that counts several times changes what the formula's parameters mean. Give "
        "several values of them (as --k1 0.18,0.45,0.9): then they are tuned for each cleaner, and "
        "weighted ones can be chosen."
    )


def _other_formulas(study: Study) -> str | None:
    """Return a sentence if other tested formulas name other cleaners."""
    measure, others = study.tested[0], []
    for formula in study.formulas[1:]:
        rows = study.by_formula[formula.name]
        best = best_cleaner(rows, measure)
        row = next(row for row in rows if row.name == study.chosen.name)
        means = best.results[measure].mean, row.results[measure].mean
        if formula.tested and means[0] > means[1]:
            others.append(
                f"{formula.name} {best.label} ({figure(means[0])}, and {figure(means[1])} with "
                f"{row.label})"
            )
    if not others:
        return None
    return (
        f"Formulas name different cleaners: by {measure}, {study.formulas[0].name} names "
        f"{study.chosen.label}, {', '.join(others)}; put the one that you will rank by first."
    )


def _verb(study: Study) -> str:
    """Return the first word: a request only where the topics support the choice."""
    if study.choice:
        if study.chosen is study.baseline or study.verdict == "significant":
            return "Index with"
        is_ahead = float(figure(study.choice.gain)) > 0
        return "Not proved, but ahead:" if is_ahead else "Not proved:"
    if study.statistics.are_sequential:
        return "Certainly better:"
    return "Best here:"


def _lede(study: Study) -> str:
    """Return what the cleaner does to the scores."""
    measure, topics = study.tested[0], count(len(study.topics), "topic")
    before, after = (
        row.results[measure].mean for row in (study.baseline, study.chosen)
    )
    if study.formulas:
        measure += f" under {study.formulas[0].name}"
    if study.statistics.are_sequential:
        return (
            "boilersweep assess collected these judgements, and judging stops where it is certain: "
            "only its own intervals hold, see the notes."
        )
    if study.chosen is study.baseline:
        return f"No other cleaner has a better {measure} on the {topics}: {figure(before)}."
    gain, baseline = _GAINS[study.verdict], study.baseline.label
    if study.choice:
        after = study.choice.mean
        if after <= before:
            gain = "no gain at all"
        return (
            f"On topics that had no say in the choice {measure} goes from {figure(before)} with "
            f"{baseline} to {figure(after)}, {gain}."
        )
    return (
        f"On {topics} {measure} goes from {figure(before)} with {baseline} to {figure(after)}, "
        f"{gain}. It was picked by the topics it is scored on, which flatters it; compare "
        "--choose tells what such a choice is worth."
    )


def _gain(study: Study) -> Fact:
    """Return how much better the cleaner is."""
    measure, choice = study.tested[0], study.choice
    result = study.chosen.results[measure]
    answer, notes = "+0.000", []
    if choice:
        answer = figure(choice.gain, "+.3f")
        notes = [
            _interval(study, *choice.gain_interval),
            "on held-out topics, by cross-validation",
        ]
        if result.difference is not None:
            seen = figure(result.difference, "+.3f")
            flatters = result.difference > choice.gain and seen != answer
            notes.append(
                f"{seen} on the topics it was chosen by{', which flatters' if flatters else ''}"
            )
    elif result.difference is not None:
        answer = figure(result.difference, "+.3f")
        notes = [_interval(study, result.difference_low, result.difference_high)]
    if result.gap_closed is not None and study.chosen is not study.baseline:
        closed = f"{figure(result.gap_closed, '.0%')} of the way to the gold text"
        if result.gap_low is not None:
            ends = (figure(end, ".0%") for end in (result.gap_low, result.gap_high))
            closed += f" ({' to '.join(ends)})"
        notes.append(closed)
    return Fact(f"How much better, {measure}", answer, [*filter(None, notes)])


def _interval(study: Study, low: float | None, high: float | None) -> str:
    """Return the interval of a difference in words; None is empty."""
    level = f"{study.statistics.level:.0%} interval"
    ends = (figure(end, "+.3f") for end in (low, high))
    return "" if low is None else f"{level} {' to '.join(ends)}"


def _certainty(study: Study) -> Fact:
    """Return how sure the difference is."""
    row, baseline = study.chosen, study.baseline
    result = row.results[study.tested[0]]
    votes = [_votes(study, study.choice)] if study.choice else []
    if result.difference is None:
        return Fact("How sure", "nothing to test", votes)
    notes = []
    if result.p is not None:
        p = p_text(result.p)
        p = p if p.startswith("<") else f"= {p}"
        alone = "" if study.statistics.are_sequential else " (the interval is for one)"
        notes.append(f"p {p} {study.statistics.correction}{alone}")
        if result.near:
            notes.append("within the error of its draws: others could tell otherwise")
    if study.verdict == "unconfirmed":
        notes.append("the interval of the held-out gain includes zero")
    if result.effect is not None:
        notes.append(f"{figure(result.effect, '+.2f')} standard deviations over topics")
    notes.append(
        f"{count(result.wins or 0, 'topic')} better, {result.losses:,} worse, "
        f"{result.ties:,} the same"
    )
    notes += votes
    if "Judged@10" in row.results:
        before, after = (one.results["Judged@10"].mean for one in (baseline, row))
        if after < before - 0.01:
            notes.append(
                f"its top 10 is judged less ({figure(after, '.0%')}; {figure(before, '.0%')} "
                "before), so the gain may be larger"
            )
    return Fact("How sure", study.verdict or "not tested", notes)


def _votes(study: Study, choice: Choice) -> str:
    """Return how many folds chose the same, and the choices of the others."""
    votes = dict(choice.votes)
    text = f"{votes.pop(choice.chosen, 0)} of {len(choice.folds)} folds chose the same"
    others = [f"{folds} {study.rows[other].label}" for other, folds in votes.items()]
    return ", ".join([text, *others])


def _cost(row: Row, baseline: Row) -> Fact:
    """Return what a cleaner takes away, and the size of its index."""
    empty, documents = row.empty or 0, row.documents or 0
    notes = [f"{empty:,} of {count(empty + documents, 'document')} left empty"]
    size, before = size_text(row) or "unknown", size_text(baseline)
    if row.index_bytes is not None and before:
        notes.insert(0, f"index {size} for {before}, without positions")
    if row.relevant_empty is not None:
        notes[-1] += f", {row.relevant_empty:,} relevant"
        if row.terms_lost is not None:
            notes.append(
                f"{figure(row.terms_lost, '.1%')} of the topics' terms lost from relevant "
                "documents"
            )
    answer = size
    if row.tokens_kept is not None:
        answer = f"{figure(row.tokens_kept, '.0%')} kept"
        if isinstance(row.variant.cleaner, Weighted) and row.tokens and baseline.tokens:
            answer = f"{figure(row.tokens / baseline.tokens, '.0%')} counted"
    return Fact("At what cost, of the tokens", answer, notes)


def _of_analyzer(analyzer: AnalyzerOptions) -> dict[str, object]:
    """Return the parameters of a command that choose an analyzer."""
    default = AnalyzerOptions()
    language, stemmer = analyzer.language, analyzer.stemmer
    return {
        "language": language if language != default.language else None,
        "stemmer": stemmer if stemmer != default.stemmer else None,
        "keepStopwords": analyzer.keep_stopwords,
        "pretokenized": analyzer.pretokenized,
        "identifiers": analyzer.identifiers,
        "no_title": not analyzer.title,
        "keep_apostrophes": analyzer.keep_apostrophes,
    }
