"""Run the experiment of the 2010 paper on BLOGS06.

Check that the BLOGS06 permalink documents, topics 851-900 and their qrels exist, run the paper's
grid (words 1 to 100, density 1 to 20) and BTE, and compare the results with the paper's figures and
the runs of TREC 2006, using the requested formula and that of 2010. If run again, it skips
completed work.
"""

import argparse
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from boilersweep.cleaners.language.variants import PAPER_SWEEPS, collect_variants
from boilersweep.cleaners.published.bte import BodyTextExtraction
from boilersweep.cleaners.rules import Comparison
from boilersweep.cli import options
from boilersweep.cli.messages import list_files, note
from boilersweep.cli.parser import Parser
from boilersweep.cli.stores import own_store, report_losses
from boilersweep.cli.terminal import tell
from boilersweep.eval.experiment.folder import EXPERIMENT, make_way
from boilersweep.eval.experiment.request import ExperimentOptions, OutputOptions
from boilersweep.eval.papers.blogs06 import (
    OF_2010,
    Blogs06,
    check_inputs,
    missing_documents,
    paper_comparison,
    paper_table,
)
from boilersweep.eval.ranking.models import Lucene29
from boilersweep.eval.report.report import report_study
from boilersweep.eval.study.plan import StudyOptions
from boilersweep.eval.study.results import StudyResult
from boilersweep.eval.study.study import run_study
from boilersweep.outputs.atomic import write_text
from boilersweep.outputs.folder import MANIFEST
from boilersweep.store.store import BlockStore

_TITLE = "BLOGS06, TREC 2006 Blog track topics 851-900"


def add_options(parser: Parser) -> None:
    options.collection.add(parser, formats=False)
    parser.set_defaults(collection="blogs06")
    options.experiment.add(parser)
    options.output.add_overwrite(parser)
    options.output.add_verify_input(parser)


def run(args: argparse.Namespace) -> int:
    inputs = check_inputs(args.input, args.topics, args.qrels)
    options.experiment.start_java(args)
    store = own_store(args, EXPERIMENT, partial(make_way, nested=[OF_2010]))
    options.index.note_languages(args, store)
    if args.engine == "indexes":
        variants = collect_variants(PAPER_SWEEPS, [BodyTextExtraction()])
        options.experiment.note_size(store, variants)
    study = StudyOptions(baseline=Comparison("words", ">=", 1), sweeps=PAPER_SWEEPS)
    run_with = partial(_study, args, store, inputs)
    of_2010: list[StudyResult] = []
    tables: list[str] = []
    report = partial(_report, args, store, inputs, partial(run_with, study), of_2010, tables)
    result = run_with(
        replace(study, report=report, nested=[OF_2010]),
        args.output,
        options.experiment.experiment_options(args),
    )
    tell(result.table)
    print()
    if caveat := missing_documents(store.documents):
        note(caveat)
    for table in tables:
        print(f"{table}\n")
    for verified in (result.verified, *(one.verified for one in of_2010)):
        if verified:
            note(str(verified))
    print(list_files(result.files, args.output))
    return report_losses(args, store)


def _study(
    args: argparse.Namespace,
    store: BlockStore,
    inputs: "Blogs06",
    study: StudyOptions,
    output: Path,
    experiment: ExperimentOptions,
) -> StudyResult:
    """Run the study into a folder."""
    return run_study(
        store,
        [BodyTextExtraction()],
        inputs.topics,
        inputs.qrels,
        output,
        study=study,
        options=experiment,
        output_options=OutputOptions(
            title=f"{_TITLE}, {experiment.search.model}",
            sources=options.topics.sources(args),
            overwrite=args.overwrite,
        ),
    )


def _report(
    args: argparse.Namespace,
    store: BlockStore,
    inputs: "Blogs06",
    study: Callable[[Path, ExperimentOptions], StudyResult],
    of_2010: list[StudyResult],
    tables: list[str],
    result: StudyResult,
) -> list[Path]:
    """Run the study with the formula of 2010, and write the comparison with the paper's figures.

    Args:
        args: The command's arguments.
        store: The block store.
        inputs: Topics and qrels.
        study: Runs the study into a folder.
        of_2010: Takes the study with the formula of 2010.
        tables: Takes the table beside the paper's figures.
        result: The main study.

    Returns:
        The written files.
    """
    folder = args.output / OF_2010
    experiment = options.experiment.experiment_options(args)
    search = replace(experiment.search, model=Lucene29())
    of_2010.append(study(folder, replace(experiment, search=search, engine="exact")))
    sweeps = {
        str(options.ranking.model(args)): result.study.sweep_rows,
        "the formula of 2010": of_2010[0].study.sweep_rows,
    }
    tables.append(f"Beside Kohlschütter et al. 2010, section 6:\n\n{paper_table(sweeps)}")
    paper = args.output / "paper.txt"
    write_text(paper, tables[0] + "\n")
    page = report_study(
        args.output,
        store,
        inputs.qrels,
        options.index.analyzer(args),
        paper=paper_comparison(args.output),
    )
    return [page, paper, folder / MANIFEST]
