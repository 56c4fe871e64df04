"""The evidence a report needs, from a study's runs and its block store."""

from pathlib import Path

from boilersweep.cleaners.parsing import parse_cleaner
from boilersweep.eval.explain.evidence import Side, evidence
from boilersweep.eval.explain.evidence_json import evidence_json
from boilersweep.eval.report.packing import Evidence, places_to_explain
from boilersweep.eval.report.selection import StudyDocument
from boilersweep.eval.runs import read_run
from boilersweep.indexer.analyzer import AnalyzerOptions
from boilersweep.progress import steps
from boilersweep.store.store import BlockStore
from boilersweep.topics import Qrels


def gather_evidence(
    study: StudyDocument,
    output: Path,
    store: BlockStore,
    qrels: Qrels,
    analyzer: AnalyzerOptions,
) -> list[Evidence]:
    """Of the baseline and each cleaner the report is to explain, one pass over the store each.

    output: the folder of the study, where its runs are. Raises InputError, StoreError, JavaError.
    """
    queries = {topic["id"]: topic["query"] for topic in study["topics"]}

    def side(place: int) -> Side:
        variant = study["variants"][place]
        return Side(parse_cleaner(variant["cleaner"]), read_run(output / variant["run"]))

    before = side(study["baseline"])
    places = places_to_explain(study)
    found: list[Evidence] = []
    with steps("explaining", len(places), "cleaners") as bar:
        for place in places:
            one = evidence(store, queries, qrels.grades, before, side(place), analyzer)
            found.append(evidence_json(one))
            bar.update()
    return found
