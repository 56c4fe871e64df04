"""`sweep --preset blogs06`: the experiment of the 2010 paper, with the settings of the paper."""

import argparse
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from boilersweep.cleaners.language.variants import PAPER_SWEEPS, collect_variants
from boilersweep.cleaners.published.tag_curves import BodyTextExtraction
from boilersweep.cleaners.rules import Comparison
from boilersweep.cli import options
from boilersweep.cli.messages import list_files, note, tell
from boilersweep.cli.options.collection import own_store, report_losses
from boilersweep.collection.trec_web import BLOGS06
from boilersweep.errors import UsageError
from boilersweep.eval.blogs06 import (
    OF_2010,
    Blogs06,
    check_inputs,
    missing_documents,
    paper_comparison,
    paper_table,
)
from boilersweep.eval.experiment.folder import EXPERIMENT
from boilersweep.eval.experiment.request import (
    ExperimentOptions,
    ExperimentRequest,
    OutputOptions,
)
from boilersweep.eval.ranking.formulas import Lucene29
from boilersweep.eval.report.report import STUDY, report_study
from boilersweep.eval.study.plan import StudyOptions
from boilersweep.eval.study.results import StudyResult
from boilersweep.eval.study.study import run_study
from boilersweep.eval.study.study_json import read_study
from boilersweep.outputs.atomic import write_text
from boilersweep.outputs.folder import MANIFEST
from boilersweep.store.store import BlockStore

_TITLE = "BLOGS06, TREC 2006 Blog track topics 851-900"
# The options that the preset sets.
SET = (
    *("--sweep", "--grid", "--cleaners", "--measures", "--languages", "--collection"),
    *("--store", "--dataset", "--queries", "--cluster"),
)


def prepare(args: argparse.Namespace) -> None:
    """Give a call the settings of the paper; raise UsageError without its inputs."""
    if None in (args.input, args.topics, args.qrels):
        raise UsageError("--preset blogs06 requires --input, --topics and --qrels")
    args.collection = BLOGS06.name
    if "borders" not in args.typed:
        args.borders = "paper"
    args.no_title = False  # no title is in the paper's contents
    args.keep_apostrophes = True


def run(args: argparse.Namespace) -> int:
    """Check the inputs, score the grid under two formulas, compare with the paper's figures."""
    inputs = check_inputs(args.input, args.topics, args.qrels)
    options.experiment.start_java(args)
    store = own_store(args, EXPERIMENT)
    options.index.note_languages(args, store)
    if args.engine == "indexes":
        variants = collect_variants(PAPER_SWEEPS, [BodyTextExtraction()])
        options.experiment.note_size(store, variants)
    paper = _Paper(args, store, inputs)
    result = paper.study(
        args.output,
        options.experiment.experiment_options(args),
        report=paper.report,
        nested=[OF_2010],
    )
    tell(f"{result.table}\n")
    if caveat := missing_documents(store.documents):
        note(caveat)
    if paper.table:
        print(f"{paper.table}\n")
    for one in (result, paper.of_2010):
        if one and one.verified:
            note(str(one.verified))
    print(list_files(result.files, args.output))
    return report_losses(args, store)


@dataclass(slots=True)
class _Paper:
    """The paper's grid under the requested formula and, for its report, under that of 2010.

    Attributes:
        of_2010: The study with the formula of 2010, when the report is written.
        table: The table beside the paper's figures, likewise.
    """

    args: argparse.Namespace
    store: BlockStore
    inputs: Blogs06
    of_2010: StudyResult | None = None
    table: str = ""

    def study(
        self, output: Path, experiment: ExperimentOptions, **more: Any
    ) -> StudyResult:
        """Run the study into a folder."""
        everything = Comparison("words", ">=", 1)
        return run_study(
            self.store,
            [BodyTextExtraction()],
            self.inputs.topics,
            self.inputs.qrels,
            output,
            study=StudyOptions(baseline=everything, sweeps=PAPER_SWEEPS, **more),
            options=experiment,
            output_options=OutputOptions(
                title=f"{_TITLE}, {experiment.search.model}",
                sources=options.topics.sources(self.args),
                overwrite=self.args.overwrite,
            ),
        )

    def report(self, request: ExperimentRequest) -> list[Path]:
        """Run the study with the formula of 2010, and compare both with the paper's figures.

        Returns the written files.
        """
        output = self.args.output
        experiment = options.experiment.experiment_options(self.args)
        search = replace(experiment.search, model=Lucene29())
        folder = output / OF_2010
        self.of_2010 = self.study(
            folder, replace(experiment, search=search, engine="exact")
        )
        sweeps = {
            str(experiment.search.model): read_study(output / STUDY).rows,
            "the formula of 2010": self.of_2010.study.rows,
        }
        self.table = (
            f"Beside Kohlschütter et al. 2010, section 6:\n\n{paper_table(sweeps)}"
        )
        write_text(output / "paper.txt", f"{self.table}\n")
        pages = report_study(request, paper=paper_comparison(output))
        return [*pages, output / "paper.txt", folder / MANIFEST]
