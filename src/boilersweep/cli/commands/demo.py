"""`boilersweep demo`: a sweep over a small made-up collection."""

import argparse
from functools import partial
from pathlib import Path

from boilersweep.cleaners.variants import parse_sweep
from boilersweep.cli import arguments
from boilersweep.cli import options as chosen
from boilersweep.cli.terminal import tell
from boilersweep.errors import OutputError

SWEEPS = ("words=1:40,45:100:5", "density=1:16")

NOTICE = (
    "The pages, topics and judgements of this demo are made up. They show how the tool works, "
    "not how well cleaning works."
)


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "demo",
        help="see the whole experiment run on a small made-up collection",
        description="Make a small collection of blog pages in the layout of BLOGS06, with topics "
        "and qrels, run a sweep on it, and show table and curve. " + NOTICE,
    )
    arguments.add_output(parser, "where everything goes", default="boilersweep-demo")
    arguments.add_threads(parser)
    arguments.add_java(parser)
    arguments.add_progress(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from boilersweep.cli.messages import describe_store, list_files, note
    from boilersweep.demo.collection import write_demo
    from boilersweep.demo.languages import write_languages
    from boilersweep.eval.engines import SearchOptions
    from boilersweep.eval.experiment import MANIFEST, STORE, make_way
    from boilersweep.eval.sweep.sweep import run_sweep
    from boilersweep.indexer.jvm import start_jvm
    from boilersweep.segmenting.segment import Segmentation, segment_collection
    from boilersweep.topics import read_qrels, read_topics

    output = Path(options.output)
    collection = output / "collection"
    if (output / MANIFEST).exists() and not collection.is_dir():
        raise OutputError(f"{output} has something else than a demo; choose another --output")
    demo = write_demo(collection)
    languages = write_languages(collection / "languages")
    store = segment_collection(
        demo.trec,
        output / STORE,
        Segmentation(collection="blogs06"),
        workers=options.threads,
        overwrite=True,
        make_way=partial(make_way, output, overwrite=True),
    )
    for line in describe_store(store):
        note(line)
    start_jvm(options.heap)
    result = run_sweep(
        store,
        tuple(map(parse_sweep, SWEEPS)),
        read_topics(demo.topics),
        read_qrels(demo.qrels),
        output,
        options=SearchOptions(threads=chosen.threads(options)),
        title="The demo (made-up pages, topics and judgements)",
        sources={"topics": demo.topics, "qrels": demo.qrels},
        overwrite=True,
    )
    tell(result.table)
    print(f"\n{NOTICE}\n")
    print(list_files(result.files, output))
    print(f"\nLook at {output / 'curve.png'}. The same on your own collection:\n")
    print(
        f"  boilersweep sweep --input {demo.trec} --topics {demo.topics} \\\n"
        f"      --qrels {demo.qrels} --sweep words=1:100:5 --output my-sweep"
    )
    print(
        f"\n{languages.pages} pages in twelve languages, and a report with scores by language:\n\n"
        f"  boilersweep segment --input {languages.html} --output my-store\n"
        f"  boilersweep compare --store my-store --topics {languages.topics} \\\n"
        f"      --qrels {languages.qrels} --cleaners 'words>=11,numwords-rules,bte' "
        "--output my-study"
    )
    return 0
