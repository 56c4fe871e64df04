"""A whole study, in one folder.

OUT/runs/words-011.trec     the run of each variant
OUT/compare.csv             one row per cleaner
OUT/topics.csv              one row per cleaner and topic
OUT/study.json              everything, for the report and for programs
OUT/table.txt, .md, .tex    what the terminal shows
OUT/forest.svg, .png        differences to the baseline with their intervals
OUT/curve.svg, .png         scores against thresholds, where there is a sweep
OUT/mixture.svg, .png       the blocks as short and long text
OUT/indexes/words-001/...   the real indexes that runs were compared with
OUT/report.html             the same as a page, where `report` writes it
OUT/manifest.json           what was run on what, and every file's digest; written last
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from boilersweep.cleaners.parsing import as_cleaner
from boilersweep.cleaners.selection import Cleaner
from boilersweep.cleaners.variants import Sweep, Variant, as_sweep
from boilersweep.eval.engines import EngineName, SearchOptions, VariantRun
from boilersweep.eval.experiment import RUNS, experiment
from boilersweep.eval.provenance import file_facts, identity, index_recipes, provenance
from boilersweep.eval.scored import write_scored_run
from boilersweep.eval.scoring import parse_measures
from boilersweep.eval.statistics import SEED
from boilersweep.eval.study.advice import advise
from boilersweep.eval.study.choice import best, choose
from boilersweep.eval.study.comparison import compare
from boilersweep.eval.study.files import write_study
from boilersweep.eval.study.mixture import suggest
from boilersweep.eval.study.preparation import Prepared, index_sizes, prepare
from boilersweep.eval.study.results import Result, Statistics, Study, StudyRow, StudyTopic
from boilersweep.eval.study.variants import StudyVariants, study_variants
from boilersweep.eval.verification import Verified, spread, verify
from boilersweep.pages.columns import FloatArray
from boilersweep.progress import steps
from boilersweep.store.store import BlockStore
from boilersweep.topics import Qrels, Topic, describe, require_agreement, require_judged_documents

TESTED = ("P@10", "nDCG@10")
BESIDE = ("Judged@10", "Bpref")
"""Shown beside the scores: cleaned indexes bring up pages that no one judged."""


@dataclass(frozen=True, slots=True, eq=False)
class StudyResult:
    """study: what was found. table: for the terminal. files: what was written.

    verified: what was compared with real indexes; None where all runs come from real ones.
    """

    study: Study
    table: str
    files: list[Path]
    verified: Verified | None


Report = Callable[[StudyResult], Sequence[Path]]
"""Writes more files into the folder of a study, and says which."""


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    """found: of each variant. scores: measure -> (t, v) of topics and variants."""

    found: list[VariantRun]
    scores: dict[str, FloatArray]


def run_study(
    store: BlockStore,
    topics: Sequence[Topic],
    qrels: Qrels,
    baseline: Cleaner | str,
    output: Path | str,
    *,
    cleaners: Sequence[Cleaner | str] = (),
    sweeps: Sequence[Sweep | str] = (),
    gold: str | None = None,
    options: SearchOptions | None = None,
    measures: Sequence[str] = TESTED,
    engine: EngineName = "exact",
    verified_variants: int | None = None,
    seed: int = SEED,
    title: str = "What cleaning does to retrieval",
    sources: Mapping[str, Path] = MappingProxyType({}),
    report: Report | None = None,
    nested: Sequence[str] = (),
    overwrite: bool = False,
) -> StudyResult:
    """Compare any number of cleaners and thresholds with a baseline, and choose one.

    baseline, cleaners, sweeps: as text, such as `words>=1` and `words=1:100`, or parsed.
    gold: name of the store's text that is the upper bound; None for `gold`, where it has that.
    measures: to compare by; the first is chosen by. Judged@10 and Bpref stand beside them.
    engine: what gives the runs. verified_variants: how many runs of the exact engine to compare
    with real indexes; None for the baseline and the best. seed: of the resamples,
    permutations and folds. sources: the files of topics and qrels, to be noted. report: writes more
    files before the study counts as finished. nested: folders in which it makes further studies.
    overwrite: replace another experiment in the folder.
    Raises QrelsError where no topic or document is judged, UsageError for unknown measures or
    nothing to compare, VerificationError, what `experiment` raises, and what indexing and searching
    raise.
    """
    options = options or SearchOptions()
    output, baseline = Path(output), as_cleaner(baseline)
    read = file_facts(sources)  # before the long work, in which they may change
    parsed = parse_measures(measures)
    tested = [str(measure) for measure in parsed]
    beside = [measure for measure in BESIDE if measure not in tested]
    parsed += parse_measures(beside)
    compared = study_variants(
        baseline,
        list(map(as_cleaner, cleaners)),
        list(map(as_sweep, sweeps)),
        store.page_texts,
        gold,
    )
    agreement = require_agreement(topics, qrels)
    judged = require_judged_documents(store.docids(), qrels)
    grades = {topic: qrels.grades[topic] for topic in agreement.evaluated}
    relevant = {t: frozenset(d for d, grade in grades[t].items() if grade >= 1) for t in grades}
    queries = {topic.id: topic.text(options.fields) for topic in topics}
    asked = identity(
        "study",
        store,
        compared.variants,
        queries,
        qrels,
        options,
        [*tested, *beside],
        baseline=str(baseline),
        gold=None if compared.gold is None else str(compared.variants[compared.gold]),
        roles=list(compared.roles),
        engine=engine,
        verify=verified_variants,
        seed=seed,
    )
    recipes = index_recipes(store, compared.variants, options)
    with experiment(output, store, asked, recipes, overwrite=overwrite, nested=nested) as folder:
        indexes = folder.index_folder
        prepared = prepare(
            store, compared.variants, queries, relevant, indexes, options, engine=engine
        )
        runs = _run(prepared, compared.variants, list(queries), grades, parsed, output / RUNS)
        first, candidates = runs.scores[tested[0]], _candidates(compared, runs)
        choice = choose(tested[0], first, 0, candidates, seed=seed)
        verified = None
        if engine == "exact":
            places = dict.fromkeys([0, best(first, candidates)])
            chosen = (
                [compared.variants[place] for place in places]
                if verified_variants is None
                else spread(compared.variants, verified_variants)
            )
            verified = verify(prepared.engine, store, chosen, queries, indexes, options)
        used = verified.variants if verified else [variant.name for variant in compared.variants]
        folder.use_indexes(used)
        comparison = compare(runs.scores, 0, compared.gold, tested, seed)
        rows = _rows(compared, runs, comparison.results, prepared, indexes)
        folder.manifest = {
            **provenance(store, options, agreement, judged, verified, engine=engine, sources=read),
            "variants": list(zip(map(str, compared.variants), compared.roles, strict=True)),
            "measures": [*tested, *beside],
            "seed": seed,
        }
        study = Study(
            title=title,
            tested=tested,
            beside=beside,
            topics=_topics(queries, grades, relevant, prepared),
            rows=rows,
            statistics=Statistics(seed=seed, comparisons=comparison.comparisons),
            choice=choice,
            suggestion=suggest(store),
            advice=None,
            notes=describe(agreement),
            run=folder.manifest,
        )
        vectors = options.model.reads_vectors
        advice = advise(study, store.path, output, options.analyzer, docvectors=vectors)
        study = replace(study, advice=advice)
        table, files = write_study(study, output)
        result = StudyResult(study, table, files, verified)
        if report:
            result = replace(result, files=[*report(result), *files])
        folder.files = result.files
    return result


def _run(
    prepared: Prepared,
    variants: Sequence[Variant],
    topics: Sequence[str],
    grades: Mapping[str, Mapping[str, int]],
    measures: Sequence[Any],
    folder: Path,
) -> _Runs:
    """Run and score every variant, and write the runs."""
    found = []
    scores = {str(m): np.empty((len(grades), len(variants))) for m in measures}
    with steps("search", len(variants), "variants") as bar:
        for place, variant in enumerate(variants):
            path = folder / f"{variant.name}.trec"
            one = write_scored_run(prepared.engine, variant, topics, grades, measures, path)
            for measure, values in scores.items():
                values[:, place] = [one.scores.by_topic[topic][measure] for topic in grades]
            found.append(one.found)
            bar.update()
    return _Runs(found, scores)


def _candidates(compared: StudyVariants, runs: _Runs) -> list[int]:
    """Places of what can be deployed: the baseline, then what keeps most."""
    return sorted(compared.candidates, key=lambda place: (place > 0, -runs.found[place].tokens))


def _rows(
    compared: StudyVariants,
    runs: _Runs,
    results: Sequence[dict[str, Result]],
    prepared: Prepared,
    indexes: Path,
) -> list[StudyRow]:
    sizes = index_sizes({found.variant: found.tokens for found in runs.found}, indexes)
    kept = runs.found[0].tokens
    return [
        StudyRow(
            variant=found.variant,
            role=role,
            documents=found.documents,
            empty=found.empty,
            tokens=found.tokens,
            tokens_kept=found.tokens / kept if kept else None,
            index=sizes[found.variant],
            losses=prepared.losses.of(place) if prepared.losses else None,
            results=results[place],
            topic_scores={measure: values[:, place] for measure, values in runs.scores.items()},
        )
        for place, (found, role) in enumerate(zip(runs.found, compared.roles, strict=True))
    ]


def _topics(
    queries: Mapping[str, str],
    grades: Mapping[str, Mapping[str, int]],
    relevant: Mapping[str, frozenset[str]],
    prepared: Prepared,
) -> list[StudyTopic]:
    losses, terms = prepared.losses, prepared.terms
    return [
        StudyTopic(
            id=topic,
            query=queries[topic],
            terms=None if terms is None else list(terms[topic]),
            judged=len(grades[topic]),
            relevant=len(relevant[topic]),
            relevant_here=None if losses is None else int(losses.relevant[place]),
            pairs=None if losses is None else int(losses.terms[place]),
        )
        for place, topic in enumerate(grades)
    ]
