"""What was run on what: the cleaners and their models, inputs, options and versions, and notes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from boilersweep.command_lines import command_line
from boilersweep.eval.experiment.languages import language_name
from boilersweep.eval.experiment.verification import Verified
from boilersweep.eval.stats.frames import Row
from boilersweep.eval.study.differences import TEST_NAMES
from boilersweep.eval.study.results import Study
from boilersweep.eval.study.tables import and_so_on, count


def about(study: Study, row: Row) -> list[str]:
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


def _recorded(study: Study, row: Row) -> list[dict[str, Any]]:
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
            f"{'' if analyzer.get('title') else ', without titles'}"
            f"{', apostrophes as written' if analyzer.get('keep_apostrophes') else ''}",
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
    given = {"store": study.run["store"], **paths}
    return command_line(
        "search", **{name: path or name.upper() for name, path in given.items()}
    )


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
