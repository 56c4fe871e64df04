"""What an experiment needs besides its collection and ranking: engine, measures, documents."""

import argparse
from collections.abc import Sequence

from boilersweep.cleaners.language.variants import Variant
from boilersweep.cli.messages import by_language, note
from boilersweep.cli.options import index, output, ranking, topics, work
from boilersweep.cli.options.collection import dataset, resolve_dataset
from boilersweep.cli.parser import Group, Options, Part, positive
from boilersweep.errors import UsageError
from boilersweep.eval.experiment.languages import judgements_left_out
from boilersweep.eval.experiment.request import ExperimentOptions, Verification
from boilersweep.eval.ranking.exact.engine import exact_analyzer
from boilersweep.eval.ranking.formulas import FEEDBACK, FORMULAS
from boilersweep.eval.ranking.search import SearchOptions
from boilersweep.eval.stats.measures import parse_measures
from boilersweep.indexer.analyzer import make_analyzer
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.parallel_indexes import estimate_bytes
from boilersweep.store.store import BlockStore
from boilersweep.topics import Qrels

_MUCH = 2 * 10**9


def _verification(text: str) -> Verification:
    """Parse --verify: `full`, a number, or both; raises UsageError."""
    parts = text.split(",")
    numbers = [part for part in parts if part != "full"]
    try:
        (number,) = map(positive, numbers) if numbers else (None,)
    except (UsageError, ValueError):
        number = -1
    if number == -1 or len(parts) > len(numbers) + 1:
        raise UsageError(
            f"expected a whole number of at least 1, `full`, or both as in `3,full`, got {text!r}"
        )
    return Verification(variants=number, full=len(parts) > len(numbers))


def experiment(*, with_dataset: bool = False) -> Group:
    """Return the options of an experiment, whose inputs --dataset may name if `with_dataset`."""
    sources: list[Part] = []
    if with_dataset:
        sources += [dataset("documents, topics and qrels that no other option names")]
        sources += [resolve_dataset]
    return Group(
        *sources,
        topics.topics_group(required=not with_dataset),
        topics.qrels_option(required=not with_dataset),
        output.folder("the folder for all results"),
        engine(),
        ranking.group(feedback=with_dataset),
        index.ANALYZER,
        work.ALL,
        {"measures": None},
    )


def engine(default: str = "indexes") -> Group:
    """Return --engine and --verify."""
    text = """
        --engine {indexes,exact}
            build a Lucene index for every variant, or compute the same runs in one pass over the
            block store
        --verify WHAT
            with --engine exact: N compares every hit of N thresholds with Lucene's (default: the
            baseline and the best threshold); `full` has Lucene analyse all texts for that, and not
            those of a sample of documents; `N,full` does both
        """
    options = Options(
        text, types={"verify": _verification}, defaults={"engine": default}
    )
    return Group(options, check_engine)


def check_engine(args: argparse.Namespace) -> None:
    """Raise UsageError for options that the engine does not have."""
    names = ranking.names(args)
    if args.engine == "exact":
        if all(name in FEEDBACK for name in names):
            given = (
                names[0]
                if getattr(args, names[0], None) is not None
                else f"formula {names[0]}"
            )
            raise UsageError(
                f"--{given} requires --engine indexes: feedback reads document vectors, which the "
                "exact engine lacks"
            )
        return
    if args.verify is not None:
        raise UsageError(
            "--verify requires --engine exact: real indexes need no verification"
        )
    for name in names:
        if name in FORMULAS and not FORMULAS[name].lucene:
            raise UsageError(
                f"--formula {name} requires --engine exact: current Lucene lacks it"
            )


def measures(what: str) -> Group:
    """Return --measures."""
    return Group(Options(f"--measures MEASURE  {what}", nargs="+"), check_measures)


def check_measures(args: argparse.Namespace) -> None:
    """Raise UsageError for names that ir-measures does not know."""
    if args.measures:
        parse_measures(args.measures)


def search_options(args: argparse.Namespace) -> SearchOptions:
    """Return how topics are run."""
    return SearchOptions(
        model=ranking.model(args),
        fields=tuple(args.fields),
        threads=work.threads(args),
        analyzer=index.analyzer(args),
        heap=args.heap,
        **({"hits": args.hits} if args.hits else {}),
    )


def experiment_options(args: argparse.Namespace) -> ExperimentOptions:
    """How the arguments want topics to be run, scored and verified."""
    return ExperimentOptions(
        search=search_options(args),
        measures=args.measures,
        engine=args.engine,
        verification=args.verify or Verification(),
    )


def start_java(args: argparse.Namespace) -> None:
    """Start the JVM and create the requested analyzer, before the long work."""
    start_jvm(args.heap)
    (exact_analyzer if args.engine == "exact" else make_analyzer)(index.analyzer(args))


def note_size(store: BlockStore, variants: Sequence[Variant]) -> None:
    """Print how much disk real indexes need if it is much, and name the other engine."""
    size = estimate_bytes(store, variants)
    if size >= _MUCH:
        note(
            f"{len(variants)} indexes will take about {size / 1e9:,.0f} GB; "
            "--engine exact gives the same runs and scores without them"
        )


def select_languages(
    args: argparse.Namespace, store: BlockStore, qrels: Qrels, evaluated: Sequence[str]
) -> BlockStore:
    """Return the documents in the requested languages, and note the judgements left out."""
    found = store.in_languages(args.languages)
    if found.other_languages:
        note(
            f"{found.documents:,} documents in {', '.join(args.languages)}; left out in other "
            f"languages: {by_language(found.other_languages)}"
        )
    note(
        *judgements_left_out(found, {topic: qrels.grades[topic] for topic in evaluated})
    )
    return found
