"""`boilersweep blogs06`: the experiment of the 2010 paper."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boilersweep.cleaners.variants import PAPER_SWEEPS, collect_variants
from boilersweep.cli import arguments, topic_arguments
from boilersweep.cli import options as chosen
from boilersweep.cli.terminal import tell

if TYPE_CHECKING:
    from boilersweep.eval.engines import EngineName
    from boilersweep.eval.ranking_models import RankingModel
    from boilersweep.eval.study.study import StudyResult
    from boilersweep.eval.verification import Verified


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
    topic_arguments.add_experiment(parser)
    arguments.add_reuse(parser, segments=True)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    from boilersweep.cleaners.bte import BodyTextExtraction
    from boilersweep.cleaners.rules import Comparison
    from boilersweep.cli.messages import list_files, note
    from boilersweep.eval.experiment import MANIFEST
    from boilersweep.eval.papers.blogs06 import (
        OF_2010,
        check_inputs,
        missing_documents,
        paper_comparison,
        paper_table,
    )
    from boilersweep.eval.ranking_models import Lucene29
    from boilersweep.eval.report.report import report_study
    from boilersweep.eval.study.study import run_study
    from boilersweep.outputs.files import write_text

    chosen.check_engine(options)
    search_options = chosen.search_options(options)
    inputs = check_inputs(options.input, options.topics, options.qrels)
    chosen.start_java(options)
    store = chosen.own_store(options, "blogs06", nested=[OF_2010])
    chosen.note_languages(options, store)
    cleaners = [BodyTextExtraction()]
    if options.engine == "indexes":
        chosen.note_size(store, collect_variants(PAPER_SWEEPS, cleaners))
    title = "BLOGS06, TREC 2006 Blog track topics 851-900"
    caveat = missing_documents(store.documents)
    beside: list[str] = []
    verified: list[Verified | None] = []

    def study(
        output: Path, model: "RankingModel", *, engine: "EngineName", **more: Any
    ) -> "StudyResult":
        return run_study(
            store,
            inputs.topics,
            inputs.qrels,
            Comparison("words", ">=", 1),
            output,
            cleaners=cleaners,
            sweeps=PAPER_SWEEPS,
            options=replace(search_options, model=model),
            engine=engine,
            verified_variants=options.verify,
            title=f"{title}, {model}",
            sources=chosen.sources(options),
            overwrite=options.overwrite,
            **more,
        )

    def report(result: "StudyResult") -> list[Path]:
        """The study with the formula of 2010, and what stands beside the paper's figures."""
        of_2010 = study(options.output / OF_2010, Lucene29(), engine="exact")
        sweeps = {
            str(search_options.model): result.study.sweep_rows,
            "the formula of 2010": of_2010.study.sweep_rows,
        }
        paper = options.output / "paper.txt"
        beside.append(f"Beside Kohlschütter et al. 2010, section 6:\n\n{paper_table(sweeps)}")
        write_text(paper, beside[0] + "\n")
        verified.extend([result.verified, of_2010.verified])
        page = report_study(
            options.output,
            store,
            inputs.qrels,
            search_options.analyzer,
            paper=paper_comparison(options.output),
        )
        return [page, paper, options.output / OF_2010 / MANIFEST]

    result = study(
        options.output,
        search_options.model,
        engine=options.engine,
        report=report,
        nested=[OF_2010],
    )
    tell(result.table)
    print()
    if caveat:
        note(caveat)
    print(beside[0])
    print()
    for one in filter(None, verified):
        note(str(one))
    print(list_files(result.files, options.output))
    return chosen.note_losses(options, store)
