"""An experiment or an assessment: engine, measures, documents, queries, judgements.

What both need besides their collection and ranking.
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING

from boilersweep.cleaners.language.grammar import as_cleaner
from boilersweep.cleaners.language.variants import Sweep, Variant
from boilersweep.cli.messages import by_language, note, tell
from boilersweep.cli.options import cleaners, collection, index, output, ranking, topics
from boilersweep.cli.options.collection import dataset, resolve_dataset
from boilersweep.cli.parser import Group, Options, apart, needs, positive
from boilersweep.errors import BusyError, UsageError
from boilersweep.eval.assess.assessment import Assessment, Searched, open_assessment
from boilersweep.eval.assess.betting import parse_summed_measure
from boilersweep.eval.assess.unjudged import compare_unjudged
from boilersweep.eval.experiment.languages import judgements_left_out
from boilersweep.eval.experiment.request import ExperimentOptions, Verification
from boilersweep.eval.ranking.exact.engine import exact_analyzer
from boilersweep.eval.ranking.formulas import FEEDBACK, FORMULAS
from boilersweep.eval.ranking.search import SearchOptions
from boilersweep.eval.stats.scoring import parse_measures
from boilersweep.indexer.analyzer import make_analyzer
from boilersweep.indexer.jvm import start_jvm
from boilersweep.indexer.parallel_indexes import estimate_bytes
from boilersweep.outputs.atomic import may_write
from boilersweep.outputs.identity import some_of
from boilersweep.outputs.locks import only_writer
from boilersweep.store.store import BlockStore, open_store
from boilersweep.topics import Qrels, Topic, describe_fields, read_query_log

if TYPE_CHECKING:
    from starlette.routing import BaseRoute


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


def experiment() -> Group:
    """Return the options of an experiment, whose inputs --dataset may name."""
    return Group(
        dataset("documents, topics and qrels that no other option names"),
        resolve_dataset,
        topics.topics_group(),
        topics.qrels_option(required=False),
        output.folder("the folder for all results"),
        engine(),
        ranking.group(),
        index.ANALYZER,
        output.ALL,
    )


def engine(default: str = "indexes") -> Group:
    """Return --engine and --verify."""
    text = """
        --engine {indexes,exact}
            build a Lucene index for every variant, or compute the same runs in one pass over the
            block store
        --verify WHAT
            with --engine exact: N compares every hit of N thresholds with Lucene's (default: the
            baseline and the best threshold); `full` also compares all variants with an index of
            blocks, of which Lucene analyses all texts; `N,full` does both
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
        threads=output.threads(args),
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


_SAMPLE = 50
_MAX_PORT = 65535
_THIS_MACHINE = "127.0.0.1"


def _columns(text: str) -> tuple[str | None, str | None]:
    """Parse `QUERY,COUNT`, of which one may be missing."""
    query, _, count = text.partition(",")
    return query or None, count or None


def _address(text: str) -> tuple[str, int]:
    """Parse `PORT` or `HOST:PORT`; raise UsageError."""
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > _MAX_PORT:
        raise UsageError(
            f"expected HOST:PORT or PORT, with a port from 1 to {_MAX_PORT} or 0 for a free one, "
            f"got {text!r}"
        )
    try:
        host.encode("idna")
    except UnicodeError:
        raise UsageError(f"expected a host name or an address, got {host!r}") from None
    return host.strip("[]") or _THIS_MACHINE, int(port)


def serve(args: argparse.Namespace, routes: "Sequence[BaseRoute]") -> None:
    """Serve a page until interrupted."""
    from boilersweep.eval.serve.serving import serve_page

    host, port = args.address
    # A program that starts the page reads the address from a pipe.
    serve_page(routes, host, port, partial(print, flush=True))


def check_queries(args: argparse.Namespace) -> None:
    """Raise UsageError unless topics or queries are given."""
    if (args.topics is None) == (args.queries is None):
        raise UsageError("expected --topics or --queries, one of the two")


_OF_JUDGEMENTS = (
    "measures",
    "verify",
    "grid",
    "cluster",
    "choose",
    "gold",
    "tests",
    "runs",
    "engine",
    "overwrite",
)


def _check_unjudged(args: argparse.Namespace) -> None:
    """Raise UsageError for options that need judgements."""
    if args.qrels is not None:
        return
    if args.dataset is None:
        given = [f"--{name}" for name in _OF_JUDGEMENTS if name in args.typed]
        if given:
            raise UsageError(f"{', '.join(given)}: expected --qrels, too")
        if args.topics is not None or args.queries is not None:
            check_queries(args)


def run_unjudged(
    args: argparse.Namespace, store: BlockStore, sweeps: Sequence[Sweep]
) -> int:
    """Compare top tens, as `sweep` and `compare` do without --qrels; return the exit status."""
    table, files = compare_unjudged(
        store.in_languages(args.languages),
        queries(args),
        as_cleaner(getattr(args, "baseline", "words>=1")),
        args.cleaners,
        sweeps,
        args.output,
        options=search_options(args),
        title=f"What cleaning does to the top ten: {store.collection}",
    )
    tell(f"{table}\n")
    print(*files, sep="\n")
    return 0


def _measure(args: argparse.Namespace) -> object:
    return parse_summed_measure(args.measure)


def queries(args: argparse.Namespace) -> list[Topic]:
    """Return the topics, or a sample of the query log."""
    return topics_and_reserve(args)[0]


def topics_and_reserve(args: argparse.Namespace) -> tuple[list[Topic], list[Topic]]:
    """Return the topics or a sample of the query log, and the rest of the log."""
    if args.queries:
        log = read_query_log(args.queries, *(args.columns or (None, None)))
        note(str(log))
        drawn, count = (
            log.sample(len(log.counts), getattr(args, "seed", None) or 1),
            args.sample or _SAMPLE,
        )
        describe_fields(drawn, args.fields)
        note(
            f"{min(count, len(drawn)):,} of {len(drawn):,} different queries were drawn by their "
            "counts (--sample)"
        )
        return drawn[:count], drawn[count:]
    return topics.topics(args), []


@contextmanager
def assessment(args: argparse.Namespace) -> Iterator[Assessment]:
    """Open the assessment and hold its folder."""
    options = search_options(args)
    now, later = topics_and_reserve(args)
    measure = parse_summed_measure(args.measure)
    searched = Searched(open_store(args.store), args.cleaners, options, measure)
    start_java(args)
    with ExitStack() as held:
        # --status works where others judge now, and in a folder that is read-only here.
        reads = getattr(args, "status", False) and not may_write(args.output)
        if not reads:
            try:
                held.enter_context(only_writer(args.output))
            except BusyError:
                if not getattr(args, "status", False):
                    raise
                reads = True
        opened = open_assessment(
            searched, now, args.output, args.seed or 1, later, complete=not reads
        )
        opened.call = args.typed
        note(*opened.judgements.notes)
        if changed := opened.judgements.changed:
            note(
                f"{len(changed):,} documents changed since they were judged; their grades do not "
                f"count, and they are asked for again: {some_of([docid for _, docid in changed])}"
            )
        yield opened


# Where a page on this machine is.
PAGE = Options(
    """
    --address HOST:PORT  where the page is, such as 8080 or 0.0.0.0:8080; others than this machine
        need the address with its token (default: 127.0.0.1 and a free port)
    """,
    types={"address": _address},
    defaults={"address": (_THIS_MACHINE, 0)},
)
# --queries and --sample.
QUERY_LOG = Group(
    Options(
        f"""
        --queries FILE  a query log in place of --topics: a query per line, a table with the names
                        of its columns in the first line, JSON lines, or a slow log
        --columns QUERY,COUNT  with --queries: the columns or keys of the query and of its count, or
                        their numbers from 1; one of the two may be left out
        --sample N      with --queries: how many different queries, drawn by their counts (default:
                        {_SAMPLE})
        """,
        types={"columns": _columns},
    ),
    needs("--sample", "--queries"),
    needs("--columns", "--queries"),
    apart("--queries", "--qrels", "--topic-prefix"),
)
_SEED = Options(
    "--seed N  of the sample and of the order in which topics are judged (default: 1)"
)

# What lets `sweep` and `compare` be called without --qrels, and with a query log.
UNJUDGED = Group(QUERY_LOG, _check_unjudged, {"may_be_unjudged": True})

# The inputs of an assessment.
ASSESSMENT = Group(
    collection.store(),
    topics.topics_group(),
    QUERY_LOG,
    _SEED,
    cleaners.several("cleaners to tell apart", required=True),
    output.folder("the folder of the judgements; later sessions continue there"),
    Options(
        "--measure MEASURE  P@k or DCG@k, whose difference is to become certain",
        defaults={"measure": "P@10"},
    ),
    ranking.group(hits=None, feedback=False),
    index.ANALYZER,
    output.THREADS,
    output.HEAP,
    {"engine": "exact", "hits": None},
    check_queries,
    _measure,
)
