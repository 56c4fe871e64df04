"""`boilersweep demo`."""

from pathlib import Path

from boilersweep.cleaners.syntax.variants import parse_sweep
from boilersweep.cli.messages import list_files, note_store, tell
from boilersweep.cli.options.output import JavaWorkers
from boilersweep.cli.options.values import OutputFolder as OutputPath
from boilersweep.demo.collection import make_demo
from boilersweep.errors import OutputError
from boilersweep.eval.experiment.folder import STORE
from boilersweep.eval.experiment.request import ExperimentOptions, OutputOptions
from boilersweep.eval.ranking.search import SearchOptions
from boilersweep.eval.sweep.sweep import run_sweep
from boilersweep.indexer.jvm import start_jvm
from boilersweep.outputs.parts import MANIFEST
from boilersweep.segmenting.segment import Segmentation, segment_collection
from boilersweep.topics import read_qrels, read_topics

SWEEPS = ("words=1:40,45:100:5", "density=1:16")

NOTICE = (
    "The pages, topics and judgements of this demo are made up. They show how the tool works, "
    "not how well cleaning works."
)


def run(
    *,
    output: OutputPath = Path("boilersweep-demo"),
    workers: JavaWorkers = JavaWorkers(),
) -> None:
    """Run a whole experiment on a small made-up collection.

    Make a small collection of blog pages in the layout of BLOGS06, with topics and qrels, run a
    sweep on it, and print table and curve.

    Args:
        output: The folder for all results.
    """
    collection = output / "collection"
    if (output / MANIFEST).exists() and not collection.is_dir():
        raise OutputError(
            f"{output} has something else than a demo; choose another --output"
        )
    demo, languages = make_demo(collection)
    store = segment_collection(
        demo.trec,
        output / STORE,
        Segmentation(collection="blogs06"),
        workers=workers.threads,
        overwrite=True,
    )
    note_store(store)
    start_jvm(workers.heap)
    result = run_sweep(
        store,
        tuple(map(parse_sweep, SWEEPS)),
        read_topics(demo.topics),
        read_qrels(demo.qrels),
        output,
        options=ExperimentOptions(search=SearchOptions(threads=workers.count)),
        output_options=OutputOptions(
            title="The demo (made-up pages, topics and judgements)",
            sources={"topics": demo.topics, "qrels": demo.qrels},
            overwrite=True,
        ),
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
