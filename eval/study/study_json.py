"""`study.json`: everything a study found, for the report and for programs.

Version 1. Numbers are rounded to six digits; what does not apply is null; shares are 0 to 1.

    study_version   1
    boilersweep     version
    title           of the study
    statistics      level of the intervals, resamples, permutations, seed, comparisons (how many
                    p-values Holm corrected, for each of the two tests), significant (.05)
    measures        tested: compared and tested, the first one chosen by; beside: shown only
    topics          a list: id, query, terms (as analysed, null where unknown), judged, relevant
                    (of the qrels), and, null where losses are: relevant_here (of these in the
                    collection), pairs (of a term and a relevant document, at the baseline)
    baseline, gold  places in `variants`; gold may be null
    variants        a list, the baseline first, the gold text last:
      name, cleaner   file-safe name and text; feature, threshold: null for other cleaners
      role            baseline, cleaner, swept or gold
      documents, empty, tokens, tokens_kept
      index           bytes, measured (else estimated)
      losses          null, or relevant_empty, terms_lost (a share), and for each topic
                      relevant_empty_by_topic, terms_lost_by_topic (counts, in order of `topics`)
      results         measure -> mean, interval [low, high], closed (of the gap to the gold text),
                      difference: null for the baseline, or mean, interval, wins, ties, losses,
                      tests: null, or t, t_holm, randomisation, randomisation_holm
      scores          measure -> one value per topic, in the order of `topics`
      run             path of the TREC run, below the output folder
    choice          null, or measure, chosen (place), seen (its mean on all topics), mean,
                    interval (of held-out scores), gain, gain_interval (to the baseline), votes
                    ([place, folds]), folds: topics (places), chosen, training, held_out
    suggestion      null, or what the two-class mixture says without judgements: cleaner (null
                    where nothing is suggested), place (among `variants`, or null), blocks,
                    short_share, short_stop, long_stop, r2_adjusted, rmse, and the shares of blocks
                    with 1, 2, ... words: observed, short, long
    advice          null, or cleaner, sentences, command
    notes           sentences on topics and qrels
    run             what was run on what, as in manifest.json
"""

import json
from dataclasses import asdict, dataclass
from typing import Any

from boilersweep import __version__
from boilersweep.cleaners.variants import Variant
from boilersweep.eval.statistics import LEVEL, PERMUTATIONS, RESAMPLES
from boilersweep.eval.study.advice import Advice
from boilersweep.eval.study.choice import Choice
from boilersweep.eval.study.mixture import Suggestion
from boilersweep.eval.study.results import Result, StudyRow
from boilersweep.eval.study.tables import SIGNIFICANT
from boilersweep.eval.sweep.table import SweepRow

VERSION = 1

_DIGITS = 6


@dataclass(frozen=True, slots=True)
class StudyTopic:
    """A topic of the study; see `topics` above."""

    id: str
    query: str
    terms: list[str] | None
    judged: int
    relevant: int
    relevant_here: int | None
    pairs: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """Everything a study found. rows: the baseline first, the gold text last."""

    title: str
    tested: list[str]
    beside: list[str]
    topics: list[StudyTopic]
    rows: list[StudyRow]
    comparisons: int
    seed: int
    choice: Choice | None
    suggestion: Suggestion | None
    advice: Advice | None
    notes: list[str]

    @property
    def baseline(self) -> StudyRow:
        """What all others are compared with."""
        return self.rows[0]

    @property
    def gold(self) -> StudyRow | None:
        """The upper bound, where there is one."""
        return self.rows[-1] if self.rows[-1].role == "gold" else None

    @property
    def sweep_rows(self) -> list[SweepRow]:
        """The rows as those of a sweep."""
        return [
            SweepRow(
                row.variant,
                row.documents,
                row.empty,
                row.tokens,
                {measure: result.mean for measure, result in row.results.items()},
            )
            for row in self.rows
        ]

    def place(self, variant: Variant) -> int | None:
        """The place of a variant among the rows."""
        return next((n for n, row in enumerate(self.rows) if row.variant == variant), None)

    @property
    def answer(self) -> str:
        """Which cleaner, how sure, at what cost, how to deploy it; and what the blocks suggest."""
        lines = ["Nothing can be chosen by a single topic."]
        if self.advice:
            lines = [*self.advice.sentences, "", f"    {self.advice.command}"]
        if self.suggestion:
            lines += ["", str(self.suggestion)]
        return "\n".join(lines)


def study_json(study: Study, run: dict[str, Any]) -> str:
    """The study as `study.json` has it. run: its manifest."""
    value = {
        "study_version": VERSION,
        "boilersweep": __version__,
        "title": study.title,
        "statistics": {
            "level": LEVEL,
            "resamples": RESAMPLES,
            "permutations": PERMUTATIONS,
            "seed": study.seed,
            "comparisons": study.comparisons,
            "significant": SIGNIFICANT,
        },
        "measures": {"tested": study.tested, "beside": study.beside},
        "topics": [asdict(topic) for topic in study.topics],
        "baseline": 0,
        "gold": len(study.rows) - 1 if study.gold else None,
        "variants": [_variant(row) for row in study.rows],
        "choice": _choice(study.choice) if study.choice else None,
        "suggestion": _suggestion(study, study.suggestion) if study.suggestion else None,
        "advice": asdict(study.advice) if study.advice else None,
        "notes": study.notes,
        "run": run,
    }
    return json.dumps(_rounded(value), ensure_ascii=False, allow_nan=False) + "\n"


def _variant(row: StudyRow) -> dict[str, Any]:
    variant, losses, point = row.variant, row.losses, row.variant.point
    return {
        "name": variant.name,
        "cleaner": str(variant),
        "feature": point.feature if point else None,
        "threshold": point.value if point else None,
        "role": row.role,
        "documents": row.documents,
        "empty": row.empty,
        "tokens": row.tokens,
        "tokens_kept": row.tokens_kept,
        "index": {"bytes": row.index.size, "measured": row.index.measured},
        "losses": losses
        and {
            "relevant_empty": losses.relevant_empty,
            "terms_lost": losses.terms_lost,
            "relevant_empty_by_topic": losses.by_topic.relevant_empty.tolist(),
            "terms_lost_by_topic": losses.by_topic.terms_lost.tolist(),
        },
        "results": {measure: _result(result) for measure, result in row.results.items()},
        "scores": {measure: values.tolist() for measure, values in row.topic_scores.items()},
        "run": f"runs/{variant.name}.trec",
    }


def _result(result: Result) -> dict[str, Any]:
    difference = result.difference
    return {
        "mean": result.mean,
        "interval": result.interval,
        "closed": result.closed,
        "difference": difference
        and {
            "mean": difference.mean,
            "interval": difference.interval,
            **asdict(difference.outcomes),
            "tests": asdict(difference.tests) if difference.tests else None,
        },
    }


def _choice(choice: Choice) -> dict[str, Any]:
    return {**asdict(choice), "votes": choice.votes}


def _suggestion(study: Study, suggestion: Suggestion) -> dict[str, Any]:
    variant = suggestion.variant
    value = asdict(suggestion)
    del value["variant"]
    return {
        "cleaner": None if variant is None else str(variant),
        "place": None if variant is None else study.place(variant),
        **value,
    }


def _rounded(value: Any) -> Any:
    """The same with floats rounded; p-values near zero keep their size."""
    if isinstance(value, float):
        return value if abs(value) < 10**-_DIGITS else round(value, _DIGITS)
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    return value
