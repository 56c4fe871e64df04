"""The report in words: which cleaner, how sure, at what cost; and what was run on what.

The first screen is the answer; inputs, options and versions come from the study's manifest.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boilersweep.cleaners.rules import Weighted
from boilersweep.eval.experiment.languages import language_name
from boilersweep.eval.experiment.verification import Verified
from boilersweep.eval.report.html import (
    count,
    p_equals,
    score,
    share,
    signed,
    signed_interval,
)
from boilersweep.eval.study.advice import why_not_weighted, within_noise
from boilersweep.eval.study.choice import Choice
from boilersweep.eval.study.differences import TEST_NAMES, Result
from boilersweep.eval.study.results import Study, StudyRow, Verdict
from boilersweep.eval.study.tables import and_so_on, size_text

_GAINS: dict[Verdict | None, str] = {
    "significant": "a statistically significant gain",
    "unconfirmed": "a gain that held-out topics do not confirm",
    "not significant": "a gain that is not statistically significant",
    None: "a gain that was not tested",
}


@dataclass(frozen=True, slots=True)
class Fact:
    """A question with its answer.

    Attributes:
        question: The question.
        answer: The answer, in large letters.
        notes: What else to know.
    """

    question: str
    answer: str
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Answer:
    """The first screen.

    Attributes:
        verb: The first word of the headline.
        cleaner: Its other words.
        about: Sentences on the cleaner.
        lede: What it does to the scores.
        noise: Which cleaners are as good.
        facts: How much better, how sure, at what cost.
        command: The command that builds the index to deploy; None without a choice.
        export: The command that writes the text for OpenSearch; None if it cannot be exported.
    """

    verb: str
    cleaner: str
    about: list[str]
    lede: str
    noise: str | None
    facts: list[Fact]
    command: str | None
    export: str | None


def answer_of(study: Study) -> Answer:
    """Put the choice into words; without a choice the best cleaner, and why that says less."""
    return Answer(
        verb=_verb(study),
        cleaner=study.chosen.label,
        about=about(study, study.chosen),
        lede=_lede(study),
        noise=" ".join(filter(None, (within_noise(study), why_not_weighted(study))))
        or None,
        facts=[_gain(study), _certainty(study), _cost(study.chosen, study.baseline)],
        command=study.advice.command if study.advice else None,
        export=_export_command(study),
    )


def _export_command(study: Study) -> str | None:
    """Return the command that exports what the index to deploy has."""
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


def _verb(study: Study) -> str:
    """Return the first word: a request only where the topics support the choice."""
    if study.choice:
        is_supported = study.chosen is study.baseline or study.verdict == "significant"
        return "Index with" if is_supported else "Not proved, but ahead:"
    if not study.statistics.are_sequential:
        return "Best here:"
    return "Not decided yet:" if study.chosen is study.baseline else "Certainly better:"


def _result(study: Study, row: StudyRow) -> Result:
    return row.results[study.tested[0]]


def _lede(study: Study) -> str:
    measure, topics = study.tested[0], count(len(study.topics), "topic")
    before, after = (
        _result(study, study.baseline).mean,
        _result(study, study.chosen).mean,
    )
    if study.statistics.are_sequential:
        return (
            "boilersweep assess collected these judgements and stopped at a result, so that only "
            "its own intervals hold: see the notes."
        )
    if study.chosen is study.baseline:
        return (
            f"No other cleaner has a better {measure} on the {topics}: {score(before)}."
        )
    gain, baseline = _GAINS[study.verdict], study.baseline.label
    if study.choice:
        after = study.choice.mean
        if after <= before:
            gain = "no gain at all"
        return (
            f"On topics that had no say in the choice {measure} goes from {score(before)} with "
            f"{baseline} to {score(after)}, {gain}."
        )
    return (
        f"On {topics} {measure} goes from {score(before)} with {baseline} to {score(after)}, "
        f"{gain}. It was picked by the topics it is scored on, which flatters it; compare "
        "--choose tells what such a choice is worth."
    )


def _gain(study: Study) -> Fact:
    measure, choice = study.tested[0], study.choice
    level = f"{study.statistics.level:.0%} interval"
    result = _result(study, study.chosen)
    difference = result.difference
    notes = []
    if choice:
        answer = signed(choice.gain)
        notes = [
            f"{level} {signed_interval(choice.gain_interval)}",
            "on held-out topics, by cross-validation",
        ]
        if difference:
            seen = signed(difference.mean)
            flatters = difference.mean > choice.gain and seen != answer
            notes.append(
                f"{seen} on the topics it was chosen by{', which flatters' if flatters else ''}"
            )
    elif difference:
        answer = signed(difference.mean)
        notes = [f"{level} {signed_interval(difference.interval)}"]
    else:
        answer = signed(0.0)
    if result.closed is not None and study.chosen is not study.baseline:
        closed = f"{share(result.closed, 0)} of the way to the gold text"
        if result.closed_interval:
            low, high = (share(end, 0) for end in result.closed_interval)
            closed += f" ({low} to {high})"
        notes.append(closed)
    return Fact(f"How much better, {measure}", answer, notes)


def _certainty(study: Study) -> Fact:
    row, baseline = study.chosen, study.baseline
    difference = _result(study, row).difference
    if difference is None:
        return Fact("How sure", "nothing to test", [])
    notes = []
    if difference.p is not None:
        notes.append(f"p {p_equals(difference.p)} {study.statistics.correction}")
        if difference.near:
            notes.append("within the error of its draws: others could tell otherwise")
    if study.verdict == "unconfirmed":
        notes.append("the interval of the held-out gain includes zero")
    if difference.effect is not None:
        notes.append(f"{signed(difference.effect, 2)} standard deviations over topics")
    notes.append(
        f"{count(difference.wins, 'topic')} better, {difference.losses:,} worse, "
        f"{difference.ties:,} the same"
    )
    if study.choice:
        notes.append(_votes(study, study.choice))
    if "Judged@10" in row.results:
        before, after = (one.results["Judged@10"].mean for one in (baseline, row))
        if after < before - 0.01:
            notes.append(
                f"its top 10 is judged less ({share(after, 0)}; {share(before, 0)} before), "
                "so the gain may be larger"
            )
    return Fact("How sure", study.verdict or "not tested", notes)


def _votes(study: Study, choice: Choice) -> str:
    """Return how many folds chose the same, and the choices of the others."""
    votes = dict(choice.votes)
    text = f"{votes.pop(choice.chosen, 0)} of {len(choice.folds)} folds chose the same"
    others = [f"{folds} {study.rows[other].label}" for other, folds in votes.items()]
    return f"{text}; {', '.join(others)}" if others else text


def _cost(row: StudyRow, baseline: StudyRow) -> Fact:
    empty, documents = row.empty or 0, row.documents or 0
    notes = [f"{empty:,} of {count(empty + documents, 'document')} left empty"]
    if row.index and baseline.index:
        notes.insert(0, f"index {size_text(row.index)} for {size_text(baseline.index)}")
    if row.losses:
        notes[-1] += f", {row.losses.relevant_empty:,} relevant"
        if row.losses.terms_lost is not None:
            notes.append(
                f"{share(row.losses.terms_lost)} of the topics\u2019 terms lost from relevant "
                "documents"
            )
    kept = row.tokens_kept
    size = size_text(row.index) if row.index else "unknown"
    answer = f"{share(kept, 0)} kept" if kept is not None else size
    return Fact("At what cost, of the tokens", answer, notes)


def about(study: Study, row: StudyRow) -> list[str]:
    """Return sentences on a cleaner; none if the study recorded none, as for thresholds."""
    return [text for facts in _recorded(study, row) for text in _sentences(facts)]


def licences(study: Study) -> list[str]:
    """Return the training data of all cleaners' models, in the words of their licences."""
    models = {
        facts["name"]: facts["model"]
        for row in study.rows
        for facts in _recorded(study, row)
        if "licence" in facts.get("model", {})
    }
    return [f"{name}: {model['licence']}" for name, model in models.items()]


def _recorded(study: Study, row: StudyRow) -> list[dict[str, Any]]:
    facts: list[dict[str, Any]] = study.run["about"].get(row.label, [])
    return facts


def _sentences(facts: dict[str, Any]) -> Iterator[str]:
    """Yield sentences on a rule and its model."""
    yield f"{facts['name']}: {facts['summary']}."
    model = facts.get("model", {})
    if "trained_on" not in model:
        return
    pages = f"{count(model['pages'], 'page')} of " if "pages" in model else ""
    sentence = f"The model was trained on {pages}{model['trained_on']}"
    if "word_f1" in model:
        sentence += (
            "; on sites that training excluded, its mean word F1 against people\u2019s text is "
            f"{model['word_f1']:.3f}"
        )
    yield f"{sentence}. Its figures are too high where the collection contains these pages."


# The most languages to name.
_LANGUAGES = 10


@dataclass(frozen=True, slots=True)
class Line:
    """A term with its value."""

    term: str
    text: str


# The id of a query of a log, within a sentence.
QUERY_ID_IN_TEXT = re.compile(r"\bq[0-9a-f]{10}\b")


def provenance_of(study: Study) -> list[Line]:
    """Return the lines of the page."""
    run, topics, statistics = study.run, study.topics, study.statistics
    roles = [row.role for row in study.rows]
    judged = sum(topic.judged for topic in topics)
    relevant = sum(topic.relevant for topic in topics)
    analyzer = run["analyzer"]
    others = sum(run["other_languages"].values())
    left_out = f", without {others:,} in other languages" if others else ""
    of_pairs = f" and for {study.pairs.comparisons:,} of pairs" if study.pairs else ""
    lines = [
        Line(
            "Collection",
            f"{run['input']}, {run['documents']:,} documents{left_out}",
        ),
        *_languages(study),
        Line(
            "Topics",
            f"{count(len(topics), 'topic')} with {count(judged, 'judgement')}, "
            f"{relevant:,} of them relevant",
        ),
        Line("Baseline", study.baseline.label),
        Line("Cleaners", f"{roles.count('cleaner'):,} and {_sweeps(study)}"),
        Line("Ranking", f"{_ranking(study)}, {run['hits']:,} hits per topic"),
        Line(
            "Analyzer",
            f"{analyzer['language']}, stemmer {analyzer['stemmer']}, stop words "
            f"{'kept' if analyzer['keep_stopwords'] else 'removed'}"
            f"{', parts of identifiers' if analyzer.get('identifiers') else ''}"
            f"{'' if analyzer.get('title') else ', without titles'}",
        ),
        Line("Engine", _engine(study)),
        Line("Tests", _tests(study)),
        Line(
            "Statistics",
            f"{statistics.resamples:,} bootstrap resamples (BCa), "
            f"{statistics.permutations:,} permutations where not all are counted, seed "
            f"{statistics.seed}; p {statistics.correction}{of_pairs}",
        ),
    ]
    lines.append(Line("Method, to paste", method_of(study)))
    lines += [Line("Trained model", text) for text in licences(study)]
    lines += [
        Line(f"Run {name}", f"{facts['path']}, SHA-256 {facts['sha256'][:12]}")
        for name, facts in run.get("runs", {}).items()
    ]
    return [*lines, Line("Versions", _versions(study))]


def method_of(study: Study) -> str:
    """Return the study in sentences for a paper's section on method."""
    run, statistics = study.run, study.statistics
    roles = [row.role for row in study.rows]
    tests = [TEST_NAMES[test] for test in statistics.tests]
    chosen = (
        "; the cleaner was chosen by cross-validation over topics"
        if study.choice
        else ""
    )
    intervals = (
        "intervals of differences are those of this test"
        if statistics.are_sequential
        else f"intervals are 95 % BCa bootstrap intervals over topics ({statistics.resamples:,} "
        f"resamples, {statistics.permutations:,} permutations where not all are counted, seed "
        f"{statistics.seed})"
    )
    return (
        f"We compared {count(roles.count('cleaner'), 'cleaner')} and {_sweeps(study)} with "
        f"{study.baseline.label} on {run['documents']:,} documents and "
        f"{count(len(study.topics), 'topic')} by {' and '.join(study.tested)}, ranking with "
        f"{_ranking(study)}{chosen}. Differences are tested by {' and '.join(tests)}, "
        f"{statistics.correction}; {intervals}. Software: {_versions(study)}."
    )


def explain_command(study: Study) -> str:
    """Return the command that explains a topic, without the topic and the cleaners."""
    sources = study.run["sources"]  # without those that were read from a pipe
    paths = {name: sources.get(name, {}).get("path") for name in ("topics", "qrels")}
    words = ["boilersweep", "search"]
    for name, path in {"store": study.run["store"], **paths}.items():
        words += [f"--{name}", path or name.upper()]
    return shlex.join(words)


def _versions(study: Study) -> str:
    versions = study.run["versions"].items()
    return ", ".join(f"{name} {version}" for name, version in versions)


def _languages(study: Study) -> list[Line]:
    """Return the documents by language, if there are several."""
    counts = study.run["languages"]
    ranked = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    named = [f"{language_name(name)} {number:,}" for name, number in ranked]
    if len(named) < 2:
        return []
    more = sum(number for _, number in ranked[_LANGUAGES:])
    return [
        Line(
            "Languages",
            ", ".join(named[:_LANGUAGES])
            + (f" and {more:,} in others" if more else ""),
        )
    ]


def _tests(study: Study) -> str:
    names = [TEST_NAMES[test].removeprefix("the ") for test in study.statistics.tests]
    beside = f"; beside it {and_so_on(names[1:])}" if names[1:] else ""
    return f"{names[0]}, which decides{beside}"


def _ranking(study: Study) -> str:
    models = [f"{formula.name}: {formula.model}" for formula in study.formulas]
    return "; ".join(models) or str(study.run["model"])


def _sweeps(study: Study) -> str:
    parts = []
    for label in study.swept:
        number = sum(row.role == "swept" for _, row in study.curve(label))
        parts.append(f"{count(number, 'threshold')} of {label}")
    return " and ".join(parts) or "no sweep"


def _engine(study: Study) -> str:
    run = study.run
    verified = run["verified"]
    if not verified:
        return str(run["engine"])
    return f"{run['engine']}; {Verified(**verified)}"


def notes_of(study: Study) -> list[str]:
    """Return warnings about topics, judgements and the input."""
    notes = [*study.notes, *study.run["notes"]]
    for reason, number in study.run["skipped"].items():
        notes.append(f"{number:,} records skipped: {reason}")
    queries = study.run.get("queries_without_qrels", {}) | {
        topic.id: topic.query for topic in study.topics
    }
    return [
        QUERY_ID_IN_TEXT.sub(
            lambda found: (
                f"\u201c{queries[found[0]]}\u201d" if found[0] in queries else found[0]
            ),
            note.replace("`", ""),
        )
        for note in dict.fromkeys(notes)
    ]
