"""`boilersweep blogs06`: the experiment of the 2010 paper."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from boilersweep.cli import arguments, chosen
from boilersweep.sweeps import PAPER_SWEEPS, collect_variants

if TYPE_CHECKING:
    from boilersweep.eval.models import RankingModel
    from boilersweep.eval.study.study import StudyResult


def add_parser(commands: arguments.Commands) -> None:
    """Add the command's parser."""
    parser = commands.add_parser(
        "blogs06",
        help="the experiment of the 2010 paper on BLOGS06",
        description="Check that the BLOGS06 permalink documents, topics 851-900 and their qrels "
        "are in place, run the paper's grid (words 1 to 100, density 1 to 20) and BTE, and set "
        "the paper's figures and the runs of TREC 2006 beside those found, with the formula asked "
        "for and with that of 2010. Called again it skips what is done.",
    )
    arguments.add_collection(parser, formats=False)
    arguments.add_experiment(parser)
    arguments.add_reuse(parser, segments=True)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from boilersweep.cleaners.subsequence import BodyTextExtraction
    from boilersweep.cli.summary import list_files, note
    from boilersweep.eval.blogs06 import check_inputs, missing_documents, paper_table
    from boilersweep.eval.models import Lucene29
    from boilersweep.eval.report.paper import PaperComparison
    from boilersweep.eval.report.study import report_study
    from boilersweep.eval.study.study import run_study
    from boilersweep.files import write_text
    from boilersweep.rules import Comparison

    chosen.check_engine(options)
    search_options = chosen.search_options(options)
    inputs = check_inputs(options.input, options.topics, options.qrels)
    chosen.start_java(options)
    store = chosen.segmented(options, options.output / "store", "blogs06")
    cleaners = [BodyTextExtraction()]
    if options.engine == "indexes":
        chosen.note_size(store, collect_variants(PAPER_SWEEPS, cleaners))
    title = "BLOGS06, TREC 2006 Blog track topics 851-900"

    def study(output: Path, model: "RankingModel", *, exact: bool) -> "StudyResult":
        return run_study(
            store,
            inputs.topics,
            inputs.qrels,
            Comparison("words", ">=", 1),
            output,
            cleaners=cleaners,
            sweeps=PAPER_SWEEPS,
            options=replace(search_options, model=model),
            exact=exact,
            verified_variants=options.verify,
            title=f"{title}, {model}",
        )

    exact = options.engine == "exact"
    result = study(options.output, search_options.model, exact=exact)
    of_2010 = study(options.output / "lucene-2.9", Lucene29(), exact=True)
    sweeps = {
        str(search_options.model): result.study.sweep_rows,
        "the formula of 2010": of_2010.study.sweep_rows,
    }
    caveat = missing_documents(store.documents)
    paper = PaperComparison(sweeps, caveat)
    analyzer = search_options.analyzer
    report = report_study(options.output, store, inputs.qrels, analyzer, paper=paper)
    print(result.table)
    print()
    if caveat:
        note(caveat)
    beside = f"Beside Kohlschütter et al. 2010, section 6:\n\n{paper_table(sweeps)}"
    write_text(options.output / "paper.txt", beside + "\n")
    print(beside)
    print()
    for verified in filter(None, (result.verified, of_2010.verified)):
        note(str(verified))
    print(list_files([report, *result.files, options.output / "paper.txt"], options.output))
    return chosen.note_losses(options, store)
