"""An assessment: the pages, the queries, the cleaners to tell apart, and the judgements' folder."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING

from boilersweep.cleaners.language.grammar import as_cleaner
from boilersweep.cleaners.language.variants import Sweep
from boilersweep.cli.messages import note, tell
from boilersweep.cli.options import (
    cleaners,
    collection,
    experiment,
    index,
    output,
    ranking,
    work,
)
from boilersweep.cli.options import topics as topic_options
from boilersweep.cli.parser import Group, Options, positive
from boilersweep.errors import UsageError
from boilersweep.eval.assess.assessment import Assessment, Searched, open_assessment
from boilersweep.eval.assess.family import parse_summed_measure
from boilersweep.eval.assess.unjudged import compare_unjudged
from boilersweep.outputs.atomic import may_write
from boilersweep.outputs.identity import some_of
from boilersweep.outputs.locks import only_writer
from boilersweep.store.store import BlockStore, open_store
from boilersweep.topics import Topic, describe_fields, read_query_log

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

_SAMPLE = 50
_MAX_PORT = 65535


def _port(text: str) -> int:
    port = positive(text)
    if port > _MAX_PORT:
        raise UsageError(f"expected a port from 1 to {_MAX_PORT}, got {text}")
    return port


def _columns(text: str) -> tuple[str | None, str | None]:
    """Parse `QUERY,COUNT`, of which one may be missing."""
    query, _, count = text.partition(",")
    return query or None, count or None


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
    serve_page(
        routes, args.host or "127.0.0.1", args.port or 0, partial(print, flush=True)
    )


def check_queries(args: argparse.Namespace) -> None:
    """Raise UsageError unless topics or queries are given."""
    if (args.topics is None) == (args.queries is None):
        raise UsageError("expected --topics or --queries, one of the two")
    if args.queries and args.topic_prefix:
        raise UsageError("--topic-prefix requires --topics")
    for name in ("sample", "columns"):
        if getattr(args, name) and not args.queries:
            raise UsageError(f"--{name} requires --queries")


_OF_JUDGEMENTS = (
    "measures",
    "verify",
    "grid",
    "divide",
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
        if args.queries:
            raise UsageError("--queries cannot be used with --qrels; give --topics")
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
        options=experiment.search_options(args),
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
    return topic_options.topics(args), []


@contextmanager
def assessment(args: argparse.Namespace) -> Iterator[Assessment]:
    """Open the assessment and hold its folder."""
    options = experiment.search_options(args)
    now, later = topics_and_reserve(args)
    measure = parse_summed_measure(args.measure)
    searched = Searched(open_store(args.store), args.cleaners, options, measure)
    experiment.start_java(args)
    # --status works in a folder that others judge in, and that is read-only here.
    reads = getattr(args, "status", False) and not may_write(args.output)
    with nullcontext() if reads else only_writer(args.output):
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


# --port and --host of a page on this machine.
PAGE = Options(
    """
    --port N        of the page (default: a free one)
    --host ADDRESS  to listen on; others than this machine need the address with its token
                    (default: 127.0.0.1)
    """,
    types={"port": _port, "host": _host},
)
# --queries and --sample.
QUERY_LOG = Options(
    f"""
    --queries FILE  a query log in place of --topics: a query per line, a table with the names
                    of its columns in the first line, JSON lines, or a slow log
    --columns QUERY,COUNT  with --queries: the columns or keys of the query and of its count, or
                    their numbers from 1; one of the two may be left out
    --sample N      with --queries: how many different queries, drawn by their counts (default:
                    {_SAMPLE})
    """,
    types={"columns": _columns},
)
_SEED = Options(
    "--seed N  of the sample and of the order in which topics are judged (default: 1)"
)

# What lets `sweep` and `compare` be called without --qrels, and with a query log.
UNJUDGED = Group(QUERY_LOG, _check_unjudged, {"may_be_unjudged": True})

# The inputs of an assessment.
ASSESSMENT = Group(
    collection.store(),
    topic_options.topics_group(required=False),
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
    work.THREADS,
    work.HEAP,
    {"engine": "exact", "hits": None},
    check_queries,
    _measure,
)
