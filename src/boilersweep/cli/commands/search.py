"""`boilersweep search`: topics against an index to a run file, or a query to the terminal."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from boilersweep.cli import arguments, topic_arguments
from boilersweep.cli import options as chosen
from boilersweep.cli.terminal import tell, width
from boilersweep.errors import UsageError

if TYPE_CHECKING:
    from boilersweep.eval.runs import Run

_SHOWN = 10  # hits of a query


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "search",
        help="run topics, or a query, against an index",
        description="Run topics against an index and write a TREC run file; or print the hits of "
        "one query, with title, URL and a snippet where the index holds them. The analyzer is the "
        "one the index was built with.",
    )
    parser.add_argument("--index", type=Path, required=True, metavar="DIR", help="a Lucene index")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--output", type=Path, metavar="FILE", help="the TREC run file to write")
    what.add_argument(
        "--query", metavar="TEXT", help="in place of --topics and --output: print its hits"
    )
    topic_arguments.add_topics(parser, required=False, boosts=True)
    topic_arguments.add_ranking(parser, hits=None, said=f"1000, with --query {_SHOWN}")
    topic_arguments.add_feedback(parser)
    arguments.add_threads(parser)
    arguments.add_java(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from boilersweep.indexer.searcher import require_index

    if (options.query is None) == (options.topics is None):
        raise UsageError("expected --topics and --output, or --query alone")
    of_topics = [field for field in options.fields if isinstance(field, str)]
    if options.query is not None and of_topics not in ([], ["title"]):
        raise UsageError("--fields: with --query expected fields of the index, such as title=0.5")
    chosen.ranking(options)
    require_index(options.index)
    return _topics(options) if options.query is None else _query(options)


def _topics(options: argparse.Namespace) -> int:
    from boilersweep.cli.messages import note
    from boilersweep.eval.runs import write_run
    from boilersweep.eval.search import HITS
    from boilersweep.outputs.files import is_stream, make_folder_of
    from boilersweep.topics import FIELDS

    topics = chosen.topics(options)
    make_folder_of(options.output)
    fields = [field for field in options.fields if isinstance(field, str)] or FIELDS[:1]
    found = _found(options, {topic.id: topic.text(fields) for topic in topics}, HITS)
    write_run(options.output, found, "boilersweep")
    without = [topic for topic, hits in found.items() if not hits]
    if without:
        note(f"{len(without)} topics without a result: {', '.join(without[:10])}")
    hits = sum(map(len, found.values()))
    note(f"{hits:,} hits for {len(found):,} topics with {chosen.ranking(options)}")
    if not is_stream(options.output):
        print(options.output)
    return 0


def _query(options: argparse.Namespace) -> int:
    from boilersweep.cli.messages import note
    from boilersweep.eval.explain.hit_list import hit_list
    from boilersweep.eval.stored import stored_documents
    from boilersweep.indexer.searcher import index_analyzer

    hits = _found(options, {"": options.query}, _SHOWN)[""]
    if not hits:
        note("no document has a word of the query")
        return 0
    documents = stored_documents(options.index, [docid for docid, _ in hits])
    tell(hit_list(options.query, hits, documents, index_analyzer(options.index), width()))
    if not any(one.text for one in documents):
        note("no snippets: the index holds no texts; `index --keep ... --storeContents` keeps them")
    return 0


def _found(options: argparse.Namespace, queries: dict[str, str], hits: int) -> "Run":
    from boilersweep.eval.search import search_index
    from boilersweep.indexer.jvm import start_jvm

    start_jvm(options.heap)
    return search_index(
        options.index,
        queries,
        chosen.ranking(options),
        fields=dict(field for field in options.fields if not isinstance(field, str)),
        hits=options.hits or hits,
        threads=chosen.threads(options),
    )
