"""--languages and --language on a collection in German, French and English."""

import json
import re
from pathlib import Path

import pytest

from boilersweep.cli.main import main
from boilersweep.eval.ranking.runs import read_run
from boilersweep.indexer.analyzer import LANGUAGES
from boilersweep.indexer.manifest import read_manifest
from tests.cli.conftest import Call

WORDS = {"de": ("Pferd", "Otter"), "fr": ("cheval", "loutre"), "en": ("pony", "otter")}
TEXTS = {
    "de": "Am frühen Morgen stand hier ein {} am Ufer und dachte lange an nichts als den Winter.",
    "fr": "Ce matin-là il y avait près de la rivière un {} qui ne pensait à rien du tout.",
    "en": "In the early morning a {} stood at the river and thought of nothing but the winter.",
}
ASK = ("--topics", "topics.tsv", "--qrels", "qrels.txt")


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten pages in each of three languages, a topic for each of two animals in each."""
    folder = tmp_path_factory.mktemp("languages")
    pages, topics, qrels = [], [], []
    for language, animals in WORDS.items():
        menu = "".join(f"<li>{animal}</li>" for animal in animals)
        for number, animal in enumerate(animals):
            topic = f"{language}{number}"
            topics.append(f"{topic}\t{animal}\n")
            for copy in range(5):
                docid = f"{topic}-{copy}"
                page = f"<html lang={language}>{menu}<p>{TEXTS[language].format(animal)} {copy}"
                pages.append(json.dumps({"id": docid, "contents": page}) + "\n")
                qrels.append(f"{topic} 0 {docid} 1\n")
    (folder / "pages.jsonl").write_text("".join(pages), "utf-8")
    (folder / "topics.tsv").write_text("".join(topics), "utf-8")
    (folder / "qrels.txt").write_text("".join(qrels))
    store = ["--output", str(folder / "store"), "--threads", "1"]
    assert main(["segment", "--input", str(folder / "pages.jsonl"), *store]) == 0
    return folder


@pytest.fixture
def home(collection: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(collection)
    return collection


def ranked(folder: Path) -> set[str]:
    """Return the first letters of all docids in the runs of a folder."""
    runs = [read_run(path) for path in sorted((folder / "runs").glob("*.trec"))]
    assert runs
    return {docid[:2] for run in runs for hits in run.values() for docid, _ in hits}


@pytest.mark.java
@pytest.mark.application("report")
def test_a_study_is_of_the_documents_in_some_languages(
    call: Call, home: Path, tmp_path: Path
) -> None:
    output = tmp_path / "study"
    command = [
        "compare",
        "--store",
        "store",
        *ASK,
        "--cleaners",
        "words>=3",
        "--choose",
    ]
    outcome = (
        call(*command, "--languages", "de,fr", "--output", output, "--verify", "2")
        .ok()
        .noted("20 documents in de, fr; left out in other languages: en 10")
    )
    judged = "10 judgements, 10 of them relevant, are of documents in other languages than de, fr"
    assert judged in outcome.err
    assert "2 of the 6 topics have no relevant document there" in outcome.err
    assert "--languages de,fr" in outcome.out  # of the index to deploy
    assert ranked(output) == {"de", "fr"}
    manifest = json.loads((output / "manifest.json").read_text())["facts"]
    recipe = json.loads((output / "manifest.json").read_text())["recipe"]
    assert recipe["languages"] == ["de", "fr"]
    assert manifest["documents"] == manifest["judged_documents"] == 20
    assert (manifest["languages"], manifest["other_languages"]) == (
        {"de": 10, "fr": 10},
        {"en": 10},
    )
    assert any(judged in note for note in manifest["notes"])
    page = (output / "report.html").read_text("utf-8")
    assert judged in page
    assert "20 documents, without 10 in other languages" in page
    index = read_manifest(output / "indexes" / "words-001")
    assert index
    assert (index.documents, index.empty, index.other_languages) == (20, 0, {"en": 10})
    assert index.identity.languages == ("de", "fr")
    call("check", output).ok()
    before = (output / "report.html").read_bytes()
    assert call("report", output).status == 0  # the evidence is of these documents, too
    assert (output / "report.html").read_bytes() == before
    call(*command, "--languages", "de", "--output", output).refused(1, "languages")


@pytest.mark.java
@pytest.mark.parametrize("engine", ["exact", "indexes"])
def test_a_sweep_of_a_language_is_that_of_its_documents_alone(
    call: Call, home: Path, tmp_path: Path, engine: str
) -> None:
    lines = (home / "pages.jsonl").read_text("utf-8").splitlines()
    german = [line for line in lines if json.loads(line)["id"].startswith("de")]
    (tmp_path / "german.jsonl").write_text("\n".join(german), "utf-8")
    sweep = ["sweep", *ASK, "--sweep", "words=1:3", "--engine", engine]
    some, own = tmp_path / "some", tmp_path / "own"
    call(*sweep, "--store", "store", "--languages", "de", "--output", some).ok()
    call(*sweep, "--input", tmp_path / "german.jsonl", "--output", own).ok()
    for name in ("scores.csv", "topics.csv", "runs/words-002.trec"):
        assert (some / name).read_bytes() == (own / name).read_bytes()
    call("check", some).ok()


@pytest.mark.java
@pytest.mark.application("report")
def test_a_topic_is_explained_among_the_documents_of_some_languages(
    call: Call, home: Path, tmp_path: Path
) -> None:
    explain = ["search", "--store", "store", *ASK, "--cleaners", "words>=1,words>=3"]
    # Otter is German, too
    asked = [*explain, "--topic", "en1", "--output", tmp_path / "out.json"]
    found = []
    for languages in ([], ["--languages", "en"]):
        call(*asked, *languages).ok()
        (topic,) = json.loads((tmp_path / "out.json").read_text())["topics"]
        found.append({one["docid"][:2] for one in topic["documents"]})
    assert found == [{"de", "en"}, {"en"}]


@pytest.mark.java
@pytest.mark.application("report")
def test_an_analyzer_for_another_language_is_said(
    call: Call, home: Path, tmp_path: Path
) -> None:
    said = "The analyzer is for Greek (--language el), which 0 of the 30 documents"
    output = tmp_path / "study"
    study = [
        "compare",
        "--store",
        "store",
        *ASK,
        "--cleaners",
        "words>=3",
        "--output",
        output,
    ]
    assert call(*study, "--language", "el").ok().err.count(said) == 1
    assert any(
        said in note
        for note in json.loads((output / "manifest.json").read_text())["facts"]["notes"]
    )
    assert said in (output / "report.html").read_text("utf-8")
    index = ["index", "--store", "store", "--keep", "bte", "--output"]
    assert said in call(*index, tmp_path / "el", "--language", "el").err
    german = call(*index, tmp_path / "de", "--language", "de", "--languages", "de")
    assert "The analyzer is for" not in german.err


@pytest.mark.parametrize("command", ["index", "sweep", "compare", "search"])
def test_help_lists_the_codes_of_analyzers(call: Call, command: str) -> None:
    words = re.findall(r"[\w-]+", call(command, "--help").out)
    assert set(LANGUAGES) <= set(words)
