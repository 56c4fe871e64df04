"""`study.json`: everything a study found, for the report and for programs; written and read.

Version 1. Numbers are rounded to six digits; what does not apply is null; shares are 0 to 1.

    study_version   1
    boilersweep     version
    title           of the study
    statistics      level of the intervals, resamples, permutations, seed, comparisons (how many
                    p-values Holm corrected, for each of the tests), significant (.05), tests
                    (the first one decides)
    measures        tested: compared and tested, the first one chosen by; beside: shown only
    topics          a list: id, query, terms (as analysed, null where unknown), judged, relevant
                    (of the qrels), and, null where losses are: relevant_here (of these in the
                    collection), pairs (of a term and a relevant document, at the baseline);
                    language: that of most of the relevant documents in the collection, null where
                    none is
    baseline, gold  places in `variants`; gold may be null
    variants        a list, the baseline first, the gold text last:
      name, cleaner   file-safe name and text; feature, threshold: the label of the sweep it
                      is on, such as words or link_density<=, and its value there, or null
      role            baseline, cleaner, swept, run (made elsewhere) or gold
      documents, empty, tokens, tokens_kept
      index           bytes, measured (else estimated)
      losses          null, or relevant_empty, terms_lost (a share), and for each topic
                      relevant_empty_by_topic, terms_lost_by_topic (counts, in order of `topics`)
      results         measure -> mean, interval [low, high], closed (of the gap to the gold text),
                      closed_interval, difference: null for the baseline, or mean, interval, wins,
                      ties, losses, effect (the mean in standard deviations over topics),
                      detectable (the smallest true difference that these topics show four times in
                      five), tests: null, or the p of each test, as it is and corrected: t, t_holm;
                      near: whether other draws could tell otherwise whether it is significant
      scores          measure -> one value per topic, in the order of `topics`
      run             path of the TREC run, below the output folder
      tuned           only where parameters of the formula were: best (by all topics) and folds
                      (of each the formula that the topics outside it chose)
                    Of a run made elsewhere `cleaner` is null, and so are all counts and sizes.
    formulas        only where there are several, or tuned ones: a list of name, model (with its
                    parameters), tested (whether its differences are, and count for Holm), and
                    variants: null for the first, under which those above are; else a list of name,
                    results, scores, run and tuned as above, without runs made elsewhere
    pairs           null, or cleaners against each other: rows (places), left_out (how many more
                    were named), comparisons (how many p-values Holm corrected, for each of the
                    tests), and
      by_measure      measure -> a list: first, second (places), difference (of the first less the
                      second, as above), detectable_corrected (detectable as one of all pairs)
      groups          measure -> lists of places that are not told apart, that of the best first
    choice          null, or measure, chosen (place), seen (its mean on all topics), mean,
                    interval (of held-out scores), gain, gain_interval (to the baseline), votes
                    ([place, folds]), folds: topics (places), chosen, training, held_out
    suggestion      null, or what the two-class mixture says without judgements: cleaner (null
                    where nothing is suggested), place (among `variants`, or null), blocks,
                    short_share, short_stop, long_stop, r2_adjusted, rmse, and the shares of blocks
                    with 1, 2, ... words: observed, short, long
    advice          null, or cleaner, sentences, command
    sweeps          those asked for, as text
    kinds           a list, of a sample of the collection's pages: kind, pages, words, kept (name of
                    a variant -> the words that it keeps of these pages)
    notes           sentences on topics and qrels
    run             what was run on what, as in manifest.json
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from itertools import combinations
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

from boilersweep.cleaners.parsing import parse_cleaner
from boilersweep.cleaners.variants import Variant, parse_sweep
from boilersweep.errors import InputError, UsageError, reason_of
from boilersweep.eval.significance import SIGNIFICANT, TESTS
from boilersweep.eval.statistics import Interval, Outcomes
from boilersweep.eval.study.choice import Choice
from boilersweep.eval.study.differences import Difference, PValues
from boilersweep.eval.study.mixture import Suggestion
from boilersweep.eval.study.outside import outside_row
from boilersweep.eval.study.page_kinds import KindOfPages
from boilersweep.eval.study.pairs import Pair, Pairs
from boilersweep.eval.study.results import (
    Advice,
    FormulaRows,
    IndexSize,
    Losses,
    Result,
    Role,
    Statistics,
    Study,
    StudyRow,
    StudyTopic,
    TopicLosses,
    Tuned,
)
from boilersweep.outputs.files import read_regular
from boilersweep.pages.columns import FloatArray

VERSION = 1

_DIGITS = 6


def study_json(study: Study) -> str:
    """The study as `study.json` has it."""
    points = study.points
    value = {
        "study_version": VERSION,
        "boilersweep": study.version,
        "title": study.title,
        "statistics": asdict(study.statistics),
        "measures": {"tested": study.tested, "beside": study.beside},
        "topics": [asdict(topic) for topic in study.topics],
        "baseline": 0,
        "gold": len(study.rows) - 1 if study.gold else None,
        "variants": [_variant(row, *points.get(row.variant, (None, None))) for row in study.rows],
        "pairs": _pairs(study.pairs) if study.pairs else None,
        "choice": _choice(study.choice) if study.choice else None,
        "suggestion": _suggestion(study, study.suggestion) if study.suggestion else None,
        "advice": asdict(study.advice) if study.advice else None,
        "sweeps": list(map(str, study.sweeps)),
        "kinds": [asdict(kind) for kind in study.kinds],
        "notes": study.notes,
        "run": study.run,
    }
    if study.formulas:
        value["formulas"] = [_formula(n, formula) for n, formula in enumerate(study.formulas)]
    return json.dumps(_rounded(value), ensure_ascii=False, allow_nan=False) + "\n"


def _variant(row: StudyRow, label: str | None, value: float | None) -> dict[str, Any]:
    variant, losses = row.variant, row.losses
    return {
        "name": variant.name,
        "cleaner": None if row.role == "run" else str(variant),
        "feature": label,
        "threshold": value,
        "role": row.role,
        "documents": row.documents,
        "empty": row.empty,
        "tokens": row.tokens,
        "tokens_kept": row.tokens_kept,
        "index": row.index and {"bytes": row.index.size, "measured": row.index.measured},
        "losses": losses
        and {
            "relevant_empty": losses.relevant_empty,
            "terms_lost": losses.terms_lost,
            "relevant_empty_by_topic": losses.by_topic.relevant_empty.tolist(),
            "terms_lost_by_topic": losses.by_topic.terms_lost.tolist(),
        },
        **_figures(row),
    }


def _figures(row: StudyRow) -> dict[str, Any]:
    """What depends on the ranking formula."""
    return {
        "results": {measure: _result(result) for measure, result in row.results.items()},
        "scores": {measure: values.tolist() for measure, values in row.topic_scores.items()},
        "run": row.run_path,
        **({"tuned": asdict(row.tuned)} if row.tuned else {}),
    }


def _formula(number: int, formula: FormulaRows) -> dict[str, Any]:
    rows = [{"name": row.variant.name, **_figures(row)} for row in formula.rows]
    return {
        "name": formula.name,
        "model": formula.model,
        "tested": formula.tested,
        "variants": rows if number else None,
    }


def _result(result: Result) -> dict[str, Any]:
    return {
        "mean": result.mean,
        "interval": result.interval,
        "closed": result.closed,
        "closed_interval": result.closed_interval,
        "difference": _difference(result.difference) if result.difference else None,
    }


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "mean": difference.mean,
        "interval": difference.interval,
        **asdict(difference.outcomes),
        "effect": difference.effect,
        "detectable": difference.detectable,
        "tests": _tests(difference.tests) if difference.tests else None,
        "near": difference.tests is not None and difference.tests.is_near,
    }


def _tests(tests: PValues) -> dict[str, float]:
    return tests.plain | {f"{test}_holm": p for test, p in tests.holm.items()}


def _pairs(pairs: Pairs) -> dict[str, Any]:
    by_measure = {
        measure: [
            {
                "first": pair.first,
                "second": pair.second,
                "difference": _difference(pair.difference),
                "detectable_corrected": pair.detectable_corrected,
            }
            for pair in found
        ]
        for measure, found in pairs.by_measure.items()
    }
    return asdict(replace(pairs, by_measure={})) | {"by_measure": by_measure}


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


def read_study(path: Path) -> Study:
    """Read a `study.json`.

    Raises InputError where it is missing, damaged, of another version, or names a cleaner that is
    not known here.
    """
    try:
        value = json.loads(read_regular(path))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(
            f"{path}: expected the study.json of `boilersweep compare` ({reason_of(error)})"
        ) from error
    version = value.get("study_version") if isinstance(value, dict) else None
    if version != VERSION:
        raise InputError(
            f"{path}: expected a study of version {VERSION}, got "
            f"{'none' if version is None else version}; run the study again with this boilersweep"
        )
    try:
        return _study(value)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path} is damaged: {reason_of(error)}; run the study again, or take it from a copy"
        ) from error
    except UsageError as error:
        raise InputError(f"{path} names a cleaner that is not known here: {error}") from error


def _study(value: Mapping[str, Any]) -> Study:
    """The study of a JSON object; raises KeyError, TypeError, ValueError and UsageError."""
    measures = _made(dict[str, list[str]], value["measures"])
    statistics = _made(Statistics, value["statistics"])
    tests, pairs = statistics.tests, value["pairs"]
    listed = _made(list[dict[str, Any]], value.get("formulas", []))
    first = _made(str, listed[0]["name"]) if listed else None
    rows = [_row(one, tests, first) for one in _made(list[dict[str, Any]], value["variants"])]
    choice, suggestion = value["choice"], value["suggestion"]
    study = Study(
        title=_made(str, value["title"]),
        tested=measures["tested"],
        beside=measures["beside"],
        topics=_made(list[StudyTopic], value["topics"]),
        rows=rows,
        statistics=statistics,
        choice=None if choice is None else _made(Choice, choice),
        suggestion=None if suggestion is None else _read_suggestion(suggestion),
        advice=_made(Advice | None, value["advice"]),
        notes=_made(list[str], value["notes"]),
        run=_made(dict[str, Any], value["run"]),
        version=_made(str, value["boilersweep"]),
        formulas=[_read_formula(one, rows, tests) for one in listed],
        pairs=None if pairs is None else _read_pairs(pairs, tests),
        sweeps=[parse_sweep(text) for text in _made(list[str], value["sweeps"])],
        kinds=_made(list[KindOfPages], value["kinds"]),
    )
    _require_whole(study)
    return study


def _require_whole(study: Study) -> None:
    """Raises ValueError where what is in it does not belong together."""
    roles = [row.role for row in study.rows]
    if roles[:1] != ["baseline"] or not study.tested:
        raise ValueError("it has no baseline or no measure")
    if "baseline" in roles[1:] or "gold" in roles[:-1]:
        raise ValueError("its variants are not in order")
    tests = study.statistics.tests
    if not tests or not set(tests) <= set(TESTS):
        raise ValueError(f"its tests are not among {', '.join(TESTS)}")
    if study.statistics.significant != SIGNIFICANT:
        raise ValueError(f"its differences are not significant below {SIGNIFICANT}")
    for row in study.all_rows:
        for measure in (*study.tested, *study.beside):
            if len(row.topic_scores[measure]) != len(study.topics) or measure not in row.results:
                raise ValueError(f"{row.variant} has not one {measure} per topic")
    if study.choice:
        places = [study.choice.chosen, *(fold.chosen for fold in study.choice.folds)]
        if not all(0 <= place < len(roles) for place in places):
            raise ValueError("it chose what is not among its variants")
    names = {row.variant.name for row in study.rows if row.role != "run"}
    if any(kind.kept.keys() != names for kind in study.kinds):
        raise ValueError("its kinds of pages are not of its variants")
    if study.pairs:
        _require_pairs(study, study.pairs)


def _require_pairs(study: Study, pairs: Pairs) -> None:
    """Raises ValueError where they are not those of the study."""
    rows = set(pairs.rows)
    if not {0, study.rows.index(study.chosen)} <= rows <= set(range(len(study.rows))):
        raise ValueError("its pairs are not of its variants")
    if not set(study.tested) == pairs.by_measure.keys() == pairs.groups.keys():
        raise ValueError("its pairs are not by its measures")
    for found in pairs.by_measure.values():
        if [(pair.first, pair.second) for pair in found] != list(combinations(pairs.rows, 2)):
            raise ValueError("its pairs are not all there")
    for groups in pairs.groups.values():
        if {place for group in groups for place in group} != rows:
            raise ValueError("its groups are not of what it pairs")


def _row(value: Mapping[str, Any], tests: Sequence[str], formula: str | None) -> StudyRow:
    """formula: the name of that under which `variants` are, where there are several."""
    role: Role = value["role"]
    if role not in get_args(Role):
        raise ValueError(f"no role {role}")
    if role == "run":
        return outside_row(_made(str, value["name"]), *_read_figures(value, tests))
    losses, index = value["losses"], value["index"]
    results, scores = _read_figures(value, tests)
    return StudyRow(
        variant=Variant(parse_cleaner(_made(str, value["cleaner"]))),
        role=role,
        documents=_made(int, value["documents"]),
        empty=_made(int, value["empty"]),
        tokens=_made(int, value["tokens"]),
        tokens_kept=_made(float | None, value["tokens_kept"]),
        index=IndexSize(_made(int, index["bytes"]), _made(bool, index["measured"])),
        losses=None if losses is None else _read_losses(losses),
        results=results,
        topic_scores=scores,
        formula=formula,
        tuned=_made(Tuned | None, value.get("tuned")),
    )


def _read_figures(
    value: Mapping[str, Any], tests: Sequence[str]
) -> tuple[dict[str, Result], dict[str, FloatArray]]:
    results = _made(dict[str, dict[str, Any]], value["results"])
    scores = _made(dict[str, list[float]], value["scores"])
    return (
        {measure: _read_result(one, tests) for measure, one in results.items()},
        {measure: np.array(one, dtype=float) for measure, one in scores.items()},
    )


def _read_formula(
    value: Mapping[str, Any], rows: Sequence[StudyRow], tests: Sequence[str]
) -> FormulaRows:
    """rows: those under the first formula, with what does not depend on it."""
    name, here = _made(str, value["name"]), [row for row in rows if row.role != "run"]
    listed = _made(list[dict[str, Any]] | None, value["variants"])
    if listed is not None:
        if [one["name"] for one in listed] != [row.variant.name for row in here]:
            raise ValueError(f"{name} has not the variants of the first formula")
        figures = [_read_figures(one, tests) for one in listed]
        here = [
            replace(
                row,
                results=results,
                topic_scores=scores,
                formula=name,
                tuned=_made(Tuned | None, one.get("tuned")),
            )
            for row, one, (results, scores) in zip(here, listed, figures, strict=True)
        ]
    return FormulaRows(name, _made(str, value["model"]), _made(bool, value["tested"]), here)


def _read_losses(value: Mapping[str, Any]) -> Losses:
    by_topic = TopicLosses(
        np.array(_made(list[int], value["relevant_empty_by_topic"]), dtype=np.int64),
        np.array(_made(list[int], value["terms_lost_by_topic"]), dtype=np.int64),
    )
    return Losses(
        _made(int, value["relevant_empty"]), _made(float | None, value["terms_lost"]), by_topic
    )


def _read_result(value: Mapping[str, Any], tests: Sequence[str]) -> Result:
    difference = value["difference"]
    return Result(
        mean=_made(float, value["mean"]),
        interval=_made(Interval | None, value["interval"]),
        difference=None if difference is None else _read_difference(difference, tests),
        closed=_made(float | None, value["closed"]),
        closed_interval=_made(Interval | None, value["closed_interval"]),
    )


def _read_difference(value: Mapping[str, Any], tests: Sequence[str]) -> Difference:
    found = _made(dict[str, float] | None, value["tests"])
    return Difference(
        mean=_made(float, value["mean"]),
        interval=_made(Interval | None, value["interval"]),
        outcomes=_made(Outcomes, value),
        tests=None
        if found is None
        else PValues(
            {t: found[t] for t in tests},
            {t: found[f"{t}_holm"] for t in tests},
            _made(bool, value["near"]),
        ),
        effect=_made(float | None, value["effect"]),
        detectable=_made(float | None, value["detectable"]),
    )


def _read_pairs(value: Mapping[str, Any], tests: Sequence[str]) -> Pairs:
    found = _made(dict[str, list[dict[str, Any]]], value["by_measure"])
    by_measure = {
        measure: tuple(
            Pair(
                _made(int, one["first"]),
                _made(int, one["second"]),
                _read_difference(one["difference"], tests),
                _made(float | None, one["detectable_corrected"]),
            )
            for one in pairs
        )
        for measure, pairs in found.items()
    }
    made: Pairs = _made(Pairs, {**value, "by_measure": {}})
    return replace(made, by_measure=by_measure)


def _read_suggestion(value: Mapping[str, Any]) -> Suggestion:
    """The variant stands as the text of its cleaner, which is a threshold of words."""
    text = _made(str | None, value["cleaner"])
    variant = None if text is None else Variant(parse_cleaner(text))
    found: Suggestion = _made(Suggestion, {**value, "variant": None})
    if variant is not None and variant.point is None:
        raise ValueError(f"it suggests {variant}, which is no threshold")
    return replace(found, variant=variant)


def _made(kind: Any, value: Any) -> Any:
    """A value of JSON as a value of a type; of dataclasses the fields, what else is there left.

    Raises TypeError where it is none, KeyError where a field is missing.
    """
    origin, inner = get_origin(kind), get_args(kind)
    if origin is UnionType:
        wanted = next(one for one in inner if one is not type(None))
        return None if value is None else _made(wanted, value)
    if origin is list and isinstance(value, list):
        return [_made(inner[0], one) for one in value]
    if origin is tuple and isinstance(value, list):
        kinds = [inner[0]] * len(value) if inner[-1] is Ellipsis else inner
        if len(kinds) == len(value):
            return tuple(map(_made, kinds, value))
    if origin is dict and isinstance(value, dict):
        return {key: _made(inner[1], one) for key, one in value.items()}
    if isinstance(kind, type) and is_dataclass(kind) and isinstance(value, dict):
        hints = get_type_hints(kind)
        return kind(**{one.name: _made(hints[one.name], value[one.name]) for one in fields(kind)})
    if kind is Any or (kind is float and type(value) is int) or type(value) is kind:
        return value
    raise TypeError(f"expected {getattr(kind, '__name__', kind)}, got {value!r:.60}")
