"""`boilersweep compare`."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from boilersweep.applications import provided
from boilersweep.cleaners.syntax.grammar import as_cleaner, elsewhere
from boilersweep.cli.call import ThisCall
from boilersweep.cli.messages import note, print_results, tell
from boilersweep.cli.options.cleaners import OneCleaner, Variants
from boilersweep.cli.options.collection import Languages, from_dataset
from boilersweep.cli.options.experiment import (
    Engine,
    Measures,
    QueryLog,
    Searching,
    check_measures,
    check_unjudged,
    note_size,
    run_unjudged,
    select_languages,
)
from boilersweep.cli.options.index import Analyzer, note_languages
from boilersweep.cli.options.output import Existing, JavaWorkers, Title
from boilersweep.cli.options.ranking import RankingLists
from boilersweep.cli.options.topics import Judgements, Runs, Topics, topics_and_qrels
from boilersweep.cli.options.values import Folder, OutputFolder, Store, listed
from boilersweep.errors import UsageError
from boilersweep.eval.experiment.request import ExperimentOptions, OutputOptions
from boilersweep.eval.study.advice import prospect_of_study
from boilersweep.eval.study.differences import parse_tests
from boilersweep.eval.study.external_runs import check_names
from boilersweep.eval.study.plan import (
    StudyOptions,
    judged_folder,
    models_of,
    study_variants,
)
from boilersweep.eval.study.ranked import estimate_seconds
from boilersweep.eval.study.results import StudyResult
from boilersweep.eval.study.study import compare_sweep, run_study
from boilersweep.indexer.jvm import start_jvm
from boilersweep.store.store import open_store
from boilersweep.work.progress import begin

_LONG = 120  # seconds; longer work is announced
_VERIFIED = 2  # the baseline and the best

# The options beside --of-sweep; what others choose is the sweep's.
_OF_SWEEP = tuple(
    f"--{name}"
    for name in "of-sweep output overwrite title baseline cleaners gold runs topic-prefix choose "
    "tests correction margin measures verify threads heap".split()
)


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Compared:
    """What is compared, and how.

    Attributes:
        baseline: The cleaner that all others are compared with; the default keeps every block.
        gold: The text of the store that is the upper bound (default: gold, if the store has it).
        choose: Recommend one cleaner, with its certainty, its cost, and the command that builds the
            index to deploy.
        tests: Paired tests over topics, separated by commas: randomisation, t, wilcoxon; the first
            decides what is statistically significant.
        correction: How p-values are corrected over all comparisons: holm for the probability of any
            false claim, bh (Benjamini and Hochberg) for the share of false claims.
        margin: Also say for each cleaner whether it is certainly at most so much worse than the
            baseline, such as .01.
        measures: The measures to compare by, any of ir-measures, or trec_eval's names; --choose
            uses the first; Judged@10 and Bpref are always reported (default: P@10 nDCG@10).
    """

    baseline: OneCleaner = as_cleaner("words>=1")
    gold: Annotated[str | None, Parameter(metavar="NAME")] = None
    choose: bool = False
    tests: Annotated[tuple[str, ...], listed(parse_tests)] = ("randomisation", "t")
    correction: Literal["holm", "bh"] = "holm"
    margin: Annotated[float | None, Parameter(metavar="X")] = None
    measures: Measures = ()


def run(
    *,
    store: Store | None = None,
    of_sweep: Folder | None = None,
    topics: Topics = Topics(),
    judgements: Judgements = Judgements(),
    queries: QueryLog = QueryLog(),
    output: OutputFolder,
    compared: Compared = Compared(),
    variants: Variants = Variants(),
    runs: Runs = Runs(),
    languages: Languages = (),
    title: Title | None = None,
    existing: Existing = Existing(),
    engine: Engine = Engine(),
    ranking: RankingLists = RankingLists(),
    analyzer: Analyzer = Analyzer(),
    workers: JavaWorkers = JavaWorkers(),
    call: ThisCall,
) -> int:
    """Compare cleaners with a baseline: intervals, corrected p-values, costs, a choice.

    Run and score any number of cleaners and thresholds over a block store, compare each with the
    baseline, and report what cleaning removes. A text named gold in the store is the upper bound.
    Without --qrels: how the top ten changes from cleaner to cleaner. --of-sweep compares what a
    finished sweep ran, without searching again.

    Args:
        store: A block store from `boilersweep segment`, or its URL.
        of_sweep: In place of --store, --topics, --qrels and options of ranking: the --output of a
            finished `sweep`, whose runs are compared without searching again.
        output: The folder for all results.
        languages: Use only documents in these languages, such as de,fr; und means documents whose
            language is unknown (default: all documents).
        title: The title of the report and its figures (default: with the store's name).
    """
    topics.check()
    check_measures(compared.measures)
    searching = Searching(
        ranking=ranking, topics=topics, analyzer=analyzer, workers=workers
    )
    comparison = _Comparison(
        searching=searching,
        experiment=searching.experiment(
            engine.chosen("exact", ranking), engine.verify, compared.measures
        ),
        study=StudyOptions(
            baseline=compared.baseline,
            sweeps=tuple(variants.sweep),
            gold=compared.gold,
            tests=compared.tests,
            correction=compared.correction,
            margin=compared.margin,
            formulas=ranking.formulas(),
            runs=runs.by_name(),
            topic_prefixes=dict(topics.topic_prefix),
            report=provided("boilersweep.eval.report.report:report_study"),
        ),
        variants=variants,
        languages=languages,
        output=output,
        title=title,
        overwrite=existing.overwrite,
    )
    if of_sweep:
        if others := call.other_than(*_OF_SWEEP):
            raise UsageError(
                f"--of-sweep cannot be used with {', '.join(others)}: these are the sweep's"
            )
        result = comparison.of_sweep(of_sweep)
    elif store is None:
        raise UsageError("expected --store or --of-sweep")
    elif judgements.qrels is None and judgements.dataset is None:
        check_unjudged(call)
        queries.check(call, topics.topics)
        return comparison.unjudged(store, queries)
    else:
        call.apart("--queries", "--qrels", "--dataset", "--topic-prefix")
        wanted = {"topics": topics.topics, "qrels": judgements.qrels}
        result = comparison.searched(store, from_dataset(judgements.dataset, wanted))
    tell(f"{result.table}\n")
    if compared.choose:
        print(f"{result.study.answer}\n")
    study = result.study
    if study.chosen.cleaner and study.distinction:
        note(*elsewhere(study.chosen.variant.cleaner))
    print_results(result, output)
    return 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Comparison:
    """What is compared, how, and where the results go."""

    searching: Searching
    experiment: ExperimentOptions
    study: StudyOptions
    variants: Variants
    languages: Languages
    output: Path
    title: str | None
    overwrite: bool

    def unjudged(self, store: Path, queries: QueryLog) -> int:
        """Show how the top ten changes from cleaner to cleaner, without judgements."""
        self.searching.start_java("exact")
        opened = open_store(store).in_languages(self.languages)
        read, _ = queries.read(self.searching.topics)
        return run_unjudged(
            opened,
            read,
            self.output,
            cleaners=self.variants.cleaners,
            sweeps=self.variants.sweep,
            search=self.searching.options(),
            baseline=as_cleaner(self.study.baseline),
            overwrite=self.overwrite,
        )

    def of_sweep(self, sweep: Path) -> StudyResult:
        """Compare what a sweep ran."""
        start_jvm(self.searching.workers.heap)
        result = compare_sweep(
            sweep,
            self.output,
            cleaners=self.variants.cleaners,
            study=replace(self.study, judged=judged_folder(sweep)),
            options=self.experiment,
            output_options=self._output_options(sweep.name),
        )
        note(*result.study.notes)
        return result

    def searched(self, path: Path, sources: dict[str, Path]) -> StudyResult:
        """Search for all cleaners, and compare them.

        Args:
            path: The block store.
            sources: The files of topics and qrels.
        """
        begin("topics, judgements and the store")
        topics, qrels, agreement, noted = topics_and_qrels(
            self.searching.topics, sources, self.searching.workers.heap
        )
        search = self.experiment.search
        store = select_languages(
            open_store(path), self.languages, qrels, agreement.evaluated
        )
        note_languages(search.analyzer, self.languages, store)
        study = replace(self.study, judged=judged_folder(sources["qrels"]))
        compared = study_variants(self.variants.cleaners, study, store.page_texts)
        check_names(list(study.runs), compared.variants)
        models = models_of(study.formulas) or [search.model]
        reads_vectors = any(model.reads_vectors for model in models)
        exact = self.experiment.engine == "exact" and not reads_vectors
        count = len(compared.variants)
        verified = self.experiment.verification.variants or _VERIFIED
        _note_time(
            len(topics),
            count,
            min(verified if exact else count, count),
            len(models),
            min(search.hits, store.documents),
        )
        begin("Java")
        self.searching.start_java(self.experiment.engine or "exact")
        if not study.judged:
            note(prospect_of_study(len(topics)))
        if not exact:
            note_size(store, compared.variants)
        result = run_study(
            store,
            self.variants.cleaners,
            topics,
            qrels,
            self.output,
            study=study,
            options=self.experiment,
            output_options=replace(
                self._output_options(store.collection), sources=sources
            ),
        )
        note(*(line for line in result.study.notes if line not in noted))
        return result

    def _output_options(self, collection: str) -> OutputOptions:
        """Return the title, and whether to replace another experiment."""
        title = self.title or f"What cleaning does to retrieval: {collection}"
        return OutputOptions(title=title, overwrite=self.overwrite)


def _note_time(
    topics: int, cleaners: int, searched: int, models: int, hits: int
) -> None:
    """Announce long work.

    Args:
        topics: The number of topics.
        cleaners: The number of cleaners.
        searched: The number of cleaners for which real indexes are searched.
        models: The number of ranking formulas.
        hits: The hits of a topic.
    """
    seconds = estimate_seconds(topics, cleaners * models, searched * models, hits)
    if seconds >= _LONG:
        note(
            f"{topics:,} topics and {cleaners} cleaners: searching, scoring, resampling and the "
            f"report will take about {seconds / 60:,.0f} minutes; fewer --hits take less"
        )
