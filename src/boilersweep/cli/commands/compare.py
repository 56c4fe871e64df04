"""`boilersweep compare`."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from boilersweep.applications import provided
from boilersweep.cleaners.syntax.grammar import as_cleaner, elsewhere
from boilersweep.cli.call import ThisCall
from boilersweep.cli.messages import note, print_results, tell
from boilersweep.cli.options.cleaners import OneCleaner
from boilersweep.cli.options.experiment import (
    Experimenting,
    Measures,
    note_size,
)
from boilersweep.cli.options.output import Title
from boilersweep.cli.options.searching import FormulasSearching
from boilersweep.cli.options.topics import Runs
from boilersweep.cli.options.values import Folder, Store, listed
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
@dataclass(frozen=True, slots=True, kw_only=True)
class Comparing(Experimenting):
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
        title: The title of the report and its figures (default: with the store's name).
    """

    baseline: OneCleaner = as_cleaner("words>=1")
    gold: Annotated[str | None, Parameter(metavar="NAME")] = None
    choose: bool = False
    tests: Annotated[tuple[str, ...], listed(parse_tests)] = ("randomisation", "t")
    correction: Literal["holm", "bh"] = "holm"
    margin: Annotated[float | None, Parameter(metavar="X")] = None
    measures: Measures = ()
    runs: Runs = Runs()
    title: Title | None = None
    searching: FormulasSearching = FormulasSearching()

    def study(self, judged: Path) -> StudyOptions:
        """Return what is compared; `judged` is the folder or file of the judgements."""
        return StudyOptions(
            baseline=self.baseline,
            sweeps=tuple(self.variants.sweep),
            gold=self.gold,
            tests=self.tests,
            correction=self.correction,
            margin=self.margin,
            formulas=self.searching.ranking.formulas(),
            runs=self.runs.by_name(),
            topic_prefixes=dict(self.queries.topics.topic_prefix),
            report=provided("boilersweep.eval.report.report:report_study"),
            judged=judged_folder(judged),
        )

    def of_sweep(self, sweep: Path, options: ExperimentOptions) -> StudyResult:
        """Compare what a sweep ran."""
        start_jvm(self.searching.workers.heap)
        result = compare_sweep(
            sweep,
            self.output,
            cleaners=self.variants.cleaners,
            study=self.study(sweep),
            options=options,
            output_options=self._output_options(sweep.name),
        )
        note(*result.study.notes)
        return result

    def searched(self, path: Path, options: ExperimentOptions) -> StudyResult:
        """Search the block store at a path for all cleaners, and compare them."""
        sources = self.queries.sources()
        study = self.study(sources["qrels"])
        begin("topics, judgements and the store")
        topics, qrels, agreement, noted = self.queries.read_judged(
            sources, self.searching.workers.heap
        )
        store = self.in_languages(open_store(path), qrels, agreement.evaluated)
        compared = study_variants(self.variants.cleaners, study, store.page_texts)
        check_names(list(study.runs), compared.variants)
        models = models_of(study.formulas) or [options.search.model]
        reads_vectors = any(model.reads_vectors for model in models)
        exact = options.engine == "exact" and not reads_vectors
        count = len(compared.variants)
        verified = options.verification.variants or _VERIFIED
        _note_time(
            len(topics),
            count,
            min(verified if exact else count, count),
            len(models),
            min(options.search.hits, store.documents),
        )
        begin("Java")
        self.searching.start_java(options.engine or "exact")
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
            options=options,
            output_options=replace(
                self._output_options(store.collection), sources=sources
            ),
        )
        note(*(line for line in result.study.notes if line not in noted))
        return result

    def _output_options(self, collection: str) -> OutputOptions:
        """Return the title, and whether to replace another experiment."""
        title = self.title or f"What cleaning does to retrieval: {collection}"
        return OutputOptions(title=title, overwrite=self.existing.overwrite)


def run(
    *,
    store: Store | None = None,
    of_sweep: Folder | None = None,
    comparing: Comparing,
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
    """
    options = comparing.options()
    if of_sweep:
        if others := call.other_than(*_OF_SWEEP):
            raise UsageError(
                f"--of-sweep cannot be used with {', '.join(others)}: these are the sweep's"
            )
        result = comparing.of_sweep(of_sweep, options)
    elif store is None:
        raise UsageError("expected --store or --of-sweep")
    else:
        comparing.queries.check(call)
        if not comparing.queries.are_judged:
            comparing.searching.start_java("exact")
            opened, sweeps = open_store(store), comparing.variants.sweep
            return comparing.compare_top_tens(opened, sweeps, comparing.baseline)
        result = comparing.searched(store, options)
    tell(f"{result.table}\n")
    study = result.study
    if comparing.choose:
        print(f"{study.answer}\n")
    if study.chosen.cleaner and study.distinction:
        note(*elsewhere(study.chosen.variant.cleaner))
    print_results(result, comparing.output)
    return 0


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
