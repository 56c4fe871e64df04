"""An assessment: the pages, the queries, the cleaners to tell apart, and the judgements' folder."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from boilersweep.cleaners.language.grammar import as_cleaner
from boilersweep.cleaners.language.variants import Sweep
from boilersweep.cli.messages import note
from boilersweep.cli.options import cleaners, collection, experiment, index, output, ranking, work
from boilersweep.cli.options import topics as topic_options
from boilersweep.cli.parser import Parser, declare, positive
from boilersweep.cli.terminal import tell
from boilersweep.errors import UsageError
from boilersweep.eval.assess.assessment import Assessment, Searched, open_assessment
from boilersweep.eval.assess.family import parse_summed_measure
from boilersweep.eval.assess.unjudged import compare_unjudged
from boilersweep.outputs.identity import some_of
from boilersweep.outputs.locks import only_writer
from boilersweep.store.language_selection import of_languages
from boilersweep.store.store import BlockStore, open_store
from boilersweep.topics import Topic, read_query_log

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

_SAMPLE = 50
_MAX_PORT = 65535


def add(parser: Parser) -> None:
    """Declare the common options of `assess` and `pool`."""
    collection.add_store(parser)
    topic_options.add_topics(parser, required=False)
    add_query_log(parser)
    cleaners.add(parser, "cleaners to tell apart", required=True)
    output.add(parser, "the folder of the judgements; later sessions continue there")
    declare(
        parser,
        "--measure MEASURE  P@k or DCG@k, whose difference is to become certain",
        defaults={"measure": "P@10"},
    )
    ranking.add(parser, feedback=False)
    index.add_analyzer(parser)
    work.add(parser)
    parser.set_defaults(engine="exact", hits=None)
    parser.check(check_queries, _measure)


def add_page(parser: Parser) -> None:
    """Declare --port and --host of a page on this machine."""
    declare(
        parser,
        """
        --port N        of the page (default: a free one)
        --host ADDRESS  to listen on; others than this machine need the address with its token
                        (default: 127.0.0.1)
        """,
        types={"port": _port, "host": _host},
    )


def _port(text: str) -> int:
    port = positive(text)
    if port > _MAX_PORT:
        raise UsageError(f"expected a port from 1 to {_MAX_PORT}, got {text}")
    return port


def _host(text: str) -> str:
    try:
        text.encode("idna")
    except UnicodeError:
        raise UsageError(f"expected a host name or an address, got {text!r}") from None
    return text


def serve(args: argparse.Namespace, routes: "Sequence[BaseRoute]") -> None:
    """Serve a page until interrupted."""
    from boilersweep.eval.serve.serving import serve_page

    # A program that starts the page reads the address from a pipe.
    serve_page(routes, args.host or "127.0.0.1", args.port or 0, partial(print, flush=True))


def add_query_log(parser: Parser) -> None:
    """Declare --queries, --sample and --seed."""
    declare(
        parser,
        f"""
        --queries FILE  a query log in place of --topics: a query per line, a table with the names
                        of its columns in the first line, JSON lines, or a slow log
        --query-column NAME  with --queries: the column or key of the query, or its number from 1
        --count-column NAME  with --queries: the column or key of the query's count
        --sample N      with --queries: how many different queries, drawn by their counts (default:
                        {_SAMPLE})
        --seed N        of the sample and of the order in which topics are judged (default: 1)
        """,
    )


def check_queries(args: argparse.Namespace) -> None:
    """Raise UsageError unless topics or queries are given."""
    if (args.topics is None) == (args.queries is None):
        raise UsageError("expected --topics or --queries, one of the two")
    for name in ("sample", "query_column", "count_column"):
        if getattr(args, name) and not args.queries:
            raise UsageError(f"--{name.replace('_', '-')} requires --queries")


_OF_JUDGEMENTS = (
    "measures",
    "verify",
    "grid",
    "share",
    "cluster",
    "scheduler",
    "choose",
    "gold",
    "tests",
    "runs",
    "engine",
    "overwrite",
)


def add_unjudged(parser: Parser) -> None:
    """Allow `sweep` and `compare` to be called without --qrels, and with a query log."""
    add_query_log(parser)
    parser.check(_check_unjudged)
    parser.set_defaults(may_be_unjudged=True)


def _check_unjudged(args: argparse.Namespace) -> None:
    """Raise UsageError for options that need judgements."""
    if args.qrels is not None:
        if args.queries:
            raise UsageError("--queries cannot be used with --qrels; give --topics")
        return
    if args.dataset is None:
        given = [f"--{name}" for name in _OF_JUDGEMENTS if name in args.typed]
        if given:
            raise UsageError(f"{', '.join(given)}: expected --qrels, too")
        if args.topics is not None or args.queries is not None:
            check_queries(args)


def run_unjudged(args: argparse.Namespace, store: BlockStore, sweeps: Sequence[Sweep]) -> int:
    """Compare top tens, as `sweep` and `compare` do without --qrels; return the exit status."""
    table, files = compare_unjudged(
        of_languages(store, args.languages).store,
        queries(args),
        as_cleaner(getattr(args, "baseline", "words>=1")),
        args.cleaners,
        sweeps,
        args.output,
        options=experiment.search_options(args),
        title=f"What cleaning does to the top ten: {(args.store or args.input).name}",
    )
    tell(table)
    print()
    for path in files:
        print(path)
    return 0


def _measure(args: argparse.Namespace) -> object:
    return parse_summed_measure(args.measure)


def queries(args: argparse.Namespace) -> list[Topic]:
    """Return the topics, or a sample of the query log."""
    return topics_and_reserve(args)[0]


def topics_and_reserve(args: argparse.Namespace) -> tuple[list[Topic], list[Topic]]:
    """Return the topics or a sample of the query log, and the rest of the log."""
    if args.queries:
        log = read_query_log(args.queries, args.query_column, args.count_column)
        note(str(log))
        drawn, count = log.sample(len(log.counts), args.seed or 1), args.sample or _SAMPLE
        return drawn[:count], drawn[count:]
    return topic_options.topics(args), []


@contextmanager
def assessment(args: argparse.Namespace) -> Iterator[Assessment]:
    """Open the assessment and hold its folder."""
    options = experiment.search_options(args)
    now, later = topics_and_reserve(args)
    measure = parse_summed_measure(args.measure)
    searched = Searched(open_store(args.store), args.cleaners, options, measure)
    experiment.start_java(args)
    with only_writer(args.output):
        opened = open_assessment(searched, now, args.output, args.seed or 1, later)
        opened.call = args.typed
        for line in opened.judgements.notes:
            note(line)
        if changed := opened.judgements.changed:
            note(
                f"{len(changed):,} documents changed since they were judged; their grades do not "
                f"count, and they are asked for again: {some_of([docid for _, docid in changed])}"
            )
        yield opened
