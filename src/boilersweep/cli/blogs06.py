"""`sweep --preset blogs06`: the experiment of the 2010 paper, with the settings of the paper."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from boilersweep.cleaners.published.tag_curves import BodyTextExtraction
from boilersweep.cleaners.rules import Comparison
from boilersweep.cleaners.syntax.variants import PAPER_SWEEPS, collect_variants
from boilersweep.cli.call import Call
from boilersweep.cli.messages import list_files, note, tell
from boilersweep.cli.options.collection import PagesOrStore, own_store, report_losses
from boilersweep.cli.options.experiment import Experimenting, note_size
from boilersweep.cli.options.index import note_languages
from boilersweep.cli.options.searching import Searching
from boilersweep.collection.inputs import Inputs
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
from boilersweep.eval.report.paper import OPINIONS, PaperComparison
from boilersweep.eval.report.report import STUDY, report_study
from boilersweep.eval.study.plan import StudyOptions
from boilersweep.eval.study.results import StudyResult
from boilersweep.eval.study.study import run_study
from boilersweep.eval.study.study_json import read_study
from boilersweep.outputs.atomic import write_text
from boilersweep.outputs.parts import MANIFEST
from boilersweep.store.store import BlockStore

_TITLE = "BLOGS06, TREC 2006 Blog track topics 851-900"
# The options that the preset sets.
SET = (
    *("--sweep", "--grid", "--cleaners", "--measures", "--languages", "--collection"),
    *("--store", "--dataset", "--queries", "--cluster"),
)


@dataclass(frozen=True, slots=True)
class Paper:
    """The experiment of the paper, as a call asks for it."""

    source: PagesOrStore
    asked: Experimenting

    def run(self, call: Call) -> int:
        """Check the inputs, score the grid under two formulas, compare with the paper's figures."""
        call.apart("--preset", *SET)
        asked = self.asked
        pages, topics = self.source.input, asked.queries.topics.topics
        qrels = asked.queries.judgements.qrels
        if pages is None or topics is None or qrels is None:
            raise UsageError("--preset blogs06 requires --input, --topics and --qrels")
        if isinstance(pages, Inputs):
            raise UsageError("--preset blogs06 expects one --input, a folder")
        asked.queries.topics.check()
        searching = self._searching()
        experiment = replace(asked, searching=searching).options()
        inputs = check_inputs(pages, topics, qrels)
        engine = experiment.engine or "indexes"
        searching.start_java(engine)
        how = replace(self.source.how(), collection=BLOGS06.name)
        if not call.given("--borders"):
            how = replace(how, borders="paper")
        overwrite = asked.existing.overwrite
        work = {"threads": searching.workers.threads, "overwrite": overwrite}
        store = own_store(pages, asked.output, how, EXPERIMENT, **work)
        note_languages(experiment.search.analyzer, (), store)
        if engine == "indexes":
            variants = collect_variants(PAPER_SWEEPS, [BodyTextExtraction()])
            note_size(store, variants)
        sources = {"topics": topics, "qrels": qrels}
        studies = _Studies(store, inputs, experiment, asked.output, sources, overwrite)
        result = studies.run(
            asked.output, experiment, report=studies.report, nested=[OF_2010]
        )
        tell(f"{result.table}\n")
        if caveat := missing_documents(store.documents):
            note(caveat)
        if studies.table:
            print(f"{studies.table}\n")
        for study in (result, studies.of_2010):
            if study and study.verified:
                note(str(study.verified))
        print(list_files(result.files, asked.output))
        return report_losses(store)

    def _searching(self) -> Searching:
        """Return how it is searched: no title is in the paper's contents, which are as written."""
        analyzer = self.asked.searching.analyzer
        written = replace(analyzer.analyzer, keep_apostrophes=True)
        return replace(
            self.asked.searching,
            analyzer=replace(analyzer, analyzer=written, no_title=True),
        )


@dataclass(slots=True)
class _Studies:
    """The paper's grid under the requested formula and, for its report, under that of 2010.

    Attributes:
        of_2010: The study with the formula of 2010, when the report is written.
        table: The table beside the paper's figures, likewise.
    """

    store: BlockStore
    inputs: Blogs06
    experiment: ExperimentOptions
    output: Path
    sources: dict[str, Path]
    overwrite: bool
    of_2010: StudyResult | None = None
    table: str = ""

    def run(
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
            study=StudyOptions(
                baseline=everything, sweeps=PAPER_SWEEPS, beside=[OPINIONS], **more
            ),
            options=experiment,
            output_options=OutputOptions(
                title=f"{_TITLE}, {experiment.search.model}",
                sources=self.sources,
                overwrite=self.overwrite,
            ),
        )

    def report(self, request: ExperimentRequest) -> list[Path]:
        """Run the study with the formula of 2010, and compare both with the paper's figures.

        Returns the written files.
        """
        search = replace(self.experiment.search, model=Lucene29())
        folder = self.output / OF_2010
        self.of_2010 = self.run(
            folder, replace(self.experiment, search=search, engine="exact")
        )
        paper = PaperComparison(
            {
                str(self.experiment.search.model): read_study(self.output / STUDY).rows,
                "the formula of 2010": self.of_2010.study.rows,
            }
        )
        self.table = (
            f"Beside Kohlschütter et al. 2010, section 6:\n\n{paper_table(paper)}"
        )
        write_text(self.output / "paper.txt", f"{self.table}\n")
        pages = report_study(request, paper=paper_comparison(self.output))
        return [*pages, self.output / "paper.txt", folder / MANIFEST]
