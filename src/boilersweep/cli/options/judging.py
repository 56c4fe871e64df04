"""An assessment: the pages, the queries, the cleaners to tell apart, and the judgements' folder."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from boilersweep.cli.options import cleaners, collection, experiment, index, output, ranking, work
from boilersweep.cli.options import topics as topic_options
from boilersweep.cli.parser import Parser, declare
from boilersweep.errors import UsageError

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from boilersweep.cleaners.variants import Sweep
    from boilersweep.eval.assess.assessment import Assessment
    from boilersweep.store.store import BlockStore
    from boilersweep.topics import Topic

_SAMPLE = 50


def add(parser: Parser) -> None:
    """All that `assess` and `pool` have in common."""
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
    """--port and --host of a page on this machine."""
    declare(
        parser,
        """
        --port N        of the page (default: a free one)
        --host ADDRESS  to listen on; others than this machine need the address with its token
                        (default: 127.0.0.1)
        """,
    )


def serve(args: argparse.Namespace, routes: "Sequence[BaseRoute]") -> None:
    """Serve a page until interrupted."""
    from boilersweep.eval.serve.serving import serve_page

    # A program that starts the page reads the address from a pipe.
    serve_page(routes, args.host or "127.0.0.1", args.port or 0, partial(print, flush=True))


def add_query_log(parser: Parser) -> None:
    """--queries, --sample and --seed."""
    declare(
        parser,
        f"""
        --queries FILE  a query log in place of --topics: a query per line, or CSV with the columns
                        query and count
        --sample N      with --queries: how many different queries, drawn by their counts (default:
                        {_SAMPLE})
        --seed N        of the sample and of the order in which topics are judged (default: 1)
        """,
    )


def check_queries(args: argparse.Namespace) -> None:
    """Raises UsageError unless topics or queries are given."""
    if (args.topics is None) == (args.queries is None):
        raise UsageError("expected --topics or --queries, one of the two")
    if args.sample and not args.queries:
        raise UsageError("--sample requires --queries")


_OF_JUDGEMENTS = (
    *("measures", "verify", "grid", "share", "cluster", "scheduler", "choose", "gold", "tests"),
    *("runs", "engine", "overwrite"),
)


def add_unjudged(parser: Parser) -> None:
    """Allow `sweep` and `compare` to be called without --qrels, and with a query log."""
    add_query_log(parser)
    parser.check(_check_unjudged)
    parser.set_defaults(may_be_unjudged=True)


def _check_unjudged(args: argparse.Namespace) -> None:
    """Raises UsageError for options that need judgements."""
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


def run_unjudged(args: argparse.Namespace, store: "BlockStore", sweeps: "Sequence[Sweep]") -> int:
    """What `sweep` and `compare` do without --qrels; the exit status."""
    from boilersweep.cleaners.parsing import as_cleaner
    from boilersweep.cli.terminal import tell
    from boilersweep.eval.assess.unjudged import compare_unjudged
    from boilersweep.store.language_selection import of_languages

    found = compare_unjudged(
        of_languages(store, args.languages).store,
        queries(args),
        as_cleaner(getattr(args, "baseline", "words>=1")),
        args.cleaners,
        sweeps,
        args.output,
        options=experiment.search_options(args),
        title=f"What cleaning does to the top ten: {(args.store or args.input).name}",
    )
    tell(found.table)
    print()
    for path in found.files:
        print(path)
    return 0


def _measure(args: argparse.Namespace) -> object:
    from boilersweep.eval.assess.differences import parse_summed_measure

    return parse_summed_measure(args.measure)


def queries(args: argparse.Namespace) -> "list[Topic]":
    """The topics, or a sample of the query log."""
    from boilersweep.topics import read_query_log

    if args.queries:
        return read_query_log(args.queries, args.sample or _SAMPLE, args.seed or 1)
    return topic_options.topics(args)


@contextmanager
def assessment(args: argparse.Namespace) -> "Iterator[Assessment]":
    """The assessment, with its folder held by this process."""
    from boilersweep.eval.assess.assessment import open_assessment
    from boilersweep.eval.assess.differences import parse_summed_measure
    from boilersweep.outputs.files import only_writer
    from boilersweep.store.store import open_store

    options = experiment.search_options(args)
    store, found = open_store(args.store), queries(args)
    experiment.start_java(args)
    with only_writer(args.output):
        yield open_assessment(
            *(store, found, args.cleaners, args.output),
            options=options,
            measure=parse_summed_measure(args.measure),
            seed=args.seed or 1,
        )
