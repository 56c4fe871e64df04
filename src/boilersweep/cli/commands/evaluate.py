"""`boilersweep evaluate`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from boilersweep.cli.messages import note
from boilersweep.cli.options.topics import (
    Prefixes,
    note_judged_folder,
    read_judgements,
)
from boilersweep.cli.options.values import File, paths
from boilersweep.errors import QrelsError
from boilersweep.eval.ranking.runs import Run, merged_scores_note, read_run
from boilersweep.eval.stats.scoring import (
    DEFAULT_MEASURES,
    RunScores,
    parse_measures,
    score,
)
from boilersweep.outputs.figures import figure
from boilersweep.outputs.identity import listed
from boilersweep.outputs.locations import location
from boilersweep.topics import docid_forms, prefix_hint, renamed


def run(
    *measures: str,
    qrels: File,
    prefixes: Prefixes = Prefixes(),
    run_files: Annotated[Sequence[Path], paths("FILE", location), Parameter("--run")],
    by_query: Annotated[bool, Parameter(("--by_query", "-q"))] = False,
) -> None:
    """Score run files with ir-measures.

    Score run files. A topic of the qrels that is missing from a run counts as zero.

    Args:
        measures: Any measure of ir-measures, or trec_eval's names, such as P_10 (default: P@10
            nDCG@10 Judged@10 AP).
        qrels: TREC's, BEIR's or CSV; or irds:ID, or a name that pyserini knows.
        run_files: A TREC run file; may be repeated.
        by_query: Also print the values of each topic.
    """
    wanted = parse_measures(measures or DEFAULT_MEASURES)
    judgements = read_judgements(qrels)
    note_judged_folder(qrels)
    grades = {topic: judged for topic, judged in judgements.grades.items() if judged}
    for path in run_files:
        hits_of = read_run(path, streams=True)
        ids = renamed(hits_of, dict(prefixes.topic_prefix))
        hits_of = {ids[topic]: hits for topic, hits in hits_of.items()}
        _compare_topics(path, hits_of, qrels, grades)
        if merged := merged_scores_note(hits_of):
            note(f"{path}: {merged}")
        name = f"{path}\t" if len(run_files) > 1 else ""
        _print(score(hits_of, grades, wanted), name, by_query=by_query)


def _compare_topics(
    path: Path, run: Run, qrels: Path, grades: Mapping[str, Mapping[str, int]]
) -> None:
    """Print which topics only one side has.

    Raises:
        QrelsError: The qrels judge no topic of the run, or none of its documents.
    """
    missing = [topic for topic in grades if topic not in run]
    unknown = [topic for topic in run if topic not in grades]
    hint = prefix_hint(unknown, missing, "the run's topics")
    if len(missing) == len(grades):
        raise QrelsError(
            f"no topic of {path} is in {qrels}: the run has {', '.join(unknown[:3]) or 'none'}, "
            f"the qrels have {', '.join(missing[:3]) or 'none'}; "
            + (hint or "give the qrels of these topics")
        )
    judged = {docid for documents in grades.values() for docid in documents}
    ranked = dict.fromkeys(docid for hits in run.values() for docid, _ in hits)
    if ranked and judged.isdisjoint(ranked):
        raise QrelsError(
            f"no document of {path} is in {qrels}: the run has docids such as "
            f"{docid_forms(ranked, judged)}; give the qrels of this collection"
        )
    if missing:
        note(f"{path}: {len(missing)} topics count as zero: {listed(missing)}")
    if unknown:
        note(
            f"{path}: {len(unknown)} topics have no qrels: {listed(unknown)}"
            f"{hint and f'; {hint}'}"
        )


def _print(scores: RunScores, name: str, *, by_query: bool) -> None:
    everything = "all\t" if by_query else ""
    if by_query:
        for topic, values in scores.by_topic.items():
            for measure, value in values.items():
                print(f"{name}{topic}\t{measure}\t{figure(value, '.4f')}")
    for measure, value in scores.mean.items():
        print(f"{name}{everything}{measure}\t{figure(value, '.4f')}")
