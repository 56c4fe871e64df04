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
from typing import TYPE_CHECKING

from boilersweep.cleaners.bte import BodyTextExtraction
from boilersweep.cleaners.rules import Comparison
from boilersweep.cleaners.variants import PAPER_SWEEPS, collect_variants
from boilersweep.cli import options
from boilersweep.cli.parser import Parser
from boilersweep.cli.terminal import tell

if TYPE_CHECKING:
    from boilersweep.eval.papers.blogs06 import Blogs06
    from boilersweep.eval.study.study import StudyResult
    from boilersweep.store.store import BlockStore

_TITLE = "BLOGS06, TREC 2006 Blog track topics 851-900"


def add_options(parser: Parser) -> None:
    options.collection.add(parser, formats=False)
    options.experiment.add(parser)
    options.output.add_overwrite(parser)
    options.output.add_verify_input(parser)


def run(args: argparse.Namespace) -> int:
    from boilersweep.cli.messages import list_files, note
    from boilersweep.eval.papers.blogs06 import OF_2010, check_inputs, missing_documents

    model = options.ranking.model(args)
    inputs = check_inputs(args.input, args.topics, args.qrels)
    options.experiment.start_java(args)
    store = options.experiment.store_of(args, "blogs06", nested=[OF_2010])
    options.index.note_languages(args, store)
    if args.engine == "indexes":
        variants = collect_variants(PAPER_SWEEPS, [BodyTextExtraction()])
        options.experiment.note_size(store, variants)
    study = _study(args, store, inputs)
    of_2010: list[StudyResult] = []
    tables: list[str] = []
    result = study(
        args.output,
        model,
        engine=args.engine,
        report=partial(_report, args, store, inputs, study, of_2010, tables),
        nested=[OF_2010],
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
    return options.collection.note_losses(args, store)


def _study(
    args: argparse.Namespace, store: "BlockStore", inputs: "Blogs06"
) -> "Callable[..., StudyResult]":
    """Runs the study with another model: the function takes its folder, model and engine."""
    from boilersweep.eval.study.study import run_study

    search_options = options.experiment.search_options(args)

    def study(output: Path, model, **more) -> "StudyResult":  # type: ignore[no-untyped-def]
        return run_study(
            store,
            inputs.topics,
            inputs.qrels,
            Comparison("words", ">=", 1),
            output,
            cleaners=[BodyTextExtraction()],
            sweeps=PAPER_SWEEPS,
            options=replace(search_options, model=model),
            **args.verify._asdict(),
            title=f"{_TITLE}, {model}",
            sources=options.topics.sources(args),
            overwrite=args.overwrite,
            **more,
        )

    return study


def _report(
    args: argparse.Namespace,
    store: "BlockStore",
    inputs: "Blogs06",
    study: "Callable[..., StudyResult]",
    of_2010: "list[StudyResult]",
    tables: list[str],
    result: "StudyResult",
) -> list[Path]:
    """Run the study with the formula of 2010, and write the comparison with the paper's figures.

    of_2010, tables: what was found is added to them.
    """
    from boilersweep.eval.papers.blogs06 import OF_2010, paper_comparison, paper_table
    from boilersweep.eval.ranking_models import Lucene29
    from boilersweep.eval.report.report import report_study
    from boilersweep.outputs.files import write_text
    from boilersweep.outputs.folder import MANIFEST

    folder = args.output / OF_2010
    of_2010.append(study(folder, Lucene29(), engine="exact"))
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
