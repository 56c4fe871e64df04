"""The recipe of the 2010 paper: BLOGS06, topics 851-900, words 1..100 and density 1..20.

Source: Kohlschütter, Fankhauser and Nejdl, WSDM 2010, section 6. The collection is described in
Macdonald and Ounis, The TREC Blogs06 Collection, DCS TR-2006-224, University of Glasgow.
"""

from dataclasses import dataclass
from pathlib import Path

from boilersweep.collection.files import Tree
from boilersweep.collection.trec_web import BLOGS06
from boilersweep.errors import InputError
from boilersweep.eval.report.paper import (
    GROUPS,
    MEASURES,
    OPINIONS,
    PAPER,
    PaperComparison,
    TrecRun,
)
from boilersweep.eval.study.study_json import read_study
from boilersweep.outputs.figures import figure
from boilersweep.outputs.tables import text_table
from boilersweep.topics import Qrels, Topic, read_qrels, read_topics

TOPICS = tuple(str(number) for number in range(851, 901))
DOCUMENTS = 3_215_171
# 0 not relevant, 1 relevant, 2 negative, 3 mixed, 4 positive opinion; -1 is not judged.
GRADES = frozenset(range(5))

# The folder of the study with the formula of 2010, inside the folder of the whole study.
OF_2010 = "lucene-2.9"

WHERE_COLLECTION = (
    "the permalink documents of TREC's Blogs06 test collection, 88.8 GB, licensed by the "
    "University of Glasgow (ir.dcs.gla.ac.uk/test_collections)"
)
WHERE_TOPICS = "trec.nist.gov, data/blog/06/06.topics.851-900.txt"
WHERE_QRELS = "trec.nist.gov, data/blog/06/qrels.blog06.txt"


@dataclass(frozen=True, slots=True)
class Blogs06:
    """The inputs of the experiment, read and found complete."""

    topics: list[Topic]
    qrels: Qrels


def check_inputs(collection: Path, topics: Path, qrels: Path) -> Blogs06:
    """Read topics and qrels, and require files of the collection.

    Args:
        collection: The folder of the permalink documents.
        topics: The file of the topics.
        qrels: The file of the judgements.

    Raises:
        InputError: Inputs are missing; the message names all of them, and where to get them.
    """
    problems = []
    if (
        not collection.is_dir()
        or not Tree(collection, follow_links=True).chosen(BLOGS06.wants)[0]
    ):
        problems.append(
            f"`input` {collection}: expected a folder with permalinks-NNN.gz files; it is "
            f"{WHERE_COLLECTION}"
        )
    read: list[Topic] = []
    judged = Qrels({})
    try:
        read = read_topics(topics)
        missing = [
            number for number in TOPICS if number not in {topic.id for topic in read}
        ]
        if missing:
            problems.append(
                f"`topics` {topics}: {len(missing)} of the topics 851-900 are missing "
                f"({', '.join(missing[:5])}, ...); they are at {WHERE_TOPICS}"
            )
    except InputError as error:
        problems.append(f"`topics`: {error}; they are at {WHERE_TOPICS}")
    try:
        judged = read_qrels(qrels)
        problems += _qrels_problems(judged, qrels)
    except InputError as error:
        problems.append(f"`qrels`: {error}; they are at {WHERE_QRELS}")
    if problems:
        raise InputError("BLOGS06 is not complete:\n  " + "\n  ".join(problems))
    return Blogs06([topic for topic in read if topic.id in TOPICS], judged)


def _qrels_problems(judged: Qrels, qrels: Path) -> list[str]:
    problems = []
    missing = [number for number in TOPICS if not judged.grades.get(number)]
    if missing:
        problems.append(
            f"`qrels` {qrels}: judges no document for {len(missing)} of the topics 851-900 "
            f"({', '.join(missing[:5])}, ...); the judgements are at {WHERE_QRELS}"
        )
    strange = {
        grade for graded in judged.grades.values() for grade in graded.values()
    } - GRADES
    if strange:
        problems.append(
            f"`qrels` {qrels}: expected grades -1 to 4, got {', '.join(map(str, sorted(strange)))};"
            f" the judgements are at {WHERE_QRELS}"
        )
    return problems


def missing_documents(documents: int) -> str | None:
    """Return a warning if the collection is not as large as BLOGS06, otherwise None."""
    if documents == DOCUMENTS:
        return None
    return (
        f"BLOGS06 has {DOCUMENTS:,} permalink documents, this input has {documents:,}: "
        "the figures below are not the paper's experiment"
    )


def paper_comparison(output: Path) -> PaperComparison | None:
    """Read the sweeps of a study with the preset, under its own formula and that of 2010.

    Args:
        output: The folder of the study.

    Returns:
        The comparison; None for any other study.

    Raises:
        InputError: A study is damaged.
    """
    of_2010 = output / OF_2010 / "study.json"
    if not of_2010.is_file():
        return None
    study = read_study(output / "study.json")
    sweeps = {
        str(study.run["model"]): study.rows,
        "the formula of 2010": read_study(of_2010).rows,
    }
    return PaperComparison(sweeps, missing_documents(study.run["documents"]))


def paper_table(paper: PaperComparison) -> str:
    """Write the paper's figures beside ours, and our places among the groups of 2006.

    A plateau of the paper is a range of ours; improvements over everything are in brackets.
    """
    lines = []
    for published in paper.figures:
        line = [published.kept]
        line += [paper.paper_cell(published, measure) for measure in MEASURES]
        line += [
            paper.our_cell(published, formula, measure)
            for formula in paper.sweeps
            for measure in (*MEASURES, OPINIONS)
        ]
        lines.append(line)
    heads = ["kept text", *(f"{measure}, paper" for measure in MEASURES)] + [
        f"{measure}, {formula}"
        for formula in paper.sweeps
        for measure in (*MEASURES, OPINIONS)
    ]
    best = TrecRun("the paper, words >= 11 to 100", max(one.p10 for one in PAPER))
    ours = [run for run in paper.ranked() if run.ours]
    places = [
        [run.name, figure(run.p10), figure(run.opinions), str(run.place())]
        for run in sorted([best, *ours], key=lambda run: -run.p10)
    ]
    place = f"place among {GROUPS} groups"
    return (
        f"{text_table(lines, heads)}\n\nBeside the best run by P@10 of each of the {GROUPS} groups "
        "of TREC 2006 in NIST's summaries (the paper counts 16 contestants):\n\n"
        f"{text_table(places, ['run', 'P@10', OPINIONS, place])}"
    )
