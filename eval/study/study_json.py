"""`study.json`: everything a study found, for the report and for programs.

The types of `results.py` are its schema, and reading validates them.

Version 2. Numbers have nine decimals, below 1 nine significant digits; shares are 0 to 1. What does
not apply is left out of `variants` and `pairs`, and null elsewhere. Places are in `variants`.

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
    variants        a list, the baseline first, then each variant and run made elsewhere, the gold
                    text last; then each variant under every further formula:
      formula         the name of its formula, only where there are several, or tuned ones
      tuned, tuned_folds
                      only where parameters of the formula were: those that all topics choose, and
                      of each fold those that the topics outside it chose
      name, cleaner   file-safe name and text; feature, threshold: the label of the sweep it
                      is on, such as words or link_density<=, and its value there
      role            baseline, cleaner, swept, run (made elsewhere) or gold
      documents, empty, tokens, tokens_kept
      index_bytes, index_measured (else estimated)
      relevant_empty, terms_lost (a share), and for each topic relevant_empty_by_topic,
      terms_lost_by_topic (counts, in order of `topics`)
      results         measure -> mean, low, high (the ends of its interval); to the baseline:
                      difference, difference_low, difference_high, wins, ties, losses, effect (the
                      mean in standard deviations over topics), detectable (the smallest true
                      difference that these topics show four times in five), tests (the p of each
                      test, as it is and corrected: t, t_holm; the test that decides comes first),
                      near (whether other draws could tell otherwise whether it is significant);
                      gap_closed (to the gold text), gap_low, gap_high; groups (letters: rows that
                      share one are not told apart)
      scores          measure -> one value per topic, in the order of `topics`
      run             path of the TREC run, below the output folder
    formulas        a list of name, model (with its parameters), tested (whether its differences
                    are, and count for Holm); empty for a single formula that is not tuned
    pairs           null, or cleaners against each other: rows (places), left_out (how many more
                    were named), comparisons (how many p-values Holm corrected, for each of the
                    tests), and compared, a list: measure, first, second (places), mean (of the
                    first), the difference of the first less the second as above, and
                    detectable_corrected (detectable as one of all pairs)
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
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec

from boilersweep.errors import InputError, UsageError, reason_of
from boilersweep.eval.stats.frames import parse_variant
from boilersweep.eval.stats.statistics import SIGNIFICANT, TESTS
from boilersweep.eval.study.differences import SEQUENTIAL, Pairs
from boilersweep.eval.study.results import VERSION, Study
from boilersweep.outputs.figures import rounded
from boilersweep.outputs.locations import read_regular
from boilersweep.outputs.typed_files import decode_json


class _Version(msgspec.Struct):
    """The version of a study.json."""

    study_version: Any = None


def study_json(study: Study) -> str:
    """Return the study as the text of `study.json`."""
    value = _rounded(msgspec.to_builtins(study))
    return json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"


def _rounded(value: Any) -> Any:
    """Round all floats as every view does."""
    if isinstance(value, float):
        return rounded(value)
    if isinstance(value, dict):
        return {key: _rounded(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(inner) for inner in value]
    return value


def read_study(path: Path) -> Study:
    """Read a `study.json`.

    Args:
        path: The file.

    Returns:
        The study.

    Raises:
        InputError: The file is missing, damaged, of another version, or names an unknown cleaner.
    """
    try:
        content = read_regular(path)
        version = decode_json(content, _Version).study_version
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path}: expected the study.json of `boilersweep compare` ({reason_of(error)})"
        ) from error
    if version != VERSION:
        raise InputError(
            f"{path}: expected a study of version {VERSION}, got "
            f"{'none' if version is None else version}; run the study again with this boilersweep"
        )
    try:
        study = decode_json(content, Study)
        _require_whole(study)
    except ValueError as error:
        raise InputError(
            f"{path} is damaged: {reason_of(error)}; run the study again, or take it from a copy"
        ) from error
    except UsageError as error:
        raise InputError(f"{path} names an unknown cleaner: {error}") from error
    return study


def _require_whole(study: Study) -> None:
    """Raise ValueError if parts do not belong together, and UsageError for unknown cleaners."""
    tests = study.statistics.tests
    if not tests or not set(tests) <= {*TESTS, SEQUENTIAL}:
        raise ValueError(f"its tests are not among {', '.join(TESTS)}")
    if study.statistics.significant != SIGNIFICANT:
        raise ValueError(f"its differences are not significant below {SIGNIFICANT}")
    _require_rows(study)
    if study.choice:
        places = [
            study.choice.chosen,
            *(fold.chosen for fold in study.choice.folds),
        ]
        if not all(0 <= place < len(study.rows) for place in places):
            raise ValueError("it chose a place outside of its variants")
    if study.pairs:
        _require_pairs(study, study.pairs)


def _require_rows(study: Study) -> None:
    roles = [row.role for row in study.rows]
    if roles[:1] != ["baseline"] or not study.tested:
        raise ValueError("it has no baseline or no measure")
    if "baseline" in roles[1:] or "gold" in roles[:-1]:
        raise ValueError("its variants are not in order")
    variants = [row for row in study.rows if row.role != "run"]
    for row in variants:
        parse_variant(row.cleaner or "")
    names = [row.name for row in variants]
    if any(kind.kept.keys() != set(names) for kind in study.kinds):
        raise ValueError("its kinds of pages are not of its variants")
    for formula, rows in study.by_formula.items():
        if [row.name for row in rows] != names:
            raise ValueError(f"{formula} has other variants than the first formula")
    for row in study.all_rows:
        for measure in (*study.tested, *study.beside):
            count = len(row.scores.get(measure, ()))
            if count != len(study.topics) or measure not in row.results:
                raise ValueError(f"{row.label} has not one {measure} per topic")


def _require_pairs(study: Study, pairs: Pairs) -> None:
    """Raise ValueError if the pairs are not the study's."""
    rows = set(pairs.rows)
    if not {0, study.rows.index(study.chosen)} <= rows <= set(range(len(study.rows))):
        raise ValueError("its pairs are not of its variants")
    if [(pair.measure, pair.first, pair.second) for pair in pairs.compared] != [
        (measure, *places)
        for measure in study.tested
        for places in combinations(pairs.rows, 2)
    ]:
        raise ValueError("its pairs are not complete")
