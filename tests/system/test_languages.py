"""Pages in twelve languages from the collection to the evidence of the report."""

import json
from pathlib import Path

import pytest

from boilersweep import open_store
from boilersweep.cli.main import main
from boilersweep.demo.collection import SITES, LanguagePages, write_languages
from boilersweep.pages.words import ESTIMATED, dictionary
from tests.eval.study.conftest import rows_of

CODES = {site.language for site in SITES}
# Those whose words the English analyzer finds: Thai it does not cut.
IN_STANDARD_TOKENS = CODES - {"th"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> LanguagePages:
    return write_languages(tmp_path_factory.mktemp("languages"))


@pytest.fixture(scope="module")
def store(made: LanguagePages) -> Path:
    folder = made.topics.parent / "store"
    assert (
        main(f"segment --input {made.html} --output {folder} --threads 1".split()) == 0
    )
    return folder


@pytest.fixture(scope="module")
def study(made: LanguagePages, store: Path) -> Path:
    output = made.topics.parent / "study"
    asked = f"--store {store} --topics {made.topics} --qrels {made.qrels}"
    command = (
        f"compare {asked} --cleaners words>=11,bte --sweep words=1:12 --output {output}"
    )
    assert main(command.split()) == 0
    return output


def test_the_language_of_every_page_is_known(store: Path) -> None:
    fields = open_store(store).fields(["docid", "language"])
    found = {row[0]: row[1] for row in fields}
    assert len(found) == 24
    assert {docid: docid.partition("-")[0] for docid in found} == found


@pytest.mark.parametrize("cleaner", ["words>=11", "numwords-rules", "bte"])
def test_cleaners_keep_the_articles_and_drop_the_menus(
    made: LanguagePages, tmp_path: Path, cleaner: str
) -> None:
    command = f"judge --dataset folder --input {made.topics.parent} --output {tmp_path / 'out'}"
    assert main([*command.split(), "--cleaners", cleaner]) == 0
    pages = rows_of(tmp_path / "out" / "pages.csv")
    assert len(pages) == 24
    least = 0.9 if dictionary() != ESTIMATED else 0.8
    for page in pages:
        assert float(page["recall"]) >= least, page
        assert float(page["precision"]) >= 0.75, page


@pytest.mark.java
def test_a_sweep_finds_every_article_but_those_that_no_analyzer_of_it_cuts(
    study: Path,
) -> None:
    by_language = {
        (row["language"], row["cleaner"]): float(row["mean"])
        for row in rows_of(study / "languages.csv")
        if row["measure"] == "nDCG@10"
    }
    assert {language for language, _ in by_language} == CODES
    for language in IN_STANDARD_TOKENS:
        assert by_language[language, "words>=11"] == 1, language
        assert by_language[language, "words>=1"] <= 1
    assert by_language["th", "words>=11"] == 0


@pytest.mark.java
def test_the_report_has_every_language_and_its_text(study: Path) -> None:
    page = (study / "report.html").read_text("utf-8")
    assert 'id="languages"' in page
    for name in (
        "Arabic (ar)",
        "Chinese (zh)",
        "Hindi (hi)",
        "Korean (ko)",
        "Thai (th)",
    ):
        assert name in page
    assert "The analyzer is for English" in page
    topics = json.loads((study / "study.json").read_text("utf-8"))["topics"]
    assert {topic["id"]: topic["language"] for topic in topics} == {
        topic["id"]: topic["id"].partition("-")[0] for topic in topics
    }


@pytest.mark.java
@pytest.mark.parametrize(
    ("topic", "marked"),
    [
        ("ar-1", {"فرن", "الخميرة"}),
        ("de-1", {"Backofen", "Sauerteig"}),
        ("he-2", {"בריכה", "צפרדעים"}),
        ("hi-1", {"तंदूर", "खमीर"}),
        ("ja-2", {"池", "カエル"}),
        ("zh-1", {"烤炉", "酵母"}),
    ],
)
def test_a_topic_is_explained_by_its_words(
    made: LanguagePages, store: Path, tmp_path: Path, topic: str, marked: set[str]
) -> None:
    asked = (
        f"--store {store} --topics {made.topics} --qrels {made.qrels} --topic {topic}"
    )
    output = tmp_path / "out.json"
    command = f"search {asked} --cleaners words>=1,words>=11 --output {output}"
    assert main(command.split()) == 0
    (found,) = json.loads(output.read_text("utf-8"))["topics"]
    left = [one for one in found["documents"] if one["change"] == "left"]
    words = {
        part
        for one in left
        for match in one["matches"]
        for part in match["snippet"][1::2]
    }
    assert words & marked
    assert all(
        match["kept"] == [True, False] for one in left for match in one["matches"]
    )
