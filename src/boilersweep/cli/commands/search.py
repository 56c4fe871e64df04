"""`boilersweep search`: topics against an index to a run file."""

import argparse
from pathlib import Path

from boilersweep.cli import arguments
from boilersweep.cli import options as chosen


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "search",
        help="run topics against an index",
        description="Run topics against an index and write a TREC run file. The analyzer is the "
        "one the index was built with.",
    )
    parser.add_argument("--index", type=Path, required=True, metavar="DIR", help="a Lucene index")
    parser.add_argument(
        "--output", type=Path, required=True, metavar="FILE", help="the TREC run file to write"
    )
    arguments.add_topics(parser)
    arguments.add_ranking(parser)
    arguments.add_threads(parser)
    arguments.add_java(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from boilersweep.cli.messages import note
    from boilersweep.eval.runs import write_run
    from boilersweep.eval.search import require_index, search_index
    from boilersweep.files import make_folder_of
    from boilersweep.indexer.jvm import start_jvm

    require_index(options.index)
    topics = chosen.topics(options)
    make_folder_of(options.output)
    start_jvm(options.heap)
    queries = {topic.id: topic.text(options.fields) for topic in topics}
    model = chosen.ranking(options)
    found = search_index(
        options.index, queries, model, hits=options.hits, threads=chosen.threads(options)
    )
    write_run(options.output, found, "boilersweep")
    without = [topic for topic, hits in found.items() if not hits]
    if without:
        note(f"{len(without)} topics without a result: {', '.join(without[:10])}")
    hits = sum(map(len, found.values()))
    note(f"{hits:,} hits for {len(found):,} topics with {model}")
    print(options.output)
    return 0
