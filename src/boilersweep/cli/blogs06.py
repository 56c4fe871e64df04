"""`boilersweep blogs06`: the experiment of the 2010 paper."""

import argparse
from dataclasses import replace

from boilersweep.cli import arguments, chosen
from boilersweep.sweeps import PAPER_SWEEPS, collect_variants


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "blogs06",
        help="the experiment of the 2010 paper on BLOGS06",
        description="Check that the BLOGS06 permalink documents, topics 851-900 and their qrels "
        "are in place, run the paper's grid (words 1 to 100, density 1 to 20), and set the "
        "paper's figures beside those found, with the formula asked for and with that of 2010. "
        "Called again it skips what is done.",
    )
    arguments.add_collection(parser, formats=False)
    arguments.add_experiment(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from boilersweep.cli.summary import list_files, note
    from boilersweep.eval.blogs06 import check_inputs, missing_documents, paper_table
    from boilersweep.eval.models import Lucene29
    from boilersweep.eval.sweep import run_sweep
    from boilersweep.files import write_text

    chosen.check_engine(options)
    search_options = chosen.search_options(options)
    inputs = check_inputs(options.input, options.topics, options.qrels)
    chosen.start_java(options)
    store = chosen.segmented(options, options.output / "store", "blogs06")
    if options.engine == "indexes":
        chosen.note_size(store, collect_variants(PAPER_SWEEPS))
    title = "BLOGS06, TREC 2006 Blog track topics 851-900"
    result = run_sweep(
        store,
        PAPER_SWEEPS,
        inputs.topics,
        inputs.qrels,
        options.output,
        options=search_options,
        exact=options.engine == "exact",
        verified_variants=options.verify,
        title=f"{title}, {search_options.model}",
    )
    of_2010 = run_sweep(
        store,
        PAPER_SWEEPS,
        inputs.topics,
        inputs.qrels,
        options.output / "lucene-2.9",
        options=replace(search_options, model=Lucene29()),
        exact=True,
        title=f"{title}, the formula of 2010",
    )
    print(result.table)
    print()
    if warning := missing_documents(store.documents):
        note(warning)
    table = paper_table({str(search_options.model): result.rows, "lucene-2.9": of_2010.rows})
    beside = f"Beside Kohlschütter et al. 2010, section 6:\n\n{table}"
    write_text(options.output / "paper.txt", beside + "\n")
    print(beside)
    print()
    for verified in filter(None, (result.verified, of_2010.verified)):
        note(str(verified))
    print(list_files([*result.files, options.output / "paper.txt"], options.output))
    return 0
