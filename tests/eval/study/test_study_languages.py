"""A study and a sweep of a collection in two languages."""

from pathlib import Path

import pytest

from boilersweep.eval.experiment.request import ExperimentOptions
from boilersweep.eval.study.study import run_study
from boilersweep.eval.study.study_json import read_study
from boilersweep.eval.sweep.sweep import run_sweep
from boilersweep.store.store import BlockStore
from boilersweep.topics import Qrels, Topic
from tests.eval.conftest import MakeStore
from tests.eval.study.conftest import rows_of

pytestmark = pytest.mark.java

ANIMALS = {"de": ("Pferd", "Otter", "Luchs"), "fr": ("cheval", "loutre", "héron")}
FILLERS = {
    "de": "Am frühen Morgen stand hier ein {} am Ufer und dachte lange an nichts als den Winter.",
    "fr": "Ce matin-là il y avait près de la rivière un {} qui ne pensait à rien du tout.",
}
TOPICS = [
    Topic(f"{language}{number}", animal)
    for language, animals in ANIMALS.items()
    for number, animal in enumerate(animals)
]
QRELS = Qrels(
    {topic.id: {f"{topic.id}-{n}": 1 for n in range(3)} for topic in TOPICS}
    | {"both": {"de0-0": 1, "fr0-0": 1}}
)
ALL = [*TOPICS, Topic("both", "Pferd cheval")]


@pytest.fixture(scope="module")
def mixed(make_store: MakeStore) -> BlockStore:
    """18 pages in German and French, all of which name all animals of their language in menus."""
    pages = {}
    for language, animals in ANIMALS.items():
        menu = "".join(f"<p>{animal}</p>" for animal in animals)
        for number, animal in enumerate(animals):
            text = FILLERS[language].format(animal)
            for copy in range(3):
                pages[f"{language}{number}-{copy}"] = (
                    f"<html lang={language}>{menu}<p>{text} {copy}</p>"
                )
    return make_store(pages)


def test_a_study_says_its_scores_by_language(mixed: BlockStore, tmp_path: Path) -> None:
    output = tmp_path / "out"
    result = run_study(mixed, ["words>=3"], ALL, QRELS, output)
    study = read_study(output / "study.json")
    languages = {topic.id: topic.language for topic in study.topics}
    assert languages == {**{topic.id: topic.id[:2] for topic in TOPICS}, "both": None}
    assert study.run["languages"] == mixed.languages == {"de": 9, "fr": 9}
    assert "P@10 by language of the topics" in result.table
    assert "de (3)" in result.table
    rows = rows_of(output / "languages.csv")
    here = {(r["language"], r["cleaner"]): r for r in rows if r["measure"] == "nDCG@10"}
    assert len(here) == 6
    scores = study.rows[1].scores["nDCG@10"]
    german = [scores[n] for n, topic in enumerate(study.topics) if topic.language == "de"]
    assert float(here["de", "words>=3"]["mean"]) == pytest.approx(sum(german) / 3, abs=1e-4)
    assert here["de", "words>=3"]["topics"] == "3"
    assert {path.name for path in result.files} >= {
        *("languages.csv", "languages.svg", "languages.png")
    }


def test_a_sweep_says_its_scores_by_language(mixed: BlockStore, tmp_path: Path) -> None:
    output = tmp_path / "out"
    result = run_sweep(
        mixed, ["words=1:4"], ALL, QRELS, output, options=ExperimentOptions(engine="exact")
    )
    rows = rows_of(output / "languages.csv")
    assert len(rows) == 3 * 4 * len(result.rows[0].scores)
    means = {row.variant.name: row.scores["P@10"] for row in result.rows}
    by = {(r["language"], r["cleaner"]): r for r in rows if r["measure"] == "P@10"}
    for name, cleaner in (("words-001", "words>=1"), ("words-003", "words>=3")):
        weighted = sum(
            float(by[language, cleaner]["mean"]) * int(by[language, cleaner]["topics"])
            for language in ("de", "fr", "undecided")
        )
        assert weighted / 7 == pytest.approx(means[name], abs=1e-4)
    assert {path.name for path in result.files} >= {
        *("languages.csv", "languages.svg", "languages.png")
    }


def test_a_study_of_one_language_has_no_such_files(mixed: BlockStore, tmp_path: Path) -> None:
    german = [topic for topic in TOPICS if topic.id.startswith("de")]
    output = tmp_path / "out"
    result = run_study(mixed, ["words>=3"], german, QRELS, output)
    assert not list(output.glob("languages*"))
    assert "by language" not in result.table
